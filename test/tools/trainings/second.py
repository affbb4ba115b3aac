# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gradients within the loss, through which the weights learn: of inputs, of hidden values and of weights, of the second
and third order, by torch.autograd.grad, torch.autograd.functional and torch.func, through every sort of layer."""

import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from torch import nn

from . import ids, mlp, normal, training

D = 8


def rows(g):
    return {"x": normal(g, 6, D), "y": ids(g, 6, below=4)}


def pairs(g):
    return {"x": normal(g, 6, D), "y": normal(g, 6, D)}


def images(g):
    return {"real": normal(g, 3, 3, 8, 8), "fake": normal(g, 3, 3, 8, 8)}


def penalty(loss, inputs):
    """The squares of the gradients of a loss."""
    found = torch.autograd.grad(loss, inputs, create_graph=True)
    return sum(g.square().sum() for g in found)


@training(images)
class penalty_between_images(nn.Module):
    """WGAN-GP: the gradient has norm one at points that are drawn between images."""

    def __init__(self):
        super().__init__()
        self.a, self.n, self.b = nn.Conv2d(3, 6, 3, 2, 1), nn.InstanceNorm2d(6, affine=True), nn.Conv2d(6, 4, 3, 1, 1)
        self.out = nn.Linear(4 * 16, 1)

    def critic(self, x):
        h = F.leaky_relu(self.n(self.a(x)), 0.2)
        return self.out(F.leaky_relu(self.b(h), 0.2).flatten(1))

    def forward(self, real, fake):
        at = torch.rand(3, 1, 1, 1)
        between = (at * real + (1 - at) * fake).requires_grad_(True)
        found = self.critic(between)
        (g,) = torch.autograd.grad(found, between, torch.ones_like(found), create_graph=True, retain_graph=True)
        far = (g.flatten(1).norm(2, dim=1) - 1).square().mean()
        return self.critic(fake).mean() - self.critic(real).mean() + 10 * far


@training(images)
class penalty_at_images(nn.Module):
    """R1: the gradient at real images is small, through convolutions of every sort, pools, resized images and norms."""

    def __init__(self):
        super().__init__()
        self.a, self.up = nn.Conv2d(3, 6, 3, padding=1, groups=3), nn.ConvTranspose2d(6, 4, 4, 2, 1)
        self.d, self.n, self.g = nn.Conv2d(4, 4, 3, padding=2, dilation=2), nn.BatchNorm2d(4), nn.GroupNorm(2, 6)
        self.out = nn.Linear(4, 1)

    def critic(self, x):
        h = F.silu(self.g(self.a(x)))
        h = F.avg_pool2d(self.up(h), 2)
        h = self.n(F.softplus(self.d(h)))
        h = F.interpolate(h, scale_factor=1.5, mode="bilinear")
        return self.out(F.max_pool2d(h, 3, 2).amax((2, 3)) + h.mean((2, 3)))

    def forward(self, real, fake):
        real = real.requires_grad_(True)
        score = self.critic(real)
        (g,) = torch.autograd.grad(score.sum(), real, create_graph=True)
        return F.softplus(self.critic(fake)).mean() + F.softplus(-score).mean() + 0.5 * g.square().sum((1, 2, 3)).mean()


@training(lambda g: {"x": torch.rand(7, 1, generator=g), "t": torch.rand(7, 1, generator=g)})
class waves(nn.Module):
    """A network that solves an equation of third order in space and first in time, by derivatives of its inputs."""

    def __init__(self):
        super().__init__()
        self.f = mlp(2, 12, 12, 1, act=nn.Tanh)

    def forward(self, x, t):
        x, t = x.requires_grad_(), t.requires_grad_()
        u = self.f(torch.cat([x, t], 1))

        def d(a, b):
            return torch.autograd.grad(a, b, torch.ones_like(a), create_graph=True)[0]

        ux = d(u, x)
        uxxx = d(d(ux, x), x)
        return (d(u, t) + 6 * u * ux + 0.01 * uxxx).square().mean() + (u - torch.sin(3 * x)).square().mean()


@training(rows)
class gradients_of_hidden_values(nn.Module):
    """What a loss tells of values within the network, kept for a second loss: with and without a graph, of several at
    once, of some that it does not depend on, of each row of a basis."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, 4)

    def forward(self, x, y):
        h = torch.tanh(self.a(x))
        k = F.gelu(self.b(h))
        other = self.b(x)
        logits = self.c(h + k)
        loss = F.cross_entropy(logits, y)
        saliency = torch.autograd.grad(loss, h, retain_graph=True)[0]
        gh, gk, none = torch.autograd.grad(loss, [h, k, other], create_graph=True, allow_unused=True)
        assert none is None and not saliency.requires_grad
        zeros = torch.autograd.grad(loss, other, create_graph=True, allow_unused=True, materialize_grads=True)[0]
        rows = torch.autograd.grad(logits, k, torch.eye(4)[:, None].expand(4, 6, 4), create_graph=True, is_grads_batched=True)[0]
        by_hand = torch.vmap(lambda v: torch.autograd.grad(logits, h, v, create_graph=True)[0])(torch.eye(4)[:, None].expand(4, 6, 4))
        kept = (h * saliency).sum() + (gh * gk).sum() + zeros.sum()
        return loss + kept + 0.01 * rows.square().sum() + 0.01 * (by_hand**4).sum()


