# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers that forward draws itself: each distribution, by what PyTorch says of it; the same numbers in forward,
backward and recomputation; and what is refused."""

import math

import pytest
import torch
import torch.distributions as distributions
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

import prec
from prec.errors import ImportFailure
from prec.torch import draws

SHAPE = (5, 16)


class Net(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        self.a, self.b, self.call = torch.nn.Linear(8, 16), torch.nn.Linear(16, 4), call

    def forward(self, x):
        return self.b(self.call(self.a(x))).square().mean()


def import_step(call):
    model = Net(call).train()
    optimizer, batch = torch.optim.AdamW(model.parameters()), {"x": torch.randn(5, 8)}
    before = torch.get_rng_state()
    step = prec.import_torch(model, optimizer, batch)
    assert torch.equal(torch.get_rng_state(), before)
    return step


def imported(call):
    with pytest.warns(UserWarning, match="draws random numbers in .*test_draws.py:.*and an evaluation draws, too"):
        return import_step(call)


def chosen(x, places):
    """Of each row the mean of what lies there."""
    return x * x.gather(1, places.expand(len(x), -1)).mean(1, keepdim=True)


CALLS = {
    "rand": lambda x: x + torch.rand(5, 16),
    "rand_like": lambda x: x + torch.rand_like(x),
    "randn": lambda x: x + torch.randn(x.shape),
    "randn_like": lambda x: x * torch.randn_like(x[:, :1]),
    "a scalar": lambda x: x * torch.rand(()),
    "randint": lambda x: x + torch.randint(3, (5, 1)),
    "randint from": lambda x: x + torch.randint(-2, 1000, x.shape).float() / 1000,
    "randint_like": lambda x: x * torch.randint_like(x, 1, 4),
    "randperm": lambda x: x[:, torch.randperm(16)],
    "random_": lambda x: x + torch.empty(16, dtype=torch.long).random_(5),
    "uniform_": lambda x: x * x.new_empty(16).uniform_(-1, 2),
    "normal_": lambda x: x + torch.empty_like(x).normal_(1.0, 0.5),
    "exponential_": lambda x: x * torch.empty_like(x).exponential_(2.0),
    "log_normal_": lambda x: x * torch.empty_like(x).log_normal_(0.0, 0.3),
    "cauchy_": lambda x: x + torch.empty_like(x).cauchy_().clamp(-3, 3),
    "geometric_": lambda x: x + torch.empty_like(x).geometric_(0.5),
    "bernoulli_": lambda x: x * x.new_empty(5, 1).bernoulli_(0.8).div_(0.8),
    "bernoulli of probabilities": lambda x: x * torch.bernoulli(torch.sigmoid(x)),
    "bernoulli_ of them": lambda x: x * x.detach().clone().bernoulli_(torch.sigmoid(x)),
    "normal of means": lambda x: x + torch.normal(x.detach(), torch.full_like(x, 0.1)),
    "normal of a shape": lambda x: x + torch.normal(0.0, 2.0, (5, 16)),
    "floor of a sum": lambda x: x / 0.9 * (0.9 + torch.rand((5, 1))).floor_(),
    "gumbel": lambda x: F.gumbel_softmax(x, 0.5),
    "hard gumbel": lambda x: F.gumbel_softmax(x, hard=True),
    "rrelu": lambda x: F.rrelu(x, training=True),
    "multinomial": lambda x: chosen(x, torch.multinomial(x.detach().exp(), 3)),
    "one of multinomial": lambda x: chosen(x, torch.multinomial(torch.ones(16), 1)),
    "multinomial again": lambda x: chosen(x, torch.multinomial(x.detach().exp(), 20, replacement=True)),
    "rsample": lambda x: distributions.Normal(x, F.softplus(x)).rsample(),
    "of a uniform": lambda x: distributions.Uniform(x - 1, x + 1).rsample(),
    "of a categorical": lambda x: x + distributions.Categorical(logits=x).sample()[:, None],
    "of a Laplace": lambda x: distributions.Laplace(x, torch.ones(())).rsample(),
    "an order of patches": lambda x: x.gather(1, torch.rand(5, 16).argsort(1)[:, :4]).repeat(1, 4),
    "an initialization": lambda x: x @ torch.nn.init.xavier_uniform_(torch.empty(16, 16)),
    "two": lambda x: x * torch.rand_like(x) + torch.rand_like(x),
    "beside dropout": lambda x: F.dropout(x * torch.rand_like(x), 0.5),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.cases(8)
def test_what_is_drawn_is_verified(name):
    assert imported(CALLS[name]).verified == "verified"


def sample(call, seed=4096):
    with draws.Draws(draws.drawn(seed)):
        return call()


# Of 20,000 numbers, the largest distance of two distribution functions is below this but for one case in 10^6.
COUNT, DISTANCE = 20_000, 2.7 / math.sqrt(20_000)
CONTINUOUS = {
    "uniform": (lambda: torch.empty(COUNT).uniform_(-1, 3), distributions.Uniform(-1, 3)),
    "normal": (lambda: torch.randn(COUNT), distributions.Normal(0, 1)),
    "moved": (lambda: torch.empty(COUNT).normal_(2, 0.5), distributions.Normal(2, 0.5)),
    "exponential": (lambda: torch.empty(COUNT).exponential_(3), distributions.Exponential(3)),
    "cauchy": (lambda: torch.empty(COUNT).cauchy_(1, 2), distributions.Cauchy(1, 2)),
    "log normal": (lambda: torch.empty(COUNT).log_normal_(0.5, 0.2), distributions.LogNormal(0.5, 0.2)),
}


@pytest.mark.parametrize("name", CONTINUOUS)
@pytest.mark.cases(6)
def test_numbers_have_the_distribution(name):
    call, wanted = CONTINUOUS[name]
    x = sample(call).double().sort().values
    assert x.isfinite().all()
    expected = wanted.cdf(x)
    steps = torch.arange(COUNT + 1) / COUNT
    assert torch.maximum((steps[1:] - expected).abs(), (expected - steps[:-1]).abs()).max() < DISTANCE


DISCRETE = {
    "bernoulli": (lambda: torch.bernoulli(torch.full((COUNT,), 0.3)), {0: 0.7, 1: 0.3}),
    "bernoulli_": (lambda: torch.empty(COUNT).bernoulli_(0.9), {0: 0.1, 1: 0.9}),
    "randint": (lambda: torch.randint(-1, 2, (COUNT,)), dict.fromkeys((-1, 0, 1), 1 / 3)),
    "geometric": (lambda: torch.empty(COUNT).geometric_(0.4), {n: 0.4 * 0.6 ** (n - 1) for n in range(1, 30)}),
    "one of weights": (lambda: torch.multinomial(torch.tensor([[1.0, 0.0, 3.0]]).expand(COUNT, 3), 1), {0: 0.25, 2: 0.75}),
    "many of weights": (lambda: torch.multinomial(torch.tensor([1.0, 0.0, 3.0]), COUNT, replacement=True), {0: 0.25, 2: 0.75}),
    "the second without the first": (
        lambda: torch.multinomial(torch.tensor([[1.0, 1.0, 2.0]]).expand(COUNT, 3), 2)[:, 1],
        {0: 1 / 3, 1: 1 / 3, 2: 1 / 3},
    ),
    "the first of an order": (lambda: torch.stack([torch.randperm(3)[0] for _ in range(2000)]), dict.fromkeys(range(3), 1 / 3)),
}


@pytest.mark.parametrize("name", DISCRETE)
@pytest.mark.cases(8)
def test_whole_numbers_have_their_shares(name):
    call, wanted = DISCRETE[name]
    x = sample(call).flatten()
    assert set(x.tolist()) <= set(wanted)
    for value, share in wanted.items():
        # Five standard deviations.
        assert abs((x == value).double().mean().item() - share) <= 5 * math.sqrt(share * (1 - share) / len(x)) + 1e-3 / len(x)


def test_draws_and_steps_have_numbers_of_their_own():
    both = sample(lambda: torch.stack([torch.rand(1000), torch.rand(1000)]))
    assert abs(torch.corrcoef(both)[0, 1]) < 0.2
    assert torch.equal(both, sample(lambda: torch.stack([torch.rand(1000), torch.rand(1000)])))
    assert abs(torch.corrcoef(torch.stack([both[0], sample(lambda: torch.rand(1000), 8192)]))[0, 1]) < 0.2


@pytest.mark.parametrize("reentrant", [True, False])
def test_a_recomputation_draws_what_the_forward_drew(reentrant):
    step = imported(lambda x: checkpoint(lambda y: torch.tanh(y * torch.rand_like(y)) * torch.randn_like(y), x, use_reentrant=reentrant))
    assert step.verified == "verified"


REFUSED = {
    "a generator": (
        lambda x: x * torch.rand(16, generator=torch.Generator()),
        r"forward must draw from PyTorch's default generator, .* but .* has another \(test_draws.py:",
    ),
    "in place": (lambda x: x * torch.empty(16).normal_(generator=torch.Generator()), "default generator, .* has another"),
    "too many": (lambda x: x + torch.randint(1 << 20, (16,)), r"aten.randint.default x1 in Net.*: draw by torch.rand, randn"),
    "a gamma": (lambda x: x * distributions.Gamma(F.softplus(x), torch.ones(())).rsample(), "aten._standard_gamma.default"),
    "counts": (lambda x: x + torch.poisson(x.detach().exp()), "aten.poisson.default"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.cases(5)
def test_what_is_refused(name):
    call, message = REFUSED[name]
    with pytest.raises(ImportFailure, match=message):
        import_step(call)
