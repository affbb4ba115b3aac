# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model's tensors as views of the step's, and everything that may happen to them from outside."""
import copy
import warnings

import pytest
import torch
import torch.nn.functional as F
from small import Bigram, Normed, adamw, assert_same_weights, eager, make, numbers, tokens

import prec

BATCH = next(tokens(1))


def pair(compiled, build=None, recipe="fp32", **options):
    a, b = make(**build or {}), make(**build or {})
    oa, ob = adamw(a), adamw(b)
    return a, oa, b, ob, compiled(b, ob, BATCH, recipe=recipe, **options)


def zeroed(model):
    with torch.no_grad():
        model.hidden.weight.zero_()


def loaded(model):
    model.load_state_dict({name: t + 0.01 for name, t in model.state_dict().items()})


def assigned(model):
    model.load_state_dict({name: t.clone() + 0.01 for name, t in model.state_dict().items()}, assign=False)


def initialized(model):
    torch.manual_seed(3)
    torch.nn.init.normal_(model.head.weight)


def other_data(model):
    model.head.weight.data = model.head.weight.data.clone() * 0.5



def through_data(model):
    model.hidden.weight.data.mul_(0.5).add_(0.01)


CHANGES = [zeroed, loaded, assigned, initialized, other_data, through_data]


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("recipe", ["fp32", "fp8-hybrid"])
def test_changes_from_outside_are_noticed(change, recipe, compiled):
    """The step goes on as one that began with the changed weights."""
    a, oa, b, ob, step = pair(compiled, recipe=recipe)
    other = make()
    reference = compiled(other, adamw(other), BATCH, recipe=recipe)
    change(other)
    change(b)
    for batch in tokens(3):
        assert step(batch).item() == reference(batch).item()
    assert_same_weights(b, other, rtol=0, atol=0)


@pytest.mark.parametrize("change", CHANGES)
def test_changes_between_steps_are_pytorchs(change, compiled):
    a, oa, b, ob, step = pair(compiled)
    for i, batch in enumerate(tokens(6)):
        if i == 3:
            change(a)
            change(b)
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=5e-5)
    assert_same_weights(a, b, rtol=1e-4, atol=1e-5)


def test_what_nobody_counts_needs_refresh(compiled):
    a, oa, b, ob, step = pair(compiled, recipe="fp8-hybrid")
    other = make()
    b.hidden.weight.detach().numpy()[:] *= 8
    other.hidden.weight.data.mul_(8)
    reference = compiled(other, adamw(other), BATCH, recipe="fp8-hybrid")
    step.refresh()
    assert step(BATCH).item() == reference(BATCH).item()
    checked = make()
    step = compiled(checked, adamw(checked), BATCH, recipe="fp8-hybrid", check_weights=2)
    step(BATCH), step(BATCH)
    checked.hidden.weight.detach().numpy()[:] *= 8
    with pytest.warns(UserWarning, match="weights were written in a way that PyTorch does not count"):
        step(BATCH)
    step(BATCH)
    zeroed(checked)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        step(BATCH)


@pytest.mark.parametrize("recipe", ["fp32", "bf16", "fp8-hybrid"])
def test_averages_that_follow_through_data(recipe, compiled):
    """A frozen teacher that a script moves by .data after each step, as most do."""
    class Taught(Bigram):
        def __init__(self):
            super().__init__()
            self.teacher = torch.nn.Linear(16, 16).to(torch.bfloat16).float().requires_grad_(False)

        def forward(self, ids, labels):
            x = torch.tanh(self.hidden(self.embed(ids)))
            return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten()) + F.mse_loss(x, self.teacher(self.embed(ids)).detach())

    def follow(model, counted):
        with torch.no_grad():
            for mine, theirs in zip(model.teacher.parameters(), model.hidden.parameters()):
                # Values that all formats hold.
                new = (0.5 * mine + 0.5 * theirs).to(torch.bfloat16).float()
                (mine if counted else mine.data).copy_(new)
    a, b = make(Taught), make(Taught)
    first, second = (compiled(m, torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=1e-2), BATCH, recipe=recipe) for m in (a, b))
    seen = []
    for batch in tokens(4):
        seen.append(first(batch).item())
        assert seen[-1] == second(batch).item()
        follow(a, counted=True)
        follow(b, counted=False)
    assert len(set(seen)) == 4


def test_data_that_are_only_read_change_nothing(compiled):
    model, other = make().to(torch.bfloat16), make().to(torch.bfloat16)
    step, reference = (compiled(m, adamw(m), BATCH, recipe="bf16") for m in (model, other))
    for batch in tokens(4):
        assert step(batch).item() == reference(batch).item()
        norms = [p.data.norm().item() for p in model.parameters()]
    reference.sync()
    assert norms == [p.detach().norm().item() for p in other.parameters()]


