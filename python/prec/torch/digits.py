# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The digits of float64 where a model asks for it by name.

A graph computes in f32. Where forward converts what it was given to float64 first, most often to find places (which
cell of a grid a box is in, how many hundredths two tokens are apart), a whole number may follow from digits that f32
does not have: 0.29f * 100 is 29 in f32 and 28.99999916 in float64. Such a value is here a pair of two f32, of which the
first is the sum of both as f32 rounds it, and the second what is left: 48 bits of the 53 of float64. A sum's second
number is what the rounding of the first lost, which f32 finds exactly (Knuth's two sums), and that of a product comes
by fma. What is smaller than rounding leaves of 48 bits decides nothing, so that a third times three is one, as in
float64. Pairs are what follows from inputs, buffers, whole numbers and numbers that f32 holds, alone; what depends on a
trained parameter by floats, on another number (0.1, of which float64 itself has but some digits), or is computed by an
operation that is not listed here, stays one f32. A pair is read where it is compared, cut to a whole number, or rounded
to a narrower float; what reads the value otherwise reads what it is in f32, and pairs that nobody reads are dropped.
"""
from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch
from torch.fx import Node
from torch.fx.node import map_arg

from ..builder import Builder
from ..ir import Kind, Value
from .registry import erase, find
from .trace import reads_shape_only

# Sums of more are left to f32.
_MOST_SUMMED = 64
# By this part of themselves numbers are the same.
_NOISE = 2.0**-45


@dataclass(frozen=True)
class Pair:
    """`low` None: zero."""

    high: Value
    low: Value | None = None


def _is_f32(number: float) -> bool:
    """Whether f32 holds it."""
    with np.errstate(over="ignore"):
        return float(np.float32(number)) == number or not math.isfinite(number)


class Digits:
    def __init__(self, b: Builder, nodes: Iterable[Node], trained: set[Node]) -> None:
        self._b = b
        # Of a node of several results a tuple.
        self._pairs: dict[Node, Any] = {}
        self._learned = set(trained)
        for node in nodes:
            if not self._learned.isdisjoint(node.all_input_nodes) and _is_float(node) and not reads_shape_only(node.target):
                self._learned.add(node)

    def note(self, node: Node, value: Value) -> None:
        """Of a tensor that f32 holds."""
        if _is_double(node) and node not in self._learned:
            self._pairs[node] = Pair(value)

    def lower(self, node: Node, env: dict[Node, Any], value: Any) -> Any:
        """The node's value, which is `value` but where digits decide it."""
        name, sources = str(node.target), node.all_input_nodes
        if node in self._learned:
            return value
        if not sources:
            made = isinstance(value, Value) and value.op is not None and value.op.name == Kind.CONSTANT
            if made and _is_f32(value.op.attrs["value"]) or name.startswith("aten.arange.") and all(isinstance(a, int) for a in node.args):
                self.note(node, value)
            return value
        if name in _CONVERSIONS and len(sources) == 1:
            return self._converted(node, env[sources[0]], value)
        wide = [n for n in sources if _is_double(n)]
        numbers = [x for x in (*node.args, *node.kwargs.values()) if isinstance(x, (int, float))]
        if not wide or any(n not in self._pairs for n in wide) or not all(map(_is_f32, numbers)):
            return value
        if name in _MOVES:
            wholes = [n for n in sources if not _is_float(n) and torch.bool not in _dtypes(n)]
            if _is_double(node) and not (name in _JOINS and wholes):
                self._pairs[node] = self._moved(node, env, name in _NUMBERED)
            return value
        rule = _RULES.get(name)
        if rule is None or not _is_computed_double(node):
            return value
        shape = tuple(node.meta["val"].shape)
        found = rule(self, shape, *(self._operand(x, env) if isinstance(x, Node) else x for x in node.args), **node.kwargs)
        if isinstance(found, Pair):
            self._pairs[node] = found
            return value
        return value if found is None else found

    # Operands and results.

    def _operand(self, x: Node, env: dict[Node, Any]) -> Any:
        return self._pairs[x] if _is_double(x) else self._exact(env[x])

    def _exact(self, x: Value) -> Pair:
        """Of a whole number, or of an f32."""
        b = self._b
        high = b.convert(x, "f32")
        if x.dtype in ("f32", "i1"):
            return Pair(high)
        least, most = b.ranges.of(x)
        if -(1 << 24) <= least and most <= 1 << 24:
            return Pair(high)
        return Pair(high, b.convert(b.sub(x, b.convert(high, x.dtype)), "f32"))

    def pair(self, x: Pair | float, shape: tuple[int, ...]) -> Pair:
        b = self._b
        if isinstance(x, Pair):
            return Pair(b.broadcast(x.high, shape), None if x.low is None else b.broadcast(x.low, shape))
        return Pair(b.constant(x, shape))

    def _low(self, x: Pair) -> Value:
        return self._b.constant(0.0, x.high.shape) if x.low is None else x.low

    def _settled(self, x: Pair) -> Value:
        """The second number, and zero where it is as small as what rounding has left."""
        b, low = self._b, self._low(x)
        counts = b.compare("gt", b.math("absf", low), b.mul(b.math("absf", x.high), _NOISE))
        return b.select(counts, low, b.constant(0.0, low.shape))

    def _converted(self, node: Node, x: Value, value: Value) -> Value:
        source, to = node.all_input_nodes[0], node.meta["val"].dtype
        if to == torch.float64:
            if not _is_double(source):
                self._pairs[node] = self._exact(x)
            elif source in self._pairs:
                self._pairs[node] = self._pairs[source]
            return value
        pair = self._pairs.get(source)
        if pair is None or pair.low is None or to in (torch.bool, torch.uint8):
            return value
        return self._b.add(pair.high, pair.low) if to.is_floating_point else self._whole(pair, erase(to))

    def _whole(self, x: Pair, dtype: str) -> Value:
        """Cut towards zero. The second number counts where the first is whole."""
        b = self._b
        cut = b.math("trunc", x.high)
        low = self._settled(x)
        zero = b.constant(0.0, cut.shape)
        rest = b.select(b.compare("gt", x.high, zero), b.math("floor", low), b.math("ceil", low))
        rest = b.select(b.compare("eq", cut, x.high), rest, zero)
        return b.add(b.convert(cut, dtype), b.convert(rest, dtype))

    def _moved(self, node: Node, env: dict[Node, Any], of_numbers: bool) -> Any:
        """What only moves elements moves both. of_numbers: its arguments that are numbers are elements."""
        lowering = find(node.target)
        assert lowering is not None
        doubles = [self._pairs[n] for n in node.all_input_nodes if _is_double(n)]

        def run(of: Callable[[Node], Any], low: bool) -> Any:
            args, kwargs = map_arg((node.args, dict(node.kwargs)), of)
            if low and of_numbers:
                args = tuple(0.0 if isinstance(a, (int, float)) else a for a in args)
            return lowering(self._b, node, *args, **kwargs)

        def high_of(n: Node) -> Any:
            found = self._pairs.get(n) if _is_double(n) else None
            return env[n] if found is None else found.high if isinstance(found, Pair) else type(found)(p.high for p in found)

        def low_of(n: Node) -> Any:
            found = self._pairs.get(n) if _is_double(n) else None
            if found is not None:
                return self._low(found) if isinstance(found, Pair) else type(found)(self._low(p) for p in found)
            # A float beside them has no second number; places and conditions are the same for both.
            value = env[n]
            return self._b.constant(0.0, value.shape) if value.dtype == "f32" else value

        exact = all(p.low is None for found in doubles for p in ([found] if isinstance(found, Pair) else found))
        highs = run(high_of, False)
        if isinstance(highs, Value):
            return Pair(highs, None if exact else run(low_of, True))
        return tuple(Pair(h, low) for h, low in zip(highs, [None] * len(highs) if exact else run(low_of, True), strict=True))

    # Arithmetic.

    def _sum(self, x: Value, y: Value) -> tuple[Value, Value]:
        """x + y, and what its rounding lost."""
        b = self._b
        total = b.add(x, y)
        of_y = b.sub(total, x)
        return total, self._number(b.add(b.sub(x, b.sub(total, of_y)), b.sub(y, of_y)))

    def _number(self, rest: Value) -> Value:
        """An infinity leaves nothing."""
        return self._b.select(self._b.compare("eq", rest, rest), rest, self._b.constant(0.0, rest.shape))

    def _joined(self, x: Value, y: Value) -> Pair:
        """The same where y is the smaller one."""
        b = self._b
        total = b.add(x, y)
        return Pair(total, self._number(b.sub(y, b.sub(total, x))))

    def add(self, x: Pair, y: Pair) -> Pair:
        b = self._b
        high, rest = self._sum(x.high, y.high)
        if x.low is None and y.low is None:
            return Pair(high, rest)
        low, last = self._sum(self._low(x), self._low(y))
        found = self._joined(high, b.add(rest, low))
        return self._joined(found.high, b.add(self._low(found), last))

    def neg(self, x: Pair) -> Pair:
        return Pair(self._b.neg(x.high), None if x.low is None else self._b.neg(x.low))

    def mul(self, x: Pair, y: Pair) -> Pair:
        b = self._b
        high = b.mul(x.high, y.high)
        rest = self._number(b.like("math.fma", x.high, y.high, b.neg(high)))
        for one, other in ((x, y), (y, x)):
            if other.low is not None:
                rest = b.add(rest, self._number(b.mul(one.high, other.low)))
        return self._joined(high, rest)

    def div(self, x: Pair, y: Pair) -> Pair:
        b = self._b
        quotients: list[Value] = []
        for _ in range(3):
            quotient = b.div(x.high, y.high)
            quotients.append(self._number(quotient) if quotients else quotient)
            x = self.add(x, self.neg(self.mul(Pair(quotients[-1]), y)))
        found = self._joined(*quotients[:2])
        return self.add(found, Pair(quotients[2]))

    def compare(self, predicate: str, x: Pair, y: Pair) -> Value:
        b = self._b
        apart = self.add(x, self.neg(y)).high
        size = b.like(Kind.MAXIMUMF, b.math("absf", x.high), b.math("absf", y.high))
        zero = b.constant(0.0, apart.shape)
        same = b.compare("le", b.math("absf", apart), b.mul(size, _NOISE))
        found = b.compare(predicate, b.select(same, zero, apart), zero)
        # Infinities have no difference.
        return b.select(b.compare("eq", b.sub(apart, apart), zero), found, b.compare(predicate, x.high, y.high))

    def select(self, condition: Value, x: Pair, y: Pair) -> Pair:
        low = None if x.low is None and y.low is None else self._b.select(condition, self._low(x), self._low(y))
        return Pair(self._b.select(condition, x.high, y.high), low)

    def rounded(self, how: str, x: Pair) -> Pair:
        """floor or ceil."""
        b = self._b
        high = b.math(how, x.high)
        low = b.select(b.compare("eq", high, x.high), b.math(how, self._settled(x)), b.constant(0.0, high.shape))
        return self._joined(high, low)

    def absolute(self, x: Pair) -> Pair:
        return self.select(self._is_negative(x), self.neg(x), x)

    def _is_negative(self, x: Pair) -> Value:
        return self._b.compare("lt", x.high, self._b.constant(0.0, x.high.shape))

    def cut(self, x: Pair) -> Pair:
        return self.select(self._is_negative(x), self.rounded("ceil", x), self.rounded("floor", x))

    def nearest(self, x: Pair) -> Pair:
        """To the nearest whole number, and of two to the even one. Where the first number is halfway the second one
        decides."""
        b, low, zero = self._b, self._settled(x), self._b.constant(0.0, x.high.shape)
        high = b.math("roundeven", x.high)
        halfway = b.compare("eq", b.math("absf", b.sub(x.high, high)), b.constant(0.5, zero.shape))
        below = b.math("floor", x.high)
        other = b.select(b.compare("gt", low, zero), b.add(below, 1.0), below)
        high = b.select(b.like("arith.andi", halfway, b.compare("ne", low, zero)), other, high)
        return self._joined(high, b.select(b.compare("eq", high, x.high), b.math("roundeven", low), zero))

    def _each(self, x: Pair, change: Callable[[Value], Value]) -> Pair:
        return Pair(change(x.high), None if x.low is None else change(x.low))

    def total(self, x: Pair, dims: Any, shape: tuple[int, ...], mean: bool) -> Pair | None:
        """The sum over some dimensions, one element after the other."""
        b, rank = self._b, x.high.rank
        chosen = [d % rank for d in ([dims] if isinstance(dims, int) else dims or range(rank))] if rank else []
        count = math.prod(x.high.shape[d] for d in chosen)
        if count > _MOST_SUMMED:
            return None
        parts = [x]
        for d in chosen:
            parts = [self._each(p, lambda v, d=d, i=i: b.slice(v, d, i, 1)) for p in parts for i in range(x.high.shape[d])]  # type: ignore[misc]
        found = parts[0]
        for part in parts[1:]:
            found = self.add(found, part)
        if mean and count & (count - 1):
            found = self.div(found, self.pair(float(count), found.high.shape))
        elif mean:
            # Exact.
            found = self._each(found, lambda v: b.mul(v, 1.0 / count))
        return self._each(found, lambda v: b.reshape(v, shape))


def _dtypes(node: Node) -> list[torch.dtype]:
    found = node.meta.get("val")
    return [t.dtype for t in (found if isinstance(found, (tuple, list)) else [found]) if isinstance(t, torch.Tensor)]


def _is_float(node: Node) -> bool:
    """Whether a gradient may pass."""
    return any(dtype.is_floating_point or dtype.is_complex for dtype in _dtypes(node))


def _is_double(node: Node) -> bool:
    return torch.float64 in _dtypes(node)


def _is_computed_double(node: Node) -> bool:
    """Whether it computes in float64: a result, or what it compares."""
    if node.meta["val"].dtype != torch.bool:
        return _is_double(node)
    x, y = (cast(torch.Tensor, a.meta["val"] if isinstance(a, Node) else a) for a in node.args[:2])
    return torch.result_type(x, y) == torch.float64


_CONVERSIONS = {"aten._to_copy.default", "aten.to.dtype", "prims.convert_element_type.default"}
_MOVES = {f"aten.{name}" for name in (
    "view.default", "_unsafe_view.default", "reshape.default", "unsqueeze.default", "squeeze.default", "squeeze.dim",
    "squeeze.dims", "view_as.default", "expand.default", "broadcast_to.default", "t.default", "transpose.int",
    "permute.default", "cat.default", "stack.default", "slice.Tensor", "select.int", "split.Tensor",
    "split_with_sizes.default", "unbind.int", "clone.default", "detach.default", "alias.default",
    "contiguous.default", "lift_fresh_copy.default", "lift_fresh.default", "repeat.default", "gather.default",
    "index.Tensor", "index_select.default", "flip.default", "roll.default", "where.self", "where.ScalarSelf",
    "where.ScalarOther", "masked_fill.Scalar", "select_scatter.default", "slice_scatter.default", "tril.default",
    "triu.default")} | {"<built-in function getitem>"}

# Of these what is joined is elements, and of these some are numbers of Python's.
_JOINS = {f"aten.{name}" for name in ("cat.default", "stack.default", "where.self", "where.ScalarSelf", "where.ScalarOther", "select_scatter.default",
                                      "slice_scatter.default")}
_NUMBERED = {f"aten.{name}" for name in ("where.ScalarSelf", "where.ScalarOther", "masked_fill.Scalar")}

Operand = Pair | float


def _binary(build: Callable[[Digits, Pair, Pair], Any]) -> Callable[..., Any]:
    def rule(d: Digits, shape: tuple[int, ...], x: Operand, y: Operand, alpha: float = 1) -> Any:
        left, right = d.pair(x, shape), d.pair(y, shape)
        return build(d, left, right if alpha == 1 else d.mul(right, d.pair(float(alpha), shape)))
    return rule


def _clamp(d: Digits, shape: tuple[int, ...], x: Operand, low: Operand | None = None, high: Operand | None = None, min: Operand | None = None,
           max: Operand | None = None) -> Pair:
    found = d.pair(x, shape)
    for bound, beyond in ((low if min is None else min, "lt"), (high if max is None else max, "gt")):
        if bound is not None:
            end = d.pair(bound, shape)
            found = d.select(d.compare(beyond, found, end), end, found)
    return found


def _total(mean: bool) -> Callable[..., Any]:
    def rule(d: Digits, shape: tuple[int, ...], x: Pair, dims: Any = None, keepdim: bool = False, dtype: torch.dtype | None = None) -> Pair | None:
        return d.total(x, dims, shape, mean)
    return rule


def _of(build: Callable[[Digits, Pair], Pair]) -> Callable[..., Pair]:
    return lambda d, shape, x: build(d, x)


_RULES: dict[str, Callable[..., Any]] = {
    **{f"aten.{name}.{kind}": _binary(build) for kind in ("Tensor", "Scalar") for name, build in {
        "add": lambda d, x, y: d.add(x, y), "sub": lambda d, x, y: d.add(x, d.neg(y)), "rsub": lambda d, x, y: d.add(y, d.neg(x)),
        "mul": lambda d, x, y: d.mul(x, y), "div": lambda d, x, y: d.div(x, y)}.items()},
    **{f"aten.{name}.{kind}": _binary(lambda d, x, y, name=name: d.compare(name, x, y)) for kind in ("Tensor", "Scalar")  # type: ignore[misc]
       for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    "aten.maximum.default": _binary(lambda d, x, y: d.select(d.compare("lt", x, y), y, x)),
    "aten.minimum.default": _binary(lambda d, x, y: d.select(d.compare("gt", x, y), y, x)),
    "aten.clamp.default": _clamp, "aten.clamp_min.default": _clamp,
    "aten.clamp_max.default": lambda d, shape, x, high: _clamp(d, shape, x, None, high),
    "aten.neg.default": _of(lambda d, x: d.neg(x)), "aten.abs.default": _of(lambda d, x: d.absolute(x)),
    "aten.floor.default": _of(lambda d, x: d.rounded("floor", x)), "aten.ceil.default": _of(lambda d, x: d.rounded("ceil", x)),
    "aten.trunc.default": _of(lambda d, x: d.cut(x)), "aten.round.default": _of(lambda d, x: d.nearest(x)),
    **{f"aten.sum.{kind}": _total(False) for kind in ("default", "dim_IntList")},
    **{f"aten.mean.{kind}": _total(True) for kind in ("default", "dim")},
}
