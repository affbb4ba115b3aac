# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""prec.assign and prec.compile_graph: the compiler within a process of Python, over the installed C API."""
import concurrent.futures
import json
import os
import re
import subprocess

import numpy as np
import pytest
from host_tools import BUILD, ROOT, run

import prec
from prec import compiler

GRAPH = (ROOT / "test/Tools/Inputs/two_layers.mlir").read_text()


@pytest.fixture(scope="module")
def library(installed):
    return installed / "lib/libPrecC.so"


def test_assign(library, monkeypatch, tmp_path):
    monkeypatch.setattr(subprocess, "Popen", None)
    assigned = prec.assign(GRAPH, recipe="fp8-hybrid", target="sm_90a", library=library)
    monkeypatch.undo()
    assert '#prec.tag<e4m3, scaling = tensor_current' in assigned.module and 'loc("up")' in assigned.module
    assert assigned.map["recipe"] == "fp8-hybrid" and assigned.warnings == []
    # What prec-opt decides of the same file, and says in its map.
    plain = prec.assign(GRAPH, recipe="fp8-hybrid", target="sm_90a", library=library, record=False)
    options = f"recipe=fp8-hybrid target=sm_90a map-file={tmp_path}/map.json"
    run(BUILD / "bin/prec-opt", "-", f"--assign-precision={options}", "-o", tmp_path / "tagged.mlir", input=GRAPH)
    # A text has no name.
    assert plain.module.split() == (tmp_path / "tagged.mlir").read_text().replace('"<stdin>"', '"-"').split()
    assert assigned.map == json.loads((tmp_path / "map.json").read_text().replace("<stdin>", "-"))


def test_bytecode(library, tmp_path):
    """As the bindings of another compiler write it."""
    run(BUILD / "bin/prec-opt", "-", "--emit-bytecode", "-o", tmp_path / "graph.mlirbc", input=GRAPH)
    decided = prec.assign(GRAPH, recipe="fp8-hybrid", target="cpu", library=library)
    for graph in ((tmp_path / "graph.mlirbc").read_bytes(), GRAPH.encode()):
        found = prec.assign(graph, recipe="fp8-hybrid", target="cpu", library=library)
        assert json.loads(json.dumps(found.map).replace("<stdin>", "-")) == decided.map


def test_threads_and_a_fork(library):
    """Each call has a context of its own, and no thread of it is left."""
    def decide():
        return prec.assign(GRAPH, recipe="bf16", target="cpu", library=library).map
    right = decide()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        assert all(found.result() == right for found in [pool.submit(decide) for _ in range(8)])
    child = os.fork()
    if child == 0:
        os._exit(decide() != right)
    assert os.waitpid(child, 0)[1] == 0


def test_options_are_those_of_the_pass(library, tmp_path):
    """Paths with blanks, lists, and truths."""
    rules = tmp_path / "own rules.json"
    rules.write_text(json.dumps({"version": 1, "rules": [
        {"match": {"path": "up", "direction": "fprop"}, "pin": {"reads": "bf16"}, "reason": "it has outliers"}]}))
    assigned = prec.assign(GRAPH, recipe="fp8-hybrid", target="cpu", library=library, rules=rules, reads=["wgrad:bf16", "dgrad.gradient:e4m3"],
                           allow_fallback=True)
    assert "pinned to bf16 by " in assigned.module and "it has outliers" in assigned.module


@pytest.mark.parametrize("graph, options, text", [
    ("module {", {}, "a graph must be MLIR, but could not be read"),
    (b"ML\xefRnothing", {}, "a graph must be MLIR, but could not be read"),
    ("\udc80", {}, "a graph must be MLIR, but could not be read"),
    (object(), {}, r"a graph must be MLIR as str or bytes, such as str\(module\), but got object"),
    (GRAPH, {"recipe": "fp9"}, "recipe must be one of .* but got 'fp9'"),
    (GRAPH, {"recpie": "bf16"}, "no such option recpie; the nearest is 'recipe'"),
    (GRAPH, {"recipe": "fp8-hybrid", "target": "sm_80"}, "recipe fp8-hybrid reads e4m3 x e4m3 in fprop, but sm_80 has no"),
])
def test_refusals(library, graph, options, text):
    with pytest.raises(prec.CompileFailure, match=text):
        prec.assign(graph, library=library, **options)


def test_a_library_that_is_not_there(tmp_path):
    with pytest.raises(prec.CompileFailure, match="libPrecC.so must be in the package, under build/ or given as library=, but .*none.so"):
        prec.assign(GRAPH, library=tmp_path / "none.so")


def test_compile_graph(library, tmp_path):
    """A module in memory: of a graph, and of one with tags, they are the same but for what graph it was."""
    image = prec.compile_graph(GRAPH, recipe="bf16", library=library)
    tagged = prec.assign(GRAPH, recipe="bf16", target="cpu", library=library, record=False).module
    again = prec.compile_graph(tagged, library=library, materialize={"accumulate": False})
    (tmp_path / "graph.mlir").write_text(GRAPH)
    run(BUILD / "bin/prec-compile", tmp_path / "graph.mlir", "--recipe=bf16", "-o", tmp_path / "step.so")
    assert image == (tmp_path / "step.so").read_bytes()
    x = np.ones((64, 32), np.float32)

    def train(module):
        module.init_random(seed=1)
        return [module.step({"x": x})["loss"] for _ in range(3)]
    with prec.Module.from_bytes(image, name="step") as first, prec.Module.from_bytes(again, name="again") as second:
        assert train(first) == train(second)
    with pytest.raises(prec.CompileFailure, match="a graph must not be tagged where a recipe, rules or assign options are given, but got tags"):
        prec.compile_graph(tagged, recipe="fp32", library=library)


def test_the_page_runs(library, tmp_path, monkeypatch):
    """docs/Hosts.md, with the two layers as its graph."""
    (code,) = re.findall(r"^```python\n(.*?)^```", (ROOT / "docs/Hosts.md").read_text(), re.M | re.S)
    (tmp_path / "two_layers.mlir").write_text(GRAPH)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(compiler, "_candidates", lambda: [library])
    exec(code, {})
