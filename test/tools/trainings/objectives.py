# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is trained for: games, rewards, noise, densities, equations."""

import copy
import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, mlp, normal, training

D = 16


@training(lambda g: {"real": normal(g, 6, D), "z": normal(g, 6, 4), "alpha": torch.rand(6, 1, generator=g)})
class wgan_gp(nn.Module):
    """A critic with a penalty of its gradient, and a generator that learns against it, in one loss by detaching."""

    def __init__(self):
        super().__init__()
        self.g, self.d = mlp(4, 16, D), mlp(D, 16, 16, 1, act=lambda: nn.LeakyReLU(0.2))

    def forward(self, real, z, alpha):
        fake = self.g(z)
        mixed = (alpha * real + (1 - alpha) * fake.detach()).requires_grad_(True)
        grad = torch.autograd.grad(self.d(mixed), mixed, torch.ones(6, 1), create_graph=True, retain_graph=True)[0]
        penalty = ((grad.norm(2, dim=1) - 1) ** 2).mean()
        critic = self.d(fake.detach()).mean() - self.d(real).mean() + 10 * penalty
        weights = [p.detach() for p in self.d.parameters()]
        h = F.leaky_relu(F.linear(fake, weights[0], weights[1]), 0.2)
        h = F.leaky_relu(F.linear(h, weights[2], weights[3]), 0.2)
        return critic - F.linear(h, weights[4], weights[5]).mean()


@training(lambda g: {"real": normal(g, 6, 1, 8, 8), "z": normal(g, 6, 4)})
class spectral_gan(nn.Module):
    """Spectral norms of both kinds, whose vectors are buffers, a standard deviation over the batch as a feature, and a
    penalty at real images."""

    def __init__(self):
        super().__init__()
        self.g = nn.Sequential(nn.ConvTranspose2d(4, 8, 4), nn.BatchNorm2d(8), nn.ReLU(True), nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh())
        self.a = nn.utils.parametrizations.spectral_norm(nn.Conv2d(1, 8, 4, 2, 1))
        self.b, self.c = nn.utils.spectral_norm(nn.Conv2d(8, 8, 4, 2, 1)), nn.Linear(9 * 4, 1)

    def d(self, x):
        h = F.leaky_relu(self.b(F.leaky_relu(self.a(x), 0.2)), 0.2)
        s = (h.view(2, 3, *h.shape[1:]).var(0, unbiased=False) + 1e-8).sqrt().mean([1, 2, 3], keepdim=True)
        return self.c(torch.cat([h, s.repeat(2, 1, 2, 2)], 1).flatten(1))

    def forward(self, real, z):
        fake = self.g(z[..., None, None])
        real = real.detach().requires_grad_()
        score = self.d(real)
        r1 = torch.autograd.grad(score.sum(), real, create_graph=True)[0].pow(2).sum([1, 2, 3]).mean()
        return F.softplus(-score).mean() + F.softplus(self.d(fake.detach())).mean() + 5 * r1 + F.softplus(-self.d(fake)).mean()


def rollout(g):
    return {
        "obs": normal(g, 8, 6),
        "action": ids(g, 8, below=3),
        "old": normal(g, 8) - 1,
        "reward": normal(g, 8),
        "done": (torch.rand(8, generator=g) > 0.8).float(),
        "value": normal(g, 8),
        "cont": normal(g, 8, 2),
    }


