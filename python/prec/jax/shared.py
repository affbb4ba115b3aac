# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays of JAX that are memory of a step.

A place is the memory of one or several bindings that follow each other. An array is made of it by DLPack, which tells
when JAX needs the memory no longer: once the array is deleted or forgotten, and what was computed of it is done. The
array keeps the place, and the place the module's memory, so that an array may outlive its step.
"""
from __future__ import annotations

import ctypes as c
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import jax

from .. import _dlpack as dlpack
from ..errors import StepFailure
from ..module import Binding, Module

# DLPack's type code and bits.
_TYPES = {"float32": (2, 32), "float16": (2, 16), "bfloat16": (4, 16), "int32": (0, 32), "int64": (0, 64), "int8": (0, 8), "bool": (6, 8)}
# Makes a stream wait until the memory may be read.
Ready = Callable[[int | None], None]


class Place:
    """Memory of bindings that follow each other, the rows of an array if they are several, viewed once for all."""

    def __init__(self, module: Module, bindings: Sequence[Binding], shape: tuple[int, ...]) -> None:
        self.dtype, self.shape = bindings[0].dtype, shape
        self._pointers = [module._view("view", binding) for binding in bindings]
        tensors = [c.cast(pointer, c.POINTER(dlpack.Versioned)).contents.tensor for pointer in self._pointers]
        self.addresses = [tensor.data + tensor.byte_offset for tensor in tensors]
        self.device = (tensors[0].device.type, tensors[0].device.index)
        row = math.prod(bindings[0].shape) * _TYPES[self.dtype][1] // 8
        self.size = row * len(bindings)
        self.is_dense = all(b - a == row for a, b in zip(self.addresses, self.addresses[1:], strict=False))
        # JAX without 64 bits would cut whole numbers of 64: it is given their halves, the lower ones first.
        self.is_halved = self.dtype == "int64" and not jax.config.jax_enable_x64
        if self.is_halved:
            self.dtype, self.shape = "int32", (*shape, 2)

    def __del__(self) -> None:
        for pointer in getattr(self, "_pointers", ()):
            dlpack.delete(pointer, versioned=True)


class Lent:
    """What JAX has of a step's memory."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._changed = threading.Condition()

    def array(self, place: Place, name: str, ready: Ready, awaited: bool = True) -> jax.Array:
        """An array that is the memory of a place. awaited: whether `wait` waits for it."""
        exporter = _Exporter(place, name, self, ready, awaited)
        made = jax.dlpack.from_dlpack(exporter, copy=False)
        if made.unsafe_buffer_pointer() != place.addresses[0]:
            raise StepFailure(f"JAX must take memory of a step as it is but made a copy of {name}")
        return made

    def wait(self, drain: Callable[[], None], patience: float = 2.0) -> None:
        """Until JAX needs none of it. `drain` waits for what JAX computes; what is not back then is held by another
        library: StepFailure."""
        if self._names and not self._wait(0.01):
            drain()
            if not self._wait(patience):
                with self._changed:
                    names = sorted(set(self._names.values()))
                raise StepFailure(f"nobody else may hold memory of arrays that a step takes but {', '.join(names[:5])} is held by an array of NumPy "
                                  "or a tensor that was made of it by DLPack: copy what shall stay (numpy.array(x)), or compile with views=False")

    def _wait(self, seconds: float) -> bool:
        end = time.monotonic() + seconds
        with self._changed:
            while self._names and (left := end - time.monotonic()) > 0:
                self._changed.wait(left)
            return not self._names

    def took(self, key: int, name: str) -> None:
        with self._changed:
            self._names[key] = name

    def gave_back(self, key: int) -> None:
        with self._changed:
            self._names.pop(key, None)
            self._changed.notify_all()


class _Exporter:
    """One hand-over of a place to JAX."""

    def __init__(self, place: Place, name: str, lent: Lent, ready: Ready, awaited: bool) -> None:
        self._place, self._name, self._lent, self._ready, self._awaited = place, name, lent, ready, awaited
        self.key = 0

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._place.device

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> Any:
        self._ready(stream)
        place = self._place
        code, bits = _TYPES[place.dtype]
        shape = (c.c_int64 * len(place.shape))(*place.shape)
        tensor = dlpack.Tensor(data=place.addresses[0], device=dlpack.Device(*place.device), ndim=len(place.shape), code=code, bits=bits, lanes=1,
                               shape=shape)
        managed = dlpack.Managed(tensor=tensor, deleter=_give_back)
        self.key = key = c.addressof(managed)
        _TAKEN[key] = (managed, shape, place, self._lent)
        if self._awaited:
            self._lent.took(key, self._name)
        return dlpack.make_capsule(key, versioned=False)


# What DLPack's structures need as long as somebody has them, by their addresses.
_TAKEN: dict[int, tuple[Any, Any, Place, Lent]] = {}


def _deleted(key: int, taken: dict[int, tuple[Any, Any, Place, Lent]] = _TAKEN) -> None:
    held = taken.pop(key, None)
    if held is not None:
        held[3].gave_back(key)


_give_back = dlpack._Deleter(_deleted)


def end(patience: float = 0.5) -> None:
    """Before Python ends: waits for what JAX gives back."""
    until = time.monotonic() + patience
    while _TAKEN and time.monotonic() < until:
        time.sleep(1e-3)
