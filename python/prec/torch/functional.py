# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of torch.nn.functional that are composites, and what stands in for them during a trace."""
from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensor
from torch.nn.attention.bias import CausalBias
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from ..errors import ImportFailure
from . import composites, experts
from .attention import Attention
from .constants import user_line
from .dropout import Dropout, Streams
from .indices import COUNTS, with_stacked_index
from .known import Known
from .losses import cross_entropy, ctc_loss
from .masks import Masks
from .numbered import Numbered
from .packed import Packed
from .padded_rows import PaddedRows
from .selected import Selected
from .spectra import istft

# Their operations have a gradient that torch.func and vmap cannot transform: within these PyTorch's own stand.
_KEPT = {F.scaled_dot_product_attention, F.rms_norm, torch.rms_norm, F.cross_entropy}
_STRIDED = {torch.as_strided, torch.Tensor.as_strided, torch.Tensor.as_strided_}
_PLAIN = {torch.Tensor, torch.nn.Parameter, FakeTensor, CausalBias}


def _rms_norm(
    input: torch.Tensor, normalized_shape: Sequence[int], weight: torch.Tensor | None = None, eps: float | None = None
) -> torch.Tensor | None:
    if not input.is_floating_point() or not input.dim() or normalized_shape not in ([input.shape[-1]], (input.shape[-1],)):
        return None
    if weight is None:
        weight = input.new_ones(input.shape[-1:])
    elif weight.shape != input.shape[-1:] or not weight.is_floating_point():
        return None
    # PyTorch's default is the machine epsilon of the type it computes in, which is float32 here.
    eps = torch.finfo(torch.float32).eps if eps is None else float(eps)
    return composites.rms_norm(input, weight, eps)[0]


def body_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """A functional that no mode takes as a whole: the functional calls inside of it are seen."""
    unseen = {name: lambda *_: False for name in ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic")}
    body = types.FunctionType(function.__code__, {**function.__globals__, **unseen}, function.__name__, function.__defaults__,
                              function.__closure__)
    body.__kwdefaults__ = function.__kwdefaults__
    return body


def _by_body() -> dict[Any, Callable[..., Any]]:
    """What is traced by the calls inside of it. How linear_cross_entropy (from PyTorch 2.12 on) cuts its logits into
    chunks changes no value: the compiler chunks the loss itself."""
    # A gradient within forward may run parts of it again, for a checkpoint.
    bodies: dict[Any, Callable[..., Any]] = {f: body_of(f) for f in (F.multi_head_attention_forward, torch.autograd.grad)}
    chunked = getattr(F, "linear_cross_entropy", None)
    if chunked is not None:
        body = body_of(chunked)
        bodies[chunked] = lambda *args, options=None, **kwargs: body(*args, **kwargs)
    return bodies


class KeepComposites(TorchFunctionMode):
    """Swaps a functional call for its composite where that computes the same; other calls pass through.

    An entry of the table that gets arguments that it does not know, or returns None, leaves the call to PyTorch. held:
    what the model holds and forward may change, of which `.data` may be set.
    """

    def __init__(self, padded: PaddedRows | None = None, held: Sequence[torch.Tensor] = ()) -> None:
        super().__init__()
        self._padded = padded or PaddedRows(None)
        self._held = {id(t): t for t in held}
        self.known = Known()
        self.masks = Masks(self.known)
        self.streams = Streams()
        self.selected = Selected()
        self.numbered, self.packed = Numbered(self.known), Packed(self.selected)
        dropout = Dropout(self.streams)
        table: dict[Any, Callable[..., Any]] = {F.scaled_dot_product_attention: Attention(self.masks, dropout.elements), F.rms_norm: _rms_norm,
                 torch.rms_norm: _rms_norm, F.cross_entropy: cross_entropy, F.ctc_loss: ctc_loss, torch.istft: istft,
                 torch.Tensor.istft: istft, **COUNTS, **experts.FUNCTIONS, **dropout.table}
        self._table = {function: (keep, inspect.signature(keep)) for function, keep in table.items()}
        self._bodies = _by_body()

    @staticmethod
    def active() -> KeepComposites | None:
        """The one that sees the calls that are made now."""
        return next((m for m in reversed(_get_current_function_mode_stack()) if isinstance(m, KeepComposites)), None)

    def __torch_function__(
        self, function: Callable[..., Any], kinds: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if function in self._bodies:
            with self:
                return self._bodies[function](*args, **kwargs)
        if function == torch.Tensor.data.__set__ and args[1] is not args[0]:  # type: ignore[attr-defined]
            # Neither a trace nor autograd sees it. What the model holds has no other views.
            if id(args[0]) in self._held and args[0].shape == args[1].shape and args[0].dtype == args[1].dtype:
                with torch.no_grad():
                    args[0].copy_(args[1])
                return None
            raise ImportFailure(
                f"forward must change tensors by operations but sets .data of one of shape {list(args[0].shape)} ({user_line()}): write "
                "x.copy_(...), or assign a buffer anew"
            )
        if function in _STRIDED and _transformed():
            # A trace loses what is written to it.
            raise ImportFailure(f"a view within torch.func or vmap must not be as_strided's but is ({user_line()}): write slices, diagonal or unfold")
        args = with_stacked_index(function, args)
        args, kwargs = self._padded.without(function, args, kwargs)
        result = self.packed.call(function, args, kwargs)
        if result is not None:
            return result
        result = self.selected.call(self, function, args, kwargs)
        if result is not None:
            return result
        numbered = self.numbered.call(function, args, kwargs)
        if numbered is not None:
            return numbered[0]
        result = self._made(function, kinds, args, kwargs)
        self.numbered.wrote(function, args, result)
        return result

    def _made(self, function: Callable[..., Any], kinds: Sequence[type], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        entry = self._table.get(function)
        # A subclass of tensors has its own way with a call.
        if entry is not None and set(kinds) <= _PLAIN and not (function in _KEPT and _transformed()) and _fits(entry[1], args, kwargs):
            result = entry[0](*args, **kwargs)
            if result is not None:
                return result
        result = self.known.call(function, args, kwargs)
        self.selected.note(function, args, kwargs, result)
        return result


def _transformed() -> bool:
    """Whether a call is made within a transformation of torch.func."""
    return torch._C._functorch.peek_interpreter_stack() is not None


def _fits(signature: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True
