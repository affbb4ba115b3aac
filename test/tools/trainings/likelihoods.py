# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is likely: counts, evidence, times until events, orders, chains and trees of states, rewards of groups."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, mlp, normal, training

D = 8


def rows(g):
    return {"x": normal(g, 6, D), "y": ids(g, 6, below=4)}


@training(lambda g: {"x": torch.rand(6, 12, generator=g).mul(20).floor(), "b": ids(g, 6, below=3)})
class zero_inflated(nn.Module):
    """Counts of genes by a zero-inflated negative binomial, library sizes by a log-normal, batches one-hot (scVI)."""

    def __init__(self):
        super().__init__()
        self.enc, self.dec = mlp(12 + 3, 16, 8), mlp(4 + 3, 16, 24)
        self.log_theta = nn.Parameter(torch.randn(12, 3))

    def forward(self, x, b):
        one = F.one_hot(b, 3).float()
        mean, logvar = self.enc(torch.cat([torch.log1p(x), one], -1)).chunk(2, -1)
        qz = torch.distributions.Normal(mean, logvar.exp().sqrt() + 1e-4)
        z = qz.rsample()
        scale, gate = self.dec(torch.cat([z, one], -1)).chunk(2, -1)
        mu = scale.softmax(-1) * x.sum(-1, keepdim=True)
        theta = F.linear(one, self.log_theta).exp()
        eps = 1e-8
        sp = F.softplus(-gate)
        lt = torch.log(theta + mu + eps)
        pt = -gate + theta * (torch.log(theta + eps) - lt)
        zero = F.softplus(pt) - sp
        nonzero = -sp + pt + x * (torch.log(mu + eps) - lt) + torch.lgamma(x + theta) - torch.lgamma(theta) - torch.lgamma(x + 1)
        log = torch.mul((x < eps).float(), zero) + torch.mul((x > eps).float(), nonzero)
        nb = torch.distributions.NegativeBinomial(total_count=theta, logits=(mu + eps).log() - (theta + eps).log(), validate_args=False)
        kl = torch.distributions.kl_divergence(qz, torch.distributions.Normal(0.0, 1.0)).sum(-1)
        return (kl - log.sum(-1)).mean() - 0.1 * nb.log_prob(x).mean()


@training(rows)
class evidential(nn.Module):
    """Evidence of a Dirichlet (digamma), its divergence to the even one, and a normal-inverse-gamma regression."""

    def __init__(self):
        super().__init__()
        self.net, self.reg = mlp(D, 16, 4), nn.Linear(D, 4)

    def forward(self, x, y):
        alpha = F.softplus(self.net(x)) + 1
        one, s = F.one_hot(y, 4).float(), alpha.sum(-1, keepdim=True)
        fit = (one * (torch.digamma(s) - torch.digamma(alpha))).sum(-1).mean()
        a = one + (1 - one) * alpha
        kl = torch.distributions.kl_divergence(torch.distributions.Dirichlet(a), torch.distributions.Dirichlet(torch.ones(6, 4))).mean()
        gamma, v, al, be = self.reg(x).unbind(-1)
        v, al, be = F.softplus(v), F.softplus(al) + 1, F.softplus(be)
        t = x[:, 0]
        om = 2 * be * (1 + v)
        nll = (
            0.5 * torch.log(math.pi / v)
            - al * torch.log(om)
            + (al + 0.5) * torch.log(v * (t - gamma) ** 2 + om)
            + torch.lgamma(al)
            - torch.lgamma(al + 0.5)
        )
        beta = torch.distributions.Beta(al, be + 0.5).log_prob(torch.sigmoid(t))
        gam = torch.distributions.Gamma(al, be + 0.1).log_prob(t.abs() + 0.1)
        st = torch.distributions.StudentT(al + 1, gamma, be + 0.1).log_prob(t)
        lap = torch.distributions.Laplace(gamma, be + 0.1).log_prob(t)
        return fit + 0.1 * kl + nll.mean() - 0.01 * (beta + gam + st + lap).mean()


