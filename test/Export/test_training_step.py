# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loop of a host that generates code itself, for a whole training step in FP8: a step in linalg is converted,
assigned, materialized and written back as linalg, which upstream's passes alone compile. Its new weights, work weights,
momenta and scales have the bits of the CPU target's module, in every step. Numbers are such that no sum of a product is
rounded, whatever its order; casts, scales and everything elementwise round as they like."""
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import upstream
from safetensors.numpy import save_file

import prec

ROOT = Path(__file__).resolve().parents[2]
ROWS, SIZES = 16, (32, 64, 48, 32)
MAPS = {"xw": ("(m, n, k) -> (m, k)", "(m, n, k) -> (n, k)"), "dw": ("(m, n, k) -> (m, k)", "(m, n, k) -> (k, n)"),
        "dx": ("(m, n, k) -> (k, m)", "(m, n, k) -> (k, n)")}


def tensor(*sizes: int) -> str:
    return f"tensor<{'x'.join(map(str, sizes))}xf32>" if sizes else "tensor<f32>"


class Writer:
    """Operations of linalg, one a line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.types: dict[str, str] = {}

    def name(self, type_: str) -> str:
        found = f"%v{len(self.types)}"
        self.types[found] = type_
        return found

    def product(self, kind: str, lhs: str, rhs: str, rows: int, columns: int) -> str:
        type_ = tensor(rows, columns)
        made = self.name(type_)
        maps = ", ".join(f"affine_map<{m}>" for m in (*MAPS[kind], "(m, n, k) -> (m, n)"))
        self.lines.append(f"""{made}_e = tensor.empty() : {type_}
      {made}_z = linalg.fill ins(%zero : f32) outs({made}_e : {type_}) -> {type_}
      {made} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel", "parallel", "reduction"]}}
          ins({lhs}, {rhs} : {self.types[lhs]}, {self.types[rhs]}) outs({made}_z : {type_}) {{
        ^bb0(%a: f32, %b: f32, %s: f32):
          %p = arith.mulf %a, %b : f32
          %t = arith.addf %s, %p : f32
          linalg.yield %t : f32
      }} -> {type_}""")
        return made

    def elementwise(self, payload: str, *inputs: str) -> str:
        """Of %a, %b, ... makes %r."""
        type_ = self.types[inputs[0]]
        made, rank = self.name(type_), type_.count("x")
        loops = ", ".join("ijk"[:rank])
        arguments = ", ".join(f"%{'abc'[i]}: f32" for i in range(len(inputs)))
        self.lines.append(f"""{made}_e = tensor.empty() : {type_}
      {made} = linalg.generic {{indexing_maps = [{", ".join([f"affine_map<({loops}) -> ({loops})>"] * (len(inputs) + 1))}],
          iterator_types = [{", ".join(['"parallel"'] * rank)}]}}
          ins({", ".join(inputs)} : {", ".join(self.types[i] for i in inputs)}) outs({made}_e : {type_}) {{
        ^bb0({arguments}, %o: f32):
          {payload}
          linalg.yield %r : f32
      }} -> {type_}""")
        return made


def step() -> str:
    """Linear layers with ReLU between them, the loss is the mean of the result times a direction, SGD with momentum."""
    w = Writer()
    layers = list(zip(SIZES, SIZES[1:]))
    arguments = []
    for role, path, type_, more in [
            *(("parameter", f"w{n}", tensor(b, a), "") for n, (a, b) in enumerate(layers)),
            *(("optimizer_state", f"w{n}.m", tensor(b, a), f', prec_train.param_of = "w{n}", prec_train.slot = "m"')
              for n, (a, b) in enumerate(layers)),
            ("batch", "x", tensor(ROWS, SIZES[0]), ""), ("batch", "direction", tensor(ROWS, SIZES[-1]), "")]:
        arguments.append((w.name(type_), f'{{prec_train.role = #prec_train.role<{role}>, prec_train.path = "{path}"{more}}}'))
    names = [name for name, _ in arguments]
    weights, momenta, (x, direction) = names[:3], names[3:6], names[6:]
    inputs, gates = [x], []
    for n, (weight, (_, size)) in enumerate(zip(weights, layers)):
        y = w.product("xw", inputs[-1], weight, ROWS, size)
        if n + 1 < len(layers):
            gates.append(y)
            inputs.append(w.elementwise("%r = arith.maximumf %a, %zero : f32", y))
    weighted = w.elementwise("%p = arith.mulf %a, %b : f32\n%r = arith.mulf %p, %share : f32", y, direction)
    w.lines.append(f"""%scalar = tensor.empty() : tensor<f32>
      %start = linalg.fill ins(%zero : f32) outs(%scalar : tensor<f32>) -> tensor<f32>
      %loss = linalg.reduce {{arith.addf}} ins({weighted} : {w.types[weighted]}) outs(%start : tensor<f32>) dimensions = [0, 1]""")
    gradient = w.elementwise("%r = arith.mulf %a, %share : f32", direction)
    new: list[tuple[str, str]] = []
    for n in reversed(range(len(layers))):
        before, size = layers[n]
        own = w.product("dx", gradient, inputs[n], size, before)
        if n:
            gradient = w.product("dw", gradient, weights[n], ROWS, before)
            gradient = w.elementwise("%q = arith.cmpf ogt, %b, %zero : f32\n%r = arith.select %q, %a, %zero : f32", gradient, gates[n - 1])
        momentum = w.elementwise("%p = arith.mulf %a, %half : f32\n%r = arith.addf %p, %b : f32", momenta[n], own)
        weight = w.elementwise("%p = arith.mulf %b, %half : f32\n%r = arith.subf %a, %p : f32", weights[n], momentum)
        new.insert(0, (weight, momentum))
    results = [*(weight for weight, _ in new), *(momentum for _, momentum in new)]
    given = ",\n      ".join(f"{name}: {w.types[name]} {a}" for name, a in arguments)
    made = ", ".join(f"{w.types[name]} {{prec_train.role = #prec_train.role<updated>, prec_train.donated_to = {n} : i64}}"
                     for n, name in enumerate(results))
    loss = 'tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"}'
    body = "\n      ".join(w.lines)
    return f"""func.func @step({given}) -> ({loss}, {made}) attributes {{prec.entry = "step"}} {{
      %zero = arith.constant 0.0 : f32
      %half = arith.constant 0.5 : f32
      %share = arith.constant {1 / 64} : f32
      {body}
      return %loss, {", ".join(results)} : tensor<f32>, {", ".join(w.types[name] for name in results)}
    }}"""


