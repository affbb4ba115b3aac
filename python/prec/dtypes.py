# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime's dtypes and names as NumPy and C have them."""
from __future__ import annotations

import numpy as np

from . import _contract as contract
from .errors import InvalidArgument

DTYPES = {"float32": contract.F32, "bfloat16": contract.BF16, "float16": contract.F16, "float8_e4m3fn": contract.F8E4M3FN,
           "float8_e5m2": contract.F8E5M2, "bool": contract.I1, "int8": contract.I8, "int32": contract.I32, "int64": contract.I64,
           "float8_e8m0fnu": contract.F8E8M0FNU}
NAMES = {code: name for name, code in DTYPES.items()}
# Of an element.
BYTES = {"float32": 4, "bfloat16": 2, "float16": 2, "int32": 4, "int64": 8}


def numpy_dtype(code: int) -> np.dtype:
    name = NAMES[code]
    if code in (contract.BF16, contract.F8E4M3FN, contract.F8E5M2, contract.F8E8M0FNU):
        try:
            import ml_dtypes
        except ImportError:
            raise TypeError(f"reading {name} needs the package ml_dtypes; ask for float32 instead") from None
        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def c_name(name: str) -> bytes:
    if "\0" in name:
        raise InvalidArgument(f"names must not hold zero bytes, but got {name!r}")
    return name.encode()
