# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The 8-bit maps that bitsandbytes publishes, rewritten in NumPy."""
import numpy as np

F32 = np.float32


def dynamic_map(signed):
    """create_dynamic_map(signed, max_exponent_bits=7, total_bits=8); its linspace is torch's, which fuses multiply and
    add."""
    def fused(a, b, c):
        # Products of f32 are exact in f64, and the sums here nowhere near a tie of both roundings.
        return F32(np.float64(a) * np.float64(b) + np.float64(c))

    data = [F32(0), F32(1)]
    for i in range(7):
        fractions = 2 ** i if signed else 2 ** (i + 1)
        step = (F32(1) - F32(0.1)) / F32(fractions)
        boundaries = [fused(step, F32(k), F32(0.1)) if k < (fractions + 1) // 2 else fused(-step, F32(fractions - k), F32(1))
                      for k in range(fractions + 1)]
        means = [(low + high) / F32(2) for low, high in zip(boundaries, boundaries[1:])]
        data += [F32(10.0 ** (i - 6)) * mean for mean in means]
        if signed:
            data += [-F32(10.0 ** (i - 6)) * mean for mean in means]
    assert len(data) == 256
    return np.array(sorted(data), F32)