@training(pairs)
class functional_of_old(nn.Module):
    """Products of vectors with Jacobians and Hessians by torch.autograd.functional."""

    def __init__(self):
        super().__init__()
        self.f = mlp(D, 6, D, act=nn.Softplus)

    def forward(self, x, y):
        def energy(v):
            return self.f(v).square().sum()

        of = torch.autograd.functional
        jacobian = of.jacobian(lambda v: self.f(v).sum(0), x, create_graph=True)
        hessian = of.hessian(energy, x[0], create_graph=True)
        hv = of.hvp(energy, x, y, create_graph=True)[1] + of.vhp(energy, x, y, create_graph=True)[1]
        jv = of.jvp(self.f, x, y, create_graph=True)[1] + of.vjp(self.f, x, y, create_graph=True)[1]
        return F.mse_loss(self.f(x), y) + 0.01 * (jacobian.square().sum() + hessian.square().sum() + hv.square().mean() + jv.square().mean())


@training(pairs)
class functional_of_func(nn.Module):
    """The same by torch.func, of the second order in every way, of a row each, with results beside the gradient."""

    def __init__(self):
        super().__init__()
        self.f = mlp(D, 6, D, act=nn.Tanh)

    def forward(self, x, y):
        fn = torch.func

        def energy(v):
            out = self.f(v)
            return out.square().sum(), out

        g, (value, out) = fn.vmap(fn.grad_and_value(energy, has_aux=True))(x)
        j, aux = fn.vmap(fn.jacrev(lambda v: (self.f(v), v.sum()), has_aux=True))(x)
        second = fn.vmap(fn.jacfwd(fn.jacrev(lambda v: energy(v)[0])))(x[:2])
        other = fn.vmap(fn.jacrev(fn.jacfwd(lambda v: energy(v)[0])))(x[:2])
        along, change = fn.jvp(fn.grad(lambda v: fn.vmap(energy)(v)[0].sum()), (x,), (y,))
        both, pull = fn.vjp(lambda a, b: self.f(a * b), x, y)
        ga, gb = pull(y)
        total = g.square().mean() + value.mean() + (j**3).mean() + aux.mean() + second.square().mean() + other.diagonal(dim1=1, dim2=2).mean()
        total = total + (along * change).mean() + (ga * gb).mean() + both.mean()
        return F.mse_loss(out, y) + 0.01 * total


@training(pairs)
class penalty_of_activations(nn.Module):
    """Through activations and elementwise functions of every sort, twice."""

    def __init__(self):
        super().__init__()
        self.f, self.slope = nn.Linear(D, D), nn.PReLU(D)

    def forward(self, x, y):
        h = self.f(x)
        acts = [F.silu, F.gelu, lambda v: F.gelu(v, approximate="tanh"), F.mish, F.elu, F.selu, F.celu, F.softplus, F.logsigmoid, F.softsign,
                F.tanhshrink, F.hardswish, F.hardtanh, F.relu6, F.leaky_relu, F.softshrink, self.slope, torch.sigmoid, torch.erf,
                torch.atan, torch.sinh, torch.asinh, torch.sinc, lambda v: (v.square() + 1).rsqrt(), lambda v: v.abs().add(0.5).pow(1.7),
                lambda v: (v * v + 0.3).sqrt(), lambda v: torch.exp2(v / 4), lambda v: torch.expm1(v / 4), lambda v: torch.log1p(v * v),
                lambda v: torch.clamp(v, -0.5, 0.7) ** 3, lambda v: torch.where(v > 0, v**3, v**2), lambda v: torch.lgamma(v * v + 1),
                lambda v: torch.atan2(v, y + 3), lambda v: torch.hypot(v, y), lambda v: torch.logaddexp(v, y), F.glu,
                lambda v: v / (y * y + 1)]
        return sum(penalty((act(h) ** 2).mean(), [h]) + 0.01 * act(h).mean() for act in acts)


