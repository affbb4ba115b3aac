# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The plain C program passes, also under two threads with a module each."""
import subprocess
import threading

import numpy as np
from models import BATCH, INPUT, OUTPUT, perceptron


def test_c_program(build, tmp_path):
    step = perceptron().build(tmp_path / "step.so")
    result = subprocess.run([build / "runtime-test-c-api", step, tmp_path], capture_output=True, text=True)
    assert result.returncode == 0 and result.stdout == "passed\n", result.stderr


def test_modules_on_two_threads(tmp_path, open_module):
    path = perceptron("bf16").build(tmp_path / "step.so")
    random = np.random.default_rng(0)
    batch = {"x": random.standard_normal((BATCH, INPUT), np.float32), "y": random.standard_normal((BATCH, OUTPUT), np.float32)}
    losses = {}

    def train(name):
        module = open_module(path)
        module.init_random(seed=1)
        losses[name] = [module.step(batch)["loss"] for _ in range(200)]

    threads = [threading.Thread(target=train, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert losses[0] == losses[1] == losses[2]
