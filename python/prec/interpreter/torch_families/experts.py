# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of groups of rows, each row by the matrix of its group."""
from __future__ import annotations

import torch
from torch import Tensor

from ..text import Operation
from ..torch_ops import Attributes, Torch


def _groups(ends: Tensor, rows: int) -> list[Tensor]:
    """By group, the numbers of its rows."""
    of = torch.searchsorted(ends.cummax(0).values, torch.arange(rows, dtype=ends.dtype), right=True)
    return [(of == group).nonzero()[:, 0] for group in range(len(ends))]


def op_prec_train_grouped_matmul(backend: Torch, a: Attributes, op: Operation, x: Tensor, matrices: Tensor, ends: Tensor) -> Tensor:
    result = x.new_zeros(op.result_types[0].shape)
    for matrix, rows in zip(matrices, _groups(ends, len(x)), strict=True):
        result = result.index_copy(0, rows, x[rows] @ (matrix.mT if a.get("transpose_b") else matrix))
    return result


def op_prec_train_grouped_matmul_grad(backend: Torch, a: Attributes, op: Operation, x: Tensor, y: Tensor, ends: Tensor) -> Tensor:
    return torch.stack([x[rows].mT @ y[rows] for rows in _groups(ends, len(x))])


def op_prec_sched_grouped_gemm(backend: Torch, a: Attributes, op: Operation, x: Tensor, y: Tensor, ends: Tensor) -> Tensor:
    function = op_prec_train_grouped_matmul if y.dim() == 3 else op_prec_train_grouped_matmul_grad
    return function(backend, a, op, x, y, ends)
