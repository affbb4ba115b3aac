# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models after public reports of steps that computed something else in silence, by what they are about: a mask,
positions, what attends, hooks, optimizers, buffers, tied weights, whole numbers, indices, labels. Each is verified, or
refused by its name."""
import warnings

import pytest
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import prec

ROWS, LENGTH, WIDTH, WORDS = 3, 12, 8, 24


class Net(torch.nn.Module):
    def __init__(self, hidden=None, loss=None, build=None):
        super().__init__()
        torch.manual_seed(0)
        self.table, self.layer, self.head = torch.nn.Embedding(WORDS, WIDTH), torch.nn.Linear(WIDTH, WIDTH), torch.nn.Linear(WIDTH, WORDS)
        self.hidden, self.loss = hidden or (lambda m, x: x), loss or next_token
        if build is not None:
            build(self)

    def forward(self, ids):
        x = self.table(ids)
        return self.loss(self, self.head(x + self.hidden(self, torch.tanh(self.layer(x)))), ids)


def next_token(m, logits, ids):
    return F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def adamw(m, **options):
    return torch.optim.AdamW(m.parameters(), **{"lr": 1e-2, "weight_decay": 0.1, **options})


IDS = torch.randint(0, WORDS, (ROWS, LENGTH), generator=torch.Generator().manual_seed(0))
CAUSAL = torch.ones(LENGTH, LENGTH, dtype=torch.bool).tril()
PLACES = torch.arange(LENGTH)


def heads(x):
    return x.view(ROWS, LENGTH, 2, WIDTH // 2).transpose(1, 2)


def attends(mask=None, **options):
    """hidden: attention of two heads."""
    def hidden(m, x):
        q = heads(x)
        made = mask(m, q) if mask is not None else None
        return F.scaled_dot_product_attention(q, 0.7 * q, q + 0.1, attn_mask=made, **options).transpose(1, 2).flatten(-2)
    return hidden


def by_hand(change):
    """hidden: attention whose weights `change` makes of scores."""
    def hidden(m, x):
        q = heads(x)
        return (change(m, q @ q.mT) @ q).transpose(1, 2).flatten(-2)
    return hidden


def put(**things):
    def build(m):
        for name, thing in things.items():
            if type(thing) is torch.Tensor:
                m.register_buffer(name, thing)
            else:
                setattr(m, name, thing)
    return build


def expanded(x):
    return (x * 1.0).expand(LENGTH, WIDTH)


def attention(**options):
    return torch.nn.MultiheadAttention(WIDTH, 2, batch_first=True, **options)


def rotated(x, halves, places=PLACES):
    angles = torch.outer(places.float(), 1 / 100 ** (torch.arange(0, x.shape[-1], 2) / x.shape[-1]))
    if halves:
        a, b = x.chunk(2, -1)
        return x * torch.cat([angles, angles], -1).cos() + torch.cat([-b, a], -1) * torch.cat([angles, angles], -1).sin()
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack([a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()], -1).flatten(-2)


def rotary(halves, places=PLACES):
    def hidden(m, x):
        q = heads(x)
        q, k, v = rotated(q, halves, places), rotated(0.5 * q, halves, places), q
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(-2)
    return hidden


# A model each; of a verified one nothing more.
MASKS = {
    "a hint of causality beside another mask": Net(
        lambda m, x: m.a(x, x, x, attn_mask=torch.zeros(LENGTH, LENGTH), is_causal=True, need_weights=False)[0], build=put(a=attention())),
    "the same where weights are asked for": Net(
        lambda m, x: m.a(x, x, x, attn_mask=torch.zeros(LENGTH, LENGTH), is_causal=True)[0], build=put(a=attention())),
    "padded keys": Net(lambda m, x: m.a(x, x, x, key_padding_mask=m.padded, need_weights=False)[0],
                       build=put(a=attention(), padded=(PLACES > 8).expand(ROWS, LENGTH))),
    "documents in one row": Net(attends(lambda m, q: (PLACES[:, None] // 4 == PLACES // 4) & CAUSAL)),
    "a prefix that all see": Net(attends(lambda m, q: CAUSAL | (PLACES < 4))),
    "a mask for each head": Net(attends(lambda m, q: torch.stack([CAUSAL, torch.ones_like(CAUSAL)]))),
    "rows that see nothing, by the lowest number": Net(
        by_hand(lambda m, s: s.masked_fill(~CAUSAL.tril(-1), torch.finfo(torch.float32).min).softmax(-1))),
    "rows that see nothing, by a mask": Net(attends(lambda m, q: CAUSAL.tril(-1))),
    "a mask that follows from ids": Net(attends(lambda m, q: (q[:, :1, :, 0] > 0)[:, :, None] | torch.eye(LENGTH, dtype=torch.bool))),
    "infinity below the diagonal as triu makes it": Net(attends(lambda m, q: torch.triu(torch.full((LENGTH, LENGTH), float("-inf")), 1))),
    "a scale beside a causal mask": Net(attends(is_causal=True, scale=0.1)),
    "a mask from outside, written in place": Net(attends(lambda m, q: CAUSAL.clone().logical_and_(PLACES[:, None] - PLACES < 3))),
    "a mask from outside beside keys that are learned": Net(
        lambda m, x: m.a(x, x, x, attn_mask=~CAUSAL, need_weights=False)[0], build=put(a=attention(add_bias_kv=True))),
    "a decoder that looks whether its mask is causal": Net(
        lambda m, x: m.a(x, x[:, :5], tgt_mask=~CAUSAL),
        build=lambda m: setattr(m, "a", torch.nn.TransformerDecoder(torch.nn.TransformerDecoderLayer(WIDTH, 2, 16, 0.0, batch_first=True), 1))),
}
POSITIONS = {
    "a bias from a table of distances": Net(
        attends(lambda m, q: m.bias((PLACES - PLACES[:, None]).clamp(-3, 3) + 3).permute(2, 0, 1)[None]),
        build=put(bias=torch.nn.Embedding(7, 2))),
    "slopes that are learned": Net(attends(lambda m, q: -(PLACES[:, None] - PLACES).abs() * m.slopes.view(2, 1, 1)),
                                   build=put(slopes=torch.nn.Parameter(torch.tensor([0.1, 0.2])))),
    "positions from a buffer": Net(lambda m, x: x + m.places(m.numbers),
                                   build=put(places=torch.nn.Embedding(LENGTH, WIDTH), numbers=PLACES)),
    "rotation of halves": Net(rotary(True)), "rotation of neighbors": Net(rotary(False)),
    "rotation that starts anew": Net(rotary(True, PLACES % 5)),
}
ATTENTION = {
    "scores with a cap": Net(by_hand(lambda m, s: (5 * torch.tanh(s / 5)).masked_fill(~CAUSAL, float("-inf")).softmax(-1))),
    "a sink": Net(by_hand(lambda m, s: torch.cat([s, m.sink.view(1, 2, 1, 1).expand(ROWS, 2, LENGTH, 1)], -1).softmax(-1)[..., :-1]),
                  build=put(sink=torch.nn.Parameter(torch.ones(2)))),
    "a sum of one more": Net(by_hand(lambda m, s: s.exp() / (1 + s.exp().sum(-1, keepdim=True)))),
    "heads repeated in blocks": Net(
        lambda m, x: (lambda q: F.scaled_dot_product_attention(q, q[:, :1].repeat(1, 2, 1, 1), q, is_causal=True))(
            heads(x)).transpose(1, 2).flatten(-2)),
}
BUFFERS = {
    "a tensor that is no buffer and is read": Net(lambda m, x: x * m.__dict__["plain"], build=lambda m: m.__dict__.update(plain=torch.rand(WIDTH))),
    "a write through a view": Net(lambda m, x: (lambda y: (lambda v: (y.mul_(2), x + v)[1])(y.view(-1).view_as(x)))(x.clone())),
    "a write that a detached alias sees": Net(lambda m, x: (lambda y: (lambda t: (y.mul_(2), y + t)[1])(y.detach()))(x * 1.0)),
    "a write in place into a part": Net(lambda m, x: (lambda y: (y[..., :4].mul_(2), y)[1])(x * 1.0)),
    "a table that the first call makes": Net(lambda m, x: x * m.__dict__.setdefault("kept", PLACES.float().cos())[:, None]),
    "one that it makes of a buffer and of a frozen weight": Net(
        lambda m, x: x * m.__dict__.setdefault("kept", m.rates.cos() + m.other.weight[0]),
        build=put(rates=torch.arange(WIDTH) / WIDTH, other=torch.nn.Linear(WIDTH, 1).requires_grad_(False)),
    ),
    "one of the shape of an input": Net(lambda m, x: x + m.__dict__.setdefault("kept", torch.ones_like(x))),
    "a parameter that stands in for another for a while": Net(
        lambda m, x: (lambda own: (setattr(m.layer, "weight", m.other.weight), m.layer(x), setattr(m.layer, "weight", own))[1])(m.layer.weight),
        build=put(other=torch.nn.Linear(WIDTH, WIDTH)),
    ),
    "a part that is set to zero": Net(lambda m, x: (lambda y: (y[..., :4].zero_(), y)[1])(x * 1.0)),
    "a cache of keys": Net(
        lambda m, x: (m.kept.__setitem__((slice(None), slice(0, LENGTH)), x.detach()), x + m.kept[:, :LENGTH])[1],
        build=put(kept=torch.zeros(ROWS, 16, WIDTH)),
    ),
    "a count that is a buffer": Net(lambda m, x: (m.count.add_(1), x * (1 + 0.1 * m.count))[1], build=put(count=torch.zeros(()))),
    "hooks that forward registers": Net(lambda m, x: (lambda y: (y.register_hook(lambda g: 3 * g), y)[1])(x * 1.0)),
    "a checkpoint of the older kind that changes one at its end": Net(
        lambda m, x: m.count * checkpoint(lambda y: (m.layer(y), m.count.add_(1.0))[0], x, use_reentrant=True), build=put(count=torch.zeros(()))
    ),
    "a checkpoint of the newer kind that changes one at its end": Net(
        lambda m, x: m.count * checkpoint(lambda y: (m.layer(y), m.count.add_(1.0))[0], x, use_reentrant=False), build=put(count=torch.zeros(()))
    ),
    "a checkpoint of the older kind of what no gradient needs a value of": Net(
        lambda m, x: checkpoint(lambda y: (m.count.add_(1.0), y + m.layer.bias)[1], x, use_reentrant=True) * m.count, build=put(count=torch.zeros(()))
    ),
    "a write into a copy of what is expanded": Net(lambda m, x: (lambda y: (y[0].mul_(2), x + y)[1])(expanded(m.layer.bias).clone())),
    "what is expanded from something that is written": Net(
        lambda m, x: (lambda y: (lambda e: (y.mul_(2), x + e)[1])(y.expand(LENGTH, WIDTH)))(m.layer.bias * 1)
    ),
    "a part from another of the same, that it shares nothing with": Net(
        lambda m, x: (lambda y: (y[..., ::2].copy_(y[..., 1::2]), y[0].copy_(y[1]), y[:, 6:].add_(y[:, :6].detach()), y)[-1])(x * 1.0)
    ),
    "a part from a copy of what it overlaps": Net(lambda m, x: (lambda y: (y[:, 1:].copy_(y[:, :-1].clone()), y)[1])(x * 1.0)),
    "gradients that forward asks for": Net(lambda m, x: x * 2 if torch.is_grad_enabled() else x),
}
WHOLE = {name: Net(lambda m, x, f=f: x + 0.01 * f(IDS)[..., None]) for name, f in {
    "32 bits that wrap before they are 64": lambda i: (i.int() + 2147483640).to(torch.int64) % 1000,
    "products of 64 bits": lambda i: i * 1500000000 % 1000,
    "quotients and rests of negative numbers": lambda i: (i - 12) // 7 + (i - 12) % -7 + torch.fmod(i - 12, 5),
    "8 bits that wrap": lambda i: i.to(torch.uint8) * 21 + i.to(torch.int8) * 9,
    "floats that are cut": lambda i: ((i - 12) * 0.37).to(torch.int64),
    "truth values that are summed": lambda i: (i > 9).sum(1, keepdim=True).expand(ROWS, LENGTH) + (i > 3).long(),
}.items()}
LABELS = {
    "one ahead": Net(), "none ahead": Net(loss=lambda m, y, ids: F.cross_entropy(y.flatten(0, 1), ids.flatten())),
    "shifted by padding": Net(loss=lambda m, y, ids: F.cross_entropy(y.flatten(0, 1), F.pad(ids, (0, 1), value=-100)[:, 1:].flatten())),
    "two heads": Net(loss=lambda m, y, ids: next_token(m, y, ids) + 0.3 * F.cross_entropy(y[:, :-2].flatten(0, 1), ids[:, 2:].flatten())),
    "another number that is ignored": Net(loss=lambda m, y, ids: F.cross_entropy(y.flatten(0, 1), ids.flatten(), ignore_index=0)),
    "logarithms of sums beside it": Net(loss=lambda m, y, ids: next_token(m, y, ids) + 1e-3 * y.exp().sum(-1).log().square().mean()),
    "a sum by a count": Net(loss=lambda m, y, ids: (y.square().mean(-1) * (ids != 5)).sum() / (ids != 5).sum()),
    "a baseline that is detached": Net(loss=lambda m, y, ids: (lambda a: (a * (a - a.mean()).detach()).mean())(y.log_softmax(-1).amax(-1))),
    "in 64 bits": Net(loss=lambda m, y, ids: next_token(m, y.double(), ids).float()),
}
VERIFIED = MASKS | POSITIONS | ATTENTION | BUFFERS | WHOLE | LABELS


@pytest.mark.parametrize("name", VERIFIED)
def test_a_model_is_verified(name):
    model = VERIFIED[name]
    assert prec.import_torch(model, adamw(model), {"ids": IDS}).verified == "verified"


# Hooks, optimizers, tied weights.

def hook(act):
    model = Net()
    act(model)
    return model, adamw(model)


def own(kind, **options):
    model = Net()
    return model, kind(model.parameters(), lr=1e-2, **options)


class Scaling(torch.optim.AdamW):
    """Reads an option of its own."""

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.grad.mul_(group["scale"])
        return super().step(closure)


class Centered(torch.optim.AdamW):
    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.grad.sub_(p.grad.mean(-1, keepdim=True))
        return super().step(closure)


def continued():
    model = Net()
    first = adamw(model, lr=3e-2)
    model(IDS).backward()
    first.step()
    second = adamw(model)
    second.load_state_dict(first.state_dict())
    return model, second


def tied():
    model = Net()
    model.head.weight = model.table.weight
    model.table.weight.register_hook(lambda g: 0.5 * g)
    return model, adamw(model)


def clipped_by_weights():
    """By the norm of each weight that the hook takes from the model."""
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def clip(*_):
        for p in model.parameters():
            p.grad.mul_((0.01 * p.square().sum().sqrt() / (p.grad.square().sum().sqrt() + 1e-6)).clamp(max=1.0))
    optimizer.register_step_pre_hook(clip)
    return model, optimizer


def frozen_earlier():
    """A layer that took one step, the others two."""
    model, optimizer = continued()
    model.layer.requires_grad_(False)
    for p in (*model.table.parameters(), *model.head.parameters()):
        optimizer.state[p]["step"] += 1
    return model, optimizer


def scaling():
    model = Net()
    return model, Scaling([{"params": model.parameters(), "scale": 0.1}], lr=1e-2)


STEPS = {
    "hooks in their order": lambda: hook(
        lambda m: (m.layer.weight.register_hook(lambda g: g + 1), m.layer.weight.register_hook(lambda g: 2 * g))),
    "a node that adds to a gradient and is held": lambda: hook(
        lambda m: m.__dict__.update(adds=m.head.weight.view_as(m.head.weight).grad_fn.next_functions[0][0])),
    "a hook that was removed": lambda: hook(lambda m: m.layer.weight.register_hook(lambda g: 2 * g).remove()),
    "a module's backward hook": lambda: hook(
        lambda m: m.layer.register_full_backward_hook(lambda _, given, __: tuple(2 * g for g in given))),
    "a hook of what two modules share": tied,
    "a hook after accumulation that changes the gradient": lambda: hook(
        lambda m: m.layer.weight.register_post_accumulate_grad_hook(lambda p: (p.grad.sub_(p.grad.mean(-1, keepdim=True)), None)[1])),
    "one behind another that sets it anew": lambda: hook(
        lambda m: (m.head.weight.register_hook(lambda g: g + 0.01),
                   m.head.weight.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", 0.5 * p.grad + p.detach())))),
    "a hook of what a checkpoint of the older kind reads": lambda: hook(
        lambda m: (setattr(m, "hidden", lambda m, x: checkpoint(m.other, x, use_reentrant=True)), setattr(m, "other", torch.nn.Linear(WIDTH, WIDTH)),
                   m.other.weight.register_hook(lambda g: 2 * g + 0.01), m.layer.weight.register_hook(lambda g: g - 0.01))),
    "an option of a subclass's own": scaling, "gradients without their mean": lambda: own(Centered),
    "a rate that loading a state sets": continued, "a layer that was frozen earlier": frozen_earlier,
    "a hook that reads the model": clipped_by_weights,
    "no memory at all": lambda: own(torch.optim.AdamW, betas=(0.0, 0.0)), "a large eps": lambda: own(torch.optim.AdamW, eps=1.0),
    "dampening": lambda: own(torch.optim.SGD, momentum=0.9, dampening=0.5),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_step_is_verified(name):
    model, optimizer = STEPS[name]()
    assert prec.import_torch(model, optimizer, {"ids": IDS}, clip_grad_norm=1.0).verified == "verified"


def replaced():
    model = Net()
    optimizer = adamw(model)
    model.head.weight = torch.nn.Parameter(model.head.weight.detach().clone())
    return model, optimizer


def apart():
    model, optimizer = continued()
    optimizer.state[model.head.weight]["step"] += 3
    return model, optimizer


def decays():
    class Decaying(torch.optim.SGD):
        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.mul_(0.99)
            return super().step(closure)
    return own(Decaying)


def kept(make):
    """hidden: times what the first call has made."""
    return lambda m, x: x * m.__dict__.setdefault("kept", make(m, x))


def accumulated():
    model = Net()
    model.adds = model.head.weight.view_as(model.head.weight).grad_fn.next_functions[0][0]
    model.adds.register_prehook(lambda gradients: (0.1 * gradients[0],))
    return model, adamw(model)


def overlapping(m):
    m.register_buffer("e", torch.ones(2 * WIDTH))
    m.register_buffer("part", m.e[:WIDTH])


def twice():
    model = Net()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model, torch.optim.SGD([*model.parameters(), model.head.bias], lr=0.1)


def frozen_twin():
    model = Net()
    model.head.weight.data = model.table.weight.data
    model.head.weight.requires_grad_(False)
    return model, adamw(model)


def plain(model):
    return model, adamw(model)


def after_steps(hook, **things):
    model = Net(build=put(**things))
    optimizer = adamw(model)
    optimizer.register_step_post_hook(lambda *_: hook(model))
    return model, optimizer


AVERAGE = torch.zeros(WIDTH, WIDTH)
OUTSIDE = torch.nn.Linear(WIDTH, WIDTH)


@torch.no_grad()
def outside(layer):
    for a, b in zip(OUTSIDE.parameters(), layer.parameters()):
        a.lerp_(b, 0.1)


def averaged():
    model = Net()
    average, optimizer = torch.optim.swa_utils.AveragedModel(model), adamw(model)
    optimizer.register_step_post_hook(lambda *_: average.update_parameters(model))
    return model, optimizer


class Later(torch.optim.SGD):
    def step(self, closure=None):
        if len(self.state):
            for p in self.param_groups[0]["params"]:
                p.grad.mul_(0.1)
        return super().step(closure)


class Ascending(torch.optim.SGD):
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.data.add_(p.grad, alpha=0.05)
        return super().step(closure)


REFUSED = {
    "a parameter made anew after the optimizer": (replaced, "one of the model but got a foreign one"),
    "parameters at different steps": (apart, "at the same optimizer step but got"),
    "a subclass that decays weights itself": (decays, "must (change gradients alone|leave parameters)|changes the parameter"),
    "a hook that returns a value": (
        lambda: hook(lambda m: m.layer.weight.register_post_accumulate_grad_hook(lambda p: p.grad.mul_(0.5))),
        "must return None but one of layer.weight returns a value",
    ),
    "a hook that takes the parameter for its gradient": (
        lambda: hook(lambda m: m.layer.weight.register_post_accumulate_grad_hook(lambda g: (g.mul_(0.5), None)[1])),
        "changes the parameter layer.weight",
    ),
    "a hook that drops a gradient": (
        lambda: hook(lambda m: m.layer.weight.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", None))),
        "set or drop that of layer.weight",
    ),
    "a hook of several gradients": (
        lambda: hook(lambda m: torch.autograd.graph.register_multi_grad_hook(list(m.parameters()), lambda gradients: None)),
        "one is of several .register_multi_grad_hook.: register it with each",
    ),
    "positions beyond a table": (
        lambda: plain(Net(lambda m, x: x + m.places(PLACES), build=put(places=torch.nn.Embedding(LENGTH - 2, WIDTH)))),
        "indices into places.weight must be 0 to 9, .* but the model computes 0 to 11",
    ),
    "a tensor that forward keeps for the next step": (
        lambda: plain(Net(lambda m, x: (lambda kept: (m.__dict__.update(kept=x.detach()), x + kept)[1])(m.__dict__.get("kept", 0.0)))),
        "the next step follows from kept",
    ),
    "a tensor from outside that forward overwrites": (
        lambda: plain(Net(lambda m, x: x * AVERAGE.mul_(0.9).mean())),
        r"overwrite no tensors but its own and buffers but does one of shape \[8, 8\] in test_reports.py:",
    ),
    "the same by a part": (
        lambda: plain(Net(lambda m, x: (AVERAGE[:2].copy_(x.detach()[0, :2]), x * AVERAGE.mean())[1])),
        r"does one of shape \[8, 8\] in test_reports.py:.*: register it as a buffer",
    ),
    "a part of what is expanded, written": (
        lambda: plain(Net(lambda m, x: (lambda y: (y[0].mul_(2), x + y)[1])(expanded(m.layer.bias)))),
        r"no tensor whose elements share memory .* in test_reports.py:.*: write to a copy",
    ),
    "the same of a constant": (
        lambda: plain(Net(lambda m, x: (lambda y: (y[-1].fill_(3.0), x + y)[1])(expanded(torch.arange(WIDTH))))),
        "no tensor whose elements share memory",
    ),
    "a view of a row that a computed number chooses, written": (
        lambda: plain(Net(lambda m, x: (lambda y: (y[x[:, 0, 0].argmax()][2:].mul_(2), y)[1])(x * 1.0))),
        r"must not write to a view of a row that a computed number chooses \(x\[n\], torch.narrow\) but does in test_reports.py:.*: write to the row",
    ),
    "a part from another that it overlaps": (
        lambda: plain(Net(lambda m, x: (lambda y: (y[:, 1:].copy_(y[:, :-1]), y)[1])(x * 1.0))),
        r"must write to a tensor nothing that shares a part of its memory but does in test_reports.py:.*: write a copy",
    ),
    "a tensor from its transposed self": (
        lambda: plain(Net(lambda m, x: (lambda y: (y[0, :8].copy_(y[0, :8].T), y)[1])(x * 1.0))),
        "nothing that shares a part of its memory but does in test_reports.py",
    ),
    "an average of weights in a layer from outside": (
        lambda: plain(Net(lambda m, x: x + (outside(m.layer), OUTSIDE(x))[1].detach())),
        r"overwrite no tensors but its own and buffers but does one of shape \[8, 8\] in test_reports.py:.*: register it as a buffer",
    ),
    "an averaged model after the step": (
        lambda: averaged(),
        r"with gradients alone but changes a tensor, one of shape \[24, 8\] in test_reports.py:",
    ),
    "an optimizer of each parameter in its hook": (
        lambda: hook(
            lambda m: (lambda made: [p.register_post_accumulate_grad_hook(lambda p: made[p].step()) for p in made])(
                {p: torch.optim.SGD([p], lr=0.1) for p in m.parameters()}
            )
        ),
        r"a hook of table.weight must do with .* but looks something up by a parameter, "
        r".*\(test_reports.py:.*: leave updates to the optimizer of the step",
    ),
    "a hook of what a checkpoint of the older kind and another layer read": (
        lambda: hook(
            lambda m: (
                setattr(m, "hidden", lambda m, x: m.layer(checkpoint(m.layer, x, use_reentrant=True))),
                m.layer.weight.register_hook(lambda g: 2 * g + 0.01),
            )
        ),
        "a parameter with a hook must be read by one checkpoint with use_reentrant=True alone but layer.weight is read outside of it, too",
    ),
    "a layer without shapes": (
        lambda: (lambda m: (m, torch.optim.SGD(m.layer.parameters(), lr=0.1)))(Net(build=put(other=torch.nn.LazyLinear(WIDTH)))),
        "must have shapes but weight of a LazyLinear has none yet: run forward once",
    ),
    "a hook that asks whether there has been a step": (
        lambda: (
            lambda model, made: (
                made.register_step_pre_hook(lambda *_: [p.grad.mul_(0.1) for p in model.parameters() if p in made.state] and None),
                model,
                made,
            )[1:]
        )(*own(torch.optim.SGD)),
        r"a hook of it, reads or changes the optimizer's state \(test_reports.py:.*: keep nothing from step to step",
    ),
    "a step that asks whether there has been one": (lambda: own(Later), "the step of Later, or a hook of it, reads or changes the optimizer's state"),
    "weights that a step moves before its gradients": (lambda: own(Ascending), "the step of Ascending, or a hook, must leave parameters as they are"),
    "a hook that keeps an average of weights in a buffer": (
        lambda: after_steps(lambda m: (m.e.lerp_(m.layer.weight.detach(), 0.1), None)[1], e=torch.zeros(WIDTH, WIDTH)),
        "after the backward must do with gradients alone but changes the buffer e: do it outside of the step",
    ),
    "a hook that keeps one outside": (
        lambda: after_steps(lambda m: (AVERAGE.lerp_(m.layer.weight.detach(), 0.1), None)[1]),
        r"with gradients alone but changes a tensor, one of shape \[8, 8\] in test_reports.py:",
    ),
    "dropout that a checkpoint draws anew": (
        lambda: plain(Net(lambda m, x: checkpoint(lambda y: F.dropout(m.layer(y), 0.3).tanh(), x, use_reentrant=False, preserve_rng_state=False))),
        "preserve_rng_state=False must hold no dropout, .* but one holds that of the model: leave",
    ),
    "a mask that the first batch leaves": (lambda: plain(Net(kept(lambda m, x: x.detach() > 0))), "the next step follows from kept"),
    "weights that the first step leaves": (lambda: plain(Net(kept(lambda m, x: m.layer.weight.detach()[0]))), "the next step follows from kept"),
    "a parameter that forward assigns for good": (
        lambda: plain(Net(lambda m, x: (setattr(m.head, "weight", m.table.weight), x)[1])),
        "where the model holds them but assigns or deletes head.weight: do it before the import",
    ),
    "a hook of what adds to a gradient": (accumulated, "one is of the node that adds to the gradient of head.weight: register it with the parameter"),
    "a buffer that is a part of one that forward changes": (
        lambda: plain(Net(lambda m, x: (m.e.add_(1), x * m.part)[1], build=overlapping)),
        r"a buffer that forward changes must have memory of its own but e shares that of part, .*model.part = model.e",
    ),
    "a buffer that is a part of a weight": (
        lambda: plain(Net(lambda m, x: x * m.part, build=lambda m: m.register_buffer("part", m.layer.weight.data[0]))),
        "overlap in part, and an update of one changes the other: give each its own",
    ),
    "a buffer that is all of a weight": (
        lambda: plain(Net(lambda m, x: x @ m.all, build=lambda m: m.register_buffer("all", m.layer.weight.data))),
        r"each update of layer.weight changes all: make them one \(model.all = model.layer.weight\)",
    ),
    "a parameter that is in the optimizer twice": (twice, "in the optimizer once but head.bias is in it twice"),
    "memory of two of which one is frozen": (frozen_twin, "each update of table.weight changes head.weight, which is frozen: give each its own"),
    "a parameter that forward changes": (
        lambda: plain(Net(lambda m, x: (m.layer.weight.data.clamp_(-1, 1), x)[1])),
        "leave parameters as they are|sets .data",
    ),
    "weights that an embedding renormalizes": (
        lambda: plain(Net(lambda m, x: x + F.embedding(IDS, m.table.weight, max_norm=1.0))),
        "must leave parameters as they are but changes table.weight",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_step_is_refused(name):
    make, message = REFUSED[name]
    model, optimizer = make()
    with warnings.catch_warnings(), pytest.raises(prec.ImportFailure, match=message):
        warnings.simplefilter("ignore")
        prec.import_torch(model, optimizer, {"ids": IDS})


def test_a_module_that_forward_makes_and_fills_draws_nothing():
    """The numbers of its first weights, which nobody reads, are no part of the step."""
    def hidden(m, x):
        fresh = torch.nn.Linear(WIDTH, WIDTH)
        fresh.weight, fresh.bias = m.layer.weight, m.layer.bias
        return fresh(x)

    model = Net(hidden)
    step = prec.import_torch(model, adamw(model), {"ids": IDS})
    assert step.verified == "verified" and not any("uniform" in op.name for op in step.graph.ops)
