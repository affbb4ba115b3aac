# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs that were compared with the framework, so that none is compared twice.

A graph that differs from one of these only in extents, such as that of another length of sequences, needs no comparison
of its own: a comparison runs a smaller step that stands for all of them (smaller.py). From one process to the next a
folder keeps the hash of a graph's text together with all that decides what the model computes: the files of the user's
own modules that Python has loaded, prec's, and the versions of what is installed. A model that is written where there
is no file, as in a notebook, is compared in each process.
"""
from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import sys
from pathlib import Path

from ..ir import Graph
from ..text import Printer
from . import smaller
from .snapshot import is_installed

VERIFIED = "verified"


class Verdicts:
    """folder: where hashes are kept; None: nowhere."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder
        self._first: Graph | None = None
        self._place: Path | None = None

    def has(self, graph: Graph) -> bool:
        """Whether a graph is known to be what the framework computes."""
        if self._first is not None and smaller.compare(self._first, graph) is None:
            return True
        # Before a comparison, which may load more code.
        self._place = self._find_place(graph)
        if self._place is None or not self._place.is_file():
            return False
        os.utime(self._place)
        self._first = self._first or graph
        return True

    def add(self, graph: Graph) -> None:
        """The graph that was asked for has been compared with the framework."""
        self._first = self._first or graph
        if self._place is not None:
            self._place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._place.touch(mode=0o600)

    def _find_place(self, graph: Graph) -> Path | None:
        code = _code() if self._folder is not None else None
        if self._folder is None or code is None:
            return None
        return self._folder / hashlib.sha256(f"{code}\0{Printer(graph).module()}".encode()).hexdigest()


def _code() -> str | None:
    """A hash of the code that runs; None where some of it is in no file."""
    main = sys.modules.get("__main__")
    if main is None or getattr(main, "__file__", None) is None:
        return None
    digest = hashlib.sha256("\0".join((sys.version, *_installed())).encode())
    own = Path(__file__).resolve().parents[1]
    files = {f"prec/{path.relative_to(own)}": path for path in own.rglob("*.py")}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        package = name.partition(".")[0]
        if file.endswith((".py", ".so")) and package not in sys.stdlib_module_names and not is_installed(sys.modules.get(package)):
            files[name] = Path(file)
    for name, path in sorted(files.items()):
        try:
            digest.update(f"\0{name}\0".encode() + path.read_bytes())
        except OSError:
            return None
    return digest.hexdigest()


@functools.cache
def _installed() -> tuple[str, ...]:
    return tuple(sorted({f"{one.metadata['Name']} {one.version}" for one in importlib.metadata.distributions()}))
