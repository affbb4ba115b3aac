# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `grouped_gemm` against PyTorch in float64, within bounds derived from format and length."""
import ml_dtypes
import numpy as np
import pytest
import torch
from grouped import ALL, CASES
from step_module import StepModule

FORMATS = {"f32": (np.float32, 2.0**-24), "bf16": (ml_dtypes.bfloat16, 2.0**-8), "f16": (np.float16, 2.0**-11)}
OPERANDS = ("a", "b", "d", "ends")


def multiply(module, case, index, **change):
    reads = [index[name] for name in ("a", "b", "ends")]
    return module.command("step", "grouped_gemm", "product", reads, [index["d"]],
                          **{**index, "transpose_b": case.transposed, **change})


def bind(module, case, gradient, operands, result, prefix="", shapes=None, dtypes=None):
    shapes = dict(zip(OPERANDS, (*case.shapes(gradient), (case.groups,)), strict=True)) | (shapes or {})
    dtypes = {"a": operands, "b": operands, "d": result, "ends": "i32"} | (dtypes or {})
    return {name: module.bind(prefix + name, "buffer", dtypes[name], list(shapes[name])) for name in OPERANDS}


def run(tmp_path, open_module, operands, result, names=None, **options):
    """By case, the operands as they were rounded, and the result. All are commands of one step."""
    module, random, found = StepModule(), np.random.default_rng(3), {}
    for name, gradient in ALL:
        if names and name not in names:
            continue
        case, prefix = CASES[name], f"{name}.{gradient}."
        a, b, d = case.shapes(gradient)
        given = {key: random.standard_normal(shape).astype(FORMATS[operands][0]) for key, shape in (("a", a), ("b", b))}
        given |= {"d": np.full(d, np.nan).astype(FORMATS[result][0]), "ends": np.array(case.ends, np.int32)}
        multiply(module, case, bind(module, case, gradient, operands, result, prefix))["name"] = prefix
        found[name, gradient] = given
    opened = open_module(module.build(tmp_path / "step.so"), **options)
    for (name, gradient), given in found.items():
        for key, x in given.items():
            opened.set(f"{name}.{gradient}.{key}", x)
    opened.step()
    return {key: (given, opened.get(f"{key[0]}.{key[1]}.d")) for key, given in found.items()}


@pytest.mark.parametrize("operands, result", [("f32", "f32"), ("bf16", "bf16"), ("bf16", "f32"), ("f32", "bf16"), ("f16", "f16"), ("f16", "f32")])
def test_products(tmp_path, open_module, operands, result):
    for (name, gradient), (given, got) in run(tmp_path, open_module, operands, result).items():
        case = CASES[name]
        exact, magnitude = (x.numpy() for x in case.exact(*(torch.tensor(given[key].astype(np.float64)) for key in ("a", "b")), gradient))
        terms = case.rows if gradient else case.inner
        bound = (terms + 2) * 2.0**-24 * magnitude + FORMATS[result][1] * np.abs(exact) + (2.0**-25 if result == "f16" else 1e-30)
        error = np.abs(got.astype(np.float64) - exact)
        assert np.all(error <= 1.05 * bound), (name, gradient, float(np.max(error / bound)))


def test_threads_change_no_bit(tmp_path, open_module):
    results = []
    for threads in (1, 3):
        (tmp_path / str(threads)).mkdir()
        found = run(tmp_path / str(threads), open_module, "bf16", "bf16", ("many", "long"), threads=threads)
        results.append([got.tobytes() for _, got in found.values()])
    assert results[0] == results[1]


def refused(tmp_path, open_module, gradient=False, shapes=None, dtypes=None, same=None, **change):
    case, module = CASES["even"], StepModule()
    index = bind(module, case, gradient, "f32", "f32", shapes=shapes, dtypes=dtypes)
    index |= {written: index[other] for written, other in (same or {}).items()}
    multiply(module, case, index, **change)
    with pytest.raises(Exception) as error:
        open_module(module.build(tmp_path / "step.so"))
    return str(error.value)


@pytest.mark.parametrize("change, message", [
    ({"shapes": {"a": (12,)}}, "a must have rank 2, ends 1, and b and d 3 and 2 or 2 and 3, but got [12], [3, 5, 7], [12, 7] and [3]"),
    ({"shapes": {"ends": (3, 1)}}, "a must have rank 2, ends 1"),
    ({"shapes": {"d": (3, 5, 7)}}, "a must have rank 2, ends 1"),
    ({"shapes": {"b": (0, 5, 7)}}, "operands must not be empty"),
    ({"gradient": True, "transpose_b": True}, "transpose_b must be of a matrix for each group"),
    ({"shapes": {"b": (3, 5, 8)}}, "rows must be as many on both sides, and matrices [3, 5, 7], but got"),
    ({"transpose_b": True}, "rows must be as many on both sides, and matrices [3, 7, 5], but got"),
    ({"shapes": {"d": (11, 7)}}, "rows must be as many on both sides"),
    ({"shapes": {"ends": (4,)}}, "rows must be as many on both sides, and matrices [4, 5, 7]"),
    ({"dtypes": {"a": "i8", "b": "i8"}}, "a must be f32, bf16 or f16, but got i8"),
    ({"dtypes": {"d": "i32"}}, "d must be f32, bf16 or f16, but got i32"),
    ({"dtypes": {"b": "bf16"}}, "operands must have one dtype, but got f32 and bf16"),
    ({"dtypes": {"ends": "i64"}}, "ends must be i32, but got i64"),
])
def test_refusals(tmp_path, open_module, change, message):
    assert message in refused(tmp_path, open_module, **change)


def test_result_is_no_operand(tmp_path, open_module):
    shapes = {"a": (12, 5), "b": (3, 5, 5), "d": (12, 5)}
    assert "d must not share bytes with an operand, but does" in refused(tmp_path, open_module, shapes=shapes, same={"d": "a"})


@pytest.mark.parametrize("which", OPERANDS)
def test_lists_name_operands(tmp_path, open_module, which):
    case, module = CASES["even"], StepModule()
    index = bind(module, case, False, "f32", "f32")
    command, kind = multiply(module, case, index), "writes" if which == "d" else "reads"
    command[kind].remove(index[which])
    with pytest.raises(Exception) as error:
        open_module(module.build(tmp_path / "step.so"))
    assert f"{kind} must list every operand, but buffer {index[which]} is missing" in str(error.value)
