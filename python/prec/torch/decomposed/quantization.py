# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fake quantization as PyTorch's quantization-aware training has it: numbers that are rounded to multiples of a scale
and cut, in floats, with gradients that pass where nothing was cut."""
from __future__ import annotations

import torch
from torch import Tensor

from ..decompose import decomposes


def _cut(x: Tensor, whole: Tensor, scale: Tensor | float, zero: Tensor | float, low: int, high: int) -> tuple[Tensor, Tensor]:
    """What `whole`, the rounded quotients, stand for, and where they are within the bounds."""
    return ((whole.clamp(low, high) - zero) * scale).to(x.dtype), (whole >= low) & (whole <= high)


@decomposes("aten.fake_quantize_per_tensor_affine_cachemask.default")
def of_tensor(x: Tensor, scale: float, zero_point: int, quant_min: int, quant_max: int) -> tuple[Tensor, Tensor]:
    return _cut(x, (x * (1 / scale)).round() + zero_point, scale, zero_point, quant_min, quant_max)


@decomposes("aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams.default")
def of_tensor_by_tensors(
    x: Tensor, scale: Tensor, zero_point: Tensor, fake_quant_enabled: Tensor, quant_min: int, quant_max: int
) -> tuple[Tensor, Tensor]:
    zero, on = zero_point.to(x.dtype), fake_quant_enabled != 0
    found, inside = _cut(x, (x * scale.reciprocal()).round() + zero, scale, zero, quant_min, quant_max)
    return torch.where(on, found, x), inside | ~on


@decomposes("aten.fake_quantize_per_channel_affine_cachemask.default")
def of_channels(x: Tensor, scale: Tensor, zero_point: Tensor, axis: int, quant_min: int, quant_max: int) -> tuple[Tensor, Tensor]:
    shape = [-1 if dim == axis % x.dim() else 1 for dim in range(x.dim())]
    scale, zero = scale.view(shape), zero_point.to(x.dtype).view(shape)
    # The place of the zero is added before rounding here, which tells where a half is rounded to.
    return _cut(x, (x * scale.reciprocal() + zero).round(), scale, zero, quant_min, quant_max)


def _learned_zero(zero_point: Tensor, low: int, high: int) -> Tensor:
    return zero_point.round().clamp(low, high)


@decomposes("aten._fake_quantize_learnable_per_tensor_affine.default")
def learned(x: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int, grad_factor: float = 1.0) -> Tensor:
    zero = _learned_zero(zero_point, quant_min, quant_max)
    return _cut(x, (x * scale.reciprocal()).round() + zero, scale, zero, quant_min, quant_max)[0]


@decomposes("aten._fake_quantize_learnable_per_tensor_affine_backward.default")
def learned_backward(
    grad: Tensor, x: Tensor, scale: Tensor, zero_point: Tensor, quant_min: int, quant_max: int, grad_factor: float = 1.0
) -> tuple[Tensor, Tensor, Tensor]:
    zero = _learned_zero(zero_point, quant_min, quant_max)
    whole = (x * scale.reciprocal() + zero).round()
    found, inside = _cut(x, whole, scale, zero, quant_min, quant_max)
    # Of what is cut the bound itself is scaled; of the rest what rounding adds.
    of_scale = torch.where(inside, (found - x) * scale.reciprocal(), whole.clamp(quant_min, quant_max) - zero)
    of_zero = torch.where(inside, 0.0, -scale)
    return grad * inside, (grad * of_scale * grad_factor).sum().view(1), (grad * of_zero * grad_factor).sum().view(1)
