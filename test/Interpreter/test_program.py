# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: both backends on imported graphs, what a slice executes, what is kept and refused, the command line."""
import os
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
import torch
from models import hf_gpt2, hf_llama

import prec
from prec.builder import Builder
from prec.interpreter import GraphError, Numpy, ParseError, Program, Torch, random_inputs
from prec.interpreter.guards import writable
from prec.ir import Graph, Result

ROOT = Path(__file__).resolve().parents[2]
BACKENDS = {"numpy": lambda: Numpy(np.float64), "torch": lambda: Torch(torch.float64)}


def imported(model, batch, **options):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    return prec.import_torch(model, optimizer, batch, **options).graph, {**dict(model.named_parameters()), **batch}


def dropped_gpt2():
    return hf_gpt2(resid_pdrop=0.1, embd_pdrop=0.2, attn_pdrop=0.3)


@pytest.mark.filterwarnings("ignore:attention with dropout")
@pytest.mark.parametrize("model", [hf_llama, hf_gpt2, dropped_gpt2])
def test_backends_agree_on_imported_steps(model):
    graph, inputs = imported(*model(), clip_grad_norm=0.5)
    program = Program.of_graph(graph)
    inputs |= {"step": 3.0, **({"micro_batch": 1.0} if model is dropped_gpt2 else {})}
    before = {name: v.detach().clone() for name, v in inputs.items() if isinstance(v, torch.Tensor)}
    ours, theirs = (program.run(inputs, backend=make()) for make in BACKENDS.values())
    assert ours.names == theirs.names == [r.path for r in graph.results]
    for (name, x), y in zip(ours.items(), theirs):
        assert np.abs(x - y.numpy()).max() <= 1e-12 * max(np.abs(x).max(), 1e-3), name
    assert all(torch.equal(inputs[name], v) for name, v in before.items())
    if model is dropped_gpt2:
        # What is compared depends on the bits.
        for change in ({"micro_batch": 2.0}, {"micro_batch": -1.0}):
            assert abs(program.run({**inputs, **change}, backend=Torch())["loss"].item() - ours["loss"]) > 1e-4


def test_in_float32_the_backends_are_within_rounding():
    graph, inputs = imported(*hf_llama())
    program = Program.of_graph(graph)
    loss = graph.results[0].value
    values = [program.run(inputs, wanted=[loss], backend=b)[loss] for b in (Numpy(np.float32), Torch(torch.float32))]
    assert values[0].dtype == np.float32 and values[1].dtype == torch.float32
    assert abs(float(values[0]) - float(values[1])) < 1e-5


def spy(backend):
    """The backend, noting the operations that it executes."""
    class Spy(type(backend)):
        def apply(self, op, *x):
            self.seen.append(op.name)
            return super().apply(op, *x)
    backend.__class__, backend.seen = Spy, []
    return backend


def chain():
    """y = exp(x), z = y * y, w = sin(z), of which w and a sum are results; u is read by none."""
    graph = Graph("", "")
    x = graph.argument("batch", "x", (4,), "f32").value
    b = Builder(graph)
    y = b.math("exp", x)
    z = b.mul(y, y)
    w, u = b.math("sin", z), b.math("cos", y)
    graph.results += [Result(w, "metric", "w"), Result(b.reduce("sum", y, [0]), "metric", "sum")]
    return graph, x, y, z, w, u


