# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime's C ABI (runtime/include/prec-rt/prec-rt.h) as ctypes declarations."""
from __future__ import annotations

import ctypes as c
import os
import pathlib
from typing import Any

from .errors import BY_CODE, InvalidArgument, NotFound, RuntimeFailure, Unsupported

__all__ = ["Library", "RuntimeFailure"]

ANY_DEVICE = -1


class Tensor(c.Structure):
    _fields_ = [("name", c.c_char_p), ("dtype", c.c_int32), ("device_kind", c.c_int32), ("device_index", c.c_int32),
                ("reserved", c.c_uint32), ("rank", c.c_size_t), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)),
                ("data", c.c_void_p)]


class _Sized(c.Structure):
    """A structure that begins with its size."""

    def __init__(self, **fields: Any) -> None:
        super().__init__(size=c.sizeof(self), **fields)


Allocate = c.CFUNCTYPE(c.c_void_p, c.c_size_t, c.c_size_t, c.c_void_p)
Deallocate = c.CFUNCTYPE(None, c.c_void_p, c.c_size_t, c.c_void_p)
Log = c.CFUNCTYPE(None, c.c_int32, c.c_char_p, c.c_void_p)


class Call(c.Structure):
    _fields_ = [("size", c.c_size_t), ("command", c.c_char_p), ("function", c.c_char_p), ("settings", c.c_char_p), ("num_inputs", c.c_size_t),
                ("inputs", c.POINTER(Tensor)), ("num_results", c.c_size_t), ("results", c.POINTER(Tensor))]


HostFunction = c.CFUNCTYPE(c.c_int32, c.POINTER(Call), c.POINTER(c.c_char), c.c_size_t, c.c_void_p)


class Function(c.Structure):
    _fields_ = [("name", c.c_char_p), ("call", HostFunction), ("user", c.c_void_p)]


LOG_LEVELS = ("debug", "note", "warning")


class Options(_Sized):
    _fields_ = [("size", c.c_size_t), ("library_folders", c.POINTER(c.c_char_p)), ("num_library_folders", c.c_size_t),
                ("device", c.c_int32), ("threads", c.c_uint32), ("stream", c.c_void_p), ("allocate", Allocate),
                ("deallocate", Deallocate), ("allocator_user", c.c_void_p), ("log", Log), ("log_user", c.c_void_p),
                ("communicator", c.c_void_p), ("rank", c.c_int32), ("world_size", c.c_int32), ("algorithm_file", c.c_char_p),
                ("state_of", c.c_void_p), ("functions", c.POINTER(Function)), ("num_functions", c.c_size_t)]


class Statistics(_Sized):
    _fields_ = [("size", c.c_size_t), ("device_copies", c.c_int64), ("device_bytes", c.c_int64), ("through_host_copies", c.c_int64),
                ("through_host_bytes", c.c_int64)]


class Binding(_Sized):
    _fields_ = [("size", c.c_size_t), ("name", c.c_char_p), ("role", c.c_int32), ("dtype", c.c_int32), ("rank", c.c_size_t),
                ("shape", c.POINTER(c.c_int64)), ("parameter", c.c_char_p), ("slot", c.c_char_p), ("whole_shape", c.POINTER(c.c_int64)),
                ("slice_start", c.POINTER(c.c_int64))]


class Launch(_Sized):
    _fields_ = [("size", c.c_size_t), ("rank", c.c_int32), ("world_size", c.c_int32), ("local_rank", c.c_int32), ("reserved", c.c_int32),
                ("launcher", c.c_char * 32), ("address", c.c_char * 320)]


class ConnectOptions(_Sized):
    _fields_ = [("size", c.c_size_t), ("rank", c.c_int32), ("world_size", c.c_int32), ("address", c.c_char_p), ("timeout_s", c.c_double)]


class StepResult(_Sized):
    _fields_ = [("size", c.c_size_t), ("loss", c.c_double), ("step", c.c_int64), ("finite", c.c_int32), ("skipped", c.c_int32),
                ("crowded", c.c_int32), ("reserved", c.c_int32)]


