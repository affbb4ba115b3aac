# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiler with operations of its own, which prec knows by their interfaces alone (Inputs/hosts/HostOps.td): they are
classified, tagged, materialized, scheduled, compiled and run."""
import re
import subprocess

import numpy as np
import pytest
from host_tools import BUILD, ROOT, run

import prec

GRAPH = ROOT / "test/Tools/Inputs/two_layers.mlir"


def host_graph() -> str:
    """two_layers.mlir with GELU, its gradient and a product as operations of the host."""
    text = GRAPH.read_text()
    for first, last, line in ((11, 15, "%15 = host.gelu %10#0 {prec_train.seq = 3 : i64} : tensor<64x64xf32> loc(\"M\")"),
                              (28, 38, "%38 = host.gelu_grad %25, %10#0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} "
                                       ": tensor<64x64xf32> loc(\"M\")"),
                              (9, 9, "%9 = host.dot %arg12, %arg0 {prec_train.seq = 1 : i64} : (tensor<64x32xf32>, tensor<64x32xf32>) "
                                     "-> tensor<64x64xf32> loc(\"up\")")):
        text, found = re.subn(rf"    %{first} = .*?\n(?=    %{last + 1}[: ])", f"    {line}\n", text, count=1, flags=re.S)
        assert found == 1
    assert text.count("host.") == 3
    return text


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    path = tmp_path_factory.mktemp("graph") / "graph.mlir"
    path.write_text(host_graph())
    return path


def line_of(text: str, name: str) -> str:
    (line,) = [line for line in text.splitlines() if f"= {name} " in line]
    return line


def test_it_is_tagged(hosts, graph):
    printed = run(hosts / "dialect-host", graph, "recipe=fp8-hybrid target=sm_90a", "assign").stdout

    def of(name, kind):
        _, _, rest = line_of(printed, name).partition(f"prec.{kind}_tags = [")
        return re.findall(r"#prec\.tag<(\w+)", rest.partition("_tags = [")[0])
    assert of("host.gelu", "result") == ["bf16"] and of("host.gelu_grad", "result") == ["bf16"]
    assert of("host.dot", "operand") == ["e4m3", "e4m3"] and of("host.dot", "result") == ["bf16"]


@pytest.mark.parametrize("recipe", ["fp32", "bf16", "fp8-hybrid", "mxfp8"])
def test_it_is_materialized(hosts, graph, recipe):
    printed = run(hosts / "dialect-host", graph, f"recipe={recipe} target=cpu", "materialize").stdout
    assert "prec.operand_tags" not in printed and "prec.class" not in printed
    # Elementwise operations compute in f32 and round what they store.
    for name in ("host.gelu", "host.gelu_grad"):
        assert line_of(printed, name).split(" : ")[-1].startswith("tensor<64x64xf32>")
    narrow = recipe in ("fp8-hybrid", "mxfp8")
    assert ("host.dot" in printed) != narrow
    if recipe == "bf16":
        assert "(tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x64xbf16>" in line_of(printed, "host.dot")
    # As many products of scaled operands as of prec's own operations.
    pipeline = f"builtin.module(prec-raise,prec-assign{{recipe={recipe} target=cpu}},prec-materialize)"
    own = run(BUILD / "bin/prec-opt", GRAPH, f"--pass-pipeline={pipeline}").stdout
    assert printed.count("prec.scaled_matmul") == own.count("prec.scaled_matmul")
    assert printed.count("prec.scaled_matmul") >= narrow


def train(step) -> list[float]:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((64, 32), dtype=np.float32)
    with prec.Module(step) as module:
        module.init_random(seed=3, stddev=0.1)
        return [module.step({"x": x})["loss"] for _ in range(10)]


@pytest.mark.parametrize("recipe, bound", [("fp32", 0), ("bf16", 2e-2), ("fp8-hybrid", 4e-2)])
def test_it_trains_as_prec_s_own_operations_do(hosts, graph, tmp_path, recipe, bound):
    """In fp32 the primitives are the same, and so are the bits. With narrower storage one operation rounds once where
    the primitives of the original round each value they store."""
    run(hosts / "dialect-host", graph, f"recipe={recipe}", "compile", tmp_path / "host.so")
    run(BUILD / "bin/prec-compile", GRAPH, f"--recipe={recipe}", "-o", tmp_path / "own.so")
    ours, theirs = train(tmp_path / "host.so"), train(tmp_path / "own.so")
    assert ours == theirs if bound == 0 else ours == pytest.approx(theirs, rel=bound)
    assert ours[-1] < ours[0]


@pytest.mark.parametrize("attribute, text", [
    ("twice", "a product that reads fp8 or fp4 must decompose into one prec_train.matmul, but got 2"),
    ("negated", "the prec_train.matmul of a product that reads fp8 or fp4 must read elements of its operands as they are, but operand 0 is computed"),
])
def test_a_product_that_has_no_scaled_form(hosts, tmp_path, attribute, text):
    """In FP8 it is refused; in FP32 it is whatever it decomposes into."""
    path = tmp_path / "graph.mlir"
    path.write_text(host_graph().replace("host.dot %arg12, %arg0 {", f"host.dot %arg12, %arg0 {{{attribute}, "))
    done = subprocess.run([hosts / "dialect-host", path, "recipe=fp8-hybrid target=cpu", "materialize"], capture_output=True, text=True)
    assert done.returncode == 1 and text in done.stderr
    run(hosts / "dialect-host", path, "recipe=fp32", "compile", tmp_path / "step.so")
