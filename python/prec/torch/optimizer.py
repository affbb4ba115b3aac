"""The optimizer is read from its parameter groups, not traced: a trace would bake lr and the betas in."""
from __future__ import annotations

import sys
from dataclasses import dataclass

import torch

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import OPTIMIZER, Argument, Graph, Value

@dataclass(frozen=True)
class Rule:
    """How one parameter is updated: the operation, its hyperparameters and attributes, and its states' shapes by name."""

    op: str
    hyper: tuple[str, ...]
    states: tuple[tuple[str, tuple[int, ...]], ...] = ()
    attrs: tuple[str, ...] = ()


@dataclass
class Plan:
    """Of each trained parameter its group's number and its rule; each group's hyperparameters by name."""

    group_of: dict[str, int]
    rules: dict[str, Rule]
    groups: list[dict[str, float]]
    step: float


def read(optimizer, parameters: dict, trained: list[str]) -> Plan:
    describe = _find_reader(optimizer)
    names = {id(p): name for name, p in parameters.items()}
    group_of, rules, groups = {}, {}, []
    for number, group in enumerate(optimizer.param_groups):
        hyper, make_rule = describe(optimizer, group, f"parameter group {number}")
        for p in group["params"]:
            if id(p) not in names:
                raise ImportFailure(f"every parameter of the optimizer must be one of the model but got a foreign one of shape "
                                    f"{list(p.shape)} in parameter group {number}")
            group_of[names[id(p)]] = number
            rules[names[id(p)]] = make_rule(tuple(p.shape))
        groups.append({name: float(value) for name, value in hyper.items()})
    missing = [name for name in trained if name not in group_of]
    if missing:
        raise ImportFailure("every parameter that requires a gradient must be in the optimizer but got none for " + ", ".join(missing))
    return Plan(group_of, rules, groups, _next_step(optimizer))


def _find_reader(optimizer):
    if isinstance(optimizer, torch.optim.AdamW) or type(optimizer) is torch.optim.Adam:
        return _read_adamw
    if type(optimizer) is torch.optim.SGD:
        return _read_sgd
    if type(optimizer) is torch.optim.Adafactor:
        return _read_adafactor
    # Whoever has one has imported it.
    package = sys.modules.get("lion_pytorch")
    if package is not None and type(optimizer) is package.Lion:
        return _read_lion
    raise ImportFailure(f"the optimizer must be torch.optim.AdamW, Adam, SGD or Adafactor or lion_pytorch.Lion but got "
                        f"{type(optimizer).__module__}.{type(optimizer).__name__}")


def _refuse(name: str, group: dict, options, where: str) -> None:
    for option in options:
        if group.get(option):
            raise ImportFailure(f"{name} must have {option}=False but got True in {where}")


def _read_adamw(optimizer, group: dict, where: str):
    _refuse("AdamW", group, ("amsgrad", "maximize"), where)
    decoupled = isinstance(optimizer, torch.optim.AdamW) or group.get("decoupled_weight_decay")
    if not decoupled and group["weight_decay"]:
        raise ImportFailure(f"Adam must have weight_decay=0 (or be AdamW) but got {group['weight_decay']} in {where}")
    beta1, beta2 = group["betas"]
    hyper = {"lr": group["lr"], "beta1": beta1, "beta2": beta2, "eps": group["eps"], "weight_decay": group["weight_decay"]}
    return hyper, lambda shape: Rule("train.adamw", tuple(hyper), (("exp_avg", shape), ("exp_avg_sq", shape)))


def _read_sgd(optimizer, group: dict, where: str):
    _refuse("SGD", group, ("maximize",), where)
    if not group["momentum"]:
        hyper = {"lr": group["lr"], "weight_decay": group["weight_decay"]}
        return hyper, lambda shape: Rule("train.sgd", tuple(hyper))
    hyper = {name: group[name] for name in ("lr", "momentum", "dampening", "weight_decay")}
    attrs = ("nesterov",) if group["nesterov"] else ()
    return hyper, lambda shape: Rule("train.sgd_momentum", tuple(hyper), (("momentum_buffer", shape),), attrs)


