# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of groups of rows: row r is of the first group g with r < ends[g]."""
from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ... import _contract
from .. import gemm_scales
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


def op_prec_group_amax(backend: Numpy, a: Attributes, op: Operation, x: Array, ends: Array) -> Array:
    magnitudes = np.abs(backend.wide(x))
    return np.array([np.fmax.reduce(magnitudes[of], axis=None, initial=0) for of in _groups(ends, len(x))])


def op_prec_group_scales(backend: Numpy, a: Attributes, op: Operation, scales: Array, ends: Array) -> Array:
    result = np.zeros(op.result_types[0].shape, scales.dtype)
    for scale, of in zip(scales, _groups(ends, len(result)), strict=True):
        result[of] = scale
    return result


def _places(ends: Array, rows: int) -> Iterator[tuple[Array, int]]:
    """By group, whether each row is of it, and where its first row is where groups are aligned."""
    place, alignment = 0, _contract.GROUP_ALIGNMENT
    for of in _groups(ends, rows):
        yield of, place
        place += -(-int(of.sum()) // alignment) * alignment


def op_prec_align_groups(backend: Numpy, a: Attributes, op: Operation, x: Array, ends: Array) -> Array:
    result = np.zeros(op.result_types[0].shape, x.dtype)
    for of, place in _places(ends, len(x)):
        result[place:place + int(of.sum())] = x[of]
    return result


def _product(x: Array, sx: Array, y: Array, sy: Array, depth: int) -> Array:
    """x [M, K] times y [N, K] transposed, `depth` of K at a time times their inverse scales, which are of elements."""
    total = np.zeros((len(x), len(y)), x.dtype)
    for first in range(0, x.shape[1], depth):
        part = slice(first, first + depth)
        total = total + x[:, part] @ y[:, part].T * sy[:, first] * sx[:, first, None]
    return total


def op_prec_scaled_grouped_matmul(backend: Numpy, a: Attributes, op: Operation, x: Array, sx: Array, y: Array, sy: Array,
                                  ends: Array) -> Array:
    scalings = [gemm_scales.SCALINGS[a[name]] for name in ("lhs_scaling", "rhs_scaling")]
    matrices, height, count = y.ndim == 3, y.shape[-2], len(ends)
    x, y = backend.wide(x), backend.wide(y).reshape(-1, x.shape[1])
    is_fine = scalings[0].is_fine
    depth = min(scaling.sum or x.shape[1] for scaling in scalings)
    of_x, of_y = (gemm_scales.spread(gemm_scales.by_block(backend.wide(s), a[name], v.shape), a[name], v.shape) if is_fine
                  else np.ones(v.shape, backend.compute) for s, name, v in ((sx, "lhs_scaling", x), (sy, "rhs_scaling", y)))
    factors = np.ones(count, backend.compute) if is_fine else backend.wide(sx) * backend.wide(sy)
    result = np.zeros(op.result_types[0].shape, backend.compute)
    rows = len(x) if matrices else x.shape[1]
    for group, (of, place) in enumerate(_places(ends, rows)):
        if matrices:
            own = slice(group * height, (group + 1) * height)
            result[of] = _product(x[of], of_x[of], y[own], of_y[own], depth) * factors[group]
        elif of.any():
            own = slice(place, place + int(of.sum()))
            result[group] = _product(x[:, own], of_x[:, own], y[:, own], of_y[:, own], depth) * factors[group]
    return result


def op_prec_sched_grouped_gemm(backend: Numpy, a: Attributes, op: Operation, x: Array, y: Array, ends: Array, *scales: Array) -> Array:
    if scales:
        return op_prec_scaled_grouped_matmul(backend, a, op, x, scales[0], y, scales[1], ends)
    function = op_prec_train_grouped_matmul if y.ndim == 3 else op_prec_train_grouped_matmul_grad
    return function(backend, a, op, x, y, ends)
