# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions in both backends, in each direction, against PyTorch's own."""
import ml_dtypes
import numpy as np
import pytest
import torch
from convolutions import CASES

from prec.interpreter import Numpy, Torch
from prec.interpreter.graph import Operation, TensorType

OPERATIONS = {"fprop": ("prec_train.conv", ("x", "w"), "y"), "dgrad": ("prec_train.conv_grad_input", ("y", "w"), "x"),
              "wgrad": ("prec_train.conv_grad_weight", ("y", "x"), "w")}


def operation(case, direction, element="f32", call=False):
    name, read, written = OPERATIONS[direction]
    types = {key: TensorType(shape, element) for key, shape in (("x", case.input), ("w", case.weight), ("y", case.output))}
    attributes = {**case.attributes, **({"direction": direction} if call else {})}
    return Operation("prec_sched.conv" if call else name, ["%0", "%1"], ["%r"], attributes, [types[key] for key in read], [types[written]], line=1)


def values(case):
    random = np.random.default_rng(2)
    return {"x": random.standard_normal(case.input), "w": random.standard_normal(case.weight), "y": random.standard_normal(case.output)}


@pytest.mark.parametrize("direction", OPERATIONS)
@pytest.mark.parametrize("name", CASES)
def test_both_backends(name, direction):
    case, given = CASES[name], values(CASES[name])
    expected = case.exact(*(torch.tensor(given[key]) for key in ("x", "w", "y")))[0][direction]
    operands = [given[key] for key in OPERATIONS[direction][1]]
    results = [Numpy(np.float64).apply(operation(case, direction), *operands),
               Numpy(np.float64).apply(operation(case, direction, call=True), *operands),
               Torch(torch.float64).apply(operation(case, direction), *map(torch.tensor, operands))]
    for (result,) in results:
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("direction", OPERATIONS)
def test_a_narrow_result_is_rounded_once(direction):
    case, given = CASES["2d both"], values(CASES["2d both"])
    operands = [given[key].astype(ml_dtypes.bfloat16) for key in OPERATIONS[direction][1]]
    (rounded,) = Numpy().apply(operation(case, direction, "bf16"), *operands)
    (exact,) = Numpy().apply(operation(case, direction), *(x.astype(np.float32) for x in operands))
    np.testing.assert_array_equal(rounded, exact.astype(ml_dtypes.bfloat16))
