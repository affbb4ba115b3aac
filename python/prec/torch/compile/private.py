# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec.compile uses of PyTorch that is not public. Each function says what it relies on;
test/Compile/test_private.py checks it against the PyTorch that is installed."""
from __future__ import annotations

from typing import Any

import torch


def version_of(tensor: torch.Tensor) -> int:
    """Counts the in-place operations on a tensor's memory, of all its views (torch.Tensor._version)."""
    return tensor._version


def mark_stepped(optimizer: torch.optim.Optimizer) -> None:
    """What a scheduler's wrapper of optimizer.step notes: without it the scheduler warns that no step was taken before
    it."""
    optimizer._opt_called = True  # type: ignore[attr-defined]


def registered(module: torch.nn.Module) -> tuple[dict[str, Any], dict[str, Any]]:
    """The dictionaries in which a module has its parameters and buffers."""
    return module._parameters, module._buffers


def change_class(tensor: torch.Tensor, kind: type) -> None:
    """Makes a parameter one of a subclass of its class without another memory, as torch.nn.UninitializedParameter does
    when it gets one."""
    tensor.__class__ = kind


# The attribute `grad` of all tensors, as their class has it.
GRADIENT: Any = torch.Tensor.grad

# Where functions of PyTorch that only read gradients live.
CLIPPING = "torch.nn.utils.clip_grad"
