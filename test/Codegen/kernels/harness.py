# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles files of dispatches and runs their kernels from numpy.

A case is MLIR text with one dispatch, what its inputs are, and a reference in
numpy. Narrow floats travel as ml_dtypes arrays.
"""

import ctypes
import dataclasses
import glob
import pathlib
import re
import shutil
import subprocess
from collections.abc import Callable

import ml_dtypes
import numpy as np

DTYPES = {
    "f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2,
    "i1": np.bool_, "i8": np.int8, "i32": np.int32, "i64": np.int64,
}


def parse_type(text):
    """`tensor<4x8xbf16>` -> (shape, dtype)."""
    *shape, element = re.fullmatch(r"tensor<(.*)>", text.strip()).group(1).split("x")
    return tuple(map(int, shape)), np.dtype(DTYPES[element])


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, list(shape) + [element]))}>"


@dataclasses.dataclass
class Case:
    name: str
    family: str
    inputs: list          # tensor types
    results: list         # tensor types
    body: str             # with %0, %1, ... for the inputs
    yields: str
    make: Callable        # rng -> arrays
    reference: Callable   # arrays -> arrays
    # Largest allowed difference from the reference: absolute, as a function of
    # the inputs, or 0 for equal bits.
    tolerance: object = 0
    inplace: list = dataclasses.field(default_factory=list)
    # Rows from which on GPUs work at several at once, if not as many as else.
    many_rows: int | None = None
    # The input in whose order a GPU computes rows.
    order: int | None = None

    def mlir(self):
        ins, outs = ", ".join(self.inputs), ", ".join(self.results)
        args = ", ".join(f"%{i}: {t}" for i, t in enumerate(self.inputs))
        outer = ", ".join(f"%a{i}: {t}" for i, t in enumerate(self.inputs))
        names = ", ".join(f"%a{i}" for i in range(len(self.inputs)))
        count = f":{len(self.results)}" if len(self.results) > 1 else ""
        named = [f"inplace = array<i64: {', '.join(map(str, self.inplace))}>"] if self.inplace else []
        named += [] if self.order is None else [f"order = {self.order} : i64"]
        attrs = f" {{{', '.join(named)}}}" if named else ""
        body = "\n".join("    " + line.strip() for line in self.body.strip().splitlines())
        refs = ", ".join(f"%r#{i}" if count else "%r" for i in range(len(self.results)))
        return f"""func.func @step({outer}) -> ({outs}) attributes {{prec.entry = "step"}} {{
  %r{count} = prec_sched.dispatch <{self.family}> "{self.name}" ({names}){attrs} : ({ins}) -> ({outs}) {{
  ^bb0({args}):
{body}
    prec_sched.yield {self.yields} : {outs}
  }}
  return {refs} : {outs}
}}
"""


def tool(name):
    built = pathlib.Path(__file__).resolve().parents[3] / "build/bin" / name
    found = shutil.which(name) or (str(built) if built.exists() else None)
    if not found:
        raise FileNotFoundError(f"{name} is neither on the search path nor in build/bin")
    return found


def build(case, target, directory):
    """Returns the launch lines; leaves `case.name` + .so or .cubin in the directory."""
    stem = str(pathlib.Path(directory) / case.name) + ("" if target == "cpu" else ".gpu")
    return compile_text(case.mlir(), target, stem, case.many_rows)


def compile_text(text, target, stem, many_rows=None):
    """Writes stem + .so or .cubin, and returns one launch for each dispatch."""
    source = pathlib.Path(stem + ".mlir")
    source.write_text(text)
    subprocess.run([tool("prec-compile-kernels"), source, target, stem, *([] if many_rows is None else [str(many_rows)])], check=True)
    if target == "cpu":
        subprocess.run(["gcc", "-shared", "-o", stem + ".so", *sorted(glob.glob(glob.escape(stem) + ".*.o"))], check=True)
    return [line.split(" ") for line in pathlib.Path(stem + ".txt").read_text().splitlines()]


def make_inputs(case, seed=0):
    arrays = case.make(np.random.default_rng(seed))
    for array, text in zip(arrays, case.inputs, strict=True):
        shape, dtype = parse_type(text)
        assert array.shape == shape and array.dtype == dtype, (array.shape, array.dtype, text)
    return [np.ascontiguousarray(a) for a in arrays]


def aligned(shape, dtype):
    """Buffers of a step module are 256-byte aligned."""
    dtype = np.dtype(dtype)
    size = int(np.prod(shape)) * dtype.itemsize
    raw = np.empty(size + 512, np.uint8)
    start = -raw.ctypes.data % 256
    # What follows a buffer belongs to somebody else.
    raw[:] = 0xA5
    return raw[start:start + size].view(dtype).reshape(shape), raw[start + size:start + size + 200]


def call(kernel, extent, arrays, results, inplace=(), pieces=1):
    """Runs a CPU kernel over its extent in `pieces`; `results` are (shape, dtype)."""
    buffers, fences = [], []
    for array in arrays:
        buffer, fence = aligned(array.shape, array.dtype)
        buffer[...] = array
        buffers.append(buffer)
        fences.append(fence)
    outputs = []
    for index, (shape, dtype) in enumerate(results):
        source = inplace[index] if len(inplace) else -1
        if source >= 0:
            outputs.append(buffers[source])
        else:
            buffer, fence = aligned(shape, dtype)
            outputs.append(buffer)
            fences.append(fence)
    everything = buffers + outputs
    pointers = (ctypes.c_void_p * len(everything))(*(b.ctypes.data for b in everything))
    bounds = np.linspace(0, extent, min(pieces, extent) + 1).astype(int)
    # Backwards, since no order is promised.
    for begin, end in reversed(list(zip(bounds, bounds[1:]))):
        kernel(pointers, ctypes.c_int64(int(begin)), ctypes.c_int64(int(end)))
    assert all((fence == 0xA5).all() for fence in fences), "wrote past a buffer"
    return [np.array(r) for r in outputs]


def run_cpu(case, directory, arrays, pieces=1):
    directory = pathlib.Path(directory)
    (name, extent, *_), = [line.split(" ") for line in (directory / f"{case.name}.txt").read_text().splitlines()]
    library = ctypes.CDLL(str(directory / f"{case.name}.so"))
    return call(getattr(library, name), int(extent), arrays, [parse_type(t) for t in case.results], case.inplace, pieces)


def bits(array):
    """Bits with one NaN for all."""
    array = np.ascontiguousarray(array)
    if array.dtype.kind in "fV" or array.dtype.name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
        wide = array.astype(np.float32)
        raw = array.view(f"u{array.dtype.itemsize}").copy()
        raw[np.isnan(wide)] = (1 << (8 * array.dtype.itemsize - 1)) - 1
        return raw
    return array


def compare(case, got, want, arrays):
    for index, (g, w) in enumerate(zip(got, want, strict=True)):
        assert g.shape == w.shape and g.dtype == w.dtype, (case.name, index, g.dtype, w.dtype, g.shape, w.shape)
        tolerance = case.tolerance(arrays, index) if callable(case.tolerance) else case.tolerance
        if np.isscalar(tolerance) and tolerance == 0:
            different = bits(g) != bits(w)
            assert not different.any(), (
                f"{case.name}: result {index}: {different.sum()} of {g.size} differ, first at "
                f"{np.argwhere(different)[0]}: {g[different].flat[0]} for {w[different].flat[0]}")
        else:
            error = np.abs(g.astype(np.float64) - w.astype(np.float64))
            assert (error <= tolerance).all(), (
                f"{case.name}: result {index}: error {np.nanmax(error - tolerance)} beyond tolerance, "
                f"largest {np.nanmax(error)}")
