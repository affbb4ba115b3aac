# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Orders elements, finds the largest and smallest with their places, and runs sums and products, for importers of every
framework.

Whole numbers are sorted by two stable passes of 16 bits each, the lower ones first, over all rows at once, and a third
one by row. Of numbers that are known to be small, such as those of experts, the lower pass is enough. A float is the
whole number of its bits, where those of negative numbers are turned around.
"""
from __future__ import annotations

from collections.abc import Callable

from .builder import Builder
from .ir import Kind, Value


def _keys(b: Builder, x: Value) -> Value:
    """i32 in the order of x; NaN is the largest, as PyTorch has it."""
    if x.dtype != "f32":
        return b.convert(x, "i32")
    # -0.0 is 0.0.
    bits = b.op(Kind.BITCAST, [b.add(x, 0.0)], [(x.shape, "i32")]).result
    sign = b.like(Kind.SHRSI, bits, b.constant(31, x.shape, "i32"))
    key = b.like("arith.xori", bits, b.like("arith.andi", sign, b.constant(2**31 - 1, x.shape, "i32")))
    return b.select(b.compare("eq", x, x), key, b.constant(2**31 - 1, x.shape, "i32"))


def order_rows(b: Builder, x: Value, descending: bool) -> Value:
    """For every row of [rows, n] the places of its elements in order, [rows, n]; equal ones stay as they are."""
    rows, n = x.shape
    count = rows * n
    key = b.reshape(_keys(b, x), (count,))
    least, most = b.ranges.of(key)
    is_small = not descending and least >= 0 and most < 1 << 16
    if descending:
        key = b.like("arith.xori", key, b.constant(-1, (count,), "i32"))
    row = b.reshape(b.broadcast(b.reshape(b.iota(rows), (rows, 1)), (rows, n)), (count,))
    passes = [(row, rows)] if rows > 1 else []
    if is_small:
        passes = [(key, most + 1), *passes]
    else:
        low = b.like("arith.andi", key, b.constant(0xFFFF, (count,), "i32"))
        high = b.add(b.like(Kind.SHRSI, key, b.constant(16, (count,), "i32")), 1 << 15)
        passes = [(low, 1 << 16), (high, 1 << 16), *passes]
    places: Value | None = None
    for digits, bound in passes:
        digits = digits if places is None else _pick(b, digits, places)
        by_digit = b.op(Kind.SORT_IDS, [digits], [((2, count), "i32")], bound=bound).result
        order = b.reshape(b.slice(by_digit, 0, 1, 1), (count,))
        places = order if places is None else _pick(b, places, order)
    assert places is not None
    if rows == 1:
        b.permutations.setdefault(places, None)
        return b.reshape(places, (rows, n))
    first = b.mul(b.broadcast(b.reshape(b.iota(rows), (rows, 1)), (rows, n)), n)
    return b.sub(b.reshape(places, (rows, n)), first)


def _pick(b: Builder, x: Value, places: Value) -> Value:
    count = x.shape[0]
    return b.reshape(b.op(Kind.GATHER, [b.reshape(x, (count, 1)), places], [((count, 1), x.dtype)]).result, (count,))


def places_along(b: Builder, x: Value, dim: int) -> Value:
    return b.broadcast(b.reshape(b.iota(x.shape[dim]), [x.shape[dim] if d == dim else 1 for d in range(x.rank)]), x.shape)


def extreme_along(b: Builder, kind: str, x: Value, dim: int, free: Value | None = None) -> tuple[Value, Value]:
    """Both with dim of size 1; the places are i32. `free`: which elements may be it."""
    extreme = b.reduce(kind, x, [dim], keepdim=True)
    none = b.constant(x.shape[dim] - 1, x.shape, "i32")
    is_it = b.compare("eq", x, b.broadcast(extreme, x.shape))
    found = b.select(is_it if free is None else b.like("arith.andi", is_it, free), places_along(b, x, dim), none)
    return extreme, b.reduce("min", found, [dim], keepdim=True)


# Running sums and products: after log2(n) steps every element has met all in front of it.


def running(b: Builder, x: Value, dim: int, neutral: float, combine: Callable[[Value, Value], Value]) -> Value:
    distance, n = 1, x.shape[dim]
    while distance < n:
        x = combine(x, b.pad(b.slice(x, dim, 0, n - distance), dim, distance, 0, neutral))
        distance *= 2
    return x


def product_along(b: Builder, x: Value, dim: int) -> Value:
    while x.shape[dim] > 1:
        half = -(-x.shape[dim] // 2)
        x = b.mul(b.slice(x, dim, 0, half), b.pad(b.slice(x, dim, half, x.shape[dim] - half), dim, 0, 2 * half - x.shape[dim], 1))
    return x
