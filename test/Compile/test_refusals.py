# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a loop may do that a compiled step would get wrong: each is an error by name, or does what PyTorch does."""
import pytest
import torch
from small import Bigram, Normed, adamw, assert_same_weights, eager, make, tokens

import prec

BATCH = next(tokens(1))


@pytest.fixture
def trained(compiled):
    model = make()
    optimizer = adamw(model)
    step = compiled(model, optimizer, BATCH)
    step(BATCH)
    return model, optimizer, step


def test_leftovers_of_a_loop(trained, compiled):
    """optimizer.step() and zero_grad() have nothing to do; clipping and backward say so."""
    model, optimizer, step = trained
    before = model.head.weight.clone()
    assert all(p.grad is None for p in model.parameters())
    optimizer.step()
    optimizer.zero_grad()
    model.zero_grad()
    assert torch.equal(model.head.weight, before) and step.steps == 1
    with pytest.raises(prec.StepFailure, match="give prec.compile\\(..., clip_grad_norm=...\\)"):
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    with pytest.raises(prec.StepFailure, match="leave clip_grad_value_ out and clamp them by hooks"):
        torch.nn.utils.clip_grad_value_(model.parameters(), 1.0)
    with pytest.raises(RuntimeError, match="does not require grad"):
        step(BATCH).backward()
    # As PEFT's AdaLoRA multiplies by them.
    allocate = eval("lambda p: p * p.grad", {"__name__": "peft.tuners.adalora.layer"})
    with pytest.raises(prec.StepFailure, match="leave update_and_allocate out, or train LoRA"):
        allocate(model.head.weight)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(step(BATCH))
    with pytest.raises(prec.StepFailure, match="leave the GradScaler out, or give it enabled=False"):
        scaler.step(optimizer)
    disabled = torch.amp.GradScaler("cpu", enabled=False)
    disabled.unscale_(optimizer)
    disabled.step(optimizer)
    disabled.update()


def test_gradients_of_before_are_dropped(compiled):
    a, b = make(), make()
    oa, ob = adamw(a), adamw(b)
    b(**BATCH).backward()
    step = compiled(b, ob, BATCH)
    for batch in tokens(2):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
        ob.step()
    assert_same_weights(a, b)


@pytest.mark.parametrize("option, value", [("amsgrad", True), ("maximize", True)])
def test_options_that_choose_another_update(option, value, trained):
    model, optimizer, step = trained
    optimizer.param_groups[0][option] = value
    with pytest.raises(prec.StepFailure, match=f"{option}={value}"):
        step(BATCH)
    optimizer.param_groups[0][option] = False
    step(BATCH)


def test_numbers_out_of_range(trained):
    model, optimizer, step = trained
    for name, wrong in (("lr", -1.0), ("lr", float("nan")), ("betas", (1.5, 0.9))):
        right = optimizer.param_groups[0][name]
        optimizer.param_groups[0][name] = wrong
        with pytest.raises(prec.Error):
            step(BATCH)
        optimizer.param_groups[0][name] = right
    step(BATCH)
    assert step.steps == 2


def test_groups_must_stay(trained):
    model, optimizer, step = trained
    optimizer.add_param_group({"params": [torch.nn.Parameter(torch.zeros(2))]})
    with pytest.raises(prec.StepFailure, match="must keep its 1 parameter groups but has 2"):
        step(BATCH)
    optimizer.param_groups.pop()
    optimizer.param_groups[0]["params"] = optimizer.param_groups[0]["params"][:-1]
    with pytest.raises(prec.StepFailure, match="parameter group 0 must keep its parameters"):
        step(BATCH)


