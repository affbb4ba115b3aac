# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What has no lowering is refused by name, all of it at once, with the line of the model and what to write instead; and
what is written instead computes the same, and imports."""
import pytest
import torch
import torch.nn.functional as F

import prec
from prec import ImportFailure

INDEX = torch.tensor([0, 2, 1, 0])


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


def shifted_products(x):
    """A convolution over the second dimension with these weights."""
    padded = F.pad(x, (0, 0, 1, 1))
    return sum(padded[:, i:i + 4] @ WEIGHT[:, :, i].T for i in range(3))


WEIGHT = torch.randn(8, 8, 3, generator=torch.Generator().manual_seed(3))
LABELS = torch.arange(12) % 8
CUTS, TABLE = torch.tensor([-0.5, 0.0, 0.5]), torch.randn(8, 8, generator=torch.Generator().manual_seed(4))

# By operation: how it is called, a part of what is to be written instead, and that.
INSTEAD = {
    "aten.cumsum.default": (lambda x: x.cumsum(1), "triangle of ones", lambda x: (x.mT @ torch.ones(4, 4).triu()).mT),
    "aten.flip.default": (lambda x: x.flip(1), "in reverse", lambda x: torch.cat(x.split(1, 1)[::-1], 1)),
    "aten.roll.default": (lambda x: x.roll(1, 1), "together: torch.cat", lambda x: torch.cat([x[:, -1:], x[:, :-1]], 1)),
    "aten._foreach_mul.Scalar": (lambda x: torch._foreach_mul([x], 2.0)[0], "in a loop", lambda x: [y * 2.0 for y in [x]][0]),
    "aten.nan_to_num.default": (
        lambda x: torch.log(x - 0.5).nan_to_num(0.0),
        "torch.where(x == x",
        lambda x: torch.where(torch.log(x - 0.5) == torch.log(x - 0.5), torch.log(x - 0.5), 0.0),
    ),
    "aten.diagonal.default": (lambda x: (x @ x.mT).diagonal(dim1=1, dim2=2), "torch.eye", lambda x: (x @ x.mT * torch.eye(4)).sum(-1)),
    "aten.diag_embed.default": (lambda x: x.diag_embed(), "torch.eye", lambda x: x[..., None] * torch.eye(8)),
    "aten.gather.default": (
        lambda x: x.gather(-1, INDEX.expand(3, 4)[..., None]),
        "one_hot of the index and sum",
        lambda x: (x * (INDEX[:, None] == torch.arange(8))).sum(-1, keepdim=True),
    ),
    "aten.index.Tensor": (lambda x: x[:, INDEX], "one_hot of the index and sum", lambda x: (INDEX[:, None] == torch.arange(4)).float() @ x),
    "aten.linspace.default": (lambda x: x * torch.linspace(0.5, 2.0, 8), "torch.arange(steps)", lambda x: x * (0.5 + torch.arange(8) * 1.5 / 7)),
    "aten.prod.dim_int": (lambda x: x.prod(1), "x.unbind", lambda x: x.unbind(1)[0] * x.unbind(1)[1] * x.unbind(1)[2] * x.unbind(1)[3]),
    "aten.bucketize.Tensor": (
        lambda x: x * torch.bucketize(x.detach(), CUTS),
        "boundaries).sum(-1)",
        lambda x: x * (x.detach()[..., None] > CUTS).sum(-1),
    ),
    "aten.searchsorted.Tensor": (
        lambda x: x * torch.searchsorted(CUTS, x.detach(), right=True),
        ">= for right=True",
        lambda x: x * (x.detach()[..., None] >= CUTS).sum(-1),
    ),
    "aten.index_put.default": (lambda x: TABLE.mul(x.mean())[INDEX], "torch.nn.functional.embedding", lambda x: F.embedding(INDEX, TABLE * x.mean())),
    "aten.xlogy.Tensor": (
        lambda x: F.kl_div(x.log_softmax(-1), TABLE[:4].softmax(-1), reduction="sum"),
        "p.log() - q",
        lambda x: (TABLE[:4].softmax(-1) * (TABLE[:4].softmax(-1).log() - x.log_softmax(-1))).sum(),
    ),
    "aten._weight_norm_interface.default": (
        lambda x: x @ torch._weight_norm(x[0, :1].T @ x[1, :1], TABLE[:1, :8].T.exp()).T,
        "weight * (g / ",
        lambda x: (lambda w: x @ (w * (TABLE[:1, :8].T.exp() / w.square().sum(1, keepdim=True).sqrt())).T)(x[0, :1].T @ x[1, :1]),
    ),
    "aten.vdot.default": (lambda x: torch.vdot(x[0, 0], x[0, 1]), "(x * y).sum(-1)", lambda x: (x[0, 0] * x[0, 1]).sum(-1)),
    "aten.softplus.default": (lambda x: F.softplus(x), "torch.log1p", lambda x: torch.log1p(torch.exp(-x.abs())) + x.relu()),
    "aten.log_sigmoid_forward.default": (lambda x: F.logsigmoid(x), "torch.log1p", lambda x: -torch.log1p(torch.exp(-x.abs())) - (-x).relu()),
    "aten.elu.default": (lambda x: F.elu(x), "expm1", lambda x: x.relu() + torch.expm1(-(-x).relu())),
    "aten.leaky_relu.default": (lambda x: F.leaky_relu(x, 0.2), "slope", lambda x: x.relu() - 0.2 * (-x).relu()),
    "aten.mse_loss.default": (lambda x: F.mse_loss(x, torch.ones_like(x)), "square", lambda x: (x - torch.ones_like(x)).square().mean()),
    "aten.binary_cross_entropy_with_logits.default": (
        lambda x: F.binary_cross_entropy_with_logits(x, torch.full_like(x, 0.3)),
        "with logits x",
        lambda x: (x.relu() - x * 0.3 + torch.log1p(torch.exp(-x.abs()))).mean(),
    ),
    "aten.var.correction": (lambda x: x.var(-1, unbiased=False), "square", lambda x: (x - x.mean(-1, keepdim=True)).square().mean(-1)),
    "aten.linalg_vector_norm.default": (lambda x: x.norm(dim=-1), "square", lambda x: x.square().sum(-1).sqrt()),
    "aten._cdist_forward.default": (
        lambda x: torch.cdist(x, 2 * x + 1),
        "square",
        lambda x: (x[:, :, None] - (2 * x + 1)[:, None]).square().sum(-1).sqrt(),
    ),
    "aten.logsumexp.default": (
        lambda x: x.logsumexp(-1, keepdim=True),
        "amax",
        lambda x: (x - x.amax(-1, keepdim=True)).exp().sum(-1, keepdim=True).log() + x.amax(-1, keepdim=True),
    ),
    "aten.convolution.default": (lambda x: F.conv1d(x.mT, WEIGHT, padding=1).mT, "shifted slices", shifted_products),
    "aten.native_group_norm.default": (
        lambda x: F.group_norm(x, 2),
        "layer_norm over",
        lambda x: F.layer_norm(x.unflatten(1, (2, -1)).flatten(2), (16,)).view(3, 4, 8),
    ),
    "aten.nll_loss_forward.default": (
        lambda x: F.cross_entropy(x.flatten(0, 1), LABELS, reduction="sum"),
        "one_hot labels",
        lambda x: -(x.flatten(0, 1).log_softmax(-1) * (LABELS[:, None] == torch.arange(8))).sum(),
    ),
    "aten.fake_quantize_per_tensor_affine_cachemask.default": (
        lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -128, 127),
        "round().clamp",
        lambda x: ((x / 0.1).round().clamp(-128, 127) * 0.1 - x).detach() + x,
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


@torch.library.custom_op("prec_test_advice::twice", mutates_args=())
def twice(x: torch.Tensor) -> torch.Tensor:
    return 2 * x


twice.register_fake(lambda x: torch.empty_like(x))
twice.register_autograd(lambda ctx, g: 2 * g)

def test_a_gradient_goes_with_what_it_is_the_gradient_of():
    with pytest.raises(ImportFailure) as failure:
        imported(lambda x: x.max(-1, keepdim=True).values)
    _, forward, gradient = str(failure.value).splitlines()
    assert "aten.max.dim x1" in forward and "x.amax" in forward
    assert "aten.scatter.src x1" in gradient and gradient.endswith(": the gradient of aten.max.dim")


# Of these nothing that is always the same stands for them.
REFUSED = {
    "aten.sort.default": (lambda x: x.sort(-1).values, "no operation sorts"),
    "aten.topk.default": (lambda x: x.topk(2, -1).values, "no operation sorts"),
    "aten.scatter_add.default": (lambda x: x.scatter_add(1, torch.zeros(3, 4, 8, dtype=torch.long), x), "one_hot"),
    "aten._fft_r2c.default": (lambda x: torch.fft.rfft(x).real, "real and imaginary parts"),
    "aten._linalg_svd.default": (lambda x: torch.linalg.svdvals(x), "before the step"),
    "aten._native_batch_norm_legit.no_stats": (lambda x: F.batch_norm(x, None, None, training=True), "torch.nn.LayerNorm"),
    "aten._embedding_bag.default": (lambda x: x + F.embedding_bag(torch.zeros(3, 4, dtype=torch.long), x[0]).sum(), "torch.nn.Embedding"),
    "aten.upsample_nearest1d.default": (lambda x: F.interpolate(x, scale_factor=2.0), "matrix of weights"),
    "aten.digamma.default": (lambda x: torch.lgamma(x.exp()), "write it with operations that have one"),
    "prec_test_advice.twice.default": (lambda x: twice(x), "with PyTorch's own operations"),
}


@pytest.mark.parametrize("op", REFUSED)
def test_each_has_its_line_and_its_advice(op):
    hidden, advice = REFUSED[op]
    with pytest.raises(ImportFailure) as failure:
        imported(hidden)
    line = next(line for line in str(failure.value).splitlines() if line.startswith(f"  {op} "))
    assert "(test_advice.py:" in line and advice in line, line


def several(x):
    y = x.cumsum(1)
    z = y.flip(1).sort(-1).values
    return z + F.softplus(y)


def test_all_that_is_missing_is_listed_at_once():
    with pytest.raises(ImportFailure) as failure:
        imported(several)
    lines = str(failure.value).splitlines()[1:]
    assert all("(test_advice.py:" in line and line.count(": ") >= 2 for line in lines), lines
    for op, code in (("cumsum", "y = x.cumsum(1)"), ("flip", "z = y.flip(1)"), ("sort", "z = y.flip(1)"), ("softplus.", "return z + F.softplus(y)")):
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
        (lambda x: x + torch.rand_like(x), r"rand_like.default x1 in Net \(test_advice.py:\d+: .*torch.nn.functional.dropout"),
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
