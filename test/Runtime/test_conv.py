# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command `conv` against PyTorch in float64, within bounds derived from format and length."""
import ml_dtypes
import numpy as np
import pytest
import torch
from convolutions import CASES
from step_module import StepModule

FORMATS = {"f32": (np.float32, 2.0**-24), "bf16": (ml_dtypes.bfloat16, 2.0**-8), "f16": (np.float16, 2.0**-11)}
# Operands and result of each direction.
DIRECTIONS = {"fprop": ("x", "w", "y"), "dgrad": ("y", "w", "x"), "wgrad": ("y", "x", "w")}


def convolve(module, case, of, index, **change):
    *read, written = DIRECTIONS[of]
    return module.command("step", "conv", of, [index[name] for name in read], [index[written]],
                          **{"direction": of, **index, **case.attributes, **change})


def run(tmp_path, open_module, cases, operands, result, **options):
    """By case and direction, operands as they were rounded, and the result. All are commands of one step."""
    module, random, found = StepModule(), np.random.default_rng(3), {}
    for name, case in cases.items():
        for direction, (*read, written) in DIRECTIONS.items():
            shapes = {"x": case.input, "w": case.weight, "y": case.output}
            given = {key: random.standard_normal(shapes[key]).astype(np.float32).astype(FORMATS[operands][0]) for key in read}
            index = {key: module.bind(f"{name}.{direction}.{key}", "buffer", result if key == written else operands, list(shape))
                     for key, shape in shapes.items()}
            convolve(module, case, direction, index)["name"] = f"{name} {direction}"
            given[written] = np.full(shapes[written], np.nan).astype(FORMATS[result][0])
            found[name, direction] = given
    opened = open_module(module.build(tmp_path / "step.so"), **options)
    for (name, direction), given in found.items():
        for key, x in given.items():
            opened.set(f"{name}.{direction}.{key}", x)
    opened.step()
    return {(name, direction): (given, opened.get(f"{name}.{direction}.{DIRECTIONS[direction][2]}")) for (name, direction), given in found.items()}


def check(case, direction, given, got, dtype):
    # The result's place holds NaN.
    x, w, dy = (torch.tensor(np.nan_to_num(given[name].astype(np.float64))) for name in ("x", "w", "y"))
    exact, magnitude = (values[direction].numpy() for values in case.exact(x, w, dy))
    bound = (case.terms[direction] + 2) * 2.0**-24 * magnitude + FORMATS[dtype][1] * np.abs(exact) + 1e-30
    error = np.abs(got.astype(np.float64) - exact)
    assert np.all(error <= 1.05 * bound), (case, direction, float(np.max(error / bound)))


@pytest.mark.parametrize("dtype", FORMATS)
def test_convolutions(tmp_path, open_module, dtype):
    for (name, direction), (given, got) in run(tmp_path, open_module, CASES, dtype, dtype).items():
        check(CASES[name], direction, given, got, dtype)


@pytest.mark.parametrize("operands, result", [("bf16", "f32"), ("f32", "bf16"), ("f16", "f32")])
def test_formats(tmp_path, open_module, operands, result):
    for (name, direction), (given, got) in run(tmp_path, open_module, {"2d both": CASES["2d both"]}, operands, result).items():
        check(CASES[name], direction, given, got, result)


def test_threads_change_no_bit(tmp_path, open_module):
    results = []
    for threads in (1, 3):
        folder = tmp_path / str(threads)
        folder.mkdir()
        found = run(folder, open_module, {name: CASES[name] for name in ("2d many", "2d depthwise", "3d strides")}, "bf16", "bf16", threads=threads)
        results.append([got.tobytes() for _, got in found.values()])
    assert results[0] == results[1]


def refused(tmp_path, open_module, shapes=None, dtypes=None, same=None, **change):
    case, module = CASES["2d"], StepModule()
    shapes = {"x": case.input, "w": case.weight, "y": case.output} | (shapes or {})
    index = {name: module.bind(name, "buffer", (dtypes or {}).get(name, "f32"), list(shape)) for name, shape in shapes.items()}
    index |= {written: index[other] for written, other in (same or {}).items()}
    convolve(module, case, "fprop", index, **change)
    with pytest.raises(Exception) as error:
        open_module(module.build(tmp_path / "step.so"))
    return str(error.value)


@pytest.mark.parametrize("change, message", [
    ({"shapes": {"x": (2, 4)}}, "x, w and y must have one rank of 3 to 5, but got [2, 4], [6, 3, 3, 4] and [2, 7, 9, 6]"),
    ({"shapes": {"y": (2, 63, 6)}}, "x, w and y must have one rank of 3 to 5"),
    ({"shapes": {"w": (6, 0, 3, 4)}}, "x, w and y must not be empty"),
    ({"strides": [1]}, "strides must have 2 elements, but got 1"),
    ({"low": [1, 1, 1]}, "low must have 2 elements, but got 3"),
    ({"high": []}, "high must have 2 elements, but got 0"),
    ({"dilations": [1]}, "dilations must have 2 elements, but got 1"),
    ({"strides": [0, 1]}, "strides[0]: must lie in [1, "),
    ({"low": [-1, 1]}, "low[0]: must lie in [0, "),
    ({"groups": 0}, "groups: must lie in [1, "),
    ({"groups": 3}, "groups must divide channels and outputs, and w have channels / groups, but got 3"),
    ({"groups": 2}, "groups must divide channels and outputs, and w have channels / groups, but got 2"),
    ({"strides": [2, 1]}, "y must have a position for each window of x"),
    ({"dilations": [9, 1]}, "y must have a position for each window of x"),
    ({"low": [1 << 40, 1], "high": [1 << 40, 1]}, "y must have a position for each window of x"),
    ({"shapes": {"y": (3, 7, 9, 6)}}, "y must have a position for each window of x"),
    ({"shapes": {"y": (2, 7, 9, 5)}}, "y must have a position for each window of x"),
    ({"dtypes": {"w": "i32"}}, "w must be f32, bf16 or f16, but got i32"),
    ({"dtypes": {"x": "f8E4M3FN"}}, "x must be f32, bf16 or f16, but got f8E4M3FN"),
    ({"dtypes": {"w": "bf16"}}, "operands must have one dtype, but got f32 and bf16"),
    ({"direction": "sideways"}, "but got 'sideways'"),
])
def test_refusals(tmp_path, open_module, change, message):
    assert message in refused(tmp_path, open_module, **change)


def test_result_is_no_operand(tmp_path, open_module):
    shapes = {"x": (2, 7, 9, 4), "w": (4, 3, 3, 4), "y": (2, 7, 9, 4)}
    assert "y must not share bytes with x, but does" in refused(tmp_path, open_module, shapes=shapes, same={"y": "x"})


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_lists_name_operands(tmp_path, open_module, direction, which):
    case, module = CASES["2d"], StepModule()
    index = {n: module.bind(n, "buffer", "f32", list(shape)) for n, shape in (("x", case.input), ("w", case.weight), ("y", case.output))}
    command = convolve(module, case, direction, index)
    name = DIRECTIONS[direction][which]
    command["writes" if which == 2 else "reads"].remove(index[name])
    with pytest.raises(Exception) as error:
        open_module(module.build(tmp_path / "step.so"))
    assert f"{'writes' if which == 2 else 'reads'} must list every operand, but buffer {index[name]} is missing" in str(error.value)
