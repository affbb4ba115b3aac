# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step module says of itself, read from its file without opening it: none of its code
runs, and none of its memory is allocated (docs/ModuleFormat.md)."""
from __future__ import annotations

import json
import mmap
import os
import struct
from typing import Any

from .errors import BadFile

_MANIFEST = b".prec.manifest"
# Of an ELF header: where the table of sections begins, how large an entry is, how many there are, and which one has the
# sections' names. Of an entry: where its name is, its address in the file and its size.
_HEADER, _ENTRY = struct.Struct("<40xQ10xHHH"), struct.Struct("<I20xQQ")


def manifest_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """BadFile where the file is no step module."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
            start, stride, count, named = _HEADER.unpack_from(image)
            entries = [_ENTRY.unpack_from(image, start + i * stride) for i in range(count)]
            names = entries[named][1]
            for name, offset, size in entries:
                if image[names + name:names + name + len(_MANIFEST) + 1] == _MANIFEST + b"\0":
                    found: dict[str, Any] = json.loads(image[offset:offset + size])
                    return found
    except (struct.error, IndexError, ValueError) as error:
        raise BadFile(f"{os.fspath(path)} must be a step module, but got a file that is none: {error}") from error
    raise BadFile(f"{os.fspath(path)} must be a step module, but got a file without {_MANIFEST.decode()}")
