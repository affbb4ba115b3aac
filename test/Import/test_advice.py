# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What has no lowering is refused by name, all of it at once, with the line of the model and what to write instead; and
what is written instead computes the same, and imports."""

import pytest
import torch
import torch.nn.functional as F

import prec
from prec import ImportFailure


class Net(torch.nn.Module):
    def __init__(self, hidden):
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.hidden = torch.nn.Linear(8, 8), hidden

    def forward(self, x):
        return self.hidden(self.layer(x)).square().mean()


def imported(hidden):
    model = Net(hidden)
    return prec.import_torch(model, torch.optim.SGD(model.parameters(), lr=0.1), {"x": torch.randn(3, 4, 8)}, verify=False)


# By operation: how it is called, a part of what is to be written instead, and that.
INSTEAD = {
    "aten.igamma.default": (
        lambda x: torch.special.gammainc(torch.full_like(x, 2.0), x.exp()),
        "as a series",
        lambda x: 1 - (1 + x.exp()) * (-x.exp()).exp(),
    ),
}


@pytest.mark.parametrize("op", INSTEAD)
def test_what_is_written_instead_computes_the_same_and_imports(op):
    hidden, advice, instead = INSTEAD[op]
    with pytest.raises(ImportFailure) as failure:
        imported(hidden)
    line = next(line for line in str(failure.value).splitlines() if line.startswith(f"  {op} "))
    assert "(test_advice.py:" in line and advice in line, line
    x = torch.randn(3, 4, 8)
    assert torch.allclose(hidden(x), instead(x), atol=1e-5)
    imported(instead)


def pooled(x):
    return F.fractional_max_pool2d(x[None], 2, output_size=(2, 4))


def test_a_gradient_goes_with_what_it_is_the_gradient_of():
    with pytest.raises(ImportFailure) as failure:
        imported(pooled)
    _, forward, gradient, *_ = str(failure.value).splitlines()
    assert "aten.fractional_max_pool2d.default x1" in forward and "torch.rand" in forward
    assert "aten.fractional_max_pool2d_backward.default x1" in gradient and gradient.endswith(": the gradient of aten.fractional_max_pool2d.default")


# Of these nothing that is always the same stands for them.
REFUSED = {
    "aten.linalg_eig.default": (lambda x: torch.linalg.eigvals(x[:, :, :4].mT @ x[:, :, :4]).real, "real and imaginary parts"),
    "aten.fractional_max_pool2d.default": (pooled, "torch.rand"),
    "aten.igamma.default": (lambda x: torch.igamma(torch.ones(8), x.exp()), "as a series"),
}


@pytest.mark.parametrize("op", REFUSED)
def test_each_has_its_line_and_its_advice(op):
    hidden, advice = REFUSED[op]
    with pytest.raises(ImportFailure) as failure:
        imported(hidden)
    line = next(line for line in str(failure.value).splitlines() if line.startswith(f"  {op} "))
    assert "(test_advice.py:" in line and advice in line, line


def several(x):
    y = torch.igamma(torch.ones(8), x)
    z = pooled(y)
    return z.sum() + torch.igammac(torch.ones(8), y)


def test_all_that_is_missing_is_listed_at_once():
    with pytest.raises(ImportFailure) as failure:
        imported(several)
    lines = str(failure.value).splitlines()[1:]
    assert all("(test_advice.py:" in line and line.count(": ") >= 2 for line in lines), lines
    for op, code in (("igamma", "y = torch.igamma(torch.ones(8), x)"), ("igammac", "return z.sum() + torch.igammac(torch.ones(8), y)"),
                     ("fractional_max_pool2d.", "return F.fractional_max_pool2d(x[None], 2, output_size=(2, 4))")):
        assert any(f"aten.{op}" in line and code in line for line in lines), (op, lines)


@pytest.mark.parametrize(
    "hidden, message",
    [
        (lambda x: x * x.sum().item(), r"must not read a computed value .* test_advice.py:\d+: .*keep it a tensor"),
        (lambda x: x * 2 if x.sum() > 0 else x, r"must not read a computed value .* test_advice.py:\d+: .*torch.where in place of an `if`"),
        (
            lambda x: x * float(x.detach().numpy().max()),
            r"must compute with tensors but Net makes an array of NumPy's .*test_advice.py:\d+: .*before the step",
        ),
        (lambda x: x[x > 0].sum(), r"every shape must be known .*test_advice.py:\d+: .*a mask of fixed shape"),
        (lambda x: torch.unique(x).sum(), r"every shape must be known .*test_advice.py:\d+: .*a mask of fixed shape"),
        (
            lambda x: torch.nn.utils.rnn.pack_padded_sequence(x, torch.tensor([4, 3, 1]), batch_first=True).data,
            r"every shape must be known .*test_advice.py:\d+: .*run the layer over padded sequences",
        ),
        (
            lambda x: F.scaled_dot_product_attention(x, x, x, attn_mask=torch.nn.attention.bias.causal_lower_right(4, 4)),
            r"plain tensors but Net makes one of a class of its own \(test_advice.py:\d+: .*is_causal=True",
        ),
    ],
)
def test_what_no_operation_stands_for(hidden, message):
    with pytest.raises(ImportFailure, match=message):
        imported(hidden)


@pytest.mark.parametrize("make", [lambda: torch.eye(4), lambda: torch.eye(4, 8), lambda: torch.eye(4, dtype=torch.bool)])
def test_the_identity_has_a_lowering(make):
    imported(lambda x: x.sum() * make())
