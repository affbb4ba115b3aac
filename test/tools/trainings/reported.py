# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps that public reports of compilers of training say went wrong: writes to views, functions with gradients of their
own, norms of weights, gradients of gradients, transformed functions, scatters. The number is that of the report in
pytorch/pytorch where no other repository is named."""

import copy

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.utils import parametrizations

from . import ids, normal, training

D = 8


def pairs(g):
    return {"x": normal(g, 6, D), "y": normal(g, 6, D)}


class Rows(nn.Module):
    """Two layers, and what is done to rows between them."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x, y):
        return F.mse_loss(self.b(self.between(self.a(x))), y)


@training(pairs)
class reported_slices_set(Rows):
    """Parts of a result set to zero, and others added to in place through views of views (113793, xla 1718)."""

    def between(self, h):
        h = h * 1.0
        h[:, :5] = 0
        part = h.view(2, 3, D)[1].t()
        part[-1].mul_(2.0)
        part.narrow(0, 5, 2).add_(1.0)
        h[1].copy_(h[0].flip(0))
        return h


@training(pairs)
class reported_complex_views(Rows):
    """A view as complex numbers and back, of which one half is overwritten (122457)."""

    def between(self, h):
        z = torch.view_as_complex((h + 1).view(6, D // 2, 2))
        back = torch.view_as_real(z * (1 + 0.5j))
        return (back + torch.view_as_real(z + 1)).flatten(1)


@training(pairs)
class reported_written_slices(Rows):
    """Copies into slices of a tensor of ones and of a clone of it, within torch.func.grad (136662)."""

    def between(self, h):
        def f(v):
            a = torch.ones(6, D)
            a[:, 0].copy_(v[:, 1].exp())
            d = a.clone()
            d[:, 2].copy_(v[:, 3])
            return (d * v).sum()

        return torch.func.grad(f)(h)


class InPlaceMatmul(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        y = x.new_zeros(x.shape[0], w.shape[0])
        y += x @ w.t()
        y[:, 1:].mul_(0.5)
        return y

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        g = g.clone()
        g[:, 1:].mul_(0.5)
        return g @ w, g.t() @ x


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return a * b + a + b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * (b + 1), g * (a + 1)


class Dirty(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3.0)

    @staticmethod
    def backward(ctx, g):
        return g * 3.0


class Halved(torch.autograd.Function):
    """A sine whose gradient is half of a straight line's, also under transformations of functions."""

    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return torch.sin(x), x > 0

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, g, _):
        return 0.5 * g


@training(pairs)
class reported_functions(Rows):
    """In-place work in a function's forward and backward, one tensor as two arguments, an argument that is overwritten
    (184113, 180642, 183604, 133491)."""

    def between(self, h):
        h = InPlaceMatmul.apply(h, self.a.weight)
        h = Twice.apply(h, h)
        return Dirty.apply(h * 1.0)


@training(pairs)
class reported_functions_transformed(Rows):
    """A function's own gradient within torch.func.grad and vmap (193279, 130051)."""

    def between(self, h):
        outer = torch.func.grad(lambda v: Halved.apply(v)[0].sum() + (v**2).sum())(h)
        each = torch.func.vmap(lambda v: torch.where(Halved.apply(v)[1], Halved.apply(v)[0], v))(h)
        return outer + each


@training(pairs)
class reported_modulated_norms(nn.Module):
    """Norms that are scaled and shifted by parts of one table, one after the other (193061)."""

    def __init__(self):
        super().__init__()
        self.table, self.l1, self.l2 = nn.Parameter(torch.randn(6, D) / D**0.5), nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x, y):
        shift, scale, gate, shift2, scale2, gate2 = (self.table + y.mean(0)).chunk(6)
        h = x + gate * self.l1(F.layer_norm(x, (D,)) * (1 + scale) + shift)
        h = h + gate2 * self.l2(F.layer_norm(h, (D,)) * (1 + scale2) + shift2)
        return F.mse_loss(F.layer_norm(h, (D,)), y)


@training(lambda g: {"x": normal(g, 2, 4, 5, 5, 5)})
class reported_weight_norms(nn.Module):
    """Weight norms of convolutions in three dimensions and one, by rows and as a whole, old and new (121304, 121902,
    118742, 165749)."""

    def __init__(self):
        super().__init__()
        self.c3 = parametrizations.weight_norm(nn.Conv3d(4, 6, 3))
        self.c2 = nn.utils.weight_norm(nn.Conv2d(6, 5, 2), dim=1)
        self.c1, self.l = parametrizations.weight_norm(nn.Conv1d(5, 4, 2), dim=None), nn.utils.weight_norm(nn.Linear(3, 2), dim=0)

    def forward(self, x):
        h = torch.tanh(self.c3(x)).mean(2)
        return self.l(self.c1(torch.tanh(self.c2(h)).flatten(2))).square().mean()


@training(lambda g: {"x": normal(g, 4, 3, 6, 6), "y": ids(g, 4, below=3)})
class reported_spectral_norms(nn.Module):
    """Spectral norms, which change buffers in each forward, called twice in a step, with a penalty of gradients
    (113415, 91469)."""

    def __init__(self):
        super().__init__()
        self.c = parametrizations.spectral_norm(nn.Conv2d(3, 4, 3))
        self.l = nn.utils.spectral_norm(nn.Linear(64, 3))

    def d(self, x):
        return self.l(F.silu(self.c(x)).flatten(1))

    def forward(self, x, y):
        x = x.requires_grad_()
        real = self.d(x)
        (g,) = torch.autograd.grad(real.sum(), x, create_graph=True)
        return F.cross_entropy(real, y) + F.relu(1 + self.d(x.flip(0).detach())).mean() + ((g.flatten(1).norm(dim=1) - 1) ** 2).mean()


@training(pairs, optimizer=lambda m: [torch.optim.Adam(m.g.parameters(), lr=1e-3, betas=(0.0, 0.9)), torch.optim.Adam(m.d.parameters(), lr=4e-3)])
class reported_two_players(nn.Module):
    """A generator and a discriminator in one step, each with its own loss and optimizer (91542)."""

    def __init__(self):
        super().__init__()
        self.g, self.d = nn.Sequential(nn.Linear(D, 16), nn.ReLU(), nn.Linear(16, D)), nn.Sequential(nn.Linear(D, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x, y):
        fake = self.g(x)
        of_d = F.softplus(self.d(fake.detach())).mean() + F.softplus(-self.d(y)).mean()
        # Through the discriminator, of which it trains nothing.
        own = {n: p.detach() for n, p in self.d.named_parameters()}
        return of_d + F.softplus(-torch.func.functional_call(self.d, own, (fake,))).mean()


@training(lambda g: {"x": normal(g, 6, 3), "e": normal(g, 6)})
class reported_forces(nn.Module):
    """Forces as gradients of an energy of distances, matched (torchmd-net 307, cuEquivariance 268, 183603)."""

    def __init__(self):
        super().__init__()
        self.f, self.out = nn.Linear(4, 16), nn.Linear(16, 1)
        self.register_buffer("centers", torch.linspace(0, 3, 4))

    def forward(self, x, e):
        x = x.detach().requires_grad_(True)
        i, j = torch.triu_indices(6, 6, 1)
        d = (x[i] - x[j]).norm(dim=-1)
        pair = self.out(F.silu(self.f(torch.exp(-((d[:, None] - self.centers) ** 2)))))[:, 0]
        energy = torch.zeros(6).index_add(0, i, pair).index_add(0, j, pair)
        (force,) = torch.autograd.grad(energy.sum(), x, create_graph=True)
        return F.mse_loss(energy, e) + F.mse_loss(-force, x.sin())


@training(pairs)
class reported_diagonal_scatter(Rows):
    """Diagonals and slices scattered into (183602, 182012)."""

    def between(self, h):
        square = h.t() @ h
        square = torch.diagonal_scatter(square, h[0].sin(), 0)
        square = torch.diagonal_scatter(square, h[1, :-1], 1)
        square = torch.select_scatter(torch.slice_scatter(square, h[:2], 0, 1, 3), h[2], 1, 4)
        return h @ torch.as_strided_scatter(square, h[3], (D,), (D,), 3) / D


@training(lambda g: {"x": normal(g, 10, D), "at": ids(g, 10, below=3), "y": normal(g, 3, D)})
class reported_scatters(nn.Module):
    """Least, largest and mean values of groups, and a sum into one row that is gathered again (pytorch_scatter 440,
    191571)."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, at, y):
        h, rows = self.f(x), at[:, None].expand(-1, D)
        least = torch.full((3, D), 9.0).scatter_reduce(0, rows, h, "amin", include_self=False)
        most = torch.zeros(3, D).index_reduce(0, at, h, "amax", include_self=False)
        mean = torch.zeros(3, D).scatter_reduce(0, rows, h, "mean", include_self=False)
        one = torch.zeros(1, D).scatter_add_(0, torch.zeros(10, D, dtype=torch.int64), h).index_select(0, torch.zeros(3, dtype=torch.int64))
        return F.mse_loss(least.nan_to_num() + most + mean + 0.1 * one, y)


@training(pairs)
class reported_ensemble(nn.Module):
    """Networks of one form in one call, each with weights of its own, and reductions under vmap (109025, 111733,
    128711)."""

    def __init__(self):
        super().__init__()
        made = [nn.Sequential(nn.Linear(D, 4), nn.Tanh(), nn.Linear(4, D)) for _ in range(3)]
        stacked, _ = torch.func.stack_module_state(made)
        self.weights = nn.ParameterDict({n.replace(".", "_"): nn.Parameter(p.detach().clone()) for n, p in stacked.items()})
        self.names, self.base = list(stacked), [copy.deepcopy(made[0]).to("meta")]

    def forward(self, x, y):
        own = {n: self.weights[n.replace(".", "_")] for n in self.names}
        each = torch.func.vmap(lambda p, v: torch.func.functional_call(self.base[0], p, (v,)), in_dims=(0, None))(own, x)
        centered = torch.func.vmap(lambda v: v - v.mean() + v.var(0).sum() * 0.1)(each)
        return F.mse_loss(centered, y.expand(3, -1, -1)) - 0.01 * each.var(0).mean()


@training(lambda g: {"x": normal(g, 3, 4, D), "y": ids(g, 3, 4, below=5), "qx": normal(g, 3, 6, D), "qy": ids(g, 3, 6, below=5)})
class reported_tasks(nn.Module):
    """Inner steps of descent for each task under vmap, with what the tasks share trained through them (98825)."""

    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(D, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 5))
        self.rates = nn.Parameter(torch.full((4,), 0.1))

    def forward(self, x, y, qx, qy):
        shared = dict(self.net.named_parameters())

        def loss(p, v, t):
            return F.cross_entropy(torch.func.functional_call(self.net, p, (v,)), t)

        def task(v, t, qv, qt):
            p = shared
            for rate in self.rates[:2]:
                p = {n: w - rate * g for (n, w), g in zip(p.items(), torch.func.grad(loss)(p, v, t).values())}
            return loss(p, qv, qt)

        return torch.func.vmap(task)(x, y, qx, qy).mean()


@training(lambda g: {"x": ids(g, 3, 6, below=12), "y": ids(g, 3, 6, below=12)})
class reported_smoothing(nn.Module):
    """Label smoothing by a distribution that is scattered into, with rows of padding struck out by an index of a mask
    (OpenNMT-py 432, transformers 7546)."""

    def __init__(self):
        super().__init__()
        self.e, self.out = nn.Embedding(12, D, padding_idx=1), nn.Linear(D, 12)
        one = torch.full((12,), 0.1 / 10)
        one[1] = 0
        self.register_buffer("one_hot", one[None])

    def forward(self, x, y):
        logp, t = F.log_softmax(self.out(self.e(x)).flatten(0, 1), -1), y.flatten()
        wanted = self.one_hot.repeat(len(t), 1)
        wanted.scatter_(1, t[:, None], 0.9)
        wanted.masked_fill_((t == 1)[:, None], 0)
        smooth = -logp.sum(-1, keepdim=True).masked_fill_((t == 1)[:, None], 0.0)
        return F.kl_div(logp, wanted, reduction="sum") / (t != 1).sum() + 0.01 * smooth.sum() / ((t != 1).sum() * 12)


@training(pairs)
class reported_codebook(nn.Module):
    """A codebook that follows by counts and sums in buffers, with Laplace smoothing, straight-through and rotated
    gradients, and codes that are hardly used set anew (pytorch-vq-vae 5, vector-quantize-pytorch 223)."""

    def __init__(self):
        super().__init__()
        self.enc, self.dec = nn.Linear(D, 4), nn.Linear(4, D)
        for name, t in {"codes": torch.randn(5, 4), "counts": torch.ones(5), "sums": torch.randn(5, 4)}.items():
            self.register_buffer(name, t)

    def forward(self, x, y):
        z = self.enc(x)
        at = torch.cdist(z, self.codes).argmin(-1)
        hot = F.one_hot(at, 5).float()
        q = hot @ self.codes
        with torch.no_grad():
            self.counts.mul_(0.9).add_(hot.sum(0), alpha=0.1)
            self.sums.lerp_(hot.t() @ z, 0.1)
            n = self.counts.sum()
            self.codes.copy_(self.sums / ((self.counts + 1e-5) / (n + 5e-5) * n)[:, None])
            dead = self.counts < 0.5
            self.codes[dead] = z[:5][dead]
        e, c = F.normalize(z, dim=-1).detach(), F.normalize(q, dim=-1).detach()
        r = F.normalize(e + c, dim=-1)
        turned = z - 2 * (z * r).sum(-1, keepdim=True) * r + 2 * (z * e).sum(-1, keepdim=True) * c
        straight = z + (q - z).detach()
        return F.mse_loss(self.dec(straight) + 0.1 * self.dec(turned), y) + 0.25 * F.mse_loss(z, q.detach())


@training(lambda g: {"x": normal(g, 6, D), "y": ids(g, 6, below=20)})
class adaptive_softmax(nn.Module):
    """Rare words in clusters of their own, of which a batch has some."""

    def __init__(self):
        super().__init__()
        self.f, self.out = nn.Linear(D, D), nn.AdaptiveLogSoftmaxWithLoss(D, 20, [4, 10], div_value=2.0, head_bias=True)

    def forward(self, x, y):
        # One of each, so that each cluster has a gradient in PyTorch, too.
        y = torch.cat([torch.tensor([1, 6, 15]), y[3:]])
        output, loss = self.out(torch.tanh(self.f(x)), y)
        return loss - 0.1 * output[0]


@training(pairs)
class batch_norms_of_all(nn.Module):
    """Batch norms that average over all batches so far."""

    def __init__(self):
        super().__init__()
        self.f, self.n, self.c = nn.Linear(D, 12), nn.BatchNorm1d(12, momentum=None), nn.BatchNorm2d(3, momentum=None, affine=False)

    def forward(self, x, y):
        h = torch.tanh(self.n(self.f(x)))
        return F.mse_loss(h[:, :D], y) + (self.c(h.view(6, 3, 2, 2)) ** 3).mean() + 0.1 * (self.n.running_var.sum() + self.c.running_mean.sum())
