"""Elementwise ATen ops, forward and backward, as arith and math on tensors of one shape."""
from __future__ import annotations

import math

from ..ir import Value
from .registry import lower, value_type


def operand(b, x, shape, dtype: str) -> Value:
    """A tensor or Python number as an operand of this shape and dtype."""
    if isinstance(x, Value):
        return b.broadcast(b.convert(x, dtype), shape)
    return b.constant(x, shape, dtype)


def _binary(name, build, *overloads):
    @lower(*(f"aten.{name}.{o}" for o in overloads or ("Tensor", "Scalar")))
    def lowering(b, node, x, y, alpha=1):
        shape, dtype = value_type(node.meta["val"])
        if dtype == "i1" and name in ("add", "sub", "rsub"):
            raise NotImplementedError("sums of booleans")
        x, y = operand(b, x, shape, dtype), operand(b, y, shape, dtype)
        return build(b, x, y if alpha == 1 else b.mul(y, alpha))


_binary("add", lambda b, x, y: b.add(x, y))
_binary("sub", lambda b, x, y: b.sub(x, y))
_binary("mul", lambda b, x, y: b.mul(x, y))
_binary("div", lambda b, x, y: b.div(x, y))
_binary("rsub", lambda b, x, y: b.sub(y, x))
_binary("maximum", lambda b, x, y: _extreme(b, "max", x, y), "default")
_binary("minimum", lambda b, x, y: _extreme(b, "min", x, y), "default")
_binary("bitwise_and", lambda b, x, y: b.like("arith.andi", x, y))
_binary("bitwise_or", lambda b, x, y: b.like("arith.ori", x, y))
_binary("logical_and", lambda b, x, y: b.like("arith.andi", x, y), "default")
_binary("logical_or", lambda b, x, y: b.like("arith.ori", x, y), "default")


def _extreme(b, kind, x, y):
    return b.like(f"arith.{kind}imumf" if x.dtype == "f32" else f"arith.{kind}si", x, y)


def _comparison(name):
    @lower(f"aten.{name}.Tensor", f"aten.{name}.Scalar")
    def lowering(b, node, x, y):
        shape = value_type(node.meta["val"])[0]
        # Whole-number tensors are compared as such; a float on either side makes both float.
        floating = any(v.dtype == "f32" if isinstance(v, Value) else isinstance(v, float) for v in (x, y))
        integral = any(isinstance(v, Value) and v.dtype == "i32" or type(v) is int for v in (x, y))
        dtype = "f32" if floating else "i32" if integral else "i1"
        return b.compare(name, operand(b, x, shape, dtype), operand(b, y, shape, dtype))


for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    _comparison(_name)


def _unary(name, to):
    @lower(f"aten.{name}.default")
    def lowering(b, node, x):
        return b.math(to, b.convert(x, "f32"))


for _name, _to in (("exp", "exp"), ("log", "log"), ("sqrt", "sqrt"), ("rsqrt", "rsqrt"), ("sin", "sin"), ("cos", "cos"),
                   ("tanh", "tanh"), ("erf", "erf"), ("abs", "absf"), ("log1p", "log1p"), ("expm1", "expm1")):
    _unary(_name, _to)


@lower("aten.neg.default")
def _neg(b, node, x):
    return b.neg(x)


@lower("aten.sgn.default", "aten.sign.default")
def _sign(b, node, x):
    zero, one = b.constant(0, x.shape, x.dtype), b.constant(1, x.shape, x.dtype)
    return b.select(b.compare("gt", x, zero), one, b.select(b.compare("lt", x, zero), b.constant(-1, x.shape, x.dtype), zero))


@lower("aten.reciprocal.default")
def _reciprocal(b, node, x):
    return b.div(b.constant(1.0, x.shape), x)


@lower("aten.logical_not.default", "aten.bitwise_not.default")
def _not(b, node, x):
    x = b.convert(x, "i1")
    return b.like("arith.xori", x, b.constant(True, x.shape, "i1"))


@lower("aten._to_copy.default", "aten.to.dtype", "prims.convert_element_type.default")
def _convert(b, node, x, *_, **__):
    return b.convert(x, value_type(node.meta["val"])[1])


@lower("aten.clone.default", "aten.detach.default", "aten.alias.default", "aten.contiguous.default", "aten.lift_fresh_copy.default",
       "aten.lift_fresh.default")
def _same(b, node, x, **_):
    return x


