# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Moments in 8 bits: PyTorch's layout in FP32 for whoever reads the optimizer's state_dict, encoded again when loaded,
and the same bits where the step's own state is loaded, too."""
import io

import pytest
import torch
from small import adamw, assert_same_weights, eager, make, tokens

import prec

OPTIONS = {"compiler_options": ["--assign=moments=dynamic8"]}
OPTIMIZERS = {
    "adamw": adamw,
    "momentum": lambda m: torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9),
    "rmsprop": lambda m: torch.optim.RMSprop(m.parameters(), lr=1e-3),
}


class Wide(torch.nn.Module):
    """Some of its moments are large enough for 8 bits, some are not."""

    def __init__(self):
        super().__init__()
        self.embed, self.up, self.head = torch.nn.Embedding(32, 128), torch.nn.Linear(128, 64), torch.nn.Linear(64, 32)

    def forward(self, ids, labels):
        x = self.head(torch.tanh(self.up(self.embed(ids))))
        return torch.nn.functional.cross_entropy(x.flatten(0, 1), labels.flatten())


def coded(step):
    return {b.parameter for b in step._programs.first.module.bindings if b.slot.endswith("_codes")}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_states_are_those_of_pytorch(name, compiled):
    a, b = make(Wide), make(Wide)
    oa, ob = OPTIMIZERS[name](a), OPTIMIZERS[name](b)
    step = compiled(b, ob, next(tokens(1)), **OPTIONS)
    assert coded(step) == {"embed.weight", "up.weight"}
    for batch in tokens(5):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=1e-2)
    expected, got = oa.state_dict(), ob.state_dict()
    assert expected["param_groups"] == got["param_groups"] and expected["state"].keys() == got["state"].keys()
    for key, state in expected["state"].items():
        assert state.keys() == got["state"][key].keys()
        for slot, value in state.items():
            if not isinstance(value, torch.Tensor):
                continue
            other = got["state"][key][slot]
            assert other.dtype == value.dtype and other.shape == value.shape
            # Off by half of the widest step between two codes, of each block's largest, in each of five steps.
            torch.testing.assert_close(other, value, rtol=1e-3, atol=0.1 * value.abs().max().item() + 1e-9)
    # What was given out is a copy, and the optimizer's own state stays small.
    assert all(t.numel() in (0, 1) or t.numel() < 4096 for state in ob.state.values() for t in state.values() if isinstance(t, torch.Tensor))
    got["state"][0][next(slot for slot in got["state"][0] if slot != "step")].fill_(7)
    loss = step(batch).item()
    assert loss == pytest.approx(eager(a, oa, batch).item(), rel=2e-2)


def test_what_is_decoded_encodes_to_its_values(compiled):
    """Once rounded, values stay: saved and loaded again and again, they are the same."""
    model = make(Wide)
    optimizer = adamw(model)
    step = compiled(model, optimizer, next(tokens(1)), **OPTIONS)
    for batch in tokens(4):
        step(batch)
    first = optimizer.state_dict()
    optimizer.load_state_dict(first)
    step.eval(batch)
    second = optimizer.state_dict()
    optimizer.load_state_dict(second)
    step.eval(batch)
    third = optimizer.state_dict()
    for key, state in second["state"].items():
        for slot, value in state.items():
            # The table's largest negative number is not -1: at first, a block whose largest is negative moves.
            torch.testing.assert_close(value, first["state"][key][slot], rtol=1e-5, atol=0.01 * value.abs().max().item() + 1e-12)
            assert slot != "exp_avg_sq" or torch.equal(value, first["state"][key][slot])
            assert third["state"][key][slot].shape == value.shape


@pytest.mark.parametrize("before", [True, False])
def test_a_resumed_training_has_the_same_bits(before, compiled):
    batches = list(tokens(8))
    model = make(Wide)
    optimizer = adamw(model)
    step = compiled(model, optimizer, batches[0], **OPTIONS)
    for batch in batches[:4]:
        step(batch)
    saved = io.BytesIO()
    torch.save([model.state_dict(), optimizer.state_dict(), step.state_dict()], saved)
    losses = [step(batch).item() for batch in batches[4:]]
    saved.seek(0)
    states = torch.load(saved)
    other = make(Wide, seed=3)
    optimizer2 = adamw(other)
    if before:
        other.load_state_dict(states[0])
        optimizer2.load_state_dict(states[1])
    step2 = compiled(other, optimizer2, batches[0], **OPTIONS)
    step2.load_state_dict(states[2])
    if not before:
        other.load_state_dict(states[0])
        optimizer2.load_state_dict(states[1])
    assert [step2(batch).item() for batch in batches[4:]] == losses
    assert_same_weights(model, other, rtol=0, atol=0)


def test_pytorch_goes_on_and_comes_back(compiled):
    a, b = make(Wide), make(Wide)
    oa, ob = adamw(a), adamw(b)
    batches = list(tokens(9))
    for batch in batches[:3]:
        eager(a, oa, batch)
        eager(b, ob, batch)
    step = compiled(b, ob, batches[0], **OPTIONS)
    for batch in batches[3:6]:
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=1e-2)
    step.close()
    for batch in batches[6:]:
        assert eager(b, ob, batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=1e-2)
    assert int(ob.state[b.up.weight]["step"]) == 9 and ob.state[b.up.weight]["exp_avg"].shape == b.up.weight.shape


def test_pytorchs_own_step_in_between_is_an_error(compiled):
    model = make(Wide)
    optimizer = adamw(model)
    step = compiled(model, optimizer, next(tokens(1)), **OPTIONS)
    batch = next(tokens(1))
    step(batch)
    optimizer.step()
    optimizer.zero_grad()
    with pytest.raises(RuntimeError):
        eager(model, optimizer, batch)


def test_other_lengths_share_them(compiled):
    a, b = make(Wide), make(Wide)
    oa, ob = adamw(a), adamw(b)
    step = compiled(b, ob, next(tokens(1)), **OPTIONS)
    for i, length in enumerate([8, 11, 8, 20]):
        batch = next(tokens(1, length=length, seed=i))
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=1e-2)
    assert len(step.lengths) > 1
    assert ob.state_dict()["state"][0]["exp_avg"].abs().max() > 0


def test_moments_that_are_not_finite_are_refused(compiled):
    model = make(Wide)
    optimizer = adamw(model)
    step = compiled(model, optimizer, next(tokens(1)), **OPTIONS)
    step(next(tokens(1)))
    state = optimizer.state_dict()
    state["state"][0]["exp_avg"][0, 0] = torch.nan
    optimizer.load_state_dict(state)
    with pytest.raises(prec.StepFailure, match="a moment in 8 bits must be finite, but exp_avg of embed.weight is not"):
        step(next(tokens(1)))
