# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--prec-fold-scatter-add: the gradient of tied weights has the bits of two tables that are added, and no table of sums
is left."""
from pathlib import Path

import numpy as np
import pytest

from prec.interpreter import Program
from prec.interpreter.formats import numpy_dtype

ROOT = Path(__file__).resolve().parents[2]
SCHEDULE = ["--prec-decompose", "--prec-fold-scatter-add", "--prec-form-dispatches"]
ROWS, WIDTH, TOKENS = 12, 8, 400


def tied(element, sums_first):
    """Gradients of a head and an embedding that share their weight, as they are materialized."""
    table, wide = f"tensor<{ROWS}x{WIDTH}x{element}>", f"tensor<{ROWS}x{WIDTH}xf32>"
    hidden, logits = f"tensor<{TOKENS}x{WIDTH}x{element}>", f"tensor<{TOKENS}x{ROWS}x{element}>"
    terms = "%e, %w" if sums_first else "%w, %e"
    add = f"%g = arith.addf {terms} : {table}"
    if element != "f32":
        terms = "%e1, %w1" if sums_first else "%w1, %e1"
        add = f"""%w1 = arith.extf %w : {table} to {wide}
  %e1 = arith.extf %e : {table} to {wide}
  %a = arith.addf {terms} : {wide}
  %g = arith.truncf %a : {wide} to {table}"""
    return f"""func.func @step(%d: {logits}, %h: {hidden}, %u: {hidden}, %i: tensor<{TOKENS}xi32>) -> {table} attributes {{prec.entry = "step"}} {{
  %w = prec_train.matmul %d, %h {{transpose_a}} : ({logits}, {hidden}) -> {table}
  %e = prec_train.embedding_grad %u, %i : ({hidden}, tensor<{TOKENS}xi32>) -> {table}
  {add}
  return %g : {table}
}}
"""


@pytest.mark.parametrize("sums_first", [False, True])
@pytest.mark.parametrize("element", ["f32", "bf16", "f16"])
def test_bits(prec_opt, element, sums_first):
    rng, dtype = np.random.default_rng(0), numpy_dtype(element)
    # Integers: the products and the sums need no rounding before the first that is asked for.
    d, h, u = (rng.integers(-most, most, (TOKENS, n)).astype(dtype) for n, most in ((ROWS, 90), (WIDTH, 9), (WIDTH, 900)))
    ids = rng.integers(0, ROWS // 2, TOKENS, dtype=np.int32)
    module = Program.of_text(tied(element, sums_first), prec_opt=prec_opt, passes=["--prec-decompose", "--prec-fold-scatter-add"])
    names = [op.name for op in module.function("step").block.operations]
    assert [name for name in names if name != "arith.constant"] == [
        "prec_train.matmul",
        "prec_train.sort_ids",
        "prec_train.scatter_add",
        "func.return",
    ]
    product, sums = d.astype(np.float32).T @ h.astype(np.float32), np.zeros((ROWS, WIDTH), np.float32)
    np.add.at(sums, ids, u.astype(np.float32))
    first, second = (x.astype(dtype).astype(np.float32) for x in (product, sums))
    [got] = module.run({0: d, 1: h, 2: u, 3: ids}, function="step")
    np.testing.assert_array_equal(got, (first + second).astype(dtype))
    # The values do tell where is rounded.
    assert element == "f32" or ((product + sums).astype(dtype) != (first + second).astype(dtype)).any()
    assert element == "f32" or ((first + sums).astype(dtype) != (first + second).astype(dtype)).any()


def dispatches(module, family):
    return [op for op in module.function("step").block.operations
            if op.name == "prec_sched.dispatch" and getattr(op.attributes["family"], "word", "") == family]


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid", "fp16"])
@pytest.mark.parametrize("graph", ["llama_tiny", "gpt2_tiny", "bench_llama_tiny"])
def test_models(prec_opt, graph, recipe):
    passes = [
        "--prec-raise-composites",
        f"--assign-precision=recipe={recipe} target=sm_90a",
        "--prec-split-weights",
        "--prec-insert-casts",
        *SCHEDULE,
    ]
    module = Program.of_text((ROOT / f"examples/{graph}.mlir").read_text(), prec_opt=prec_opt, passes=passes)
    operations = module.function("step").block.operations
    makers = {name: op for op in operations for name in op.results}
    tied = [op for op in dispatches(module, "scatter_add") if op.result_types[0].shape == (256, 64)]
    assert [makers[op.operands[0]].name for op in tied] == ["prec_sched.gemm"]
    assert tied[0].result_types[0].element == ("f16" if recipe == "fp16" else "bf16")
    for op in operations:
        if op.name == "prec_sched.fill":
            assert op.result_types[0].shape != (256, 64)
