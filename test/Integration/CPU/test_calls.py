# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models call (test/Import/calls.py) trains as PyTorch does, and compiles for a GPU."""
import subprocess

import numpy as np
import pytest
import torch
from calls import Calls, batch, groups

import prec

STEPS, TOLERANCE, RATE = 3, 2e-5, 0.1


def sgd(model):
    return torch.optim.SGD(model.parameters(), lr=RATE)


@pytest.mark.parametrize("names", groups(8), ids=lambda names: names[0])
def test_calls_train_as_pytorch_does(names, compile_module):
    model = Calls(names)
    optimizer = sgd(model)
    path, weights = compile_module(prec.import_torch(model, optimizer, batch(), verify=False), "fp32")
    module = prec.Module(path)
    module.load(weights)
    for step in range(STEPS):
        loss = model(**batch(step + 1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        assert module.step(batch(step + 1))["loss"] == pytest.approx(loss.item(), rel=TOLERANCE)
    got = module.weights()
    for name, p in model.named_parameters():
        right = p.detach().numpy()
        assert np.abs(got[name] - right).max() <= TOLERANCE * max(np.abs(right).max(), 1), name


@pytest.mark.parametrize("names", groups(8), ids=lambda names: names[0])
def test_calls_compile_for_a_gpu(names, tool, tmp_path):
    model = Calls(names)
    prec.import_torch(model, sgd(model), batch(), verify=False).write(tmp_path / "graph.mlir")
    subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", "--recipe=fp32", "--target=sm_90a", "-o", tmp_path / "step.so"], check=True)
