# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A product and a sum that are rounded once, in float64, for both backends.

f32 has its own in float64, where the product is exact. Of numbers of float64 the product's rounding is found by
splitting each factor into halves of 26 bits, whose products are exact (Dekker), and that of the sum by Knuth's two
sums; both are added to the sum at its end. What is left by a quotient and its divisor, whose product cancels, is exact
so, as a processor has it.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

_SPLIT = 2.0**27 + 1


def _halves(x: Any) -> tuple[Any, Any]:
    scaled = x * _SPLIT
    high = scaled - (scaled - x)
    return high, x - high


def exact_fma(where: Callable[[Any, Any, Any], Any], x: Any, y: Any, z: Any) -> Any:
    """x * y + z of arrays of float64. where: as numpy.where."""
    product = x * y
    (a, b), (c, d) = _halves(x), _halves(y)
    lost = ((a * c - product) + a * d + b * c) + b * d
    total = product + z
    of_z = total - product
    lost = lost + ((product - (total - of_z)) + (z - of_z))
    # Infinities, and what is near them, have nothing to add.
    return where(lost == lost, total + lost, total)
