# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions of PyTorch, written out over dimensions, strides, padding, dilations, groups and transposition: each
imports with its gradients and computes what PyTorch does. Transpositions around them vanish where they meet."""
import itertools

import pytest
import torch
import torch.nn.functional as F
from torch import nn

import prec

SETTINGS = [
    dict(n=n, kernel=kernel, stride=stride, padding=padding, dilation=dilation, groups=groups, transposed=transposed)
    for n, kernel, stride, padding, dilation, groups, transposed in itertools.product(
        (1, 2, 3), (1, 2, 3), (1, 2, 3), (0, 1), (1, 2), (1, 2, 4), (False, True))
    if padding < kernel
]


class Net(nn.Module):
    def __init__(self, n, transposed, groups, kernel, **options):
        super().__init__()
        torch.manual_seed(n)
        kind = getattr(nn, f"Conv{'Transpose' if transposed else ''}{n}d")
        self.before, self.conv = nn.Parameter(torch.randn(4, *(1,) * n)), kind(4, 8, kernel, groups=groups, **options)

    def forward(self, x):
        return self.conv(x * self.before).square().mean()


def imported(model, **batch):
    found = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), batch)
    assert found.verified == "verified"
    return found.graph


def names(graph):
    return [op.name.partition(".")[2] for op in graph.ops]


@pytest.mark.cases(40)
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: "-".join(map(str, s.values())))
def test_settings(setting):
    graph = imported(Net(**setting), x=torch.randn(2, 4, *(7, 6, 5)[:setting["n"]]))
    is_product = setting["groups"] == 1 and setting["padding"] == 0 and setting["kernel"] == setting["stride"] and (
        setting["dilation"] == 1 or setting["kernel"] == 1)
    ops = names(graph)
    assert ops.count("matmul") == (3 if is_product else 0)
    assert {op for op in ops if op.startswith("conv")} == (set() if is_product else {"conv", "conv_grad_input", "conv_grad_weight"})


CALLS = {
    "same": lambda x, w: F.conv2d(x, w, padding="same"),
    "same of two": lambda x, w: F.conv2d(x, w[:, :, :2, :2], padding="same"),
    "valid": lambda x, w: F.conv2d(x, w, padding="valid"),
    "lists": lambda x, w: F.conv2d(x, w, stride=(2, 1), padding=(0, 2), dilation=(1, 2)),
    "one image": lambda x, w: F.conv2d(x[0], w),
    "one image transposed": lambda x, w: F.conv_transpose2d(x[0], w, stride=2),
    "output padding": lambda x, w: F.conv_transpose2d(x, w, stride=3, output_padding=(2, 1)),
    "output padding beyond strides": lambda x, w: F.conv_transpose2d(x, w, stride=1, dilation=3, padding=1, output_padding=(2, 1)),
    "output padding beyond windows": lambda x, w: F.conv_transpose2d(x, w[:, :, :1, :1], stride=1, dilation=3, output_padding=2),
    "patches transposed": lambda x, w: F.conv_transpose2d(x, w, stride=3),
    "patches that leave a rest": lambda x, w: F.conv2d(x, w, stride=3),
    "patches of an image": lambda x, w: F.conv2d(x[:, :3], w[:, :3], stride=3),
    "bias": lambda x, w: F.conv2d(x, w, w[:, 0, 0, 0]),
    "bias transposed": lambda x, w: F.conv_transpose2d(x, w, w[0, :, 0, 0]),
    "computed weight": lambda x, w: F.conv2d(x, w * torch.rsqrt(w.square().sum((1, 2, 3), keepdim=True) + 1e-3)),
    "weight of the batch": lambda x, w: F.conv2d(w, x[:1, :, :3, :3].transpose(0, 1)[:8].transpose(0, 1)),
    "wide padding": lambda x, w: F.conv2d(x, w, padding=5),
    "channels last": lambda x, w: F.conv2d(x.to(memory_format=torch.channels_last), w).contiguous(),
    "two": lambda x, w: F.conv2d(F.conv2d(x, w, padding=1).relu(), w, padding=1) + x,
    "read twice": lambda x, w: F.conv2d(x, w, padding=1) * F.conv2d(x, w.flip(0), padding=1).sigmoid(),
    "joined": lambda x, w: torch.cat([F.conv2d(x, w, padding=1), x], 1).flatten(2).softmax(-1),
    "rows": lambda x, w: F.conv2d(x, w, padding=1).flatten(2).transpose(1, 2) @ w[:, 0, 0].T.repeat(3, 1)[:8],
    "groups of channels": lambda x, w: F.group_norm(F.conv2d(x, w, padding=1), 2),
    "mean by image": lambda x, w: F.conv2d(x, w, padding=1).mean((2, 3), keepdim=True) * x,
    "by place": lambda x, w: F.conv2d(x, w, padding=1) * torch.arange(9.0).view(1, 1, 1, 9) + torch.arange(7.0).view(1, 1, 7, 1),
    "table of all": lambda x, w: F.conv2d(x, w, padding=1) + w.mean((2, 3)).repeat(8, 8)[:56, :9].reshape(8, 7, 9)[None],
    "cut": lambda x, w: F.conv2d(x, w, padding=1)[:, 2:6, 1:, ::2],
    "padded": lambda x, w: F.pad(F.conv2d(x, w), (1, 1, 1, 1), mode="reflect"),
    "larger": lambda x, w: F.interpolate(F.conv2d(x, w), scale_factor=2),
    "pool": lambda x, w: F.max_pool2d(F.conv2d(x, w, padding=1), 3, 2, 1),
    "mean pool": lambda x, w: F.avg_pool2d(F.conv2d(x, w, padding=1), 3, 2, 1),
    "whole image": lambda x, w: F.conv2d(x[:, :, :3, :3], w).flatten(1) @ w[:, :, 0, 0],
    "shuffled": lambda x, w: F.pixel_shuffle(F.conv2d(x, w, padding=1), 2),
}


class Call(nn.Module):
    def __init__(self, call):
        super().__init__()
        torch.manual_seed(0)
        self.w, self.scale, self.call = nn.Parameter(torch.randn(8, 8, 3, 3)), nn.Parameter(torch.randn(8, 1, 1)), call

    def forward(self, x):
        return self.call(x * self.scale, self.w).square().mean()


@pytest.mark.parametrize("name", CALLS)
def test_calls(name):
    imported(Call(CALLS[name]), x=torch.randn(2, 8, 7, 9))


class Block(nn.Module):
    """Two convolutions with norms over the batch and what goes past them."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.first, self.norm1 = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.second, self.norm2 = nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8)
        self.head = nn.Linear(8, 5)

    def forward(self, x, y):
        x = self.first(x)
        x = (self.norm2(self.second(self.norm1(x).relu())) + x).relu()
        return F.cross_entropy(self.head(x.mean((2, 3))), y)


def test_transpositions_vanish():
    """Nothing of the size of an activation is transposed but the batch."""
    graph = imported(Block(), x=torch.randn(3, 8, 6, 10), y=torch.tensor([0, 3, 4]))
    moved = [op for op in graph.ops if op.name == "prec_train.transpose" and op.result.rank == 4 and op.result.shape[0] == 3]
    assert len(moved) == 1 and moved[0].operands[0].op is None


def test_a_graph_without_convolutions_stays():
    """Transpositions of other layers are where they were."""
    class Heads(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(torch.randn(4, 4))

        def forward(self, x):
            return ((x @ self.w).view(2, 3, 2, 2).transpose(1, 2).exp() * 2).sum()
    graph = imported(Heads(), x=torch.randn(2, 3, 4))
    assert any(op.name == "prec_train.transpose" for op in graph.ops)
