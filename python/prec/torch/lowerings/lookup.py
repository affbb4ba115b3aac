# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ops that read or write elements at computed places, in any dimension: gather, scatter, indexing with tensors and
their gradients.

A tensor is taken for a table whose rows are what an index picks: where a whole slice is picked, the dimensions that are
not indexed, and single elements otherwise. The indices become numbers of rows, in the order of memory, and one outside
of its own dimension becomes the number of a row that is none, so that the check of indices finds it. tables.py
reads and writes rows.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from torch.fx import Node

from ...builder import Builder
from ...ir import Kind, Value
from ...orders import places_along
from ...tables import Sorted, add_rows, both, combine_rows, read_rows, strides, write_rows
from ..registry import lower
from .elementwise import operand

Indices = Sequence[Value | None]


def _row_numbers(b: Builder, indices: Sequence[Value], sizes: Sequence[int]) -> Value:
    """The number of the row that `indices`, one for each of the dimensions `sizes`, pick together; their product where
    one of them is outside of its dimension."""
    number, inside = None, None
    for ids, size, stride in zip(indices, sizes, strides(sizes), strict=True):
        ids = b.convert(ids, "i64")
        low, high = b.ranges.of(ids)
        if low < 0:
            from_end = b.compare("lt", ids, b.constant(0, ids.shape, "i64"))
            ids = b.select(from_end, b.add(ids, size), ids)
        least, most = b.constant(0, ids.shape, "i64"), b.constant(size - 1, ids.shape, "i64")
        if low < -size:
            inside = both(b, inside, b.compare("ge", ids, least))
            ids = b.like(Kind.MAXSI, ids, least)
        if high >= size:
            inside = both(b, inside, b.compare("le", ids, most))
            ids = b.like(Kind.MINSI, ids, most)
        scaled = b.mul(ids, stride)
        number = scaled if number is None else b.add(number, scaled)
    assert number is not None
    return number if inside is None else b.select(inside, number, b.constant(math.prod(sizes), number.shape, "i64"))


# Along one dimension, an index for each element.


def _along(b: Builder, x: Value, dim: int, index: Value) -> Value:
    """Numbers of the elements of x at `index` along dim and at their own places elsewhere."""
    dim %= max(x.rank, 1)
    places = []
    for d in range(x.rank):
        if d == dim:
            places.append(index)
        else:
            iota = b.reshape(b.iota(index.shape[d], "i64"), [index.shape[d] if i == d else 1 for i in range(index.rank)])
            places.append(b.broadcast(iota, index.shape))
    return _row_numbers(b, places or [index], x.shape or (1,))


def _elements(b: Builder, x: Value) -> Value:
    return b.reshape(x, (math.prod(x.shape), 1))


def _cut(b: Builder, source: Value, shape: Sequence[int]) -> Value:
    for d, size in enumerate(shape):
        source = b.slice(source, d, 0, size)
    return source


@lower("aten.gather.default")
def gather(b: Builder, node: Node, x: Value, dim: int, index: Value, **_: object) -> Value:
    return b.reshape(read_rows(b, _elements(b, x), _along(b, x, dim, index)), index.shape)


# Up to so many elements along a dimension are scattered one by one: each meets every place, which needs no sorting.
_FEW = 16


def _is_few(b: Builder, x: Value, dim: int, index: Value) -> bool:
    """Whether few elements of every line of x, and all lines, are written, by indices that are known to be inside."""
    if not x.rank or index.rank != x.rank or index.shape[dim] > _FEW:
        return False
    low, high = b.ranges.of(index)
    return low >= 0 and high < x.shape[dim] and all(n == index.shape[d] for d, n in enumerate(x.shape) if d != dim % x.rank)


def _same_constant(x: Value, y: Value) -> bool:
    values = [repr(v.op.attrs["value"]) for v in (x, y) if v.op is not None and v.op.name == Kind.CONSTANT]
    return len(values) == 2 and values[0] == values[1]


def _scatter_few(b: Builder, x: Value, dim: int, index: Value, source: Value, write: Callable[[Value, Value], Value]) -> Value:
    """In the order of the sources, so that of several writes of one place the last one counts."""
    dim %= x.rank
    place = places_along(b, x, dim)
    for i in range(index.shape[dim]):
        at, value = (b.broadcast(b.slice(v, dim, i, 1), x.shape) for v in (b.convert(index, "i32"), source))
        x = b.select(b.compare("eq", place, at), write(x, value), x)
    return x


@lower("aten.scatter_add.default")
def _scatter_add(b: Builder, node: Node, x: Value, dim: int, index: Value, source: Value) -> Value:
    if x.dtype != "i1" and _is_few(b, x, dim, index):
        return _scatter_few(b, x, dim, index, _cut(b, source, index.shape), b.add)
    return b.reshape(add_rows(b, _elements(b, x), _along(b, x, dim, index), _cut(b, source, index.shape)), x.shape)


