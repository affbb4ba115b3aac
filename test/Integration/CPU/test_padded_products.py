# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Logits of a number of classes that 16 does not divide: the padded product computes what the other one does, and no
row of zeros changes."""
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import prec

CLASSES, WIDTH, BATCH, LENGTH = 1030, 256, 4, 512
KINDS = ("plain", "tied", "biased", "smoothed", "frozen", "returned")


class Classifier(nn.Module):
    """Tokens that are told from themselves."""

    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.words, self.inner = nn.Embedding(CLASSES, WIDTH), nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES, bias=kind == "biased")
        nn.init.normal_(self.words.weight, std=0.1)
        nn.init.normal_(self.head.weight, std=0.1)
        if kind == "biased":
            nn.init.normal_(self.head.bias)
        if kind == "tied":
            self.head.weight = self.words.weight
        if kind == "frozen":
            self.head.weight.requires_grad_(False)

    def forward(self, ids, labels):
        logits = self.head(F.gelu(self.inner(self.words(ids))))
        loss = F.cross_entropy(logits.flatten(0, 1), labels.flatten(), label_smoothing=0.1 if self.kind == "smoothed" else 0.0)
        return loss + 1e-4 * logits.logsumexp(-1).square().mean() if self.kind == "returned" else loss


def batches(count):
    generator = np.random.default_rng(1)
    return [{name: generator.integers(0, CLASSES, (BATCH, LENGTH), dtype=np.int32) for name in ("ids", "labels")} for _ in range(count)]


@pytest.fixture(scope="module")
def open_(compile_module):
    imported, compiled = {}, {}

    def open_module(kind, recipe, *options):
        if kind not in imported:
            torch.manual_seed(0)
            model = Classifier(kind)
            optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
            ids = torch.zeros(BATCH, LENGTH, dtype=torch.int64)
            imported[kind] = prec.import_torch(model, optimizer, {"ids": ids, "labels": ids}, clip_grad_norm=1.0, verify=False)
        key = kind, recipe, options
        if key not in compiled:
            compiled[key] = compile_module(imported[kind], recipe, *options)
        path, weights = compiled[key]
        module = prec.Module(path)
        module.load(weights)
        return module
    return open_module


def heads(module):
    return [c for c in module.manifest["entry_points"]["step"] if c["op"] == "gemm" and max(c["m"], c["n"], c["k"]) > 1000
            and {c["m"], c["n"], c["k"]} & {CLASSES, CLASSES + 10}]


def masters(module):
    return {b.name: module.get(b) for b in module.bindings if b.role in ("parameter", "frozen_parameter")}


@pytest.mark.cases(3)
@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
@pytest.mark.parametrize("kind", KINDS)
def test_computes_the_same(kind, recipe, open_):
    """In a few steps losses and weights differ by no more than sums in another order do, and every product with the
    head has the padded size."""
    padded, plain = open_(kind, recipe), open_(kind, recipe, "--pad-products=false")
    for module, size in ((padded, CLASSES + 10), (plain, CLASSES)):
        assert len(heads(module)) == (2 if kind == "frozen" else 3)
        assert all(size in (c["m"], c["n"], c["k"]) for c in heads(module))
    start = masters(plain)
    for batch in batches(3):
        loss, other = padded.step(batch)["loss"], plain.step(batch)["loss"]
        assert abs(loss - other) <= 2e-5 * abs(other)
    ours, theirs = masters(padded), masters(plain)
    assert ours.keys() == theirs.keys()
    for path, value in theirs.items():
        moved = np.linalg.norm(value.astype(np.float64) - start[path])
        apart = np.linalg.norm(ours[path].astype(np.float64) - value)
        assert apart <= 0.02 * moved, path


def test_zeros_stay_zeros(open_):
    module = open_("plain", "bf16")
    (zeros,) = [b for b in module.bindings if b.slot and b.slot.endswith("_zeros")]
    assert zeros.shape == (10, WIDTH)
    for batch in batches(2):
        module.step(batch)
        assert not np.any(np.asarray(module.get(zeros)).astype(np.float32))


def test_gradients_are_pytorchs(open_):
    """The first loss against PyTorch's in FP32, which BF16 differs from by its roundings."""
    module = open_("plain", "bf16")
    torch.manual_seed(0)
    model, (batch,) = Classifier("plain"), batches(1)
    wanted = model(**{name: torch.from_numpy(value).long() for name, value in batch.items()}).item()
    assert abs(module.step(batch)["loss"] - wanted) <= 1e-3 * wanted


def test_head_in_fp8(open_):
    """A head whose number of classes FP8 does not take, in FP8: its products have the padded size, its copies have
    rows of zeros, and nothing else changes its size. It learns as the head in BF16 does."""
    narrow, plain = open_("plain", "fp8-hybrid", "--assign=head=in"), open_("plain", "fp8-hybrid")
    sizes = [c for c in heads(narrow) if c.get("scale_a") is not None]
    assert len(sizes) == 3 and all(CLASSES + 10 in (c["m"], c["n"], c["k"]) for c in sizes)
    copies = {b.slot: b for b in narrow.bindings if b.role == "work_weight" and b.name.startswith("head.weight")}
    assert copies["e4m3"].shape == (CLASSES + 10, WIDTH) and copies["e4m3_t"].shape == (WIDTH, CLASSES + 10)
    start = masters(plain)
    assert {path: value.shape for path, value in masters(narrow).items()} == {path: value.shape for path, value in start.items()}
    for batch in batches(3):
        loss, other = narrow.step(batch)["loss"], plain.step(batch)["loss"]
        assert abs(loss - other) <= 5e-3 * abs(other)
    direct, turned = (np.asarray(narrow.get(copies[slot])).astype(np.float32) for slot in ("e4m3", "e4m3_t"))
    assert not direct[CLASSES:].any() and direct[:CLASSES].any() and (direct.T == turned).all()
    ours, theirs = masters(narrow), masters(plain)
    for path, value in theirs.items():
        moved = np.linalg.norm(value.astype(np.float64) - start[path])
        assert np.linalg.norm(ours[path].astype(np.float64) - value) <= 0.5 * moved, path


@pytest.mark.parametrize("kind", ["tied", "biased", "frozen", "smoothed"])
def test_other_heads_in_fp8(kind, open_):
    """With delayed scales, which begin from what is known of the first step alone."""
    narrow = open_(kind, "fp8-hybrid", "--assign=head=in tensor-scaling=delayed")
    losses = [narrow.step(batch)["loss"] for batch in batches(3)]
    plain = open_(kind, "bf16")
    others = [plain.step(batch)["loss"] for batch in batches(3)]
    np.testing.assert_allclose(losses, others, rtol=2e-2)