@pytest.mark.parametrize("make", BACKENDS.values(), ids=BACKENDS)
def test_only_what_is_needed_runs(make):
    graph, x, y, z, w, u = chain()
    program, data = Program.of_graph(graph), np.linspace(0, 1, 4)

    def run(inputs, **options):
        backend = spy(make())
        return program.run(inputs, backend=backend, **options), backend.seen
    results, seen = run({"x": data})
    assert seen == ["math.exp", "arith.mulf", "math.sin", "prec_train.reduce"] and results.names == ["w", "sum"]
    np.testing.assert_allclose(np.asarray(results["w"]), np.sin(np.exp(data) ** 2))
    found, seen = run({"x": data}, wanted=[u, y])
    assert seen == ["math.exp", "math.cos"] and list(found) == [u, y]
    np.testing.assert_allclose(np.asarray(found[u]), np.cos(np.exp(data)))
    # Given values cut off what computes them, and need no inputs.
    found, seen = run({}, wanted=[w], given={y: data})
    assert seen == ["arith.mulf", "math.sin"]
    np.testing.assert_allclose(np.asarray(found[w]), np.sin(data**2))
    found, seen = run({}, wanted=[w, z], given={x: data, z: 2 * data})
    assert seen == ["math.sin"]
    np.testing.assert_allclose(np.asarray(found[w]), np.sin(2 * data))
    np.testing.assert_array_equal(np.asarray(found[z]), 2 * data)
    assert run({"x": data}, wanted=[x])[1] == [] and run({"x": data}, wanted=[])[1] == []
    assert [op.name for op in program.needed([w], given=[z])] == ["math.sin"]
    # One after the other: what an operation computed, then what none computes.
    found = []
    assert run({}, wanted=[z, w, y, z], given={y: data}, each=lambda v, array: found.append((v, np.asarray(array))))[0] is None
    assert [v for v, _ in found] == [z, w, y]
    np.testing.assert_allclose(found[1][1], np.sin(data**2))
    np.testing.assert_array_equal(found[2][1], data)


def test_a_given_result_of_an_operation_with_several_stays():
    graph = Graph("", "")
    x = graph.argument("batch", "x", (2, 4), "f32").value
    b = Builder(graph)
    types = [((2, 4), "f32"), ((2,), "f32"), ((2,), "f32")]
    norm = b.op("prec_train.layer_norm", [x, b.constant(1.0, (4,)), b.constant(0.0, (4,))], types, eps=1e-5)
    graph.results += [Result(norm.results[0], "metric", "y"), Result(norm.results[1], "metric", "mean")]
    data = np.arange(8.0).reshape(2, 4)
    for make in BACKENDS.values():
        results = Program.of_graph(graph).run({"x": data}, given={norm.results[1]: [7.0, 8.0]}, backend=make())
        assert results["mean"].tolist() == [7, 8] and np.allclose(np.asarray(results["y"]).mean(1), 0)


def test_values_are_forgotten_after_their_last_use():
    """Of a chain of a hundred operations, two values live at a time."""
    graph = Graph("", "")
    x = graph.argument("batch", "x", (8,), "f32").value
    b = Builder(graph)
    for _ in range(100):
        x = b.add(b.math("sin", x), 1.0)
    graph.results.append(Result(x, "metric", "y"))
    graph.ops = [op for op in graph.ops if op.name == "arith.constant"] + [op for op in graph.ops if op.name != "arith.constant"]
    alive, most = weakref.WeakSet(), []

    class Counting(Torch):
        def apply(self, op, *x):
            results = super().apply(op, *x)
            if op.name != "arith.constant":
                alive.update(results)
                most.append(len(alive))
            return results
    Program.of_graph(graph).run({"x": np.zeros(8)}, backend=Counting())
    assert len(most) == 200 and max(most) <= 3


def test_a_slice_of_a_step_reads_only_its_inputs():
    graph, inputs = imported(*hf_llama())
    program = Program.of_graph(graph)
    logits = next(op.operands[0] for op in graph.ops if op.name == "prec_train.cross_entropy")
    backend = spy(Torch())
    del inputs["labels"]
    program.run(inputs, wanted=[logits], backend=backend)
    assert not any("grad" in name or name in ("prec_train.adamw", "prec_train.cross_entropy") for name in backend.seen)
    with pytest.raises(ValueError, match="an input must be given for argument 'labels' of @step, but got none"):
        program.run(inputs, backend=Torch())


def text_of(graph, prec_opt):
    from prec.text import Printer
    return Program.of_text(Printer(graph).module(), prec_opt=prec_opt)


def test_text_and_memory_are_one_graph(prec_opt):
    """Arguments and values go by the same places; literals of text are the nearest f32."""
    graph, inputs = imported(*hf_llama())
    memory, text = Program.of_graph(graph, round_literals=True), text_of(graph, prec_opt)
    assert memory.function().argument_names == text.function().argument_names
    assert memory.gradients().keys() == text.gradients().keys()
    for backend in (Numpy(np.float64), Torch()):
        for (name, x), y in zip(memory.run(inputs, backend=backend).items(), text.run(inputs, backend=backend)):
            assert np.array_equal(x, y), name
    exact, rounded = (Program.of_graph(graph, round_literals=r).run(inputs, backend=Torch()) for r in (False, True))
    assert 0 < abs(exact["loss"] - rounded["loss"]) < 1e-5


