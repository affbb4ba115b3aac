# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped products in both backends, as they are and written as products of all rows, against PyTorch's of each
group."""
import ml_dtypes
import numpy as np
import pytest
import torch
from grouped import ALL, CASES, NAMES

from prec.interpreter import Numpy, Program, Torch
from prec.interpreter.graph import Operation, TensorType


def operation(case, gradient, element="f32", call=False):
    a, b, d = (TensorType(shape, element) for shape in case.shapes(gradient))
    name = "prec_sched.grouped_gemm" if call else f"prec_train.grouped_matmul{'_grad' if gradient else ''}"
    attributes = {"transpose_b": True} if case.transposed else {}
    return Operation(name, ["%0", "%1", "%2"], ["%r"], attributes, [a, b, TensorType((case.groups,), "i32")], [d], line=1)


def values(case, gradient):
    random = np.random.default_rng(2)
    return [random.standard_normal(shape) for shape in case.shapes(gradient)[:2]]


@pytest.mark.parametrize("name, gradient", ALL, ids=NAMES)
def test_both_backends(name, gradient):
    case, operands = CASES[name], values(CASES[name], gradient)
    exact, _ = case.exact(*map(torch.tensor, operands), gradient)
    ends = np.array(case.ends, np.int32)
    results = [Numpy(np.float64).apply(operation(case, gradient), *operands, ends),
               Numpy(np.float64).apply(operation(case, gradient, call=True), *operands, ends),
               Torch(torch.float64).apply(operation(case, gradient), *map(torch.tensor, operands), torch.tensor(ends)),
               Torch(torch.float64).apply(operation(case, gradient, call=True), *map(torch.tensor, operands), torch.tensor(ends))]
    for (result,) in results:
        np.testing.assert_allclose(np.asarray(result), exact, rtol=1e-12, atol=1e-12)


def text(case, gradient, element):
    a, b, d = (f"tensor<{'x'.join(map(str, shape))}x{element}>" for shape in case.shapes(gradient))
    ends = f"tensor<{case.groups}xi32>"
    name = f"prec_train.grouped_matmul{'_grad' if gradient else ''}"
    flag = " {transpose_b}" if case.transposed else ""
    return (f"func.func @f(%a: {a}, %b: {b}, %e: {ends}) -> {d} {{\n  %r = {name} %a, %b, %e{flag} : ({a}, {b}, {ends}) -> {d}\n"
            f"  return %r : {d}\n}}\n")


@pytest.mark.parametrize("name, gradient", [case for case in ALL if case[0] != "many"])
def test_products_of_all_rows(prec_opt, name, gradient):
    case, operands = CASES[name], values(CASES[name], gradient)
    for element, compute, tolerance in (("f32", np.float64, 1e-12), ("bf16", np.float32, 2.0**-8)):
        rounded = [x.astype(ml_dtypes.bfloat16).astype(np.float64) if element == "bf16" else x for x in operands]
        module = Program.of_text(text(case, gradient, element), prec_opt=prec_opt, passes=["--prec-decompose=decompose-grouped"])
        assert not any("grouped" in op.name for op in module.function("f").block.operations)
        (got,) = module.run({0: rounded[0], 1: rounded[1], 2: np.array(case.ends, np.int32)}, backend=Numpy(compute), function="f")
        exact, magnitude = (x.numpy() for x in case.exact(*map(torch.tensor, rounded), gradient))
        assert np.all(np.abs(got.astype(np.float64) - exact) <= tolerance * np.abs(exact) + 1e-6 * magnitude * (element == "bf16") + 1e-12)
