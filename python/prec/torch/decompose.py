# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The registry of operations that are written as others (decomposed/), and gradients for those whose backward is an
operation of its own."""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch
from torch._subclasses.functional_tensor import FunctionalTensor, FunctionalTensorMode

Function = TypeVar("Function", bound=Callable[..., Any])
OWN: dict[str, Callable[..., Any]] = {}


def decomposes(*names: str) -> Callable[[Function], Function]:
    """Says of a function that it computes an operation such as "aten.hypot.default" by others. It is called in a trace
    with the operation's arguments, on tensors without values."""
    def register(function: Function) -> Function:
        for name in names:
            assert name not in OWN, name
            OWN[name] = function
        return function
    return register


def gradients(function: Callable[..., torch.Tensor], inputs: Sequence[torch.Tensor], gradient: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """Of a function of `inputs`, whose result has this gradient: for operations whose backward is one of its own. What
    only the function's result needs is computed as well, and falls out of the trace since nobody reads it."""
    keys = torch._C.DispatchKey
    with contextlib.ExitStack() as stack:
        # An operation is decomposed where autograd and functionalization are behind it, and formulas of autograd write
        # in place.
        for key in (keys.AutogradCPU, keys.AutogradFunctionality, keys.ADInplaceOrView):
            stack.enter_context(torch._C._SetExcludeDispatchKeyGuard(key, False))
        stack.enter_context(FunctionalTensorMode())
        with torch.enable_grad():
            leaves = [FunctionalTensor.to_functional(x.detach()).requires_grad_() for x in inputs]
            result = function(*leaves)
        found = torch.autograd.grad(result, leaves, FunctionalTensor.to_functional(gradient), allow_unused=True, materialize_grads=True)
        return tuple(unwrapped(t.detach()) for t in found)


def unwrapped(t: torch.Tensor) -> torch.Tensor:
    """What a tensor of functionalization stands for, after all that was written to it."""
    if isinstance(t, FunctionalTensor):
        torch._sync(t)
        return torch._from_functional_tensor(t.elem)
    return t


def gradient(function: Callable[[torch.Tensor], torch.Tensor], x: torch.Tensor, of_result: torch.Tensor) -> torch.Tensor:
    return gradients(function, [x], of_result)[0]
