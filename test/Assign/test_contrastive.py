# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Similarities of two towers, as of images and texts, have a class of their own, with a reason; a head has not."""
import pathlib
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch import nn

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python")]

import prec  # noqa: E402


class Towers(nn.Module):
    def __init__(self, contrastive=True):
        super().__init__()
        torch.manual_seed(0)
        self.images, self.texts, self.scale = nn.Linear(32, 32), nn.Linear(32, 32), nn.Parameter(torch.tensor(2.0))
        self.head = nn.Linear(32, 16)
        self.contrastive = contrastive

    def forward(self, x, y, labels):
        a, b = (F.normalize(layer(t), dim=-1) for layer, t in ((self.images, x), (self.texts, y)))
        logits = self.scale.exp() * (a @ b.T) if self.contrastive else self.head(a * b)
        return F.cross_entropy(logits, labels) + (F.cross_entropy(logits.T, labels) if self.contrastive else 0)


def summary(model, recipe, folder):
    x, y = torch.randn(16, 32), torch.randn(16, 32)
    trained = [p for n, p in model.named_parameters() if not (model.contrastive and n.startswith("head"))]
    for name, p in model.named_parameters():
        p.requires_grad_(any(p is t for t in trained) and not (not model.contrastive and name == "scale"))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad])
    step = prec.import_torch(model, optimizer, {"x": x, "y": y, "labels": torch.arange(16)})
    assert step.verified == "verified"
    step.write(folder / "graph.mlir")
    done = subprocess.run([ROOT / "build/bin/prec-opt", folder / "graph.mlir", "--prec-raise-composites",
                           f"--assign-precision=recipe={recipe} target=sm_90a summary=true", "-o", "/dev/null"],
                          capture_output=True, text=True, check=True)
    return {line.split()[0]: line for line in (done.stdout + done.stderr).splitlines() if line.startswith("  ") and line.split()}


@pytest.mark.parametrize("recipe,reason", [
    ("fp8-hybrid", "similarities are multiplied by a large temperature: FP8 merges neighbors that the loss tells apart"),
    ("fp16", "logits fit into FP16's range"),  # A recipe without a rule of its own for the class.
])
def test_two_towers(recipe, reason, tmp_path):
    lines = summary(Towers(), recipe, tmp_path)
    assert lines["contrastive"].split()[1] == "3" and lines["contrastive"].endswith(reason), lines
    assert "e4m3" not in lines["contrastive"] and "head" not in lines


def test_a_head_is_none(tmp_path):
    lines = summary(Towers(contrastive=False), "fp8-hybrid", tmp_path)
    assert lines["head"].split()[1] == "3" and "contrastive" not in lines
