# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single ops and their gradients, through small modules, against PyTorch in float64."""
import pytest
import torch
import torch.nn.functional as F

import prec
from prec.interpreter import Program, Torch

CASES = {
    "pow": lambda x: x.abs().pow(2.5) + x.pow(3) + (x.abs() + 1).pow(-2) + x.abs().sqrt() + (1 + x * x).pow(-0.5) + x.pow(5),
    "unary": lambda x: x.exp() + (x.abs() + 1).log() + x.sin() * x.cos() + x.tanh() + x.erf() + x.sigmoid() + x.reciprocal().neg(),
    "log1p": lambda x: x.abs().log1p() + x.expm1(),
    "activations": lambda x: F.gelu(x) + F.gelu(x, approximate="tanh") + F.silu(x) + F.relu(x),
    "where": lambda x: torch.where(x > 0.1, x, 2 * x) + x.masked_fill(x.lt(0) | (x == 0), 3.0) + torch.where(~(x <= 1), 0.0, x),
    "clamp": lambda x: x.clamp(-0.5, 0.5) + x.clamp(min=0.1) + x.clamp(max=0.2) + torch.maximum(x, -x) + torch.minimum(x, x * x),
    "scalars": lambda x: (1 - x) / 3 + 2 / (x * x + 1) + torch.add(x, x, alpha=0.5) - torch.sub(x, x, alpha=3),
    "slices": lambda x: x[:, ::2].sum() + x[1:, 1].sum() * x[-1] + x[..., 1:4:2].sum() + x[2:3].squeeze(0) + x.narrow(1, 1, 2).sum(),
    "stepped": lambda x: x[::3] * x[1::2][:2] + x[3::3],
    "joins": lambda x: torch.cat([x[:, 2:], -x[:, :2]], -1) * torch.stack([x, x * x], 1).sum(1) + torch.cat(x.split([1, 3], 0), 0),
    "unbind": lambda x: sum(t * i for i, t in enumerate(x.unbind(0))) + sum(x.chunk(3, 1)).sum(),
    "shapes": lambda x: (x.reshape(2, 2, 6).permute(2, 0, 1).flatten(1) @ x.view(4, 6)) * x.repeat(3, 2)[:6, :6],
    "expand": lambda x: x[:, None, :, None].expand(4, 5, 6, 2) * torch.arange(5.0)[None, :, None, None] + x[0, :, None],
    "triangles": lambda x: x.tril() * x.triu(1) + x.tril(-2) * 2 + x.view(2, 2, 6).triu(-1).view(4, 6) + (x > 0).tril(),
    "pad": lambda x: F.pad(x, (1, 2, 0, 3), value=2.0) * 3 + F.pad(x, (3, 0, 3, 0)) + F.pad(x, (-1, 4, 3, 0)),
    "reductions": lambda x: x.sum(0) * x.mean(0) + x.mean() * x.sum(1, keepdim=True) + x.amax(1, keepdim=True) + x.amin(0) + x.sum((0, 1)),
    "softmax": lambda x: x.softmax(-1) * x + x.softmax(0) * 2 * x + x.log_softmax(1) * x + x.log_softmax(0),
    "matmul": lambda x: (x @ x.T) @ x + torch.bmm(x[None].expand(2, 4, 6), x.T[None].expand(2, 6, 4)).sum(),
    "linear": lambda x: torch.addmm(x[0, :4], x, x.T, beta=0.5, alpha=2.0) + torch.mv(x, x[0])[:, None] + torch.dot(x[0], x[1]),
    "matmul-transposes": lambda x: (x.T @ x).T @ (x.T @ x) + ((x @ x.T).T @ x).T @ x,
    "rms_norm": lambda x: F.rms_norm(x, (6,), eps=1e-3) * x + F.rms_norm(x, (6,), x[0], 1e-5),
    "layer_norm": lambda x: F.layer_norm(x, (6,)) * x + F.layer_norm(x, (6,), x[0], x[1], 1e-3) * x + F.layer_norm(x, (6,), bias=x[2]),
    "sdpa": lambda x: F.scaled_dot_product_attention(x.view(1, 2, 4, 3), x.view(1, 2, 4, 3) * 2, x.view(1, 2, 4, 3), is_causal=True),
    "sdpa-plain": lambda x: F.scaled_dot_product_attention(x.view(1, 2, 4, 3), x.view(1, 2, 4, 3)[:, :1], -x.view(1, 2, 4, 3)[:, 1:],
                                                          scale=0.3, enable_gqa=True),
    "casts": lambda x: x.to(torch.bfloat16).float() * x + (x > 0).float() * x + torch.ones_like(x) * x + x.new_zeros(6) + torch.full((6,), 2.0),
    "in-place": lambda x: (x * 2).add_(x).mul_(3.0).masked_fill_(x > 1, 0.5) + x.abs().clamp_(max=1.0) * x.sign(),
}


class Wrapped(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        torch.manual_seed(0)
        self.w = torch.nn.Parameter(torch.randn(4, 6))
        self.function = function

    def forward(self, x):
        y = self.function(self.w * x)
        return (y * y).sum() + y.sum()


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", CASES)
def test_op(name):
    from models import Erased

    model = Wrapped(CASES[name])
    data = {"x": torch.rand(4, 6) + 0.5}
    graph = prec.import_torch(model, torch.optim.AdamW(model.parameters()), data, verify=False).graph
    program, value = Program.of_graph(graph), graph.results[0].value
    gradient = program.gradients()["w"]
    results = program.run({"w": model.w.detach(), **data}, wanted=[value, gradient], backend=Torch())
    model.double()
    torch.set_default_dtype(torch.float64)
    try:
        with Erased():
            loss = model(data["x"].double())
    finally:
        torch.set_default_dtype(torch.float32)
    loss.backward()
    # Seven digits where a Python number became a float32 tensor in the trace, twelve elsewhere.
    torch.testing.assert_close(results[value], loss.detach(), rtol=1e-6, atol=1e-9)
    torch.testing.assert_close(results[gradient], model.w.grad, rtol=1e-6, atol=1e-8)
