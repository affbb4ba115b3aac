# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Images: classification, detection, segmentation, flow, rendering, compression."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, normal, training


def images(g, n=2, side=16, classes=5):
    return {"x": normal(g, n, 3, side, side), "y": ids(g, n, below=classes)}


class DropPath(nn.Module):
    """As timm has it."""

    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        if self.p == 0.0 or not self.training:
            return x
        keep = 1 - self.p
        random = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
        return x * random.div_(keep)


@training(images)
class convnext(nn.Module):
    """Depthwise convolutions, norms over channels in both orders, a scale for each channel, stochastic depth."""

    class Block(nn.Module):
        def __init__(self, d, drop):
            super().__init__()
            self.dwconv, self.norm = nn.Conv2d(d, d, 7, padding=3, groups=d), nn.LayerNorm(d, eps=1e-6)
            self.pw1, self.pw2, self.gamma = nn.Linear(d, 2 * d), nn.Linear(2 * d, d), nn.Parameter(1e-1 * torch.ones(d))
            self.grn, self.drop = nn.Parameter(torch.ones(2, 1, 1, 1, 2 * d)), DropPath(drop)

        def forward(self, x):
            h = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
            h = F.gelu(self.pw1(h))
            g = torch.norm(h, p=2, dim=(1, 2), keepdim=True)
            h = self.grn[0] * (h * (g / (g.mean(-1, keepdim=True) + 1e-6))) + self.grn[1] + h
            h = (self.gamma * self.pw2(h)).permute(0, 3, 1, 2)
            return x + self.drop(h)

    class ChannelNorm(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.ones(d)), nn.Parameter(torch.zeros(d))

        def forward(self, x):
            u = x.mean(1, keepdim=True)
            s = (x - u).pow(2).mean(1, keepdim=True)
            return self.weight[:, None, None] * ((x - u) / torch.sqrt(s + 1e-6)) + self.bias[:, None, None]

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 2, stride=2), self.ChannelNorm(8))
        self.stages = nn.Sequential(self.Block(8, 0.1), self.ChannelNorm(8), nn.Conv2d(8, 16, 2, stride=2), self.Block(16, 0.3))
        self.norm, self.head = nn.LayerNorm(16), nn.Linear(16, 5)

    def forward(self, x, y):
        return F.cross_entropy(self.head(self.norm(self.stages(self.stem(x)).mean([-2, -1]))), y, label_smoothing=0.1)


