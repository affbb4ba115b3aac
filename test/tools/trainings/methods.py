# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Methods around an ordinary model: what perturbs its weights or inputs within a step, what it keeps between steps, how
parts are called, chosen and checked."""

import math

import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from torch import nn

from . import ids, mlp, normal, training

D = 8


def rows(g):
    return {"x": normal(g, 6, D), "y": ids(g, 6, below=4)}


@training(rows)
class adversarial(nn.Module):
    """Inputs moved along the sign of their gradient and projected back, three times, and a divergence to the clean
    prediction, through which the weights learn."""

    def __init__(self):
        super().__init__()
        self.net = mlp(D, 16, 4, act=nn.Tanh)

    def forward(self, x, y):
        moved = x + 0.01
        for _ in range(3):
            moved = moved.detach().requires_grad_(True)
            (g,) = torch.autograd.grad(F.cross_entropy(self.net(moved), y), moved)
            moved = torch.clamp(moved + 0.05 * g.sign(), x - 0.1, x + 0.1)
        clean = self.net(x)
        away = F.kl_div(self.net(moved.detach()).log_softmax(-1), clean.softmax(-1), reduction="batchmean")
        return F.cross_entropy(clean, y) + 3.0 * away


@training(rows)
class virtual_adversarial(nn.Module):
    """The direction that changes a prediction most, by a power iteration on a gradient of its divergence."""

    def __init__(self):
        super().__init__()
        self.net = mlp(D, 16, 4, act=nn.Tanh)

    def forward(self, x, y):
        logits = self.net(x)
        with torch.no_grad():
            p = logits.softmax(-1)
        d = F.normalize(torch.cos(x * 3.0), dim=-1)
        for _ in range(2):
            d = d.detach().requires_grad_(True)
            far = F.kl_div(self.net(x + 0.1 * d).log_softmax(-1), p, reduction="batchmean")
            d = F.normalize(torch.autograd.grad(far, d)[0], dim=-1)
        return F.cross_entropy(logits, y) + F.kl_div(self.net(x + 0.5 * d.detach()).log_softmax(-1), p, reduction="batchmean")


@training(rows)
class sharpness_aware(nn.Module):
    """Weights moved along their gradient to where the loss is largest nearby, and the loss there, by
    functional_call."""

    def __init__(self):
        super().__init__()
        self.net = mlp(D, 16, 4, act=nn.Tanh)

    def forward(self, x, y):
        own = dict(self.net.named_parameters())
        found = torch.autograd.grad(F.cross_entropy(self.net(x), y), list(own.values()))
        norm = torch.stack([g.norm() for g in found]).norm()
        there = {n: p + (0.05 * g / (norm + 1e-12)).detach() for (n, p), g in zip(own.items(), found)}
        return F.cross_entropy(torch.func.functional_call(self.net, there, (x,)), y)


@training(rows)
class centered_gradients(nn.Module):
    """Gradients of parameters that hooks center and clip, each by its own rule, and one that a hook reads alone."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, 16), nn.Linear(16, 4)
        self.a.weight.register_hook(lambda g: g - g.mean(1, keepdim=True))
        self.b.weight.register_hook(lambda g: g.clamp(-0.01, 0.01))
        self.b.bias.register_hook(lambda g: None)

    def forward(self, x, y):
        return F.cross_entropy(self.b(torch.tanh(self.a(x))), y)


@training(rows)
class elastic(nn.Module):
    """Weights held near those that they began as, by an importance for each, in buffers, and a decay of activations."""

    def __init__(self):
        super().__init__()
        self.net = mlp(D, 16, 4)
        for name, p in self.net.named_parameters():
            key = name.replace(".", "_")
            self.register_buffer(f"was_{key}", p.detach().clone())
            self.register_buffer(f"weight_{key}", torch.rand_like(p))

    def forward(self, x, y):
        held = sum((getattr(self, f"weight_{n.replace('.', '_')}") * (p - getattr(self, f"was_{n.replace('.', '_')}")) ** 2).sum()
                   for n, p in self.net.named_parameters())
        return F.cross_entropy(self.net(x), y, label_smoothing=0.1) + 50.0 * held