@training(pairs)
class penalty_of_sums(nn.Module):
    """Through sums, norms, orders and places, twice."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)

    def forward(self, x, y):
        h = self.f(x)
        at = torch.tensor([[0, 2, 1], [3, 3, 5], [1, 0, 7], [6, 5, 4], [2, 2, 2], [7, 0, 1]])
        of = [h.softmax(-1), h.log_softmax(0), h.logsumexp(-1), h.norm(dim=-1), h.norm(p=3, dim=0), F.normalize(h, dim=-1), h.var(0), h.std(1),
              h.cumsum(0), (h * 0.3 + 1).cumprod(1), h.logcumsumexp(1), (h * 0.3 + 1).prod(1), h.amax(-1), h.max(0).values, h.topk(3).values,
              h.sort(0).values, h.median(1).values, h.gather(1, at), h[:, [1, 1, 3]], h[at[:, 2].clamp(max=5)], h.scatter(1, at[:, :1], y[:, :1]),
              torch.zeros(6, D).scatter_add(1, at, h[:, :3] ** 2), torch.zeros(6, D).index_add(0, at[:, 0].clamp(max=5), h),
              h.masked_fill(y > 0, 0.0), h.flip(1).roll(1, 0), h.triu(), h.diagonal(), torch.cat([h, h[:3]]), h.unfold(1, 3, 2), F.pad(h, (1, 2)),
              F.pad(h[None], (2, 1), mode="reflect"), F.cosine_similarity(h, y), F.layer_norm(h, (D,)), F.rms_norm(h, (D,)),
              torch.einsum("ab,cb->ac", h, h), torch.kron(h[:2, :2], y[:2, :2]), h.repeat_interleave(2, 0), torch.outer(h[0], h[1]),
              F.batch_norm(h, None, None, training=True), F.group_norm(h, 2), F.embedding(at[:, 0].clamp(max=5), h),
              torch.addmm(y, h, h.T @ h, alpha=0.1)]
        return sum(0.05 * penalty((t**2).sum(), [h]) + 0.01 * t.mean() for t in of)


@training(rows)
class penalty_of_losses(nn.Module):
    """Through PyTorch's losses, twice."""

    def __init__(self):
        super().__init__()
        self.f, self.w = nn.Linear(D, 4), nn.Parameter(torch.rand(4) + 0.5)

    def forward(self, x, y):
        h = self.f(x)
        p = torch.roll(h, 1, 0).detach()
        losses = [F.cross_entropy(h, y), F.cross_entropy(h, y, label_smoothing=0.1),
                  F.cross_entropy(h, y, weight=self.w.detach(), ignore_index=2),
                  F.cross_entropy(h, p.softmax(-1)), F.cross_entropy(h, y, reduction="sum"), F.cross_entropy(h, y, reduction="none").square().sum(),
                  F.nll_loss(h.log_softmax(-1), y), F.binary_cross_entropy(h.sigmoid(), p.sigmoid()),
                  F.binary_cross_entropy_with_logits(h, p.sigmoid(), pos_weight=self.w.detach()), F.kl_div(h.log_softmax(-1), p.softmax(-1)),
                  F.mse_loss(h, p), F.smooth_l1_loss(h, p, beta=0.5), F.huber_loss(h, p), F.poisson_nll_loss(h, p.abs()),
                  F.soft_margin_loss(h, p.sign()),
                  F.gaussian_nll_loss(h, p, h.square() + 0.1), F.multilabel_soft_margin_loss(h, (p > 0).float()),
                  F.triplet_margin_loss(h, p, h.flip(0))]
        return sum(loss + penalty(loss, [h, self.f.weight]) for loss in losses)


