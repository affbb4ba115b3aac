# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time series and sound."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, normal, training


def series(g):
    return {"x": normal(g, 2, 24, 3).cumsum(1), "y": normal(g, 2, 8, 3)}


@training(series)
class patchtst(nn.Module):
    """Each variable normalized by itself and put back, overlapping patches by unfold, quantiles as the loss."""

    def __init__(self, d=16):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.ones(3)), nn.Parameter(torch.zeros(3))
        self.pad, self.embed, self.pos = nn.ReplicationPad1d((0, 4)), nn.Linear(8, d), nn.Parameter(torch.empty(6, d).uniform_(-0.02, 0.02))
        self.layer = nn.TransformerEncoderLayer(d, 2, 32, 0.0, F.gelu, batch_first=True)
        self.norm, self.head = nn.BatchNorm1d(d), nn.Linear(6 * d, 8 * 3)

    def forward(self, x, y):
        mean = torch.mean(x, dim=1, keepdim=True).detach()
        std = torch.sqrt(torch.var(x, dim=1, keepdim=True, unbiased=False) + 1e-5).detach()
        z = self.pad((((x - mean) / std) * self.gamma + self.beta).permute(0, 2, 1)).unfold(-1, 8, 4)
        z = self.layer((self.embed(z) + self.pos).flatten(0, 1))
        z = self.norm(z.transpose(1, 2)).unflatten(0, (2, 3)).transpose(2, 3)
        out = self.head(z.flatten(2)).unflatten(-1, (8, 3)).permute(0, 2, 1, 3)
        out = (out - self.beta[:, None]) / (self.gamma[:, None] + 1e-10) * std[..., None] + mean[..., None]
        q = torch.tensor([0.1, 0.5, 0.9])
        e = y[..., None] - out
        return torch.maximum(q * e, (q - 1) * e).sum(-1).mean()


@training(series)
class dlinear(nn.Module):
    """A moving average with repeated ends, a layer for each variable and part."""

    def __init__(self):
        super().__init__()
        self.avg = nn.AvgPool1d(5, 1, 0)
        self.trend, self.season = nn.ModuleList(nn.Linear(24, 8) for _ in range(3)), nn.ModuleList(nn.Linear(24, 8) for _ in range(3))
        for layer in self.trend:
            layer.weight = nn.Parameter((1 / 24) * torch.ones(8, 24))

    def forward(self, x, y):
        ends = torch.cat([x[:, :1].repeat(1, 2, 1), x, x[:, -1:].repeat(1, 2, 1)], 1)
        trend = self.avg(ends.permute(0, 2, 1))
        season, out = x.mT - trend, torch.zeros(2, 3, 8)
        for i in range(3):
            out[:, i, :] = self.trend[i](trend[:, i]) + self.season[i](season[:, i])
        return F.l1_loss(out.mT, y)


@training(series)
class nbeats(nn.Module):
    """Blocks that take their part away, with polynomial and Fourier bases, and rates of pooling and interpolation."""

    def __init__(self):
        super().__init__()
        t = torch.arange(32.0) / 24
        basis = torch.cat(
            [torch.stack([t**i for i in range(3)]), torch.stack([f(2 * math.pi * k * t) for k in (1, 2) for f in (torch.cos, torch.sin)])]
        )
        self.register_buffer("basis", basis)
        self.blocks = nn.ModuleList(nn.Sequential(nn.Linear(24, 16), nn.ReLU(), nn.Linear(16, 7)) for _ in range(2))
        self.pooled, self.coarse = nn.MaxPool1d(3, 3), nn.Linear(8, 4)

    def forward(self, x, y):
        x, out = x.mT, 0
        for block in self.blocks:
            f = block(x) @ self.basis
            x, out = x - f[..., :24], out + f[..., 24:]
        out = out + F.interpolate(self.coarse(self.pooled(x)), size=8, mode="linear")
        mase = (x[..., 1:] - x[..., :-1]).abs().mean().detach() + 1.0
        return ((out.mT - y).abs() / ((out.mT.abs() + y.abs()) / 2 + 0.1)).mean() / mase


