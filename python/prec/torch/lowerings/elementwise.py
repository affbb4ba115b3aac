# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise ATen ops, forward and backward, as arith and math on tensors of one shape."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

from ...builder import Builder
from ...ir import Kind, Value
from .. import whole
from ..registry import HELD, erase, lower, value_type, wrap

Build = Callable[[Builder, Value, Value], Value]


def operand(b: Builder, x: Value | float, shape: Sequence[int], dtype: torch.dtype | str) -> Value:
    """A tensor or Python number as an operand of this shape and dtype, PyTorch's or a graph's."""
    if isinstance(x, Value):
        return b.broadcast(wrap(b, b.convert(x, erase(dtype)), dtype), shape)
    if dtype in HELD and not HELD[dtype][0] <= x <= HELD[dtype][1]:
        raise NotImplementedError(f"the number {x} beside a tensor of {dtype}, which holds {HELD[dtype][0]} to {HELD[dtype][1]} "
                                  "(convert the tensor to torch.int64 first)")
    return b.constant(x, shape, erase(dtype))


def _result(node: torch.fx.Node) -> tuple[tuple[int, ...], torch.dtype]:
    """Shape and PyTorch's dtype of the result."""
    return tuple(node.meta["val"].shape), node.meta["val"].dtype


def _binary(name: str, build: Build, *overloads: str) -> None:
    @lower(*(f"aten.{name}.{o}" for o in overloads or ("Tensor", "Scalar")))
    def lowering(b: Builder, node: torch.fx.Node, x: Value | float, y: Value | float, alpha: float = 1) -> Value:
        shape, dtype = _result(node)
        if dtype == torch.bool and name in ("sub", "rsub"):
            raise NotImplementedError("differences of booleans (write x ^ y)")
        x, y = operand(b, x, shape, dtype), operand(b, y, shape, dtype)
        return build(b, x, y if alpha == 1 else b.mul(y, alpha))


def _bits(op: str) -> Build:
    return lambda b, x, y: b.like(f"arith.{op}", x, y)


# Sums, products and extremes of booleans are those of the ring {False, True}.
_binary("add", lambda b, x, y: b.like("arith.ori", x, y) if x.dtype == "i1" else b.add(x, y))
_binary("sub", lambda b, x, y: b.sub(x, y))
_binary("mul", lambda b, x, y: b.like("arith.andi", x, y) if x.dtype == "i1" else b.mul(x, y))
_binary("div", lambda b, x, y: b.div(x, y))
_binary("rsub", lambda b, x, y: b.sub(y, x))
_binary("maximum", lambda b, x, y: _extreme(b, "max", x, y), "default")
_binary("minimum", lambda b, x, y: _extreme(b, "min", x, y), "default")
for _name, _op in (("and", "andi"), ("or", "ori"), ("xor", "xori")):
    _binary(f"bitwise_{_name}", _bits(_op))
    _binary(f"__{_name}__", _bits(_op))


def _logical(name: str, op: str) -> None:
    @lower(f"aten.logical_{name}.default")
    def lowering(b: Builder, node: torch.fx.Node, x: Value | float, y: Value | float) -> Value:
        shape = value_type(node.meta["val"])[0]
        return b.like(f"arith.{op}", operand(b, x, shape, "i1"), operand(b, y, shape, "i1"))


for _name, _op in (("and", "andi"), ("or", "ori"), ("xor", "xori")):
    _logical(_name, _op)


def _extreme(b: Builder, kind: str, x: Value, y: Value) -> Value:
    if x.dtype == "i1":
        return b.like("arith.ori" if kind == "max" else "arith.andi", x, y)
    return b.like(f"arith.{kind}imumf" if x.dtype == "f32" else f"arith.{kind}si", x, y)


def _comparison(name: str) -> None:
    @lower(f"aten.{name}.Tensor", f"aten.{name}.Scalar")
    def lowering(b: Builder, node: torch.fx.Node, x: Value | float, y: Value | float) -> Value:
        shape = value_type(node.meta["val"])[0]
        # As PyTorch promotes them: whole numbers are compared as such, a float on either side makes both float.
        dtype = torch.result_type(*(a.meta["val"] if isinstance(a, torch.fx.Node) else a for a in node.args[:2]))  # type: ignore[arg-type]
        return b.compare(name, operand(b, x, shape, dtype), operand(b, y, shape, dtype))


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name)


