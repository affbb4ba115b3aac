# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Representations: contrast, copies of oneself, metrics, teachers."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, mlp, normal, training

D = 16


def views(g):
    return {"a": normal(g, 6, D), "b": normal(g, 6, D)}


@training(views)
class simclr(nn.Module):
    """Both views against all others, the own one left out by an infinity."""

    def __init__(self):
        super().__init__()
        self.f = mlp(D, 32, 8)

    def forward(self, a, b):
        z = F.normalize(self.f(torch.cat([a, b])), dim=1)
        s = z @ z.T / 0.5
        s.fill_diagonal_(float("-inf"))
        n = len(a)
        return F.cross_entropy(s, torch.cat([torch.arange(n, 2 * n), torch.arange(n)]))


@training(lambda g: {"image": normal(g, 4, D), "text": ids(g, 4, 6, below=20)})
class clip(nn.Module):
    """Images and texts with a temperature that is clamped, and SigLIP's loss of pairs beside it."""

    def __init__(self):
        super().__init__()
        self.v, self.t, self.p = mlp(D, 32, 8), nn.Embedding(20, 8), nn.Linear(8, 8)
        self.logit_scale, self.logit_bias = nn.Parameter(torch.ones([]) * math.log(1 / 0.07)), nn.Parameter(torch.ones(()) * -10)

    def forward(self, image, text):
        x = self.t(text)
        x = x[torch.arange(x.shape[0]), text.argmax(dim=-1)]
        v, t = F.normalize(self.v(image), dim=-1), F.normalize(self.p(x), dim=-1)
        logits = self.logit_scale.clamp(max=math.log(100)).exp() * v @ t.t()
        labels = torch.arange(len(logits))
        both = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2
        return both - F.logsigmoid((2 * torch.eye(len(logits)) - 1) * (logits + self.logit_bias)).sum() / len(logits)


@training(views)
class dino(nn.Module):
    """A teacher in buffers, its outputs centered by what all batches were, and a last layer with a fixed norm."""

    def __init__(self):
        super().__init__()
        self.student, self.last = mlp(D, 32, 8, act=nn.GELU), nn.utils.parametrizations.weight_norm(nn.Linear(8, 12, bias=False))
        self.last.parametrizations.weight.original0.data.fill_(1)
        self.last.parametrizations.weight.original0.requires_grad = False
        for i, p in enumerate([*self.student.parameters(), self.last.weight]):
            self.register_buffer(f"teacher{i}", p.detach().clone())
        self.register_buffer("center", torch.zeros(1, 12))

    def forward(self, a, b):
        def teacher(x):
            h = F.gelu(F.linear(x, self.teacher0, self.teacher1))
            return F.linear(F.normalize(F.linear(h, self.teacher2, self.teacher3), dim=-1), self.teacher4)

        with torch.no_grad():
            t = torch.cat([teacher(a), teacher(b)])
            q = F.softmax((t - self.center) / 0.04, -1).chunk(2)
        s = [F.log_softmax(self.last(F.normalize(self.student(x), dim=-1)) / 0.1, -1) for x in (a, b)]
        loss = (torch.sum(-q[0] * s[1], -1).mean() + torch.sum(-q[1] * s[0], -1).mean()) / 2
        with torch.no_grad():
            self.center.copy_(self.center * 0.9 + t.mean(0, keepdim=True) * 0.1)
            for i, p in enumerate([*self.student.parameters(), self.last.weight]):
                held = getattr(self, f"teacher{i}")
                held.mul_(0.996).add_(p.detach(), alpha=0.004)
        return loss


@training(views)
class moco(nn.Module):
    """A queue of keys in a buffer with a pointer that goes around."""

    def __init__(self, k=18):
        super().__init__()
        self.f, self.k = mlp(D, 16, 8), k
        self.register_buffer("queue", F.normalize(torch.randn(8, k), dim=0))
        self.register_buffer("queue_ptr", torch.zeros(1, dtype=torch.long))

    def forward(self, a, b):
        q = F.normalize(self.f(a), dim=1)
        with torch.no_grad():
            key = F.normalize(self.f(b), dim=1)
        logits = torch.cat([torch.einsum("nc,nc->n", q, key)[:, None], torch.einsum("nc,ck->nk", q, self.queue.clone().detach())], 1) / 0.07
        with torch.no_grad():
            at = (self.queue_ptr + torch.arange(len(key))) % self.k
            self.queue[:, at] = key.T
            self.queue_ptr[0] = (self.queue_ptr[0] + len(key)) % self.k
        return F.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long))


