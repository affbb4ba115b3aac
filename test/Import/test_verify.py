# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The guards of an import: planted faults and which guard catches each, what verification says, and that nothing is
left behind."""
import contextlib
import random
import types

import pytest
import torch
import torch.nn.functional as F
from models import hf_gpt2, hf_llama

import prec
from prec import ImportFailure
from prec.torch import composites, importer, numeric, optimizer, registry, smaller, trace, verify
from prec.torch.batch import Batch


class Net(torch.nn.Module):
    """A language model of one layer whose `hidden` variants change."""

    def __init__(self, vocabulary=48, width=16):
        super().__init__()
        torch.manual_seed(0)
        self.table, self.layer = torch.nn.Embedding(vocabulary, width), torch.nn.Linear(width, width)
        self.head = torch.nn.Linear(width, vocabulary, bias=False)
        self.register_buffer("scale", torch.ones(()))

    def hidden(self, x):
        return x + torch.tanh(self.layer(x))

    def forward(self, ids, labels):
        logits = self.head(self.hidden(self.table(ids)))
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


class Scaled(Net):
    """A buffer that forward assigns anew."""

    def hidden(self, x):
        self.scale = 0.5 * self.scale + 0.5 * x.detach().abs().mean()
        return super().hidden(x) / self.scale


BATCH = {name: torch.zeros(4, 24, dtype=torch.int64) for name in ("ids", "labels")}


def adamw(model):
    return torch.optim.AdamW(model.parameters(), lr=1e-2, weight_decay=0.1)


def stepped(model):
    """An optimizer that has taken a step."""
    made = adamw(model)
    ids = torch.arange(96).view(4, 24) % 48
    model(ids=ids, labels=ids).backward()
    made.step()
    made.zero_grad()
    return made


def hooked(model):
    model.head.weight.register_hook(lambda g: 0.5 * g)
    return adamw(model)


def clamped(model):
    made = torch.optim.SGD(model.parameters(), lr=0.1)
    made.register_step_pre_hook(lambda o, *_: [p.grad.clamp_(-1e-3, 1e-3) for group in o.param_groups for p in group["params"]] and None)
    return made


class Cautious(torch.optim.AdamW):
    def step(self, closure=None):
        with torch.no_grad():
            for group in self.param_groups:
                for p in group["params"]:
                    p.grad.clamp_(-1e-3, 1e-3)
        return super().step(closure)


def attends(monkeypatch):
    own = composites.attention
    monkeypatch.setattr(composites, "attention", lambda q, k, v, scale, causal, *mask: own(q, k, v, scale, False, *mask))


def scaled_scores(monkeypatch):
    own = composites.attention
    monkeypatch.setattr(composites, "attention", lambda q, k, v, scale, *mask: own(q, k, v, scale * 1.0001, *mask))


def no_gradient_of_keys(monkeypatch):
    """As if keys came from nowhere: their projection is not trained."""
    own = composites.attention
    monkeypatch.setattr(composites, "attention", lambda q, k, *rest: own(q, k.detach(), *rest))


def wrong_epsilon(monkeypatch):
    own = registry.find("prec.rms_norm.default")
    monkeypatch.setitem(registry._TABLE, "prec.rms_norm.default", lambda b, node, x, gamma, eps: own(b, node, x, gamma, 2 * eps))


def norms():
    class Normed(Net):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.RMSNorm(16, eps=1e-2)

        def hidden(self, x):
            return self.norm(super().hidden(x))
    return Normed(), BATCH


def no_hooks(monkeypatch):
    monkeypatch.setattr(trace.gradients, "copy_hooks", lambda parameter, leaf: None)


def no_optimizer_hooks(monkeypatch):
    monkeypatch.setattr(trace.gradients, "through_optimizer", lambda o, unread, standins, leaves, parameters, found, clipped: found)


def frozen_buffers(monkeypatch):
    monkeypatch.setattr(trace._Run, "_new_buffers", lambda self, standins: {})


def no_states(monkeypatch):
    monkeypatch.setattr(importer.Step, "plan_states", lambda self: {})


def wrong_decay(monkeypatch):
    own = optimizer._known
    def reader(made, group, where):
        hyper, rule = optimizer._read_adamw(made, group, where)
        return {**hyper, "weight_decay": 0.0}, rule
    monkeypatch.setattr(optimizer, "_known", lambda: {**own(), torch.optim.AdamW: reader})


def no_clipping(monkeypatch):
    monkeypatch.setattr(importer.optimizers, "build", (lambda own: lambda b, plan, updated, g, state: own(
        b, plan, updated, g, optimizer.State(state.states, {k: v for k, v in state.scalars.items() if k != "max_norm"})))(optimizer.build))


def dropped_input(monkeypatch):
    """As if an input of forward never reached the loss."""
    own = Batch.call
    monkeypatch.setattr(Batch, "call", lambda self, model, tensors: own(self, model, (
        {**tensors, "extra": torch.zeros_like(tensors["extra"])} if isinstance(tensors["extra"], torch._subclasses.functional_tensor.FunctionalTensor)
        else tensors)))


def with_input():
    class Extra(Net):
        def forward(self, ids, labels, extra):
            return super().forward(ids, labels) + (self.layer.bias * extra).sum()
    return Extra(), {**BATCH, "extra": torch.randn(16)}


def plain():
    return Net(), BATCH


# What is planted, in which step, and which guard catches it: a phrase of its own message.
NUMERIC, DEPENDENCE = "must compute what PyTorch computes", r"PyTorch( gives it one|'s depends on)"
FAULTS = {
    "a causal mask that is dropped": (attends, lambda: hf_llama(num_hidden_layers=1), adamw, {}, NUMERIC),
    "a scale of scores that is another": (scaled_scores, lambda: hf_gpt2(n_layer=1), adamw, {}, NUMERIC),
    "an epsilon that is another": (wrong_epsilon, norms, adamw, {}, NUMERIC),
    "a table that nobody trains": (no_gradient_of_keys, lambda: hf_llama(num_hidden_layers=1), adamw, {}, DEPENDENCE),
    "an input that is ignored": (dropped_input, with_input, adamw, {}, DEPENDENCE),
    "a hook of a parameter that is ignored": (no_hooks, plain, hooked, {}, NUMERIC),
    "a hook of the optimizer that is ignored": (no_optimizer_hooks, plain, clamped, {}, NUMERIC),
    "a subclass that is taken for its base": (no_optimizer_hooks, plain, lambda m: Cautious(m.parameters(), lr=1e-2), {}, NUMERIC),
    "a buffer that keeps its first value": (frozen_buffers, lambda: (Scaled(), BATCH), adamw, {}, NUMERIC),
    "moments that are dropped": (no_states, plain, stepped, {}, NUMERIC),
    "a decay that is dropped": (wrong_decay, plain, adamw, {}, NUMERIC),
    "a norm that nobody clips": (no_clipping, plain, adamw, {"clip_grad_norm": 0.01}, NUMERIC),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_caught(fault, monkeypatch):
    plant, make, make_optimizer, options, guard = FAULTS[fault]
    model, batch = make()
    step = prec.import_torch(model, make_optimizer(model), batch, **options)
    assert step.verified == "verified"
    model, batch = make()
    made = make_optimizer(model)
    plant(monkeypatch)
    with pytest.raises(ImportFailure, match=guard):
        prec.import_torch(model, made, batch, **options)
    # Asked not to look, it is imported and says so.
    assert prec.import_torch(model, made, batch, **options, verify=False).verified == "not verified: not asked to"


def test_a_difference_names_the_first_module(monkeypatch):
    attends(monkeypatch)
    model, batch = hf_llama()
    with pytest.raises(ImportFailure, match=r"differs first in model\.layers\.0\.self_attn"):
        prec.import_torch(model, adamw(model), batch)


def test_the_graph_says_what_came_of_it():
    model, batch = plain()
    assert 'prec_train.verified = "verified"' in prec.import_torch(model, adamw(model), batch).mlir
    assert 'prec_train.verified = "not verified: not asked to"' in prec.import_torch(model, adamw(model), batch, verify=False).mlir


class Leaking(Net):
    """PyTorch wants both operands in one type."""

    def hidden(self, x):
        return F.prelu(self.layer(x), 0.3 * self.scale) + F.prelu(x, self.scale)


def test_buffers_of_single_numbers_are_compared_in_float64():
    model = Leaking()
    assert prec.import_torch(model, adamw(model), BATCH).verified == "verified"


def of_each_row():
    """A parameter has a row for each of the batch, which are sorted by it: PyTorch runs with all of them alone."""
    class Sorted(torch.nn.Module):
        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.depth = torch.nn.Parameter(torch.randn(7))

        def forward(self, x):
            return (x[self.depth.argsort()] * self.depth[:, None]).sin().mean()
    return Sorted(), {"x": torch.randn(7, 4)}


def of_own_labels():
    """Labels of a cross entropy that are a one-hot, too: none of them may be one that does not count."""
    class Overlap(Net):
        def forward(self, ids, labels):
            logits = self.head(self.hidden(self.table(ids)))
            overlap = (F.one_hot(labels, 48) * logits.softmax(-1)).sum((0, 1))
            return F.cross_entropy(logits.flatten(0, 1), labels.flatten()) - overlap.log1p().mean()
    # Labels of one kind tell nothing of the rest: the import would make up others.
    return Overlap(), BATCH | {"labels": torch.ones_like(BATCH["labels"])}


@pytest.mark.parametrize("make", [of_each_row, of_own_labels])
def test_a_step_that_runs_with_the_users_own_batch_alone_is_compared_with_it(make):
    model, batch = make()
    assert prec.import_torch(model, adamw(model), batch).verified == "verified"


def test_a_framework_that_does_not_run_is_no_failure():
    class Odd(Net):
        def hidden(self, x):
            # Runs on fake tensors and on no real one in float64.
            return super().hidden(x) + (torch.ops.prec.dropout(x, 0.5, 1) if x.dtype == torch.float64 else 0.0)

    model = Odd()
    verified = prec.import_torch(model, adamw(model), BATCH).verified
    assert verified.startswith("not verified: PyTorch's own step must run to compare its losses but")


class Amplified(torch.nn.Module):
    """The last bits of a norm decide its loss."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.sin(1e13 * torch.nn.functional.layer_norm(self.layer(x), (8,))).sum()


