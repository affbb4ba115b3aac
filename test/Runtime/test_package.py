# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`pip install ./python` gives a package that trains: the runtime is in it."""
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT
from models import BATCH, INPUT, OUTPUT, perceptron

TRAIN = f"""
import numpy as np, prec
module = prec.Module("step.so")
module.init_random(seed=1)
batch = {{"x": np.ones(({BATCH}, {INPUT}), np.float32), "y": np.ones(({BATCH}, {OUTPUT}), np.float32)}}
print(prec.__file__, *[module.step(batch)["loss"] for _ in range(3)])
"""


@pytest.mark.long
def test_an_installed_package_trains(tmp_path, open_module):
    folder = tmp_path / "site"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-build-isolation", "--no-deps", "--target", folder, ROOT / "python"], check=True
    )
    assert (folder / "prec/bin/prec-run").is_file() and (folder / "prec/interpreter/program.py").is_file()
    # Whoever imports it has its hints checked.
    assert (folder / "prec/py.typed").is_file()
    path = perceptron().build(tmp_path / "step.so")
    done = subprocess.run([sys.executable, "-c", TRAIN], cwd=tmp_path, env={"PYTHONPATH": str(folder)}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    where, *losses = done.stdout.split()
    assert where.startswith(str(folder))
    module = open_module(path)
    module.init_random(seed=1)
    batch = {"x": np.ones((BATCH, INPUT), np.float32), "y": np.ones((BATCH, OUTPUT), np.float32)}
    assert [float(loss) for loss in losses] == [module.step(batch)["loss"] for _ in range(3)]
