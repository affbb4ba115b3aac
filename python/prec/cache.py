# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled step modules by what they were compiled from, in a folder of the user's.

A key is the hash of the graph's text, the options, and the compiler that would compile it, so that an entry never goes
stale: what was compiled by another compiler has another key. A module is a program that runs with the user's rights,
so the folder must be the user's own. Entries are written beside their place and renamed, so processes may share it.
"""
from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from .errors import CompileFailure
from .tools import find_tool


class Cache:
    """folder: of the cache; None: ~/.cache/prec."""

    def __init__(self, folder: str | os.PathLike[str] | None) -> None:
        self.folder = Path(folder) if folder is not None else Path.home() / ".cache" / "prec"
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = self.folder.stat()
        if found.st_uid != os.getuid() or found.st_mode & stat.S_IWOTH:
            raise CompileFailure(f"the folder of compiled steps must be the user's own and not for everybody to write, as programs are read from it, "
                                 f"but got {self.folder}")

    def module(self, graph: str, options: Sequence[str], build: Callable[[Path, Path], None]) -> Path:
        """The step module of a graph, which build(graph, module) makes where there is none."""
        key = self._key(graph, options)
        place = self.folder / key[:2] / key
        module = place / "step.so"
        if module.is_file():
            os.utime(module)
            return module
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place, prefix="making-") as made:
            source, target = Path(made, "graph.mlir"), Path(made, "step.so")
            source.write_text(graph)
            build(source, target)
            os.replace(source, place / "graph.mlir")
            os.replace(target, module)
        return module

    def _key(self, graph: str, options: Sequence[str]) -> str:
        compiler = find_tool("prec-compile")
        found = compiler.stat()
        parts = [graph, *options, str(compiler), str(found.st_size), str(found.st_mtime_ns)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()
