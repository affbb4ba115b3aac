# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/loss_band.py: it trains the model and batches that prec-run does, and tells a training that is off from
one that is not."""
import json
import os
import subprocess
import sys

import bench_llama
import numpy as np
import pytest
from conftest import ROOT

import prec

STEPS = 6  # Every window of 5 steps to both sides holds all of them.


@pytest.fixture(scope="module")
def band(tmp_path_factory):
    """Runs the benchmark on a tiny model: `band(name=losses, ...)` gives its exit code and report."""
    folder = tmp_path_factory.mktemp("band")
    np.random.default_rng(0).integers(0, 256, 3000).astype("<u2").tofile(folder / "train.bin")

    def run(**trainings):
        words = [word for name, path in trainings.items() for word in ("--losses", f"{name}={path}")]
        done = subprocess.run([sys.executable, ROOT / "benchmarks/loss_band.py", "--tokens", folder / "train.bin", "--out", folder,
                               "--model", "tiny", "--device", "cpu", "--steps", str(STEPS), "--seeds", "2", *words],
                              capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
        assert done.returncode in (0, 1), done.stderr
        return done.returncode, json.loads((folder / "loss_band-bf16.json").read_text())
    run.folder, run.report = folder, run()[1]
    return run


def write(path, losses):
    path.write_text("".join(json.dumps({"step": step, "loss": loss}) + "\n" for step, loss in enumerate(losses, 1)))
    return path


@pytest.mark.long
def test_fp32_recipe_trains_what_pytorch_does(band, tool, compile_module):
    model, optimizer, batch, options = bench_llama.tiny()
    path, _ = compile_module(prec.import_torch(model, optimizer, batch, **options), "fp32")
    metrics = band.folder / "fp32.jsonl"
    subprocess.run([tool("prec-run"), path, "--weights", band.folder / "weights.safetensors", "--tokens", band.folder / "train.bin",
                    "--steps", str(STEPS), "--lr", "1e-4", "--metrics", metrics], check=True, stdout=subprocess.DEVNULL)
    code, report = band(ours=metrics)
    assert code == 0 and report["trainings"]["ours"]["verdict"] == "inside"
    assert report["trainings"]["ours"]["largest_difference"] < 2e-5


@pytest.mark.long
def test_verdicts(band):
    losses, limit = {name: np.array(curves) for name, curves in band.report["losses"].items()}, np.array(band.report["band"])
    np.testing.assert_allclose(limit, np.abs(losses["bf16"] / losses["fp32"] - 1).max(), rtol=1e-12)
    reference = losses["fp32"][0]
    off = reference * (1 + 0.9 * limit)
    code, report = band(pytorch=write(band.folder / "a.jsonl", losses["bf16"][0]), near=write(band.folder / "b.jsonl", off))
    assert code == 0 and [t["verdict"] for t in report["trainings"].values()] == ["inside", "inside"]
    off[2:] = (reference * (1 - 1.1 * limit))[2:]
    code, report = band(far=write(band.folder / "c.jsonl", off))
    assert code == 1 and report["trainings"]["far"]["verdict"] == "OUTSIDE"
    assert report["trainings"]["far"]["steps_outside"] == list(range(3, STEPS + 1))