def _read_lion(optimizer, group: dict, where: str):
    # Decoupled from the rate that the optimizer began with.
    decay = group["weight_decay"] / optimizer._init_lr if optimizer.decoupled_wd else group["weight_decay"]
    beta1, beta2 = group["betas"]
    hyper = {"lr": group["lr"], "beta1": beta1, "beta2": beta2, "weight_decay": decay}
    return hyper, lambda shape: Rule("train.lion", tuple(hyper), (("exp_avg", shape),))


def _read_adafactor(optimizer, group: dict, where: str):
    _refuse("Adafactor", group, ("maximize",), where)
    eps1, eps2 = group["eps"]
    hyper = {"lr": group["lr"], "beta2_decay": group["beta2_decay"],
             "eps1": torch.finfo(torch.float32).eps if eps1 is None else eps1, "eps2": eps2, "d": group["d"],
             "weight_decay": group["weight_decay"]}

    def make_rule(shape):
        if len(shape) < 2:
            return Rule("train.adafactor_unfactored", tuple(hyper), (("variance", shape),))
        rows, columns = (*shape[:-1], 1), (*shape[:-2], 1, shape[-1])
        return Rule("train.adafactor", tuple(hyper), (("row_var", rows), ("col_var", columns)))
    return hyper, make_rule


def _next_step(optimizer) -> float:
    steps = {float(state["step"]) for state in optimizer.state.values() if "step" in state}
    if len(steps) > 1:
        raise ImportFailure(f"all parameters must be at the same optimizer step but got {sorted(steps)}")
    return (steps.pop() if steps else 0.0) + 1.0


@dataclass
class State:
    """Arguments of the optimizer: states by parameter, scalars by name."""

    states: dict[str, tuple[Argument, ...]]
    scalars: dict[str, Value]


def declare_states(graph: Graph, plan: Plan, updated: list[Argument]) -> dict:
    def declare(path, slot, shape):
        return graph.argument("optimizer_state", f"{path}.{slot}", shape, "f32", param_of=path, slot=slot)
    return {p.path: tuple(declare(p.path, slot, shape) for slot, shape in plan.rules[p.path].states) for p in updated}


def declare_hyper(graph: Graph, plan: Plan, max_norm: float | None) -> dict[str, Value]:
    defaults = {}
    # One name after another, each in all its groups.
    for name in dict.fromkeys(name for group in plan.groups for name in group):
        for number, group in enumerate(plan.groups):
            if name in group:
                defaults[_hyper(plan, name, number)] = group[name]
    defaults["step"] = plan.step
    if max_norm is not None:
        defaults["max_norm"] = float(max_norm)
    return {name: graph.argument("hyper", name, (), "f32", default=value).value for name, value in defaults.items()}


def _hyper(plan: Plan, name: str, group: int) -> str:
    return name if len(plan.groups) == 1 else f"{name}.{group}"


def build(b: Builder, plan: Plan, updated: list[Argument], gradients: dict[str, Value], state: State) -> tuple[dict, Value | None]:
    """Emits clipping and one update a parameter; returns {path: (parameter, *states)} and the norm if clipped."""
    scalars, norm = state.scalars, None
    b.at("optimizer", OPTIMIZER)
    if "max_norm" in scalars:
        norm = b.op("train.global_norm", [gradients[p.path] for p in updated], [((), "f32")]).result
        scale = b.op("train.clip", [norm, scalars["max_norm"]], [((), "f32")]).result
    else:
        scale = b.constant(1.0)
    results = {}
    for p in updated:
        rule = plan.rules[p.path]
        hyper = [scalars[_hyper(plan, name, plan.group_of[p.path])] for name in rule.hyper]
        states = [a.value for a in state.states[p.path]]
        b.at(p.path, OPTIMIZER)
        op = b.op(rule.op, [p.value, gradients[p.path], *states, *hyper, scalars["step"], scale],
                  [(v.shape, "f32") for v in (p.value, *states)], **dict.fromkeys(rule.attrs, True))
        results[p.path] = op.results
    return results, norm
