# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a trace that failed says to its user: the rule, where it was broken, and what to write instead."""
from __future__ import annotations

from pathlib import Path

import torch
from torch._subclasses.fake_tensor import UnsupportedOperatorException

from ..errors import ImportFailure
from .advice import instead_of
from .constants import at, line_of
from .registry import find

_NESTED = str(Path(torch.nested.__file__).parent)


def refusal_of(error: Exception) -> ImportFailure:
    """error: what tracing a step has raised, beside ImportFailure. Of modules the innermost has left its path there."""
    first = (str(error).strip().splitlines() or ["no message"])[0]
    place, line = getattr(error, "raised_in", "the step"), at(line_of(error))
    if _of_nested(error):
        return ImportFailure(
            f"every tensor of a step must have one shape but {place} makes a nested one of rows of several lengths (torch.nested){line}: pad rows "
            "to one length and give a mask of what counts, or join them into one row and give attention a mask of blocks"
        )
    if "no autograd formula was registered" in first:
        return ImportFailure(f"an operation of torch.library must have a gradient where one is needed but {place}{line} calls one without: "
                            f"{first.partition('. ')[0]} (torch.library.register_autograd)")
    if isinstance(error, UnsupportedOperatorException) or "no fake impl registered" in first:
        return ImportFailure(f"an operation of torch.library must have a fake implementation but {place}{line} calls one without "
                            f"({first.partition('. ')[0]}): say what it makes of tensors without values (torch.library.register_fake)")
    op = getattr(error, "raised_by", None)
    if op is not None and find(op) is None:
        return ImportFailure(f"every traced op must have a lowering but got 1 without, which raised {type(error).__name__} ({first}):\n"
                            f"  {op} in {place}{line}: {instead_of(op)}")
    if "its data is not allocated yet" in first:
        return ImportFailure(f"forward must not read a computed value, but {place} calls what reads a tensor's numbers{line}: give it numbers "
                            "of Python")
    if ".numpy() is not supported" in first:
        return ImportFailure(
            f"forward must compute with tensors but {place} makes an array of NumPy's of one{line}: use PyTorch's operations, or "
            "compute it before the step and give the result as an input"
        )
    if "Creating a new Tensor subclass" in first or "Attempting to use FunctionalTensor on its own" in first:
        return ImportFailure(
            f"forward must compute with plain tensors but {place} makes one of a class of its own{line}: write a mask of booleans "
            "(for CausalBias is_causal=True)"
        )
    return ImportFailure(f"the step must run on the batch but {place} raised {type(error).__name__}: {first}{line}")


def _of_nested(error: Exception) -> bool:
    """Whether a function of torch.nested has raised it, whatever it says."""
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename.startswith(_NESTED):
            return True
        trace = trace.tb_next
    return False
