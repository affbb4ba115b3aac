# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""import_jax: trace, lower, find parameters and their updates, clean up, verify."""
from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from .. import cleanup
from ..builder import Builder
from ..errors import ImportFailure
from ..files import replace_file
from ..imported import ImportedGraph
from ..ir import MOVES, Graph, Kind, Result, Value
from .keys import is_drawn, words_of
from .known import is_key
from .lowering import Lowering
from .registry import HELD, erase
from .roles import Found, assign_roles
from .trace import Traced, trace
from .values import Keys, Known, Leaf, Opaque, Stack
from .verify import Unverified, verify as compare

_SOURCE = {"float32": "f32", "bfloat16": "bf16", "float16": "f16", "float64": "f64"}


class Import(ImportedGraph):
    """An imported training step: its graph, its text, and the state that it came with. `leaves`: of each array of the
    state, its arguments in the graph."""

    def __init__(self, graph: Graph, traced: Traced, leaves: dict[int, Leaf]) -> None:
        super().__init__(graph)
        self.traced, self.leaves = traced, leaves
        self.paths = {i: _paths(graph, leaf) for i, leaf in leaves.items()}

    def write_weights(self, path: str | os.PathLike[str]) -> None:
        """The parameters as safetensors, float32, under the names of the graph: of a stacked one each row. Raises
        ImportFailure where the state has shapes alone."""
        from safetensors.numpy import save_file

        tensors = {}
        kinds = {a.path: a.role for a in self.graph.arguments}
        for i, names in self.paths.items():
            array = self.traced.arrays[i]
            for n, name in enumerate(names):
                if name is None or kinds[name] not in ("parameter", "frozen_parameter"):
                    continue
                if isinstance(array, jax.ShapeDtypeStruct):
                    raise ImportFailure(f"weights can be written of a state that holds them but {name} has a shape alone")
                held = np.asarray(array).astype(np.float32)
                tensors[name] = np.array(held if len(names) == 1 and self.leaves[i].parts is None else held[n])
        replace_file(path, lambda temporary: save_file(tensors, temporary))


def _paths(graph: Graph, leaf: Leaf) -> list[str | None]:
    """The argument that an array is, or each of its rows; None where the step does not read it."""
    of = {a.value: a.path for a in graph.arguments}
    values = leaf.parts if leaf.parts is not None else [leaf.value()]
    found = [of.get(v) for v in values]
    assert all(found) or not any(found), found
    return found


def import_jax(step: Callable[..., Any], *arguments: Any, verify: bool = True) -> Import:
    """Imports one training step in JAX as a graph of the prec_train dialect.

        def step(params, opt_state, batch):
            loss, grads = jax.value_and_grad(loss_of)(params, batch)
            updates, opt_state = optimizer.update(grads, opt_state, params)
            return optax.apply_updates(params, updates), opt_state, loss
        imported = prec.import_jax(step, params, opt_state, batch)

    step: a function, jitted or not, of the state and a batch, that returns the new state and the loss. Arguments that
      come back with their trees, shapes and dtypes are the state; what else the step returns is the loss (the result
      called "loss", or the first float without dimensions) and metrics.
    arguments: its example arguments; arrays may be jax.ShapeDtypeStructs. What is no array is part of the step.
    verify: compares the graph with JAX by running both in float64 (docs/Jax.md); a difference is an ImportFailure.
    Raises ImportFailure; what is not understood is named with the line that it is from.
    """
    traced = trace(step, arguments)
    imported = build(traced)
    if verify:
        try:
            compare(imported)
            imported.graph.verified = "verified"
        except Unverified as reason:
            imported.graph.verified = f"not verified: {reason}"
    else:
        imported.graph.verified = "not verified: not asked to"
    return imported


def build(traced: Traced) -> Import:
    """The graph of a traced step. Which arrays of the state are stacked shows only once something reads them by row:
    then the step is lowered again with rows from the start, so that moments are split as their parameters are."""
    split: set[int] = set()
    while True:
        lowered = _lower(traced, split)
        found = {i for i, leaf in lowered.leaves.items() if leaf.splits and (
            leaf.parts is not None or isinstance(lowered.outputs[traced.state_of[i]], Stack))}
        if found <= split:
            return _assemble(traced, lowered)
        split |= found


