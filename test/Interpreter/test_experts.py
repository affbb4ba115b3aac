# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Grouped products in both backends, as they are and written as products of all rows, against PyTorch's of each
group."""
import ml_dtypes
import numpy as np
import pytest
import torch
from grouped import ALL, CASES, NAMES, Case
from grouped_fp8 import CASES as SCALED, Problem

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


NAMES_OF_SCALED = [f"{name}{', gradient' if gradient else ''}" for name, gradient in SCALED]


@pytest.mark.parametrize("name, gradient", SCALED, ids=NAMES_OF_SCALED)
def test_scaled_products(name, gradient):
    problem = Problem(name, gradient)
    a, b, sa, sb = (TensorType(x.shape, "f32") for x in (*problem.operands, *problem.scales))
    ends, d = TensorType((len(problem.ends),), "i32"), TensorType(problem.shape, "f32")
    attributes = dict(zip(("lhs_scaling", "rhs_scaling"), problem.scalings, strict=True))
    given, exact = problem.values(), problem.exact()[0]
    of = [given[name] if name == "ends" else given[name].astype(np.float64) for name in ("a", "scale_a", "b", "scale_b", "ends")]
    (got,) = Numpy(np.float64).apply(Operation("prec.scaled_grouped_matmul", ["%0", "%1", "%2", "%3", "%4"], ["%r"], attributes,
                                               [a, sa, b, sb, ends], [d], line=1), *of)
    np.testing.assert_allclose(got, exact, rtol=1e-12, atol=1e-12)
    (got,) = Numpy(np.float64).apply(Operation("prec_sched.grouped_gemm", ["%0", "%1", "%2", "%3", "%4"], ["%r"], attributes,
                                               [a, b, ends, sa, sb], [d], line=1), of[0], of[2], of[4], of[1], of[3])
    np.testing.assert_allclose(got, exact, rtol=1e-12, atol=1e-12)


ROWS = {name: case for name, case in CASES.items() if not case.transposed} | {"more groups than rows": Case(3, 2, 2, (0, 1, 1, 2, 3, 3))}


def of_rows(case):
    """By row its group, or -1; by row the place where groups begin at multiples of 128."""
    groups, places, place, first = np.full(case.rows, -1), np.zeros(case.rows, int), 0, 0
    for group, end in enumerate(case.ends):
        last = max(first, min(end, case.rows))
        groups[first:last], places[first:last] = group, place + np.arange(last - first)
        place, first = place + -(-(last - first) // 128) * 128, last
    return groups, places


@pytest.mark.parametrize("name", ROWS)
def test_rows_of_groups(name, prec_opt):
    case = ROWS[name]
    groups, places = of_rows(case)
    x = np.random.default_rng(1).standard_normal((case.rows, case.inner)).astype(np.float32)
    x[0, 0], ends = np.nan, np.array(case.ends, np.int32)
    aligned = (case.rows + min(case.rows, case.groups) * 127) // 128 * 128
    amax = [max((abs(v) for v in x[groups == group].ravel() if v == v), default=0) for group in range(case.groups)]
    scales = np.arange(1, case.groups + 1, dtype=np.float32)
    moved = np.zeros((aligned, case.inner), np.float32)
    moved[places[groups >= 0]] = x[groups >= 0]
    rows, ends_type, amaxes = f"tensor<{case.rows}x{case.inner}xf32>", f"tensor<{case.groups}xi32>", f"tensor<{case.groups}xf32>"
    of_rows_type, aligned_type = f"tensor<{case.rows}xf32>", f"tensor<{aligned}x{case.inner}xf32>"
    text = (f"func.func @f(%x: {rows}, %s: {amaxes}, %e: {ends_type}) -> ({amaxes}, {of_rows_type}, {aligned_type}) {{\n"
            f"  %a = prec.group_amax %x, %e : ({rows}, {ends_type}) -> {amaxes}\n"
            f"  %r = prec.group_scales %s, %e : ({amaxes}, {ends_type}) -> {of_rows_type}\n"
            f"  %y = prec.align_groups %x, %e : ({rows}, {ends_type}) -> {aligned_type}\n"
            f"  return %a, %r, %y : {amaxes}, {of_rows_type}, {aligned_type}\n}}\n")
    for passes in ([], ["--prec-decompose"]):
        module = Program.of_text(text, prec_opt=prec_opt, passes=passes)
        assert any(op.name == "prec.align_groups" for op in module.function("f").block.operations) == (not passes)
        got = module.run({0: x, 1: scales, 2: ends}, backend=Numpy(np.float32), function="f")
        np.testing.assert_array_equal(got[0], np.array(amax, np.float32))
        np.testing.assert_array_equal(got[1], np.where(groups >= 0, scales[groups], 0))
        np.testing.assert_array_equal(got[2], moved)
