# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same Llama in JAX and in PyTorch gets the same formats: every matmul in each direction, masters and moments."""
import re
import subprocess
from collections import Counter

import pytest
import torch
from test_models import GROUPS, HEADS, HIDDEN, LAYERS, VOCABULARY, WIDTH, llama

import prec

BATCH, LENGTH = 2, 32


class Norm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.scale


def rotated(x):
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[1])[:, None] * (10000.0 ** (-torch.arange(half) / half))[None]
    cos, sin = angles.cos()[None, :, None], angles.sin()[None, :, None]
    low, high = x.chunk(2, -1)
    return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        size = WIDTH // HEADS
        sizes = dict(q=(WIDTH, WIDTH), k=(WIDTH, GROUPS * size), v=(WIDTH, GROUPS * size), o=(WIDTH, WIDTH), gate=(WIDTH, HIDDEN), up=(WIDTH, HIDDEN),
                     down=(HIDDEN, WIDTH))
        for name, (inputs, outputs) in sizes.items():
            setattr(self, name, torch.nn.Linear(inputs, outputs, bias=False))
        self.norm1, self.norm2 = Norm(), Norm()

    def forward(self, x):
        h = self.norm1(x)
        q, k, v = (layer(h).reshape(*x.shape[:2], -1, WIDTH // HEADS) for layer in (self.q, self.k, self.v))
        q, k, v = rotated(q), rotated(k).repeat_interleave(HEADS // GROUPS, 2), v.repeat_interleave(HEADS // GROUPS, 2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / (WIDTH // HEADS) ** 0.5
        scores = torch.where(torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril(), scores, -1e9)
        x = x + self.o(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).reshape(x.shape))
        h = self.norm2(x)
        return x + self.down(torch.nn.functional.silu(self.gate(h)) * self.up(h))


class Llama(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.layers = torch.nn.ModuleList([Block() for _ in range(LAYERS)])
        self.norm, self.head = Norm(), torch.nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, ids, labels):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return torch.nn.functional.cross_entropy(self.head(self.norm(x)).flatten(0, 1), labels.flatten())


@pytest.fixture(scope="module")
def graphs():
    model, ids = Llama(), torch.zeros(BATCH, LENGTH, dtype=torch.int64)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)
    of_torch = prec.import_torch(model, optimizer, {"ids": ids, "labels": ids}, clip_grad_norm=1.0, attention="keep", verify=False).mlir
    step, state, batch = llama(BATCH, LENGTH)
    return {"torch": of_torch, "jax": prec.import_jax(step, *state, *batch, verify=False).mlir}


def assigned(tool, text, recipe):
    passes = ["--prec-raise-composites", "--prec-verify-imported", f"--assign-precision=recipe={recipe} target=sm_90a"]
    done = subprocess.run([tool, "-", *passes], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def products(text):
    """Of every matmul the extents of its result and the summed one in any order, both operands' formats in any order,
    the result's format, and why each has it."""
    found = Counter()
    for line in text.splitlines():
        if " = prec_train.matmul " not in line:
            continue
        shapes = [tuple(map(int, s.split("x"))) for s in re.findall(r"tensor<([\dx]+)xf32>", line)[-3:]]
        summed = set(shapes[0][-2:]) & set(shapes[1][-2:])
        tags = re.findall(r"#prec\.tag<(\w+)[^>]*?rule = \"([^\"]*)\"", line)
        assert len(tags) == 3, line
        extents = tuple(sorted((*shapes[2][-2:], *summed)))
        count = 1
        for extent in shapes[2][:-2]:
            count *= extent
        found[count, extents, tuple(sorted(tags[:2])), tags[2]] += 1
    return found


def arguments(text):
    """Formats of what is kept, by its role."""
    return Counter(re.findall(r"prec\.tag = #prec\.tag<(\w+)[^>]*>, [^{}]*?prec_train\.role = #prec_train\.role<(parameter|optimizer_state)>", text))


@pytest.mark.long
@pytest.mark.parametrize("recipe", ["fp8-hybrid", "bf16"])
def test_formats_are_those_of_pytorch(graphs, prec_opt, recipe):
    of = {framework: assigned(prec_opt, text, recipe) for framework, text in graphs.items()}
    assert products(of["jax"]) == products(of["torch"])
    # 7 linear layers a block and the head, the scores and what they weigh, each with two gradients.
    assert sum(products(of["jax"]).values()) == 3 * (LAYERS * (7 + 2) + 1)
    assert arguments(of["jax"]) == arguments(of["torch"])
    weights = LAYERS * 9 + 3
    assert sum(arguments(of["jax"]).values()) == 3 * weights


@pytest.mark.long
def test_unscaled_gradients_reach_the_optimizer(graphs, prec_opt):
    """A recipe that scales the loss finds every gradient."""
    passes = ["--prec-raise-composites", "--assign-precision=recipe=fp16 target=sm_90a", "--prec-split-weights", "--prec-insert-casts",
              "--prec-insert-loss-scaling"]
    done = subprocess.run([prec_opt, "-", *passes], input=graphs["jax"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "loss_scale" in done.stdout