@lower("aten.scatter.src", "aten.scatter.value")
def _scatter(b: Builder, node: Node, x: Value, dim: int, index: Value, source: Value | float) -> Value:
    source = _cut(b, source, index.shape) if isinstance(source, Value) else b.constant(source, index.shape, x.dtype)
    if _same_constant(x, source):
        return x
    if _is_few(b, x, dim, index):
        return _scatter_few(b, x, dim, index, source, lambda _, value: value)
    return b.reshape(write_rows(b, _elements(b, x), _along(b, x, dim, index), source), x.shape)


# How two are combined.
_COMBINE: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "prod": lambda b, x, y: b.mul(x, y),
    "amax": lambda b, x, y: b.like(Kind.MAXIMUMF if x.dtype == "f32" else Kind.MAXSI, x, y),
    "amin": lambda b, x, y: b.like(Kind.MINIMUMF if x.dtype == "f32" else Kind.MINSI, x, y),
}


def _reduce(b: Builder, table: Value, numbers: Value, rows: Value, reduce: str, include_self: bool) -> Value:
    """The matrix with its rows and those of `rows` that name them combined; without itself where one names it."""
    if reduce == "sum" and include_self:
        return add_rows(b, table, numbers, rows)
    counts = b.broadcast(b.reshape(Sorted(b, table.shape[0], numbers).counts(), (table.shape[0], 1)), table.shape)
    is_written = b.compare("gt", counts, b.constant(0, table.shape, "i32"))
    zeros = b.constant(0, table.shape, table.dtype)
    if reduce in ("sum", "mean"):
        start = table if include_self else b.select(is_written, zeros, table)
        total = add_rows(b, start, numbers, rows)
        if reduce == "sum":
            return total
        if table.dtype != "f32":
            raise NotImplementedError("means of whole numbers (convert them to float first)")
        counts = b.convert(b.add(counts, 1) if include_self else counts, "f32")
        return b.select(is_written, b.div(total, counts), table)
    if reduce not in _COMBINE or table.dtype == "i1":
        raise NotImplementedError(f"reduce='{reduce}' of {table.dtype} (convert it to another dtype first)")
    combine = _COMBINE[reduce]
    combined = combine_rows(b, table, numbers, rows, lambda x, y: combine(b, x, y))
    return b.select(is_written, combine(b, table, combined), table) if include_self else combined


@lower("aten.scatter_reduce.two")
def _scatter_reduce(
    b: Builder, node: Node, x: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True
) -> Value:
    numbers = _along(b, x, dim, index)
    return b.reshape(_reduce(b, _elements(b, x), numbers, _cut(b, source, index.shape), reduce, include_self), x.shape)


@lower("aten.scatter.reduce", "aten.scatter.value_reduce")
def _scatter_with(b: Builder, node: Node, x: Value, dim: int, index: Value, source: Value | float, *, reduce: str) -> Value:
    source = source if isinstance(source, Value) else b.constant(source, index.shape, x.dtype)
    return _scatter_reduce(b, node, x, dim, index, source, {"add": "sum", "multiply": "prod"}.get(reduce, reduce))


@lower("aten.take.default")
def _take(b: Builder, node: Node, x: Value, index: Value) -> Value:
    return b.reshape(read_rows(b, _elements(b, x), _row_numbers(b, [index], [math.prod(x.shape)])), index.shape)


# Along one dimension, an index for each slice.


def _front(x: Value, dim: int) -> list[int]:
    return [dim, *(d for d in range(x.rank) if d != dim)]


def _line(b: Builder, x: Value) -> Value:
    """One number as the only one along a dimension."""
    return x if x.rank else b.reshape(x, (1,))


def _slices(b: Builder, x: Value, dim: int) -> Value:
    """What an index along dim picks, as rows."""
    x = b.transpose(x, _front(x, dim))
    return b.reshape(x, (x.shape[0], math.prod(x.shape[1:])))


def _unslice(b: Builder, rows: Value, shape: Sequence[int], dim: int) -> Value:
    order = [dim, *(d for d in range(len(shape)) if d != dim)]
    return b.transpose(b.reshape(rows, [shape[d] for d in order]), [order.index(d) for d in range(len(shape))])


@lower("aten.index_select.default")
def index_select(b: Builder, node: Node, x: Value, dim: int, index: Value) -> Value:
    if x.rank == 0:
        return x
    dim %= x.rank
    index = b.reshape(index, (math.prod(index.shape),))
    rows = read_rows(b, _slices(b, x, dim), _row_numbers(b, [index], [x.shape[dim]]))
    return _unslice(b, rows, (*x.shape[:dim], index.shape[0], *x.shape[dim + 1:]), dim)


@lower("aten.index_add.default")
def _index_add(b: Builder, node: Node, x: Value, dim: int, index: Value, source: Value, *, alpha: float = 1) -> Value:
    of, source, dim = _line(b, x), _line(b, source), dim % max(x.rank, 1)
    source = source if alpha == 1 else b.mul(source, alpha)
    numbers = _row_numbers(b, [b.reshape(index, (math.prod(index.shape),))], [of.shape[dim]])
    return b.reshape(_unslice(b, add_rows(b, _slices(b, of, dim), numbers, _slices(b, source, dim)), of.shape, dim), x.shape)


