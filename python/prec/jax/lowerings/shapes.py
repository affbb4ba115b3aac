# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives that move elements, and reductions."""
from __future__ import annotations

import math
from collections.abc import Iterable

from ...builder import Builder
from ...ir import Kind, Value
from ...orders import extreme_along, product_along, running
from ..registry import Call, lower


@lower("reshape", "squeeze", "expand_dims")
def _reshape(call: Call, x: Value, *_: Value) -> Value:
    order = call.params.get("dimensions") if "new_sizes" in call.params else None
    x = x if order is None else call.b.transpose(x, [int(d) for d in order])
    return call.b.reshape(x, call.shape)


@lower("transpose")
def _transpose(call: Call, x: Value) -> Value:
    return call.b.transpose(x, [int(p) for p in call.params["permutation"]])


@lower("broadcast_in_dim")
def _broadcast_in_dim(call: Call, x: Value, *_: Value) -> Value:
    return repeat(call.b, x, call.shape, [int(d) for d in call.params["broadcast_dimensions"]])


def repeat(b: Builder, x: Value, shape: tuple[int, ...], dims: list[int]) -> Value:
    """x whose dimension i is dimension dims[i] of the shape, repeated along the others."""
    if x.op is not None and x.op.name == Kind.CONSTANT:
        return b.constant(x.op.attrs["value"], shape, x.dtype)
    if math.prod(x.shape) == math.prod(shape):
        return b.reshape(x, shape)
    kept = [i for i, d in enumerate(dims) if x.shape[i] == shape[d] and x.shape[i] != 1]
    few = b.reshape(x, [x.shape[i] for i in kept])
    return b.op(Kind.BROADCAST, [few], [(shape, x.dtype)], dims=[dims[i] for i in kept]).result


@lower("iota")
def _iota(call: Call, *_: Value) -> Value:
    b, shape, dim = call.b, call.shape, call.params["dimension"]
    count = b.iota(shape[dim], "i64" if call.dtype == "i64" else "i32")
    return repeat(b, b.convert(count, call.dtype), shape, [dim])


