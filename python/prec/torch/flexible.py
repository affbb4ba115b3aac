# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.attention.flex_attention: scores that a function of the model changes, and a mask that another one makes.

PyTorch gives both functions to an operation that holds code, which no graph of tensors has. Here that operation is
replaced by what it computes: each function is called once for all indices, by vmap. Where no function changes scores
this is attention with a mask. A mask that is causal, a causal window or shows all is told apart by its values where the
function reads nothing but indices; any other one is computed in the graph.
"""
from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import torch
import torch.nn.functional as F
from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
from torch.nn.attention import flex_attention as module
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from .attention import warn_of_products
from .known import MOST_ELEMENTS, really
from .masks import Sees, band, classify


def _indices(scores: torch.Size, device: torch.device) -> list[torch.Tensor]:
    return [torch.arange(size, device=device) for size in scores]


def _over_all(function: Callable[..., Any], scores: torch.Tensor | None, indices: list[torch.Tensor]) -> torch.Tensor:
    """The function's results for all rows, heads, queries and keys; of each score where it takes one."""
    prefix = () if scores is None else (0,)
    given = () if scores is None else (scores,)
    with TransformGetItemToIndex():
        result: torch.Tensor = module._vmap_for_bhqkv(function, prefix=prefix)(*given, *indices)
        return result


class _ReadsMore(Exception):
    pass


class _OfIndices(TorchDispatchMode):
    """Gives up where a function reads a tensor that no operation has made of the indices: another one's values may
    change."""

    def __init__(self, indices: list[torch.Tensor]) -> None:
        super().__init__()
        # Alive, so that no other has its place.
        self._made = {id(t): t for t in indices}

    def __torch_dispatch__(self, function: Any, types: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        if any(isinstance(t, torch.Tensor) and id(t) not in self._made for t in tree_leaves((args, kwargs))):
            raise _ReadsMore
        result = function(*args, **(kwargs or {}))
        self._made |= {id(t): t for t in tree_leaves(result) if isinstance(t, torch.Tensor)}
        return result


def _structure(mask_mod: Callable[..., Any], scores: torch.Size) -> Sees | None:
    """What a mask shows that follows from indices alone; None where it is something else, or reads tensors."""
    if scores.numel() > MOST_ELEMENTS:
        return None
    try:
        with really():
            indices = _indices(scores, torch.device("cpu"))
            with _OfIndices(indices):
                mask = module._vmap_for_bhqkv(mask_mod, prefix=())(*indices)
            return classify(mask)
    except Exception:
        # The function is the model's: with real indices beside what a trace made it may raise anything.
        return None


def _mask(mask_mod: Callable[..., Any], scores: torch.Size, device: torch.device) -> torch.Tensor | None:
    """None where every query sees every key."""
    if mask_mod is module.noop_mask:
        return None
    sees = _structure(mask_mod, scores)
    if sees is None:
        return _over_all(mask_mod, None, _indices(scores, device))
    if not sees.causal:
        return None
    size = scores[3]
    return torch.ones(size, size, dtype=torch.bool, device=device).tril() if sees.window is None else band(sees.window, size, device)


def _with_changed_scores(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, score_mod: Callable[..., Any],
                         mask: torch.Tensor | None, scale: float) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The result, the logarithm of the sum of each query's exponentials, and its largest score."""
    scores = (query @ key.mT) * scale
    if score_mod is not module._identity:
        scores = _over_all(score_mod, scores, _indices(scores.shape, scores.device))
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    # A query that sees no key gets zeros.
    largest = scores.amax(-1)
    blind = (largest.detach() == -torch.inf)[..., None]
    seen = scores.masked_fill(blind, 0.0)
    sums = seen.logsumexp(-1).masked_fill(blind[..., 0], -torch.inf)
    return seen.softmax(-1).masked_fill(blind, 0.0) @ value, sums, largest


def _attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, score_mod: Callable[..., Any], block_mask: tuple[Any, ...],
            scale: float, kernel_options: dict[str, Any], *_: Any) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """In the place of PyTorch's operation, which gives the logarithms with base two."""
    rows, heads, queries = query.shape[:3]
    mask = _mask(block_mask[-1], torch.Size((rows, heads, queries, key.shape[2])), query.device)
    key, value = (x.expand(rows, *x.shape[1:]) for x in (key, value))
    stats = kernel_options.get("OUTPUT_LOGSUMEXP", True) or kernel_options.get("OUTPUT_MAX", False)
    if score_mod is module._identity and not stats:
        result = F.scaled_dot_product_attention(query, key, value, attn_mask=mask, scale=scale, enable_gqa=key.shape[1] != heads)
        return result, result.new_zeros(0), result.new_zeros(0)
    warn_of_products("a function that changes scores, or of which the sums are asked for,")
    key, value = (x.repeat_interleave(heads // x.shape[1], 1) for x in (key, value))
    result, sums, largest = _with_changed_scores(query, key, value, score_mod, mask, scale)
    return result, sums / math.log(2), largest / math.log(2)


@contextlib.contextmanager
def written_out() -> Iterator[None]:
    """Every call of flex_attention computes by operations of tensors, and has a gradient on the CPU, too."""
    with contextlib.ExitStack() as stack:
        # Without a compilation of PyTorch's own, and what it says where there is none.
        for name, value in (("flex_attention_hop", _attend), ("_validate_device", lambda *_: None), ("_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG", True)):
            if hasattr(module, name):
                stack.enter_context(patch.object(module, name, value))
        yield
