# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Threefry (Salmon et al., 2011), the generator behind keys of jax.random: twenty rounds of additions, rotations and
exclusive ors of two words of 32 bits, with a part of the key added after every four. In the graph these are operations
on i32, which wrap around as the generator's do."""
from __future__ import annotations

import math

from ...builder import Builder
from ...ir import Kind, Value
from ..registry import Call, lower

_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_PARITY = 0x1BD11BDA  # Of the key's third word.


def _add(b: Builder, x: Value, y: Value) -> Value:
    return b.like("arith.addi", x, y)


def _xor(b: Builder, x: Value, y: Value) -> Value:
    return b.like("arith.xori", x, y)


def _rotated(b: Builder, x: Value, count: int) -> Value:
    left, right = b.constant(count, x.shape, "i32"), b.constant(32 - count, x.shape, "i32")
    return b.like("arith.ori", b.like(Kind.SHLI, x, left), b.like(Kind.SHRUI, x, right))


@lower("threefry2x32")
def _threefry(call: Call, *words: Value) -> tuple[Value, ...]:
    b, shape = call.b, call.shape
    first, second, x, y = (b.convert(word, "i32") for word in words)
    keys = [first, second, _xor(b, _xor(b, first, second), b.constant(_PARITY, first.shape, "i32"))]
    x, y = b.broadcast(x, shape), b.broadcast(y, shape)
    x, y = _add(b, x, b.broadcast(keys[0], shape)), _add(b, y, b.broadcast(keys[1], shape))
    for group in range(5):
        for count in _ROTATIONS[group % 2]:
            x = _add(b, x, y)
            y = _xor(b, _rotated(b, y, count), x)
        more = _add(b, keys[(group + 2) % 3], b.constant(group + 1, keys[0].shape, "i32"))
        x, y = _add(b, x, b.broadcast(keys[(group + 1) % 3], shape)), _add(b, y, b.broadcast(more, shape))
    return b.convert(x, "i64"), b.convert(y, "i64")


@lower("iota_2x32_shape")
def _count(call: Call) -> tuple[Value, ...]:
    """The number of each element, as its high and low word."""
    count = math.prod(call.shape)
    if count >= 1 << 31:
        raise NotImplementedError(f"{count} numbers at once, which are more than 2^31")
    low = call.b.reshape(call.b.iota(count), call.shape)
    return call.b.constant(0, call.shape, "i64"), call.b.convert(low, "i64")
