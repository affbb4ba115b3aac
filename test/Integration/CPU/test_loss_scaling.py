# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaling by a power of two is exact; a dynamic scale is PyTorch's GradScaler."""
import json

import numpy as np
import pytest
import torch
from conftest import ROOT
from poisoned import GOOD, INFINITE, NAN, Poisoned, state, step
from test_against_pytorch import batches, gpt2, llama

BATCHES = [batch for _, batch in zip(range(6), batches())]


@pytest.fixture(scope="module")
def models(tool, tmp_path_factory):
    return {name: Poisoned(tool("prec-compile"), tmp_path_factory.mktemp(name), build) for name, build in (("llama", llama), ("gpt2", gpt2))}


@pytest.mark.parametrize("scale", [1024, 2 ** -0, 65536])
@pytest.mark.parametrize("model", ["llama", "gpt2"])
def test_a_power_of_two_changes_no_bit(model, scale, models):
    """In f32, where nothing over- or underflows, weights, moments and the norm of gradients are those of the step
    without it."""
    plain = models[model].open("plain", "--recipe=fp32")
    scaled = models[model].open(f"scaled{scale}", "--recipe=fp32", f"--assign=loss-scaling={scale}")
    for batch in BATCHES[:3]:
        assert step(scaled, batch) == step(plain, batch)
    assert state(scaled) == state(plain)


def test_a_static_scale_keeps_what_would_underflow(models):
    """In f16 gradients below 2^-24 are zero; scaled they are not."""
    moments = {}
    for scale in ("none", "65536"):
        module = models["llama"].open(f"half{scale}", "--recipe=fp16", f"--assign=loss-scaling={scale}")
        step(module, BATCHES[0], np.float32(2 ** -14), beta1=0.0, max_norm=1e30)
        moments[scale] = np.concatenate([module.get(b).ravel() for b in module.bindings if b.slot == "exp_avg"])
    exact = models["llama"].open("plain", "--recipe=fp32")
    step(exact, BATCHES[0], np.float32(2 ** -14), beta1=0.0, max_norm=1e30)
    exact = np.concatenate([exact.get(b).ravel() for b in exact.bindings if b.slot == "exp_avg"])
    error = {scale: np.linalg.norm(values - exact) / np.linalg.norm(exact) for scale, values in moments.items()}
    assert error["65536"] < 0.01 and error["none"] > 0.1


class GradScaler:
    """PyTorch's own scaler, with one parameter whose gradient is what a test makes it."""

    def __init__(self, **options):
        self.parameter = torch.nn.Parameter(torch.ones(1))
        self.optimizer = torch.optim.SGD([self.parameter], lr=0.0)
        self.scaler = torch.amp.GradScaler("cpu", **options)

    def step(self, gradient):
        """Scale and good steps after a step."""
        self.scaler.scale(self.parameter.sum() * 1.0).backward()
        self.parameter.grad.fill_(gradient)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return self.scaler.get_scale(), self.scaler._get_growth_tracker()


@pytest.mark.parametrize("growth, backoff, interval", [(2.0, 0.5, 3), (4.0, 0.25, 1), (2.0, 0.5, 7)])
def test_a_dynamic_scale_is_grad_scalers(growth, backoff, interval, models, tmp_path):
    recipe = json.loads((ROOT / "recipes/fp16.json").read_text())
    recipe["loss_scaling"] = {"mode": "dynamic", "scale": 1024, "interval": interval, "growth": growth, "backoff": backoff}
    (tmp_path / "mine.json").write_text(json.dumps(recipe))
    module = models["llama"].open(f"dynamic{interval}", f"--recipe-file={tmp_path / 'mine.json'}")
    oracle = GradScaler(init_scale=1024.0, growth_factor=growth, backoff_factor=backoff, growth_interval=interval)
    spoiled = np.random.default_rng(interval).choice([GOOD, NAN, INFINITE], 30, p=[0.8, 0.1, 0.1])
    skipped, scales = 0, set()
    for i, bad in enumerate(spoiled):
        result = step(module, BATCHES[i % len(BATCHES)], bad)
        # A scale that has grown too large is not finite by itself.
        assert result["skipped"] or np.isfinite(bad)
        skipped += bool(result["skipped"])
        expected = oracle.step(float("inf") if result["skipped"] else 1.0)
        assert (float(module.get("loss_scale")), int(module.get("loss_scale_good_steps"))) == expected, i
        scales.add(expected[0])
    assert np.count_nonzero(~np.isfinite(spoiled)) <= skipped == int(module.get("skipped_steps")) < 20 and len(scales) > 4


def test_a_scale_that_overflows_comes_down(models, tmp_path):
    """From 2^40 the gradients of f16 overflow until the scale fits them; then the step trains."""
    recipe = json.loads((ROOT / "recipes/fp16.json").read_text())
    recipe["loss_scaling"]["scale"] = 2 ** 40
    (tmp_path / "mine.json").write_text(json.dumps(recipe))
    module = models["llama"].open("large", f"--recipe-file={tmp_path / 'mine.json'}")
    before, skipped = module.weights(), 0
    while step(module, BATCHES[0])["skipped"]:
        skipped += 1
        assert float(module.get("loss_scale")) == 2 ** (40 - skipped)
        assert all(np.array_equal(value, before[name]) for name, value in module.weights().items())
    assert 10 < skipped < 40 and any(not np.array_equal(value, before[name]) for name, value in module.weights().items())
