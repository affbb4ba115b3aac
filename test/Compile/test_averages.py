# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""average= and mask_amax= of prec.compile: the averages are those of PyTorch's AveragedModel, and padding is read as
zeros."""
import copy

import pytest
import torch
from small import VOCABULARY, WIDTH, Bigram, Normed, adamw, make, numbers, tokens
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

import prec
from prec import ImportFailure, StepFailure

DECAY = 0.9


def averaged(model, optimizer, batches):
    """PyTorch's averages after so many steps of its own."""
    average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(DECAY))
    for batch in batches:
        optimizer.zero_grad()
        model(**batch).backward()
        optimizer.step()
        average.update_parameters(model)
    return {name: p.detach().clone() for name, p in average.module.named_parameters()}


@pytest.mark.parametrize("kind,batches", [(Bigram, tokens), (Normed, numbers)])
def test_averages_are_those_of_pytorch(kind, batches, compiled):
    model, other = make(kind), make(kind)
    step = compiled(model, adamw(model), next(batches(1)), average=DECAY)
    assert step.averages == {}
    for batch in batches(5):
        step(batch)
    right = averaged(other, adamw(other), batches(5))
    assert step.averages.keys() == right.keys()
    for name, value in step.averages.items():
        torch.testing.assert_close(value, right[name], rtol=1e-4, atol=1e-6, msg=name)
    # Copies, and not the weights.
    assert not torch.equal(step.averages[name], dict(model.named_parameters())[name])
    step.averages[name].zero_()
    torch.testing.assert_close(step.averages[name], value)


def test_averages_go_on_with_a_state(compiled):
    batches = list(tokens(6))
    model = make()
    optimizer = adamw(model)
    step = compiled(model, optimizer, batches[0], average=DECAY)
    for batch in batches[:3]:
        step(batch)
    saved = copy.deepcopy({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step.state_dict()})
    for batch in batches[3:]:
        step(batch)
    right = step.averages
    step.close()
    again = make(seed=5)
    optimizer = adamw(again)
    step = compiled(again, optimizer, batches[0], average=DECAY)
    again.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    step.load_state_dict(saved["step"])
    for batch in batches[3:]:
        step(batch)
    assert all(torch.equal(value, right[name]) for name, value in step.averages.items())


def test_averages_of_several_lengths_are_one(compiled):
    model, other = make(), make()
    step = compiled(model, adamw(model), next(tokens(1)), average=DECAY)
    batches = [next(tokens(1)), next(tokens(1, length=12, seed=2)), next(tokens(1, seed=3))]
    for batch in batches:
        step(batch)
    right = averaged(other, adamw(other), batches)
    assert len(step.lengths) == 2
    for name, value in step.averages.items():
        torch.testing.assert_close(value, right[name], rtol=1e-4, atol=1e-6, msg=name)


def test_micro_batches_are_one_step_of_an_average(compiled):
    model, other = make(), make()
    step = compiled(model, adamw(model), next(tokens(1)), average=DECAY, accumulate=True)
    for _ in range(2):
        for batch in tokens(2):
            step.accumulate(batch)
        step.apply()
    both = [{name: torch.cat([batch[name] for batch in tokens(2)]) for name in ("ids", "labels")}] * 2
    right = averaged(other, adamw(other), both)
    for name, value in step.averages.items():
        torch.testing.assert_close(value, right[name], rtol=1e-4, atol=1e-6, msg=name)


def test_averages_that_are_not_there(compiled):
    model = make()
    step = compiled(model, adamw(model), next(tokens(1)))
    with pytest.raises(StepFailure, match="must be asked for when the step is compiled: give prec.compile average=, their decay"):
        print(step.averages)
    state = step.state_dict()
    step.close()
    step = compiled(model, adamw(model), next(tokens(1)), average=DECAY)
    with pytest.raises(StepFailure, match="must have the averages of this step, of 5 tensors, but differs in embed.weight, .*: average= decides"):
        step.load_state_dict(state)
    held = step.averages
    step.close()
    assert held == {}
    with pytest.raises(StepFailure, match="must be open"):
        print(step.averages)
    with pytest.raises(ImportFailure, match="average must be a decay from 0 to below 1 but got 1"):
        prec.compile(model, adamw(model), next(tokens(1)), average=1)


class Padded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embed, self.head = torch.nn.Embedding(VOCABULARY, WIDTH), torch.nn.Linear(WIDTH, VOCABULARY)
        self.up, self.down = torch.nn.Linear(WIDTH, 32), torch.nn.Linear(32, WIDTH)

    def forward(self, ids, attention_mask, labels):
        h = self.embed(ids)
        h = h + self.down(self.up(h).tanh())
        return torch.nn.functional.cross_entropy(self.head(h).flatten(0, 1), labels.masked_fill(attention_mask == 0, -100).flatten())


def test_padding_decides_no_scale(compiled):
    """A padding row of huge numbers: with mask_amax it changes nothing of a step in FP8, without it takes the digits of
    all others."""
    batch = next(tokens(1)) | {"attention_mask": torch.ones(4, 8, dtype=torch.int64)}
    batch["ids"][:, -1], batch["attention_mask"][:, -1] = 0, 0
    losses = {}
    for mask_amax in (False, True):
        for size in (1.0, 1e5):
            model = make(Padded)
            with torch.no_grad():
                batch["ids"][:, :-1].clamp_(min=1)
                model.embed.weight[0] = size
            step = compiled(model, adamw(model), batch, recipe="fp8-hybrid", mask_amax=mask_amax)
            losses[mask_amax, size] = step(batch).item()
            step.close()
    assert losses[True, 1.0] == losses[True, 1e5]
    assert losses[False, 1e5] != losses[False, 1.0]


def test_a_batch_without_a_mask_has_no_padding(compiled):
    model = make()
    with pytest.raises(ImportFailure, match="mask_amax"):
        compiled(model, adamw(model), next(tokens(1)), mask_amax=True)
