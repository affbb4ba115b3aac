# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gathers and scatters of any dimension numbers, as rows of a table (tables.py).

The dimensions of the operand that indices name, and those that a batch of indices shares with it, are the rows of the
table, all others its columns. A window of several elements along an indexed dimension is as many rows. An index that
comes with the batch must be a row, which whoever feeds the step checks; a computed one outside of its dimension gives
what JAX gives: the nearest one, the fill value, or, of a scatter, nothing.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...builder import Builder
from ...ir import Kind, Value
from ...tables import add_rows, combine_rows, read_rows, strides, write_rows
from ..registry import Call, lower
from .shapes import repeat


@dataclass
class _Numbers:
    """Of a gather or scatter, by the operand's dimensions: those that are named by an index, in the order of the index;
    those shared with the batch of indices, with the dimension of that; those that updates do not have; sizes of
    windows; and which dimensions of the result (of updates) are of windows."""

    indexed: list[int]
    shared: list[int]
    shared_of_indices: list[int]
    dropped: list[int]
    window: list[int]
    offsets: list[int]


def _of_gather(call: Call) -> _Numbers:
    n = call.params["dimension_numbers"]
    return _Numbers([*n.start_index_map], [*n.operand_batching_dims], [*n.start_indices_batching_dims],
                    [*n.collapsed_slice_dims, *n.operand_batching_dims], [int(s) for s in call.params["slice_sizes"]], [*n.offset_dims])


def _of_scatter(call: Call, operand: Value, updates: Value) -> _Numbers:
    n = call.params["dimension_numbers"]
    dropped = [*n.inserted_window_dims, *n.operand_batching_dims]
    sizes = iter(updates.shape[d] for d in n.update_window_dims)
    window = [1 if d in dropped else next(sizes) for d in range(operand.rank)]
    return _Numbers([*n.scatter_dims_to_operand_dims], [*n.operand_batching_dims], [*n.scatter_indices_batching_dims], dropped, window,
                    [*n.update_window_dims])


def _from_the_end(call: Call, ids: Value) -> Value:
    """An index of the batch as it comes, without what JAX adds to negative ones."""
    op = ids.op
    if op is not None and op.name in (Kind.RESHAPE, Kind.TRANSPOSE, Kind.EXTRACT_SLICE):
        inner = _from_the_end(call, op.operands[0])
        if inner is not op.operands[0]:
            return call.b.op(op.name, [inner], [(ids.shape, ids.dtype)], **op.attrs).result
        return ids
    if op is None or op.name != Kind.SELECT or not call.from_batch(op.operands[2]):
        return ids
    condition = op.operands[0].op
    is_sign = condition is not None and condition.name == Kind.CMPI and condition.operands[0] is op.operands[2]
    return op.operands[2] if is_sign else ids


