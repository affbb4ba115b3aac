# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A run changes its recipe at a checkpoint: masters and moments go on bit for bit, what another recipe keeps beside
them begins anew."""
import subprocess

import numpy as np
import pytest
from first_step import inputs, moments
from test_against_pytorch import batches, llama
from test_delayed_scaling import make_recipe

BATCHES = [batch for _, batch in zip(range(8), batches())]


@pytest.fixture(scope="module")
def recipes(tmp_path_factory):
    return {"bf16": "bf16", "fp8-hybrid": "fp8-hybrid", "delayed": make_recipe(tmp_path_factory.mktemp("recipe"))}


def state(module):
    held = {binding.name: module.get(binding) for binding in module.bindings if binding.role == "parameter"}
    return held | {f"{slot} {name}": value for slot in ("exp_avg", "exp_avg_sq") for name, value in moments(module, slot).items()}


def equal(first, second):
    return first.keys() == second.keys() and all(np.array_equal(value, second[name]) for name, value in first.items())


@pytest.mark.parametrize("before, after", [("bf16", "fp8-hybrid"), ("bf16", "delayed"), ("delayed", "fp8-hybrid"), ("delayed", "bf16")])
def test_goes_on_under_another_recipe(before, after, recipes, open_step, tmp_path):
    _, first = open_step(llama, recipes[before])
    for batch in BATCHES[:3]:
        first.step(inputs(batch))
    first.save_checkpoint(tmp_path / "saved", 96)
    _, second = open_step(llama, recipes[after])
    second.step(inputs(BATCHES[7]))
    assert not equal(state(first), state(second))
    assert second.load(tmp_path / "saved") == 96
    assert equal(state(first), state(second))
    # As a module that never did anything else; and it trains.
    _, fresh = open_step(llama, recipes[after])
    fresh.load(tmp_path / "saved")
    results = [[module.step(inputs(batch)) for batch in BATCHES[3:6]] for module in (second, fresh)]
    assert results[0] == results[1] and results[0][0]["step"] == 4
    assert equal(state(second), state(fresh))
    assert all(np.isfinite(result["loss"]) for result in results[0])


@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid", "delayed"])
def test_goes_on_from_before_the_first_step(recipe, recipes, open_step, tmp_path):
    _, first = open_step(llama, recipes[recipe])
    first.save_checkpoint(tmp_path / "saved")
    _, second = open_step(llama, recipes[recipe])
    second.step(inputs(BATCHES[7]))
    second.load(tmp_path / "saved")
    results = [[module.step(inputs(batch)) for batch in BATCHES[:3]] for module in (first, second)]
    assert results[0] == results[1]


def test_prec_run_says_so(recipes, open_step, tool, tmp_path):
    _, first = open_step(llama, "bf16")
    first.save_checkpoint(tmp_path / "saved")
    np.zeros(1000, np.uint16).tofile(tmp_path / "tokens.bin")
    for recipe, note in (("delayed", True), ("bf16", False), ("fp8-hybrid", True)):
        open_step(llama, recipes[recipe])
        path, _ = open_step.compiled[llama, recipes[recipe]]
        run = subprocess.run([tool("prec-run"), path, "--resume", tmp_path / "saved", "--tokens", tmp_path / "tokens.bin", "--steps", "1"],
                             capture_output=True, text=True, check=True)
        said = "was saved by a module that scales in another way: weights and moments go on, scales begin anew"
        assert (said in run.stderr) == note, run.stderr
