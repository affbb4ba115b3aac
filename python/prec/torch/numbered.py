# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices that are tensors of one whole number, among numbers and slices: `x[row, lengths[row] - 1]`,
`torch.narrow(x, 1, start, 4)`.

PyTorch reads the number and gives a view. A trace knows no number: the row is gathered instead, as a copy. What is
written to such a copy is written back to where it came from; a write to a view of one would be lost, and is refused
(constants.py).
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakTensorKeyDictionary

from .known import Known

_WHOLE = {torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
_NARROW, _SELECT = {torch.narrow, Tensor.narrow}, {torch.select, Tensor.select}


class Numbered:
    def __init__(self, known: Known) -> None:
        self._known = known
        # Of a copy: where it came from, the index, and how often it had been overwritten.
        self._copies = WeakTensorKeyDictionary()

    def call(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any] | None:
        """The call's result; None where it has no such index."""
        if function is Tensor.__getitem__:
            return self._get(args[0], args[1])
        if function is Tensor.__setitem__ and len(args) == 3:
            if args[0] in self._copies:
                # It writes to a view, of which `wrote` knows.
                args[0]._prec_copy = "written"
            return self._set(*args)
        if kwargs or len(args) < 3 or not self._is_unknown(args[2]) or not isinstance(args[0], Tensor):
            return None
        x, dim, start, *length = args
        dim = dim % x.dim()
        if function in _SELECT:
            return self._get(x, (*[slice(None)] * dim, start))
        if function in _NARROW and len(length) == 1:
            return (_copied(_at(x, dim, start, length[0])),)
        return None

    def wrote(self, function: Callable[..., Any], args: tuple[Any, ...], result: Any) -> None:
        """Of a call that was made: writes back what it wrote to a copy."""
        written = args[0] if function is Tensor.__setitem__ else result
        if not isinstance(written, Tensor) or written not in self._copies:
            return
        written._prec_copy = "own"  # type: ignore[attr-defined]
        x, index, version = self._copies[written]
        if written._version != version:
            self._copies[written] = x, index, written._version
            self._set(x, index, written)

    def _is_unknown(self, index: Any) -> bool:
        return isinstance(index, Tensor) and not index.dim() and index.dtype in _WHOLE and type(index) is not Tensor \
            and getattr(index, "_prec_shadow", None) is None and self._known.value(index) is None

    def _numbers(self, x: Tensor, index: Any) -> tuple[tuple[Any, ...], list[tuple[int, Tensor]]] | None:
        """The index with zeros in place of such tensors, and these by their dimension."""
        # A list with tensors in it is to PyTorch a tuple.
        is_tuple = type(index) is tuple or type(index) is list and any(isinstance(part, Tensor) for part in index)
        parts = list(index) if is_tuple else [index]
        if not any(map(self._is_unknown, parts)) or x.is_sparse:
            return None
        taken = [_dimensions(part) for part in parts]
        if None in taken:
            return None
        at, numbers, rest = 0, [], x.dim() - sum(taken)  # type: ignore[arg-type]
        for place, part in enumerate(parts):
            if self._is_unknown(part):
                numbers.append((at, part))
                parts[place] = 0
            at += rest if part is Ellipsis else taken[place]  # type: ignore[operator]
        return tuple(parts), numbers

    def _get(self, x: Tensor, index: Any) -> tuple[Tensor] | None:
        found = self._numbers(x, index)
        if found is None:
            return None
        rest, numbers = found
        rows = x
        for dim, number in numbers:
            rows = _at(rows, dim, number)
        # A tensor of its own, so that what is written to it is not written to a view of the rows.
        result = _copied(rows[rest].clone())
        result._prec_copy = "own"  # type: ignore[attr-defined]
        self._copies[result] = x, index, result._version
        return (result,)

    def _set(self, x: Tensor, index: Any, value: Any) -> tuple[None] | None:
        found = self._numbers(x, index)
        if found is None:
            return None
        rest, numbers = found
        rows = [x]
        for dim, number in numbers:
            rows.append(_at(rows[-1], dim, number))
        rows[-1][rest] = value
        for (dim, number), outer, inner in reversed(list(zip(numbers, rows, rows[1:]))):
            outer[_along(dim, number.long().reshape(1))] = inner
        return (None,)


def _dimensions(part: Any) -> int | None:
    """Of how many dimensions of a tensor an index tells; None of one that is not followed."""
    if part is None or part is Ellipsis or part is True or part is False:
        return 0
    if isinstance(part, Tensor) and part.dtype == torch.bool:
        return part.dim()
    return 1 if isinstance(part, (int, slice, Tensor, list)) else None


def _at(x: Tensor, dim: int, start: Tensor, length: int = 1) -> Tensor:
    """The rows from `start` on, as a copy. Below zero it counts from the end."""
    start = start.long().reshape(1)
    if length != 1:
        start = torch.where(start < 0, start + x.shape[dim], start) + torch.arange(length)
    rows: Tensor = x[_along(dim, start)]
    return rows


def _along(dim: int, index: Tensor) -> Any:
    return (*[slice(None)] * dim, index)


def _copied(x: Tensor) -> Tensor:
    x._prec_copy = "view"  # type: ignore[attr-defined]
    return x
