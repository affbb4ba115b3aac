# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One block of a language model and its backward as JAX and as PyTorch write them: operations get the same classes,
raised or not."""
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT / "python"))
import prec  # noqa: E402
from prec.interpreter import Numpy, Program  # noqa: E402

TOOL = ROOT / "build/bin/prec-opt"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="needs a built prec-opt")
BATCH, SEQUENCE, WIDTH, HEADS, HIDDEN, VOCABULARY = 2, 8, 32, 4, 48, 64


def rms_norm(x, gamma):
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * gamma


def rope(x, cos, sin):
    low, high = x.chunk(2, -1)
    return torch.cat([low * cos - high * sin, high * cos + low * sin], -1)


class Block(torch.nn.Module):
    """The block of test/Import/jax_block.py."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        shapes = dict(
            embedding=(VOCABULARY, WIDTH),
            norm1=(WIDTH,),
            q=(WIDTH, WIDTH),
            k=(WIDTH, WIDTH),
            v=(WIDTH, WIDTH),
            o=(WIDTH, WIDTH),
            norm2=(WIDTH,),
            gate=(WIDTH, HIDDEN),
            up=(WIDTH, HIDDEN),
            down=(HIDDEN, WIDTH),
            norm=(WIDTH,),
            head=(WIDTH, VOCABULARY),
        )
        for name, shape in shapes.items():
            self.register_parameter(name, torch.nn.Parameter(torch.randn(shape) / shape[0] ** 0.5))
        angle = torch.outer(torch.arange(SEQUENCE), 10.0 ** -torch.arange(WIDTH // HEADS // 2))
        self.register_buffer("cos", angle.cos())
        self.register_buffer("sin", angle.sin())

    def forward(self, ids, labels):
        def heads(y):
            return y.reshape(BATCH, SEQUENCE, HEADS, WIDTH // HEADS).transpose(1, 2)
        x = torch.nn.functional.embedding(ids, self.embedding)
        y = rms_norm(x, self.norm1)
        q, k, v = (heads(y @ w) for w in (self.q, self.k, self.v))
        q, k = rope(q, self.cos, self.sin), rope(k, self.cos, self.sin)
        scores = q @ k.mT * (WIDTH // HEADS) ** -0.5
        position = torch.arange(SEQUENCE)
        scores = torch.where(position[:, None] >= position[None, :], scores, -1e9)
        exponential = torch.exp(scores - scores.amax(-1, keepdim=True).detach())
        out = exponential / exponential.sum(-1, keepdim=True) @ v
        x = x + out.transpose(1, 2).reshape(BATCH, SEQUENCE, WIDTH) @ self.o
        y = rms_norm(x, self.norm2)
        x = x + (torch.nn.functional.silu(y @ self.gate) * (y @ self.up)) @ self.down
        logits = rms_norm(x, self.norm) @ self.head
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def torch_block() -> str:
    ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
    model = Block()
    return prec.import_torch(model, torch.optim.AdamW(model.parameters(), lr=1e-3), {"ids": ids, "labels": ids}).mlir


def jax_block() -> str:
    return (HERE / "Inputs/block-jax.mlir").read_text()


def run(text: str, *passes: str) -> str:
    done = subprocess.run([TOOL, "-", *passes], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


RAISE = "--prec-raise-composites"
# Frameworks' own operations have the class of what they are read as.
SAME = {"prec_train.gather": "prec_train.embedding", "prec_train.scatter_add": "prec_train.embedding_grad"}


def classes(text: str, *passes: str) -> Counter:
    """How many of each operation have each class."""
    found = re.findall(r" = (\w+\.\w+) .*prec\.class = #prec\.class<(\w+)>", run(text, *passes, "--prec-classify"))
    return Counter((SAME.get(op, op), c) for op, c in found)


def of(counts: Counter, keep) -> Counter:
    return Counter({key: n for key, n in counts.items() if keep(*key)})


@pytest.fixture(scope="module")
def graphs():
    return {"jax": jax_block(), "torch": torch_block()}


def test_contractions(graphs):
    """4 projections of an attention, 3 of an MLP and the head, each with its two gradients; 2 products of the attention
    core."""
    expected = {("prec_train.matmul", "contraction"): 21, ("prec_train.matmul", "head"): 3, ("prec_train.matmul", "attention"): 6}
    for framework, text in graphs.items():
        for passes in ((), (RAISE,)):
            assert of(classes(text, *passes), lambda op, _: op == "prec_train.matmul") == expected, (framework, passes)


def test_raised(graphs):
    """Whatever is no elementwise arithmetic, and the residual stream with its gradient."""
    def matters(op, c):
        return c not in ("elementwise", "layout", "index", "reduction", "optimizer")
    jax, torch_ = (of(classes(graphs[f], RAISE), matters) for f in ("jax", "torch"))
    assert jax == torch_
    assert jax == {
        ("prec_train.matmul", "contraction"): 21,
        ("prec_train.matmul", "head"): 3,
        ("prec_train.matmul", "attention"): 6,
        ("prec_train.rms_norm", "norm"): 3,
        ("prec_train.rms_norm_grad", "norm"): 3,
        ("prec_train.rope", "rotary"): 4,
        ("prec_train.softmax", "softmax"): 1,
        ("prec_train.softmax_grad", "softmax"): 1,
        ("prec_train.cross_entropy", "loss"): 1,
        ("prec_train.cross_entropy_grad", "loss"): 1,
        ("prec_train.embedding", "embedding"): 1,
        ("prec_train.embedding_grad", "embedding"): 1,
        ("arith.addf", "residual"): 4,
    }


def test_primitives(graphs):
    """What a composite is made of has its class. PyTorch's importer keeps the loss, so only JAX's has primitives."""
    for framework, text in graphs.items():
        counts = classes(text)
        assert of(counts, lambda op, _: op == "math.rsqrt") == {("math.rsqrt", "norm"): 3}, framework
        # PyTorch's gradient divides the exponentials by their sum again.
        assert counts["math.exp", "softmax"] == 1 and counts["arith.divf", "softmax"] == {"jax": 1, "torch": 2}[framework], framework
        assert counts["prec_train.embedding", "embedding"] == counts["prec_train.embedding_grad", "embedding"] == 1, framework
        assert counts["prec_train.reduce", "norm"] >= 3, framework
    jax = classes(graphs["jax"])
    assert of(jax, lambda op, _: op == "math.log") == {("math.log", "loss"): 1} and jax["math.exp", "loss"] == 1


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_formats(graphs, recipe):
    """So products get the same formats."""
    def formats(text, *passes):
        tagged = run(text, *passes, f"--assign-precision=recipe={recipe}")
        lines = [line for line in tagged.splitlines() if " = prec_train.matmul " in line]
        # Formats of result and operands, in one order: which is left of which is the framework's choice.
        return Counter(tuple(sorted(re.findall(r"#prec\.tag<(\w+)", line))) for line in lines)
    found = {(f, passes): formats(text, *passes) for f, text in graphs.items() for passes in ((), (RAISE,))}
    assert sum(next(iter(found.values())).values()) == 30
    assert len(set(map(str, (sorted(v.items()) for v in found.values())))) == 1, found
    if recipe == "fp8-hybrid":
        assert any("e4m3" in key for key in next(iter(found.values())))


def test_computes_the_block(graphs):
    """The graph from JAX is the block: loss and gradients are those of PyTorch's autograd, before and after raising."""
    model = Block().double()
    rng = np.random.default_rng(5)
    ids, labels = (rng.integers(0, VOCABULARY, (BATCH, SEQUENCE)) for _ in range(2))
    loss = model(torch.tensor(ids), torch.tensor(labels))
    names = [name for name, _ in model.named_parameters()]
    wanted = [loss, *torch.autograd.grad(loss, list(model.parameters()))]
    inputs = [*(p.detach().numpy() for p in model.parameters()), ids, labels, model.cos.numpy(), model.sin.numpy()]
    for text in (graphs["jax"], run(graphs["jax"], RAISE)):
        results = Program.of_text(text, prec_opt=str(TOOL)).run(dict(enumerate(inputs)), backend=Numpy(np.float64))
        assert len(results) == len(wanted)
        for name, result, reference in zip(["loss", *names], results, wanted):
            reference = reference.detach().numpy()
            assert np.abs(result - reference).max() <= 1e-6 * np.abs(reference).max(), name
