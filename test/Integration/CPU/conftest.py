# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import shlex
import shutil
import subprocess
import sys

import pytest
import torch

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "examples"), str(ROOT / "test" / "tools"), str(ROOT / "test" / "Import")]
sys.dont_write_bytecode = True
# Models here are too small to share, and spinning threads of two libraries starve each other.
torch.set_num_threads(1)


# Most kernels of these tests are those of another one: each is compiled once in a run, whatever process needs it.
COMPILE = """#!/bin/sh
case "$*" in *--kernel-cache*) exec {tool} "$@" ;; esac
exec {tool} --kernel-cache={cache} "$@"
"""


@pytest.fixture(scope="session")
def tool(tmp_path_factory, worker_id):
    base = tmp_path_factory.getbasetemp()
    cache = (base if worker_id == "master" else base.parent) / "kernels"

    def find(name):
        found = [ROOT / "build" / "bin" / name, ROOT / "build" / "runtime" / name]
        path = next((path for path in found if path.is_file()), None)
        assert path, f"{name} must be built in {ROOT / 'build'}"
        if name != "prec-compile":
            return path
        script = base / name
        if not script.exists():
            script.write_text(COMPILE.format(tool=shlex.quote(str(path)), cache=shlex.quote(str(cache))))
            script.chmod(0o755)
        return script
    return find


@pytest.fixture(scope="session")
def compile_module(tool, tmp_path_factory):
    """Step module of an imported step in a recipe, by name or file, for the CPU. Many tests want the same one, which is
    compiled once."""
    compiled = {}

    def compile_step(imported, recipe, *options):
        folder = tmp_path_factory.mktemp("module")
        imported.write(folder / "graph.mlir")
        is_file = isinstance(recipe, pathlib.Path)
        key = ((folder / "graph.mlir").read_bytes(), recipe.read_bytes() if is_file else recipe, options)
        if key in compiled:
            shutil.copy(compiled[key], folder / "step.so")
        else:
            subprocess.run([tool("prec-compile"), folder / "graph.mlir", f"--recipe{'-file' if is_file else ''}={recipe}", *options,
                            "-o", folder / "step.so"], check=True)
            compiled[key] = shutil.copy(folder / "step.so", tmp_path_factory.mktemp("compiled") / "step.so")
        imported.write_weights(folder / "weights.safetensors")
        return folder / "step.so", folder / "weights.safetensors"
    return compile_step


def _make_opener(compile_module, *options):
    import first_step

    import prec
    compiled = {}

    def open_(build, recipe, make_optimizer=first_step.adamw):
        model, imported = first_step.import_step(build, make_optimizer=make_optimizer)
        key = (build, recipe) if make_optimizer is first_step.adamw else (build, recipe, make_optimizer)
        if key not in compiled:
            compiled[key] = compile_module(imported, recipe, *options)
        path, weights = compiled[key]
        module = prec.Module(path)
        module.load(weights)
        return model, module
    open_.compiled = compiled
    return open_


@pytest.fixture(scope="session")
def open_step(compile_module):
    """The PyTorch model that a function builds, and the module of its step in a recipe, from the same weights."""
    return _make_opener(compile_module)


@pytest.fixture(scope="session")
def open_apart(compile_module):
    """The same with a product for every layer, as the reference steps have them."""
    return _make_opener(compile_module, "--merge-contractions=off")
