# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Activation checkpointing in a trace: use_reentrant=True, whose backward runs a backward of its own, goes by the kind
without, which computes the same and can be traced; and a recomputation that would draw other bits than the forward is
refused where it draws any."""
from __future__ import annotations

import contextlib
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.utils.checkpoint as checkpointing
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten

from ..errors import ImportFailure
from .functional import KeepComposites


class Checkpoints:
    """In place of checkpointing's own function of autograd. Remembers what each checkpoint reads: that kind's own
    backwards call hooks of a parameter once for each, and those of the kind without once in all."""

    def __init__(self) -> None:
        self._read: list[Counter[int]] = []

    def apply(self, function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        # That kind gives gradients only where one of its own arguments has one, and warns where none has.
        if torch.is_grad_enabled() and not any(isinstance(x, torch.Tensor) and x.requires_grad for x in args):
            warnings.warn("a checkpoint with use_reentrant=True of which no argument requires a gradient trains nothing in it: pass "
                          "use_reentrant=False", stacklevel=3)
            with torch.no_grad():
                return function(*args)
        # That kind recomputes to its end, past the last value that the backward needs: buffers that it changes, it
        # changes again.
        def whole(*inputs: Any) -> Any:
            # That kind recomputes where no gradient needs a value, too.
            results, spec = tree_flatten(function(*inputs))
            return tree_unflatten([_Asking.apply(x) if isinstance(x, torch.Tensor) and x.requires_grad else x for x in results], spec)
        result = checkpointing.checkpoint(whole, *args, use_reentrant=False, preserve_rng_state=preserve_rng_state, early_stop=False)
        self._read.append(_reads(result, args))
        return result

    def check(self, loss: torch.Tensor, hooked: dict[str, torch.Tensor]) -> None:
        """hooked: by name, the parameters of this run that have hooks. Raises ImportFailure where such a checkpoint
        reads one, and something
        else does, too."""
        read, self._read = self._read, []
        if not read or not hooked:
            return
        everywhere = _reads(loss, ())
        for name, leaf in hooked.items():
            if any(0 < one[id(leaf)] < everywhere[id(leaf)] for one in read):
                raise ImportFailure(
                    f"a parameter with a hook must be read by one checkpoint with use_reentrant=True alone but {name} is read outside of it, "
                    "too, and its hook is called for each part of its gradient: pass use_reentrant=False"
                )


class _Asking(torch.autograd.Function):
    """The same, whose backward asks for it."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
        ctx.save_for_backward(x)
        # No view, into which users could not write.
        return x.clone()

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        _ = ctx.saved_tensors
        return gradient


def _reads(results: Any, given: Any) -> Counter[int]:
    """How many operations between `given` and `results` read each leaf, by its identity."""
    end = {x.grad_fn for x in tree_leaves(given) if isinstance(x, torch.Tensor)}
    found: Counter[int] = Counter()
    seen = set()
    waiting = [x.grad_fn for x in tree_leaves(results) if isinstance(x, torch.Tensor) and x.grad_fn is not None]
    while waiting:
        node = waiting.pop()
        if node in seen or node in end:
            continue
        seen.add(node)
        for following, _ in node.next_functions:
            if hasattr(following, "variable"):
                found[id(following.variable)] += 1  # type: ignore[union-attr]
            elif following is not None:
                waiting.append(following)
    return found


def _refusing_other_bits(own: Callable[..., Any]) -> Callable[..., Any]:
    """Of the function that makes a checkpoint."""
    def make(function: Callable[..., Any], preserve_rng_state: bool = True, *args: Any, **kwargs: Any) -> Any:
        def recompute(*inputs: Any, **options: Any) -> Any:
            with KeepComposites.active().streams.not_repeated():  # type: ignore[union-attr]
                return function(*inputs, **options)
        return own(function if preserve_rng_state else recompute, preserve_rng_state, *args, **kwargs)
    return make


@contextlib.contextmanager
def traceable_checkpoints() -> Iterator[Checkpoints]:
    own, make = checkpointing.CheckpointFunction, checkpointing._checkpoint_without_reentrant_generator
    checkpoints = Checkpoints()
    checkpointing.CheckpointFunction = checkpoints  # type: ignore[misc, assignment]
    checkpointing._checkpoint_without_reentrant_generator = _refusing_other_bits(make)
    try:
        yield checkpoints
    finally:
        checkpointing.CheckpointFunction = own  # type: ignore[misc]
        checkpointing._checkpoint_without_reentrant_generator = make
