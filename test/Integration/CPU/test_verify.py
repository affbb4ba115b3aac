# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec-run --verify: gradients of modules beside FP32's, against what NumPy makes of the gradients that the modules
themselves give."""
import json
import subprocess

import numpy as np
import pytest
from conftest import ROOT
from first_step import import_step, read_gradients
from optimizers import OPTIMIZERS
from test_against_pytorch import BATCH, SEQUENCE, gpt2, llama

import prec

RECIPES = ("bf16", "fp8-hybrid")


@pytest.fixture(scope="module")
def modules(compile_module):
    _, imported = import_step(llama)
    return {recipe: compile_module(imported, recipe) for recipe in ("fp32", *RECIPES)}


@pytest.fixture(scope="module")
def tokens(tmp_path_factory):
    path = tmp_path_factory.mktemp("tokens") / "train.bin"
    np.random.default_rng(0).integers(0, 256, BATCH * SEQUENCE + 2).astype("<u2").tofile(path)
    return path


def run(tool, *words):
    return subprocess.run([tool("prec-run"), *map(str, words)], capture_output=True, text=True)


def gradients_of(path, weights, tokens):
    module = prec.Module(path)
    module.load(weights)
    return read_gradients(module, np.fromfile(tokens, "<u2")[:BATCH * SEQUENCE].reshape(BATCH, SEQUENCE))


def test_agrees_with_numpy(tool, modules, tokens, tmp_path):
    report, (reference, weights) = tmp_path / "report.json", modules["fp32"]
    paths = [modules[recipe][0] for recipe in RECIPES]
    done = run(tool, reference, "--verify", *paths, "--weights", weights, "--tokens", tokens, "--report", report)
    assert done.returncode == 0, done.stderr
    found = json.loads(report.read_text())
    assert [module["recipe"] for module in found["modules"]] == list(RECIPES)
    exact = gradients_of(reference, weights, tokens)
    for path, module in zip(paths, found["modules"]):
        other = gradients_of(path, weights, tokens)
        assert module["gradients"].keys() == exact.keys() and str(path) in done.stdout
        for name, agreement in module["gradients"].items():
            x, y = exact[name].ravel(), other[name].ravel()
            np.testing.assert_allclose(agreement["cosine"], x @ y / np.sqrt((x @ x) * (y @ y)), rtol=1e-9)
            np.testing.assert_allclose(agreement["snr_db"], 10 * np.log10((x @ x) / ((y - x) @ (y - x))), rtol=1e-9)
        worst = min(module["gradients"], key=lambda name: module["gradients"][name]["snr_db"])
        assert list(module["gradients"])[0] == worst and worst in done.stdout
    bf16, fp8 = (np.median([each["snr_db"] for each in module["gradients"].values()]) for module in found["modules"])
    assert bf16 > fp8 + 10


def test_a_module_agrees_with_itself(tool, modules, tokens, tmp_path):
    path, weights = modules["bf16"]
    done = run(tool, path, "--verify", path, "--weights", weights, "--tokens", tokens, "--report", tmp_path / "report.json")
    assert done.returncode == 0, done.stderr
    gradients = json.loads((tmp_path / "report.json").read_text())["modules"][0]["gradients"]
    assert all(each["snr_db"] is None and abs(each["cosine"] - 1) < 1e-12 for each in gradients.values()) and "inf dB" in done.stdout


def test_refuses_other_models(tool, modules, compile_module, tokens):
    other, _ = compile_module(import_step(gpt2)[1], "bf16")
    path, _ = modules["fp32"]
    done = run(tool, path, "--verify", other, "--init", "random", "--tokens", tokens)
    assert done.returncode == 1 and "--verify needs modules of one model, but '" in done.stderr


def test_report_needs_verify(tool, modules, tmp_path):
    done = run(tool, modules["fp32"][0], "--report", tmp_path / "report.json", "--init", "random")
    assert done.returncode == 1 and "--report requires --verify" in done.stderr


@pytest.mark.parametrize("kind", ["lion", "sgd, momentum", "sgd, dampened"])
def test_other_optimizers_have_the_same_gradients(kind, tool, modules, compile_module, tokens, tmp_path):
    other, _ = compile_module(import_step(llama, make_optimizer=OPTIMIZERS[kind])[1], "fp32")
    path, weights = modules["fp32"]
    done = run(tool, path, "--verify", other, "--weights", weights, "--tokens", tokens, "--report", tmp_path / "report.json")
    assert done.returncode == 0, done.stderr
    gradients = json.loads((tmp_path / "report.json").read_text())["modules"][0]["gradients"]
    assert len(gradients) == 20 and all(each["snr_db"] is None for each in gradients.values())


def test_refuses_what_keeps_no_gradients(tool, modules, compile_module, tokens, tmp_path):
    path, weights = modules["fp32"]
    without, _ = compile_module(import_step(llama, make_optimizer=OPTIMIZERS["sgd"])[1], "fp32")
    done = run(tool, path, "--verify", without, "--weights", weights, "--tokens", tokens)
    assert done.returncode == 1 and "--verify needs first moments (exp_avg or momentum_buffer), but got none" in done.stderr
    recipe = tmp_path / "coded.json"
    recipe.write_text(json.dumps({**json.loads((ROOT / "recipes/fp32.json").read_text()), "moments": "dynamic8"}))
    coded, _ = compile_module(import_step(llama)[1], recipe)
    done = run(tool, path, "--verify", coded, "--weights", weights, "--tokens", tokens)
    assert done.returncode == 1 and "--verify needs first moments in f32, but got 'model.embed_tokens.weight.exp_avg_codes'" in done.stderr
