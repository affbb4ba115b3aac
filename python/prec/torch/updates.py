# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The optimizer's arithmetic: the framework's own step beside the updates of the graph.

Both read the framework's gradients, for an update that divides by a gradient's size would turn the rounding of a
gradient that is zero in truth into a difference. Where an element's update reads no other element, and the optimizer is
of a class of the framework's that nothing hooks into, the first elements of every parameter stand for all of them:
fresh memory for the states of all takes longer than everything else that is compared.
"""
from __future__ import annotations

import contextlib
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

from ..interpreter import TensorType
from ..ir import OPTIMIZER
from .double import Doubles
from .graph_side import TOLERANCE, Difference, GraphSide, distance
from .optimizer import base_of, hooks_of
from .standins import in_optimizer

if TYPE_CHECKING:
    from .importer import Step

_FIRST = 1 << 14  # Elements of a parameter.
_STEP_SIZE = 1e-2  # Of the parameters' norm.


class _Wide(TorchFunctionMode):
    """Muon's products are of bf16 wherever it runs: here they are compared as numbers, and formats are Assign's."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is torch.Tensor.bfloat16:
            return args[0].clone()
        return func(*args, **(kwargs or {}))


def compare(graph: GraphSide, doubles: Doubles, buffers: dict[str, torch.Tensor]) -> None:
    """After the framework's backward pass. Afterwards the parameters are others, the same for both sides. `buffers`: as
    they were before the step. Raises Difference."""
    if _is_elementwise(graph):
        _compare_first_elements(graph, doubles.named, buffers)
        _descend(doubles.named)
    else:
        _compare_all(graph, doubles, buffers)


def _is_elementwise(graph: GraphSide) -> bool:
    step, ops = graph.step, _operations(graph)
    return (type(step.optimizer) is base_of(step.optimizer) and not hooks_of(step.optimizer) and not step.twins
            and not any(rule.reads_all for rule in step.plan.rules.values())
            and all(ops[name].operands[1] is graph.raw[name] for name in ops))


def _operations(graph: GraphSide) -> dict[str, Any]:
    """The operation that updates each parameter."""
    made = {v: op for op in graph.program.function().operations for v in op.results}
    return {name: made[value] for name, value in graph.updated("parameter").items()}


def _clip(step: Step, named: Mapping[str, torch.Tensor]) -> None:
    if step.choices.max_norm is not None:
        torch.nn.utils.clip_grad_norm_([p for p in named.values() if p.grad is not None], step.choices.max_norm)


def _compare_first_elements(graph: GraphSide, named: dict[str, torch.Tensor], buffers: dict[str, torch.Tensor]) -> None:
    step, ops = graph.step, _operations(graph)
    raw = {name: _gradient(named[name]) for name in ops}
    # Scalars that updates read, such as the norm of all gradients, follow from whole gradients.
    scalars = {v for op in ops.values() for v in op.operands if not v.rank}
    values = graph.run(named, buffers, step.plan.step, scalars, {value: raw[name] for name, value in graph.raw.items()})
    gradients = {name: _first(g) for name, g in raw.items()}
    _clip(step, named)
    standins = {}
    for name in ops:
        standins[name] = torch.nn.Parameter(_first(named[name]))
        standins[name].grad = _first(_gradient(named[name]))
    before = {name: p.detach().clone() for name, p in standins.items()}
    states = {name: _first(v) for name, v in step.plan_states().items()}
    with _in_few(step.optimizer, {id(named[name]): p for name, p in standins.items()}):
        step.optimizer.step()
    for name, op in ops.items():
        size, shape = before[name].numel(), tuple(named[name].shape)
        # States that are one number a parameter stay so.
        sizes = [(size,) if of == shape else of for _, of in step.plan.rules[name].states]
        slots = [states[key].reshape(of) if (key := f"{name}.{slot}") in states else torch.zeros(of, dtype=torch.float64)
                 for (slot, _), of in zip(step.plan.rules[name].states, sizes)]
        operands = [before[name], gradients[name], *slots, *(values[v] for v in op.operands[2 + len(slots):])]
        few = replace(op, result_types=[TensorType(of, t.element) for of, t in zip([(size,), *sizes], op.result_types)])
        _check(graph, name, before[name], standins[name].detach(), graph.program.execute(few, operands, graph.backend)[0])


