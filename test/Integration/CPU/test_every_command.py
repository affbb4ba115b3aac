# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command of a whole step in bf16 and in FP8: what it stores is what a program written by hand
(reference_steps.py) computes from what the commands before it stored, within bounds of FP32 arithmetic and rounded at
the same place; programs with a flaw compute something else."""
import functools

import pytest
import torch
from first_step import MAX_NORM, OPTIONS, inputs, moments
from followed import Follower, Mismatch, Stored
from kept_values import KeptStep, keep_values
from reference_steps import GPT2Step, LlamaStep, optimize
from test_against_pytorch import batches, gpt2, llama
from test_optimizer import f32

import prec

MODELS = {"llama": (llama, LlamaStep), "gpt2": (gpt2, GPT2Step)}
STEP = 4  # Moments are not zero, and so neither are the roundings of what is made of them.

PLACES = [
    "weight copy",
    "norm",
    "projection",
    "rotary",
    "probabilities",
    "attention",
    "residual",
    "silu",
    "gated",
    "logits",
    "logit gradient",
    "dgrad of the head",
    "wgrad of the head",
    "norm gradient",
    "gamma gradient",
    "wgrad",
    "dgrad",
    "up gradient",
    "gate gradient",
    "sum of gradients",
    "residual gradient",
    "probabilities, backward",
    "score gradient",
    "attention gradient",
    "rotary gradient",
    "embedding gradient",
    "tied gradient",
]
OTHERS = ["last product dropped", "norm gradient without its mean", "last head of a group dropped", "softmax gradient without its sum",
          "residual gradient dropped", "weight decay dropped", "reciprocal deviation rounded", "log-sum-exp rounded", "parameter rounded"]
FP8_FLAWS = [f"{kind} {flaw}" for kind in ("activation", "weight", "gradient") for flaw in (
    "in the other FP8", "scale of half the amax", "scale to a power of two", "inverse scale off by a hundredth")]
# A unit in the last place; not every tensor's amax shows it.
FP8_FLAWS += ["weight scale by a reciprocal", "gradient scale by a reciprocal"]


class Kept:
    """A step of a module whose commands keep what they store, and the state before it."""

    def __init__(self, name, recipe, open_apart):
        build, step = MODELS[name]
        model, module = open_apart(build, recipe)
        *earlier, batch = (batch for _, batch in zip(range(STEP), batches()))
        path, weights = open_apart.compiled[build, recipe]
        kept = prec.Module(keep_values(path))
        kept.load(weights)
        for each in earlier:
            module.step(inputs(each))
            kept.step(inputs(each))  # Counts; it leaves the state alone.
        for theirs in (b for b in module.bindings if b.role in ("parameter", "optimizer_state")):
            kept.set(next(b for b in kept.bindings if (b.role, b.name) == (theirs.role, theirs.name)), module.get(theirs))
        self.weights = {path: torch.from_numpy(value) for path, value in module.weights().items()}
        first, second = (moments(module, slot) for slot in ("exp_avg", "exp_avg_sq"))
        self.moments = {path: (torch.from_numpy(first[path]), torch.from_numpy(second[path])) for path in first}
        self.recipe, self.step, self.tokens = recipe, step(model.config), torch.from_numpy(batch)
        self.run = KeptStep(kept, inputs(batch))
        assert self.run.result == module.step(inputs(batch)), "keeping values must change none"

    def follow(self, flaw=None):
        arithmetic = Follower(self.recipe, Stored(self.run), flaw)
        _, gradients = self.step.run(arithmetic, self.weights, self.tokens)
        optimize(arithmetic, self.weights, gradients, self.moments, STEP, MAX_NORM, {key: f32(value) for key, value in OPTIONS.items()})
        return arithmetic


@pytest.fixture(scope="module")
def kept(open_apart):
    return functools.cache(lambda name, recipe: Kept(name, recipe, open_apart))


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid", "fp8-rowwise", "fp8-block"])
@pytest.mark.parametrize("name", MODELS)
def test_every_command(name, recipe, kept):
    step = kept(name, recipe)
    arithmetic = step.follow()
    for command in step.run.commands:
        unknown = [index for index in command["writes"] if index in step.run.values and index not in arithmetic.stored.matched]
        assert not unknown, f"{command['name']} stores what the reference does not: {[step.run.values[i].shape for i in unknown]}"
    # Bounds seldom reach over a boundary between two roundings, so equality is asked for nearly everywhere.
    assert arithmetic.ties < 0.02 * arithmetic.elements


@pytest.mark.parametrize("flaw", [f"{place} {how}" for place in PLACES for how in ("not rounded", "truncated")] + OTHERS + FP8_FLAWS)
def test_flaws_are_seen(flaw, kept):
    with pytest.raises(Mismatch):
        kept("llama", "fp8-hybrid").follow(flaw)


@pytest.mark.parametrize(
    "flaw",
    [
        f"{kind} {flaw}"
        for kind in ("activation", "weight", "gradient")
        for flaw in (
            "in the other FP8",
            "scale of half the amax",
            "scale to a power of two",
            "inverse scale off by a hundredth",
            "blocks of another size",
            "amax of other rows",
        )
    ],
)
@pytest.mark.parametrize("recipe", ["fp8-rowwise", "fp8-block"])
def test_flaws_of_fine_scales_are_seen(recipe, flaw, kept):
    with pytest.raises(Mismatch):
        kept("llama", recipe).follow(flaw)


@pytest.mark.parametrize("flaw", ["gated not rounded", "gelu gradient truncated", "bias copy not rounded", "projection truncated",
                                  "bias gradient not rounded", "beta gradient truncated",
                                  "position gradient not rounded"])
def test_flaws_of_gpt2_are_seen(flaw, kept):
    with pytest.raises(Mismatch):
        kept("gpt2", "bf16").follow(flaw)


def test_flaws_of_biases_apart_are_seen(kept):
    with pytest.raises(Mismatch):
        kept("gpt2", "fp8-rowwise").follow("biased projection not rounded")
