# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A kit of step modules for a GPU: each model of a race, in the recipes that run beside compiled PyTorch."""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECIPES = {"bf16": ("--recipe=bf16",), "fp8-delayed": ("--recipe=fp8-hybrid", "--assign=tensor-scaling=delayed")}


def module_of(kit, race, name, recipe):
    return kit / f"{race}-{name}-{recipe}.so"


def build(kit, race, steps):
    """`steps`: by name of a model the FILE.py:FUNCTION that prec-import takes."""
    kit.mkdir(parents=True, exist_ok=True)
    for name, step in steps.items():
        graph = kit / f"{race}-{name}.mlir"
        subprocess.run([sys.executable, ROOT / "tools/prec-import/prec-import", step, "-o", graph], check=True)
        for recipe, words in RECIPES.items():
            subprocess.run([ROOT / "build/bin/prec-compile", graph, *words, "--target=sm_90a", "-o", module_of(kit, race, name, recipe)],
                           check=True)
        graph.unlink()
