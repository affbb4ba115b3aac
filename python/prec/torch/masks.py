# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a mask of attention lets a query see, where its values are known, and what is added to scores where they are
not.

A mask that is all, causal or a causal window is structure of the op. Any other one becomes a bias, of numbers that are
added to scores. What is hidden gets -2^126, which f32 and bf16 both hold: beside it nothing is left of a score, and of
its exponential against that of any score of less than 2^100 nothing either, so that its weight is exactly 0. A query
that sees no key is blind: its biases are 0, so that its softmax is one, and its result is replaced afterwards.
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import torch
import torch.fx.traceback as traceback
from torch.utils.weak import WeakTensorKeyDictionary

from .known import Known, really

# A score is a sum of products of activations; what a mask of this size is added to is seen by nobody.
_HIDDEN = -1e30
# Of a larger one, f32 keeps too few digits of a score that it is added to.
_FAR = -1024.0
HIDES = -(2.0**126)


@dataclass(frozen=True)
class Sees:
    """ALL: every query sees every key. CAUSAL: query i of S sees the keys 0 to i of S. With a window of w those of them
    that are more than i - w."""

    causal: bool
    window: int | None = None
    ALL: ClassVar[Sees]
    CAUSAL: ClassVar[Sees]


Sees.ALL, Sees.CAUSAL = Sees(False), Sees(True)


def visible(mask: torch.Tensor) -> torch.Tensor | None:
    """Of a real mask, bool or added to the scores: where it lets a query see. None where it is a bias."""
    if mask.dtype == torch.bool:
        return mask
    seen = mask == 0
    return seen if mask.is_floating_point() and bool((seen | (mask <= _HIDDEN)).all()) else None


def band(window: int, size: int, device: torch.device | None = None) -> torch.Tensor:
    """Where queries see keys by a causal window."""
    return torch.ones(size, size, dtype=torch.bool, device=device).tril().triu(1 - window)


def classify(mask: torch.Tensor) -> Sees | None:
    """Of a real mask, bool or added to the scores; None where it is a mask of another kind or a bias."""
    seen = visible(mask)
    if seen is None:
        return None
    if bool(seen.all()):
        return Sees.ALL
    if seen.dim() < 2 or seen.shape[-1] != seen.shape[-2]:
        return None
    size = seen.shape[-1]
    # The last query sees the whole window.
    window = int(seen.reshape(-1, size, size)[0, -1].sum())
    if window < 1 or not bool((seen == band(window, size, seen.device)).all()):
        return None
    return Sees.CAUSAL if window == size else Sees(True, window)


def _within(mask: torch.Tensor) -> Sees:
    """A structure that hides nothing that a real mask shows."""
    if mask.dim() < 2 or mask.shape[-1] != mask.shape[-2]:
        return Sees.ALL
    hidden = ~mask if mask.dtype == torch.bool else mask <= _HIDDEN
    behind = torch.ones(mask.shape[-2:], dtype=torch.bool, device=mask.device).tril()
    return Sees.CAUSAL if bool((hidden | behind).all()) else Sees.ALL


@dataclass(frozen=True)
class _Answer:
    sees: Sees | None
    # Whether every query is known to see a key, by numbers that leave its scores their digits.
    all_see: bool = False
    # What hides nothing that the mask shows.
    within: Sees = Sees.ALL


_UNKNOWN = _Answer(None)


@dataclass(frozen=True)
class Added:
    """What is added to scores. `blind`: of queries, those that see no key, or have none but by numbers that leave
    nothing of a score. `even`: the latter."""

    bias: torch.Tensor
    blind: torch.Tensor | None
    even: torch.Tensor | None


class Masks:
    """What the masks of a trace are known to let a query see."""

    def __init__(self, known: Known) -> None:
        self._known = known
        # Layers share a mask: it is looked at once. An answer and how often the mask was changed; the same of what is
        # added.
        self._answers = WeakTensorKeyDictionary()
        self._added = WeakTensorKeyDictionary()

    def tell(self, mask: torch.Tensor, sees: Sees) -> None:
        """Whoever made the mask knows."""
        self._answers[mask] = _Answer(sees, True, sees), mask._version

    def tell_within(self, mask: torch.Tensor, sees: Sees) -> None:
        """The mask shows nothing that these do not."""
        answer = self._answer(mask)
        if answer.sees is None:
            self._answers[mask] = _Answer(None, answer.all_see, sees), mask._version

    def sees(self, mask: torch.Tensor | None) -> Sees | None:
        """None where it is something else, or not known."""
        return Sees.ALL if mask is None else self._answer(mask).sees

    def within(self, mask: torch.Tensor) -> Sees:
        """What shows all that the mask shows."""
        return self._answer(mask).within

    def every_query_sees(self, mask: torch.Tensor) -> bool:
        """Whether every query is known to see a key."""
        return self._answer(mask).all_see

    def added(self, mask: torch.Tensor, dtype: torch.dtype) -> Added:
        """What stands for the mask, bool or added to the scores, with as many dimensions as these have."""
        added, version = self._added.get(mask, ({}, None))
        if version != mask._version:
            added = {}
        if dtype not in added:
            with _of_no_module():
                make = _of_bool if mask.dtype == torch.bool else _of_numbers
                added[dtype] = make(mask, dtype, self.every_query_sees(mask))
            self._added[mask] = added, mask._version
        return added[dtype]

    def _answer(self, mask: torch.Tensor) -> _Answer:
        answer, version = self._answers.get(mask, (None, None))
        if version != mask._version:
            answer = self._look(mask)
            self._answers[mask] = answer, mask._version
        return answer

    def _look(self, mask: torch.Tensor) -> _Answer:
        value = self._known.value(mask)
        if value is None:
            return _UNKNOWN
        with really():
            if value.dtype == torch.bool:
                all_see = value.any(-1)
            elif value.is_floating_point():
                all_see = value.amax(-1) > _FAR
            else:
                return _UNKNOWN
            return _Answer(classify(value), bool(all_see.all()), _within(value))


@contextlib.contextmanager
def _of_no_module() -> Iterator[None]:
    """What layers share belongs to none of them; what is computed again in a backward stays where it is."""
    if torch._C._current_graph_task_id() != -1:
        yield
        return
    with traceback.annotate({"path": ""}):
        yield


def hiding(seen: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """What hides all but what is seen where it is added."""
    return torch.zeros_like(seen, dtype=dtype).masked_fill(~seen, HIDES)


def _of_bool(mask: torch.Tensor, dtype: torch.dtype, all_see: bool) -> Added:
    blind = None if all_see else ~mask.any(-1, keepdim=True)
    seen = mask if blind is None else mask | blind
    return Added(hiding(seen, dtype), blind, None)


def _of_numbers(mask: torch.Tensor, dtype: torch.dtype, all_see: bool) -> Added:
    """Numbers stay as they are, but for those that hide. Where all of a row are low, the largest is taken from them,
    which changes no weight and leaves scores their digits."""
    mask = mask.detach().to(dtype)
    if all_see:
        return Added(mask.clamp(min=HIDES), None, None)
    largest = mask.amax(-1, keepdim=True)
    blind = largest <= _HIDDEN
    low = torch.where(blind | (largest > _FAR), torch.zeros_like(largest), largest)
    bias = (mask - low).clamp(min=HIDES).masked_fill(blind, 0.0)
    return Added(bias, blind, blind & (largest > -torch.inf))
