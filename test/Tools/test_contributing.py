# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""CONTRIBUTING.md sends nobody to files that are not there."""
import re
import subprocess

from conftest import ROOT

# What is made by whoever follows it.
MADE = {"recipes/NAME.json", "targets/NAME.json"}


def test_files_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    files = {f"/{name}" for name in subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines()}
    named = set(re.findall(r"[\w./-]+\.(?:cpp|h|td|def|py|json|toml|txt|mlir|test|md)\b", re.sub(r"[\w./-]*\\?\*\S*", "", text))) - MADE
    assert len(named) > 100
    assert not [name for name in sorted(named) if not any(file.endswith(f"/{name}") for file in files)]
