# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting, the largest and smallest with their places, running sums and products, and reversals (orders.py)."""
from __future__ import annotations

import math

from torch.fx import Node

from ...builder import Builder
from ...ir import Kind, Value
from ...orders import extreme_along, order_rows, places_along, product_along, running
from ..registry import lower, value_type
from .lookup import gather, index_select

# Up to so many of the largest are found one by one, without sorting.
_FEW = 8


def _last(b: Builder, x: Value, dim: int) -> Value:
    return b.swap(x, dim, x.rank - 1)


def _sorted(b: Builder, node: Node, x: Value, dim: int, descending: bool, most: int | None = None) -> tuple[Value, Value]:
    if x.rank == 0:
        return x, b.constant(0, (), "i64")
    dim %= x.rank
    moved = _last(b, x, dim)
    n = moved.shape[-1]
    places = b.reshape(order_rows(b, b.reshape(moved, (math.prod(moved.shape[:-1]), n)), descending), moved.shape)
    places = b.slice(places, moved.rank - 1, 0, n if most is None else most)
    values = gather(b, node, moved, moved.rank - 1, places)
    return _last(b, values, dim), b.convert(_last(b, places, dim), "i64")


@lower("aten.sort.default")
def _sort(b: Builder, node: Node, x: Value, dim: int = -1, descending: bool = False) -> tuple[Value, Value]:
    return _sorted(b, node, x, dim, descending)


@lower("aten.sort.stable")
def _sort_stable(b: Builder, node: Node, x: Value, *, stable: bool | None, dim: int = -1, descending: bool = False) -> tuple[Value, Value]:
    return _sorted(b, node, x, dim, descending)


@lower("aten.topk.default")
def _topk(b: Builder, node: Node, x: Value, k: int, dim: int = -1, largest: bool = True, is_sorted: bool = True) -> tuple[Value, Value]:
    if k > _FEW or x.rank == 0 or x.dtype == "i1":
        return _sorted(b, node, x, dim, largest, k)
    dim %= x.rank
    values, places, free = [], [], b.constant(True, x.shape, "i1")
    for _ in range(k):
        # What was taken is as bad as can be, and may still be as good as what is left.
        value, place = extreme_along(b, "max" if largest else "min", x, dim, free)
        values.append(value)
        places.append(place)
        free = b.like("arith.andi", free, b.compare("ne", places_along(b, x, dim), b.broadcast(place, x.shape)))
        x = b.select(free, x, b.constant(_worst(x, largest), x.shape, x.dtype))
    return b.concat(values, dim), b.convert(b.concat(places, dim), "i64")


def _worst(x: Value, largest: bool) -> float:
    limit = math.inf if x.dtype == "f32" else 2 ** (31 if x.dtype == "i32" else 63) - 1
    return -limit if largest else limit


def _nth(b: Builder, node: Node, x: Value, n: int, dim: int, keepdim: bool) -> tuple[Value, Value]:
    if x.rank == 0:
        return x, b.constant(0, (), "i64")
    dim %= x.rank
    values, places = (b.slice(v, dim, n, 1) for v in _sorted(b, node, x, dim, descending=False))
    shape = value_type(node.meta["val"][0])[0]
    return b.reshape(values, shape), b.reshape(places, shape)


@lower("aten.kthvalue.default")
def _kthvalue(b: Builder, node: Node, x: Value, k: int, dim: int = -1, keepdim: bool = False) -> tuple[Value, Value]:
    return _nth(b, node, x, k - 1, dim, keepdim)


