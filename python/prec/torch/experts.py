# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of experts, `torch._grouped_mm`, as a custom op that a trace holds whole. PyTorch's own takes BF16 alone
while it is traced. Its three forms are closed under gradients: [R, K] by [G, K, N] with groups of rows, [G, M, K] by
[K, R] with groups of columns, and [M, R] by [R, N] with groups of what is contracted, which gives a matrix for each
group."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor


def _shape(a: Tensor, b: Tensor, offs: Tensor) -> tuple[int, ...]:
    if a.dim() == 2 and b.dim() == 2:
        return (offs.shape[0], a.shape[0], b.shape[1])
    return (a.shape[-2], b.shape[-1])


@torch.library.custom_op("prec::grouped_mm", mutates_args=())
def grouped_mm(a: Tensor, b: Tensor, offs: Tensor) -> Tensor:
    result, first = a.new_zeros(_shape(a, b, offs)), 0
    for group, end in enumerate(offs.tolist()):
        last = max(first, min(end, a.shape[0] if b.dim() == 3 else b.shape[-1] if a.dim() == 3 else b.shape[0]))
        if b.dim() == 3:
            result[first:last] = a[first:last] @ b[group]
        elif a.dim() == 3:
            result[:, first:last] = a[group] @ b[:, first:last]
        else:
            result[group] = a[:, first:last] @ b[first:last]
        first = last
    return result


@grouped_mm.register_fake
def _(a: Tensor, b: Tensor, offs: Tensor) -> Tensor:
    return a.new_empty(_shape(a, b, offs))


def _save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    ctx.save_for_backward(*inputs)


def _backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor, None]:
    a, b, offs = ctx.saved_tensors
    return grouped_mm(g, b.mT, offs), grouped_mm(a.mT, g, offs), None


grouped_mm.register_autograd(_backward, setup_context=_save)


def call(
    mat_a: Tensor, mat_b: Tensor, offs: Tensor | None = None, bias: Tensor | None = None, out_dtype: torch.dtype | None = None
) -> Tensor | None:
    """None where the call is left to PyTorch."""
    if bias is not None or out_dtype is not None or not (mat_a.is_floating_point() and mat_b.is_floating_point()):
        return None
    if offs is None:
        return mat_a @ mat_b if mat_a.dim() == mat_b.dim() == 3 else None
    if offs.dim() != 1 or {mat_a.dim(), mat_b.dim()} - {2, 3} or mat_a.dim() + mat_b.dim() > 5:
        return None
    return grouped_mm(mat_a, mat_b, offs)


# What this PyTorch calls so.
FUNCTIONS: dict[Any, Callable[..., Tensor | None]] = {
    getattr(module, name): call for module, name in ((torch, "_grouped_mm"), (F, "grouped_mm")) if hasattr(module, name)
}
