# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Step modules made by hand: kernels in C, a manifest from Python, gcc for the rest. Tests of the runtime need no
compiler of ours."""
from __future__ import annotations

import json
import pathlib
import subprocess

import numpy as np
from module_hash import stamp_file

SIZE = {"f32": 4, "bf16": 2, "f16": 2, "f8E4M3FN": 1, "f8E5M2": 1, "f8E8M0FNU": 1, "i1": 1, "i8": 1, "i32": 4, "i64": 8}

_PRELUDE = """
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef void (*prec_cpu_kernel)(void *const *, int64_t, int64_t);
typedef struct { uint32_t abi, num_kernels; const prec_cpu_kernel *kernels; } prec_module_v1;
static inline float widen(uint16_t x) { uint32_t b = (uint32_t)x << 16; float f; memcpy(&f, &b, 4); return f; }
static inline uint16_t narrow(float f) { uint32_t b; memcpy(&b, &f, 4);
  if ((b & 0x7fffffff) > 0x7f800000) return 0x7fc0; return (b + 0x7fff + (b >> 16 & 1)) >> 16; }
"""


class StepModule:
    """Collects buffers, bindings, kernels and commands; `build` compiles them to a shared object."""

    def __init__(self, chip: str = "x86-64"):
        self.kernels: list[tuple[str, str]] = []
        self.constants = b""
        self.manifest = {
            "format": "prec-step-module", "abi": 1, "producer": "step_module.py",
            "target": {"kind": "cpu", "chip": chip}, "recipe": "by hand", "graph": "0" * 64, "shapes": "static",
            "segments": dict.fromkeys(("state", "input", "output", "workspace", "constants"), 0),
            "images": [], "buffers": [], "bindings": [], "entry_points": {"init": [], "step": [], "eval": []}}

    def buffer(self, segment: str, dtype: str, shape: list[int]) -> int:
        segments = self.manifest["segments"]
        offset = -(-segments[segment] // 64) * 64
        segments[segment] = offset + int(np.prod(shape, dtype=np.int64)) * SIZE[dtype]
        self.manifest["buffers"].append({"segment": segment, "offset": offset, "dtype": dtype, "shape": list(shape)})
        return len(self.manifest["buffers"]) - 1

    def constant(self, array: np.ndarray, dtype: str) -> int:
        index = self.buffer("constants", dtype, list(array.shape))
        self.constants = self.constants.ljust(self.manifest["buffers"][index]["offset"], b"\0") + array.tobytes()
        return index

    def bind(self, name: str, role: str, dtype: str, shape: list[int], **more) -> int:
        segment = {"batch": "input", "hyper": "input", "loss": "output", "metric": "output", "guard": "output",
                   "staged_parameter": "workspace"}.get(role, "state")
        index = self.buffer(segment, dtype, shape)
        self.manifest["bindings"].append({"name": name, "role": role, "buffer": index, **more})
        return index

    def temporary(self, dtype: str, shape: list[int]) -> int:
        return self.buffer("workspace", dtype, shape)

    def command(self, entry: str, op: str, name: str, reads: list[int], writes: list[int], **keys) -> dict:
        command = {"op": op, "id": name, "name": name, "reads": reads, "writes": writes, "path": "", "phase": "forward",
                   **keys}
        self.manifest["entry_points"].setdefault(entry, []).append(command)
        return command

    def kernel(self, entry: str, name: str, reads: list[int], writes: list[int], extent: int, body: str, **keys) -> dict:
        """`body` computes iteration `i`; the buffers are b0, b1, ... (reads, then writes not already read)."""
        args = reads + [w for w in writes if w not in reads]
        c_type = {"f32": "float", "bf16": "uint16_t", "f16": "uint16_t", "f8E4M3FN": "uint8_t", "f8E5M2": "uint8_t", "f8E8M0FNU": "uint8_t",
                  "i1": "uint8_t", "i8": "int8_t", "i32": "int32_t", "i64": "int64_t"}
        declarations = "".join(
            f"  {c_type[self.manifest['buffers'][a]['dtype']]} *b{k} = buffers[{k}]; (void)b{k};\n" for k, a in enumerate(args))
        symbol = f"kernel_{len(self.kernels)}"
        self.kernels.append((symbol, f"static void {symbol}(void *const *buffers, int64_t begin, int64_t end) {{\n"
                                     f"{declarations}  for (int64_t i = begin; i < end; ++i) {{ {body} }}\n}}\n"))
        return self.command(entry, "kernel", name, reads, writes, args=args, kernel=len(self.kernels) - 1, extent=extent, **keys)

    def gemm(self, entry: str, name: str, a: int, b: int, d: int, m: int, n: int, k: int, **keys) -> dict:
        reads = [a, b] + [keys[key] for key in ("c", "scale_a", "scale_b", "tensor_scale_a", "tensor_scale_b", "bias") if key in keys]
        return self.command(entry, "gemm", name, reads, [d], a=a, b=b, d=d, m=m, n=n, k=k,
                            **{"batch": 1, "alpha": 1.0, "beta": 0.0, "transpose_a": False, "transpose_b": False,
                               "accumulator": "full", "accumulation": k, **keys})

    def build(self, path: pathlib.Path, abi: int = 1, manifest: str | None = None) -> pathlib.Path:
        path = pathlib.Path(path)
        text = path.with_suffix(".json")
        text.write_text(json.dumps(self.manifest) if manifest is None else manifest)
        constants = path.with_suffix(".bin")
        constants.write_bytes(self.constants)
        table = ", ".join(symbol for symbol, _ in self.kernels) or "0"
        source = path.with_suffix(".c")
        source.write_text(
            _PRELUDE + "".join(code for _, code in self.kernels)
            + f"static const prec_cpu_kernel kernels[] = {{{table}}};\n"
            + f"static const prec_module_v1 module = {{{abi}, {len(self.kernels)}, kernels}};\n"
            + "const prec_module_v1 *prec_module_query_v1(void) { return &module; }\n"
            + f'__asm__(".section .prec.manifest,\\"\\",@progbits\\n.incbin \\"{text}\\"\\n"\n'
            + f'        ".section .prec.constants,\\"\\",@progbits\\n.incbin \\"{constants}\\"\\n"\n'
            + '        ".section .prec.hash,\\"a\\",@progbits\\n.zero 32\\n.text\\n");\n')
        subprocess.run(["gcc", "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-o", path, source, "-lm"], check=True)
        return stamp_file(path)
