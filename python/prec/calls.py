# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of the user's own that compute calls of a module for the CPU (docs/Operations.md)."""
from __future__ import annotations

import ctypes as c
import math
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from . import _runtime as rt
from .dtypes import BYTES, NAMES, c_name, numpy_dtype


class CallTensor:
    """An input or a result of a call, in the module's memory: dtype as NumPy or ml_dtypes calls it, shape, dense. Valid
    while the function runs that is given it."""

    def __init__(self, raw: rt.Tensor) -> None:
        self.dtype, self.code = NAMES[raw.dtype], raw.dtype
        self.shape = tuple(raw.shape[:raw.rank])
        self._address = raw.data

    def memory(self) -> Any:
        """Its bytes, as a buffer that can be written."""
        size = math.prod(self.shape) * BYTES.get(self.dtype, 1)
        return (c.c_char * size).from_address(self._address)

    def numpy(self) -> np.ndarray:
        """Its elements, without a copy; of bfloat16 and the like with ml_dtypes."""
        return np.frombuffer(self.memory(), numpy_dtype(self.code)).reshape(self.shape)


class HostFunction(Protocol):
    """Computes a call of a module for the CPU: writes `results`, of `inputs`. settings: as whoever made the module
    wrote
    them."""

    def __call__(self, settings: str, inputs: list[CallTensor], results: list[CallTensor], /) -> None: ...


class Functions:
    """Functions of the user's as the runtime calls them. An exception is kept, for the call that runs the step to raise
    what it came from."""

    def __init__(self, functions: Mapping[str, HostFunction]) -> None:
        self.raised: BaseException | None = None
        # The runtime's until the module is closed.
        self._calls = [rt.HostFunction(self._wrap(function)) for function in functions.values()]
        entries = [rt.Function(name=c_name(name), call=call) for name, call in zip(functions, self._calls, strict=True)]
        self.array, self.count = (rt.Function * len(entries))(*entries), len(entries)

    def _wrap(self, function: HostFunction) -> Callable[[Any, Any, int, Any], int]:
        def called(call: Any, message: Any, capacity: int, _: Any) -> int:
            try:
                given = call.contents
                function(given.settings.decode(), [CallTensor(given.inputs[i]) for i in range(given.num_inputs)],
                         [CallTensor(given.results[i]) for i in range(given.num_results)])
                return 0
            except BaseException as error:
                self.raised = error
                text = f"{type(error).__name__}: {error}".encode()[:capacity - 1] + b"\0"
                c.memmove(message, text, len(text))
                return 1
        return called

    def take(self) -> BaseException | None:
        raised, self.raised = self.raised, None
        return raised
