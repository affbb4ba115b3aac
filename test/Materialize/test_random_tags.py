# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs tagged at random: what the passes make of them computes what the tags mean, bit for bit. Mutants show that the
comparison
sees a missing rounding and a wrong scale."""
from pathlib import Path

import numpy as np
import pytest
from tagged import TaggedSemantics, tag_at_random

from prec.interpreter import Program, generic_form, random_inputs
from prec.interpreter.text import TensorType

ROOT = Path(__file__).resolve().parents[2]

PASSES = ["--prec-split-weights", "--prec-insert-casts", "--prec-verify-materialized"]
GRAPHS = ["llama_tiny", "gpt2_tiny"]


@pytest.fixture(scope="module")
def graphs(prec_opt):
    return {name: generic_form((ROOT / f"examples/{name}.mlir").read_text(), prec_opt, ["--verify-each"]) for name in GRAPHS}


def run_meaning(tagged_text, prec_opt, inputs):
    program = Program.of_text(tagged_text, prec_opt=prec_opt)
    function = program.function("step")
    arrays = program.run({n: inputs[n] for n in function.argument_names}, wanted=[a.value for a in function.arguments])
    return TaggedSemantics(function).run(list(arrays.values()))


def differences(meant, results):
    return [n for n, m, (_, r) in zip(results.names, meant, results.items()) if not np.array_equal(m, r)]


SCALINGS = ["tensor_current", "row", "block_1x128", "block_128x128"]


@pytest.mark.parametrize("seed, scaling", [*((seed, SCALINGS[0]) for seed in range(4)), *enumerate(SCALINGS[1:])])
@pytest.mark.parametrize("graph", GRAPHS)
def test_materialized_graph_computes_what_tags_mean(graphs, prec_opt, graph, seed, scaling):
    text = tag_at_random(graphs[graph], seed, scaling=scaling)
    made = Program.of_text(text, prec_opt=prec_opt, passes=PASSES)
    inputs = random_inputs(made, seed=1)
    meant, results = run_meaning(text, prec_opt, inputs), made.run(inputs)
    assert all(np.isfinite(m).all() for m in meant)
    assert differences(meant, results) == []

    # The step leaves the work weights that @init makes of the new masters.
    init = made.functions["init"]
    copies = made.run({n: results[n] for n in init.argument_names}, function="init")
    slots = {
        (a["prec_train.path"], a["prec_train.slot"]): r
        for a, (_, r) in zip(made.function("step").result_attrs, results.items())
        if "prec_train.slot" in a and "prec_train.param_of" in a
    }
    for attributes, (_, copy) in zip(init.result_attrs, copies.items()):
        np.testing.assert_array_equal(slots.pop((attributes["prec_train.path"], attributes["prec_train.slot"])), copy)
    assert not slots


@pytest.mark.parametrize("graph", GRAPHS)
def test_f32_tags_change_nothing(graphs, prec_opt, graph):
    text = tag_at_random(graphs[graph], 0, formats=("f32",), fp8=False)
    plain, made = Program.of_text(graphs[graph], prec_opt=prec_opt), Program.of_text(text, prec_opt=prec_opt, passes=PASSES)
    assert list(made.functions) == ["step"]
    assert [o.name for o in made.function("step").block.operations] == [o.name for o in plain.function("step").block.operations]
    inputs = random_inputs(plain, seed=1)
    assert differences(plain.run(inputs), made.run(inputs)) == []


def is_rounding(op, values):
    """Whether a truncf changed any element that it saw."""
    return op.name == "arith.truncf" and op.results[0] in values and \
        not np.array_equal(values[op.operands[0]], values[op.results[0]].astype(np.float32))


@pytest.mark.parametrize("graph", GRAPHS)
def test_a_missing_rounding_is_seen(graphs, prec_opt, graph):
    text = tag_at_random(graphs[graph], 0)
    made = Program.of_text(text, prec_opt=prec_opt, passes=PASSES)
    inputs = random_inputs(made, seed=1)
    meant, block = run_meaning(text, prec_opt, inputs), made.function("step").block
    values = made.run(inputs, wanted=[*(v for v, _ in block.arguments), *(v for op in block.operations for v in op.results)])
    # A layout operation would round again what it moves, so that only a reader that computes shows the difference.
    computed = {op.operands[0] for op in block.operations if op.name in ("arith.extf", "prec_train.matmul")}
    roundings = [op for op in block.operations if is_rounding(op, values) and op.results[0] in computed]
    assert len(roundings) > 20
    seen = []
    for op in roundings[::len(roundings) // 10]:
        types, op.result_types = op.result_types, [TensorType(op.result_types[0].shape, "f32")]
        seen.append(bool(differences(meant, made.run(inputs))))
        op.result_types = types
    # A later rounding can hide one that moved few elements.
    assert sum(seen) >= 0.8 * len(seen)


@pytest.mark.parametrize("operand", [0, 1, 2, 3])
def test_a_wrong_operand_of_a_scaled_product_is_seen(graphs, prec_opt, operand):
    text = tag_at_random(graphs["llama_tiny"], 0)
    made = Program.of_text(text, prec_opt=prec_opt, passes=PASSES)
    inputs = random_inputs(made, seed=1)
    meant, products = run_meaning(text, prec_opt, inputs), []
    for op in made.function("step").block.operations:
        if op.name == "prec.scaled_matmul":
            products.append(op)
    for op in products[1::5]:
        kept = list(op.operands)
        other = next((p.operands[operand] for p in products if p.line < op.line and p.operands[operand] != kept[operand]
                      and p.operand_types[operand] == op.operand_types[operand]), None)
        if other is None:
            continue
        op.operands[operand] = other
        assert differences(meant, made.run(inputs)), f"no result depends on operand {operand} in line {op.line}"
        op.operands[:] = kept