def run(tool: str, *arguments: str | Path, text: str | None = None) -> str:
    program = ROOT / "build/bin" / tool
    if not program.exists():
        pytest.skip(f"needs a built {tool}")
    done = subprocess.run([program, *arguments], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


STEPS = 3


class Both:
    """A module, and upstream's code of the same step, whose arguments are the module's bindings in their order."""

    def __init__(self, module: prec.Module, text: str, folder: Path) -> None:
        self.module, self.compiled = module, upstream.Compiled(upstream.verify(text), folder)
        self.bindings = [b for b in module.bindings if b.role not in ("loss", "metric", "guard", "amax_ratios")]
        signature = re.search(r"func\.func @step\((.*?)\) -> \((.*?)\) attributes", text, re.S)
        assert signature
        shapes = [shape for shape, _ in upstream.tensor_types(signature[1])]
        assert [tuple(b.shape) for b in self.bindings] == shapes
        # Of each result the binding that it replaces; a loss replaces none.
        self.replaced = [re.search(r"donated_to = (\d+)", attributes) for attributes in re.findall(r"\{([^}]*)\}", signature[2])]

    def check_step(self, batch: dict[str, np.ndarray], number: int) -> None:
        given = [batch[b.name] if b.role == "batch" else self.module.get(b) for b in self.bindings]
        results = self.compiled.run("step", *given)
        done = self.module.step(batch)
        assert not done.get("skipped")
        checked = 0
        for replaced, computed in zip(self.replaced, results, strict=True):
            if not replaced:
                continue
            binding = self.bindings[int(replaced[1])]
            expected = self.module.get(binding)
            kind = f"u{expected.itemsize}"
            assert expected.dtype == computed.dtype and binding.role != "batch"
            np.testing.assert_array_equal(np.ascontiguousarray(computed).view(kind), np.ascontiguousarray(expected).view(kind),
                                          f"{binding.name} of step {number}")
            checked += 1
        assert checked == len([b for b in self.bindings if b.role not in ("batch", "hyper")])


@pytest.mark.long
@pytest.mark.parametrize("recipe, options, elements", [
    ("fp8-hybrid", "", {"f8E4M3FN", "f8E5M2"}), ("fp8-hybrid", "tensor-scaling=delayed", {"f8E4M3FN", "f8E5M2"}),
    ("mxfp8", "", {"f8E4M3FN", "f8E8M0FNU"})])
def test_upstream_computes_the_step_with_the_bits_of_the_cpu_target(tmp_path, recipe, options, elements):
    (tmp_path / "linalg.mlir").write_text(step())
    run("prec-opt", tmp_path / "linalg.mlir", "--prec-convert-linalg-to-train", "-o", tmp_path / "graph.mlir")
    assign = [f"--assign={options}"] if options else []
    run("prec-compile", tmp_path / "graph.mlir", f"--recipe={recipe}", "--target=cpu", *assign, "--dump-after=materialize",
        "-o", tmp_path / "step.so")
    text = run("prec-opt", tmp_path / "step.materialize.mlir", "--prec-to-linalg")
    assert not re.search(r"#?\bprec(_train|_sched)?\.", text)
    assert elements <= set(re.findall(r"f8\w+", text))
    rng = np.random.default_rng(6)
    weights = {f"w{n}": (rng.integers(-8, 9, (b, a)) / 8).astype(np.float32) for n, (a, b) in enumerate(zip(SIZES, SIZES[1:]))}
    save_file(weights, tmp_path / "weights.safetensors")
    with prec.Module(tmp_path / "step.so") as module:
        module.load(tmp_path / "weights.safetensors")
        module.initialize()
        both = Both(module, text, tmp_path)
        for number in range(1, STEPS + 1):
            both.check_step({"x": rng.integers(-2, 3, (ROWS, SIZES[0])).astype(np.float32),
                             "direction": rng.choice([-1.0, -0.5, 0.5, 1.0], (ROWS, SIZES[-1])).astype(np.float32)}, number)
