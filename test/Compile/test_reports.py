# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step says of itself."""
import json
import os
import sys

import pytest
import torch
from small import adamw, make, tokens

import prec
from prec.sections import manifest_of
from prec.torch.compile import step as step_module
from prec.torch.compile.memory import Device
from prec.torch.compile.step import Step


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


class Odd(torch.nn.Module):
    """Layers of which FP8 can take one alone."""

    def __init__(self):
        super().__init__()
        self.first, self.second, self.head = torch.nn.Linear(32, 40), torch.nn.Linear(40, 32), torch.nn.Linear(32, 32)

    def forward(self, x):
        return self.head(torch.tanh(self.second(torch.tanh(self.first(x))))).square().mean()


def test_what_stayed_wider_is_said_with_its_reason(compiled):
    model, said = make(Odd), []
    step = compiled(model, adamw(model), (torch.ones(32, 32),), recipe="fp8-hybrid", log=said.append)
    lines = [line for line in step.report().splitlines() if "products read" in line]
    assert "1 of 8 products read bf16 x bf16, not e4m3 x e4m3, such as in first: N = 40 is not a multiple of 16, as FP8 on cpu needs; it would " \
        "change with N = 48, the next multiple of 16, instead of 40" in lines
    # The head reads BF16 as the recipe has it.
    assert not any("head" in line for line in lines)
    # Memory is said before it is taken.
    memory = step.memory()
    taken = sum(memory[name] for name in ("state", "workspace", "input", "output", "constants"))
    assert said[-1].startswith(f"the step takes {taken / 1024:.1f} KiB (weights and states {memory['state'] / 1024:.1f} KiB, workspace ")


def test_memory_that_is_not_there_is_said_with_what_would_take_less(compiled, monkeypatch):
    def open_(*_):
        raise prec.errors.OutOfMemory("workspace needs 9 bytes")
    monkeypatch.setattr(Device, "open", open_)
    model = make()
    with pytest.raises(MemoryError, match=r"workspace needs 9 bytes: the step takes .* \(weights and states .*give prec.compile max_memory="):
        compiled(model, adamw(model), next(tokens(1)), recipe="fp8-hybrid")


def test_a_step_at_the_end_of_python_is_silent(monkeypatch):
    """Modules hold nothing any more when it is let go of."""
    ended = Step.__new__(Step)
    ended._is_open, ended._process = True, os.getpid()
    monkeypatch.setattr(step_module, "os", None)
    monkeypatch.setattr(step_module, "sys", None)
    ended.__del__(is_ending=lambda: True)
    assert ended._is_open
    ended._is_open = False


def test_what_is_no_step_module(tmp_path):
    (tmp_path / "text").write_text("no module " * 20)
    for path, message in ((tmp_path / "text", "a file that is none"), (sys.executable, "section .prec.manifest")):
        with pytest.raises(prec.errors.BadFile, match=f"must .*{message}"):
            manifest_of(path)


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
