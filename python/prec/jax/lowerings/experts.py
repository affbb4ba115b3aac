# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of experts (jax.lax.ragged_dot): rows sorted by expert, of which each group of consecutive ones meets a
matrix of its own, and the gradients of these matrices."""
from __future__ import annotations

import math

from ...builder import Builder
from ...ir import Kind, Value
from ...orders import running
from ..registry import Call, lower


def _ends(b: Builder, sizes: Value) -> Value:
    """Behind the last row of each group."""
    if sizes.rank != 1:
        raise NotImplementedError("sizes of groups that differ by batch")
    sizes = b.convert(sizes, "i32")
    return running(b, sizes, 0, 0, lambda p, q: b.like("arith.addi", p, q))


def _matrix(b: Builder, x: Value, order: list[int], rank: int) -> Value:
    """Dimensions in this order, those behind the first rank - 1 as one."""
    moved = b.transpose(x, order)
    return b.reshape(moved, (*moved.shape[:rank - 1], math.prod(moved.shape[rank - 1:])))


@lower("ragged_dot_general")
def _ragged_dot_general(call: Call, x: Value, y: Value, sizes: Value, *offset: Value) -> Value:
    b, numbers = call.b, call.params["ragged_dot_dimension_numbers"]
    (of_x, of_y), batches = ([list(dims) for dims in pair] for pair in numbers.dot_dimension_numbers)
    (rows,), groups = numbers.lhs_ragged_dimensions, list(numbers.rhs_group_dimensions)
    if offset or any(batches) or x.dtype != "f32" or y.dtype != "f32":
        raise NotImplementedError("group_offset, batches and whole numbers")
    ends = _ends(b, sizes)
    kept_x = [d for d in range(x.rank) if d not in of_x and d != rows]
    kept_y = [d for d in range(y.rank) if d not in of_y and d not in groups]
    if rows in of_x:
        # The groups are of what is summed: gradients of matrices.
        if len(of_x) != 1 or groups:
            raise NotImplementedError("sums over more than the rows of a group")
        lhs, rhs = _matrix(b, x, [rows, *kept_x], 2), _matrix(b, y, [of_y[0], *kept_y], 2)
        shape = (ends.shape[0], lhs.shape[1], rhs.shape[1])
        return b.reshape(b.op(Kind.GROUPED_MATMUL_GRAD, [lhs, rhs, ends], [(shape, "f32")]).result, call.shape)
    if kept_x or len(groups) != 1:
        raise NotImplementedError("rows of more than one dimension")
    lhs = _matrix(b, x, [rows, *of_x], 2)
    matrices = b.transpose(y, [*groups, *of_y, *kept_y])
    matrices = b.reshape(matrices, (matrices.shape[0], lhs.shape[1], math.prod(y.shape[d] for d in kept_y)))
    made = b.op(Kind.GROUPED_MATMUL, [lhs, matrices, ends], [((lhs.shape[0], matrices.shape[2]), "f32")], transpose_b=False)
    return b.reshape(made.result, call.shape)
