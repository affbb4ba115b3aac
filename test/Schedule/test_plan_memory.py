# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Planned steps executed on real memory: segments that begin as garbage, every value read from and written to where
--prec-plan-memory put it. Results must be those of the same functions on values, bit for bit, for two steps in a row;
and --prec-verify-schedule must agree."""
import json
import subprocess
from pathlib import Path

import numpy as np
import pytest

from prec.interpreter import Numpy, Program, random_inputs
from prec.interpreter.formats import numpy_dtype

ROOT = Path(__file__).resolve().parents[2]
ALIGN = 256
VIEWS = ("tensor.collapse_shape", "tensor.expand_shape")
PLAN = ["--prec-plan-memory", "--prec-verify-schedule"]
SCHEDULE = ["--prec-decompose", "--prec-fold-scatter-add", "--prec-form-dispatches"]
PIPELINES = {
    "fp32": SCHEDULE,
    "fp32 without attention": ["--prec-decompose=attention-library=none", "--prec-form-dispatches"],
    **{
        recipe: [
            "--prec-raise-composites",
            f"--assign-precision=recipe={recipe} target=sm_90a",
            "--prec-split-weights",
            "--prec-insert-casts",
            *SCHEDULE,
        ]
        for recipe in ("bf16", "fp8-hybrid")
    },
}


def word(attribute):
    return getattr(attribute, "word", None)


class Memory:
    """The segments of a planned module, laid out from its signatures as MemoryPlan.h says."""

    def __init__(self, module):
        self.module = module
        self.size = dict.fromkeys(("state", "input", "output"), 0)
        self.named, self.outputs, self.arguments, self.results = {}, {}, {}, {}
        functions = sorted(module.functions.values(), key=lambda f: f.name != "step")
        for f in functions:
            self.arguments[f.name] = [self._argument(a, t) for a, t in zip(f.argument_attrs, f.argument_types)]
        for f in functions:
            self.results[f.name] = [self._result(f, a, t) for a, t in zip(f.result_attrs, f.result_types)]
        places = [p for f in functions for op in f.block.operations if op.name.startswith("prec_sched.")
                  for p in zip(placements(op), op.result_types)]
        self.size["workspace"] = max([o + nbytes(t) for (s, o), t in places if s == "workspace"], default=0)
        self.bytes = {s: np.full(n + ALIGN, 0xFF, np.uint8) for s, n in self.size.items()}

    def _place(self, segment, type_):
        offset = self.size[segment]
        self.size[segment] = -(-(offset + nbytes(type_)) // ALIGN) * ALIGN
        return segment, offset

    def _argument(self, attrs, type_):
        segment = "input" if word(attrs.get("prec_train.role")) in ("batch", "hyper") else "state"
        key = attrs.get("prec_train.path"), attrs.get("prec_train.slot")
        if key[0] is None:
            return self._place(segment, type_)
        if key not in self.named:
            self.named[key] = self._place(segment, type_)
        return self.named[key]

    def _result(self, f, attrs, type_):
        if "prec_train.donated_to" in attrs:
            return self.arguments[f.name][attrs["prec_train.donated_to"]]
        key = attrs.get("prec_train.path"), attrs.get("prec_train.slot")
        if key[1] is not None and key in self.named:
            return self.named[key]
        if key[0] is None or key[0] not in self.outputs:
            place = self._place("output", type_)
            if key[0] is None:
                return place
            self.outputs[key[0]] = place
        return self.outputs[key[0]]

    def write(self, place, array):
        segment, offset = place
        raw = np.frombuffer(np.ascontiguousarray(array).tobytes(), np.uint8)
        self.bytes[segment][offset:offset + raw.size] = raw

    def read(self, place, type_):
        segment, offset = place
        raw = self.bytes[segment][offset:offset + nbytes(type_)].tobytes()
        return np.frombuffer(raw, numpy_dtype(type_.element)).reshape(type_.shape)

    def run(self, name):
        """Executes a function; every value passes through memory."""
        f, backend = self.module.functions[name], Numpy()
        places = {n: (p, t) for (n, t), p in zip(f.block.arguments, self.arguments[name])}
        for op in f.block.operations:
            if op.name == "func.return":
                return [self.read(p, t) for p, t in zip(self.results[name], f.result_types)]
            if op.name in VIEWS:
                places[op.results[0]] = places[op.operands[0]][0], op.result_types[0]
                continue
            operands = [self.read(*places[v]) for v in op.operands]
            results = self.module.execute(op, operands, backend)
            for n, p, t, r in zip(op.results, placements(op), op.result_types, results):
                places[n] = p, t
                self.write(p, np.asarray(r).astype(numpy_dtype(t.element)))
        raise AssertionError("no return")


def placements(op):
    """Segment and offset of every result: `#prec_sched.placement<workspace, 256>`."""
    pairs = [a.text[a.text.index("<") + 1:-1].split(", ") for a in op.attributes["placements"]]
    return [(segment, int(offset)) for segment, offset in pairs]


def nbytes(type_):
    return int(np.prod(type_.shape, dtype=np.int64)) * np.dtype(numpy_dtype(type_.element)).itemsize


@pytest.mark.parametrize("pipeline", PIPELINES)
@pytest.mark.parametrize("graph", ["llama_tiny", "gpt2_tiny"])
def test_two_steps_on_memory(prec_opt, graph, pipeline):
    text = (ROOT / f"examples/{graph}.mlir").read_text()
    formed = Program.of_text(text, prec_opt=prec_opt, passes=PIPELINES[pipeline])
    planned = Program.of_text(text, prec_opt=prec_opt, passes=PIPELINES[pipeline] + PLAN)
    step = formed.function("step")
    inputs = random_inputs(formed, seed=3)
    memory = Memory(planned)
    for name, place, type_ in zip(step.argument_names, memory.arguments["step"], step.argument_types):
        role = word(step.argument_attrs[step.argument_names.index(name)].get("prec_train.role"))
        if role not in ("work_weight", "scale_state"):
            memory.write(place, np.asarray(inputs[name]).astype(numpy_dtype(type_.element)))
    if "init" in planned.functions:
        memory.run("init")
    for _ in range(2):
        expected = formed.run(inputs)
        got = memory.run("step")
        for name, e, g in zip(step.result_names, expected, got):
            np.testing.assert_array_equal(g, e, err_msg=name)
        for e, attrs in zip(expected, step.result_attrs):
            if "prec_train.donated_to" in attrs:
                inputs[step.argument_names[attrs["prec_train.donated_to"]]] = e
    # Nothing but donated storage has changed.
    donated = {a["prec_train.donated_to"] for a in step.result_attrs if "prec_train.donated_to" in a}
    for i, (name, place, type_) in enumerate(zip(step.argument_names, memory.arguments["step"], step.argument_types)):
        if i not in donated:
            np.testing.assert_array_equal(memory.read(place, type_), np.asarray(inputs[name]).astype(numpy_dtype(type_.element)))


@pytest.mark.parametrize("graph", ["llama_tiny", "gpt2_tiny"])
def test_plan_is_reproducible(prec_opt, graph):
    command = [prec_opt, str(ROOT / f"examples/{graph}.mlir"), *PIPELINES["bf16"], *PLAN]
    first, second = (subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2))
    assert first == second


def test_sizes_are_reported(prec_opt, tmp_path):
    report = tmp_path / "memory.json"
    text = (ROOT / "examples/llama_tiny.mlir").read_text()
    planned = Program.of_text(text, prec_opt=prec_opt, passes=PIPELINES["fp32"] + [f"--prec-plan-memory=report={report}"])
    sizes = json.loads(report.read_text())
    memory = Memory(planned)
    for segment in ("state", "input", "output"):
        assert sizes["segments"][segment] == memory.size[segment]
    step = sizes["functions"]["step"]
    assert sizes["segments"]["workspace"] == step["arena_bytes"] >= memory.size["workspace"] > step["arena_bytes"] - ALIGN
    operations = [op for op in planned.function("step").block.operations if op.name.startswith("prec_sched.")]
    assert len(step["live_bytes"]) == len(operations)
    assert max(step["live_bytes"]) == step["peak_live_bytes"] <= step["arena_bytes"] <= 1.15 * step["peak_live_bytes"]
