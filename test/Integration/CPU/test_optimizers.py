# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled optimizers beside AdamW against PyTorch's and lion_pytorch's, from the same parameters, states, gradients
and norm; and what all of them share: narrow masters, lost updates, guards, accumulation, training by prec-run."""
import json
import subprocess

import numpy as np
import pytest
import torch
from first_step import import_step, inputs, read_gradients
from optimizers import OPTIMIZERS, step_from
from test_against_pytorch import batches, llama

import prec

STEPS = 6


def states(module):
    by_parameter = {}
    for binding in module.bindings:
        if binding.role == "parameter":
            by_parameter.setdefault(binding.name, {})
        if binding.role == "optimizer_state":
            by_parameter.setdefault(binding.parameter, {})[binding.slot] = module.get(binding)
    return by_parameter


def clipped(gradients, norm, max_norm):
    """As clip_grads_with_norm_ scales them, in f32."""
    tensors = {name: torch.nn.Parameter(torch.zeros(value.shape)) for name, value in gradients.items()}
    for name, tensor in tensors.items():
        tensor.grad = torch.from_numpy(gradients[name].astype(np.float32))
    torch.nn.utils.clip_grads_with_norm_(tensors.values(), max_norm, torch.tensor(norm, dtype=torch.float32))
    return {name: tensor.grad.numpy() for name, tensor in tensors.items()}


def near(got, expected, before, exact):
    """Within four units in the last place of the larger of the value and its change; Adafactor's sums have another
    order."""
    scale = np.maximum(np.abs(before), np.abs(expected - before))
    slack = 4 * np.spacing(scale) + (0 if exact else 4e-6 * np.abs(expected - before))
    return np.all(np.abs(got.astype(np.float64) - expected) <= slack)


@pytest.mark.parametrize("recipe", ["fp32", "fp8-hybrid"])
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_updates_are_the_originals(kind, recipe, open_step):
    make = OPTIMIZERS[kind]
    exact = not kind.startswith("adafactor")
    _, module = open_step(llama, recipe, make)
    _, reader = open_step(llama, recipe)
    for step, batch in zip(range(1, STEPS + 1), batches()):
        before, old = module.weights(), states(module)
        for name, value in before.items():
            reader.set(name, value)
        gradients = read_gradients(reader, batch)
        max_norm = 0.5 if step % 2 else 50.0
        norm = module.step(inputs(batch), max_norm=max_norm)["grad_norm"]
        assert (norm > max_norm) == (step % 2), "both sides of the clip must be seen"
        expected, new = step_from(make, before, clipped(gradients, norm, max_norm), old, step)
        after, ours = module.weights(), states(module)
        for name, value in expected.items():
            assert near(after[name], value, before[name], exact), (step, name)
            assert ours[name].keys() == new[name].keys()
            for slot, state in new[name].items():
                assert near(ours[name][slot], state, old[name][slot], exact), (step, name, slot)


TRAINED = {"sgd, nesterov": 0.05, "lion": 1e-3, "adafactor": 0.02}


@pytest.fixture(scope="module")
def train(tool, tmp_path_factory):
    """Losses of 60 steps of prec-run on the same walk, and the metrics of each."""
    folder = tmp_path_factory.mktemp("train")
    tokens = np.concatenate([batch.reshape(-1) for batch in batches()]).astype(np.uint16)
    tokens.tofile(folder / "tokens.bin")

    def run(kind, assign, *options, arguments=()):
        _, imported = import_step(llama, make_optimizer=OPTIMIZERS[kind])
        imported.write(folder / "graph.mlir")
        imported.write_weights(folder / "weights.safetensors")
        subprocess.run([tool("prec-compile"), folder / "graph.mlir", f"--assign={assign}", *options, "-o", folder / "step.so"], check=True)
        subprocess.run([tool("prec-run"), folder / "step.so", "--weights", folder / "weights.safetensors", "--tokens", folder / "tokens.bin",
                        "--steps", "60", "--lr", str(TRAINED[kind]), "--metrics", folder / "metrics.jsonl", *arguments], check=True,
                       capture_output=True)
        return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    return run


@pytest.mark.parametrize("kind", TRAINED)
@pytest.mark.parametrize("assign", ["recipe=bf16", "recipe=fp8-hybrid", "recipe=bf16 master-dtype=bf16",
                                    "recipe=bf16 master-dtype=bf16 master-rounding=stochastic",
                                    "recipe=bf16 master-dtype=bf16 master-rounding=precision_aware", "recipe=fp16"])
def test_trains(kind, assign, train):
    lines = train(kind, assign, "--count-lost-updates")
    losses = [line["loss"] for line in lines]
    assert len(losses) == 60 and np.isfinite(losses).all()
    assert losses[0] > 5.3 and np.mean(losses[-5:]) < losses[0] - 0.4
    assert all(0 <= line["lost_updates"] <= 1 for line in lines)


@pytest.mark.parametrize("kind", TRAINED)
def test_two_micro_batches_are_one(kind, tool, tmp_path):
    """A mean of one micro-batch is its value: accumulating one is a step, bit for bit."""
    _, imported = import_step(llama, make_optimizer=OPTIMIZERS[kind])
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", "--recipe=bf16", "--accumulate", "-o", tmp_path / "step.so"], check=True)
    whole, split = prec.Module(tmp_path / "step.so"), prec.Module(tmp_path / "step.so")
    for module in (whole, split):
        module.load(tmp_path / "weights.safetensors")
    for _, batch in zip(range(3), batches()):
        whole.step(inputs(batch))
        split.accumulate(inputs(batch))
        split.apply()
    for name, value in whole.weights().items():
        np.testing.assert_array_equal(split.weights()[name], value)
    for name, slots in states(whole).items():
        for slot, value in slots.items():
            np.testing.assert_array_equal(states(split)[name][slot], value)


@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_updates_are_measured(kind, tool, tmp_path, open_step):
    """A sampled step has the root mean square of what it adds to each parameter, but for two roundings to f32, and of
    its clipped gradient."""
    _, imported = import_step(llama, make_optimizer=OPTIMIZERS[kind])
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    subprocess.run([tool("prec-compile"), tmp_path / "graph.mlir", "--recipe=fp32", "--collect-numerics", "-o", tmp_path / "step.so"], check=True)
    module = prec.Module(tmp_path / "step.so")
    module.load(tmp_path / "weights.safetensors")
    before, batch = module.weights(), next(batches())
    _, reader = open_step(llama, "fp32")
    for name, value in before.items():
        reader.set(name, value)
    gradients = read_gradients(reader, batch)
    result = module.sample(inputs(batch), max_norm=0.5)
    gradients = clipped(gradients, result["grad_norm"], 0.5)
    assert [entry["path"] for entry in result["tensors"]] == list(before)
    for entry in result["tensors"]:
        old, new, gradient = (values[entry["path"]].astype(np.float64) for values in (before, module.weights(), gradients))
        ulp = np.spacing(np.maximum(np.abs(old), np.abs(new)).astype(np.float32)).astype(np.float64)
        change, slack, length = (np.sqrt(np.mean(values ** 2)) for values in (new - old, ulp, gradient))
        assert change > 0 and abs(entry["update_rms"] - change) <= slack + 1e-5 * change, entry["path"]
        assert entry["gradient_rms"] == pytest.approx(length, rel=1e-5)