BATCHES = {
    "labels is missing": {"ids": BATCH["ids"]},
    "labels must have 2 dimensions": BATCH | {"labels": BATCH["labels"].flatten()},
    "sequences of one length": BATCH | {"labels": BATCH["labels"][:, :4]},
    "one number of rows": BATCH | {"labels": BATCH["labels"][:2]},
    "must have a row": {name: t[:0] for name, t in BATCH.items()},
    "at most the 4 rows": {name: torch.cat([t, t]) for name, t in BATCH.items()},
    "a dtype that converts to i32": BATCH | {"ids": BATCH["ids"].float()},
    "token ids must lie in": BATCH | {"ids": BATCH["ids"] + 30},
    "must be on the CPU": {name: t.to("meta") for name, t in BATCH.items()},
    "a mapping of forward's arguments": 3,
}


@pytest.mark.parametrize("message", BATCHES)
def test_batches_that_do_not_fit(message, trained):
    model, optimizer, step = trained
    before = model.head.weight.clone()
    with pytest.raises(prec.Error, match=message):
        step(BATCHES[message])
    assert torch.equal(model.head.weight, before) and step.steps == 1
    step(BATCH)


def test_batches_in_other_forms(trained, compiled):
    """A sequence of positional arguments, other whole numbers, and columns that forward does not take."""
    import collections
    model, optimizer, step = trained
    expected = step.eval(BATCH)
    assert torch.equal(step.eval({"ids": BATCH["ids"].int(), "labels": BATCH["labels"].short()}), expected)
    assert torch.equal(step.eval(collections.UserDict(BATCH)), expected)
    assert torch.equal(step.eval({"labels": BATCH["labels"].t().contiguous().t(), "ids": BATCH["ids"]}), expected)
    assert torch.equal(step.eval((BATCH["ids"], BATCH["labels"])), expected)


ARGUMENTS = {
    "model_weights must be": {"model_weights": "never"},
    "check_weights must be a number of steps": {"check_weights": -1},
    "threads must be a number": {"threads": 1.5},
    "clip_grad_norm must be positive": {"clip_grad_norm": -1},
    "but got --recipe=bf16": {"compiler_options": ["--recipe=bf16"]},
    "must be a list of options": {"compiler_options": "--timing"},
    "no-such-recipe": {"recipe": "no-such-recipe"},
    "no-such-target": {"target": "no-such-target"},
    "PyTorch sees no GPU": {"target": "sm_90a"},
}


@pytest.mark.parametrize("message", ARGUMENTS)
def test_arguments(message, compiled):
    if message == "PyTorch sees no GPU" and torch.cuda.is_available():
        pytest.skip("there is a GPU")
    model = make()
    with pytest.raises(prec.Error, match="PyTorch sees no GPU" if message == "no-such-target" else message):
        compiled(model, adamw(model), BATCH, **ARGUMENTS[message])
    with pytest.raises(TypeError, match="unexpected keyword"):
        compiled(model, adamw(model), BATCH, fp8=True)


def test_surroundings(compiled):
    model = make()
    optimizer = adamw(model)
    with torch.autocast("cpu", torch.bfloat16), pytest.raises(prec.StepFailure, match="outside of torch.autocast"):
        compiled(model, optimizer, BATCH)
    with torch.inference_mode(), pytest.raises(prec.StepFailure, match="outside of torch.inference_mode"):
        compiled(model, optimizer, BATCH)
    with pytest.raises(prec.Error, match="must have a parameter that requires a gradient"):
        compiled(model, torch.optim.AdamW(model.requires_grad_(False).head.parameters()), BATCH)
    model.requires_grad_(True)
    with pytest.raises(prec.StepFailure, match="must be a torch.optim.Optimizer"):
        compiled(model, model.parameters(), BATCH)
    with pytest.raises(prec.StepFailure, match="must be float32, bfloat16 or float16, but embed.weight is torch.float64"):
        double = make().double()
        compiled(double, adamw(double), BATCH)
    with torch.device("meta"):
        empty = Bigram()
    with pytest.raises(prec.StepFailure, match="on the meta device"):
        compiled(empty, adamw(empty), BATCH)
    with torch.no_grad():
        step = compiled(model, optimizer, BATCH)
    a = make()
    oa = adamw(a)
    with torch.autocast("cpu", torch.bfloat16), torch.no_grad():
        loss = step(BATCH)
    assert loss.item() == pytest.approx(eager(a, oa, BATCH).item(), rel=2e-5)


