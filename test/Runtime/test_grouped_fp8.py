# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `grouped_gemm` of scaled FP8 operands against NumPy in float64, within bounds derived from format and
length: scales of groups, of rows and of blocks, forward and as gradients of aligned groups."""
import ml_dtypes
import numpy as np
import pytest
from grouped_fp8 import CASES, Problem
from step_module import StepModule


def bind(problem, module, prefix, result, **change):
    buffers = {"a": (problem.dtypes[0], problem.operands[0].shape), "b": (problem.dtypes[1], problem.operands[1].shape),
               "d": (result, problem.shape), "ends": ("i32", (len(problem.ends),)),
               "scale_a": ("f32", problem.scales[0].shape), "scale_b": ("f32", problem.scales[1].shape)}
    return {name: module.bind(prefix + name, "buffer", dtype, list(shape)) for name, (dtype, shape) in (buffers | change).items()}


def fields(problem):
    return {"transpose_b": not problem.gradient, "scaling_a": problem.scalings[0], "scaling_b": problem.scalings[1], "accumulator": "promoted"}


def multiply(module, problem, index, **change):
    reads = [index[name] for name in ("a", "b", "ends", "scale_a", "scale_b") if name in index]
    return module.command("step", "grouped_gemm", "product", reads, [index["d"]], **{**index, **fields(problem), **change})


def run(tmp_path, open_module, result, cases=CASES, **options):
    module, problems = StepModule(), {}
    for name, gradient in cases:
        problem, prefix = Problem(name, gradient), f"{name}.{gradient}."
        multiply(module, problem, bind(problem, module, prefix, result))["name"] = prefix
        problems[prefix] = problem
    opened = open_module(module.build(tmp_path / "step.so"), **options)
    for prefix, problem in problems.items():
        for key, x in problem.values().items():
            opened.set(prefix + key, x)
        opened.set(prefix + "d", np.full(problem.shape, np.nan).astype(np.float32 if result == "f32" else ml_dtypes.bfloat16))
    opened.step()
    return {prefix: (problem, opened.get(prefix + "d")) for prefix, problem in problems.items()}


@pytest.mark.parametrize("result, unit", [("bf16", 2.0**-8), ("f32", 2.0**-24)])
def test_products(tmp_path, open_module, result, unit):
    for name, (problem, got) in run(tmp_path, open_module, result).items():
        exact, magnitude = problem.exact()
        terms = problem.operands[0].shape[1]
        bound = (terms + 6) * 2.0**-24 * magnitude + unit * np.abs(exact) + 1e-30
        error = np.abs(got.astype(np.float64) - exact)
        assert np.all(error <= 1.05 * bound), (name, float(np.max(error / bound)))


def test_a_group_without_rows_gives_zeros(tmp_path, open_module):
    ((problem, got),) = run(tmp_path, open_module, "bf16", [("empty groups", True)]).values()
    assert [np.any(matrix != 0) for matrix in got.astype(np.float32)] == [begin < end for begin, end in problem.places] == [False, True, False, True]


def test_threads_change_no_bit(tmp_path, open_module):
    results = []
    for threads in (1, 3):
        (tmp_path / str(threads)).mkdir()
        found = run(tmp_path / str(threads), open_module, "bf16", [("many blocks", False), ("many blocks", True), ("long", False)], threads=threads)
        results.append([got.tobytes() for _, got in found.values()])
    assert results[0] == results[1]


def refused(tmp_path, open_module, case=("even", False), change=None, without=(), **keys):
    module, problem = StepModule(), Problem(*case)
    index = bind(problem, module, "", "bf16", **(change or {}))
    for name in without:
        del index[name]
    multiply(module, problem, index, **keys)
    with pytest.raises(Exception) as error:
        open_module(module.build(tmp_path / "step.so"))
    return str(error.value)


@pytest.mark.parametrize("options, message", [
    ({"without": ["scale_b"]}, "both operands must be FP8 and have scales, or neither, but got f8E4M3FN and f8E4M3FN without both scales"),
    ({"without": ["scale_a", "scale_b"], "scaling_a": "none", "scaling_b": "none"}, "both operands must be FP8 and have scales, or neither"),
    ({"change": {"a": ("bf16", (48, 32))}}, "both operands must be FP8 and have scales, or neither, but got bf16 and f8E4M3FN with both scales"),
    ({"scaling_b": "none"}, "both operands must be scaled by group, by row or by block, but got tensor_current and none"),
    ({"scaling_a": "row"}, "both operands must be scaled by group, by row or by block, but got row and tensor_delayed"),
    ({"scaling_a": "mx_1x32", "scaling_b": "mx_1x32"}, "scaling_a must be of groups, or of rows or blocks of one group each, but got mx_1x32"),
    ({"change": {"scale_a": ("f32", (4,))}}, "tensor_current scales of a must be f32[3], but got f32[4]"),
    ({"change": {"scale_b": ("bf16", (3,))}}, "tensor_delayed scales of b must be f32[3], but got bf16[3]"),
    ({"case": ("blocks", False), "change": {"b": ("f8E4M3FN", (3, 96, 320)), "d": ("bf16", (48, 96))}},
     "scaling_b must be of groups, or of rows or blocks of one group each, but got block_128x128 of [3, 96, 320]"),
    ({"transpose_b": False}, "scaled operands must lie along what is contracted, b with transpose_b, and give [48, 16]"),
    ({"change": {"b": ("f8E4M3FN", (3, 16, 48))}}, "scaled operands must lie along what is contracted"),
    ({"case": ("even", True), "change": {"a": ("f8E5M2", (32, 300)), "b": ("f8E4M3FN", (16, 300))}},
     "scaled operands must lie along what is contracted, of aligned groups"),
    ({"case": ("even", True), "transpose_b": True}, "transpose_b must be of a matrix for each group"),
])
def test_refusals(tmp_path, open_module, options, message):
    assert message in refused(tmp_path, open_module, **options)


def test_a_scaling_needs_scales(tmp_path, open_module):
    change = {"a": ("bf16", (48, 32)), "b": ("bf16", (3, 16, 32))}
    text = refused(tmp_path, open_module, change=change, without=["scale_a", "scale_b"])
    assert "a scaling must come with scales, but got none" in text
