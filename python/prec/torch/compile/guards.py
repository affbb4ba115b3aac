# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parameters of a model that a compiled step trains, as far as a script may rely on what PyTorch does not say of them.

There are no gradients: `p.grad` is None, as after zero_grad, which leaves optimizer.step() nothing to do, and
schedulers, loops over gradients and zero_grad work as they are. Who would clip gradients, however, relies on some:
torch.nn.utils.clip_grad_norm_ takes what is None for gradients of zero, and would clip nothing without a word, and a
GradScaler asserts. And
PyTorch counts no writes to `p.data`, by which averages follow weights in most scripts.

So parameters get a class whose `grad` is PyTorch's, but for a caller that clips: for that one it is an error; others
outside of PyTorch are warned once. Its `data` tells that it was read. They are so only while a step trains the model
and PyTorch has no gradient of it, so eager backwards work as ever, and so do copies of the model. Of several steps that
have a parameter its class asks all, whichever is closed first.

A parameter in BF16 is filled from its master when it is used. So after a step it gets another class yet, in which
PyTorch hands every function of it to `__torch_function__`, which fills all such parameters and takes that class away.
"""
from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import torch

from ...errors import StepFailure
from .private import ALLOCATING, CLIPPING, DATA, GRADIENT, OF_SHAPES, UNSCALING, call_plainly, change_class

# Their code asks whether there are gradients, and does nothing without.
_ASK = {"torch", "transformers", "accelerate", "lightning", "lightning_fabric", "pytorch_lightning", "trl", "peft", "prec", "lion_pytorch"}
# Where a class has those that it asks, one that is watched the class without that, and that one the watched one.
_OWNERS, _PLAIN, _WATCHED = "_prec_owners", "_prec_plain", "_prec_watched"


class Guards:
    """Of parameters, trained and frozen ones, as long as it lives. read: is given a parameter of which somebody takes
    `data`. filled: parameters that are filled before somebody computes with them, which `use` does while `watch` says
    so."""

    def __init__(self, trained: Sequence[torch.Tensor], frozen: Sequence[torch.Tensor], read: Callable[[torch.Tensor], None],
                 filled: Sequence[torch.Tensor], use: Callable[[], None]) -> None:
        self._parameters = [*trained, *frozen]
        self._trained = {id(parameter) for parameter in trained}
        self._filled = list(filled)
        self._read, self._use = read, use
        self._has_warned = False
        self._ask_others_and([weakref.ref(self)])

    def of_gradient(self, parameter: torch.Tensor, caller: Any) -> None:
        """A caller has read that there is no gradient."""
        if id(parameter) not in self._trained:
            return
        name = caller.f_globals.get("__name__") or ""
        if name == CLIPPING and "clip_grad_value_" in (caller.f_code.co_name, caller.f_back.f_code.co_name):
            raise StepFailure("gradients must be clipped inside of the step, whose gradients are nowhere else: leave clip_grad_value_ out and clamp "
                              "them by hooks, before the step is compiled: p.register_hook(lambda gradient: gradient.clamp(-c, c))")
        if name == UNSCALING:
            raise StepFailure("gradients must be scaled and unscaled inside of the step, whose gradients are nowhere else: leave the GradScaler "
                              "out, or give it enabled=False; a recipe in FP16 scales the loss by itself")
        if name.startswith(ALLOCATING):
            raise StepFailure("ranks of AdaLoRA must be allocated by gradients, but those of a compiled step are nowhere but in it: leave "
                              "update_and_allocate out, or train LoRA")
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

    def of_use(self) -> None:
        """Somebody computes with parameters that are watched."""
        self._use()

    def watch(self, is_watched: bool) -> None:
        for parameter in self._filled:
            kind = _unwatched(type(parameter))
            change_class(parameter, _watched(kind) if is_watched else kind)

    def release(self) -> None:
        """The parameters are PyTorch's own again, or those of other guards alone."""
        self._ask_others_and([])
        self._parameters, self._filled, self._trained = [], [], set()

    def _ask_others_and(self, more: list[weakref.ref[Guards]]) -> None:
        """Gives each parameter a class that asks its other guards, as far as they are there, and these."""
        classes: dict[type, type] = {}
        for parameter in self._parameters:
            kind = _unwatched(type(parameter))
            if kind not in classes:
                owners = [one for one in vars(kind).get(_OWNERS, ()) if one() not in (None, self)] + more
                classes[kind] = _guarded(bare_kind(kind), owners) if owners else bare_kind(kind)
            change_class(parameter, classes[kind])


def bare_kind(kind: type) -> type:
    """The class that a parameter would have without guards."""
    kind = _unwatched(kind)
    return kind.__bases__[0] if _OWNERS in vars(kind) else kind


def _unwatched(kind: type) -> type:
    return vars(kind).get(_PLAIN, kind)


def _watched(kind: type) -> type:
    """The class of guards with one thing more: whatever computes with a parameter asks them before."""
    held: type | None = vars(kind).get(_WATCHED)
    if held is not None:
        return held
    owners = vars(kind)[_OWNERS]

    def call(_: type, function: Any, types: Any, arguments: Any = (), keywords: Any = None) -> Any:
        if function not in OF_SHAPES:
            for owner in owners:
                guards = owner()
                if guards is not None:
                    guards.of_use()
        return call_plainly(function, arguments, keywords)
    made = type(kind.__name__, (kind,), {"__torch_function__": classmethod(call), _PLAIN: kind, "__module__": kind.__module__,
                                         "__qualname__": kind.__qualname__})
    setattr(kind, _WATCHED, made)
    return made


def _guarded(kind: type, owners: Sequence[weakref.ref[Guards]]) -> type:
    """A subclass of a parameter's class, which pickles as its base does."""
    def read(self: Any) -> torch.Tensor | None:
        held = GRADIENT.__get__(self)
        if held is None:
            for owner in owners:
                guards = owner()
                if guards is not None:
                    guards.of_gradient(self, sys._getframe(1))
        return held

    def write(self: Any, value: torch.Tensor | None) -> None:
        GRADIENT.__set__(self, value)

    def delete(self: Any) -> None:
        GRADIENT.__delete__(self)

    def read_data(self: Any) -> torch.Tensor:
        for owner in owners:
            guards = owner()
            if guards is not None:
                guards.of_data(self)
        return DATA.__get__(self)

    def write_data(self: Any, value: torch.Tensor) -> None:
        DATA.__set__(self, value)

    def copied(self: Any, memo: dict[int, Any]) -> Any:
        """A copy is no step's parameter."""
        made = kind.__deepcopy__(self, memo)  # type: ignore[attr-defined]
        change_class(made, kind)
        return made
    return type(kind.__name__, (kind,), {"grad": property(read, write, delete), "data": property(read_data, write_data),
                                         "__deepcopy__": copied, _OWNERS: owners,
                                         "__module__": kind.__module__, "__qualname__": kind.__qualname__})
