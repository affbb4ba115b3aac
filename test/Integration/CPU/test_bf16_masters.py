# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Masters in BF16: the optimizer computes in FP32 from them and rounds to nearest; what reads BF16 reads them, and FP8
copies are made
from what was rounded."""
import json
import subprocess

import ml_dtypes
import numpy as np
import pytest
from conftest import ROOT
from first_step import inputs, moments, read_gradients
from test_against_pytorch import batches, llama
from test_optimizer import pytorch_step

from prec.interpreter.random_bits import random_bits

STEPS = 5


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    """A built-in recipe with BF16 masters."""
    folder = tmp_path_factory.mktemp("recipes")

    def make(name):
        path = folder / f"{name}.json"
        if not path.exists():
            text = json.loads((ROOT / f"recipes/{name}.json").read_text())
            path.write_text(json.dumps({**text, "dtypes": {**text["dtypes"], "master_dtype": "bf16"}}))
        return path
    return make


def parameters(module):
    return {name: value.astype(np.float32) for name, value in module.weights().items()}


def rounded(values):
    return values.astype(ml_dtypes.bfloat16).astype(np.float32)


def test_starts_from_rounded_weights(recipe, open_step, tool, tmp_path):
    model, module = open_step(llama, recipe("bf16"))
    held = parameters(module)
    for name, parameter in model.named_parameters():
        if name in held:
            np.testing.assert_array_equal(held[name], rounded(parameter.detach().numpy()), err_msg=name)
    path, weights = open_step.compiled[llama, recipe("bf16")]
    np.zeros(1000, np.uint16).tofile(tmp_path / "tokens.bin")
    said = subprocess.run([tool("prec-run"), path, "--weights", weights, "--tokens", tmp_path / "tokens.bin", "--steps", "1"], check=True,
                          capture_output=True, text=True).stderr
    assert "are rounded to masters that are narrower" in said


def test_no_copy_in_the_masters_own_format(recipe, open_step):
    _, module = open_step(llama, recipe("bf16"))
    assert not [binding.name for binding in module.bindings if binding.role == "work_weight"]
    assert {binding.dtype for binding in module.bindings if binding.role == "parameter"} == {"bfloat16"}
    _, module = open_step(llama, recipe("fp8-hybrid"))
    assert {binding.dtype for binding in module.bindings if binding.role == "work_weight"} == {"float8_e4m3fn"}


def steps(open_step, recipe):
    """Of each step its number and by parameter the master before, what PyTorch computes from it in FP32, how far FP32
    arithmetic may be from that, and the master after."""
    _, module = open_step(llama, recipe)
    _, reader = open_step(llama, recipe)
    for step, batch in zip(range(1, STEPS + 1), batches()):
        before, first, second = parameters(module), moments(module, "exp_avg"), moments(module, "exp_avg_sq")
        for path, value in before.items():
            reader.set(path, value)
        gradients = read_gradients(reader, batch)
        norm = module.step(inputs(batch), max_norm=1.0)["grad_norm"]
        after = parameters(module)
        exact = pytorch_step(before, gradients, first, second, norm, 1.0, step)
        slack = {path: 4 * np.spacing(np.maximum(np.abs(before[path]), np.abs(value - before[path]))) for path, (value, *_) in exact.items()}
        yield step, {path: (before[path], value, slack[path], after[path]) for path, (value, *_) in exact.items()}


@pytest.mark.parametrize("name", ["bf16", "fp8-hybrid"])
def test_updates_are_pytorchs_in_f32_rounded_once(name, recipe, open_step):
    lost = 0
    for step, updates in steps(open_step, recipe(name)):
        for path, (before, exact, slack, after) in updates.items():
            # Some ulp decide ties.
            low, high = rounded(exact - slack), rounded(exact + slack)
            assert ((low <= after) & (after <= high)).all(), (step, path)
            assert np.mean(low != high) < 1e-3
            lost += np.count_nonzero((after == before) & (exact != before))
    assert lost > 0, "some updates are smaller than half an ulp"


def test_fp8_copies_are_of_the_rounded_master(recipe, open_step):
    _, module = open_step(llama, recipe("fp8-hybrid"))
    module.step(inputs(next(batches())))
    masters = parameters(module)
    members = {b["name"]: b["tensors"] for b in module.manifest["bindings"] if b["role"] == "work_weight" and "tensors" in b}
    checked = 0
    for binding in module.bindings:
        if binding.role != "work_weight" or not binding.slot.startswith("e4m3"):
            continue
        # Of query, key and value, gate and up: rows of all of them, with one scale.
        master = np.concatenate([masters[name] for name in members.get(binding.name, [binding.parameter])])
        scale = np.float32(448) / np.float32(np.abs(master).max())
        expected = np.clip(master * scale, -448, 448).astype(ml_dtypes.float8_e4m3fn)
        got = module.get(binding)
        np.testing.assert_array_equal(got.astype(np.float32), (expected.T if binding.slot == "e4m3_t" else expected).astype(np.float32))
        checked += 1
    assert checked >= 14


def stochastic(values, stream, step):
    """As prec.stochastic_round is defined, in NumPy."""
    random = random_bits(values.shape, step, stream) >> np.uint32(16)
    bits = values.view(np.uint32)
    magnitude = bits & np.uint32(0x7FFFFFFF)
    rounded = np.minimum(magnitude + random & np.uint32(0x7FFF0000), np.uint32(0x7F7F0000))
    return (rounded | bits & np.uint32(0x80000000)).view(np.float32)


@pytest.mark.filterwarnings("ignore:overflow")
def test_stochastic_rounding(recipe, open_step):
    """Bit for bit from what PyTorch computes in FP32, and each way as often as the distances say: of a value a tenth of
    an ulp above
    one of BF16 a tenth is rounded up, in the mean over elements and over steps."""
    path = recipe("bf16")
    text = json.loads(path.read_text())
    path = path.with_name("stochastic.json")
    path.write_text(json.dumps({**text, "master_rounding": "stochastic"}))
    streams, ups, chances = {}, [], []
    for step, updates in steps(open_step, path):
        for name, (_, exact, slack, after) in updates.items():
            if step == 1:
                streams[name] = find_stream(exact, after)
            low, high = (stochastic((exact + sign * slack).astype(np.float32), streams[name], step) for sign in (-1, 1))
            assert ((np.minimum(low, high) <= after) & (after <= np.maximum(low, high))).all(), (step, name)
            below = truncated(exact)
            chance = np.abs(exact - below) / np.abs(next_away(below) - below)
            sure = (chance > 0.05) & (chance < 0.95)
            ups.append((np.abs(after) > np.abs(below))[sure])
            chances.append(chance[sure])
    assert len(set(streams.values())) == len(streams)
    ups, chances = np.concatenate(ups), np.concatenate(chances)
    assert ups.size > 50_000
    for tenth in range(10):
        chosen = (chances >= tenth / 10) & (chances < (tenth + 1) / 10)
        if not chosen.any():
            continue
        deviation = (ups[chosen] - chances[chosen]).sum() / np.sqrt((chances[chosen] * (1 - chances[chosen])).sum())
        # Of 10 such numbers one is beyond 4.5 by chance once in 15,000 times; nearest rounding is beyond by hundreds.
        assert abs(deviation) < 4.5, (tenth, deviation)


def truncated(values):
    return (values.astype(np.float32).view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


def next_away(values):
    return (values.view(np.uint32) + np.uint32(0x10000)).view(np.float32)


def find_stream(exact, got):
    """The number under which a parameter's bits are drawn: the only one that explains them."""
    fits = [stream for stream in range(100) if np.mean(stochastic(exact, stream, 1) == got) > 0.99]
    assert len(fits) == 1
    return fits[0]
