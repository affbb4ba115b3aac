# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorts by several keys, and the largest elements with their places."""
from __future__ import annotations

import math

from ...builder import Builder
from ...ir import Value
from ...orders import extreme_along, order_rows, places_along
from ...tables import read_rows
from ..registry import Call, lower

# Up to so many of the largest are found one by one, without sorting.
_FEW = 8


def _take(b: Builder, x: Value, places: Value) -> Value:
    """Of [rows, n] the elements at places [rows, k] of each row."""
    rows, n = x.shape
    first = b.mul(b.broadcast(b.reshape(b.iota(rows), (rows, 1)), places.shape), n)
    return b.reshape(read_rows(b, b.reshape(x, (rows * n, 1)), b.add(first, places)), places.shape)


def _to_rows(b: Builder, x: Value, dim: int) -> Value:
    moved = b.swap(x, dim, x.rank - 1)
    return b.reshape(moved, (math.prod(moved.shape[:-1]), moved.shape[-1]))


def _from_rows(b: Builder, rows: Value, shape: tuple[int, ...], dim: int) -> Value:
    moved = list(shape)
    moved[dim], moved[-1] = moved[-1], rows.shape[-1]
    return b.swap(b.reshape(rows, moved), dim, len(shape) - 1)


def _key(b: Builder, x: Value) -> Value:
    """What sorts as x does, in 32 bits: words without a sign are held in 64."""
    if x.dtype != "i64":
        return x
    low, high = b.ranges.of(x)
    if -2**31 <= low and high < 2**31:
        return b.convert(x, "i32")
    if low < 0 or high >= 2**32:
        raise NotImplementedError("sorting by whole numbers of 64 bits")
    return b.convert(b.add(x, -2**31), "i32")


@lower("sort")
def _sort(call: Call, *operands: Value) -> tuple[Value, ...]:
    b, dim = call.b, call.params["dimension"]
    rows = [_to_rows(b, x, dim) for x in operands]
    keys = [_key(b, x) for x in rows[:call.params["num_keys"]]]
    order: Value | None = None
    # By the last key first: each pass keeps the order of what is equal.
    for key in reversed(keys):
        found = order_rows(b, key if order is None else _take(b, key, order), descending=False)
        order = found if order is None else _take(b, order, found)
    assert order is not None
    return tuple(_from_rows(b, _take(b, x, order), operands[0].shape, dim) for x in rows)


@lower("top_k")
def _top_k(call: Call, x: Value) -> tuple[Value, ...]:
    b, k, dim = call.b, call.params["k"], call.params.get("axis", call.params.get("dimension", -1)) % x.rank
    if x.dtype == "i64":
        raise NotImplementedError("whole numbers of 64 bits")
    if k > _FEW:
        rows = _to_rows(b, x, dim)
        order = b.slice(order_rows(b, rows, descending=True), 1, 0, k)
        return _from_rows(b, _take(b, rows, order), x.shape, dim), b.convert(_from_rows(b, order, x.shape, dim), "i32")
    values, places, free = [], [], b.constant(True, x.shape, "i1")
    worst = -math.inf if x.dtype == "f32" else -2**31
    for _ in range(k):
        value, place = extreme_along(b, "max", x, dim, free)
        values.append(value)
        places.append(place)
        free = b.like("arith.andi", free, b.compare("ne", places_along(b, x, dim), b.broadcast(place, x.shape)))
        x = b.select(free, x, b.constant(worst, x.shape, x.dtype))
    return b.concat(values, dim), b.concat(places, dim)

