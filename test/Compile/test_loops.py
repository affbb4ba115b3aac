# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What training scripts do around a step: PyTorch's values, or an error by name."""
import collections
import contextlib
import copy
import io
import os
import pickle

import pytest
import safetensors.torch
import torch
from small import adamw, assert_same_weights, eager, make, tokens

import prec

BATCH = next(tokens(1))
SCHEDULES = {
    "warm restarts": (lambda o: torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(o, 3, 2), lambda s, i, loss: s.step(i / 3)),
    "one cycle": (lambda o: torch.optim.lr_scheduler.OneCycleLR(o, 1e-2, total_steps=12), lambda s, i, loss: s.step()),
    "plateau": (lambda o: torch.optim.lr_scheduler.ReduceLROnPlateau(o, patience=0), lambda s, i, loss: s.step(loss)),
}


def both(compiled, build=None, **options):
    a, b = make(**build or {}), make(**build or {})
    oa, ob = adamw(a), adamw(b)
    return a, oa, b, ob, compiled(b, ob, BATCH, **options)


@pytest.mark.parametrize("name", SCHEDULES)
def test_schedules(name, compiled):
    """Some change betas, too."""
    make_schedule, advance = SCHEDULES[name]
    a, b = make(), make()
    oa, ob = adamw(a), adamw(b)
    sa, sb = make_schedule(oa), make_schedule(ob)
    step = compiled(b, ob, BATCH)
    for i, batch in enumerate(tokens(10)):
        expected, loss = eager(a, oa, batch), step(batch)
        assert loss.item() == pytest.approx(expected.item(), rel=2e-5)
        advance(sa, i, expected), advance(sb, i, loss)


def test_modes_that_a_loop_switches(compiled):
    a, oa, b, ob, step = both(compiled)
    for batch in tokens(4):
        a.train(), b.train()
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
        a.eval(), b.eval()
        with torch.no_grad():
            assert b(**batch).item() == pytest.approx(a(**batch).item(), rel=2e-5)
            assert step.eval(batch).item() == pytest.approx(a(**batch).item(), rel=2e-5)
    with pytest.raises(prec.StepFailure, match="is in evaluation mode: call model.train"):
        step(batch)


def test_layers_that_are_frozen_on_the_way(compiled):
    """The step says to compile again, and the next one goes on with the same states. What is thawed has missed steps of
    the optimizer, which counts one for all."""
    a, oa, b, ob, step = both(compiled)
    for i, batch in enumerate(tokens(6)):
        if i == 3:
            for m in (a, b):
                m.embed.requires_grad_(False)
            with pytest.raises(prec.StepFailure, match="embed.weight must be trained.*but is frozen: compile the step again"):
                step(batch)
            step.close()
            step = compiled(b, ob, BATCH)
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b)
    step.close()
    b.embed.requires_grad_(True)
    with pytest.raises(prec.Error, match="must be at the same optimizer step but got .*: make the optimizer anew"):
        compiled(b, ob, BATCH)


def test_the_best_state_is_restored(compiled):
    a, oa, b, ob, step = both(compiled)
    for i, batch in enumerate(tokens(8)):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
        if i == 3:
            best = [copy.deepcopy((m.state_dict(), o.state_dict())) for m, o in ((a, oa), (b, ob))]
        if i == 5:
            for m, o, (weights, states) in ((a, oa, best[0]), (b, ob, best[1])):
                m.load_state_dict(weights)
                o.load_state_dict(states)


def test_averages_in_the_place_of_weights(compiled):
    """As libraries of averages evaluate: other memory for a while, and then the old one."""
    a, oa, b, ob, step = both(compiled)
    shadows = [[p.detach().clone() for p in m.parameters()] for m in (a, b)]
    for batch in tokens(6):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
        seen = []
        for m, shadow in zip((a, b), shadows):
            for t, p in zip(shadow, m.parameters()):
                t.mul_(0.5).add_(p.data, alpha=0.5)
            kept = [p.data for p in m.parameters()]
            for p, t in zip(m.parameters(), shadow):
                p.data = t
            with torch.no_grad():
                seen.append(m(**batch).item())
            for p, t in zip(m.parameters(), kept):
                p.data = t
        assert seen[1] == pytest.approx(seen[0], rel=2e-5)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_files(dtype, compiled, tmp_path):
    """safetensors, and a model that is saved whole."""
    a, oa, b, ob, _ = both(compiled)
    model = make(tied=True).to(dtype)
    step = compiled(model, adamw(model), BATCH, recipe="bf16")
    for batch in tokens(3):
        step(batch)
    whole = io.BytesIO()
    torch.save(model, whole)
    whole.seek(0)
    safetensors.torch.save_model(model, str(tmp_path / "model.safetensors"))
    loaded, again = make(tied=True, seed=5).to(dtype), torch.load(whole, weights_only=False)
    safetensors.torch.load_model(loaded, str(tmp_path / "model.safetensors"))
    for other in (loaded, again, copy.deepcopy(model)):
        assert_same_weights(model, other, rtol=0, atol=0)
        eager(other, adamw(other), batch, clip=1.0)
    assert not torch.equal(again.head.weight, model.head.weight)
    step(batch)


