# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which elements an optimizer under a guard writes, for every backend: it needs abs, <= and & of arrays alone."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from .formats import MAX_FINITE

# Of the backend: np.ndarray or torch.Tensor.
Array: TypeAlias = Any


def writable(new: Sequence[Array], stored: Sequence[str]) -> list[Array]:
    """For the parameter and each state of `new`, where it is written: elements of one place of the parameter's shape
    together, if the sum of the magnitudes stored as f16 and that of the others are no larger than can be; those of
    other shapes by themselves.

    new: arrays, the parameter first. stored: of each the element type that it is stored as."""
    def is_below(arrays: Iterable[Array], element: str) -> Array:
        return sum(abs(a) for a in arrays) <= MAX_FINITE["f16" if element == "f16" else "bf16"]

    shape, together = new[0].shape, True
    for half in (True, False):
        arrays = [n for n, element in zip(new, stored) if n.shape == shape and (element == "f16") == half]
        if arrays:
            together = is_below(arrays, "f16" if half else "f32") & together
    return [together if n.shape == shape else is_below([n], element) for n, element in zip(new, stored)]
