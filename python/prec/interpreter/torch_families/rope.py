# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rotary position embedding."""
from __future__ import annotations

import torch
from torch import Tensor

from ..text import Operation
from ..torch_ops import Attributes, Torch


def op_prec_train_rope(backend: Torch, a: Attributes, op: Operation, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    x1, x2 = x.chunk(2, -1)
    sin = -sin if a.get("inverse") else sin
    return torch.cat([x1 * cos - x2 * sin, x2 * cos + x1 * sin], -1)
