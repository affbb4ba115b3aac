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

Several open steps may have one tensor, each in memory of its own. The tensor is a view of the memory of the step that
wrote it last, among those that write it; to a step that writes it, too, it is then a parameter that got another memory.
A step that only reads what another one writes has a copy, which is taken again when the tensor has changed. Mirrors of
other steps are filled before a step looks (`bring`), and two steps that have masters of one narrower tensor take these
from each other, so that nothing is rounded in between.
"""
from __future__ import annotations

import contextlib
import warnings
import weakref
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from ...errors import StepFailure
from ...module import Binding
from .filling import Fill
from .guards import Guards, bare_kind
from .memory import Device
from .private import registered, version_of
from .program import Program
from .together import Together, is_divided

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
    # None where that is nothing to the step, as its optimizer does not have the tensor.
    requires_grad: bool | None
    shape: tuple[int, ...]
    # Another step writes it, and this one reads it.
    is_lent: bool = False
    # The step's own memory, once it was asked for, and its address.
    memory: torch.Tensor | None = None
    address: int = 0
    version: int = 0
    pointer: int = 0

    def see(self) -> None:
        self.version, self.pointer = version_of(self.tensor), self.tensor.data_ptr()

    def has_changed(self) -> bool:
        return version_of(self.tensor) != self.version or self.tensor.data_ptr() != self.pointer

    def is_replaced(self) -> bool:
        return any(holder.get(key) is not self.tensor for holder, key in self.places)


class Weights:
    """lazy: mirrors are only filled when `sync` is called. beside: weights of other open steps that have tensors of the
    model, whose mirrors are filled. owned: identities of parameters that the step's optimizers have."""

    def __init__(self, model: torch.nn.Module, program: Program, device: Device, lazy: bool, ranks: Together | None, beside: Iterable[Weights],
                 owned: Container[int]) -> None:
        self._module, self._device, self._lazy, self._ranks = program.module, device, lazy, ranks
        self._held = _collect(model, program, owned)
        self._by_identity = {id(held.tensor): held for held in self._held}
        self._beside: weakref.WeakSet[Weights] = weakref.WeakSet()
        self._sums: list[torch.Tensor] | None = None
        for other in beside:
            self._meet(other)
        _check_devices(self._held, device)
        # Of what rank 0 has all have their part.
        self.given = [] if ranks is None else ranks.begin_alike({held.name: held.tensor for held in self._held})
        for held in self._held:
            self._give(held)
        for held in self._held:
            self._share(held)
        self._mirrors = [held for held in self._held if not held.is_view and held.is_updated]
        # But for those that only are none because each rank has a part of them.
        self._narrower = [held for held in self._mirrors if held.tensor.dtype != _DTYPES[held.binding.dtype]]
        self._is_behind = self._is_traced = False
        self._written = [held.tensor for held in self._held if held.is_view and held.is_updated]
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
        frozen = [held.tensor for held in self._parameters.values()
                  if not held.requires_grad and bare_kind(type(held.tensor)) is torch.nn.Parameter]

        def use() -> None:
            weights = own()
            if weights is not None:
                weights.use()
        is_alone = ranks is None or ranks.size == 1
        filled = [held.tensor for held in self._mirrors if isinstance(held.tensor, torch.nn.Parameter)] if is_alone and not lazy else []
        self._guards = Guards(trained, frozen, take, filled, use)
        self._hooks = self._hook(model) if self._mirrors and not lazy else []

    @property
    def extra_bytes(self) -> int:
        """What the model holds beside the step."""
        return sum(held.tensor.numel() * held.tensor.element_size() for held in self._held if not held.is_view and not held.is_lent)

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
        self._guards.watch(self._is_behind)

    def has(self, tensor: torch.Tensor) -> bool:
        return id(tensor) in self._by_identity

    def updates(self, tensor: torch.Tensor) -> bool:
        """Whether the step writes it."""
        held = self._by_identity.get(id(tensor))
        return held is not None and held.is_updated

    @property
    def is_shared(self) -> bool:
        """Whether another open step has some of the tensors."""
        return len(self._beside) > 0

    def bring(self) -> None:
        """Fills mirrors of other steps that have tensors of this one."""
        for other in self._beside:
            other.sync()

    def notice(self, within: bool = False) -> bool:
        """Takes over what has changed outside; whether anything has. within: a step has begun, whose gradients are
        there: what other steps have made of tensors that this one only reads waits for the next. StepFailure for what a
        step cannot go on with."""
        seen = [held for held in self._held if not (within and held.is_lent)]
        written = self._written_data({id(held.tensor) for held in seen})
        changed = [held for held in seen
                   if held.has_changed() or held.is_replaced() or id(held.tensor) in written or self._is_other_grad(held)]
        for held in changed:
            self._check(held)
        for held in changed:
            self._warn_of_sharing(held)
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

    def _written_data(self, seen: set[int]) -> set[int]:
        """Of these parameters, as far as their data were taken, those that have other bits since. Waits for a GPU if
        there are any."""
        taken = {number: self._taken.pop(number) for number in self._taken.keys() & seen}
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
        self._guards.watch(True)

    def sync(self) -> None:
        """Fills mirrors, if a step has changed what they mirror."""
        if not self._is_behind:
            return
        self._is_behind = False
        self._guards.watch(False)
        with torch.no_grad():
            for held in self._mirrors:
                if held.has_changed() or held.is_replaced():
                    continue  # Written since the last step: the next one takes it over.
                held.tensor.copy_(self._read(held))
                held.see()

    @contextlib.contextmanager
    def unwatched(self) -> Iterator[None]:
        """Inside, the step itself looks at the model's parameters."""
        self._guards.watch(False)
        try:
            yield
        finally:
            self._guards.watch(self._is_behind)

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
        if self._ranks is not None and self._ranks.size > 1:
            if self._is_behind and self._mirrors:
                warnings.warn("weights of a model that ranks have trained are divided among them, and the model has those of before: call "
                              "step.sync() on all ranks before a step is closed", stacklevel=4)
        elif not self._lazy:
            self.sync()
        for hook in self._hooks:
            hook.remove()
        self._guards.release()
        self._hooks = []
        for other in self._beside:
            other._beside.discard(self)
        self._beside.clear()

    def _meet(self, other: Weights) -> None:
        """Another step that has some of the tensors: a step that only reads one has no say in where it is."""
        for number in self._by_identity.keys() & other._by_identity.keys():
            mine, theirs = self._by_identity[number], other._by_identity[number]
            if mine.is_updated and not theirs.is_updated:
                theirs.is_view, theirs.is_lent, other._sums = False, True, None
            elif not mine.is_updated:
                # Of two that only read it, the first one.
                mine.is_view, mine.is_lent = False, theirs.is_updated
        self._beside.add(other)
        other._beside.add(self)

    def _master_of(self, tensor: torch.Tensor) -> torch.Tensor | None:
        """What a narrower tensor of the model was filled from, if it is that still."""
        held = self._by_identity.get(id(tensor))
        if held is None or held.is_view or not held.is_updated or held.tensor.dtype == _DTYPES[held.binding.dtype] or held.has_changed():
            return None
        return self._read(held)

    def _value_of(self, held: _Held) -> torch.Tensor:
        if held.is_updated and held.tensor.dtype != _DTYPES[held.binding.dtype]:
            for other in self._beside:
                master = other._master_of(held.tensor)
                if master is not None:
                    return master
        return held.tensor.detach()

    def _memory(self, held: _Held) -> torch.Tensor:
        # share_memory gives everything that is of the same memory, this too, another one.
        if held.memory is None or held.memory.data_ptr() != held.address:
            held.memory = torch.from_dlpack(self._module.view(held.binding))
            held.address = held.memory.data_ptr()
        return held.memory

    def _is_other_grad(self, held: _Held) -> bool:
        return held.requires_grad is not None and not held.is_lent and held.tensor.requires_grad != held.requires_grad

    def _give(self, held: _Held) -> None:
        value, stored = self._value_of(held), _DTYPES[held.binding.dtype]
        if held.memory is not None and _goes_there(value, held):
            with torch.no_grad():
                self._memory(held).copy_(value)
            return
        if held.binding.role == "frozen_parameter" and stored in (torch.bfloat16, torch.float16):
            # As a file of weights is read: the step reads it in this format alone. The model's own stays as it is.
            rounded = value.to(stored)
            value = rounded if bool((rounded.isfinite() | ~value.isfinite()).all()) else value
        try:
            self._module.set(held.binding, value)
        except (TypeError, ValueError) as error:
            raise StepFailure(f"{held.name} must be values that the step can hold, but: {error} (convert them first, p.data = p.data.to({stored}), "
                              "or compile with a recipe that stores them in FP32)") from error
        if held.is_lent and held.binding.role != "staged_parameter":
            self._memory(held)

    def _share(self, held: _Held) -> None:
        if held.is_view:
            held.tensor.data = self._memory(held)
        held.see()

    def _read(self, held: _Held) -> torch.Tensor:
        if self._ranks is not None:
            return self._ranks.whole(self._module, held.binding)
        return torch.from_dlpack(self._module.view(held.binding))

    def _warn_of_sharing(self, held: _Held) -> None:
        if held.is_view and held.tensor.data_ptr() != held.pointer and held.tensor.device.type == "cpu" and held.tensor.is_shared():
            warnings.warn("weights that were moved to memory which processes share (share_memory, or as an argument of a process or queue) are the "
                          "step's again: other processes have them as they are now. Give them copies", stacklevel=5)

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
        if self._is_other_grad(held):
            now, then = ("trained", "frozen") if tensor.requires_grad else ("frozen", "trained")
            raise StepFailure(f"{held.name} must be {then}, as it was when the step was compiled, but is {now}: compile the step again")

    def _adopt(self, held: _Held) -> None:
        """Another object in a tensor's places. The old one may be in the optimizer, which would go on with it."""
        tensor = held.places[0][0][held.places[0][1]]
        if isinstance(held.tensor, torch.nn.Parameter) and held.requires_grad:
            raise StepFailure(f"{held.name} must stay the parameter that the optimizer has, but another one was put in its place: write into it "
                              "(with torch.no_grad(): p.copy_(...)), or compile the step again")
        self._by_identity[id(tensor)] = self._by_identity.pop(id(held.tensor))
        held.tensor = tensor
        for other in list(self._beside):
            self._meet(other)

    def _hook(self, model: torch.nn.Module) -> list[Any]:
        fill = Fill(self)
        hooks = []
        for module in model.modules():
            hooks.append(module.register_forward_pre_hook(fill))
            hooks.append(module.register_state_dict_pre_hook(fill))
        return hooks

    def _sum(self) -> list[torch.Tensor]:
        return [_sum_of(held.tensor) for held in self._held if held.is_view and held.tensor.dim()]


