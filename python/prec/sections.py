# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is in the file of a step module, read without opening it: none of its code runs, and none of its memory is
allocated (docs/ModuleFormat.md)."""
from __future__ import annotations

import json
import mmap
import os
import struct
from typing import Any

from .errors import BadFile

# Of the header of an ELF file of 64 bits: where the table of sections begins, how large an entry is, how many there
# are, and which one has the sections' names. Of an entry: where its name is, and its place in the file and its size.
_HEADER, _ENTRY = struct.Struct("<40xQ10xHHH"), struct.Struct("<I20xQQ")


def read_section(path: str | os.PathLike[str], name: str) -> bytes:
    """BadFile where the file has no such section."""
    wanted = name.encode() + b"\0"
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as image:
            start, stride, count, named = _HEADER.unpack_from(image)
            entries = [_ENTRY.unpack_from(image, start + i * stride) for i in range(count)]
            names = entries[named][1]
            for place, offset, size in entries:
                if image[names + place:names + place + len(wanted)] == wanted:
                    return image[offset:offset + size]
    except (struct.error, IndexError, ValueError) as error:
        raise BadFile(f"{os.fspath(path)} must be a step module, but got a file that is none: {error}") from error
    raise BadFile(f"a step module must have the section {name}, but {os.fspath(path)} has none")


def manifest_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a module says of itself."""
    found: dict[str, Any] = json.loads(read_section(path, ".prec.manifest"))
    return found