@training(rows)
class mean_teacher(nn.Module):
    """A teacher in buffers that follows the weights, called by functional_call, and a ramp that a buffer counts."""

    def __init__(self):
        super().__init__()
        self.net = mlp(D, 16, 4)
        for name, p in self.net.named_parameters():
            self.register_buffer("ema_" + name.replace(".", "_"), p.detach().clone())
        self.register_buffer("steps", torch.zeros(()))

    def forward(self, x, y):
        decay = torch.clamp(1 - 1 / (self.steps + 1), max=0.9)
        teacher = {}
        with torch.no_grad():
            self.steps += 1
            for name, p in self.net.named_parameters():
                held = getattr(self, "ema_" + name.replace(".", "_"))
                held.mul_(decay).add_((1 - decay) * p)
                teacher[name] = held
            target = torch.func.functional_call(self.net, teacher, (x + 0.05,)).softmax(-1)
        logits = self.net(x)
        ramp = torch.exp(-5 * (1 - torch.clamp(self.steps / 5, max=1.0)) ** 2)
        return F.cross_entropy(logits, y) + ramp * F.mse_loss(logits.softmax(-1), target)


@training(rows)
class checkpointed(nn.Module):
    """Activation checkpoints of both kinds, nested, of several tensors, and by checkpoint_sequential."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.d = nn.Linear(D, D), nn.Linear(D, D), mlp(D, D, D, D, act=nn.GELU), nn.Linear(D, 4)

    def two(self, x, scale=1.0):
        inner = torch.utils.checkpoint.checkpoint(lambda v: torch.tanh(self.a(v)), x, use_reentrant=False)
        return inner * scale, self.b(inner)

    def forward(self, x, y):
        first, second = torch.utils.checkpoint.checkpoint(self.two, x, scale=0.5, use_reentrant=False)
        h = torch.utils.checkpoint.checkpoint_sequential(self.c, 2, first + second, use_reentrant=False)
        h = torch.utils.checkpoint.checkpoint(lambda v: F.silu(self.a(v)), h, use_reentrant=True)
        return F.cross_entropy(self.d(h), y)


@training(lambda g: {"x": normal(g, 6, D), "y": normal(g, 6, 3)})
class mixture_density(nn.Module):
    """A mixture whose parameters a network makes: by torch.distributions, and by hand with a full lower triangle."""

    def __init__(self, parts=4):
        super().__init__()
        self.net, self.parts = mlp(D, 16, parts * (1 + 3 + 6), act=nn.Tanh), parts

    def forward(self, x, y):
        weights, means, lower = self.net(x).split([self.parts, 3 * self.parts, 6 * self.parts], -1)
        means, lower = means.view(-1, self.parts, 3), lower.view(-1, self.parts, 6)
        mixed = torch.distributions.MixtureSameFamily(
            torch.distributions.Categorical(logits=weights),
            torch.distributions.Independent(torch.distributions.Normal(means, F.softplus(lower[..., :3]) + 0.1), 1))
        i, j = torch.tril_indices(3, 3)
        factor = torch.zeros(*lower.shape[:2], 3, 3)
        factor[..., i, j] = lower
        factor = factor.tril(-1) + torch.diag_embed(F.softplus(factor.diagonal(dim1=-2, dim2=-1)) + 0.1)
        z = torch.linalg.solve_triangular(factor, (y[:, None] - means)[..., None], upper=False).squeeze(-1)
        log = weights.log_softmax(-1) - 0.5 * (z**2).sum(-1) - factor.diagonal(dim1=-2, dim2=-1).log().sum(-1) - 1.5 * math.log(2 * math.pi)
        return -mixed.log_prob(y).mean() - torch.logsumexp(log, -1).mean()


@training(rows)
class early_exits(nn.Module):
    """A dict of heads of which some return None, losses chosen by a Python flag, and outputs by keyword only."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(D, D) for _ in range(3))
        self.heads = nn.ModuleDict({"0": nn.Linear(D, 4), "2": nn.Linear(D, 4)})
        self.confidence = nn.Linear(D, 1)

    def head(self, i, h):
        return self.heads[str(i)](h) if str(i) in self.heads else None

    def forward(self, x, *, y=None, weight=None):
        outs, left, total = {}, torch.ones(len(x)), 0.0
        for i, layer in enumerate(self.layers):
            x = x + F.gelu(layer(x))
            outs[i] = self.head(i, x)
            if outs[i] is not None:
                p = torch.sigmoid(self.confidence(x)).squeeze(-1)
                total = total + (left * p * F.cross_entropy(outs[i], y, reduction="none")).mean()
                left = left * (1 - p)
        return total + 0.1 * left.mean() if weight is None else total * weight


