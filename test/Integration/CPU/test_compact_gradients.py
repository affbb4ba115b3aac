# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The gradient of a large embedding is kept as the rows that the batch has: the step is PyTorch's."""
import subprocess

import pytest
import torch
from torch import nn

import prec


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.head = nn.Embedding(16384, 512), nn.Linear(512, 16)

    def forward(self, idx, tgt):
        return nn.functional.cross_entropy(self.head(self.table(idx).mean(1)), tgt)


@pytest.mark.long
def test_rows_of_the_batch(compile_module, tool):
    torch.manual_seed(0)
    model = Bag()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)
    batch = {"idx": torch.randint(0, 16384, (4, 9)), "tgt": torch.tensor([3, 0, 15, 3])}
    path, weights = compile_module(prec.import_torch(model, optimizer, batch, clip_grad_norm=0.1), "fp32")
    listed = subprocess.run([tool("prec-run"), path, "--traffic"], check=True, capture_output=True, text=True).stdout
    fills = [line for line in listed.splitlines() if "  fill  table" in line]
    assert len(fills) == 1 and float(fills[0].split()[1]) < 0.001, fills
    module = prec.Module(path)
    module.load(weights)
    for shift in range(3):
        # Ids that are named again, once and often, and rows that later steps have no gradient of.
        idx = (batch["idx"] + 100 * shift) % 16384
        idx[0, :5], idx[1, 0] = 7, 16383
        found = module.step({"idx": idx.int().numpy(), "tgt": batch["tgt"].int().numpy()})["loss"]
        loss = model(idx, batch["tgt"])
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        optimizer.step()
        assert found == pytest.approx(loss.item(), rel=1e-5)
    torch.testing.assert_close(torch.from_numpy(module.weights()["table.weight"]), model.table.weight.detach(), rtol=0, atol=2e-6)
