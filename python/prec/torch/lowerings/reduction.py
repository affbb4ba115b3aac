# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions."""
from __future__ import annotations

import math

from torch.fx import Node

from ...builder import Builder
from ...ir import Kind, Value
from ..registry import lower, value_type


def _dims(x: Value, dims: int | list[int] | None) -> list[int]:
    # One number has no dimension, whatever PyTorch lets it be called by.
    return list(range(x.rank)) if dims is None or dims == [] or not x.rank else [dims] if isinstance(dims, int) else list(dims)


@lower("aten.sum.default", "aten.sum.dim_IntList")
def _sum(b: Builder, node: Node, x: Value, dims: int | list[int] | None = None, keepdim: bool = False, **_: object) -> Value:
    shape, dtype = value_type(node.meta["val"])
    if _cancels(x, _dims(x, dims)):
        return b.constant(0.0, shape)
    return b.reduce("sum", b.convert(x, dtype), _dims(x, dims), keepdim)


def _cancels(x: Value, dims: list[int]) -> bool:
    """Whether sums are zero but for rounding: softmax does not depend on what is added to a whole row, so a row of its
    gradients adds up to nothing. A model that subtracts each row's largest element itself has such sums."""
    while x.op is not None and x.op.name == Kind.NEGF:
        x = x.op.operands[0]
    return x.op is not None and x.op.name == Kind.SOFTMAX_GRAD and x.rank - 1 in [d % x.rank for d in dims]


@lower("aten.mean.default", "aten.mean.dim")
def _mean(b: Builder, node: Node, x: Value, dims: int | list[int] | None = None, keepdim: bool = False, **_: object) -> Value:
    dims, x = _dims(x, dims), b.convert(x, value_type(node.meta["val"])[1])
    total = b.reduce("sum", x, dims)
    mean = b.div(total, float(math.prod(x.shape[d] for d in dims)))
    return b.reshape(mean, value_type(node.meta["val"])[0])


@lower("aten.amax.default", "aten.max.default")
def _amax(b: Builder, node: Node, x: Value, dims: int | list[int] | None = None, keepdim: bool = False) -> Value:
    return _extreme(b, "max", x, dims, keepdim)


@lower("aten.amin.default", "aten.min.default")
def _amin(b: Builder, node: Node, x: Value, dims: int | list[int] | None = None, keepdim: bool = False) -> Value:
    return _extreme(b, "min", x, dims, keepdim)


def _extreme(b: Builder, kind: str, x: Value, dims: int | list[int] | None, keepdim: bool) -> Value:
    if x.dtype != "i1":
        return b.reduce(kind, x, _dims(x, dims), keepdim)
    return b.convert(b.reduce(kind, b.convert(x, "i32"), _dims(x, dims), keepdim), "i1")


@lower("aten.any.default", "aten.any.dim", "aten.any.dims")
def _any(b: Builder, node: Node, x: Value, dims: int | list[int] | None = None, keepdim: bool = False) -> Value:
    return b.convert(_extreme(b, "max", b.convert(x, "i1"), dims, keepdim), value_type(node.meta["val"])[1])


@lower("aten.all.default", "aten.all.dim", "aten.all.dims")
def _all(b: Builder, node: Node, x: Value, dims: int | list[int] | None = None, keepdim: bool = False) -> Value:
    return b.convert(_extreme(b, "min", b.convert(x, "i1"), dims, keepdim), value_type(node.meta["val"])[1])