@training(series)
class autoformer(nn.Module):
    """Correlation by Fourier transforms, the delays of the largest, gathered and weighted."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.head = nn.Linear(3, 8), nn.Linear(3, 8), nn.Linear(3, 8), nn.Linear(8, 3)

    def forward(self, x, y):
        q, k, v = (f(x).mT for f in (self.q, self.k, self.v))
        n = q.shape[-1]
        corr = torch.fft.irfft(torch.fft.rfft(q, dim=-1) * torch.conj(torch.fft.rfft(k, dim=-1)), dim=-1)
        weights, delay = torch.topk(corr.mean(1), 3, dim=-1)
        weights = torch.softmax(weights, -1)
        index, twice, out = torch.arange(n)[None, None].repeat(2, 8, 1), v.repeat(1, 1, 2), torch.zeros_like(v)
        for i in range(3):
            shifted = torch.gather(twice, -1, index + delay[:, i, None, None].repeat(1, 8, n))
            out = out + shifted * weights[:, i, None, None].repeat(1, 8, n)
        return F.mse_loss(self.head(out.mT)[:, -8:], y)


@training(lambda g: {"x": normal(g, 2, 16, 3).abs(), "static": ids(g, 2, below=5)})
class deepar(nn.Module):
    """An LSTM whose outputs are parameters of distributions, by torch.distributions."""

    def __init__(self):
        super().__init__()
        self.embed, self.lstm = nn.Embedding(5, 4), nn.LSTM(7, 16, num_layers=2, batch_first=True)
        self.loc, self.scale, self.counts, self.mix = nn.Linear(16, 3), nn.Linear(16, 3), nn.Linear(16, 2), nn.Linear(16, 4)

    def forward(self, x, static):
        from torch.distributions import Categorical, Independent, MixtureSameFamily, NegativeBinomial, Normal, StudentT

        scale = x.abs().mean(1, keepdim=True) + 1
        h, _ = self.lstm(torch.cat([x / scale, self.embed(static)[:, None].expand(-1, x.shape[1], -1)], -1))
        h, target = h[:, :-1], x[:, 1:] / scale
        normal = Independent(Normal(self.loc(h), F.softplus(self.scale(h)) + 1e-3), 1)
        total, logits = self.counts(h).unbind(-1)
        counts = NegativeBinomial(F.softplus(total) + 0.1, logits=logits).log_prob(x[:, 1:, 0].round())
        student = StudentT(torch.tensor(4.0), self.loc(h)[..., 0], F.softplus(self.scale(h)[..., 0]) + 1e-3).log_prob(target[..., 0])
        mixture = MixtureSameFamily(Categorical(logits=self.mix(h)[..., :2]), Normal(self.mix(h)[..., 2:], torch.ones(2))).log_prob(target[..., 1])
        return -(normal.log_prob(target).mean() + 0.1 * counts.mean() + student.mean() + mixture.mean())


@training(lambda g: {"x": ids(g, 2, 20, below=32), "mel": normal(g, 2, 4, 5)})
class wavenet(nn.Module):
    """Causal dilated convolutions with gates, conditioned by transposed convolutions, summed skips."""

    def __init__(self, c=8):
        super().__init__()
        self.embed, self.up = nn.Embedding(32, c), nn.ConvTranspose1d(4, c, 8, stride=4, padding=2)
        self.dilated = nn.ModuleList(nn.utils.parametrizations.weight_norm(nn.Conv1d(c, 2 * c, 2, dilation=2**i)) for i in range(3))
        self.cond, self.res, self.skip = (nn.ModuleList(nn.Conv1d(c, o, 1) for _ in range(3)) for o in (2 * c, c, c))
        self.end = nn.Sequential(nn.ReLU(), nn.Conv1d(c, c, 1), nn.ReLU(), nn.Conv1d(c, 32, 1))

    def forward(self, x, mel):
        z, cond, skips = self.embed(x).mT, self.up(mel), 0
        for i, conv in enumerate(self.dilated):
            a, b = (conv(F.pad(z, (2**i, 0))) + self.cond[i](cond)).chunk(2, 1)
            h = torch.tanh(a) * torch.sigmoid(b)
            skips, z = skips + self.skip[i](h), (z + self.res[i](h)) * math.sqrt(0.5)
        return F.cross_entropy(self.end(skips)[..., :-1], x[:, 1:])


@training(lambda g: {"x": normal(g, 1, 1, 96)})
class encodec(nn.Module):
    """A codec: convolutions with the older weight norm, an LSTM between, codebooks of what the ones before left, losses
    of spectra at several scales."""

    def __init__(self, c=8):
        super().__init__()
        wn = nn.utils.weight_norm
        self.enc = nn.Sequential(
            wn(nn.Conv1d(1, c, 7, padding=3)),
            nn.ELU(),
            wn(nn.Conv1d(c, c, 4, stride=2, padding=1)),
            nn.ELU(),
            wn(nn.Conv1d(c, c, 8, stride=4, padding=2)),
        )
        self.lstm, self.codes = nn.LSTM(c, c, 1, batch_first=True), nn.Parameter(torch.randn(3, 16, c))
        self.dec = nn.Sequential(
            wn(nn.ConvTranspose1d(c, c, 8, stride=4, padding=2)),
            nn.ELU(),
            wn(nn.ConvTranspose1d(c, c, 4, stride=2, padding=1)),
            nn.ELU(),
            wn(nn.Conv1d(c, 1, 7, padding=3)),
        )

    def spectrum(self, x, n):
        s = torch.stft(x.squeeze(1), n, n // 4, n, torch.hann_window(n), center=True, return_complex=True)
        return torch.sqrt(s.real.pow(2) + s.imag.pow(2) + 1e-6)

    def forward(self, x):
        z = self.enc(x).mT
        z = z + self.lstm(z)[0]
        residual, quantized, commit = z, 0, 0
        for book in self.codes:
            d = torch.cdist(residual.flatten(0, 1), book)
            q = F.embedding(d.argmin(-1), book).view_as(residual)
            commit = commit + F.mse_loss(residual, q.detach()) + F.mse_loss(q, residual.detach())
            q = residual + (q - residual).detach()
            residual, quantized = residual - q.detach(), quantized + q
        y = self.dec(quantized.mT)
        spectral = sum(
            F.l1_loss(self.spectrum(y, n), self.spectrum(x, n)) + F.mse_loss(self.spectrum(y, n).log(), self.spectrum(x, n).log()) for n in (16, 32)
        )
        return F.l1_loss(y, x) + spectral + commit


@training(lambda g: {"x": normal(g, 2, 20, 8), "labels": ids(g, 2, 4, below=7) + 1, "xl": torch.tensor([10, 8]), "yl": torch.tensor([4, 3])})
class conformer(nn.Module):
    """Subsampling, relative positions by shifts, a convolution module with a gate, CTC."""

    def __init__(self, d=16, h=2):
        super().__init__()
        self.sub, self.d, self.h = nn.Conv1d(8, d, 3, 2, 1), d, h
        self.qkv, self.pos, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d, bias=False), nn.Linear(d, d)
        self.u, self.v = nn.Parameter(torch.randn(h, d // h)), nn.Parameter(torch.randn(h, d // h))
        self.point, self.depth, self.bn, self.point2 = (
            nn.Conv1d(d, 2 * d, 1),
            nn.Conv1d(d, d, 5, padding=2, groups=d),
            nn.BatchNorm1d(d),
            nn.Conv1d(d, d, 1),
        )
        self.ff, self.norm, self.head = (
            nn.Sequential(nn.LayerNorm(d), nn.Linear(d, 2 * d), nn.SiLU(), nn.Linear(2 * d, d)),
            nn.LayerNorm(d),
            nn.Linear(d, 8),
        )

    def forward(self, x, labels, xl, yl):
        z = self.sub(x.mT).mT
        b, t, d = z.shape
        z = z + 0.5 * self.ff(z)
        q, k, v = (a.view(b, t, self.h, -1).transpose(1, 2) for a in self.qkv(self.norm(z)).chunk(3, -1))
        p = torch.arange(t - 1, -t, -1.0)[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        p = self.pos(torch.stack([p.sin(), p.cos()], -1).flatten(1)).view(2 * t - 1, self.h, -1).transpose(0, 1)
        bd = (q + self.v[:, None]) @ p.mT
        bd = torch.cat([torch.zeros(b, self.h, t, 1), bd], -1).view(b, self.h, -1, t)[:, :, 1:].view(b, self.h, t, 2 * t - 1)[..., :t]
        s = ((q + self.u[:, None]) @ k.mT + bd) / math.sqrt(d // self.h)
        hidden = (torch.arange(t) >= xl[:, None])[:, None, None]
        a = s.masked_fill(hidden, torch.finfo(s.dtype).min).softmax(-1).masked_fill(hidden, 0.0)
        z = z + self.out((a @ v).transpose(1, 2).reshape(b, t, d))
        c = F.glu(self.point(self.norm(z).mT), 1)
        z = z + self.point2(F.silu(self.bn(self.depth(c)))).mT
        log = self.head(z).log_softmax(-1).transpose(0, 1)
        return F.ctc_loss(log, labels, xl, yl, zero_infinity=True)


@training(lambda g: {"x": normal(g, 2, 6, 8), "y": ids(g, 2, 4, below=7) + 1})
class transducer(nn.Module):
    """A transducer's loss, written over its lattice by diagonals."""

    def __init__(self):
        super().__init__()
        self.enc, self.pred, self.embed, self.joint = nn.Linear(8, 16), nn.GRU(16, 16, batch_first=True), nn.Embedding(8, 16), nn.Linear(16, 8)

    def forward(self, x, y):
        f, g = self.enc(x), self.pred(F.pad(self.embed(y), (0, 0, 1, 0)))[0]
        log = self.joint(torch.tanh(f[:, :, None] + g[:, None])).log_softmax(-1)
        blank = log[..., 0]
        emit = log[:, :, :-1].gather(-1, y[:, None, :, None].expand(-1, log.shape[1], -1, 1)).squeeze(-1)
        t, u = blank.shape[1:]
        alpha = [[None] * u for _ in range(t)]
        for i in range(t):
            for j in range(u):
                ways = ([alpha[i - 1][j] + blank[:, i - 1, j]] if i else []) + ([alpha[i][j - 1] + emit[:, i, j - 1]] if j else [])
                alpha[i][j] = torch.zeros(len(x)) if not ways else ways[0] if len(ways) == 1 else torch.logaddexp(*ways)
        return -(alpha[-1][-1] + blank[:, -1, -1]).mean()


