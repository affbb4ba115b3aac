# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that have parts of layers (--mesh=tp=N, dp=M,tp=N) train as one process does: in FP32 losses and weights
stay within 2e-5 of it over 50 steps, with other recipes near it; runs repeat bit for bit, skip the same steps, and go
on from each other's checkpoints."""
from __future__ import annotations

import json
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from first_step import adamw, import_step
from optimizers import OPTIMIZERS
from rank_processes import run_ranks
from safetensors.numpy import load_file
from test_against_pytorch import VOCABULARY, llama
from test_rank_training import digests
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

# By recipe, how far losses may be from one process's: scales are of slices, and sums over ranks are rounded.
NEAR = {"fp32": 2e-5, "bf16": 2e-2, "fp8-hybrid": 5e-2, "fp8-block": 5e-2, "fp8-rowwise": 5e-2}
CASES = {**{recipe: [f"--recipe={recipe}"] for recipe in NEAR},
         "delayed": ["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed amax-history=4"],
         "sums": ["--recipe=fp32", "--sequence-parallel=false"]}


def gpt2():
    return GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, n_positions=64, n_embd=64, n_layer=2, n_head=4, attn_pdrop=0.0,
                                      embd_pdrop=0.0, resid_pdrop=0.0))


def wide():
    """Moments of its weights are kept in 8 bits where they are asked for."""
    return LlamaForCausalLM(LlamaConfig(vocab_size=VOCABULARY, hidden_size=128, intermediate_size=256, num_hidden_layers=1, num_attention_heads=4,
                                        num_key_value_heads=2))


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """By model a folder with a graph, weights and tokens."""
    @cache
    def make(build) -> Path:
        folder = tmp_path_factory.mktemp("start")
        _, imported = import_step(build, make_optimizer=adamw)
        imported.write(folder / "graph.mlir")
        imported.write_weights(folder / "weights.safetensors")
        np.random.default_rng(0).integers(0, VOCABULARY, 60_000).astype(np.uint16).tofile(folder / "tokens.bin")
        return folder
    return make


@pytest.fixture(scope="module")
def compiled(tool, start):
    @cache
    def compile_for(build, case: str, mesh: tuple[int, int]) -> Path:
        data, layers = mesh
        axes = [f"dp={data}"] * (data > 1) + [f"tp={layers}"] * (layers > 1)
        path = start(build) / f"{case}-{data}-{layers}.so"
        subprocess.run([tool("prec-compile"), start(build) / "graph.mlir", *CASES[case], "--accumulate",
                        *([f"--mesh={','.join(axes)}"] if axes else []), "-o", path], check=True, capture_output=True)
        return path
    return compile_for


@pytest.fixture
def train(tool, start, compiled):
    def run(build, case: str, mesh: int | tuple[int, int], folder: Path, steps: int, *more: str) -> list[float]:
        """The losses; goes on from what is in the folder. A mesh is (dp, tp), or tp alone."""
        mesh = mesh if isinstance(mesh, tuple) else (1, mesh)
        ranks = mesh[0] * mesh[1]
        metrics = folder.with_suffix(".jsonl")
        arguments = [tool("prec-run"), compiled(build, case, mesh), "--tokens", start(build) / "tokens.bin", "--lr", "1e-3", "--steps",
                     str(steps), "--threads", "1", "--metrics", metrics, "--save", folder, *more]
        arguments += ["--resume", folder] if folder.exists() else ["--weights", start(build) / "weights.safetensors"]
        run_ranks(arguments, ranks, timeout=300)
        return [entry["loss"] for entry in map(json.loads, metrics.read_text().splitlines()) if "loss" in entry]
    return run


def weights(folder: Path) -> dict[str, np.ndarray]:
    return {name: tensor for path in sorted(folder.glob("*.safetensors")) for name, tensor in load_file(path).items()
            if tensor.dtype == np.float32}


def assert_near(folder: Path, other: Path, most: float) -> None:
    ours, theirs = weights(folder), weights(other)
    assert ours.keys() == theirs.keys() and len(ours) > 10
    for name, tensor in ours.items():
        assert tensor.shape == theirs[name].shape, name
        # The gradient of keys' biases is 0 but for rounding, which AdamW makes steps of.
        if name.endswith("attn.c_attn.bias"):
            continue
        # By norms: AdamW makes whole steps of rounding where a gradient is almost 0.
        assert np.linalg.norm(tensor - theirs[name]) <= most * max(1, np.linalg.norm(theirs[name])), name


