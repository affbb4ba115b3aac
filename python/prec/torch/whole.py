# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quotients, rests, powers and shifts of whole numbers, as PyTorch has them, in operations that never trap.

PyTorch raises on the CPU where a divisor is zero. A step cannot: where it is not known that a divisor is none, the step
looks, and if it finds a zero its loss is NaN, and it changes nothing.
"""
from __future__ import annotations

import torch

from ..builder import Builder
from ..ir import Kind, Value


def _only(b: Builder, x: Value) -> int | None:
    """The number that all elements are, if that is known."""
    low, high = b.ranges.of(x)
    return low if low == high else None


def _arith(b: Builder, stem: str, x: Value, y: Value | int) -> Value:
    return b.like(f"arith.{stem}", x, y if isinstance(y, Value) else b.constant(y, x.shape, x.dtype))


def _divisor(b: Builder, y: Value) -> None:
    low, high = b.ranges.of(y)
    if low == high == 0:
        raise NotImplementedError("a whole divisor of zero (write y.clamp(min=1), or divide floats)")
    if low <= 0 <= high and y not in b.faults:
        is_zero = b.convert(b.compare("eq", y, b.constant(0, y.shape, y.dtype)), "f32")
        b.faults[y] = b.reduce("max", is_zero, range(is_zero.rank))


def _safe(b: Builder, y: Value) -> tuple[Value, Value | None]:
    """The divisor with 1 for -1, and where it was -1: the least number by -1 is beyond all, which processors trap. They
    trap a zero, too."""
    if y.op is not None and y.op.name == Kind.CONSTANT and y.op.attrs["value"] != -1:
        return y, None
    one = b.constant(1, y.shape, y.dtype)
    y = b.select(b.compare("eq", y, b.constant(0, y.shape, y.dtype)), one, y)
    low, high = b.ranges.of(y)
    if not low <= -1 <= high:
        return y, None
    is_minus_one = b.compare("eq", y, b.constant(-1, y.shape, y.dtype))
    return b.select(is_minus_one, one, y), is_minus_one


def truncated_quotient(b: Builder, x: Value, y: Value) -> Value:
    _divisor(b, y)
    if _only(b, y) == 1:
        return x
    if _only(b, y) == -1:
        return b.neg(x)
    safe, is_minus_one = _safe(b, y)
    quotient = _arith(b, "divsi", x, safe)
    return quotient if is_minus_one is None else b.select(is_minus_one, b.neg(x), quotient)


def truncated_rest(b: Builder, x: Value, y: Value) -> Value:
    _divisor(b, y)
    # By -1 the rest is 0, as by 1.
    return _arith(b, "remsi", x, _safe(b, y)[0])


def _differs(b: Builder, rest: Value, y: Value) -> Value:
    """Where a rest has another sign than its divisor, and so is one divisor away from the floored one."""
    zero = b.constant(0, rest.shape, rest.dtype)
    opposite = b.compare("lt", _arith(b, "xori", rest, y), zero)
    return b.like("arith.andi", b.compare("ne", rest, zero), opposite)


def floored_quotient(b: Builder, x: Value, y: Value) -> Value:
    quotient = truncated_quotient(b, x, y)
    if b.ranges.of(x)[0] >= 0 and b.ranges.of(y)[0] > 0 or _only(b, y) in (1, -1):
        return quotient
    return b.select(_differs(b, truncated_rest(b, x, y), y), _arith(b, "subi", quotient, 1), quotient)


def floored_rest(b: Builder, x: Value, y: Value) -> Value:
    rest, divisor = truncated_rest(b, x, y), _only(b, y)
    if b.ranges.of(x)[0] >= 0 and b.ranges.of(y)[0] > 0:
        return rest
    rest = b.select(_differs(b, rest, y), b.add(rest, y), rest)
    if divisor is None or divisor < 0:
        return rest
    # Changes nothing, and says so to whoever asks for the range: x % n indexes a table of n rows.
    return _arith(b, "minsi", _arith(b, "maxsi", rest, 0), divisor - 1)


def constant_power(b: Builder, x: Value, exponent: int) -> Value:
    """By squaring; products wrap around."""
    result = None
    while exponent:
        if exponent & 1:
            result = x if result is None else b.mul(result, x)
        exponent >>= 1
        x = b.mul(x, x) if exponent else x
    return b.constant(1, x.shape, x.dtype) if result is None else result


def power(b: Builder, x: Value, exponent: Value) -> Value:
    """Of a negative exponent 1, 1 or -1, or 0: the whole part of the power of 1, of -1, and of any other number."""
    one, zero = b.constant(1, x.shape, x.dtype), b.constant(0, x.shape, x.dtype)
    low, high = b.ranges.of(exponent)
    base, result = x, one
    for bit in range(max(high, 0).bit_length()):
        is_set = b.compare("ne", _arith(b, "andi", exponent, 1 << bit), zero)
        result = b.select(is_set, b.mul(result, base), result)
        base = b.mul(base, base)
    if low >= 0:
        return result
    is_odd = b.compare("ne", _arith(b, "andi", exponent, 1), zero)
    minus = b.constant(-1, x.shape, x.dtype)
    of_minus_one = b.select(b.compare("eq", x, minus), b.select(is_odd, minus, one), zero)
    below = b.select(b.compare("eq", x, one), one, of_minus_one)
    return b.select(b.compare("lt", exponent, zero), below, result)


def shift_left(b: Builder, x: Value, count: Value, info: torch.iinfo) -> Value:
    """Nothing is left of a number that is shifted by its width or more, or by less than nothing."""
    if _is_within(b, count, info.bits - 1):
        return _arith(b, "shli", x, count)
    inside = _arith(b, "minsi", _arith(b, "maxsi", count, 0), info.bits - 1)
    return b.select(b.compare("eq", inside, count), _arith(b, "shli", x, inside), b.constant(0, x.shape, x.dtype))


def shift_right(b: Builder, x: Value, count: Value, info: torch.iinfo) -> Value:
    """The sign is left of a number that is shifted by its width or more, or by less than nothing."""
    most = info.bits - (1 if info.min < 0 else 0)
    if not _is_within(b, count, most):
        is_below = b.compare("lt", count, b.constant(0, x.shape, x.dtype))
        count = _arith(b, "minsi", b.select(is_below, b.constant(most, x.shape, x.dtype), count), most)
    return _arith(b, "shrsi", x, count)


def _is_within(b: Builder, count: Value, most: int) -> bool:
    low, high = b.ranges.of(count)
    return 0 <= low and high <= most
