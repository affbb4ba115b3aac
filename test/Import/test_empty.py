# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors without elements between those that have some: what is joined, put into others or summed of them, beside
PyTorch; a graph holds none."""
import re

import pytest
import torch
from torch import nn

import prec
from prec import ImportFailure

N = 4


class Model(nn.Module):
    def __init__(self, function):
        super().__init__()
        torch.manual_seed(0)
        self.w, self.layer, self.function = nn.Parameter(torch.randn(N, 3)), nn.Linear(3, 3), function

    def forward(self, x):
        y = self.layer(x)
        return self.function(y, self.w, self.w[N:]).square().mean() + self.w.mean()


def put(y, w, none):
    z = torch.zeros(6, 3)
    z[:6] = y
    z[6:] = w[0]
    return z


def put_by_index(y, w, none):
    return y.index_put((torch.zeros(0, dtype=torch.int64),), none)


CASES = {
    "put behind the last": put,
    "put by no index": put_by_index,
    "joined": lambda y, w, none: torch.cat([none, y, none * 2]),
    "stacked and joined": lambda y, w, none: torch.cat([y[:, None], torch.stack([none, none], 1).reshape(0, 1, 3)]),
    "summed": lambda y, w, none: y + none.sum() + none.sum(0),
    "multiplied": lambda y, w, none: y + none.prod(),
    "matrix product": lambda y, w, none: y @ (none.T @ none) + y,
    "counted": lambda y, w, none: y * (none > 0).sum() + y * (none > 0).all(),
    "layers": lambda y, w, none: torch.cat([y, nn.functional.gelu(none.split(2, 1)[0].repeat(1, 3)[:, :3])]),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_beside_something(name):
    model = Model(CASES[name])
    imported = prec.import_torch(model, torch.optim.AdamW(model.parameters()), (torch.randn(6, 3),))
    assert imported.verified == "verified"
    assert all(0 not in v.shape for op in imported.graph.ops for v in op.results)


@pytest.mark.parametrize("function,message", [
    (lambda y, w, none: y.index_add(0, torch.zeros(0, dtype=torch.int64), none), "a tensor without elements must be joined to others, put into one"),
    (lambda y, w, none: y + none.mean(), "a constant must fit|PyTorch's own loss is nan|verified"),
])
def test_what_else_is_read_of_nothing(function, message):
    model = Model(function)
    try:
        verdict = prec.import_torch(model, torch.optim.AdamW(model.parameters()), (torch.randn(6, 3),)).verified
    except ImportFailure as failure:
        verdict = str(failure)
    assert re.search(message, verdict), verdict


def test_a_parameter_of_nothing_is_refused():
    class Without(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.nothing = nn.Linear(3, 3), nn.Parameter(torch.zeros(0, 3))

        def forward(self, x):
            return torch.cat([self.layer(x), self.nothing]).square().mean()
    model = Without()
    with pytest.raises(ImportFailure, match=r"every tensor of a step must have elements but nothing has shape \[0, 3\]"):
        prec.import_torch(model, torch.optim.AdamW(model.parameters()), (torch.randn(6, 3),))
