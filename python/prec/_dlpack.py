# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""DLPack's capsules (https://dmlc.github.io/dlpack/latest/python_spec.html), between frameworks' tensors and the
runtime, which reads and writes the structures in them."""
from __future__ import annotations

import ctypes as c
from typing import Any

VERSION = (1, 1)
HOST, CUDA, CUDA_HOST = 1, 2, 3  # DLDeviceType
READ_ONLY = 1  # a flag
_NAMES = {True: b"dltensor_versioned", False: b"dltensor"}  # by whether it has a version; must outlive capsules


class Device(c.Structure):
    _fields_ = [("type", c.c_int32), ("index", c.c_int32)]


class Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device", Device), ("ndim", c.c_int32), ("code", c.c_uint8), ("bits", c.c_uint8),
                ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


_Deleter = c.CFUNCTYPE(None, c.c_void_p)


class Managed(c.Structure):
    _fields_ = [("tensor", Tensor), ("manager", c.c_void_p), ("deleter", _Deleter)]


class Versioned(c.Structure):
    _fields_ = [("major", c.c_uint32), ("minor", c.c_uint32), ("manager", c.c_void_p), ("deleter", _Deleter), ("flags", c.c_uint64),
                ("tensor", Tensor)]


_new = c.PYFUNCTYPE(c.py_object, c.c_void_p, c.c_char_p, c.c_void_p)(("PyCapsule_New", c.pythonapi))
_pointer = c.PYFUNCTYPE(c.c_void_p, c.py_object, c.c_char_p)(("PyCapsule_GetPointer", c.pythonapi))
_is_valid = c.PYFUNCTYPE(c.c_int, c.py_object, c.c_char_p)(("PyCapsule_IsValid", c.pythonapi))
# Of a capsule that is being destroyed, which must not be counted as used again.
_is_valid_still = c.PYFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p)(("PyCapsule_IsValid", c.pythonapi))
_pointer_still = c.PYFUNCTYPE(c.c_void_p, c.c_void_p, c.c_char_p)(("PyCapsule_GetPointer", c.pythonapi))


def delete(pointer: int, versioned: bool) -> None:
    """Of a structure that nobody took."""
    managed = c.cast(pointer, c.POINTER(Versioned if versioned else Managed)).contents
    if managed.deleter:
        managed.deleter(pointer)


@c.PYFUNCTYPE(None, c.c_void_p)
def _destroy(capsule: int) -> None:
    """A consumer renames what it takes."""
    for versioned, name in _NAMES.items():
        if _is_valid_still(capsule, name):
            delete(_pointer_still(capsule, name), versioned)


def make_capsule(pointer: int, versioned: bool) -> Any:
    return _new(pointer, _NAMES[versioned], c.cast(_destroy, c.c_void_p))


def open_capsule(capsule: Any) -> tuple[int, bool]:
    """Its structure, which stays the capsule's, and whether it has a version."""
    for versioned, name in _NAMES.items():
        if _is_valid(capsule, name):
            return _pointer(capsule, name), versioned
    raise TypeError("__dlpack__ must give a capsule of a tensor that was not taken yet, but got another object")


def device_of(value: Any) -> tuple[int, int]:
    """DLPack's device type and index; the host of who does not say."""
    if not hasattr(value, "__dlpack_device__"):
        return HOST, 0
    kind, index = value.__dlpack_device__()
    return int(kind), int(index)


def export(value: Any, stream: int | None) -> Any:
    """A capsule of a framework's tensor: on a GPU, ready in the order of `stream`."""
    arguments = {"stream": stream} if device_of(value)[0] == CUDA else {}
    try:
        return value.__dlpack__(max_version=VERSION, **arguments)
    except TypeError:  # As of frameworks from before DLPack 1.0.
        return value.__dlpack__(**arguments)