@training(images)
class swin(nn.Module):
    """Windows of attention, shifted by a roll, with a mask and a learned bias by relative position."""

    class Block(nn.Module):
        def __init__(self, d=16, heads=2, window=4, shift=0, side=8):
            super().__init__()
            self.h, self.w, self.shift, self.side = heads, window, shift, side
            self.table = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads) * 0.02)
            c = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
            relative = (c[:, :, None] - c[:, None]).permute(1, 2, 0) + window - 1
            self.register_buffer("index", relative[..., 0] * (2 * window - 1) + relative[..., 1])
            mask = None
            if shift:
                image, count = torch.zeros(1, side, side, 1), 0
                for a in (slice(0, -window), slice(-window, -shift), slice(-shift, None)):
                    for b in (slice(0, -window), slice(-window, -shift), slice(-shift, None)):
                        image[:, a, b], count = count, count + 1
                m = self.part(image).squeeze(-1)
                mask = (m[:, None] - m[:, :, None]).masked_fill(m[:, None] != m[:, :, None], -100.0)
            self.register_buffer("mask", mask)
            self.norm1, self.norm2, self.qkv, self.proj = nn.LayerNorm(d), nn.LayerNorm(d), nn.Linear(d, 3 * d), nn.Linear(d, d)
            self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

        def part(self, x):
            b, h, w, c = x.shape
            return x.view(b, h // self.w, self.w, w // self.w, self.w, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, self.w**2, c)

        def forward(self, x):
            b, h, w, c = x.shape
            z = self.norm1(x)
            z = torch.roll(z, (-self.shift, -self.shift), (1, 2)) if self.shift else z
            z = self.part(z)
            n = z.shape[1]
            q, k, v = self.qkv(z).reshape(-1, n, 3, self.h, c // self.h).permute(2, 0, 3, 1, 4).unbind(0)
            attn = (q * (c // self.h) ** -0.5) @ k.transpose(-2, -1)
            attn = attn + self.table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1).contiguous().unsqueeze(0)
            if self.mask is not None:
                attn = (attn.view(b, -1, self.h, n, n) + self.mask[None, :, None]).view(-1, self.h, n, n)
            z = self.proj((attn.softmax(-1) @ v).transpose(1, 2).reshape(-1, n, c))
            z = z.view(b, h // self.w, w // self.w, self.w, self.w, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c)
            x = x + (torch.roll(z, (self.shift, self.shift), (1, 2)) if self.shift else z)
            return x + self.mlp(self.norm2(x))

    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 16, 2, 2)
        self.blocks = nn.Sequential(self.Block(), self.Block(shift=2))
        self.merge, self.head = nn.Linear(64, 32, bias=False), nn.Linear(32, 5)

    def forward(self, x, y):
        z = self.blocks(self.patch(x).permute(0, 2, 3, 1))
        z = torch.cat([z[:, 0::2, 0::2], z[:, 1::2, 0::2], z[:, 0::2, 1::2], z[:, 1::2, 1::2]], -1)
        return F.cross_entropy(self.head(self.merge(z).flatten(1, 2).mean(1)), y)


@training(images)
class mobilenet(nn.Module):
    """Inverted residuals, squeeze and excitation, hard activations, batch norms in a train step, stochastic depth of
    rows."""

    def __init__(self):
        super().__init__()

        def cbr(i, o, k, s=1, g=1):
            return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, groups=g, bias=False), nn.BatchNorm2d(o, eps=1e-3, momentum=0.01), nn.Hardswish())

        self.stem, self.expand, self.depth = cbr(3, 8, 3, 2), cbr(8, 24, 1), cbr(24, 24, 5, 1, 24)
        self.se = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(24, 8, 1), nn.ReLU(inplace=True), nn.Conv2d(8, 24, 1), nn.Hardsigmoid())
        self.project = nn.Sequential(nn.Conv2d(24, 8, 1, bias=False), nn.BatchNorm2d(8))
        self.head = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(1), nn.Linear(8, 16), nn.Hardswish(inplace=True), nn.Linear(16, 5))

    def forward(self, x, y):
        x = self.stem(x)
        z = self.depth(self.expand(x))
        x = x + self.project(z * self.se(z))
        return F.cross_entropy(self.head(x), y)


@training(lambda g: {**images(g), "order": torch.rand(2, 16, generator=g).argsort(1)})
class mae(nn.Module):
    """Patches that are hidden by an order that comes with the batch; their pixels, normalized, are the targets."""

    def __init__(self, d=16):
        super().__init__()
        self.embed, self.pos = nn.Conv2d(3, d, 4, 4), nn.Parameter(torch.randn(1, 16, d) * 0.02)
        self.mask, self.pred = nn.Parameter(torch.zeros(1, 1, d)), nn.Linear(d, 48)
        self.encoder = nn.TransformerEncoderLayer(d, 2, 32, 0.0, "gelu", batch_first=True, norm_first=True)
        self.decoder = nn.TransformerEncoderLayer(d, 2, 32, 0.0, "gelu", batch_first=True, norm_first=True)

    def forward(self, x, y, order):
        b, keep = x.shape[0], 4
        restore = torch.argsort(order, dim=1)
        z = self.embed(x).flatten(2).transpose(1, 2) + self.pos
        z = torch.gather(z, 1, order[:, :keep, None].repeat(1, 1, z.shape[-1]))
        z = self.encoder(z)
        z = torch.cat([z, self.mask.repeat(b, 16 - keep, 1)], 1)
        z = torch.gather(z, 1, restore[..., None].repeat(1, 1, z.shape[2])) + self.pos
        p = self.pred(self.decoder(z))
        target = x.reshape(b, 3, 4, 4, 4, 4)
        target = torch.einsum("nchpwq->nhwpqc", target).reshape(b, 16, 48)
        target = (target - target.mean(-1, keepdim=True)) / (target.var(-1, keepdim=True) + 1e-6) ** 0.5
        hidden = torch.ones(b, 16)
        hidden[:, :keep] = 0
        hidden = torch.gather(hidden, 1, restore)
        return (((p - target) ** 2).mean(-1) * hidden).sum() / hidden.sum()


