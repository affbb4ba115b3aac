"""Matrix products. Transposes of their operands and results are folded in afterwards (cleanup.py)."""
from __future__ import annotations

from .registry import lower


@lower("aten.mm.default", "aten.bmm.default")
def _mm(b, node, x, y):
    return b.matmul(x, y)


def _scaled_sum(b, bias, product, beta, alpha):
    product = product if alpha == 1 else b.mul(product, alpha)
    if beta == 0:
        return product
    bias = b.broadcast(bias, product.shape)
    return b.add(product, bias if beta == 1 else b.mul(bias, beta))


@lower("aten.addmm.default", "aten.baddbmm.default")
def _addmm(b, node, bias, x, y, beta=1, alpha=1):
    return _scaled_sum(b, bias, b.matmul(x, y), beta, alpha)


@lower("aten.mv.default")
def _mv(b, node, x, y):
    return b.reshape(b.matmul(x, b.reshape(y, (y.shape[0], 1))), x.shape[:1])


@lower("aten.dot.default")
def _dot(b, node, x, y):
    return b.reduce("sum", b.mul(x, y), [0])
