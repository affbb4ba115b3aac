# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of a model that a compiled step trains: there are none. `p.grad` is None, as after zero_grad, which leaves
optimizer.step() nothing to do, and schedulers, loops over gradients and zero_grad work as they are. Who would clip
gradients, however, relies on some: torch.nn.utils.clip_grad_norm_ takes what is None for gradients of zero, and would
clip nothing without a word.

So parameters get a class whose `grad` is PyTorch's, but for a caller that clips: for that one it is an error. It is one
only while a step trains the parameter and PyTorch has no gradient of it, so eager backwards work as ever, and so do
copies of the model, such as an average of its weights.
"""
from __future__ import annotations

import sys
import weakref
from collections.abc import Sequence
from typing import Any

import torch

from ...errors import StepFailure
from .private import CLIPPING, GRADIENT, change_class


class Gradients:
    """Guards the gradients of parameters, as long as it lives."""

    def __init__(self, parameters: Sequence[torch.nn.Parameter]) -> None:
        self._parameters = list(parameters)
        self._trained = {id(parameter) for parameter in parameters}
        kinds = {type(parameter) for parameter in parameters}
        classes = {kind: _guarded(kind, weakref.ref(self)) for kind in kinds}
        for parameter in parameters:
            change_class(parameter, classes[type(parameter)])

    def guards(self, parameter: torch.Tensor) -> bool:
        return id(parameter) in self._trained

    def release(self) -> None:
        """The parameters are PyTorch's own again."""
        for parameter in self._parameters:
            change_class(parameter, type(parameter).__bases__[0])
        self._parameters, self._trained = [], set()


def _guarded(kind: type, owner: weakref.ref[Gradients]) -> type:
    """A subclass of a parameter's class, which pickles as its base does."""
    def read(self: Any) -> torch.Tensor | None:
        held = GRADIENT.__get__(self)
        if held is None and sys._getframe(1).f_globals.get("__name__") == CLIPPING:
            gradients = owner()
            if gradients is not None and gradients.guards(self):
                raise StepFailure("gradients must be clipped inside of the step, whose gradients are nowhere else: leave clip_grad_norm_ out and "
                                  "give prec.compile(..., clip_grad_norm=...)")
        return held

    def write(self: Any, value: torch.Tensor | None) -> None:
        GRADIENT.__set__(self, value)

    def delete(self: Any) -> None:
        GRADIENT.__delete__(self)
    return type(kind.__name__, (kind,), {"grad": property(read, write, delete), "__module__": kind.__module__, "__qualname__": kind.__qualname__})
