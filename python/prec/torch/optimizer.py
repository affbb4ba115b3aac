# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimizer is read from its parameter groups, not traced: a trace would bake lr and the betas in."""
from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch.optim.optimizer import _global_optimizer_post_hooks, _global_optimizer_pre_hooks

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import OPTIMIZER, Argument, Body, Graph, Kind, Value
from .registry import lower
from .snapshot import Snapshot
from .standins import in_optimizer
from .together import Together
from .update_rules import RULES, Direct

# Calls of a zero_grad: what acts at each second or sixteenth shows.
_TRIALS = 16


@dataclass(frozen=True)
class Rule:
    """How one parameter is updated: the operation, its hyperparameters and attributes, and its states' shapes by name;
    whether an element's update reads other elements; whether the loss is maximized; the formula of an update that has
    one, and what computes the direction that the formula reads. A weight decay that is not among the hyperparameters is
    0."""

    op: str
    hyper: tuple[str, ...]
    states: tuple[tuple[str, tuple[int, ...]], ...] = ()
    attrs: tuple[tuple[str, Any], ...] = ()
    reads_all: bool = False
    maximize: bool = False
    body: Body | None = None
    direct: Direct | None = None


# What a parameter group says: its hyperparameters by name, and the rule of a parameter of this shape.
Read = tuple[dict[str, float], Callable[[tuple[int, ...]], Rule]]
Reader = Callable[[Any, dict[str, Any], str], Read]


@dataclass
class Plan:
    """Of each trained parameter its group's number and its rule; each group's hyperparameters by name; what the
    optimizer brings along from the steps that it has taken."""

    group_of: dict[str, int]
    rules: dict[str, Rule]
    groups: list[dict[str, float]]
    # Where a scheduler has set another rate than the one it starts from, that rate by group.
    current_rates: dict[int, float]
    step: float
    # By parameter and slot; empty where the optimizer has taken no step.
    states: dict[str, dict[str, torch.Tensor]]


def read(optimizer: torch.optim.Optimizer, parameters: dict[str, torch.nn.Parameter], trained: list[str]) -> Plan:
    """`parameters` by name; several names of one tensor are allowed."""
    describe = _known()[base_of(optimizer)]
    for one in optimizer.optimizers if isinstance(optimizer, Together) else [optimizer]:
        _check_step(one)
    names = {id(p): name for name, p in reversed(parameters.items())}
    group_of, rules, groups, current = {}, {}, [], {}
    for number, group in enumerate(optimizer.param_groups):
        where = f"parameter group {number}"
        hyper, make_rule = describe(optimizer, group, where)
        if "initial_lr" in group:
            # A scheduler multiplies this rate; the current one may be that of a warm-up's first step.
            hyper["lr"], current[number] = group["initial_lr"], float(group["lr"])
        for p in group["params"]:
            if id(p) not in names:
                raise ImportFailure(f"every parameter of the optimizer must be one of the model but got a foreign one of shape "
                                    f"{list(p.shape)} in {where}: register it with the model, or make the optimizer of model.parameters()")
            if names[id(p)] in group_of:
                raise ImportFailure(f"every parameter must be in the optimizer once but {names[id(p)]} is in it twice, and would be updated as "
                                    "often: give it to one group")
            group_of[names[id(p)]] = number
            rules[names[id(p)]] = make_rule(tuple(p.shape))
        groups.append({name: float(value) for name, value in hyper.items()})
    missing = [name for name in trained if name not in group_of]
    if missing:
        raise ImportFailure("every parameter that requires a gradient must be in the optimizer but got none for " + ", ".join(missing)
                            + ": give it to the optimizer, or freeze it (requires_grad_(False))")
    states = _read_states(optimizer, parameters, rules, set(trained))
    return Plan(group_of, rules, groups, current, _next_step(optimizer, [parameters[name] for name in trained], states), states)


def read_group(optimizer: torch.optim.Optimizer, group: dict[str, Any], where: str) -> Read:
    """The numbers of a parameter group as it is now, and the rule that its options choose."""
    return _known()[base_of(optimizer)](optimizer, group, where)