# Refusals.


def broken(change):
    graph, x, y, z, w, u = chain()
    change(graph, {"x": x, "y": y, "z": z, "w": w})
    return graph


def swap_kind(name, **attrs):
    def change(graph, v):
        graph.ops[0].name = name
        graph.ops[0].attrs.update(attrs)
    return change


def mistyped(graph, v):
    v["y"].dtype = "i32"


def reshaped(graph, v):
    graph.ops[0].name, graph.ops[0].attrs = "tensor.collapse_shape", {"reassociation": [[0, 1]]}


def broadcast(graph, v):
    graph.ops[0].name, graph.ops[0].attrs = "prec_train.broadcast", {"dims": [0, 1]}


def widened(graph, v):
    v["w"].shape = (5,)


@pytest.mark.parametrize("change,error,message", [
    (swap_kind("math.lgamma"), NotImplementedError, "the step: no semantics for math.lgamma in {}"),
    (mistyped, GraphError, "the step: math.exp gives (torch.)?float64, but its type says i32"),
    (reshaped, GraphError, r"the step: groups of tensor.collapse_shape must bring \[4\] and \[4\] together, but got \[\[0, 1\]\]"),
    (broadcast, GraphError, r"the step: dims of prec_train.broadcast must place \[4\] in \[4\], but got \[0, 1\]"),
    (swap_kind("prec_train.transpose", permutation=[0, 1]), GraphError,
     r"the step: prec_train.transpose must be defined for operands \[4\], but raised"),
    (swap_kind("prec_train.matmul"), GraphError, r"the step: prec_train.matmul must be defined for operands \[4\], but raised TypeError"),
    (swap_kind("prec_train.softmax_grad"), GraphError, r"the step: prec_train.softmax_grad must be defined for operands \[4\], but raised TypeError"),
    (swap_kind("prec_train.transpose"), GraphError, "the step: prec_train.transpose must be .* but raised KeyError: 'permutation'"),
    (widened, GraphError, r"the step: operands of math.sin must have the shape of its result \[5\], but got \[4\]"),
    (swap_kind("prec_train.reduce", kind="sum", dims=[0]), GraphError, r"the step: prec_train.reduce gives \[\], but its type says \[4\]"),
    (swap_kind("prec_train.reduce", kind="mean", dims=[0]), NotImplementedError, "the step: no semantics for prec_train.reduce mean in {}")])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_graph_that_contradicts_itself_is_refused(change, error, message, backend):
    with pytest.raises(error, match=message.format({"numpy": "NumPy", "torch": "PyTorch"}[backend])):
        Program.of_graph(broken(change)).run({"x": np.ones(4)}, backend=BACKENDS[backend]())


def test_wrong_numbers_are_noticed():
    """A program computes what is changed, not what was meant."""
    graph, inputs = imported(*hf_llama())
    expected = Program.of_graph(graph).run(inputs, backend=Torch())["loss"]
    next(op for op in graph.ops if op.name == "prec_train.attention").attrs["scale"] *= 1.001
    for make in BACKENDS.values():
        assert abs(float(Program.of_graph(graph).run(inputs, backend=make())["loss"]) - float(expected)) > 1e-9


@pytest.mark.parametrize("backend", BACKENDS)
def test_inputs_are_checked(backend):
    graph = Graph("", "")
    ids = graph.argument("batch", "ids", (2,), "i32").value
    flag = graph.argument("batch", "flag", (), "i1").value
    graph.results += [Result(ids, "metric", "ids"), Result(flag, "metric", "flag")]
    program, good = Program.of_graph(graph), {"ids": np.array([1, 2]), "flag": True}

    def run(**options):
        return program.run(backend=BACKENDS[backend](), **{"inputs": good, **options})
    assert [v.tolist() for v in run()] == [[1, 2], True]
    for change, message in [
            ({"ids": np.array([1, 2**40])}, "argument 'ids' of @step must fit i32, but got 1099511627776"),
            ({"ids": np.array([1, 0.5])}, "argument 'ids' of @step must fit i32, but got 0.5"),
            ({"ids": torch.zeros(2, dtype=torch.int64, device="meta")},
             "argument 'ids' of @step must fit i32, but got a tensor without values"),
            ({"flag": 2}, "argument 'flag' of @step must fit i1, but got 2"),
            ({"ids": np.array([1, 2, 3])}, r"argument 'ids' of @step must have shape \[2\], but got \[3\]"),
            ({"idz": 1}, "inputs that @step does not have: \\['idz'\\]")]:
        with pytest.raises(ValueError, match=message):
            run(inputs={**good, **change})
    with pytest.raises(ValueError, match="values that @step does not have"):
        run(wanted=["%0"])
    with pytest.raises(ValueError, match=r"a given value must have shape \[2\], but got \[\]"):
        run(given={ids: 3})
    with pytest.raises(ValueError, match="the function must be one of @step, but got @other"):
        run(function="other")


