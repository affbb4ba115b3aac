# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A batch with fewer rows than the module's is refused, or completed so that the step is PyTorch's step of the smaller
batch."""
import llama_tiny
import numpy as np
import pytest
import torch

import prec
from prec.module import RuntimeFailure


def test_partial_batch(compile_module):
    model, optimizer, batch, options = llama_tiny.build()
    path, weights = compile_module(prec.import_torch(model, optimizer, batch, **options), "fp32")
    first = {name: value[:1] for name, value in batch.items()}
    with pytest.raises(RuntimeFailure, match=r"'input_ids' must have shape \[2, 32\], but got \[1, 32\]"):
        prec.Module(path).step(first)

    module = prec.Module(path, pad_batches=True)
    module.load(weights)
    for _ in range(3):
        loss = model(**first).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), options["clip_grad_norm"])
        optimizer.step()
        optimizer.zero_grad()
        # The bar of whole batches, test_against_pytorch.py.
        assert module.step(first)["loss"] == pytest.approx(loss.item(), rel=2e-5)
    half = {name: value[:, :16] for name, value in batch.items()}
    with pytest.raises(RuntimeFailure, match=r"but got \[2, 16\]"):
        module.step(half)
    whole = {name: np.asarray(value) for name, value in batch.items()}
    with torch.no_grad():
        assert module.eval(whole)["loss"] == pytest.approx(model(**batch).loss.item(), rel=2e-5)


class Regression(torch.nn.Module):
    """A square error beside the cross entropy: rows of zeros would count in it."""

    def __init__(self):
        super().__init__()
        self.head, self.value = torch.nn.Linear(8, 5), torch.nn.Linear(8, 1)

    def forward(self, x, labels, targets):
        return torch.nn.functional.cross_entropy(self.head(x), labels) + (self.value(x)[:, 0] - targets).square().mean()


def test_a_loss_in_which_other_rows_count(compile_module):
    model = Regression()
    batch = {"x": torch.randn(4, 8), "labels": torch.arange(4), "targets": torch.randn(4)}
    path, weights = compile_module(prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), batch, verify=False), "fp32")
    module = prec.Module(path, pad_batches=True)
    module.load(weights)
    with pytest.raises(RuntimeFailure, match="completed with rows where these change nothing, but beside cross entropies the loss reads 'targets'"
                                             r" .*: give batches of 4 rows"):
        module.step({name: value[:3] for name, value in batch.items()})
    assert module.step(batch)["loss"] == pytest.approx(model(**batch).item(), rel=2e-5)