_MODULE, _ERROR = c.c_void_p, c.c_void_p
_BATCH = (_MODULE, c.POINTER(Tensor), c.c_size_t, c.POINTER(StepResult))
_FALLIBLE = {
    "find_launch": (c.c_char_p, c.POINTER(Launch)),
    "connect": (c.POINTER(ConnectOptions), c.POINTER(c.c_void_p)),
    "all_gather": (c.c_void_p, c.c_void_p, c.c_void_p, c.c_size_t),
    "open": (c.c_char_p, c.POINTER(Options), c.POINTER(_MODULE)),
    "open_memory": (c.c_char_p, c.c_size_t, c.c_char_p, c.POINTER(Options), c.POINTER(_MODULE)),
    "get_statistics": (_MODULE, c.POINTER(Statistics)),
    "from_dlpack": (c.c_void_p, c.c_char_p, c.POINTER(Tensor)),
    "from_dlpack_legacy": (c.c_void_p, c.c_char_p, c.POINTER(Tensor)),
    "view": (_MODULE, c.c_size_t, c.POINTER(c.c_void_p)),
    "view_legacy": (_MODULE, c.c_size_t, c.POINTER(c.c_void_p)),
    "step_async": (_MODULE, c.POINTER(Tensor), c.c_size_t),
    "wait": (_MODULE, c.POINTER(StepResult)),
    "get_binding": (_MODULE, c.c_size_t, c.POINTER(Binding)),
    "find_binding": (_MODULE, c.c_char_p, c.POINTER(c.c_size_t)),
    "set": (_MODULE, c.c_size_t, c.POINTER(Tensor)),
    "get": (_MODULE, c.c_size_t, c.POINTER(Tensor)),
    "find_batch": (_MODULE, c.c_int32, c.POINTER(c.c_int32)),
    "find_slice": (_MODULE, c.c_size_t, c.c_int32, c.POINTER(c.c_int32)),
    "place_slice": (_MODULE, c.c_size_t, c.c_int32, c.c_void_p, c.c_size_t, c.c_void_p, c.c_size_t),
    "set_hyper": (_MODULE, c.c_char_p, c.c_double),
    "init_random": (_MODULE, c.c_uint64, c.c_double),
    "init": (_MODULE,),
    "step": _BATCH,
    "sample": _BATCH,
    "eval": _BATCH,
    "enqueue": (_MODULE, c.c_char_p, c.POINTER(Tensor), c.c_size_t, c.POINTER(Tensor), c.c_size_t),
    "refresh": (_MODULE,),
    "restore": (_MODULE,),
    "get_steps": (_MODULE, c.POINTER(c.c_int64)),
    "set_steps": (_MODULE, c.c_int64),
    "accumulate": _BATCH,
    "apply": (_MODULE, c.POINTER(StepResult)),
    "profile": _BATCH + (c.POINTER(c.c_void_p),),
    "shuffle": (c.c_uint64, c.c_int64, c.c_int64, c.c_int64, c.POINTER(c.c_int64)),
    "load": (_MODULE, c.c_char_p),
    "save": (_MODULE, c.c_char_p),
    "save_checkpoint": (_MODULE, c.c_char_p, c.c_int64),
    "load_checkpoint": (_MODULE, c.c_char_p, c.c_char_p, c.POINTER(c.c_int64)),
}


