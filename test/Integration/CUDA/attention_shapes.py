"""Steps whose attention has shapes that the gradients' kernels must get right: blocks of rows and tiles that are cut, heads that are padded, groups of heads.

    prec-import test/Integration/CUDA/attention_shapes.py:odd -o odd.mlir
"""
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


def whole():
    return step(2, 2, 2, 256, 64)


def grouped():
    return step(2, 6, 2, 512, 64)


def odd():
    return step(1, 4, 4, 1000, 64)


def short():
    return step(3, 3, 3, 40, 64)


def narrow():
    return step(2, 4, 2, 300, 32)


def padded():
    return step(2, 4, 4, 200, 80)


def wide():
    return step(1, 4, 1, 840, 128)


def unmasked():
    return step(1, 6, 2, 456, 64, causal=False)


def wide_unmasked():
    return step(2, 2, 2, 328, 128, causal=False)
