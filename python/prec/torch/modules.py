# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Modules of torch.nn that read a computed value, or select rows by one, though what they compute has a form without.
For the time of a trace their forward is that form.

- AdaptiveLogSoftmaxWithLoss computes the words of a cluster for the rows alone whose target is in it. Here all rows
  have the logarithms of all words, as by its own log_prob, and each takes that of its target.
- BatchNorm with momentum=None averages over all batches so far: it weighs the new one by one over their number, which
  is a buffer.

A comparison with PyTorch runs the modules as they are, but for the clusters: one in which no target is has no gradient
there, and zeros here.
"""
from __future__ import annotations

import contextlib
import functools
import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules.adaptive import _ASMoutput


def _adaptive(module: nn.AdaptiveLogSoftmaxWithLoss, input_: torch.Tensor, target_: torch.Tensor) -> object:
    if (target_.dim(), input_.dim()) not in ((1, 2), (0, 1)) or target_.dim() and input_.shape[0] != target_.shape[0]:
        # It says what is wrong.
        return type(module).forward(module, input_, target_)
    rows, target = (input_, target_) if target_.dim() else (input_[None], target_[None])
    warnings.warn("a cluster of AdaptiveLogSoftmaxWithLoss in which no target of a batch is gets a gradient of zeros, by which the optimizer "
                  "decays weights and moments; PyTorch leaves its parameters as they are in such a step", stacklevel=2)
    output = module.log_prob(rows).gather(1, target[:, None].long())[:, 0]
    return _ASMoutput(output if target_.dim() else output[0], -output.mean())


def _batch_norm(module: nn.BatchNorm1d, input: torch.Tensor) -> torch.Tensor:
    count, mean, variance = module.num_batches_tracked, module.running_mean, module.running_var
    if not module.training or count is None or mean is None or variance is None:
        return type(module).forward(module, input)
    module._check_input_dim(input)
    with torch.no_grad():
        count.add_(1)
        weight = 1.0 / count.to(mean.dtype)
        dims = [0, *range(2, input.dim())]
        number = math.prod(input.shape[dim] for dim in dims)
        now = input.to(mean.dtype)
        new_variance = now.var(dims, correction=0) * (number / max(number - 1, 1))
        mean.copy_(weight * now.mean(dims) + (1 - weight) * mean)
        variance.copy_(weight * new_variance + (1 - weight) * variance)
    return F.batch_norm(input, None, None, module.weight, module.bias, True, 0.0, module.eps)


def _form(module: nn.Module) -> Callable[..., object] | None:
    own = type(module).forward
    if own is nn.AdaptiveLogSoftmaxWithLoss.forward:
        return _adaptive
    # PyTorch has the base of all batch norms, and that of instance norms beside them, under this name alone.
    if own is nn.modules.batchnorm._BatchNorm.forward and module.momentum is None:
        return _batch_norm
    return None


@contextlib.contextmanager
def without_reads(model: nn.Module, clusters_alone: bool = False) -> Iterator[None]:
    """Modules of the model whose forward is PyTorch's own compute by the forms above; undone afterwards.
    clusters_alone: those of AdaptiveLogSoftmaxWithLoss do."""
    changed = []
    try:
        for module in model.modules():
            form = _form(module)
            if form is not None and (form is _adaptive or not clusters_alone) and "forward" not in module.__dict__:
                module.forward = functools.partial(form, module)
                changed.append(module)
        yield
    finally:
        for module in changed:
            del module.__dict__["forward"]


def hooks_of_modules(model: nn.Module) -> list[Callable[..., Any]]:
    """What PyTorch calls before and after the forwards of modules."""
    return [hook for module in model.modules() for hooks in (module._forward_pre_hooks, module._forward_hooks) for hook in hooks.values()]
