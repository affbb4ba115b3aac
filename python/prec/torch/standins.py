# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts other tensors in the place of a model's parameters and buffers, and of an optimizer's, by identity and never by
name.

A module that the model holds under two names, or a parameter that two modules share, is met once by its identity and
replaced once; by names it would be replaced twice, and the second original would be the first replacement.
"""
from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

import torch

from ..errors import ImportFailure
from .constants import at, user_line


class UnreadState(dict):  # type: ignore[type-arg]
    """In the place of an optimizer's state, of which a trace knows nothing. A question would be answered as before the
    first step. `who` runs: the caller says."""

    __slots__ = ("who",)

    def __init__(self, who: str) -> None:
        # An entry, for code in C asks a dictionary for its length by no method.
        dict.__init__(self, {None: None})
        self.who = who

    def refuse(self) -> NoReturn:
        raise ImportFailure(f"what a step computes must not follow from the optimizer's state but {self.who} reads or changes the optimizer's "
                            f"state{at(user_line())}: keep nothing from step to step")

    def check(self, optimizer: torch.optim.Optimizer) -> None:
        """It must be in its place, and as it was: methods of `dict` may be called on it from outside."""
        if optimizer.state is not self or dict.__len__(self) != 1:
            self.refuse()


# What every object has, and what tells nothing of a dictionary's contents.
_OF_OBJECTS = {"__class__", "__class_getitem__", "__new__", "__init__", "__init_subclass__", "__subclasshook__", "__getattribute__", "__setattr__",
               "__delattr__", "__doc__", "__hash__"}
for _name in {*dir(collections.defaultdict), *dir(dict)} - _OF_OBJECTS:
    setattr(UnreadState, _name, lambda self, *_, **__: self.refuse())
# An attribute of theirs that is no function.
UnreadState.default_factory = property(UnreadState.refuse)  # type: ignore[attr-defined]


def slots(model: torch.nn.Module) -> Iterator[tuple[dict[str, Any], str, torch.nn.Module, torch.Tensor]]:
    """(dictionary, key, module, tensor) of every place where a module of the model holds a parameter or a buffer."""
    for module in model.modules():
        tables: tuple[dict[str, Any], ...] = (module._parameters, module._buffers)
        for held in tables:
            for key, tensor in held.items():
                if tensor is not None:
                    yield held, key, module, tensor


@contextlib.contextmanager
def replaced(model: torch.nn.Module, replacements: Mapping[int, torch.Tensor]) -> Iterator[None]:
    """The model with replacements[id(tensor)] wherever it holds `tensor`; afterwards every dictionary is as it was,
    order included, whatever was assigned, added or deleted in between."""
    before: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (held, dict(held)) for module in model.modules() for held in (module._parameters, module._buffers)
    ]
    try:
        for held, key, _, tensor in list(slots(model)):
            if id(tensor) in replacements:
                held[key] = replacements[id(tensor)]
                if isinstance(tensor, torch.nn.Parameter):
                    # Forward may assign it, which modules allow for parameters alone.
                    held[key]._is_param = True
        yield
    finally:
        for held, entries in before:
            held.clear()
            held.update(entries)


@contextlib.contextmanager
def in_optimizer(
    optimizer: torch.optim.Optimizer, stand_in: Callable[[torch.Tensor], torch.Tensor | None], state: dict[Any, Any] | None = None
) -> Iterator[None]:
    """The optimizer with stand_in(p) in the place of each of its parameters, or without it where that is None; with
    `state` in the place of its own, if given. Afterwards it has what it had."""
    groups, own = [group["params"] for group in optimizer.param_groups], optimizer.state
    try:
        for group, params in zip(optimizer.param_groups, groups):
            group["params"] = [other for p in params if (other := stand_in(p)) is not None]
        if state is not None:
            optimizer.state = state  # type: ignore[assignment]
        yield
    finally:
        for group, params in zip(optimizer.param_groups, groups):
            group["params"] = params
        optimizer.state = own


@contextlib.contextmanager
def without_state(optimizer: torch.optim.Optimizer, who: str) -> Iterator[UnreadState]:
    """The optimizer with an UnreadState, which is given, in the place of its state. `who` runs at first. Raises
    ImportFailure where something else is there in the end."""
    own = optimizer.state
    unread = UnreadState(who)
    optimizer.state = unread  # type: ignore[assignment]
    try:
        yield unread
        unread.check(optimizer)
    finally:
        optimizer.state = own
