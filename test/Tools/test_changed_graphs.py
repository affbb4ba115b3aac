# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs with random changes: the tools say what is wrong, or compile and train; none crashes or hangs."""
import os
import pathlib
import random
import re
import subprocess
import time

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build"
GRAPHS = [ROOT / "examples/llama_tiny.mlir", ROOT / "examples/gpt2_tiny.mlir"]
NUMBERS = [0, -1, 1, 2, 3, 7, 127, 128, 129, 2**15, 2**31 - 1, 2**31, 2**32, 2**48]
DTYPES = ["f32", "f16", "bf16", "f64", "i1", "i8", "i32", "i64", "index", "f8E4M3FN"]
ROLES = ["parameter", "batch", "hyper", "loss", "metric", "updated", "optimizer_state", "buffer", "frozen_parameter", "scale_state"]
RECIPES = ["fp8-hybrid", "fp32", "bf16", "fp16", "fp8-block"]


def replace_one(pattern, text, make, generator):
    places = list(re.finditer(pattern, text))
    if not places:
        return text
    place = generator.choice(places)
    return text[:place.start()] + make() + text[place.end():]


def change(text, generator):
    """A line that is changed, lost, doubled or moved; a value, type, role, operation or name that is another's."""
    pick = generator.choice
    lines = text.split("\n")
    for _ in range(pick([1, 1, 1, 2, 3])):
        at, values, ops = generator.randrange(len(lines)), re.findall(r"%\w+", text), re.findall(r"= ([a-z]+\.[a-z_]+)", text)
        line, kind = lines[at], generator.randrange(10)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(generator.randrange(len(lines)), line)
        elif kind == 2:
            other = generator.randrange(len(lines))
            lines[at], lines[other] = lines[other], line
        else:
            pattern, make = [
                (r"-?\d+", lambda: str(pick(NUMBERS))),
                (r"(?<=[x<])(f32|i32|i1|i64)(?=>)", lambda: pick(DTYPES)),
                (r"%\w+", lambda values=values: pick(values)),
                (r"(?<== )[a-z]+\.[a-z_]+", lambda ops=ops: pick(ops)),
                (r'"[^"]*"', lambda: pick(['""', '"a/b"', '"\\00"', '"a.b.c."', '"lr"'])),
                (r"(?<=prec_train\.role<)\w+", lambda: pick(ROLES)),
                (r"\d+\.\d+(e[+-]?\d+)?", lambda: pick(["0.0", "1.0e+38", "0x7FC00000", "0xFF800000"])),
            ][kind - 3]
            lines[at] = replace_one(pattern, line, make, generator)
    return "\n".join(lines)


@pytest.mark.parametrize("seconds, seed", [(4, 1), pytest.param(60, 2, marks=pytest.mark.long)])
def test_no_change_crashes(tmp_path, seconds, seed):
    generator, end = random.Random(seed), time.monotonic() + seconds
    texts = [path.read_text() for path in GRAPHS]
    (np.arange(4000) % 200).astype(np.uint16).tofile(tmp_path / "train.bin")
    environment = dict(os.environ, XDG_CACHE_HOME=str(tmp_path / "cache"))
    tried = 0
    while time.monotonic() < end:
        (tmp_path / "graph.mlir").write_text(change(generator.choice(texts), generator))
        recipe = generator.choice(RECIPES)
        tried += 1
        for command in ([BUILD / "bin/prec-compile", "graph.mlir", f"--recipe={recipe}", "--target=cpu", "--jobs=1", "-o", "step.so"],
                        [BUILD / "runtime/prec-run", "step.so", "--init", "random", "--tokens", "train.bin", "--steps", "2"]):
            done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, errors="replace", timeout=120)
            if done.returncode < 0 or (done.returncode > 0 and "error" not in done.stderr):
                kept = tmp_path / "graph.mlir"
                pytest.fail(f"{command[0].name} with {recipe} ended by {done.returncode} on {kept}: {done.stderr[-1000:]}")
            if done.returncode:
                break
    assert tried >= 1