@training(rollout)
class ppo(nn.Module):
    """Clipped ratios by torch.distributions, discrete and continuous, advantages by a loop backwards in time."""

    def __init__(self):
        super().__init__()
        self.body, self.pi, self.mu, self.log_std, self.v = (
            mlp(6, 16, 16, act=nn.Tanh),
            nn.Linear(16, 3),
            nn.Linear(16, 2),
            nn.Parameter(torch.zeros(2)),
            nn.Linear(16, 1),
        )

    def forward(self, obs, action, old, reward, done, value, cont):
        with torch.no_grad():
            adv, last = torch.zeros_like(reward), torch.zeros(())
            for t in reversed(range(8)):
                following = value[t + 1] if t < 7 else torch.zeros(())
                delta = reward[t] + 0.99 * following * (1 - done[t]) - value[t]
                adv[t] = last = delta + 0.99 * 0.95 * (1 - done[t]) * last
            returns = adv + value
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        h = self.body(obs)
        dist = torch.distributions.Categorical(logits=self.pi(h))
        gauss = torch.distributions.Normal(self.mu(h), self.log_std.exp().expand(8, 2))
        new = dist.log_prob(action) + gauss.log_prob(cont).sum(-1)
        ratio = torch.exp(new - old.clamp(-3, 0))
        policy = -torch.min(ratio * adv, torch.clamp(ratio, 0.8, 1.2) * adv).mean()
        v = self.v(h).squeeze(-1)
        clipped = value + (v - value).clamp(-0.2, 0.2)
        critic = 0.5 * torch.max((v - returns) ** 2, (clipped - returns) ** 2).mean()
        kl = torch.distributions.kl_divergence(gauss, torch.distributions.Normal(torch.zeros(8, 2), 1.0)).mean()
        return policy + 0.5 * critic - 0.01 * (dist.entropy().mean() + gauss.entropy().mean()) + 0.01 * kl


@training(lambda g: {"s": normal(g, 6, 4), "a": ids(g, 6, 1, below=3), "r": normal(g, 6), "t": normal(g, 6, 4), "d": torch.zeros(6)})
class distributional_q(nn.Module):
    """A categorical Q network with a frozen target, projected onto its atoms by index_add_, and a quantile loss."""

    def __init__(self, n=11):
        super().__init__()
        self.q, self.n = mlp(4, 16, 3 * n), n
        self.target = copy.deepcopy(self.q)
        for p in self.target.parameters():
            p.requires_grad = False
        self.register_buffer("z", torch.linspace(-2, 2, n))

    def forward(self, s, a, r, t, d):
        with torch.no_grad():
            p = self.target(t).view(-1, 3, self.n).softmax(-1)
            best = (p * self.z).sum(-1).argmax(1)
            p = p[torch.arange(6), best]
            b = ((r[:, None] + 0.9 * (1 - d[:, None]) * self.z).clamp(-2, 2) + 2) / (4 / (self.n - 1))
            low, high = b.floor().long(), b.ceil().long()
            # As the message of a refusal says of `low[same] -= 1`.
            same = low == high
            low, high = torch.where(same & (high > 0), low - 1, low), torch.where(same & (high == 0), high + 1, high)
            m, offset = torch.zeros(6, self.n), (torch.arange(6) * self.n)[:, None]
            m.view(-1).index_add_(0, (low + offset).view(-1), (p * (high.float() - b)).view(-1))
            m.view(-1).index_add_(0, (high + offset).view(-1), (p * (b - low.float())).view(-1))
        logits = self.q(s).view(-1, 3, self.n)
        log = logits.gather(1, a[..., None].expand(-1, -1, self.n)).squeeze(1).log_softmax(-1)
        u = m[:, None] - log[..., None].exp()
        tau = (torch.arange(self.n) + 0.5) / self.n
        huber = F.smooth_l1_loss(u, torch.zeros_like(u), reduction="none")
        return -(m * log).sum(-1).mean() + ((tau[None, :, None] - (u.detach() < 0).float()).abs() * huber).mean()


def preferences(g):
    return {
        "chosen": ids(g, 3, 8, below=20),
        "rejected": ids(g, 3, 8, below=20),
        "mask": (torch.arange(8) >= torch.tensor([2, 3, 4])[:, None]).float(),
        "adv": normal(g, 3),
    }


