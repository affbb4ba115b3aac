# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers of one shape share their kernels, however many there are."""
import re
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

from conftest import ROOT  # noqa: E402

sys.path[:0] = [str(ROOT / "python"), str(ROOT / "benchmarks")]

import prec  # noqa: E402
from llama import Llama  # noqa: E402

COMPILE = ROOT / "build/bin/prec-compile"


def count_kernels(layers: int, folder) -> tuple[int, int]:
    """Distinct kernels, and the most values that one of them reads."""
    with prec.weightless():
        model = Llama(layers, 64, 4, 2, 176, 256)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ids = torch.zeros(2, 32, dtype=torch.int64)
    graph = folder / f"{layers}.mlir"
    prec.import_torch(model, optimizer, {"idx": ids, "tgt": ids}, clip_grad_norm=1.0).write(str(graph))
    subprocess.run([COMPILE, graph, "--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed", "--target=cpu", "--dump-after=codegen",
                    "-o", graph.with_suffix(".so")], check=True)
    found = re.findall(r'prec_sched\.dispatch <\w+> "[^"]*"\(([^)]*)\).*?kernel = @(\w+)', graph.with_suffix(".codegen.mlir").read_text())
    return len({kernel for _, kernel in found}), max(operands.count("%") for operands, _ in found)


@pytest.mark.long
@pytest.mark.skipif(not COMPILE.exists(), reason="prec-compile is not built")
def test_more_layers_need_no_more_kernels(tmp_path):
    # From so many layers on every launch that equal units share has been full once, and groups of 16 have nothing left.
    few, _ = count_kernels(64, tmp_path)
    many, read = count_kernels(112, tmp_path)
    assert many <= few + 6
    assert read <= 256