def _unary(name: str, to: str) -> None:
    @lower(f"aten.{name}.default")
    def lowering(b: Builder, node: torch.fx.Node, x: Value) -> Value:
        return b.math(to, b.convert(x, "f32"))


for _name, _to in (("exp", "exp"), ("log", "log"), ("sqrt", "sqrt"), ("rsqrt", "rsqrt"), ("sin", "sin"), ("cos", "cos"),
                   ("tanh", "tanh"), ("erf", "erf"), ("log1p", "log1p"), ("expm1", "expm1"), ("log2", "log2"), ("exp2", "exp2")):
    _unary(_name, _to)


@lower("aten.log10.default")
def _log10(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return b.mul(b.math("log", b.convert(x, "f32")), 1 / math.log(10))


# Angles: of the point (cosine, sine), whatever its distance.


def _angle(b: Builder, sine: Value, cosine: Value) -> Value:
    return b.like("math.atan2", sine, cosine)


@lower("aten.atan2.default")
def _atan2(b: Builder, node: torch.fx.Node, y: Value, x: Value) -> Value:
    shape, dtype = _result(node)
    return _angle(b, operand(b, y, shape, dtype), operand(b, x, shape, dtype))


@lower("aten.atan.default")
def _atan(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    x = b.convert(x, "f32")
    return _angle(b, x, b.constant(1.0, x.shape))


def _other_leg(b: Builder, x: Value) -> Value:
    """sqrt(1 - x * x)."""
    return b.math("sqrt", b.mul(b.one_minus(x), b.add(x, 1.0)))


@lower("aten.asin.default")
def _asin(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    x = b.convert(x, "f32")
    return _angle(b, x, _other_leg(b, x))


@lower("aten.acos.default")
def _acos(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    x = b.convert(x, "f32")
    return _angle(b, _other_leg(b, x), x)


@lower("aten.isnan.default")
def _isnan(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return b.compare("ne", x, x) if x.dtype == "f32" else b.constant(False, x.shape, "i1")


@lower("aten.isinf.default")
def _isinf(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return b.compare("eq", b.math("absf", x), b.constant(math.inf, x.shape)) if x.dtype == "f32" else b.constant(False, x.shape, "i1")


@lower("aten.copysign.Tensor", "aten.copysign.Scalar")
def _copysign(b: Builder, node: torch.fx.Node, x: Value, sign: Value | float) -> Value:
    shape, dtype = _result(node)
    return b.like("math.copysign", operand(b, x, shape, dtype), operand(b, sign, shape, dtype))


@lower("aten.abs.default")
def _abs(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return b.math("absf" if x.dtype == "f32" else "absi", x)


@lower("aten.neg.default")
def _neg(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return b.neg(x)


@lower("aten.sgn.default", "aten.sign.default")
def _sign(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    if x.dtype == "i1":
        return x
    zero, one = b.constant(0, x.shape, x.dtype), b.constant(1, x.shape, x.dtype)
    return b.select(b.compare("gt", x, zero), one, b.select(b.compare("lt", x, zero), b.constant(-1, x.shape, x.dtype), zero))


@lower("aten.reciprocal.default")
def _reciprocal(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return b.div(b.constant(1.0, x.shape), b.convert(x, "f32"))


@lower("aten.logical_not.default")
def _logical_not(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    x = b.convert(x, "i1")
    return b.like("arith.xori", x, b.constant(True, x.shape, "i1"))


@lower("aten.bitwise_not.default")
def _bitwise_not(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return b.like("arith.xori", x, b.constant(True if x.dtype == "i1" else -1, x.shape, x.dtype))


@lower("aten._to_copy.default", "aten.to.dtype", "prims.convert_element_type.default")
def _convert(b: Builder, node: torch.fx.Node, x: Value | float, *_: object, **__: object) -> Value:
    to = node.meta["val"].dtype
    if not isinstance(x, Value):
        # A number that a decomposition has made a tensor of none.
        return b.constant(x, node.meta["val"].shape, erase(to))
    if to == torch.uint8 and x.dtype == "f32":
        # As PyTorch has it: 300.5 is 44.
        return b.convert(b.convert(x, "i64"), "i32")
    return b.convert(x, erase(to))


@lower("aten.clone.default", "aten.detach.default", "aten.detach_.default", "aten.alias.default", "aten.contiguous.default",
       "aten.lift_fresh_copy.default", "aten.lift_fresh.default")
def _same(b: Builder, node: torch.fx.Node, x: Value, **_: object) -> Value:
    return x


@lower("aten.pow.Tensor_Scalar")
def _pow(b: Builder, node: torch.fx.Node, x: Value, exponent: float) -> Value:
    dtype = value_type(node.meta["val"])[1]
    if dtype != "f32":
        return _whole_power(b, b.convert(x, dtype), exponent)
    x = b.convert(x, "f32")
    if exponent == 0:
        return b.constant(1.0, x.shape)
    if exponent in (0.5, -0.5):
        return b.math("sqrt" if exponent > 0 else "rsqrt", x)
    if exponent != int(exponent) or abs(exponent) > 4:
        return b.like(Kind.POWF, x, b.constant(exponent, x.shape))
    result = x
    for _ in range(abs(int(exponent)) - 1):
        result = b.mul(result, x)
    return result if exponent > 0 else b.div(b.constant(1.0, x.shape), result)


@lower("aten.pow.Tensor_Tensor", "aten.pow.Scalar")
def _pow_tensor(b: Builder, node: torch.fx.Node, x: Value | float, exponent: Value | float) -> Value:
    shape, dtype = _result(node)
    x, exponent = operand(b, x, shape, dtype), operand(b, exponent, shape, dtype)
    return b.like(Kind.POWF, x, exponent) if dtype.is_floating_point else whole.power(b, x, exponent)


def _whole_power(b: Builder, x: Value, exponent: float) -> Value:
    if exponent < 0:
        raise NotImplementedError(f"a whole number to the power of {exponent} (convert it to float first)")
    return whole.constant_power(b, x, int(exponent))


def _quotient(b: Builder, node: torch.fx.Node, x: Value | float, y: Value | float, rounding_mode: str | None = None) -> Value:
    shape, dtype = _result(node)
    x, y = operand(b, x, shape, dtype), operand(b, y, shape, dtype)
    if not dtype.is_floating_point:
        return whole.floored_quotient(b, x, y) if rounding_mode == "floor" else whole.truncated_quotient(b, x, y)
    return _floored_quotient(b, x, y) if rounding_mode == "floor" else b.math("trunc", b.div(x, y))


def _rest_of(b: Builder, x: Value, y: Value) -> Value:
    """What x leaves when y is taken from it a whole number of times, with the sign of x: exact while that number is a
    float. A quotient that is rounded up to a whole number is one too large."""
    quotient = b.math("trunc", b.div(x, y))
    rest = b.like("math.fma", b.neg(quotient), y, x)
    of_x = b.like("math.copysign", b.math("absf", y), x)
    zero = b.constant(0.0, x.shape)
    opposite = b.like("arith.andi", b.compare("ne", rest, zero), b.compare("lt", b.mul(b.like("math.copysign", b.constant(1.0, x.shape), rest),
                                                                                     b.like("math.copysign", b.constant(1.0, x.shape), x)), zero))
    rest = b.select(opposite, b.add(rest, of_x), rest)
    whole_left = b.compare("ge", b.math("absf", rest), b.math("absf", y))
    rest = b.like("math.copysign", b.select(whole_left, b.sub(rest, of_x), rest), x)
    # Of an infinite divisor everything is left.
    bounded = b.compare("lt", b.math("absf", x), b.constant(math.inf, x.shape))
    unbounded = b.compare("eq", b.math("absf", y), b.constant(math.inf, x.shape))
    return b.select(b.like("arith.andi", bounded, unbounded), x, rest)


def _floored_rest(b: Builder, x: Value, y: Value) -> Value:
    """The same with the sign of y."""
    rest, zero = _rest_of(b, x, y), b.constant(0.0, x.shape)
    other = b.compare("ne", b.compare("lt", rest, zero), b.compare("lt", y, zero))
    return b.select(b.like("arith.andi", b.compare("ne", rest, zero), other), b.add(rest, y), rest)


def _floored_quotient(b: Builder, x: Value, y: Value) -> Value:
    whole_number = b.math("roundeven", b.div(b.sub(x, _floored_rest(b, x, y)), y))
    # By zero the quotient itself, an infinity or NaN.
    return b.select(b.compare("eq", y, b.constant(0.0, x.shape)), b.div(x, y), whole_number)


@lower("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def _div_mode(b: Builder, node: torch.fx.Node, x: Value | float, y: Value | float, rounding_mode: str | None = None) -> Value:
    if rounding_mode is None:
        shape, dtype = _result(node)
        return b.div(operand(b, x, shape, dtype), operand(b, y, shape, dtype))
    return _quotient(b, node, x, y, rounding_mode)


@lower("aten.floor_divide.default", "aten.floor_divide.Scalar")
def _floor_divide(b: Builder, node: torch.fx.Node, x: Value | float, y: Value | float) -> Value:
    return _quotient(b, node, x, y, "floor")


def _rest(name: str, build: Build, of_floats: Build) -> None:
    @lower(*(f"aten.{name}.{o}" for o in ("Tensor", "Scalar", "Scalar_Tensor") if (name, o) != ("fmod", "Scalar_Tensor")))
    def lowering(b: Builder, node: torch.fx.Node, x: Value | float, y: Value | float) -> Value:
        shape, dtype = _result(node)
        return (of_floats if dtype.is_floating_point else build)(b, operand(b, x, shape, dtype), operand(b, y, shape, dtype))


_rest("remainder", whole.floored_rest, _floored_rest)
_rest("fmod", whole.truncated_rest, _rest_of)


def _shift(build: Callable[[Builder, Value, Value, torch.iinfo], Value], *names: str) -> None:
    @lower(*names)
    def lowering(b: Builder, node: torch.fx.Node, x: Value | float, y: Value | float) -> Value:
        shape, dtype = _result(node)
        return build(b, operand(b, x, shape, dtype), operand(b, y, shape, dtype), torch.iinfo(dtype))


for _side, _build in (("left", whole.shift_left), ("right", whole.shift_right)):
    _shift(_build, *(f"aten.bitwise_{_side}_shift.{o}" for o in ("Tensor", "Tensor_Scalar", "Scalar_Tensor")),
           *(f"aten.__{_side[0]}shift__.{o}" for o in ("Tensor", "Scalar")))


def _rounding(name: str, to: str) -> None:
    @lower(f"aten.{name}.default")
    def lowering(b: Builder, node: torch.fx.Node, x: Value) -> Value:
        return b.math(to, x) if x.dtype == "f32" else x


for _name, _to in (("floor", "floor"), ("ceil", "ceil"), ("trunc", "trunc"), ("round", "roundeven")):
    _rounding(_name, _to)


@lower("aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar")
def _where(b: Builder, node: torch.fx.Node, condition: Value, x: Value | float, y: Value | float) -> Value:
    shape, dtype = _result(node)
    return b.select(operand(b, condition, shape, "i1"), operand(b, x, shape, dtype), operand(b, y, shape, dtype))


@lower("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def _masked_fill(b: Builder, node: torch.fx.Node, x: Value, mask: Value, value: Value | float) -> Value:
    shape, dtype = _result(node)
    return b.select(operand(b, mask, shape, "i1"), operand(b, value, shape, dtype), operand(b, x, shape, dtype))


@lower("aten.clamp.default", "aten.clamp.Tensor")
def _clamp(b: Builder, node: torch.fx.Node, x: Value, low: Value | float | None = None, high: Value | float | None = None) -> Value:
    shape, dtype = _result(node)
    x = operand(b, x, shape, dtype)
    x = x if low is None else _extreme(b, "max", x, operand(b, low, shape, dtype))
    return x if high is None else _extreme(b, "min", x, operand(b, high, shape, dtype))


@lower("aten.clamp_min.default", "aten.clamp_min.Tensor")
def _clamp_min(b: Builder, node: torch.fx.Node, x: Value, low: Value | float) -> Value:
    return _clamp(b, node, x, low)


@lower("aten.clamp_max.default", "aten.clamp_max.Tensor")
def _clamp_max(b: Builder, node: torch.fx.Node, x: Value, high: Value | float) -> Value:
    return _clamp(b, node, x, None, high)


# Activations

def sigmoid(b: Builder, x: Value) -> Value:
    return b.div(b.constant(1.0, x.shape), b.add(b.math("exp", b.neg(x)), 1.0))


@lower("aten.sigmoid.default")
def _sigmoid(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return sigmoid(b, b.convert(x, "f32"))


def _pointwise(name: str) -> Callable[[Callable[..., Value]], Callable[..., Value]]:
    """Of an operation on floats that PyTorch broadcasts, as a gradient in torch.func.vmap: operands come in the shape
    of
    the result."""
    def register(build: Callable[..., Value]) -> Callable[..., Value]:
        @lower(name)
        def lowering(b: Builder, node: torch.fx.Node, *args: Value | float | str, **kwargs: float | str) -> Value:
            shape, dtype = _result(node)
            return build(b, node, *(operand(b, x, shape, dtype) if isinstance(x, Value) else x for x in args), **kwargs)
        return lowering
    return register


@_pointwise("aten.sigmoid_backward.default")
def _sigmoid_backward(b: Builder, node: torch.fx.Node, dy: Value, y: Value) -> Value:
    return b.mul(b.mul(dy, b.one_minus(y)), y)


@_pointwise("aten.tanh_backward.default")
def _tanh_backward(b: Builder, node: torch.fx.Node, dy: Value, y: Value) -> Value:
    return b.mul(dy, b.one_minus(b.mul(y, y)))


@lower("aten.silu.default")
def _silu(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return b.mul(x, sigmoid(b, x))


@_pointwise("aten.silu_backward.default")
def _silu_backward(b: Builder, node: torch.fx.Node, dy: Value, x: Value) -> Value:
    s = sigmoid(b, x)
    return b.mul(b.mul(dy, s), b.add(b.mul(x, b.one_minus(s)), 1.0))


@lower("aten.relu.default")
def _relu(b: Builder, node: torch.fx.Node, x: Value) -> Value:
    return _extreme(b, "max", x, b.constant(0, x.shape, x.dtype))


@_pointwise("aten.threshold_backward.default")
def _threshold_backward(b: Builder, node: torch.fx.Node, dy: Value, x: Value, threshold: float) -> Value:
    return b.select(b.compare("gt", x, b.constant(threshold, x.shape)), dy, b.constant(0.0, x.shape))


_TANH_SCALE, _TANH_CUBE = math.sqrt(2 / math.pi), 0.044715


def _gelu_parts(b: Builder, x: Value, approximate: str) -> tuple[Value, Callable[[], Value]]:
    """(Phi(x), x * dPhi/dx) of gelu(x) = x * Phi(x)."""
    if approximate == "tanh":
        square = b.mul(x, x)
        inner = b.mul(b.mul(x, b.add(b.mul(square, _TANH_CUBE), 1.0)), _TANH_SCALE)
        t = b.math("tanh", inner)
        slope = b.mul(b.mul(x, b.add(b.mul(square, 3 * _TANH_CUBE), 1.0)), 0.5 * _TANH_SCALE)
        return b.mul(b.add(t, 1.0), 0.5), lambda: b.mul(b.one_minus(b.mul(t, t)), slope)
    phi = b.mul(b.add(b.math("erf", b.mul(x, math.sqrt(0.5))), 1.0), 0.5)
    def density() -> Value:
        return b.mul(b.math("exp", b.mul(b.mul(x, x), -0.5)), 1 / math.sqrt(2 * math.pi))
    return phi, lambda: b.mul(x, density())


@lower("aten.gelu.default")
def _gelu(b: Builder, node: torch.fx.Node, x: Value, approximate: str = "none") -> Value:
    return b.mul(x, _gelu_parts(b, x, approximate)[0])


@_pointwise("aten.gelu_backward.default")
def _gelu_backward(b: Builder, node: torch.fx.Node, dy: Value, x: Value, approximate: str = "none") -> Value:
    phi, slope = _gelu_parts(b, x, approximate)
    return b.mul(dy, b.add(phi, slope()))
