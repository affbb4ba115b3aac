# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses whose backward is an operation of its own."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from ..decompose import decomposes, gradient

_MEAN, _SUM = 1, 2


def _reduced(loss: Tensor, reduction: int) -> Tensor:
    return loss.mean() if reduction == _MEAN else loss.sum() if reduction == _SUM else loss


@decomposes("aten.multi_margin_loss.default")
def multi_margin(x: Tensor, target: Tensor, p: float = 1, margin: float = 1, weight: Tensor | None = None, reduction: int = _MEAN) -> Tensor:
    rows, labels = (x, target) if x.dim() == 2 else (x.unsqueeze(0), target.reshape(1))
    right = rows.gather(1, labels.unsqueeze(1))
    short = (margin - right + rows).clamp(min=0).pow(p)
    if weight is not None:
        short = short * weight[labels].unsqueeze(1)
    others = torch.arange(rows.shape[1]) != labels.unsqueeze(1)
    loss = torch.where(others, short, 0.0).sum(1) / rows.shape[1]
    return _reduced(loss, reduction) if x.dim() == 2 else loss.reshape(())


def _of_set(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """The loss of rows with sets of labels, which end at the first negative one; and which classes are in the sets."""
    ends = (target < 0).to(torch.int64).cumsum(-1) > 0
    labels = torch.where(ends, 0, target)
    n = x.shape[-1]
    in_set = ((labels.unsqueeze(-1) == torch.arange(n)) & ~ends.unsqueeze(-1)).any(-2)
    right = x.gather(-1, labels)
    short = (1 - right.unsqueeze(-1) + x.unsqueeze(-2)).clamp(min=0)
    counts = ~ends.unsqueeze(-1) & ~in_set.unsqueeze(-2)
    return torch.where(counts, short, 0.0).sum((-2, -1)) / n, in_set


@decomposes("aten.multilabel_margin_loss_forward.default")
def multilabel_margin(x: Tensor, target: Tensor, reduction: int) -> tuple[Tensor, Tensor]:
    loss, in_set = _of_set(x, target)
    return _reduced(loss, reduction), in_set.to(x.dtype)


@decomposes("aten.multilabel_margin_loss_backward.default")
def multilabel_margin_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int, is_target: Tensor) -> Tensor:
    return gradient(lambda x: _reduced(_of_set(x, target)[0], reduction), x, grad)


def _backward(name: str, loss: Callable[..., Tensor]) -> None:
    @decomposes(f"aten.{name}_backward.default")
    def backward(grad: Tensor, x: Tensor, *rest: Any) -> Tensor:
        return gradient(lambda x: loss(x, *rest), x, grad)


_backward("multi_margin_loss", multi_margin)
