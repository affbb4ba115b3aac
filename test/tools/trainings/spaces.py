# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers over images, volumes, points, graphs and fields, as their users write them."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, mlp, normal, training

D = 8


def rows(g):
    return {"x": normal(g, 6, D), "y": ids(g, 6, below=4)}


def seq(g):
    return {"x": normal(g, 2, 12, D), "y": normal(g, 2, 12, D)}


def pair(g):
    return {"x": normal(g, 2, 8, D), "y": normal(g, 2, 8, D)}


@training(lambda g: {"x": normal(g, 2, 3, 8, 8), "y": ids(g, 2, below=4)})
class deformed(nn.Module):
    """A modulated deformable convolution by sampled grids, and an involution whose kernels pixels make."""

    def __init__(self, c=4):
        super().__init__()
        self.stem = nn.Conv2d(3, c, 3, padding=1)
        self.offset, self.mask = nn.Conv2d(c, 18, 3, padding=1), nn.Conv2d(c, 9, 3, padding=1)
        nn.init.normal_(self.offset.weight, std=0.1)
        self.weight = nn.Parameter(torch.randn(c, c * 9) / 6)
        self.reduce, self.span = nn.Conv2d(c, c, 1), nn.Conv2d(c, 9 * 2, 1)
        self.head = nn.Linear(c, 4)

    def forward(self, x, y):
        x = F.relu(self.stem(x))
        b, c, h, w = x.shape
        off, m = self.offset(x).view(b, 9, 2, h, w), self.mask(x).sigmoid()
        gy, gx = torch.meshgrid(torch.arange(h, dtype=x.dtype), torch.arange(w, dtype=x.dtype), indexing="ij")
        ky, kx = torch.meshgrid(torch.arange(-1, 2, dtype=x.dtype), torch.arange(-1, 2, dtype=x.dtype), indexing="ij")
        px = gx + kx.reshape(9, 1, 1) + off[:, :, 0]
        py = gy + ky.reshape(9, 1, 1) + off[:, :, 1]
        grid = torch.stack([2 * px / (w - 1) - 1, 2 * py / (h - 1) - 1], -1).view(b, 9 * h, w, 2)
        s = F.grid_sample(x, grid, align_corners=True, padding_mode="zeros").view(b, c, 9, h, w) * m[:, None]
        x = torch.einsum("ok,bkhw->bohw", self.weight, s.flatten(1, 2))
        k = self.span(F.relu(self.reduce(x))).view(b, 2, 1, 9, h, w)
        x = (k * F.unfold(x, 3, padding=1).view(b, 2, c // 2, 9, h, w)).sum(3).view(b, c, h, w)
        return F.cross_entropy(self.head(x.mean((2, 3))), y)


@training(lambda g: {"x": normal(g, 2, 1, 8, 8), "y": normal(g, 2, 1, 8, 8)})
class fourier_operator(nn.Module):
    """A Fourier neural operator: low modes of two corners times complex weights, written into zeros."""

    def __init__(self, c=4, m=3):
        super().__init__()
        self.m, self.lift, self.skip, self.drop = m, nn.Conv2d(3, c, 1), nn.Conv2d(c, c, 1), nn.Conv2d(c, 1, 1)
        self.w1, self.w2 = (nn.Parameter(torch.rand(c, c, m, m, 2) / c) for _ in range(2))

    def forward(self, x, y):
        b, _, h, w = x.shape
        gx = torch.linspace(0, 1, h).reshape(1, 1, h, 1).repeat(b, 1, 1, w)
        gy = torch.linspace(0, 1, w).reshape(1, 1, 1, w).repeat(b, 1, h, 1)
        z = self.lift(torch.cat([x, gx, gy], 1))
        m = self.m
        f = torch.fft.rfft2(z)
        out = torch.zeros(b, z.shape[1], h, w // 2 + 1, dtype=torch.cfloat)
        out[:, :, :m, :m] = torch.einsum("bixy,ioxy->boxy", f[:, :, :m, :m], torch.view_as_complex(self.w1))
        out[:, :, -m:, :m] = torch.einsum("bixy,ioxy->boxy", f[:, :, -m:, :m], torch.view_as_complex(self.w2))
        z = F.gelu(torch.fft.irfft2(out, s=(h, w)) + self.skip(z))
        p = self.drop(z)
        return (torch.norm((p - y).reshape(b, -1), 2, 1) / torch.norm(y.reshape(b, -1), 2, 1)).mean()


@training(lambda g: {"x": normal(g, 8, 4)})
class neural_splines(nn.Module):
    """Couplings by monotonic rational-quadratic splines, with linear tails, and an actnorm that its first batch
    sets."""

    def __init__(self, bins=5):
        super().__init__()
        self.bins = bins
        self.net = nn.ModuleList(mlp(2, 16, 2 * (3 * bins - 1)) for _ in range(2))
        self.loc, self.log_scale = nn.Parameter(torch.zeros(4)), nn.Parameter(torch.zeros(4))
        self.register_buffer("ready", torch.tensor(0))
        self.register_buffer("mean0", torch.zeros(4))
        self.register_buffer("std0", torch.ones(4))

    def spline(self, x, p, bound=3.0):
        w, h, d = p.split([self.bins, self.bins, self.bins - 1], -1)
        inside = (x >= -bound) & (x <= bound)
        d = F.pad(d, (1, 1), value=math.log(math.exp(1 - 1e-3) - 1))

        def knots(u):
            u = 1e-3 + (1 - 1e-3 * self.bins) * torch.softmax(u, -1)
            c = F.pad(torch.cumsum(u, -1), (1, 0)) * 2 * bound - bound
            c[..., 0] = -bound
            c[..., -1] = bound
            return c, c[..., 1:] - c[..., :-1]

        cw, w = knots(w)
        ch, h = knots(h)
        d = 1e-3 + F.softplus(d)
        xi = x.clamp(-bound, bound)
        edges = cw.clone()
        edges[..., -1] += 1e-6
        k = (torch.sum(xi[..., None] >= edges, -1) - 1).clamp(0, self.bins - 1)[..., None]

        def at(t):
            return t.gather(-1, k)[..., 0]

        delta = h / w
        th = (xi - at(cw)) / at(w)
        t1 = th * (1 - th)
        d0, d1, dl = at(d), at(d[..., 1:]), at(delta)
        den = dl + (d0 + d1 - 2 * dl) * t1
        out = at(ch) + at(h) * (dl * th.pow(2) + d0 * t1) / den
        ld = torch.log(dl.pow(2) * (d1 * th.pow(2) + 2 * dl * t1 + d0 * (1 - th).pow(2))) - 2 * torch.log(den)
        return torch.where(inside, out, x), torch.where(inside, ld, torch.zeros_like(ld))

    def forward(self, x):
        with torch.no_grad():
            first = self.ready == 0
            self.mean0.copy_(torch.where(first, x.mean(0), self.mean0))
            self.std0.copy_(torch.where(first, x.std(0), self.std0))
            self.ready.fill_(1)
        z = ((x - self.mean0) / self.std0 - self.loc) * self.log_scale.exp()
        total = self.log_scale.sum() - self.std0.log().sum()
        for net in self.net:
            a, b = z.chunk(2, -1)
            b, ld = self.spline(b, net(a).view(len(x), 2, -1))
            z, total = torch.cat([b, a], -1), total + ld.sum(-1)
        return -(torch.distributions.Normal(0.0, 1.0).log_prob(z).sum(-1) + total).mean()


@training(lambda g: {"x": torch.rand(16, 3, generator=g), "y": torch.rand(16, 3, generator=g)})
class hash_grid(nn.Module):
    """Instant-NGP's tables: eight corners of each cell in several resolutions, found by a hash of large primes."""

    def __init__(self, levels=3, size=64, f=2):
        super().__init__()
        self.tables = nn.ParameterList(nn.Parameter(torch.rand(size, f) - 0.5) for _ in range(levels))
        self.size, self.mlp = size, mlp(levels * f, 16, 3)
        self.register_buffer("primes", torch.tensor([1, 2654435761, 805459861]))

    def forward(self, x, y):
        out = []
        for level, table in enumerate(self.tables):
            p = x * (4 * 2**level)
            lo = p.floor().long()
            fr = p - lo
            acc = 0
            for c in range(8):
                bit = torch.tensor([(c >> i) & 1 for i in range(3)])
                q = (lo + bit) * self.primes
                h = (q[:, 0] ^ q[:, 1] ^ q[:, 2]) % self.size
                w = torch.where(bit.bool(), fr, 1 - fr).prod(-1, keepdim=True)
                acc = acc + w * table[h]
            out.append(acc)
        return F.mse_loss(self.mlp(torch.cat(out, -1)).sigmoid(), y)


@training(lambda g: {"z": normal(g, 3, D), "y": normal(g, 3, 3, 16, 16)})
class modulated(nn.Module):
    """StyleGAN2's: grouped convolutions with weights that each sample modulates, upsampled and blurred, noise, path
    lengths."""

    def __init__(self, c=4):
        super().__init__()
        self.map, self.const = mlp(D, D, D, act=lambda: nn.LeakyReLU(0.2)), nn.Parameter(torch.randn(1, c, 8, 8))
        self.style, self.weight, self.noise = nn.Linear(D, c), nn.Parameter(torch.randn(1, c, c, 3, 3)), nn.Parameter(torch.zeros(1))
        self.rgb_style, self.rgb = nn.Linear(D, c), nn.Parameter(torch.randn(1, 3, c, 1, 1))
        k = torch.tensor([1.0, 3.0, 3.0, 1.0])
        k = k[None] * k[:, None]
        self.register_buffer("k", k / k.sum() * 4)
        self.register_buffer("mean_path", torch.zeros(()))

    def blur_up(self, x):
        b, c, h, w = x.shape
        x = F.pad(x.view(b * c, 1, h, 1, w, 1), [0, 1, 0, 0, 0, 1]).view(b * c, 1, 2 * h, 2 * w)
        return F.conv2d(F.pad(x, [2, 1, 2, 1]), self.k.flip(0, 1)[None, None]).view(b, c, 2 * h, 2 * w)

    def mod(self, x, w, s, demodulate):
        b, c, h, _ = x.shape
        w = w * s.view(b, 1, c, 1, 1)
        if demodulate:
            w = w * torch.rsqrt(w.pow(2).sum([2, 3, 4], keepdim=True) + 1e-8)
        o, k = w.shape[1], w.shape[-1]
        return F.conv2d(x.reshape(1, b * c, h, h), w.view(b * o, c, k, k), padding=k // 2, groups=b).view(b, o, h, h)

    def forward(self, z, y):
        w = self.map(z * torch.rsqrt(z.pow(2).mean(1, keepdim=True) + 1e-8))
        x = self.blur_up(self.const.repeat(len(z), 1, 1, 1))
        x = F.leaky_relu(self.mod(x, self.weight, self.style(w) + 1, True) + self.noise * torch.randn(len(z), 1, 16, 16), 0.2) * 2**0.5
        img = self.mod(x, self.rgb, self.rgb_style(w) + 1, False)
        (grad,) = torch.autograd.grad((img * torch.randn_like(img) / 16).sum(), w, create_graph=True)
        length = grad.pow(2).sum(1).sqrt()
        mean = self.mean_path + 0.01 * (length.mean() - self.mean_path)
        penalty = (length - mean).pow(2).mean()
        self.mean_path.copy_(mean.detach())
        return F.mse_loss(img, y) + 2 * penalty


@training(pair)
class detached_in_place(nn.Module):
    """A tensor that is detached in place, one that requires a gradient anew, gradients scaled where they pass."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x, y):
        h = self.a(x)
        t = torch.tanh(h * 1.0)
        t.detach_()
        z = self.b(h) * t
        w = self.c(z.detach().requires_grad_(True))
        w.register_hook(lambda g: g * 0.5)
        z = z.expand(2, 2, 8, D)[1] + w
        s = z.as_strided((2, 8, D // 2), (8 * D, D, 2))
        return F.mse_loss(z, y) + s.square().mean()


@training(lambda g: {"x": normal(g, 2, 12, D), "y": normal(g, 2, 12, D)})
class channels_and_neighbors(nn.Module):
    """XCiT's attention over channels, a neighborhood's by unfolded keys, and one over two axes with rotations of
    both."""

    def __init__(self):
        super().__init__()
        self.qkv, self.o, self.t = nn.Linear(D, 3 * D), nn.Linear(D, D), nn.Parameter(torch.ones(2, 1, 1))

    def forward(self, x, y):
        b, t, _ = x.shape
        q, k, v = (z.view(b, t, 2, -1).permute(0, 2, 3, 1) for z in self.qkv(x).chunk(3, -1))
        a = (F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).mT) * self.t
        ch = (a.softmax(-1) @ v).permute(0, 3, 1, 2).flatten(2)
        kk, vv = (F.pad(z, (2, 2)).unfold(-1, 5, 1) for z in (k, v))
        s = torch.einsum("bhdt,bhdtw->bhtw", q, kk)
        inside = F.pad(torch.ones(t), (2, 2)).unfold(0, 5, 1).bool()
        n = torch.einsum("bhtw,bhdtw->bthd", s.masked_fill(~inside, -1e9).softmax(-1), vv).flatten(2)
        g = (ch + n).view(b, 3, 4, D)
        py, px = torch.meshgrid(torch.arange(3.0), torch.arange(4.0), indexing="ij")
        ang = torch.stack([py, px], -1)[..., None] * torch.tensor([1.0, 0.1])
        rot = torch.polar(torch.ones_like(ang), ang).flatten(-2)
        r = torch.view_as_real(torch.view_as_complex(g.contiguous().reshape(b, 3, 4, D // 2, 2)) * rot).flatten(-2)
        rowa = F.scaled_dot_product_attention(r, r, g)
        cola = F.scaled_dot_product_attention(r.transpose(1, 2), r.transpose(1, 2), g.transpose(1, 2)).transpose(1, 2)
        return F.mse_loss(self.o((rowa + cola).view(b, t, D)), y)


@training(lambda g: {"x": normal(g, 8, 3), "h": normal(g, 8, D), "src": ids(g, 20, below=8), "dst": ids(g, 20, below=8), "y": normal(g, 8, D)})
class equivariant_and_pooled(nn.Module):
    """EGNN's coordinates by index_add, PNA's aggregators with degree scalers, a pooling by top scores, and DiffPool's
    losses."""

    def __init__(self):
        super().__init__()
        self.edge, self.coord, self.node = mlp(2 * D + 1, 16, D, act=nn.SiLU), mlp(D, 8, 1, act=nn.SiLU), mlp(13 * D, 16, D, act=nn.SiLU)
        self.p, self.assign, self.out = nn.Parameter(torch.randn(D)), nn.Linear(D, 3), nn.Linear(D, D)

    def forward(self, x, h, src, dst, y):
        n = len(x)
        diff = x[src] - x[dst]
        d2 = diff.square().sum(-1, keepdim=True)
        m = self.edge(torch.cat([h[src], h[dst], d2], -1))
        deg = torch.bincount(dst, minlength=n).clamp(min=1).to(x.dtype)[:, None]
        x = x + torch.zeros_like(x).index_add(0, dst, diff / (d2.sqrt() + 1) * self.coord(m)) / deg
        at = dst[:, None].expand_as(m)
        mean = torch.zeros_like(h).scatter_reduce(0, at, m, "mean", include_self=False)
        mx = torch.zeros_like(h).scatter_reduce(0, at, m, "amax", include_self=False)
        mn = torch.zeros_like(h).scatter_reduce(0, at, m, "amin", include_self=False)
        sq = torch.zeros_like(h).scatter_reduce(0, at, m * m, "mean", include_self=False)
        std = (F.relu(sq - mean * mean) + 1e-5).sqrt()
        agg = torch.cat([mean, mx, mn, std], -1)
        ld = torch.log(deg + 1)
        h = h + self.node(torch.cat([h, agg, agg * ld, agg / ld], -1))
        score = torch.tanh((h * self.p).sum(-1) / self.p.norm())
        top, at = score.topk(5)
        pooled = h[at] * top[:, None]
        s = self.assign(h).softmax(-1)
        adj = torch.zeros(n, n).index_put((src, dst), torch.ones(len(src)), accumulate=True)
        link = (adj - s @ s.mT).norm() / adj.numel()
        ent = torch.special.entr(s).sum(-1).mean()
        h = h.index_add(0, at, pooled) + s @ (s.mT @ h)
        return F.mse_loss(self.out(h), y) + x.square().mean() + link + ent


@training(lambda g: {"x": normal(g, 2, 4, 8, 8), "y": normal(g, 2, 4, 8, 8)})
class mixing_images(nn.Module):
    """Outlook attention by fold, a spatial gating unit, affine ResMLP, pooling as mixing, ConvMixer, and blurs by
    replicated pads."""

    def __init__(self, c=4):
        super().__init__()
        self.c = c
        self.v, self.att = nn.Linear(c, c), nn.Linear(c, 81)
        self.sg, self.sgn, self.sgo = nn.Conv1d(64, 64, 1), nn.LayerNorm(c), nn.Linear(c, c)
        nn.init.ones_(self.sg.bias)
        self.in2 = nn.Linear(c, 2 * c)
        self.al, self.be, self.mix = nn.Parameter(torch.ones(c)), nn.Parameter(torch.zeros(c)), nn.Linear(64, 64)
        self.dw = nn.Sequential(nn.Conv2d(c, c, 5, groups=c, padding="same", padding_mode="circular"), nn.GELU(), nn.BatchNorm2d(c))
        self.up = nn.Sequential(
            nn.Conv2d(c, 4 * c, 3, padding=1, padding_mode="replicate"), nn.PixelShuffle(2), nn.PixelUnshuffle(2), nn.Conv2d(4 * c, c, 1)
        )

    def forward(self, x, y):
        b, c, h, w = x.shape
        n = x.permute(0, 2, 3, 1)
        v = F.unfold(self.v(n).permute(0, 3, 1, 2), 3, padding=1).view(b, c, 9, h * w).permute(0, 3, 2, 1)
        a = (self.att(n).view(b, h * w, 9, 9) * c**-0.5).softmax(-1)
        x = x + F.fold((a @ v).permute(0, 3, 2, 1).reshape(b, c * 9, h * w), (h, w), 3, padding=1)
        t = x.flatten(2).mT
        u, g = F.gelu(self.in2(t)).chunk(2, -1)
        t = t + self.sgo(u * self.sg(self.sgn(g)))
        t = t + self.mix((self.al * t + self.be).mT).mT
        x = t.mT.view(b, c, h, w)
        x = x + F.avg_pool2d(x, 3, 1, 1, count_include_pad=False) - x
        x = x + self.dw(x)
        return F.smooth_l1_loss(self.up(x), y, beta=0.5)


@training(lambda g: {"x": normal(g, 2, 4, 4, D), "ref": torch.rand(2, 6, 2, generator=g), "y": normal(g, 2, 6, D)})
class deformable_attention(nn.Module):
    """Attention at sampled places of maps of two levels, masks by a hypernetwork, boxes refined through their
    logits."""

    def __init__(self, p=3):
        super().__init__()
        self.p = p
        self.q, self.off, self.w, self.v, self.o = (
            nn.Parameter(torch.randn(6, D)),
            nn.Linear(D, 2 * 2 * p * 2),
            nn.Linear(D, 2 * 2 * p),
            nn.Linear(D, D),
            nn.Linear(D, D),
        )
        self.box, self.hyper = nn.Linear(D, 2), mlp(D, D, D)

    def forward(self, x, ref, y):
        b, p = len(x), self.p
        q = self.q.expand(b, -1, -1)
        maps = [self.v(x).permute(0, 3, 1, 2)]
        maps.append(F.interpolate(maps[0], scale_factor=0.5, mode="area"))
        off = self.off(q).view(b, 6, 2, 2, p, 2)
        w = self.w(q).view(b, 6, 2, 2 * p).softmax(-1)
        ref = torch.sigmoid(torch.logit(ref, eps=1e-5) + self.box(q))
        s = []
        for level, m in enumerate(maps):
            h = m.shape[-1]
            g = 2 * (ref[:, :, None, None] + off[:, :, :, level] / h) - 1
            v = m.reshape(b * 2, D // 2, h, h)
            s.append(F.grid_sample(v, g.permute(0, 2, 1, 3, 4).reshape(b * 2, 6, p, 2), mode="bilinear", padding_mode="border", align_corners=False))
        s = torch.stack(s, -2).flatten(-2) * w.permute(0, 2, 1, 3).reshape(b * 2, 1, 6, 2 * p)
        out = self.o(s.sum(-1).view(b, D, 6).mT)
        mask = torch.einsum("bqc,bhwc->bqhw", self.hyper(out), x)
        return F.l1_loss(out, y) + mask.sigmoid().flatten(1).mean() + ref.mean()


@training(lambda g: {"p": normal(g, 12, 2), "c": torch.rand(12, 3, generator=g), "y": torch.rand(3, 6, 6, generator=g)})
class splats(nn.Module):
    """Gaussians that are sorted by depth, projected by quaternions, and composited front to back over all pixels."""

    def __init__(self):
        super().__init__()
        self.xyz, self.scale, self.quat = (
            nn.Parameter(torch.randn(12, 3) * 0.5 + torch.tensor([0, 0, 3.0])),
            nn.Parameter(torch.full((12, 3), -1.5)),
            nn.Parameter(torch.randn(12, 4)),
        )
        self.op = nn.Parameter(torch.zeros(12))

    def forward(self, p, c, y):
        q = F.normalize(self.quat, dim=-1)
        w, x, yy, z = q.unbind(-1)
        R = torch.stack(
            [
                1 - 2 * (yy * yy + z * z),
                2 * (x * yy - w * z),
                2 * (x * z + w * yy),
                2 * (x * yy + w * z),
                1 - 2 * (x * x + z * z),
                2 * (yy * z - w * x),
                2 * (x * z - w * yy),
                2 * (yy * z + w * x),
                1 - 2 * (x * x + yy * yy),
            ],
            -1,
        ).view(-1, 3, 3)
        M = R * self.scale.exp()[:, None]
        S = M @ M.mT
        t = self.xyz
        iz = 1 / t[:, 2].clamp(min=0.2)
        zero = torch.zeros_like(iz)
        J = torch.stack([torch.stack([iz, zero, -t[:, 0] * iz**2], -1), torch.stack([zero, iz, -t[:, 1] * iz**2], -1)], 1)
        C = J @ S @ J.mT + 0.05 * torch.eye(2)
        det = C[:, 0, 0] * C[:, 1, 1] - C[:, 0, 1] ** 2
        inv = torch.stack([C[:, 1, 1], -C[:, 0, 1], -C[:, 1, 0], C[:, 0, 0]], -1).view(-1, 2, 2) / det[:, None, None]
        mean = t[:, :2] * iz[:, None]
        order = t[:, 2].detach().argsort()
        g = torch.stack(torch.meshgrid(torch.linspace(-1, 1, 6), torch.linspace(-1, 1, 6), indexing="xy"), -1).view(-1, 1, 2)
        d = g - mean[order]
        power = -0.5 * torch.einsum("pni,nij,pnj->pn", d, inv[order], d)
        a = (self.op[order].sigmoid() * power.exp()).clamp(max=0.99)
        a = torch.where(a > 1 / 255, a, 0.0)
        T = torch.cumprod(torch.cat([torch.ones_like(a[:, :1]), 1 - a[:, :-1]], 1), 1)
        img = ((T * a)[..., None] * (c[order] + p[order].sum(-1, keepdim=True) * 0)).sum(1).T.reshape(3, 6, 6)
        return F.l1_loss(img, y)


@training(pair)
class physics_of_sorts(nn.Module):
    """A geometric product of multivectors, a graph simulator's noise, a DeepONet, an SDF traced by spheres, a quantum
    circuit."""

    def __init__(self):
        super().__init__()
        t = torch.zeros(4, 4, 4)
        for i, (r, s) in {
            0: ([0, 1, 2, 3], [1, 1, 1, 1]),
            1: ([1, 0, 3, 2], [1, 1, 1, 1]),
            2: ([2, 3, 0, 1], [1, -1, 1, -1]),
            3: ([3, 2, 1, 0], [1, -1, 1, -1]),
        }.items():
            for j in range(4):
                t[i, j, r[j]] = s[j]
        self.register_buffer("t", t)
        self.lin, self.branch, self.trunk, self.sdf = (
            nn.Linear(2, 2),
            mlp(D, 8, 6, act=nn.Tanh),
            mlp(1, 8, 6, act=nn.SiLU),
            mlp(3, 8, 1, act=nn.Softplus),
        )
        self.angles = nn.Parameter(torch.randn(3, 2))

    def forward(self, x, y):
        m = x.view(2, 8, 2, 4)
        m = torch.einsum("bnci,ijk,bncj->bnck", m, self.t, self.lin(m.mT).mT).flatten(2)
        u = torch.einsum("bnp,lp->bnl", self.branch(x), self.trunk(torch.linspace(0, 1, D)[:, None]))
        ray = F.normalize(x[..., :3], dim=-1)
        pos = torch.zeros_like(ray)
        for _ in range(3):
            pos = pos + ray * self.sdf(pos).tanh() * 0.3
        with torch.enable_grad():
            n = torch.autograd.grad(self.sdf(pos).sum(), pos, create_graph=True)[0]
        state = torch.zeros(2, 2, dtype=torch.cfloat)
        state = torch.view_as_complex(torch.stack([F.pad(torch.ones(1), (0, 3)).view(2, 2), torch.zeros(2, 2)], -1))
        for a in self.angles:
            for qb in range(2):
                c, s = torch.cos(a[qb] / 2), torch.sin(a[qb] / 2)
                gate = torch.complex(
                    torch.stack([c, torch.zeros(()), torch.zeros(()), c]), torch.stack([torch.zeros(()), -s, -s, torch.zeros(())])
                ).view(2, 2)
                state = torch.tensordot(gate, state, dims=([1], [qb])).movedim(0, qb)
            state = state * torch.tensor([[1, 1], [1, -1]])
        prob = (state.conj() * state).real
        return F.mse_loss(m + u, y) + (n.norm(dim=-1) - 1).square().mean() + (prob[0].sum() - prob[1].sum())


@training(pair)
class implicit_layers(nn.Module):
    """A layer whose gradient is that of its fixed point by a solve, a projection onto a simplex by sorting, a soft
    rank, and straight-through codes."""

    class Solve(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w, b):
            z = torch.linalg.solve(torch.eye(len(w)) - w, b.mT).mT
            ctx.save_for_backward(w, z)
            return z

        @staticmethod
        def backward(ctx, g):
            w, z = ctx.saved_tensors
            v = torch.linalg.solve((torch.eye(len(w)) - w).mT, g.mT).mT
            return (v.mT @ z), v

    def __init__(self):
        super().__init__()
        self.w, self.a, self.code = nn.Parameter(torch.randn(D, D) * 0.05), nn.Linear(D, D), nn.Parameter(torch.randn(2, 5, D // 2))

    def forward(self, x, y):
        z = self.Solve.apply(self.w, self.a(x).flatten(0, 1)).view_as(x)
        u, _ = z.sort(-1, descending=True)
        css = u.cumsum(-1) - 1
        r = torch.arange(1, D + 1)
        rho = ((u - css / r) > 0).sum(-1, keepdim=True)
        p = (z - css.gather(-1, rho - 1) / rho).clamp(min=0)
        rank = torch.sigmoid((z[..., None] - z[..., None, :]) / 0.1).sum(-1)
        h = z.view(2, 8, 2, D // 2)
        d = (h[..., None, :] - self.code).square().sum(-1)
        i = d.argmin(-1)
        q = self.code[torch.arange(2), i]
        q = h + (q - h).detach()
        commit = F.mse_loss(h, self.code[torch.arange(2), i].detach()) + F.mse_loss(self.code[torch.arange(2), i], h.detach())
        perp = torch.exp(-(F.one_hot(i, 5).float().mean((0, 1)) * torch.log(F.one_hot(i, 5).float().mean((0, 1)) + 1e-10)).sum(-1)).mean()
        return F.mse_loss(q.flatten(2) + p + 0.1 * rank, y) + commit + 0 * perp


@training(lambda g: {"x": normal(g, 2, 2, 6, 6, 6), "y": ids(g, 2, 6, 6, 6, below=3)})
class volumes(nn.Module):
    """A U-Net in three dimensions with strided, transposed and trilinear parts, instance norms, attention gates, dice
    with softmax."""

    def __init__(self, c=4):
        super().__init__()
        self.e1 = nn.Sequential(nn.Conv3d(2, c, 3, padding=1), nn.InstanceNorm3d(c, affine=True), nn.LeakyReLU(0.01, inplace=True))
        self.down = nn.Conv3d(c, 2 * c, 2, 2)
        self.mid = nn.Sequential(nn.Conv3d(2 * c, 2 * c, (1, 3, 3), padding=(0, 1, 1)), nn.GroupNorm(2, 2 * c), nn.Mish())
        self.up = nn.ConvTranspose3d(2 * c, c, 2, 2)
        self.g = nn.Conv3d(2 * c, 1, 1)
        self.head, self.deep = nn.Conv3d(2 * c, 3, 1), nn.Conv3d(2 * c, 3, 1)

    def forward(self, x, y):
        a = self.e1(x)
        m = self.mid(self.down(a))
        u = self.up(m)
        u = torch.cat([u, a * torch.sigmoid(F.interpolate(self.g(m), size=6, mode="trilinear", align_corners=True))], 1)
        out = self.head(u)
        loss = 0
        one = F.one_hot(y, 3).permute(0, 4, 1, 2, 3)
        for o in (out, F.interpolate(self.deep(m), scale_factor=2, mode="nearest-exact")):
            p = o.softmax(1)
            inter = (p * one).sum((2, 3, 4))
            loss = loss + F.cross_entropy(o, y) + 1 - ((2 * inter + 1) / (p.sum((2, 3, 4)) + one.sum((2, 3, 4)) + 1)).mean()
        return loss + F.avg_pool3d(out, 2).square().mean() * 0.01 + F.adaptive_max_pool3d(out, 2).mean() * 0.01
