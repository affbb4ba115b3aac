# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model's parameters and buffers, and the compiled step's.

A tensor of the model that has the dtype in which the step holds it becomes a view of the step's memory: the object and
its name stay, its memory is the step's. Whoever reads it sees the trained values, whoever writes it writes the step's.
A tensor of another dtype (of a model in BF16, whose masters are FP32; a count of int64) stays as it is, and is a
mirror: it is filled again when the model is used, by hooks on its modules, if a step has changed what it mirrors.

What changes from outside is noticed before the next step: PyTorch counts in-place operations on each memory, and a
parameter may get another memory (`p.data = ...`, a load that assigns). Such a parameter is read, and becomes a view
again. Then work weights, the copies in other formats that matmuls read, are made again from the masters. Writing
through `p.data` counts nothing, but parameters tell when that is read (guards.py): then the sum of its bits is compared
before the next step. NumPy tells nothing; `differs` compares the sums of all.
"""
from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from ...errors import StepFailure
from ...module import Binding
from .guards import Guards
from .memory import Device
from .private import registered, version_of
from .program import Program
from .together import Together, divided_dim

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16, "int32": torch.int32, "int64": torch.int64,
           "bool": torch.bool, "int8": torch.int8, "float8_e4m3fn": torch.float8_e4m3fn, "float8_e5m2": torch.float8_e5m2}
_FLOATS = (torch.float32, torch.bfloat16, torch.float16)


@dataclass
class _Held:
    """One tensor of the model. `places`: dictionaries of modules that have it, with its names there."""

    name: str
    tensor: torch.Tensor
    places: list[tuple[dict[str, Any], str]]
    binding: Binding
    is_view: bool
    is_updated: bool
    requires_grad: bool
    shape: tuple[int, ...]
    version: int = 0
    pointer: int = 0

    def see(self) -> None:
        self.version, self.pointer = version_of(self.tensor), self.tensor.data_ptr()

    def has_changed(self) -> bool:
        return version_of(self.tensor) != self.version or self.tensor.data_ptr() != self.pointer

    def is_replaced(self) -> bool:
        return any(holder.get(key) is not self.tensor for holder, key in self.places)


class Weights:
    """lazy: mirrors are only filled when `sync` is called."""

    def __init__(self, model: torch.nn.Module, program: Program, device: Device, lazy: bool, ranks: Together | None) -> None:
        self._module, self._device, self._lazy, self._ranks = program.module, device, lazy, ranks
        self._held = _collect(model, program)
        _check_devices(self._held, device)
        # Of what rank 0 has all have their part.
        self.given = [] if ranks is None else ranks.begin_alike({held.name: held.tensor for held in self._held})
        for held in self._held:
            self._give(held)
        for held in self._held:
            self._share(held)
        self._mirrors = [held for held in self._held if not held.is_view and held.is_updated]
        # But for those that only are none because each rank has a part of them.
        self._narrower = [held for held in self._mirrors if divided_dim(held.binding) is None or held.tensor.dtype != _DTYPES[held.binding.dtype]]
        self._is_behind = self._is_traced = False
        self._written = [held.tensor for held in self._held if held.is_view and held.is_updated]
        self._sums: list[torch.Tensor] | None = None
        self._parameters = {id(held.tensor): held for held in self._held if isinstance(held.tensor, torch.nn.Parameter)}
        # Parameters whose data somebody has taken since the last step, with the sums of their bits before that.
        self._taken: dict[int, torch.Tensor] = {}
        own = weakref.ref(self)

        def take(parameter: torch.Tensor) -> None:
            weights = own()
            if weights is not None:
                weights.take_data(parameter)
        trained = [held.tensor for held in self._parameters.values() if held.requires_grad]
        # Those of a class of their own, such as a frozen weight in few bits, stay of it.
        frozen = [held.tensor for held in self._parameters.values() if not held.requires_grad and type(held.tensor) is torch.nn.Parameter]
        self._guards = Guards(trained, frozen, take)
        self._hooks = self._hook(model) if self._mirrors and not lazy else []

    @property
    def extra_bytes(self) -> int:
        """What the model holds beside the step."""
        return sum(held.tensor.numel() * held.tensor.element_size() for held in self._held if not held.is_view)

    @property
    def mirrors(self) -> list[str]:
        return [held.name for held in self._mirrors]

    def masters(self) -> dict[str, torch.Tensor]:
        """Copies of trained values that the model's own tensors do not hold in full."""
        return {held.name: self._read(held).clone() for held in self._narrower}

    def set_masters(self, values: dict[str, torch.Tensor]) -> None:
        by_name = {held.name: held for held in self._narrower}
        if values.keys() != by_name.keys():
            odd = sorted(values.keys() ^ by_name.keys())
            raise StepFailure(f"a step's state must have the masters of {', '.join(by_name) or 'no weights'}, but differs in {', '.join(odd[:5])}")
        for name, value in values.items():
            self._module.set(by_name[name].binding, value)
        self._is_behind = bool(values)

    def notice(self) -> bool:
        """Takes over what has changed outside; whether anything has. StepFailure for what a step cannot go on with."""
        written = self._written_data()
        changed = [held for held in self._held
                   if held.has_changed() or held.is_replaced() or id(held.tensor) in written or held.tensor.requires_grad != held.requires_grad]
        for held in changed:
            self._check(held)
        for held in changed:
            replaced = held.is_replaced()
            if replaced:
                self._adopt(held)
            if not held.is_view or replaced or held.tensor.data_ptr() != held.pointer:
                self._give(held)
                self._share(held)
            held.see()
        return bool(changed)

    def take_data(self, parameter: torch.Tensor) -> None:
        """Before somebody reads or writes a parameter's `data`."""
        held = self._parameters.get(id(parameter))
        if held is None or id(parameter) in self._taken or self._is_traced:
            return
        if not self._lazy and not held.is_view and self._ranks is None:
            self.sync()
        self._taken[id(parameter)] = _sum_of(held.tensor)

    def _written_data(self) -> set[int]:
        """Of parameters whose data were taken, those that have other bits since. Waits for a GPU if there are any."""
        taken, self._taken = self._taken, {}
        if not taken:
            return set()
        differ = torch.stack([before != _sum_of(self._parameters[number].tensor) for number, before in taken.items()])
        return {number for number, is_other in zip(taken, differ.tolist(), strict=True) if is_other}

    def take_all(self) -> None:
        """Takes over everything, whether PyTorch has counted a change or not."""
        for held in self._held:
            self._check(held)
        for held in self._held:
            if held.is_replaced():
                self._adopt(held)
            if not held.is_view or held.tensor.data_ptr() != held.pointer:
                self._give(held)
                self._share(held)
            held.see()

    def stepped(self) -> None:
        """After a step has written the masters: as after an optimizer of PyTorch's, autograd knows of it."""
        torch.autograd.graph.increment_version(self._written)
        for held in self._held:
            if held.is_view:
                held.version = version_of(held.tensor)
        self._is_behind = True

    def sync(self) -> None:
        """Fills mirrors, if a step has changed what they mirror."""
        if not self._is_behind:
            return
        self._is_behind = False
        with torch.no_grad():
            for held in self._mirrors:
                if held.has_changed() or held.is_replaced():
                    continue  # Written since the last step: the next one takes it over.
                held.tensor.copy_(self._read(held))
                held.see()

    @contextlib.contextmanager
    def traced(self) -> Iterator[None]:
        """Inside, forward is traced, which reads no values."""
        self._is_traced = True
        try:
            yield
        finally:
            self._is_traced = False

    def use(self) -> None:
        """Before the model is used or saved. Ranks would wait for the others there, which may not come."""
        if self._is_traced:
            return
        if self._ranks is not None and self._ranks.size > 1 and self._is_behind:
            raise StepFailure("the weights of a model that ranks train are divided among them: call step.sync() on all ranks, before the model is "
                              "called or saved on any")
        self.sync()

    def remember(self) -> None:
        """Sums of all views' bits, for `differs`."""
        self._sums = self._sum()

    def differs(self) -> bool:
        """Whether something has been written since `remember` that nobody counted."""
        before, self._sums = self._sums, None
        return before is not None and not all(torch.equal(a, b) for a, b in zip(before, self._sum(), strict=True))

    def release(self) -> None:
        """The model goes on without the step; its tensors keep their memory."""
        if not self._lazy and (self._ranks is None or self._ranks.size == 1):
            self.sync()
        for hook in self._hooks:
            hook.remove()
        self._guards.release()
        self._hooks = []

    def _give(self, held: _Held) -> None:
        value, stored = held.tensor.detach(), _DTYPES[held.binding.dtype]
        if held.binding.role == "frozen_parameter" and stored in (torch.bfloat16, torch.float16):
            # As a file of weights is read: the step reads it in this format alone. The model's own stays as it is.
            rounded = value.to(stored)
            value = rounded if bool((rounded.isfinite() | ~value.isfinite()).all()) else value
        try:
            self._module.set(held.binding, value)
        except (TypeError, ValueError) as error:
            raise StepFailure(f"{held.name} must be values that the step can hold, but: {error} (convert them first, p.data = p.data.to({stored}), "
                              "or compile with a recipe that stores them in FP32)") from error

    def _share(self, held: _Held) -> None:
        if held.is_view:
            held.tensor.data = torch.from_dlpack(self._module.view(held.binding))
        held.see()

    def _read(self, held: _Held) -> torch.Tensor:
        if self._ranks is not None:
            return self._ranks.whole(self._module, held.binding)
        return torch.from_dlpack(self._module.view(held.binding))

    def _check(self, held: _Held) -> None:
        present = [holder.get(key) for holder, key in held.places]
        tensor = present[0]
        if any(other is not tensor for other in present):
            raise StepFailure(f"{held.name} must be one tensor in all its places, as it was when the step was compiled, but one of them has another: "
                              "compile the step again")
        if tensor is None:
            raise StepFailure(f"{held.name} must be there as it was when the step was compiled, but is not: compile the step again")
        if tuple(tensor.shape) != held.shape or tensor.dtype != _dtype_of(held):
            raise StepFailure(f"{held.name} must stay a {_dtype_of(held)} of shape {list(held.shape)}, as the step was compiled, but is a "
                              f"{tensor.dtype} of {list(tensor.shape)}: compile the step again")
        if tensor.device != self._device.torch_device and held.is_view:
            raise StepFailure(f"{held.name} must stay on {self._device.torch_device}, where the step runs, but is on {tensor.device}")
        if tensor.requires_grad != held.requires_grad:
            now, then = ("trained", "frozen") if tensor.requires_grad else ("frozen", "trained")
            raise StepFailure(f"{held.name} must be {then}, as it was when the step was compiled, but is {now}: compile the step again")

    def _adopt(self, held: _Held) -> None:
        """Another object in a tensor's places. The old one may be in the optimizer, which would go on with it."""
        tensor = held.places[0][0][held.places[0][1]]
        if isinstance(held.tensor, torch.nn.Parameter) and held.requires_grad:
            raise StepFailure(f"{held.name} must stay the parameter that the optimizer has, but another one was put in its place: write into it "
                              "(with torch.no_grad(): p.copy_(...)), or compile the step again")
        held.tensor = tensor

    def _hook(self, model: torch.nn.Module) -> list[Any]:
        """Before the model is used or saved. The hooks hold no step."""
        own = weakref.ref(self)

        def sync(*_: Any) -> None:
            weights = own()
            if weights is not None:
                weights.use()
        hooks = []
        for module in model.modules():
            hooks.append(module.register_forward_pre_hook(sync))
            hooks.append(module.register_state_dict_pre_hook(sync))
        return hooks

    def _sum(self) -> list[torch.Tensor]:
        return [_sum_of(held.tensor) for held in self._held if held.is_view and held.tensor.dim()]


