# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiled step beside PyTorch's loop: losses, weights, states, schedulers, accumulation, resumed runs."""
import copy
import io

import pytest
import torch
from small import Bigram, Normed, adamw, assert_same_weights, eager, make, numbers, tokens

import prec

OPTIMIZERS = {
    "adamw": adamw,
    "adam": lambda m: torch.optim.Adam(m.parameters(), lr=1e-2),
    "sgd": lambda m: torch.optim.SGD(m.parameters(), lr=0.1),
    "momentum": lambda m: torch.optim.SGD(m.parameters(), lr=0.1, momentum=0.9, nesterov=True),
    "rmsprop": lambda m: torch.optim.RMSprop(m.parameters(), lr=1e-3),
    "adagrad": lambda m: torch.optim.Adagrad(m.parameters(), lr=1e-2, initial_accumulator_value=0.1),
    "nadam": lambda m: torch.optim.NAdam(m.parameters(), lr=1e-3),
    "adafactor": lambda m: torch.optim.Adafactor(m.parameters(), lr=1e-2),
}


def both(compiled, kind=Bigram, make_optimizer=adamw, batch=None, build=None, **options):
    """Two equal models with optimizers, one with a compiled step."""
    a, b = make(kind, **build or {}), make(kind, **build or {})
    oa, ob = make_optimizer(a), make_optimizer(b)
    step = compiled(b, ob, batch if batch is not None else next(tokens(1)), **options)
    return a, oa, b, ob, step


def test_losses_weights_and_states_are_those_of_pytorch(compiled):
    a, oa, b, ob, step = both(compiled, clip_grad_norm=0.5)
    for batch in tokens(6):
        expected = eager(a, oa, batch, clip=0.5)
        loss = step(batch)
        assert isinstance(loss, torch.Tensor) and loss.dtype == torch.float32 and loss.dim() == 0 and not loss.requires_grad
        assert loss.item() == pytest.approx(expected.item(), rel=2e-5)
    assert_same_weights(a, b)
    assert step.steps == 6 and step.skipped is None and step.grad_norm > 0 and step.loss is loss
    before, after = oa.state_dict(), ob.state_dict()
    assert before["param_groups"] == after["param_groups"] and before["state"].keys() == after["state"].keys()
    for key, state in before["state"].items():
        assert list(state) == list(after["state"][key])
        for slot, value in state.items():
            torch.testing.assert_close(after["state"][key][slot], value, rtol=1e-3, atol=1e-7)
            assert after["state"][key][slot].dtype == value.dtype
    # Eager evaluation sees the trained weights, and is what the step computes.
    batch = next(tokens(1, seed=9))
    with torch.no_grad():
        assert step.eval(batch).item() == pytest.approx(b(**batch).item(), rel=2e-5)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers_go_to_a_step_and_back(name, compiled):
    """Three steps of PyTorch's, three compiled, three of PyTorch's again."""
    a, b = make(), make()
    oa, ob = OPTIMIZERS[name](a), OPTIMIZERS[name](b)
    batches = list(tokens(9))
    for batch in batches[:3]:
        eager(a, oa, batch)
        eager(b, ob, batch)
    step = compiled(b, ob, batches[0])
    for i, batch in enumerate(batches[3:]):
        expected = eager(a, oa, batch)
        loss = step(batch) if i < 3 else eager(b, ob, batch)
        assert loss.item() == pytest.approx(expected.item(), rel=1e-4), i
    # And in between: what PyTorch's optimizer wrote is taken over.
    expected, loss = eager(a, oa, batches[0]), step(batches[0])
    assert loss.item() == pytest.approx(expected.item(), rel=1e-4)
    assert_same_weights(a, b, rtol=1e-3, atol=1e-4)


def test_schedulers_work_unchanged_and_do_not_warn(compiled, recwarn):
    a, oa, b, ob, step = both(compiled)
    rates = torch.optim.lr_scheduler
    schedulers = [rates.SequentialLR(o, [rates.LinearLR(o, 0.1, total_iters=3), rates.CosineAnnealingLR(o, 10)], milestones=[3]) for o in (oa, ob)]
    recwarn.clear()
    for batch in tokens(8):
        expected, loss = eager(a, oa, batch), step(batch)
        assert loss.item() == pytest.approx(expected.item(), rel=2e-5)
        for scheduler in schedulers:
            scheduler.step()
        assert oa.param_groups[0]["lr"] == ob.param_groups[0]["lr"]
    assert_same_weights(a, b)
    assert not [w for w in recwarn if "lr_scheduler" in str(w.message)]


def test_groups_have_options_of_their_own(compiled):
    def groups(m):
        return torch.optim.AdamW([{"params": [m.embed.weight, m.head.weight], "weight_decay": 0.0, "lr": 1e-3},
                                  {"params": list(m.hidden.parameters()), "betas": (0.8, 0.9)}], lr=1e-2)
    a, oa, b, ob, step = both(compiled, make_optimizer=groups)
    for i, batch in enumerate(tokens(6)):
        for o in (oa, ob):
            o.param_groups[0]["lr"] *= 0.9
            if i == 3:
                o.param_groups[1]["betas"] = (0.7, 0.95)
                o.param_groups[0]["weight_decay"] = 0.3
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b)


