# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Elementwise operations by exponentials, logarithms and roots. Each formula keeps its relative accuracy where its
result is small, and is finite where its result is."""
from __future__ import annotations

import math

import torch
from torch import Tensor

from ..decompose import decomposes

# Where the square of a number is no longer told from one more.
_LARGE = 1e9


def _float(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else x.to(torch.get_default_dtype())


@decomposes("aten.tan.default")
def tan(x: Tensor) -> Tensor:
    return x.sin() / x.cos()


@decomposes("aten.sinh.default")
def sinh(x: Tensor) -> Tensor:
    x = _float(x)
    a = x.abs()
    # In halves, since the exponential ends before its half does.
    half = (a * 0.5).exp()
    large = half * 0.5 * half - (-a).exp() * 0.5
    return torch.copysign(torch.where(a < 1, (a.expm1() - (-a).expm1()) * 0.5, large), x)


@decomposes("aten.cosh.default")
def cosh(x: Tensor) -> Tensor:
    a = _float(x).abs()
    half = (a * 0.5).exp()
    return half * 0.5 * half + (-a).exp() * 0.5


@decomposes("aten.asinh.default")
def asinh(x: Tensor) -> Tensor:
    x = _float(x)
    a = x.abs()
    near = a.clamp(max=_LARGE)
    small = (near + near * near / (1 + (near * near + 1).sqrt())).log1p()
    return torch.copysign(torch.where(a < _LARGE, small, a.log() + math.log(2)), x)


@decomposes("aten.acosh.default")
def acosh(x: Tensor) -> Tensor:
    x = _float(x)
    beyond = x.clamp(max=_LARGE) - 1
    return torch.where(x < _LARGE, (beyond + (beyond * (beyond + 2)).sqrt()).log1p(), x.log() + math.log(2))


@decomposes("aten.atanh.default")
def atanh(x: Tensor) -> Tensor:
    x = _float(x)
    a = x.abs()
    return torch.copysign((2 * a / (1 - a)).log1p() * 0.5, x)


@decomposes("aten.hypot.default")
def hypot(x: Tensor, y: Tensor) -> Tensor:
    x, y = x.abs(), y.abs()
    high, low = torch.maximum(x, y), torch.minimum(x, y)
    ratio = torch.where(low == high, 1.0, low / high)
    return torch.where(high == 0, 0.0, high * (ratio * ratio + 1).sqrt())


@decomposes("aten.round.decimals")
def round_decimals(x: Tensor, *, decimals: int = 0) -> Tensor:
    scale = 10.0 ** abs(decimals)
    return (x * scale).round() / scale if decimals >= 0 else (x / scale).round() * scale


@decomposes("aten.fmax.default")
def fmax(x: Tensor, y: Tensor) -> Tensor:
    return torch.where(x.isnan() | (y > x), y, x)


@decomposes("aten.fmin.default")
def fmin(x: Tensor, y: Tensor) -> Tensor:
    return torch.where(x.isnan() | (y < x), y, x)


@decomposes("aten.signbit.default")
def signbit(x: Tensor) -> Tensor:
    return torch.copysign(torch.ones_like(x), x) < 0 if x.is_floating_point() else x < 0


@decomposes("aten.angle.default")
def angle(x: Tensor) -> Tensor:
    x = _float(x)
    return torch.where(x.isnan(), x, torch.where(x < 0, math.pi, 0.0))


@decomposes("aten.ldexp.Tensor")
def ldexp(x: Tensor, exponent: Tensor) -> Tensor:
    return x * torch.exp2(_float(exponent))


@decomposes("aten.leaky_relu.default")
def leaky_relu(x: Tensor, negative_slope: float = 0.01) -> Tensor:
    return torch.where(x > 0, x, x * negative_slope)


@decomposes("aten.elu.default")
def elu(x: Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Tensor:
    return torch.where(x > 0, x * scale, (x * input_scale).expm1() * (alpha * scale))


@decomposes("aten.hardtanh.default")
def hardtanh(x: Tensor, min_val: float = -1, max_val: float = 1) -> Tensor:
    return x.clamp(min_val, max_val)


@decomposes("aten._addmm_activation.default")
def addmm_activation(x: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1, use_gelu: bool = False) -> Tensor:
    product = torch.addmm(x, a, b, beta=beta, alpha=alpha)
    return torch.nn.functional.gelu(product, approximate="tanh") if use_gelu else product.relu()


@decomposes("aten.softshrink_backward.default", "aten.hardshrink_backward.default")
def shrink_backward(grad: Tensor, x: Tensor, lambd: float) -> Tensor:
    return torch.where((x >= -lambd) & (x <= lambd), 0.0, grad)


@decomposes("aten.frexp.Tensor")
def frexp(x: Tensor) -> tuple[Tensor, Tensor]:
    """A number of at least a half and below one, and the power of two that it was divided by."""
    a = x.abs()
    is_zero = (a == 0) | ~(a < math.inf)
    exponent = torch.where(is_zero, 0.0, torch.where(is_zero, 1.0, a).log2().floor() + 1)
    # In halves, since a power of two ends before numbers do.
    half = (exponent * 0.5).floor()
    mantissa = x * torch.exp2(-half) * torch.exp2(half - exponent)
    # The logarithm may be off by a rounding.
    large, small = mantissa.abs() >= 1, (mantissa.abs() < 0.5) & ~is_zero
    mantissa = torch.where(large & ~is_zero, mantissa * 0.5, torch.where(small, mantissa * 2, mantissa))
    return mantissa, (exponent + (large & ~is_zero).to(x.dtype) - small.to(x.dtype)).to(torch.int32)