@training(rows)
class bayesian(nn.Module):
    """Weights drawn from what the parameters tell, by the local and the flipped way, with their divergence."""

    def __init__(self):
        super().__init__()
        self.mean, self.rho = nn.Parameter(torch.randn(16, D) * 0.3), nn.Parameter(torch.full((16, D), -3.0))
        self.out = nn.Linear(16, 4)

    def forward(self, x, y):
        sigma = F.softplus(self.rho)
        act = F.linear(x, self.mean) + torch.sqrt(F.linear(x**2, sigma**2) + 1e-8) * torch.randn(len(x), 16)
        signs = torch.randint(0, 2, (len(x), D)).float() * 2 - 1
        act = act + F.linear(x * signs, sigma * torch.randn_like(sigma))
        divergence = (0.5 * (sigma**2 + self.mean**2 - 1) - sigma.log()).sum()
        return F.cross_entropy(self.out(torch.relu(act)), y) + divergence / 100


@training(rows)
class straight_through(nn.Module):
    """Choices: Gumbel's softmax made hard, a Bernoulli gate of hard concrete, entmax by bisection, finite scalars."""

    def __init__(self):
        super().__init__()
        self.pick, self.gate, self.out = nn.Linear(D, 5), nn.Parameter(torch.zeros(D)), nn.Linear(D + 5, 4)

    def entmax(self, z):
        low, high = z.amax(-1, keepdim=True) - 1, z.amax(-1, keepdim=True)
        for _ in range(25):
            middle = (low + high) / 2
            above = ((z - middle).clamp(min=0) ** 2).sum(-1, keepdim=True) >= 1
            low, high = torch.where(above, middle, low), torch.where(above, high, middle)
        p = (z - low).clamp(min=0) ** 2
        return p / p.sum(-1, keepdim=True)

    def forward(self, x, y):
        hard = F.gumbel_softmax(self.pick(x), tau=0.7, hard=True)
        u = torch.rand(D).clamp(1e-3, 1 - 1e-3)
        s = torch.sigmoid((u.log() - (1 - u).log() + self.gate) / 0.6) * 1.2 - 0.1
        x = x * s.clamp(0, 1)
        z = torch.tanh(x) * 3.5
        z = z + (z.round() - z).detach()
        soft = self.entmax(self.pick(z) / 2)
        return F.cross_entropy(self.out(torch.cat([z, hard + soft], -1)), y) + 0.01 * torch.sigmoid(self.gate).sum()


