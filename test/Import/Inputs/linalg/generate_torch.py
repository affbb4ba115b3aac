# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the .mlir files beside it with torch-mlir (its wheel, beside PyTorch and transformers): models as functions of
their parameters, buffers and inputs, as linalg on tensors.

    python generate_torch.py [NAME...]
"""
import sys
from pathlib import Path

import foreign_models as models
import torch
import torch.nn as nn


class Functional(nn.Module):
    """A model as a function of its parameters and buffers, in their order, and its inputs."""

    def __init__(self, model):
        super().__init__()
        self.hidden = [model]
        self.names = [name for name, _ in [*model.named_parameters(), *model.named_buffers()]]

    def forward(self, *tensors):
        count = len(self.names)
        return torch.func.functional_call(self.hidden[0], dict(zip(self.names, tensors[:count])), tensors[count:])


def main(wanted):
    from torch_mlir import fx
    for name in wanted or models.MODELS:
        model, inputs = models.MODELS[name]()
        state = [t.detach() for t in [*model.parameters(), *model.buffers()]]
        module = fx.export_and_import(Functional(model.eval()), *state, *inputs, output_type="linalg-on-tensors", func_name="main")
        text = module.operation.get_asm(enable_debug_info=False)
        made = Path(__file__).with_name(f"{name}.mlir")
        made.write_text(f"// Made by generate_torch.py.\n{text}")
        print(name, len(text))


if __name__ == "__main__":
    main(sys.argv[1:])
