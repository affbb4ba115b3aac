# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""torch.nn.attention.flex_attention: what is imported is what PyTorch's own operation gives, which has no gradient on
the CPU; a mask of a known form is structure of the op."""
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.flex_attention import and_masks, create_block_mask, flex_attention

import prec
from prec.torch.flexible import written_out

ROWS, HEADS, LENGTH, WIDTH = 2, 4, 12, 16
compiled = torch.compile(flex_attention, dynamic=False)


def causal(b, h, q, k):
    return q >= k


def block(mask, rows=None, heads=None):
    return create_block_mask(mask, rows, heads, LENGTH, LENGTH, device="cpu")


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.slopes, self.table = nn.Parameter(2.0 ** -torch.arange(1, HEADS + 1)), nn.Parameter(torch.randn(2 * LENGTH - 1, HEADS) / 4)
        # All of one document, at first.
        known = self.known = torch.zeros(LENGTH, dtype=torch.int64)
        self.of_known = block(lambda b, h, q, k: (known[q] == known[k]) & (q >= k))
        self.window = block(and_masks(causal, lambda b, h, q, k: q - k < 5))

    def forward(self, kind, x, y, doc):
        q, k, v = (z.unflatten(-1, (HEADS, -1)).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        attended = getattr(self, kind)(q, k, v, doc)
        return F.mse_loss(self.out(attended.transpose(1, 2).flatten(2)), y)

    def plain(self, q, k, v, doc):
        return flex_attention(q, k, v)

    def causal(self, q, k, v, doc):
        return compiled(q, k, v, block_mask=block(causal))

    def windowed(self, q, k, v, doc):
        return flex_attention(q, k, v, block_mask=self.window, scale=0.3)

    def documents(self, q, k, v, doc):
        return compiled(q, k, v, block_mask=block(lambda b, h, i, j: (doc[b, i] == doc[b, j]) & (i >= j), ROWS))

    def captured(self, q, k, v, doc):
        return flex_attention(q, k, v, block_mask=self.of_known)

    def biased(self, q, k, v, doc):
        def capped(score, b, h, i, j):
            return 3 * torch.tanh((score + self.slopes[h] * (j - i) + self.table[i - j + LENGTH - 1, h]) / 3)
        return flex_attention(q, k, v, score_mod=capped, block_mask=block(causal))

    def grouped(self, q, k, v, doc):
        attended, sums = flex_attention(q, k[:, ::2], v[:, ::2], enable_gqa=True, return_lse=True)
        return attended * torch.sigmoid(sums - 2)[..., None]

    def blind(self, q, k, v, doc):
        return flex_attention(q, k, v, block_mask=block(lambda b, h, i, j: (j < i) & (h > 0), None, HEADS))


class Chosen(nn.Module):
    def __init__(self, kind):
        super().__init__()
        torch.manual_seed(0)
        self.kind, self.model = kind, Model()

    def forward(self, x, y, doc):
        return self.model(self.kind, x, y, doc)


def batch():
    g = torch.Generator().manual_seed(1)
    doc = torch.tensor([[0] * 5 + [1] * 7, [0] * 3 + [1] * 9])
    return {"x": torch.randn(ROWS, LENGTH, WIDTH, generator=g), "y": torch.randn(ROWS, LENGTH, WIDTH, generator=g), "doc": doc}


KINDS = {"plain": {"causal": False}, "causal": {"causal": True}, "windowed": {"causal": True, "window": 5}, "documents": {"causal": False},
         "captured": {"causal": False},
         "biased": None, "grouped": None, "blind": {"causal": False}}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.cases(3)
def test_it_is_imported_as_attention(kind):
    model = Chosen(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        step = prec.import_torch(model, torch.optim.SGD([p for p in model.parameters()], lr=0.1), batch())
    assert step.verified == "verified"
    found = [{key: op.attrs[key] for key in ("causal", "window") if op.attrs.get(key) is not None} for op in step.graph.ops
             if op.name == "prec_train.attention"]
    assert found == ([] if KINDS[kind] is None else [KINDS[kind]])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.cases(3)
def test_it_gives_what_pytorch_gives(kind, monkeypatch):
    monkeypatch.setattr(f"{__name__}.compiled", flex_attention)
    model = Chosen(kind).requires_grad_(False)
    # PyTorch's own, which is products and a softmax where it compiles nothing.
    with torch.compiler.set_stance("force_eager"):
        right = model(**batch())
    with written_out():
        torch.testing.assert_close(model(**batch()), right)