def test_inputs_go_by_position_too():
    graph, x, *_ = chain()
    program, data = Program.of_graph(graph), np.linspace(0, 1, 4)
    for key in ("x", 0, "0", "arg0"):
        assert program.run({key: data})[1] == program.run({"x": data})["sum"]


GENERIC = """"builtin.module"() ({
  "func.func"() <{function_type = (tensor<3xELEMENT>, tensor<f32>) -> (tensor<3xELEMENT>), sym_name = "step",
    arg_attrs = [{prec_train.path = "x", prec_train.role = #prec_train.role<batch>},
      {prec_train.path = "lr", prec_train.role = #prec_train.role<hyper>, prec_train.default = 5.000000e-01 : f64}],
    res_attrs = [{prec_train.path = "y", prec_train.role = #prec_train.role<metric>}]}> ({
  ^bb0(%arg0: tensor<3xELEMENT>, %arg1: tensor<f32>):
    %0 = "arith.constant"() <{value = dense<[1.000000e-01, 2.000000e+00, -0.000000e+00]> : tensor<3xf32>}> : () -> tensor<3xf32>
    %1 = "prec_train.broadcast"(%arg1) <{dims = array<i64>}> : (tensor<f32>) -> tensor<3xf32>
    %2 = "arith.mulf"(%0, %1) <{fastmath = #arith.fastmath<none>}> : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    BODY
    "func.return"(%3) : (tensor<3xELEMENT>) -> ()
  }) : () -> ()
}) : () -> ()
"""
F32 = GENERIC.replace("ELEMENT", "f32").replace("BODY", '%3 = "arith.addf"(%2, %arg0) : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>')


def test_without_a_step_a_function_is_named():
    other = Program.of_text(F32).functions["step"]
    program = Program({"f": other, "g": other})
    assert program.run({"x": [1, 2, 3]}, function="g")["y"][1] == 3
    other.entry = "step"
    with pytest.raises(GraphError, match="one function with prec.entry = 'step', but got @f and @g"):
        Program({"f": other, "g": other})
    other.entry = None
    with pytest.raises(ValueError, match="without a step the function must be named, one of @f, @g, but got no name"):
        program.run({"x": [1, 2, 3]})


def test_packed_truth_values():
    """As prec-opt prints many: eight a byte, the lowest bit first."""
    text = F32.replace("tensor<3xf32>", "tensor<11xi1>").replace('dense<[1.000000e-01, 2.000000e+00, -0.000000e+00]>', 'dense<"0xAC05">')
    text = text.replace("arith.mulf", "arith.andi").replace("<{fastmath = #arith.fastmath<none>}> ", "").replace("arith.addf", "arith.ori")
    text = text.replace("tensor<f32>", "tensor<i1>").replace("prec_train.default = 5.000000e-01 : f64", "")
    y = Program.of_text(text).run({"x": np.zeros(11, bool), "lr": True})["y"]
    assert np.asarray(y).tolist() == [bool(int(c)) for c in "00110101101"]


def test_what_is_stored_in_f16_has_a_limit_of_its_own():
    """Elements of one place are written together; each sum has the limit of what is stored, and states of other shapes
    are asked by themselves."""
    for xp in (np, torch):
        new = [xp.asarray([1.0, 7e4, 1.0, 1.0]), xp.asarray([1.0, 1.0, 1e30, float("inf")]), xp.asarray([7e4])]
        assert [w.tolist() for w in writable(new, ["f16", "f32", "f32"])] == [[True, False, True, False]] * 2 + [[True]]
        assert [w.tolist() for w in writable(new, ["f32", "f32", "f16"])] == [[True, True, True, False]] * 2 + [[False]]