@lower("aten.index_reduce.default")
def _index_reduce(b: Builder, node: Node, x: Value, dim: int, index: Value, source: Value, reduce: str, *, include_self: bool = True) -> Value:
    of, source, dim = _line(b, x), _line(b, source), dim % max(x.rank, 1)
    numbers = _row_numbers(b, [b.reshape(index, (math.prod(index.shape),))], [of.shape[dim]])
    return b.reshape(_unslice(b, _reduce(b, _slices(b, of, dim), numbers, _slices(b, source, dim), reduce, include_self), of.shape, dim), x.shape)


@lower("aten.index_copy.default")
def _index_copy(b: Builder, node: Node, x: Value, dim: int, index: Value, source: Value) -> Value:
    of, source, dim = _line(b, x), _line(b, source), dim % max(x.rank, 1)
    numbers = _row_numbers(b, [b.reshape(index, (math.prod(index.shape),))], [of.shape[dim]])
    return b.reshape(_unslice(b, write_rows(b, _slices(b, of, dim), numbers, _slices(b, source, dim)), of.shape, dim), x.shape)


@lower("aten.index_fill.int_Scalar", "aten.index_fill.int_Tensor")
def _index_fill(b: Builder, node: Node, x: Value, dim: int, index: Value, value: Value | float) -> Value:
    of, dim = _line(b, x), dim % max(x.rank, 1)
    count = math.prod(index.shape)
    shape = (*of.shape[:dim], count, *of.shape[dim + 1:])
    return _index_copy(b, node, x, dim, index, operand(b, value, shape, node.meta["val"].dtype))


# With a tensor of indices for each of some dimensions.


class _Indexed:
    """The arrangement of `x[i, j, ...]`: indexed dimensions in front, as rows of a table."""

    def __init__(self, b: Builder, x: Value, indices: Indices) -> None:
        if any(i is not None and i.dtype == "i1" for i in indices):
            raise NotImplementedError("indexing with bools, which has a size that depends on them (write torch.where, or "
                                      "multiply by the mask)")
        self.b, self.x = b, x
        self.dims = [d for d, i in enumerate(indices) if i is not None]
        self.kept = [d for d in range(x.rank) if d not in self.dims]
        given = [i for i in indices if i is not None]
        # PyTorch's broadcast of the indices.
        rank = max(i.rank for i in given)
        self.shape = tuple(max(i.shape[d - rank + i.rank] for i in given if d - rank + i.rank >= 0) for d in range(rank))
        self.sizes = [x.shape[d] for d in self.dims]
        self.rest = tuple(x.shape[d] for d in self.kept)
        self.numbers = _row_numbers(b, [b.broadcast(i, self.shape) for i in given], self.sizes)
        neighbors = self.dims == list(range(self.dims[0], self.dims[-1] + 1))
        # Where the indices' dimensions are in the result: in place of neighbors, else in front.
        self.place = self.dims[0] if neighbors else 0

    def table(self) -> Value:
        moved = self.b.transpose(self.x, self.dims + self.kept)
        return self.b.reshape(moved, (math.prod(self.sizes), math.prod(self.rest)))

    def result_shape(self) -> tuple[int, ...]:
        return self.rest[:self.place] + self.shape + self.rest[self.place:]

    def to_result(self, rows: Value) -> Value:
        """[*indices, columns] as PyTorch's result."""
        n = len(self.shape)
        rows = self.b.reshape(rows, self.shape + self.rest)
        return self.b.transpose(rows, [*range(n, n + self.place), *range(n), *range(n + self.place, n + len(self.rest))])

    def to_rows(self, values: Value) -> Value:
        n = len(self.shape)
        values = self.b.broadcast(values, self.result_shape())
        return self.b.transpose(values, [*range(self.place, self.place + n), *range(self.place), *range(self.place + n, values.rank)])

    def from_table(self, table: Value) -> Value:
        order = self.dims + self.kept
        moved = self.b.reshape(table, [self.x.shape[d] for d in order])
        return self.b.transpose(moved, [order.index(d) for d in range(self.x.rank)])


@lower("aten.index.Tensor", "aten._unsafe_index.Tensor")
def _index(b: Builder, node: Node, x: Value, indices: Indices) -> Value:
    at = _Indexed(b, x, indices)
    return at.to_result(read_rows(b, at.table(), at.numbers))


@lower("aten.index_put.default", "aten._index_put_impl.default", "aten._unsafe_index_put.default")
def _index_put(b: Builder, node: Node, x: Value, indices: Indices, values: Value, accumulate: bool = False, *_: object) -> Value:
    if all(i is not None and i.dtype == "i1" for i in indices) and len(indices) == 1 and not accumulate and values.rank == 0:
        mask = indices[0]
        assert mask is not None
        mask = b.broadcast(b.reshape(mask, mask.shape + (1,) * (x.rank - mask.rank)), x.shape)
        return b.select(mask, b.broadcast(b.convert(values, x.dtype), x.shape), x)
    at = _Indexed(b, x, indices)
    rows = at.to_rows(b.convert(values, x.dtype))
    return at.from_table((add_rows if accumulate else write_rows)(b, at.table(), at.numbers, rows))