@training(rows)
class ghost_norms(nn.Module):
    """Norms that keep numbers of their own: batch renormalization, and responses divided by their running power."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.out = nn.Linear(D, 16, bias=False), nn.Linear(16, 16), nn.Linear(16, 4)
        self.register_buffer("mean", torch.zeros(16))
        self.register_buffer("std", torch.ones(16))
        self.register_buffer("power", torch.ones(16))
        self.threshold = nn.Parameter(torch.zeros(16))

    def forward(self, x, y):
        h = self.a(x)
        mean, std = h.mean(0), h.std(0, unbiased=False) + 1e-3
        r = (std.detach() / self.std).clamp(1 / 3, 3)
        d = ((mean.detach() - self.mean) / self.std).clamp(-5, 5)
        h = (h - mean) / std * r + d
        with torch.no_grad():
            self.mean += 0.1 * (mean - self.mean)
            self.std += 0.1 * (std - self.std)
        h = self.b(h)
        self.power = 0.9 * self.power + 0.1 * h.detach().pow(2).mean(0)
        h = torch.maximum(h / (self.power + 1e-5).sqrt(), self.threshold)
        return F.cross_entropy(self.out(h), y)


@training(lambda g: {"x": ids(g, 4, 7, below=12), "y": ids(g, 4, below=3)})
class embeddings(nn.Module):
    """Tables: one with a padding row, a norm that lookups keep, gradients by frequency, hashed into several, a
    low-rank one."""

    def __init__(self):
        super().__init__()
        self.a, self.c = nn.Embedding(12, D, padding_idx=0), nn.Embedding(12, D, scale_grad_by_freq=True)
        self.b, self.up = nn.Embedding(12, 2), nn.Linear(2, D, bias=False)
        self.hashed = nn.ModuleList(nn.Embedding(5, D) for _ in range(2))
        self.out = nn.Linear(D, 3)

    def forward(self, x, y):
        h = self.a(x) + self.c(x) + self.up(self.b(x)) + sum(t((x * (3 + 2 * i) + i) % 5) for i, t in enumerate(self.hashed))
        seen = (x != 0).unsqueeze(-1)
        return F.cross_entropy(self.out((h * seen).sum(1) / seen.sum(1).clamp(min=1)), y)


@training(rows, refused=r"must not read a computed value .* in methods.py:.*keep it a tensor")
class cumulative_norm(nn.Module):
    """A batch norm that averages over all batches so far, by a count that Python reads."""

    def __init__(self):
        super().__init__()
        self.a, self.norm, self.out = nn.Linear(D, 16), nn.BatchNorm1d(16, momentum=None), nn.Linear(16, 4)

    def forward(self, x, y):
        return F.cross_entropy(self.out(torch.relu(self.norm(self.a(x)))), y)


@training(rows, refused=r"must leave parameters as they are but changes table.weight: .*buffers")
class renormed_table(nn.Module):
    """A table whose rows forward shortens where they are read."""

    def __init__(self):
        super().__init__()
        self.table, self.out = nn.Embedding(4, D, max_norm=1.0), nn.Linear(D, 4)

    def forward(self, x, y):
        return F.cross_entropy(self.out(x * self.table(y)), y)


@training(rows, refused=r"must leave parameters as they are but changes net.weight: .*buffers")
class clipped_in_forward(nn.Module):
    """Weights that forward itself clips, as critics of the first Wasserstein GAN."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(D, 4)

    def forward(self, x, y):
        with torch.no_grad():
            for p in self.net.parameters():
                p.clamp_(-0.05, 0.05)
        return F.cross_entropy(self.net(x), y)


@training(rows, refused=r"a buffer must keep its shape and type but bank becomes \[8, 8\]")
class growing(nn.Module):
    """A buffer that gains rows in each step."""

    def __init__(self):
        super().__init__()
        self.net = nn.Linear(D, 4)
        self.register_buffer("bank", torch.zeros(2, D))

    def forward(self, x, y):
        self.bank = torch.cat([self.bank, x.detach()])
        return F.cross_entropy(self.net(x + self.bank.mean(0)), y)