def _gradient(p: torch.Tensor) -> torch.Tensor:
    assert p.grad is not None
    return p.grad


def _first(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().flatten()[:_FIRST].to("cpu", torch.float64, copy=True)


def _in_few(optimizer: torch.optim.Optimizer, standins: Mapping[int, torch.Tensor]) -> contextlib.AbstractContextManager[None]:
    """The optimizer with standins[id(p)] instead of parameters, and the same part of what it has of them."""
    state = defaultdict(dict, {standins[id(p)]: {slot: _first(v) if slot != "step" and isinstance(v, torch.Tensor) and v.shape == p.shape else v
                                                      for slot, v in slots.items()}
                               for p, slots in optimizer.state.items() if id(p) in standins})
    return in_optimizer(optimizer, lambda p: standins.get(id(p)), state)


def _descend(named: dict[str, torch.Tensor]) -> None:
    """Moves all parameters, so that what a model keeps of old ones shows in the next loss."""
    moving = [p for p in named.values() if p.grad is not None]
    for p in moving:
        if not math.isfinite(_gradient(p).norm().item()):
            # Elsewhere the next loss still tells something.
            _gradient(p).nan_to_num_(0.0, 0.0, 0.0)
    def norm(tensors: Iterable[torch.Tensor]) -> float:
        return sum(t.detach().norm().item() ** 2 for t in tensors) ** 0.5
    sizes = norm(moving), norm([_gradient(p) for p in moving])
    for p in moving:
        p.data.sub_(_gradient(p), alpha=_STEP_SIZE * sizes[0] / sizes[1] if sizes[1] else 0)


def _compare_all(graph: GraphSide, doubles: Doubles, buffers: dict[str, torch.Tensor]) -> None:
    step, named = graph.step, doubles.named
    raw = {name: g.clone() for name in graph.raw if (g := doubles.gradient(name)) is not None}
    for twin, name in step.twins.items():
        if (g := doubles.gradient(twin)) is not None:
            raw[name] += g
    _clip(step, named)
    with _Wide():
        step.optimizer.step()
    given = {value: raw[name] for name, value in graph.raw.items()}
    start = {name: doubles.start(name) for name in named if name not in step.twins}
    # What all updates read, such as the norm of all gradients, is computed once.
    scalars = {v for op in graph.graph.ops if op.phase == OPTIMIZER for v in op.results if not v.rank}
    shared = graph.run(start, buffers, step.plan.step, scalars, given)
    updated = graph.updated("parameter")
    for name, value in updated.items():
        got = graph.run(start, buffers, step.plan.step, [value], {graph.raw[name]: raw[name]} | shared)[value]
        _check(graph, name, start[name], named[name].detach(), got)
    for name, before in start.items():
        if name not in updated and not torch.equal(named[name], before):
            raise Difference(f"the parameter {name} changes in a step of PyTorch and not in the graph's", name)


def _check(graph: GraphSide, name: str, before: torch.Tensor, after: torch.Tensor, got: torch.Tensor) -> None:
    error, size = distance(got, after)
    moved = (after - before).norm().item()
    if not math.isfinite(moved):
        moved = (after - before).nan_to_num(0.0, 0.0, 0.0).norm().item()
    if not error <= TOLERANCE * moved + 1e-12 * size:
        kind = type(graph.step.optimizer).__name__
        raise Difference(f"the update of {name} by {kind} differs by {error / max(moved, 1e-300):.1e} of its norm", name)
