# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tensors of a batch by name, in the structure that the step was compiled for: what forward gets beside tensors
(True,
None, a word) is part of the step and must be the same, and so are values that the import has made part of it."""
from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ...errors import ImportFailure, StepFailure
from ..batch import Batch, positional_names

Tensors = dict[str, torch.Tensor]


class Inputs:
    """Reads batches like `given`. fixed: the names of those of its tensors whose values are part of the step."""

    def __init__(self, model: torch.nn.Module, given: Any, loss: Callable[..., Any] | None) -> None:
        self._model, self._function = model, loss
        first = _read(model, given, loss)
        self.names = tuple(first.tensors)
        # Without its tensors: how they go into forward and the loss.
        self.batch = first.of_tensors({})
        self._first = {name: tensor.detach().clone() for name, tensor in first.tensors.items() if tensor.device.type != "meta"}
        # Of plain mappings of tensors, which are most batches, nothing else needs to be read again.
        self._flat = isinstance(given, Mapping) and all(isinstance(given.get(name), torch.Tensor) for name in self.names)
        self._others = {name: value for name, value in given.items() if name not in self.names} if self._flat else {}
        self._fixed: frozenset[str] = frozenset()

    def batch_of(self, tensors: Tensors) -> Any:
        """A batch like the first, with these tensors in the place of its."""
        return self.batch.whole(tensors | {name: self._first[name] for name in self._fixed})

    def call(self, model: torch.nn.Module, tensors: Tensors) -> Any:
        """forward of these tensors."""
        return self.batch.call(model, tensors | {name: self._first[name] for name in self._fixed})

    def fix(self, names: Sequence[str]) -> None:
        self._fixed = frozenset(names)
        self._first = {name: tensor for name, tensor in self._first.items() if name in self._fixed}

    def read(self, given: Any) -> Tensors:
        """The batch's tensors that the step takes, as they are."""
        tensors = self._read_flat(given) if self._flat and isinstance(given, Mapping) else None
        if tensors is None:
            tensors = self._read_any(given)
        for name in self._fixed:
            value = tensors.pop(name)
            if not torch.equal(value.cpu(), self._first[name].cpu()):
                raise StepFailure(f"the values of {name} are part of the step, as forward reads them, and must be those of the batch that it was "
                                  "compiled for, but got others: compile a step for each")
        return tensors

    def _read_flat(self, given: Mapping[str, Any]) -> Tensors | None:
        """None where the batch is not the mapping of tensors that the first one was, or is refused."""
        tensors = {name: given.get(name) for name in self.names}
        if not all(isinstance(tensor, torch.Tensor) and not tensor.requires_grad for tensor in tensors.values()):
            return None
        others = len(given) - len(tensors)
        if others != len(self._others) or any(name not in given or not _is_same(given[name], value) for name, value in self._others.items()):
            return None
        return tensors  # type: ignore[return-value]

    def _read_any(self, given: Any) -> Tensors:
        batch = _read(self._model, given, self._function)
        missing = [name for name in self.names if name not in batch.tensors]
        extra = [name for name in batch.tensors if name not in self.names]
        if missing or extra:
            problems = [f"{name} is missing" for name in missing] + [f"{name} is none of them" for name in extra]
            raise StepFailure(f"a batch must have the tensors that the step was compiled for, {', '.join(self.names)}, but {'; '.join(problems)}")
        if not batch.is_like(self.batch):
            raise StepFailure("what a batch has beside tensors must be as the step was compiled for, but got another: compile a step for each")
        return dict(batch.tensors)


def _is_same(value: Any, other: Any) -> bool:
    """Entries that forward has no parameter for may be anything; others are no tensors."""
    return isinstance(value, torch.Tensor) == isinstance(other, torch.Tensor) and (isinstance(value, torch.Tensor) or value == other)


def _read(model: torch.nn.Module, given: Any, loss: Callable[..., Any] | None) -> Batch:
    if isinstance(given, torch.Tensor):
        given = (given,)
    if not isinstance(given, (Mapping, Sequence)) or isinstance(given, str):
        raise StepFailure(f"a batch must be a mapping of forward's arguments or a sequence of them but got {type(given).__name__}: give vars(batch), "
                          "or (batch,) where forward takes it whole")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if not isinstance(given, Mapping):
                names, _ = positional_names(model, tuple(given), loss)
                # By their names, as a mapping has them, but for those of *args.
                given = dict(zip(names, given)) if not any("." in name for name in names) else given
            return Batch.of(model, given, loss)
    except ImportFailure as error:
        raise StepFailure(str(error)) from error