def base_of(optimizer: torch.optim.Optimizer) -> type:
    """PyTorch's (or lion_pytorch's) class whose update the optimizer makes: its own, or the one that it extends without
    replacing more than `step` and how it is built."""
    kinds = _known()
    for kind in type(optimizer).__mro__:
        if kind in kinds:
            return kind
        harmless = {"__init__", "step", "zero_grad", "state_dict", "load_state_dict", "__repr__"}
        own = [name for name, value in vars(kind).items() if callable(value) and name not in harmless
               and any(name in vars(k) for k in kinds if issubclass(type(optimizer), k))]
        if own:
            break
    names = ", ".join(kind.__name__ for kind in kinds if kind.__module__.startswith("torch."))
    raise ImportFailure(f"the optimizer must be one of torch.optim ({names}) or lion_pytorch.Lion, or extend one of them, but got "
                        f"{type(optimizer).__module__}.{type(optimizer).__name__}")


def hooks_of(optimizer: torch.optim.Optimizer) -> list[Callable[..., Any]]:
    """Everything that PyTorch calls around a step."""
    return [hook for hooks in hook_registries(optimizer) for hook in hooks.values()]


def hook_registries(optimizer: torch.optim.Optimizer) -> tuple[dict[int, Callable[..., Any]], ...]:
    """The dictionaries that hold them, in order."""
    return (_global_optimizer_pre_hooks, optimizer._optimizer_step_pre_hooks, optimizer._optimizer_step_post_hooks,
            _global_optimizer_post_hooks)


def _check_step(optimizer: torch.optim.Optimizer) -> None:
    own = optimizer.__dict__.get("step")
    # A scheduler counts calls in a wrapper around the step of the class.
    while own is not None and hasattr(own, "_wrapped_by_lr_sched"):
        own = own.__wrapped__
    if own is not None and getattr(own, "__func__", own) is not type(optimizer).step:
        raise ImportFailure(f"the step of an optimizer must be that of its class but this {type(optimizer).__name__} has one of its own: "
                            "change gradients by hooks of parameters")
    if "zero_grad" in optimizer.__dict__ or type(optimizer).zero_grad is not torch.optim.Optimizer.zero_grad and not _drops_gradients(optimizer):
        raise ImportFailure(
            f"each step must start from no gradients but the zero_grad of this {type(optimizer).__name__} is one of its own: carry none over"
        )


def _drops_gradients(optimizer: torch.optim.Optimizer) -> bool:
    """Whether its class's zero_grad does what PyTorch's does, with other parameters in the place of its own: in each of
    _TRIALS calls, and of as many more where what the last of them has counted has counted on."""
    others = {id(p): torch.zeros(1, requires_grad=True) for group in optimizer.param_groups for p in group["params"]}
    before = Snapshot(optimizer, type(optimizer).zero_grad)
    try:
        # It may know of the user's own gradients, which are put back afterwards.
        before.without_gradients()
        with in_optimizer(optimizer, lambda p: others[id(p)]):
            for number in range(2 * _TRIALS):
                last = Snapshot(optimizer, type(optimizer).zero_grad) if number == _TRIALS - 1 else None
                for other in others.values():
                    other.grad = torch.ones(1)
                type(optimizer).zero_grad(optimizer)
                if any(other.grad is not None and bool(other.grad.any()) for other in others.values()):
                    return False
                if last is not None:
                    last.count_on()
    except Exception:
        return False
    finally:
        before.restore()
    return True


def _known() -> dict[type, Reader]:
    readers: dict[type, Reader] = {torch.optim.AdamW: _read_adamw, torch.optim.Adam: _read_adamw, torch.optim.SGD: _read_sgd,
                                   torch.optim.Adafactor: _read_adafactor}
    readers.update((kind, _read_formula) for kind in RULES if kind not in readers)
    readers[Together] = _read_together
    # Whoever has one has imported it.
    package = sys.modules.get("lion_pytorch")
    return readers if package is None else {**readers, package.Lion: _read_lion}


# Options of a group that readers here understand; those of the others stand beside their formulas.
_OPTIONS = {torch.optim.SGD: {"momentum", "dampening", "nesterov", "weight_decay"},
            torch.optim.Adafactor: {"beta2_decay", "eps", "d", "weight_decay"}}
