# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec-compile says of its phases, and what it makes."""
import json
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def time_phases(graph: pathlib.Path, recipe: str, target: str, *options: str) -> dict[str, tuple[float, float, int]]:
    """Seconds, seconds of CPU, and the peak MiB so far of each phase, by the name that prec-compile gives it."""
    command = [ROOT / "build" / "bin" / "prec-compile", graph, f"--recipe={recipe}", f"--target={target}", "--timing", *options,
               "-o", graph.with_suffix(".so")]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stderr
    found = re.findall(r"^(\w[\w ]*?) +([\d.]+) s +([\d.]+) s CPU +(\d+) MiB peak$", text, re.M)
    return {name: (float(seconds), float(cpu), int(mib)) for name, seconds, cpu, mib in found}


def count_kernels(module: pathlib.Path) -> tuple[int, int]:
    """Distinct kernels of a GPU's step module, and the commands of its step."""
    data = module.read_bytes()
    manifest, _ = json.JSONDecoder().raw_decode(data[data.index(b'{"abi":'):].decode("latin1"))
    entries = manifest["entry_points"]
    return len({c["symbol"] for commands in entries.values() for c in commands if "symbol" in c}), len(entries["step"])