def _sum_of(tensor: torch.Tensor) -> torch.Tensor:
    """Of the bits of its elements."""
    bits = {8: torch.int64, 4: torch.int32, 2: torch.int16, 1: torch.int8}
    return tensor.detach().contiguous().view(bits[tensor.element_size()]).sum(dtype=torch.int64)


def _dtype_of(held: _Held) -> torch.dtype:
    return _DTYPES[held.binding.dtype] if held.is_view else held.tensor.dtype


def _collect(model: torch.nn.Module, program: Program) -> list[_Held]:
    """The model's tensors that the step has, each once, with all their places."""
    places: dict[int, tuple[str, torch.Tensor, list[tuple[dict[str, Any], str]]]] = {}
    names: dict[str, int] = {}
    for path, module in model.named_modules(remove_duplicate=False):
        for holder in registered(module):
            for key, tensor in holder.items():
                if tensor is None:
                    continue
                name = f"{path}.{key}" if path else key
                names[name] = id(tensor)
                found = places.setdefault(id(tensor), (name, tensor, []))[2]
                if not any(held is holder and own == key for held, own in found):
                    found.append((holder, key))
    collected = []
    for name, binding in program.weights.items():
        # Parameters of one memory are one to the step: each of them is its view.
        for number in dict.fromkeys(names[n] for n in (name, *program.aliases.get(name, ())) if n in names):
            own, tensor, held = places[number]
            collected.append(_make(own, tensor, held, binding, name in program.updated))
    return collected


def _make(name: str, tensor: torch.Tensor, places: list[tuple[dict[str, Any], str]], binding: Binding, updated: bool) -> _Held:
    is_float = tensor.dtype.is_floating_point
    if is_float and tensor.dtype not in _FLOATS:
        raise StepFailure(f"parameters and buffers must be float32, bfloat16 or float16, but {name} is {tensor.dtype}: call model.float()")
    # What a step never writes and is no parameter stays PyTorch's own: the step has a copy of it.
    is_view = tensor.dtype == _DTYPES[binding.dtype] and binding.role != "staged_parameter" and (binding.role != "buffer" or updated)
    is_view = is_view and divided_dim(binding) is None
    return _Held(name, tensor, places, binding, is_view, updated, tensor.requires_grad, tuple(tensor.shape))


def _check_devices(held: Iterable[_Held], device: Device) -> None:
    for one in held:
        if one.is_view and one.tensor.device != device.torch_device:
            raise StepFailure(f"the model must be on {device.torch_device}, where the step runs, but {one.name} is on {one.tensor.device}")
