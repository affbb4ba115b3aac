# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Order between CUDA streams, by the driver's own functions: JAX gives streams as numbers and has none for this."""
from __future__ import annotations

import contextlib
import ctypes as c
from collections.abc import Iterator

from ..errors import StepFailure

_NO_TIMING, _NOT_READY = 2, 600
_FUNCTIONS: dict[str, tuple[object, ...]] = {
    "cuInit": (c.c_uint,),
    "cuDeviceGet": (c.POINTER(c.c_int), c.c_int),
    "cuDevicePrimaryCtxRetain": (c.POINTER(c.c_void_p), c.c_int),
    "cuCtxPushCurrent_v2": (c.c_void_p,),
    "cuCtxPopCurrent_v2": (c.POINTER(c.c_void_p),),
    "cuEventCreate": (c.POINTER(c.c_void_p), c.c_uint),
    "cuEventDestroy_v2": (c.c_void_p,),
    "cuEventRecord": (c.c_void_p, c.c_void_p),
    "cuEventQuery": (c.c_void_p,),
    "cuStreamWaitEvent": (c.c_void_p, c.c_void_p, c.c_uint),
    "cuStreamSynchronize": (c.c_void_p,),
}


class Driver:
    """Of one GPU, in its primary context, which JAX and modules use. Errors are StepFailure."""

    def __init__(self, ordinal: int, library: str = "libcuda.so.1") -> None:
        try:
            self._dll = c.CDLL(library)
        except OSError as error:
            raise StepFailure(f"the driver of a GPU must be there but {library} cannot be opened: {error}") from None
        for name, arguments in _FUNCTIONS.items():
            function = getattr(self._dll, name)
            function.argtypes, function.restype = arguments, c.c_int
        device, self._context = c.c_int(), c.c_void_p()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", c.byref(device), ordinal)
        self._call("cuDevicePrimaryCtxRetain", c.byref(self._context), device)

    def record(self, stream: int) -> Event:
        """What is on the stream by now."""
        with self._current():
            event = c.c_void_p()
            self._call("cuEventCreate", c.byref(event), _NO_TIMING)
            made = Event(self, event)
            self._call("cuEventRecord", event, stream)
        return made

    def wait(self, stream: int, event: Event) -> None:
        """What is put on the stream from now on comes behind the event."""
        with self._current():
            self._call("cuStreamWaitEvent", stream, event.handle, 0)

    def synchronize(self, stream: int) -> None:
        with self._current():
            self._call("cuStreamSynchronize", stream)

    def is_done(self, event: Event) -> bool:
        with self._current():
            code = self._dll.cuEventQuery(event.handle)
        if code not in (0, _NOT_READY):
            raise StepFailure(f"cuEventQuery must succeed but got error {code} of the driver")
        return code == 0

    def destroy(self, event: Event) -> None:
        with self._current():
            self._dll.cuEventDestroy_v2(event.handle)

    @contextlib.contextmanager
    def _current(self) -> Iterator[None]:
        self._call("cuCtxPushCurrent_v2", self._context)
        try:
            yield
        finally:
            self._dll.cuCtxPopCurrent_v2(c.byref(c.c_void_p()))

    def _call(self, name: str, *arguments: object) -> None:
        code = getattr(self._dll, name)(*arguments)
        if code:
            raise StepFailure(f"{name} must succeed but got error {code} of the driver")


class Event:
    """A place on a stream."""

    def __init__(self, driver: Driver, handle: c.c_void_p) -> None:
        self._driver, self.handle = driver, handle

    def is_done(self) -> bool:
        return self._driver.is_done(self)

    def __del__(self) -> None:
        self._driver.destroy(self)
