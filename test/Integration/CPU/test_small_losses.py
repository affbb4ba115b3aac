# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Losses of rows whose label is nearly certain keep their digits: they are far smaller than the logits."""
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import prec


class Certain(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.eye(7) * 1.5)

    def forward(self, x, y):
        return F.cross_entropy(x @ self.w + 30.0, y)


@pytest.mark.parametrize("height", [5.0, 7.0, 9.0])
def test_a_small_cross_entropy_is_pytorchs(height, compile_module):
    model, labels = Certain(), torch.arange(7)
    batch = {"x": height * torch.eye(7) + 0.01 * torch.arange(49).view(7, 7), "y": labels}
    path, weights = compile_module(prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.0), batch), "fp32")
    module = prec.Module(path)
    module.load(weights)
    found = module.step({"x": batch["x"].numpy(), "y": labels.int().numpy()})["loss"]
    right = model.double()(batch["x"].double(), labels).item()
    # By the roundings of sums of exponentials, and of logits of about 40; against the loss itself either may be large.
    ulp = 2.0**-24 + 2.0**-18 * right
    assert right < 1e-2 and abs(found - right) <= 2 * ulp
