# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a mask of attention lets a query see, where its values are known."""
from __future__ import annotations

import enum

import torch
from torch.utils.weak import WeakTensorKeyDictionary

from .known import Known, really

# A score is a sum of products of activations; what a mask of this size is added to is seen by nobody.
_HIDDEN = -1e30


class Sees(enum.Enum):
    """ALL: every query sees every key. CAUSAL: query i of S sees the keys 0 to i of S."""

    ALL = "all"
    CAUSAL = "causal"


def visible(mask: torch.Tensor) -> torch.Tensor | None:
    """Of a real mask, bool or added to the scores: where it lets a query see. None where it is a bias."""
    if mask.dtype == torch.bool:
        return mask
    seen = mask == 0
    return seen if mask.is_floating_point() and bool((seen | (mask <= _HIDDEN)).all()) else None


def classify(mask: torch.Tensor) -> Sees | None:
    """Of a real mask, bool or added to the scores; None where it is neither of the two."""
    seen = visible(mask)
    if seen is None:
        return None
    if bool(seen.all()):
        return Sees.ALL
    if seen.dim() < 2 or seen.shape[-1] != seen.shape[-2]:
        return None
    causal = torch.ones(seen.shape[-2:], dtype=torch.bool, device=seen.device).tril()
    return Sees.CAUSAL if bool((seen == causal).all()) else None


class Masks:
    """What the masks of a trace are known to let a query see."""

    def __init__(self, known: Known) -> None:
        self._known = known
        # Layers share a mask: it is looked at once. (what it lets see, whether every query sees a key), and how often
        # it was changed.
        self._answers = WeakTensorKeyDictionary()

    def tell(self, mask: torch.Tensor, sees: Sees) -> None:
        """Whoever made the mask knows."""
        self._answers[mask] = (sees, True), mask._version

    def sees(self, mask: torch.Tensor | None) -> Sees | None:
        """None where it is neither of the two, or not known."""
        return Sees.ALL if mask is None else self._answer(mask)[0]

    def every_query_sees(self, mask: torch.Tensor) -> bool:
        """Whether every query is known to see a key."""
        return self._answer(mask)[1]

    def _answer(self, mask: torch.Tensor) -> tuple[Sees | None, bool]:
        answer, version = self._answers.get(mask, (None, None))
        if version != mask._version:
            answer = self._look(mask)
            self._answers[mask] = answer, mask._version
        return answer

    def _look(self, mask: torch.Tensor) -> tuple[Sees | None, bool]:
        value = self._known.value(mask)
        if value is None:
            return None, False
        with really():
            seen = visible(value)
            return classify(value), seen is not None and bool(seen.any(-1).all())
