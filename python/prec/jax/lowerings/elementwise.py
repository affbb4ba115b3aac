# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Primitives of one element. Roundings to other float formats are no part of a graph: recipes place them."""
from __future__ import annotations

import math

from ...builder import Builder
from ...ir import Kind, Value
from ...ranges import is_whole
from ..registry import HELD, Call, lower


def _unary(primitive: str, name: str) -> None:
    @lower(primitive, elementwise=True)
    def lowering(call: Call, x: Value) -> Value:
        return call.b.math(name, x)


for _primitive, _name in (("exp", "exp"), ("exp2", "exp2"), ("log", "log"), ("log1p", "log1p"), ("expm1", "expm1"), ("sin", "sin"), ("cos", "cos"),
                          ("tanh", "tanh"), ("sqrt", "sqrt"), ("rsqrt", "rsqrt"), ("erf", "erf"), ("floor", "floor"), ("ceil", "ceil")):
    _unary(_primitive, _name)


@lower("abs", elementwise=True)
def _abs(call: Call, x: Value) -> Value:
    return call.b.math("absf" if x.dtype == "f32" else "absi", x)


@lower("neg", elementwise=True)
def _neg(call: Call, x: Value) -> Value:
    return call.b.neg(x)


@lower("sign", elementwise=True)
def _sign(call: Call, x: Value) -> Value:
    b, one, zero = call.b, call.b.constant(1, x.shape, x.dtype), call.b.constant(0, x.shape, x.dtype)
    # Zeros and NaN stay what they are.
    return b.select(b.compare("gt", x, zero), one, b.select(b.compare("lt", x, zero), b.constant(-1, x.shape, x.dtype), x))


@lower("tan", elementwise=True)
def _tan(call: Call, x: Value) -> Value:
    return call.b.div(call.b.math("sin", x), call.b.math("cos", x))


@lower("sinh", elementwise=True)
def _sinh(call: Call, x: Value) -> Value:
    b = call.b
    e = b.math("expm1", x)
    return b.mul(b.add(e, b.div(e, b.add(e, 1.0))), 0.5)


@lower("cosh", elementwise=True)
def _cosh(call: Call, x: Value) -> Value:
    b = call.b
    return b.mul(b.add(b.math("exp", x), b.math("exp", b.neg(x))), 0.5)


@lower("atan2", elementwise=True)
def _atan2(call: Call, y: Value, x: Value) -> Value:
    return call.b.like("math.atan2", y, x)


@lower("erfc", elementwise=True)
def _erfc(call: Call, x: Value) -> Value:
    return call.b.one_minus(call.b.math("erf", x))


# Numerators and denominators, from the highest power down, of M. Wichura's algorithm AS 241 (1988) for quantiles of the
# normal distribution: near its middle and outside.
_QUANTILE_NEAR = ((2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4, 1.3731693765509461125e4,
                   1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0),
                  (5.2264952788528545610e3, 2.8729085735942194674e4, 3.9307895800092710610e4, 2.1213794301586595867e4, 5.3941960214247511077e3,
                   6.8718700749205790830e2, 4.2313330701600911252e1, 1.0))
_QUANTILE_FAR = ((7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1, 1.27045825245236838258e0,
                  3.64784832476320460504e0, 5.76949722146069140550e0, 4.63033784615654529590e0, 1.42343711074968357734e0),
                 (1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2, 1.48103976427480074590e-1,
                  6.89767334985100004550e-1, 1.67638483018380384940e0, 2.05319162663775882187e0, 1.0))


@lower("erf_inv", elementwise=True)
def _erf_inv(call: Call, x: Value) -> Value:
    """The quantile of (x + 1) / 2 by the square root of 2. Outside of the middle it is of r = (1 - |x|) / 2, which is
    the probability beyond; what is nearer to 1 than floats of 32 bits are is less exact."""
    b = call.b

    def quotient(r: Value, parts: tuple[tuple[float, ...], tuple[float, ...]]) -> Value:
        made = []
        for factors in parts:
            p = b.constant(factors[0], r.shape)
            for factor in factors[1:]:
                p = b.add(b.mul(p, r), factor)
            made.append(p)
        return b.div(*made)
    size, half = b.math("absf", x), b.mul(x, 0.5)
    near = b.mul(half, quotient(b.add(b.neg(b.mul(half, half)), 0.180625), _QUANTILE_NEAR))
    beyond = b.mul(b.one_minus(size), 0.5)
    far = b.like("math.copysign", quotient(b.add(b.math("sqrt", b.neg(b.math("log", beyond))), -1.6), _QUANTILE_FAR), x)
    found = b.mul(b.select(b.compare("le", size, b.constant(0.85, x.shape)), near, far), math.sqrt(0.5))
    is_end = b.compare("eq", size, b.constant(1.0, x.shape))
    return b.select(is_end, b.mul(x, b.constant(math.inf, x.shape)), found)


@lower("logistic", elementwise=True)
def _logistic(call: Call, x: Value) -> Value:
    b = call.b
    return b.div(b.constant(1.0, x.shape), b.add(b.math("exp", b.neg(x)), 1.0))


