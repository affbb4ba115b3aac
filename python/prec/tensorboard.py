# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command prec-tensorboard: metrics of runs, which prec-run writes as JSON lines (--metrics), as TensorBoard reads
them.

TensorBoard's event files are protocol buffers, and no kept library in C++ writes them but TensorFlow's own. So prec-run
writes lines that every program reads, and this hands them to tensorboardX.
"""
from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from ._version import __version__
from .errors import BadFile, Error, NotFound


class Writer(Protocol):
    def add_scalar(self, tag: str, scalar_value: float, global_step: int, walltime: float) -> object: ...
    def flush(self) -> object: ...


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; what goes wrong is one line on stderr and 1."""
    parser = argparse.ArgumentParser(prog="prec-tensorboard", description="Writes metrics of prec-run as event files of TensorBoard.")
    parser.add_argument("--version", action="version", version=f"prec {__version__}")
    parser.add_argument("metrics", nargs="+", type=Path, metavar="METRICS.jsonl", help="of prec-run --metrics; each becomes a run of its name")
    parser.add_argument("--logdir", type=Path, required=True, help="folder of the event files, for tensorboard --logdir")
    parser.add_argument("--follow", action="store_true", help="go on with lines that are written later, until a signal ends it")
    arguments = parser.parse_args(argv)
    try:
        convert(arguments.metrics, arguments.logdir, follow=arguments.follow)
    except KeyboardInterrupt:
        return 0
    except (Error, OSError) as error:
        print(f"prec-tensorboard: error: {error}", file=sys.stderr)
        return 1
    return 0


def convert(metrics: Sequence[Path], folder: Path, follow: bool = False) -> None:
    """Writes each file of metrics as the run folder/NAME."""
    try:
        from tensorboardX import SummaryWriter
    except ImportError as error:
        raise NotFound("the package tensorboardX must be there (pip install tensorboardX), but is not") from error
    names = [path.stem for path in metrics]
    if len(set(names)) < len(names):
        raise BadFile(f"files of metrics must have names of their own, but got {', '.join(names)}")
    missing = next((path for path in metrics if not path.is_file()), None)
    if missing is not None:
        raise NotFound(f"{missing}: must be a file of metrics, but got none")
    readers = [(Reader(path, follow), SummaryWriter(str(folder / path.stem))) for path in metrics]
    try:
        while True:
            for reader, writer in readers:
                reader.write(writer)
            if not follow:
                return
            time.sleep(2)
    finally:
        for _, writer in readers:
            writer.close()


class Reader:
    """A file of metrics, and how far it was read."""

    def __init__(self, path: Path, follow: bool) -> None:
        self._path, self._follow, self._offset, self._number = path, follow, 0, 0

    def write(self, writer: Writer) -> None:
        """Writes the numbers of lines that are new. A line says how long its step took, not when it was: it was as
        long in front of the file's last change as all later ones took."""
        lines = list(self._lines())
        left = sum(line.get("seconds") or 0 for line in lines)
        end = self._path.stat().st_mtime
        for line in lines:
            left -= line.get("seconds") or 0
            for name, value in line.items():
                if name != "step" and (value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))):
                    writer.add_scalar(name, math.nan if value is None else value, line["step"], end - left)
        writer.flush()

    def _lines(self) -> Iterator[dict[str, Any]]:
        """Whole lines that have a step; those of a profile have none."""
        with open(self._path, "rb") as file:
            file.seek(self._offset)
            for line in file:
                if not line.endswith(b"\n") and self._follow:
                    return
                self._offset += len(line)
                self._number += 1
                try:
                    entry = json.loads(line)
                except ValueError as error:
                    raise BadFile(f"{self._path}:{self._number}: must be a line of JSON, but got {line[:40]!r}") from error
                if not isinstance(entry, dict):
                    raise BadFile(f"{self._path}:{self._number}: must be an object, but got {line[:40]!r}")
                if isinstance(entry.get("step"), int):
                    yield entry


if __name__ == "__main__":
    sys.exit(main())
