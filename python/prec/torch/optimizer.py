"""The optimizer is read from its parameter groups, not traced: a trace would bake lr and the betas in."""
from __future__ import annotations

from dataclasses import dataclass

import torch

from ..builder import Builder
from ..errors import ImportFailure
from ..ir import OPTIMIZER, Argument, Graph, Value

_HYPER = ("lr", "beta1", "beta2", "eps", "weight_decay")


@dataclass
class Plan:
    """Group number of each trained parameter, and each group's hyperparameters by name."""

    group_of: dict[str, int]
    groups: list[dict[str, float]]
    step: float


def read(optimizer, parameters: dict, trained: list[str]) -> Plan:
    decoupled = isinstance(optimizer, torch.optim.AdamW)
    if not decoupled and type(optimizer) is not torch.optim.Adam:
        raise ImportFailure(f"the optimizer must be torch.optim.AdamW but got {type(optimizer).__name__}")
    names = {id(p): name for name, p in parameters.items()}
    group_of, groups = {}, []
    for number, group in enumerate(optimizer.param_groups):
        for option in ("amsgrad", "maximize"):
            if group.get(option):
                raise ImportFailure(f"AdamW must have {option}=False but got True in parameter group {number}")
        if not decoupled and not group.get("decoupled_weight_decay") and group["weight_decay"]:
            raise ImportFailure(f"Adam must have weight_decay=0 (or be AdamW) but got {group['weight_decay']} in parameter group {number}")
        for p in group["params"]:
            if id(p) not in names:
                raise ImportFailure(f"every parameter of the optimizer must be one of the model but got a foreign one of shape "
                                    f"{list(p.shape)} in parameter group {number}")
            group_of[names[id(p)]] = number
        beta1, beta2 = group["betas"]
        groups.append({"lr": float(group["lr"]), "beta1": float(beta1), "beta2": float(beta2), "eps": float(group["eps"]),
                       "weight_decay": float(group["weight_decay"])})
    missing = [name for name in trained if name not in group_of]
    if missing:
        raise ImportFailure("every parameter that requires a gradient must be in the optimizer but got none for " + ", ".join(missing))
    return Plan(group_of, groups, _next_step(optimizer))


def _next_step(optimizer) -> float:
    steps = {float(state["step"]) for state in optimizer.state.values() if "step" in state}
    if len(steps) > 1:
        raise ImportFailure(f"all parameters must be at the same optimizer step but got {sorted(steps)}")
    return (steps.pop() if steps else 0.0) + 1.0


@dataclass
class State:
    """Arguments of the optimizer: moments by parameter, scalars by name."""

    moments: dict[str, tuple[Argument, Argument]]
    scalars: dict[str, Value]


def declare_moments(graph: Graph, updated: list[Argument]) -> dict:
    def slot(parameter, name):
        return graph.argument("optimizer_state", f"{parameter.path}.{name}", parameter.value.shape, "f32", param_of=parameter.path, slot=name)
    return {p.path: (slot(p, "exp_avg"), slot(p, "exp_avg_sq")) for p in updated}


def declare_hyper(graph: Graph, plan: Plan, max_norm: float | None) -> dict[str, Value]:
    defaults = {}
    for name in _HYPER:
        for number, group in enumerate(plan.groups):
            defaults[_hyper(plan, name, number)] = group[name]
    defaults["step"] = plan.step
    if max_norm is not None:
        defaults["max_norm"] = float(max_norm)
    return {name: graph.argument("hyper", name, (), "f32", default=value).value for name, value in defaults.items()}


def _hyper(plan: Plan, name: str, group: int) -> str:
    return name if len(plan.groups) == 1 else f"{name}.{group}"


def build(b: Builder, plan: Plan, updated: list[Argument], gradients: dict[str, Value], state: State) -> tuple[dict, Value | None]:
    """Emits clipping and one AdamW a parameter; returns {path: (parameter, exp_avg, exp_avg_sq)} and the norm if clipped."""
    scalars, norm = state.scalars, None
    b.at("optimizer", OPTIMIZER)
    if "max_norm" in scalars:
        norm = b.op("train.global_norm", [gradients[p.path] for p in updated], [((), "f32")]).result
        scale = b.op("train.clip", [norm, scalars["max_norm"]], [((), "f32")]).result
    else:
        scale = b.constant(1.0)
    results = {}
    for p in updated:
        hyper = [scalars[_hyper(plan, name, plan.group_of[p.path])] for name in _HYPER]
        m, v = (a.value for a in state.moments[p.path])
        b.at(p.path, OPTIMIZER)
        op = b.op("train.adamw", [p.value, gradients[p.path], m, v, *hyper, scalars["step"], scale], [(p.value.shape, "f32")] * 3)
        results[p.path] = op.results
    return results, norm
