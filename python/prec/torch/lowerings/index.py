# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lookups of rows of tables, and tensors made from nothing."""
from __future__ import annotations

from typing import Any

from torch.fx import Node

from ...builder import Builder
from ...ir import Kind, Value
from ...tables import frequencies
from ..registry import lower, value_type
from .elementwise import operand


@lower("aten.embedding.default")
def _embedding(b: Builder, node: Node, table: Value, ids: Value, padding_idx: int = -1, *_: object) -> Value:
    return b.op(Kind.EMBEDDING, [table, ids], [(ids.shape + table.shape[1:], "f32")]).result


@lower("aten.embedding_dense_backward.default")
def _embedding_backward(b: Builder, node: Node, dy: Value, ids: Value, rows: int, padding_idx: int, scale_by_frequency: bool) -> Value:
    if scale_by_frequency:
        dy = b.div(dy, b.broadcast(b.reshape(b.convert(frequencies(b, ids, rows), "f32"), (*ids.shape, 1)), dy.shape))
    if padding_idx >= 0:  # Masked before the sum: there are more rows of the table than of its readers.
        padding = b.compare("eq", ids, b.constant(padding_idx, ids.shape, ids.dtype))
        padding = b.broadcast(b.reshape(padding, (*ids.shape, 1)), dy.shape)
        dy = b.select(padding, b.constant(0.0, dy.shape), dy)
    return b.op(Kind.EMBEDDING_GRAD, [dy, ids], [((rows, dy.shape[-1]), "f32")]).result


@lower("aten.arange.default", "aten.arange.start", "aten.arange.start_step")
def _arange(b: Builder, node: Node, *bounds: int, **_: object) -> Value:
    (n,), dtype = value_type(node.meta["val"])
    start, step = bounds[0] if len(bounds) > 1 else 0, bounds[2] if len(bounds) > 2 else 1
    x = b.iota(n, dtype)
    x = x if step == 1 else b.mul(x, step)
    return x if start == 0 else b.add(x, start)


@lower("aten.fill.Scalar", "aten.fill.Tensor")
def _fill(b: Builder, node: Node, x: Value, value: Value | float) -> Value:
    return b.broadcast(b.convert(value, x.dtype), x.shape) if isinstance(value, Value) else b.constant(value, x.shape, x.dtype)


@lower("aten.full.default", "aten.new_full.default", "aten.full_like.default")
def _full(b: Builder, node: Node, _: object, *rest: Any, **__: object) -> Value:
    return operand(b, rest[-1], node.meta["val"].shape, node.meta["val"].dtype)


@lower("aten.scalar_tensor.default")
def _scalar(b: Builder, node: Node, value: float, **_: object) -> Value:
    return operand(b, value, node.meta["val"].shape, node.meta["val"].dtype)


@lower("aten.eye.default", "aten.eye.m")
def _eye(b: Builder, node: Node, *_: object, **__: object) -> Value:
    (rows, columns), dtype = value_type(node.meta["val"])
    row = b.broadcast(b.reshape(b.iota(rows), (rows, 1)), (rows, columns))
    return b.convert(b.compare("eq", row, b.broadcast(b.iota(columns), (rows, columns))), dtype)


def _triangle(name: str, predicate: str) -> None:
    @lower(f"aten.{name}.default")
    def lowering(b: Builder, node: Node, x: Value, diagonal: int = 0) -> Value:
        rows, columns = x.shape[-2:]
        row = b.broadcast(b.reshape(b.add(b.iota(rows), diagonal), (rows, 1)), x.shape)
        column = b.broadcast(b.iota(columns), x.shape)
        return b.select(b.compare(predicate, column, row), x, b.constant(0, x.shape, x.dtype))


_triangle("tril", "le")
_triangle("triu", "ge")


# What nobody wrote may have any value: PyTorch reads it nowhere (an addend that it multiplies by zero).
@lower("aten.empty.memory_format", "aten.empty_like.default", "aten.empty_strided.default", "aten.new_empty.default",
       "aten.new_empty_strided.default", "aten.zero.default", "aten.zeros.default", "aten.zeros_like.default", "aten.new_zeros.default",
       "aten._efficientzerotensor.default")
def _zeros(b: Builder, node: Node, *_: object, **__: object) -> Value:
    return b.constant(0, *value_type(node.meta["val"]))


@lower("aten.ones.default", "aten.ones_like.default", "aten.new_ones.default")
def _ones(b: Builder, node: Node, *_: object, **__: object) -> Value:
    return b.constant(1, *value_type(node.meta["val"]))
