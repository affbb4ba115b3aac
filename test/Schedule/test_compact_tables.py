# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--prec-compact-tables: the gradient of an embedding has the bits that it had, without a table of zeros."""
import numpy as np
import pytest

from prec.interpreter import Program
from prec.interpreter.formats import numpy_dtype

ROWS, WIDTH = 64, 8
PASSES = ["--prec-decompose", "--prec-fold-scatter-add", "--prec-compact-tables=least-bytes=1"]


def step(element, shape):
    """An optimizer that takes the gradient by its norm."""
    table, wide = f"tensor<{ROWS}x{WIDTH}x{element}>", f"tensor<{ROWS}x{WIDTH}xf32>"
    count = "x".join(map(str, shape))
    ids, rows = f"tensor<{count}xi32>", f"tensor<{count}x{WIDTH}x{element}>"
    widen = "" if element == "f32" else f"%w = arith.extf %g : {table} to {wide}"
    value = "%g" if element == "f32" else "%w"
    return f"""func.func @step(%u: {rows}, %i: {ids}, %p: {wide}) -> ({wide}, tensor<f32>) attributes {{prec.entry = "step"}} {{
  %g = prec_train.embedding_grad %u, %i : ({rows}, {ids}) -> {table}
  {widen}
  %q = arith.mulf {value}, {value} : {wide}
  %r = prec_train.reduce sum %q dims [1] : ({wide}) -> tensor<{ROWS}xf32>
  %s = prec_train.reduce sum %r dims [0] : (tensor<{ROWS}xf32>) -> tensor<f32>
  %b = prec_train.broadcast %s dims [] : (tensor<f32>) -> {wide}
  %c = arith.mulf {value}, %b : {wide}
  %n = arith.subf %p, %c : {wide}
  return %n, %s : {wide}, tensor<f32>
}}
"""


def operations(module):
    return [op for op in module.function("step").block.operations if op.name != "arith.constant"]


@pytest.mark.parametrize("element, shape", [("f32", (13,)), ("bf16", (4, 8)), ("bf16", (1,))])
def test_bits(prec_opt, element, shape):
    rng, dtype = np.random.default_rng(0), numpy_dtype(element)
    # Integers, so that squares are summed exactly in any order.
    u = rng.integers(-9, 9, (*shape, WIDTH)).astype(dtype)
    ids = rng.choice([0, 5, 6, 40, ROWS - 1], shape).astype(np.int32)
    p = rng.standard_normal((ROWS, WIDTH)).astype(np.float32)
    text = step(element, shape)
    want = Program.of_text(text, prec_opt=prec_opt, passes=PASSES[:2]).run({0: u, 1: ids, 2: p}, function="step")
    module = Program.of_text(text, prec_opt=prec_opt, passes=PASSES)
    tables = [op.result_types[0].shape for op in operations(module) if op.name == "prec_train.scatter_add"]
    assert tables == [(ROWS,), (ids.size + 1, WIDTH)]
    for got, expected in zip(module.run({0: u, 1: ids, 2: p}, function="step"), want):
        np.testing.assert_array_equal(got, expected)
    sums = np.zeros((ROWS, WIDTH), np.float32)
    np.add.at(sums, ids.reshape(-1), u.reshape(-1, WIDTH).astype(np.float32))
    assert want[1] == (sums.astype(dtype).astype(np.float32) ** 2).sum()


@pytest.mark.parametrize("text", [
    step("bf16", (33,)),  # more than half as many ids as rows
    step("bf16", (4,)).replace("return %n, %s", "%k = prec_train.transpose %g permutation [1, 0] : (tensor<64x8xbf16>) -> "
                               "tensor<8x64xbf16>\n  return %n, %s"),
])
def test_stays(prec_opt, text):
    module = Program.of_text(text, prec_opt=prec_opt, passes=PASSES)
    assert [op.result_types[0].shape for op in operations(module) if op.name == "prec_train.scatter_add"] == [(ROWS, WIDTH)]


def test_small_tables_stay(prec_opt):
    module = Program.of_text(step("bf16", (4,)), prec_opt=prec_opt, passes=[*PASSES[:2], "--prec-compact-tables"])
    assert [op.result_types[0].shape for op in operations(module) if op.name == "prec_train.scatter_add"] == [(ROWS, WIDTH)]
