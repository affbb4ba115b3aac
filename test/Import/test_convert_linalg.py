# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --prec-convert-linalg-to-train makes of linalg computes what NumPy says that the linalg does: products of every
order of loops as einsum has them, elementwise operations with broadcasts, reductions."""
import itertools
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from prec.interpreter import Program

ROOT = Path(__file__).resolve().parents[2]
SIZES = {"b": 3, "m": 4, "n": 5, "k": 6, "c": 2, "d": 7}


def maps(*operands: str) -> tuple[str, list[str]]:
    loops = sorted(set("".join(operands)))
    dims = ", ".join(loops)
    return "[" + ", ".join(f"affine_map<({dims}) -> ({', '.join(operand)})>" for operand in operands) + "]", loops


def tensor(operand: str, element: str = "f32") -> str:
    return "tensor<" + "".join(f"{SIZES[letter]}x" for letter in operand) + f"{element}>"


def einsum_graph(lhs: str, rhs: str, out: str, init: str = "zero") -> str:
    indexing, loops = maps(lhs, rhs, out)
    kinds = ", ".join('"reduction"' if loop not in out else '"parallel"' for loop in loops)
    return f"""func.func @f(%x: {tensor(lhs)}, %w: {tensor(rhs)}, %o: {tensor(out)}) -> {tensor(out)} {{
      %c = arith.constant 0.0 : f32
      %empty = tensor.empty() : {tensor(out)}
      %zero = linalg.fill ins(%c : f32) outs(%empty : {tensor(out)}) -> {tensor(out)}
      %y = linalg.generic {{indexing_maps = {indexing}, iterator_types = [{kinds}]}} ins(%x, %w : {tensor(lhs)}, {tensor(rhs)})
          outs(%{init} : {tensor(out)}) {{
        ^bb0(%a: f32, %b: f32, %s: f32):
          %p = arith.mulf %a, %b : f32
          %t = arith.addf %s, %p : f32
          linalg.yield %t : f32
      }} -> {tensor(out)}
      return %y : {tensor(out)}
    }}"""


def converted(prec_opt, text: str) -> str:
    done = subprocess.run([prec_opt, "-", "--prec-convert-linalg-to-train"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "linalg." not in done.stdout
    return done.stdout


def computed(graph: str, *inputs: np.ndarray) -> np.ndarray:
    return Program.of_text(graph).run(dict(enumerate(inputs)), function="f")[0]


def random(*operands: str) -> list[np.ndarray]:
    rng = np.random.default_rng(len("".join(operands)))
    return [rng.standard_normal([SIZES[letter] for letter in operand], dtype=np.float32) for operand in operands]


ORDERS = [("".join(a), "".join(b), "".join(c)) for a in itertools.permutations("mk") for b in itertools.permutations("kn")
          for c in itertools.permutations("mn")]
BATCHED = [("".join(a), "".join(b), "".join(c)) for a in itertools.permutations("bmk") for b in itertools.permutations("bkn")
           for c in itertools.permutations("bmn")]
# Without rows or columns, and with several loops of a kind.
OTHERS = [("k", "kn", "n"), ("mk", "k", "m"), ("k", "k", ""), ("bmk", "bk", "bm"), ("bk", "bkn", "bn"), ("mkd", "kdn", "mn"),
          ("mcdk", "dkn", "mcn"), ("mdk", "nkd", "nm"), ("bcmk", "bckn", "bcmn"), ("cbmk", "bkcn", "bmcn"), ("mckd", "bnkd", "mcbn")]


@pytest.mark.cases(24)
@pytest.mark.parametrize("lhs, rhs, out", ORDERS + OTHERS + BATCHED)
def test_products(prec_opt, lhs, rhs, out):
    x, w, o = random(lhs, rhs, out)
    graph = converted(prec_opt, einsum_graph(lhs, rhs, out))
    assert graph.count("prec_train.matmul") == 1 and "prec_train.reduce" not in graph
    result = computed(graph, x, w, o)
    np.testing.assert_allclose(result, np.einsum(f"{lhs},{rhs}->{out}", x, w), rtol=1e-5, atol=1e-5)


def test_a_sum_that_starts_somewhere(prec_opt):
    x, w, o = random("mk", "kn", "mn")
    result = computed(converted(prec_opt, einsum_graph("mk", "kn", "mn", init="o")), x, w, o)
    np.testing.assert_allclose(result, o + x @ w, rtol=1e-5, atol=1e-5)


def generic(ins: tuple[str, ...], out: str, payload: str, start: float | None = None, loops: str = "") -> str:
    """payload: of %a, %b, ... and %s, what the result starts from; yields %r."""
    indexing, found = maps(*ins, out) if not loops else maps(*ins, out, loops)
    if loops:
        indexing = indexing.rpartition(", affine_map")[0] + "]"
    kinds = ", ".join('"reduction"' if loop not in out else '"parallel"' for loop in found)
    arguments = ", ".join(f"%x{i}: {tensor(operand)}" for i, operand in enumerate(ins))
    block = ", ".join([f"%{'abcdef'[i]}: f32" for i in range(len(ins))] + ["%s: f32"])
    return f"""func.func @f({arguments}) -> {tensor(out)} {{
      %c = arith.constant {0.0 if start is None else start} : f32
      %two = arith.constant 2.0 : f32
      %empty = tensor.empty() : {tensor(out)}
      %start = linalg.fill ins(%c : f32) outs(%empty : {tensor(out)}) -> {tensor(out)}
      %y = linalg.generic {{indexing_maps = {indexing}, iterator_types = [{kinds}]}}
          ins({", ".join(f"%x{i}" for i in range(len(ins)))} : {", ".join(map(tensor, ins))}) outs(%start : {tensor(out)}) {{
        ^bb0({block}):
          {payload}
          linalg.yield %r : f32
      }} -> {tensor(out)}
      return %y : {tensor(out)}
    }}"""


@pytest.mark.parametrize("ins, out, payload, expected", [
    (("mn", "mn"), "mn", "%r = arith.addf %a, %b : f32", lambda x, y: x + y),
    (("mn", "n"), "mn", "%r = arith.mulf %a, %b : f32", lambda x, y: x * y),
    (("mn", "m"), "mn", "%r = arith.subf %a, %b : f32", lambda x, y: x - y[:, None]),
    (("mn", "nm"), "nm", "%r = arith.subf %b, %a : f32", lambda x, y: y - x.T),
    (("n", "bm"), "bmn", "%r = arith.addf %a, %b : f32", lambda x, y: x + y[..., None]),
    (("nbm", "bm"), "mnb", "%r = arith.divf %a, %b : f32", lambda x, y: np.einsum("nbm->mnb", x / y)),
    (("mn",), "mn", "%q = math.exp %a : f32\n%r = arith.mulf %q, %two : f32", lambda x: 2 * np.exp(x)),
    (("mn",), "mn", "%k = arith.constant 0.5 : f32\n%p = arith.cmpf ogt, %a, %k : f32\n%r = arith.select %p, %a, %k : f32",
     lambda x: np.maximum(x, 0.5)),
    (("m",), "bm", "%r = arith.negf %a : f32", lambda x: np.broadcast_to(-x, (3, 4))),
    (("mn",), "nm", "%r = arith.addf %s, %a : f32", lambda x: x.T),
])
def test_elementwise(prec_opt, ins, out, payload, expected):
    inputs = random(*ins)
    result = computed(converted(prec_opt, generic(ins, out, payload)), *inputs)
    np.testing.assert_allclose(result, expected(*inputs), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("ins, out, payload, start, expected", [
    (("mn",), "m", "%r = arith.addf %a, %s : f32", 0.0, lambda x: x.sum(1)),
    (("mn",), "n", "%r = arith.addf %s, %a : f32", 1.5, lambda x: 1.5 + x.sum(0)),
    (("mn",), "", "%r = arith.maximumf %a, %s : f32", 1.0, lambda x: max(x.max(), 1.0)),
    (("bmn",), "n", "%r = arith.minimumf %s, %a : f32", 100.0, lambda x: x.min((0, 1))),
    (("bmn", "m"), "nb", "%p = arith.mulf %a, %b : f32\n%q = math.absf %p : f32\n%r = arith.addf %s, %q : f32", 0.0,
     lambda x, y: np.abs(x * y[:, None]).sum(1).T),
])
def test_reductions(prec_opt, ins, out, payload, start, expected):
    inputs = random(*ins)
    result = computed(converted(prec_opt, generic(ins, out, payload, start)), *inputs)
    np.testing.assert_allclose(result, expected(*inputs), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_softmax(prec_opt, dim):
    (x,) = random("bmn")
    text = f"""func.func @f(%x: {tensor("bmn")}) -> {tensor("bmn")} {{
      %e = tensor.empty() : {tensor("bmn")}
      %y = linalg.softmax dimension({dim}) ins(%x : {tensor("bmn")}) outs(%e : {tensor("bmn")}) -> {tensor("bmn")}
      return %y : {tensor("bmn")}
    }}"""
    e = np.exp(x - x.max(dim, keepdims=True))
    np.testing.assert_allclose(computed(converted(prec_opt, text), x), e / e.sum(dim, keepdims=True), rtol=1e-5)


def test_ones_that_are_repeated(prec_opt):
    """As torch-mlir reads a dimension of 1: at 0."""
    x, y = np.random.default_rng(0).standard_normal((4, 1), dtype=np.float32), random("mn")[0]
    text = """func.func @f(%x: tensor<4x1xf32>, %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
      %e = tensor.empty() : tensor<4x5xf32>
      %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, 0)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%x, %y : tensor<4x1xf32>, tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) {
        ^bb0(%a: f32, %b: f32, %c: f32):
          %r = arith.addf %a, %b : f32
          linalg.yield %r : f32
      } -> tensor<4x5xf32>
      return %z : tensor<4x5xf32>
    }"""
    np.testing.assert_allclose(computed(converted(prec_opt, text), x, y), x + y, rtol=1e-6)


def test_numbers_of_loops(prec_opt):
    """A causal mask, as JAX writes one."""
    (x,) = random("mn")
    text = """func.func @f(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
      %e = tensor.empty() : tensor<4x5xf32>
      %one = arith.constant 1 : index
      %z = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]} ins(%x : tensor<4x5xf32>) outs(%e : tensor<4x5xf32>) {
        ^bb0(%a: f32, %b: f32):
          %i = linalg.index 0 : index
          %j = linalg.index 1 : index
          %k = arith.addi %j, %one : index
          %p = arith.cmpi sgt, %i, %k : index
          %w = arith.index_cast %i : index to i64
          %n = arith.sitofp %w : i64 to f32
          %r = arith.select %p, %a, %n : f32
          linalg.yield %r : f32
      } -> tensor<4x5xf32>
      return %z : tensor<4x5xf32>
    }"""
    i, j = np.indices((4, 5))
    np.testing.assert_allclose(computed(converted(prec_opt, text), x), np.where(i > j + 1, x, i), rtol=1e-6)


def step_in_linalg() -> str:
    """test/Tools/Inputs/two_layers.mlir with its products and sums as linalg."""
    text = (ROOT / "test/Tools/Inputs/two_layers.mlir").read_text()

    def product(match: re.Match) -> str:
        number, lhs, rhs, attributes, lhs_type, rhs_type, type_ = match.groups()
        indexing, _ = maps("km" if "transpose_a" in attributes else "mk", "nk" if "transpose_b" in attributes else "kn", "mn")
        kept = re.sub(r"transpose_[ab], ", "", attributes)
        return f"""%e{number} = tensor.empty() : {type_}
    %z{number} = linalg.fill ins(%zero : f32) outs(%e{number} : {type_}) -> {type_}
    %{number} = linalg.generic {{indexing_maps = {indexing}, iterator_types = ["reduction", "parallel", "parallel"]}}
      ins({lhs}, {rhs} : {lhs_type}, {rhs_type}) outs(%z{number} : {type_}) attrs = {{{kept}}} {{
        ^bb0(%a: f32, %b: f32, %s: f32):
          %p = arith.mulf %a, %b : f32
          %t = arith.addf %s, %p : f32
          linalg.yield %t : f32
      }} -> {type_}"""
    text, found = re.subn(r"%(\d+) = prec_train\.matmul (%[\w#]+), (%[\w#]+) \{(.*?)\} : \((\S+), (\S+)\) -> (\S+)", product, text)
    assert found == 5
    text = re.sub(r"%(\d+) = prec_train\.reduce sum (%\w+) dims \[(.*?)\] \{(.*?)\} : \((\S+)\) -> (\S+)", lambda m: (
        f"%e{m[1]} = tensor.empty() : {m[6]}\n%z{m[1]} = linalg.fill ins(%zero : f32) outs(%e{m[1]} : {m[6]}) -> {m[6]}\n"
        f"%{m[1]} = linalg.reduce {{arith.addf}} ins({m[2]} : {m[5]}) outs(%z{m[1]} : {m[6]}) dimensions = [{m[3]}] {{{m[4]}}}"), text)
    assert "= prec_train.reduce" not in text and "= prec_train.matmul" not in text
    return text.replace('{prec.entry = "step"} {', '{prec.entry = "step"} {\n    %zero = arith.constant 0.0 : f32')


def test_a_step_trains_as_before(prec_opt, tmp_path):
    """Converted, it is materialized, scheduled and run like any other graph, in fp32 with the same bits."""
    compiler = ROOT / "build/bin/prec-compile"
    if not compiler.exists():
        pytest.skip("needs a built prec-compile")
    import prec
    (tmp_path / "linalg.mlir").write_text(converted(prec_opt, step_in_linalg()))
    x = np.random.default_rng(0).standard_normal((64, 32), dtype=np.float32)
    for recipe in ("fp32", "fp8-hybrid"):
        losses = []
        for graph in (ROOT / "test/Tools/Inputs/two_layers.mlir", tmp_path / "linalg.mlir"):
            subprocess.run([compiler, graph, f"--recipe={recipe}", "-o", tmp_path / "step.so"], check=True, capture_output=True)
            with prec.Module(tmp_path / "step.so") as module:
                module.init_random(seed=1, stddev=0.1)
                losses.append([module.step({"x": x})["loss"] for _ in range(5)])
        assert losses[0] == losses[1] and losses[0][-1] < losses[0][0]
