# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and pooling over one to three dimensions, and their gradients.

A window is what a kernel sees of its input at one output position. `_windows` puts every window's elements side by
side, as one strided slice for each place of the kernel, and `_fold` is its gradient: it adds elements of windows back
to where they came from. A convolution is then a product of the weight with the windows, its weight's gradient one of
the output's gradient with the windows, and its input's gradient (which a transposed convolution computes forward) the
fold of a product. Windows that meet no two times and leave nothing out, as patches of an image, are a transposition.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from torch.fx import Node

from ...builder import Builder
from ...ir import Value
from ..registry import lower, value_type

Sizes = Sequence[int]


def _each(sizes: int | Sizes, n: int) -> tuple[int, ...]:
    sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    return sizes * n if len(sizes) == 1 else sizes


def _padded(b: Builder, x: Value, low: Sizes, high: Sizes, value: float = 0.0) -> Value:
    for d, (before, after) in enumerate(zip(low, high, strict=True)):
        x = b.pad(x, x.rank - len(low) + d, before, after, value)
    return x


def _outputs(sizes: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> tuple[int, ...]:
    return tuple((size - (k - 1) * d - 1) // s + 1 for size, k, s, d in zip(sizes, kernel, stride, dilation, strict=True))


def _are_patches(sizes: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> bool:
    return tuple(kernel) == tuple(stride) and all(d == 1 for d in dilation) and all(size % k == 0 for size, k in zip(sizes, kernel, strict=True))


def _windows(b: Builder, x: Value, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Value:
    """[batch, channels, *sizes], padded already, as [batch, channels, places of the kernel, output positions]."""
    n, sizes = len(kernel), x.shape[2:]
    out, places = _outputs(sizes, kernel, stride, dilation), math.prod(kernel)
    if _are_patches(sizes, kernel, stride, dilation):
        x = b.reshape(x, x.shape[:2] + tuple(itertools.chain(*zip(out, kernel))))
        x = b.transpose(x, [0, 1, *range(3, 3 + 2 * n, 2), *range(2, 2 + 2 * n, 2)])
        return b.reshape(x, (*x.shape[:2], places, math.prod(out)))
    seen = []
    for place in itertools.product(*map(range, kernel)):
        part = x
        for d in range(n):
            part = b.slice(part, 2 + d, place[d] * dilation[d], out[d], stride[d])
        seen.append(b.reshape(part, (*x.shape[:2], 1, math.prod(out))))
    return b.concat(seen, 2)


def _fold(b: Builder, windows: Value, sizes: Sizes, kernel: Sizes, stride: Sizes, dilation: Sizes) -> Value:
    """The gradient of `_windows`: [batch, channels, *sizes]."""
    n, head = len(kernel), windows.shape[:2]
    out = _outputs(sizes, kernel, stride, dilation)
    if _are_patches(sizes, kernel, stride, dilation):
        x = b.reshape(windows, (*head, *kernel, *out))
        x = b.transpose(x, [0, 1, *itertools.chain(*((2 + n + d, 2 + d) for d in range(n)))])
        return b.reshape(x, (*head, *sizes))
    total = None
    for number, place in enumerate(itertools.product(*map(range, kernel))):
        part = b.reshape(b.slice(windows, 2, number, 1), (*head, *out))
        for d in range(n):
            part = _spread(b, part, 2 + d, place[d] * dilation[d], stride[d], sizes[d])
        total = part if total is None else b.add(total, part)
    assert total is not None
    return total


def _spread(b: Builder, x: Value, dim: int, start: int, step: int, size: int) -> Value:
    """Zeros of `size` along dim, with x from `start` on at every `step`."""
    count = x.shape[dim]
    if step > 1 and count > 1:
        x = b.pad(b.reshape(x, (*x.shape[:dim + 1], 1, *x.shape[dim + 1:])), dim + 1, 0, step - 1, 0.0)
        x = b.reshape(x, (*x.shape[:dim], count * step, *x.shape[dim + 2:]))
        x = b.slice(x, dim, 0, (count - 1) * step + 1)
    return b.pad(x, dim, start, size - start - x.shape[dim], 0.0)


# Convolutions. Groups are batches of products.


class _Convolution:
    def __init__(self, node: Node, stride: Sizes, padding: Sizes, dilation: Sizes, groups: int, kernel: Sizes) -> None:
        self.n = n = len(kernel)
        self.stride, self.padding, self.dilation = _each(stride, n), _each(padding, n), _each(dilation, n)
        self.groups, self.kernel = groups, tuple(kernel)

    def windows(self, b: Builder, x: Value) -> Value:
        """[groups, channels of a group * places, batch * positions]."""
        seen = _windows(b, _padded(b, x, self.padding, self.padding), self.kernel, self.stride, self.dilation)
        batch, channels, places, positions = seen.shape
        seen = b.reshape(seen, (batch, self.groups, channels // self.groups * places, positions))
        return b.reshape(b.transpose(seen, [1, 2, 0, 3]), (self.groups, channels // self.groups * places, batch * positions))

    def fold(self, b: Builder, windows: Value, shape: Sizes) -> Value:
        """The gradient of `windows` for an input of this shape."""
        batch, channels, *sizes = shape
        padded = [size + 2 * p for size, p in zip(sizes, self.padding, strict=True)]
        positions = math.prod(_outputs(padded, self.kernel, self.stride, self.dilation))
        places = math.prod(self.kernel)
        windows = b.reshape(windows, (self.groups, channels // self.groups * places, batch, positions))
        windows = b.reshape(b.transpose(windows, [2, 0, 1, 3]), (batch, channels, places, positions))
        x = _fold(b, windows, padded, self.kernel, self.stride, self.dilation)
        for d, (p, size) in enumerate(zip(self.padding, sizes, strict=True)):
            x = b.slice(x, 2 + d, p, size)
        return x

    def matrix(self, b: Builder, weight: Value) -> Value:
        """[groups, outputs of a group, channels of a group * places]."""
        return b.reshape(weight, (self.groups, weight.shape[0] // self.groups, math.prod(weight.shape[1:])))

    def by_group(self, b: Builder, y: Value) -> Value:
        """[batch, outputs, *positions] as [groups, outputs of a group, batch * positions]."""
        batch, outputs, *positions = y.shape
        y = b.reshape(y, (batch, self.groups, outputs // self.groups, math.prod(positions)))
        return b.reshape(b.transpose(y, [1, 2, 0, 3]), (self.groups, outputs // self.groups, batch * math.prod(positions)))

    def by_batch(self, b: Builder, y: Value, shape: Sizes) -> Value:
        """The inverse of `by_group`."""
        batch, outputs, *positions = shape
        y = b.reshape(y, (self.groups, outputs // self.groups, batch, math.prod(positions)))
        return b.reshape(b.transpose(y, [2, 0, 1, 3]), shape)


def _of_rank(b: Builder, x: Value, n: int) -> Value:
    return b.reshape(x, (1, *x.shape)) if x.rank == n + 1 else x


def _with_bias(b: Builder, y: Value, bias: Value | None) -> Value:
    return y if bias is None else b.add(y, b.broadcast(b.reshape(bias, (bias.shape[0],) + (1,) * (y.rank - 2)), y.shape))


@lower("aten.convolution.default")
def _convolution(
    b: Builder, node: Node, x: Value, weight: Value, bias: Value | None, stride: Sizes, padding: Sizes, dilation: Sizes,
    transposed: bool, output_padding: Sizes, groups: int,
) -> Value:
    shape = value_type(node.meta["val"])[0]
    of = _Convolution(node, stride, padding, dilation, groups, weight.shape[2:])
    whole = shape if len(shape) == of.n + 2 else (1, *shape)
    x = _of_rank(b, x, of.n)
    if transposed:
        # A convolution from the result to x: its input's gradient.
        y = of.fold(b, b.matmul(b.swap(of.matrix(b, weight), 1, 2), of.by_group(b, x)), whole)
    else:
        y = of.by_batch(b, b.matmul(of.matrix(b, weight), of.windows(b, x)), whole)
    return b.reshape(_with_bias(b, y, bias), shape)


@lower("aten.convolution_backward.default")
def _convolution_backward(
    b: Builder, node: Node, dy: Value, x: Value, weight: Value, bias_sizes: Sizes | None, stride: Sizes, padding: Sizes, dilation: Sizes,
    transposed: bool, output_padding: Sizes, groups: int, mask: Sequence[bool],
) -> tuple[Value | None, ...]:
    of = _Convolution(node, stride, padding, dilation, groups, weight.shape[2:])
    shape = x.shape
    x, dy = _of_rank(b, x, of.n), _of_rank(b, dy, of.n)
    # Of a transposed one the output plays the input's part.
    wide, narrow = (dy, x) if transposed else (x, dy)
    windows = of.windows(b, wide) if mask[1] or transposed else None
    dx = dweight = dbias = None
    if mask[0] and transposed:
        assert windows is not None
        dx = of.by_batch(b, b.matmul(of.matrix(b, weight), windows), x.shape)
    elif mask[0]:
        dx = of.fold(b, b.matmul(b.swap(of.matrix(b, weight), 1, 2), of.by_group(b, dy)), x.shape)
    if mask[1]:
        assert windows is not None
        dweight = b.reshape(b.matmul(of.by_group(b, narrow), b.swap(windows, 1, 2)), weight.shape)
    if mask[2]:
        dbias = b.reduce("sum", dy, [0, *range(2, dy.rank)])
    return (b.reshape(dx, shape) if dx is not None else None), dweight, dbias


# Pooling.


def _pool(x: Value, n: int, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, out: Sizes) -> tuple[tuple[int, ...], ...]:
    """Kernel, stride, dilation, padding in front and behind: with ceil_mode more than in front, so that windows that
    begin inside are whole."""
    kernel, padding, dilation = _each(kernel, n), _each(padding, n), _each(dilation, n)
    stride = _each(stride, n) if stride else kernel
    behind = tuple((o - 1) * s + (k - 1) * d + 1 - size - p
                   for o, s, k, d, size, p in zip(out, stride, kernel, dilation, x.shape[-n:], padding, strict=True))
    return kernel, stride, dilation, padding, behind


def _planes(b: Builder, x: Value, n: int) -> Value:
    return b.reshape(x, (1, math.prod(x.shape[:-n]), *x.shape[-n:]))


def _max_pool(n: int) -> None:
    @lower(f"aten.max_pool{n}d_with_indices.default")
    def lowering(
        b: Builder, node: Node, x: Value, kernel: Sizes, stride: Sizes = (), padding: Sizes = (0,), dilation: Sizes = (1,),
        ceil_mode: bool = False,
    ) -> tuple[Value, Value]:
        shape = value_type(node.meta["val"][0])[0]
        sizes = x.shape[-n:]
        kernel, stride, dilation, low, high = _pool(x, n, kernel, stride, padding, dilation, shape[-n:])
        planes = _padded(b, _planes(b, x, n), low, high, -math.inf)
        seen = _windows(b, planes, kernel, stride, dilation)
        largest = b.reduce("max", seen, [2], keepdim=True)
        # Where each element is in its plane, padding aside.
        place = b.reshape(b.iota(math.prod(sizes)), (1, 1, *sizes))
        place = _windows(b, _padded(b, place, low, high, 0), kernel, stride, dilation)
        nowhere = b.constant(math.prod(sizes), seen.shape, "i32")
        first = b.select(b.compare("eq", seen, b.broadcast(largest, seen.shape)), b.broadcast(place, seen.shape), nowhere)
        index = b.reduce("min", first, [2])
        return b.reshape(largest, shape), b.reshape(b.convert(index, "i64"), shape)

    @lower(f"aten.max_pool{n}d_with_indices_backward.default")
    def backward(b: Builder, node: Node, dy: Value, x: Value, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes,
                 ceil_mode: bool, indices: Value) -> Value:
        from .lookup import _scatter_add
        planes = (math.prod(x.shape[:-n]), math.prod(x.shape[-n:]))
        outputs = (planes[0], math.prod(dy.shape[-n:]))
        zeros = b.constant(0.0, planes)
        return b.reshape(_scatter_add(b, node, zeros, 1, b.reshape(indices, outputs), b.reshape(dy, outputs)), x.shape)


def _shares(b: Builder, sizes: Sizes, pool: tuple[tuple[int, ...], ...], counts_padding: bool, divisor: int | None) -> Value | float:
    """What each mean multiplies its window's sum by, [1, 1, positions] where positions differ."""
    kernel, stride, dilation, low, high = pool
    if divisor:
        return 1 / divisor
    counted = []
    for size, k, s, before, after in zip(sizes, kernel, stride, low, high, strict=True):
        end = size + before if counts_padding else size
        starts = range(-before, size + after - k + 1, s)
        counted.append([min(start + k, end) - (start if counts_padding else max(start, 0)) for start in starts])
    number = [math.prod(c) for c in itertools.product(*counted)]
    if len(set(number)) == 1:
        return 1 / number[0]
    parts = [b.constant(1 / value, (1, 1, len(list(same)))) for value, same in itertools.groupby(number)]
    return b.concat(parts, 2)


def _avg_pool(n: int) -> None:
    def share(b: Builder, of: Value, share: Value | float) -> Value:
        return b.mul(of, b.broadcast(share, of.shape) if isinstance(share, Value) else share)

    @lower(f"aten.avg_pool{n}d.default")
    def lowering(
        b: Builder, node: Node, x: Value, kernel: Sizes, stride: Sizes = (), padding: Sizes = (0,), ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Value:
        shape = value_type(node.meta["val"])[0]
        pool = _pool(x, n, kernel, stride, padding, (1,), shape[-n:])
        kernel, stride, dilation, low, high = pool
        seen = _windows(b, _padded(b, _planes(b, x, n), low, high), kernel, stride, dilation)
        total = b.reduce("sum", seen, [2])
        return b.reshape(share(b, total, _shares(b, x.shape[-n:], pool, count_include_pad, divisor_override)), shape)

    @lower(f"aten.avg_pool{n}d_backward.default")
    def backward(
        b: Builder, node: Node, dy: Value, x: Value, kernel: Sizes, stride: Sizes, padding: Sizes, ceil_mode: bool,
        count_include_pad: bool, divisor_override: int | None,
    ) -> Value:
        pool = _pool(x, n, kernel, stride, padding, (1,), dy.shape[-n:])
        kernel, stride, dilation, low, high = pool
        positions = b.reshape(dy, (1, math.prod(dy.shape[:-n]), math.prod(dy.shape[-n:])))
        each = share(b, positions, _shares(b, x.shape[-n:], pool, count_include_pad, divisor_override))
        each = b.reshape(each, (*each.shape[:2], 1, each.shape[2]))
        each = b.broadcast(each, (*each.shape[:2], math.prod(kernel), each.shape[3]))
        padded = [size + before + after for size, before, after in zip(x.shape[-n:], low, high, strict=True)]
        planes = _fold(b, each, padded, kernel, stride, dilation)
        # What no window reaches at the end has none.
        for d, (before, after) in enumerate(zip(low, high, strict=True)):
            planes = b.pad(planes, 2 + d, -before, -after, 0.0)
        return b.reshape(planes, x.shape)


for _n in (2, 3):
    _max_pool(_n)
    _avg_pool(_n)


@lower("aten._adaptive_avg_pool2d.default", "aten._adaptive_avg_pool3d.default")
def _adaptive_avg_pool(b: Builder, node: Node, x: Value, sizes: Sizes) -> Value:
    shape = value_type(node.meta["val"])[0]
    for d in range(x.rank - len(shape[-len(sizes):]), x.rank):
        x = _means(b, x, d, shape[d])
    return x


def _bins(size: int, out: int) -> list[tuple[int, int]]:
    return [(i * size // out, -(-(i + 1) * size // out)) for i in range(out)]


def _means(b: Builder, x: Value, dim: int, out: int) -> Value:
    """Means of `out` parts along dim, which may overlap."""
    if x.shape[dim] % out == 0:
        x = b.reshape(x, (*x.shape[:dim], out, x.shape[dim] // out, *x.shape[dim + 1:]))
        return b.mul(b.reduce("sum", x, [dim + 1]), 1 / x.shape[dim + 1])
    return b.concat([b.mul(b.reduce("sum", b.slice(x, dim, start, end - start), [dim], keepdim=True), 1 / (end - start))
                     for start, end in _bins(x.shape[dim], out)], dim)


@lower("aten._adaptive_avg_pool2d_backward.default", "aten._adaptive_avg_pool3d_backward.default")
def _adaptive_avg_pool_backward(b: Builder, node: Node, dy: Value, x: Value) -> Value:
    for d in range(1, x.rank):
        if dy.shape[d] != x.shape[d]:
            total = None
            for i, (start, end) in enumerate(_bins(x.shape[d], dy.shape[d])):
                part = b.mul(b.slice(dy, d, i, 1), 1 / (end - start))
                part = b.broadcast(part, (*part.shape[:d], end - start, *part.shape[d + 1:]))
                part = b.pad(part, d, start, x.shape[d] - end, 0.0)
                total = part if total is None else b.add(total, part)
            assert total is not None
            dy = total
    return dy
