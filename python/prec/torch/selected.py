# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of selected rows: `cross_entropy(logits[mask], labels[mask])`, `(x - y)[mask].square().mean()`, where nobody
knows how many rows there are.

A selection by a mask is kept whole, beside its mask, until a loss reads it. A cross entropy of two selections by one
mask is that of all rows with ignored labels where the mask is not set; a sum is that of zeros there, and a mean divides
it by their number; CTC reads as many labels of each row as it has; and what is written back by the same mask is written
by torch.where. In between may be what computes each element or each row by itself (a head), of numbers that were made
zero where the mask is not set. Whatever else reads a selection needs its shape, which depends on values.
"""
from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.utils._pytree import tree_leaves, tree_map_only
from torch.utils.weak import WeakTensorKeyDictionary

from .advice import instead_of
from .constants import ReadsValue, user_line
from .losses import ctc_loss_of_rows

# Calls that ask nothing of the number of rows.
_ASKS = {Tensor.device.__get__, Tensor.dtype.__get__, Tensor.requires_grad.__get__, Tensor.is_floating_point,  # type: ignore[attr-defined]
         Tensor.layout.__get__, Tensor.is_complex, Tensor.dim, Tensor.ndim.__get__}  # type: ignore[attr-defined]
# Calls that change no shape.
_SAME = {Tensor.contiguous, Tensor.to, Tensor.float, Tensor.long, Tensor.clone}
_VIEWS = {Tensor.view, Tensor.reshape}
# Calls that compute each element by itself, and are finite where their operands are.
_ELEMENTWISE = {getattr(owner, name) for owner in (torch, Tensor) for name in (
    "abs", "add", "clamp", "exp", "mul", "neg", "relu", "rsub", "sigmoid", "square", "sub", "tanh", "__add__", "__mul__", "__neg__", "__radd__",
    "__rmul__", "__rsub__", "__sub__") if hasattr(owner, name)}
_POWERS = {torch.pow, Tensor.pow, Tensor.__pow__}
# Calls that compute each row of the last dimension by itself: all of these, and those along it.
_OF_ROWS = {F.linear, F.layer_norm, F.gelu, F.relu, F.silu}
_ALONG = {owner for name in ("softmax", "log_softmax") for owner in (getattr(torch, name), getattr(Tensor, name), getattr(F, name))}
# Losses of pairs of elements.
_OF_PAIRS = {F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss, F.binary_cross_entropy_with_logits}
_SUMS = {torch.sum: "sum", Tensor.sum: "sum", torch.mean: "mean", Tensor.mean: "mean"}


@dataclass(frozen=True)
class _Selection:
    """`mask`: one element for each row of the stand-in, a copy of `source`, which was overwritten `version` times then.
    `longest`: as many of these rows are one of the batch's."""

    mask: Tensor
    source: Tensor
    version: int | None
    longest: int
    line: str
    function: Any
    # Zero where the mask is not set.
    is_clean: bool = False


