# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What importers of any framework return: a graph, and its text."""
from __future__ import annotations

import functools
import os
from pathlib import Path

from .files import replace_file
from .ir import Graph
from .text import Printer


class ImportedGraph:
    """The graph of a training step, and its text."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @functools.cached_property
    def mlir(self) -> str:
        """The graph as MLIR text, printed when it is first asked for: then the graph says whether it was verified."""
        return Printer(self.graph).module()

    @property
    def verified(self) -> str:
        """"verified", or "not verified: " and why."""
        return self.graph.verified

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the graph as MLIR text. Raises ImportFailure where the file cannot be written; then it is what it
        was."""
        replace_file(path, lambda temporary: Path(temporary).write_text(self.mlir))
