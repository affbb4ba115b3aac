# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CTC loss, as operations of fixed shape.

Between the labels of a row, and at both ends, stand blanks: 2 S + 1 states. alpha[t, s] is the logarithm of the
probability of all ways to be in state s after frame t; a way stays, goes to the next state, or from a label to the next
one where the two differ. Each frame is a step of the recursion, all rows and states at once, and the gradient is
autograd's. Impossible states have a finite logarithm, far below any other, so that no gradient is NaN.
"""
from __future__ import annotations

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

_IMPOSSIBLE = -1e30
# Each frame is some thirty operations of the graph, with their gradients.
MOST_FRAMES = 512


def ctc_loss(
    log_probs: Tensor, labels: Tensor, input_lengths: Tensor, target_lengths: Tensor, blank: int, reduction: str, zero_infinity: bool
) -> Tensor:
    """log_probs: [frames, rows, classes]. labels: [rows, S], those behind a row's length are not read."""
    frames, rows, _ = log_probs.shape
    longest = labels.shape[1]
    places = torch.arange(longest)
    labels = torch.where(places < target_lengths[:, None], labels, blank)
    blanks = torch.full_like(labels, blank)
    states = torch.cat([torch.stack([blanks, labels], 2).reshape(rows, 2 * longest), blanks[:, :1]], 1)
    count = 2 * longest + 1
    of_state = log_probs.gather(2, states.expand(frames, rows, count))
    skips = F.pad((states[:, 2:] != states[:, :-2]) & (torch.arange(count)[2:] % 2 == 1), (2, 0))
    starts = torch.arange(count) <= torch.where(target_lengths > 0, 1, 0)[:, None]
    alpha = torch.where(starts, of_state[0], _IMPOSSIBLE)
    for t in range(1, frames):
        before = F.pad(alpha, (1, 0), value=_IMPOSSIBLE)[:, :-1]
        skipped = torch.where(skips, F.pad(alpha, (2, 0), value=_IMPOSSIBLE)[:, :-2], _IMPOSSIBLE)
        # As many frames as a row has.
        alpha = torch.where((t < input_lengths)[:, None], of_state[t] + torch.logsumexp(torch.stack([alpha, before, skipped]), 0), alpha)
    ends = torch.arange(count)
    last = 2 * target_lengths[:, None]
    loss = -torch.logsumexp(torch.where((ends == last) | (ends == last - 1), alpha, _IMPOSSIBLE), 1)
    loss = torch.where(loss > -0.1 * _IMPOSSIBLE, 0.0 if zero_infinity else torch.inf, loss)
    if reduction == "mean":
        return (loss / target_lengths.clamp(min=1)).mean()
    return loss.sum() if reduction == "sum" else loss


def in_rows(flat: Tensor, target_lengths: Tensor, longest: int) -> Tensor:
    """Labels that stand one row behind the other, as [rows, longest]."""
    first = target_lengths.cumsum(0) - target_lengths
    places = first[:, None] + torch.arange(longest)
    return flat[places.clamp(max=flat.shape[0] - 1)]


def lengths(given: Tensor | Sequence[int], like: Tensor) -> Tensor:
    return given if isinstance(given, Tensor) else torch.tensor(list(given), device=like.device)
