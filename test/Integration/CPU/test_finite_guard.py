# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A step that is not finite changes nothing but the loss scale and the counters, in every recipe; and says what was
not."""
import json
import subprocess

import numpy as np
import pytest
from poisoned import COUNTERS, GOOD, INFINITE, NAN, Poisoned, state, step
from test_against_pytorch import batches, gpt2, llama

import prec

BATCHES = [batch for _, batch in zip(range(6), batches())]
RECIPES = {"fp32": ["--recipe=fp32"], "bf16": ["--recipe=bf16"], "fp16": ["--recipe=fp16"], "fp8-hybrid": ["--recipe=fp8-hybrid"],
           "delayed": ["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed amax-history=4"]}


@pytest.fixture(scope="module")
def models(tool, tmp_path_factory):
    return {name: Poisoned(tool("prec-compile"), tmp_path_factory.mktemp(name), build, **options)
            for name, build, options in (("llama", llama, {}), ("gpt2", gpt2, {}), ("unclipped", llama, {"max_norm": None}))}


def counters(module):
    return {b.name: float(module.get(b)) for b in module.bindings
            if b.role == "scale_state" and b.name in COUNTERS}


@pytest.mark.parametrize("spoiled", [NAN, INFINITE], ids=["nan", "inf"])
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("model", ["llama", "gpt2", "unclipped"])
def test_a_bad_step_changes_nothing(model, recipe, spoiled, models):
    module = models[model].open(recipe, *RECIPES[recipe])
    for batch in BATCHES[:2]:
        assert step(module, batch)["skipped"] is None
    before, counted = state(module, COUNTERS), counters(module)
    assert counted["skipped_steps"] == 0
    for bad in (1, 2):
        result = step(module, BATCHES[2], spoiled)
        assert np.isfinite(result["loss"]) and not result["finite"] and result["step"] == 2 + bad
        first = "transformer.ln_f" if model == "gpt2" else "model.norm.weight"
        assert result["skipped"].startswith("gradient of " + first)
        assert state(module, COUNTERS) == before
        scaled = {"loss_scale": 65536 / 2 ** bad, "loss_scale_good_steps": 0} if recipe == "fp16" else {}
        assert counters(module) == {"skipped_steps": bad, **scaled}
    good = step(module, BATCHES[3])
    assert good["skipped"] is None and good["finite"] and state(module, COUNTERS) != before


@pytest.mark.parametrize("recipe", [recipe for recipe in RECIPES if recipe != "fp16"])
def test_a_bad_step_leaves_no_trace(recipe, models):
    """Later steps are those of a run that never saw it, bit for bit: bias correction counts the updates."""
    with_bad, without = (models["llama"].open(recipe, *RECIPES[recipe]) for _ in range(2))
    for module in (with_bad, without):
        step(module, BATCHES[0])
    step(with_bad, BATCHES[1], NAN)
    step(with_bad, BATCHES[2], INFINITE)
    for batch in BATCHES[3:]:
        assert step(with_bad, batch)["loss"] == step(without, batch)["loss"]
    assert state(with_bad, COUNTERS) == state(without, COUNTERS)


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_run_resumes_across_a_bad_step(recipe, models, tmp_path):
    module = models["llama"].open(recipe, *RECIPES[recipe])
    step(module, BATCHES[0])
    step(module, BATCHES[1], NAN)
    module.save_checkpoint(tmp_path / "saved")
    resumed = prec.Module(models["llama"].compile(recipe))
    resumed.load(tmp_path / "saved")
    assert state(resumed) == state(module)
    for batch, spoiled in zip(BATCHES[2:], (GOOD, INFINITE, GOOD)):
        ours, theirs = step(resumed, batch, spoiled), step(module, batch, spoiled)
        assert ours["loss"] == theirs["loss"] and ours["skipped"] == theirs["skipped"] and ours["step"] == theirs["step"]
    assert state(resumed) == state(module)


def test_a_new_training_counts_anew(models, tmp_path):
    module = models["llama"].open("fp16", *RECIPES["fp16"])
    begun = state(module)
    step(module, BATCHES[0], NAN)
    module.load(models["llama"].folder / "weights.safetensors")
    module.eval({"input_ids": BATCHES[0].astype(np.int32), "labels": BATCHES[0].astype(np.int32), "poison": GOOD})
    assert counters(module) == {"loss_scale": 65536, "loss_scale_good_steps": 0, "skipped_steps": 0}
    assert {key for key, value in state(module).items() if value != begun[key]} <= {
        key for key in begun if key[0] in ("work_weight", "scale_state")}  # Nothing made them before the first run.


def test_without_the_guard(models):
    module = models["llama"].open("unguarded", "--recipe=fp32", "--guard-updates=false")
    result = step(module, BATCHES[0], NAN)
    assert result["skipped"] is None and not result["finite"]
    assert all(np.isnan(weight).all() for weight in module.weights().values())
    assert not counters(module)


def test_dynamic_scaling_needs_the_guard(models, tool):
    done = subprocess.run([tool("prec-compile"), models["llama"].folder / "graph.mlir", "--recipe=fp16", "--guard-updates=false",
                           "-o", models["llama"].folder / "refused.so"], capture_output=True, text=True)
    assert done.returncode == 1 and "dynamic loss scaling must have guarded updates, but the guard is left out" in done.stderr


def test_a_run_names_what_is_not_finite(tool, compile_module, tmp_path):
    """Weights of 1e38 give no loss that is finite: every step is skipped, and the run ends."""
    from first_step import import_step
    path, _ = compile_module(import_step(llama)[1], "fp32")
    tokens = np.random.default_rng(0).integers(0, 256, 400).astype("<u2")
    tokens.tofile(tmp_path / "train.bin")
    done = subprocess.run([tool("prec-run"), path, "--init", "random", "--stddev", "1e38", "--tokens", "train.bin", "--steps", "50",
                           "--save", "saved", "--metrics", "run.jsonl", "--keep-bad-batches", "bad"], cwd=tmp_path, capture_output=True, text=True)
    skipped = [line for line in done.stderr.splitlines() if "skipped" in line]
    assert skipped == [f"step {i} skipped: loss is not finite" for i in range(1, 33)]
    assert done.returncode == 1 and done.stderr.splitlines()[-1] == (
        "prec-run: error: loss and gradients must be finite in one of 32 steps in a row, but got none up to step 32: loss is not")
    assert not (tmp_path / "saved").exists()
    lines = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert len(lines) == 32 and all(line["skipped"] == "loss" and line["loss"] is None for line in lines)
    # The first batches are kept, those that begin anew in the file among them.
    assert sorted(file.name for file in (tmp_path / "bad").iterdir()) == [f"step-{i}.bin" for i in range(1, 9)]
    size = BATCHES[0].size
    for i in range(8):
        start = i * size % (len(tokens) - size - 1)
        assert np.array_equal(np.fromfile(tmp_path / f"bad/step-{i + 1}.bin", "<u2"), tokens[start:start + size + 2])
        assert f"step {i + 1} read bad/step-{i + 1}.bin" in done.stderr


def test_a_kept_batch_is_read_in_every_step(tool, compile_module, tmp_path):
    from first_step import import_step
    path, weights = compile_module(import_step(llama)[1], "fp32")
    tokens = np.random.default_rng(1).integers(0, 256, BATCHES[0].size + 2).astype("<u2")
    tokens.tofile(tmp_path / "step-7.bin")
    subprocess.run([tool("prec-run"), path, "--weights", weights, "--tokens", "step-7.bin", "--steps", "3", "--lr", "0", "--metrics", "run.jsonl"],
                   cwd=tmp_path, check=True, capture_output=True)
    assert len({json.loads(line)["loss"] for line in (tmp_path / "run.jsonl").read_text().splitlines()}) == 1


def test_another_recipe_goes_on_counting(models, tmp_path):
    module = models["llama"].open("bf16", *RECIPES["bf16"])
    step(module, BATCHES[0])
    step(module, BATCHES[1], NAN)
    module.save_checkpoint(tmp_path / "saved")
    other = prec.Module(models["llama"].compile("fp16", *RECIPES["fp16"]))
    other.load(tmp_path / "saved")
    assert counters(other) == {"loss_scale": 65536, "loss_scale_good_steps": 0, "skipped_steps": 1}
    assert step(other, BATCHES[2])["step"] == 3
