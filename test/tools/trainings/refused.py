# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What no step can have as it is written: shapes, branches and numbers that Python decides in each step."""

import random

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, normal, training

D = 8


@training(
    lambda g: {"x": normal(g, 2, 5, D), "y": normal(g, 2, 3, 4)},
    refused=r"makes an array of NumPy's of one \(refused.py:.*give the result as an input",
)
class matched_by_numpy(nn.Module):
    """A matching of queries and targets that NumPy computes within the loss."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, 4)

    def forward(self, x, y):
        p = self.f(x)
        with torch.no_grad():
            cost = torch.cdist(p, y).cpu().numpy()
        return sum(F.mse_loss(p[i, cost[i].argmin(0)], y[i]) for i in range(2))


@training(lambda g: {"x": normal(g, 4, D), "y": normal(g, 4, D)}, refused="must draw from no random generator but its own, but draws from random")
class layer_drop(nn.Module):
    """Layers that Python's generator leaves out."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(D, D) for _ in range(3))

    def forward(self, x, y):
        for layer in self.layers:
            if random.random() > 0.1:
                x = x + F.relu(layer(x))
        return F.mse_loss(x, y)


@training(lambda g: {"x": normal(g, 4, D), "rows": ids(g, 6, below=4), "columns": ids(g, 6, below=4), "y": normal(g, 4, D)}, refused="sparse")
class sparse_adjacency(nn.Module):
    """A sparse matrix of edges."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, rows, columns, y):
        a = torch.sparse_coo_tensor(torch.stack([rows, columns]), torch.ones(6), (4, 4))
        return F.mse_loss(torch.sparse.mm(a, self.f(x)), y)


@training(
    lambda g: {"x": normal(g, 6, D), "y": normal(g, 6, D)},
    refused=r"aten.nonzero.default's result depends on them in refused.py:.*its result's shape depends on data",
)
class expert_loop(nn.Module):
    """Experts that get the rows which were routed to them, as many as there are."""

    def __init__(self):
        super().__init__()
        self.gate, self.experts = nn.Linear(D, 3), nn.ModuleList(nn.Linear(D, D) for _ in range(3))

    def forward(self, x, y):
        weights, chosen = self.gate(x).softmax(-1).topk(1)
        out = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows = torch.where(chosen[:, 0] == i)[0]
            out[rows] += weights[rows] * expert(x[rows])
        return F.mse_loss(out, y)


@training(lambda g: {"x": normal(g, 4, D), "y": normal(g, 4, D)}, refused=r"must not read a computed value .* in refused.py:.*keep it a tensor")
class fixed_point(nn.Module):
    """Iterations until they change little."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(2 * D, D)

    def forward(self, x, y):
        z = torch.zeros_like(x)
        for _ in range(8):
            new = torch.tanh(self.f(torch.cat([z, x], -1)))
            if (new - z).norm() < 1e-3:
                break
            z = new
        return F.mse_loss(z, y)


@training(lambda g: {"x": normal(g, 4, D), "y": normal(g, 4, D)}, refused="leave gradients to the backward of the loss but sets that of")
class inner_backward(nn.Module):
    """A backward within the forward."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        first = F.mse_loss(self.f(x), y)
        first.backward(retain_graph=True)
        return first


@training(lambda g: {"x": normal(g, 4, D), "y": normal(g, 4, D)}, lambda m: torch.optim.LBFGS(m.parameters()), refused="LBFGS")
class closures(nn.Module):
    """An optimizer that computes the loss several times."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        return F.mse_loss(self.f(x), y)


@training(lambda g: {"x": normal(g, 4, D), "y": normal(g, 4, D)}, refused=r"sets .data of one of shape \[8, 8\] \(refused.py:.*assign a buffer anew")
class data_of_a_weight(nn.Module):
    """A trained weight that forward itself shortens, where no trace sees it."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        self.f.weight.data = self.f.weight.data / self.f.weight.data.norm(dim=1, keepdim=True)
        return F.mse_loss(self.f(x), y)


class Tagged(torch.Tensor):
    """A tensor that knows what it is."""


@training(lambda g: {"x": normal(g, 4, D), "y": normal(g, 4, D)}, refused=r"must compute with plain tensors but .* makes one of a class of its own")
class tagged(nn.Module):
    """Tensors of a class of one's own."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        return F.mse_loss(self.f(x.as_subclass(Tagged)).as_subclass(torch.Tensor), y)


@training(
    lambda g: {"x": normal(g, 4, D), "y": normal(g, 4, D)},
    refused=r"a view within torch.func or vmap must not be as_strided's .refused.py:.*write slices",
)
class strided_in_a_function(nn.Module):
    """A copy into a view by strides, within a function of which torch.func takes the gradient."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        def energy(v):
            d = v.clone()
            d.as_strided((4,), (D,), 2).copy_(v[:, 3])
            return (d * v).sum()

        return F.mse_loss(torch.func.grad(energy)(self.f(x)), y)


@training(
    lambda g: {"x": normal(g, 5, D), "y": normal(g, 2, D)},
    refused=r"but .* makes a nested one of rows of several lengths .torch.nested.*pad rows",
)
class nested_rows(nn.Module):
    """Rows of several lengths in one tensor."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        rows = torch.nested.as_nested_tensor([self.f(x[:2]), self.f(x[2:])], layout=torch.jagged)
        return F.mse_loss(torch.nested.to_padded_tensor(rows, 0.0).sum(1), y)


@training(lambda g: {"x": normal(g, 5, D), "y": normal(g, 2, D)}, refused=r"makes a nested one of rows of several lengths")
class nested_rows_strided(nn.Module):
    """The same in the older form."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        rows = torch.nested.as_nested_tensor([self.f(x[:2]), self.f(x[2:])])
        return F.mse_loss(torch.nested.to_padded_tensor(rows, 0.0).sum(1), y)


@training(
    lambda g: {"x": ids(g, 6, below=10), "y": normal(g, 6, D)},
    lambda m: torch.optim.SGD(m.parameters(), lr=0.1),
    refused="without sparse=True, which in SGD",
)
class sparse_embedding(nn.Module):
    """A table whose gradient is a sparse tensor."""

    def __init__(self):
        super().__init__()
        self.f = nn.Embedding(10, D, sparse=True)

    def forward(self, x, y):
        return F.mse_loss(self.f(x), y)


@training(
    lambda g: {"x": normal(g, 6, D), "y": normal(g, 6, D)},
    refused=r"w is torch.complex64: hold it as a real one of \[..., 2\], and compute with torch.view_as",
)
class complex_parameter(nn.Module):
    """A trained table of complex numbers."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(D, dtype=torch.complex64))

    def forward(self, x, y):
        return F.mse_loss((self.w * x).real, y)


@training(
    lambda g: {"x": normal(g, 6, D), "y": normal(g, 6, D)},
    refused=r"forward must be traced once but makes a trace of its own .torch.func.linearize.*write torch.func.jvp",
)
class linearized(nn.Module):
    """A function that torch.func traces by itself."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        out, along = torch.func.linearize(lambda v: torch.tanh(self.f(v)), x)
        return F.mse_loss(out + along(y), y)