class _Rows:
    """A table of an operand, and the numbers of the rows that an index picks: [*batch, *window]."""

    def __init__(self, call: Call, operand: Value, indices: Value, n: _Numbers) -> None:
        self.b = call.b
        self.operand, self.n = operand, n
        self.batch = indices.shape[:-1]
        self.rows_of = sorted([*n.shared, *n.indexed])
        self.kept = [d for d in range(operand.rank) if d not in self.rows_of]
        self.wide = [d for d in n.indexed if n.window[d] > 1]
        self.cut = [n.window[d] for d in self.kept]
        self.shape = (*self.batch, *(n.window[d] for d in self.wide))
        self.sizes = [operand.shape[d] for d in self.rows_of]
        mode = str(call.params["mode"])
        self.clips = mode.endswith("CLIP") or mode.endswith("1")
        self.outside: Value | None = None
        self.numbers = self._numbers(call, indices)

    def _numbers(self, call: Call, indices: Value) -> Value:
        b, n = self.b, self.n
        # Shifted by dimensions of windows behind those of the batch.
        number: Value | None = None
        for d, stride in zip(self.rows_of, strides(self.sizes), strict=True):
            if d in n.shared:
                axis = n.shared_of_indices[n.shared.index(d)]
                place = repeat(b, b.iota(self.operand.shape[d]), self.shape, [axis])
            else:
                position = n.indexed.index(d)
                ids = b.reshape(b.slice(indices, indices.rank - 1, position, 1), self.batch)
                place = repeat(b, self._within(call, ids, d), self.shape, list(range(len(self.batch))))
                if d in self.wide:
                    offset = repeat(b, b.iota(n.window[d], place.dtype), self.shape, [len(self.batch) + self.wide.index(d)])
                    place = b.add(place, offset)
            place = b.convert(place, "i32") if math.prod(self.sizes) < 2**31 else b.convert(place, "i64")
            scaled = b.mul(place, stride) if stride != 1 else place
            number = scaled if number is None else b.add(number, scaled)
        return number if number is not None else b.constant(0, self.shape, "i32")

    def _within(self, call: Call, ids: Value, d: int) -> Value:
        """Indices inside of their dimension; where the others were, if that counts, is noted."""
        b, most = self.b, self.operand.shape[d] - self.n.window[d]
        raw = _from_the_end(call, ids)
        if call.from_batch(raw) and not self.clips:
            return raw
        low, high = b.ranges.of(ids)
        if low >= 0 and high <= most:
            return ids
        least, limit = b.constant(0, ids.shape, ids.dtype), b.constant(most, ids.shape, ids.dtype)
        if not self.clips:
            is_outside = b.like("arith.ori", b.compare("lt", ids, least), b.compare("gt", ids, limit))
            is_outside = repeat(b, is_outside, self.shape, list(range(len(self.batch))))
            self.outside = is_outside if self.outside is None else b.like("arith.ori", self.outside, is_outside)
        return b.like(Kind.MINSI, b.like(Kind.MAXSI, ids, least), limit)

    def table(self, of: Value) -> Value:
        """Of an array like the operand."""
        for d, size in zip(self.kept, self.cut, strict=True):
            of = self.b.slice(of, d, 0, size)
        moved = self.b.transpose(of, [*self.rows_of, *self.kept])
        return self.b.reshape(moved, (math.prod(self.sizes), math.prod(self.cut)))

    def from_table(self, table: Value) -> Value:
        order = [*self.rows_of, *self.kept]
        moved = self.b.reshape(table, [self.operand.shape[d] for d in order])
        return self.b.transpose(moved, [order.index(d) for d in range(self.operand.rank)])

    def _order(self, rank: int) -> list[int | None]:
        """For each dimension of the result (of updates), which one of [*batch, *window, *kept] it is; None: one
        element."""
        operand_dims = iter(d for d in range(self.operand.rank) if d not in self.n.dropped)
        batch = iter(range(len(self.batch)))
        order: list[int | None] = []
        for position in range(rank):
            if position not in self.n.offsets:
                order.append(next(batch))
                continue
            d = next(operand_dims)
            if d in self.wide:
                order.append(len(self.batch) + self.wide.index(d))
            elif d in self.kept:
                order.append(len(self.shape) + self.kept.index(d))
            else:
                order.append(None)
        return order

    def to_result(self, rows: Value, shape: tuple[int, ...]) -> Value:
        order = [d for d in self._order(len(shape)) if d is not None]
        whole = self.b.reshape(rows, (*self.shape, *self.cut))
        return self.b.reshape(self.b.transpose(whole, order), shape)

    def to_rows(self, updates: Value) -> Value:
        """[*batch, *window, columns]"""
        order = self._order(updates.rank)
        present = [d for d in order if d is not None]
        squeezed = self.b.reshape(updates, [n for n, d in zip(updates.shape, order, strict=True) if d is not None])
        moved = self.b.transpose(squeezed, [present.index(d) for d in range(len(present))])
        return self.b.reshape(moved, (*self.shape, math.prod(self.cut)))


def _is_in_each_row(n: _Numbers, operand: Value, indices: Value) -> bool:
    """Whether one element of the last dimension is picked in each row of all others, as for the logit of a label."""
    last = operand.rank - 1
    return n.indexed == [last] and n.window[last] == 1 and n.shared == list(range(last)) and indices.shape[:-1] == (
        *operand.shape[:last], *(1 for _ in range(indices.rank - 1 - last))) and n.shared_of_indices == list(range(last))


def _hits(call: Call, operand: Value, indices: Value) -> Value:
    """Which elements of each row the index names: none where it is outside, but for one that counts from the end."""
    b, rows = call.b, operand.shape[:-1]
    ids = repeat(b, b.reshape(indices, rows), operand.shape, list(range(len(rows))))
    columns = repeat(b, b.iota(operand.shape[-1], indices.dtype), operand.shape, [len(rows)])
    return b.compare("eq", ids, columns)


def _known_window(call: Call, n: _Numbers, operand: Value, of_indices: int) -> list[int] | None:
    """Where the one window that known indices name begins in each dimension."""
    numbers = call.known(of_indices)
    if numbers is None or math.prod(numbers.shape[:-1]) != 1 or n.shared:
        return None
    starts = [0] * operand.rank
    for d, start in zip(n.indexed, numbers.reshape(-1).tolist(), strict=True):
        starts[d] = int(start)
    if any(start < 0 or start + size > whole for start, size, whole in zip(starts, n.window, operand.shape, strict=True)):
        if not str(call.params["mode"]).endswith("CLIP"):
            raise NotImplementedError(f"a window from {starts} of {n.window} elements, which is not inside of {list(operand.shape)}")
        starts = [int(np.clip(start, 0, whole - size)) for start, size, whole in zip(starts, n.window, operand.shape, strict=True)]
    return starts