class Selected:
    """of_floats_alone: keeps selections alone by masks that follow from numbers that are not whole, of which no batch
    can be the example."""

    def __init__(self, of_floats_alone: bool = False) -> None:
        self._of_floats_alone = of_floats_alone
        self._of = WeakTensorKeyDictionary()
        # Of masks and what they are made of, the call that made each.
        self._calls = WeakTensorKeyDictionary()

    def call(
        self, mode: contextlib.AbstractContextManager[Any], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """The call's result; None where it reads no selection and makes none. `mode`: in which composites are kept.
        Raises ReadsValue."""
        held = [self._of[t] for t in tree_leaves((args, kwargs)) if isinstance(t, Tensor) and t in self._of] if len(self._of) else []
        if held:
            result = self._read(mode, function, args, kwargs)
            if result is None:
                raise ReadsValue(f"every shape must be known before values are but that of {held[0].function}'s result depends on them"
                                 f"{f' in {held[0].line}' if held[0].line else ''}: {instead_of(held[0].function, depends_on_values=True)}")
            return result
        if function is Tensor.__setitem__ and len(args) == 3 and not kwargs and isinstance(args[1], Tensor) and isinstance(args[2], Tensor):
            return _set(*args)
        if function in (torch.masked_select, Tensor.masked_select) and len(args) == 2 and not kwargs and args[0].shape == args[1].shape:
            return self._selection(args[0], args[1], torch.ops.aten.masked_select.default)
        if function is Tensor.__getitem__ and isinstance(args[1], Tensor) and args[1].dtype == torch.bool and args[1].dim() \
                and args[0].shape[:args[1].dim()] == args[1].shape:
            return self._selection(args[0], args[1], torch.ops.aten.index.Tensor)
        return None

    def note(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        """Of a call that was made: two that are the same make the same mask."""
        several = isinstance(result, tuple)
        for number, one in enumerate(result if several else [result]):
            if isinstance(one, Tensor) and not one.is_floating_point() and not any(one is x for x in args):
                self._calls[one] = (function, args, kwargs, number), _versions((args, kwargs)), _version(one)

    def _selection(self, x: Tensor, mask: Tensor, function: Any) -> Tensor | None:
        if getattr(mask, "_prec_shadow", None) is not None or getattr(mask, "_prec_example", None) is not None or type(mask) is Tensor:
            # How many there are is known.
            return None
        if self._of_floats_alone and self._of_whole_numbers(mask):
            return None
        # Copies: what is written to them later was not selected.
        rows = x.reshape(-1, *x.shape[mask.dim():]).clone()
        self._of[rows] = _Selection(mask.reshape(-1).clone(), mask, _version(mask), mask.shape[-1], user_line(), function)
        return rows

    def hold(self, rows: Tensor, mask: Tensor, source: Tensor, longest: int, function: Any) -> None:
        """`rows` are those that `mask` sets, in their order, as `source` told."""
        self._of[rows] = _Selection(mask.clone(), source, _version(source), longest, user_line(), function)

    def _read(self, mode: contextlib.AbstractContextManager[Any], function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """None where a call needs the shape."""
        if function in (F.cross_entropy, F.nll_loss):
            return self._cross_entropy(mode, function, *args, **kwargs)
        if function in (F.ctc_loss, torch.ctc_loss):
            return self._ctc(*args, **kwargs)
        if function is Tensor.__setitem__ and len(args) == 3:
            return self._put(*args)
        if function in _SUMS and len(args) == 1 and not kwargs:
            return self._sum(args[0], _SUMS[function])
        if function in _SUMS and len(args) <= 2 and _dim_of(*args[1:], **kwargs) in (0, (0,), [0]) and kwargs.keys() <= {"dim"}:
            return self._sum(args[0], _SUMS[function], of_rows=True)
        if function in _OF_PAIRS:
            return self._of_pairs(function, *args, **kwargs)
        if function in _OF_ROWS or function in _ALONG and args[0].dim() > 1 and _dim_of(*args[1:2], **kwargs) in (-1, args[0].dim() - 1):
            return self._of_rows(function, args, kwargs)
        if function in _ELEMENTWISE or function in _POWERS and isinstance(args[1], int) and args[1] > 0:
            return self._each(function, args, kwargs)
        x = args[0]
        if x not in self._of or any(isinstance(t, Tensor) for t in tree_leaves((args[1:], kwargs))):
            return None
        if function in _ASKS:
            return function(*args, **kwargs)
        if function is Tensor.size and len(args) == 2 and isinstance(args[1], int) and args[1] % x.dim():
            return x.size(args[1])
        if function in _VIEWS:
            shape = args[1] if len(args) == 2 and isinstance(args[1], (tuple, list)) else args[1:]
            if kwargs or tuple(shape) != (-1, *x.shape[1:]):
                return None
        elif function not in _SAME:
            return None
        result = function(*args, **kwargs)
        result = result.view(result.shape) if result is x else result
        self._of[result] = self._of[x]
        return result

    def _cross_entropy(
        self, mode: contextlib.AbstractContextManager[Any], function: Callable[..., Any], input: Tensor, target: Tensor, *args: Any, **kwargs: Any
    ) -> Tensor | None:
        if input not in self._of or target not in self._of or args or input.dim() != 2 or target.dim() != 1:
            return None
        a, b = self._of[input], self._of[target]
        if kwargs.get("reduction", "mean") == "none" or not self._alike(a, b):
            return None
        ignored = kwargs.get("ignore_index", -100)
        # A view, which is no selection.
        rows, counted = input.view(input.shape), torch.where(b.mask, target.view(target.shape), ignored)
        with mode:
            return function(rows, counted, **kwargs)

    def _clean(self, x: Tensor) -> Tensor:
        held = self._of[x]
        return x.view(x.shape) if held.is_clean else torch.where(_along(held.mask, x), x.view(x.shape), torch.zeros((), dtype=x.dtype))

    def _each(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
        tensors = [t for t in tree_leaves((args, kwargs)) if isinstance(t, Tensor)]
        held = [self._of[t] for t in tensors if t in self._of]
        if len(held) + sum(t.dim() == 0 for t in tensors) < len(tensors) or not all(self._alike(held[0], other) for other in held):
            return None
        args, kwargs = tree_map_only(Tensor, lambda t: self._clean(t) if t in self._of else t, (args, kwargs))
        result = function(*args, **kwargs)
        # A sum with a number is none where the mask is not set.
        self._of[result] = replace(held[0], is_clean=False)
        return result

    def _of_rows(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Tensor | None:
        if kwargs.get("inplace") or any(x is True for x in args[1:2]):
            return None
        if args[0] not in self._of or args[0].dim() < 2 or any(t in self._of for t in tree_leaves((args[1:], kwargs)) if isinstance(t, Tensor)):
            return None
        result: Tensor = function(self._clean(args[0]), *args[1:], **kwargs)
        self._of[result] = replace(self._of[args[0]], is_clean=False)
        return result

    def _of_pairs(self, function: Callable[..., Any], input: Tensor, target: Tensor, *args: Any, **kwargs: Any) -> Tensor | None:
        reduction = kwargs.pop("reduction", "mean")
        if args or reduction not in ("mean", "sum") or kwargs.keys() - {"beta", "delta"} and any(
                value is not None for name, value in kwargs.items() if name not in ("beta", "delta")):
            return None
        if input not in self._of or target not in self._of or input.shape != target.shape or not self._alike(self._of[input], self._of[target]):
            return None
        found = function(self._clean(input), self._clean(target), reduction="none", **kwargs)
        self._of[found] = replace(self._of[input], is_clean=False)
        return self._sum(found, reduction)

    def _sum(self, x: Tensor, reduction: str, of_rows: bool = False) -> Tensor | None:
        """of_rows: each column's."""
        held = self._of[x]
        if not x.is_floating_point():
            return None
        total, others = (self._clean(x).sum(0), 1) if of_rows else (self._clean(x).sum(), math.prod(x.shape[1:]))
        # A mean of nothing is NaN, as PyTorch's.
        return total / (held.mask.sum() * others).to(x.dtype) if reduction == "mean" else total

    def _put(self, x: Tensor, mask: Any, value: Any) -> Tensor | None:
        if x in self._of or not isinstance(mask, Tensor) or value not in self._of or mask.dtype != torch.bool:
            return None
        held = self._of[value]
        if x.shape[:mask.dim()] != mask.shape or x.shape[mask.dim():] != value.shape[1:] \
                or held.version != _version(mask) or not self._same(held.source, mask):
            return None
        return x.copy_(torch.where(mask.reshape(mask.shape + (1,) * (x.dim() - mask.dim())), value.view(x.shape).to(x.dtype), x))

    def _alike(self, a: _Selection, b: _Selection) -> bool:
        return a.version == b.version and self._same(a.source, b.source)

    def _ctc(
        self, log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: int = 0, reduction: str = "mean",
        zero_infinity: bool = False
    ) -> Tensor | None:
        if targets not in self._of or targets.dim() != 1 or log_probs.dim() != 3:
            return None
        chosen = self._of[targets]
        # What is selected is in front, in its order.
        order = torch.sort(chosen.mask.to(torch.int32), stable=True, descending=True).indices
        flat = targets.view(targets.shape)[order]
        return ctc_loss_of_rows(log_probs, flat, input_lengths, target_lengths, chosen.longest, blank, reduction, zero_infinity)

    def _of_whole_numbers(self, value: Any) -> bool:
        """Whether it follows from none but whole numbers. What weights select is no part of a batch."""
        for t in tree_leaves(value):
            if isinstance(t, Tensor):
                call = self._calls.get(t)
                if t.is_floating_point() or call is not None and not self._of_whole_numbers(call[0][1:]):
                    return False
        return True

    def _same(self, a: Any, b: Any) -> bool:
        """Whether two values are of the same calls."""
        if a is b:
            return True
        if isinstance(a, Tensor) and isinstance(b, Tensor):
            first, second = self._calls.get(a), self._calls.get(b)
            if first is None or second is None or first[2] != _version(a) or second[2] != _version(b):
                return False
            return first[1] == second[1] and self._same(first[0], second[0])
        if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
            return len(a) == len(b) and all(map(self._same, a, b))
        if isinstance(a, dict) and isinstance(b, dict):
            return a.keys() == b.keys() and all(self._same(a[key], b[key]) for key in a)
        return not isinstance(a, Tensor) and not isinstance(b, Tensor) and type(a) is type(b) and bool(a == b)


def _dim_of(dim: Any = None, **_: Any) -> Any:
    return dim


def _along(mask: Tensor, x: Tensor) -> Tensor:
    return mask.reshape(mask.shape + (1,) * (x.dim() - 1))


def _set(x: Tensor, mask: Tensor, value: Tensor) -> Tensor | None:
    """`x[mask] = value`, where each place that is selected gets the same: the gradient of the value is a sum over the
    places then, however many there are."""
    if mask.dtype != torch.bool or not mask.dim() or x.shape[:mask.dim()] != mask.shape or not value.requires_grad \
            or value.dim() > x.dim() - mask.dim():
        return None
    return x.copy_(torch.where(mask.reshape(mask.shape + (1,) * (x.dim() - mask.dim())), value.to(x.dtype), x))


def _versions(values: Any) -> list[int | None]:
    return [_version(t) for t in tree_leaves(values) if isinstance(t, Tensor)]


def _version(tensor: Tensor) -> int | None:
    """How often it was overwritten; nobody counts for what inference mode makes."""
    return None if tensor.is_inference() else tensor._version
