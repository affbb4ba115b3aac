# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A mistyped option of --assign-precision is told the name of each that there is: the list of names leaves none out."""
import re
import subprocess
from pathlib import Path

import pytest

TOOL = Path(__file__).resolve().parents[2] / "build/bin/prec-opt"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="needs a built prec-opt")


def option_names() -> list[str]:
    """Those that the tool's help has below the pass."""
    text = subprocess.run([TOOL, "--help"], capture_output=True, text=True, check=True).stdout
    (below,) = re.findall(r"^      --assign-precision +-.*\n((?:        --.*\n)+)", text, re.M)
    return re.findall(r"--([a-z-]+)", "\n".join(line.split(" - ")[0] for line in below.splitlines()))


def test_every_option_is_the_nearest_to_itself():
    names = option_names()
    assert len(names) > 40
    for name in names:
        wrong = f"{name}{name[-1]}"
        done = subprocess.run([TOOL, "-", f"--assign-precision={wrong}=x"], input="module {}", capture_output=True, text=True)
        assert done.returncode and f"no such option {wrong}; the nearest is '{name}'" in done.stderr, done.stderr