@lower("gather")
def _gather(call: Call, operand: Value, indices: Value) -> Value:
    b, n = call.b, _of_gather(call)
    starts = _known_window(call, n, operand, 1)
    if starts is not None:
        for d, start in enumerate(starts):
            operand = b.slice(operand, d, start, n.window[d])
        return b.reshape(operand, call.shape)
    if operand.rank and operand.shape[-1] == 1 and _is_in_each_row(n, operand, indices) and call.from_batch(indices):
        return b.reshape(operand, call.shape)
    if _is_in_each_row(n, operand, indices) and operand.dtype == "f32" and str(call.params["mode"]).split(".")[-1] != "CLIP":
        picked = b.select(_hits(call, operand, indices), operand, b.constant(0, operand.shape, operand.dtype))
        return b.reshape(b.reduce("sum", picked, [operand.rank - 1]), call.shape)
    rows = _Rows(call, operand, indices, n)
    table = rows.table(operand)
    if table is operand and operand.dtype == "f32" and call.from_batch(rows.numbers):
        read = b.op(Kind.EMBEDDING, [table, rows.numbers], [((*rows.shape, table.shape[1]), "f32")]).result
    else:
        read = read_rows(b, table, rows.numbers)
    if rows.outside is not None:
        fill = call.params["fill_value"]
        fill = (math.nan if operand.dtype == "f32" else 0) if fill is None else fill
        filled = b.constant(float(fill) if operand.dtype == "f32" else int(fill), read.shape, operand.dtype)
        read = b.select(repeat(b, rows.outside, read.shape, list(range(len(rows.shape)))), filled, read)
    return rows.to_result(read, call.shape)


def _insert(b: Builder, operand: Value, updates: Value, starts: Sequence[int], window: Sequence[int], dim: int,
            combine: Callable[[Value, Value], Value]) -> Value:
    """The operand with a window combined with updates of the window's shape, dimension by dimension."""
    if dim == operand.rank:
        return combine(operand, updates)
    start, size, whole = starts[dim], window[dim], operand.shape[dim]
    inside = _insert(b, b.slice(operand, dim, start, size), updates, starts, window, dim + 1, combine)
    pieces = [b.slice(operand, dim, 0, start)] if start else []
    pieces += [inside] + ([b.slice(operand, dim, start + size, whole - start - size)] if start + size < whole else [])
    return b.concat(pieces, dim)


_COMBINE: dict[str, Callable[[Builder, Value, Value], Value]] = {
    "scatter": lambda b, x, y: y,
    "scatter-add": lambda b, x, y: b.add(x, y) if x.dtype != "i1" else b.like("arith.ori", x, y),
    "scatter-sub": lambda b, x, y: b.sub(x, y),
    "scatter-mul": lambda b, x, y: b.mul(x, y),
    "scatter_mul": lambda b, x, y: b.mul(x, y),
    "scatter-min": lambda b, x, y: b.like(Kind.MINIMUMF if x.dtype == "f32" else Kind.MINSI, x, y),
    "scatter-max": lambda b, x, y: b.like(Kind.MAXIMUMF if x.dtype == "f32" else Kind.MAXSI, x, y),
    "scatter_min": lambda b, x, y: b.like(Kind.MINIMUMF if x.dtype == "f32" else Kind.MINSI, x, y),
    "scatter_max": lambda b, x, y: b.like(Kind.MAXIMUMF if x.dtype == "f32" else Kind.MAXSI, x, y),
}