@training(lambda g: {"mix": normal(g, 2, 64), "sources": normal(g, 2, 2, 64)})
class tasnet(nn.Module):
    """Separation: learned frames, masks, overlapped and added by fold, the best permutation of sources."""

    def __init__(self):
        super().__init__()
        self.enc, self.mask = (
            nn.Conv1d(1, 16, 8, 4, bias=False),
            nn.Sequential(nn.GroupNorm(1, 16), nn.Conv1d(16, 16, 3, padding=1), nn.PReLU(), nn.Conv1d(16, 32, 1)),
        )
        self.dec = nn.Linear(16, 8, bias=False)

    def forward(self, mix, sources):
        w = F.relu(self.enc(mix[:, None]))
        m = torch.sigmoid(self.mask(w)).unflatten(1, (2, 16))
        frames = self.dec((m * w[:, None]).mT)
        out = F.fold(frames.flatten(0, 1).mT, (1, 64), (1, 8), stride=(1, 4)).view(2, 2, 64)
        a, b = out - out.mean(-1, keepdim=True), sources - sources.mean(-1, keepdim=True)
        a, b = a[:, :, None], b[:, None]
        target = (a * b).sum(-1, keepdim=True) * b / (b**2).sum(-1, keepdim=True)
        snr = 10 * torch.log10((target**2).sum(-1) / ((a - target) ** 2).sum(-1) + 1e-8)
        both = torch.stack([snr[:, 0, 0] + snr[:, 1, 1], snr[:, 0, 1] + snr[:, 1, 0]], -1)
        return -both.max(-1).values.mean() / 2


