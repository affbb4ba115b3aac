# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.functional.cross_entropy and ctc_loss. A mean or sum over labels is the composite. What counts rows or
classes by other numbers (class weights, smoothing, probabilities as labels, a loss for each row) is written by each
row's largest logit, the logarithm of its sum of exponentials of what is taken from that, and what the row has at its
label, so that no probability is stored: its gradient is computed of the logits anew, in one pass. The largest logit and
the logarithm stay apart, since a small loss is the difference of two large numbers otherwise."""
from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from . import composites
from .decomposed.losses import targets_in_rows


class _Picked(torch.autograd.Function):
    """x[i, labels[i]]; its gradient is written by comparing with labels, which goes together with what else is computed
    of x."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, labels: Tensor) -> Tensor:
        ctx.save_for_backward(labels)
        ctx.classes = x.shape[1]
        return x.gather(1, labels.unsqueeze(1)).squeeze(1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        labels, = ctx.saved_tensors
        return torch.where(torch.arange(ctx.classes) == labels.unsqueeze(1), grad.unsqueeze(1), 0.0), None


class _LogSum(torch.autograd.Function):
    """The largest of each row of x [N, C], which has no gradient, and log(sum(exp(x - largest))) [N] each, whose
    gradient is softmax(x)."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        largest = x.amax(1)
        log_sum = (x - largest.unsqueeze(1)).exp().sum(1).log()
        ctx.mark_non_differentiable(largest)
        ctx.save_for_backward(x, largest, log_sum)
        return largest, log_sum

    @staticmethod
    def backward(ctx: Any, _: Tensor, grad: Tensor) -> Tensor:
        x, largest, log_sum = ctx.saved_tensors
        return grad.unsqueeze(1) * ((x - largest.unsqueeze(1)) - log_sum.unsqueeze(1)).exp()


def _reduction(size_average: bool | None, reduce: bool | None, reduction: str) -> str:
    """Of the two older arguments, which go before the newer one."""
    if size_average is None and reduce is None:
        return reduction
    return "none" if reduce is False else "sum" if size_average is False else "mean"


def cross_entropy(
    input: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    size_average: bool | None = None,
    ignore_index: int = -100,
    reduce: bool | None = None,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor | None:
    """None where the call is left to PyTorch."""
    reduction = _reduction(size_average, reduce, reduction)
    if not input.is_floating_point() or input.dim() < 1 or reduction not in ("none", "mean", "sum") or not 0 <= label_smoothing <= 1:
        return None
    classes = input.shape[0 if input.dim() == 1 else 1]
    if weight is not None and (weight.shape != (classes,) or not weight.is_floating_point()):
        return None
    # [N, C, d1, ...] as rows.
    rows = input.unsqueeze(0) if input.dim() == 1 else input.movedim(1, -1).reshape(-1, classes)
    of_rows = input.shape[:0] if input.dim() == 1 else (input.shape[0], *input.shape[2:])
    if target.is_floating_point():
        if target.shape != input.shape:
            return None
        shares = target.unsqueeze(0) if input.dim() == 1 else target.movedim(1, -1).reshape(-1, classes)
        return _of_shares(rows, shares, weight, reduction, label_smoothing, of_rows)
    if target.dtype in (torch.bool, torch.uint8) or target.shape != of_rows:
        return None
    return _of_labels(rows, target.reshape(-1), weight, int(ignore_index), reduction, label_smoothing, of_rows)


def _of_labels(
    rows: Tensor, labels: Tensor, weight: Tensor | None, ignore_index: int, reduction: str, smoothing: float, of_rows: Any
) -> Tensor:
    classes = rows.shape[1]
    counts = labels != ignore_index
    if weight is None and not smoothing and reduction != "none":
        mean = composites.cross_entropy(rows, labels, ignore_index)[0]
        return mean if reduction == "mean" else mean * counts.sum()
    labels = torch.where(counts, labels, 0)
    largest, log_sum = _LogSum.apply(rows)
    total = log_sum + (largest - _Picked.apply(rows, labels))
    below = largest.unsqueeze(1) - rows if smoothing else None
    spread = None
    if weight is None:
        if below is not None:
            spread = log_sum + below.mean(1)
        weights = counts.to(rows.dtype)
    else:
        of_label = weight.to(rows.dtype)[labels]
        total = total * of_label
        if below is not None:
            spread = log_sum * (weight.sum() / classes) + (below * weight).sum(1) / classes
        weights = torch.where(counts, of_label, 0.0)
    if spread is not None:
        total = total * (1 - smoothing) + spread * smoothing
    total = torch.where(counts, total, 0.0)
    if reduction == "none":
        return total.reshape(of_rows)
    return total.sum() if reduction == "sum" else total.sum() / weights.sum()


def _of_shares(rows: Tensor, shares: Tensor, weight: Tensor | None, reduction: str, smoothing: float, of_rows: Any) -> Tensor:
    classes = rows.shape[1]
    if smoothing:
        shares = shares * (1 - smoothing) + smoothing / classes
    if weight is not None:
        shares = shares * weight
    largest, log_sum = _LogSum.apply(rows)
    total = log_sum * shares.sum(1) + ((largest.unsqueeze(1) - rows) * shares).sum(1)
    if reduction == "none":
        return total.reshape(of_rows)
    return total.sum() if reduction == "sum" else total.sum() / rows.shape[0]


def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
    zero_infinity: bool = False
) -> Tensor | None:
    """Targets that stand one row behind the other are put in rows, since PyTorch reads values to find their ends."""
    if log_probs.dim() != 3 or targets.dim() != 1:
        return None
    longest = targets.shape[0] if isinstance(target_lengths, Tensor) else max(target_lengths, default=0)
    return ctc_loss_of_rows(log_probs, targets, input_lengths, target_lengths, longest, blank, reduction, zero_infinity)


def ctc_loss_of_rows(
    log_probs: Tensor, flat: Tensor, input_lengths: Any, target_lengths: Any, longest: int, blank: int, reduction: str, zero_infinity: bool
) -> Tensor:
    """No row of `flat` is longer than `longest`."""
    inputs, lengths = (x if isinstance(x, Tensor) else torch.tensor(list(x)) for x in (input_lengths, target_lengths))
    return F.ctc_loss(log_probs, targets_in_rows(flat, lengths, longest), inputs, lengths, blank, reduction, zero_infinity)