def test_what_pytorch_itself_does_not_determine_is_no_difference():
    model = Amplified()
    verified = prec.import_torch(model, adamw(model), {"x": torch.randn(6, 8, generator=torch.Generator().manual_seed(0))}).verified
    assert verified.startswith("not verified: PyTorch's own step must be determined but its loss changes by")
    assert "where weights change by 1e-14 of themselves" in verified


def test_a_smaller_batch_that_is_another_step_is_not_taken():
    """Branches on shapes show in the smaller graph; then the next larger one is tried, up to the whole batch."""
    class Branches(Net):
        def hidden(self, x):
            return super().hidden(x) * (2.0 if x.shape[1] > 20 else 1.0) if x.shape[0] > 3 else torch.sin(x)

    model = Branches()
    assert prec.import_torch(model, adamw(model), BATCH).verified == "verified"


def test_models_of_half_a_billion_are_compared_by_one_block_of_each_kind(monkeypatch):
    monkeypatch.setattr(smaller, "_LARGE_MODEL", 1000)
    kept = []
    own = numeric.check
    monkeypatch.setattr(
        verify.numeric, "check", lambda step, graph, is_empty: (kept.append(len(step.model.model.layers)), own(step, graph, is_empty))
    )
    model, batch = hf_llama(num_hidden_layers=4)
    layers = list(model.model.layers)
    assert prec.import_torch(model, adamw(model), batch).verified == "verified"
    assert kept == [1] and list(model.model.layers) == layers


