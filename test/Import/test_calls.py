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