def test_parameters_in_bf16_are_filled_when_they_are_used(compiled):
    """By whatever computes with one: averages, norms, copies, lists of them; what only looks at shapes fills
    nothing."""
    uses = {
        "average": lambda m: [p.detach().clone() for p in m.parameters()],
        "lists": lambda m: torch._foreach_add([p.detach() for p in m.parameters()], 0.0),
        "operation": lambda m: [p * 1 for p in m.parameters()],
        "method": lambda m: [p.clone() for p in m.parameters()],
        "vector": lambda m: torch.nn.utils.parameters_to_vector(m.parameters()).split([p.numel() for p in m.parameters()]),
        "functional": lambda m: list(torch.func.functional_call(m, {}, tuple(BATCH.values())) * 0 + p for p in m.parameters()),
        "copy": lambda m: copy.deepcopy(list(m.parameters())),
        "into": lambda m: [torch.zeros_like(p).copy_(p) for p in m.parameters()],
        "averaged": lambda m: averaged_by_pytorch(m),
    }

    def averaged_by_pytorch(m):
        average = torch.optim.swa_utils.AveragedModel(m)
        average.update_parameters(m)
        return list(average.module.parameters())
    model, other = make().to(torch.bfloat16), make().to(torch.bfloat16)
    step, reference = (compiled(m, adamw(m), BATCH, recipe="bf16") for m in (model, other))
    for (name, use), batch in zip(uses.items(), [*tokens(len(uses))], strict=True):
        assert step(batch).item() == reference(batch).item()
        before = step._weights._is_behind
        assert [p.shape for p in model.parameters()] == [p.shape for p in other.parameters()] and all(p.requires_grad for p in model.parameters())
        assert before and step._weights._is_behind, name
        seen = use(model)
        reference.sync()
        for p, q in zip(seen, other.parameters(), strict=True):
            assert torch.equal(p.detach().reshape(q.shape), q.detach()), name
        assert not step._weights._is_behind, name
    copied = copy.deepcopy(model)
    assert all(type(p) is torch.nn.Parameter for p in copied.parameters())
    with torch.no_grad():
        step(BATCH)
        model.hidden.weight.mul_(0.5)
        reference(BATCH)
        reference.sync()
        other.hidden.weight.mul_(0.5)
    assert step(BATCH).item() == reference(BATCH).item()


def test_who_reads_gradients_is_warned(compiled):
    model = make()
    step = compiled(model, adamw(model), BATCH)
    with pytest.warns(UserWarning, match=r"gradients of a compiled step are nowhere but in it: test_weights.py:\d+ reads None"):
        assert all(p.grad is None for p in model.parameters())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.hidden.weight.grad is None
        step(BATCH)


def test_tied_weights_stay_tied(compiled):
    a, oa, b, ob, step = pair(compiled, build={"tied": True})
    assert b.head.weight is b.embed.weight and "head.weight" in b.state_dict()
    for batch in tokens(3):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b)
    b.head.weight = torch.nn.Parameter(b.head.weight.detach().clone())
    with pytest.raises(prec.StepFailure, match="embed.weight must be one tensor in all its places"):
        step(BATCH)


def test_tied_memory_of_two_objects(compiled):
    def build():
        model = make()
        model.head.weight.data = model.embed.weight.data
        return model
    a, b = build(), build()
    oa, ob = (torch.optim.SGD(m.parameters(), lr=0.1) for m in (a, b))
    step = compiled(b, ob, BATCH)
    for batch in tokens(3):
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert b.head.weight.data_ptr() == b.embed.weight.data_ptr()
    assert_same_weights(a, b)


def test_frozen_parameters_are_read_and_not_trained(compiled):
    a, b = make(), make()
    for m in (a, b):
        m.embed.weight.requires_grad_(False)
    oa, ob = (torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=1e-2) for m in (a, b))
    step = compiled(b, ob, BATCH)
    before = b.embed.weight.clone()
    for i, batch in enumerate(tokens(4)):
        if i == 2:
            for m in (a, b):
                m.embed.weight.mul_(0.5)
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert torch.equal(b.embed.weight, before * 0.5)
    b.embed.weight = torch.nn.Parameter(before.clone(), requires_grad=False)
    a.embed.weight.copy_(before)
    assert step(BATCH).item() == pytest.approx(eager(a, oa, BATCH).item(), rel=2e-5)
    b.embed.weight.requires_grad_(True)
    with pytest.raises(prec.StepFailure, match="embed.weight must be frozen, as it was when the step was compiled, but is trained"):
        step(BATCH)


