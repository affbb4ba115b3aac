# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, channels last: each place of the kernel meets, at every output position, one element a channel."""
from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..numpy_ops import Array, Attributes, Numpy
from ..text import Operation

Place = tuple[int, ...]


def _padded(a: Attributes, x: Array) -> Array:
    return np.pad(x, [(0, 0), *zip(a["low"], a["high"], strict=True), (0, 0)])


def _places(a: Attributes, kernel: Place, positions: Place) -> Iterator[tuple[Place, tuple[slice, ...]]]:
    """Each place of the kernel, and what of the padded input it meets."""
    for place in itertools.product(*map(range, kernel)):
        starts = [p * d for p, d in zip(place, a["dilations"], strict=True)]
        yield place, (slice(None), *(slice(start, start + (n - 1) * s + 1, s)
                                     for start, n, s in zip(starts, positions, a["strides"], strict=True)))


def _of_all(place: tuple[int | slice, ...]) -> Any:
    """The index of a place in all that the first dimension has."""
    return (slice(None), *place)


def _grouped(x: Array, groups: int, dim: int) -> Array:
    """The dimension as [groups, elements of a group]."""
    dim %= x.ndim
    return x.reshape(*x.shape[:dim], groups, x.shape[dim] // groups, *x.shape[dim + 1:])


def op_prec_train_conv(backend: Numpy, a: Attributes, op: Operation, x: Array, w: Array) -> Array:
    x, w, groups = _padded(a, backend.wide(x)), backend.wide(w), a["groups"]
    shape = op.result_types[0].shape
    total = np.zeros((*shape[:-1], groups, shape[-1] // groups), backend.compute)
    for place, seen in _places(a, w.shape[1:-1], shape[1:-1]):
        at = _grouped(w[_of_all(place)], groups, 0)
        total += np.einsum("...gc,goc->...go", _grouped(x[seen], groups, -1), at)
    return total.reshape(shape)


def op_prec_train_conv_grad_input(backend: Numpy, a: Attributes, op: Operation, dy: Array, w: Array) -> Array:
    dy, w, groups = backend.wide(dy), backend.wide(w), a["groups"]
    shape = op.result_types[0].shape
    total = _padded(a, np.zeros(shape, backend.compute))
    for place, seen in _places(a, w.shape[1:-1], dy.shape[1:-1]):
        at = _grouped(w[_of_all(place)], groups, 0)
        part = np.einsum("...go,goc->...gc", _grouped(dy, groups, -1), at)
        total[seen] += part.reshape(*part.shape[:-2], shape[-1])
    inside = tuple(slice(low, low + size) for low, size in zip(a["low"], shape[1:-1], strict=True))
    return total[_of_all(inside)]


def op_prec_train_conv_grad_weight(backend: Numpy, a: Attributes, op: Operation, dy: Array, x: Array) -> Array:
    dy, x, groups = backend.wide(dy), _padded(a, backend.wide(x)), a["groups"]
    dw = np.zeros(op.result_types[0].shape, backend.compute)
    for place, seen in _places(a, dw.shape[1:-1], dy.shape[1:-1]):
        read = x[seen]
        rows = (g.reshape(-1, groups, g.shape[-1] // groups) for g in (dy, read))
        part = np.einsum("ngo,ngc->goc", *rows)
        dw[_of_all(place)] = part.reshape(dw.shape[0], dw.shape[-1])
    return dw