@training(lambda g: {"x": normal(g, 1, 1, 64), "noise": normal(g, 1, 64)})
class synthesizer(nn.Module):
    """Differentiable synthesis: oscillators by cumulative phases, noise through filters of the model's, mel bands."""

    def __init__(self):
        super().__init__()
        self.gru, self.out = nn.GRU(1, 16, batch_first=True), nn.Linear(16, 4 + 9 + 1)
        self.register_buffer("mel", torch.rand(6, 17))
        self.register_buffer("window", torch.hann_window(32))

    def forward(self, x, noise):
        h = self.out(self.gru(x.mT[:, ::8])[0])

        def upsample(t):
            return F.interpolate(t.mT, size=64, mode="linear", align_corners=True).mT

        amps, f0 = F.softplus(upsample(h[..., :4])), torch.sigmoid(upsample(h[..., 13:])) * 0.5
        phase = torch.cumsum(2 * math.pi * f0, 1) * torch.arange(1, 5)
        harmonic = (torch.sin(phase) * amps * (f0 * torch.arange(1, 5) < 0.5).float()).sum(-1)
        ir = torch.fft.irfft(torch.complex(F.softplus(h[..., 4:13]), torch.zeros_like(h[..., 4:13])))
        ir = torch.roll(ir, 8, -1) * torch.hann_window(16)
        frames = noise.view(1, 8, 8)
        filtered = torch.fft.irfft(torch.fft.rfft(F.pad(frames, (0, 24))) * torch.fft.rfft(F.pad(ir, (0, 16))))[..., :8].reshape(1, 64)

        def logmel(t):
            s = torch.stft(t, 32, 8, window=self.window, return_complex=True, center=False).abs() ** 2
            return torch.log(torch.clamp(self.mel @ s, min=1e-5))

        return F.l1_loss(logmel(harmonic + 0.1 * filtered), logmel(x[:, 0]))