@lower(*_COMBINE)
def _scatter(call: Call, operand: Value, indices: Value, updates: Value) -> Value:
    b, n = call.b, _of_scatter(call, operand, updates)
    combine = _COMBINE[call.name]
    starts = _known_window(call, n, operand, 1)
    if starts is not None:
        return _insert(b, operand, b.reshape(updates, n.window), starts, n.window, 0, lambda x, y: combine(b, x, y))
    if _is_in_each_row(n, operand, indices) and call.name in ("scatter", "scatter-add"):
        wide = repeat(b, b.reshape(updates, operand.shape[:-1]), operand.shape, list(range(operand.rank - 1)))
        other = operand if call.name == "scatter" or call.is_zero(0) else None
        hits = _hits(call, operand, indices)
        return b.select(hits, wide, other) if other is not None else b.add(operand, b.select(hits, wide, b.constant(0, operand.shape, operand.dtype)))
    rows = _Rows(call, operand, indices, n)
    if rows.cut != [operand.shape[d] for d in rows.kept]:
        raise NotImplementedError("updates of a part of a dimension that no index names")
    table, numbers, new = rows.table(operand), rows.numbers, rows.to_rows(updates)
    if call.name == "scatter-sub":
        combine, new = _COMBINE["scatter-add"], b.neg(new)
    if call.name in ("scatter-add", "scatter-sub") and call.is_zero(0) and table is operand and operand.dtype == "f32" and call.from_batch(numbers):
        return b.op(Kind.EMBEDDING_GRAD, [new, numbers], [(table.shape, "f32")]).result
    # What is outside goes to a row behind the last one, which is cut off again.
    count = table.shape[0]
    if rows.outside is not None:
        numbers = b.select(rows.outside, b.constant(count, numbers.shape, numbers.dtype), numbers)
        table = b.pad(table, 0, 0, 1, 0)
    flat = b.reshape(numbers, (math.prod(numbers.shape),))
    listed = b.reshape(new, (flat.shape[0], table.shape[1]))
    if call.name == "scatter":
        made = write_rows(b, table, flat, listed)
    elif call.name in ("scatter-add", "scatter-sub"):
        made = add_rows(b, table, flat, listed)
    else:
        named = write_rows(b, b.constant(0, table.shape, "i32"), flat, b.constant(1, listed.shape, "i32"))
        is_named = b.compare("gt", named, b.constant(0, named.shape, "i32"))
        both = combine(b, table, combine_rows(b, table, flat, listed, lambda x, y: combine(b, x, y)))
        made = b.select(is_named, both, table)
    return rows.from_table(b.slice(made, 0, 0, count))


# Windows whose start is one index


def _starts(call: Call, first: int, shape: Sequence[int], window: Sequence[int]) -> list[int] | None:
    numbers = [call.known(i) for i in range(first, first + len(shape))]
    if any(x is None for x in numbers):
        return None
    return [int(np.clip(int(x), 0, whole - size)) for x, whole, size in zip(numbers, shape, window, strict=True) if x is not None]


def _clamped(call: Call, starts: Sequence[Value], shape: Sequence[int], window: Sequence[int]) -> list[tuple[int, Value]]:
    """Of each dimension that is not read whole, its start."""
    b, found = call.b, []
    for d, (start, whole, size) in enumerate(zip(starts, shape, window, strict=True)):
        if size != whole:
            start = b.convert(start, "i32")
            start = b.like(Kind.MINSI, b.like(Kind.MAXSI, start, b.constant(0, (), "i32")), b.constant(whole - size, (), "i32"))
            found.append((d, start))
    return found


def _places(b: Builder, start: Value, size: int) -> Value:
    return b.add(repeat(b, start, (size,), []), b.iota(size))


@lower("dynamic_slice")
def _dynamic_slice(call: Call, operand: Value, *starts: Value) -> Value:
    b, window = call.b, [int(s) for s in call.params["slice_sizes"]]
    known = _starts(call, 1, operand.shape, window)
    if known is not None:
        for d, start in enumerate(known):
            operand = b.slice(operand, d, start, window[d])
        return operand
    for d, first in _clamped(call, starts, operand.shape, window):
        front = [d, *(i for i in range(operand.rank) if i != d)]
        moved = b.transpose(operand, front)
        table = b.reshape(moved, (moved.shape[0], math.prod(moved.shape[1:])))
        rows = b.reshape(read_rows(b, table, _places(b, first, window[d])), (window[d], *moved.shape[1:]))
        operand = b.transpose(rows, [front.index(i) for i in range(operand.rank)])
    return operand


@lower("dynamic_update_slice")
def _dynamic_update_slice(call: Call, operand: Value, updates: Value, *starts: Value) -> Value:
    b, window = call.b, list(updates.shape)
    known = _starts(call, 2, operand.shape, window)
    if known is not None:
        return _insert(b, operand, updates, known, window, 0, lambda x, y: y)
    # Each place reads the update that lies there, or stays.
    inside: Value | None = None
    for d, first in _clamped(call, starts, operand.shape, window):
        whole, size = operand.shape[d], window[d]
        place = b.sub(b.iota(whole), repeat(b, first, (whole,), []))
        least, most = b.constant(0, (whole,), "i32"), b.constant(size - 1, (whole,), "i32")
        is_inside = b.like("arith.andi", b.compare("ge", place, least), b.compare("le", place, most))
        is_inside = repeat(b, is_inside, operand.shape, [d])
        inside = is_inside if inside is None else b.like("arith.andi", inside, is_inside)
        place = b.like(Kind.MINSI, b.like(Kind.MAXSI, place, least), most)
        front = [d, *(i for i in range(updates.rank) if i != d)]
        moved = b.transpose(updates, front)
        rows = read_rows(b, b.reshape(moved, (size, math.prod(moved.shape[1:]))), place)
        updates = b.transpose(b.reshape(rows, (whole, *moved.shape[1:])), [front.index(i) for i in range(updates.rank)])
    return updates if inside is None else b.select(inside, updates, operand)