@training(preferences)
class preference(nn.Module):
    """DPO and its kin beside a frozen reference, clipped ratios of tokens, and a loss of the unlikely."""

    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Embedding(20, D), nn.Linear(D, D), nn.ReLU(), nn.Linear(D, 20))
        self.reference = copy.deepcopy(self.policy).eval().requires_grad_(False)

    @staticmethod
    def logps(logits, labels):
        return torch.gather(logits[:, :-1].log_softmax(-1), 2, labels[:, 1:, None]).squeeze(2)

    def forward(self, chosen, rejected, mask, adv):
        both, m = torch.cat([chosen, rejected]), mask[:, 1:]
        logits = self.policy(both)
        tokens = self.logps(logits, both)
        with torch.no_grad():
            old = self.logps(self.reference(both), both)
        pc, pr = (tokens * m.repeat(2, 1)).sum(-1).chunk(2)
        rc, rr = (old * m.repeat(2, 1)).sum(-1).chunk(2)
        d = (pc - pr) - (rc - rr)
        dpo = (-F.logsigmoid(0.1 * d) * 0.9 - F.logsigmoid(-0.1 * d) * 0.1).mean()
        kl = (pr - rr).mean().clamp(min=0).detach()
        kto = (1 - torch.sigmoid(0.1 * ((pc - rc) - kl))).mean()
        ratio = torch.exp(tokens[:3] - old[:3])
        grpo = -(torch.min(ratio * adv[:, None], ratio.clamp(0.8, 1.28) * adv[:, None]) * m).sum() / m.sum().clamp(min=1.0)
        k3 = (torch.exp(old - tokens) - (old - tokens) - 1).mean()
        odds = (pc - pr) - (torch.log1p(-torch.exp(pc / 8 - 1e-3)) - torch.log1p(-torch.exp(pr / 8 - 1e-3)))
        unlikely = -(torch.log((1 - tokens[3:].exp()).clamp(min=1e-5)) * m).mean()
        return dpo + kto + grpo + 0.04 * k3 - 0.1 * F.logsigmoid(odds).mean() + 0.1 * unlikely


@training(lambda g: {"x0": normal(g, 2, 3, 8, 8), "noise": normal(g, 2, 3, 8, 8), "t": ids(g, 2, below=100), "cls": ids(g, 2, below=4)})
class ddpm(nn.Module):
    """A U-Net of residual blocks with embedded times and classes, attention, a learned variance by interpolation, the
    signal-to-noise weight of its loss."""

    class Res(nn.Module):
        def __init__(self, i, o):
            super().__init__()
            self.n1, self.c1, self.e, self.n2, self.c2 = (
                nn.GroupNorm(4, i),
                nn.Conv2d(i, o, 3, 1, 1),
                nn.Linear(16, 2 * o),
                nn.GroupNorm(4, o),
                nn.Conv2d(o, o, 3, 1, 1),
            )
            self.skip = nn.Conv2d(i, o, 1) if i != o else nn.Identity()

        def forward(self, x, e):
            h = self.c1(F.silu(self.n1(x)))
            scale, shift = self.e(F.silu(e))[:, :, None, None].chunk(2, 1)
            return self.skip(x) + self.c2(F.silu(self.n2(h) * (1 + scale) + shift))

    def __init__(self):
        super().__init__()
        betas = torch.linspace(1e-4, 0.02, 100)
        self.register_buffer("acp", torch.cumprod(1 - betas, 0))
        self.register_buffer("betas", betas)
        self.time, self.cls, self.inp = mlp(16, 16, 16, act=nn.SiLU), nn.Embedding(5, 16, padding_idx=4), nn.Conv2d(3, 8, 3, 1, 1)
        self.r1, self.r2, self.r3, self.down, self.up = (
            self.Res(8, 8),
            self.Res(8, 16),
            self.Res(24, 8),
            nn.Conv2d(8, 8, 3, 2, 1),
            nn.Conv2d(16, 16, 3, 1, 1),
        )
        self.norm, self.qkv, self.proj, self.out = nn.GroupNorm(4, 16), nn.Conv1d(16, 48, 1), nn.Conv1d(16, 16, 1), nn.Conv2d(8, 6, 3, 1, 1)

    def forward(self, x0, noise, t, cls):
        a = self.acp[t].view(-1, 1, 1, 1)
        xt = a.sqrt() * x0 + (1 - a).sqrt() * noise
        f = t[:, None].float() * torch.exp(-math.log(10000) * torch.arange(8) / 8)[None]
        e = self.time(torch.cat([f.cos(), f.sin()], -1)) + self.cls(cls)
        h1 = self.r1(self.inp(xt), e)
        h2 = self.r2(self.down(h1), e)
        b, c, h, w = h2.shape
        q, k, v = self.qkv(self.norm(h2).view(b, c, -1)).view(b, 3, c, -1).unbind(1)
        s = torch.einsum("bct,bcs->bts", q * c**-0.25, k * c**-0.25).softmax(-1)
        h2 = h2 + self.proj(torch.einsum("bts,bcs->bct", s, v)).view(b, c, h, w)
        z = self.r3(torch.cat([self.up(F.interpolate(h2, scale_factor=2, mode="nearest")), h1], 1), e)
        eps, frac = self.out(F.silu(z)).chunk(2, 1)
        log = torch.sigmoid(frac) * self.betas[t].log().view(-1, 1, 1, 1) + (1 - torch.sigmoid(frac)) * (self.betas[t] * 0.5).log().view(-1, 1, 1, 1)
        nll = 0.5 * (log + (noise - eps.detach()) ** 2 * torch.exp(-log) * 1e-3).mean()
        snr = a / (1 - a)
        weight = (torch.stack([snr, 5 * torch.ones_like(snr)], 1).min(1)[0] / snr).detach()
        return (weight * (noise - eps) ** 2).mean() + 1e-3 * nll


