# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Zeros in the place of padding, in what linear layers read.

A scale of FP8 follows from the largest value of a tensor, and rows of padding are computed as all rows are: what they
hold can be larger than anything of the text. With `mask_amax` each linear layer reads zeros in the rows that a mask of
the batch (`attention_mask` and its like) leaves out. Rows of a linear layer do not see each other, so no other row
changes, and the gradients of these rows become zeros. What mixes rows in another way than attention under that mask
would read other values: the comparison with PyTorch at the end of an import finds that.
"""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F

from ..errors import ImportFailure

# Where a call has what it multiplies with a weight.
_OPERANDS: dict[Callable[..., Any], tuple[int, str]] = {F.linear: (0, "input"), torch.addmm: (1, "mat1"), torch.Tensor.addmm: (1, "mat1")}


def masks_of(batch: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The masks of a batch that say which rows are no padding: [rows, tokens] of whole numbers or bool."""
    found = {name: t for name, t in batch.items()
             if name.rpartition(".")[2].endswith("attention_mask") and t.dim() == 2 and not t.is_floating_point()}
    if not found:
        raise ImportFailure("mask_amax must be given with a batch that says what padding is, in an attention_mask [rows, tokens] of whole numbers, "
                            f"but got {', '.join(batch)}")
    shapes = [tuple(t.shape) for t in found.values()]
    if len(set(shapes)) < len(shapes):
        raise ImportFailure(f"mask_amax must tell by their sizes whose rows a layer reads, but {' and '.join(found)} have the same: give them "
                            "sequences of different lengths")
    return found


class PaddedRows:
    """Of one trace; `reached` counts the layers that read zeros."""

    def __init__(self, masks: Mapping[str, torch.Tensor] | None) -> None:
        self._masks = list((masks or {}).values())
        self.reached = 0

    def without(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments of a call, with zeros for padding in what a linear layer reads."""
        place = _OPERANDS.get(function) if self._masks else None
        if place is None:
            return args, kwargs
        position, name = place
        x = args[position] if len(args) > position else kwargs.get(name)
        if not isinstance(x, torch.Tensor) or not x.is_floating_point():
            return args, kwargs
        shown = self._shown(x)
        if shown is None:
            return args, kwargs
        self.reached += 1
        x = torch.where(shown, x, 0.0)
        if len(args) > position:
            return (*args[:position], x, *args[position + 1:]), kwargs
        return args, {**kwargs, name: x}

    def _shown(self, x: torch.Tensor) -> torch.Tensor | None:
        """Which rows of a tensor are no padding, in a shape that repeats to its own; None where no mask is of its
        rows."""
        for mask in self._masks:
            if x.dim() > 2 and x.shape[:2] == mask.shape:
                return mask.ne(0).reshape(*mask.shape, *[1] * (x.dim() - 2))
            if x.dim() == 2 and x.shape[0] == mask.numel():
                return mask.ne(0).reshape(-1, 1)
        return None
