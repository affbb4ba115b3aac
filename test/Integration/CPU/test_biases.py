# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Biases that the library adds to a product's sums, before their only rounding: the first step's gradients lie inside
of the spread of programs that round there (reference_steps.py), and outside of that of programs that round the product,
too."""
import functools
import json

import ml_dtypes
import numpy as np
import pytest
import torch
from first_step import inputs, read_gradients
from order_spread import GradientSpread
from reference_steps import GPT2Step
from test_against_pytorch import batches, gpt2

import prec

BATCHES = [batch for _, batch in zip(range(6), batches())]
PROJECTIONS = "*.c_*.bias"
RULES = {"version": 1, "rules": [{"match": {"storage": "master", "path": PROJECTIONS}, "pin": {"stores": "bf16"},
                                  "reason": "the library adds them"}]}


def biased_gpt2():
    """With biases that are no zeros."""
    model = gpt2()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(".bias") and ".c_" in name:
                parameter.copy_(0.1 * torch.randn(parameter.shape, generator=generator))
    return model


@functools.cache
def weights():
    torch.manual_seed(0)
    model = biased_gpt2()
    return model, {path: parameter.detach().clone() for path, parameter in model.named_parameters()}


@pytest.fixture(scope="module")
def open_biased(compile_module):
    compiled = {}

    def open_(recipe, *options):
        from first_step import import_step
        if (recipe, options) not in compiled:
            _, imported = import_step(biased_gpt2)
            compiled[recipe, options] = compile_module(imported, recipe, *options)
        step, tensors = compiled[recipe, options]
        module = prec.Module(step)
        module.load(tensors)
        return module
    return open_


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The option to store biases in BF16."""
    path = tmp_path_factory.mktemp("rules") / "rules.json"
    path.write_text(json.dumps(RULES))
    return f"--rules={path}"


def products(module, phase="forward"):
    return [command for command in module.manifest["entry_points"]["step"] if command["op"] == "gemm" and command["phase"] == phase]


@pytest.mark.parametrize("is_stored", [False, True], ids=["rounded", "stored"])
@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_products_take_biases(recipe, is_stored, open_biased, stored):
    """Of queries, keys and values and in front of GELU; where the sum goes on to the residual stream, a kernel adds
    it."""
    module = open_biased(recipe, *[stored] * is_stored)
    assert module.manifest["abi"] == 4
    biased = {command["path"].rsplit(".", 2)[-2] + "." + command["path"].rsplit(".", 1)[-1] for command in products(module) if "bias" in command}
    assert biased == {"attn.c_attn", "mlp.c_fc"}
    assert not [command for command in products(module, "backward") if "bias" in command]
    buffers = module.manifest["buffers"]
    assert {buffers[command["bias"]]["dtype"] for command in products(module) if "bias" in command} == {"bf16"}


def test_biases_are_kept_apart(open_biased):
    module = open_biased("bf16", "--round-biases=false")
    assert module.manifest["abi"] == 3 and not [command for command in products(module) if "bias" in command]


def test_in_fp32_products_take_all_biases(open_biased):
    module = open_biased("fp32")
    assert sum("bias" in command for command in products(module)) == 4 * gpt2().config.n_layer


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_gradients_are_of_sums_rounded_once(recipe, open_biased):
    model, start = weights()
    folded, apart = GPT2Step(model.config, folds_biases=True), GPT2Step(model.config, folds_biases=False)
    spreads = sorted((GradientSpread(folded, start, batch, recipe) for batch in BATCHES), key=lambda spread: spread.farthest)[:3]
    inside = []
    for spread in spreads:
        module = open_biased(recipe)
        ours = {path: torch.from_numpy(gradient) for path, gradient in read_gradients(module, spread.batch).items()}
        inside.append(spread.distance(ours) <= spread.farthest)
    assert sum(inside) >= 2, "one batch may meet with a rounding that no order tried has shown, but not two"
    from rounding_arithmetic import Arithmetic
    twice = apart.run(Arithmetic(recipe), start, torch.from_numpy(spreads[0].batch))[1]
    assert spreads[0].distance(twice) > spreads[0].farthest


def test_losses_follow_pytorch(open_biased):
    """Of the model in BF16, whose linear layers add a bias to the sums as well."""
    model, _ = weights()
    model = model.bfloat16()
    module = open_biased("bf16")
    for batch in BATCHES:
        tokens = torch.from_numpy(batch)
        expected = model(input_ids=tokens, labels=tokens).loss.item()
        assert module.eval(inputs(batch))["loss"] == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("is_stored", [False, True], ids=["rounded", "stored"])
def test_masters_are_what_rules_store(is_stored, open_biased, stored):
    module = open_biased("bf16", *[stored] * is_stored)
    module.step(inputs(BATCHES[0]))
    for name, value in module.weights().items():
        if name.endswith(".bias"):
            assert value.dtype == (ml_dtypes.bfloat16 if is_stored and ".c_" in name else np.float32)
