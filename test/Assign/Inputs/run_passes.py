# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every pass of prec-opt alone: run_passes.py PREC-OPT FILE..."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
tool, *files = sys.argv[1:]
passes = sorted({name for path in (ROOT / "include/prec").rglob("Passes.td") for name in re.findall(r'Pass<"([a-z-]+)"', path.read_text())})
crashes = 0
for name in passes:
    for file in files:
        done = subprocess.run([tool, file, f"--{name}", "-o", "/dev/null"], capture_output=True, text=True)
        refused = done.returncode == 1 and re.search("error: ", done.stderr)
        if done.returncode != 0 and not refused:
            crashes += 1
            print(f"--{name} on {file}: {done.returncode}\n{done.stderr[:2000]}")
print(f"{len(passes)} passes of {len(files)} files: {crashes} crash")