@lower("aten.median.dim")
def _median(b: Builder, node: Node, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
    return _nth(b, node, x, ((x.shape[dim] if x.rank else 1) - 1) // 2, dim, keepdim)


# The largest and smallest with their places: of equal ones the first.


def _with_places(name: str, kind: str) -> None:
    @lower(f"aten.{name}.dim")
    def along(b: Builder, node: Node, x: Value, dim: int, keepdim: bool = False) -> tuple[Value, Value]:
        if x.rank == 0:
            return x, b.constant(0, (), "i64")
        value, place = extreme_along(b, kind, b.convert(x, "i32") if x.dtype == "i1" else x, dim % x.rank)
        shape = value_type(node.meta["val"][0])[0]
        return b.reshape(b.convert(value, x.dtype), shape), b.reshape(b.convert(place, "i64"), shape)

    @lower(f"aten.arg{name}.default")
    def place(b: Builder, node: Node, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
        shape = value_type(node.meta["val"])[0]
        if x.rank == 0:
            return b.constant(0, shape, "i64")
        if dim is None:
            x, dim = b.reshape(x, (math.prod(x.shape),)), 0
        _, found = extreme_along(b, kind, b.convert(x, "i32") if x.dtype == "i1" else x, dim % x.rank)
        return b.reshape(b.convert(found, "i64"), shape)


_with_places("max", "max")
_with_places("min", "min")


# Running sums and products: after log2(n) steps every element has met all in front of it.


@lower("aten.cumsum.default")
def _cumsum(b: Builder, node: Node, x: Value, dim: int, **_: object) -> Value:
    x = b.convert(x, value_type(node.meta["val"])[1])
    return running(b, x, dim % x.rank, 0, b.add) if x.rank else x


@lower("aten.cumprod.default")
def _cumprod(b: Builder, node: Node, x: Value, dim: int, **_: object) -> Value:
    x = b.convert(x, value_type(node.meta["val"])[1])
    return running(b, x, dim % x.rank, 1, b.mul) if x.rank else x


@lower("aten.logcumsumexp.default")
def _logcumsumexp(b: Builder, node: Node, x: Value, dim: int) -> Value:
    def combine(x: Value, y: Value) -> Value:
        high, low = b.like(Kind.MAXIMUMF, x, y), b.like(Kind.MINIMUMF, x, y)
        # Two infinities have no difference.
        apart = b.select(b.compare("eq", x, y), b.constant(0.0, x.shape), b.sub(low, high))
        return b.add(high, b.math("log1p", b.math("exp", apart)))
    return running(b, x, dim % x.rank, -math.inf, combine) if x.rank else x


def _running_extreme(name: str, predicate: str) -> None:
    @lower(f"aten.cum{name}.default")
    def lowering(b: Builder, node: Node, x: Value, dim: int) -> tuple[Value, Value]:
        if x.rank == 0:
            return x, b.constant(0, (), "i64")
        dim %= x.rank
        dtype, x = x.dtype, b.convert(x, "i32") if x.dtype == "i1" else x
        place, distance, n = places_along(b, x, dim), 1, x.shape[dim]
        while distance < n:
            earlier, before = (b.concat([b.slice(v, dim, 0, distance), b.slice(v, dim, 0, n - distance)], dim) for v in (x, place))
            # Of equal ones the last, and the last that is no number.
            later = b.compare(predicate, x, earlier)
            later = b.like("arith.ori", later, b.compare("ne", x, x)) if x.dtype == "f32" else later
            x, place = b.select(later, x, earlier), b.select(later, place, before)
            distance *= 2
        return b.convert(x, dtype), b.convert(place, "i64")


_running_extreme("max", "ge")
_running_extreme("min", "le")


@lower("aten.prod.default", "aten.prod.dim_int")
def _prod(b: Builder, node: Node, x: Value, dim: int | None = None, keepdim: bool = False, **_: object) -> Value:
    shape, dtype = value_type(node.meta["val"])
    x = b.convert(x, dtype)
    if dim is None:
        x, dim = b.reshape(x, (math.prod(x.shape),)), 0
    return b.reshape(product_along(b, x, dim % x.rank) if x.rank else x, shape)


@lower("aten.flip.default", "prims.rev.default")
def _flip(b: Builder, node: Node, x: Value, dims: list[int]) -> Value:
    for dim in dims:
        n = x.shape[dim % x.rank]
        if n > 1:
            x = index_select(b, node, x, dim, b.sub(b.constant(n - 1, (n,), "i64"), b.iota(n, "i64")))
    return x


@lower("aten.roll.default")
def _roll(b: Builder, node: Node, x: Value, shifts: list[int], dims: list[int] = ()) -> Value:  # type: ignore[assignment]
    shape = x.shape
    if not dims:
        x, dims = b.reshape(x, (math.prod(shape),)), [0]
    for shift, dim in zip(shifts, dims, strict=True):
        dim %= x.rank
        n = x.shape[dim]
        cut = -shift % n
        x = b.concat([b.slice(x, dim, cut, n - cut), b.slice(x, dim, 0, cut)], dim) if cut else x
    return b.reshape(x, shape)
