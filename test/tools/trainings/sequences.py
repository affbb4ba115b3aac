# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers over sequences, memories, rows of tables and what is learned of them, as their users write them."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, mlp, normal, tokens, training

D = 8


def rows(g):
    return {"x": normal(g, 6, D), "y": ids(g, 6, below=4)}


def seq(g):
    return {"x": normal(g, 2, 12, D), "y": normal(g, 2, 12, D)}


def pair(g):
    return {"x": normal(g, 2, 8, D), "y": normal(g, 2, 8, D)}


@training(lambda g: {"x": normal(g, 2, D, 16), "y": normal(g, 2, D, 16)})
class s4d(nn.Module):
    """A diagonal state space of complex numbers: its kernel by a Vandermonde product, applied by Fourier transforms."""

    def __init__(self, n=4):
        super().__init__()
        self.log_dt = nn.Parameter(torch.rand(D) * 2 - 4)
        self.C = nn.Parameter(torch.view_as_real(torch.randn(D, n, dtype=torch.cfloat)))
        self.log_A_real = nn.Parameter(torch.log(0.5 * torch.ones(D, n)))
        self.A_imag = nn.Parameter(math.pi * torch.arange(n).repeat(D, 1).float())
        self.D = nn.Parameter(torch.randn(D))
        self.out = nn.Sequential(nn.Conv1d(D, 2 * D, 1), nn.GLU(dim=-2))

    def kernel(self, L):
        dt = torch.exp(self.log_dt)
        C = torch.view_as_complex(self.C)
        A = -torch.exp(self.log_A_real) + 1j * self.A_imag
        dtA = A * dt.unsqueeze(-1)
        K = dtA.unsqueeze(-1) * torch.arange(L)
        C = C * (torch.exp(dtA) - 1.0) / A
        return 2 * torch.einsum("hn, hnl -> hl", C, torch.exp(K)).real

    def forward(self, x, y):
        L = x.size(-1)
        k = self.kernel(L)
        y0 = torch.fft.irfft(torch.fft.rfft(x, n=2 * L) * torch.fft.rfft(k, n=2 * L), n=2 * L)[..., :L]
        return F.mse_loss(x + self.out(F.gelu(y0 + x * self.D.unsqueeze(-1))), y)


@training(lambda g: {"x": normal(g, 2, 16, D), "y": normal(g, 2, 16, D)})
class lru(nn.Module):
    """A linear recurrent unit: complex decays in polar form, by a scan that doubles its reach."""

    def __init__(self, n=6):
        super().__init__()
        self.nu, self.theta = nn.Parameter(torch.rand(n) - 1), nn.Parameter(torch.rand(n) * 3)
        self.gamma = nn.Parameter(torch.zeros(n))
        self.Br, self.Bi = nn.Parameter(torch.randn(n, D) / 3), nn.Parameter(torch.randn(n, D) / 3)
        self.Cr, self.Ci = nn.Parameter(torch.randn(D, n) / 3), nn.Parameter(torch.randn(D, n) / 3)

    def forward(self, x, y):
        lam = torch.polar(torch.exp(-torch.exp(self.nu)), self.theta)
        u = x.to(torch.cfloat) @ (torch.complex(self.Br, self.Bi) * torch.exp(self.gamma)[:, None]).mT
        a = lam.expand(u.shape)
        step = 1
        while step < x.shape[1]:
            pu, pa = F.pad(u, (0, 0, step, 0))[:, :-step], F.pad(a - 1, (0, 0, step, 0))[:, :-step] + 1
            u, a = u + a * pu, a * pa
            step *= 2
        out = (u @ torch.complex(self.Cr, self.Ci).mT).real
        return F.mse_loss(F.layer_norm(out, (D,)), y)