# They say how PyTorch computes, and change no number.
_IMPLEMENTATIONS = {"params", "lr", "foreach", "fused", "capturable", "maximize"}


def _check_options(optimizer: torch.optim.Optimizer, group: dict[str, Any], where: str) -> None:
    """An option that a later PyTorch brings may change the update."""
    base = base_of(optimizer)
    if group.get("differentiable"):
        raise ImportFailure(f"{base.__name__} must have differentiable=False but got True in {where}: leave it out")
    known = _IMPLEMENTATIONS | (RULES[base].options if base in RULES else _OPTIONS[base])
    own = inspect.signature(base.__init__).parameters  # type: ignore[misc]
    for option in group:
        if option in own and option not in known and group[option]:
            names = ", ".join(sorted(known - {"params"}))
            raise ImportFailure(f"options of {base.__name__} must be of {names} but got {option}={group[option]} in {where}")


def _read_together(optimizer: Together, group: dict[str, Any], where: str) -> Read:
    one = optimizer.of_group(group)
    base = base_of(one)
    if type(one) is not base or hooks_of(one):
        raise ImportFailure(f"each of several optimizers must be PyTorch's own and have no hooks but got {type(one).__name__} in {where}: "
                            "give one optimizer with parameter groups")
    return _known()[base](one, group, where)


def _read_formula(optimizer: torch.optim.Optimizer, group: dict[str, Any], where: str) -> Read:
    _check_options(optimizer, group, where)
    base = base_of(optimizer)
    written = RULES[base].write(optimizer, group)

    def positions(states: Iterable[str]) -> tuple[int, ...]:
        return tuple(i for i, name in enumerate(written.states) if name in states)
    attrs: dict[str, Any] = {"rule": base.__name__, "normalized": written.normalized, "squaring": written.squaring}
    attrs |= {key: found for key, states in (("unsigned_states", written.unsigned), ("exact_states", written.exact)) if (found := positions(states))}

    def make_rule(shape: tuple[int, ...]) -> Rule:
        states = tuple((name, () if name in written.scalars else shape) for name in written.states)
        body = written.body if isinstance(written.body, Body) else written.body(shape)
        return Rule(Kind.UPDATE, tuple(written.hyper), states, tuple(attrs.items()), written.direct is not None, bool(group.get("maximize")), body,
                    written.direct)
    return written.hyper, make_rule


def _read_adamw(optimizer: torch.optim.Optimizer, group: dict[str, Any], where: str) -> Read:
    _check_options(optimizer, group, where)
    decoupled = isinstance(optimizer, torch.optim.AdamW) or group.get("decoupled_weight_decay")
    if group["amsgrad"] or not decoupled and group["weight_decay"]:
        return _read_formula(optimizer, group, where)
    beta1, beta2 = group["betas"]
    hyper = {"lr": group["lr"], "beta1": beta1, "beta2": beta2, "eps": group["eps"]}
    if decoupled:
        hyper["weight_decay"] = group["weight_decay"]
    maximize = bool(group["maximize"])
    return hyper, lambda shape: Rule("prec_train.adamw", tuple(hyper), (("exp_avg", shape), ("exp_avg_sq", shape)), maximize=maximize)


def _read_sgd(optimizer: torch.optim.Optimizer, group: dict[str, Any], where: str) -> Read:
    _check_options(optimizer, group, where)
    maximize = bool(group["maximize"])
    if not group["momentum"]:
        hyper = {"lr": group["lr"], "weight_decay": group["weight_decay"]}
        return hyper, lambda shape: Rule("prec_train.sgd", tuple(hyper), maximize=maximize)
    hyper = {name: group[name] for name in ("lr", "momentum", "dampening", "weight_decay")}
    attrs = (("nesterov", True),) if group["nesterov"] else ()
    return hyper, lambda shape: Rule("prec_train.sgd_momentum", tuple(hyper), (("momentum_buffer", shape),), attrs, maximize=maximize)


