# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that PyTorch itself writes as others, and which of them are taken apart in a trace: those without a
lowering here. What draws random numbers is not one of them: its stream is the step's."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import core_aten_decompositions

from .registry import find


@functools.cache
def decompositions() -> dict[torch._ops.OpOverload, Callable[..., Any]]:
    known: dict[Any, Callable[..., Any]] = dict(core_aten_decompositions())
    return {op: function for op, function in known.items()
            if isinstance(op, torch._ops.OpOverload) and find(op) is None and torch.Tag.nondeterministic_seeded not in op.tags}
