# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The hash that a step module's file holds of itself (docs/ModuleFormat.md), for tests that make or change modules
without the compiler."""
from __future__ import annotations

import hashlib
import pathlib
import struct

SECTION, SIZE = b".prec.hash", 32


def find(data: bytes) -> int:
    """The offset of the section's bytes in an ELF file of 64 bits."""
    table, = struct.unpack_from("<Q", data, 40)
    entry, count, names = struct.unpack_from("<HHH", data, 58)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * entry) for i in range(count)]
    start = sections[names][4]
    for name, _, _, _, offset, size in sections:
        if data[start + name:data.index(b"\0", start + name)] == SECTION and size == SIZE:
            return offset
    raise ValueError(f"a module must have a section {SECTION.decode()} of {SIZE} bytes, but has none")


def stamp(data: bytes) -> bytes:
    offset = find(data)
    cleared = data[:offset] + bytes(SIZE) + data[offset + SIZE:]
    return data[:offset] + hashlib.sha256(cleared).digest() + data[offset + SIZE:]


def stamp_file(path) -> pathlib.Path:
    path = pathlib.Path(path)
    path.write_bytes(stamp(path.read_bytes()))
    return path
