# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks of modules that fill what a compiled step has changed, before the model is used or saved."""
from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .weights import Weights


class Fill:
    """Holds no step. A model is copied and saved without what it does: a copy is no step's model."""

    def __init__(self, weights: Weights | None) -> None:
        self._weights: Callable[[], Weights | None] = weakref.ref(weights) if weights is not None else lambda: None

    def __call__(self, *_: Any) -> None:
        weights = self._weights()
        if weights is not None:
            weights.use()

    def __reduce__(self) -> tuple[type[Fill], tuple[None]]:
        return Fill, (None,)
