# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where things are, and a command that must succeed."""
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
LLVM = Path("/usr/lib/llvm-22")
INPUTS = Path(__file__).parent / "Inputs"


def run(*command, **options) -> subprocess.CompletedProcess:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done
