# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranks that hold weights in shards and gather them in front of their readers (--zero=3) save the bytes that ranks save
which hold them whole, and keep less."""
import json
import re
import subprocess

import numpy as np
import pytest
import torch
from first_step import adamw, import_step
from rank_processes import run_ranks
from safetensors.torch import load_file
from test_against_pytorch import VOCABULARY, llama
from test_rank_training import digests

# Of a scale with a history the first stage makes a weight's copy behind the update, the third in the next step: the
# same numbers.
CASES = {"fp32": ["--recipe=fp32"], "bf16": ["--recipe=bf16"], "fp8-hybrid": ["--recipe=fp8-hybrid"],
         "fp8-block": ["--recipe=fp8-block"], "mxfp8": ["--recipe=mxfp8"], "rowwise": ["--recipe=fp8-rowwise"],
         "layers alone": ["--recipe=fp8-hybrid", "--merge-contractions=off"],
         "bf16-masters": ["--recipe=bf16", "--assign=master-dtype=bf16 master-rounding=stochastic"],
         "moments": ["--recipe=bf16", "--assign=moments=dynamic8"]}
QUICK = {"fp8-hybrid", "fp32"}


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    folder = tmp_path_factory.mktemp("start")
    _, imported = import_step(llama, make_optimizer=adamw)
    imported.write(folder / "graph.mlir")
    imported.write_weights(folder / "weights.safetensors")
    np.random.default_rng(0).integers(0, VOCABULARY, 60_000).astype(np.uint16).tofile(folder / "tokens.bin")
    return folder


@pytest.fixture(scope="module")
def compiled(tool, start):
    def make(case, stage, *more, mesh="dp=2"):
        path = start / f"{case}-{stage}-{mesh}{''.join(more)}.so"
        if not path.exists():
            subprocess.run([tool("prec-compile"), start / "graph.mlir", *CASES.get(case, [f"--recipe={case}"]), f"--mesh={mesh}", f"--zero={stage}",
                            *more, "-o", path], check=True, capture_output=True)
        return path
    return make


@pytest.fixture
def trained(tool, start):
    def run(module, folder, ranks=2, steps=3):
        run_ranks([tool("prec-run"), module, "--tokens", start / "tokens.bin", "--lr", "1e-3", "--steps", str(steps), "--threads", "1",
                   "--save", folder, "--weights", start / "weights.safetensors", "--metrics", f"{folder}.jsonl"], ranks)
        return digests(folder)
    return run


def trained_tensors(folder):
    """Masters and moments: stage 3 keeps no scales of weights."""
    tensors = [load_file(path) for path in sorted(folder.glob("*.safetensors"))]
    assert len(tensors) == 2
    return {name: value.contiguous().view(-1).view(torch.uint8).tolist() for found in tensors for name, value in found.items() if "scale" not in name}


def losses(folder):
    return [line["loss"] for line in map(json.loads, open(f"{folder}.jsonl")) if "loss" in line]


@pytest.mark.parametrize("case", [case if case in QUICK else pytest.param(case, marks=pytest.mark.long) for case in CASES])
def test_bits_of_stage_1(compiled, trained, case, tmp_path):
    trained(compiled(case, 1), tmp_path / "one")
    trained(compiled(case, 3), tmp_path / "three")
    assert trained_tensors(tmp_path / "one") == trained_tensors(tmp_path / "three")


def test_delayed_scaling_trains_alike(compiled, trained, tmp_path):
    """Scales of weights come from the amaxes of other steps than with copies that the optimizer makes."""
    options = "--assign=tensor-scaling=delayed amax-history=4"
    trained(compiled("fp8-hybrid", 1, options), tmp_path / "one")
    trained(compiled("fp8-hybrid", 3, options), tmp_path / "three")
    assert losses(tmp_path / "three") == pytest.approx(losses(tmp_path / "one"), rel=2e-3)


@pytest.mark.parametrize("mesh,ranks", [("dp=4", 4), ("dp=2,tp=2", 4)])
def test_meshes(compiled, trained, mesh, ranks, tmp_path):
    assert trained(compiled("bf16", 1, mesh=mesh), tmp_path / "one", ranks) == trained(compiled("bf16", 3, mesh=mesh), tmp_path / "three", ranks)


def segments(tool, module):
    text = subprocess.run([tool("prec-run"), module, "--inspect"], check=True, capture_output=True, text=True).stdout
    return {name: int(size) for name, size in re.findall(r"^  (\w+) +(\d+) bytes$", text, re.MULTILINE)}


@pytest.mark.parametrize("case", ["bf16", "fp8-hybrid"])
def test_no_weight_is_whole_between_steps(tool, compiled, case):
    bucket = "--exchange-bucket=4KiB"
    whole, shards = segments(tool, compiled(case, 1, bucket)), segments(tool, compiled(case, 3, bucket))
    copies = sum(np.prod(shape) for shape in matrices(compiled(case, 1).parent / "graph.mlir")) * (2 if case == "bf16" else 1)
    assert sum(whole.values()) - sum(shards.values()) > 0.5 * copies


def matrices(graph):
    """Shapes of the parameters that layers multiply with."""
    found = re.findall(r'tensor<(\d+)x(\d+)xf32> {[^}]*prec_train.path = "([^"]+_proj.weight)"[^}]*role<parameter>', graph.read_text())
    found = found or re.findall(r'tensor<(\d+)x(\d+)xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "([^"]+_proj.weight)"',
                                graph.read_text())
    assert found
    return [(int(rows), int(columns)) for rows, columns, _ in found]


def test_both_phases_gather(tool, compiled, tmp_path):
    subprocess.run([tool("prec-run"), compiled("fp8-hybrid", 3), "--placements", "--placements-html", tmp_path / "page.html"], check=True,
                   capture_output=True)
    data = json.loads(re.search(r'id="data">(.*?)</script>', (tmp_path / "page.html").read_text(), re.DOTALL).group(1))
    gathers = [one for one in data["exchanges"] if one["op"] == "all_gather" and one["dtype"] == "f8E4M3FN" and one["entry_point"] == "step"]
    assert {one["phase"] for one in gathers} == {"forward", "backward"}
