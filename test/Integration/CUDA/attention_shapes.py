# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps whose attention has shapes that the gradients' kernels must get right: blocks of rows and tiles that are cut,
heads that are padded, groups of heads.

    prec-import test/Integration/CUDA/attention_shapes.py:odd -o odd.mlir
"""
import functools

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY = 256  # of bytes, which the tokens are


class Attention(nn.Module):
    def __init__(self, heads, groups, dim, causal):
        super().__init__()
        self.widths, self.dim, self.causal = [heads * dim, groups * dim, groups * dim], dim, causal
        self.embedding = nn.Embedding(VOCABULARY, heads * dim)
        self.qkv = nn.Linear(heads * dim, sum(self.widths), bias=False)
        self.head = nn.Linear(heads * dim, VOCABULARY, bias=False)

    def forward(self, idx, tgt):
        batch, rows = idx.shape
        q, k, v = (x.view(batch, rows, -1, self.dim).transpose(1, 2) for x in self.qkv(self.embedding(idx)).split(self.widths, -1))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal, enable_gqa=True)
        logits = self.head(y.transpose(1, 2).reshape(batch, rows, -1))
        return F.cross_entropy(logits.view(-1, VOCABULARY), tgt.reshape(-1))


def step(batch, heads, groups, rows, dim, causal=True):
    torch.manual_seed(0)
    model = Attention(heads, groups, dim, causal)
    ids = torch.zeros(batch, rows, dtype=torch.int64)
    return model, torch.optim.SGD(model.parameters(), lr=1e-2), {"idx": ids, "tgt": ids}


SHAPES = {
    "whole": {"batch": 2, "heads": 2, "groups": 2, "rows": 256, "dim": 64},
    "grouped": {"batch": 2, "heads": 6, "groups": 2, "rows": 512, "dim": 64},
    "odd": {"batch": 1, "heads": 4, "groups": 4, "rows": 1000, "dim": 64},
    "short": {"batch": 3, "heads": 3, "groups": 3, "rows": 40, "dim": 64},
    "narrow": {"batch": 2, "heads": 4, "groups": 2, "rows": 300, "dim": 32},
    "padded": {"batch": 2, "heads": 4, "groups": 4, "rows": 200, "dim": 80},
    "wide": {"batch": 1, "heads": 4, "groups": 1, "rows": 840, "dim": 128},
    "unmasked": {"batch": 1, "heads": 6, "groups": 2, "rows": 456, "dim": 64, "causal": False},
    "wide_unmasked": {"batch": 2, "heads": 2, "groups": 2, "rows": 328, "dim": 128, "causal": False},
}
# prec-import finds a step as a function of the module.
globals().update({name: functools.partial(step, **sizes) for name, sizes in SHAPES.items()})
