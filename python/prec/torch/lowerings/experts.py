# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of experts: rows sorted by expert, of which each group of consecutive ones meets a matrix of its own."""
from __future__ import annotations

from torch.fx import Node

from ...builder import Builder
from ...ir import Kind, Value
from ..registry import lower


def _matrices(b: Builder, rows: Value, matrices: Value, ends: Value) -> Value:
    """rows [R, K] by matrices [G, K, N]."""
    return b.op(Kind.GROUPED_MATMUL, [rows, matrices, ends], [((rows.shape[0], matrices.shape[2]), "f32")], transpose_b=False).result


def _multiply(b: Builder, x: Value, y: Value, offs: Value) -> Value:
    ends = b.convert(offs, "i32")
    if x.rank == 2 and y.rank == 2:
        # Groups of what is contracted: a gradient of matrices.
        shape = (offs.shape[0], x.shape[0], y.shape[1])
        return b.op(Kind.GROUPED_MATMUL_GRAD, [b.swap(x, 0, 1), y, ends], [(shape, "f32")]).result
    if x.rank == 2:
        return _matrices(b, x, y, ends)
    # Groups of columns: those of the transposed product are of rows.
    return b.swap(_matrices(b, b.swap(y, 0, 1), b.swap(x, 1, 2), ends), 0, 1)


@lower("prec.grouped_mm.default")
def _grouped_mm(b: Builder, node: Node, x: Value, y: Value, offs: Value) -> Value:
    return _multiply(b, x, y, offs)


@lower("transformers.grouped_mm_fallback.default")
def _fallback(b: Builder, node: Node, x: Value, matrices: Value, offs: Value) -> Value:
    return _multiply(b, x, matrices, offs)


@lower("transformers.grouped_mm_fallback_backward.default")
def _fallback_backward(b: Builder, node: Node, x: Value, matrices: Value, offs: Value, grad: Value) -> tuple[Value, Value]:
    return _multiply(b, grad, b.swap(matrices, 1, 2), offs), _multiply(b, b.swap(x, 0, 1), grad, offs)
