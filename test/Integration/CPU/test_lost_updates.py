# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which part of the updates does not reach the masters, as a step counts it, against NumPy on the state before and
after."""
import json
import subprocess

import numpy as np
import pytest
from adamw_update import f32_update
from first_step import OPTIONS, import_step, inputs, moments
from poisoned import GOOD, NAN, Poisoned, step as poisoned_step
from test_against_pytorch import batches, llama

import prec

SCHEMES = {"f32": "master-dtype=fp32", "nearest": "master-dtype=bf16", "stochastic": "master-dtype=bf16 master-rounding=stochastic",
           "precision-aware": "master-dtype=bf16 master-rounding=precision_aware rounding-iterations=6"}
TINY = 1e-7


@pytest.fixture(scope="module")
def compiled(tool, tmp_path_factory):
    _, imported = import_step(llama)
    folder = tmp_path_factory.mktemp("lost")
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "weights.safetensors")

    def compile_(scheme, *options):
        path = folder / f"{scheme}{len(options)}.so"
        if not path.exists():
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", f"--assign=recipe=bf16 {SCHEMES[scheme]}", *options, "-o", path],
                           check=True)
        return path, folder / "weights.safetensors"
    return compile_


@pytest.fixture
def open_counting(compiled):
    def open_(scheme):
        path, weights = compiled(scheme, "--count-lost-updates")
        module = prec.Module(path)
        module.load(weights)
        return module
    return open_


def bits(values):
    return {name: value.astype(np.float32).view(np.uint32) for name, value in values.items()}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_counts_are_numpys(scheme, open_counting):
    module = open_counting(scheme)
    seen = {}
    for step, (rate, batch) in enumerate(zip([1e-3, TINY, 1e-9], batches()), 1):
        before = module.weights()
        result = module.step(inputs(batch), lr=rate)
        old, new = bits(before), bits(module.weights())
        first, second = moments(module, "exp_avg"), moments(module, "exp_avg_sq")
        lost = elements = 0
        for name in old:
            meant = f32_update(before[name].astype(np.float32), first[name], second[name], step, **OPTIONS | {"lr": rate})
            count = np.count_nonzero((old[name] == new[name]) & (meant != 0))
            assert np.float32(result[f"lost_updates.{name}"]) == np.float32(count) / np.float32(old[name].size), (step, name)
            lost, elements = lost + count, elements + old[name].size
        assert np.float32(result["lost_updates"]) == np.float32(lost) / np.float32(elements)
        seen[rate] = result["lost_updates"]
    if scheme == "f32":
        assert seen[1e-3] < 0.01 and seen[TINY] < 0.5 and seen[1e-9] > 0.5
    elif scheme != "stochastic":
        assert 0.001 < seen[1e-3] < 0.2 and seen[TINY] > 0.9
    else:
        assert 0 < seen[1e-3] < 0.2 and 0.9 < seen[TINY] < 1


@pytest.mark.parametrize("scheme", SCHEMES)
def test_counting_changes_nothing(scheme, compiled, open_counting):
    path, weights = compiled(scheme)
    plain = prec.Module(path)
    plain.load(weights)
    counting = open_counting(scheme)
    for _, batch in zip(range(2), batches()):
        assert plain.step(inputs(batch))["loss"] == counting.step(inputs(batch))["loss"]
    for binding in plain.bindings:
        if binding.role in ("parameter", "optimizer_state"):
            assert plain.get(binding).tobytes() == counting.get(binding).tobytes(), binding.name


@pytest.mark.parametrize("scheme", ["nearest", "precision-aware"])
def test_a_skipped_step_loses_nothing(scheme, tool, tmp_path):
    module = Poisoned(tool("prec-compile"), tmp_path, llama).open(scheme, f"--assign=recipe=bf16 {SCHEMES[scheme]}", "--count-lost-updates")
    batch = next(batches())
    assert poisoned_step(module, batch, GOOD, lr=TINY)["lost_updates"] > 0.9
    before = module.weights()
    skipped = poisoned_step(module, batch, NAN, lr=1e-3)
    assert skipped["skipped"] and {value for name, value in skipped.items() if name.startswith("lost_updates")} == {0}
    assert all(module.weights()[name].tobytes() == value.tobytes() for name, value in before.items())


def test_prec_run_writes_them(tool, compiled, tmp_path):
    path, weights = compiled("nearest", "--count-lost-updates")
    (np.arange(1000) % 256).astype(np.uint16).tofile(tmp_path / "tokens.bin")
    subprocess.run([tool("prec-run"), path, "--weights", weights, "--tokens", tmp_path / "tokens.bin", "--steps", "3", "--lr", "1e-6",
                    "--metrics", tmp_path / "metrics.jsonl"], check=True, capture_output=True)
    lines = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    module = prec.Module(path)
    names = {f"lost_updates.{name}" for name in module.weights()} | {"lost_updates"}
    assert len(lines) == 3
    for line in lines:
        assert {name for name in line if name.startswith("lost_updates")} == names
        assert all(0 <= line[name] <= 1 for name in names) and line["lost_updates"] > 0.5