def contents(thing):
    """Everything that a model holds, by value and identity, as far as attributes and containers lead."""
    found, waiting = [], [("", thing)]
    seen: set[int] = set()
    while waiting:
        path, x = waiting.pop()
        if isinstance(x, torch.Tensor):
            found.append((path, id(x), type(x), None if x.is_meta else x.detach().clone(), x.requires_grad, x.grad is None))
        elif isinstance(x, (dict, list, tuple, set, torch.nn.Module)) or type(x).__module__.startswith(("transformers", "test_")):
            if id(x) in seen:
                continue
            seen.add(id(x))
            held = x.items() if isinstance(x, dict) else enumerate(sorted(map(repr, x))) if isinstance(x, set) \
                else enumerate(x) if isinstance(x, (list, tuple)) else vars(x).items()
            waiting += [(f"{path}.{key}", value) for key, value in held]
        else:
            found.append((path, repr(x) if isinstance(x, (int, float, str, bool, type(None))) else id(x)))
    return found


def same(a, b):
    assert len(a) == len(b)
    for x, y in zip(a, b):
        assert len(x) == len(y)
        for u, v in zip(x, y):
            assert torch.equal(u, v) if isinstance(u, torch.Tensor) else u == v, x[0]


class Keeps(Net):
    """Leaves all sorts of things behind."""

    calls, log = 0, []

    def __init__(self, fails):
        super().__init__()
        self.fails, self.cache, self.held = fails, None, {"list": [1], "object": types.SimpleNamespace(x=1)}

    def hidden(self, x):
        self.calls += 1
        self.cache = torch.arange(x.shape[1])
        self.held["list"].append(x)
        self.held["object"].x = x
        Keeps.log.append(x)
        if self.fails:
            x = x * x.mean().item()
        return super().hidden(x)


