# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec-opt does to an imported step before formats are chosen leaves what it computes: loss, gradient norm,
updated parameters and states of every family of models, in float64, after composites are raised, after upstream's
clean-ups, and as fp32 is materialized."""
import pytest
import torch
from families import FAMILIES, written
from models import MODELS

import prec
from prec.interpreter import Program, Torch, generic_form

FP32 = [
    "--prec-raise-composites",
    "--assign-precision=recipe=fp32 target=cpu",
    "--verify-precision",
    "--prec-merge-contractions",
    "--prec-narrow-masters",
    "--prec-split-weights",
    "--prec-insert-casts",
    "--prec-verify-materialized",
]
PIPELINES = {"raised": ["--prec-raise-composites"], "merged": ["--cse"], "canonical": ["--canonicalize"], "fp32": FP32,
             "decomposed": [*FP32, "--prec-decompose=attention-library=none"]}
# One for each importer of attention, norm and loss, and one of two stacks; the others take minutes.
QUICK = {"llama", "gpt2", "bench", "family t5"}
BUILD = {
    **MODELS,
    **{f"family {name}": FAMILIES[name].build for name, kind in written().items() if kind == "imports"},
}


def difference(x, y):
    return (x - y).abs().max() / x.abs().max().clamp(min=1e-6)


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.long) for n in BUILD])
def test_passes_keep_the_step(prec_opt, name):
    model, batch = BUILD[name]()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), weight_decay=0.1)
    step = prec.import_torch(model, optimizer, batch, clip_grad_norm=0.5, verify=False)
    inputs = {**dict(model.named_parameters()), **batch}
    # Updates read moments of a step before, so that an element's gradient shows and not its sign alone.
    torch.manual_seed(0)
    for a in step.graph.arguments:
        if a.role == "optimizer_state":
            inputs[a.path] = 1e-3 * torch.rand(a.value.shape) ** (2 if a.path.endswith("exp_avg_sq") else 1)
    inputs["step"] = 3.0
    expected = Program.of_graph(step.graph, round_literals=True).run(inputs, backend=Torch())
    text = generic_form(step.mlir, prec_opt, ["--verify-each"])
    for pipeline, passes in {"text": [], **PIPELINES}.items():
        if pipeline == "decomposed" and name.startswith("family"):
            continue
        program = Program.of_text(text, prec_opt=prec_opt, passes=passes)
        results = program.run(inputs, backend=Torch())
        assert results.names == expected.names, pipeline
        for (path, x), y in zip(expected.items(), results):
            assert difference(x, y) <= 1e-9, (pipeline, path)


def test_a_changed_step_is_noticed(prec_opt):
    """The comparison can fail: with another scale of the scores, or another epsilon, what is compared is another."""
    model, batch = MODELS["llama"]()
    step = prec.import_torch(model, torch.optim.AdamW(model.parameters()), batch)
    inputs = {**dict(model.named_parameters()), **batch}
    expected = Program.of_graph(step.graph, round_literals=True).run(inputs, backend=Torch())
    raised = generic_form(step.mlir, prec_opt, ["--prec-raise-composites"])
    for attribute in ("scale", "eps"):
        program = Program.of_text(raised)
        for op in program.function().operations:
            if attribute in op.attributes:
                op.attributes[attribute] *= 1.01
        results = program.run(inputs, backend=Torch())
        assert max(map(difference, expected, results)) > 1e-6, attribute
