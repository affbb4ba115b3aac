# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of any dimension numbers, as the three operations that the graph has.

JAX has one primitive, of which the gradients of a convolution are cases: that for the input spreads the other operand
and turns the kernel around, that for the kernel sums over the batch and has the larger operand's size as its window.
Each of the three operations can say it; the one is taken that does not multiply by the spread zeros, or that has the
smaller window. Where windows meet no two times and nothing is between them, as in patches of an image, all three are
products of matrices.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from ...builder import Builder
from ...ir import Kind, Value
from ..registry import Call, lower
from .shapes import reverse, spread

_MOST_WINDOW = 64


@dataclass
class _Convolution:
    """From `wide` [batch, *sizes, channels] by a weight [outputs, *kernel, channels of a group] to [batch, *positions,
    outputs]."""

    kernel: list[int]
    strides: list[int]
    low: list[int]
    high: list[int]
    dilations: list[int]
    groups: int

    def attrs(self) -> dict[str, object]:
        return {"strides": tuple(self.strides), "low": tuple(self.low), "high": tuple(self.high), "dilations": tuple(self.dilations),
                "groups": self.groups}

    def is_product(self, sizes: Sequence[int], positions: Sequence[int]) -> bool:
        sides = zip(self.kernel, self.strides, self.dilations, sizes, positions, strict=True)
        return self.groups == 1 and not any((*self.low, *self.high)) and all(k == s and (k == 1 or d == 1) and n == p * k for k, s, d, n, p in sides)

    def rows(self, b: Builder, wide: Value, positions: Sequence[int]) -> Value:
        """A row of the kernel's size for each position."""
        n = len(self.kernel)
        cut = (wide.shape[0], *itertools.chain(*zip(positions, self.kernel, strict=True)), wide.shape[-1])
        order = [0, *range(1, 1 + 2 * n, 2), *range(2, 2 + 2 * n, 2), 1 + 2 * n]
        patches = b.transpose(b.reshape(wide, cut), order)
        return b.reshape(patches, (wide.shape[0] * math.prod(positions), math.prod(self.kernel) * wide.shape[-1]))

    def of_rows(self, b: Builder, rows: Value, batch: int, positions: Sequence[int], channels: int) -> Value:
        n = len(self.kernel)
        patches = b.reshape(rows, (batch, *positions, *self.kernel, channels))
        order = [0, *itertools.chain(*((1 + d, 1 + n + d) for d in range(n))), 1 + 2 * n]
        sizes = [p * k for p, k in zip(positions, self.kernel, strict=True)]
        return b.reshape(b.transpose(patches, order), (batch, *sizes, channels))

    def output(self, b: Builder, wide: Value, weight: Value, positions: list[int]) -> Value:
        shape = (wide.shape[0], *positions, weight.shape[0])
        if self.is_product(wide.shape[1:-1], positions):
            matrix = b.reshape(weight, (weight.shape[0], math.prod(weight.shape[1:])))
            return b.reshape(b.matmul(self.rows(b, wide, positions), b.swap(matrix, 0, 1)), shape)
        return b.op(Kind.CONV, [wide, weight], [(shape, "f32")], **self.attrs()).result

    def input_gradient(self, b: Builder, grad: Value, weight: Value, sizes: list[int]) -> Value:
        channels = weight.shape[-1] * self.groups
        if self.is_product(sizes, grad.shape[1:-1]):
            flat = b.reshape(grad, (math.prod(grad.shape[:-1]), grad.shape[-1]))
            rows = b.matmul(flat, b.reshape(weight, (weight.shape[0], math.prod(weight.shape[1:]))))
            return self.of_rows(b, rows, grad.shape[0], grad.shape[1:-1], channels)
        return b.op(Kind.CONV_GRAD_INPUT, [grad, weight], [((grad.shape[0], *sizes, channels), "f32")], **self.attrs()).result

    def weight_gradient(self, b: Builder, grad: Value, wide: Value) -> Value:
        shape = (grad.shape[-1], *self.kernel, wide.shape[-1] // self.groups)
        if self.is_product(wide.shape[1:-1], grad.shape[1:-1]):
            flat = b.reshape(grad, (math.prod(grad.shape[:-1]), grad.shape[-1]))
            return b.reshape(b.matmul(b.swap(flat, 0, 1), self.rows(b, wide, grad.shape[1:-1])), shape)
        return b.op(Kind.CONV_GRAD_WEIGHT, [grad, wide], [(shape, "f32")], **self.attrs()).result


def _cut(b: Builder, x: Value, low: list[int], high: list[int]) -> tuple[Value, list[int], list[int]]:
    """Without what negative padding cuts, along the dimensions behind the first."""
    for d, (before, behind) in enumerate(zip(low, high, strict=True)):
        x = b.slice(x, 1 + d, max(-before, 0), x.shape[1 + d] - max(-before, 0) - max(-behind, 0))
    return x, [max(n, 0) for n in low], [max(n, 0) for n in high]


@lower("conv_general_dilated")
def _conv(call: Call, lhs: Value, rhs: Value) -> Value:
    b, p = call.b, call.params
    numbers = p["dimension_numbers"]
    groups, batch_groups = p["feature_group_count"], p["batch_group_count"]
    strides, spread_by, dilations = [*p["window_strides"]], [*p["lhs_dilation"]], [*p["rhs_dilation"]]
    low, high = [n for n, _ in p["padding"]], [n for _, n in p["padding"]]
    batch, feature, *spatial = numbers.lhs_spec
    x = b.transpose(lhs, [batch, *spatial, feature])
    outputs, inputs, *kernel = numbers.rhs_spec
    is_spread = any(s > 1 for s in spread_by)
    rhs = reverse(b, rhs, kernel) if is_spread else rhs
    w = b.transpose(rhs, [outputs, *kernel, inputs])
    window, out = [rhs.shape[d] for d in kernel], [call.shape[d] for d in numbers.out_spec[2:]]
    n = len(window)
    if is_spread:
        if batch_groups > 1 or any(s > 1 for s in strides):
            raise NotImplementedError("an operand that is spread, with strides or groups of the batch")
        made = _of_spread(b, x, w, window, spread_by, low, dilations, groups, out)
    elif batch_groups > 1 or groups == 1 and math.prod(window) > math.prod(out):
        # Sums over what the primitive calls features: the batch of the convolution that this is a gradient of.
        wide, low, high = _cut(b, x, low, high)
        wide = b.transpose(wide, [1 + n, *range(1, 1 + n), 0])
        grad = b.transpose(w, [1 + n, *range(1, 1 + n), 0])
        of = _Convolution(out, dilations, low, high, strides, batch_groups)
        made = b.transpose(of.weight_gradient(b, grad, wide), [1 + n, *range(1, 1 + n), 0])
    else:
        wide, low, high = _cut(b, x, low, high)
        made = _Convolution(window, strides, low, high, dilations, groups).output(b, wide, w, out)
    order = [numbers.out_spec[0], *numbers.out_spec[2:], numbers.out_spec[1]]
    return b.transpose(made, [order.index(d) for d in range(n + 2)])


def _of_spread(b: Builder, grad: Value, w: Value, window: list[int], strides: list[int], before: list[int], dilations: list[int], groups: int,
               out: list[int]) -> Value:
    """As the gradient for the input of the convolution with these strides: whose kernel w is
    with inputs and outputs exchanged within each group."""
    n = len(window)
    per_group = w.shape[0] // groups, w.shape[-1]
    w = b.reshape(w, (groups, per_group[0], *window, per_group[1]))
    w = b.transpose(w, [0, 2 + n, *range(2, 2 + n), 1])
    w = b.reshape(w, (groups * per_group[1], *window, per_group[0]))
    low = [(k - 1) * d - p for k, d, p in zip(window, dilations, before, strict=True)]
    high = [(p - 1) * s + d * (k - 1) + 1 - size - first
            for p, s, d, k, size, first in zip(grad.shape[1:], strides, dilations, window, out, low, strict=False)]
    # What no window reaches is zeros.
    reached = [size + min(first, 0) + min(last, 0) for size, first, last in zip(out, low, high, strict=True)]
    of = _Convolution(window, strides, [max(v, 0) for v in low], [max(v, 0) for v in high], dilations, groups)
    made = of.input_gradient(b, grad, w, reached)
    for d in range(n):
        made = b.pad(made, 1 + d, max(-low[d], 0), max(-high[d], 0), 0.0)
    return made


# Pooling: windows of a few elements, place by place.


def _places(call: Call, window: Sequence[int]) -> list[tuple[int, ...]]:
    if math.prod(window) > _MOST_WINDOW:
        raise NotImplementedError(f"windows of more than {_MOST_WINDOW} elements")
    return list(itertools.product(*(range(k) for k in window)))


def _padded(call: Call, x: Value, value: float) -> Value:
    for d, (low, high) in enumerate(call.params["padding"]):
        x = call.b.pad(x, d, low, high, value)
    return x


def _at(b: Builder, x: Value, place: Sequence[int], dilation: Sequence[int], strides: Sequence[int], shape: Sequence[int]) -> Value:
    for d, (offset, by, step, size) in enumerate(zip(place, dilation, strides, shape, strict=True)):
        x = b.slice(x, d, offset * by, size, step)
    return x


def _pooling(primitive: str, neutral: float, name: str) -> None:
    @lower(primitive)
    def lowering(call: Call, x: Value) -> Value:
        b, p = call.b, call.params
        if x.dtype != "f32" or any(d > 1 for d in p["base_dilation"]):
            raise NotImplementedError("windows over whole numbers, or over what is spread")
        padded, made = _padded(call, x, neutral), None
        for place in _places(call, p["window_dimensions"]):
            element = _at(b, padded, place, p["window_dilation"], p["window_strides"], call.shape)
            made = element if made is None else b.like(name, made, element)
        assert made is not None
        return made


_pooling("reduce_window_sum", 0.0, Kind.ADDF)
_pooling("reduce_window_max", -math.inf, Kind.MAXIMUMF)
_pooling("reduce_window_min", math.inf, Kind.MINIMUMF)


@lower("select_and_scatter_add")
def _select_and_scatter_add(call: Call, source: Value, operand: Value) -> Value:
    """Of each window the first element that is the largest (or smallest) gets the source."""
    b, p = call.b, call.params
    is_largest = p["select_prim"].name == "ge"
    worst, name = (-math.inf, Kind.MAXIMUMF) if is_largest else (math.inf, Kind.MINIMUMF)
    padded = _padded(call, operand, worst)
    places, ones = _places(call, p["window_dimensions"]), [1] * operand.rank
    elements = [_at(b, padded, place, ones, p["window_strides"], source.shape) for place in places]
    best = elements[0]
    for element in elements[1:]:
        best = b.like(name, best, element)
    free, total = b.constant(True, source.shape, "i1"), None
    for place, element in zip(places, elements, strict=True):
        is_it = b.like("arith.andi", free, b.compare("eq", element, best))
        free = b.like("arith.xori", free, is_it)
        part = b.select(is_it, source, b.constant(0.0, source.shape))
        for d, (offset, step, size) in enumerate(zip(place, p["window_strides"], padded.shape, strict=True)):
            part = _spread_to(b, part, d, offset, step, size)
        total = part if total is None else b.add(total, part)
    assert total is not None
    for d, (low, _) in enumerate(p["padding"]):
        total = b.slice(total, d, low, operand.shape[d])
    return total


def _spread_to(b: Builder, x: Value, dim: int, offset: int, step: int, size: int) -> Value:
    x = spread(b, x, dim, step - 1, 0.0)
    return b.pad(x, dim, offset, size - offset - x.shape[dim], 0.0)
