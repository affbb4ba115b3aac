# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How far losses of a step may be from PyTorch's.

By TOLERANCE of the loss, or by four times what PyTorch has parted from itself until then: in float64, and from weights
of which each is an ulp away. Steps in which that is more than a hundredth tell nothing, and are counted and not
compared: batch norms over the eight values that two small images leave amplify an ulp of the weights to a tenth of the
second loss.
"""
from __future__ import annotations

import itertools
import math

TOLERANCE = 2e-5
_TELLS_NOTHING = 1e-2


def apart(losses: list[float], right: list[float]) -> list[float]:
    return [abs(x - y) / max(abs(y), 1e-12) for x, y in zip(losses, right, strict=True)]


def bounds_of(others: list[list[float]], right: list[float]) -> list[float]:
    """Of each step what four times the largest distance is that PyTorch's own losses have had until then."""
    largest = (max(step) for step in zip(*(apart(other, right) for other in others)))
    return [max(TOLERANCE, 4 * x) for x in itertools.accumulate(largest, max)]


def judged(got: list[float], right: list[float], bounds: list[float]) -> dict:
    """What `compare` gives. A loss that is no number is nowhere within, unless PyTorch's is none."""
    told = sum(bound <= _TELLS_NOTHING for bound in bounds)
    off = apart(got, right)
    worst = max(off[:max(told, 1)], key=lambda x: x if x == x else float("inf"))
    finite = all(math.isfinite(x) or not math.isfinite(y) for x, y in zip(got, right, strict=True))
    return {"steps": len(got), "told": told, "distance": float(f"{worst:.2g}"), "bound": float(f"{bounds[max(told, 1) - 1]:.2g}"),
            "within": bool(told and finite and all(x <= bound for x, bound in zip(off[:told], bounds)))}
