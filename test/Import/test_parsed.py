# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's own parser and verifiers accept what importing emits, for every test model and single op."""
import shutil
import subprocess
from pathlib import Path

import pytest
import torch
from models import MODELS
from test_ops import CASES, Wrapped

import prec

ROOT = Path(__file__).resolve().parents[2]
TOOL = next((t for t in (ROOT / "build/bin/prec-opt", shutil.which("prec-opt")) if t and Path(t).exists()), None)
pytestmark = pytest.mark.skipif(TOOL is None, reason="prec-opt is not built")


def parse(text, folder, name="graph"):
    file = folder / f"{name}.mlir"
    file.write_text(text)
    done = subprocess.run([TOOL, "--verify-roundtrip", file, "-o", "/dev/null"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr[:2000]


def imported(model, batch, verify=False, **options):
    return prec.import_torch(model, torch.optim.AdamW(model.parameters()), batch, **options).mlir


@pytest.mark.cases(2)
@pytest.mark.parametrize("name", MODELS)
def test_models(tmp_path, name):
    parse(imported(*MODELS[name](), clip_grad_norm=1.0), tmp_path)


@pytest.mark.parametrize("name", ["llama", "gpt2"])
def test_eager_attention(tmp_path, name):
    model, batch = MODELS[name]()
    model.set_attn_implementation("eager")
    parse(imported(model, batch, attention="keep"), tmp_path)


def test_ops(tmp_path):
    for name, function in CASES.items():
        parse(imported(Wrapped(function), {"x": torch.rand(4, 6)}), tmp_path, name)


@pytest.mark.parametrize("name", ["llama_tiny", "gpt2_tiny", "bench_llama_tiny"])
def test_committed_graphs(tmp_path, name):
    parse((ROOT / "examples" / f"{name}.mlir").read_text(), tmp_path)


def test_a_broken_graph_is_not_accepted(tmp_path):
    text = (ROOT / "examples/llama_tiny.mlir").read_text()
    with pytest.raises(AssertionError, match="prec_train.matmul"):
        parse(text.replace("{transpose_b, prec_train.seq", "{prec_train.seq", 2), tmp_path)
