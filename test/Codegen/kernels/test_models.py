# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels of whole models: every dispatch against the evaluator, on the evaluator's inputs."""

import ctypes
import pathlib
import subprocess
import sys

import harness
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))

from prec.interpreter import Program, random_inputs  # noqa: E402

PIPELINE = ("builtin.module(func.func(prec-raise-composites),assign-precision{{recipe={recipe} target=sm_90a}},prec-split-weights,"
            "func.func(prec-insert-casts),prec-verify-materialized,prec-decompose,func.func(prec-fold-scatter-add,prec-form-dispatches),prec-plan-memory)")
# Largest distance of neighbors, relative: what one rounding that falls the other way makes.
STEP = {"bf16": 2.0 ** -7, "f16": 2.0 ** -10, "f8E4M3FN": 2.0 ** -3, "f8E5M2": 2.0 ** -2}
SMALLEST = {"f8E4M3FN": 2.0 ** -9, "f8E5M2": 2.0 ** -16, "f16": 2.0 ** -24}
EXACT = ("arith.", "tensor.", "prec_train.broadcast", "prec_train.transpose", "prec_train.iota", "prec_train.gather", "prec.", "prec_sched.yield",
         "math.absf", "math.sqrt")


class Kernels(Program):
    """Runs every dispatch twice: by the evaluator and by its kernel."""

    def load(self, library, launches):
        self.library, self.numbers, self.checked = library, {}, []
        for function in self.functions.values():
            for op in function.block.operations:
                if op.name == "prec_sched.dispatch":
                    self.numbers[id(op)] = len(self.numbers)
        self.launches = launches
        assert len(launches) == len(self.numbers)

    def execute(self, op, operands, backend):
        want = super().execute(op, operands, backend)
        if op.name == "prec_sched.dispatch":
            self.check(op, operands, want)
        return want

    def check(self, op, operands, want):
        number = self.numbers[id(op)]
        name, extent, *_ = self.launches[number]
        inplace = op.attributes.get("inplace", [])
        inplace = list(getattr(inplace, "value", inplace))
        results = [(t.shape, np.dtype(harness.DTYPES[t.element])) for t in op.result_types]
        arrays = [np.ascontiguousarray(a) for a in operands]
        got = harness.call(getattr(self.library, name), int(extent), arrays, results, inplace, pieces=2)
        body = op.regions[0].operations
        exact = all(inner.name.startswith(EXACT) for inner in body)
        for index, (g, w, t) in enumerate(zip(got, want, op.result_types, strict=True)):
            place = f"dispatch {number} {name}, result {index} {t}"
            if exact:
                assert (harness.bits(g) == harness.bits(w)).all(), place
                continue
            g, w = g.astype(np.float64), w.astype(np.float64)
            scale = np.max(np.abs(w)) if w.size else 0
            tolerance = 2e-5 * scale + STEP.get(t.element, 2e-5) * np.abs(w) + SMALLEST.get(t.element, 0)
            error = np.abs(g - w)
            assert (error <= tolerance).all(), (f"{place}: error {np.nanmax(error)}, values up to {scale}; "
                                                f"{[inner.name for inner in body]}")
        self.checked.append(exact)


@pytest.mark.parametrize("model, recipe", [("gpt2_tiny", "bf16"), ("llama_tiny", "fp8-hybrid"), ("bench_llama_tiny", "fp32")])
def test_dispatches(model, recipe, tmp_path):
    tool = harness.tool("prec-opt")
    listed = subprocess.run([tool, "--help"], capture_output=True, text=True).stdout
    if "--prec-form-dispatches" not in listed:
        pytest.skip("this prec-opt has only some phases")
    done = subprocess.run([tool, ROOT / f"examples/{model}.mlir", f"--pass-pipeline={PIPELINE.format(recipe=recipe)}"],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    launches = harness.compile_text(done.stdout, "cpu", str(tmp_path / model))
    kernels = Kernels.of_text(done.stdout, prec_opt=tool)
    kernels.load(ctypes.CDLL(str(tmp_path / f"{model}.so")), launches)
    inputs = random_inputs(kernels, seed=1)
    kernels.run(inputs)
    assert len(kernels.checked) == len(launches) and any(kernels.checked) and not all(kernels.checked)
