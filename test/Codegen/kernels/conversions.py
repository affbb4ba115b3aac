# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What conversions to narrow formats give, by ml_dtypes, and numbers to try them on."""

import numpy as np
from cases import BF16, E4M3, E5M2, to_fp8

NARROW = {"bf16": BF16, "f16": np.float16, "f8E4M3FN": E4M3, "f8E5M2": E5M2}


def narrowed(values, element):
    with np.errstate(over="ignore", invalid="ignore"):
        return to_fp8(values, NARROW[element]) if "f8" in element else values.astype(NARROW[element])


def interesting(rng, count):
    """Random bit patterns, and the neighborhood of everything that is special."""
    raw = rng.integers(0, 1 << 32, count, dtype=np.uint32)
    # All bf16 values, their halves (ties of bf16), and numbers near FP8's range.
    ties = np.arange(1 << 17, dtype=np.uint32) << np.uint32(15)
    near = np.concatenate([ties - np.uint32(1), ties + np.uint32(1)])
    fp8 = (rng.integers(-20, 20, count // 2) + 127).astype(np.uint32) << np.uint32(23)
    fp8 |= rng.integers(0, 64, count // 2, dtype=np.uint32) << np.uint32(17)
    fp8 |= rng.integers(0, 2, count // 2, dtype=np.uint32) << np.uint32(31)
    jitter = rng.integers(-1, 2, count // 2).astype(np.int64)
    fp8 = (fp8.astype(np.int64) + jitter).astype(np.uint32)
    return np.concatenate([raw, ties, near, fp8]).view(np.float32)