def _read_lion(optimizer: Any, group: dict[str, Any], where: str) -> Read:
    # Decoupled from the rate that the optimizer began with.
    decay = group["weight_decay"] / optimizer._init_lr if optimizer.decoupled_wd else group["weight_decay"]
    beta1, beta2 = group["betas"]
    hyper = {"lr": group["lr"], "beta1": beta1, "beta2": beta2, "weight_decay": decay}
    return hyper, lambda shape: Rule("prec_train.lion", tuple(hyper), (("exp_avg", shape),))


def _read_adafactor(optimizer: torch.optim.Optimizer, group: dict[str, Any], where: str) -> Read:
    _check_options(optimizer, group, where)
    eps1, eps2 = group["eps"]
    maximize = bool(group["maximize"])
    hyper = {"lr": group["lr"], "beta2_decay": group["beta2_decay"],
             "eps1": torch.finfo(torch.float32).eps if eps1 is None else eps1, "eps2": eps2, "d": group["d"],
             "weight_decay": group["weight_decay"]}

    def make_rule(shape: tuple[int, ...]) -> Rule:
        if len(shape) < 2:
            return Rule("prec_train.adafactor_unfactored", tuple(hyper), (("variance", shape),), reads_all=True, maximize=maximize)
        rows, columns = (*shape[:-1], 1), (*shape[:-2], 1, shape[-1])
        return Rule("prec_train.adafactor", tuple(hyper), (("row_var", rows), ("col_var", columns)), reads_all=True, maximize=maximize)
    return hyper, make_rule


def _read_states(
    optimizer: torch.optim.Optimizer, parameters: Mapping[str, torch.Tensor], rules: dict[str, Rule], trained: set[str]
) -> dict[str, dict[str, torch.Tensor]]:
    """What the optimizer holds of each trained parameter, by slot; nothing where it has taken no step."""
    states = {}
    for name, p in parameters.items():
        held = {slot: value for slot, value in optimizer.state.get(p, {}).items() if slot != "step" and value is not None}
        if name not in trained:
            continue
        slots = dict(rules[name].states)
        unknown = [slot for slot in held if slot not in slots]
        if unknown:
            raise ImportFailure(f"the optimizer's state of {name} must be of {', '.join(slots) or 'no slots'} but has {unknown[0]}: "
                                "delete it, or make the optimizer anew")
        if not slots or not held or not _has_begun(optimizer.state[p], held):
            continue
        missing = [slot for slot in slots if slot not in held]
        if missing:
            raise ImportFailure(f"the optimizer's state of {name} must have {missing[0]} but has {', '.join(held)}: "
                                    "load a whole state_dict, or make the optimizer anew")
        for slot, shape in slots.items():
            if tuple(held[slot].shape) != shape:
                raise ImportFailure(f"the optimizer's {slot} of {name} must have shape {list(shape)} but has "
                                    f"{list(held[slot].shape)}: load the state_dict of this optimizer and model")
        states[name] = {slot: held[slot].detach() for slot in slots}
    return states


def _has_begun(state: Mapping[str, Any], held: Mapping[str, torch.Tensor]) -> bool:
    """Not where an optimizer that makes its states before its first step has made zeros, which they are anyway."""
    return "step" not in state or float(state["step"]) != 0 or any(bool(value.any()) for value in held.values())


def check_states(plan: Plan, reached: Collection[str]) -> None:
    """Parameters that get a gradient (`reached`, by name) have taken the same steps; others have taken none, and what
    some optimizers have of them before the first goes nowhere."""
    if plan.step == 1:
        plan.states = {name: held for name, held in plan.states.items() if name in set(reached)}
    without = [name for name in reached if plan.rules[name].states and name not in plan.states]
    if plan.states and without:
        raise ImportFailure("the optimizer must have taken the same steps with all parameters but has no state of "
                            f"{without[0]} beside that of {next(iter(plan.states))}: freeze it, or make the optimizer anew")


def _next_step(optimizer: torch.optim.Optimizer, trained: list[torch.Tensor], states: dict[str, dict[str, torch.Tensor]]) -> float:
    held = [optimizer.state.get(p, {}) for p in trained]
    steps = {float(state["step"]) for state in held if "step" in state}
    if len(steps) > 1:
        raise ImportFailure(f"all parameters must be at the same optimizer step but got {sorted(steps)}: make the optimizer anew")
    # SGD and Lion count no steps; only whether there was one matters to them.
    return (steps.pop() if steps else 1.0 if states else 0.0) + 1.0


