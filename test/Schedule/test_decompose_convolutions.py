# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--prec-decompose=decompose-convolutions against PyTorch: slices and products compute what the operation does."""
import ml_dtypes
import numpy as np
import pytest
import torch
from convolutions import CASES

from prec.interpreter import Numpy, Program

OPERATIONS = {"fprop": ("prec_train.conv", ("x", "w"), "y"), "dgrad": ("prec_train.conv_grad_input", ("y", "w"), "x"),
              "wgrad": ("prec_train.conv_grad_weight", ("y", "x"), "w")}


def text(case, direction, element):
    name, read, written = OPERATIONS[direction]
    types = {key: f"tensor<{'x'.join(map(str, shape))}x{element}>" for key, shape in (("x", case.input), ("w", case.weight), ("y", case.output))}
    lists = ", ".join(f"{key} = array<i64: {', '.join(map(str, value))}>" for key, value in case.attributes.items() if key != "groups")
    a, b, r = (types[key] for key in (*read, written))
    return (f"func.func @f(%a: {a}, %b: {b}) -> {r} {{\n  %r = {name} %a, %b {{{lists}, groups = {case.groups} : i32}} : ({a}, {b}) -> {r}\n"
            f"  return %r : {r}\n}}\n")


@pytest.mark.parametrize("direction", OPERATIONS)
@pytest.mark.parametrize("name", [name for name in CASES if name != "2d many"])
def test_slices_and_products(prec_opt, name, direction):
    case, random = CASES[name], np.random.default_rng(1)
    given = {key: random.standard_normal(shape) for key, shape in (("x", case.input), ("w", case.weight), ("y", case.output))}
    for element, compute, tolerance in (("f32", np.float64, 1e-12), ("bf16", np.float32, 2.0**-8)):
        rounded = {key: x.astype(ml_dtypes.bfloat16).astype(np.float64) if element == "bf16" else x for key, x in given.items()}
        module = Program.of_text(text(case, direction, element), prec_opt=prec_opt, passes=["--prec-decompose=decompose-convolutions"])
        assert not any("conv" in op.name for op in module.function("f").block.operations)
        operands = dict(enumerate(rounded[key] for key in OPERATIONS[direction][1]))
        (got,) = module.run(operands, backend=Numpy(compute), function="f")
        exact, magnitude = (result[direction].numpy() for result in case.exact(*(torch.tensor(rounded[key]) for key in ("x", "w", "y"))))
        assert np.all(np.abs(got.astype(np.float64) - exact) <= tolerance * np.abs(exact) + 1e-6 * magnitude * (element == "bf16") + 1e-12)
