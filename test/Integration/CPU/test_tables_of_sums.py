# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sums over columns that are looked up by: ids that a step counts, as of packed images whose sizes are looked up by the
image that a patch is of."""
import pytest
import torch
from torch import nn

import prec


class Packed(nn.Module):
    """kind: what is counted of the images in front of a patch, and how."""

    def __init__(self, kind, patches):
        super().__init__()
        self.kind, self.w = kind, nn.Parameter(torch.linspace(-1, 1, patches * 4).view(patches, 4))

    def forward(self, x, lengths, sizes):
        behind = torch.arange(len(x))[None] >= lengths.cumsum(0)[:, None]
        if self.kind == "bool":
            ids = behind.sum(0)
        elif self.kind == "float":
            ids = behind.float().sum(0).long()
        else:
            ids = behind.to(torch.int32).amax(0)
        height, width = sizes[ids, 1].float(), sizes[ids, 2].float()
        return ((self.w * x / height[:, None] + width[:, None]) ** 2).mean() + (self.w[ids] * x).sum()


# Lanes of a kernel: whole vectors, and a rest behind them.
@pytest.mark.parametrize("patches", [32, 37])
@pytest.mark.parametrize("kind", ["bool", "float", "largest"])
def test_ids_that_a_step_counts(kind, patches, compile_module):
    model, generator = Packed(kind, patches), torch.Generator().manual_seed(0)
    batch = {"x": torch.randn(patches, 4, generator=generator), "lengths": torch.tensor([9, 11, patches - 20]),
             "sizes": torch.randint(1, 9, (4, 3), generator=generator)}
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    path, weights = compile_module(prec.import_torch(model, optimizer, batch), "fp32")
    module = prec.Module(path)
    module.load(weights)
    for shift in range(3):
        given = batch | {"lengths": batch["lengths"] + torch.tensor([shift, -2 * shift, shift])}
        found = module.step({name: (t if t.is_floating_point() else t.int()).numpy() for name, t in given.items()})["loss"]
        loss = model(**given)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        assert found == pytest.approx(loss.item(), rel=2e-5)
