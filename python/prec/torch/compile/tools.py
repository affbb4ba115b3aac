# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiler's tools, which run as processes of their own."""
from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from ...errors import CompileFailure


def find_tool(name: str) -> Path:
    """prec-compile and the like: of the package, of the build beside it, or of the path."""
    package = Path(__file__).resolve().parents[2]
    root = package.parent.parent
    candidates = [package / "bin" / name, root / "build" / "bin" / name, root / "build" / "runtime" / name]
    found = next((path for path in candidates if path.is_file()), None) or shutil.which(name)
    if found is None:
        raise CompileFailure(f"{name} must be in the package, in the build beside it or on the path, but is in none of "
                             + ", ".join(str(path.parent) for path in candidates))
    return Path(found)


def run_tool(name: str, arguments: Sequence[str | Path]) -> str:
    """What the tool printed; CompileFailure with the lines that say why it failed."""
    command = [str(find_tool(name)), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode == 0:
        return result.stdout + result.stderr
    lines = result.stderr.strip().splitlines()
    errors = [line for line in lines if "error:" in line] or lines[-5:] or [f"exit code {result.returncode}"]
    raise CompileFailure(f"{name} must compile the step but failed: " + "\n".join(errors))
