# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One Llama's training step by each way into prec: imported from PyTorch, imported from JAX, and as the linalg that
IREE makes of JAX's StableHLO (test/Import/Inputs/linalg/jax_llama.mlir). In fp32 each goes the way of the framework's
own step, and the two frameworks' steps are the same; in fp8-hybrid the contractions of the linalg are those of the
import."""
import re
import subprocess
from collections import Counter
from pathlib import Path

import jax
import numpy as np
import pytest
import test_models as jax_models
import torch
import torch.nn as nn
from steps import copied, race

import prec
import prec.jax

ROOT = Path(__file__).resolve().parents[2]
BINARIES = ROOT / "build/bin"
LINALG = ROOT / "test/Import/Inputs/linalg/jax_llama.mlir"
STEPS, BOUND = 20, 2e-5
WIDTH, HEADS, GROUPS, HIDDEN = jax_models.WIDTH, jax_models.HEADS, jax_models.GROUPS, jax_models.HIDDEN


def tool(name: str) -> str:
    if not (BINARIES / name).exists():
        pytest.skip(f"needs a built {name}")
    return str(BINARIES / name)


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.fixture(scope="module")
def llama():
    """The step in JAX, its state and batch, and the losses of its first steps."""
    step, state, batch = jax_models.llama(batch=2, length=32)
    own, now, losses = jax.jit(step), copied(state), []
    for _ in range(STEPS):
        *now, loss = own(*now, *batch)
        losses.append(float(loss))
    return step, state, batch, losses


def worst(expected: list[float], computed: list[float]) -> float:
    return max(abs(e - c) / abs(e) for e, c in zip(expected, computed, strict=True))


@pytest.mark.long
def test_from_jax(llama, tmp_path):
    step, state, batch, _ = llama
    assert race(step, state, batch, tmp_path, steps=STEPS)[0] < BOUND


@pytest.fixture(scope="module")
def converted(tmp_path_factory):
    graph = tmp_path_factory.mktemp("linalg") / "graph.mlir"
    run(tool("prec-opt"), LINALG, "--prec-convert-linalg-to-train", "-o", graph)
    assert "linalg." not in graph.read_text() and "scf." not in graph.read_text()
    return graph


@pytest.mark.long
def test_from_linalg(llama, converted, tmp_path):
    step, state, batch, losses = llama
    run(tool("prec-compile"), converted, "--recipe=fp32", "--target=cpu", "-o", tmp_path / "step.so")
    prec.import_jax(step, *state, *batch, verify=False).write_weights(tmp_path / "weights.safetensors")
    with prec.Module(tmp_path / "step.so") as module:
        module.load(tmp_path / "weights.safetensors")
        given = {name: np.asarray(x) for name, x in batch[0].items()}
        assert worst(losses, [module.step(given)["loss"] for _ in range(STEPS)]) < BOUND


class RMSNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x):
        return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * self.scale


def rotated(x):
    half = x.shape[-1] // 2
    angles = torch.arange(x.shape[1])[:, None] * (10000.0 ** (-torch.arange(half) / half))[None]
    cos, sin = torch.cos(angles)[None, :, None], torch.sin(angles)[None, :, None]
    low, high = x.split(half, -1)
    return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        size = WIDTH // HEADS
        self.q, self.k, self.v = (nn.Linear(WIDTH, n * size, bias=False) for n in (HEADS, GROUPS, GROUPS))
        self.o = nn.Linear(WIDTH, WIDTH, bias=False)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = (proj(x).reshape(batch, length, -1, WIDTH // HEADS) for proj in (self.q, self.k, self.v))
        q, k, v = rotated(q), rotated(k).repeat_interleave(HEADS // GROUPS, 2), v.repeat_interleave(HEADS // GROUPS, 2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / (WIDTH // HEADS) ** 0.5
        scores = torch.where(torch.ones(length, length, dtype=torch.bool).tril(), scores, -1e9)
        return self.o(torch.einsum("bhqk,bkhd->bqhd", scores.softmax(-1), v).reshape(batch, length, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2, self.attn = RMSNorm(), RMSNorm(), Attention()
        self.gate, self.up = (nn.Linear(WIDTH, HIDDEN, bias=False) for _ in range(2))
        self.down = nn.Linear(HIDDEN, WIDTH, bias=False)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        h = self.norm2(x)
        return x + self.down(nn.functional.silu(self.gate(h)) * self.up(h))


class Llama(nn.Module):
    def __init__(self, params):
        super().__init__()
        self.embed = nn.Embedding(jax_models.VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Block() for _ in range(jax_models.LAYERS))
        self.norm, self.head = RMSNorm(), nn.Linear(WIDTH, jax_models.VOCABULARY, bias=False)
        for path, leaf in jax.tree_util.tree_leaves_with_path(params["params"]):
            names = re.findall(r"\w+", jax.tree_util.keystr(path).replace("layers_", "layers.").replace("'", ""))
            *modules, kind = names
            parameter = self.get_parameter(".".join([*modules, {"kernel": "weight", "embedding": "weight", "scale": "scale"}[kind]]))
            # Flax multiplies by a kernel of inputs and outputs, each of any number of dimensions.
            value = torch.from_numpy(np.array(leaf))
            value = value.reshape(parameter.shape[::-1]).T if kind == "kernel" else value
            with torch.no_grad():
                parameter.copy_(value)

    def forward(self, ids, labels):
        x = self.embed(ids)
        for block in self.layers:
            x = block(x)
        logits = self.head(self.norm(x))
        return nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten().long())


@pytest.mark.long
def test_from_pytorch(llama, tmp_path):
    step, state, batch, losses = llama
    given = {name: torch.from_numpy(np.array(x)) for name, x in batch[0].items()}

    def make():
        model = Llama(state[0])
        return model, torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.1)

    model, optimizer = make()
    expected = []
    for _ in range(STEPS):
        loss = model(**given)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        expected.append(loss.item())
    # It is the step that JAX has.
    assert worst(losses, expected) < 1e-4
    model, optimizer = make()
    imported = prec.import_torch(model, optimizer, given, clip_grad_norm=1.0, verify=False)
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    run(tool("prec-compile"), tmp_path / "graph.mlir", "--recipe=fp32", "--target=cpu", "-o", tmp_path / "step.so")
    with prec.Module(tmp_path / "step.so") as module:
        module.load(tmp_path / "weights.safetensors")
        assert worst(expected, [module.step(given, lr=1e-3)["loss"] for _ in range(STEPS)]) < BOUND


def contractions(text: str) -> Counter[tuple]:
    """Sizes of operands and result, formats with scalings, accumulators and why, and direction of each, whatever the
    order of its operands."""
    found: Counter[tuple] = Counter()
    for attributes, operands, result in re.findall(r"prec_train\.matmul .*?\{(.*)\} : \((.*)\) -> (\S+)", text):
        tags = re.search(r"operand_tags = \[(.*?)\](?:, |$)", attributes)
        assert tags, attributes
        sizes = sorted(int(np.prod([int(n) for n in t.split("x")[:-1]])) for t in re.findall(r"tensor<([^>]*)>", operands + result))
        direction = re.search(r'prec\.direction = "(\w+)"', attributes)
        made = re.search(r"result_tags = \[(#prec\.tag<\w+)", attributes)
        found[(tuple(sizes), *sorted(re.findall(r"#prec\.tag<.*?>", tags[1])), made and made[1], direction and direction[1])] += 1
    return found


@pytest.mark.long
def test_contractions_of_the_linalg_are_those_of_the_import(llama, converted, tmp_path):
    step, state, batch, _ = llama
    prec.import_jax(step, *state, *batch, verify=False).write(tmp_path / "graph.mlir")
    own, foreign = (contractions(run(tool("prec-opt"), graph, "--prec-raise", "--assign-precision=recipe=fp8-hybrid target=cpu"))
                    for graph in (tmp_path / "graph.mlir", converted))
    assert own == foreign
    # Seven products of each of two layers; the head's three, and six of each attention, which read bf16.
    assert Counter(key[-1] for key in own.elements()) == {"fprop": 14, "dgrad": 14, "wgrad": 14, None: 3 + 2 * 6}


@pytest.mark.long
def test_the_linalg_trains_in_fp8(llama, converted, tmp_path):
    step, state, batch, losses = llama
    run(tool("prec-compile"), converted, "--recipe=fp8-hybrid", "--target=cpu", "-o", tmp_path / "step.so")
    prec.import_jax(step, *state, *batch, verify=False).write_weights(tmp_path / "weights.safetensors")
    with prec.Module(tmp_path / "step.so") as module:
        module.load(tmp_path / "weights.safetensors")
        given = {name: np.asarray(x) for name, x in batch[0].items()}
        computed = [module.step(given)["loss"] for _ in range(STEPS)]
    assert worst(losses[:1], computed[:1]) < 0.02 and abs(computed[-1] - losses[-1]) < 0.3 * abs(losses[0] - losses[-1])
