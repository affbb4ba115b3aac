# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""States of PyTorch's generator, as places in the streams of a step.

A step draws from streams of its own, in the order of the calls. Who computes a part of the forward again in the
backward keeps the state of PyTorch's generator before that part and sets it again (torch.utils.checkpoint, and others
alike). So of each state that is taken the place is noted, and setting the state within a backward goes back to it: what
is computed again then draws what it drew. A forward that sets states draws on as if it did not.
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from unittest.mock import patch

import torch

from .dropout import Streams


@contextlib.contextmanager
def followed(streams: Sequence[Streams]) -> Iterator[None]:
    own_get, own_set = torch.get_rng_state, torch.set_rng_state
    # By identity; the states are kept alive.
    taken: dict[int, tuple[torch.Tensor, list[tuple[int, bool]]]] = {}

    def get_state() -> torch.Tensor:
        state = own_get()
        taken[id(state)] = state, [stream.position for stream in streams]
        return state

    def set_state(state: torch.Tensor) -> None:
        own_set(state)
        if id(state) in taken and torch._C._current_graph_task_id() != -1:
            for stream, position in zip(streams, taken[id(state)][1]):
                stream.position = position

    with contextlib.ExitStack() as stack:
        for module in (torch, torch.random):
            stack.enter_context(patch.object(module, "get_rng_state", get_state))
            stack.enter_context(patch.object(module, "set_rng_state", set_state))
        yield
