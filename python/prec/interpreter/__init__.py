# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Computes what a graph says, operation by operation, as the dialects' text has it: the oracle of tests, and of the
importer's own check.

    from prec.interpreter import Numpy, Program, Torch
    program = Program.of_text(mlir)                                  # or Program.of_graph(step.graph)
    results = program.run({"input_ids": ids, "labels": labels, **weights})
    results["loss"], results[0]
    program.run(inputs, wanted=list(program.gradients().values()), backend=Torch(torch.float64))

`Numpy` has every operation and format; `Torch` has those that importing makes, and is quick.
    python -m prec.interpreter graph.mlir --inputs in.npz --out out.npz
"""
from typing import TYPE_CHECKING

from .graph import Binding, Function, GraphError
from .program import Program, Results, generic_form
from .text import ParseError, TensorType

__all__ = ["Binding", "Function", "GraphError", "Numpy", "ParseError", "Program", "Results", "TensorType", "Torch", "generic_form", "random_inputs"]

if TYPE_CHECKING:
    from .numpy_ops import Numpy
    from .samples import random_inputs
    from .torch_ops import Torch


def __getattr__(name: str) -> object:
    # Neither backend needs the other's packages.
    if name == "Numpy":
        from .numpy_ops import Numpy
        return Numpy
    if name == "Torch":
        from .torch_ops import Torch
        return Torch
    if name == "random_inputs":
        from .samples import random_inputs
        return random_inputs
    raise AttributeError(f"module 'prec.interpreter' has no attribute {name!r}")
