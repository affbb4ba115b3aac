# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling over one to three dimensions, and its gradients.

A window is what a kernel sees of its input at one output position. `_windows` puts every window's elements side by
side, as one strided slice for each place of the kernel, and `_fold` is its gradient: it adds elements of windows back
to where they came from. Windows that meet no two times and leave nothing out are a transposition.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from torch.fx import Node

from ...builder import Builder
from ...ir import Value
from ..registry import lower, value_type
from . import images

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


# Pooling.


def _pool(x: Value, n: int, kernel: Sizes, stride: Sizes, padding: Sizes, dilation: Sizes, out: Sizes) -> tuple[tuple[int, ...], ...]:
    """Kernel, stride, dilation, padding in front and behind: with ceil_mode more than in front, so that windows that
    begin inside are whole."""
    kernel, padding, dilation = _each(kernel, n), _each(padding, n), _each(dilation, n)
    stride = _each(stride, n) if stride else kernel
    behind = tuple((o - 1) * s + (k - 1) * d + 1 - size - p
                   for o, s, k, d, size, p in zip(out, stride, kernel, dilation, x.shape[-n:], padding, strict=True))
    return kernel, stride, dilation, padding, behind


def _of_image(x: Value, n: int, pool: tuple[tuple[int, ...], ...], out: Sizes) -> images.Windows | None:
    """Where channels may be last; others are planes, one behind the other."""
    if x.rank != n + 2 or x.shape[1] == 1:
        return None
    kernel, stride, dilation, low, high = pool
    return images.Windows(x.shape[2:], tuple(out), kernel, stride, dilation, low, high)


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
        pool = _pool(x, n, kernel, stride, padding, dilation, shape[-n:])
        if (image := _of_image(x, n, pool, shape[-n:])) is not None:
            most, index = images.largest(b, x, image)
            return most, b.convert(index, "i64")
        kernel, stride, dilation, low, high = pool
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
        image = _of_image(x, n, _pool(x, n, kernel, stride, padding, dilation, dy.shape[-n:]), dy.shape[-n:])
        if image is not None:
            return images.of_largest(b, dy, b.convert(indices, "i32"), x.shape, image)
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


def _by_position(b: Builder, shares: Value | float, out: Sizes) -> Value | float:
    return b.reshape(shares, out) if isinstance(shares, Value) else shares


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
        shares = _shares(b, x.shape[-n:], pool, count_include_pad, divisor_override)
        if (image := _of_image(x, n, pool, shape[-n:])) is not None:
            return share(b, images.sums(b, x, image), _by_position(b, shares, shape[-n:]))
        kernel, stride, dilation, low, high = pool
        seen = _windows(b, _padded(b, _planes(b, x, n), low, high), kernel, stride, dilation)
        total = b.reduce("sum", seen, [2])
        return b.reshape(share(b, total, shares), shape)

    @lower(f"aten.avg_pool{n}d_backward.default")
    def backward(
        b: Builder, node: Node, dy: Value, x: Value, kernel: Sizes, stride: Sizes, padding: Sizes, ceil_mode: bool,
        count_include_pad: bool, divisor_override: int | None,
    ) -> Value:
        pool = _pool(x, n, kernel, stride, padding, (1,), dy.shape[-n:])
        if (image := _of_image(x, n, pool, dy.shape[-n:])) is not None:
            shares = _by_position(b, _shares(b, x.shape[-n:], pool, count_include_pad, divisor_override), dy.shape[-n:])
            return images.of_sums(b, share(b, dy, shares), x.shape, image)
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