@training(lambda g: {"x": normal(g, 6, 4), "e": normal(g, 6, 4), "t": torch.rand(6, 1, generator=g), "r": torch.rand(6, 1, generator=g)})
class mean_flow(nn.Module):
    """Flow matching, and a field of mean velocities whose target has its derivative along the flow by
    torch.func.jvp."""

    def __init__(self):
        super().__init__()
        self.f = mlp(6, 32, 4, act=nn.SiLU)

    def u(self, z, r, t):
        return self.f(torch.cat([z, r, t], -1))

    def forward(self, x, e, t, r):
        r = r * t
        z, v = (1 - t) * x + t * e, e - x
        u, dudt = torch.func.jvp(self.u, (z, r, t), (v, torch.zeros_like(r), torch.ones_like(t)))
        target = (v - (t - r) * dudt).detach()
        err = (u - target).pow(2).sum(-1)
        return (err / (err.detach() + 1e-3)).mean() + F.mse_loss(self.u(z, t, t), v)


@training(lambda g: {"x": normal(g, 6, 4), "v": normal(g, 6, 4)})
class score_matching(nn.Module):
    """Sliced score matching of an energy: a gradient, and a product of its Jacobian, both trained through."""

    def __init__(self):
        super().__init__()
        self.energy = mlp(4, 32, 32, 1, act=nn.Softplus)

    def forward(self, x, v):
        x = x.requires_grad_(True)
        score = -torch.autograd.grad(self.energy(x).sum(), x, create_graph=True)[0]
        jv = torch.autograd.grad((score * v).sum(), x, create_graph=True)[0]
        return ((jv * v).sum(-1) + 0.5 * (score**2).sum(-1)).mean()


