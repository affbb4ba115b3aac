# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What models call (calls.py) imports with its gradient, and the graph computes what PyTorch does."""
import pytest
import torch
from calls import Calls, batch, groups

import prec


@pytest.mark.parametrize("names", groups(8), ids=lambda names: names[0])
def test_calls_import_with_their_gradients(names):
    model = Calls(names)
    assert prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), batch()).verified == "verified"


class Normed(torch.nn.Module):
    def __init__(self, norm, momentum):
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.norm = torch.nn.Conv2d(3, 4, 3), norm(4, momentum=momentum)

    def forward(self, x):
        return (self.norm(self.conv(x)).relu() * torch.arange(4).reshape(4, 1, 1)).square().mean()


def test_batch_statistics_are_buffers_that_the_step_updates():
    model = Normed(torch.nn.BatchNorm2d, 0.1)
    imported = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"x": torch.randn(2, 3, 6, 6)})
    assert imported.verified == "verified"
    updated = {r.path for r in imported.graph.results if r.donor is not None and r.donor.role == "buffer"}
    assert updated == {"norm.running_mean", "norm.running_var", "norm.num_batches_tracked"}


def test_batch_norm_in_eval_reads_its_statistics():
    model = Normed(torch.nn.BatchNorm2d, 0.1)
    model.norm.eval()
    imported = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"x": torch.randn(2, 3, 6, 6)})
    assert imported.verified == "verified"
    assert not any(r.donor is not None and r.donor.role == "buffer" for r in imported.graph.results)


def test_a_mean_over_all_batches_reads_their_number():
    model = Normed(torch.nn.BatchNorm2d, None)
    imported = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"x": torch.randn(2, 3, 6, 6)})
    assert imported.verified == "verified"
    assert sum(r.donor is not None and r.donor.role == "buffer" for r in imported.graph.results) == 3