@training(lambda g: {"x": normal(g, 8, D), "time": torch.rand(8, generator=g) + 0.1, "event": torch.rand(8, generator=g) > 0.4})
class survival(nn.Module):
    """Cox's partial likelihood over sorted times, discrete hazards, a Weibull and a concordance made smooth."""

    def __init__(self):
        super().__init__()
        self.risk, self.hazard, self.weibull = mlp(D, 16, 1), nn.Linear(D, 5), nn.Linear(D, 2)

    def forward(self, x, time, event):
        order = torch.argsort(time, descending=True)
        h = self.risk(x).squeeze(-1)
        hs, e = h[order], event[order].float()
        cox = -((hs - torch.logcumsumexp(hs, 0)) * e).sum() / e.sum().clamp(min=1)
        bins = torch.bucketize(time, torch.linspace(0.2, 1.0, 4))
        logits = self.hazard(x)
        y = torch.zeros_like(logits).scatter(1, bins[:, None], event[:, None].float())
        bce = F.binary_cross_entropy_with_logits(logits, y, reduction="none")
        dis = bce.cumsum(1).gather(1, bins[:, None]).mean()
        k, lam = F.softplus(self.weibull(x)).unbind(-1)
        w = torch.distributions.Weibull(lam + 0.1, k + 0.1)
        wl = -(event * w.log_prob(time) + ~event * -((time / (lam + 0.1)) ** (k + 0.1))).mean()
        i, j = torch.combinations(torch.arange(8)).unbind(1)
        d = torch.sign(time[i] - time[j]) * (h[j] - h[i])
        usable = torch.where(time[i] < time[j], event[i], event[j])
        conc = (F.softplus(-d) * usable).sum() / usable.sum().clamp(min=1)
        return cox + dis + wl + conc


@training(lambda g: {"x": normal(g, 3, 7, D), "rel": ids(g, 3, 7, below=4)})
class learning_to_rank(nn.Module):
    """ListNet, LambdaRank by ranks of ranks, a smooth NDCG by NeuralSort, SoftRank by pairs; Plackett-Luce."""

    def __init__(self):
        super().__init__()
        self.f = mlp(D, 16, 1)

    def forward(self, x, rel):
        s, r = self.f(x).squeeze(-1), rel.float()
        listnet = -(r.softmax(-1) * s.log_softmax(-1)).sum(-1).mean()
        rank = s.detach().argsort(-1, descending=True).argsort(-1)
        gain, disc = 2**r - 1, 1 / torch.log2(rank.float() + 2)
        ideal = (torch.sort(gain, -1, descending=True)[0] / torch.log2(torch.arange(7) + 2.0)).sum(-1).clamp(min=1e-3)
        dn = ((gain[:, :, None] - gain[:, None]).abs() * (disc[:, :, None] - disc[:, None]).abs()) / ideal[:, None, None]
        lam = (dn * F.softplus(-(s[:, :, None] - s[:, None])) * (rel[:, :, None] > rel[:, None])).sum((1, 2)).mean()
        A = (s[:, :, None] - s[:, None]).abs()
        B = A @ torch.ones(7, 1)
        C = s[:, None] * (7 + 1 - 2 * (torch.arange(7) + 1.0))[:, None]
        P = ((C - B.transpose(1, 2)) / 1.0).softmax(-1)
        neural = -((P @ gain[..., None]).squeeze(-1) / torch.log2(torch.arange(7) + 2.0)).sum(-1).div(ideal).mean()
        order = torch.argsort(r, dim=-1, descending=True, stable=True)
        so = s.gather(1, order)
        pl = -(so - torch.logcumsumexp(so.flip(-1), -1).flip(-1)).sum(-1).mean()
        approx = 1 + torch.sigmoid((s[:, None] - s[:, :, None]) / 0.1).sum(-1) - 0.5
        mrr = (r.clamp(max=1) / approx).amax(-1).mean()
        return listnet + lam + 0.1 * neural + 0.1 * pl - 0.1 * mrr


