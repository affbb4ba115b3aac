# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/untuned.py: a step of each recipe is built, and what it moves is told without running it."""
import json
import subprocess
import sys

import pytest
from conftest import ROOT


def untuned(*words):
    return subprocess.run([sys.executable, ROOT / "benchmarks/untuned.py", *map(str, words)], capture_output=True, text=True)


@pytest.mark.long
def test_built_steps_tell_what_they_move(tmp_path):
    kit, out = tmp_path / "kit", tmp_path / "traffic.json"
    built = untuned("build", kit, "--models", "mlp")
    assert built.returncode == 0, built.stderr
    told = untuned("traffic", kit, "--models", "mlp", "--out", out)
    assert told.returncode == 0, told.stderr
    rows = json.loads(out.read_text())
    assert [row["recipe"] for row in rows] == ["bf16", "fp8-delayed"]
    # 8,192 rows of 4,096 in BF16 are 67 MB: a step has more of them than one.
    assert all(0.067 < row["ideal_gb"] <= row["gb"] < 2 * row["ideal_gb"] and row["kernels"] <= row["commands"] for row in rows)


def test_a_race_must_have_tokens(tmp_path):
    done = untuned("race", tmp_path)
    assert done.returncode == 2 and "race must have --tokens" in done.stderr
