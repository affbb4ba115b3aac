# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Batches of other shapes than the step was compiled for: completed where that changes nothing, refused elsewhere."""
import pytest
import torch
import torch.nn.functional as F
from small import VOCABULARY, WIDTH, Bigram, Normed, adamw, assert_same_weights, eager, make, numbers, tokens

import prec


class Attending(torch.nn.Module):
    """Each position sees others: the ones before it, or all that a mask shows."""

    def __init__(self, causal):
        super().__init__()
        self.embed = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.qkv = torch.nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.head = torch.nn.Linear(WIDTH, VOCABULARY)
        self.causal = causal

    def forward(self, ids, labels, mask=None):
        q, k, v = self.qkv(self.embed(ids)).unsqueeze(1).chunk(3, -1)
        shown = None if mask is None else mask.bool()[:, None, None, :]
        x = F.scaled_dot_product_attention(q, k, v, attn_mask=shown, is_causal=self.causal).squeeze(1)
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


class Pooled(Bigram):
    """A mean over positions, into which those that complete a sequence would go."""

    def forward(self, ids, labels):
        return super().forward(ids, labels) + self.embed(ids).mean()


class Placed(Bigram):
    """A table of as many positions as the step's sequences have."""

    def __init__(self):
        super().__init__()
        self.places = torch.nn.Embedding(8, WIDTH)

    def forward(self, ids, labels):
        x = torch.tanh(self.hidden(self.embed(ids) + self.places(torch.arange(ids.shape[1]))))
        return F.cross_entropy(self.head(x).flatten(0, 1), labels.flatten())


def batches(lengths, masked=False, rows=4):
    for i, length in enumerate(lengths):
        batch = next(tokens(1, rows=rows, length=length, seed=i))
        yield batch | {"mask": (torch.arange(length) < length - 1).long().expand(rows, -1)} if masked else batch


@pytest.mark.parametrize("causal", [True, False])
def test_other_lengths_train_the_same_weights(causal, compiled):
    a, b = (make(Attending, causal=causal) for _ in range(2))
    oa, ob = adamw(a), adamw(b)
    given = list(batches([8, 8, 5, 11, 8, 7, 12, 3], masked=not causal))
    step = compiled(b, ob, given[0], clip_grad_norm=1.0)
    for batch in given:
        for o in (oa, ob):
            o.param_groups[0]["lr"] *= 0.95
        assert step(batch).item() == pytest.approx(eager(a, oa, batch, clip=1.0).item(), rel=5e-5), batch["ids"].shape
    assert_same_weights(a, b, rtol=1e-3, atol=2e-5)
    assert step.steps == 8 and 0.05 < step.padding < 0.5 and len(step.lengths) <= 6
    assert step.eval(given[2]).item() == pytest.approx(a(**given[2]).item(), rel=5e-5)


def test_micro_batches_of_several_lengths(compiled):
    a, b = (make(Attending, causal=True) for _ in range(2))
    oa, ob = adamw(a), adamw(b)
    given = list(batches([8, 12, 5]))
    step = compiled(b, ob, given[0], accumulate=True)
    for _ in range(2):
        count = sum(m["labels"].numel() for m in given)
        total = sum(a(**m) * m["labels"].numel() for m in given) / count
        total.backward()
        oa.step()
        oa.zero_grad()
        for m in given:
            step.accumulate(m)
        assert step.apply().item() == pytest.approx(total.item(), rel=5e-5)
    assert_same_weights(a, b, rtol=1e-3, atol=2e-5)


def test_a_short_last_batch(compiled):
    a, b = make(), make()
    oa, ob = adamw(a), adamw(b)
    given = [*tokens(2), *batches([8], rows=1), *tokens(1)]
    step = compiled(b, ob, given[0])
    for batch in given:
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b)


@pytest.mark.parametrize("kind, options, masked", [(Pooled, {}, False), (Attending, {"causal": False}, False)])
def test_lengths_that_would_change_the_loss(kind, options, masked, compiled):
    model = make(kind, **options)
    model.eval()
    modes = [m.training for m in model.modules()]
    step = compiled(model, adamw(model), next(tokens(1)))
    before = model.state_dict()["embed.weight"].clone()
    for _ in range(2):
        with pytest.raises(prec.StepFailure, match="positions that complete them change the loss"):
            step(next(batches([6])))
    assert torch.equal(model.embed.weight, before) and [m.training for m in model.modules()] == modes
    step(next(tokens(1)))


def test_rows_that_would_change_the_loss(compiled):
    """Each number of them is a program, of the same state."""
    a, b = make(Normed), make(Normed)
    oa, ob = adamw(a), adamw(b)
    given = [{name: t[:rows] for name, t in batch.items()} for batch, rows in zip(numbers(6), (16, 3, 16, 3, 7, 16))]
    step = compiled(b, ob, given[0])
    for batch in given:
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert_same_weights(a, b, rtol=1e-4)
    step({name: t[:5] for name, t in batch.items()})
    with pytest.raises(prec.StepFailure, match="must have one of 4 numbers of rows, 3, 5, 7, 16, but has 4, as rows that complete it would change"):
        step({name: t[:4] for name, t in batch.items()})


class Tabled(Bigram):
    """Reads as much of tables that no file has as a batch is long."""

    def __init__(self):
        super().__init__()
        self.register_buffer("places", torch.arange(32).unsqueeze(0), persistent=False)
        self.register_buffer("scales", torch.linspace(0.5, 1.5, 32), persistent=False)
        self.table = torch.nn.Embedding(32, WIDTH)

    def forward(self, ids, labels):
        x = self.embed(ids) * self.scales[:ids.shape[1], None] + self.table(self.places[:, :ids.shape[1]])
        return F.cross_entropy(self.head(torch.tanh(self.hidden(x))).flatten(0, 1), labels.flatten())


