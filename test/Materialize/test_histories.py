# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which tensors share an amax history."""
import re
import subprocess

import pytest

BEGIN = ("module attributes {prec.amax = #prec.amax<history = 4, algorithm = max, margin = 0, power_of_two = false, "
         "activation = 1.0e-12 : f64, weight = 1.0e-12 : f64, gradient = 1.0e-12 : f64>} {\n")


def histories(prec_opt: str, tensors: int) -> list[int]:
    """Rows of each history of a step in which so many tensors are scaled alike."""
    scales = "".join(f'  %s{i}, %d{i} = prec.delayed_scale %a of "x{i}" for e4m3\n' for i in range(tensors))
    text = f'{BEGIN}func.func @step(%a: tensor<f32>) attributes {{prec.entry = "step"}} {{\n{scales}  return\n}}\n}}\n'
    done = subprocess.run([prec_opt, "--prec-carry-amax"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [int(rows) for rows in re.findall(r"prec.history_scale .* : tensor<(\d+)x4xf32>", done.stdout)][::-1]


@pytest.mark.parametrize("tensors, rows", [
    (1, [1]), (64, [64]), (96, [48, 48]), (192, [64] * 3), (504, [63] * 8),
    # No equal ones, and too many.
    (65, [64, 1]), (97, [64, 33]), (567, [64] * 8 + [55])])
def test_few_histories_are_of_equal_sizes(prec_opt, tensors, rows):
    assert histories(prec_opt, tensors) == rows
