# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and transposed ones over one to three dimensions, and their gradients.

Operations of the graph have channels last, PyTorch's have them behind the batch: transpositions around an operation say
so, and layout.py moves them together until they vanish. A transposed convolution is the gradient of a convolution for
its input, and the other way around. Where windows meet no two times and nothing is between them (1x1, or patches of an
image) a convolution is a product of matrices, with a row for each window, and stays one: so it can read FP8.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from torch.fx import Node

from ...builder import Builder
from ...ir import Kind, Value
from ...layout import first, last
from ..registry import lower, value_type

Sizes = Sequence[int]

# Of fewer channels, such as an image's, windows are better cut out of planes than of positions.
_FEW_CHANNELS = 8


def _each(sizes: int | Sizes, n: int) -> tuple[int, ...]:
    sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    return sizes * n if len(sizes) == 1 else sizes


class _Convolution:
    """From the wide tensor [batch, channels, *sizes] to the narrow one [batch, outputs, *positions], by a weight
    [outputs, channels of a group, *kernel]. The wide one of a transposed convolution is its result."""

    def __init__(self, wide: Sizes, narrow: Sizes, weight: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int) -> None:
        self.wide, self.narrow, self.weight, self.groups = tuple(wide), tuple(narrow), tuple(weight), groups
        self.n, self.kernel = len(weight) - 2, tuple(weight[2:])
        self.stride, self.dilation = _each(stride, self.n), _each(dilation, self.n)
        self.low = _each(padding, self.n)
        # A transposed convolution may be asked for more than windows reach: what is behind them is zeros.
        self.high, self.behind = list(self.low), [0] * self.n
        for d in range(self.n):
            reached = (self.narrow[2 + d] - 1) * self.stride[d] + (self.kernel[d] - 1) * self.dilation[d] + 1 - self.low[d]
            if self.wide[2 + d] + self.high[d] - reached >= self.stride[d]:
                self.high[d] = max(reached - self.wide[2 + d], 0)
                self.behind[d] = max(self.wide[2 + d] - reached, 0)
        self.is_product = groups == 1 and not any((*self.low, *self.high)) and all(
            k == s and (k == 1 or d == 1) for k, s, d in zip(self.kernel, self.stride, self.dilation, strict=True))
        self.cuts_planes = self.wide[1] < _FEW_CHANNELS and math.prod(self.kernel) > 1

    def output(self, b: Builder, x: Value, weight: Value, bias: Value | None = None) -> Value:
        """Narrow, of the wide x."""
        if self.is_product:
            y = b.matmul(self._rows(b, x), b.swap(self._matrix(b, weight), 0, 1))
            y = b.reshape(y, (self.narrow[0], *self.narrow[2:], self.narrow[1]))
        else:
            y = self._op(b, Kind.CONV, self._reached(b, last(b, x)), last(b, weight, moves=False), self.narrow)
        return first(b, _with_bias(b, y, bias))

    def input_gradient(self, b: Builder, dy: Value, weight: Value, bias: Value | None = None) -> Value:
        """Wide, of the narrow dy."""
        if self.is_product:
            return self._of_rows(b, b.matmul(self._flat(b, dy), self._matrix(b, weight)), bias)
        reached = [size - behind for size, behind in zip(self.wide[2:], self.behind, strict=True)]
        x = self._op(b, Kind.CONV_GRAD_INPUT, last(b, dy), last(b, weight, moves=False), (*self.wide[:2], *reached))
        for d, behind in enumerate(self.behind):
            x = b.pad(x, 1 + d, 0, behind, 0.0)
        return first(b, _with_bias(b, x, bias))

    def weight_gradient(self, b: Builder, dy: Value, x: Value) -> Value:
        """Of the narrow dy and the wide x."""
        if self.is_product:
            dw = b.matmul(b.swap(self._flat(b, dy), 0, 1), self._rows(b, x))
            if self.cuts_planes:
                return b.reshape(dw, self.weight)
            return first(b, b.reshape(dw, (self.weight[0], *self.kernel, self.weight[1])), moves=False)
        return first(b, self._op(b, Kind.CONV_GRAD_WEIGHT, last(b, dy), self._reached(b, last(b, x)), self.weight), moves=False)

    def _op(self, b: Builder, name: str, x: Value, y: Value, shape: Sizes) -> Value:
        """A result of `shape`, channels second, computed with channels last."""
        result = (shape[0], *shape[2:], shape[1])
        return b.op(name, [x, y], [(result, "f32")], strides=self.stride, low=self.low, high=tuple(self.high), dilations=self.dilation,
                    groups=self.groups).result

    def _reached(self, b: Builder, x: Value) -> Value:
        for d, behind in enumerate(self.behind):
            x = b.slice(x, 1 + d, 0, x.shape[1 + d] - behind)
        return x

    # Where it is a product: patches are [batch, *positions, *kernel, channels], or channels before the kernel.

    def _flat(self, b: Builder, y: Value) -> Value:
        """A row for each position."""
        return b.reshape(last(b, y), (math.prod((self.narrow[0], *self.narrow[2:])), self.narrow[1]))

    def _matrix(self, b: Builder, weight: Value) -> Value:
        weight = weight if self.cuts_planes else last(b, weight, moves=False)
        return b.reshape(weight, (self.weight[0], math.prod(self.weight[1:])))

    def _order(self) -> list[int]:
        """From the positions and places of each dimension, side by side, to patches."""
        first_place = 2 if self.cuts_planes else 1
        positions, places = range(first_place, first_place + 2 * self.n, 2), range(first_place + 1, first_place + 2 * self.n, 2)
        return [0, *positions, 1, *places] if self.cuts_planes else [0, *positions, *places, 2 * self.n + 1]

    def _cut(self) -> tuple[int, ...]:
        cut = tuple(itertools.chain(*zip(self.narrow[2:], self.kernel, strict=True)))
        return (self.wide[0], self.wide[1], *cut) if self.cuts_planes else (self.wide[0], *cut, self.wide[1])

    def _rows(self, b: Builder, x: Value) -> Value:
        """The patches of the wide x, a row each."""
        dim = 2 if self.cuts_planes else 1
        x = x if self.cuts_planes else last(b, x)
        for d, (positions, k) in enumerate(zip(self.narrow[2:], self.kernel, strict=True)):
            x = b.slice(x, dim + d, 0, positions * k)
        x = b.transpose(b.reshape(x, self._cut()), self._order())
        return b.reshape(x, (math.prod((self.narrow[0], *self.narrow[2:])), math.prod(self.weight[1:])))

    def _of_rows(self, b: Builder, rows: Value, bias: Value | None) -> Value:
        """The inverse of `_rows`, with zeros where there are no patches."""
        cut, order = self._cut(), self._order()
        x = b.reshape(rows, [cut[d] for d in order])
        x = b.transpose(x, [order.index(d) for d in range(len(order))])
        sizes = [positions * k for positions, k in zip(self.narrow[2:], self.kernel, strict=True)]
        dim = 2 if self.cuts_planes else 1
        x = b.reshape(x, (*self.wide[:2], *sizes) if self.cuts_planes else (self.wide[0], *sizes, self.wide[1]))
        for d, (size, whole) in enumerate(zip(sizes, self.wide[2:], strict=True)):
            x = b.pad(x, dim + d, 0, whole - size, 0.0)
        if not self.cuts_planes:
            return first(b, _with_bias(b, x, bias))
        return x if bias is None else b.add(x, b.broadcast(b.reshape(bias, (bias.shape[0],) + (1,) * self.n), x.shape))


