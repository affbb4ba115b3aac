# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of any dimensions as (batches of) products of matrices.

Batch dimensions come first, then what is left of an operand, then what is summed over. An operand whose summed
dimensions come first already stays as it is, and the product reads it transposed.
"""
from __future__ import annotations

import math
from collections.abc import Sequence

from ...builder import Builder
from ...ir import Kind, Value
from ..registry import Call, lower


def _matrix(b: Builder, x: Value, batch: Sequence[int], summed: Sequence[int]) -> tuple[Value, bool, list[int]]:
    """[*batch, kept, summed], or [*batch, summed, kept] and True; and the sizes of the kept dimensions."""
    kept = [d for d in range(x.rank) if d not in (*batch, *summed)]
    swapped = bool(summed) and bool(kept) and min(kept) > max(summed)
    order = [*batch, *summed, *kept] if swapped else [*batch, *kept, *summed]
    rows, columns = (math.prod(x.shape[d] for d in dims) for dims in ((summed, kept) if swapped else (kept, summed)))
    return b.reshape(b.transpose(x, order), (*(x.shape[d] for d in batch), rows, columns)), swapped, [x.shape[d] for d in kept]


@lower("dot_general")
def _dot_general(call: Call, x: Value, y: Value) -> Value:
    b = call.b
    (of_x, of_y), (batch_x, batch_y) = (tuple([int(d) for d in dims] for dims in pair) for pair in call.params["dimension_numbers"])
    if x.dtype != "f32" or y.dtype != "f32":
        if "f32" not in (x.dtype, y.dtype):
            raise NotImplementedError("products of whole numbers (convert an operand to floats, or multiply and sum)")
        x, y = b.convert(x, "f32"), b.convert(y, "f32")
    a, transpose_a, rows = _matrix(b, x, batch_x, of_x)
    c, transposed, columns = _matrix(b, y, batch_y, of_y)
    sizes = [x.shape[d] for d in batch_x]
    made = b.op(Kind.MATMUL, [a, c], [((*sizes, math.prod(rows), math.prod(columns)), "f32")], transpose_a=transpose_a, transpose_b=not transposed)
    return b.reshape(made.result, (*sizes, *rows, *columns))
