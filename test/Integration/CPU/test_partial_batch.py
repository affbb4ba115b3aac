"""A batch with fewer rows than the module's is refused, or completed so that the step is PyTorch's step of the smaller batch."""
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
