# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operations that are written as others in a trace: those that have no lowering here and that PyTorch writes as others
itself, and those of decomposed/, which go before PyTorch's. What draws random numbers is not one of them: its stream is
the step's."""
from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch._decomp import core_aten_decompositions, decomposition_table
from torch.utils._pytree import tree_leaves

from . import decomposed  # noqa: F401 (its modules register theirs)
from .decompose import OWN
from .refused import REFUSED
from .registry import find

Overload = torch._ops.OpOverload


def named(name: str) -> Overload | None:
    """The operation of a name such as "aten.hypot.default", if this version of PyTorch has it."""
    namespace, packet, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet, None), overload, None)


def _of_real(function: Callable[..., Any]) -> Callable[..., Any]:
    """What is written here is of real numbers; complex ones are for complex_pairs.py."""
    @functools.wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        if any(isinstance(t, torch.Tensor) and t.is_complex() for t in tree_leaves((args, kwargs))):
            return NotImplemented
        return function(*args, **kwargs)
    return checked


@functools.cache
def decompositions() -> dict[Overload, Callable[..., Any]]:
    """By operation. Of PyTorch's, the ones that end in core operations, and those beside them that are made of ATen's:
    what it calls references ends in operations of its own kind."""
    written = {op: f for op, f in decomposition_table.items() if f.__module__ in ("torch._decomp.decompositions", "torch._ops.aten")}
    known: dict[Any, Callable[..., Any]] = {**written, **core_aten_decompositions()}
    known |= {op: _of_real(function) for name, function in OWN.items() if (op := named(name)) is not None}
    return {op: function for op, function in known.items()
            if isinstance(op, Overload) and find(op) is None and torch.Tag.nondeterministic_seeded not in op.tags
            and str(op) not in REFUSED}
