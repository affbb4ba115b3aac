# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Matrix products. Transposes of their operands and results are folded in afterwards (cleanup.py)."""
from __future__ import annotations

from torch.fx import Node

from ...builder import Builder
from ...ir import Value
from ..registry import lower


@lower("aten.mm.default", "aten.bmm.default")
def _mm(b: Builder, node: Node, x: Value, y: Value) -> Value:
    return b.matmul(x, y)


def _scaled_sum(b: Builder, bias: Value, product: Value, beta: float, alpha: float) -> Value:
    product = product if alpha == 1 else b.mul(product, alpha)
    if beta == 0:
        return product
    bias = b.broadcast(bias, product.shape)
    return b.add(product, bias if beta == 1 else b.mul(bias, beta))


@lower("aten.addmm.default", "aten.baddbmm.default")
def _addmm(b: Builder, node: Node, bias: Value, x: Value, y: Value, beta: float = 1, alpha: float = 1) -> Value:
    return _scaled_sum(b, bias, b.matmul(x, y), beta, alpha)


@lower("aten.mv.default")
def _mv(b: Builder, node: Node, x: Value, y: Value) -> Value:
    return b.reshape(b.matmul(x, b.reshape(y, (y.shape[0], 1))), x.shape[:1])


@lower("aten.dot.default")
def _dot(b: Builder, node: Node, x: Value, y: Value) -> Value:
    return b.reduce("sum", b.mul(x, y), [0])
