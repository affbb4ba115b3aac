# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Norms over groups of channels.

A group is a few channels at all positions. Sums are over the positions of each channel first, and then over the
channels of a group: so nothing depends on whether channels lie first or last, as convolutions have them, and the
gradients of the affine map of channels are sums that the gradient of the input needs anyway. Of an input without
positions the groups are rows, of a layer norm.
"""
from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from ..decompose import decomposes, gradients


def _by_channel(t: Tensor, x: Tensor) -> Tensor:
    return t.reshape(-1, *(1,) * (x.dim() - 2))


def _of_groups(channels: Tensor, groups: int) -> Tensor:
    """Sums of [batch, channels] over the channels of each group: [batch, groups]."""
    return channels.reshape(channels.shape[0], groups, -1).sum(2)


def _by_group(t: Tensor, x: Tensor) -> Tensor:
    """What each group [batch, groups] has, for the channels of x [batch, channels, ...]."""
    batch, groups = t.shape
    wide = t.reshape(batch, groups, 1).expand(batch, groups, x.shape[1] // groups)
    return wide.reshape(*x.shape[:2], *(1,) * (x.dim() - 2))


@decomposes("aten.native_group_norm.default")
def group_norm(
    x: Tensor, weight: Tensor | None, bias: Tensor | None, batch: int, channels: int, positions: int, groups: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    if positions == 1:
        rows = x.reshape(batch * groups, channels // groups)
        normed, mean, rstd = torch.native_layer_norm(rows, rows.shape[1:], None, None, eps)
        y, mean, rstd = normed.reshape(x.shape), mean.reshape(batch, groups), rstd.reshape(batch, groups)
    else:
        count, dims = channels // groups * positions, list(range(2, x.dim()))
        mean = _of_groups(x.sum(dims), groups) / count
        centered = x - _by_group(mean, x)
        rstd = (_of_groups((centered * centered).sum(dims), groups) / count + eps).rsqrt()
        y = centered * _by_group(rstd, x)
    if weight is not None:
        y = y * _by_channel(weight, x)
    if bias is not None:
        y = y + _by_channel(bias, x)
    return y, mean, rstd


@decomposes("aten.native_group_norm_backward.default")
def group_norm_backward(
    grad: Tensor, x: Tensor, mean: Tensor, rstd: Tensor, weight: Tensor | None, batch: int, channels: int, positions: int, groups: int,
    mask: Sequence[bool],
) -> tuple[Tensor | None, ...]:
    count, dims = channels // groups * positions, list(range(2, x.dim()))
    mean, rstd = mean.reshape(batch, groups), rstd.reshape(batch, groups)
    normed = (x - _by_group(mean, x)) * _by_group(rstd, x)
    # Of each channel of each input, [batch, channels].
    sums, products = (t.sum(dims) if dims else t for t in (grad, grad * normed))
    dx = None
    if mask[0]:
        weigh = (lambda t: t) if weight is None else (lambda t: t * weight)
        scaled = grad if weight is None else grad * _by_channel(weight, x)
        inner = scaled - _by_group(_of_groups(weigh(sums), groups) / count, x)
        dx = _by_group(rstd, x) * (inner - normed * _by_group(_of_groups(weigh(products), groups) / count, x))
    return dx, products.sum(0) if mask[1] else None, sums.sum(0) if mask[2] else None


def _weight_norm(v: Tensor, g: Tensor, dim: int) -> Tensor:
    others = [d for d in range(v.dim()) if d != dim % v.dim()]
    return v * (g / v.square().sum(others, keepdim=True).sqrt())


@decomposes("aten._weight_norm_interface_backward.default")
def weight_norm_backward(grad: Tensor, v: Tensor, g: Tensor, norms: Tensor, dim: int) -> tuple[Tensor, ...]:
    return gradients(lambda v, g: _weight_norm(v, g, dim), [v, g], grad)
