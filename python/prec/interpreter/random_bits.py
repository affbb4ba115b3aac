# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The random bits of the prec dialect, from the text of prec.stochastic_round: 32 bits for each element of a tensor.

`bits` is the formula on integers of any kind that is wider than 32 bits (Python's, NumPy's int64, torch's int64), so
that all backends draw the same; `random_bits` gives them as a NumPy array.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsInt, TypeVar

import numpy as np

# Integers: of Python, of NumPy, an array or a tensor of them.
Whole = TypeVar("Whole", bound=Any)
_ALL = 0xFFFFFFFF


def mix(x: Whole) -> Whole:
    # Products keep their lower 32 bits in a signed integer of 64 bits, too, which wraps.
    x = ((x ^ x >> 16) * 0x21F0AAAD) & _ALL
    x = ((x ^ x >> 15) * 0xD35A2D97) & _ALL
    return x ^ x >> 15


def bits(index: Whole, seed: SupportsInt, stream: SupportsInt) -> Whole:
    """Of the elements at `index`, in row-major order, below 2^32 each."""
    return mix(mix(index & _ALL ^ mix(int(stream) & _ALL)) ^ mix(int(seed) & _ALL))


def random_bits(shape: Sequence[int], seed: SupportsInt, stream: SupportsInt) -> np.ndarray:
    """uint32 of `shape`."""
    with np.errstate(over="ignore"):
        return bits(np.arange(np.prod(shape, dtype=np.int64)), seed, stream).astype(np.uint32).reshape(shape)