@training(views)
class barlow(nn.Module):
    """Redundancy between features, and their variances and covariances."""

    def __init__(self):
        super().__init__()
        self.f, self.bn = mlp(D, 32, 8), nn.BatchNorm1d(8, affine=False)

    def forward(self, a, b):
        za, zb = self.f(a), self.f(b)
        c = self.bn(za).T @ self.bn(zb) / len(a)
        off = c.flatten()[:-1].view(7, 9)[:, 1:].flatten().pow(2).sum()
        std = torch.sqrt(za.var(dim=0) + 1e-4)
        x = za - za.mean(0)
        cov = x.T @ x / (len(a) - 1)
        return torch.diagonal(c).add(-1).pow(2).sum() + 0.005 * off + F.relu(1 - std).mean() + (cov - torch.diag(cov.diagonal())).pow(2).sum() / 8


@training(lambda g: {"x": normal(g, 8, D), "y": ids(g, 8, below=3)})
class metric(nn.Module):
    """The hardest triplets of a batch, angles with a margin, centers, and a contrast by labels."""

    def __init__(self):
        super().__init__()
        self.f, self.w, self.centers = mlp(D, 32, 8), nn.Parameter(torch.randn(3, 8)), nn.Parameter(torch.randn(3, 8))

    def forward(self, x, y):
        z = self.f(x)
        same = y[:, None] == y[None]
        d = torch.cdist(z, z.detach())
        hardest = (d * same).max(1).values
        nearest = (d + 1e5 * same).min(1).values
        triplet = F.relu(hardest - nearest.clamp(max=1e3) + 0.3).mean()
        cos = F.linear(F.normalize(z), F.normalize(self.w)).clamp(-1 + 1e-7, 1 - 1e-7)
        theta = torch.acos(cos)
        arc = F.cross_entropy(16 * torch.where(F.one_hot(y, 3).bool(), torch.cos(theta + 0.2), cos), y)
        center = ((z - self.centers[y]) ** 2).sum(1).clamp(1e-12, 1e12).mean()
        u = F.normalize(z)
        logits = u @ u.T / 0.1
        logits = logits - logits.max(1, keepdim=True)[0].detach()
        mask = same.float() * (1 - torch.eye(8))
        log = logits - torch.log((torch.exp(logits) * (1 - torch.eye(8))).sum(1, keepdim=True))
        sup = -((mask * log).sum(1) / mask.sum(1).clamp(min=1)).mean()
        return triplet + arc + 0.1 * center + sup + F.triplet_margin_loss(z[:3], z[3:6], z[5:8])


@training(lambda g: {"x": normal(g, 8, D), "y": ids(g, 8, below=5)})
class distillation(nn.Module):
    """A teacher under no_grad: temperatures, hints of a layer, Jensen-Shannon, relations between samples."""

    def __init__(self):
        super().__init__()
        self.student, self.hint, self.teacher = mlp(D, 8, 5), nn.Linear(8, 32), mlp(D, 32, 5)
        for p in self.teacher.parameters():
            p.requires_grad_(False)

    def forward(self, x, y):
        with torch.no_grad():
            th = self.teacher[1](self.teacher[0](x))
            t = self.teacher[2](th)
        sh = self.student[1](self.student[0](x))
        s = self.student[2](sh)
        kd = F.kl_div(F.log_softmax(s / 4, 1), F.log_softmax(t / 4, 1), reduction="batchmean", log_target=True) * 16
        m = ((s.softmax(1) + t.softmax(1)) / 2).log()
        js = 0.5 * (F.kl_div(m, s.softmax(1), reduction="batchmean") + F.kl_div(m, t.softmax(1), reduction="batchmean"))
        rs, rt = F.pdist(sh), F.pdist(th)
        return F.cross_entropy(s, y) + kd + js + F.mse_loss(self.hint(sh), th) + F.smooth_l1_loss(rs / rs.mean(), rt / rt.mean())
