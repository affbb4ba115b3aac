# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads, adds to and writes rows of a table at computed places: what gathers, scatters and indexing of any framework
are
made of.

Reading is a `gather` of rows and adding a `scatter_add`, whose sums have one order. Writing sorts the numbers of rows,
finds for every row the last position that writes it, and reads the written rows from there: every dtype keeps its bits,
and of several writes of one row the last one counts. What is neither a sum of floats nor a write meets the others that
name its row in the sorted order.

Where each row is named once, as by the places of a sorted line, writes and sums are reads by the inverse of that
permutation, which sorting the permutation gives.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .builder import Builder
from .ir import Kind, Value
from .ranges import is_whole


def strides(shape: Sequence[int]) -> list[int]:
    return [math.prod(shape[d + 1:]) for d in range(len(shape))]


def both(b: Builder, x: Value | None, y: Value) -> Value:
    return y if x is None else b.like("arith.andi", x, y)


def permutation(b: Builder, numbers: Value, count: int) -> Value | None:
    """The value that is known to name each of `count` rows once, and has the elements of `numbers` in their order."""
    value: Value | None = numbers
    while value is not None and math.prod(value.shape) == count:
        if value in b.permutations:
            return value
        value = value.op.operands[0] if value.op is not None and value.op.name in (Kind.RESHAPE, Kind.EXTSI, Kind.TRUNCI) else None
    return None


def _divided(b: Builder, numbers: Value, count: int) -> tuple[int, Value | None]:
    """How often `numbers` name each row, and the permutation that they are divided by so many: the rows of tokens that
    each have several places."""
    order = permutation(b, numbers, count)
    if order is not None:
        return 1, order
    value = numbers
    while value.op is not None and value.op.name in (Kind.RESHAPE, Kind.EXTSI, Kind.TRUNCI):
        value = value.op.operands[0]
    if value.op is None or value.op.name != Kind.DIVSI or value.op.operands[1].op is None or value.op.operands[1].op.name != Kind.CONSTANT:
        return 1, None
    each = value.op.operands[1].op.attrs["value"]
    return each, permutation(b, value.op.operands[0], count * each) if math.prod(numbers.shape) == count * each else None


def inverse(b: Builder, order: Value) -> Value:
    """The inverse [length] of one of the builder's permutations."""
    found = b.permutations[order]
    if found is None:
        found = Sorted(b, math.prod(order.shape), order).position
        b.permutations[order], b.permutations[found] = found, order
    return found


def read_rows(b: Builder, table: Value, numbers: Value) -> Value:
    """Rows of a matrix: [*numbers, columns]. What a permutation reads was weighted, or permuted by its inverse, for
    this
    alone: it is read as it was before, and weighted here, so that no matrix of weighted rows lies in memory."""
    order = permutation(b, numbers, table.shape[0]) if b.permutations else None
    if order is not None:
        return b.reshape(_permuted(b, table, order), numbers.shape + table.shape[1:])
    return _read(b, table, numbers)


def _permuted(b: Builder, table: Value, order: Value) -> Value:
    op = table.op
    if op is not None and op.name == Kind.MULF:
        scales = [v for v in op.operands if v.op is not None and v.op.name == Kind.BROADCAST and v.op.attrs["dims"] == [0]]
        if len(scales) == 1 and table.rank == 2:
            scale = b.reshape(scales[0].op.operands[0], (table.shape[0], 1))  # type: ignore[union-attr]
            scale = b.broadcast(_permuted(b, scale, order), table.shape)
            return b.op(Kind.MULF, [scale if v is scales[0] else _permuted(b, v, order) for v in op.operands], [(table.shape, table.dtype)]).result
    if op is not None and op.name == Kind.RESHAPE and table.shape[0] == op.operands[0].shape[0] and op.operands[0].rank == 2:
        return b.reshape(_permuted(b, op.operands[0], order), table.shape)
    if op is not None and op.name == Kind.RESHAPE and op.operands[0].op is not None and op.operands[0].op.name == Kind.RESHAPE:
        return _permuted(b, b.reshape(op.operands[0].op.operands[0], table.shape), order)
    if op is not None and op.name == Kind.GATHER and op.operands[0].shape == table.shape:
        before = permutation(b, op.operands[1], table.shape[0])
        if before is not None and b.permutations[before] is order:
            return op.operands[0]
    return _read(b, table, order)


def _read(b: Builder, table: Value, numbers: Value) -> Value:
    return b.op(Kind.GATHER, [table, numbers], [(numbers.shape + table.shape[1:], table.dtype)]).result


def add_rows(b: Builder, table: Value, numbers: Value, rows: Value) -> Value:
    """The matrix with `rows` [*numbers, columns] added to those that `numbers` name."""
    flat = b.reshape(numbers, (math.prod(numbers.shape),))
    rows = b.reshape(rows, (flat.shape[0], table.shape[1]))
    if table.dtype == "i1":
        # A sum of bools is whether any is true.
        added = combine_rows(b, b.constant(0, table.shape, "i32"), flat, b.convert(rows, "i32"), lambda x, y: b.like(Kind.MAXSI, x, y))
        return b.like("arith.ori", table, b.convert(added, "i1"))
    if is_whole(table.dtype):
        return b.add(table, combine_rows(b, b.constant(0, table.shape, table.dtype), flat, rows, b.add))
    each, order = _divided(b, flat, table.shape[0])
    if order is not None:
        found = read_rows(b, rows, inverse(b, order))
        if each > 1:
            found = b.reduce("sum", b.reshape(found, (table.shape[0], each, table.shape[1])), [1])
        return b.add(table, found)
    return b.op(Kind.SCATTER_ADD, [table, flat, rows], [(table.shape, table.dtype)]).result


