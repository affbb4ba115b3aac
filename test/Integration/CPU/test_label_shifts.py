# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec-run feeds models that shift their labels in other ways as PyTorch's loss of the same slices of the file is
taken."""
import json
import subprocess

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import prec

VOCABULARY, BATCH, LENGTH = 48, 3, 12


class Model(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        torch.manual_seed(0)
        self.embed, self.head, self.second = torch.nn.Embedding(VOCABULARY, 16), *(torch.nn.Linear(16, VOCABULARY) for _ in "ab")
        self.loss = loss

    def forward(self, ids, labels):
        return self.loss(self, torch.tanh(self.embed(ids)), labels)


def mean(logits, labels):
    return F.cross_entropy(logits.reshape(-1, VOCABULARY), labels.reshape(-1))


SHIFTS = {
    "next": (lambda m, h, y: mean(m.head(h), y), 1),
    "inside": (lambda m, h, y: mean(m.head(h)[:, :-1], y[:, 1:]), 0),
    "padded": (lambda m, h, y: mean(m.head(h), F.pad(y, (0, 1), value=-100)[:, 1:]), 0),
    "two heads": (lambda m, h, y: mean(m.head(h)[:, :-1], y[:, 1:]) + 0.3 * mean(m.second(h)[:, :-2], y[:, 2:]), 0),
    "two heads turned": (lambda m, h, y: 0.3 * mean(m.second(h)[:, :-2], y[:, 2:]) + mean(m.head(h)[:, :-1], y[:, 1:]), 0),
    "two heads of next tokens": (lambda m, h, y: mean(m.head(h), y) + mean(m.second(h)[:, :-1], y[:, 1:]), 1),
    "last": (lambda m, h, y: mean(m.head(h[:, -1]), y[:, -1]), 1),
}


def build(loss, tool, folder):
    model = Model(loss)
    ids = torch.zeros(BATCH, LENGTH, dtype=torch.int64)
    imported = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"ids": ids, "labels": ids}, verify=False)
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "w.safetensors")
    subprocess.run([tool("prec-compile"), folder / "graph.mlir", "--recipe=fp32", "-o", folder / "step.so"], check=True)
    stream = np.random.default_rng(0).integers(0, VOCABULARY, 1000).astype("<u2")
    stream.tofile(folder / "t.bin")
    return model, torch.from_numpy(stream.astype(np.int64))


def run(tool, folder, *options):
    return subprocess.run([tool("prec-run"), "step.so", "--weights", "w.safetensors", "--tokens", "t.bin", "--steps", "1", "--metrics", "m.jsonl",
                           *options], cwd=folder, capture_output=True, text=True)


@pytest.mark.parametrize("kind", SHIFTS)
def test_losses_are_those_of_the_same_slices(kind, tool, tmp_path):
    loss, shift = SHIFTS[kind]
    model, stream = build(loss, tool, tmp_path)
    run(tool, tmp_path).check_returncode()
    ids, labels = (stream[start:start + BATCH * LENGTH].view(BATCH, LENGTH) for start in (0, shift))
    got = json.loads((tmp_path / "m.jsonl").read_text().splitlines()[0])["loss"]
    assert got == pytest.approx(model(ids, labels).item(), rel=1e-5)
    assert got != pytest.approx(model(ids, stream[1 - shift:][:BATCH * LENGTH].view(BATCH, LENGTH)).item(), rel=1e-5)


def test_what_is_not_known_is_refused_until_it_is_given(tool, tmp_path):
    model, stream = build(lambda m, h, y: mean(m.head(h + h.mean(1, keepdim=True)), y), tool, tmp_path)
    refused = run(tool, tmp_path)
    assert refused.returncode == 1 and "prec-run must know how many tokens 'labels' is ahead of the inputs, but labels of Model are not at one " \
        "distance from the last token that their logits see: give --label-shift=N, or batches by prec.Module" in refused.stderr
    run(tool, tmp_path, "--label-shift=1").check_returncode()
    ids, labels = (stream[start:start + BATCH * LENGTH].view(BATCH, LENGTH) for start in (0, 1))
    assert json.loads((tmp_path / "m.jsonl").read_text().splitlines()[0])["loss"] == pytest.approx(model(ids, labels).item(), rel=1e-5)