@training(lambda g: {"x": normal(g, 2, 12, D), "y": normal(g, 2, 12, D)})
class retention(nn.Module):
    """RetNet's: rotations with decays, in parallel and in chunks, a group norm, a gate; both forms in one loss."""

    def __init__(self, heads=2):
        super().__init__()
        self.h = heads
        self.q, self.k, self.v, self.g, self.o = (nn.Linear(D, D, bias=False) for _ in range(5))
        self.norm = nn.GroupNorm(heads, D, affine=False)
        self.register_buffer("decay", torch.log(1 - 2 ** (-5 - torch.arange(heads, dtype=torch.float))))
        angle = 1.0 / (10000 ** torch.linspace(0, 1, D // heads // 2))
        self.register_buffer("angle", angle.unsqueeze(-1).repeat(1, 2).flatten())

    def forward(self, x, y):
        b, t, _ = x.shape
        i = torch.arange(t).float()
        sin, cos = torch.sin(i[:, None] * self.angle), torch.cos(i[:, None] * self.angle)

        def rot(z):
            z1 = torch.stack((-z[..., 1::2], z[..., ::2]), -1).flatten(-2)
            return z * cos + z1 * sin

        q, k, v = (layer(x).view(b, t, self.h, -1).transpose(1, 2) for layer in (self.q, self.k, self.v))
        q, k = rot(q), rot(k * q.shape[-1] ** -0.5)
        mask = torch.tril(torch.ones(t, t))
        mask = torch.masked_fill(i[:, None] - i[None, :], ~mask.bool(), float("inf"))
        mask = torch.nan_to_num(torch.exp(mask * self.decay[:, None, None]))
        scale = mask.sum(dim=-1, keepdim=True).sqrt()
        mask = mask / scale
        qk = q @ k.mT * mask
        qk = qk / qk.detach().sum(dim=-1, keepdim=True).abs().clamp(min=1)
        par = (qk @ v).transpose(1, 2)
        # chunks
        c, s, outs = 4, torch.zeros(b, self.h, k.shape[-1], v.shape[-1]), []
        g = self.decay.exp()[:, None]
        for qc, kc, vc in zip(q.split(c, 2), k.split(c, 2), v.split(c, 2)):
            j = torch.arange(c)
            inner = torch.where(j[:, None] >= j, g[..., None] ** (j[:, None] - j).clamp(min=0), 0.0)
            outs.append((qc @ kc.mT * inner) @ vc + (qc @ s) * (g ** (j + 1))[..., None])
            s = s * (g**c)[..., None] + kc.mT @ (vc * (g ** (c - 1 - j))[..., None])
        rec = torch.cat(outs, 2).transpose(1, 2)
        out = self.norm((par + rec).reshape(b * t, D)).view(b, t, D)
        return F.mse_loss(self.o(F.silu(self.g(x)) * out), y)


@training(tokens)
class contextual_positions(nn.Module):
    """Positions that gates count (CoPE), interpolated between learned ones, beside a bias by a kernel of distances."""

    def __init__(self, n=6):
        super().__init__()
        self.emb, self.qkv, self.head = nn.Embedding(50, D), nn.Linear(D, 3 * D), nn.Linear(D, 50)
        self.n, self.pos = n, nn.Parameter(torch.randn(D, n))
        self.p, self.a = nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.tensor(0.5))

    def forward(self, x, y):
        h = self.emb(x)
        t = x.shape[1]
        q, k, v = self.qkv(h).chunk(3, -1)
        logits = q @ k.mT
        mask = torch.ones(t, t).tril().log()
        logits = logits + mask
        gates = torch.sigmoid(logits)
        pos = gates.flip(-1).cumsum(dim=-1).flip(-1).clamp(max=self.n - 1)
        hi, lo = pos.ceil().long(), pos.floor().long()
        li = q @ self.pos
        w = pos - lo
        logits = logits + li.gather(-1, hi) * w + li.gather(-1, lo) * (1 - w)
        i = torch.arange(t)
        logits = logits - self.p * torch.log1p(self.a.abs() * (i[:, None] - i).abs())
        return F.cross_entropy(self.head(h + logits.softmax(-1) @ v).flatten(0, 1), y.flatten())


@training(lambda g: {"x": normal(g, 2, 10, D), "y": normal(g, 2, 10, D)})
class product_keys(nn.Module):
    """A memory of product keys: the best of two halves, the best of their sums, and a bag of embeddings weighed by
    them."""

    def __init__(self, n=8, heads=2, k=3):
        super().__init__()
        self.n, self.h, self.k = n, heads, k
        self.query = nn.Sequential(nn.Linear(D, heads * D), nn.LayerNorm(heads * D))
        self.keys = nn.Parameter(torch.randn(heads, 2, n, D // 2))
        self.values = nn.EmbeddingBag(n * n, D, mode="sum")

    def forward(self, x, y):
        b, t, _ = x.shape
        q = self.query(x).view(b * t, self.h, 2, D // 2)
        s = torch.einsum("rhpd,hpnd->rhpn", q, self.keys)
        v, i = s.topk(self.k, -1)
        total = (v[:, :, 0, :, None] + v[:, :, 1, None, :]).flatten(-2)
        where = (i[:, :, 0, :, None] * self.n + i[:, :, 1, None, :]).flatten(-2)
        best, at = total.topk(self.k, -1)
        where = where.gather(-1, at)
        out = self.values(where.view(b * t, -1), per_sample_weights=best.softmax(-1).view(b * t, -1))
        return F.mse_loss(x + out.view(b, t, D), y)


@training(lambda g: {"x": normal(g, 2, 12, D), "y": normal(g, 2, 12, D)})
class depth_and_choice(nn.Module):
    """A mixture of depths, experts that choose tokens, and soft experts, one after the other."""

    def __init__(self, e=3, cap=4):
        super().__init__()
        self.e, self.cap = e, cap
        self.router, self.block = nn.Linear(D, 1), mlp(D, 16, D)
        self.gate, self.w1, self.w2 = nn.Linear(D, e, bias=False), nn.Parameter(torch.randn(e, D, 16) / 3), nn.Parameter(torch.randn(e, 16, D) / 4)
        self.phi, self.soft = nn.Parameter(torch.randn(D, 4)), nn.ModuleList(mlp(D, 16, D) for _ in range(2))

    def forward(self, x, y):
        b, t, _ = x.shape
        w = self.router(x)[..., 0]
        top, at = w.topk(6, -1, sorted=False)
        at, order = at.sort(-1)
        top = top.gather(-1, order)
        sub = x.gather(1, at[..., None].expand(-1, -1, D))
        x = x.scatter_add(1, at[..., None].expand(-1, -1, D), self.block(sub) * top.sigmoid()[..., None])
        aux = F.binary_cross_entropy_with_logits(w, torch.zeros_like(w).scatter(1, at, 1.0))
        s = self.gate(x.reshape(-1, D)).softmax(-1)
        g, i = s.t().topk(self.cap, -1)
        p = F.one_hot(i, b * t).float()
        xin = torch.einsum("ekn,nd->ekd", p, x.reshape(-1, D))
        xe = torch.bmm(F.gelu(torch.bmm(xin, self.w1)), self.w2)
        x = x + torch.einsum("ekn,ek,ekd->nd", p, g, xe).view(b, t, D)
        layer = x @ self.phi
        d, c = layer.softmax(1), layer.softmax(2)
        xs = torch.einsum("bts,btd->bsd", d, x).view(b, 2, 2, D)
        x = x + torch.einsum("bts,bsd->btd", c, torch.stack([f(xs[:, i]) for i, f in enumerate(self.soft)], 1).flatten(1, 2))
        return F.mse_loss(x, y) + 0.1 * aux


@training(lambda g: {"x": normal(g, 2, 12, D), "y": normal(g, 2, 12, D)})
class learned_at_test_time(nn.Module):
    """A layer whose state is a small model that its own gradient steps train, by hand over mini batches, with a
    norm."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(D, D, bias=False) for _ in range(4))
        self.w0, self.b0, self.g, self.bt, self.lr = (
            nn.Parameter(torch.randn(D, D) * 0.1),
            nn.Parameter(torch.zeros(D)),
            nn.Parameter(torch.ones(D)),
            nn.Parameter(torch.zeros(D)),
            nn.Linear(D, 1),
        )

    def forward(self, x, y):
        b, t, _ = x.shape
        w, bb, outs = self.w0.expand(b, D, D), self.b0.expand(b, 1, D), []
        for xc in x.split(4, 1):
            q, k, v, eta = self.q(xc), self.k(xc), self.v(xc), self.lr(xc).sigmoid() / 4
            z = k @ w + bb
            mu, var = z.mean(-1, keepdim=True), z.var(-1, keepdim=True, unbiased=False)
            std = torch.sqrt(var + 1e-6)
            xh = (z - mu) / std
            gx = (self.g * xh + self.bt - (v - k)) * self.g
            gz = (D * gx - gx.sum(-1, keepdim=True) - xh * (gx * xh).sum(-1, keepdim=True)) / (D * std)
            attn = torch.tril(q @ k.mT)
            outs.append(q @ w - (attn * eta.mT) @ gz + bb - torch.tril(eta.mT.expand(b, 4, 4)) @ gz)
            w = w - (eta * k).mT @ gz
            bb = bb - (eta * gz).sum(1, keepdim=True)
        return F.mse_loss(self.o(F.layer_norm(torch.cat(outs, 1), (D,))), y)


@training(rows)
class knn_memory(nn.Module):
    """The nearest of a memory of what earlier batches had, weighed by distance, and written in a ring."""

    def __init__(self):
        super().__init__()
        self.enc, self.head = mlp(D, 16, D), nn.Linear(2 * D, 4)
        self.register_buffer("keys", torch.randn(32, D))
        self.register_buffer("values", torch.randn(32, D))
        self.register_buffer("at", torch.zeros((), dtype=torch.long))

    def forward(self, x, y):
        h = self.enc(x)
        d = torch.cdist(h, self.keys.clone())
        near, where = d.topk(5, largest=False)
        w = torch.softmax(-near, -1)
        read = (w[..., None] * self.values.clone()[where]).sum(1)
        with torch.no_grad():
            spots = (self.at + torch.arange(len(x))) % 32
            self.keys.index_copy_(0, spots, h.detach())
            self.values[spots] = x
            self.at.add_(len(x)).remainder_(32)
        return F.cross_entropy(self.head(torch.cat([h, read], -1)), y)


@training(lambda g: {"x": normal(g, 3, 2, D), "y": normal(g, 3, 1).tanh(), "r": normal(g, 3) * 5})
class dreamer(nn.Module):
    """Discrete latents straight through with a mixed prior, balanced divergences with free bits, two-hot rewards in
    symlog."""

    def __init__(self):
        super().__init__()
        self.enc, self.prior, self.cell, self.dec = nn.Linear(2 * D, 12), nn.Linear(D, 12), nn.GRUCell(12, D), nn.Linear(D + 12, D)
        self.reward = nn.Linear(D + 12, 21)
        self.register_buffer("bins", torch.linspace(-4, 4, 21))

    def forward(self, x, y, r):
        h, loss = torch.zeros(3, D), 0.0

        def mix(logits):
            return 0.99 * logits.view(3, 3, 4).softmax(-1) + 0.01 / 4

        def kl(a, b):
            return (a * (a.log() - b.log())).sum((-1, -2)).clamp(min=0.5)

        for i in range(2):
            post, pr = mix(self.enc(torch.cat([h, x[:, i]], -1))), mix(self.prior(h))
            one = F.one_hot((post.log() - torch.log(-torch.log(torch.rand_like(post).clamp(1e-6, 1 - 1e-6)))).argmax(-1), 4) + post - post.detach()
            loss = loss + (0.5 * kl(post.detach(), pr) + 0.1 * kl(post, pr.detach())).mean()
            z = one.flatten(1)
            h = self.cell(z, h)
            f = torch.cat([h, z], -1)
            loss = loss + F.mse_loss(self.dec(f), x[:, i])
        t = torch.sign(r) * torch.log1p(r.abs())
        k = torch.searchsorted(self.bins, t).clamp(1, 20)
        lo, hi = self.bins[k - 1], self.bins[k]
        w = (t - lo) / (hi - lo)
        two = F.one_hot(k - 1, 21) * (1 - w)[:, None] + F.one_hot(k, 21) * w[:, None]
        return loss - (two * F.log_softmax(self.reward(f), -1)).sum(-1).mean()


@training(lambda g: {"x": normal(g, 2, 6, D), "d": ids(g, 2, 6, below=3) + 1, "mel": normal(g, 2, 18, 4)})
class speech_made(nn.Module):
    """FastSpeech's lengths by a matrix of places, a monotonic alignment by its best path, and losses of several
    spectra."""

    def __init__(self):
        super().__init__()
        self.enc, self.dur, self.dec = nn.Conv1d(D, D, 3, padding=1), nn.Linear(D, 1), nn.Linear(D, 4)

    def forward(self, x, d, mel):
        h = F.relu(self.enc(x.mT)).mT
        ld = self.dur(h.detach())[..., 0]
        ends = d.cumsum(-1)
        t = torch.arange(18)
        path = ((t[None, :, None] < ends[:, None]) & (t[None, :, None] >= (ends - d)[:, None])).to(x.dtype)
        out = self.dec(path @ h)
        mask = (t[None] < ends[:, -1:])[..., None]
        loss = ((out - mel).abs() * mask).sum() / mask.sum() / 4 + F.mse_loss(ld, torch.log(d.float()))
        logp = -torch.cdist(mel, self.dec(h)).square()
        with torch.no_grad():
            q = torch.full((2, 6), -1e9)
            q[:, 0] = logp[:, 0, 0]
            keep = []
            for i in range(1, 18):
                stay, move = q, F.pad(q, (1, 0), value=-1e9)[:, :-1]
                keep.append(move > stay)
                q = torch.maximum(stay, move) + logp[:, i]
            at, best = torch.full((2,), 5), []
            for i in range(17, -1, -1):
                best.append(at)
                if i:
                    at = at - keep[i - 1].gather(1, at[:, None])[:, 0].long()
            best = torch.stack(best[::-1], 1)
        loss = loss - logp.gather(2, best[..., None]).mean() * 0.1
        a, b = out.flatten(1), mel.flatten(1)
        for n in (8, 16):
            w = torch.hann_window(n)
            sa, sb = (torch.stft(z, n, n // 4, n, w, return_complex=True).abs().clamp(min=1e-4) for z in (a, b))
            loss = loss + (sb - sa).norm() / sb.norm() + F.l1_loss(sa.log(), sb.log())
        return loss


@training(lambda g: {"q": ids(g, 2, 7, below=30), "c": ids(g, 2, 9, below=30), "s": ids(g, 2, below=9)})
class bidaf(nn.Module):
    """Highway layers over embeddings and characters, attention both ways by a trilinear form, and a span."""

    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(30, D)
        self.chars = nn.Conv1d(D, D, 3, padding="same")
        self.w = nn.Parameter(torch.randn(3, D) / 3)
        self.high = nn.ModuleList(nn.Linear(2 * D, 4 * D) for _ in range(2))
        self.lstm = nn.LSTM(2 * D, D // 2, bidirectional=True, batch_first=True)
        self.start = nn.Linear(4 * D, 1)

    def read(self, x):
        e = self.emb(x)
        h = torch.cat([e, self.chars(e.mT).mT], -1)
        for layer in self.high:
            g, t = layer(h).chunk(2, -1)
            g = torch.sigmoid(g)
            h = g * F.relu(t) + (1 - g) * h
        return self.lstm(h)[0]

    def forward(self, q, c, s):
        q, c = self.read(q), self.read(c)
        sim = (c @ self.w[0])[:, :, None] + (q @ self.w[1])[:, None] + torch.einsum("bcd,d,bqd->bcq", c, self.w[2], q)
        a = sim.softmax(-1) @ q
        b = (sim.max(-1).values.softmax(-1)[:, None] @ c).expand_as(c)
        return F.cross_entropy(self.start(torch.cat([c, a, c * a, c * b], -1))[..., 0], s)


@training(tokens)
class decoder_variants(nn.Module):
    """Rotations by part of a head with scaled frequencies, norms of both sides, logits with soft caps, value residuals,
    shared caches, a hashed n-gram table."""

    def __init__(self):
        super().__init__()
        self.emb, self.gram = nn.Embedding(50, 16), nn.Embedding(31, 16)
        self.qkv = nn.ModuleList(nn.Linear(16, 48, bias=False) for _ in range(2))
        self.o = nn.ModuleList(nn.Linear(16, 16, bias=False) for _ in range(2))
        self.n = nn.ModuleList(nn.RMSNorm(16) for _ in range(4))
        self.lam = nn.Parameter(torch.tensor([0.5, 0.5]))
        self.ff = nn.ModuleList(nn.Linear(16, 32) for _ in range(2))
        self.down = nn.ModuleList(nn.Linear(32, 16) for _ in range(2))
        inv = 1 / 10000 ** (torch.arange(0, 2) / 2)
        low = torch.clamp((1 / inv - 1) / 3, 0, 1)
        self.register_buffer("inv", inv / 4 * low + inv * (1 - low), persistent=False)

    def rot(self, z, pos):
        a, rest = z[..., :4], z[..., 4:]
        f = pos[:, None] * self.inv
        c, s = f.cos(), f.sin()
        x, y = a[..., 0::2], a[..., 1::2]
        return torch.cat([torch.stack([x * c - y * s, x * s + y * c], -1).flatten(-2), rest], -1)

    def forward(self, x, y):
        prev = F.pad(x, (1, 0))[:, :-1]
        h = self.emb(x) + self.gram((x * 7919 + prev * 104729) % 31)
        t = x.shape[1]
        pos = torch.arange(t)
        first = None
        for i in range(2):
            q, k, v = (z.view(3, t, 2, 8).transpose(1, 2) for z in self.qkv[i](self.n[2 * i](h)).chunk(3, -1))
            q, k = (F.rms_norm(z, (8,)) for z in (q, k))
            first = v if first is None else first
            v = self.lam[i] * v + (1 - self.lam[i]) * first
            h = h + self.o[i](
                F.scaled_dot_product_attention(self.rot(q, pos), self.rot(k, pos), v, is_causal=True, scale=0.2).transpose(1, 2).flatten(2)
            )
            h = h + self.down[i](F.relu(self.ff[i](self.n[2 * i + 1](h))).square())
        logits = 15 * torch.tanh(h @ self.emb.weight.T / 15)
        return F.cross_entropy(logits.float().flatten(0, 1), y.flatten(), label_smoothing=0.1) + 1e-4 * logits.logsumexp(-1).square().mean()


@training(
    lambda g: {
        "u": ids(g, 6, below=20),
        "hist": ids(g, 6, 5, below=20),
        "n": ids(g, 6, below=5) + 1,
        "tags": ids(g, 6, 3, below=10),
        "dense": normal(g, 6, 4),
        "y": torch.rand(6, generator=g).round(),
    }
)
class click_models(nn.Module):
    """DeepFM and xDeepFM over one table with offsets and bags, interest by attention with Dice, a compressed
    interaction, MMoE towers."""

    def __init__(self):
        super().__init__()
        self.table, self.bag, self.first = nn.Embedding(20, D, padding_idx=0), nn.EmbeddingBag(10, D, mode="mean", padding_idx=0), nn.Embedding(20, 1)
        self.att, self.bn, self.alpha = mlp(4 * D, 8, 1), nn.BatchNorm1d(D, affine=False), nn.Parameter(torch.zeros(D))
        self.dense, self.cin, self.deep = nn.Linear(4, D), nn.Conv1d(16, 4, 1), mlp(4 * D, 16, D)
        self.exp, self.gates, self.towers = nn.Parameter(torch.randn(3, D, D) / 3), nn.Linear(D, 6), nn.ModuleList(nn.Linear(D, 1) for _ in range(2))

    def forward(self, u, hist, n, tags, dense, y):
        t, h = self.table(u), self.table(hist)
        tt = t[:, None].expand_as(h)
        s = self.att(torch.cat([tt, h, tt - h, tt * h], -1))[..., 0].masked_fill(torch.arange(5) >= n[:, None], -(2**16))
        interest = (s.softmax(-1)[:, None] @ h)[:, 0]
        p = torch.sigmoid(self.bn(interest))
        interest = p * interest + (1 - p) * self.alpha * interest
        f = torch.stack([t, interest, self.bag(tags), self.dense(dense)], 1)
        fm = 0.5 * (f.sum(1).square() - f.square().sum(1)).sum(-1)
        c = self.cin(torch.einsum("bid,bjd->bijd", f, f).flatten(1, 2)).relu().sum((-1, -2))
        d = self.deep(f.flatten(1))
        e = torch.einsum("bd,edk->bek", d, self.exp).relu()
        g = self.gates(d).view(-1, 2, 3).softmax(-1)
        z = torch.einsum("bte,bek->btk", g, e)
        a, b = (tw(z[:, i])[:, 0] for i, tw in enumerate(self.towers))
        logit = fm + c + a + self.first(u)[:, 0]
        return (
            F.binary_cross_entropy_with_logits(logit, y)
            + F.binary_cross_entropy(torch.sigmoid(a) * torch.sigmoid(b), y)
            + 1e-4 * sum(w.norm() for w in (self.table.weight, self.first.weight))
        )


@training(rows)
class margins_by_proxies(nn.Module):
    """SoftTriple, Proxy-NCA and anchors, N-pairs, multi-similarity, a curricular face with a moving average, AdaFace by
    norms, von Mises-Fisher."""

    def __init__(self):
        super().__init__()
        self.net, self.w, self.prox = mlp(D, 16, D), nn.Parameter(torch.randn(D, 4)), nn.Parameter(torch.randn(4, 3, D))
        self.register_buffer("t", torch.zeros(1))
        self.register_buffer("mean", torch.ones(1) * 3)
        self.register_buffer("std", torch.ones(1))
        self.la = nn.Parameter(torch.zeros(1))

    def forward(self, x, y):
        h = self.net(x)
        norm = h.norm(dim=1, keepdim=True)
        e = h / norm
        cos = (e @ F.normalize(self.w, dim=0)).clamp(-1 + 1e-7, 1 - 1e-7)
        one = F.one_hot(y, 4)
        target = cos.gather(1, y[:, None])
        sin = (1 - target**2).sqrt()
        ctm = target * math.cos(0.5) - sin * math.sin(0.5)
        with torch.no_grad():
            self.t.copy_(target.mean() * 0.01 + 0.99 * self.t)
            self.mean.lerp_(norm.mean()[None], 0.01)
            self.std.lerp_(norm.std()[None], 0.01)
        mod = torch.where(cos > ctm, cos * (self.t + cos), cos)
        total = F.cross_entropy(16 * mod.scatter(1, y[:, None], torch.where(target > math.cos(math.pi - 0.5), ctm, target - 0.25)), y)
        k = ((norm - self.mean) / (self.std + 1e-3) * 0.33).clamp(-1, 1).detach()
        th = torch.acos(cos) + one * (-0.4 * k)
        total = total + F.cross_entropy(16 * (th.clamp(1e-3, math.pi - 1e-3).cos() - one * (0.4 + 0.4 * k)), y)
        s3 = torch.einsum("bd,ckd->bck", e, F.normalize(self.prox, dim=-1))
        sc = (s3.div(0.1).softmax(-1) * s3).sum(-1)
        total = total + F.cross_entropy(8 * (sc - 0.01 * one), y)
        s = e @ e.mT
        same = y[:, None] == y
        eye = torch.eye(len(y), dtype=torch.bool)
        pos = torch.log1p((torch.exp(-2 * (s - 0.5)) * (same & ~eye)).sum(1)) / 2
        neg = torch.log1p((torch.exp(10 * (s - 0.5)) * ~same).sum(1)) / 10
        total = total + (pos + neg).mean() + torch.logsumexp((s.masked_fill(same, -math.inf) - s.diagonal()[:, None]), 1).relu().mean()
        kappa = norm[:, 0]
        total = (
            total
            - (torch.log(torch.special.i0e(kappa)) + kappa).neg().mean() * 0.1
            + F.huber_loss(torch.special.log_ndtr(self.la * norm), torch.zeros_like(norm))
            + torch.special.xlogy(kappa, kappa).mean() * 0.01
        )
        return total
