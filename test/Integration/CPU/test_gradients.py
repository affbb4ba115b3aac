# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of the first step in the fp32 recipe against PyTorch eager FP32."""
import pytest
import torch
from first_step import read_gradients
from rounding_noise import gradients, lambda_of, length_of_errors
from test_against_pytorch import batches, gpt2, llama
from torch.utils._python_dispatch import TorchDispatchMode


class Flaw(TorchDispatchMode):
    """Every matrix product with a flaw."""

    def __init__(self, flaw):
        super().__init__()
        self.flaw = flaw

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function in (torch.ops.aten.mm.default, torch.ops.aten.bmm.default):
            return function(*self.flaw(*args))
        return function(*args, **(kwargs or {}))


FLAWS = {"operands rounded to bf16": lambda a, b: (a.bfloat16().float(), b.bfloat16().float()),
         "one operand rounded to bf16": lambda a, b: (a, b.bfloat16().float()),
         "last product dropped": lambda a, b: (a[..., :-1], b[..., :-1, :]),
         "first product doubled": lambda a, b: (a, torch.cat([b[..., :1, :] * 2, b[..., 1:, :]], -2)),
         "a thousandth too large": lambda a, b: (a, b * 1.001)}


@pytest.mark.parametrize("build", [llama, gpt2])
def test_gradients_are_pytorchs(build, open_step):
    model, module = open_step(build, "fp32")
    batch = next(batches())
    tokens = torch.from_numpy(batch)
    expected, ours = gradients(model, tokens), read_gradients(module, batch)
    assert ours.keys() == expected.keys()
    # In eager attention PyTorch shows the operations inside.
    model.set_attn_implementation("eager")
    # Both sides err: the length of the difference of two independent errors is that of one times the root of 2.
    bounds = {name: 2**0.5 * lambda_of(len(expected)) * length for name, length in length_of_errors(model, tokens).items()}

    def beyond(got):
        return {name: float((torch.as_tensor(got[name]) - expected[name]).norm()) / bound for name, bound in bounds.items()}
    for name, bound in bounds.items():
        assert bound < 2**-9 * float(expected[name].norm()), f"the bound of {name} must be below what one rounding to bf16 makes"
    assert max(beyond(ours).values()) <= 1
    for name, flaw in FLAWS.items():
        with Flaw(flaw):
            assert min(beyond(gradients(model, tokens)).values()) > 1, name
    _, module = open_step(build, "bf16")
    assert min(beyond(read_gradients(module, batch)).values()) > 1
