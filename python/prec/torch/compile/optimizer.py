# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The user's optimizers and the compiled step's: options go from their parameter groups into the step each time, states
are the step's memory under the optimizer's names.

Options are read as the import reads them (prec/torch/optimizer.py): each group gives numbers by name, which are inputs
of the step, and a rule, which is part of it. So a number may change at any time, by a scheduler or by hand; another
rule (nesterov, amsgrad, a weight decay where there was none) is another step, and refused by the names of the options
that changed.

As in PyTorch, an optimizer has no state before its first step, but for those that make theirs at once. From the first
step on, `optimizer.state` has views of the step's memory, and a `step` that counts. A state that was replaced or
written (load_state_dict, an eager optimizer.step() in between) is taken over before the next step. Of a moment that the
step keeps in 8 bits there is no view: an empty tensor marks its place, and state_dict has its values in FP32.
"""
from __future__ import annotations

import contextlib
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import torch

from ...errors import ImportFailure, StepFailure
from ...ir import Body
from ...module import Binding
from .. import optimizer as reading
from .moments import Coded, find_coded
from .private import count_on, mark_stepped, version_of
from .program import Program
from .together import Together, is_divided

# Of a group what says how PyTorch computes, or belongs to a scheduler.
_NO_RULE = frozenset({"params", "initial_lr", "foreach", "fused", "capturable", "param_names"})


_APART = "what one of several steps of an optimizer trains and another one does not needs an optimizer of its own"


class Options:
    """The numbers that groups give the step."""

    def __init__(self, optimizers: Sequence[torch.optim.Optimizer], program: Program) -> None:
        self._groups = [(one, group) for one in optimizers for group in one.param_groups]
        self._counts = [len(one.param_groups) for one in optimizers]
        self._optimizers = optimizers
        self._parameters = [list(map(id, group["params"])) for _, group in self._groups]
        self._known = frozenset(program.hyper)
        self._rules = [self._read(number)[1] for number in range(len(self._groups))]
        self._seen: list[dict[str, Any] | None] = [None] * len(self._groups)

    def read(self) -> dict[str, float]:
        """Numbers that differ from those that were read last."""
        self._check_groups()
        numbers: dict[str, float] = {}
        for number, (_, group) in enumerate(self._groups):
            options = _options_of(group)
            seen = self._seen[number]
            if options == seen:
                continue
            changed = [] if seen is None else [name for name in options if options[name] != seen.get(name)]
            if changed == ["lr"] and self._lr(number) in self._known:
                numbers[self._lr(number)] = float(group["lr"])  # As a scheduler changes it in every step.
                self._seen[number] = options
                continue
            hyper, rule = self._read(number)
            if rule != self._rules[number]:
                now = [f"{name}={options[name]!r}" for name in options if seen is None or options[name] != seen.get(name)]
                raise StepFailure(f"options of parameter group {number} that choose another update must be as they were when the step was compiled, "
                                  f"but got {', '.join(now)}: compile the step again")
            numbers.update(hyper)
            self._seen[number] = options
        return numbers

    def _lr(self, number: int) -> str:
        return "lr" if len(self._groups) == 1 else f"lr.{number}"

    def forget(self) -> None:
        """After numbers that were read were refused."""
        self._seen = [None] * len(self._groups)

    def _read(self, number: int) -> tuple[dict[str, float], tuple[Any, ...]]:
        """Numbers by the names that the step has for them, and what else the group decides, to be compared."""
        optimizer, group = self._groups[number]
        try:
            hyper, make_rule = reading.read_group(optimizer, group, f"parameter group {number}")
        except ImportFailure as error:
            raise StepFailure(str(error)) from error
        suffix = "" if len(self._groups) == 1 else f".{number}"
        shapes = sorted({tuple(p.shape) for p in group["params"]})[:1] or [()]
        rule = make_rule(shapes[0])
        named = {name + suffix: float(value) for name, value in hyper.items()}
        kind = (rule.op, rule.hyper, rule.states, rule.attrs, rule.maximize, _spell(rule.body),
                # What a direction is computed by is not spelled out.
                tuple((key, repr(value)) for key, value in _options_of(group).items() if key not in hyper) if rule.direct else ())
        return {name: value for name, value in named.items() if name in self._known}, kind

    def _check_groups(self) -> None:
        for one, count in zip(self._optimizers, self._counts, strict=True):
            if len(one.param_groups) != count:
                raise StepFailure(f"an optimizer must keep its {count} parameter groups but has {len(one.param_groups)}: compile the step again")
        # load_state_dict makes new dictionaries.
        self._groups = [(one, group) for one in self._optimizers for group in one.param_groups]
        for number, ((_, group), before) in enumerate(zip(self._groups, self._parameters, strict=True)):
            if len(group["params"]) != len(before) or any(id(p) != known for p, known in zip(group["params"], before)):
                raise StepFailure(f"parameter group {number} must keep its parameters but has others: compile the step again")


def numbers_of(optimizers: Sequence[torch.optim.Optimizer]) -> dict[str, float]:
    """Those of all groups, as they are."""
    numbers: dict[str, float] = {}
    for of, optimizer in enumerate(optimizers):
        for number, group in enumerate(optimizer.param_groups):
            suffix = (f".{number}" if len(optimizer.param_groups) > 1 else "") + (f" of optimizer {of}" if len(optimizers) > 1 else "")
            numbers |= {name + suffix: float(value) for name, value in _options_of(group).items()
                        if isinstance(value, (int, float)) and not isinstance(value, bool)}
    return numbers


def _options_of(group: Mapping[str, Any]) -> dict[str, Any]:
    return {name: float(value) if isinstance(value, torch.Tensor) else value for name, value in group.items() if name not in _NO_RULE}


def _spell(body: Body | None) -> tuple[Any, ...]:
    """Of two formulas that compute the same in the same way, the same."""
    if body is None:
        return ()
    numbers = {id(value): i for i, value in enumerate([*body.arguments, *(v for op in body.ops for v in op.results)])}
    return tuple((op.name, tuple(numbers[id(v)] for v in op.operands), tuple(sorted((k, repr(v)) for k, v in op.attrs.items()))) for op in body.ops)


class States:
    """The optimizers' states of the trained parameters. parameters: by the step's names. beside: of other open steps
    that train tensors of the model: with an optimizer of these, each takes over what the other one has made of its
    states."""

    def __init__(self, optimizers: Sequence[torch.optim.Optimizer], program: Program, parameters: Mapping[str, torch.nn.Parameter],
                 beside: Iterable[States] = ()) -> None:
        self._module, self._optimizers = program.module, optimizers
        self._beside: weakref.WeakSet[States] = weakref.WeakSet(beside)
        for other in self._beside:
            other._beside.add(self)
        self._coded = find_coded(program.module, program.path, program.states)
        halves = {id(half) for coded in self._coded.values() for half in (coded.codes, coded.absmax)}
        self._slots: dict[str, list[tuple[str, Binding]]] = {}
        for (parameter, slot), binding in program.states.items():
            if id(binding) not in halves:
                self._slots.setdefault(parameter, []).append((slot, binding))
        for parameter, _ in self._coded:
            self._slots.setdefault(parameter, [])
        owners = {id(p): one for one in optimizers for group in one.param_groups for p in group["params"]}
        self._owned = {name: (owners[id(parameters[name])], parameters[name]) for name in self._slots}
        for name in program.updated & parameters.keys():
            self._owned.setdefault(name, (owners[id(parameters[name])], parameters[name]))
        # What the optimizers have: views of the step's memory, and of moments in 8 bits a mark in their place.
        self._views: dict[tuple[str, str], tuple[torch.Tensor, int, int]] = {}
        self._steps: list[torch.Tensor] = []
        self._step_versions: list[int] = []
        # Of optimizers that count (Adam): each parameter's state has a `step`.
        self._counting = {name for name, (one, _) in self._owned.items() if _counts_steps(one)}
        self._is_divided = any(is_divided(binding) for slots in self._slots.values() for _, binding in slots)
        self._gathers = False
        self._hooks = self._hook() if self._coded or self._is_divided else []
        self.take_over(first=True)

    def notice(self) -> bool:
        """Takes over states that were replaced or written; whether any was."""
        if not self._has_changed():
            return False
        self.take_over()
        return True

    def stepped(self) -> None:
        """After a step: states are there, and count."""
        if not self._views and not self._steps:
            self._publish()
        elif self._steps:
            count_on(self._steps)
            self._step_versions = [version_of(step) for step in self._steps]
        for one in self._optimizers:
            mark_stepped(one)

    def wider(self) -> dict[str, torch.Tensor]:
        """Copies of states that PyTorch's load_state_dict would not bring back bit for bit: those of another dtype than
        their parameters, which it converts to that, and moments in 8 bits."""
        return {f"{name}.{slot}": torch.from_dlpack(self._module.view(binding)).clone() for name, slot, binding in self._wider()}

    def whole(self, ranks: Together) -> dict[str, torch.Tensor]:
        """All states, of which each rank has a part; on all ranks."""
        every = [(name, slot, binding) for name, slots in self._slots.items() for slot, binding in slots]
        every += [(name, half.slot, half) for (name, _), coded in self._coded.items() for half in (coded.codes, coded.absmax)]
        return {f"{name}.{slot}": ranks.whole(self._module, binding) for name, slot, binding in every}

    def whole_state_dict(self, optimizer: torch.optim.Optimizer, states: Mapping[str, torch.Tensor]) -> dict[str, Any]:
        """What optimizer.state_dict() would give of a process alone. states: of `whole`."""
        with self.in_parts():
            given = optimizer.state_dict()
        numbers = {id(p): number for number, p in enumerate(p for group in optimizer.param_groups for p in group["params"])}
        for name, slots in self._slots.items():
            one, parameter = self._owned[name]
            held = given["state"].get(numbers.get(id(parameter), -1)) if one is optimizer else None
            if held:
                given["state"][numbers[id(parameter)]] = held | {slot: states[f"{name}.{slot}"] for slot, _ in slots if slot in held}
        return given

    @contextlib.contextmanager
    def in_parts(self) -> Iterator[None]:
        """Inside, an optimizer's state_dict has what this rank has of states."""
        self._gathers = True
        try:
            yield
        finally:
            self._gathers = False

    def set_wider(self, values: Mapping[str, torch.Tensor]) -> None:
        """Those that `wider` or `whole` gave."""
        for name, slot, binding in self._wider():
            if f"{name}.{slot}" not in values:
                raise StepFailure(f"a step's state must have {slot} of {name} but has none")
            self._module.set(binding, values[f"{name}.{slot}"])
        for name, slots in self._slots.items():
            for slot, binding in slots:
                if f"{name}.{slot}" in values:
                    self._module.set(binding, values[f"{name}.{slot}"])

    def release(self) -> None:
        """PyTorch's optimizers go on with states of their parameters' dtype."""
        for hook in self._hooks:
            hook.remove()
        self._fill()
        for name, slot, _ in self._wider():
            one, parameter = self._owned[name]
            state = one.state.get(parameter, {})
            if slot in state and not any(other._updates(one, parameter) for other in self._beside):
                state[slot] = state[slot].to(parameter.dtype)
        for other in self._beside:
            other._beside.discard(self)
        self._beside.clear()

    def _updates(self, optimizer: torch.optim.Optimizer, parameter: torch.nn.Parameter) -> bool:
        return any(one is optimizer and p is parameter for one, p in self._owned.values())

    def _wider(self) -> list[tuple[str, str, Binding]]:
        wider = [(name, slot, binding) for name, slots in self._slots.items() for slot, binding in slots
                 if binding.dtype != str(self._owned[name][1].dtype).removeprefix("torch.")]
        return wider + [(name, half.slot, half) for (name, _), coded in self._coded.items() for half in (coded.codes, coded.absmax)]

    def count(self, steps: int) -> None:
        """So many steps were taken."""
        for step in self._steps:
            step.fill_(float(steps))
        self._step_versions = [version_of(step) for step in self._steps]

    def _has_changed(self) -> bool:
        if not self._views and not self._steps:
            return any(_has_begun(one.state.get(p, {})) for one, p in self._owned.values())
        for (name, slot), (view, version, pointer) in self._views.items():
            one, parameter = self._owned[name]
            if one.state.get(parameter, {}).get(slot) is not view or version_of(view) != version or _address_of(view) != pointer:
                return True
        return any(version_of(step) != version for step, version in zip(self._steps, self._step_versions, strict=True)) or any(
            self._owned[name][0].state.get(self._owned[name][1], {}).get("step") is not step
            for name, step in zip(sorted(self._counting), self._steps))

    def take_over(self, first: bool = False) -> None:
        """Gives the optimizers' states to the step. Without any, training begins anew."""
        begun = {name for name, (one, p) in self._owned.items() if _has_begun(one.state.get(p, {}))}
        stateful = {name for name in self._owned if name in self._slots or name in self._counting}
        if begun and begun != stateful:
            raise StepFailure("an optimizer must have taken the same steps with all parameters but has no state of "
                              f"{sorted(stateful - begun)[0]}: it must be of a training of these parameters; {_APART}")
        zeroed: list[torch.Tensor] = []
        for name, slots in self._slots.items():
            one, parameter = self._owned[name]
            held = one.state.get(parameter, {})
            for slot, binding in slots:
                value = held.get(slot)
                if value is None:
                    # In their place: zeros of the host take seconds for a billion parameters.
                    zeroed.append(torch.from_dlpack(self._module.view(binding)).zero_())
                    continue
                # Of ranks the own slice, or the whole.
                if tuple(value.shape) not in (binding.shape, binding.whole_shape):
                    raise StepFailure(f"the optimizer's {slot} of {name} must have shape {list(binding.whole_shape)} but has {list(value.shape)}")
                self._module.set(binding, value.detach().to(torch.float32) if binding.dtype == "float32" else value.detach())
        for (name, slot), coded in self._coded.items():
            one, parameter = self._owned[name]
            value = one.state.get(parameter, {}).get(slot)
            if value is not None and value is self._mark(name, slot):
                continue  # The step's own.
            if value is None:
                zeroed += coded.clear()
                continue
            elsewhere = next((found for other in self._beside if (found := other._behind(value)) is not None), None)
            if elsewhere is not None:
                coded.take(elsewhere)
                continue
            if tuple(value.shape) != coded.codes.shape:
                raise StepFailure(f"the optimizer's {slot} of {name} must have shape {list(coded.codes.shape)} but has {list(value.shape)}")
            coded.encode(value)
        # Steps may run on another stream.
        if zeroed and zeroed[0].is_cuda:
            torch.cuda.current_stream(zeroed[0].device).synchronize()
        self._module.steps = self._steps_done(begun, first)
        self._views, self._steps, self._step_versions = {}, [], []
        if begun:
            self._publish()

    def _steps_done(self, begun: set[str], first: bool) -> int:
        counts = {float(one.state[p]["step"]) for name in begun for one, p in [self._owned[name]] if "step" in one.state[p]}
        if len(counts) > 1:
            raise StepFailure(f"all parameters must be at the same optimizer step but got {sorted(counts)}: {_APART}")
        if counts:
            return int(counts.pop())
        # An optimizer that counts no steps: whether there was one is all that matters to it.
        return 0 if not begun else 1 if first else max(self._module.steps, 1)

    def _publish(self) -> None:
        """The optimizers' states are views from here on."""
        steps: dict[str, torch.Tensor] = {}
        done = float(self._module.steps)
        for name, (one, parameter) in self._owned.items():
            state = one.state[parameter]
            if name in self._counting:
                steps[name] = state["step"] = _step_tensor(one, parameter, done)
            for slot, binding in self._slots.get(name, []):
                view = torch.from_dlpack(self._module.view(binding))
                state[slot] = view
                self._views[name, slot] = view, version_of(view), _address_of(view)
        for name, slot in self._coded:
            one, parameter = self._owned[name]
            mark = torch.empty(0, dtype=torch.float32, device=parameter.device)
            one.state[parameter][slot] = mark
            self._views[name, slot] = mark, version_of(mark), _address_of(mark)
        self._steps = [steps[name] for name in sorted(steps)]
        self._step_versions = [version_of(step) for step in self._steps]

    def _behind(self, mark: torch.Tensor) -> Coded | None:
        """The moment in 8 bits in whose place this is."""
        return next((coded for key, coded in self._coded.items() if self._mark(*key) is mark), None)

    def _mark(self, name: str, slot: str) -> torch.Tensor | None:
        return self._views.get((name, slot), (None, 0, 0))[0]

    def _held(self, name: str, slot: str) -> Any:
        """What the optimizer has."""
        one, parameter = self._owned[name]
        return one.state.get(parameter, {}).get(slot)

    def _fill(self) -> None:
        """Moments in FP32 in the places of their marks."""
        for (name, slot), coded in self._coded.items():
            one, parameter = self._owned[name]
            state = one.state.get(parameter, {})
            if slot in state and state[slot] is self._mark(name, slot):
                state[slot] = coded.decode()

    def _hook(self) -> list[Any]:
        """A state_dict gets moments in FP32, and none is made of the states of one rank alone. The hook holds no
        step."""
        own = weakref.ref(self)

        def saved(optimizer: torch.optim.Optimizer, state_dict: dict[str, Any]) -> None:
            states = own()
            if states is None:
                return
            if states._is_divided and not states._gathers:
                raise StepFailure("states of an optimizer whose parameters ranks train are divided among them: call step.optimizer_state_dicts() on "
                                  "all ranks, and save what it gives on one")
            states._decode_into(optimizer, state_dict)
        return [one.register_state_dict_post_hook(saved) for one in self._optimizers]

    @contextlib.contextmanager
    def importing(self) -> Iterator[None]:
        """An import looks at the shapes of states: inside, marks have those of what they stand for, and a rank's slices
        those of the whole."""
        whole = {(name, slot): binding.whole_shape for name, slots in self._slots.items() for slot, binding in slots
                 if is_divided(binding)}
        whole |= {(name, slot): tuple(self._owned[name][1].shape) for name, slot in self._coded}
        marks = {key: mark for key in whole if (mark := self._mark(*key)) is not None and self._held(*key) is mark}
        for (name, slot), mark in marks.items():
            one, parameter = self._owned[name]
            one.state[parameter][slot] = torch.zeros((), dtype=mark.dtype, device=mark.device).expand(whole[name, slot])
        try:
            yield
        finally:
            for (name, slot), mark in marks.items():
                one, parameter = self._owned[name]
                one.state[parameter][slot] = mark

    def _decode_into(self, optimizer: torch.optim.Optimizer, state_dict: dict[str, Any]) -> None:
        numbers = {id(p): number for group, saved in zip(optimizer.param_groups, state_dict["param_groups"], strict=True)
                   for p, number in zip(group["params"], saved["params"], strict=True)}
        for (name, slot), coded in self._coded.items():
            one, parameter = self._owned[name]
            state = state_dict["state"].get(numbers.get(id(parameter)), {}) if one is optimizer else {}
            if slot in state and state[slot] is self._mark(name, slot):
                # A copy, as the dictionary is the optimizer's own.
                state_dict["state"][numbers[id(parameter)]] = {**state, slot: coded.decode()}


def _has_begun(state: Mapping[str, Any]) -> bool:
    """Not what some optimizers make before their first step: zeros, at step 0."""
    held = [value for slot, value in state.items() if slot != "step" and isinstance(value, torch.Tensor)]
    if "step" in state:
        return float(state["step"]) != 0 or any(bool(value.any()) for value in held)
    return bool(held)


def _address_of(view: torch.Tensor) -> int:
    """On the CPU, where share_memory moves what a tensor has."""
    return view.data_ptr() if view.device.type == "cpu" else 0


def _counts_steps(optimizer: torch.optim.Optimizer) -> bool:
    """SGD and lion_pytorch's Lion have no `step` in their states, and Muon has none."""
    return reading.base_of(optimizer).__name__ not in ("SGD", "Lion", "Muon")


def _step_tensor(optimizer: torch.optim.Optimizer, parameter: torch.Tensor, done: float) -> torch.Tensor:
    """Where PyTorch's kernels look for it: beside the parameter for those that never ask the host."""
    group = next(group for group in optimizer.param_groups if any(p is parameter for p in group["params"]))
    on_device = bool(group.get("capturable") or group.get("fused"))
    return torch.tensor(done, dtype=torch.float32, device=parameter.device if on_device else "cpu")