@training(lambda g: {"c": ids(g, 8, below=20), "o": ids(g, 8, below=20)})
class word_vectors(nn.Module):
    """Negative samples by their frequency, a hierarchical softmax by paths, GloVe's weights."""

    def __init__(self):
        super().__init__()
        self.u, self.v, self.nodes, self.b = nn.Embedding(20, D), nn.Embedding(20, D), nn.Embedding(31, D), nn.Embedding(20, 1)
        self.register_buffer("freq", torch.arange(1.0, 21) ** 0.75)

    def forward(self, c, o):
        u, v = self.u(c), self.v(o)
        n = self.v(torch.multinomial(self.freq, 8 * 3, replacement=True).view(8, 3))
        loss = -(F.logsigmoid((u * v).sum(-1)) + F.logsigmoid(-(n @ u[..., None]).squeeze(-1)).sum(-1)).mean()
        bits = (o[:, None] >> torch.arange(4, -1, -1)) & 1
        at = torch.zeros(8, dtype=torch.long)
        for i in range(5):
            loss = loss + F.softplus((1 - 2.0 * bits[:, i]) * (self.nodes(at) * u).sum(-1)).mean()
            at = at * 2 + 1 + bits[:, i]
            at = at.clamp(max=30)
        x = (c + o + 1).float()
        w = (x / 20).clamp(max=1) ** 0.75
        return loss + (w * ((u * v).sum(-1) + self.b(c).squeeze(-1) + self.b(o).squeeze(-1) - x.log()) ** 2).mean()


@training(lambda g: {"x": normal(g, 3, 6, 4), "y": normal(g, 3, 4)})
class hmm(nn.Module):
    """A forward algorithm in logarithms, a Kalman filter, a semi-Markov sum; matrices by logdet of a Laplacian
    (spanning trees)."""

    def __init__(self, k=3):
        super().__init__()
        self.start, self.trans, self.mean, self.ls = (
            nn.Parameter(torch.zeros(k)),
            nn.Parameter(torch.randn(k, k)),
            nn.Parameter(torch.randn(k, 4)),
            nn.Parameter(torch.zeros(k, 4)),
        )
        self.A, self.Q, self.R, self.arc = (
            nn.Parameter(torch.eye(4) * 0.9),
            nn.Parameter(torch.zeros(4)),
            nn.Parameter(torch.zeros(4)),
            nn.Bilinear(4, 4, 1),
        )

    def forward(self, x, y):
        e = torch.distributions.Normal(self.mean, self.ls.exp()).log_prob(x[:, :, None]).sum(-1)
        a = self.start.log_softmax(0) + e[:, 0]
        t = self.trans.log_softmax(-1)
        for i in range(1, 6):
            a = torch.logsumexp(a[:, :, None] + t, 1) + e[:, i]
        m, P, nll = torch.zeros(3, 4), torch.eye(4).expand(3, 4, 4), 0
        for i in range(2):
            m, P = m @ self.A.T, self.A @ P @ self.A.T + torch.diag(self.Q.exp())
            S = P + torch.diag(self.R.exp())
            r = (x[:, i] - m)[..., None]
            nll = nll + 0.5 * (torch.logdet(S) + (r.mT @ torch.linalg.solve(S, r)).squeeze())
            K = torch.linalg.solve(S, P).mT
            m, P = m + (K @ r).squeeze(-1), P - K @ P
        h = x[:, :5]
        w = self.arc(h[:, :, None].expand(-1, -1, 5, -1).reshape(-1, 4), h[:, None].expand(-1, 5, -1, -1).reshape(-1, 4)).view(3, 5, 5).exp() * (
            1 - torch.eye(5)
        )
        lap = torch.diag_embed(w.sum(1)) - w
        return -torch.logsumexp(a, -1).mean() + nll.mean() + torch.logdet(lap[:, 1:, 1:]).mean() + F.mse_loss(m, y)


