# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps whose attention has shapes that the gradients' kernels must get right: blocks of rows and tiles that are cut,
heads that are padded, groups of heads; and masks, which libraries must.

    prec-import test/Integration/CUDA/attention_shapes.py:odd -o odd.mlir
"""
import functools

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY = 256  # of bytes, which the tokens are


class Attention(nn.Module):
    def __init__(self, heads, groups, dim, causal, mask=None):
        super().__init__()
        self.mask = mask
        self.widths, self.dim, self.causal = [heads * dim, groups * dim, groups * dim], dim, causal
        self.embedding = nn.Embedding(VOCABULARY, heads * dim)
        self.qkv = nn.Linear(heads * dim, sum(self.widths), bias=False)
        self.head = nn.Linear(heads * dim, VOCABULARY, bias=False)

    def forward(self, idx, tgt):
        batch, rows = idx.shape
        q, k, v = (x.view(batch, rows, -1, self.dim).transpose(1, 2) for x in self.qkv(self.embedding(idx)).split(self.widths, -1))
        mask = None if self.mask is None else self.mask(idx, self.widths[0] // self.dim)
        y = F.scaled_dot_product_attention(q, k, v, mask, is_causal=self.causal and mask is None, enable_gqa=True)
        logits = self.head(y.transpose(1, 2).reshape(batch, rows, -1))
        return F.cross_entropy(logits.view(-1, VOCABULARY), tgt.reshape(-1))


def step(batch, heads, groups, rows, dim, causal=True, mask=None):
    torch.manual_seed(0)
    model = Attention(heads, groups, dim, causal, mask)
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
    "large": {"batch": 2, "heads": 2, "groups": 1, "rows": 300, "dim": 256},
    "latent": {"batch": 1, "heads": 2, "groups": 2, "rows": 512, "dim": 192},
    "large_unmasked": {"batch": 2, "heads": 2, "groups": 1, "rows": 136, "dim": 136, "causal": False},
}


def _distance(rows):
    return torch.arange(rows)[:, None] - torch.arange(rows)


# Masks of ids, and of how many heads there are. Some bytes of a text stand for padding and for ends of documents.
def keys(idx, heads):
    return (idx % 5 != 0)[:, None, None]


def blind(idx, heads):
    """The first queries of a row see nothing."""
    return ((torch.arange(idx.shape[1]) >= idx[:, :1] % 50)[:, None, None] & (_distance(idx.shape[1]) >= 0))


def documents(idx, heads):
    number = (idx == 10).cumsum(1)
    return (number[:, :, None] == number[:, None])[:, None] & (_distance(idx.shape[1]) >= 0)


def window(idx, heads):
    return (_distance(idx.shape[1]) >= 0) & (_distance(idx.shape[1]) < 50)


def window_of_keys(idx, heads):
    return window(idx, heads) & (keys(idx, heads) | (_distance(idx.shape[1]) == 0))


def alibi(idx, heads):
    slopes = 0.5 ** torch.arange(1.0, heads + 1)
    return torch.where(_distance(idx.shape[1]) >= 0, -slopes[:, None, None] * _distance(idx.shape[1]), -torch.inf)


def numbers(idx, heads):
    return (idx % 5 == 0)[:, None, None] * torch.finfo(torch.float32).min


MASKS = {
    "mask_keys": {"batch": 2, "heads": 4, "groups": 4, "rows": 200, "dim": 64, "mask": keys},
    "mask_blind": {"batch": 2, "heads": 4, "groups": 2, "rows": 200, "dim": 64, "mask": blind},
    "mask_documents": {"batch": 2, "heads": 4, "groups": 4, "rows": 328, "dim": 64, "mask": documents},
    "mask_window": {"batch": 2, "heads": 4, "groups": 2, "rows": 328, "dim": 128, "mask": window},
    "mask_window_of_keys": {"batch": 2, "heads": 4, "groups": 2, "rows": 200, "dim": 64, "mask": window_of_keys},
    "mask_alibi": {"batch": 1, "heads": 8, "groups": 8, "rows": 333, "dim": 80, "mask": alibi},
    "mask_numbers": {"batch": 2, "heads": 4, "groups": 4, "rows": 77, "dim": 64, "mask": numbers},
    "mask_large_documents": {"batch": 2, "heads": 2, "groups": 1, "rows": 328, "dim": 256, "mask": documents},
    "mask_large_window": {"batch": 2, "heads": 2, "groups": 2, "rows": 200, "dim": 192, "mask": window},
    "mask_large_alibi": {"batch": 1, "heads": 2, "groups": 1, "rows": 333, "dim": 232, "mask": alibi},
}
# prec-import finds a step as a function of the module.
globals().update({name: functools.partial(step, **sizes) for name, sizes in (SHAPES | MASKS).items()})