@dataclass
class State:
    """Arguments of the optimizer: states by parameter, scalars by name."""

    states: dict[str, tuple[Argument, ...]]
    scalars: dict[str, Value]


def declare_states(graph: Graph, plan: Plan, updated: list[Argument]) -> dict[str, tuple[Argument, ...]]:
    def declare(path: str, slot: str, shape: tuple[int, ...]) -> Argument:
        return graph.argument("optimizer_state", f"{path}.{slot}", shape, "f32", param_of=path, slot=slot)
    return {p.path: tuple(declare(p.path, slot, shape) for slot, shape in plan.rules[p.path].states) for p in updated}


def declare_hyper(graph: Graph, plan: Plan, max_norm: float | None) -> dict[str, Value]:
    defaults = {}
    # One name after another, each in all its groups.
    for name in dict.fromkeys(name for group in plan.groups for name in group):
        for number, group in enumerate(plan.groups):
            if name in group:
                defaults[hyper_name(plan, name, number)] = group[name]
    defaults["step"] = plan.step
    if max_norm is not None:
        defaults["max_norm"] = float(max_norm)
    return {name: graph.argument("hyper", name, (), "f32", default=value).value for name, value in defaults.items()}


def hyper_name(plan: Plan, name: str, group: int) -> str:
    """What a hyperparameter of a group is called in a step."""
    return name if len(plan.groups) == 1 else f"{name}.{group}"


def build(b: Builder, plan: Plan, updated: list[Argument], gradients: dict[str, Value], state: State) -> tuple[dict[str, list[Value]], Value | None]:
    """Emits clipping and one update a parameter; returns {path: (parameter, *states)} and the norm if clipped."""
    scalars, norm = state.scalars, None
    b.at("optimizer", OPTIMIZER)
    if b.norm is not None:
        # Something reads clipped gradients before the update.
        norm, scale = b.norm, b.constant(1.0)
    elif "max_norm" in scalars:
        norm = b.op("prec_train.global_norm", [gradients[p.path] for p in updated], [((), "f32")]).result
        scale = b.op("prec_train.clip", [norm, scalars["max_norm"]], [((), "f32")]).result
    else:
        scale = b.constant(1.0)
    results, against = {}, b.neg(scale) if any(plan.rules[p.path].maximize for p in updated) else scale
    for p in updated:
        rule, gradient = plan.rules[p.path], gradients[p.path]
        hyper = {name: scalars[hyper_name(plan, name, plan.group_of[p.path])] for name in rule.hyper}
        hyper.setdefault("weight_decay", b.constant(0.0))
        states = [a.value for a in state.states[p.path]]
        factor = against if rule.maximize else scale
        attrs, directions = dict(rule.attrs), []
        b.at(p.path, OPTIMIZER)
        if rule.direct is not None:
            scaled = b.mul(gradient, b.broadcast(factor, gradient.shape))
            directions.append(rule.direct(b, scaled, dict(zip((name for name, _ in rule.states), states)), hyper))
        if rule.body is not None:
            # Parameter, gradient, states, directions, rate, other hyperparameters, decay, step, scale, guard.
            attrs["operandSegmentSizes"] = (1, 1, len(states), len(directions), 1, len(hyper) - 2, 1, 1, 1, 0)
        op = b.op(rule.op, [p.value, gradient, *states, *directions, *hyper.values(), scalars["step"], factor],
                  [(v.shape, "f32") for v in (p.value, *states)], **attrs)
        op.body = rule.body
        results[p.path] = op.results
    return results, norm


@lower("prec.clip_gradients.default")
def _clip_gradients(b: Builder, node: torch.fx.Node, gradients: list[Value]) -> tuple[Value, ...]:
    max_norm = next(a.value for a in b.graph.arguments if a.role == "hyper" and a.path == "max_norm")
    b.norm = b.op("prec_train.global_norm", gradients, [((), "f32")]).result
    scale = b.op("prec_train.clip", [b.norm, max_norm], [((), "f32")]).result
    return tuple(b.mul(g, b.broadcast(scale, g.shape)) for g in gradients)
