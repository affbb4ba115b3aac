# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step says of itself."""
import json

import pytest
import torch
from small import adamw, make, tokens

import prec


@pytest.fixture(scope="module")
def step(cache):
    model = make()
    step = prec.compile(model, adamw(model), next(tokens(1)), recipe="fp8-hybrid", target="cpu", cache=cache, verify=False, threads=1,
                        clip_grad_norm=1.0, log=lambda line: None)
    step(next(tokens(1)))
    return step


def test_precision(step, tmp_path):
    assert "recipe fp8-hybrid" in step.precision() and "master weights" in step.precision()
    assert "hidden.weight" in step.explain("hidden.weight")
    with pytest.raises(prec.CompileFailure, match="nowhere"):
        step.explain("nowhere")
    step.page(tmp_path / "map.html")
    assert "<html" in (tmp_path / "map.html").read_text()


def test_memory_and_report(step):
    memory = step.memory()
    assert memory["state"] > 3 * 4 * sum(t.numel() for t in step._model.parameters()) and memory["total"] == sum(memory.values()) - memory["total"]
    assert memory["model"] == 0
    assert "step of Bigram: recipe fp8-hybrid, target cpu" in step.report()


def test_a_profile_changes_nothing(step, tmp_path):
    batch = next(tokens(1, seed=5))
    before, expected = {n: t.clone() for n, t in step._model.state_dict().items()}, step.eval(batch)
    step.profile(tmp_path / "profile.json", batch)
    entries = json.loads((tmp_path / "profile.json").read_text())
    assert {"name", "path", "phase", "op", "seconds"} == set(entries[0]) and len(entries) > 10
    assert torch.equal(step.eval(batch), expected) and step.steps == 1
    assert all(torch.equal(before[n], t) for n, t in step._model.state_dict().items())
    step(batch)
    assert step.steps == 2


def test_a_profile_as_a_page(step, tmp_path):
    steps = step.steps
    step.profile(tmp_path / "profile.html", next(tokens(1, seed=5)))
    text = (tmp_path / "profile.html").read_text()
    assert "<html" in text and "hidden" in text and step.steps == steps
