"""Puts other tensors in the place of a model's parameters and buffers, and of an optimizer's, by identity and never by name.

A module that the model holds under two names, or a parameter that two modules share, is met once by its identity and replaced
once; by names it would be replaced twice, and the second original would be the first replacement.
"""
from __future__ import annotations

import contextlib

import torch

from ..errors import ImportFailure
from .constants import at, user_line


class UnreadState(dict):
    """In the place of an optimizer's state, of which a trace knows nothing. A question would be answered as before the first step."""

    def _refuse(self, *_, **__):
        raise ImportFailure("hooks of an optimizer, and its own step, must act on gradients alone but one reads or changes the optimizer's "
                            f"state{at(user_line())}: keep nothing from step to step")

    __contains__ = __getitem__ = __setitem__ = __delitem__ = __iter__ = __len__ = __eq__ = _refuse
    get = setdefault = items = keys = values = pop = popitem = clear = update = copy = _refuse
    __hash__ = None


def slots(model):
    """(dictionary, key, module, tensor) of every place where a module of the model holds a parameter or a buffer."""
    for module in model.modules():
        for held in (module._parameters, module._buffers):
            for key, tensor in held.items():
                if tensor is not None:
                    yield held, key, module, tensor


@contextlib.contextmanager
def replaced(model, replacements: dict):
    """The model with replacements[id(tensor)] wherever it holds `tensor`; afterwards every dictionary is as it was, order included,
    whatever was assigned, added or deleted in between."""
    before = [(held, dict(held)) for module in model.modules() for held in (module._parameters, module._buffers)]
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
def in_optimizer(optimizer, stand_in, state=None):
    """The optimizer with stand_in(p) in the place of each of its parameters, or without it where that is None; with `state` in the place
    of its own, if given. Afterwards it has what it had."""
    groups, own = [group["params"] for group in optimizer.param_groups], optimizer.state
    try:
        for group, params in zip(optimizer.param_groups, groups):
            group["params"] = [other for p in params if (other := stand_in(p)) is not None]
        if state is not None:
            optimizer.state = state
        yield
    finally:
        for group, params in zip(optimizer.param_groups, groups):
            group["params"] = params
        optimizer.state = own
