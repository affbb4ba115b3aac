# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pooling of images and volumes of several channels, [batch, channels, *sizes], by operations that move with the layout
of convolutions (layout.py): slices and elementwise ones.

Each place of the kernel is a strided slice of the input, and a window's largest element or mean is that of the slices,
element by element. The gradient spreads a slice for each place again; of windows that meet no two times and leave
nothing out it is a repetition.
"""
from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...builder import Builder
from ...ir import Value

Sizes = Sequence[int]


@dataclass
class Windows:
    sizes: tuple[int, ...]
    out: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]

    @property
    def are_patches(self) -> bool:
        return self.kernel == self.stride and not any((*self.low, *self.high)) and all(
            k == 1 or d == 1 for k, d in zip(self.kernel, self.dilation, strict=True)) and all(
            o * k == size for o, k, size in zip(self.out, self.kernel, self.sizes, strict=True))

    def slices(self, b: Builder, x: Value, value: float) -> Iterator[Value]:
        """Of x, whose last dimensions are the sizes, surrounded by `value`, for each place of the kernel."""
        dim = x.rank - len(self.sizes)
        for d, (before, after) in enumerate(zip(self.low, self.high, strict=True)):
            x = b.pad(x, dim + d, before, after, value)
        for place in itertools.product(*map(range, self.kernel)):
            part = x
            for d, p in enumerate(place):
                part = b.slice(part, dim + d, p * self.dilation[d], self.out[d], self.stride[d])
            yield part

    def numbers(self, b: Builder, outside: int) -> list[Value]:
        """By place, which element of the input each window meets."""
        return list(self.slices(b, b.reshape(b.iota(math.prod(self.sizes)), self.sizes), outside))

    def spread(self, b: Builder, parts: Sequence[Value]) -> Value:
        """The sum of slices, by place, where they were."""
        from .windows import _spread
        total = None
        for part, place in zip(parts, itertools.product(*map(range, self.kernel)), strict=True):
            for d, p in enumerate(place):
                whole = self.sizes[d] + self.low[d] + self.high[d]
                part = _spread(b, part, 2 + d, p * self.dilation[d], self.stride[d], whole)
            total = part if total is None else b.add(total, part)
        assert total is not None
        for d, (before, after) in enumerate(zip(self.low, self.high, strict=True)):
            total = b.pad(total, 2 + d, -before, -after, 0.0)
        return total

    def cut(self, x: Value) -> tuple[int, ...]:
        """The shape of x with each patch's dimensions behind those of positions."""
        return (*x.shape[:2], *itertools.chain(*zip(self.out, self.kernel, strict=True)))

    def repeat(self, b: Builder, x: Value) -> Value:
        """x, of patches, for each of their elements."""
        return b.broadcast(b.reshape(x, (*x.shape[:2], *itertools.chain(*((o, 1) for o in self.out)))), self.cut(x))


def largest(b: Builder, x: Value, of: Windows) -> tuple[Value, Value]:
    """By window, and which element of the plane it is: the first of several."""
    seen = list(of.slices(b, x, -math.inf))
    most = seen[0]
    for part in seen[1:]:
        most = b.like("arith.maxnumf", most, part)
    index = b.constant(math.prod(of.sizes), most.shape, "i32")
    for part, number in reversed(list(zip(seen, of.numbers(b, 0), strict=True))):
        index = b.select(b.compare("eq", part, most), b.broadcast(number, most.shape), index)
    return most, index


def of_largest(b: Builder, dy: Value, index: Value, shape: Sizes, of: Windows) -> Value:
    """The gradient of `largest` for an input of this shape."""
    def given(index: Value, number: Value, dy: Value) -> Value:
        return b.select(b.compare("eq", index, b.broadcast(number, dy.shape)), dy, b.constant(0.0, dy.shape))
    if of.are_patches:
        number = b.reshape(b.iota(math.prod(of.sizes)), of.cut(dy)[2:])
        return b.reshape(given(of.repeat(b, index), number, of.repeat(b, dy)), shape)
    return of.spread(b, [given(index, number, dy) for number in of.numbers(b, -1)])


def sums(b: Builder, x: Value, of: Windows) -> Value:
    if of.are_patches:
        return b.reduce("sum", b.reshape(x, of.cut(x)), range(3, 3 + 2 * len(of.sizes), 2))
    total, *rest = of.slices(b, x, 0.0)
    for part in rest:
        total = b.add(total, part)
    return total


def of_sums(b: Builder, dy: Value, shape: Sizes, of: Windows) -> Value:
    """The gradient of `sums` for an input of this shape."""
    if of.are_patches:
        return b.reshape(of.repeat(b, dy), shape)
    return of.spread(b, [dy] * math.prod(of.kernel))
