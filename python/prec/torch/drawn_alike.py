# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own step beside that of a module, which draws the same: dropout sets the elements to zero that the module
does, and what forward draws from PyTorch's generator is what the module draws. Both follow from the number of the step
and from which call it is, in forward and where activation checkpointing computes again."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch.overrides import TorchFunctionMode

from . import draws, dropout, random_states
from .functional import body_of


class _Stood(TorchFunctionMode):
    """Calls what stands for a function, and the function itself where that returns None."""

    def __init__(self, table: Mapping[Any, Callable[..., Any]]) -> None:
        super().__init__()
        self._table = table
        self._bodies = {f: body_of(f) for f in (F.multi_head_attention_forward, torch.autograd.grad)}

    def __torch_function__(
        self, function: Callable[..., Any], types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if function in self._bodies:
            # They call attention and dropout, which a mode that has the call as a whole would not see.
            with self:
                return self._bodies[function](*args, **(kwargs or {}))
        kept = self._table.get(function)
        result = kept(*args, **(kwargs or {})) if kept is not None else None
        return function(*args, **(kwargs or {})) if result is None else result


@contextlib.contextmanager
def drawn_as(step: float, others: Mapping[Any, Callable[..., Any]] | None = None) -> Iterator[None]:
    """In here PyTorch draws as a step module in step `step`. The backward belongs in here as well, by trace.backward:
    PyTorch's own functions would be a call, during which nothing stands for another.

    others: what else stands for functions of PyTorch, as in dropout.Dropout's table.
    """
    streams, drawn = dropout.Streams(), draws.Draws(draws.drawn(dropout.seed_of(step)))
    drops = dropout.Dropout(streams, dropout.drawn(dropout.seed_of(step)))
    table = {**drops.table, F.scaled_dot_product_attention: _attention(drops.elements), **(others or {})}
    with random_states.followed([streams, drawn.streams]), drawn, _Stood(table):
        yield


def _attention(drop: Callable[[torch.Tensor, float], torch.Tensor | None]) -> Callable[..., torch.Tensor | None]:
    """Attention with dropout by PyTorch's definition, whose own kernels draw bits of their own."""

    def attention(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        attn_mask: torch.Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        scale: float | None = None,
        enable_gqa: bool = False,
    ) -> torch.Tensor | None:
        if not dropout_p:
            return None
        if enable_gqa:
            key, value = (x.repeat_interleave(query.shape[-3] // x.shape[-3], -3) for x in (key, value))
        scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
        if is_causal:
            scores = scores.masked_fill(torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1), -torch.inf)
        if attn_mask is not None:
            scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
        dropped = drop(scores.softmax(-1).nan_to_num(0.0), dropout_p)
        return None if dropped is None else dropped @ value
    return attention