class Sorted:
    """Positions by the row that they name: `row` and `position` [length], whole numbers all along, since a float of
    fewer bits would round them."""

    def __init__(self, b: Builder, count: int, numbers: Value) -> None:
        self.b, self.count, self.length = b, count, math.prod(numbers.shape)
        flat = b.reshape(numbers, (self.length,))
        by_row = b.op(Kind.SORT_IDS, [flat], [((2, self.length), "i32")], bound=count).result
        self.row, self.position = (b.reshape(b.slice(by_row, 0, i, 1), (self.length,)) for i in (0, 1))

    def _pick(self, values: Value, places: Value) -> Value:
        return self.b.reshape(read_rows(self.b, self.b.reshape(values, (self.length, 1)), places), places.shape)

    def up_to(self, row: Value, inclusive: bool) -> Value:
        """How many positions name a row below each of `row`, or that row itself as well: by halving."""
        b, n = self.b, self.length
        low, high = b.constant(0, row.shape, "i32"), b.constant(n, row.shape, "i32")
        for _ in range(n.bit_length()):
            middle = b.like(Kind.SHRSI, b.add(low, high), b.constant(1, row.shape, "i32"))
            found = self._pick(self.row, b.like(Kind.MINSI, middle, b.constant(n - 1, row.shape, "i32")))
            is_below = b.like("arith.andi", b.compare("lt", low, high), b.compare("le" if inclusive else "lt", found, row))
            low, high = b.select(is_below, b.add(middle, 1), low), b.select(is_below, high, middle)
        return low

    def counts(self) -> Value:
        """How many positions name each row, i32."""
        rows = self.b.iota(self.count)
        return self.b.sub(self.up_to(rows, inclusive=True), self.up_to(rows, inclusive=False))

    def write(self, table: Value, rows: Value, places: Value) -> Value:
        """The table with those of `rows` that `places` [length] of each row's last position name."""
        b, row = self.b, self.b.iota(self.count)
        behind = b.sub(self.up_to(row, inclusive=True), 1)
        last = b.like(Kind.MINSI, b.like(Kind.MAXSI, behind, b.constant(0, behind.shape, "i32")), b.constant(self.length - 1, behind.shape, "i32"))
        is_written = b.compare("eq", self._pick(self.row, last), row)
        written = read_rows(b, rows, self._pick(places, last))
        return b.select(b.broadcast(b.reshape(is_written, (self.count, 1)), table.shape), written, table)


def write_rows(b: Builder, table: Value, numbers: Value, rows: Value) -> Value:
    """The matrix with `rows` instead of those that `numbers` name, the last of several."""
    rows = b.reshape(rows, (math.prod(numbers.shape), table.shape[1]))
    order = permutation(b, numbers, table.shape[0])
    if order is not None:
        found = inverse(b, order)
        return b.reshape(b.convert(found, table.dtype), table.shape) if _counts(rows) else read_rows(b, rows, found)
    by_row = Sorted(b, table.shape[0], numbers)
    return by_row.write(table, rows, by_row.position)


def _counts(x: Value) -> bool:
    """Whether the elements are 0, 1, ..."""
    while x.op is not None and x.op.name in (Kind.RESHAPE, Kind.EXTSI, Kind.TRUNCI):
        x = x.op.operands[0]
    return x.op is not None and x.op.name == Kind.IOTA


def combine_rows(b: Builder, table: Value, numbers: Value, rows: Value, combine: Callable[[Value, Value], Value]) -> Value:
    """The matrix with all of `rows` that name one of its rows, combined, instead of that. Sorted by row, each position
    meets after log2(length) steps all in front of it that name the same."""
    by_row = Sorted(b, table.shape[0], numbers)
    length, columns = by_row.length, table.shape[1]
    rows = read_rows(b, b.reshape(rows, (length, columns)), by_row.position)
    distance = 1
    while distance < length:
        before = b.pad(b.slice(by_row.row, 0, 0, length - distance), 0, distance, 0, -1)
        same = b.broadcast(b.reshape(b.compare("eq", by_row.row, before), (length, 1)), rows.shape)
        rows = b.select(same, combine(rows, b.pad(b.slice(rows, 0, 0, length - distance), 0, distance, 0, 0)), rows)
        distance *= 2
    return by_row.write(table, rows, b.iota(length))


def frequencies(b: Builder, numbers: Value, count: int) -> Value:
    """Of each number, below `count`, how many are the same, i32."""
    counts = Sorted(b, count, numbers).counts()
    return b.reshape(read_rows(b, b.reshape(counts, (count, 1)), numbers), numbers.shape)
