# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles every case for the GPU, with what a machine that has one needs.

    python prepare_gpu.py DIRECTORY
    python DIRECTORY/codegen_check.py                            (there)

The directory holds one cubin, the inputs and the CPU kernel's results of each
case as raw bytes, and an index. Cases of `large.py` carry no data: they are for
timing.
"""

import json
import pathlib
import shutil
import sys
import tempfile

import conversions
import harness
import large
import numpy as np
import test_conversions
import test_math
from cases import CASES

HERE = pathlib.Path(__file__).resolve().parent
CHECK = [HERE.parents[1] / "Integration" / "CUDA" / "codegen_check.py", *(HERE / f"{name}.py" for name in ("conversions", "cases", "harness"))]


def describe(case, launch):
    name, _, grid, block, shared = launch
    def numbers(text):
        return [int(n) for n in text.split(",")]
    buffers = []
    for text in case.inputs + case.results:
        shape, dtype = harness.parse_type(text)
        buffers.append({"bytes": int(np.prod(shape)) * dtype.itemsize,
                        "element": text.rstrip(">").split("x")[-1].split("<")[-1]})
    return {"name": case.name, "family": case.family, "symbol": name, "grid": numbers(grid), "block": numbers(block),
            "shared": int(shared), "inputs": len(case.inputs), "inplace": case.inplace or [-1] * len(case.results),
            "buffers": buffers}


def by_instruction(arrays, index):
    """Half of what the GPU's own exponential (6 ulp, nothing subnormal) and the CPU's (1 ulp) may differ by."""
    with np.errstate(over="ignore", invalid="ignore"):
        want = np.exp(arrays[0])
    return np.nan_to_num(3.5 * np.spacing(want), nan=0) + 2.0 ** -126


def functions():
    """Every expansion and conversion, on the numbers of the CPU's tests."""
    for op, (_, _, ranges) in test_math.FUNCTIONS.items():
        def make(rng, ranges=ranges):
            return [np.concatenate(
                    [test_math.SPECIAL, np.zeros(-len(test_math.SPECIAL) % 8, np.float32)] + [r(rng, 40_000) for r in ranges])]
        count = make(np.random.default_rng(0))[0].size
        t = harness.tensor([count], "f32")
        yield harness.Case(f"math_{op}", "elementwise", [t], [t], f"%y = math.{op} %0 : {t}", "%y", make, None,
                           tolerance=by_instruction if op == "exp" else 0)
    def pairs(rng):
        return [test_math.positive(1e-3, 1e3)(rng, 80_000), test_math.uniform(-9, 9)(rng, 80_000)]
    t = harness.tensor([80_000], "f32")
    yield harness.Case("math_powf", "elementwise", [t, t], [t], f"%y = math.powf %0, %1 : {t}", "%y", pairs, None)
    for element, dtype in conversions.NARROW.items():
        size = np.dtype(dtype).itemsize
        case = test_conversions.widen(element, 1 << (8 * size))
        case.make = lambda rng, size=size, dtype=dtype: [np.arange(1 << (8 * size), dtype=f"u{size}").view(dtype)]
        yield case
        def make(rng):
            return [conversions.interesting(rng, 400_000)]
        case = test_conversions.narrow(element, make(np.random.default_rng(0))[0].size)
        case.make = make
        yield case


def main(directory):
    directory = pathlib.Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    for path in CHECK:
        shutil.copy(path, directory)
    index = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for case in [*CASES, *functions(), *large.CASES]:
            launch, = harness.build(case, "nvptx", scratch)
            entry = describe(case, launch)
            shutil.copy(scratch / f"{case.name}.gpu.cubin", directory / f"{case.name}.cubin")
            if case.make:
                harness.build(case, "cpu", scratch)
                arrays = harness.make_inputs(case)
                results = harness.run_cpu(case, scratch, arrays)
                for i, array in enumerate(arrays + results):
                    (directory / f"{case.name}.{i}.bin").write_bytes(array.tobytes())
                entry["tolerance"] = []
                for i, result in enumerate(results):
                    tolerance = case.tolerance(arrays, i) if callable(case.tolerance) else case.tolerance
                    if not np.isscalar(tolerance):
                        # Both sides may be off by it.
                        np.broadcast_to(2 * tolerance, result.shape).astype(np.float32).tofile(
                            directory / f"{case.name}.tolerance{i}.bin")
                    entry["tolerance"].append(not np.isscalar(tolerance))
            index.append(entry)
    (directory / "index.json").write_text(json.dumps(index, indent=1))
    print(f"{len(index)} cases")


if __name__ == "__main__":
    main(sys.argv[1])