@training(lambda g: {"x": normal(g, 6, 4)})
class flows(nn.Module):
    """Couplings, an invertible matrix by its LU factors and another by its determinant, a masked autoregressive part, a
    spline of rational quadratics."""

    def __init__(self, d=4, bins=4):
        super().__init__()
        self.st, self.nb = mlp(2, 16, 4, act=nn.Tanh), bins
        p, low, up = torch.linalg.lu(torch.linalg.qr(torch.randn(d, d))[0])
        self.register_buffer("p", p)
        self.low, self.up, self.log_s = nn.Parameter(low.tril(-1)), nn.Parameter(up.triu(1)), nn.Parameter(up.diagonal().abs().log())
        self.register_buffer("sign", up.diagonal().sign())
        self.w = nn.Parameter(torch.eye(d) + 0.1 * torch.randn(d, d))
        m1 = torch.arange(d)[None] <= (torch.arange(16) % (d - 1))[:, None]
        m2 = (torch.arange(d).repeat(2) - 1)[:, None] >= (torch.arange(16) % (d - 1))[None]
        self.register_buffer("m1", m1.float())
        self.register_buffer("m2", m2.float())
        self.made = nn.ModuleList([nn.Linear(d, 16), nn.Linear(16, 2 * d)])
        self.spline = nn.Parameter(torch.randn(d, 3 * bins + 1) * 0.3)

    def forward(self, x):
        a, b = x.chunk(2, -1)
        s, t = self.st(a).chunk(2, -1)
        s = torch.tanh(s)
        z, logdet = torch.cat([a, b * s.exp() + t], -1), s.sum(-1)
        w = self.p @ (self.low.tril(-1) + torch.eye(4)) @ (self.up.triu(1) + torch.diag(self.sign * self.log_s.exp()))
        z, logdet = z @ w.T, logdet + self.log_s.sum()
        z, logdet = z @ self.w.T, logdet + torch.linalg.slogdet(self.w)[1]
        h = F.relu(F.linear(z, self.made[0].weight * self.m1, self.made[0].bias))
        mu, alpha = F.linear(h, self.made[1].weight * self.m2, self.made[1].bias).chunk(2, -1)
        alpha = torch.tanh(alpha)
        z, logdet = (z - mu) * torch.exp(-alpha), logdet - alpha.sum(-1)
        # The spline, between -3 and 3, the identity beyond.
        n = self.nb
        wide, high, d = self.spline[:, :n].softmax(-1) * 6, self.spline[:, n : 2 * n].softmax(-1) * 6, F.softplus(self.spline[:, 2 * n :]) + 1e-3
        xs, ys = (F.pad(torch.cumsum(k, -1), (1, 0)) - 3 for k in (wide, high))
        inside = (z > -3) & (z < 3)
        at = torch.where(inside, z, torch.zeros_like(z))
        index = torch.sum(at[..., None] >= xs[..., :-1], -1) - 1

        def pick(k):
            return torch.gather(k.expand(len(z), -1, -1), -1, index[..., None])[..., 0]

        x0, y0, wk, hk, d0, d1 = pick(xs), pick(ys), pick(wide), pick(high), pick(d[:, :-1]), pick(d[:, 1:])
        theta, sk = (at - x0) / wk, hk / wk
        den = sk + (d0 + d1 - 2 * sk) * theta * (1 - theta)
        out = y0 + hk * (sk * theta**2 + d0 * theta * (1 - theta)) / den
        slope = torch.log(sk**2 * (d1 * theta**2 + 2 * sk * theta * (1 - theta) + d0 * (1 - theta) ** 2)) - 2 * torch.log(den)
        z, logdet = torch.where(inside, out, z), logdet + torch.where(inside, slope, 0).sum(-1)
        return (0.5 * (z**2 + math.log(2 * math.pi)).sum(-1) - logdet).mean()


@training(lambda g: {"x": torch.rand(8, 1, generator=g), "t": torch.rand(8, 1, generator=g)}, lambda m: torch.optim.Adam(m.parameters(), lr=1e-3))
class pinn(nn.Module):
    """An equation's residual by second derivatives, sines as activations, and its edges."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.nu = nn.Linear(2, 16), nn.Linear(16, 16), nn.Linear(16, 1), nn.Parameter(torch.tensor(0.1))

    def u(self, x, t):
        return self.c(torch.tanh(self.b(torch.sin(30 * self.a(torch.cat([x, t], 1)) / 10))))

    def forward(self, x, t):
        x, t = x.clone().requires_grad_(), t.clone().requires_grad_()
        u = self.u(x, t)
        ux, ut = torch.autograd.grad(u, [x, t], torch.ones_like(u), create_graph=True)
        uxx = torch.autograd.grad(ux, x, torch.ones_like(ux), create_graph=True)[0]
        edge = self.u(torch.zeros_like(t), t).pow(2).mean() + (self.u(x, torch.zeros_like(x)) + torch.sin(torch.pi * x)).pow(2).mean()
        return (ut + u * ux - self.nu * uxx).pow(2).mean() + edge


@training(lambda g: {"q": normal(g, 6, 2), "p": normal(g, 6, 2), "end": normal(g, 6, 4)})
class dynamics(nn.Module):
    """A Hamiltonian's flow by leapfrog steps, Runge-Kutta of a neural equation, a fixed point by iteration."""

    def __init__(self):
        super().__init__()
        self.h, self.f, self.z = mlp(4, 16, 1, act=nn.Tanh), mlp(4, 16, 4, act=nn.Tanh), nn.Linear(8, 4)

    def forward(self, q, p, end):
        with torch.enable_grad():
            q, p = q.requires_grad_(), p.requires_grad_()
            for _ in range(2):
                dq, dp = torch.autograd.grad(self.h(torch.cat([q, p], -1)).sum(), (q, p), create_graph=True)
                q, p = q + 0.1 * dp, p - 0.1 * dq
        y = torch.cat([q, p], -1)
        for _ in range(2):
            k1 = self.f(y)
            k2 = self.f(y + 0.05 * k1)
            k3 = self.f(y + 0.05 * k2)
            y = y + 0.1 / 6 * (k1 + 2 * k2 + 2 * k3 + self.f(y + 0.1 * k3))
        z = torch.zeros_like(y)
        with torch.no_grad():
            for _ in range(4):
                z = torch.tanh(self.z(torch.cat([z, y], -1)))
        z = torch.tanh(self.z(torch.cat([z, y], -1)))
        return F.mse_loss(z, end)