def _with_bias(b: Builder, y: Value, bias: Value | None) -> Value:
    """Of channels last."""
    return y if bias is None else b.add(y, b.broadcast(bias, y.shape))


def _of_rank(b: Builder, x: Value, n: int) -> Value:
    return b.reshape(x, (1, *x.shape)) if x.rank == n + 1 else x


@lower("aten.convolution.default")
def _convolution(
    b: Builder, node: Node, x: Value, weight: Value, bias: Value | None, stride: Sizes, padding: Sizes, dilation: Sizes,
    transposed: bool, output_padding: Sizes, groups: int,
) -> Value:
    shape, n = value_type(node.meta["val"])[0], weight.rank - 2
    x = _of_rank(b, x, n)
    whole = shape if len(shape) == n + 2 else (1, *shape)
    wide, narrow = (whole, x.shape) if transposed else (x.shape, whole)
    of = _Convolution(wide, narrow, weight.shape, stride, padding, dilation, groups)
    return b.reshape((of.input_gradient if transposed else of.output)(b, x, weight, bias), shape)


@lower("aten.convolution_backward.default")
def _convolution_backward(
    b: Builder, node: Node, dy: Value, x: Value, weight: Value, bias_sizes: Sizes | None, stride: Sizes, padding: Sizes, dilation: Sizes,
    transposed: bool, output_padding: Sizes, groups: int, mask: Sequence[bool],
) -> tuple[Value | None, ...]:
    shape, n = x.shape, weight.rank - 2
    x, dy = _of_rank(b, x, n), _of_rank(b, dy, n)
    wide, narrow = (dy, x) if transposed else (x, dy)
    of = _Convolution(wide.shape, narrow.shape, weight.shape, stride, padding, dilation, groups)
    dx = (of.output if transposed else of.input_gradient)(b, dy, weight) if mask[0] else None
    dweight = of.weight_gradient(b, narrow, wide) if mask[1] else None
    dbias = b.reduce("sum", last(b, dy), range(n + 1)) if mask[2] else None
    return (b.reshape(dx, shape) if dx is not None else None), dweight, dbias
