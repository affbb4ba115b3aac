# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters of a model that a compiled step trains, as far as a script may rely on what PyTorch does not say of them.

There are no gradients: `p.grad` is None, as after zero_grad, which leaves optimizer.step() nothing to do, and
schedulers, loops over gradients and zero_grad work as they are. Who would clip gradients, however, relies on some:
torch.nn.utils.clip_grad_norm_ takes what is None for gradients of zero, and would clip nothing without a word. And
PyTorch counts no writes to `p.data`, by which averages follow weights in most scripts.

So parameters get a class whose `grad` is PyTorch's, but for a caller that clips: for that one it is an error; others
outside of PyTorch are warned once. Its `data` tells that it was read. They are so only while a step trains the model
and PyTorch has no gradient of it, so eager backwards work as ever, and so do copies of the model.
"""
from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...errors import StepFailure
from .private import CLIPPING, DATA, GRADIENT, change_class

# Their code asks whether there are gradients, and does nothing without.
_ASK = {"torch", "transformers", "accelerate", "lightning", "lightning_fabric", "pytorch_lightning", "trl", "peft", "prec", "lion_pytorch"}


class Guards:
    """Of parameters, trained and frozen ones, as long as it lives. read: is given a parameter of which somebody takes
    `data`."""

    def __init__(self, trained: Sequence[torch.Tensor], frozen: Sequence[torch.Tensor], read: Callable[[torch.Tensor], None]) -> None:
        self._parameters = [*trained, *frozen]
        self._trained = {id(parameter) for parameter in trained}
        self._read = read
        self._has_warned = False
        kinds = {type(parameter) for parameter in self._parameters}
        classes = {kind: _guarded(kind, weakref.ref(self)) for kind in kinds}
        for parameter in self._parameters:
            change_class(parameter, classes[type(parameter)])

    def of_gradient(self, parameter: torch.Tensor, caller: Any) -> None:
        """A caller has read that there is no gradient."""
        if id(parameter) not in self._trained:
            return
        name = caller.f_globals.get("__name__") or ""
        if name == CLIPPING:
            raise StepFailure("gradients must be clipped inside of the step, whose gradients are nowhere else: leave clip_grad_norm_ out and "
                              "give prec.compile(..., clip_grad_norm=...)")
        if self._has_warned or name.partition(".")[0] in _ASK:
            return
        self._has_warned = True
        line = f"{caller.f_code.co_filename.rpartition('/')[2]}:{caller.f_lineno}"
        warnings.warn(f"gradients of a compiled step are nowhere but in it: {line} reads None, and what it would do with them is not done (hooks of "
                      "parameters act within the step, and clip_grad_norm= clips)", stacklevel=4)

    def of_data(self, parameter: torch.Tensor) -> None:
        self._read(parameter)

    def release(self) -> None:
        """The parameters are PyTorch's own again."""
        for parameter in self._parameters:
            change_class(parameter, type(parameter).__bases__[0])
        self._parameters, self._trained = [], set()


def _guarded(kind: type, owner: weakref.ref[Guards]) -> type:
    """A subclass of a parameter's class, which pickles as its base does."""
    def read(self: Any) -> torch.Tensor | None:
        held = GRADIENT.__get__(self)
        guards = owner() if held is None else None
        if guards is not None:
            guards.of_gradient(self, sys._getframe(1))
        return held

    def write(self: Any, value: torch.Tensor | None) -> None:
        GRADIENT.__set__(self, value)

    def delete(self: Any) -> None:
        GRADIENT.__delete__(self)

    def read_data(self: Any) -> torch.Tensor:
        guards = owner()
        if guards is not None:
            guards.of_data(self)
        return DATA.__get__(self)

    def write_data(self: Any, value: torch.Tensor) -> None:
        DATA.__set__(self, value)
    return type(kind.__name__, (kind,), {"grad": property(read, write, delete), "data": property(read_data, write_data),
                                         "__module__": kind.__module__, "__qualname__": kind.__qualname__})
