# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several open steps of one process over the same tensors: of a generator and a discriminator, of an actor and a
critic, of two losses of one model.

Each step trains what its own optimizers have, and reads the rest of its model, as PyTorch's loop does. How tensors go
from one step to another is said in weights.py, and of optimizer states in optimizer.py; here it is found out which
steps have tensors in common.
"""
from __future__ import annotations

import contextlib
import os
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from .step import Step

_OPEN: weakref.WeakSet[Step] = weakref.WeakSet()


def add(step: Step) -> None:
    _OPEN.add(step)


def remove(step: Step) -> None:
    _OPEN.discard(step)


def steps_of(model: torch.nn.Module) -> list[Step]:
    """Open steps that have a tensor of the model."""
    tensors = [*model.parameters(), *model.buffers()]
    return [step for step in list(_OPEN) if step._process == os.getpid() and any(step._weights.has(tensor) for tensor in tensors)]


def owned(optimizers: Sequence[torch.optim.Optimizer]) -> set[int]:
    """Identities of the parameters that they have."""
    return {id(p) for one in optimizers for group in one.param_groups for p in group["params"]}


def only_read(model: torch.nn.Module, optimizers: Sequence[torch.optim.Optimizer]) -> dict[str, torch.nn.Parameter]:
    """The model's parameters that require a gradient and that no optimizer has, by name."""
    known = owned(optimizers)
    return {name: p for name, p in model.named_parameters() if p.requires_grad and id(p) not in known}


@contextlib.contextmanager
def importing(model: torch.nn.Module, optimizers: Sequence[torch.optim.Optimizer]) -> Iterator[None]:
    """Inside, a step of the model is imported: open steps leave the model's tensors and the optimizers' states as they
    are, and what the step only reads requires no gradients."""
    read = only_read(model, optimizers).values()
    with contextlib.ExitStack() as stack:
        for step in steps_of(model):
            stack.enter_context(step._weights.traced())
            stack.enter_context(step._states.importing())
        try:
            for p in read:
                p.requires_grad_(False)
            yield
        finally:
            for p in read:
                p.requires_grad_(True)