@training(lambda g: {"x": ids(g, 3, 6, below=12), "y": normal(g, 3, D)})
class penalty_of_recurrence(nn.Module):
    """Through a table, recurrent layers and dropout, twice, whose zeros are the same in both."""

    def __init__(self):
        super().__init__()
        self.e, self.l, self.g = nn.Embedding(12, D), nn.LSTM(D, D, batch_first=True), nn.GRU(D, D, batch_first=True)

    def forward(self, x, y):
        h = self.e(x)
        out = F.dropout(self.g(self.l(h)[0])[0][:, -1], 0.3)
        loss = F.mse_loss(out, y)
        return loss + penalty(loss, [h, self.e.weight, self.l.weight_hh_l0])


@training(rows)
class penalty_through_checkpoints(nn.Module):
    """A gradient of a gradient of what a checkpoint computes again."""

    def __init__(self):
        super().__init__()
        self.a, self.n, self.b = nn.Linear(D, D), nn.RMSNorm(D), nn.Linear(D, 4)

    def forward(self, x, y):
        x = x.requires_grad_()
        h = torch.utils.checkpoint.checkpoint(lambda v: torch.tanh(self.n(self.a(v))), x, use_reentrant=False)
        loss = F.cross_entropy(self.b(h), y)
        return loss + penalty(loss, [x, self.a.weight])


class Cube(torch.autograd.Function):
    """Its gradient, which is another function's, and that one's own."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        return CubeBackward.apply(g, *ctx.saved_tensors)


class CubeBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, g, x):
        ctx.save_for_backward(g, x)
        return 3 * g * x**2

    @staticmethod
    def backward(ctx, gg):
        g, x = ctx.saved_tensors
        # Not what the formula has, so that it shows whose gradient is taken.
        return 3 * gg * x**2, 5 * gg * g * x


@training(pairs)
class penalty_of_functions(nn.Module):
    """Functions of autograd whose gradients have gradients of their own, and hooks that both backwards call."""

    def __init__(self):
        super().__init__()
        self.f, self.g = nn.Linear(D, D), nn.Linear(D, D)
        self.f.weight.register_hook(lambda g: 0.5 * g)

    def forward(self, x, y):
        h = self.f(x)
        h.register_hook(lambda g: 2 * g + 0.01)
        loss = F.mse_loss(self.g(Cube.apply(h)), y)
        return loss + penalty(loss, [h, self.f.weight, self.g.weight])


@training(rows)
class penalty_of_matrices(nn.Module):
    """Through factorizations and spectra, twice."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, 16)

    def forward(self, x, y):
        m = self.f(x).view(6, 4, 4) * 0.3
        s = m @ m.mT + torch.eye(4)
        of = [torch.linalg.solve(s, m), torch.linalg.inv(s), torch.linalg.cholesky(s), torch.linalg.slogdet(s)[1], torch.linalg.det(s),
              torch.matrix_exp(m), torch.linalg.matrix_norm(m), torch.fft.rfft(m).abs(),
              torch.linalg.solve_triangular(s.tril(), m, upper=False), torch.stft(m.flatten(1), 8, 4, window=torch.ones(8), return_complex=True).real]
        return sum(0.1 * penalty((t**2).mean(), [m]) + 0.01 * t.mean() for t in of)


@training(rows)
class tasks_by_momentum(nn.Module):
    """Inner steps of descent with momentum and a decay, through which the first weights and the rates learn, of the
    first order beside the second."""

    def __init__(self):
        super().__init__()
        self.f, self.rates = mlp(D, D, 4, act=nn.Tanh), nn.Parameter(torch.full((4,), 0.1))

    def forward(self, x, y):
        own = dict(self.f.named_parameters())
        speed = {n: torch.zeros_like(p) for n, p in own.items()}
        for step in range(2):
            loss = F.cross_entropy(torch.func.functional_call(self.f, own, (x[:3],)), y[:3])
            found = torch.autograd.grad(loss, list(own.values()), create_graph=step == 0)
            speed = {n: 0.9 * v + g + 0.01 * own[n] for (n, v), g in zip(speed.items(), found)}
            own = {n: p - r * speed[n] for (n, p), r in zip(own.items(), self.rates)}
        return F.cross_entropy(torch.func.functional_call(self.f, own, (x[3:],)), y[3:])