class Library:
    """libprec-rt.so; every fallible call raises RuntimeFailure."""

    abi = 2

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        candidates = [pathlib.Path(path)] if path else _candidates()
        found = next((p for p in candidates if p.is_file()), None)
        if found is None:
            raise NotFound(
                "libprec-rt.so must be in the package, under build/ or given as library=, but is in none of "
                + ", ".join(map(str, candidates)))
        self._dll = dll = c.CDLL(os.fspath(found))
        dll.prec_rt_abi.restype = c.c_uint32
        if dll.prec_rt_abi() != self.abi:
            raise Unsupported(f"{found}: must have abi {self.abi}, but got {dll.prec_rt_abi()}")
        for name, arguments in _FALLIBLE.items():
            function = getattr(dll, "prec_rt_" + name)
            function.argtypes, function.restype = arguments, _ERROR
        dll.prec_rt_error_message.argtypes, dll.prec_rt_error_message.restype = (_ERROR,), c.c_char_p
        dll.prec_rt_error_code.argtypes, dll.prec_rt_error_code.restype = (_ERROR,), c.c_int32
        dll.prec_rt_stream.argtypes, dll.prec_rt_stream.restype = (_MODULE,), c.c_void_p
        dll.prec_rt_error_destroy.argtypes, dll.prec_rt_error_destroy.restype = (_ERROR,), None
        dll.prec_rt_close.argtypes, dll.prec_rt_close.restype = (_MODULE,), None
        dll.prec_rt_disconnect.argtypes, dll.prec_rt_disconnect.restype = (c.c_void_p, c.c_char_p), None
        dll.prec_rt_pad_batches.argtypes, dll.prec_rt_pad_batches.restype = (_MODULE, c.c_int32), None
        dll.prec_rt_trust_batches.argtypes, dll.prec_rt_trust_batches.restype = (_MODULE, c.c_int32), None
        dll.prec_rt_num_bindings.argtypes, dll.prec_rt_num_bindings.restype = (_MODULE,), c.c_size_t
        dll.prec_rt_manifest.argtypes, dll.prec_rt_manifest.restype = (_MODULE, c.POINTER(c.c_size_t)), c.c_void_p
        dll.prec_rt_notes.argtypes, dll.prec_rt_notes.restype = (_MODULE,), c.c_char_p
        dll.prec_rt_not_finite.argtypes, dll.prec_rt_not_finite.restype = (_MODULE,), c.c_char_p
        dll.prec_rt_free.argtypes, dll.prec_rt_free.restype = (c.c_void_p,), None

    def call(self, name: str, *arguments: Any) -> None:
        for type_, argument in zip(_FALLIBLE[name], arguments, strict=True):
            is_text = type_ is c.c_char_p and isinstance(argument, bytes) and not (name == "open_memory" and argument is arguments[0])
            if is_text and b"\0" in argument:  # C would read what is in front of it.
                raise InvalidArgument(f"names and paths must not hold zero bytes, but got {argument!r}")
        error = getattr(self._dll, "prec_rt_" + name)(*arguments)
        if error:
            message = self._dll.prec_rt_error_message(error).decode(errors="replace")
            code = self._dll.prec_rt_error_code(error)
            self._dll.prec_rt_error_destroy(error)
            # Of a library that is newer than this file, any number.
            raise BY_CODE.get(code, RuntimeFailure)(message)

    def close(self, module: c.c_void_p) -> None:
        self._dll.prec_rt_close(module)

    def disconnect(self, communicator: c.c_void_p, reason: str | None) -> None:
        self._dll.prec_rt_disconnect(communicator, None if reason is None else reason.replace("\0", " ").encode(errors="replace"))

    def stream(self, module: c.c_void_p) -> int | None:
        return self._dll.prec_rt_stream(module)

    def pad_batches(self, module: c.c_void_p, enabled: bool) -> None:
        self._dll.prec_rt_pad_batches(module, enabled)

    def trust_batches(self, module: c.c_void_p, enabled: bool) -> None:
        self._dll.prec_rt_trust_batches(module, enabled)

    def num_bindings(self, module: c.c_void_p) -> int:
        return self._dll.prec_rt_num_bindings(module)

    def not_finite(self, module: c.c_void_p) -> str | None:
        name = self._dll.prec_rt_not_finite(module)
        return name.decode() if name else None

    def notes(self, module: c.c_void_p) -> str:
        return self._dll.prec_rt_notes(module).decode()

    def manifest(self, module: c.c_void_p) -> str:
        size = c.c_size_t()
        text = self._dll.prec_rt_manifest(module, c.byref(size))
        return c.string_at(text, size.value).decode()

    def take_text(self, pointer: c.c_void_p) -> str:
        text = c.string_at(pointer).decode()
        self._dll.prec_rt_free(pointer)
        return text


def _candidates() -> list[pathlib.Path]:
    here = pathlib.Path(__file__).resolve().parent
    root = here.parent.parent
    name = "libprec-rt.so"
    return [here / "lib" / name, root / "build" / "lib" / name, root / "build" / "runtime" / name,
            here.parent.parent.parent / "lib" / name]
