# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a function is called for is said by prec.entry alone: names mean nothing, and functions beside a step stay as
they are."""
import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TOOL, COMPILER = ROOT / "build/bin/prec-opt", ROOT / "build/bin/prec-compile"
pytestmark = pytest.mark.skipif(not TOOL.exists(), reason="needs a built prec-opt")
STEP = (ROOT / "examples/llama_tiny.mlir").read_text()
# Nothing that a pass of a step could rewrite, and a graph that passes of graphs would.
OTHERS = """
func.func @graph(%x: tensor<2x32x64xf32>, %gamma: tensor<64xf32>, %w: tensor<64x64xf32>, %ids: tensor<64xi32>) ->
    (tensor<64x64xf32>, tensor<128x64xf32>) {
  %0:2 = prec_train.rms_norm %x, %gamma {eps = 1.0e-05 : f32} : (tensor<2x32x64xf32>, tensor<64xf32>) -> (tensor<2x32x64xf32>, tensor<2x32xf32>)
  %1 = tensor.collapse_shape %0#0 [[0, 1], [2]] : tensor<2x32x64xf32> into tensor<64x64xf32>
  %2 = prec_train.transpose %w permutation [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = prec_train.matmul %1, %2 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = prec_train.broadcast %gamma dims [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %5 = arith.addf %3, %4 : tensor<64x64xf32>
  %6 = arith.constant dense<0.0> : tensor<128x64xf32>
  %7 = prec_train.scatter_add %6, %ids, %5 : (tensor<128x64xf32>, tensor<64xi32>, tensor<64x64xf32>) -> tensor<128x64xf32>
  %8 = arith.addf %7, %7 : tensor<128x64xf32>
  %9 = arith.negf %8 : tensor<128x64xf32>
  return %5, %8 : tensor<64x64xf32>, tensor<128x64xf32>
}
func.func private @init(tensor<4xf32>) -> tensor<4xf32>
func.func @step(%x: tensor<8x4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %i: index) -> tensor<?x4xf32> {
  %y = tensor.cast %x : tensor<8x4xf32> to tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
func.func @eval(%m: memref<4xf32>, %c: i1) -> f32 {
  %z = arith.constant 0 : index
  %a = memref.load %m[%z] : memref<4xf32>
  %r = scf.if %c -> (f32) {
    %n = arith.negf %a : f32
    scf.yield %n : f32
  } else {
    scf.yield %a : f32
  }
  return %r : f32
}
"""


def run(tool, *options, text=None):
    done = subprocess.run([tool, *options], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def functions(text: str) -> dict[str, str]:
    """By name what each function is, printed."""
    return {m[1]: m[0] for m in re.finditer(r"^  func\.func (?:private )?@([\w.]+)\(.*?(?:^  }$|$(?=\n  func|\n}))", text, re.M | re.S)}


def manifest(path: Path) -> dict:
    data = path.read_bytes()
    start = data.index(b'{"abi"') if b'{"abi"' in data else data.index(b"{\"")
    return json.JSONDecoder().raw_decode(data[start:].decode("utf-8", "ignore"))[0]


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid"])
def test_a_step_of_another_name_is_compiled_to_the_same_module(tmp_path, recipe):
    modules = []
    for name in ["step", "main", "init"]:
        graph = tmp_path / f"{name}.mlir"
        graph.write_text(STEP.replace("func.func @step(", f"func.func @{name}("))
        run(COMPILER, graph, f"--recipe={recipe}", "--target=cpu", "-o", tmp_path / f"{name}.so")
        modules.append(manifest(tmp_path / f"{name}.so"))
        modules[-1].pop("graph", None)
    assert modules[0] == modules[1] == modules[2]
    assert {"init", "step", "eval"} <= set(modules[0]["entry_points"])


def test_functions_beside_a_step_stay_as_they_are():
    assigned = run(TOOL, "-", "--prec-raise-composites", "--assign-precision=recipe=fp8-hybrid target=sm_90a", text=STEP)
    before = functions(run(TOOL, "-", text="module {\n" + OTHERS + "}\n"))
    assert set(before) == {"graph", "init", "step", "eval"}
    text = assigned.replace("func.func @step(", "func.func @train_one(").rstrip().removesuffix("}") + OTHERS + "}\n"
    for passes in [
        ["--prec-flatten-products"],
        ["--prec-merge-contractions"],
        ["--prec-narrow-masters"],
        ["--prec-check-indices"],
        ["--prec-guard-updates"],
        ["--prec-lay-out-attention"],
        ["--prec-decompose"],
        ["--prec-chunk-loss=bytes=1024"],
        ["--prec-recompute-activations=count=3"],
        ["--prec-defer-transposes"],
        ["--prec-batch-reductions"],
        ["--prec-fold-scatter-add"],
        ["--prec-compact-tables=least-bytes=1"],
        ["--prec-join-arguments"],
        ["--prec-fold-bias"],
        ["--prec-quantize-moments"],
        ["--prec-split-accumulation"],
        ["--prec-decompose", "--prec-form-dispatches"],
    ]:
        after = functions(run(TOOL, "-", *passes, text=text))
        assert {name: after[name] for name in before} == before, passes


def test_names_that_are_taken_are_left_to_others():
    """@init is a function of the host: what makes copies gets another name."""
    assigned = run(TOOL, "-", "--prec-raise-composites", "--assign-precision=recipe=fp8-hybrid target=sm_90a", text=STEP)
    text = assigned.rstrip().removesuffix("}") + 'func.func private @init(tensor<4xf32>) -> tensor<4xf32>\n}\n'
    after = run(TOOL, "-", "--prec-narrow-masters", "--prec-split-weights", text=text)
    assert re.search(r'func.func @init_0\(.*attributes {prec.entry = "init"}', after)
    assert "func.func private @init(tensor<4xf32>) -> tensor<4xf32>" in after


@pytest.mark.parametrize("entry", ["eval", "forward"])
def test_what_a_step_module_does_not_run_is_refused(tmp_path, entry):
    graph = tmp_path / "graph.mlir"
    beside = f'func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> attributes {{prec.entry = "{entry}"}} {{ return %x : tensor<4xf32> }}'
    graph.write_text(STEP.rstrip().removesuffix("}") + beside + "\n}\n")
    done = subprocess.run([COMPILER, graph, "--recipe=fp32", "--target=cpu", "-o", tmp_path / "step.so"], capture_output=True, text=True)
    assert done.returncode == 1 and not (tmp_path / "step.so").exists()
    assert f"a step module must train, and evaluates by its step's loss, but got a function with 'prec.entry' = \"{entry}\": drop" in done.stderr
