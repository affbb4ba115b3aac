# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The committed graphs: importing again gives the same bytes, and they are what was asked for."""
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import prec

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {"llama_tiny": ("llama_tiny", "build"), "gpt2_tiny": ("gpt2_tiny", "build"), "bench_llama_tiny": ("bench_llama", "tiny")}


def imported(script, function):
    *step, options = getattr(importlib.import_module(script), function)()
    return prec.import_torch(*step, **options)


@pytest.mark.long
@pytest.mark.cases(1)
@pytest.mark.parametrize("name", EXAMPLES)
def test_importing_again_gives_the_same_bytes(name):
    committed = (ROOT / "examples" / f"{name}.mlir").read_text()
    assert imported(*EXAMPLES[name]).mlir == committed
    assert len(committed) < 150_000
    # Once more, in a process whose hashes are seeded otherwise.
    again = subprocess.run([sys.executable, "-c", f"import sys; sys.path[:0] = [{str(ROOT / 'python')!r}, {str(ROOT / 'examples')!r}]\n"
                            f"import prec, {EXAMPLES[name][0]} as e\n*step, options = e.{EXAMPLES[name][1]}()\n"
                            "sys.stdout.write(prec.import_torch(*step, **options).mlir)"],
                           capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "7", "PATH": ""})
    assert again.stdout == committed


@pytest.mark.cases(1)
@pytest.mark.parametrize("script,function", [("quickstart_model", "llama"), ("quickstart_model", "gpt2"),
                                             *(pytest.param(*one, marks=pytest.mark.long) for one in (
                                                 ("bench_llama", "model_124m"), ("bench_llama", "model_8b_l8"), ("hf_llama_1b", "hf_llama_1b")))])
def test_the_other_examples_import(script, function):
    step = imported(script, function)
    for a in step.graph.arguments:
        if a.role == "parameter" and len(a.value.shape) == 2:
            assert all(d % 16 == 0 for d in a.value.shape), a.path


@pytest.mark.long
@pytest.mark.parametrize("script,function", [("bench_llama", "model_124m"), ("gpt2_50257", "gpt2"), ("hf_llama_1b", "hf_llama_1b")])
def test_graphs_of_real_size_are_assigned(script, function, tmp_path):
    """With vocabularies, widths and depths that small graphs do not have."""
    graph = tmp_path / "graph.mlir"
    graph.write_text(imported(script, function).mlir)
    pipeline = "--pass-pipeline=builtin.module(prec-assign{recipe=fp8-hybrid target=sm_90a})"
    done = subprocess.run([str(ROOT / "build/bin/prec-opt"), str(graph), pipeline, "-o", str(tmp_path / "assigned.mlir")],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "prec.tag<e4m3" in (tmp_path / "assigned.mlir").read_text()


def test_the_llama_graph_has_what_was_asked_for():
    text = (ROOT / "examples/llama_tiny.mlir").read_text()
    roles = {
        role: len(re.findall(rf"#prec_train.role<{role}>", text))
        for role in ("parameter", "buffer", "optimizer_state", "batch", "hyper", "loss", "metric", "updated")
    }
    assert roles == {"parameter": 20, "buffer": 1, "optimizer_state": 40, "batch": 2, "hyper": 7, "loss": 1, "metric": 1, "updated": 60}
    assert 'prec_train.aliases = ["lm_head.weight"]' in text and "prec_train.initial" in text
    assert text.count("= prec_train.attention ") == text.count("= prec_train.attention_grad ") == 2
    assert "dims [1] : (tensor<2x2x32x16xf32>) -> " not in text, "keys and values must stay unexpanded"
    # Every backward op with a link finds a forward op with the same one, in the same module.
    links = re.findall(r"^    %.*?(backward>, )?prec_train.seq = (\d+).* loc\((.*)\)$", text, re.M)
    forward = {seq: place for backward, seq, place in links if not backward}
    backward = [(seq, place) for is_backward, seq, place in links if is_backward]
    assert len(backward) > 50
    assert all(forward.get(seq, place) == place for seq, place in backward)
    # Weight gradients are one product of the output's gradient and the input, without a transpose of their own.
    assert len(re.findall(r"prec_train.matmul %\d+, %\d+ \{transpose_a, prec_train.phase = #prec_train.phase<backward>", text)) == 15
    assert not re.findall(r"permutation \[1, 0\]", text)