@training(lambda g: {"x": normal(g, 2, 5, 4), "y": normal(g, 2, 5, 1), "qx": normal(g, 2, 5, 4), "qy": normal(g, 2, 5, 1)})
class maml(nn.Module):
    """Steps of gradient descent inside, through which the outer loss differentiates, with rates that are learned."""

    def __init__(self):
        super().__init__()
        self.net, self.rate = mlp(4, 16, 1, act=nn.Tanh), nn.Parameter(torch.tensor(0.1))

    def forward(self, x, y, qx, qy):
        total = 0
        for i in range(2):
            fast = dict(self.net.named_parameters())
            for _ in range(2):
                loss = F.mse_loss(torch.func.functional_call(self.net, fast, (x[i],)), y[i])
                grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
                fast = {n: p - self.rate * g for (n, p), g in zip(fast.items(), grads)}
            total = total + F.mse_loss(torch.func.functional_call(self.net, fast, (qx[i],)), qy[i])
        return total / 2


@training(lambda g: {"x": normal(g, 6, D)})
class vae(nn.Module):
    """A reparameterized normal, its divergence in closed form and by torch.distributions, free bits, and a categorical
    by Gumbel noise."""

    def __init__(self):
        super().__init__()
        self.enc, self.dec, self.cat = mlp(D, 16, 8), mlp(4 + 3, 16, D), nn.Linear(D, 3)

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, -1)
        std = torch.exp(0.5 * logvar)
        z = mu + torch.randn_like(std) * std
        c = F.gumbel_softmax(self.cat(x), tau=0.7, hard=True)
        kl = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp())
        free = torch.clamp(kl.mean(0), min=0.05).sum()
        other = (
            torch.distributions.kl_divergence(
                torch.distributions.Normal(mu, std), torch.distributions.Normal(torch.zeros_like(mu), torch.ones_like(std))
            )
            .sum(-1)
            .mean()
        )
        return F.mse_loss(self.dec(torch.cat([z, c], -1)), x, reduction="sum") / len(x) + 0.5 * (free + other)


@training(lambda g: {"s": normal(g, 6, 4), "r": normal(g, 6)})
class soft_actor(nn.Module):
    """Actions drawn through a squashed normal by rsample, two critics, a temperature that is learned."""

    def __init__(self):
        super().__init__()
        self.pi, self.q1, self.q2, self.log_alpha = mlp(4, 16, 4), mlp(6, 16, 1), mlp(6, 16, 1), nn.Parameter(torch.zeros(()))

    def forward(self, s, r):
        mean, log_std = self.pi(s).chunk(2, -1)
        dist = torch.distributions.Normal(mean, log_std.clamp(-5, 2).exp())
        u = dist.rsample()
        a = torch.tanh(u)
        logp = (dist.log_prob(u) - 2 * (math.log(2) - u - F.softplus(-2 * u))).sum(-1)
        q = torch.min(self.q1(torch.cat([s, a], -1)), self.q2(torch.cat([s, a], -1))).squeeze(-1)
        critic = sum(F.mse_loss(f(torch.cat([s, a.detach()], -1)).squeeze(-1), r) for f in (self.q1, self.q2))
        return (self.log_alpha.exp().detach() * logp - q).mean() + critic - (self.log_alpha * (logp.detach() - 2)).mean()