@dataclass
class _Lowered:
    builder: Builder
    lowering: Lowering
    leaves: dict[int, Leaf]
    outputs: list[Any]


def _lower(traced: Traced, split: set[int]) -> _Lowered:
    graph = Graph(f"jax {jax.__version__}", getattr(traced.step, "__name__", None) or type(traced.step).__name__)
    builder = Builder(graph)
    lowering = Lowering(builder)
    leaves: dict[int, Leaf] = {}
    inputs: list[Any] = []
    for i, (name, given) in enumerate(zip(traced.names, traced.arrays, strict=True)):
        if is_key(given) and not is_drawn(given):
            inputs.append(Opaque(given.shape))
            continue
        array = words_of(given)
        dtype = erase(array.dtype)
        if i in traced.state_of:
            leaves[i] = Leaf(name, array.shape, dtype, array, splits=dtype == "f32")
            read: Any = leaves[i].given(by_row=i in split)
            if str(array.dtype) in HELD:
                builder.ranges.know(leaves[i].value(), HELD[str(array.dtype)])
        else:
            attrs = {"vocabulary": 256} if str(array.dtype) == "uint8" else {}
            read = graph.argument("batch", name, array.shape, dtype, **attrs).value
            if str(array.dtype) in HELD:
                builder.ranges.know(read, HELD[str(array.dtype)])
        inputs.append(Keys(read) if is_drawn(given) else read)
    _refuse_empty(traced)
    outputs = [x.words if isinstance(x, Keys) else x for x in lowering.run(traced.closed.jaxpr, traced.closed.consts, inputs)]
    for i, o in traced.state_of.items():
        if isinstance(inputs[i], Opaque) and outputs[o] is not inputs[i]:
            raise ImportFailure(f"a step draws by keys of threefry2x32 but makes a new {traced.arrays[i].dtype} {traced.names[i]}: make it by "
                                "jax.random.key(seed)")
    return _Lowered(builder, lowering, leaves, outputs)


def _assemble(traced: Traced, lowered: _Lowered) -> Import:
    """Arguments, updates and results around what was lowered."""
    builder, lowering, leaves, outputs = lowered.builder, lowered.lowering, lowered.leaves, lowered.outputs
    graph = builder.graph
    found = Found(leaves, {i: outputs[traced.state_of[i]] for i in leaves})
    loss = builder.convert(lowering.value(outputs[traced.loss]), "f32")
    assign_roles(builder, lowering, found, loss, lambda i: _SOURCE.get(str(traced.arrays[i].dtype)))
    graph.results.insert(0, Result(loss, "loss", "loss"))
    for o, name in traced.metrics.items():
        value = lowering.value(outputs[o])
        if value.op is None or isinstance(outputs[o], Known):
            raise ImportFailure(f"a result must be computed but {name} is an argument or a constant as it is")
        graph.results.append(Result(builder.convert(value, "f32"), "metric", name))
    _describe_tables(graph)
    cleanup.clean(graph)
    return Import(graph, traced, leaves)


def _refuse_empty(traced: Traced) -> None:
    for name, array in zip(traced.names, traced.arrays, strict=True):
        if 0 in array.shape:
            raise ImportFailure(f"every array of a step must have elements but {name} has shape {list(array.shape)}")


def _describe_tables(graph: Graph) -> None:
    """How many rows the tables have that arguments of the batch index."""
    batch = {a.value: a for a in graph.arguments if a.role == "batch"}

    def sources(value: Value) -> list[Any]:
        if value in batch:
            return [batch[value]]
        moves = value.op is not None and (value.op.name in MOVES or value.op.name == Kind.RESHAPE)
        return [a for v in value.op.operands for a in sources(v)] if moves and value.op is not None else []
    for op in graph.ops:
        if op.name in (Kind.EMBEDDING, Kind.GATHER):
            for a in sources(op.operands[1]):
                rows = op.operands[0].shape[0]
                a.attrs["vocabulary"] = min(rows, a.attrs.get("vocabulary", rows))