@lower("aten.pow.Tensor_Scalar")
def _pow(b, node, x, exponent):
    if exponent == 0:
        return b.constant(1.0, x.shape)
    if exponent in (0.5, -0.5):
        return b.math("sqrt" if exponent > 0 else "rsqrt", x)
    if exponent != int(exponent) or abs(exponent) > 4:
        return b.like("math.powf", x, b.constant(exponent, x.shape))
    result = x
    for _ in range(abs(int(exponent)) - 1):
        result = b.mul(result, x)
    return result if exponent > 0 else b.div(b.constant(1.0, x.shape), result)


@lower("aten.pow.Tensor_Tensor", "aten.pow.Scalar")
def _pow_tensor(b, node, x, exponent):
    shape = value_type(node.meta["val"])[0]
    return b.like("math.powf", operand(b, x, shape, "f32"), operand(b, exponent, shape, "f32"))


@lower("aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar")
def _where(b, node, condition, x, y):
    shape, dtype = value_type(node.meta["val"])
    return b.select(operand(b, condition, shape, "i1"), operand(b, x, shape, dtype), operand(b, y, shape, dtype))


@lower("aten.masked_fill.Scalar", "aten.masked_fill.Tensor")
def _masked_fill(b, node, x, mask, value):
    return b.select(operand(b, mask, x.shape, "i1"), operand(b, value, x.shape, x.dtype), x)


@lower("aten.clamp.default")
def _clamp(b, node, x, low=None, high=None):
    x = x if low is None else _extreme(b, "max", x, b.constant(low, x.shape, x.dtype))
    return x if high is None else _extreme(b, "min", x, b.constant(high, x.shape, x.dtype))


@lower("aten.clamp_min.default")
def _clamp_min(b, node, x, low):
    return _clamp(b, node, x, low)


@lower("aten.clamp_max.default")
def _clamp_max(b, node, x, high):
    return _clamp(b, node, x, None, high)


# Activations

def sigmoid(b, x):
    return b.div(b.constant(1.0, x.shape), b.add(b.math("exp", b.neg(x)), 1.0))


@lower("aten.sigmoid.default")
def _sigmoid(b, node, x):
    return sigmoid(b, x)


@lower("aten.sigmoid_backward.default")
def _sigmoid_backward(b, node, dy, y):
    return b.mul(b.mul(dy, b.one_minus(y)), y)


@lower("aten.tanh_backward.default")
def _tanh_backward(b, node, dy, y):
    return b.mul(dy, b.one_minus(b.mul(y, y)))


@lower("aten.silu.default")
def _silu(b, node, x):
    return b.mul(x, sigmoid(b, x))


@lower("aten.silu_backward.default")
def _silu_backward(b, node, dy, x):
    s = sigmoid(b, x)
    return b.mul(b.mul(dy, s), b.add(b.mul(x, b.one_minus(s)), 1.0))


@lower("aten.relu.default")
def _relu(b, node, x):
    return b.like("arith.maximumf", x, b.constant(0.0, x.shape))


@lower("aten.threshold_backward.default")
def _threshold_backward(b, node, dy, x, threshold):
    return b.select(b.compare("gt", x, b.constant(threshold, x.shape)), dy, b.constant(0.0, x.shape))


_TANH_SCALE, _TANH_CUBE = math.sqrt(2 / math.pi), 0.044715


def _gelu_parts(b, x, approximate):
    """(Phi(x), x * dPhi/dx) of gelu(x) = x * Phi(x)."""
    if approximate == "tanh":
        square = b.mul(x, x)
        inner = b.mul(b.mul(x, b.add(b.mul(square, _TANH_CUBE), 1.0)), _TANH_SCALE)
        t = b.math("tanh", inner)
        slope = b.mul(b.mul(x, b.add(b.mul(square, 3 * _TANH_CUBE), 1.0)), 0.5 * _TANH_SCALE)
        return b.mul(b.add(t, 1.0), 0.5), lambda: b.mul(b.one_minus(b.mul(t, t)), slope)
    phi = b.mul(b.add(b.math("erf", b.mul(x, math.sqrt(0.5))), 1.0), 0.5)
    density = lambda: b.mul(b.math("exp", b.mul(b.mul(x, x), -0.5)), 1 / math.sqrt(2 * math.pi))
    return phi, lambda: b.mul(x, density())


@lower("aten.gelu.default")
def _gelu(b, node, x, approximate="none"):
    return b.mul(x, _gelu_parts(b, x, approximate)[0])


@lower("aten.gelu_backward.default")
def _gelu_backward(b, node, dy, x, approximate="none"):
    phi, slope = _gelu_parts(b, x, approximate)
    return b.mul(dy, b.add(phi, slope()))