def _sum_of(tensor: torch.Tensor) -> torch.Tensor:
    """Of the bits of its elements."""
    bits = {8: torch.int64, 4: torch.int32, 2: torch.int16, 1: torch.int8}
    return tensor.detach().contiguous().view(bits[tensor.element_size()]).sum(dtype=torch.int64)


def _goes_there(value: torch.Tensor, held: _Held) -> bool:
    """Whether a value may be copied into a step's memory as it is, where there was one before: nothing has to be found
    out of it, for which a GPU would have to be waited for. What another step trains fits BF16 as it fits there."""
    memory, is_stored = held.memory, value.dtype == _DTYPES[held.binding.dtype]
    return memory is not None and value.is_floating_point() and value.device == memory.device and value.shape == memory.shape and (
        is_stored or held.is_lent and memory.dtype == torch.bfloat16)


def _dtype_of(held: _Held) -> torch.dtype:
    return _DTYPES[held.binding.dtype] if held.is_view else held.tensor.dtype


def _collect(model: torch.nn.Module, program: Program, owned: Container[int]) -> list[_Held]:
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
            collected.append(_make(own, tensor, held, binding, name in program.updated, id(tensor) in owned))
    return collected


def _make(name: str, tensor: torch.Tensor, places: list[tuple[dict[str, Any], str]], binding: Binding, updated: bool, owned: bool) -> _Held:
    is_float = tensor.dtype.is_floating_point
    if is_float and tensor.dtype not in _FLOATS:
        raise StepFailure(f"parameters and buffers must be float32, bfloat16 or float16, but {name} is {tensor.dtype}: call model.float()")
    # What a step never writes and is no parameter stays PyTorch's own: the step has a copy of it.
    is_view = tensor.dtype == _DTYPES[binding.dtype] and binding.role != "staged_parameter" and (binding.role != "buffer" or updated)
    is_view = is_view and not is_divided(binding)
    # What requires a gradient that nobody asks for may be frozen and thawed as another training of it needs.
    requires_grad = None if tensor.requires_grad and not owned else tensor.requires_grad
    return _Held(name, tensor, places, binding, is_view, updated, requires_grad, tuple(tensor.shape))


def _check_devices(held: Iterable[_Held], device: Device) -> None:
    for one in held:
        if one.is_view and one.tensor.device != device.torch_device:
            raise StepFailure(f"the model must be on {device.torch_device}, where the step runs, but {one.name} is on {one.tensor.device}")
