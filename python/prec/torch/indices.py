# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indices that are sequences of tensors of one whole number each, as in `x[rows, columns]` of `rows, columns =
zip(*pairs)`: PyTorch reads the numbers and makes a tensor of them, which a trace cannot. Stacked they are the same
index. And counts of indices, of which it reads the largest to know how many there are."""
from __future__ import annotations

from typing import Any

import torch

_BY_INDEX = {torch.Tensor.__getitem__, torch.Tensor.__setitem__}


def with_stacked_index(function: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Arguments of a call that a TorchFunctionMode sees, with such sequences as tensors."""
    if function not in _BY_INDEX or len(args) < 2 or type(args[1]) is not tuple:
        # A list of tensors alone is to PyTorch a tuple of indices.
        return args
    return args[0], tuple(map(_stacked, args[1])), *args[2:]


def _stacked(index: Any) -> Any:
    if type(index) in (list, tuple) and index and all(isinstance(x, torch.Tensor) and not x.dim() and x.dtype == torch.int64 for x in index):
        return torch.stack(list(index))
    return index


def _bincount(input: torch.Tensor, weights: torch.Tensor | None = None, minlength: int = 0) -> torch.Tensor | None:
    """Of numbers below minlength, whose counts have that length whatever the numbers are. As with each index, a step
    refuses a batch with a larger one."""
    if minlength < 1 or input.dim() != 1 or weights is not None and weights.shape != input.shape:
        return None
    dtype = torch.int64 if weights is None else weights.dtype if weights.dtype == torch.float32 else torch.float64
    with torch.no_grad():
        each = torch.ones_like(input, dtype=dtype) if weights is None else weights.to(dtype)
        return torch.zeros(minlength, dtype=dtype, device=input.device).index_add(0, input, each)


COUNTS = {torch.bincount: _bincount, torch.Tensor.bincount: _bincount}
