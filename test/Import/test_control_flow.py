# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.cond, scan, map and while_loop: losses and gradients are those of PyTorch's own, also where the side that is
not chosen has
none that is a number."""
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch._higher_order_ops.map import map as mapped
from torch._higher_order_ops.scan import scan

import prec
from prec.torch.trace import uncompiled

D = 8


class Model(nn.Module):
    def __init__(self, kind):
        super().__init__()
        torch.manual_seed(0)
        self.kind, self.a, self.b = kind, nn.Linear(D, D), nn.Linear(D, D)
        self.c = nn.Parameter(-torch.ones(D))

    def forward(self, x, y):
        return F.mse_loss(getattr(self, self.kind)(x), y)

    def branch(self, x):
        return torch.cond(x.sum() > 0, lambda z: torch.relu(self.a(z)), lambda z: torch.tanh(self.b(z)), (x,))

    def guarded(self, x):
        # The side that is not taken is a logarithm of what is negative, and a root at zero.
        h = self.a(x)
        z = torch.cond((h.sum() > 1e6).reshape(1), lambda v: (torch.log(self.c) + torch.sqrt(v * 0)) * self.b(v), lambda v: v * self.c, (h,))
        return torch.cond(x.shape[0] > 1, lambda v: (v.sin(),), lambda v: (v,), (z,))[0]

    def scanned(self, x):
        def step(h, z):
            h = z[0] * h + z[1]
            return h, h.clone()
        gates, inputs = torch.sigmoid(self.a(x)).transpose(0, 1), self.b(x).transpose(0, 1)
        return scan(step, torch.zeros_like(inputs[0]), (gates, inputs))[1].transpose(0, 1)

    def mapped(self, x):
        return mapped(lambda row, scale: self.a(row) * scale, x, self.c)


    def looped(self, x):
        def step(count, h):
            return count + 1, torch.tanh(self.a(h)) * self.c + 0.1
        most = torch.tensor([2, 3]).sum()
        h = torch.while_loop(lambda count, h: (count < 2 * most) & (count >= 0), step, (torch.tensor(4), x))[1]
        return torch.while_loop(lambda count, h: count < h.shape[1] - 3, step, (torch.tensor(0), h))[1]

    def stepped(self, x):
        """What `looped` says, of which PyTorch 2.13 gives another gradient than that of its steps."""
        for _ in range(6 + 2):
            x = torch.tanh(self.a(x)) * self.c + 0.1
        return x


KINDS = ["branch", "guarded", "scanned", "mapped", "looped"]
BATCH = {name: torch.randn(2, 5, D, generator=torch.Generator().manual_seed(number)) for number, name in enumerate("xy")}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.cases(2)
def test_what_takes_functions_is_imported(kind):
    model = Model(kind)
    step = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), BATCH)
    assert step.verified == "verified"


def gradients(model):
    loss = model(**BATCH)
    loss.backward()
    return loss, [p.grad for p in model.parameters() if p.grad is not None and p.grad.any()]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_it_computes_what_pytorch_does(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right = gradients(Model("stepped" if kind == "looped" else kind))
        with uncompiled():
            found = gradients(Model(kind))
    assert all(g.isfinite().all() for g in found[1])
    torch.testing.assert_close(found, right)


def test_branches_of_two_forms_are_refused():
    model = Model("differing")
    model.differing = lambda x: torch.cond(x.sum() > 0, lambda z: (self_a(z), z), lambda z: (self_a(z),), (x,))[0]
    self_a = model.a
    with pytest.raises(prec.ImportFailure, match=r"both branches of torch.cond must give tensors of one form but do not .test_control_flow.py"):
        prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), BATCH)
