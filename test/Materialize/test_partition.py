# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step of several ranks (--mesh=dp=N) is the step of one process with as many micro-batches, bit for bit: after two
steps every shard is a slice of what one process has, for every recipe and optimizer. Both are computed by the
interpreter of graphs."""
from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from optimizers import FORMULAS, OPTIMIZERS
from rank_training import Training, batches, bits

import prec
from prec.interpreter import Program, generic_form

ROOT = Path(__file__).resolve().parents[2]
RECIPES = sorted(path.stem for path in (ROOT / "recipes").glob("*.json"))
QUICK = {"fp32", "fp8-hybrid"}


@cache
def llama() -> str:
    return (ROOT / "examples/llama_tiny.mlir").read_text()


class Small(torch.nn.Module):
    """Parameters that ranks have rows of, or columns, and such as cannot be divided."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = torch.nn.Embedding(48, 16)
        self.odd = torch.nn.Linear(16, 27)
        self.norm = torch.nn.LayerNorm(27)
        self.head = torch.nn.Linear(27, 48)
        self.scale = torch.nn.Parameter(torch.ones(()))

    def forward(self, tokens: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        logits = self.head(self.norm(torch.tanh(self.odd(self.tokens(tokens))))) * self.scale
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def muon(parameters: list[torch.nn.Parameter]) -> list[torch.optim.Optimizer]:
    matrices = [p for p in parameters if p.dim() == 2]
    return [torch.optim.Muon(matrices, lr=0.02), torch.optim.AdamW([p for p in parameters if p.dim() != 2])]


KINDS = {"adamw": torch.optim.AdamW, **OPTIMIZERS, **FORMULAS, "muon": muon}


@cache
def small(kind: str, clip_grad_norm: float | None = 0.5) -> str:
    torch.manual_seed(0)
    model = Small()
    tokens = torch.randint(0, 48, (2, 8))
    step = prec.import_torch(model, KINDS[kind](list(model.parameters())), {"tokens": tokens, "labels": tokens}, verify=False,
                             clip_grad_norm=clip_grad_norm)
    return step.mlir


@cache
def divided(prec_opt: str, text: str, recipe: str, mesh: str, assign: str = "", options: str = "") -> Program:
    passes = ["--prec-raise-composites", f"--assign-precision=recipe={recipe} target=cpu {assign}",
              f"--prec-materialize=accumulate=true mesh={mesh} {options}", "--prec-decompose=attention-library=none"]
    return Program.of_text(generic_form(text, prec_opt, passes))


def assert_same(one: Training, several: Training) -> None:
    a, b = one.whole(), several.whole()
    assert a.keys() == b.keys()
    for name, x in a.items():
        assert np.array_equal(bits(x), bits(b[name])), name


def check(one: Training, several: Training, ignored: list[int]) -> None:
    """Two steps of both; of each batch so many labels do not count."""
    assert_same(one, several)
    for seed in range(2):
        given = batches(one.program, len(ignored), ignored, seed)
        for batch in given:
            one.run("accumulate", [batch])
        [expected] = one.run("apply", [given[0]])
        for metrics in several.run("step", given):
            for name, x in expected.items():
                assert np.array_equal(bits(metrics[name]), bits(x)), name
        assert_same(one, several)


@pytest.mark.parametrize("ignored", [[0, 30], [10_000, 5], [10_000, 0, 10_000, 17]], ids=str)
@pytest.mark.parametrize("recipe", [r if r in QUICK else pytest.param(r, marks=pytest.mark.long) for r in RECIPES])
def test_ranks_are_micro_batches(prec_opt, recipe, ignored):
    one, several = (Training(divided(prec_opt, llama(), recipe, f"dp={count}")) for count in (1, len(ignored)))
    check(one, several, ignored)


@pytest.mark.long
@pytest.mark.parametrize("assign", ["tensor-scaling=delayed", "moments=dynamic8"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_with_options(prec_opt, recipe, assign):
    try:
        one, several = (Training(divided(prec_opt, llama(), recipe, f"dp={count}", assign)) for count in (1, 2))
    except ValueError as error:
        assert "tensor-scaling" in str(error)
        return
    check(one, several, [0, 30])


@pytest.mark.cases(6)
@pytest.mark.parametrize("kind", KINDS)
def test_optimizers(prec_opt, kind):
    one, several = (Training(divided(prec_opt, small(kind), "bf16", f"dp={count}")) for count in (1, 2))
    check(one, several, [3, 0])
    held = {a.name for a in several.program.function().arguments if "prec_train.shard" in a.attributes}
    whole = kind.startswith("adafactor")
    assert ("tokens.weight" in held) == ("odd.weight" in held) != whole and "norm.weight" not in held and "scale" not in held


@pytest.mark.parametrize("bad", [None, 0, 1])
def test_a_guard_of_what_nobody_squares(prec_opt, bad):
    """SGD without a norm: where a rank's loss is no number, nothing changes on any."""
    one, several = (Training(divided(prec_opt, small("sgd", None), "bf16", f"dp={count}")) for count in (1, 2))
    name = ("scale", None)
    check(one, several, [0, 0])
    before = several.whole()
    if bad is not None:
        several.states[bad][name] = np.float32(np.nan)
    given = batches(several.program, 2, [0, 0], 7)
    found = several.run("step", given)
    assert all(np.isfinite(metrics["loss"]) == (bad is None) for metrics in found)
    for rank in range(2):
        if rank != bad:
            held = several.states[rank][("tokens.weight", None)]
            same = np.array_equal(held, several.shard(("tokens.weight", None), before[("tokens.weight", None)], rank))
            assert same == (bad is not None)


def test_micro_batches_of_ranks(prec_opt):
    """Two of each rank, with labels that all count: in the order of ranks, each rank's one behind the other, but for
    the order of sums."""
    one, several = (Training(divided(prec_opt, llama(), "fp32", f"dp={count}")) for count in (1, 2))
    given = batches(one.program, 4, [0, 9, 30, 0], 0)
    for batch in given:
        one.run("accumulate", [batch])
    [expected] = one.run("apply", [given[0]])
    for first, second in ((0, 2), (1, 3)):
        several.run("accumulate", [given[first], given[second]])
    for metrics in several.run("apply", given[:2]):
        np.testing.assert_allclose(metrics["loss"], expected["loss"], rtol=1e-6)
    for name, x in one.whole().items():
        np.testing.assert_allclose(several.whole()[name], x, rtol=2e-5, atol=1e-6, err_msg=str(name))