@lower("cbrt", elementwise=True)
def _cbrt(call: Call, x: Value) -> Value:
    b = call.b
    return b.like("math.copysign", b.like(Kind.POWF, b.math("absf", x), b.constant(1 / 3, x.shape)), x)


@lower("round", elementwise=True)
def _round(call: Call, x: Value) -> Value:
    if call.params["rounding_method"].name != "TO_NEAREST_EVEN":
        raise NotImplementedError("rounding of halves away from zero (write jnp.round)")
    return call.b.math("roundeven", x)


@lower("is_finite", elementwise=True)
def _is_finite(call: Call, x: Value) -> Value:
    return call.b.compare("lt", call.b.math("absf", x), call.b.constant(math.inf, x.shape))


# Two operands


@lower("add", "add_any", elementwise=True)
def _add(call: Call, x: Value, y: Value) -> Value:
    return call.b.add(x, y)


@lower("sub", elementwise=True)
def _sub(call: Call, x: Value, y: Value) -> Value:
    return call.b.sub(x, y)


@lower("mul", elementwise=True)
def _mul(call: Call, x: Value, y: Value) -> Value:
    return call.b.mul(x, y)


@lower("square", elementwise=True)
def _square(call: Call, x: Value) -> Value:
    return call.b.mul(x, x)


def _nonzero(b: Builder, y: Value) -> tuple[Value, Value | None]:
    """A divisor that is not zero, and where it was."""
    low, high = b.ranges.of(y)
    if low > 0 or high < 0:
        return y, None
    is_zero = b.compare("eq", y, b.constant(0, y.shape, y.dtype))
    return b.select(is_zero, b.constant(1, y.shape, y.dtype), y), is_zero


@lower("div", elementwise=True)
def _div(call: Call, x: Value, y: Value) -> Value:
    b = call.b
    if x.dtype == "f32":
        return b.div(x, y)
    # Of whole numbers by zero XLA makes -1.
    divisor, is_zero = _nonzero(b, y)
    quotient = b.like(Kind.DIVSI, x, divisor)
    return quotient if is_zero is None else b.select(is_zero, b.constant(-1, x.shape, x.dtype), quotient)


@lower("rem", elementwise=True)
def _rem(call: Call, x: Value, y: Value) -> Value:
    b = call.b
    if x.dtype == "f32":
        return b.like("arith.remf", x, y)
    divisor, is_zero = _nonzero(b, y)
    rest = b.like("arith.remsi", x, divisor)
    return rest if is_zero is None else b.select(is_zero, x, rest)


def _extreme(primitive: str, of_floats: str, of_whole: str, of_bools: str) -> None:
    @lower(primitive, elementwise=True)
    def lowering(call: Call, x: Value, y: Value) -> Value:
        return call.b.like({"f32": of_floats, "i1": of_bools}.get(x.dtype, of_whole), x, y)


_extreme("max", Kind.MAXIMUMF, Kind.MAXSI, "arith.ori")
_extreme("min", Kind.MINIMUMF, Kind.MINSI, "arith.andi")


@lower("clamp", elementwise=True)
def _clamp(call: Call, low: Value, x: Value, high: Value) -> Value:
    least, most = (Kind.MAXIMUMF, Kind.MINIMUMF) if x.dtype == "f32" else (Kind.MAXSI, Kind.MINSI)
    return call.b.like(most, call.b.like(least, x, low), high)


def _bits(primitive: str, name: str) -> None:
    @lower(primitive, elementwise=True)
    def lowering(call: Call, x: Value, y: Value) -> Value:
        return call.b.like(name, x, y)


for _primitive, _name in (("and", "arith.andi"), ("or", "arith.ori"), ("xor", "arith.xori")):
    _bits(_primitive, _name)


@lower("not", elementwise=True)
def _not(call: Call, x: Value) -> Value:
    """All bits; those beyond the dtype's are cut off again."""
    return call.b.like("arith.xori", x, call.b.constant(True if x.dtype == "i1" else -1, x.shape, x.dtype))


@lower("shift_left", elementwise=True)
def _shift_left(call: Call, x: Value, y: Value) -> Value:
    return _shift(call, Kind.SHLI, x, y)


@lower("shift_right_arithmetic", elementwise=True)
def _shift_right(call: Call, x: Value, y: Value) -> Value:
    return _shift(call, Kind.SHRSI, x, y)


@lower("shift_right_logical", elementwise=True)
def _shift_right_logical(call: Call, x: Value, y: Value) -> Value:
    b, dtype = call.b, str(call.dtypes[0])
    bits = int(dtype.lstrip("uint"))
    low, high = b.ranges.of(y)
    if low >= bits:
        return b.constant(0, x.shape, x.dtype)
    if low < 0 or high >= bits:
        raise NotImplementedError("shifts by a number that may be negative or beyond the bits")
    if dtype in HELD and HELD[dtype][0] < 0:
        x = b.like("arith.andi", x, b.constant((1 << bits) - 1, x.shape, x.dtype))
    return b.like(Kind.SHRUI, x, y)


