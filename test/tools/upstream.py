# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs functions of upstream dialects by upstream's own passes alone: LLVM's mlir-opt knows nothing of prec, floats of
few bits are cast by LLVM's APFloat (--convert-arith-to-apfloat), and what comes out is called as a shared library. That
pass takes every float, slowly, and is wrong for f64 (LLVM 22), so casts of narrow floats are functions of a module of
their own, which it gets alone."""
from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

LLVM = Path("/usr/lib/llvm-22")
DTYPES = {"f32": np.float32, "f64": np.float64, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
          "f8E5M2": ml_dtypes.float8_e5m2, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu, "f4E2M1FN": ml_dtypes.float4_e2m1fn,
          "i1": np.bool_, "i8": np.int8, "i32": np.int32, "i64": np.int64}
TO_LOOPS = ["func.func(convert-elementwise-to-linalg)", "one-shot-bufferize{bufferize-function-boundaries=1 "
            "function-boundary-type-conversion=identity-layout-map}",
            "buffer-results-to-out-params{hoist-static-allocs=1 modify-public-functions=1}",
            "func.func(llvm-request-c-wrappers)", "convert-linalg-to-loops", "lower-affine", "canonicalize", "arith-expand{include-f8e8m0=1}"]
TO_LLVM = ["expand-strided-metadata", "lower-affine", "convert-scf-to-cf", "convert-math-to-llvm", "convert-math-to-libm",
           "convert-func-to-llvm", "finalize-memref-to-llvm", "convert-arith-to-llvm", "convert-index-to-llvm", "convert-cf-to-llvm",
           "reconcile-unrealized-casts"]
NARROW_CAST = re.compile(r"arith\.(extf|truncf) (%\w+) : (f(?:4|8)\w+|f32) to (f(?:4|8)\w+|f32|bf16|f16)$", re.M)


def tool(name: str) -> str:
    found = LLVM / "bin" / name
    if not found.exists() or not shutil.which(str(found)):
        pytest.skip(f"needs LLVM's {name}")
    return str(found)


def run_tool(command: list[str], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def pipeline(passes: list[str], text: str) -> str:
    return run_tool([tool("mlir-opt"), "-", f"--pass-pipeline=builtin.module({','.join(passes)})"], text)


def split_casts(text: str) -> tuple[str, str]:
    """Loops with calls in place of casts of narrow floats, and a module of the functions that they call."""
    found = {}

    def call(match: re.Match[str]) -> str:
        operation, operand, source, target = match.groups()
        if not any(type_.startswith(("f4", "f8")) for type_ in (source, target)):
            return match[0]
        name = f"narrow_{operation}_{source}_{target}"
        found[name] = f"""func.func @{name}(%x: {source}) -> {target} {{
          %y = arith.{operation} %x : {source} to {target}
          return %y : {target}
        }}"""
        return f"func.call @{name}({operand}) : ({source}) -> {target}"

    text = NARROW_CAST.sub(call, text)
    declared = "\n".join(re.sub(r"@(\w+)\(%x: (\w+)\) -> (\w+).*", r"private @\1(\2) -> \3", code, flags=re.S) for code in found.values())
    end = text.rindex("}")
    return text[:end] + declared + "\n}", "module {\n" + "\n".join(found.values()) + "\n}"


def verify(text: str) -> str:
    """What LLVM's mlir-opt prints of it."""
    return run_tool([tool("mlir-opt"), "-"], text)


def tensor_types(signature: str) -> list[tuple[tuple[int, ...], str]]:
    """Shapes and elements of the tensors in a list of types."""
    found = []
    for match in re.findall(r"tensor<([^<>]*)>", signature):
        *sizes, element = match.split("x")
        found.append((tuple(map(int, sizes)), element))
    return found


def signatures(text: str) -> dict[str, tuple[list[tuple[tuple[int, ...], str]], list[tuple[tuple[int, ...], str]]]]:
    """Types of the arguments and of the results of each function, by its type in generic form."""
    generic = run_tool([tool("mlir-opt"), "-", "--mlir-print-op-generic"], text)
    found = {}
    for properties in re.findall(r'"func.func"\(\) <\{(.*)\}> \(\{', generic):
        function_type = re.search(r"function_type = \((.*)\) -> (\(.*?\)|tensor<[^<>]*>)", properties)
        name = re.search(r'sym_name = "([^"]*)"', properties)
        assert function_type and name, properties
        found[name[1]] = (tensor_types(function_type[1]), tensor_types(function_type[2]))
    return found


class Memref:
    """What a function of MLIR gets of an array; sizes and strides follow."""

    @staticmethod
    def of(array: np.ndarray) -> ctypes.Array:
        words = [array.ctypes.data, array.ctypes.data, 0, *array.shape, *(stride // array.itemsize for stride in array.strides)]
        return (ctypes.c_int64 * len(words))(*words)


class Compiled:
    """The functions of a module."""

    def __init__(self, text: str, folder: Path) -> None:
        self.types = signatures(text)
        loops, casts = split_casts(pipeline(TO_LOOPS, text))
        sources = []
        for name, code in (("loops", pipeline(TO_LLVM, loops)), ("casts", pipeline(["convert-arith-to-apfloat", *TO_LLVM], casts))):
            source = folder / f"{name}.ll"
            source.write_text(run_tool([tool("mlir-translate"), "--mlir-to-llvmir"], code))
            sources += ["-x", "ir", str(source)]
        library = folder / "upstream.so"
        libraries = LLVM / "lib"
        # libc has a function "step", too, which the library must not call.
        linked = [f"-L{libraries}", "-lmlir_apfloat_wrappers", "-lmlir_c_runner_utils", "-lmlir_float16_utils", f"-Wl,-rpath,{libraries}", "-lm"]
        run_tool([tool("clang"), *sources, "-O1", "-w", "-shared", "-fPIC", "-Wl,-Bsymbolic", "-o", str(library), *linked], "")
        self.library = ctypes.CDLL(str(library))

    def run(self, name: str, *inputs: np.ndarray) -> list[np.ndarray]:
        arguments, results = self.types[name]
        assert len(arguments) == len(inputs)
        given = []
        for (shape, element), array in zip(arguments, inputs):
            given.append(np.array(np.broadcast_to(array, shape)).astype(DTYPES[element], order="C"))
        made = [np.zeros(shape, DTYPES[element]) for shape, element in results]
        buffers = [Memref.of(array) for array in [*given, *made]]
        getattr(self.library, f"_mlir_ciface_{name}")(*(ctypes.byref(buffer) for buffer in buffers))
        return made