def test_a_bad_step_changes_nothing_and_says_why(compiled):
    model = make()
    step = compiled(model, adamw(model), BATCH)
    step(BATCH)
    good = model.hidden.weight.clone()
    with torch.no_grad():
        model.hidden.bias[0] = float("nan")
        bad = model.head.weight.clone()
    assert not torch.isfinite(step(BATCH)) and step.skipped
    assert torch.equal(model.head.weight, bad) and torch.equal(model.hidden.weight, good)


def test_hooks_that_act_are_imported_or_refused(compiled):
    """A hook on a gradient is part of the step, as the import sees it."""
    a, b = make(), make()
    for m in (a, b):
        m.head.weight.register_hook(lambda g: g * 0.5)
    oa, ob = adamw(a), adamw(b)
    step = compiled(b, ob, BATCH)
    for batch in tokens(2):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b)


@pytest.mark.parametrize("where", ["optimizer", "module"])
def test_hooks_that_no_step_calls_are_said(compiled, where):
    """They count once, while the step is traced, and what they had counted is put back."""
    model, calls = make(), []
    optimizer = adamw(model)
    (optimizer.register_step_post_hook if where == "optimizer" else model.hidden.register_forward_hook)(lambda *_: calls.append(1))
    with pytest.warns(UserWarning, match="hooks are called while a step is traced"):
        step = compiled(model, optimizer, BATCH)
    step(BATCH)
    assert calls == []


def test_hooks_of_an_optimizer_that_come_later(compiled):
    """What they compute would be left out."""
    model = make()
    optimizer = adamw(model)
    step, calls = compiled(model, optimizer, BATCH), []
    with pytest.warns(UserWarning, match="hooks are called while a step is traced"):
        handle = optimizer.register_step_post_hook(lambda *_: calls.append(1))
        step(BATCH)
    assert not calls
    handle.remove()

    def clamp(optimizer, *_):
        with torch.no_grad():
            for p in optimizer.param_groups[0]["params"]:
                p.clamp_(-0.1, 0.1)
    optimizer.register_step_post_hook(clamp)
    with pytest.raises(prec.StepFailure, match="hooks of the optimizer must be .*compile the step again"):
        step(BATCH)


def test_gradients_of_a_batch(trained, compiled):
    model = make(Normed)
    batch = {"x": torch.randn(4, 16, requires_grad=True), "y": torch.randn(4, 1)}
    with pytest.raises(prec.StepFailure, match="a batch must require no gradients, which a step gives nobody, but x does: pass x.detach"):
        compiled(model, adamw(model), batch)
    step = compiled(model, adamw(model), {name: t.detach() for name, t in batch.items()})
    with pytest.raises(prec.StepFailure, match="but x does"):
        step(batch)


def test_a_step_ends_with_its_context(compiled):
    model = make()
    optimizer = adamw(model)
    with compiled(model, optimizer, BATCH) as step:
        step(BATCH)
    with pytest.raises(prec.StepFailure):
        step(BATCH)
    eager(model, optimizer, BATCH)


def test_random_generators_are_left_alone(compiled):
    """The order of shuffled data is that of a loop without a step."""
    import random

    import numpy as np
    model = make(dropout=0.5)
    optimizer = adamw(model)
    before = torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()
    step = compiled(model, optimizer, BATCH, verify=True)
    step(BATCH)
    step({name: t[:, :5] for name, t in BATCH.items()})
    assert torch.equal(torch.get_rng_state(), before[0]) and (random.getstate(), np.random.get_state()[1].tolist()) == before[1:]
