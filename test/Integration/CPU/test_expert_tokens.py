# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""In which format tokens travel to the ranks of their experts, and why: --placements and remarks say it. With one scale
of all tokens (expert-scales=shared) one process and several have the same states, whose checkpoints go on in either."""
from __future__ import annotations

import json
import subprocess

import numpy as np
import pytest
from safetensors import safe_open
from test_expert_ranks import CASES, LARGEST, compiled, losses, start, train  # noqa: F401

# What is sent, and why, of a model whose experts are trained.
SENT = {
    "bf16": None,
    "delayed": ("bf16", "each expert has a scale of its rows (expert-scales=shared: one of all tokens)"),
    "fp8-rowwise": ("bf16", "gradients of matrices have scales of blocks of an expert's rows"),
    "shared": ("e4m3", "one scale of all tokens (expert-scales=shared)"),
}
NAMES = {"bf16": "bf16", "e4m3": "f8E4M3FN"}


def get_sent(done: subprocess.CompletedProcess) -> list[str]:
    return [line.split("remark: ")[1] for line in done.stderr.splitlines() if "tokens for experts of other ranks" in line]


def compile_for(tool, graph, case, path, *more):
    done = subprocess.run([tool("prec-compile"), graph, *CASES[case], "--mesh=ep=2", *more, "-o", path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def gathered(tool, module) -> dict[tuple[str, str], float]:
    """MiB that a rank gets of tokens in forward and backward, by phase and format."""
    done = subprocess.run([tool("prec-run"), module, "--placements"], capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        parts = line.split()
        if parts[2:3] == ["step"] and parts[4:6] == ["all_gather", "ep"] and ".mlp" in parts[-1] and parts[6] in NAMES.values():
            found[parts[3], parts[6]] = found.get((parts[3], parts[6]), 0) + float(parts[1])
    return found


@pytest.mark.long
@pytest.mark.parametrize("case", SENT)
def test_what_is_sent_and_why(tool, start, case, tmp_path):  # noqa: F811
    done = compile_for(tool, start("qwen3_moe") / "graph.mlir", case, tmp_path / "step.so", "--expert-room=2")
    if SENT[case] is None:
        assert get_sent(done) == []
        return
    sent, why = SENT[case]
    assert get_sent(done) == [f"tokens for experts of other ranks are sent in {sent} for 2 lookups: {why}"]
    tokens = gathered(tool, tmp_path / "step.so")
    assert ("forward", NAMES[sent]) in tokens
    # Gradients are multiplied by weights of experts before products read them.
    assert ("backward", "bf16") in tokens and ("backward", "f8E4M3FN") not in tokens


@pytest.mark.long
def test_rows_of_frozen_experts_have_scales_of_tokens(tool, start, tmp_path):  # noqa: F811
    """No product for a gradient of their matrices needs tokens as they are."""
    done = compile_for(tool, start("qwen3_moe+frozen") / "graph.mlir", "fp8-rowwise", tmp_path / "step.so")
    assert get_sent(done) == ["tokens for experts of other ranks are sent in e4m3 for 2 lookups: a scale is of a token's own row"]


def histories(folder) -> dict[str, tuple]:
    with safe_open(next(folder.glob("optimizer-*")), "np") as file:
        return {name: tuple(file.get_slice(name).get_shape()) for name in file.keys() if "amax" in name}


@pytest.mark.long
def test_checkpoints_go_on_in_one_process_and_back(train, tmp_path):  # noqa: F811
    found = []
    for steps, mesh in ((4, "ep=2"), (7, ""), (10, "ep=2")):
        entries = train("qwen3_moe", "shared", mesh, tmp_path / "moved", steps, *([] if mesh else ["--micro-batches", "2"]),
                        options=("--expert-room=2",) if mesh else ())
        found += [histories(tmp_path / "moved")]
    assert found[0] == found[1] == found[2] and found[0]
    stayed = train("qwen3_moe", "shared", "", tmp_path / "stayed", 10, "--micro-batches", "2")
    assert json.dumps(found[0]) == json.dumps(histories(tmp_path / "stayed"))
    assert np.abs(losses(entries)[-3:] - losses(stayed)[-3:]).max() <= LARGEST