@training(rows)
class losses_of_boundaries(nn.Module):
    """Losses for rare and noisy labels: focal, asymmetric, class-balanced, symmetric, generalized, margins by class,
    logits adjusted by how often labels occur, and a supervised contrast of all pairs."""

    def __init__(self):
        super().__init__()
        self.net, self.project = mlp(D, 16, 4), nn.Linear(D, 6)
        self.register_buffer("counts", torch.tensor([10.0, 5.0, 2.0, 1.0]))

    def forward(self, x, y):
        logits, one = self.net(x), F.one_hot(y, 4).float()
        log = logits.log_softmax(-1)
        p = log.exp()
        own = log.gather(1, y[:, None]).squeeze(1)
        focal = (-(1 - own.exp()) ** 2 * own).mean()
        s = torch.sigmoid(logits)
        shifted = (1 - s + 0.05).clamp(max=1)
        asymmetric = -(one * torch.log(s.clamp(min=1e-8)) + (1 - one) * torch.log(shifted.clamp(min=1e-8)) * (1 - shifted) ** 4).sum(-1).mean()
        balance = (1 - 0.9) / (1 - 0.9**self.counts)
        balanced = F.cross_entropy(logits, y, weight=balance / balance.sum() * 4)
        symmetric = -(p * torch.log(one.clamp(min=1e-4))).sum(-1).mean()
        general = ((1 - own.exp() ** 0.7) / 0.7).mean()
        margins = F.cross_entropy(30 * (torch.tanh(logits) - one * (0.5 / self.counts**0.25)), y)
        adjusted = F.cross_entropy(logits + torch.log(self.counts / self.counts.sum()), y)
        z = F.normalize(self.project(x), dim=-1)
        pairs = (z @ z.T / 0.1).masked_fill(torch.eye(len(x), dtype=torch.bool), -1e9)
        same = (y[:, None] == y[None]).float() * (1 - torch.eye(len(x)))
        contrast = -((pairs.log_softmax(-1) * same).sum(-1) / same.sum(-1).clamp(min=1)).mean()
        return focal + 0.1 * asymmetric + balanced + 0.1 * symmetric + general + 0.1 * margins + adjusted + 0.1 * contrast


@training(rows)
class gradients_in_modules(nn.Module):
    """Hooks of whole modules that halve a gradient going in and clip one coming out, outputs scaled by a hook, and a
    gradient of norm one where the update reads it."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, 16), nn.Linear(16, 4)
        self.a.register_full_backward_hook(lambda module, inward, outward: tuple(None if g is None else g * 0.5 for g in inward))
        self.b.register_full_backward_pre_hook(lambda module, outward: (outward[0].clamp(-0.05, 0.05),))
        self.a.register_forward_hook(lambda module, args, output: output * 1.1)
        self.b.weight.register_post_accumulate_grad_hook(self.normalize)

    @staticmethod
    def normalize(p):
        p.grad = p.grad / (p.grad.norm() + 1e-6)

    def forward(self, x, y):
        return F.cross_entropy(self.b(torch.tanh(self.a(x * 1.0))), y)


class Window(torch.autograd.Function):
    """Its gradient depends on a number and a word that it keeps; its second result has none."""

    @staticmethod
    def forward(ctx, x, factor, kind):
        ctx.factor, ctx.kind = factor, kind
        ctx.save_for_backward(x)
        ctx.set_materialize_grads(False)
        return x.clone(), x > 0

    @staticmethod
    def backward(ctx, g, _):
        (x,) = ctx.saved_tensors
        return (g * ctx.factor * (x.abs() < 1) if ctx.kind == "hard" else g), None, None


@training(rows)
class kept_numbers(nn.Module):
    """A function of autograd that keeps numbers and words beside tensors."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, 16), nn.Linear(16, 4)

    def forward(self, x, y):
        h, positive = Window.apply(self.a(x), 0.5, "hard")
        return F.cross_entropy(self.b(h * positive), y)


@training(rows, refused="must compute the same whatever it has left in the model, but the next step follows from count")
class annealed(nn.Module):
    """A weight of the loss by a count that Python keeps."""

    def __init__(self):
        super().__init__()
        self.net, self.count = mlp(D, 16, 4), 0

    def forward(self, x, y):
        self.count += 1
        z = self.net(x)
        return F.cross_entropy(z, y) + min(1.0, self.count / 10) * z.pow(2).mean()
