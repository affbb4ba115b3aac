# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated grouped products on a GPU and compares them with PyTorch's products in float64.

    python DIRECTORY/grouped_check.py

DIRECTORY comes from test/Codegen/kernels/prepare_grouped.py. Each case has several divisions of its rows: any, all in
one group, ends that do not grow, rows behind the last end, whose content must not matter. Each product is computed
twice and must give the same bits.
"""
import ctypes
import json
import pathlib
import sys

import numpy as np
import torch

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32, "f8E4M3FN": torch.float8_e4m3fn, "f8E5M2": torch.float8_e5m2}
# The driver's CU_TENSOR_MAP_DATA_TYPE_*.
MAPS = {torch.bfloat16: 9, torch.float16: 6}
ROUNDOFF = {"bf16": 2.0**-8, "f16": 2.0**-11, "f32": 2.0**-24}
# Of the product of norms: sums in f32, and of the FP8 unit.
SUM, FP8_SUM = 3e-6, 2e-3
ALIGNMENT = 128
driver = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    status = getattr(driver, name)(*arguments)
    if status:
        raise RuntimeError(f"{name}: {status}")


def describe(tensor):
    """A tensor map as runtime/lib/cuda/CudaGroupedRules.cpp makes it, and its address."""
    memory = (ctypes.c_uint8 * 192)()
    address, size = (ctypes.addressof(memory) + 63) & ~63, tensor.element_size()
    *matrices, rows, columns = tensor.shape
    count = matrices[0] if matrices else 1
    pitch = columns * size
    call("cuTensorMapEncodeTiled", ctypes.c_void_p(address), MAPS.get(tensor.dtype, 0), 4, ctypes.c_void_p(tensor.data_ptr()),
         (ctypes.c_uint64 * 4)(columns, rows, count, 1), (ctypes.c_uint64 * 3)(pitch, rows * pitch, count * rows * pitch),
         (ctypes.c_uint32 * 4)(128 // size, 64, 1, 1), (ctypes.c_uint32 * 4)(1, 1, 1, 1), 0, 3, 3, 0)
    return memory, address


def launch(case, function, tensors):
    kept, slots = [], []
    for tensor in tensors[:2] if case["maps"] else ():
        memory, address = describe(tensor)
        kept.append(memory)
        slots.append(address)
    for tensor in tensors:
        kept.append(ctypes.c_uint64(tensor.data_ptr()))
        slots.append(ctypes.addressof(kept[-1]))
    call("cuLaunchKernel", function, case["grid"], 1, 1, case["block"], 1, 1, case["shared"],
         ctypes.c_void_p(torch.cuda.current_stream().cuda_stream), (ctypes.c_void_p * len(slots))(*slots), None)
    torch.cuda.synchronize()


def ranges(ends, rows, alignment):
    """The rows of each group as given, and where they lie in aligned operands."""
    found, first, place = [], 0, 0
    for end in ends:
        last = min(max(end, first), rows)
        stop = min(place + last - first, rows)
        found.append((slice(first, last), slice(min(place, rows), stop)))
        first, place = last, -(-stop // alignment) * alignment
    return found


def divisions(rows, groups, random):
    cut = sorted(random.integers(0, rows + 1, groups).tolist())
    return [cut[:-1] + [rows], [0] * (groups - 1) + [rows], [rows] * groups, [0] * groups, [*cut[:-1], cut[0]]]


def expand(scales, scaling, shape):
    rows, k = shape
    scales = scales.double()
    if scaling == "row":
        return scales[:, None].expand(rows, k)
    if scaling == "block_1x128":
        return scales.t().repeat_interleave(128, 1)[:rows, :k]
    return scales.reshape(scales.shape[0], -1).repeat_interleave(128, 0)[:rows].repeat_interleave(128, 1)[:, :k]


def exact(case, a, b, parts, scales):
    """The product in float64 and, for each element, the product of norms."""
    a, b = a.double(), b.double()
    ofgroups = [1.0] * case["groups"]
    if case["scalings"] and case["scalings"][0] == "tensor_current":
        ofgroups = (scales[0].double() * scales[1].double()).tolist()
    elif case["scalings"]:
        flat = b.reshape(-1, b.shape[-1])
        a, b = a * expand(scales[0], case["scalings"][0], a.shape), (flat * expand(scales[1], case["scalings"][1], flat.shape)).reshape(b.shape)
    wanted = torch.zeros(case["shapes"][2], device="cuda", dtype=torch.float64)
    norms = torch.zeros_like(wanted)
    for group, (given, aligned) in enumerate(parts):
        if case["direction"] != "wgrad":
            left, right, place = a[given], b[group].t() if case["direction"] == "fprop" else b[group], given
        elif case["scalings"]:
            left, right, place = a[:, aligned], b[:, aligned].t(), group
        else:
            left, right, place = a[given].t(), b[given], group
        wanted[place] = left @ right * ofgroups[group]
        norms[place] = left.norm(dim=1)[:, None] * right.norm(dim=0)[None] * ofgroups[group]
    return wanted, norms


def check(case):
    """What is wrong, or nothing."""
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    call("cuModuleLoadData", ctypes.byref(module), (HERE / f"{case['name']}.cubin").read_bytes())
    call("cuModuleGetFunction", ctypes.byref(function), module, case["symbol"].encode())
    if case["shared"]:
        max_dynamic_shared = 8
        call("cuFuncSetAttribute", function, max_dynamic_shared, case["shared"])
    isaligned = case["direction"] == "wgrad" and bool(case["scalings"])
    rows = case["contracted"] if isaligned else case["rows"]
    for ends in divisions(case["rows"], case["groups"], np.random.default_rng(1)):
        parts = ranges(ends, rows, ALIGNMENT if isaligned else 1)
        a, b = (torch.randn(shape, device="cuda") for shape in case["shapes"][:2])
        if isaligned:
            held = torch.zeros(rows, device="cuda")
            for _, aligned in parts:
                held[aligned] = 1
            a, b = a * held, b * held
        elif not case["scalings"]:
            a[parts[-1][0].stop:] = float("nan")
            if case["direction"] == "wgrad":
                b[parts[-1][0].stop:] = float("inf")
        a, b = a.to(FORMATS[case["left"]]), b.to(FORMATS[case["right"]])
        scales = [torch.rand(shape, device="cuda") + 0.5 for shape in case["scales"]]
        results = []
        for filling in (7.0, 3.0):
            d = torch.full(case["shapes"][2], filling, device="cuda", dtype=FORMATS[case["result"]])
            launch(case, function, [a, b, torch.tensor(ends, dtype=torch.int32, device="cuda"), d, *scales])
            results.append(d)
        if not torch.equal(*results):
            return f"ends {ends}: two runs differ"
        wanted, norms = exact(case, a, b, parts, scales)
        allowed = wanted.abs() * ROUNDOFF[case["result"]] + norms * (FP8_SUM if case["scalings"] and case["maps"] else SUM) + 1e-30
        wrong = ~((results[0].double() - wanted).abs() <= allowed)
        if wrong.any():
            place = tuple(wrong.nonzero()[0].tolist())
            return f"ends {ends}: {int(wrong.sum())} of {wrong.numel()} differ, first at {place}: {results[0][place]} for {wanted[place]}"
    return None


def main():
    torch.zeros(1, device="cuda")
    torch.manual_seed(0)
    cases = json.loads((HERE / "index.json").read_text())
    failures = 0
    for case in cases:
        if problem := check(case):
            failures += 1
            print(case["direction"], case["left"], case["right"], case["result"], *case["scalings"], case["accumulator"], problem, flush=True)
    print(f"{len(cases) - failures} of {len(cases)} grouped products agree with PyTorch")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