@pytest.mark.parametrize("written", [False, True], ids=["as given", "written"])
def test_a_frozen_layer_in_fp32_is_rounded_where_the_step_reads_bf16(written, compiled):
    """As it is read from a file; the model keeps its own values, and the losses are those of a layer rounded before."""
    models = make(), make()
    for m in models:
        m.hidden.requires_grad_(False)
    steps = []
    for m, is_rounded in zip(models, (False, True), strict=True):
        if is_rounded:
            m.hidden.weight.copy_(m.hidden.weight.bfloat16())
        steps.append(compiled(m, torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=1e-2), BATCH, recipe="bf16"))
    if written:
        models[0].hidden.weight.mul_(1.01)
        models[1].hidden.weight.copy_(models[0].hidden.weight.bfloat16())
    before = models[0].hidden.weight.clone()
    for batch in tokens(3):
        assert steps[0](batch).item() == steps[1](batch).item()
    assert torch.equal(models[0].hidden.weight, before) and not torch.equal(before, before.bfloat16().float())


def test_what_a_narrow_weight_cannot_hold_is_refused_with_what_to_do(compiled):
    model = make()
    model.hidden.weight.requires_grad_(False).fill_(1e38).mul_(3.4)
    with pytest.raises(prec.StepFailure, match=r"hidden.weight must be values that the step can hold.*convert them first, p.data = .*bfloat16"):
        compiled(model, torch.optim.AdamW([p for p in model.parameters() if p.requires_grad]), BATCH, recipe="bf16")


REFUSED = {
    "must stay the parameter that the optimizer has": lambda m: setattr(m.hidden, "weight", torch.nn.Parameter(torch.zeros(16, 16))),
    "must stay a torch.float32 of shape": lambda m: m.to(torch.bfloat16),
    "must be trained, as it was": lambda m: m.hidden.weight.requires_grad_(False),
    "must be there as it was": lambda m: m.hidden.register_parameter("bias", None),
    "head.weight must stay a torch.float32 of shape": lambda m: setattr(m.head.weight, "data", torch.zeros(3, 16)),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused_by_name(message, compiled):
    a, oa, b, ob, step = pair(compiled)
    step(BATCH)
    REFUSED[message](b)
    with pytest.raises(prec.StepFailure, match=message):
        step(BATCH)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_models_in_16_bits_have_masters_in_32(dtype, compiled):
    """Learns what BF16 weights alone would not: updates far below a weight add up."""
    model = make().to(dtype)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    step = compiled(model, optimizer, BATCH, recipe="bf16")
    before = copy.deepcopy(model.state_dict())
    for _ in range(40):
        loss = step(BATCH)
    after = model.state_dict()
    assert all(t.dtype == dtype for t in after.values()) and any(not torch.equal(before[n], after[n]) for n in after)
    step(BATCH)
    with torch.no_grad():
        assert abs(model(**BATCH).item() - loss.item()) < 0.05 * loss.item()
    trained = model.head.weight.clone()
    with torch.no_grad():
        model.head.weight.zero_()
    assert step(BATCH).item() == pytest.approx(torch.tensor(32.0).log().item(), rel=1e-2)
    step.sync()
    assert model.head.weight.abs().max() < 1e-4 < trained.abs().max()
    step.close()
    eager(model, optimizer, BATCH)


def test_lazy_weights_are_filled_on_demand(compiled):
    model = make().to(torch.bfloat16)
    step = compiled(model, adamw(model), BATCH, recipe="bf16", model_weights="lazy")
    before = model.head.weight.clone()
    step(BATCH)
    model.state_dict()
    assert torch.equal(model.head.weight, before)
    step.sync()
    assert not torch.equal(model.head.weight, before)


def test_submodules_are_filled_when_they_are_used(compiled):
    model = make().to(torch.bfloat16)
    step = compiled(model, adamw(model), BATCH, recipe="bf16")
    before = model.head.weight.clone()
    step(BATCH)
    model.head(torch.zeros(1, 16, dtype=torch.bfloat16))
    assert not step._weights._is_behind and not torch.equal(model.head.weight, before)
    before = model.hidden.weight.clone()
    step(BATCH)
    assert not torch.equal(model.hidden.state_dict()["weight"], before) and not step._weights._is_behind


def test_buffers_are_taken_over(compiled):
    a, b = make(Normed), make(Normed)
    oa, ob = adamw(a), adamw(b)
    step = compiled(b, ob, next(numbers(1)))
    for i, batch in enumerate(numbers(4)):
        if i == 2:
            for m in (a, b):
                m.norm.reset_running_stats()
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b)
    assert b.norm.num_batches_tracked == 2


def test_autograd_knows_of_a_step(compiled):
    """As after optimizer.step(): a graph over the old weights is no longer one."""
    a, oa, b, ob, step = pair(compiled)
    loss = b(**BATCH)
    step(BATCH)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_views_outlive_the_step(compiled):
    a, oa, b, ob, step = pair(compiled)
    step(BATCH)
    expected = copy.deepcopy(b.state_dict())
    del step
    assert all(torch.equal(b.state_dict()[name], t) for name, t in expected.items())
    assert isinstance(b, Bigram)
