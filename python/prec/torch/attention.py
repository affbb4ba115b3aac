# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.functional.scaled_dot_product_attention: the composite where that computes the same, else products and a
softmax."""
from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch.nn.attention.bias import CausalBias, CausalVariant

from ..errors import ImportFailure
from . import composites
from .hiding import may_hide_twice
from .masks import Added, Masks, Sees, hiding


def composite(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float, sees: Sees,
              added: Added | None = None) -> torch.Tensor | None:
    """The composite on [B,H,S,D], [B,G,T,D] and [B,G,T,E]; None where it does not cover the shapes.

    It has one width. Zeros beside the narrower of queries and values add nothing to a product, so E may be another than
    D.
    """
    if not query.dim() == key.dim() == value.dim() == 4 or key.shape[:3] != value.shape[:3] or key.shape[3] != query.shape[3]:
        return None
    if query.shape[0] != key.shape[0] or query.shape[1] % key.shape[1] or (sees.causal and query.shape[2] != key.shape[2]):
        return None
    bias, blind, even = (None, None, None) if added is None else (added.bias, added.blind, added.even)
    window = None if sees.window is None or sees.window >= key.shape[2] else sees.window
    width, wanted = query.shape[3], value.shape[3]
    q, k, v = query, key, value
    if wanted < width:
        v = F.pad(value, (0, width - wanted))
    if wanted > width:
        q, k = (F.pad(x, (0, wanted - width)) for x in (query, key))
    result = composites.attention(q, k, v, scale, sees.causal, window, bias, blind)[0]
    if wanted < width:
        result = result[..., :wanted]
    return result if even is None else torch.where(even, _Even.apply(query, key, value, scale), result)


class _Even(torch.autograd.Function):
    """Attention whose scores are alike because a number was added that leaves nothing of them: the mean of all values
    for every query. Its gradient is that of the softmax, with all weights 1 / T: nothing tells it that a sum lost a
    term."""

    @staticmethod
    def forward(ctx: Any, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float) -> torch.Tensor:
        ctx.save_for_backward(query, key, value)
        ctx.scale = scale
        heads, queries = query.shape[1:3]
        mean = value.mean(2, keepdim=True).repeat_interleave(heads // value.shape[1], 1)
        return mean.expand(-1, -1, queries, -1)

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        query, key, value = ctx.saved_tensors
        groups, keys = key.shape[1:3]

        def by_group(x: torch.Tensor) -> torch.Tensor:
            return x.unflatten(1, (groups, -1)).flatten(2, 3)

        g, q = by_group(gradient), by_group(query)
        factor = ctx.scale / keys
        centered = value - value.mean(2, keepdim=True)
        of_query = g @ (centered.mT @ key) * factor
        of_key = centered @ (g.mT @ q) * factor
        of_value = (g.sum(2, keepdim=True) / keys).expand(-1, -1, keys, -1)
        return of_query.reshape(query.shape), of_key, of_value, None


def warn_of_products(why: str) -> None:
    warnings.warn(f"attention with {why} is imported as products and a softmax, and its probabilities are kept for the backward",
                  stacklevel=2)


def masked(masks: Masks, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, causal: bool,
           scale: float) -> torch.Tensor | None:
    """The composite with any mask that has no gradient; None where it does not cover the shapes."""
    sees = masks.sees(mask)
    if sees is not None:
        mask = None
    else:
        assert mask is not None
        sees = masks.within(mask)
    if causal:
        sees = Sees(True, sees.window)
    if not query.dim() == key.dim() == 4:
        return None
    if sees.causal and query.shape[2] != key.shape[2] or causal and mask is not None:
        seen = torch.ones(query.shape[2], key.shape[2], dtype=torch.bool, device=query.device).tril()
        if query.shape[2] != key.shape[2]:
            sees = Sees.ALL
        if mask is None:
            return composite(query, key, value, scale, sees, Added(hiding(seen, query.dtype)[None, None], None, None))
        mask = mask & seen if mask.dtype == torch.bool else mask.masked_fill(~seen, -torch.inf)
    if mask is None:
        return composite(query, key, value, scale, sees)
    if mask.requires_grad or mask.dim() > 4 or mask.is_floating_point() and not masks.every_query_sees(mask) and may_hide_twice(mask):
        return None
    added = masks.added(mask, query.dtype)
    bias, blind, even = (None if x is None else x.reshape((1,) * (4 - x.dim()) + x.shape) for x in (added.bias, added.blind, added.even))
    assert bias is not None
    return composite(query, key, value, scale, sees, Added(bias.expand(*bias.shape[:3], key.shape[2]), blind, even))


class Attention:
    """Called as scaled_dot_product_attention is. None where PyTorch refuses the call and says why."""

    def __init__(self, masks: Masks, dropout: Callable[[torch.Tensor, float], torch.Tensor | None]) -> None:
        self._masks, self._dropout = masks, dropout

    def __call__(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> torch.Tensor | None:
        if isinstance(attn_mask, CausalBias) and not is_causal:
            attn_mask, is_causal = _causal_bias(attn_mask, query.device)
        if not _accepted(query, key, value, attn_mask, dropout_p, enable_gqa):
            return None
        scale = query.shape[-1] ** -0.5 if scale is None else float(scale)
        grouped = enable_gqa or key.dim() == 4 and key.shape[1] == query.shape[1]
        if not dropout_p and grouped:
            result = masked(self._masks, query, key, value, attn_mask, is_causal, scale)
            if result is not None:
                return result
        trained = attn_mask is not None and attn_mask.requires_grad
        warn_of_products("dropout" if dropout_p else "a bias that has a gradient" if trained
                         else "these shapes, or a mask that hides by several numbers,")
        if enable_gqa:
            key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
        scores = (query @ key.mT) * scale
        if is_causal:
            rows, columns = (torch.arange(n, device=query.device) for n in scores.shape[-2:])
            scores = scores.masked_fill(rows[:, None] < columns, float("-inf"))
        if attn_mask is not None:
            scores = scores + attn_mask if attn_mask.dtype != torch.bool else scores.masked_fill(~attn_mask, float("-inf"))
        if attn_mask is None or not is_causal and self._masks.every_query_sees(attn_mask):
            weights = scores.softmax(-1)
        else:
            # A query that sees no key gets zeros.
            blind = scores.detach().amax(-1, keepdim=True) == float("-inf")
            weights = scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
        dropped = self._dropout(weights, dropout_p)
        return None if dropped is None else dropped @ value


def _causal_bias(bias: CausalBias, device: torch.device) -> tuple[torch.Tensor | None, bool]:
    """As a mask and whether attention is causal beside it."""
    rows, columns = bias.seq_len_q, bias.seq_len_kv
    if rows == columns or bias.variant is CausalVariant.UPPER_LEFT:
        return None, True
    # The last query sees every key.
    last = torch.arange(rows, device=device)[:, None] + (columns - rows)
    return last >= torch.arange(columns, device=device), False


def _fits(mask: torch.Size, query: torch.Tensor, key: torch.Tensor, enable_gqa: bool) -> bool:
    """Whether a mask's shape can be repeated to that of the scores."""
    try:
        rows = query.shape[:-2] if enable_gqa else torch.broadcast_shapes(query.shape[:-2], key.shape[:-2])
        scores = (*rows, query.shape[-2], key.shape[-2])
        return torch.broadcast_shapes(mask, scores) == torch.Size(scores)
    except RuntimeError:
        return False


def _accepted(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, mask: torch.Tensor | None, dropout_p: float, enable_gqa: bool) -> bool:
    tensors = (query, key, value)
    if not all(isinstance(x, torch.Tensor) and not x.is_nested and x.dim() >= 2 and x.is_floating_point() for x in tensors):
        return False
    if len({x.dtype for x in tensors}) > 1 or query.shape[-1] != key.shape[-1] or key.shape[-2] != value.shape[-2]:
        return False
    if mask is not None and (isinstance(mask, CausalBias) or mask.dtype not in (torch.bool, torch.float32, query.dtype)):
        return False
    if mask is not None and not _fits(mask.shape, query, key, enable_gqa):
        # Fake tensors let some pass.
        raise ImportFailure(
            f"a mask of attention must have the shape of the scores, or one that repeats to it, but has {list(mask.shape)} where queries "
            f"are {list(query.shape)} and keys {list(key.shape)}: give it [batch or 1, heads or 1, queries or 1, keys]"
        )
    if enable_gqa and (query.dim() < 3 or any(query.shape[-3] % x.shape[-3] for x in (key, value))):
        return False
    return 0 <= dropout_p <= 1
