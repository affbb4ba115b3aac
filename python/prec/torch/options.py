# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Numbers of an optimizer that are inputs of a step: the rate and its like. A trace would make a constant of one that
forward or a hook reads, right for as long as nobody passes another. So where something of the user's can reach them,
the step is traced again with other numbers, much smaller ones and much larger ones, and must compute the same. Its
state is out of reach in a trace (standins.py), but for one who has kept the dictionary: that holds another state in one
of these traces.
"""
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import torch
from torch.optim.lr_scheduler import LRScheduler
from torch.utils._python_dispatch import _disable_current_modes

from .optimizer import base_of, hooks_of
from .snapshot import Snapshot
from .standins import UnreadState

_RATES = ("lr", "initial_lr")
_OTHERS = ("betas", "eps", "weight_decay", "momentum", "dampening", "beta2_decay", "d", "alpha", "rho", "lambd", "t0", "momentum_decay", "lr_decay",
           "etas", "step_sizes")
_OF_SCHEDULERS = ("_last_lr", "base_lrs", "last_epoch", "_step_count")

Number = TypeVar("Number", float, torch.Tensor)
Change = Callable[[Any], Any]


def _smaller(number: Number) -> Number:
    return number / 1024 + 2.0**-30


def _larger(number: Number) -> Number:
    return number * 1024 + 1


class Options:
    """Of one optimizer; `roots` is what else of a step may read them."""

    def __init__(self, optimizer: torch.optim.Optimizer, *roots: object) -> None:
        self._optimizer = optimizer
        held = Snapshot(*roots).things()
        seen = {id(thing) for thing in held}
        groups = optimizer.param_groups
        schedulers = {id(thing): thing for thing in (*held, *Snapshot(optimizer, hooks_of(optimizer)).things())
                      if isinstance(thing, LRScheduler) and getattr(thing, "optimizer", None) is optimizer}
        self._schedulers = list(schedulers.values())
        own = bool(hooks_of(optimizer)) or type(optimizer) is not base_of(optimizer)
        reached = own or any(id(thing) in seen for thing in (optimizer, optimizer.state, groups, *groups, *self._schedulers))
        # What each further trace changes, as users know it, and how.
        self.changes = []
        if reached:
            others = [name for name in _OTHERS if any(name in group for group in groups)]
            self.changes = [("lr", _RATES, _smaller), ("lr", _RATES, _larger), (" or ".join([*others, "its state"]), others, _larger)]

    @contextlib.contextmanager
    def changed(self, names: Sequence[str], change: Change) -> Iterator[None]:
        """`names` of each group, and where the rate is one what schedulers tell of it, are other numbers; then what
        they were. With others than the rate goes another state."""
        places = [(group, name) for group in self._optimizer.param_groups for name in names if name in group]
        if "lr" in names:
            places += [(vars(scheduler), name) for scheduler in self._schedulers for name in _OF_SCHEDULERS if name in vars(scheduler)]
        before = [(holder, name, holder[name]) for holder, name in places]
        state, held = self._optimizer.state, dict(self._optimizer.state)
        try:
            if "lr" not in names:
                state.update((p, UnreadState("one that has kept it")) for group in self._optimizer.param_groups for p in group["params"])
            for holder, name, value in before:
                holder[name] = _changed(value, change)
            yield
        finally:
            for holder, name, value in before:
                holder[name] = value
            state.clear()
            state.update(held)


def _changed(value: Any, change: Change) -> Any:
    if isinstance(value, torch.Tensor):
        # A tensor from outside of the trace, as it was.
        with _disable_current_modes(), torch.no_grad():
            return change(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_changed(each, change) for each in value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return type(value)(change(value))
