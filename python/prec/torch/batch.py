# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The batch of a step: tensors by name, and how forward takes them."""
from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from ..errors import ImportFailure


@dataclass(frozen=True)
class Batch:
    """`tensors` in the order of the call; `positional` says that forward takes them so."""

    tensors: dict[str, torch.Tensor]
    positional: bool

    @staticmethod
    def of(model: torch.nn.Module, given: dict[str, torch.Tensor] | Sequence[torch.Tensor]) -> Batch:
        positional = not isinstance(given, dict)
        tensors = dict(given) if isinstance(given, dict) else dict(zip(_positional_names(model, tuple(given)), given))
        for name, tensor in tensors.items():
            if not isinstance(tensor, torch.Tensor):
                raise ImportFailure(f"every batch entry must be a tensor but got {type(tensor).__name__} for {name}")
            if not tensor.numel():
                raise ImportFailure(f"every batch entry must have at least one element but got shape {list(tensor.shape)} for {name}")
        if "position_ids" in tensors and hasattr(model, "config"):
            raise ImportFailure("a batch must have no position_ids (they may pack sequences) but got them")
        return Batch(tensors, positional)

    def call(self, model: torch.nn.Module, tensors: dict[str, torch.Tensor]) -> Any:
        """forward of these tensors, which go by the batch's names."""
        return model(*tensors.values()) if self.positional else model(**tensors)

    def of_tensors(self, tensors: dict[str, torch.Tensor]) -> Batch:
        return Batch(tensors, self.positional)


def _positional_names(model: torch.nn.Module, given: tuple[torch.Tensor, ...]) -> list[str]:
    names: list[str] = []
    kinds = inspect.Parameter
    for parameter in inspect.signature(model.forward).parameters.values():
        if parameter.kind is kinds.VAR_POSITIONAL:
            # *args: as many as there are.
            names += [f"{parameter.name}.{i}" for i in range(len(given) - len(names))]
        elif parameter.kind in (kinds.POSITIONAL_ONLY, kinds.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    if len(given) > len(names):
        raise ImportFailure(f"a batch must have at most the {len(names)} inputs of forward but got {len(given)}")
    return names
