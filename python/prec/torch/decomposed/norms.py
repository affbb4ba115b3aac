# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms over groups of channels: layer norm, which stays whole, of rows that are groups, and an affine map of
channels."""
from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ..decompose import decomposes, gradients


def _by_channel(t: Tensor, x: Tensor) -> Tensor:
    return t.reshape(-1, *(1,) * (x.dim() - 2))


@decomposes("aten.native_group_norm.default")
def group_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, batch: int, channels: int, positions: int, groups: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    rows = x.reshape(batch * groups, channels // groups * positions)
    normed, mean, rstd = torch.native_layer_norm(rows, rows.shape[1:], None, None, eps)
    y = normed.reshape(x.shape)
    if weight is not None:
        y = y * _by_channel(weight, x)
    if bias is not None:
        y = y + _by_channel(bias, x)
    return y, mean.reshape(batch, groups), rstd.reshape(batch, groups)


@decomposes("aten.native_group_norm_backward.default")
def group_norm_backward(
    grad: Tensor, x: Tensor, mean: Tensor, rstd: Tensor, weight: Tensor | None, batch: int, channels: int, positions: int, groups: int,
    mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    rows = x.reshape(batch * groups, channels // groups * positions)
    mean, rstd = mean.reshape(-1, 1), rstd.reshape(-1, 1)
    dx = dweight = dbias = None
    if mask[0]:
        scaled = (grad if weight is None else grad * _by_channel(weight, x)).reshape(rows.shape)
        dx = torch.ops.aten.native_layer_norm_backward(scaled, rows, rows.shape[1:], mean, rstd, None, None, [True, False, False])[0]
        dx = dx.reshape(x.shape)
    others = [0, *range(2, x.dim())]
    if mask[1]:
        dweight = (grad * ((rows - mean) * rstd).reshape(x.shape)).sum(others)
    if mask[2]:
        dbias = grad.sum(others)
    return dx, dweight, dbias


def _weight_norm(v: Tensor, g: Tensor, dim: int) -> Tensor:
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return v * (g / v.square().sum(others, keepdim=True).sqrt())


@decomposes("aten._weight_norm_interface_backward.default")
def weight_norm_backward(grad: Tensor, v: Tensor, g: Tensor, norms: Tensor, dim: int) -> tuple[Tensor, ...]:
    return gradients(lambda v, g: _weight_norm(v, g, dim), [v, g], grad)