def test_a_step_is_no_file(compiled):
    *_, step = both(compiled)
    for save in (pickle.dumps, copy.deepcopy):
        with pytest.raises(prec.StepFailure, match="cannot be copied or saved whole: save what step.state_dict"):
            save(step)


def in_child(call):
    """What a forked process says."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        try:
            said = str(call())
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as file:
        said = file.read()
    os.waitpid(child, 0)
    return said


def test_a_process_that_was_forked(compiled):
    """It reads the model, as workers of a loader may; the step is this process's."""
    a, oa, b, ob, step = both(compiled)
    step(BATCH), eager(a, oa, BATCH)
    assert "must be used by the process that compiled it" in in_child(lambda: step(BATCH))
    assert float(in_child(lambda: b(**BATCH).item())) == pytest.approx(a(**BATCH).item(), rel=2e-5)
    for batch in tokens(2):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)


class Rows(torch.utils.data.Dataset):
    rows = [{name: t[0] for name, t in batch.items()} for batch in tokens(16, rows=1)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def test_workers_of_a_loader(compiled):
    loader = torch.utils.data.DataLoader(Rows(), batch_size=4, num_workers=1, persistent_workers=True)
    a, oa, b, ob, step = both(compiled)
    for _ in range(2):
        for batch in loader:
            assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)


def test_a_loss_that_reads_a_module_which_is_trained_elsewhere(compiled):
    """Its weights are constants to a step; what to do is said."""
    torch.manual_seed(0)
    model, judge, x = torch.nn.Linear(8, 8), torch.nn.Linear(8, 1), torch.randn(4, 8)
    step = compiled(model, torch.optim.Adam(model.parameters()), (x,), loss=lambda output: torch.nn.functional.softplus(-judge(output)).mean())
    step((x,))
    with torch.no_grad():
        judge.weight.mul_(2)
    with pytest.raises(prec.StepFailure, match="^judge must be as it was.*make one module of the model and of what the loss reads"):
        step((x,))


def test_a_model_that_torch_compile_wraps(compiled):
    a, b = make(), make()
    wrapped = torch.compile(b, backend="eager")
    oa, ob = adamw(a), adamw(b)
    step = compiled(wrapped, ob, BATCH)
    for batch in tokens(2):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    with torch.no_grad():
        assert wrapped(**BATCH).item() == pytest.approx(a(**BATCH).item(), rel=2e-5)


@contextlib.contextmanager
def default_device(name):
    torch.set_default_device(name)
    try:
        yield
    finally:
        torch.set_default_device(None)


# How scripts call a step; batches of another length are compiled within.
AROUND = {
    "inference mode": torch.inference_mode,
    "no gradients": torch.no_grad,
    "autocast": lambda: torch.autocast("cpu", dtype=torch.bfloat16),
    "anomalies": lambda: torch.autograd.set_detect_anomaly(True),
    "a default device": lambda: default_device("cpu"),
}


@pytest.mark.parametrize("name", AROUND)
@pytest.mark.filterwarnings("ignore:Anomaly Detection")
def test_surroundings_of_a_call(name, compiled):
    a, oa, b, ob, step = both(compiled)
    for batch in (*tokens(2), *tokens(1, length=16, seed=3)):
        with AROUND[name]():
            loss = step(batch)
        assert loss.item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
        assert not loss.is_inference()
    assert_same_weights(a, b)
    # Model and optimizer are PyTorch's as before.
    assert eager(b, ob, batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)


def test_what_inference_mode_made(compiled):
    """Batches, and what a script writes into weights."""
    with torch.inference_mode():
        batches = [{name: t.clone() for name, t in batch.items()} for batch in tokens(3)]
    a, oa, b, ob, _ = both(compiled)
    step = compiled(b, ob, batches[0])
    for batch in batches:
        assert step(batch).item() == pytest.approx(eager(a, oa, {name: t.clone() for name, t in batch.items()}).item(), rel=2e-5)
        with torch.inference_mode():
            for p in (*a.parameters(), *b.parameters()):
                p.mul_(0.9)
    assert_same_weights(a, b)


def test_memory_that_processes_share(compiled):
    """It is another one than the step's, which the model has again from the next step on."""
    a, oa, b, ob, step = both(compiled)
    for i, batch in enumerate(tokens(4)):
        with pytest.warns(UserWarning, match="moved to memory which processes share") if i == 2 else contextlib.nullcontext():
            assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
        if i == 1:
            b.share_memory()
            for state in ob.state.values():
                state["exp_avg"].share_memory_()
    assert_same_weights(a, b)
    for p, q in zip(a.parameters(), b.parameters()):
        torch.testing.assert_close(oa.state[p]["exp_avg"], ob.state[q]["exp_avg"], rtol=1e-4, atol=1e-6)


def test_states_that_begin_anew(compiled):
    """As scripts do that restart an optimizer between phases."""
    a, oa, b, ob, step = both(compiled)
    for i, batch in enumerate(tokens(6)):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
        for one in (oa, ob):
            if i == 1:
                one.state.clear()
            if i == 3:
                one.state = collections.defaultdict(dict)
    assert_same_weights(a, b)
