# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Python's own state that a step was traced with, and that a script changes between steps: what the step follows from
is refused by name, the rest is not noticed."""
import types

import pytest
import torch
import torch.nn.functional as F
from small import adamw, make, numbers

import prec

SCALE = 1.0


class Annealed(torch.nn.Module):
    """Reads all kinds of what is no tensor of the step's."""

    limit = 9.0

    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(16, 16), torch.nn.Linear(16, 1)
        self.temperature, self.steps, self.is_late, self.kind, self.weights = 1.0, 0, False, "tanh", [1.0, 0.5]
        self.config = types.SimpleNamespace(beta=0.1, unused=1)
        self.mask, self.rate = torch.ones(16), 0.0
        self.register_buffer("gate", torch.ones(16))

    def forward(self, x, y):
        h = F.dropout(self.first(x) / self.temperature, self.rate) * self.gate
        h = (h.tanh() if self.kind == "tanh" else h.sin()) * self.mask
        h = h * self.weights[0] * SCALE + self.config.beta * self.weights[1] * h.clamp(max=self.limit)
        if self.is_late or self.steps > 1000:
            h = h * 2
        return F.mse_loss(self.last(h), y)


def looks(module, inputs, output):
    pass


def doubles(module, inputs, output):
    return output * 2


def set_scale(model):
    global SCALE
    SCALE = 3.0


# What is changed, and the name that it goes by.
FOLLOWED = {
    "temperature must be 1.0, as it was when the step was compiled, but is 0.5": lambda m: setattr(m, "temperature", 0.5),
    "is_late must be False": lambda m: setattr(m, "is_late", True),
    "kind must be 'tanh'": lambda m: setattr(m, "kind", "sin"),
    "rate must be 0.0": lambda m: setattr(m, "rate", 0.5),
    # Later than where it is.
    "steps must be 0, as it was when the step was compiled, but is 1": lambda m: setattr(m, "steps", 1),
    r"weights must be \(1.0, 0.5\)": lambda m: m.weights.__setitem__(1, 0.25),
    "config.beta must be 0.1": lambda m: setattr(m.config, "beta", 0.2),
    "mask must be as it was": lambda m: setattr(m, "mask", torch.zeros(16)),
    "mask must be as it was when the step was compiled, but was changed": lambda m: m.mask.mul_(2),
    "Annealed.limit must be 9.0": lambda m: setattr(Annealed, "limit", 0.1),
    "SCALE must be 1.0": set_scale,
    "first._forward_hooks must be": lambda m: m.first.register_forward_hook(doubles),
    "hooks of first.weight must be": lambda m: m.first.weight.register_hook(lambda g: g * 0.5),
    "first.forward must be unset": lambda m: setattr(m.first, "forward", lambda x: x),
}


@pytest.fixture
def as_before():
    yield
    global SCALE
    SCALE, Annealed.limit = 1.0, 9.0


@pytest.mark.parametrize("message", FOLLOWED)
@pytest.mark.cases(4)
def test_what_a_step_follows_from(message, compiled, as_before):
    model = make(Annealed)
    batches = list(numbers(3))
    step = compiled(model, adamw(model), batches[0])
    step(batches[0])
    before = model.first.weight.detach().clone()
    FOLLOWED[message](model)
    for _ in range(2):
        with pytest.raises(prec.StepFailure, match=f"^{message}.*the step follows from it.*keep what changes in a buffer"):
            step(batches[1])
    assert torch.equal(model.first.weight, before)


def test_what_it_does_not_follow_from(compiled, as_before):
    """Nothing that a script keeps for itself is in the way, and what is set back is as before."""
    model, other = make(Annealed), make(Annealed)
    batches = list(numbers(4))
    step, reference = (compiled(m, adamw(m), batches[0]) for m in (model, other))
    for i, batch in enumerate(batches):
        model.config.unused, model.calls, model.last_loss, model.history = i, i, 0.5 * i, [i]
        model.first.register_forward_hook(looks)
        model.temperature = 2.0
        model.temperature = 1.0
        assert step(batch).item() == reference(batch).item()


def test_lists_of_the_models_own_parameters_are_no_change(compiled, monkeypatch):
    class Listed(Annealed):
        def __init__(self):
            super().__init__()
            self.every, self.named = list(self.parameters()), dict(self.named_parameters())
    model = make(Listed)
    batches = list(numbers(3))
    step = compiled(model, adamw(model), batches[0])
    monkeypatch.setattr(step._followed, "_trace", None)  # Nothing is traced.
    for batch in batches:
        step(batch)


def test_buffers_may_change(compiled):
    """What the refusal says to do."""
    a, b = make(Annealed), make(Annealed)
    oa, ob = adamw(a), adamw(b)
    step = compiled(b, ob, next(numbers(1)))
    for i, batch in enumerate(numbers(3)):
        for m in (a, b):
            m.gate.fill_(1.0 / (i + 1))
        loss = a(**batch)
        oa.zero_grad()
        loss.backward()
        oa.step()
        assert step(batch).item() == pytest.approx(loss.item(), rel=2e-5)


def test_variables_of_a_loss(compiled):
    class Plain(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = torch.nn.Linear(16, 4)

        def forward(self, x):
            return self.layer(x)

    beta, criterion = 1.0, torch.nn.CrossEntropyLoss(weight=torch.ones(4))
    x = {"x": torch.randn(8, 16, generator=torch.Generator().manual_seed(0))}

    def loss(output):
        return output.square().mean() * beta + criterion(output, torch.arange(8) % 4)
    model = make(Plain)
    step = compiled(model, adamw(model), x, loss=loss)
    step(x)
    beta = 2.0
    with pytest.raises(prec.StepFailure, match="^beta must be 1.0, as it was when the step was compiled, but is 2.0"):
        step(x)
    beta = 1.0
    step(x)
    criterion.weight[0] = 3.0
    with pytest.raises(prec.StepFailure, match="^criterion must be as it was when the step was compiled, but was changed"):
        step(x)