def _shift(call: Call, name: str, x: Value, y: Value) -> Value:
    low, high = call.b.ranges.of(y)
    if low < 0 or high >= (32 if x.dtype == "i32" else 64):
        raise NotImplementedError("shifts by a number that may be negative or beyond the bits")
    return call.b.like(name, x, y)


def _comparison(predicate: str) -> None:
    @lower(predicate, elementwise=True)
    def lowering(call: Call, x: Value, y: Value) -> Value:
        return call.b.compare(predicate, x, y)


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name)


def _total_order(predicate: str) -> None:
    @lower(f"{predicate}_to", elementwise=True)
    def lowering(call: Call, x: Value, y: Value) -> Value:
        return call.b.compare(predicate, _ordered(call.b, x), _ordered(call.b, y))


def _ordered(b: Builder, x: Value) -> Value:
    """A whole number in the total order of floats: of negative ones the bits are turned around."""
    if x.dtype != "f32":
        return x
    bits = b.op(Kind.BITCAST, [x], [(x.shape, "i32")]).result
    sign = b.like(Kind.SHRSI, bits, b.constant(31, x.shape, "i32"))
    return b.like("arith.xori", bits, b.like("arith.andi", sign, b.constant(2**31 - 1, x.shape, "i32")))


for _name in ("lt", "le"):
    _total_order(_name)


@lower("select_n", elementwise=True)
def _select_n(call: Call, which: Value, *cases: Value) -> Value:
    b = call.b
    if which.dtype == "i1":
        return b.select(which, cases[1], cases[0]) if len(cases) == 2 else cases[0]
    chosen = cases[-1]
    for i in reversed(range(len(cases) - 1)):
        chosen = b.select(b.compare("eq", which, b.constant(i, which.shape, which.dtype)), cases[i], chosen)
    return chosen


# Powers


@lower("integer_pow", elementwise=True)
def _integer_pow(call: Call, x: Value) -> Value:
    b, exponent = call.b, int(call.params["y"])
    power, factor, rest = None, x, abs(exponent)
    while rest:
        if rest & 1:
            power = factor if power is None else b.mul(power, factor)
        rest >>= 1
        factor = b.mul(factor, factor) if rest else factor
    one = b.constant(1, x.shape, x.dtype)
    if power is None:
        return one
    if exponent > 0:
        return power
    if is_whole(x.dtype):
        raise NotImplementedError("negative powers of whole numbers")
    return b.div(one, power)


@lower("pow", elementwise=True)
def _pow(call: Call, x: Value, y: Value) -> Value:
    if is_whole(x.dtype):
        raise NotImplementedError("powers of whole numbers by a number that is not known")
    return call.b.like(Kind.POWF, x, call.b.convert(y, "f32"))


# Conversions and what computes nothing


@lower("convert_element_type", elementwise=True)
def _convert(call: Call, x: Value) -> Value:
    b, to = call.b, call.dtype
    if x.dtype != "f32" or to not in ("i32", "i64"):
        return b.convert(x, to)
    whole = _to_whole(b, x, to)
    held = HELD.get(str(call.dtypes[0]))
    if held is None:
        return whole
    return b.like(Kind.MINSI, b.like(Kind.MAXSI, whole, b.constant(held[0], x.shape, to)), b.constant(held[1], x.shape, to))


def _to_whole(b: Builder, x: Value, dtype: str) -> Value:
    """Cut towards zero; NaN is 0, and what does not fit the nearest that does, as XLA has it."""
    bits = 31 if dtype == "i32" else 63
    most, limit = float(2**bits - 2**(bits - 24)), b.constant(float(2**bits), x.shape)
    number = b.select(b.compare("eq", x, x), x, b.constant(0.0, x.shape))
    held = b.like(Kind.MAXIMUMF, b.like(Kind.MINIMUMF, number, b.constant(most, x.shape)), b.constant(-float(2**bits), x.shape))
    whole = b.op(Kind.FPTOSI, [held], [(x.shape, dtype)]).result
    return b.select(b.compare("ge", number, limit), b.constant(2**bits - 1, x.shape, dtype), whole)


@lower("reduce_precision", "stop_gradient", "copy", "copy_p", "real", "sharding_constraint", "name", "pvary", elementwise=True)
def _same(call: Call, x: Value) -> Value:
    return x


@lower("bitcast_convert_type", elementwise=True)
def _bitcast(call: Call, x: Value) -> Value:
    b, to = call.b, str(call.dtypes[0])
    # Words without a sign are held in 64 bits.
    if x.dtype not in ("i32", "i64", "f32") or to not in ("int32", "uint32", "float32") or x.shape != call.shape:
        raise NotImplementedError(f"bits of {x.dtype} as {to}")
    if to == "float32":
        return x if x.dtype == "f32" else b.op(Kind.BITCAST, [b.convert(x, "i32")], [(x.shape, "f32")]).result
    whole = b.op(Kind.BITCAST, [x], [(x.shape, "i32")]).result if x.dtype == "f32" else b.convert(x, "i32")
    return b.convert(whole, call.dtype)
