# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.cond and torch.while_loop, and the scan and map of torch._higher_order_ops, written out as operations of
tensors: a graph of these holds no functions.

Of a branch by a value both sides are computed, and what the condition chooses is kept. What is not chosen must leave no
trace in gradients either, and zero times an infinity is no zero: so everything that a side reads from outside and that
has a gradient is first read as `where(chosen, x, x.detach())`, of which the gradient is exactly zero where the side is
not chosen. A scan and a map are their steps, one after the other, and so is a loop that goes on by numbers that nothing
but constants made, such as a count of its steps.
"""
from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest.mock import patch

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_flatten, tree_map_only, tree_unflatten
from torch.utils.weak import WeakTensorKeyDictionary

from ..errors import ImportFailure
from .constants import ReadsValue, at, user_line


class _Side(TorchFunctionMode):
    """What is read from outside has no gradient where this side is not chosen."""

    def __init__(self, chosen: torch.Tensor) -> None:
        super().__init__()
        self._chosen = chosen
        # What is made inside, and of what is read from outside what stands for it.
        self._inside, self._outside = WeakTensorKeyDictionary(), WeakTensorKeyDictionary()

    def __torch_function__(
        self, function: Callable[..., Any], kinds: Sequence[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        args, kwargs = tree_map_only(torch.Tensor, self.read, (args, kwargs or {}))
        result = function(*args, **kwargs)
        tree_map_only(torch.Tensor, lambda t: self._inside.update({t: True}), result)
        return result

    def read(self, x: torch.Tensor) -> torch.Tensor:
        if x in self._inside:
            return x
        if x not in self._outside:
            with torch._C.DisableTorchFunctionSubclass():
                mine = torch.where(self._chosen, x, x.detach()) if x.requires_grad else x
            self._outside[x] = mine
            self._inside[mine] = True
        found: torch.Tensor = self._outside[x]
        return found


def _cond(pred: Any, true_fn: Callable[..., Any], false_fn: Callable[..., Any], operands: Sequence[Any] = ()) -> Any:
    if not isinstance(pred, torch.Tensor):
        return (true_fn if pred else false_fn)(*operands)
    pred = pred.reshape(()).bool()
    results = []
    for chosen, function in ((pred, true_fn), (~pred, false_fn)):
        with _Side(chosen) as side:
            results.append(tree_flatten(tree_map_only(torch.Tensor, side.read, function(*operands))))
    (first, spec), (second, other) = results
    if spec != other or any(type(a) is not type(b) or not isinstance(a, torch.Tensor) and a != b for a, b in zip(first, second)):
        raise ImportFailure(f"both branches of torch.cond must give tensors of one form but do not{at(user_line())}")
    return tree_unflatten([torch.where(pred, a, b) if isinstance(a, torch.Tensor) else a for a, b in zip(first, second)], spec)


def _scan(combine_fn: Callable[..., Any], init: Sequence[Any], xs: Sequence[torch.Tensor], additional_inputs: Sequence[Any] = ()) -> list[Any]:
    """combine_fn gives what is carried on, and behind it what a step leaves."""
    carried, left = list(init), []
    for number in range(xs[0].shape[0]):
        found = list(combine_fn(*carried, *(x[number] for x in xs), *additional_inputs))
        carried, here = found[:len(carried)], found[len(carried):]
        left.append(here)
    return [*carried, *(torch.stack(steps) for steps in zip(*left))]


def _map(function: Callable[..., Any], xs: Sequence[torch.Tensor], more: Sequence[Any]) -> Any:
    steps = [tree_flatten(function(*(x[number] for x in xs), *more)) for number in range(xs[0].shape[0])]
    return tree_unflatten([torch.stack(leaves) for leaves in zip(*(leaves for leaves, _ in steps))], steps[0][1])


def _while_loop(
    cond_fn: Callable[..., Any], body_fn: Callable[..., Any], carried: Sequence[Any], additional_inputs: Sequence[Any] = ()
) -> tuple[Any, ...]:
    carried = tuple(carried)
    while _goes_on(cond_fn(*carried, *additional_inputs)):
        carried = tuple(body_fn(*carried, *additional_inputs))
    return tuple(x.clone() if isinstance(x, torch.Tensor) else x for x in carried)


def _goes_on(condition: Any) -> bool:
    try:
        return bool(condition)
    except ReadsValue as error:
        raise ReadsValue(f"how often torch.while_loop goes on must follow from constants (a count of its steps) but does not{at(user_line())}: write "
                         "a loop of Python of as many steps as there may be, and torch.where for those that count") from error


_WRITTEN = {"cond": ("cond_op", _cond), "while_loop": ("while_loop_op", _while_loop), "scan": ("scan_op", _scan), "map": ("map_impl", _map)}


@contextlib.contextmanager
def written_out() -> Iterator[None]:
    with contextlib.ExitStack() as stack:
        for name, (op, ours) in _WRITTEN.items():
            module = importlib.import_module(f"torch._higher_order_ops.{name}")
            if hasattr(module, op):
                stack.enter_context(patch.object(module, op, ours))
        yield
