# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step reads and leaves outside of parameters and buffers: globals, closures, caches, generators, gradients of
others. What changes
from step to step is refused by its name; what does not is a part of the graph, and afterwards all is as it was."""
import collections
import contextvars
import copy
import enum
import fractions
import functools
import itertools
import json
import os
import pickle
import random
import time

import numpy as np
import pytest
import settings_of_a_user as settings
import torch
import torch.nn.functional as F
from torch._higher_order_ops.while_loop import while_loop
from torch._subclasses import FakeTensor

import prec
from prec import ImportFailure
from prec.torch import standins

CALLS = {"n": 0}
TABLES = {}
TOTAL = 0
GENERATOR, PYTHON = np.random.default_rng(0), random.Random(0)


class Net(torch.nn.Module):
    def __init__(self, hidden=None):
        super().__init__()
        torch.manual_seed(0)
        self.table, self.layer, self.head = torch.nn.Embedding(16, 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 16)
        self.register_buffer("mean", torch.ones(8))
        self.change = hidden or (lambda m, x: x)

    def forward(self, ids):
        x = self.table(ids)
        logits = self.head(x + torch.tanh(self.change(self, self.layer(x))))
        return F.cross_entropy(logits.flatten(0, 1), ids.flatten())


BATCH = {"ids": torch.arange(12).view(3, 4)}


def imported(model, optimizer=None, **options):
    return prec.import_torch(model, optimizer or torch.optim.SGD(model.parameters(), lr=0.1), BATCH, **options)


def in_a_dictionary(m, x):
    CALLS["n"] += 1
    return x * CALLS["n"]


def in_a_global(m, x):
    global TOTAL
    TOTAL += 1
    return x * TOTAL


def in_a_default(m, x, calls=[0]):  # noqa: B006 (what is tested)
    calls[0] += 1
    return x * calls[0]


def in_an_attribute(m, x):
    in_an_attribute.calls = getattr(in_an_attribute, "calls", 0) + 1
    return x * in_an_attribute.calls


def in_a_closure():
    calls = 0

    def hidden(m, x):
        nonlocal calls
        calls += 1
        return x * calls
    return hidden


def by_an_iterator(iterator):
    return lambda m, x: x * next(iterator)


def counting():
    n = 1
    while True:
        yield n
        n += 1


class Counted(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, x):
        return x * 1.0

    @staticmethod
    def backward(ctx, gradient):
        Counted.calls += 1
        return gradient * Counted.calls


CHANGING = {
    "CALLS.n": in_a_dictionary, "TOTAL": in_a_global, r"in_a_default.0\[0\]": in_a_default, "in_an_attribute.calls": in_an_attribute,
    "calls": in_a_closure(), "iterator.at": by_an_iterator(itertools.count(1)), r"iterator.(at, iterator.)?n": by_an_iterator(counting()),
    "GENERATOR.state": lambda m, x: x * GENERATOR.random(), "PYTHON.state": lambda m, x: x * PYTHON.random(),
    "Counted.calls": lambda m, x: Counted.apply(x),
}


@pytest.mark.parametrize("name", CHANGING)
def test_what_changes_from_step_to_step_is_refused_by_name(name):
    with pytest.raises(ImportFailure, match=f"the next step follows from {name}: keep what changes in buffers"):
        imported(Net(CHANGING[name]), verify=False)


def test_what_changes_is_as_it_was():
    states = GENERATOR.bit_generator.state, PYTHON.getstate()
    for change in CHANGING.values():
        with pytest.raises(ImportFailure):
            imported(Net(change), verify=False)
    assert CALLS == {"n": 0} and TOTAL == 0 and Counted.calls == 0 and not hasattr(in_an_attribute, "calls") and in_a_default.__defaults__ == ([0],)
    assert (GENERATOR.bit_generator.state, PYTHON.getstate()) == states


def test_a_counter_that_nothing_reads_is_fine():
    def hidden(m, x):
        CALLS["n"] += 1
        return x
    assert imported(Net(hidden)).verified == "verified" and CALLS == {"n": 0}


def counted(n):
    m_calls = {"n": 0}

    def hidden(m, x):
        m_calls["n"] += 1
        return x * 2 if n(m_calls["n"]) else x
    return hidden


def counted_in_an_attribute(m, x):
    m.calls = getattr(m, "calls", 5)
    m.calls += 1
    return x if m.calls < 1000 else 2 * x


def counted_in_a_list(m, x, calls=[0, 0.5]):  # noqa: B006 (what is tested)
    calls[1] += 0.5
    return x * min(max(calls[1], 3.0), 4.0)


def counted_down(m, x):
    in_an_attribute.left = getattr(in_an_attribute, "left", 1000) - 1
    return x if in_an_attribute.left > 0 else 2 * x


class Slots:
    __slots__ = ("n", "unset")

    def __init__(self):
        self.n = 0


class Held:
    calls = 0


def of_state(state, count, n=4):
    """hidden: twice as much from the n-th step on. count(state): counts on, and tells."""
    def hidden(m, x):
        return x * 2 if count(state) >= n else x
    return hidden


def in_slots(slots):
    slots.n += 1
    return slots.n


def in_a_class(held):
    held.calls += 1
    return held.calls


def in_an_array(array):
    array[1] += 1
    return array[1]


def in_a_variable(variable):
    variable.set(variable.get() + 1)
    return variable.get()


def in_what_grows(grown):
    if isinstance(grown, dict):
        grown[len(grown)] = None
    else:
        getattr(grown, "append", getattr(grown, "add", None))(len(grown))
    return len(grown)


class Phase(enum.IntEnum):
    WARM, RISING, EVEN, FALLING, COLD = range(5)


Place = collections.namedtuple("Place", "n name")


class Frame:
    def __init__(self, n):
        self.n = n


ANEW = {
    "a tensor": (torch.zeros((), dtype=torch.int64), lambda n: n + 1, lambda n: n >= 1000),
    "a tensor of floats": (torch.zeros(2), lambda n: n + 0.5, lambda n: n[1] >= 1000),
    "a number of NumPy": (np.int64(0), lambda n: n + 1, lambda n: n >= 1000),
    "one of 8 bits": (np.uint8(0), lambda n: n + np.uint8(1), lambda n: n >= 100),
    "an array": (np.zeros(2), lambda n: n + 1, lambda n: n[0] >= 1000),
    "a fraction": (fractions.Fraction(0), lambda n: n + 1, lambda n: n >= 1000),
    "a tuple": ((0, "a"), lambda n: (n[0] + 1, n[1]), lambda n: n[0] >= 1000),
    "one in another": ((0, (0, 1)), lambda n: (0, (n[1][0] + 1, 1)), lambda n: n[1][0] >= 1000),
    "a tuple that grows": ((), lambda n: (*n, 1), lambda n: len(n) >= 1000),
    "a tuple of names": (Place(0, "a"), lambda n: n._replace(n=n.n + 1), lambda n: n.n >= 1000),
    "a list": ([0], lambda n: [n[0] + 1], lambda n: n[0] >= 1000),
    "a list that grows": ([], lambda n: [*n, 0], lambda n: len(n) >= 1000),
    "a dictionary": ({"n": 0}, lambda n: {"n": n["n"] + 1}, lambda n: n["n"] >= 1000),
    "a list in a dictionary": ({"n": [0]}, lambda n: {"n": [n["n"][0] + 1]}, lambda n: n["n"][0] >= 1000),
    "an object": (Frame(0), lambda n: Frame(n.n + 1), lambda n: n.n >= 1000),
    "a phase": (Phase.WARM, lambda n: Phase(min(n + 1, 4)), lambda n: n is Phase.COLD),
    "a text": ("", lambda n: n + "a", lambda n: len(n) >= 1000),
    "a list that shrinks": ([1] * 9, lambda n: n[1:], lambda n: not n),
    "a list of which the last is taken": ([1] * 9, lambda n: (n and n.pop(), n)[1], lambda n: not n),
    "a tuple that shrinks": ((1,) * 9, lambda n: n[1:], lambda n: not n),
}


@pytest.mark.parametrize("name", ANEW)
def test_what_is_made_anew_and_counts_is_refused_by_name(name):
    first, make, late = ANEW[name]

    def hidden(m, x):
        m.__dict__["count"] = make(m.count)
        return x * 2 if late(m.count) else x
    model = Net(hidden)
    model.__dict__["count"] = first
    held = copy.copy(first)
    with pytest.raises(ImportFailure, match="a later step follows from count"):
        imported(model, verify=False)
    assert model.count is first and (isinstance(first, Frame) or np.all(np.asarray(first == held)))


def test_what_is_made_anew_and_nothing_depends_on():
    def hidden(m, x):
        for name, (_, make, _) in ANEW.items():
            HELD[name] = make(HELD[name])
        return x
    HELD.update({name: first for name, (first, _, _) in ANEW.items()})
    assert imported(Net(hidden), verify=False) and all(HELD[name] is first for name, (first, _, _) in ANEW.items())


HELD = {}
GROWN = [[], collections.deque(maxlen=8), {}, set()]
LATER = {"m_calls.n": [counted(lambda n: n >= 4), counted(lambda n: n % 100 == 0), counted(lambda n: (n - 1) % 16 == 0 and n > 1)],
         "calls": [counted_in_an_attribute], "state.n": [of_state(Slots(), in_slots)], "Held.calls": [of_state(Held, in_a_class)],
         "state": [of_state(np.zeros(3), in_an_array), of_state(np.zeros(3, np.uint8), in_an_array)],
         "state.value": [of_state(contextvars.ContextVar("calls", default=0), in_a_variable)],
         r"state(\[1\]|.1|.\d+)": [of_state(grown, in_what_grows) for grown in GROWN],
         r"counted_in_a_list.0\[1\]": [counted_in_a_list], "in_an_attribute.left": [counted_down]}


@pytest.mark.parametrize("name, hidden", [(name, hidden) for name, all in LATER.items() for hidden in all])
def test_what_counts_up_to_a_change_is_refused_by_name(name, hidden):
    model = Net(hidden)
    # What is there from the first is a number before the second.
    model.calls, in_an_attribute.left = 5, 1000
    with pytest.raises(ImportFailure, match=f"a later step follows from {name}: keep what changes in buffers"):
        imported(model, verify=False)
    assert model.calls == 5 and in_an_attribute.left == 1000 and Held.calls == 0 and not any(GROWN)


def fading_average(at):
    """hidden: a buffer that is multiplied by another number from the at-th step on."""
    def hidden(m, x):
        m.calls += 1
        y = x - m.mean
        m.mean.mul_(0.9 if m.calls < at else 0.5)
        return y
    return hidden


def average_of_last(m, x):
    y = x - m.mean
    m.mean.copy_(m.last)
    m.last = x.detach().mean((0, 1))
    return y


def average_at_first(m, x):
    y = x - m.mean
    m.calls += 1
    if m.calls == 1:
        m.mean.mul_(0.9)
    return y


AVERAGES = {"the next step follows from calls": [fading_average(2), average_at_first], "the next step follows from last": [average_of_last],
            "a later step follows from calls": [fading_average(1000)]}


@pytest.mark.parametrize("message, hidden", [(message, hidden) for message, all in AVERAGES.items() for hidden in all])
def test_a_buffer_that_becomes_another_in_another_step(message, hidden):
    model = Net(hidden)
    model.calls, model.__dict__["last"] = 0, torch.ones(8)
    with pytest.raises(
        ImportFailure, match=f"forward must change buffers alike .*, but what mean becomes in {message}: keep what changes in buffers"
    ):
        imported(model)


def test_a_buffer_beside_a_counter_that_it_does_not_depend_on():
    def hidden(m, x):
        m.calls += 1
        m.mean.mul_(0.9).add_(x.detach().mean((0, 1)), alpha=0.1)
        return x - m.mean
    model = Net(hidden)
    model.calls = 0
    assert imported(model).verified == "verified"


def in_a_module(m, x):
    settings.CALLS += 1
    return x * settings.CALLS


def in_a_module_that_it_imports(m, x):
    import settings_of_a_user as settings
    settings.CALLS += 1
    return x * 2 if settings.CALLS >= 1000 else x


def by_its_function(m, x):
    return x * 2 if settings.count() >= 1000 else x


def new_in_a_module(m, x):
    settings.fresh = getattr(settings, "fresh", 0) + 1
    return x * settings.fresh


@pytest.mark.parametrize("hidden, message", [
    (in_a_module, "the next step follows from settings_of_a_user.CALLS"),
    (in_a_module_that_it_imports, "a later step follows from settings_of_a_user.CALLS"),
    (by_its_function, "a later step follows from CALLS"), (new_in_a_module, "the next step follows from settings_of_a_user.fresh")])
def test_a_global_of_another_module(hidden, message):
    with pytest.raises(ImportFailure, match=f"{message}: keep what changes in buffers"):
        imported(Net(hidden), verify=False)
    assert settings.CALLS == 0 and not hasattr(settings, "fresh")


def test_what_another_module_counts_for_itself_is_as_it_was():
    def hidden(m, x):
        settings.CALLS += 1
        return x
    assert imported(Net(hidden)).verified == "verified" and settings.CALLS == 0


def test_a_forward_of_the_users_that_counts():
    model, slots = Net(), Slots()
    own = model.forward
    model.forward = lambda ids: own(ids) * (1 if in_slots(slots) < 4 else 2)
    with pytest.raises(ImportFailure, match="a later step follows from slots.n: keep what changes in buffers"):
        imported(model, verify=False)
    assert slots.n == 0 and not hasattr(slots, "unset")


def test_what_cannot_be_compared_is_traced_again():
    iterator = itertools.count()
    with pytest.raises(ImportFailure, match="forward must compute the same each time but another trace differs first in Net"):
        imported(Net(lambda m, x: x * 2 if next(iterator) >= 2 else x))


def test_an_end_of_what_counts_on():
    def hidden(m, x, rates=[1.0] * 50):
        m.calls += 1
        return x * rates[m.calls]
    model = Net(hidden)
    model.calls = 0
    with pytest.raises(
        ImportFailure, match="but where calls had counted on, one raised IndexError .list index out of range. .test_outside.py:.*return x . rates"
    ):
        imported(model)


def test_counters_that_change_nothing():
    def hidden(m, x):
        m.calls, m.widest = m.calls + 1, max(m.widest, x.shape[1])
        if m.calls % 100 == 0:
            NOTED.append(m.calls)
        return x / m.widest
    model = Net(hidden)
    model.calls = model.widest = 0
    assert imported(model).verified == "verified" and (model.calls, model.widest, NOTED) == (0, 0, [])


NOTED = []


def acting(hook):
    """A model and an optimizer of which `hook` gets the gradients before its step."""
    model = Net()
    made = torch.optim.SGD(model.parameters(), lr=0.1)
    made.register_step_pre_hook(lambda *_: hook([p for p in model.parameters()]))
    return model, made


def keeping(parameters, last={}):  # noqa: B006 (what is tested)
    for p in parameters:
        held, last[p] = last.get(p), p.grad.clone()
        if held is not None:
            p.grad.add_(held)


def growing(parameters):
    CALLS["n"] += 1
    for p in parameters:
        p.grad.mul_(CALLS["n"])


def ending(parameters):
    CALLS["n"] += 1
    if CALLS["n"] > 500:
        for p in parameters:
            p.grad.zero_()


class Fading(torch.optim.SGD):
    calls = 0

    def step(self, closure=None):
        self.calls += 1
        for group in self.param_groups:
            for p in group["params"]:
                p.grad.div_(self.calls)
        return super().step(closure)


def late():
    model = Net()
    model.head.weight.register_post_accumulate_grad_hook(lambda p: growing([p]))
    return model, None


def fading():
    model = Net()
    return model, Fading(model.parameters(), lr=0.1)


ACTING = {
    r"the next step follows from keeping.0": lambda: acting(keeping),
    "the next step follows from CALLS.n": lambda: acting(growing),
    "a later step follows from CALLS.n": lambda: acting(ending),
    "the next step follows from calls": fading,
    "next step follows from CALLS.n": late,
}


@pytest.mark.parametrize("message", ACTING)
def test_a_hook_that_acts_otherwise_in_another_step(message):
    model, made = ACTING[message]()
    with pytest.raises(
        ImportFailure, match=f"hooks must compute the same whatever they have left in Python, but .*{message}: act alike in every step"
    ):
        imported(model, made, verify=False)
    assert CALLS == {"n": 0} and keeping.__defaults__ == ({},)


def test_a_hook_that_counts_for_itself():
    noted = []

    def hook(parameters):
        CALLS["n"] += 1
        noted.append(CALLS["n"])
        for p in parameters:
            p.grad.mul_(2)
    model, made = acting(hook)
    assert imported(model, made).verified == "verified" and CALLS == {"n": 0} and noted == []


def test_gradients_that_are_carried_over():
    class Halving(torch.optim.SGD):
        def zero_grad(self, set_to_none=True):
            for group in self.param_groups:
                for p in group["params"]:
                    p.grad.mul_(0.5)

    class Counting(torch.optim.SGD):
        def zero_grad(self, set_to_none=True):
            self.calls = getattr(self, "calls", 0) + 1
            super().zero_grad(set_to_none)
    model = Net()
    made = torch.optim.SGD(model.parameters(), lr=0.1)
    made.zero_grad = lambda: None
    for optimizer in (Halving(model.parameters(), lr=0.1), made):
        with pytest.raises(ImportFailure, match="each step must start from no gradients but the zero_grad of this (Halving|SGD) is one of its own"):
            imported(model, optimizer)
    fine = Counting(model.parameters(), lr=0.1)
    assert imported(model, fine).verified == "verified" and not hasattr(fine, "calls")


@pytest.mark.parametrize("drops", [lambda n: n % 4 == 1, lambda n: n == 1, lambda n: n < 1000, lambda n: n % 16 != 0])
def test_gradients_that_some_steps_carry_over(drops):
    class Accumulating(torch.optim.SGD):
        calls = 0

        def zero_grad(self, set_to_none=True):
            self.calls += 1
            if drops(self.calls):
                super().zero_grad(set_to_none)
    model = Net()
    made = Accumulating(model.parameters(), lr=0.1)
    with pytest.raises(ImportFailure, match="each step must start from no gradients but the zero_grad of this Accumulating is one of its own"):
        imported(model, made)
    assert Accumulating.calls == 0 and "calls" not in vars(made)


def test_a_trial_of_zero_grad_leaves_gradients_alone():
    class OfModel(torch.optim.SGD):
        def zero_grad(self, set_to_none=True):
            super().zero_grad(set_to_none)
            self.model.zero_grad(set_to_none=False)
    model = Net()
    made = OfModel(model.parameters(), lr=0.1)
    made.model = model
    model(**BATCH).backward()
    held, norm = model.head.weight.grad, model.head.weight.grad.norm().item()
    assert imported(model, made).verified == "verified"
    assert model.head.weight.grad is held and held.norm().item() == norm > 0


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_write_into_what_a_checkpoint_returns(reentrant):
    def hidden(m, x):
        h = torch.utils.checkpoint.checkpoint(lambda x: torch.tanh(m.layer(x)), x, use_reentrant=reentrant)
        h += x
        return h
    assert imported(Net(hidden)).verified == "verified"


def test_a_result_that_is_given_by_its_name():
    """A constant that a computed value is written into is none any more."""
    def hidden(m, x):
        made = torch.zeros(x.shape)
        torch.mul(x.detach(), 2, out=made)
        return x * 2 if made.sum() > 1 else x
    with pytest.raises(ImportFailure, match="forward must not read a computed value"):
        imported(Net(hidden))
    with pytest.raises(ImportFailure, match="must write to no tensor whose elements share memory"):
        imported(Net(lambda m, x: x + torch.mul(x.detach()[0], 2, out=torch.zeros(8).expand(4, 8))))


@pytest.mark.parametrize("trained", [True, False])
def test_a_parameter_that_forward_freezes_or_trains(trained):
    model = Net(lambda m, x: (m.layer.bias.requires_grad_(not trained), x)[1])
    model.layer.bias.requires_grad_(trained)
    with pytest.raises(ImportFailure, match="forward must leave requires_grad of parameters as it is but sets that of layer.bias: do it before"):
        imported(model)


@functools.lru_cache
def angles(n):
    return torch.cos(torch.arange(n)[:, None] * 0.1)


def kept_in_a_dictionary(m, x):
    if x.shape[1] not in TABLES:
        TABLES[x.shape[1]] = torch.cos(torch.arange(x.shape[1])[:, None] * 0.1)
    return x * TABLES[x.shape[1]]


@pytest.mark.parametrize("hidden", [kept_in_a_dictionary, lambda m, x: x * angles(x.shape[1])])
@pytest.mark.parametrize("before", [False, True])
def test_tables_that_are_computed_once(hidden, before):
    TABLES.clear()
    angles.cache_clear()
    model = Net(hidden)
    expected = model(**BATCH).item() if before else None
    held = dict(TABLES), angles.cache_info().currsize
    assert imported(model).verified == "verified"
    assert TABLES.keys() == held[0].keys() and angles.cache_info().currsize == held[1], "what a trace has computed must not stay"
    assert expected is None or model(**BATCH).item() == expected
    assert not isinstance(model(**BATCH), FakeTensor)


class Made(collections.OrderedDict):
    """Makes what it returns, as tables of activations do."""

    def __getitem__(self, key):
        return super().__getitem__(key)()


MADE = Made(tanh=torch.nn.Tanh)


def test_tables_that_make_what_they_return_hold_what_they_held():
    def hidden(m, x):
        MADE["relu"] = torch.nn.ReLU
        return MADE["tanh"](x)
    assert imported(Net(hidden)).verified == "verified"
    assert list(MADE.items()) == [("tanh", torch.nn.Tanh)] and isinstance(MADE["tanh"], torch.nn.Tanh)


def test_a_table_beside_a_buffer_that_changes():
    def hidden(m, x):
        m.mean.mul_(0.9).add_(x.detach().mean((0, 1)), alpha=0.1)
        return kept_in_a_dictionary(m, x) * m.mean
    TABLES.clear()
    assert imported(Net(hidden)).verified == "verified"


@pytest.mark.parametrize(
    "hidden", [lambda m, x: x * (1 + int.from_bytes(os.urandom(4), "big") / 2**32), lambda m, x: x * (1 + time.perf_counter_ns() % 1_000_003 / 1e6)]
)
def test_what_nobody_can_note_shows_in_another_trace(hidden):
    with pytest.raises(ImportFailure, match="forward must compute the same each time but another trace differs first in Net"):
        imported(Net(hidden))


def test_gradients_of_what_only_the_loss_knows_are_left_alone():
    scale = torch.nn.Parameter(torch.ones((), dtype=torch.float64))
    imported(Net(), loss=lambda value: value * scale)
    assert scale.grad is None


def test_what_hooks_have_noted_is_as_it_was():
    noted, model = [], Net()
    model.head.weight.register_hook(lambda g: noted.append(g))
    assert imported(model).verified == "verified" and noted == []


# What no trace shows.


def rate_changed(o, *_):
    o.param_groups[0]["lr"] *= 0.5


class Halving(torch.optim.SGD):
    def step(self, closure=None):
        rate_changed(self)
        return super().step(closure)


def hooked(model):
    made = torch.optim.SGD(model.parameters(), lr=0.1)
    made.register_step_pre_hook(rate_changed)
    return made


@pytest.mark.parametrize("make", [hooked, lambda model: Halving(model.parameters(), lr=0.1)])
def test_a_step_that_changes_its_options(make):
    model = Net()
    made = make(model)
    with pytest.raises(ImportFailure, match="must leave options as they are but changes lr of parameter group 0: pass each step its own"):
        imported(model, made)
    assert made.param_groups[0]["lr"] == 0.1


def reading_state(read):
    """A model whose forward, given its optimizer, runs read(optimizer)."""
    model = Net(lambda m, x: x * (1 + read(m.held[0])))
    made = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model.held = [made]
    return model, made


def reading_hook(o):
    return lambda g: g * 0.5 if not o.state else g


def reading_late_hook(o):
    def hook(p):
        if not o.state:
            p.grad.mul_(0.5)
    return hook


def with_hook(register, make):
    model = Net()
    made = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    register(model.head.weight, make(made))
    return model, made


def hook_of_kept_state(o):
    state = o.state
    return lambda g: g * 0.5 if not state else g


def hook_of_kept_average(o):
    state = o.state
    return lambda g: g + 1 if any("momentum_buffer" in held for held in state.values()) else g


def test_whoever_has_kept_the_state():
    model, made = with_hook(torch.Tensor.register_hook, hook_of_kept_state)
    with pytest.raises(ImportFailure, match="forward, or a hook of a gradient, follows from weight_decay or momentum or dampening or its state"):
        imported(model, made)
    assert type(made.state) is collections.defaultdict and not made.state
    model, made = with_hook(torch.Tensor.register_hook, hook_of_kept_average)
    with pytest.raises(ImportFailure, match="but one that has kept it reads or changes the optimizer's state"):
        imported(model, made)


STATES = {
    "forward": lambda: reading_state(lambda o: len(o.state)),
    "forward ": lambda: reading_state(lambda o: o.state != {}),
    "a hook of a gradient, or forward in the backward,": lambda: with_hook(torch.Tensor.register_hook, reading_hook),
    "a hook of head.weight": lambda: with_hook(torch.Tensor.register_post_accumulate_grad_hook, reading_late_hook),
}


@pytest.mark.parametrize("who", STATES)
def test_whoever_reads_the_state_of_an_optimizer(who):
    model, made = STATES[who]()
    own = made.state
    with pytest.raises(
        ImportFailure, match=rf"but {who.strip()} reads or changes the optimizer's state \(test_outside.py:.*: keep nothing from step"
    ):
        imported(model, made)
    assert made.state is own


def by_rate(o, *_):
    for group in o.param_groups:
        for p in group["params"]:
            p.grad.mul_(group["lr"])


def by_large_rates(o, *_):
    if o.param_groups[0]["lr"] > 2:
        by_rate(o)


def by_decay(o, *_):
    for p in o.param_groups[0]["params"]:
        p.grad.add_(p, alpha=o.param_groups[0]["weight_decay"])


def before_step(act):
    model = Net()
    made = torch.optim.SGD(model.parameters(), lr=0.1)
    made.register_step_pre_hook(act)
    return model, made


class ByRate(torch.optim.AdamW):
    """Clips what one step may add."""

    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.grad.clamp_(-1 / group["lr"], 1 / group["lr"])
        return super().step(closure)


def by_scheduler(read):
    model = Net(lambda m, x: x * read(m.schedule))
    made = torch.optim.SGD(model.parameters(), lr=0.1)
    model.schedule = torch.optim.lr_scheduler.LambdaLR(made, lambda n: 1 / (1 + n))
    return model, made


def by_own_step():
    model = Net()
    return model, ByRate(model.parameters(), lr=0.1)


def by_group():
    model, made = reading_state(lambda o: 0)
    group = made.param_groups[0]
    model.table.weight.register_hook(lambda g: g * group["lr"])
    return model, made


def by_tensor():
    model = Net(lambda m, x: x * m.held[0].param_groups[0]["lr"])
    made = torch.optim.AdamW(model.parameters(), lr=torch.tensor(0.1))
    model.held = [made]
    return model, made


def average_by_rate():
    model = Net(lambda m, x: (m.mean.mul_(1 - m.held[0].param_groups[0]["lr"]), x)[1])
    made = torch.optim.SGD(model.parameters(), lr=0.1)
    model.held = [made]
    return model, made


FORWARD, STEP = "forward, or a hook of a gradient,", "a hook, or the optimizer's own step,"
RATES = {
    "a hook before the step": (lambda: before_step(by_rate), STEP + " follows from lr"),
    "one that reads only what is large": (lambda: before_step(by_large_rates), STEP + " follows from lr"),
    "one that adds a decay": (lambda: before_step(by_decay), STEP + " follows from weight_decay or momentum or dampening or its state"),
    "an own step": (by_own_step, STEP + " follows from lr"),
    "forward": (lambda: reading_state(lambda o: o.param_groups[0]["lr"]), FORWARD + " follows from lr"),
    "a rate that is a tensor": (by_tensor, FORWARD + " follows from lr"),
    "a scheduler": (lambda: by_scheduler(lambda s: s.get_last_lr()[0]), FORWARD + " follows from lr"),
    "a scheduler's count": (lambda: by_scheduler(lambda s: 1 + s.last_epoch), FORWARD + " follows from lr"),
    "a hook of a gradient that has the group": (by_group, FORWARD + " follows from lr"),
    "a buffer": (average_by_rate, "what forward makes of the buffer mean follows from lr"),
    "a bound": (lambda: reading_state(lambda o: [0.0][int(o.param_groups[0]["lr"])]), "with other numbers for lr one raised IndexError"),
}


@pytest.mark.parametrize("name", RATES)
def test_an_option_that_something_reads(name):
    make, message = RATES[name]
    model, made = make()
    groups = [dict(group) for group in made.param_groups]
    with pytest.raises(ImportFailure, match=f"alike whatever the options of its optimizer are, which are inputs of it, but {message}|{message}"):
        imported(model, made)
    assert [dict(group) for group in made.param_groups] == groups and not made.state


def test_a_scheduler_that_nothing_reads():
    model, made = by_scheduler(lambda s: 2.0)
    told = dict(vars(model.schedule))
    assert imported(model, made).verified == "verified" and {**vars(model.schedule)} == told


class Forgetting(torch.optim.SGD):
    def step(self, closure=None):
        self.state = collections.defaultdict(dict)
        return super().step(closure)


class Forgiving(torch.optim.SGD):
    def step(self, closure=None):
        own, self.state = self.state, collections.defaultdict(dict)
        result = super().step(closure)
        self.state = own
        return result


def forgetting_after(model):
    made = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    made.register_step_post_hook(lambda o, *_: setattr(o, "state", collections.defaultdict(dict)))
    return made


@pytest.mark.parametrize(
    "make", [lambda m: Forgetting(m.parameters(), lr=0.1, momentum=0.9), lambda m: Forgiving(m.parameters(), lr=0.1, momentum=0.9), forgetting_after]
)
def test_a_step_that_assigns_the_state(make):
    model = Net()
    made = make(model)
    own = made.state
    with pytest.raises(ImportFailure, match="the step of (Forgetting|Forgiving|SGD), or a hook of it, reads or changes the optimizer's state"):
        imported(model, made)
    assert made.state is own


@pytest.mark.parametrize("name", sorted({*dir(dict), "default_factory", "__missing__", "__copy__"} - standins._OF_OBJECTS))
def test_no_question_to_a_state_is_answered(name):
    state = standins.UnreadState("forward")
    with pytest.raises(ImportFailure, match="but forward reads or changes the optimizer's state"):
        getattr(state, name)({})


@pytest.mark.parametrize(
    "ask",
    [
        lambda s: {} | s,
        lambda s: s | {},
        lambda s: s != {},
        lambda s: {} == s,
        lambda s: bool(s),
        lambda s: {**s},
        lambda s: dict(s),
        lambda s: list(reversed(s)),
        repr,
        str,
        lambda s: f"{s}",
        copy.copy,
        copy.deepcopy,
        pickle.dumps,
        json.dumps,
        sorted,
    ],
)
def test_nor_one_in_other_words(ask):
    state = standins.UnreadState("forward")
    with pytest.raises(ImportFailure, match="but forward reads or changes the optimizer's state"):
        ask(state)


@pytest.mark.parametrize("kind", [torch.optim.AdamW, torch.optim.SGD])
def test_a_differentiable_optimizer(kind):
    model = Net()
    with pytest.raises(ImportFailure, match="must have differentiable=False but got True in parameter group 0"):
        imported(model, kind(model.parameters(), lr=0.1, differentiable=True))


def data_set(m, x):
    m.mean.data = 0.5 * m.mean + x.detach().mean((0, 1))
    return x * m.mean


def data_of_another_type(m, x):
    m.mean.data = m.mean.double()
    return x


def data_of_hidden(m, x):
    x.data = x.data * 2
    return x


def test_data_of_a_buffer_that_is_set():
    assert imported(Net(data_set)).verified == "verified"


@pytest.mark.parametrize("hidden", [data_of_another_type, data_of_hidden])
def test_data_that_is_set(hidden):
    with pytest.raises(
        ImportFailure, match=r"must change tensors by operations but sets .data of one of shape .*test_outside.py:\d+: .*write x.copy_"
    ):
        imported(Net(hidden))


def test_a_backward_inside_of_forward():
    class Inside(Net):
        def forward(self, ids):
            loss = super().forward(ids)
            loss.backward(retain_graph=True)
            return loss
    with pytest.raises(ImportFailure, match="must leave gradients to the backward of the loss but sets that of table.weight: return the loss"):
        imported(Inside())


class Inner(torch.autograd.Function):
    """As reversible layers do: its backward runs one of its own."""

    @staticmethod
    def forward(ctx, x, layer):
        ctx.x, ctx.layer = x.detach(), layer
        return layer(x).detach()

    @staticmethod
    def backward(ctx, gradient):
        with torch.enable_grad():
            x = ctx.x.requires_grad_()
            torch.autograd.backward(ctx.layer(x), gradient)
        return x.grad, None


def test_a_backward_inside_of_a_backward():
    with pytest.raises(ImportFailure, match="must leave gradients to the backward of the loss but sets that of layer.weight"):
        imported(Net(lambda m, x: Inner.apply(x, m.layer)))


def test_a_gradient_of_a_gradient():
    class Penalty(Net):
        def forward(self, ids):
            loss = super().forward(ids)
            gradient, = torch.autograd.grad(loss, self.layer.weight, create_graph=True)
            return loss + gradient.square().sum()
    assert imported(Penalty()).verified == "verified"


def test_an_operator_of_functions():
    def halved(m, x):
        return x + while_loop(lambda y: y.sum() > 1, lambda y: (y / 2,), (x.detach(),))[0]
    with pytest.raises(ImportFailure, match=r"how often torch.while_loop goes on must follow .* \(test_outside.py:\d+: .*write a loop"):
        imported(Net(halved))


def test_an_error_names_the_line_that_raised_it():
    def hidden(m, x):
        return x @ torch.ones(3, 3)
    with pytest.raises(ImportFailure, match=r"the step must run on the batch but Net raised RuntimeError: .*test_outside.py:\d+: return x @ torch"):
        imported(Net(hidden))


def test_a_gradient_is_divided_by_how_often_its_row_is_read():
    model = Net()
    model.table.scale_grad_by_freq = True
    assert imported(model).verified == "verified"


def constant(m, x):
    with torch.inference_mode():
        mean = x.mean()
    return x * mean.clone()


@torch.compile
def swish(x):
    return x * torch.sigmoid(x)


@pytest.mark.parametrize("hidden", [constant, lambda m, x: swish(x), lambda m, x: torch.compile(torch.sin)(x)])
def test_what_runs_in_other_ways(hidden):
    assert imported(Net(hidden)).verified == "verified"