def test_slices_of_tables(compiled):
    a, b = make(Tabled), make(Tabled)
    oa, ob = adamw(a), adamw(b)
    given = list(batches([8, 11, 8, 16]))
    step = compiled(b, ob, given[0])
    for batch in given:
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
        for m in (a, b):
            m.scales.mul_(1.1)
    assert_same_weights(a, b)


def test_how_many_lengths(compiled):
    model = make()
    step = compiled(model, adamw(model), next(tokens(1)), lengths=2)
    step(next(batches([20])))
    assert step.lengths == [8, 40]
    step(next(batches([33])))
    step(next(batches([9])))
    with pytest.raises(prec.StepFailure, match="at most 2 lengths, 8, 40, but got 41"):
        step(next(batches([41])))
    step.close()
    step = compiled(model, adamw(model), next(tokens(1)), lengths=[16, 12])
    step(next(batches([9])))
    step(next(batches([13])))
    assert step.lengths == [8, 12, 16]
    with pytest.raises(prec.StepFailure, match="the longest of lengths=, 16, but got 17"):
        step(next(batches([17])))
    for wrong in (0, True, [], [8, -1], ["8"]):
        with pytest.raises(prec.StepFailure, match="lengths must be"):
            compiled(make(), adamw(make()), next(tokens(1)), lengths=wrong)


def test_lengths_share_one_arena(compiled, monkeypatch):
    """Beside the largest module's own memory, others take no more than what they read of a batch, and constants."""
    held = {}

    class Counting:
        def allocate(self, size):
            memory = torch.empty(size + 256, dtype=torch.uint8)
            address = -(-memory.data_ptr() // 256) * 256
            held[address] = (size, memory)
            return address

        def deallocate(self, address):
            del held[address]
    from prec.torch.compile import memory
    monkeypatch.setattr(memory.Device, "open", lambda self, path, threads, state_of, functions, communicator:
                        memory.Module(path, threads=threads, state_of=state_of, allocator=Counting()))

    def total(lengths):
        model = make(Attending, causal=True)
        step = compiled(model, adamw(model), next(batches([lengths[0]], rows=8)), lengths=sorted(set(lengths)))
        for batch in batches(lengths, rows=8):
            step(batch)
        bytes, report = sum(size for size, _ in held.values()), step.memory()
        step.close()
        held.clear()
        return bytes, report
    alone, _ = total([256])
    together, report = total([16, 64, 256, 32, 128, 256, 16])
    assert together <= 1.02 * alone and report["total"] <= 1.02 * together


def test_lengths_are_chosen_of_batches():
    given = list(batches([3] * 50 + [9] * 40 + [10] * 8 + [64, 2]))
    assert prec.choose_lengths(given, most=3) == [3, 10, 64]
    assert prec.choose_lengths(given, most=1) == [64] and prec.choose_lengths(given, most=9) == [2, 3, 9, 10, 64]
    assert prec.choose_lengths(iter(given), of=50) == [3]
    for wrong in (lambda: prec.choose_lengths([]), lambda: prec.choose_lengths(given, most=0), lambda: prec.choose_lengths([torch.zeros(3)])):
        with pytest.raises(prec.StepFailure, match="lengths must be chosen|must have a tensor of rows"):
            wrong()


def test_padding_of_batches_themselves_is_counted(compiled):
    class Masked(Attending):
        def forward(self, ids, labels, attention_mask):
            return super().forward(ids, labels, attention_mask)
    model = make(Masked, causal=False)
    given = [{"attention_mask" if name == "mask" else name: t for name, t in batch.items()} for batch in batches([8, 8, 6], masked=True)]
    step = compiled(model, adamw(model), given[0])
    for batch in given[:2]:
        step(batch)
    assert step.padding == 1 / 8
    step(given[2])
    assert step.padding == pytest.approx((4 + 4 + 4 + 8) / 96)
    for _ in range(9):
        step(given[2])
    assert "of all positions were padding, of the batches or to complete them: pack documents" in step.report()


def test_narrow_models_and_recipes(compiled):
    model = make(Attending, causal=True).to(torch.bfloat16)
    step = compiled(model, adamw(model), next(tokens(1)), recipe="fp8-hybrid")
    losses = [step(batch).item() for batch in batches([8, 5, 12, 8] * 5)]
    assert losses[-1] < losses[0] and torch.isfinite(model.head.weight).all()


def test_lengths_within_a_table_of_positions(compiled):
    a, b = make(Placed), make(Placed)
    oa, ob = adamw(a), adamw(b)
    given = list(batches([8, 5, 8, 7]))
    step = compiled(b, ob, given[0])
    for batch in given:
        assert step(batch).item() == pytest.approx(eager(a, oa, batch).item(), rel=2e-5)
    assert step.lengths == [8]
    step.close()
    step = compiled(b, ob, given[0])
    with pytest.raises(prec.StepFailure, match="does not take the positions that complete them: .*index"):
        step(next(batches([9])))


def test_statistics_of_micro_batches_are_said(compiled):
    said = []
    model = make(Normed)
    compiled(model, adamw(model), next(numbers(1)), accumulate=True, log=said.append)
    assert any("3 buffers that forward changes, such as norm.running_mean, are changed once a step" in line for line in said)
