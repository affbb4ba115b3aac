# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moments in 8 bits (moments=dynamic8): an update is AdamW's from what the codes stand for, and new codes are the
nearest; both by NumPy and PyTorch. A resumed training goes on bit for bit, a skipped step keeps all bits."""
import subprocess

import numpy as np
import pytest
from dynamic_map import dynamic_map
from first_step import MAX_NORM, import_step, inputs, read_gradients
from poisoned import GOOD, NAN, Poisoned, step as poisoned_step
from test_against_pytorch import batches, llama
from test_optimizer import pytorch_step, ulps

import prec

STEPS = 8
SIGNED = {"exp_avg": True, "exp_avg_sq": False}


@pytest.fixture(scope="module")
def compiled(tool, tmp_path_factory):
    _, imported = import_step(llama)
    folder = tmp_path_factory.mktemp("moments")
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "weights.safetensors")

    def compile_(assign, *options):
        path = folder / f"{assign.replace(' ', '_')}{len(options)}.so"
        if not path.exists():
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", f"--assign={assign}", *options, "-o", path], check=True)
        return path
    compile_.weights = folder / "weights.safetensors"
    return compile_


@pytest.fixture
def open_(compiled):
    def open_module(assign):
        module = prec.Module(compiled(assign))
        module.load(compiled.weights)
        return module
    return open_module


def states(module):
    return {(b.parameter, b.slot): module.get(b) for b in module.bindings if b.role == "optimizer_state"}


def decoded(held, parameter, slot):
    """A moment in f32, and whether it has codes."""
    if (parameter, slot) in held:
        return held[parameter, slot], False
    codes, absmax = held[parameter, slot + "_codes"], held[parameter, slot + "_absmax"]
    blocks = dynamic_map(SIGNED[slot])[codes.view(np.uint8).reshape(-1, 256)] * absmax[:, None]
    return blocks.reshape(codes.shape), True


def test_state_is_codes_and_magnitudes(open_):
    module = open_("recipe=fp32 moments=dynamic8")
    slots = {}
    for binding in module.bindings:
        if binding.role == "optimizer_state":
            slots.setdefault(binding.parameter, {})[binding.slot] = (binding.dtype, tuple(binding.shape))
            assert binding.name == f"{binding.parameter}.{binding.slot}"
    sizes = {b.name: tuple(b.shape) for b in module.bindings if b.role == "parameter"}
    assert slots.keys() == sizes.keys()
    coded = 0
    for name, shape in sizes.items():
        count = int(np.prod(shape))
        if count >= 4096:
            assert count % 256 == 0
            assert slots[name] == {f"{slot}_{kind}": (dtype, held) for slot in SIGNED for kind, dtype, held in
                                   (("codes", "int8", shape), ("absmax", "float32", (count // 256,)))}
            coded += 1
        else:
            assert slots[name] == {slot: ("float32", shape) for slot in SIGNED}
    assert coded > 5


@pytest.mark.parametrize("recipe", ["fp32", "fp8-hybrid"])
def test_update_is_numpys(recipe, open_):
    module, reader = open_(f"recipe={recipe} moments=dynamic8"), open_(f"recipe={recipe}")
    off = codes_seen = 0
    for step, batch in zip(range(1, STEPS + 1), batches()):
        before, held = module.weights(), states(module)
        for name, value in before.items():
            reader.set(name, value)
        gradients = read_gradients(reader, batch)
        norm = module.step(inputs(batch))["grad_norm"]
        old = {slot: {name: decoded(held, name, slot)[0] for name in before} for slot in SIGNED}
        expected = pytorch_step(before, gradients, old["exp_avg"], old["exp_avg_sq"], norm, MAX_NORM, step)
        after, now = module.weights(), states(module)
        for name, (p, m, v) in expected.items():
            assert ulps(after[name], p, np.maximum(np.abs(before[name]), np.abs(p - before[name]))) <= 4, (step, name)
            for slot, exact in (("exp_avg", m), ("exp_avg_sq", v)):
                got, isCoded = decoded(now, name, slot)
                if not isCoded:
                    assert ulps(got, exact, np.maximum(np.abs(old[slot][name]), np.abs(exact))) <= 2
                    continue
                blocks = exact.reshape(-1, 256)
                absmax = np.abs(blocks).max(1)
                assert ulps(now[name, slot + "_absmax"], absmax, absmax) <= 2
                table = dynamic_map(SIGNED[slot])
                scaled = blocks / np.where(absmax == 0, np.float32(1), absmax)[:, None]
                nearest = np.searchsorted((table[1:] + table[:-1]) / np.float32(2), scaled.ravel())
                codes = now[name, slot + "_codes"].view(np.uint8).ravel().astype(int)
                assert np.max(np.abs(codes - nearest)) <= 1, (step, name, slot)
                off, codes_seen = off + np.count_nonzero(codes != nearest), codes_seen + codes.size
                # Relative to the block's largest: half of the widest step of the map, which is next to 1.
                error = np.abs(got.reshape(-1, 256) - blocks).max(1)
                assert np.all(error <= (np.diff(table).max() / 2 + 1e-5) * absmax)
    # Ulp of a moment decide ties of codes.
    assert off <= 1e-4 * codes_seen


def test_a_resumed_training_is_the_same(compiled, tool, tmp_path):
    tokens = np.concatenate([batch.reshape(-1) for batch in batches()]).astype(np.uint16)
    tokens.tofile(tmp_path / "tokens.bin")
    path = compiled("recipe=bf16 moments=dynamic8")

    def run(*arguments):
        subprocess.run([tool("prec-run"), path, "--tokens", tmp_path / "tokens.bin", *arguments], check=True, capture_output=True)
    run("--weights", compiled.weights, "--steps", "12", "--save", tmp_path / "whole")
    run("--weights", compiled.weights, "--steps", "5", "--save", tmp_path / "half")
    run("--resume", tmp_path / "half", "--steps", "12", "--save", tmp_path / "resumed")
    from safetensors.numpy import load_file
    files = sorted(file.relative_to(tmp_path / "whole") for file in (tmp_path / "whole").rglob("*.safetensors"))
    assert files
    names = set()
    for file in files:
        whole, resumed = load_file(tmp_path / "whole" / file), load_file(tmp_path / "resumed" / file)
        assert whole.keys() == resumed.keys()
        names |= whole.keys()
        for name, value in whole.items():
            assert value.dtype == resumed[name].dtype and value.tobytes() == resumed[name].tobytes(), name
    assert {f"optimizer.{slot}_{kind}.model.layers.0.mlp.up_proj.weight" for slot in SIGNED for kind in ("codes", "absmax")} <= names


def test_a_skipped_step_keeps_codes(tool, tmp_path):
    module = Poisoned(tool("prec-compile"), tmp_path, llama).open("coded", "--assign=recipe=bf16 moments=dynamic8")
    batch = next(batches())
    poisoned_step(module, batch, GOOD)
    before = {b.name: module.get(b).tobytes() for b in module.bindings if b.role in ("parameter", "optimizer_state")}
    assert poisoned_step(module, batch, NAN)["skipped"]
    assert before == {b.name: module.get(b).tobytes() for b in module.bindings if b.role in ("parameter", "optimizer_state")}
    assert not poisoned_step(module, batch, GOOD)["skipped"]


@pytest.mark.parametrize("assign", ["recipe=bf16 master-dtype=bf16 master-rounding=stochastic moments=dynamic8", "recipe=fp16 moments=dynamic8",
                                    "recipe=fp8-hybrid moments=dynamic8"])
def test_trains_with_the_others(assign, open_):
    module = open_(assign)
    losses = [module.step(inputs(batch))["loss"] for batch in batches()]
    assert np.isfinite(losses).all() and np.mean(losses[-5:]) < losses[0] - 0.6


def test_accumulating_one_batch_is_a_step(compiled):
    path = compiled("recipe=bf16 moments=dynamic8", "--accumulate")
    whole, split = prec.Module(path), prec.Module(path)
    for module in (whole, split):
        module.load(compiled.weights)
    for _, batch in zip(range(3), batches()):
        whole.step(inputs(batch))
        split.accumulate(inputs(batch))
        split.apply()
    for key, value in states(whole).items():
        np.testing.assert_array_equal(states(split)[key], value, err_msg=str(key))