@lower("slice")
def _slice(call: Call, x: Value) -> Value:
    strides = call.params["strides"] or (1,) * x.rank
    for d, (start, limit, step) in enumerate(zip(call.params["start_indices"], call.params["limit_indices"], strides, strict=True)):
        x = call.b.slice(x, d, start, -(-(limit - start) // step), step)
    return x


@lower("split")
def _split(call: Call, x: Value) -> tuple[Value, ...]:
    parts, start = [], 0
    for size in call.params["sizes"]:
        parts.append(call.b.slice(x, call.params["axis"], start, size))
        start += size
    return tuple(parts)


@lower("concatenate")
def _concatenate(call: Call, *x: Value) -> Value:
    return call.b.concat(x, call.params["dimension"])


@lower("stack")
def _stack(call: Call, *x: Value) -> Value:
    axis = call.params["axis"]
    return call.b.concat([call.b.reshape(v, (*v.shape[:axis], 1, *v.shape[axis:])) for v in x], axis)


@lower("unstack")
def _unstack(call: Call, x: Value) -> tuple[Value, ...]:
    axis = call.params["axis"]
    return tuple(call.b.reshape(call.b.slice(x, axis, i, 1), shape) for i, shape in enumerate(call.shapes))


@lower("tile")
def _tile(call: Call, x: Value) -> Value:
    for d, count in enumerate(call.params["reps"]):
        x = call.b.concat([x] * count, d)
    return x


@lower("pad")
def _pad(call: Call, x: Value, filled: Value) -> Value:
    number = call.known(1)
    for d, (low, high, inner) in enumerate(call.params["padding_config"]):
        if number is None and (low > 0 or high > 0 or inner):
            raise NotImplementedError("padding with a number that is not known")
        value = 0.0 if number is None else number.item()
        x = spread(call.b, x, d, inner, value)
        x = call.b.pad(x, d, low, high, value)
    return x


def spread(b: Builder, x: Value, dim: int, between: int, value: float) -> Value:
    """x with so many numbers between neighbors along a dimension."""
    if not between or x.shape[dim] == 1:
        return x
    n = x.shape[dim]
    x = b.pad(b.reshape(x, (*x.shape[:dim + 1], 1, *x.shape[dim + 1:])), dim + 1, 0, between, value)
    x = b.reshape(x, (*x.shape[:dim], n * (between + 1), *x.shape[dim + 2:]))
    return b.slice(x, dim, 0, n * (between + 1) - between)


@lower("rev")
def _rev(call: Call, x: Value) -> Value:
    return reverse(call.b, x, call.params["dimensions"])


def reverse(b: Builder, x: Value, dims: Iterable[int]) -> Value:
    """x turned around; twice is x."""
    source, before = b.reversed.get(x, (x, frozenset()))
    turned = before ^ {d for d in dims if x.shape[d] > 1}
    made = source
    for dim in sorted(turned):
        n = made.shape[dim]
        front = [dim, *(d for d in range(made.rank) if d != dim)]
        rows = b.reshape(b.transpose(made, front), (n, math.prod(made.shape) // n))
        places = b.sub(b.constant(n - 1, (n,), "i32"), b.iota(n))
        rows = b.op(Kind.GATHER, [rows, places], [(rows.shape, made.dtype)]).result
        made = b.transpose(b.reshape(rows, [made.shape[d] for d in front]), [front.index(d) for d in range(made.rank)])
    if turned:
        b.reversed[made] = source, frozenset(turned)
    return made


# Reductions


@lower("reduce_sum")
def _reduce_sum(call: Call, x: Value) -> Value:
    return call.b.reduce("sum", x, call.params["axes"])


def _reduction(primitive: str, kind: str) -> None:
    @lower(primitive)
    def lowering(call: Call, x: Value) -> Value:
        b = call.b
        wide = b.convert(x, "i32") if x.dtype == "i1" else x
        return b.convert(b.reduce(kind, wide, call.params["axes"]), x.dtype)


for _primitive, _kind in (("reduce_max", "max"), ("reduce_min", "min"), ("reduce_or", "max"), ("reduce_and", "min")):
    _reduction(_primitive, _kind)


def _over_vmap(primitive: str, kind: str) -> None:
    """Reductions over an axis that vmap names, which are left with the dimensions that it made of them."""
    @lower(primitive)
    def lowering(call: Call, *x: Value) -> tuple[Value, ...]:
        axes = call.params["axes"]
        if call.params.get("axis_index_groups") is not None or not all(isinstance(axis, int) for axis in axes):
            raise NotImplementedError("over devices: compile the step of one, of which prec-compile --mesh= makes several ranks")
        return tuple(call.b.reduce(kind, v, axes) if axes else v for v in x)


for _primitive, _kind in (("psum", "sum"), ("psum_invariant", "sum"), ("pmax", "max"), ("pmin", "min")):
    _over_vmap(_primitive, _kind)


@lower("reduce_prod")
def _reduce_prod(call: Call, x: Value) -> Value:
    for axis in call.params["axes"]:
        x = product_along(call.b, x, axis)
    return call.b.reshape(x, call.shape)


def _place(primitive: str, kind: str) -> None:
    @lower(primitive)
    def lowering(call: Call, x: Value) -> Value:
        b, (axis,) = call.b, call.params["axes"]
        wide = b.convert(x, "i32") if x.dtype == "i1" else x
        return b.reshape(b.convert(extreme_along(b, kind, wide, axis)[1], call.dtype), call.shape)


_place("argmax", "max")
_place("argmin", "min")


def _cumulative(primitive: str, neutral: float, of_floats: str, of_whole: str) -> None:
    @lower(primitive)
    def lowering(call: Call, x: Value) -> Value:
        b, axis = call.b, call.params["axis"]
        start: float = neutral if x.dtype == "f32" or math.isfinite(neutral) else (2**31 if x.dtype == "i32" else 2**63) * (1 if neutral > 0 else -1)
        start = start - 1 if start > 1 and x.dtype != "f32" else start
        turned = reverse(b, x, [axis]) if call.params["reverse"] else x
        made = running(b, turned, axis, start, lambda p, q: b.like(of_floats if x.dtype == "f32" else of_whole, p, q))
        return reverse(b, made, [axis]) if call.params["reverse"] else made


for _primitive, _neutral, _floats, _whole in (
        ("cumsum", 0, Kind.ADDF, "arith.addi"), ("cumprod", 1, Kind.MULF, "arith.muli"),
        ("cummax", -math.inf, Kind.MAXIMUMF, Kind.MAXSI), ("cummin", math.inf, Kind.MINIMUMF, Kind.MINSI)):
    _cumulative(_primitive, _neutral, _floats, _whole)


@lower("cumlogsumexp")
def _cumlogsumexp(call: Call, x: Value) -> Value:
    b, axis = call.b, call.params["axis"]

    def both(x: Value, y: Value) -> Value:
        high, low = b.like(Kind.MAXIMUMF, x, y), b.like(Kind.MINIMUMF, x, y)
        apart = b.select(b.compare("eq", x, y), b.constant(0.0, x.shape), b.sub(low, high))
        return b.add(high, b.math("log1p", b.math("exp", apart)))
    turned = reverse(b, x, [axis]) if call.params["reverse"] else x
    made = running(b, turned, axis, -math.inf, both)
    return reverse(b, made, [axis]) if call.params["reverse"] else made
