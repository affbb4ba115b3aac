# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""ATen ops that only move or name elements."""
from __future__ import annotations

import operator
from collections.abc import Sequence

from torch.fx import Node

from ...builder import Builder
from ...ir import Value
from ..registry import lower, value_type


@lower("aten.view.default", "aten._unsafe_view.default", "aten.reshape.default", "aten.unsqueeze.default", "aten.squeeze.default",
       "aten.squeeze.dim", "aten.squeeze.dims", "aten.view_as.default")
def _reshape(b: Builder, node: Node, x: Value, *_: object) -> Value:
    return b.reshape(x, value_type(node.meta["val"])[0])


@lower("aten.expand.default", "aten.broadcast_to.default")
def _expand(b: Builder, node: Node, x: Value, *_: object, **__: object) -> Value:
    return b.broadcast(x, value_type(node.meta["val"])[0])


@lower("aten.t.default")
def _t(b: Builder, node: Node, x: Value) -> Value:
    return b.swap(x, 0, 1) if x.rank == 2 else x


@lower("aten.transpose.int")
def _transpose(b: Builder, node: Node, x: Value, first: int, second: int) -> Value:
    return b.swap(x, first % x.rank, second % x.rank)


@lower("aten.permute.default")
def _permute(b: Builder, node: Node, x: Value, permutation: Sequence[int]) -> Value:
    return b.transpose(x, permutation)


@lower("aten.cat.default")
def _cat(b: Builder, node: Node, values: Sequence[Value], dim: int = 0) -> Value:
    shape, dtype = value_type(node.meta["val"])
    # What has no elements adds none; the legacy one of shape [0] joins anything.
    values = [b.convert(v, dtype) for v in values if 0 not in v.shape]
    if not values:
        raise NotImplementedError("a tensor must have elements")
    return b.concat(values, dim % len(shape))


@lower("aten.stack.default")
def _stack(b: Builder, node: Node, values: Sequence[Value], dim: int = 0) -> Value:
    shape, dtype = value_type(node.meta["val"])
    dim %= len(shape)
    one = shape[:dim] + (1,) + shape[dim + 1:]
    return b.concat([b.reshape(b.convert(v, dtype), one) for v in values], dim)


def _bounds(size: int, start: int | None, end: int | None) -> tuple[int, int]:
    def clip(i: int) -> int:
        return min(max(i + size if i < 0 else i, 0), size)
    start = clip(0 if start is None else start)
    return start, max(clip(size if end is None else end), start)


@lower("aten.slice.Tensor")
def _slice(b: Builder, node: Node, x: Value, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1) -> Value:
    dim %= x.rank
    start, end = _bounds(x.shape[dim], start, end)
    return b.slice(x, dim, start, -(-(end - start) // step), step)


@lower("aten.slice_backward.default")
def _slice_backward(b: Builder, node: Node, dy: Value, sizes: Sequence[int], dim: int, start: int | None, end: int | None, step: int) -> Value:
    dim %= len(sizes)
    start, end = _bounds(sizes[dim], start, end)
    if step != 1:
        # Each element followed by step - 1 zeros, cut to length.
        n = dy.shape[dim]
        dy = b.reshape(dy, dy.shape[:dim + 1] + (1,) + dy.shape[dim + 1:])
        dy = b.pad(dy, dim + 1, 0, step - 1, 0.0)
        dy = b.reshape(dy, dy.shape[:dim] + (n * step,) + dy.shape[dim + 2:])
        dy = b.slice(dy, dim, 0, min(n * step, sizes[dim] - start))
    return b.pad(dy, dim, start, sizes[dim] - start - dy.shape[dim], 0.0)


@lower("aten.select.int")
def _select(b: Builder, node: Node, x: Value, dim: int, index: int) -> Value:
    dim %= x.rank
    return b.reshape(b.slice(x, dim, index % x.shape[dim], 1), x.shape[:dim] + x.shape[dim + 1:])


@lower("aten.select_backward.default")
def _select_backward(b: Builder, node: Node, dy: Value, sizes: Sequence[int], dim: int, index: int) -> Value:
    dim %= len(sizes)
    index %= sizes[dim]
    dy = b.reshape(dy, dy.shape[:dim] + (1,) + dy.shape[dim:])
    return b.pad(dy, dim, index, sizes[dim] - index - 1, 0.0)


@lower("aten.split.Tensor", "aten.split_with_sizes.default", "aten.unsafe_split.Tensor", "aten.unsafe_split_with_sizes.default")
def _split(b: Builder, node: Node, x: Value, sizes: int | Sequence[int], dim: int = 0) -> tuple[Value, ...]:
    dim %= x.rank
    parts, start = [], 0
    for part in node.meta["val"]:
        length = part.shape[dim]
        parts.append(b.slice(x, dim, start, length))
        start += length
    return tuple(parts)


@lower("aten.unbind.int")
def _unbind(b: Builder, node: Node, x: Value, dim: int = 0) -> tuple[Value, ...]:
    dim %= x.rank
    return tuple(_select(b, node, x, dim, i) for i in range(x.shape[dim]))


# What functionalization makes of writes in place.

@lower("aten.copy.default")
def _copy(b: Builder, node: Node, x: Value, source: Value, *_: object) -> Value:
    shape, dtype = value_type(node.meta["val"])
    return b.broadcast(b.convert(source, dtype), shape)


def _write(b: Builder, x: Value, part: Value, dim: int, start: int) -> Value:
    """x with `part` from `start` on along dim."""
    end = start + part.shape[dim]
    return b.concat([b.slice(x, dim, 0, start), part, b.slice(x, dim, end, x.shape[dim] - end)], dim)


@lower("aten.slice_scatter.default")
def _slice_scatter(
    b: Builder, node: Node, x: Value, source: Value, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Value:
    dim %= x.rank
    start, end = _bounds(x.shape[dim], start, end)
    source = b.convert(source, x.dtype)
    if step == 1 or source.shape[dim] < 2:
        return _write(b, x, source, dim, start)
    def spread(part: Value) -> Value:
        return _slice_backward(b, node, part, x.shape, dim, start, end, step)
    written = b.compare("ne", spread(b.constant(1, source.shape, x.dtype)), b.constant(0, x.shape, x.dtype))
    return b.select(written, spread(source), x)


@lower("aten.select_scatter.default")
def _select_scatter(b: Builder, node: Node, x: Value, source: Value, dim: int, index: int) -> Value:
    dim %= x.rank
    return _write(b, x, b.reshape(b.convert(source, x.dtype), x.shape[:dim] + (1,) + x.shape[dim + 1:]), dim, index % x.shape[dim])


@lower("aten.constant_pad_nd.default")
def _pad(b: Builder, node: Node, x: Value, padding: Sequence[int], value: float = 0) -> Value:
    # Pairs run from the last dimension inwards.
    for i in range(len(padding) // 2):
        x = b.pad(x, x.rank - 1 - i, padding[2 * i], padding[2 * i + 1], value)
    return x


@lower("aten.repeat.default")
def _repeat(b: Builder, node: Node, x: Value, repeats: Sequence[int]) -> Value:
    x = b.reshape(x, (1,) * (len(repeats) - x.rank) + x.shape)
    paired = [n for pair in zip((1,) * x.rank, x.shape) for n in pair]
    tiled = [n for pair in zip(repeats, x.shape) for n in pair]
    return b.reshape(b.broadcast(b.reshape(x, paired), tiled), [r * d for r, d in zip(repeats, x.shape)])


@lower(str(operator.getitem))
def _getitem(b: Builder, node: Node, values: Sequence[Value], index: int) -> Value:
    return values[index]
