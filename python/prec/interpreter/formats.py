# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The NumPy types of a graph's elements. Only narrow floats need ml_dtypes, which is imported when one is met."""
from __future__ import annotations

import numpy as np

_NATIVE = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "i64": np.int64, "i32": np.int32, "i16": np.int16, "i8": np.int8,
           "i4": np.uint8, "i1": np.bool_, "index": np.int64}
_NARROW = {"bf16": "bfloat16", "f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "f8E8M0FNU": "float8_e8m0fnu",
           "f4E2M1FN": "float4_e2m1fn"}
# The largest number of a format, by its name in attributes and by its type.
MAX_FINITE = {"e4m3": 448.0, "e5m2": 57344.0, "f8E4M3FN": 448.0, "f8E5M2": 57344.0, "f4E2M1FN": 6.0,
              "f16": 65504.0, "bf16": float.fromhex("0x1.fep127")}


def numpy_dtype(element: str) -> type[np.generic]:
    """The type of an element that is written so in a graph, for example `bf16`."""
    if element in _NATIVE:
        return _NATIVE[element]
    if element not in _NARROW:
        raise NotImplementedError(f"elements must be one of {', '.join([*_NATIVE, *_NARROW])}, but got {element}")
    import ml_dtypes
    return getattr(ml_dtypes, _NARROW[element])
