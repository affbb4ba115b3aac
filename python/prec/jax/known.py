# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step computes of no argument, at import: by NumPy where that has the same bits, else by JAX, which compiles
each primitive first."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_SAME: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative, "max": np.maximum, "min": np.minimum, "eq": np.equal,
    "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "and": np.bitwise_and, "or": np.bitwise_or,
    "stop_gradient": lambda x: x, "copy": lambda x: x,
}
_ROUNDED: dict[str, Callable[..., Any]] = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
# Others have rules of their own for what does not fit.
_DTYPES = ("bool", "int32", "int64", "float32", "float64")

# Primitives whose result has the elements of their operand, in their order.
_SAME_ORDER = ("reshape", "squeeze", "expand_dims")
# And those whose elements are elements of it.
_REPEATS = (*_SAME_ORDER, "broadcast_in_dim", "transpose", "slice", "copy", "rev")


def is_key(array: Any) -> bool:
    """Whether it is a key of jax.random, which has no numbers."""
    return str(getattr(array, "dtype", "")).startswith("key<")


def compute(eqn: Any, arrays: list[Any]) -> list[Any]:
    """The results of one primitive."""
    avals = [v.aval for v in eqn.outvars]
    if all(str(getattr(a, "dtype", "")) in _DTYPES for a in (*arrays, *avals)):
        made = _by_numpy(eqn.primitive.name, eqn.params, arrays, avals[0])
        if made is not None:
            return [np.asarray(made, avals[0].dtype).reshape(avals[0].shape)]
    found = eqn.primitive.bind(*arrays, **eqn.params)
    return [a if is_key(a) else np.asarray(a) for a in (found if eqn.primitive.multiple_results else [found])]


def compute_number(eqn: Any, numbers: list[Any], elementwise: bool) -> np.ndarray | None:
    """The result of one primitive whose operands have one number each in all their elements, where it has, too: it
    takes
    no memory, however large it is."""
    if len(eqn.outvars) != 1:
        return None
    aval = eqn.outvars[0].aval
    if eqn.primitive.name in _REPEATS:
        number = np.asarray(numbers[0]).astype(aval.dtype)
    elif elementwise:
        number = np.asarray(eqn.primitive.bind(*numbers, **eqn.params))
    else:
        return None
    return np.broadcast_to(number, aval.shape) if number.shape == () and number.dtype == aval.dtype else None


def exact_number(eqn: Any, numbers: list[Any]) -> float | None:
    """What a sum, difference or product of two floats is before it is rounded, as the verification in float64 has
    it."""
    function, aval = _ROUNDED.get(eqn.primitive.name), eqn.outvars[0].aval
    if function is None or str(aval.dtype) != "float32" or any(number is None for number in numbers):
        return None
    with np.errstate(all="ignore"):
        return float(function(*(np.float64(number) for number in numbers)))


def _by_numpy(name: str, params: dict[str, Any], arrays: list[Any], aval: Any) -> Any | None:
    with np.errstate(all="ignore"):
        if name in _SAME:
            return _SAME[name](*arrays)
        if name in _SAME_ORDER:
            return np.reshape(arrays[0], aval.shape)
        if name == "broadcast_in_dim":
            x, dims = np.asarray(arrays[0]), params["broadcast_dimensions"]
            shape = [1] * len(aval.shape)
            for d, n in zip(dims, x.shape, strict=True):
                shape[d] = n
            return np.broadcast_to(x.reshape(shape), aval.shape)
        if name == "iota":
            shape = [1] * len(aval.shape)
            shape[params["dimension"]] = aval.shape[params["dimension"]]
            return np.broadcast_to(np.arange(aval.shape[params["dimension"]]).reshape(shape), aval.shape)
        if name == "select_n" and np.asarray(arrays[0]).dtype == np.bool_ and len(arrays) == 3:
            return np.where(arrays[0], arrays[2], arrays[1])
        if name == "convert_element_type" and not (np.asarray(arrays[0]).dtype.kind == "f" and np.dtype(aval.dtype).kind != "f"):
            return np.asarray(arrays[0]).astype(aval.dtype)
    return None
