# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The bf16 and fp8-hybrid recipes against programs that round at the same places (reference_steps.py): the first step's
gradients and the losses of 20 steps lie inside of the spread that other orders of accumulation give; programs with a
flaw lie outside."""
import functools

import ml_dtypes
import numpy as np
import pytest
import torch
from first_step import MAX_NORM, inputs, read_gradients
from order_spread import GradientSpread, LossSpread, Training
from reference_steps import GPT2Step, LlamaStep
from rounding_arithmetic import Arithmetic
from rounding_noise import gradients, lambda_of, length_of_errors
from test_against_pytorch import batches, gpt2, llama

STEPS = 20
BATCHES = [batch for _, batch in zip(range(STEPS), batches())]
MODELS = {"llama": (llama, LlamaStep), "gpt2": (gpt2, GPT2Step)}
RECIPES = ["bf16", "fp8-hybrid"]
# Missing and wrong roundings, wrong formats and scales, dropped terms.
FLAWS = ["norm not rounded", "projection not rounded", "residual not rounded", "gated not rounded", "attention not rounded",
         "logit gradient not rounded", "weight copy not rounded", "norm truncated", "residual truncated", "norm gradient truncated",
         "dgrad truncated", "last product dropped", "norm gradient without its mean", "last head of a group dropped",
         "softmax gradient without its sum", "residual gradient dropped"]
FP8_FLAWS = [f"{kind} {flaw}" for kind in ("activation", "weight", "gradient") for flaw in (
    "in the other FP8", "scale of half the amax", "amax of the first row", "scale to a power of two", "inverse scale off by a hundredth")]
# What even noisy losses show.
LOSS_FLAWS = ["weight copy truncated", "last product dropped", "norm gradient without its mean", "last head of a group dropped",
              "residual gradient dropped"]
FP8_LOSS_FLAWS = ["weight scale of half the amax", "activation inverse scale off by a hundredth"]


@functools.cache
def reference(name):
    build, step = MODELS[name]
    torch.manual_seed(0)
    model = build()
    return model, step(model.config), {path: parameter.detach().clone() for path, parameter in model.named_parameters()}


@pytest.mark.parametrize("name", MODELS)
def test_reference_without_roundings_is_pytorch(name):
    model, step, weights = reference(name)
    tokens = torch.from_numpy(BATCHES[0])
    expected, got = gradients(model, tokens), step.run(Arithmetic("fp32"), weights, tokens)[1]
    model.set_attn_implementation("eager")
    for path, length in length_of_errors(model, tokens).items():
        assert (got[path] - expected[path]).norm() <= 2**0.5 * lambda_of(len(expected)) * length, path


def calmest(name, recipe):
    """Of some batches the three whose gradients depend least on the order: a rounding that falls the other way early on
    moves all that
    come later, and hides a flaw."""
    _, step, weights = reference(name)
    return sorted((GradientSpread(step, weights, batch, recipe) for batch in BATCHES[:6]), key=lambda spread: spread.farthest)[:3]


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", MODELS)
def test_first_gradients(name, recipe, open_apart):
    spreads, inside = calmest(name, recipe), []
    for orders in spreads:
        _, module = open_apart(MODELS[name][0], recipe)
        ours = {path: torch.from_numpy(gradient) for path, gradient in read_gradients(module, orders.batch).items()}
        for path, gradient in ours.items():
            stored = gradient.numpy()
            assert np.array_equal(stored, stored.astype(ml_dtypes.bfloat16).astype(np.float64)), f"{path} must be stored in bf16"
        inside.append(orders.distance(ours) <= orders.farthest)
    assert sum(inside) >= 2, "one batch may meet with a rounding that no order tried has shown, but not two"
    _, step, weights = reference(name)
    for flaw in FLAWS + (FP8_FLAWS if recipe == "fp8-hybrid" else []):
        wrong = step.run(Arithmetic(recipe, flaw=flaw), weights, torch.from_numpy(spreads[0].batch))[1]
        assert spreads[0].distance(wrong) > spreads[0].farthest, flaw


@pytest.mark.long
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("name", MODELS)
def test_losses(name, recipe, open_apart):
    _, module = open_apart(MODELS[name][0], recipe)
    ours = [module.step(inputs(batch), max_norm=MAX_NORM)["loss"] for batch in BATCHES]
    assert ours[-1] < ours[0] - 0.5, "20 steps must have learned something"
    _, step, weights = reference(name)
    orders = LossSpread(step, weights, BATCHES, recipe)
    assert orders.deviation(ours).max() <= 1
    for flaw in LOSS_FLAWS + (FP8_LOSS_FLAWS if recipe == "fp8-hybrid" else []):
        wrong = Training(step, weights, BATCHES, recipe, flaw=flaw).losses
        assert orders.deviation(wrong)[1:].max() > 1, flaw
