# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients of cross entropies of large logits, of which the label's is far ahead: what is left of 1 - p has its
digits, in every form of the loss. Logits are exact in f32, so that nothing but the loss rounds; the oracle is PyTorch
in float64."""
import numpy as np
import pytest
import torch
import torch.nn.functional as F

import prec

ROWS, CLASSES, BOUND = 32, 64, 2e-6
SOFT = torch.eye(CLASSES) * 0.75 + 0.25 / CLASSES
FORMS = {
    "mean": F.cross_entropy,
    "sum": lambda z, y: F.cross_entropy(z, y, reduction="sum"),
    "ignored": lambda z, y: F.cross_entropy(z, torch.where(y % 5 == 0, -100, y)),
    "each": lambda z, y: (F.cross_entropy(z, y, reduction="none") * torch.arange(ROWS)).mean(),
    "weighted": lambda z, y: F.cross_entropy(z, y, weight=torch.arange(1, CLASSES + 1, dtype=z.dtype)),
    "smoothed": lambda z, y: F.cross_entropy(z, y, label_smoothing=1e-4),
    "weighted and smoothed": lambda z, y: F.cross_entropy(z, y, weight=torch.arange(1, CLASSES + 1, dtype=z.dtype), label_smoothing=1e-4),
    "shares": lambda z, y: F.cross_entropy(z, F.one_hot(y, CLASSES).to(z.dtype) @ SOFT.to(z.dtype)),
    "z-loss": lambda z, y: F.cross_entropy(z, y) + 1e-12 * z.logsumexp(-1).square().mean(),
}


class Logits(torch.nn.Module):
    def __init__(self, form):
        super().__init__()
        generator = torch.Generator().manual_seed(0)
        w = torch.randint(-8, 9, (CLASSES, 4), generator=generator) / 4
        w[:, 0] = 3000 + w[:, 0]
        self.form, self.w = FORMS[form], torch.nn.Parameter(w)

    def forward(self, x, y):
        return self.form(x @ self.w.T, y)


def batch(dtype=torch.float32):
    generator = torch.Generator().manual_seed(1)
    x = torch.randint(-4, 5, (ROWS, 4), generator=generator).to(dtype)
    x[:, 0] = 1
    return {"x": x, "y": (x @ Logits("mean").w.detach().to(dtype).T).argmax(-1)}


def pytorchs(form, dtype):
    model = Logits(form).to(dtype)
    model(**batch(dtype)).backward()
    return model.w.grad.double()


def distance(gradient, right):
    return float((gradient - right).norm() / right.norm())


@pytest.mark.parametrize("chunked", [False, True], ids=["whole", "chunked"])
@pytest.mark.parametrize("form", FORMS)
def test_gradients_keep_their_digits(form, chunked, compile_module):
    model = Logits(form)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
    step = prec.import_torch(model, optimizer, batch())
    assert step.verified == "verified"
    path, weights = compile_module(step, "fp32", *([f"--chunk-loss={ROWS * CLASSES * 2}"] if chunked else []))
    module = prec.Module(path)
    module.load(weights)
    module.step({"x": batch()["x"].numpy(), "y": batch()["y"].int().numpy()}, beta1=0.0)
    # With beta1 0 the first moment is the gradient.
    got = torch.from_numpy(module.get(next(b for b in module.bindings if b.slot == "exp_avg")).astype(np.float64))
    right = pytorchs(form, torch.float64)
    assert distance(got, right) <= BOUND
    assert distance(pytorchs(form, torch.float32), right) <= BOUND


def test_one_number_for_both_would_be_seen():
    """exp(x - lse) with the logarithm of the whole sum in f32."""
    x, y = batch().values()
    z = x @ Logits("mean").w.detach().T
    d = ((z - z.logsumexp(-1, keepdim=True)).exp() - F.one_hot(y, CLASSES)) / ROWS
    assert distance((d.T @ x).double(), pytorchs("mean", torch.float64)) > 20 * BOUND