@pytest.mark.parametrize("fails", [False, True])
def test_whatever_happens_the_model_is_left_as_it_was(fails):
    model = Keeps(fails)
    made = stepped_without_keeping(model)
    state = random.getstate(), torch.get_rng_state()
    before, optimizer_before = contents(model), contents(dict(vars(made), state=list(made.state.values())))
    with pytest.raises(ImportFailure, match="must not read a computed value") if fails else contextlib.nullcontext():
        prec.import_torch(model, made, BATCH)
    same(before, contents(model))
    same(optimizer_before, contents(dict(vars(made), state=list(made.state.values()))))
    assert Keeps.log == [] and random.getstate() == state[0] and torch.equal(torch.get_rng_state(), state[1])


def stepped_without_keeping(model):
    made = adamw(model)
    for p in model.parameters():
        p.grad = torch.full_like(p, 0.1)
    made.step()
    made.zero_grad()
    return made


class Started(Net):
    """The first word of each row is one of the last of a large vocabulary, which few rows of the table do not have."""

    def forward(self, ids, labels):
        begun = torch.cat([torch.full_like(ids[:, :1], 4999), ids[:, :-1]], 1)
        return F.cross_entropy(self.head(self.hidden(self.table(begun))).flatten(0, 1), labels.flatten())


class Placed(Net):
    """Positions as [3, rows, tokens], and an image of four patches for each row."""

    def __init__(self):
        super().__init__()
        self.patches = torch.nn.Linear(5, 16)

    def forward(self, ids, labels, patches, places):
        x = self.hidden(self.table(ids) + places.sum(0)[..., None] * 0.01)
        seen = self.patches(patches).view(ids.shape[0], 4, 16)
        logits = self.head(torch.cat([seen, x[:, 4:]], 1))
        return F.cross_entropy(logits[:, :-1].flatten(0, 1), labels[:, 1:].flatten())


def test_a_model_that_needs_its_whole_vocabulary_is_compared_with_it():
    model = Started(5000)
    assert prec.import_torch(model, adamw(model), BATCH).verified == "verified"


def test_rows_are_cut_wherever_they_are():
    model, tall = Placed(), {name: t.repeat(4, 3) for name, t in BATCH.items()}
    batch = tall | {"patches": torch.randn(64, 5), "places": torch.zeros(3, 16, 72)}
    cut = [smaller._cut(t, 16, 3, 72, 19).shape for t in batch.values()]
    assert cut == [(3, 19), (3, 19), (12, 5), (3, 3, 19)]
    assert prec.import_torch(model, adamw(model), batch).verified == "verified"


@pytest.mark.long
def test_a_step_that_takes_long_is_compared_with_one_block_of_each_kind(monkeypatch):
    model, batch = hf_llama(batch=4, num_hidden_layers=4)
    works = []
    work = smaller.work
    monkeypatch.setattr(smaller, "work", lambda graph: works.append(work(graph)) or works[-1])
    assert prec.import_torch(model, adamw(model), batch).verified == "verified"
    monkeypatch.setattr(smaller, "_MOST_WORK", 0.7 * works[0])
    assert prec.import_torch(model, adamw(model), batch).verified == "verified"
    assert works[-1] < 0.7 * works[0] and not smaller.is_large(model)
    monkeypatch.setattr(smaller, "_MOST_WORK", 0.0)
    assert prec.import_torch(model, adamw(model), batch).verified == "not verified: no smaller batch could be made, and a larger one takes too long"