@training(
    lambda g: {
        "q": ids(g, 2, 3, 6, below=20),
        "r": normal(g, 2, 3),
        "m": torch.arange(6)[None, None] < torch.tensor([[6, 4, 3], [5, 6, 2]])[..., None],
    }
)
class group_relative(nn.Module):
    """Advantages within a group, with ratios of tokens and of sequences, the entropy of the least certain, one left
    out, a reward that prefers, a margin without a reference."""

    def __init__(self):
        super().__init__()
        self.policy = nn.Sequential(nn.Embedding(20, 16), nn.Linear(16, 16), nn.Tanh())
        self.lm, self.value = nn.Linear(16, 20), nn.Linear(16, 1)
        self.register_buffer("old", torch.zeros(2, 3, 5) - 3)

    def forward(self, q, r, m):
        h = self.policy(q)
        logits = self.lm(h)[:, :, :-1] / 0.9
        logp = torch.log_softmax(logits, -1).gather(-1, q[:, :, 1:, None]).squeeze(-1)
        m = m[:, :, 1:].float()
        adv = (r - r.mean(1, keepdim=True)) / (r.std(1, keepdim=True) + 1e-4)
        rloo = r - (r.sum(1, keepdim=True) - r) / 2
        ratio = (logp - self.old).exp()
        grpo = -((torch.min(ratio * adv[..., None], ratio.clamp(0.8, 1.28) * adv[..., None]) * m).sum(-1) / m.sum(-1).clamp(min=1)).mean()
        seq = (((logp - self.old) * m).sum(-1) / m.sum(-1).clamp(min=1)).exp()
        stop = seq.detach()[..., None] * (logp - logp.detach()).exp()
        gspo = -((torch.min(stop * adv[..., None], stop.clamp(0.9, 1.1) * adv[..., None]) * m).sum() / m.sum())
        p = logits.softmax(-1)
        ent = torch.logsumexp(logits, -1) - (p * logits).sum(-1)
        thr = torch.quantile(ent.detach().flatten(), 0.8)
        top = (ent * (ent.detach() >= thr) * m).sum() / m.sum()
        v = self.value(h).squeeze(-1)[:, :, :-1]
        bt = -F.logsigmoid(v[:, 0, -1] - v[:, 1, -1] - 0.1).mean()
        simpo = -F.logsigmoid(2.0 * ((logp * m).sum(-1) / m.sum(-1))[:, :2].diff(dim=-1)).mean()
        with torch.no_grad():
            self.old.lerp_(logp, 0.5)
        return (
            grpo
            + gspo
            - 0.01 * top
            - (rloo.detach() * (logp * m).sum(-1)).mean() * 0.01
            + bt
            + simpo
            + F.mse_loss(v, r[..., None].expand_as(v))
            + ((self.old - logp).exp() - (self.old - logp) - 1).mean() * 0.0
        )


@training(lambda g: {"x": ids(g, 3, 8, below=20), "y": ids(g, 3, 8, below=20), "keep": torch.rand(3, 8, generator=g) < 0.5})
class masked_diffusion(nn.Module):
    """Tokens masked at a random rate for each row, a loss weighed by the rate, z-loss, soft caps, QK norms, ALiBi."""

    def __init__(self):
        super().__init__()
        self.e, self.q, self.o, self.out = nn.Embedding(21, 16), nn.Linear(16, 48, bias=False), nn.Linear(16, 16, bias=False), nn.Linear(16, 20)
        self.qs, self.sink = nn.Parameter(torch.ones(8)), nn.Parameter(torch.zeros(2))

    def forward(self, x, y, keep):
        t = torch.rand(3, 1) * 0.9 + 0.1
        m = torch.rand(3, 8) < t
        h = self.e(torch.where(m, 20, x))
        q, k, v = self.q(F.rms_norm(h, (16,))).view(3, 8, 3, 2, 8).permute(2, 0, 3, 1, 4)
        q, k = F.normalize(q, dim=-1) * self.qs * 8**0.5, F.normalize(k, dim=-1) * self.qs
        s = 20 * torch.tanh(q @ k.mT / 20) - torch.tensor([0.5, 0.25])[:, None, None] * (torch.arange(8)[:, None] - torch.arange(8)).abs()
        s = torch.cat([s, self.sink[None, :, None, None].expand(3, 2, 8, 1)], -1).softmax(-1)[..., :-1]
        h = h + self.o((s @ v).transpose(1, 2).flatten(2))
        z = self.out(F.rms_norm(h, (16,)))
        ce = F.cross_entropy(z.flatten(0, 1), y.flatten(), reduction="none").view(3, 8)
        return (ce * m / t).sum() / 24 + 1e-3 * (torch.logsumexp(z, -1) ** 2 * keep).mean()
