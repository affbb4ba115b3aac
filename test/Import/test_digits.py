# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole numbers, comparisons and floats that follow from float64 in forward: a step in f32 finds those that PyTorch
finds, for hundredths that f32 rounds to the other side. And what float64 does not decide stays as it was."""
import pytest
import torch

import prec
from prec.interpreter import Program, Torch

ROWS, COLUMNS = 40, 4
HALF = torch.tensor(0.5, dtype=torch.float64)
SCALES = torch.tensor([100, 0.75, 3, 7], dtype=torch.float64)
CHOSEN = torch.tensor([3, 1, 1, 0])


def hundredths(seed=0):
    return torch.randint(-200, 200, (ROWS, COLUMNS), generator=torch.Generator().manual_seed(seed)) / 100.0


# Of float64, what is a whole number, a truth value or a float32.
WHOLE = {
    "a product": lambda x: (x * 100).long(),
    "a quotient": lambda x: (x / 3 * 300).int(),
    "a difference of means": lambda x: ((x[:, None, [0, 2]].mean(-1) - x[None, :, [0, 2]].mean(-1)) * 100).long(),
    "the same through float32": lambda x: ((x[:, None].mean(-1) - x[None].mean(-1)).float() * 100).long(),
    "a mean of three": lambda x: (x[:, :3].mean(-1) * 300).long(),
    "halves": lambda x: (x * 50).round().long() + (x * 50 + x * 2.0**-36).round().long(),
    "a sum": lambda x: (x.sum(1) * 10).trunc().long(),
    "a floor": lambda x: torch.floor(x * 100).float(),
    "a ceiling of what is negative": lambda x: torch.ceil(-x.abs() * 100).float(),
    "a comparison": lambda x: x[:, :1] + x > x[:1] * 2,
    "one with a tensor of outside": lambda x: x * SCALES <= HALF * SCALES.flip(0),
    "equality": lambda x: (x * 3 == x + x + x) | (x - x[:1] + x[:1] != x),
    "a sum of small and large": lambda x: ((x * 2.0**-30 + 1.0 - 1.0) * 2.0**37).long(),
    "a clamp": lambda x: (x.clamp(-0.25, 0.5) * 100).long() + (x.clamp(min=-0.25) * 100).long(),
    "the largest of two": lambda x: (torch.maximum(x, 0.5 - x) * 100).long() + (torch.minimum(x, 2 * x) * 100).long(),
    "what is moved": lambda x: (torch.cat([x.T, x.T.flip(1) * 7]).reshape(2, -1)[:, 5:90:3].roll(2, 1).unsqueeze(0).expand(2, -1, -1) * 100).long(),
    "what is chosen": lambda x: (torch.where(x > 0, x * 7, 0.25) * 100).long() + (x.masked_fill(x < -1, 0.5)[:, CHOSEN] * 100).long(),
    "parts": lambda x: (torch.stack(x.split(2, 1)[0].unbind(1))[1] * 1000).long(),
    "whole numbers that float32 does not hold": lambda x: ((x * 100).round().long() * 16777217 + 33554435).double().mul(1.0).long() % 97,
    "numbers of Python's": lambda x: ((3 - x) * 1000).long() + ((-x).abs() * 0.125 * 800).long(),
    "thirds": lambda x: ((x * 100).round() / 3 * 3).long(),
}


class Places(torch.nn.Module):
    def __init__(self, find):
        super().__init__()
        torch.manual_seed(0)
        self.scale, self.find = torch.nn.Parameter(torch.ones(())), find

    def forward(self, x):
        found = self.find(x.double())
        return (self.scale * found.float()).square().mean(), found.float()


def imported(find):
    model = Places(find)
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.0), {"x": hundredths()}, loss=lambda out: out[0], outputs=["1"])


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.cases(30)
def test_float32_finds_what_float64_says(name):
    find = WHOLE[name]
    step = imported(find)
    assert step.verified == "verified"
    program = Program.of_graph(step.graph)
    for seed in range(3):
        x = hundredths(seed)
        got = program.run({"scale": torch.ones(()), "x": x, "step": 1.0}, backend=Torch(torch.float32))["1"]
        assert torch.equal(got, find(x.double()).float()), name


def test_float32_alone_would_not():
    """The oracle can fail."""
    apart = [name for name, find in WHOLE.items() if "of outside" not in name and not torch.equal(
        find(hundredths().double()).float(), find(hundredths()).float())]
    assert len(apart) > len(WHOLE) / 2, apart


@pytest.mark.parametrize("find", [lambda x: x.sin(), lambda x: (x * 100).float().long(), lambda x: torch.where(x > 0, -torch.inf, x).exp(),
                                  lambda x: (torch.arange(4, dtype=torch.float64) * 0.1 * 10).long() + x, lambda x: (x * 0.1 < 0.7 * x)])
def test_what_is_not_decided_by_digits(find):
    assert imported(find).verified == "verified"


def test_infinities_and_no_numbers():
    """They have no second digits."""
    def find(x):
        wide = torch.where(x > 1, torch.inf, torch.where(x < -1, -torch.inf, x))
        return (wide + 1.5).float().clamp(-9, 9) + (wide * 2 - 1.0 > 0.25).float() + (wide / 3).float().nan_to_num(0, 1, -1)
    step = imported(find)
    assert step.verified == "verified"
    got = Program.of_graph(step.graph).run({"scale": torch.ones(()), "x": hundredths(), "step": 1.0}, backend=Torch(torch.float32))["1"]
    torch.testing.assert_close(got, find(hundredths().double()).float(), rtol=1e-6, atol=1e-6)


def test_what_depends_on_a_parameter_is_one_float():
    """Its gradient is of plain operations."""
    model = torch.nn.Linear(COLUMNS, 3)
    step = prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"input": hundredths()},
                             loss=lambda y: ((y.double() * 1.1).square().mean() + (y.double() * 100).long().double().mean()).float())
    assert step.verified == "verified" and not any(op.name == "math.fma" for op in step.graph.ops)
