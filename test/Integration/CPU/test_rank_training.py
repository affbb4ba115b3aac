# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Processes that train together (--mesh=dp=N) save the bytes that one process saves after as many micro-batches, also
where they go on from each other's checkpoints."""
from __future__ import annotations

import hashlib
import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch
from first_step import adamw, import_step
from optimizers import OPTIMIZERS
from rank_processes import run_ranks
from test_against_pytorch import VOCABULARY, llama
from transformers import GPT2Config, GPT2LMHeadModel

CASES = {"fp32": ["--recipe=fp32"], "fp8-hybrid": ["--recipe=fp8-hybrid"],
         "delayed": ["--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed amax-history=4"],
         "moments": ["--recipe=bf16", "--assign=moments=dynamic8"], "nvfp4": ["--recipe=nvfp4"], "mxfp8": ["--recipe=mxfp8"],
         "fp8-block": ["--recipe=fp8-block"], "fp16": ["--recipe=fp16"],
         "bf16-masters": ["--recipe=bf16", "--assign=master-dtype=bf16 master-rounding=stochastic"],
         "precision-aware": ["--recipe=bf16", "--assign=master-dtype=bf16 master-rounding=precision_aware"],
         "rowwise": ["--recipe=fp8-rowwise"], "torchao": ["--recipe=torchao-tensorwise"],
         "lost updates": ["--recipe=bf16", "--count-lost-updates"], "unguarded": ["--recipe=bf16", "--guard-updates=false"],
         "layers alone": ["--recipe=fp8-hybrid", "--merge-contractions=off"], "one copy": ["--recipe=fp8-hybrid", "--keep-transposed-weights=false"],
         "chunked loss": ["--recipe=bf16", "--chunk-loss=16KiB"], "equal": ["--recipe=bf16", "--micro-batch-weights=equal"],
         "switchable": ["--recipe=fp8-hybrid", "--switchable"], "dropout": ["--recipe=bf16"], "adafactor": ["--recipe=bf16"]}
QUICK = {"fp8-hybrid"}


def dropping() -> torch.nn.Module:
    """Every rank drops something else, what one process drops in the micro-batch of its number."""
    return GPT2LMHeadModel(GPT2Config(vocab_size=VOCABULARY, n_positions=64, n_embd=64, n_layer=2, n_head=4, attn_pdrop=0.0))


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """By case a folder with a graph, weights and tokens."""
    @cache
    def make(build, make_optimizer) -> Path:
        folder = tmp_path_factory.mktemp("start")
        _, imported = import_step(build, make_optimizer=make_optimizer)
        imported.write(folder / "graph.mlir")
        imported.write_weights(folder / "weights.safetensors")
        np.random.default_rng(0).integers(0, VOCABULARY, 60_000).astype(np.uint16).tofile(folder / "tokens.bin")
        return folder
    return lambda case: make(dropping if case == "dropout" else llama, OPTIMIZERS["adafactor"] if case == "adafactor" else adamw)


@pytest.fixture(scope="module")
def compiled(tool, start):
    """The module of a case for so many ranks, which a process alone, too, takes a mesh for: norms are summed alike."""
    def compile_for(case: str, ranks: int) -> Path:
        path = start(case) / f"{case}-{ranks}.so"
        if not path.exists():
            subprocess.run([tool("prec-compile"), start(case) / "graph.mlir", *CASES[case], "--accumulate", f"--mesh=dp={ranks}", "-o", path],
                           check=True, capture_output=True)
        return path
    return compile_for


@pytest.fixture
def train(tool, start, compiled):
    def run(case: str, ranks: int, micro_batches: int, folder: Path, steps: int = 3) -> None:
        """Goes on from what is in the folder."""
        arguments = [tool("prec-run"), compiled(case, ranks), "--tokens", start(case) / "tokens.bin", "--lr", "1e-3", "--steps", str(steps),
                     "--threads", "1", "--micro-batches", str(micro_batches), "--save", folder]
        arguments += ["--resume", folder] if folder.exists() else ["--weights", start(case) / "weights.safetensors"]
        run_ranks(arguments, ranks)
    return run


def digests(folder: Path) -> dict[str, str]:
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
    assert found
    return found


@pytest.mark.parametrize("case", [c if c in QUICK else pytest.param(c, marks=pytest.mark.long) for c in CASES])
def test_ranks_save_what_one_process_does(train, case, tmp_path):
    train(case, 1, 4, tmp_path / "one")
    train(case, 4, 1, tmp_path / "four")
    assert digests(tmp_path / "one") == digests(tmp_path / "four")


@pytest.mark.long
@pytest.mark.parametrize("case", ["fp8-hybrid", "delayed"])
def test_eight_ranks_save_what_one_process_does(train, case, tmp_path):
    train(case, 1, 8, tmp_path / "one")
    train(case, 8, 1, tmp_path / "eight")
    assert digests(tmp_path / "one") == digests(tmp_path / "eight")


@pytest.mark.long
@pytest.mark.parametrize("case", ["fp8-hybrid", "delayed", "moments"])
def test_another_number_of_ranks_goes_on(train, case, tmp_path):
    for folder, meshes in (("one", [1, 1, 1]), ("others", [4, 1, 4])):
        for steps, ranks in enumerate(meshes, start=2):
            train(case, ranks, 4 // ranks, tmp_path / folder, steps)
    assert digests(tmp_path / "one") == digests(tmp_path / "others")
