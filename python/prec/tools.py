# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools, which run as processes of their own: prec-opt, prec-compile, prec-bench and prec-run.

The wheel holds all tools of the compiler as one program, prec-tools, which is the tool whose name it is called by; a
build has a program for each.
"""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from .errors import CompileFailure
from .libraries import find_ptxas, nvidia_folders

_TOGETHER = "prec-tools"
COMPILER_TOOLS = ("prec-opt", "prec-compile", "prec-bench")


def find_tool(name: str) -> Path:
    """The program that is the tool when it is called by its name: of the package, of the build beside it, or of the
    path."""
    places = _places(name)
    found = next((path for path in places if path.is_file()), None) or shutil.which(name)
    if found is None:
        raise CompileFailure(f"{name} must be in the package, in the build beside it or on the path, but is in none of "
                             + ", ".join(str(path) for path in places))
    return Path(found)


def _places(name: str) -> list[Path]:
    package = Path(__file__).resolve().parent
    build = package.parent.parent / "build"
    together = [package / "bin" / _TOGETHER] if name in COMPILER_TOOLS else []
    return [package / "bin" / name, *together, build / "bin" / name, build / "runtime" / name]


def run_tool(name: str, arguments: Sequence[str | Path], note: Callable[[subprocess.Popen[str]], None] | None = None) -> str:
    """What the tool printed; CompileFailure with the lines that say why it failed. note: is given the process, which
    another thread may end."""
    command = [name, *map(str, arguments)]
    with subprocess.Popen(command, executable=find_tool(name), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace") as process:
        try:
            if note is not None:
                note(process)
            output, complaints = process.communicate()
        except BaseException:
            process.kill()
            raise
    if process.returncode == 0:
        return output + complaints
    lines = complaints.strip().splitlines()
    errors = [line for line in lines if "error:" in line] or lines[-5:] or [f"exit code {process.returncode}"]
    raise CompileFailure(f"{name} must compile the step but failed: " + "\n".join(errors))


def more_options(name: str, given: Sequence[str]) -> list[str]:
    """Options by which a tool finds what other packages of this Python bring, unless they are given."""
    def is_given(option: str) -> bool:
        return any(word.lstrip("-").partition("=")[0] == option for word in given if word.startswith("-"))
    if name == "prec-compile" and not is_given("ptxas") and (ptxas := find_ptxas()):
        return [f"--ptxas={ptxas}"]
    if name == "prec-bench" and given[:1] == ["run"] and not is_given("cuda-libraries"):
        return [word for folder in nvidia_folders() for word in ("--cuda-libraries", str(folder))]
    if name == "prec-run" and not is_given("cuda-libraries") and (folders := nvidia_folders()):
        return ["--cuda-libraries", *map(str, folders)]
    return []


def main() -> None:
    """Becomes the tool of the package that the running script has the name of, with its words."""
    name, *words = Path(sys.argv[0]).name, *sys.argv[1:]
    if name == "prec-bench" and words[:1] == ["run"] and any(word.partition("=")[0] == "--model" for word in words):
        from . import sweeping
        sys.exit(sweeping.main(words[1:]))
    # Not of the path, where this script is.
    program = next((path for path in _places(name) if path.is_file()), None)
    if program is None:
        sys.exit(f"{name}: error: the package must hold the program, but got none of " + ", ".join(map(str, _places(name))))
    os.execv(program, [name, *words, *more_options(name, words)])