def test_batch_norms_statistics_are_trained(compiled):
    batch = next(numbers(1))
    a, oa, b, ob, step = both(compiled, kind=Normed, batch=batch)
    for batch in numbers(4):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b)
    assert b.norm.num_batches_tracked == 4
    b.eval(), a.eval()
    torch.testing.assert_close(a(**batch), b(**batch), rtol=1e-4, atol=1e-6)
    with pytest.raises(prec.StepFailure, match="the model must be in training mode, as it was when the step was compiled"):
        step(batch)
    b.train()
    step(batch)


def test_micro_batches_are_one_batch(compiled):
    """Normalised over all labels that count."""
    a, oa, b, ob, step = both(compiled, accumulate=True, clip_grad_norm=1.0)
    for seed in range(3):
        micro = [next(tokens(1, seed=seed * 3 + i, ignored=i * 3)) for i in range(3)]
        count = sum((m["labels"] != -100).sum() for m in micro)
        total = sum(a(**m) * (m["labels"] != -100).sum() for m in micro) / count
        total.backward()
        torch.nn.utils.clip_grad_norm_(a.parameters(), 1.0)
        oa.step()
        oa.zero_grad()
        losses = [step.accumulate(m) for m in micro]
        assert step.apply().item() == pytest.approx(total.item(), rel=2e-5)
        assert all(loss.dim() == 0 for loss in losses)
    assert_same_weights(a, b)
    step.accumulate(micro[0])
    for call in (lambda: step(micro[0]), step.state_dict, step.refresh):
        with pytest.raises(prec.StepFailure, match="accumulate|micro-batch"):
            call()
    with torch.no_grad():
        b.hidden.bias.zero_()
    with pytest.raises(prec.StepFailure, match="must stay as they are between accumulate and apply"):
        step.apply()
    with pytest.raises(prec.StepFailure, match="must have a micro-batch before it is applied"):
        step.apply()
    step(micro[0])


def test_accumulation_must_be_compiled(compiled):
    step = both(compiled)[-1]
    with pytest.raises(prec.StepFailure, match="give prec.compile accumulate=True"):
        step.accumulate(next(tokens(1)))


@pytest.mark.parametrize("recipe, dtype", [("fp32", torch.float32), ("fp8-hybrid", torch.float32), ("bf16", torch.bfloat16)])
def test_a_resumed_training_has_the_same_bits(recipe, dtype, compiled):
    batches = list(tokens(8))
    options = {"recipe": recipe, "clip_grad_norm": 1.0}

    def start(seed):
        model = make(seed=seed, dropout=0.1).to(dtype)
        return model, adamw(model)
    model, optimizer = start(0)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    step = compiled(model, optimizer, batches[0], **options)
    for batch in batches[:4]:
        step(batch)
        scheduler.step()
    saved = io.BytesIO()
    torch.save([model.state_dict(), optimizer.state_dict(), step.state_dict(), scheduler.state_dict()], saved)
    losses = []
    for batch in batches[4:]:
        losses.append(step(batch).item())
        scheduler.step()
    # In another process: model and optimizer get their states before or after the step is compiled.
    for before in (True, False):
        saved.seek(0)
        states = torch.load(saved)
        other, optimizer2 = start(7)
        scheduler2 = torch.optim.lr_scheduler.ExponentialLR(optimizer2, 0.9)

        if before:
            other.load_state_dict(states[0])
            optimizer2.load_state_dict(states[1])
        step2 = compiled(other, optimizer2, batches[0], **options)
        step2.load_state_dict(states[2])
        if not before:
            other.load_state_dict(states[0])
            optimizer2.load_state_dict(states[1])
        scheduler2.load_state_dict(states[3])
        again = []
        for batch in batches[4:]:
            again.append(step2(batch).item())
            scheduler2.step()
        assert again == losses
        assert all(torch.equal(x, y) for x, y in zip(model.state_dict().values(), other.state_dict().values(), strict=True))


def test_averages_and_copies_are_pytorchs_own(compiled):
    model = make()
    optimizer = adamw(model)
    step = compiled(model, optimizer, next(tokens(1)))
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.5))
    copied = copy.deepcopy(model)
    for batch in tokens(3):
        step(batch)
        average.update_parameters(model)
    assert not torch.equal(copied.head.weight, model.head.weight) and not torch.equal(average.module.head.weight, model.head.weight)
    eager(copied, adamw(copied), batch, clip=1.0)


def test_a_model_is_saved_and_loaded_whole(compiled, tmp_path):
    model = make(tied=True)
    step = compiled(model, adamw(model), next(tokens(1)))
    for batch in tokens(2):
        step(batch)
    torch.save(model, tmp_path / "model.pt")
    loaded = torch.load(tmp_path / "model.pt", weights_only=False)
    assert type(loaded.head.weight) is torch.nn.Parameter and loaded.head.weight is loaded.embed.weight
    assert_same_weights(model, loaded, rtol=0, atol=0)


def test_a_closed_step_leaves_model_and_optimizer_to_pytorch(compiled):
    a, oa, b, ob, step = both(compiled)
    batches = list(tokens(6))
    for batch in batches[:3]:
        eager(a, oa, batch)
        step(batch)
    step.close()
    step.close()
    with pytest.raises(prec.StepFailure, match="must be open"):
        step(batches[0])
    del step
    for batch in batches[3:]:
        assert eager(b, ob, batch, clip=1.0).item() == pytest.approx(eager(a, oa, batch, clip=1.0).item(), rel=2e-5)
    assert type(b.head.weight) is torch.nn.Parameter
    again = compiled(b, ob, batches[0])
    assert again(batches[0]).item() == pytest.approx(eager(a, oa, batches[0]).item(), rel=2e-5) and again.steps == 7
