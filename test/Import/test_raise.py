# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--prec-raise-composites: what it finds in models, and that what it finds computes the same.

Both graphs are evaluated in float64, where a wrong formula is off by far more than 1e-9 and a right one in another
order by less.
"""
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from models import MODELS
from torch import nn

import prec
from prec.interpreter import Numpy, Program, random_inputs

ROOT = Path(__file__).resolve().parents[2]

TOOL = shutil.which("prec-opt") or str(ROOT / "build/bin/prec-opt")
pytestmark = pytest.mark.skipif(not Path(TOOL).exists(), reason="needs a built prec-opt")


def imported(model, batch, verify=False, **options):
    return prec.import_torch(model, torch.optim.AdamW(model.parameters(), lr=1e-3), batch, **options).mlir


def raised(text: str) -> tuple[str, dict[str, tuple[int, int]]]:
    """The graph after the pass, and how many (forward, backward) composites of a kind it has."""
    done = subprocess.run([TOOL, "-", "--prec-raise-composites=report=true"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    remarks = re.findall(r"raised (\w+): (\d+) forward, (\d+) backward", done.stderr)
    return done.stdout, {name: (int(f), int(b)) for name, f, b in remarks}


def check_same(before: str, after: str, tolerance: float = 1e-9):
    one, other = Program.of_text(before, prec_opt=TOOL), Program.of_text(after, prec_opt=TOOL)
    inputs = random_inputs(one, seed=3)
    for (name, x), y in zip(one.run(inputs, backend=Numpy(np.float64)).items(), other.run(inputs, backend=Numpy(np.float64))):
        assert np.abs(x - y).max() <= tolerance * max(np.abs(x).max(), 1e-12), name


@pytest.mark.cases(2)
@pytest.mark.parametrize("name,counts", [
    ("llama", {"rms_norm": (5, 5), "rope": (4, 4)}),
    ("llama-eager", {"rms_norm": (5, 5), "rope": (4, 4)}),
    ("llama-one", {"rms_norm": (3, 3), "rope": (2, 2)}),
    ("llama3-rope", {"rms_norm": (5, 5), "rope": (4, 4)}),
    # What is recomputed is raised on its own; a gradient belongs to one of the two.
    ("llama-checkpointed", {"rms_norm": (9, 5), "rope": (8, 4)}),
    ("bench", {"rope": (4, 4)}),
    ("Qwen3", {"rms_norm": (9, 9), "rope": (4, 4)}),
    ("Gemma", {"rms_norm": (5, 5), "rope": (4, 4)}),
    ("Phi3", {"rms_norm": (5, 5), "rope": (4, 4)}),
    ("gpt2", {}),
])
def test_models(name, counts):
    text = imported(*MODELS[name]())
    after, found = raised(text)
    assert found == counts
    assert "math.rsqrt" not in after
    check_same(text, after)


class Variant(nn.Module):
    """x + f(x W) in two layers, with x's other user a residual: the gradient of the norm's input has more than one
    term."""

    def __init__(self, function, width=24, rows=(2, 5)):
        super().__init__()
        torch.manual_seed(7)
        self.function = function
        self.weights = nn.ParameterList(nn.Parameter(torch.randn(width, width) / width**0.5) for _ in range(2))
        self.gammas = nn.ParameterList(nn.Parameter(1 + 0.1 * torch.randn(width)) for _ in range(2))
        self.betas = nn.ParameterList(nn.Parameter(0.1 * torch.randn(width)) for _ in range(2))
        self.head = nn.Parameter(torch.randn(11, width))
        self.embedding = nn.Parameter(torch.randn(11, width))

    def forward(self, input_ids, labels):
        x = torch.nn.functional.embedding(input_ids, self.embedding)
        for w, gamma, beta in zip(self.weights, self.gammas, self.betas):
            x = x + self.function(x, gamma, beta) @ w
        logits = (x @ self.head.T).flatten(0, 1)
        return torch.nn.functional.cross_entropy(logits, labels.flatten())


def batch():
    torch.manual_seed(8)
    return {"input_ids": torch.randint(0, 11, (2, 5)), "labels": torch.randint(0, 11, (2, 5))}


def mean(x):
    return x.mean(-1, keepdim=True)


def centered(x):
    return x - mean(x)


EPS = 1e-5
RMS_NORMS = {
    "square": lambda x, g, b: g * (x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPS)),
    "pow": lambda x, g, b: x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * g,
    "sqrt": lambda x, g, b: x / torch.sqrt((x * x).mean(-1, keepdim=True) + EPS) * g,
    "power": lambda x, g, b: x * ((x * x).mean(-1, keepdim=True) + EPS).pow(-0.5) * g,
    "sum": lambda x, g, b: x * torch.rsqrt((x * x).sum(-1, keepdim=True) * (1 / 24) + EPS) * g,
    "gamma-first": lambda x, g, b: (x * g) * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPS),
    "gamma-on-rstd": lambda x, g, b: x * (torch.rsqrt((x * x).mean(-1, keepdim=True) + EPS) * g),
    "one-plus": lambda x, g, b: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + EPS) * (1 + g),
    "rows-flat": lambda x, g, b: ((y := x.flatten(0, 1)) * torch.rsqrt((y * y).mean(-1, keepdim=True) + EPS) * g).unflatten(0, (2, 5)),
}
LAYER_NORMS = {
    "two-pass": lambda x, g, b: centered(x) * torch.rsqrt((centered(x) ** 2).mean(-1, keepdim=True) + EPS) * g + b,
    "shared": lambda x, g, b: (c := centered(x)) / torch.sqrt(mean(c * c) + EPS) * g + b,
    "one-pass": lambda x, g, b: (x - mean(x)) * torch.rsqrt(mean(x * x) - mean(x) ** 2 + EPS) * g + b,
    "folded": lambda x, g, b: x * (s := torch.rsqrt(mean(x * x) - mean(x) ** 2 + EPS) * g) + (b - mean(x) * s),
}
SOFTMAXES = {
    "stable": lambda x, g, b: (e := torch.exp(x - x.amax(-1, keepdim=True).detach())) / e.sum(-1, keepdim=True),
    "plain": lambda x, g, b: (e := torch.exp(x)) / e.sum(-1, keepdim=True),
    "scaled": lambda x, g, b: (e := torch.exp((y := x * 0.125 + b) - y.amax(-1, keepdim=True).detach())) * (1 / e.sum(-1, keepdim=True)),
    "log": lambda x, g, b: torch.exp(x - torch.log(torch.exp(x).sum(-1, keepdim=True))),
}


@pytest.mark.parametrize("kind,name", [("rms_norm", n) for n in RMS_NORMS] + [("layer_norm", n) for n in LAYER_NORMS]
                         + [("softmax", n) for n in SOFTMAXES])
def test_variants(kind, name):
    function = {"rms_norm": RMS_NORMS, "layer_norm": LAYER_NORMS, "softmax": SOFTMAXES}[kind][name]
    text = imported(Variant(function), batch())
    after, found = raised(text)
    assert found == {kind: (2, 2)}
    assert not re.search(r"math\.(rsqrt|sqrt|exp|powf|log)", after)
    # 1 / 24 is a constant of the graph, rounded to float32; a composite divides by 24.
    check_same(text, after, tolerance=1e-6 if name == "sum" else 1e-9)


NEAR_MISSES = {
    "no eps": lambda x, g, b: x * torch.rsqrt(mean(x * x)) * g,
    "negative eps": lambda x, g, b: x * torch.rsqrt(mean(x * x) - EPS) * g,
    "other axis": lambda x, g, b: x * torch.rsqrt((x * x).mean(1, keepdim=True) + EPS) * g,
    "both axes": lambda x, g, b: x * torch.rsqrt((x * x).mean((1, 2), keepdim=True) + EPS) * g,
    "mean without square": lambda x, g, b: x * torch.rsqrt(mean(torch.abs(x)) + EPS) * g,
    "unbiased variance": lambda x, g, b: centered(x) * torch.rsqrt((centered(x) ** 2).sum(-1, keepdim=True) / 23 + EPS) * g + b,
    "cube root": lambda x, g, b: x * (mean(x * x) + EPS).pow(-1 / 3) * g,
    "rows of another": lambda x, g, b: x * torch.rsqrt(mean(torch.cat([x[:, 1:], x[:, :1]], 1) ** 2) + EPS) * g,
    "softmax of rows": lambda x, g, b: (e := torch.exp(x)) / e.sum(1, keepdim=True),
    "softmax plus one": lambda x, g, b: (e := torch.exp(x)) / (e.sum(-1, keepdim=True) + 1),
    "softmax of squares": lambda x, g, b: (e := torch.exp(x)) / (e * e).sum(-1, keepdim=True),
}


@pytest.mark.parametrize("name", NEAR_MISSES)
def test_near_misses_stay(name):
    text = imported(Variant(NEAR_MISSES[name]), batch())
    after, found = raised(text)
    assert found == {}
    check_same(text, after)
