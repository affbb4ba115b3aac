# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which program runs a batch. Programs are for one shape each; all train one state, that of the first."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from ...errors import StepFailure
from .inputs import Inputs
from .program import Program

Tensors = dict[str, torch.Tensor]


class Programs:
    """make(batch, state_of): the program for batches of this shape."""

    def __init__(self, first: Program, inputs: Inputs, make: Callable[[Any, Program], Program]) -> None:
        self.first, self.all = first, [first]
        self._inputs, self._make = inputs, make
        self._numbers: dict[str, float] = {}

    def find(self, batch: Any) -> tuple[Program, Tensors]:
        """The program that runs a batch, and the batch as it takes it."""
        tensors = self._inputs.read(batch)
        for name, tensor in tensors.items():
            shape = self.first.batch[name].shape
            if tuple(tensor.shape) != shape:
                raise StepFailure(f"{name} must have shape {list(shape)} but has {list(tensor.shape)}")
        return self.first, tensors

    def set_numbers(self, numbers: dict[str, float]) -> None:
        """Hyperparameters, of all programs."""
        for program in self.all:
            program.module.set_hyper(**numbers)
        self._numbers |= numbers
