# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses whose backward is an operation of its own."""
from __future__ import annotations

import math
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
    rows, labels = (x, target) if x.dim() == 2 else (x.reshape(1, -1), target.reshape(1))
    right = rows.gather(1, labels.unsqueeze(1))
    short = (margin - right + rows).clamp(min=0).pow(p)
    if weight is not None:
        short = short * weight[labels].unsqueeze(1)
    others = torch.arange(rows.shape[1]) != labels.unsqueeze(1)
    loss = torch.where(others, short, 0.0).sum(1) / rows.shape[1]
    return _reduced(loss, reduction) if x.dim() == 2 else loss.reshape(())


def _of_set(x: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """The loss of rows with sets of labels, which end at the first negative one; and which classes are in the sets."""
    if x.dim() == 0:
        x, target = x.reshape(1), target.reshape(1)
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
    return _reduced(loss, reduction), in_set.to(x.dtype).reshape(target.shape)


@decomposes("aten.multilabel_margin_loss_backward.default")
def multilabel_margin_backward(grad: Tensor, x: Tensor, target: Tensor, reduction: int, is_target: Tensor) -> Tensor:
    return gradient(lambda x: _reduced(_of_set(x, target)[0], reduction), x, grad)


def _backward(name: str, loss: Callable[..., Tensor]) -> None:
    @decomposes(f"aten.{name}_backward.default")
    def backward(grad: Tensor, x: Tensor, *rest: Any) -> Tensor:
        return gradient(lambda x: loss(x, *rest), x, grad)


_backward("multi_margin_loss", multi_margin)


# CTC: the sum over all alignments, in logarithms, step by step along the input. An alignment goes through the target
# with a blank before, between and behind its labels, and stays, goes on by one, or leaps over a blank between two
# labels that differ.

# The logarithm of what cannot be: finite, so that differences of two are no NaN.
_NEVER = -1e30
# More would be too many operations.
_MOST_TIMES = 1024


def targets_in_rows(flat: Tensor, lengths: Tensor, longest: int) -> Tensor:
    """[N, longest], of targets that stand one row behind the other; those behind a row's length are not read."""
    first = lengths.cumsum(0) - lengths
    places = first.unsqueeze(1) + torch.arange(longest)
    return flat[places.clamp(max=flat.shape[0] - 1)]


def _alignments(log_probs: Tensor, targets: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int) -> Tensor:
    """[N]: the logarithms of what alignments have in common."""
    times, _, classes = log_probs.shape
    if times > _MOST_TIMES:
        raise NotImplementedError(f"ctc_loss over {times} steps, of which there may be {_MOST_TIMES} (shorten the input before)")
    if targets.dim() == 1:
        targets = targets_in_rows(targets, target_lengths, targets.shape[0])
    labels = torch.stack([torch.full_like(targets, blank), targets.clamp(0, classes - 1)], 2).flatten(1)
    labels = torch.cat([labels, torch.full_like(labels[:, :1], blank)], 1)
    count = labels.shape[1]
    place = torch.arange(count)
    leaps = torch.cat([torch.zeros_like(labels[:, :2], dtype=torch.bool), (labels[:, 2:] != labels[:, :-2]) & (labels[:, 2:] != blank)], 1) \
        if count > 2 else torch.zeros_like(labels, dtype=torch.bool)
    each = log_probs.gather(2, labels.unsqueeze(0).expand(times, *labels.shape))
    alpha = torch.where((place < 2) & (place <= 2 * target_lengths.unsqueeze(1)), each[0], _NEVER)
    never = torch.full_like(alpha[:, :1], _NEVER)
    for t in range(1, times):
        by_one = torch.cat([never, alpha[:, :-1]], 1)
        by_two = torch.where(leaps, torch.cat([never, never, alpha[:, :-2]], 1)[:, :count], _NEVER)
        most = torch.maximum(torch.maximum(alpha, by_one), by_two).detach()
        total = ((alpha - most).exp() + (by_one - most).exp() + (by_two - most).exp()).log() + most
        alpha = torch.where((t < input_lengths).unsqueeze(1), (total + each[t]).clamp(min=_NEVER), alpha)
    end = 2 * target_lengths.unsqueeze(1)
    last, before = alpha.gather(1, end), alpha.gather(1, (end - 1).clamp(min=0))
    before = torch.where(end > 0, before, _NEVER)
    most = torch.maximum(last, before).detach()
    return (((last - most).exp() + (before - most).exp()).log() + most).squeeze(1)


def _lengths(given: Any) -> Tensor:
    return given.to(torch.int64).reshape(-1) if isinstance(given, Tensor) else torch.cat([torch.full((1,), n, dtype=torch.int64) for n in given])


@decomposes("aten._ctc_loss.Tensor", "aten._ctc_loss.default")
def ctc_loss(
    log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, zero_infinity: bool = False
) -> tuple[Tensor, Tensor]:
    total = _alignments(log_probs, targets, _lengths(input_lengths), _lengths(target_lengths), blank)
    # Nobody reads the second, which is PyTorch's for the backward.
    inner = log_probs.new_zeros((log_probs.shape[1], log_probs.shape[0], 2 * targets.shape[-1] + 1))
    return torch.where(total <= _NEVER / 2, math.inf, -total), inner


@decomposes("aten._ctc_loss_backward.Tensor", "aten._ctc_loss_backward.default")
def ctc_loss_backward(
    grad: Tensor, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, loss: Tensor, log_alpha: Tensor, blank: int,
    zero_infinity: bool = False,
) -> Tensor:
    """As PyTorch has it: of logits behind a softmax."""
    inputs, lengths = _lengths(input_lengths), _lengths(target_lengths)
    share = gradient(lambda x: _alignments(x, targets, inputs, lengths, blank), log_probs, torch.ones_like(grad))
    impossible = loss == math.inf
    each = torch.where(impossible, 0.0 if zero_infinity else math.nan, 1.0)
    inside = torch.arange(log_probs.shape[0]).unsqueeze(1) < inputs
    return torch.where((impossible if zero_infinity else torch.zeros_like(impossible)) | ~inside, 0.0, grad * each).unsqueeze(2) \
        * (log_probs.exp() - share)