def test_generic_text_needs_no_compiler():
    program = Program.of_text(F32, prec_opt="/nowhere/prec-opt")
    tenth = float(np.float32(0.1))
    for make in BACKENDS.values():
        np.testing.assert_array_equal(np.asarray(program.run({"x": [1, 2, 3]}, backend=make())["y"]), np.array([0.5 * tenth + 1, 3, 3]))
    found = program.run({"lr": 2.0}, wanted=["%2"])
    assert found["%2"].dtype == np.float32 and found["%2"].tolist() == [np.float32(2) * np.float32(0.1), 4, 0]
    with pytest.raises(ValueError, match="needs prec-opt .* but got .*/nowhere/prec-opt"):
        Program.of_text(F32, prec_opt="/nowhere/prec-opt", passes=["--cse"])


@pytest.mark.parametrize("text,error,message", [
    (F32.replace('"func.return"(%3) : (tensor<3xf32>) -> ()\n', ""), GraphError, "a function must end in func.return, but @step has none"),
    (F32.replace('"arith.mulf"(%0, %1)', '"arith.mulf"(%0, %arg1)').replace(
        ", tensor<3xf32>) -> tensor<3xf32>\n    %3", ", tensor<f32>) -> tensor<3xf32>\n    %3"),
     GraphError, r"line 9: operands of arith.mulf must have the shape of its result \[3\], but got \[3\], \[\]"),
    (F32.replace("tensor<3xf32>}>", "tensor<?xf32>}>"), ParseError, r"line 7: expected a static shape in 'tensor<\?xf32>'"),
    (F32.replace("{prec_train.path", "{prec_train.path %"), ParseError, "line 3: expected the name of an attribute, but got '%'"),
    (F32[:-40], ParseError, "line 11: expected a closing bracket, but got 'end'")])
def test_bad_text_is_refused(text, error, message):
    with pytest.raises(error, match=message):
        Program.of_text(text)


def test_narrow_floats_are_numpys_alone():
    text = GENERIC.replace("ELEMENT", "bf16").replace("BODY", '%3 = "arith.truncf"(%2) : (tensor<3xf32>) -> tensor<3xbf16>')
    program = Program.of_text(text)
    assert program.run()["y"].astype(np.float64).tolist() == [0.050048828125, 1, 0]
    with pytest.raises(NotImplementedError, match="elements must be f32, f64 or i1.* in PyTorch, but got bf16 .the NumPy backend has"):
        program.run(backend=Torch())
    text = F32.replace('"arith.addf"(%2, %arg0) : (tensor<3xf32>, tensor<3xf32>)', '"prec.hadamard"(%2) : (tensor<3xf32>)')
    with pytest.raises(NotImplementedError, match="line 10: no semantics for prec.hadamard in PyTorch .the NumPy backend has every"):
        Program.of_text(text).run(backend=Torch())


def python(code, *arguments):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    return subprocess.run([sys.executable, *code, *arguments], capture_output=True, text=True, env=environment)


def test_each_backend_needs_its_own_packages():
    head = f"import sys; from prec.interpreter import Program; program = Program.of_text({F32!r}); x = {{'x': [1, 2, 3]}}\n"
    with_torch = "from prec.interpreter import Torch; program.run(x, backend=Torch())"
    for blocked, use in (("torch", "program.run(x)"), ("ml_dtypes", with_torch)):
        done = python(["-c", f"import sys; sys.modules['{blocked}'] = None\n" + head + use])
        assert done.returncode == 0, done.stderr


def test_command_line(tmp_path):
    graph, inputs, out = (str(tmp_path / name) for name in ("graph.mlir", "in.npz", "out.npz"))
    Path(graph).write_text(F32)
    np.savez(inputs, x=np.array([1.0, 2.0, 3.0]))
    done = python(["-m", "prec.interpreter"], graph, "--inputs", inputs, "--out", out, "--float64")
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(out)["y"], np.array([0.5 * np.float32(0.1).astype(float) + 1, 3, 3]))
    # Without inputs, they are random, and the same every time.
    assert python(["-m", "prec.interpreter"], graph, "--out", out).returncode == 0
    np.testing.assert_array_equal(np.load(out)["y"], Program.of_text(F32).run(random_inputs(Program.of_text(F32)))["y"])
    done = python(["-m", "prec.interpreter"], graph, "--out", out, "--function", "other")
    assert (done.returncode, done.stderr) == (1, "error: the function must be one of @step, but got @other\n")