@pytest.mark.parametrize("ranks", [2, pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize("build", [llama, pytest.param(gpt2, marks=pytest.mark.long)])
def test_fp32_trains_as_one_process(train, build, ranks, tmp_path):
    steps = 50
    one = train(build, "fp32", 1, tmp_path / "one", steps)
    several = train(build, "fp32", ranks, tmp_path / "several", steps)
    assert len(one) == len(several) == steps
    assert np.abs(np.array(one) - several).max() <= NEAR["fp32"]
    assert_near(tmp_path / "several", tmp_path / "one", NEAR["fp32"])


@pytest.mark.parametrize("mesh", [(2, 2), *[pytest.param(mesh, marks=pytest.mark.long) for mesh in ((2, 4), (4, 2))]])
def test_ranks_with_batches_and_parts_of_layers(train, mesh, tmp_path):
    """Of four processes two have one batch, the other two another one: two micro-batches of one process."""
    steps = 50
    one = train(llama, "fp32", 1, tmp_path / "one", steps, "--micro-batches", str(mesh[0]))
    several = train(llama, "fp32", mesh, tmp_path / "several", steps)
    assert np.abs(np.array(one) - several).max() <= NEAR["fp32"]
    assert_near(tmp_path / "several", tmp_path / "one", NEAR["fp32"])


@pytest.mark.long
@pytest.mark.parametrize("case", [case for case in CASES if case != "fp32"])
def test_other_recipes_stay_near_one_process(train, case, tmp_path):
    one = train(llama, case, 1, tmp_path / "one", 30)
    two = train(llama, case, 2, tmp_path / "two", 30)
    assert np.abs(np.array(one) - two).max() <= NEAR.get(case, NEAR["fp32" if case == "sums" else "fp8-hybrid"])


@pytest.mark.parametrize(("case", "mesh"), [("fp32", (1, 2)), *[pytest.param(case, mesh, marks=pytest.mark.long) for case, mesh in (
    ("delayed", (1, 2)), ("delayed", (2, 2)), ("fp8-block", (2, 2)))]])
def test_two_runs_have_the_same_bits(train, case, mesh, tmp_path):
    for folder in ("one", "other"):
        train(llama, case, mesh, tmp_path / folder, 3)
    assert digests(tmp_path / "one") == digests(tmp_path / "other")


def test_refusals(tool, start, tmp_path):
    """Optimizers that update no element alone, and formats that are assigned already."""
    _, imported = import_step(llama, make_optimizer=OPTIMIZERS["adafactor"])
    imported.write(tmp_path / "adafactor.mlir")

    def refused(graph, *options) -> str:
        done = subprocess.run([tool("prec-compile"), graph, *options, "-o", tmp_path / "step.so"], capture_output=True, text=True)
        assert done.returncode == 1
        return done.stderr
    assert "layers must be divided by tp=2, but got none that can be" in refused(tmp_path / "adafactor.mlir", "--recipe=fp32", "--mesh=tp=2")
    assert "moments must be in f32 where layers are divided" in refused(start(wide) / "graph.mlir", "--recipe=bf16",
                                                                        "--assign=moments=dynamic8", "--mesh=tp=2")
    for given, later in ((["--mesh=tp=2"], []), ([], ["--mesh=tp=2"])):
        subprocess.run([tool("prec-compile"), start(llama) / "graph.mlir", "--recipe=fp32", *given, "--dump-after=assign", "-o",
                        tmp_path / "tagged.so"], check=True, capture_output=True)
        assert "layers must be divided as the mesh says before formats are assigned" in refused(tmp_path / "tagged.assign.mlir", *later)


def test_checkpoints_go_on_in_one_process_and_back(train, tmp_path):
    """Masters and moments are whole in files, under their names: what one process saves is what ranks load."""
    for folder, meshes in (("one", [1, 1, 1]), ("others", [2, 1, 2])):
        for steps, ranks in zip((4, 7, 10), meshes):
            train(llama, "fp32", ranks, tmp_path / folder, steps)
    assert_near(tmp_path / "others", tmp_path / "one", NEAR["fp32"])
    # Loaded and saved by another number of ranks: no bit changes, whatever files are called.
    before = digests(tmp_path / "others")
    train(llama, "fp32", 1, tmp_path / "others", 10)
    tensors = [{digest for name, digest in found.items() if name.endswith("safetensors")} for found in (before, digests(tmp_path / "others"))]
    assert tensors[0] == tensors[1] and len(tensors[0]) == 2
