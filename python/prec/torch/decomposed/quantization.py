# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fake quantization as PyTorch's quantization-aware training has it: numbers that are rounded to multiples of a scale
and cut, in floats, with gradients that pass where nothing was cut, and the scale of what an observer has seen."""
from __future__ import annotations

import torch
from torch import Tensor

from ...errors import ImportFailure
from ..constants import at, user_line
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


# Below this scale PyTorch takes this one, and the bounds with it.
_LEAST_SCALE = 6.1e-5


def _scale_and_zero(least: Tensor, most: Tensor, low: int, high: int, symmetric: bool) -> tuple[Tensor, Tensor]:
    """Of whole numbers from `low` to `high` that stand for numbers from `least` to `most`: the step between two, and
    which stands for zero. symmetric: the one in the middle, where there are numbers on both sides of zero."""
    if symmetric:
        # As far to one side as to the other, in steps.
        below, above = -((high - low) // 2 + 1), (high - low) // 2
        step = torch.maximum((least / below).abs(), (most / above).abs())
        both = (least < 0) & (most > 0)
        least, most = torch.where(both, step * below, least), torch.where(both, step * above, most)
    least, most = least.clamp(max=0), most.clamp(min=0)
    scale = (most - least) / (high - low)
    # Of zeros alone any scale is right.
    scale = torch.where(scale < 2.0**-127, 0.1, scale)
    small = scale < _LEAST_SCALE
    larger = _LEAST_SCALE / scale
    range_of_least = _LEAST_SCALE * (high - low)
    least, most = (torch.where(small, torch.where(most == 0, -range_of_least, least * larger), least),
                   torch.where(small, torch.where(least == 0, range_of_least, most * larger), most))
    scale = torch.where(small, _LEAST_SCALE, scale)
    by_least, by_most = least / scale, most / scale
    zero = torch.where(abs(low) - by_least.abs() < abs(high) - by_most.abs(), low - by_least, high - by_most)
    if symmetric:
        zero = torch.where((least < 0) & (most > 0), (low + high) / 2, zero)
    return scale, zero.clamp(low, high).round()


@decomposes("aten._fused_moving_avg_obs_fq_helper_functional.default")
def followed(
    x: Tensor, observer_on: Tensor, fake_quant_on: Tensor, running_min: Tensor, running_max: Tensor, scale: Tensor, zero_point: Tensor,
    averaging_const: float, quant_min: int, quant_max: int, ch_axis: int, per_row_fake_quant: bool = False, symmetric_quant: bool = False
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor]:
    """By a scale that follows a moving average of the least and the largest number."""
    rows = x.transpose(0, ch_axis).flatten(1) if per_row_fake_quant else x.reshape(1, -1)
    is_on, quantizes = observer_on.reshape(()) != 0, fake_quant_on.reshape(()) != 0
    if per_row_fake_quant and running_min.numel() != x.shape[ch_axis]:
        raise ImportFailure(f"an observer of each channel must know how many there are but has seen no batch{at(user_line())}: run forward once "
                            "before the import")

    def moved(old: Tensor, now: Tensor) -> Tensor:
        now = now.view(old.shape).to(old.dtype)
        return torch.where(is_on, torch.where(old.isinf(), now, old + averaging_const * (now - old)), old)
    least, most = moved(running_min, rows.amin(1)), moved(running_max, rows.amax(1))
    found = _scale_and_zero(least.view(scale.shape), most.view(scale.shape), quant_min, quant_max, symmetric_quant)
    scale, zero_point = (torch.where(quantizes, now.to(old.dtype), old) for now, old in zip(found, (scale, zero_point)))
    if per_row_fake_quant:
        result, inside = of_channels(x, scale, zero_point, ch_axis, quant_min, quant_max)
        result, inside = torch.where(quantizes, result, x), inside | ~quantizes
    else:
        result, inside = of_tensor_by_tensors(x, scale, zero_point, fake_quant_on, quant_min, quant_max)
    return result, inside, least, most, scale, zero_point


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
