# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of groups of rows: row r is of the first group g with r < ends[g]."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..numpy_ops import Array, Attributes, Numpy
from ..text import Operation


def _groups(ends: Array, rows: int) -> Iterator[Array]:
    """By group, whether each row is of it."""
    below = np.arange(rows) < ends.reshape(-1, 1)
    first = np.where(below.any(0), below.argmax(0), len(ends))
    return (first == group for group in range(len(ends)))


def op_prec_train_grouped_matmul(backend: Numpy, a: Attributes, op: Operation, x: Array, matrices: Array, ends: Array) -> Array:
    x, matrices = backend.wide(x), backend.wide(matrices)
    result = np.zeros(op.result_types[0].shape, backend.compute)
    for group, of in enumerate(_groups(ends, len(x))):
        result[of] = x[of] @ (matrices[group].T if a.get("transpose_b") else matrices[group])
    return result


def op_prec_train_grouped_matmul_grad(backend: Numpy, a: Attributes, op: Operation, x: Array, y: Array, ends: Array) -> Array:
    x, y = backend.wide(x), backend.wide(y)
    return np.stack([x[of].T @ y[of] for of in _groups(ends, len(x))])


def op_prec_sched_grouped_gemm(backend: Numpy, a: Attributes, op: Operation, x: Array, y: Array, ends: Array) -> Array:
    function = op_prec_train_grouped_matmul if y.ndim == 3 else op_prec_train_grouped_matmul_grad
    return function(backend, a, op, x, y, ends)
