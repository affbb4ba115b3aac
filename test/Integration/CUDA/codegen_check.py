# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs generated kernels on a GPU and compares them with the CPU kernels' results.

    python DIRECTORY/codegen_check.py [--results FILE] [NAME...]

DIRECTORY comes from test/Codegen/kernels/prepare_gpu.py. Needs a driver
(libcuda.so.1), numpy and ml_dtypes. Elementwise kernels and data movement must
agree in every bit; sums and exponentials within the tolerance that came along. Every case also
runs a second time, and must give the same bits. Conversions to narrow formats
are compared with ml_dtypes on 10^7 random bit patterns besides. Cases without
data are timed beside a copy, by the driver, of as many bytes: half of them read,
half of them written. Where buffers lie in memory moves either time by up to
10 %, so both are medians over PLACEMENTS allocations. FILE gets these times as
JSON.
"""

import argparse
import ctypes
import json
import pathlib
import statistics
import sys

import cases
import conversions
import numpy as np

PLACEMENTS = 5
LAUNCHES = 20
VOCABULARY = 50000


class Driver:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(status, ctypes.byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'?').decode()}")

    def allocate(self, size):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(size))
        return pointer

    def free(self, pointer):
        self.call("cuMemFree_v2", pointer)

    def upload(self, pointer, data):
        self.call("cuMemcpyHtoD_v2", pointer, data, ctypes.c_size_t(len(data)))

    def download(self, pointer, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, pointer, ctypes.c_size_t(size))
        return data.raw

    def fill(self, pointer, value, size):
        self.call("cuMemsetD8_v2", pointer, ctypes.c_ubyte(value), ctypes.c_size_t(size))

    def function(self, directory, entry):
        image, symbol = (directory / f"{entry['name']}.cubin").read_bytes(), entry["symbol"]
        module, function = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), image)
        self.call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
        # Unasked, a kernel has 48 KB with its static memory.
        if entry["shared"]:
            max_dynamic_shared = 8
            self.call("cuFuncSetAttribute", function, max_dynamic_shared, entry["shared"])
        return function

    def launch(self, function, entry, pointers):
        slots = (ctypes.c_void_p * len(pointers))(*(ctypes.addressof(p) for p in pointers))
        self.call("cuLaunchKernel", function, *entry["grid"], *entry["block"], entry["shared"], None, slots, None)

    def synchronize(self):
        self.call("cuCtxSynchronize")

    def copy(self, to, source, size):
        self.call("cuMemcpyDtoDAsync_v2", to, source, ctypes.c_size_t(size), None)

    def time(self, run):
        """Milliseconds of one `run` among LAUNCHES in a row, the best of three rounds."""
        best = float("inf")
        for _ in range(3):
            events = [ctypes.c_void_p(), ctypes.c_void_p()]
            for event in events:
                self.call("cuEventCreate", ctypes.byref(event), 0)
            self.call("cuEventRecord", events[0], None)
            for _ in range(LAUNCHES):
                run()
            self.call("cuEventRecord", events[1], None)
            self.call("cuEventSynchronize", events[1])
            elapsed = ctypes.c_float()
            self.call("cuEventElapsedTime_v2" if hasattr(self.library, "cuEventElapsedTime_v2")
                      else "cuEventElapsedTime", ctypes.byref(elapsed), *events)
            best = min(best, elapsed.value / LAUNCHES)
        return best


def widen(raw, element):
    """float64 values of raw bytes of an element type."""
    if element == "f32":
        return raw.view(np.float32).astype(np.float64)
    if element == "f16":
        return raw.view(np.float16).astype(np.float64)
    if element == "bf16":
        return (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if element in ("f8E4M3FN", "f8E5M2"):
        # Both are a prefix of f16 but for the bias and the special values.
        byte = raw.astype(np.uint16)
        if element == "f8E5M2":
            return (byte << 8).view(np.float16).astype(np.float64)
        value = (((byte & 0x80) << 8) | ((byte & 0x7F) << 7)).view(np.float16).astype(np.float64) * 256
        return np.where((byte & 0x7F) == 0x7F, np.nan, value)
    return raw.view({"i1": np.uint8, "i8": np.int8, "i32": np.int32, "i64": np.int64}[element]).astype(np.float64)


def bits(raw, element):
    """Bits with one NaN for all."""
    size = {"f32": 4, "f16": 2, "bf16": 2, "i32": 4, "i64": 8}.get(element, 1)
    value = raw.view(f"u{size}").copy()
    if element.startswith(("f", "bf")):
        value[np.isnan(widen(raw, element))] = (1 << (8 * size - 1)) - 1
    return value


def run(driver, function, entry, data):
    inputs = entry["inputs"]
    pointers = [driver.allocate(b["bytes"]) for b in entry["buffers"][:inputs]]
    for pointer, raw in zip(pointers, data):
        driver.upload(pointer, raw)
    owned = list(pointers)
    for buffer, source in zip(entry["buffers"][inputs:], entry["inplace"]):
        if source >= 0:
            pointers.append(pointers[source])
        else:
            pointers.append(driver.allocate(buffer["bytes"]))
            owned.append(pointers[-1])
            driver.fill(pointers[-1], 0xA5, buffer["bytes"])
    driver.launch(function, entry, pointers)
    driver.synchronize()
    results = [np.frombuffer(driver.download(p, b["bytes"]), np.uint8)
               for p, b in zip(pointers[inputs:], entry["buffers"][inputs:])]
    for pointer in owned:
        driver.free(pointer)
    return results


def check_conversion(driver, directory, entry, rounds=25):
    """On 400,000 random bit patterns a round, and what is special."""
    element = entry["name"].removeprefix("narrow_")
    function = driver.function(directory, entry)
    different = 0
    for seed in range(rounds):
        values = conversions.interesting(np.random.default_rng(seed), 400_000)
        got, = run(driver, function, entry, [values.tobytes()])
        want = conversions.narrowed(values, element).view(np.uint8)
        different += int((bits(got, element) != bits(want, element)).sum())
    return [f"{different} of {rounds * values.size} values differ from ml_dtypes"] if different else []


def check(driver, directory, entry):
    name, inputs = entry["name"], entry["inputs"]
    function = driver.function(directory, entry)
    data = [(directory / f"{name}.{i}.bin").read_bytes() for i in range(len(entry["buffers"]))]
    got = run(driver, function, entry, data[:inputs])
    again = run(driver, function, entry, data[:inputs])
    problems = []
    for i, (result, repeated) in enumerate(zip(got, again)):
        element = entry["buffers"][inputs + i]["element"]
        want = np.frombuffer(data[inputs + i], np.uint8)
        if not np.array_equal(result, repeated):
            problems.append(f"result {i}: two runs differ")
        different = bits(result, element) != bits(want, element)
        if not entry["tolerance"][i]:
            if different.any():
                at = int(np.argmax(different))
                problems.append(f"result {i}: {different.sum()} of {different.size} differ, first at {at}: "
                                f"{widen(result, element)[at]!r} for {widen(want, element)[at]!r}")
            continue
        tolerance = np.fromfile(directory / f"{name}.tolerance{i}.bin", np.float32)
        with np.errstate(invalid="ignore"):
            error = np.where(different, np.abs(widen(result, element) - widen(want, element)), 0)
        if not (error <= tolerance).all():
            at = int(np.argmax(np.nan_to_num(error - tolerance, nan=np.inf)))
            problems.append(f"result {i}: error {error[at]} beyond {tolerance[at]} at {at}: "
                            f"{widen(result, element)[at]!r} for {widen(want, element)[at]!r}")
    return problems


def make_ids(count):
    return (VOCABULARY ** np.random.default_rng(0).random(count) - 1).astype(np.int32)


def time_kernel(driver, function, entry):
    inputs, pointers, owned = entry["inputs"], [], []
    for i, buffer in enumerate(entry["buffers"]):
        source = entry["inplace"][i - inputs] if i >= inputs else -1
        if source >= 0:
            pointers.append(pointers[source])
            continue
        pointers.append(driver.allocate(buffer["bytes"]))
        owned.append(pointers[-1])
        # Small numbers in every float format, and ids as frequent as the words of a text (Zipf's law).
        driver.fill(pointers[-1], 0 if buffer["element"] == "i32" else 0x3C, buffer["bytes"])
        if buffer["element"] == "i32" and i < inputs:
            is_sorted = entry["family"] == "scatter_add" and i == inputs - 1
            ids = make_ids(buffer["bytes"] // (8 if is_sorted else 4))
            driver.upload(pointers[-1], (cases.sort_ids(ids) if is_sorted else ids).tobytes())
    milliseconds = driver.time(lambda: driver.launch(function, entry, pointers))
    for pointer in owned:
        driver.free(pointer)
    return milliseconds


def time_copy(driver, size):
    pointers = [driver.allocate(size) for _ in range(2)]
    for pointer in pointers:
        driver.fill(pointer, 0x3C, size)
    milliseconds = driver.time(lambda: driver.copy(*pointers, size))
    for pointer in pointers:
        driver.free(pointer)
    return milliseconds


def measure(driver, directory, entry):
    function = driver.function(directory, entry)
    moved = sum(buffer["bytes"] for buffer in entry["buffers"])
    kernel, copy, fillers = [], [], []
    for placement in range(PLACEMENTS):
        kernel.append(time_kernel(driver, function, entry))
        copy.append(time_copy(driver, moved // 2))
        # What stays allocated moves what follows.
        fillers.append(driver.allocate((placement + 1) * (6 << 20)))
    for filler in fillers:
        driver.free(filler)
    milliseconds, copied = statistics.median(kernel), statistics.median(copy)
    return {"kernel": entry["name"].removeprefix("large_"), "ms": round(milliseconds, 4), "gb_s": round(moved / milliseconds / 1e6, 1),
            "copy_gb_s": round(moved // 2 * 2 / copied / 1e6, 1), "of_copy": round(copied / milliseconds, 3)}


def main(arguments):
    driver, failed, timed = Driver(), 0, []
    directory = pathlib.Path(__file__).resolve().parent
    for entry in json.loads((directory / "index.json").read_text()):
        if arguments.names and not any(name in entry["name"] for name in arguments.names):
            continue
        if "tolerance" not in entry:
            timed.append(measure(driver, directory, entry))
            print("{kernel:44s} {ms:9.4f} ms {gb_s:9.1f} GB/s, {of_copy:6.1%} of a copy".format(**timed[-1]), flush=True)
            continue
        problems = check(driver, directory, entry)
        if entry["name"].startswith("narrow_"):
            problems += check_conversion(driver, directory, entry)
        failed += bool(problems)
        print(f"{'FAIL' if problems else 'ok':4s} {entry['name']}" + "".join(f"\n     {p}" for p in problems), flush=True)
    if arguments.results:
        arguments.results.write_text(json.dumps(timed, indent=1) + "\n")
    print(f"{failed} failed")
    return bool(failed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of cases, or a part of it")
    parser.add_argument("--results", type=pathlib.Path, metavar="FILE")
    sys.exit(main(parser.parse_args()))
