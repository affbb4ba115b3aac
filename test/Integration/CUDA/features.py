# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps with what only a few models have: buffers that a step updates, computed indices, whole numbers of 64 bits,
dropout, convolutions, a number of classes that 16 does not divide.

    prec-import test/Integration/CUDA/features.py:counted -o counted.mlir
"""
import functools

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY, ROWS, WIDTH, TABLE = 256, 64, 64, 300  # of bytes, which the tokens are


class Body(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.inner = nn.Embedding(VOCABULARY, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, idx, tgt):
        logits = self.head(F.gelu(self.inner(self.middle(self.embedding(idx), idx))))
        return F.cross_entropy(logits.view(-1, VOCABULARY), tgt.reshape(-1))


class Counted(Body):
    """Normalizes with running statistics, and counts its tokens in 64 bits."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(WIDTH))
        self.register_buffer("seen", torch.tensor(3_000_000_000))

    def middle(self, x, idx):
        with torch.no_grad():
            self.mean.mul_(0.9).add_(0.1 * x.mean((0, 1)))
            self.seen += idx.sum()
        return x - self.mean + (self.seen % 1000).float() / 1000


class Indexed(Body):
    """Looks up what it computes from its tokens."""

    def __init__(self, offset):
        super().__init__()
        self.offset, self.table = offset, nn.Embedding(TABLE, WIDTH)

    def middle(self, x, idx):
        return x + self.table((idx * 3 + self.offset) // 3)


class Dropped(Body):
    def middle(self, x, idx):
        heads = F.dropout(x, 0.2).view(*x.shape[:2], 4, -1).transpose(1, 2)
        attended = F.scaled_dot_product_attention(heads, heads, heads, dropout_p=0.1, is_causal=True)
        return attended.transpose(1, 2).reshape(x.shape)


class Convolved(Body):
    """Places as a line, as a plane and as a volume; transposed, with strides, groups, dilations and norms."""

    def __init__(self):
        super().__init__()
        self.line, self.plane = nn.Conv1d(WIDTH, WIDTH, 3, padding=1), nn.Conv2d(WIDTH, 2 * WIDTH, 3, 2, 1, bias=False)
        self.norm, self.depth = nn.BatchNorm2d(2 * WIDTH), nn.Conv2d(2 * WIDTH, 2 * WIDTH, 5, padding=2, groups=2 * WIDTH)
        self.wide, self.up = nn.Conv2d(2 * WIDTH, 2 * WIDTH, 3, padding=2, dilation=2, groups=4), nn.ConvTranspose2d(2 * WIDTH, WIDTH, 4, 2, 1)
        self.volume = nn.Conv3d(16, 16, 3, padding=1)

    def middle(self, x, idx):
        y = F.gelu(self.line(x.transpose(1, 2)).unflatten(2, (8, -1)))
        z = self.norm(self.plane(y)).relu()
        y = y + self.up(z + self.wide(self.depth(z)))
        return x + self.volume(y.unflatten(1, (16, -1))).flatten(1, 2).flatten(2).transpose(1, 2)


class Padded(nn.Module):
    """Large enough that products with the head are padded."""

    def __init__(self, classes=2063, width=1024):
        super().__init__()
        self.embedding, self.inner, self.head = nn.Embedding(VOCABULARY, width), nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, idx, tgt):
        logits = self.head(F.gelu(self.inner(self.embedding(idx))))
        return F.cross_entropy(logits.flatten(0, 1), tgt.reshape(-1))


def step(make, *arguments):
    torch.manual_seed(0)
    model = make(*arguments)
    ids = torch.zeros(4, ROWS, dtype=torch.int64)
    return model, torch.optim.AdamW(model.parameters(), lr=1e-3), {"idx": ids, "tgt": ids}, {"clip_grad_norm": 1.0}


counted = functools.partial(step, Counted)
indexed = functools.partial(step, Indexed, 3 * (TABLE - VOCABULARY))
# Bytes from 100 on, which every text has, have no row: all steps are bad.
beside = functools.partial(step, Indexed, 3 * (TABLE - 100))
dropped = functools.partial(step, Dropped)
convolved = functools.partial(step, Convolved)
padded = functools.partial(step, Padded)
