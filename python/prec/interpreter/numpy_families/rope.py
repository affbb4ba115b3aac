# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary position embedding."""
from __future__ import annotations

import numpy as np

from ..numpy_ops import Array, Attributes, Numpy
from ..text import Operation


def op_prec_train_rope(backend: Numpy, a: Attributes, op: Operation, x: Array, cos: Array, sin: Array) -> Array:
    x, cos, sin = map(backend.wide, (x, cos, sin))
    x1, x2 = np.split(x, 2, -1)
    sin = -sin if a.get("inverse") else sin
    return np.concatenate([x1 * cos - x2 * sin, x2 * cos + x1 * sin], -1)
