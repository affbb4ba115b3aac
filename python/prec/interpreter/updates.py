# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`prec_train.update` for every backend: its formula of one element, run on whole arrays."""
from __future__ import annotations

from dataclasses import replace
from typing import Any, Protocol, TypeAlias

import numpy as np

from .text import Operation, TensorType

# Of the backend: np.ndarray or torch.Tensor.
Array: TypeAlias = Any


class Backend(Protocol):
    """What a formula needs of a backend (program.py)."""

    def tensor(self, given: Any, type_: TensorType) -> Any: ...

    def apply(self, op: Operation, *x: Any) -> tuple[Any, ...]: ...


def run(backend: Backend, op: Operation, x: tuple[Array, ...]) -> tuple[list[Array], list[Array], Array, Array | None]:
    """The old parameter and states, the new ones, what is added to the parameter, and the guard if there is one."""
    block = op.regions[0]
    *inner, last = block.operations
    count, states = len(block.arguments), len(last.operands) - 2
    operands, scale, guard = list(x[:count]), x[count], x[count + 1] if len(x) > count + 1 else None
    # Elements in the precision of f32, scalars in f64.
    wide = [backend.tensor(o, TensorType(tuple(o.shape), t)) for o, (_, t) in zip(operands, block.arguments)]
    wide[1] = wide[1] * scale
    values = {v: w for (v, _), w in zip(block.arguments, wide)}
    for each in inner:
        given = [values[v] for v in each.operands]
        # One number stands for all elements until it meets them.
        shape = np.broadcast_shapes(*(tuple(g.shape) for g in given))
        values[each.results[0]] = backend.apply(replace(each, result_types=[TensorType(shape, each.result_types[0])]), *given)[0]
    new, *rest, update = (values[v] for v in last.operands)
    return [operands[0], *operands[2:2 + states]], [new, *rest], update, guard