@training(lambda g: {"x": normal(g, 2, 5, 4), "y": normal(g, 2, 6, 4)})
class transport(nn.Module):
    """Sinkhorn's iterations in logarithms, a soft alignment in time by its recursion, and sorted slices."""

    def __init__(self):
        super().__init__()
        self.f, self.g = mlp(4, 16, 4), nn.Linear(4, 4)

    def forward(self, x, y):
        x, y = self.f(x), self.g(y)
        c = torch.cdist(x, y, p=2) ** 2
        u, v = torch.zeros(2, 5), torch.zeros(2, 6)
        for _ in range(4):
            u = 0.5 * (math.log(1 / 5) - torch.logsumexp((v[:, None] - c) / 0.5, -1))
            v = 0.5 * (math.log(1 / 6) - torch.logsumexp((u[..., None] - c) / 0.5, -2))
        plan = torch.exp((u[..., None] + v[:, None] - c) / 0.5)
        r = torch.full((2, 6, 7), torch.inf)
        r[:, 0, 0] = 0
        rows = [list(r[:, i].unbind(-1)) for i in range(6)]
        for i in range(1, 6):
            for j in range(1, 7):
                near = torch.stack([rows[i - 1][j - 1], rows[i - 1][j], rows[i][j - 1]], -1)
                rows[i][j] = c[:, i - 1, j - 1] - torch.logsumexp(-near, -1)
        sliced = (torch.sort(x @ torch.eye(4), 1)[0] - torch.sort(y[:, :5], 1)[0]).pow(2).mean()
        return (plan * c).sum((1, 2)).mean() + 0.1 * rows[5][6].mean() + sliced


@training(lambda g: {"x": normal(g, 8, 3), "y": normal(g, 8)})
class deep_kernel(nn.Module):
    """A Gaussian process over learned features: its marginal likelihood by a Cholesky factor."""

    def __init__(self):
        super().__init__()
        self.f, self.log_noise, self.log_scale = mlp(3, 16, 2), nn.Parameter(torch.tensor(-1.0)), nn.Parameter(torch.zeros(2))

    def forward(self, x, y):
        z = self.f(x) / self.log_scale.exp()
        k = torch.exp(-0.5 * torch.cdist(z, z).pow(2)) + (self.log_noise.exp() + 1e-4) * torch.eye(8)
        low = torch.linalg.cholesky(k)
        alpha = torch.cholesky_solve(y[:, None], low)
        mvn = torch.distributions.MultivariateNormal(torch.zeros(8), scale_tril=low).log_prob(y)
        return 0.5 * (y @ alpha).squeeze() + low.diagonal().log().sum() - 0.1 * mvn


@training(
    lambda g: {"a": normal(g, 6, 4), "b": normal(g, 6, 4)},
    lambda m: [torch.optim.Adam(m.g.parameters(), lr=1e-3), torch.optim.Adam(m.d.parameters(), lr=2e-3)],
)
class two_players(nn.Module):
    """A generator and a discriminator with an optimizer each, whose losses are added with detached halves."""

    def __init__(self):
        super().__init__()
        self.g, self.d = mlp(4, 16, 4), mlp(4, 16, 1)

    def forward(self, a, b):
        fake = self.g(a)
        frozen = {n: p.detach() for n, p in self.d.named_parameters()}
        g = F.binary_cross_entropy_with_logits(torch.func.functional_call(self.d, frozen, (fake,)), torch.ones(6, 1))
        d = F.binary_cross_entropy_with_logits(self.d(b), torch.full((6, 1), 0.9)) + F.binary_cross_entropy_with_logits(
            self.d(fake.detach()), torch.zeros(6, 1)
        )
        return g + d
