# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The example graphs under each recipe, through import's and assignment's passes: what is made is what the tags mean,
bit for bit, and nothing is rounded, quantized or transposed more often than the structure of the model asks."""
from collections import Counter

import numpy as np
import pytest
from test_random_tags import PASSES, ROOT, differences, run_meaning

from prec.interpreter import Program, generic_form, random_inputs

RECIPES = ["fp32", "bf16", "fp8-hybrid", "fp8-rowwise", "fp8-block"]
GRAPHS = ["llama_tiny", "gpt2_tiny"]


@pytest.fixture(scope="module")
def tagged(prec_opt):
    cache = {}

    def make(graph, recipe):
        if (graph, recipe) not in cache:
            text = (ROOT / f"examples/{graph}.mlir").read_text()
            cache[graph, recipe] = generic_form(text, prec_opt, ["--prec-raise-composites", f"--assign-precision=recipe={recipe} target=sm_90a",
                                                                 "--verify-precision"])
        return cache[graph, recipe]
    return make


def count(module, function="step") -> Counter:
    """Operations by name and phase; FP8 transposes apart from others."""
    counts = Counter()
    for op in module.function(function).block.operations:
        name = op.name
        if name == "prec_train.transpose":
            name += " fp8" if op.result_types[0].element.startswith("f8") else ""
        counts[name, getattr(op.attributes.get("prec_train.phase"), "word", "forward")] += 1
    return counts


def slots(module) -> Counter:
    return Counter(a["prec_train.slot"] for a in module.function("step").argument_attrs
                   if getattr(a.get("prec_train.role"), "word", "") in ("work_weight", "scale_state"))


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_recipe_computes_what_its_tags_mean(tagged, prec_opt, graph, recipe):
    text = tagged(graph, recipe)
    made = Program.of_text(text, prec_opt=prec_opt, passes=PASSES)
    inputs = random_inputs(made, seed=1)
    results = made.run(inputs)
    assert differences(run_meaning(text, prec_opt, inputs), results) == []
    # The step leaves the work weights that @init makes of the new masters.
    if recipe != "fp32":
        init = made.functions["init"]
        copies = made.run({n: results[n] for n in init.argument_names}, function="init")
        updated = {
            (a["prec_train.path"], a["prec_train.slot"]): r for a, r in zip(made.function("step").result_attrs, results) if "prec_train.slot" in a
        }
        for attributes, copy in zip(init.result_attrs, copies):
            np.testing.assert_array_equal(updated[attributes["prec_train.path"], attributes["prec_train.slot"]], copy)


@pytest.mark.parametrize("graph", GRAPHS)
def test_fp32_computes_what_was_imported(prec_opt, tagged, graph):
    raised = Program.of_text((ROOT / f"examples/{graph}.mlir").read_text(), prec_opt=prec_opt, passes=["--prec-raise-composites"])
    made = Program.of_text(tagged(graph, "fp32"), prec_opt=prec_opt, passes=PASSES)
    assert list(made.functions) == ["step"]
    inputs = random_inputs(raised, seed=1)
    assert differences(raised.run(inputs), made.run(inputs)) == []


# Products by layer: Llama q, k, v, o, gate, up, down on four inputs (norm, attention, norm, gate * up); GPT-2 qkv,
# proj, fc, proj on four.
PRODUCTS = {"llama_tiny": (7, 4), "gpt2_tiny": (4, 4)}
LAYERS = 2


@pytest.mark.parametrize("graph", GRAPHS)
def test_fp8_quantizes_each_value_once(tagged, prec_opt, graph):
    made = Program.of_text(tagged(graph, "fp8-hybrid"), prec_opt=prec_opt, passes=PASSES)
    counts, (products, inputs) = count(made), (n * LAYERS for n in PRODUCTS[graph])
    for name in ("prec.amax", "prec.update_scale", "prec.quantize", "prec_train.transpose fp8"):
        assert counts[name, "forward"] == inputs, name        # Q, K and V share one, so do gate and up; transposed for wgrad.
        assert counts[name, "backward"] == products, name     # One dY for dgrad and wgrad; transposed for wgrad.
        assert counts[name, "optimizer"] == products, name    # One new weight; transposed for dgrad.
    assert counts["prec.scaled_matmul", "forward"] == products and counts["prec.scaled_matmul", "backward"] == 2 * products
    assert counts["prec_train.matmul", "forward"] == 1 and counts["prec_train.matmul", "backward"] == 2  # The head.
    assert count(made, "init")["prec.quantize", "forward"] == products
    made_slots = slots(made)
    assert made_slots.pop("e4m3") == made_slots.pop("e4m3_t") == made_slots.pop("e4m3_scale") == products
    assert list(made_slots) == ["bf16"]


@pytest.mark.parametrize("recipe", ["fp8-rowwise", "fp8-block"])
@pytest.mark.parametrize("graph", GRAPHS)
def test_fine_scales_quantize_each_layout_once(tagged, prec_opt, graph, recipe):
    made = Program.of_text(tagged(graph, recipe), prec_opt=prec_opt, passes=PASSES)
    counts, (products, inputs) = count(made), (n * LAYERS for n in PRODUCTS[graph])
    for name in ("prec.amax", "prec.update_scale", "prec.quantize"):
        assert counts[name, "forward"] == inputs, name
        assert counts[name, "backward"] == 2 * products + inputs, name  # dY for dgrad, and dY and X along the tokens for wgrad.
        assert counts[name, "optimizer"] == 2 * products, name          # Both layouts of a new weight.
    assert not any(name == "prec_train.transpose fp8" for name, _ in counts)
    assert counts["prec.scaled_matmul", "forward"] == products and counts["prec.scaled_matmul", "backward"] == 2 * products
    made_slots = slots(made)
    assert all(made_slots.pop(slot) == products for slot in ("e4m3", "e4m3_t", "e4m3_scale", "e4m3_t_scale"))
    assert list(made_slots) == ["bf16"]


def test_llama_rounds_where_it_should(tagged, prec_opt):
    """Forward, by layer: two residuals, silu and its product. Backward, by layer: the gradients of up and gate, the
    sums of those that meet at the two norms' outputs, and the two residuals; then the tied embedding. All else comes
    rounded from what computes it."""
    counts = {recipe: count(Program.of_text(tagged("llama_tiny", recipe), prec_opt=prec_opt, passes=PASSES)) for recipe in RECIPES}
    for recipe in ("bf16", "fp8-hybrid"):
        assert counts[recipe]["arith.truncf", "forward"] == 4 * LAYERS
        assert counts[recipe]["arith.truncf", "backward"] == 6 * LAYERS + 1
    assert counts["bf16"]["arith.truncf", "optimizer"] == 20
    assert counts["fp8-hybrid"]["arith.truncf", "optimizer"] == 6
    assert not any(name in ("arith.truncf", "arith.extf") for name, _ in counts["fp32"])


@pytest.mark.parametrize("recipe", ["fp8-hybrid", "fp8-rowwise", "fp8-block"])
def test_zero_blocks_stay_finite(tagged, prec_opt, recipe):
    """An amax of 0 gives a finite scale: zero weights and what they make zero quantize to zeros."""
    made = Program.of_text(tagged("llama_tiny", recipe), prec_opt=prec_opt, passes=PASSES)
    inputs = random_inputs(made, seed=1)
    masters = {n: np.zeros_like(a) if "proj" in n and "@" not in n and "exp_avg" not in n else a for n, a in inputs.items()}
    init = made.functions["init"]
    copies = made.run({n: masters[n] for n in init.argument_names}, function="init")
    masters |= {f"{a['prec_train.path']}@{a['prec_train.slot']}": c for a, c in zip(init.result_attrs, copies)}
    results = made.run(masters)
    assert any(np.all(masters[n] == 0) for n in masters if n.endswith("@e4m3"))
    assert all(np.isfinite(np.asarray(a, np.float32)).all() for a in results)
