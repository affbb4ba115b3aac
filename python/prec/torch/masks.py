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

    def __init__(self, known: Known):
        self.known = known
        self._told = WeakTensorKeyDictionary()

    def tell(self, mask: torch.Tensor, sees: Sees):
        """Whoever made the mask knows."""
        self._told[mask] = sees, mask._version

    def sees(self, mask: torch.Tensor | None) -> Sees | None:
        """None where it is neither of the two, or not known."""
        if mask is None:
            return Sees.ALL
        told, version = self._told.get(mask, (None, None))
        if version == mask._version:
            return told
        value = self.known.value(mask)
        with really():
            return None if value is None else classify(value)

    def every_row_sees(self, mask: torch.Tensor) -> bool:
        """Whether every query is known to see a key."""
        if self.sees(mask) is not None:
            return True
        value = self.known.value(mask)
        with really():
            seen = None if value is None else visible(value)
            return seen is not None and bool(seen.any(-1).all())
