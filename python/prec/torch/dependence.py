# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The guard of dependences: at full size and on fake tensors, the framework's own path, without interception, must give
gradients to
the parameters that the graph gives them to, and its loss must follow from the inputs that the graph's follows from.

What follows from what is known by memory: every storage carries the names of the inputs that anything written to it was
  computed
from.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves

from ..errors import ImportFailure
from ..ir import Graph
from . import experts
from .constants import Constants, ReadsValue
from .graph_side import Unverified
from .hugging_face import traceable_experts
from .indices import COUNTS, with_stacked_index
from .known import Known
from .modules import without_reads
from .numbered import Numbered
from .packed import Packed
from .selected import Selected
from .spectra import istft
from .standins import replaced
from .trace import fake_like, left_alone, quiet, reads_shape_only, scalar_loss, uncompiled

if TYPE_CHECKING:
    from .importer import Step


class _WithoutReads(TorchFunctionMode):
    """An index of single numbers is one tensor, and one that is a number gathers, as in the trace. CTC reads how long
    its labels are and an inverse spectrum the sum of its windows, which are fake here, a grouped product of fakes takes
    BF16 alone, and counts are as many as the values say: what they depend on is what they are given. What is selected
    to be written back by the same mask is written by torch.where."""

    def __init__(self) -> None:
        super().__init__()
        self._selected, self._numbered, self._packed = Selected(of_floats_alone=True), Numbered(Known()), Packed()

    def __torch_function__(self, function: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        args = with_stacked_index(function, args)
        selected = self._selected.call(self, function, args, kwargs or {})
        if selected is not None:
            return selected
        packed = self._packed.call(function, args, kwargs or {})
        if packed is not None:
            return packed
        numbered = self._numbered.call(function, args, kwargs or {})
        if numbered is not None:
            return numbered[0]
        if function in (F.ctc_loss, torch.ctc_loss):
            return sum(t.sum() for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor))
        own = istft if function in (torch.istft, torch.Tensor.istft) else COUNTS.get(function, experts.FUNCTIONS.get(function))
        result = own(*args, **(kwargs or {})) if own is not None else None
        result = function(*args, **(kwargs or {})) if result is None else result
        self._selected.note(function, args, kwargs or {}, result)
        self._numbered.wrote(function, args, result)
        return result


_OVERWRITES = {torch.ops.aten.copy_.default, torch.ops.aten.fill_.Scalar, torch.ops.aten.fill_.Tensor, torch.ops.aten.zero_.default}
# They read of the tensor that they fill no more than its shape.
_FILLS = {torch.ops.aten.fill.Scalar, torch.ops.aten.fill.Tensor}


class _Origins(Constants):
    """Follows inputs through operations, and answers reads of constants as the trace does."""

    def __init__(self) -> None:
        super().__init__()
        self._names: dict[int, frozenset[str]] = {}
        self._held: list[torch.UntypedStorage] = []

    def name(self, tensor: torch.Tensor, name: str) -> None:
        self._add(tensor, frozenset([name]))

    def of(self, tensor: torch.Tensor) -> frozenset[str]:
        return self._names.get(tensor.untyped_storage()._cdata, frozenset())

    def __torch_dispatch__(self, func: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        if func is torch.ops.aten._efficientzerotensor.default:
            # A fake one would be on the meta device, whatever it was asked for.
            func = torch.ops.aten.zeros.default
        result = super().__torch_dispatch__(func, types, args, kwargs)
        given = (args, kwargs)
        if func in _OVERWRITES and args[0].numel() * args[0].element_size() == args[0].untyped_storage().nbytes():
            # Nothing is left of what was there.
            given = (args[1:], kwargs)
            self._names.pop(args[0].untyped_storage()._cdata, None)
        elif func in _FILLS:
            given = (args[1:], kwargs)
        # What has no elements tells nothing.
        names = frozenset().union(*(self.of(t) for t in tree_leaves(given) if isinstance(t, torch.Tensor) and t.numel()))
        if names and not reads_shape_only(func):
            for t in tree_leaves(result):
                if isinstance(t, torch.Tensor):
                    self._add(t, names)
        return result

    def _add(self, tensor: torch.Tensor, names: frozenset[str]) -> None:
        storage = tensor.untyped_storage()
        before = self._names.get(storage._cdata)
        if before is None:
            # Alive, so that its address names nothing else.
            self._held.append(storage)
        self._names[storage._cdata] = names | (before or frozenset())


def check(step: Step, graph: Graph) -> None:
    """Raises ImportFailure for a difference, and whatever the framework raises on fake tensors."""
    try:
        try:
            gradients, inputs = _of_framework(step, step.by_example)
        except ReadsValue:
            # The graph may do without, where a loss reads what a mask selects.
            gradients, inputs = _of_framework(step, True)
    except ReadsValue as reason:
        raise Unverified(f"PyTorch's own step must run without values, but {reason}") from None
    trained = {a.path for a in graph.arguments if a.role == "parameter"}
    for name in sorted(gradients ^ trained):
        has, lacks = ("PyTorch", "the graph") if name in gradients else ("the graph", "PyTorch")
        raise ImportFailure(f"every parameter must get a gradient where PyTorch gives it one but {name} gets one in {has} and none in {lacks}")
    ours = _of_graph(graph)
    for name in sorted(inputs ^ ours):
        has, lacks = ("PyTorch", "the graph") if name in inputs else ("the graph", "PyTorch")
        raise ImportFailure(f"the loss must depend on the inputs that PyTorch's depends on but follows from {name} in {has} and not in {lacks}")


def _of_framework(step: Step, by_example: bool) -> tuple[set[str], set[str]]:
    model = step.model
    named = dict(model.named_parameters())
    canonical = {name: step.twins.get(name, name) for name in named}
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    parameters = fake_like(mode, {name: p for name, p in named.items() if name not in step.twins})
    for name, t in parameters.items():
        t.requires_grad_(named[name].requires_grad)
    held = dict(model.named_buffers())
    buffers, batch = fake_like(mode, held), fake_like(mode, step.batch.tensors)
    standins = {id(p): parameters[canonical[name]] for name, p in named.items()}
    standins |= {id(t): buffers[name] for name, t in held.items()}
    origins = _Origins()
    with left_alone(model, step.optimizer, step.choices.loss), quiet(), without_reads(model), replaced(model, standins), mode, origins, \
            traceable_experts(), uncompiled(), _WithoutReads():
        for name, t in batch.items():
            origins.name(t, name)
            if by_example:
                origins.give_example(t, step.batch.tensors[name])
        for name, t in buffers.items():
            origins.flags.give(t, name, held[name])
        loss = scalar_loss(step.batch.call(model, batch), step.choices.loss, step.batch, batch)
        loss.backward()
    conditions = origins.conditions if step.by_example else []
    inputs = origins.of(loss).union(*(origins.of(t) for condition in conditions for t in condition.sources))
    return {name for name, t in parameters.items() if t.grad is not None}, set(inputs)


def _of_graph(graph: Graph) -> set[str]:
    loss = next(r.value for r in graph.results if r.role == "loss")
    reached, waiting = {loss}, [loss]
    while waiting:
        op = waiting.pop().op
        for operand in op.operands if op is not None else ():
            if operand not in reached:
                reached.add(operand)
                waiting.append(operand)
    return {a.path for a in graph.arguments if a.role == "batch" and a.value in reached}