@training(lambda g: {**images(g, 4), "lam": torch.rand(1, generator=g), "perm": torch.randperm(4, generator=g)})
class densenet_mixup(nn.Module):
    """Concatenated features, pools of both kinds, targets mixed by a number of the batch."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 1, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        self.layers = nn.ModuleList(
            nn.Sequential(nn.BatchNorm2d(8 + 4 * i), nn.ReLU(inplace=True), nn.Conv2d(8 + 4 * i, 4, 3, padding=1, bias=False)) for i in range(3)
        )
        self.down, self.head = nn.Sequential(nn.BatchNorm2d(20), nn.PReLU(20), nn.Conv2d(20, 10, 1), nn.AvgPool2d(2, 2)), nn.Linear(10, 5)

    def forward(self, x, y, lam, perm):
        x = lam * x + (1 - lam) * x[perm]
        found = [self.stem(x)]
        for layer in self.layers:
            found.append(layer(torch.cat(found, 1)))
        logits = self.head(F.adaptive_avg_pool2d(F.relu(self.down(torch.cat(found, 1)), inplace=True), 1).flatten(1))
        return (lam * F.cross_entropy(logits, y) + (1 - lam) * F.cross_entropy(logits, y[perm])).squeeze()


@training(lambda g: {"x": normal(g, 2, 3, 16, 16), "y": ids(g, 2, 16, 16, below=4)})
class segmenter(nn.Module):
    """A U-Net with transposed convolutions and bilinear upsampling, trained by Dice, focal and Lovasz losses."""

    def __init__(self):
        super().__init__()

        def double(i, o):
            return nn.Sequential(
                nn.Conv2d(i, o, 3, padding=1),
                nn.InstanceNorm2d(o, affine=True),
                nn.LeakyReLU(0.1),
                nn.Conv2d(o, o, 3, padding=1),
                nn.GroupNorm(2, o),
                nn.Mish(),
            )

        self.d1, self.d2, self.d3 = double(3, 8), double(8, 16), double(16, 16)
        self.up1, self.u1 = nn.ConvTranspose2d(16, 16, 2, 2), double(32, 8)
        self.u2, self.head = double(16, 8), nn.Conv2d(8, 4, 1)

    def forward(self, x, y):
        a = self.d1(x)
        b = self.d2(F.max_pool2d(a, 2))
        c = self.d3(F.max_pool2d(b, 2))
        z = self.u1(torch.cat([self.up1(c), b], 1))
        z = self.head(self.u2(torch.cat([F.interpolate(z, scale_factor=2, mode="bilinear", align_corners=True), a], 1)))
        p, one = z.softmax(1), F.one_hot(y, 4).permute(0, 3, 1, 2).float()
        dice = 1 - ((2 * (p * one).sum((2, 3)) + 1) / ((p + one).sum((2, 3)) + 1)).mean()
        ce = F.cross_entropy(z, y, reduction="none")
        focal = ((1 - torch.exp(-ce)) ** 2 * ce).mean()
        lovasz = 0
        for k in range(4):
            fg = (y == k).float().view(-1)
            errors, order = torch.sort((fg - p[:, k].reshape(-1)).abs(), 0, descending=True)
            fg = fg[order]
            total = fg.sum()
            jaccard = 1 - (total - fg.cumsum(0)) / (total + (1 - fg).cumsum(0))
            jaccard = torch.cat([jaccard[:1], jaccard[1:] - jaccard[:-1]])
            lovasz = lovasz + torch.dot(errors, jaccard.detach())
        return dice + focal + lovasz / 4


@training(
    lambda g: {
        "x": normal(g, 2, 3, 32, 32),
        "boxes": torch.rand(2, 3, 4, generator=g) * 0.3 + 0.3,
        "labels": ids(g, 2, 3, below=4),
        "match": torch.stack([torch.randperm(6, generator=g)[:3] for _ in range(2)]),
    }
)
class detr(nn.Module):
    """Queries, sine positions, a set loss whose matching comes with the batch; boxes by their generalized overlap."""

    def __init__(self, d=32):
        super().__init__()
        self.backbone = nn.Sequential(nn.Conv2d(3, 16, 4, 4), nn.ReLU(), nn.Conv2d(16, d, 2, 2))
        self.transformer = nn.Transformer(d, 2, 1, 2, 64, dropout=0.0, batch_first=True)
        self.query, self.cls, self.box = nn.Embedding(6, d), nn.Linear(d, 5), nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, 4))
        self.register_buffer("weight", torch.tensor([1.0] * 4 + [0.1]))

    def forward(self, x, boxes, labels, match):
        f = self.backbone(x)
        b, d, h, w = f.shape
        ones = torch.ones(b, h, w)
        y_embed, x_embed = ones.cumsum(1), ones.cumsum(2)
        t = 10000 ** (2 * torch.div(torch.arange(d // 2), 2, rounding_mode="floor") / (d // 2))
        px, py = x_embed[..., None] / t, y_embed[..., None] / t
        pos = torch.cat([torch.stack((p[..., 0::2].sin(), p[..., 1::2].cos()), 4).flatten(3) for p in (py, px)], 3)
        z = self.transformer(f.flatten(2).mT + pos.flatten(1, 2), self.query.weight.expand(b, -1, -1))
        logits, found = self.cls(z), self.box(z).sigmoid()
        target = torch.full(logits.shape[:2], 4)
        rows = torch.arange(b)[:, None].expand_as(match)
        target[rows, match] = labels
        chosen = found[rows, match].flatten(0, 1)
        right = boxes.flatten(0, 1)

        def corners(z):
            cx, cy, w, h = z.unbind(-1)
            return torch.stack([cx - 0.5 * w, cy - 0.5 * h, cx + 0.5 * w, cy + 0.5 * h], -1)

        p, q = corners(chosen), corners(right)

        def area(z):
            return (z[:, 2] - z[:, 0]) * (z[:, 3] - z[:, 1])

        inter = (torch.min(p[:, None, 2:], q[:, 2:]) - torch.max(p[:, None, :2], q[:, :2])).clamp(min=0).prod(-1)
        union = area(p)[:, None] + area(q) - inter
        hull = (torch.max(p[:, None, 2:], q[:, 2:]) - torch.min(p[:, None, :2], q[:, :2])).clamp(min=0).prod(-1)
        giou = torch.diag(inter / union - (hull - union) / hull)
        return F.cross_entropy(logits.transpose(1, 2), target, self.weight) + 5 * F.l1_loss(chosen, right) + 2 * (1 - giou).mean()


@training(
    lambda g: {
        "x": normal(g, 2, 3, 16, 16),
        "target": (torch.rand(2, 16, 16, generator=g) > 0.5).float(),
        "points": torch.rand(2, 12, 2, generator=g),
    }
)
class mask2former(nn.Module):
    """Masks as products of queries and pixels, attended within the last mask, their loss at points of the batch."""

    def __init__(self, d=16):
        super().__init__()
        self.pixel, self.query = (
            nn.Sequential(nn.Conv2d(3, d, 3, 1, 1), nn.GroupNorm(4, d), nn.ReLU(), nn.Conv2d(d, d, 1)),
            nn.Parameter(torch.randn(4, d)),
        )
        self.attn, self.embed = nn.MultiheadAttention(d, 2, batch_first=True), nn.Sequential(nn.Linear(d, d), nn.ReLU(), nn.Linear(d, d))

    def forward(self, x, target, points):
        f = self.pixel(x)
        q = self.query.expand(x.shape[0], -1, -1)
        for _ in range(2):
            masks = torch.einsum("bqc,bchw->bqhw", self.embed(q), f)
            hidden = (
                F.interpolate(masks, size=(8, 8), mode="bilinear", align_corners=False).sigmoid().flatten(2).repeat_interleave(2, 0) < 0.5
            ).detach()
            hidden = hidden & ~hidden.all(-1, keepdim=True)
            memory = F.avg_pool2d(f, 2).flatten(2).mT
            q = q + self.attn(q, memory, memory, attn_mask=hidden)[0]
        masks = torch.einsum("bqc,bchw->bqhw", self.embed(q), f)
        grid = 2 * points.unsqueeze(2) - 1
        at = F.grid_sample(masks, grid, align_corners=False).squeeze(3).mean(1)
        want = F.grid_sample(target[:, None], grid, align_corners=False).squeeze(3).squeeze(1)
        return F.binary_cross_entropy_with_logits(at, want) + 1 - (2 * (at.sigmoid() * want).sum(-1) / (at.sigmoid() + want).sum(-1)).mean()


@training(
    lambda g: {
        "x": normal(g, 2, 3, 32, 32),
        "box": torch.rand(2, 4, 4, 4, generator=g),
        "obj": (torch.rand(2, 4, 4, generator=g) > 0.7).float(),
        "cls": ids(g, 2, 4, 4, below=3),
    }
)
class yolo(nn.Module):
    """Cells of a grid with a complete overlap loss, and distributions over distances; a mask that selects cells."""

    def __init__(self):
        super().__init__()

        def conv(i, o, s):
            return nn.Sequential(nn.Conv2d(i, o, 3, s, 1, bias=False), nn.BatchNorm2d(o), nn.SiLU(inplace=True))

        self.body = nn.Sequential(conv(3, 8, 2), conv(8, 16, 2), conv(16, 16, 2))
        self.pool, self.mix, self.head = nn.MaxPool2d(5, 1, 2), nn.Conv2d(64, 16, 1), nn.Conv2d(16, 4 * 8 + 1 + 3, 1)
        self.register_buffer("bins", torch.arange(8.0))

    def forward(self, x, box, obj, cls):
        z = self.body(x)
        pooled = [z]
        for _ in range(3):
            pooled.append(self.pool(pooled[-1]))
        z = self.head(self.mix(torch.cat(pooled, 1))).permute(0, 2, 3, 1)
        distances = (z[..., :32].unflatten(-1, (4, 8)).softmax(-1) @ self.bins).relu() / 8
        gy, gx = torch.meshgrid(torch.arange(4.0) / 4, torch.arange(4.0) / 4, indexing="ij")
        p = torch.stack([gx - distances[..., 0], gy - distances[..., 1], gx + distances[..., 2] + 1e-3, gy + distances[..., 3] + 1e-3], -1)
        q = torch.cat([box[..., :2] - 0.1, box[..., :2] + 0.1 + box[..., 2:]], -1)
        wh = (torch.minimum(p[..., 2:], q[..., 2:]) - torch.maximum(p[..., :2], q[..., :2])).clamp_(0)
        inter, ps, qs = wh[..., 0] * wh[..., 1], p[..., 2:] - p[..., :2], q[..., 2:] - q[..., :2]
        iou = inter / (ps.prod(-1) + qs.prod(-1) - inter + 1e-7)
        hull = torch.maximum(p[..., 2:], q[..., 2:]) - torch.minimum(p[..., :2], q[..., :2])
        rho = ((p[..., :2] + p[..., 2:] - q[..., :2] - q[..., 2:]) ** 2).sum(-1) / 4
        v = (4 / math.pi**2) * (torch.atan(qs[..., 0] / qs[..., 1]) - torch.atan(ps[..., 0] / ps[..., 1])).pow(2)
        with torch.no_grad():
            alpha = v / (v - iou + (1 + 1e-7))
        ciou = iou - (rho / (hull.pow(2).sum(-1) + 1e-7) + v * alpha)
        want = torch.zeros_like(z[..., 33:]).scatter_(-1, cls[..., None], 1.0)
        weight = obj / obj.sum().clamp(min=1)
        objectness = F.binary_cross_entropy_with_logits(z[..., 32], obj * iou.detach().clamp(0))
        return (
            ((1 - ciou) * weight).sum()
            + objectness
            + (F.binary_cross_entropy_with_logits(z[..., 33:], want, reduction="none").sum(-1) * weight).sum()
        )


@training(
    lambda g: {
        "origins": normal(g, 6, 3),
        "directions": F.normalize(normal(g, 6, 3), dim=-1),
        "rgb": torch.rand(6, 3, generator=g),
        "u": torch.rand(6, 8, generator=g),
    }
)
class nerf(nn.Module):
    """Rays: encoded positions, densities composited by cumulative products, finer samples by an inverse
    distribution."""

    def __init__(self):
        super().__init__()
        self.coarse, self.fine = (nn.Sequential(nn.Linear(3 + 24, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)) for _ in range(2))

    def render(self, net, o, d, t):
        x = o[:, None] + d[:, None] * t[..., None]
        bands = 2.0 ** torch.arange(4) * x[..., None]
        raw = net(torch.cat([x, bands.sin().flatten(-2), bands.cos().flatten(-2)], -1))
        delta = torch.cat([t[:, 1:] - t[:, :-1], torch.full_like(t[:, :1], 1e10)], -1)
        alpha = 1 - torch.exp(-F.relu(raw[..., 3]) * delta)
        weights = alpha * torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-10], -1), -1)[:, :-1]
        return (weights[..., None] * torch.sigmoid(raw[..., :3])).sum(-2), weights

    def forward(self, origins, directions, rgb, u):
        t = torch.linspace(2, 6, 8).expand(origins.shape[0], 8)
        first, weights = self.render(self.coarse, origins, directions, t)
        with torch.no_grad():
            pdf = (weights + 1e-5) / (weights + 1e-5).sum(-1, keepdim=True)
            cdf = torch.cat([torch.zeros_like(pdf[:, :1]), pdf.cumsum(-1)], -1)[:, :-1].contiguous()
            index = torch.searchsorted(cdf, u.contiguous(), right=True)
            below, above = (index - 1).clamp(min=0), index.clamp(max=7)
            c0, c1, t0, t1 = cdf.gather(1, below), cdf.gather(1, above), t.gather(1, below), t.gather(1, above)
            span = torch.where(c1 - c0 < 1e-5, torch.ones_like(c0), c1 - c0)
            finer = torch.sort(torch.cat([t, t0 + (u - c0) / span * (t1 - t0)], -1), -1).values
        second, _ = self.render(self.fine, origins, directions, finer)
        return F.mse_loss(first, rgb) + F.mse_loss(second, rgb)


@training(lambda g: {"a": normal(g, 1, 3, 16, 16), "b": normal(g, 1, 3, 16, 16), "flow": normal(g, 1, 2, 16, 16)})
class raft(nn.Module):
    """Flow: all correlations in a pyramid, looked up around moving places by grid_sample, a convolutional GRU, convex
    upsampling by unfold; places are detached in each round."""

    def __init__(self, d=8):
        super().__init__()
        self.net, self.context = nn.Conv2d(3, d, 4, 4), nn.Conv2d(3, 2 * d, 4, 4)
        self.motion, self.zr, self.q = nn.Conv2d(2 * 9 + 2, d, 3, padding=1), nn.Conv2d(3 * d, 2 * d, 3, padding=1), nn.Conv2d(3 * d, d, 3, padding=1)
        self.flow, self.mask, self.d = nn.Conv2d(d, 2, 3, padding=1), nn.Conv2d(d, 9 * 16, 1), d

    def forward(self, a, b, flow):
        fa, fb = self.net(a), self.net(b)
        n, d, h, w = fa.shape
        corr = torch.einsum("nchw,ncij->nhwij", fa, fb).reshape(n * h * w, 1, h, w) / d**0.5
        pyramid = [corr, F.avg_pool2d(corr, 2, stride=2)]
        hidden, context = self.context(a).split(self.d, 1)
        hidden, context = torch.tanh(hidden), F.relu(context)
        base = torch.stack(torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")[::-1]).float()[None]
        coords, offset = base.clone(), torch.stack(torch.meshgrid(torch.arange(-1, 2), torch.arange(-1, 2), indexing="ij"), -1).float()
        loss = 0
        for step in range(2):
            coords = coords.detach()
            looked = []
            for i, level in enumerate(pyramid):
                at = coords.permute(0, 2, 3, 1).reshape(-1, 1, 1, 2) / 2**i + offset[None]
                size = torch.tensor([level.shape[-1] - 1, level.shape[-2] - 1])
                looked.append(F.grid_sample(level, 2 * at / size - 1, align_corners=True).view(n, h, w, -1))
            f = coords - base
            m = F.relu(self.motion(torch.cat([torch.cat(looked, -1).permute(0, 3, 1, 2), f], 1)))
            x = torch.cat([context, m], 1)
            z, r = torch.sigmoid(self.zr(torch.cat([hidden, x], 1))).chunk(2, 1)
            hidden = (1 - z) * hidden + z * torch.tanh(self.q(torch.cat([r * hidden, x], 1)))
            coords = coords + self.flow(hidden)
            mask = self.mask(hidden).view(n, 1, 9, 4, 4, h, w).softmax(2)
            up = F.unfold(4 * (coords - base), [3, 3], padding=1).view(n, 2, 9, 1, 1, h, w)
            up = (mask * up).sum(2).permute(0, 1, 4, 2, 5, 3).reshape(n, 2, 4 * h, 4 * w)
            loss = loss + 0.8 ** (1 - step) * (up - flow).abs().mean()
        return loss


@training(lambda g: {"x": torch.rand(2, 3, 8, 8, generator=g)})
class vqvae(nn.Module):
    """The nearest of a codebook, straight through; the codebook is a buffer that follows an average of what it is
    nearest to."""

    def __init__(self, k=16, d=8):
        super().__init__()
        self.enc, self.dec = nn.Conv2d(3, d, 4, 2, 1), nn.Sequential(nn.ReLU(), nn.ConvTranspose2d(d, 3, 4, 2, 1))
        embed = torch.randn(d, k)
        self.register_buffer("embed", embed)
        self.register_buffer("cluster_size", torch.zeros(k))
        self.register_buffer("embed_avg", embed.clone())

    def forward(self, x):
        z = self.enc(x).permute(0, 2, 3, 1)
        flat = z.reshape(-1, z.shape[-1])
        dist = flat.pow(2).sum(1, keepdim=True) - 2 * flat @ self.embed + self.embed.pow(2).sum(0, keepdim=True)
        _, index = (-dist).max(1)
        one = F.one_hot(index, self.embed.shape[1]).type(flat.dtype)
        q = F.embedding(index.view(*z.shape[:-1]), self.embed.transpose(0, 1))
        if self.training:
            self.cluster_size.data.mul_(0.99).add_(one.sum(0), alpha=0.01)
            self.embed_avg.data.mul_(0.99).add_((flat.transpose(0, 1) @ one).detach(), alpha=0.01)
            n = self.cluster_size.sum()
            size = (self.cluster_size + 1e-5) / (n + self.embed.shape[1] * 1e-5) * n
            self.embed.data.copy_(self.embed_avg / size.unsqueeze(0))
        diff = (q.detach() - z).pow(2).mean()
        q = z + (q - z).detach()
        usage = one.mean(0)
        self.perplexity = torch.exp(-torch.sum(usage * torch.log(usage + 1e-10))).detach()
        return F.mse_loss(self.dec(q.permute(0, 3, 1, 2)), x) + 0.25 * diff


@training(lambda g: {"x": normal(g, 2, 3, 8, 8), "y": normal(g, 2, 3, 16, 16)})
class super_resolution(nn.Module):
    """Pixel shuffles, reflecting padding, a weight norm, a Charbonnier loss and structural similarity."""

    def __init__(self):
        super().__init__()
        self.head = nn.utils.parametrizations.weight_norm(nn.Conv2d(3, 12, 3))
        self.pad, self.up, self.tail = (
            nn.ReflectionPad2d(1),
            nn.Sequential(nn.Conv2d(12, 48, 1), nn.PixelShuffle(2)),
            nn.Conv2d(12, 3, 3, padding=1, padding_mode="replicate"),
        )
        g = torch.exp(-((torch.arange(5) - 2.0) ** 2) / 4)
        self.register_buffer("window", (g[:, None] * g / g.sum() ** 2).expand(3, 1, 5, 5).contiguous())

    def forward(self, x, y):
        z = self.tail(self.up(F.elu(self.head(self.pad(x))))) + F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False)

        def blur(t):
            return F.conv2d(t, self.window, groups=3)

        ma, mb = blur(z), blur(y)
        va, vb, c = blur(z * z) - ma**2, blur(y * y) - mb**2, blur(z * y) - ma * mb
        ssim = ((2 * ma * mb + 1e-4) * (2 * c + 9e-4)) / ((ma**2 + mb**2 + 1e-4) * (va + vb + 9e-4))
        tv = (z[..., 1:] - z[..., :-1]).abs().mean() + torch.diff(z, dim=-2).abs().mean()
        return torch.sqrt((z - y) ** 2 + 1e-6).mean() + 0.1 * (1 - ssim).mean() + 0.01 * tv


@training(images)
class spatial_transformer(nn.Module):
    """An affine grid of the model's own, sampled; capsules routed by agreement behind it."""

    def __init__(self):
        super().__init__()
        self.loc = nn.Sequential(nn.Conv2d(3, 4, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 6))
        self.loc[-1].weight.data.mul_(0.1)
        self.loc[-1].bias.data.copy_(torch.tensor([1, 0, 0, 0, 1, 0], dtype=torch.float))
        self.caps, self.w = nn.Conv2d(3, 16, 8, 4), nn.Parameter(torch.randn(18, 5, 6, 8) * 0.1)

    @staticmethod
    def squash(s):
        n = (s**2).sum(-1, keepdim=True)
        return n / (1 + n) * s / torch.sqrt(n + 1e-8)

    def forward(self, x, y):
        theta = self.loc(x).view(-1, 2, 3)
        x = F.grid_sample(x, F.affine_grid(theta, x.size(), align_corners=False), padding_mode="border", align_corners=False)
        u = self.squash(self.caps(x).view(x.shape[0], 2, 8, -1).permute(0, 1, 3, 2).flatten(1, 2))
        hat = torch.einsum("icdk,bik->bicd", self.w, u)
        b = torch.zeros(hat.shape[:3])
        for i in range(3):
            v = self.squash((b.softmax(-1)[..., None] * hat).sum(1))
            if i < 2:
                b = b + (hat.detach() * v.detach()[:, None]).sum(-1)
        length = v.norm(dim=-1)
        one = F.one_hot(y, 5)
        return (one * F.relu(0.9 - length) ** 2 + 0.5 * (1 - one) * F.relu(length - 0.1) ** 2).sum(-1).mean()


@training(lambda g: {"x": torch.rand(2, 4, 8, 8, generator=g), "target": torch.rand(2, 4, 8, 8, generator=g)})
class cellular_automaton(nn.Module):
    """Fixed filters over all channels, an update of cells drawn at random, and those that live."""

    def __init__(self, c=4):
        super().__init__()
        sobel = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]]) / 8
        same = torch.zeros(3, 3)
        same[1, 1] = 1
        self.register_buffer("filters", torch.stack([same, sobel, sobel.T]).repeat(c, 1, 1)[:, None])
        self.update, self.c = nn.Sequential(nn.Conv2d(3 * c, 16, 1), nn.ReLU(), nn.Conv2d(16, c, 1)), c

    def forward(self, x, target):
        for _ in range(3):
            alive = F.max_pool2d(x[:, 3:4], 3, 1, 1) > 0.1
            dx = self.update(F.conv2d(x, self.filters, padding=1, groups=self.c))
            x = x + dx * (torch.rand_like(x[:, :1]) <= 0.5).float()
            x = x * (alive & (F.max_pool2d(x[:, 3:4], 3, 1, 1) > 0.1)).float()
        return F.mse_loss(x, target)
