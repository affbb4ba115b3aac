# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and networks out of the ordinary: capsules, slots, pooling that is undone, pointers, points, graphs in
batches."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, mlp, normal, training

D = 8


def rows(g):
    return {"x": normal(g, 6, D), "y": ids(g, 6, below=4)}


@training(lambda g: {"x": normal(g, 2, 1, 16, 16), "y": ids(g, 2, below=4)})
class capsules(nn.Module):
    """Capsules with routing by agreement, and a reconstruction of the true class."""

    def __init__(self):
        super().__init__()
        self.conv, self.prim = nn.Conv2d(1, 8, 5, 2), nn.Conv2d(8, 16, 3, 2)
        self.w, self.dec = nn.Parameter(torch.randn(1, 4 * 4 // 4 * 4, 4, 6, 4) * 0.1), mlp(24, 32, 256)

    @staticmethod
    def squash(v, dim=-1):
        n = (v**2).sum(dim, keepdim=True)
        return n / (1 + n) * v / torch.sqrt(n + 1e-8)

    def forward(self, x, y):
        u = self.squash(self.prim(F.relu(self.conv(x))).view(2, 4, 4, -1).permute(0, 1, 3, 2).reshape(2, -1, 4))
        hat = (self.w[:, : u.shape[1]] @ u[:, :, None, :, None]).squeeze(-1)
        b = torch.zeros(2, u.shape[1], 4, 1)
        for i in range(3):
            c = b.softmax(2)
            v = self.squash((c * (hat if i == 2 else hat.detach())).sum(1, keepdim=True))
            if i < 2:
                b = b + (hat.detach() * v).sum(-1, keepdim=True)
        v = v.squeeze(1)
        length, one = v.norm(dim=-1), F.one_hot(y, 4).float()
        margin = (one * F.relu(0.9 - length) ** 2 + 0.5 * (1 - one) * F.relu(length - 0.1) ** 2).sum(1).mean()
        return margin + 0.1 * F.mse_loss(torch.sigmoid(self.dec((v * one[..., None]).flatten(1))), x.flatten(1))


@training(lambda g: {"x": normal(g, 2, 12, D)})
class slots(nn.Module):
    """Slots that compete for inputs by a softmax over slots, updated by a GRU, broadcast and decoded."""

    def __init__(self, n=3):
        super().__init__()
        self.n, self.mu, self.ls = n, nn.Parameter(torch.randn(1, 1, D)), nn.Parameter(torch.zeros(1, 1, D))
        self.q, self.k, self.v, self.gru = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D), nn.GRUCell(D, D)
        self.ni, self.ns, self.nm, self.mlp, self.dec = nn.LayerNorm(D), nn.LayerNorm(D), nn.LayerNorm(D), mlp(D, 16, D), mlp(D + 12, 16, D + 1)

    def forward(self, x):
        b = len(x)
        s = self.mu + self.ls.exp() * torch.randn(b, self.n, D)
        h = self.ni(x)
        k, v = self.k(h), self.v(h)
        for _ in range(3):
            a = torch.einsum("bid,bjd->bij", self.q(self.ns(s)), k) * D**-0.5
            a = a.softmax(1) + 1e-8
            a = a / a.sum(-1, keepdim=True)
            s = self.gru((a @ v).reshape(-1, D), s.reshape(-1, D)).reshape(b, -1, D)
            s = s + self.mlp(self.nm(s))
        pos = torch.eye(12).expand(b, self.n, 12, 12)
        out, alpha = self.dec(torch.cat([s[:, :, None].expand(-1, -1, 12, -1), pos], -1)).split([D, 1], -1)
        return F.mse_loss((out * alpha.softmax(1)).sum(1), x)


@training(lambda g: {"x": normal(g, 2, 1, 16, 16), "y": ids(g, 2, 16, 16, below=3)})
class segnet(nn.Module):
    """Pooling that tells places and what undoes it; pooled norms; local response norms; channels shuffled."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c, self.out = (
            nn.Conv2d(1, 8, 3, padding=1),
            nn.Conv2d(8, 8, 3, padding=1, groups=4),
            nn.Conv2d(8, 8, 3, padding=1),
            nn.Conv2d(8, 3, 1),
        )
        self.pool, self.un, self.lp, self.lrn = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2), nn.LPPool2d(2, 2), nn.LocalResponseNorm(3)
        self.shuffle = nn.ChannelShuffle(2)

    def forward(self, x, y):
        h = self.lrn(F.relu(self.a(x)))
        h, i = self.pool(h)
        h = self.shuffle(self.b(h))
        h = h + F.interpolate(self.lp(F.softplus(h)), scale_factor=2)
        h = F.relu(self.c(self.un(F.rrelu(h, training=False), i)))
        return F.cross_entropy(self.out(h), y)


@training(lambda g: {"x": normal(g, 5, 3, D), "y": normal(g, 4, 3, D), "pad": torch.arange(5)[None] >= torch.tensor([5, 4, 3])[:, None]})
class full_transformer(nn.Module):
    """nn.Transformer, not batch first, with a padding mask, and attention with biases of keys, zeros, weights read."""

    def __init__(self):
        super().__init__()
        self.t = nn.Transformer(D, 2, 1, 1, 16, dropout=0.0)
        self.a = nn.MultiheadAttention(D, 2, add_bias_kv=True, add_zero_attn=True, kdim=D, vdim=D)

    def forward(self, x, y, pad):
        h = self.t(x, y, tgt_mask=nn.Transformer.generate_square_subsequent_mask(4), src_key_padding_mask=pad, memory_key_padding_mask=pad)
        o, w = self.a(h, x, x, average_attn_weights=False)
        return F.mse_loss(o + h, y) + (w * w.clamp(min=1e-9).log()).sum(-1).mean() * 0.1


@training(lambda g: {"x": normal(g, 6, D), "z": normal(g, 6, D)})
class odd_layers(nn.Module):
    """Activations, distances and losses that few use."""

    def __init__(self):
        super().__init__()
        self.bi, self.a = nn.Bilinear(D, D, 6), nn.Linear(6, D)
        self.acts = nn.ModuleList(
            [
                nn.CELU(),
                nn.SELU(),
                nn.Hardswish(),
                nn.Mish(),
                nn.Softsign(),
                nn.Tanhshrink(),
                nn.Threshold(0.1, 0.2),
                nn.Hardshrink(),
                nn.Softshrink(),
                nn.LogSigmoid(),
                nn.PReLU(D),
                nn.Softmin(1),
                nn.GLU(),
                nn.Hardsigmoid(),
                nn.Hardtanh(),
                nn.ReLU6(),
                nn.ELU(),
            ]
        )
        self.pd, self.cos = nn.PairwiseDistance(p=3), nn.CosineSimilarity()

    def forward(self, x, z):
        h = self.a(self.bi(x, z))
        o = sum(a(h).mean() for a in self.acts)
        return (
            o * 0.1
            + self.pd(h, z).mean()
            + self.cos(h, x).mean()
            + torch.cdist(h, z, p=1).mean()
            + torch.cdist(h, z, p=float("inf")).mean()
            + torch.cdist(h, z, p=3).mean()
            + F.huber_loss(h, z)
        )


@training(lambda g: {"x": normal(g, 5, 3)})
class chemistry(nn.Module):
    """Tensor products, spherical harmonics by hand, forces that are trained, Bessel functions and envelopes."""

    def __init__(self):
        super().__init__()
        self.f, self.g = mlp(6, 16, 1, act=nn.SiLU), nn.Linear(9, 1)

    def energy(self, x):
        d = x[:, None] - x[None]
        r = (d.pow(2).sum(-1) + torch.eye(5)).sqrt()
        n = torch.arange(1, 7)
        rb = math.sqrt(2 / 5) * torch.sin(n * math.pi * r[..., None] / 5) / r[..., None]
        cut = torch.where(r < 5, 0.5 * (torch.cos(math.pi * r / 5) + 1), 0.0) * (1 - torch.eye(5))
        u = d / r[..., None]
        xx, yy, zz = u.unbind(-1)
        sh = torch.stack([torch.ones_like(xx), xx, yy, zz, xx * yy, yy * zz, 3 * zz**2 - 1, xx * zz, xx**2 - yy**2], -1)
        m = torch.einsum("ijc,ij,ijk->ick", self.f(rb), cut, sh)
        return self.g((m**2).squeeze(1)).sum() + torch.special.i0e(r).sum() * 0.01 + torch.erfc(r).sum() * self.g.bias.sum()

    def forward(self, x):
        x = x.requires_grad_(True)
        e = self.energy(x)
        f = -torch.autograd.grad(e, x, create_graph=True)[0]
        return (f - 0.1).pow(2).mean() + 0.1 * e**2


@training(lambda g: {"x": ids(g, 3, 7, below=10), "y": ids(g, 3, 3, below=10)})
class pointer_scheduled(nn.Module):
    """A decoder that copies or generates, coverage, and inputs that are drawn from labels or its own predictions."""

    def __init__(self):
        super().__init__()
        self.e, self.enc, self.dec = nn.Embedding(10, D), nn.GRU(D, D, batch_first=True, bidirectional=True), nn.LSTMCell(D, 2 * D)
        self.att, self.cov, self.gen, self.out = nn.Linear(4 * D, 1), nn.Linear(1, 1), nn.Linear(2 * D, 1), nn.Linear(2 * D, 10)

    def forward(self, x, y):
        mem, _ = self.enc(self.e(x))
        h = c = mem.mean(1)
        last, cov, loss = torch.zeros(3, dtype=torch.long), torch.zeros(3, 7), 0
        for t in range(3):
            h, c = self.dec(self.e(last), (h, c))
            a = (self.att(torch.cat([mem, h[:, None].expand(-1, 7, -1)], -1)) + self.cov(cov[..., None])).squeeze(-1).softmax(-1)
            p = torch.sigmoid(self.gen(h))
            dist = p * self.out(h).softmax(-1)
            dist = dist.scatter_add(1, x, (1 - p) * a)
            loss = loss - dist.gather(1, y[:, t : t + 1]).clamp(min=1e-9).log().mean() + torch.min(a, cov).sum(-1).mean()
            cov = cov + a
            last = torch.where(torch.rand(3) < 0.5, y[:, t], dist.argmax(-1))
        return loss


@training(lambda g: {"x": normal(g, 2, 16, 3), "y": normal(g, 2, 10, 3)})
class point_clouds(nn.Module):
    """Farthest points, balls of neighbors, features interpolated by distance, Chamfer's distance and a repulsion."""

    def __init__(self):
        super().__init__()
        self.f, self.g, self.out = nn.Sequential(nn.Conv2d(3, 8, 1), nn.BatchNorm2d(8), nn.ReLU()), nn.Conv1d(8, 8, 1), nn.Linear(8, 3)

    def forward(self, x, y):
        b, n, _ = x.shape
        far, dist, chosen = torch.zeros(b, dtype=torch.long), torch.full((b, n), 1e10), []
        for _ in range(6):
            chosen.append(far)
            d = ((x - x[torch.arange(b), far][:, None]) ** 2).sum(-1)
            dist = torch.minimum(dist, d)
            far = dist.max(-1)[1]
        at = torch.stack(chosen, 1)
        c = torch.gather(x, 1, at[..., None].expand(-1, -1, 3))
        d = torch.cdist(c, x)
        idx = torch.arange(n).expand(b, 6, n).clone()
        idx[d > 1.0] = n
        idx = idx.sort(-1)[0][:, :, :4]
        first = idx[:, :, :1].expand(-1, -1, 4)
        idx = torch.where(idx == n, first, idx).clamp(max=n - 1)
        g = x[torch.arange(b)[:, None, None], idx] - c[:, :, None]
        h = self.g(self.f(g.permute(0, 3, 1, 2)).max(-1)[0])
        near, k = torch.cdist(y, c).topk(3, largest=False)
        w = 1 / (near + 1e-8)
        w = w / w.sum(-1, keepdim=True)
        up = (h.mT[torch.arange(b)[:, None, None], k] * w[..., None]).sum(2)
        p = y + self.out(up)
        e = torch.cdist(p, x)
        rep = torch.cdist(p, p).topk(3, largest=False)[0][..., 1:]
        return e.min(1)[0].mean() + e.min(2)[0].mean() + torch.exp(-(rep**2) / 0.1).mean()


@training(rows)
class mixup_inside(nn.Module):
    """Rows mixed with shuffled ones within a hidden layer, a cut of features, noise in the weights."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, 16), nn.Linear(16, 4)

    def forward(self, x, y):
        i = torch.randperm(6)
        lam = torch.rand(6, 1).mul(math.pi / 2).sin() ** 2
        h = F.relu(self.a(x))
        h = lam * h + (1 - lam) * h[i]
        at = torch.randint(0, 12, (1,))
        keep = (torch.arange(16) < at) | (torch.arange(16) >= at + 4)
        z = F.linear(h * keep, self.b.weight + 0.01 * torch.randn_like(self.b.weight) * self.b.weight.std().detach(), self.b.bias)
        ce = F.cross_entropy(z, y, reduction="none") * lam[:, 0] + F.cross_entropy(z, y[i], reduction="none") * (1 - lam[:, 0])
        return ce.mean()


@training(rows, lambda m: torch.optim.SGD(m.parameters(), lr=0.05, momentum=0.9))
class lazy_and_dicts(nn.Module):
    """A layer whose size its first input told, parameters in dicts and lists."""

    def __init__(self):
        super().__init__()
        self.a = nn.LazyLinear(16)
        self.a(torch.zeros(1, D))
        self.p = nn.ParameterDict({"w": nn.Parameter(torch.randn(4, 16) * 0.1), "b": nn.Parameter(torch.zeros(4))})
        self.scale = nn.ParameterList([nn.Parameter(torch.ones(())) for _ in range(2)])

    def forward(self, x, y):
        with torch.autograd.profiler.record_function("x"):
            h = F.silu(self.a(x)) * self.scale[0]
        return F.cross_entropy(torch.addmm(self.p["b"], h, self.p["w"].t()) * self.scale[1], y)


@training(
    lambda g: {
        "x": normal(g, 2, 4, 8, 8),
        "box": torch.tensor([[[0.1, 0.1, 0.5, 0.6], [0.3, 0.2, 0.9, 0.8]]] * 2) + 0.05 * torch.rand(2, 2, 4, generator=g),
        "cls": ids(g, 2, 2, below=3),
    }
)
class one_stage(nn.Module):
    """Anchor points, assignment by top-k of a cost, distribution focal loss, complete IoU, varifocal loss (YOLOv8 /
    TOOD)."""

    def __init__(self):
        super().__init__()
        self.cls, self.reg = nn.Conv2d(4, 3, 1), nn.Conv2d(4, 4 * 5, 1)

    @staticmethod
    def ciou(a, b):
        lt, rb = torch.maximum(a[..., :2], b[..., :2]), torch.minimum(a[..., 2:], b[..., 2:])
        inter = (rb - lt).clamp(min=0).prod(-1)
        wa, wb = (a[..., 2:] - a[..., :2]).clamp(min=1e-4), (b[..., 2:] - b[..., :2]).clamp(min=1e-4)
        iou = inter / (wa.prod(-1) + wb.prod(-1) - inter + 1e-7)
        c = (torch.maximum(a[..., 2:], b[..., 2:]) - torch.minimum(a[..., :2], b[..., :2])).square().sum(-1) + 1e-7
        rho = (a[..., :2] + a[..., 2:] - b[..., :2] - b[..., 2:]).square().sum(-1) / 4
        v = 4 / math.pi**2 * (torch.atan(wb[..., 0] / wb[..., 1]) - torch.atan(wa[..., 0] / wa[..., 1])).square()
        with torch.no_grad():
            alpha = v / (v - iou + 1 + 1e-7)
        return iou - rho / c - alpha * v

    def forward(self, x, box, cls):
        gy, gx = torch.meshgrid(torch.arange(8) / 8 + 1 / 16, torch.arange(8) / 8 + 1 / 16, indexing="ij")
        at = torch.stack([gx, gy], -1).view(-1, 2)
        s, d = self.cls(x).flatten(2).mT, self.reg(x).flatten(2).mT.unflatten(-1, (4, 5))
        dist = (d.softmax(-1) @ torch.arange(5.0)) / 8
        pred = torch.cat([at - dist[..., :2], at + dist[..., 2:]], -1)
        with torch.no_grad():
            iou = self.ciou(pred[:, None], box[:, :, None]).clamp(min=0)
            score = s.sigmoid().mT.gather(1, cls[..., None].expand(-1, -1, 64))
            inside = torch.cat([at - box[:, :, None, :2], box[:, :, None, 2:] - at], -1).amin(-1) > 0
            metric = score.sqrt() * iou**6 * inside
            topk = torch.zeros_like(metric).scatter_(-1, metric.topk(4, -1).indices, 1.0) * inside
            multi = topk.sum(1, keepdim=True) > 1
            best = F.one_hot(iou.argmax(1), 2).mT
            topk = torch.where(multi, best.float(), topk)
            fg, owner = topk.sum(1) > 0, topk.argmax(1)
            tb = box.gather(1, owner[..., None].expand(-1, -1, 4))
            tc = F.one_hot(cls.gather(1, owner), 3) * fg[..., None]
            norm = (metric * topk).amax(1)
        total = norm.sum().clamp(min=1)
        bce = F.binary_cross_entropy_with_logits(s, tc * norm[..., None], reduction="none").sum() / total
        w = torch.where(fg, norm, 0.0)
        l_iou = ((1 - self.ciou(pred, tb)) * w).sum() / total
        ltrb = torch.cat([at - tb[..., :2], tb[..., 2:] - at], -1).mul(8).clamp(0, 3.99)
        lo = ltrb.long()
        wl = lo + 1 - ltrb
        lp = d.log_softmax(-1)
        dfl = -(lp.gather(-1, lo[..., None]).squeeze(-1) * wl + lp.gather(-1, lo[..., None] + 1).squeeze(-1) * (1 - wl)).mean(-1)
        return bce + l_iou + (dfl * w).sum() / total
