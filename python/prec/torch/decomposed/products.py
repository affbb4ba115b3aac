# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of several tensors by those of two."""
from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor

from ..decompose import decomposes


@decomposes("aten._trilinear.default")
def trilinear(
    x: Tensor, y: Tensor, z: Tensor, expand1: Sequence[int], expand2: Sequence[int], expand3: Sequence[int], sums: Sequence[int], unroll: int = 1
) -> Tensor:
    def expanded(t: Tensor, dims: Sequence[int]) -> Tensor:
        for dim in sorted(dims):
            t = t.unsqueeze(dim)
        return t
    product = expanded(x, expand1) * expanded(y, expand2) * expanded(z, expand3)
    return product.sum(list(sums)) if sums else product


@decomposes("aten.addbmm.default")
def addbmm(x: Tensor, a: Tensor, b: Tensor, *, beta: float = 1, alpha: float = 1) -> Tensor:
    product = a.bmm(b).sum(0)
    return (x * beta if beta != 1 else x) + (product * alpha if alpha != 1 else product)
