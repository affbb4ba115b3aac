# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Language models beside those of transformers: scripts of one file, and mixers other than softmax attention."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, tokens, training

V, D, H, T = 50, 32, 4, 12


def rotary(x, base=10000.0):
    """Of [B, T, H, D], the halves rotated."""
    t, d = x.shape[1], x.shape[3] // 2
    angle = torch.arange(t)[:, None] * base ** -(torch.arange(d) / d)
    cos, sin = angle.cos()[None, :, None], angle.sin()[None, :, None]
    a, b = x.chunk(2, -1)
    return torch.cat([a * cos + b * sin, b * cos - a * sin], -1)


class Mixing(nn.Module):
    """A language model of blocks that mix tokens by `mixer`, and a loss."""

    def __init__(self, mixer, layers=2, norm=nn.LayerNorm):
        super().__init__()
        self.embed, self.head = nn.Embedding(V, D), nn.Linear(D, V, bias=False)
        self.mixers = nn.ModuleList(mixer() for _ in range(layers))
        self.norms = nn.ModuleList(norm(D) for _ in range(2 * layers))
        self.mlps = nn.ModuleList(nn.Sequential(nn.Linear(D, 2 * D), nn.GELU(), nn.Linear(2 * D, D)) for _ in range(layers))

    def forward(self, x, y):
        h = self.embed(x)
        for i, (mixer, mlp) in enumerate(zip(self.mixers, self.mlps)):
            h = h + mixer(self.norms[2 * i](h))
            h = h + mlp(self.norms[2 * i + 1](h))
        return F.cross_entropy(self.head(h).flatten(0, 1), y.flatten())


def two_groups(model):
    """Decay for matrices alone, as nanoGPT's configure_optimizers."""
    named = [p for p in model.parameters() if p.requires_grad]
    return torch.optim.AdamW(
        [{"params": [p for p in named if p.dim() > 1], "weight_decay": 0.1}, {"params": [p for p in named if p.dim() < 2], "weight_decay": 0.0}],
        lr=1e-3,
        betas=(0.9, 0.95),
    )


@training(tokens, two_groups)
class nanogpt(nn.Module):
    """Tied weights, norms without a bias, its own initialization, a causal mask in a buffer where there is no fused
    attention."""

    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight, self.bias = nn.Parameter(torch.ones(D)), None

        def forward(self, x):
            return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)

    class Block(nn.Module):
        def __init__(self, fused):
            super().__init__()
            self.ln_1, self.ln_2, self.fused = nanogpt.Norm(), nanogpt.Norm(), fused
            self.c_attn, self.c_proj = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, D, bias=False)
            self.mlp = nn.Sequential(nn.Linear(D, 4 * D), nn.GELU(), nn.Linear(4 * D, D))
            self.register_buffer("bias", torch.tril(torch.ones(T, T)).view(1, 1, T, T))

        def forward(self, x):
            b, t, c = x.size()
            q, k, v = (z.view(b, t, H, c // H).transpose(1, 2) for z in self.c_attn(self.ln_1(x)).split(c, dim=2))
            if self.fused:
                y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=0, is_causal=True)
            else:
                att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
                att = att.masked_fill(self.bias[:, :, :t, :t] == 0, float("-inf"))
                y = F.softmax(att, dim=-1) @ v
            x = x + self.c_proj(y.transpose(1, 2).contiguous().view(b, t, c))
            return x + self.mlp(self.ln_2(x))

    def __init__(self):
        super().__init__()
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(V, D),
                "wpe": nn.Embedding(T, D),
                "drop": nn.Dropout(0.0),
                "h": nn.ModuleList([nanogpt.Block(True), nanogpt.Block(False)]),
                "ln_f": nanogpt.Norm(),
            }
        )
        self.lm_head = nn.Linear(D, V, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(lambda m: nn.init.normal_(m.weight, 0.0, 0.02) if isinstance(m, (nn.Linear, nn.Embedding)) else None)

    def forward(self, x, y):
        pos = torch.arange(0, x.size(1), dtype=torch.long, device=x.device)
        h = self.transformer.drop(self.transformer.wte(x) + self.transformer.wpe(pos))
        for block in self.transformer.h:
            h = block(h)
        logits = self.lm_head(self.transformer.ln_f(h))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), y.reshape(-1), ignore_index=-1)


def muon_and_adam(model):
    matrices = [p for n, p in model.named_parameters() if p.dim() == 2 and "embed" not in n and "head" not in n]
    known = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in known]
    return [torch.optim.Muon(matrices, lr=0.01), torch.optim.Adam(others, lr=1e-3, betas=(0.8, 0.95), eps=1e-10)]


@training(tokens, muon_and_adam)
class speedrun(nn.Module):
    """Value embeddings, learned mixes of a U-shaped residual, norms without weights, squared ReLU, capped logits."""

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.qkv = nn.Parameter(torch.randn(3 * D, D) / D**0.5)
            self.lambdas = nn.Parameter(torch.tensor([0.5, 0.5]))
            self.proj = nn.Linear(D, D, bias=False)
            self.proj.weight.data.zero_()

        def forward(self, x, ve):
            b, t, _ = x.shape
            q, k, v = F.linear(x, self.qkv).view(b, t, 3 * H, D // H).chunk(3, dim=-2)
            q, k = (rotary(F.rms_norm(z, (z.size(-1),))) for z in (q, k))
            v = self.lambdas[0] * v + self.lambdas[1] * ve.view_as(v)
            y = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True, scale=0.12)
            return self.proj(y.transpose(1, 2).reshape(b, t, D))

    def __init__(self):
        super().__init__()
        self.embed, self.value_embeds = nn.Embedding(V, D), nn.ModuleList(nn.Embedding(V, D) for _ in range(2))
        self.attn = nn.ModuleList(self.Attention() for _ in range(4))
        self.fc = nn.ModuleList(nn.Linear(D, 4 * D, bias=False) for _ in range(4))
        self.out = nn.ModuleList(nn.Linear(4 * D, D, bias=False) for _ in range(4))
        self.scalars, self.lambdas = nn.Parameter(torch.ones(2)), nn.Parameter(torch.tensor([[1.0, 0.0]] * 4))
        self.head = nn.Linear(D, V, bias=False)

    def forward(self, x, y):
        h = x0 = F.rms_norm(self.embed(x), (D,))
        ve, skips = [e(x) for e in self.value_embeds], []
        for i in range(4):
            if i >= 2:
                h = h + self.scalars[i - 2] * skips.pop()
            h = self.lambdas[i, 0] * h + self.lambdas[i, 1] * x0
            h = h + self.attn[i](F.rms_norm(h, (D,)), ve[i % 2])
            h = h + self.out[i](F.relu(self.fc[i](F.rms_norm(h, (D,)))).square())
            if i < 2:
                skips.append(h)
        logits = self.head(F.rms_norm(h, (D,))).float()
        logits = 30 * torch.sigmoid(logits / 7.5)
        return F.cross_entropy(logits.view(-1, V), y.flatten(), reduction="sum") / y.numel()


class SelectiveScan(nn.Module):
    """Mamba's block by its recurrence."""

    def __init__(self, n=4):
        super().__init__()
        self.in_proj, self.out_proj, self.n = nn.Linear(D, 2 * D, bias=False), nn.Linear(D, D, bias=False), n
        self.conv1d = nn.Conv1d(D, D, 4, groups=D, padding=3)
        self.x_proj, self.dt_proj = nn.Linear(D, 2 + 2 * n, bias=False), nn.Linear(2, D)
        self.A_log = nn.Parameter(torch.log(torch.arange(1, n + 1).float().repeat(D, 1)))
        self.D = nn.Parameter(torch.ones(D))

    def forward(self, x):
        t = x.shape[1]
        u, z = self.in_proj(x).chunk(2, -1)
        u = F.silu(self.conv1d(u.mT)[..., :t].mT)
        dt, b, c = self.x_proj(u).split([2, self.n, self.n], -1)
        dt = F.softplus(self.dt_proj(dt))
        a = torch.exp(torch.einsum("btd,dn->btdn", dt, -torch.exp(self.A_log.float())))
        bu = torch.einsum("btd,btn,btd->btdn", dt, b, u)
        state, ys = torch.zeros_like(bu[:, 0]), []
        for i in range(t):
            state = a[:, i] * state + bu[:, i]
            ys.append(torch.einsum("bdn,bn->bd", state, c[:, i]))
        y = torch.stack(ys, 1) + u * self.D
        return self.out_proj(y * F.silu(z))


class StateSpaceDuality(nn.Module):
    """Mamba-2's chunks by sums of segments."""

    def __init__(self, n=4, chunk=4):
        super().__init__()
        self.proj, self.out, self.n, self.chunk = nn.Linear(D, D + 2 * n + H), nn.Linear(D, D), n, chunk
        self.A_log, self.dt_bias = nn.Parameter(torch.zeros(H)), nn.Parameter(torch.zeros(H))

    @staticmethod
    def segsum(x):
        t = x.size(-1)
        x = x[..., None].repeat(*[1] * x.dim(), t)
        x = x.masked_fill(~torch.tril(torch.ones(t, t, dtype=torch.bool), -1), 0)
        x = torch.cumsum(x, dim=-2)
        return x.masked_fill(~torch.tril(torch.ones(t, t, dtype=torch.bool)), -torch.inf)

    def forward(self, x):
        b, t, _ = x.shape
        x, bb, cc, dt = self.proj(x).split([D, self.n, self.n, H], -1)
        dt = F.softplus(dt + self.dt_bias)
        a = -self.A_log.exp() * dt
        x = x.view(b, t, H, D // H) * dt[..., None]

        def chunks(z):
            return z.unflatten(1, (-1, self.chunk))

        x, a, bb, cc = chunks(x), chunks(a).permute(0, 3, 1, 2), chunks(bb), chunks(cc)
        cum = torch.cumsum(a, -1)
        y = torch.einsum("bcln,bcsn,bhcls,bcshp->bclhp", cc, bb, torch.exp(self.segsum(a)), x)
        states = torch.einsum("bcln,bhcl,bclhp->bchpn", bb, torch.exp(cum[..., -1:] - cum), x)
        states = torch.cat([torch.zeros_like(states[:, :1]), states], 1)
        decay = torch.exp(self.segsum(F.pad(cum[..., -1], (1, 0))))
        states = torch.einsum("bhzc,bchpn->bzhpn", decay, states)[:, :-1]
        y = y + torch.einsum("bcln,bchpn,bhcl->bclhp", cc, states, torch.exp(cum))
        return self.out(y.reshape(b, t, D))


class TimeMix(nn.Module):
    """RWKV-4's: a recurrence kept from overflowing by its running maximum, and tokens shifted by one."""

    def __init__(self):
        super().__init__()
        self.decay, self.first = nn.Parameter(torch.linspace(-3, 1, D)), nn.Parameter(torch.ones(D) * 0.3)
        self.mix = nn.Parameter(torch.rand(3, D))
        self.key, self.value, self.receptance, self.output = (nn.Linear(D, D, bias=False) for _ in range(4))
        self.time_shift = nn.ZeroPad2d((0, 0, 1, -1))

    def forward(self, x):
        shifted = self.time_shift(x)
        xk, xv, xr = (x * m + shifted * (1 - m) for m in self.mix)
        k, v, r = self.key(xk), self.value(xv), torch.sigmoid(self.receptance(xr))
        w, outs = -torch.exp(self.decay), []
        num = den = torch.zeros_like(k[:, 0])
        most = torch.full_like(num, -1e38)
        for i in range(x.shape[1]):
            q = torch.maximum(most, self.first + k[:, i])
            e1, e2 = torch.exp(most - q), torch.exp(self.first + k[:, i] - q)
            outs.append((e1 * num + e2 * v[:, i]) / (e1 * den + e2))
            q = torch.maximum(most + w, k[:, i])
            e1, e2 = torch.exp(most + w - q), torch.exp(k[:, i] - q)
            num, den, most = e1 * num + e2 * v[:, i], e1 * den + e2, q
        return self.output(r * torch.stack(outs, 1))


class DeltaRule(nn.Module):
    """Gated DeltaNet's, by chunks, with a unit triangular solve."""

    def __init__(self):
        super().__init__()
        self.qkv, self.beta, self.gate, self.out = nn.Linear(D, 3 * D, bias=False), nn.Linear(D, H), nn.Linear(D, H), nn.Linear(D, D)

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (z.view(b, t, H, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        beta = torch.sigmoid(self.beta(x)).transpose(1, 2)[..., None]
        g = F.logsigmoid(self.gate(x)).transpose(1, 2).cumsum(-1)
        decay = (g[..., :, None] - g[..., None, :]).tril().exp().tril()
        low = (beta * k @ k.mT * decay).tril(-1)
        eye = torch.eye(t)
        u = torch.linalg.solve_triangular(eye + low, beta * v, upper=False, unitriangular=True)
        y = (q @ k.mT * decay) @ u
        return self.out(y.transpose(1, 2).reshape(b, t, D))


class LongConvolution(nn.Module):
    """Hyena's: an implicit filter, applied by Fourier transforms, and gates."""

    def __init__(self):
        super().__init__()
        self.proj, self.out = nn.Linear(D, 3 * D), nn.Linear(D, D)
        self.short = nn.Conv1d(3 * D, 3 * D, 3, groups=3 * D, padding=2)
        self.filter = nn.Sequential(nn.Linear(5, 16), nn.SiLU(), nn.Linear(16, D, bias=False))
        self.bias = nn.Parameter(torch.randn(D))
        t = torch.linspace(0, 1, T)[:, None]
        bands = 2 * math.pi * torch.arange(1, 3) * t
        self.register_buffer("z", torch.cat([t, bands.cos(), bands.sin()], -1), persistent=False)

    def forward(self, x):
        t = x.shape[1]
        x1, x2, v = self.short(self.proj(x).mT)[..., :t].chunk(3, 1)
        k = self.filter(self.z).mT * torch.exp(-torch.arange(t) / t)
        u = v * x1
        f = torch.fft.rfft(u, n=2 * t) * torch.fft.rfft(k, n=2 * t)
        y = torch.fft.irfft(f, n=2 * t)[..., :t] + u * self.bias[:, None]
        return self.out((y * x2).mT)


class MinGru(nn.Module):
    """A recurrence in logarithms, by cumulative sums of exponentials."""

    def __init__(self):
        super().__init__()
        self.to_hidden_and_gate, self.out = nn.Linear(D, 2 * D, bias=False), nn.Linear(D, D, bias=False)

    def forward(self, x):
        hidden, gate = self.to_hidden_and_gate(x).chunk(2, dim=-1)
        log_coeffs, log_z = -F.softplus(gate), -F.softplus(-gate)
        log_values = log_z + torch.where(hidden >= 0, (F.relu(hidden) + 0.5).log(), -F.softplus(-hidden))
        a_star = log_coeffs.cumsum(dim=1)
        return self.out((a_star + (log_values - a_star).logcumsumexp(dim=1)).exp())


class Performer(nn.Module):
    """Attention by random features, whose projection is a buffer."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(D, 3 * D), nn.Linear(D, D)
        q = torch.linalg.qr(torch.randn(D // H, D // H))[0]
        self.register_buffer("projection", torch.cat([q, -q]) * (D // H) ** 0.5)

    def features(self, x, is_query):
        x = x * x.shape[-1] ** -0.25
        dash = torch.einsum("bhtd,md->bhtm", x, self.projection)
        diagonal = (x**2).sum(-1, keepdim=True) / 2
        most = dash.amax(-1, keepdim=True) if is_query else dash.amax((-1, -2), keepdim=True)
        return torch.exp(dash - diagonal - most.detach()) + 1e-4

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (z.view(b, t, H, -1).transpose(1, 2) for z in self.qkv(x).chunk(3, -1))
        q, k = self.features(q, True), self.features(k, False)
        scale = 1.0 / torch.einsum("bhtm,bhtm->bht", q, k.cumsum(2))
        context = torch.cumsum(torch.einsum("bhtm,bhtd->bhtmd", k, v), 2)
        y = torch.einsum("bhtmd,bhtm,bht->bhtd", context, q, scale)
        return self.out(y.transpose(1, 2).flatten(2))


class XAttention(nn.Module):
    """Of x-transformers: T5's buckets, talking heads, memory, gates, scores by cosines."""

    def __init__(self, buckets=8):
        super().__init__()
        self.to_q, self.to_k, self.to_v, self.to_out = (nn.Linear(D, D, bias=False) for _ in range(4))
        self.mem_k, self.mem_v = (nn.Parameter(torch.randn(H, 2, D // H)) for _ in range(2))
        self.talk, self.scale = nn.Conv2d(H, H, 1, bias=False), nn.Parameter(torch.ones(H, 1, 1) * 10)
        self.gate, self.bias, self.buckets = nn.Linear(D, D), nn.Embedding(buckets, H), buckets

    def bucket(self, t):
        n = (torch.arange(t)[:, None] - torch.arange(t)[None, :]).clamp(min=0)
        exact = self.buckets // 2
        large = exact + (torch.log(n.float().clamp(min=1) / exact) / math.log(T / exact) * (self.buckets - exact)).long()
        return torch.where(n < exact, n, large.clamp(max=self.buckets - 1))

    def forward(self, x):
        b, t, _ = x.shape
        q, k, v = (f(x).view(b, t, H, -1).transpose(1, 2) for f in (self.to_q, self.to_k, self.to_v))
        k, v = (torch.cat([m.expand(b, -1, -1, -1), z], -2) for m, z in ((self.mem_k, k), (self.mem_v, v)))
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        dots = torch.einsum("bhid,bhjd->bhij", q, k) * self.scale
        dots = dots + F.pad(self.bias(self.bucket(t)).permute(2, 0, 1), (2, 0))
        causal = torch.ones(t, t + 2, dtype=torch.bool).triu(3)
        attn = self.talk(dots.masked_fill(causal, -torch.finfo(dots.dtype).max).softmax(-1))
        return self.to_out((attn @ v).transpose(1, 2).flatten(2)) * torch.sigmoid(self.gate(x))


class Differential(nn.Module):
    """The difference of two softmaxes, with a norm for each head."""

    def __init__(self):
        super().__init__()
        self.qkv, self.out = nn.Linear(D, 5 * D, bias=False), nn.Linear(D, D, bias=False)
        self.lambdas, self.gamma = nn.Parameter(torch.randn(4, D // H) * 0.1), nn.Parameter(torch.ones(D // H))

    def forward(self, x):
        b, t, _ = x.shape
        q1, q2, k1, k2, v = (z.view(b, t, H, -1).transpose(1, 2) for z in self.qkv(x).chunk(5, -1))
        a, c, d, e = self.lambdas
        weight = torch.exp(torch.sum(a * c).float()) - torch.exp(torch.sum(d * e).float()) + 0.2
        mask = torch.triu(torch.full((t, t), float("-inf")), 1)
        s1, s2 = (F.softmax(q @ k.mT / (D // H) ** 0.5 + mask, -1, dtype=torch.float32) for q, k in ((q1, k1), (q2, k2)))
        y = (s1 - weight * s2) @ v
        y = y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-5) * self.gamma
        return self.out(y.transpose(1, 2).flatten(2) * 0.8)


class SwitchExperts(nn.Module):
    """Experts by one-hot dispatch, with a capacity, and the loss that balances them."""

    def __init__(self, experts=4, capacity=12):
        super().__init__()
        self.router, self.e, self.c = nn.Linear(D, experts, bias=False), experts, capacity
        self.w1, self.w2 = nn.Parameter(torch.randn(experts, D, D) * 0.1), nn.Parameter(torch.randn(experts, D, D) * 0.1)

    def forward(self, x):
        flat = x.flatten(0, 1)
        probs = self.router(flat).softmax(-1)
        weight, index = probs.topk(2)
        y = 0
        for k in range(2):
            chosen = F.one_hot(index[:, k], self.e).float()
            position = (chosen.cumsum(0) - 1) * chosen
            place = F.one_hot(position.sum(-1).long().clamp(max=self.c), self.c + 1)[:, :-1].float()
            dispatch = chosen[:, :, None] * place[:, None]
            rows = torch.einsum("nd,nec->ecd", flat, dispatch)
            rows = torch.bmm(F.relu(torch.bmm(rows, self.w1)), self.w2)
            y = y + torch.einsum("ecd,nec->nd", rows, dispatch * weight[:, k, None, None])
        # What balances the experts is added in the backward.
        self.aux = self.e * (F.one_hot(index[:, 0], self.e).float().mean(0) * probs.mean(0)).sum()
        return y.view_as(x)


class MaskedExperts(nn.Module):
    """Every expert over all tokens, in a loop, with weights that are zero where it is not chosen."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(D, 4)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(D, D), nn.SiLU(), nn.Linear(D, D)) for _ in range(4))

    def forward(self, x):
        logits = self.gate(x)
        top, index = torch.topk(logits, 2, dim=-1)
        weights = torch.full_like(logits, float("-inf")).scatter(-1, index, top).softmax(-1)
        return sum(weights[..., i : i + 1] * expert(x) for i, expert in enumerate(self.experts))


for _kind in (SelectiveScan, StateSpaceDuality, TimeMix, DeltaRule, LongConvolution, MinGru, Performer, XAttention, Differential, MaskedExperts):
    training(tokens, name=f"mixer_{_kind.__name__}")(lambda kind=_kind: Mixing(kind))


@training(tokens)
class switch(Mixing):
    def __init__(self):
        super().__init__(SwitchExperts)

    def forward(self, x, y):
        return super().forward(x, y) + 0.01 * sum(m.aux for m in self.mixers)


@training(tokens)
class ngpt(nn.Module):
    """All vectors on the sphere: weights are normalized where they are read, steps have learned sizes."""

    def __init__(self):
        super().__init__()
        self.embed, self.head = nn.Embedding(V, D), nn.Linear(D, V, bias=False)
        self.q, self.k, self.v, self.o, self.up, self.down = (nn.Parameter(torch.randn(D, D)) for _ in range(6))
        self.alpha, self.sqk, self.sz = nn.Parameter(torch.full((2, D), 0.05)), nn.Parameter(torch.ones(D)), nn.Parameter(torch.ones(V))

    def forward(self, x, y):
        def unit(z, dim=-1):
            return F.normalize(z, dim=dim)

        h = unit(self.embed(x))
        b, t, _ = h.shape
        q, k, v = (F.linear(h, unit(w)).view(b, t, H, -1) for w in (self.q, self.k, self.v))
        s = self.sqk.view(H, -1)
        q, k = unit(rotary(q)) * s, unit(rotary(k)) * s
        a = F.scaled_dot_product_attention(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2), is_causal=True, scale=(D // H) ** 0.5)
        a = unit(F.linear(a.transpose(1, 2).flatten(2), unit(self.o, 0)))
        h = unit(torch.lerp(h, a, self.alpha[0].abs()))
        m = unit(F.linear(F.silu(F.linear(h, unit(self.up)) * D**0.5), unit(self.down, 0)))
        h = unit(torch.lerp(h, m, self.alpha[1].abs()))
        return F.cross_entropy((F.linear(h, unit(self.head.weight)) * self.sz * 5).flatten(0, 1), y.flatten())


@training(lambda g: {"x": ids(g, 2, 16), "y": ids(g, 2, 16)})
class megabyte(nn.Module):
    """A model over patches, and one over the bytes in each; the patches are shifted by a learned start."""

    def __init__(self, patch=4):
        super().__init__()
        self.p, self.start = patch, nn.Parameter(torch.randn(1, 1, D))
        self.wide, self.local_embed, self.local_start = nn.Embedding(V, D // patch), nn.Embedding(V, D), nn.Parameter(torch.randn(D))

        def layer():
            return nn.TransformerEncoderLayer(D, H, 2 * D, dropout=0.0, batch_first=True, norm_first=True)

        self.outer, self.inner, self.down, self.head = layer(), layer(), nn.Linear(D, D), nn.Linear(D, V)

    def forward(self, x, y):
        b, t = x.shape
        patches = self.wide(x).view(b, t // self.p, D)
        patches = torch.cat([self.start.expand(b, -1, -1), patches[:, :-1]], 1)
        patches = self.outer(patches, src_mask=nn.Transformer.generate_square_subsequent_mask(t // self.p), is_causal=True)
        local = self.local_embed(x).view(-1, self.p, D)
        local = torch.cat([self.local_start.expand(local.shape[0], 1, D), local[:, :-1]], 1) + self.down(patches).view(-1, 1, D)
        local = self.inner(local, src_mask=nn.Transformer.generate_square_subsequent_mask(self.p))
        return F.cross_entropy(self.head(local).view(b * t, V), y.view(-1))


@training(lambda g: {"src": ids(g, 2, 9), "trg": ids(g, 2, 7), "lengths": torch.tensor([9, 6])})
class seq2seq(nn.Module):
    """A bidirectional GRU, additive attention over what is no padding, and a cell in a loop with the right words."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(V, D, padding_idx=0)
        self.encoder, self.cell = nn.GRU(D, D // 2, bidirectional=True, batch_first=True), nn.GRUCell(2 * D, D)
        self.query, self.key, self.energy, self.head = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, 1, bias=False), nn.Linear(3 * D, V)

    def forward(self, src, trg, lengths):
        memory, last = self.encoder(self.embed(src))
        hidden, keys, losses = torch.tanh(last.transpose(0, 1).flatten(1)), self.key(memory), []
        mask = torch.arange(src.shape[1]) >= lengths[:, None]
        for i in range(trg.shape[1] - 1):
            word = self.embed(trg[:, i])
            scores = self.energy(torch.tanh(self.query(hidden)[:, None] + keys)).squeeze(-1).masked_fill(mask, -1e10)
            context = torch.bmm(scores.softmax(-1)[:, None], memory).squeeze(1)
            hidden = self.cell(torch.cat([word, context], -1), hidden)
            logits = self.head(torch.cat([hidden, context, word], -1))
            losses.append(F.cross_entropy(logits, trg[:, i + 1], ignore_index=0, reduction="none"))
        losses = torch.stack(losses, 1)
        counts = (trg[:, 1:] != 0).float()
        return (losses * counts).sum() / counts.sum()


@training(lambda g: {"x": ids(g, 3, 8), "tags": ids(g, 3, 8, below=5), "mask": torch.tensor([[1] * 8, [1] * 6 + [0] * 2, [1] * 3 + [0] * 5]).bool()})
class crf(nn.Module):
    """A tagger: an LSTM, and a conditional random field over its scores."""

    def __init__(self, tags=5):
        super().__init__()
        self.embed, self.lstm, self.emit = nn.Embedding(V, D), nn.LSTM(D, D // 2, bidirectional=True, batch_first=True), nn.Linear(D, tags)
        self.start, self.end, self.move = nn.Parameter(torch.randn(tags)), nn.Parameter(torch.randn(tags)), nn.Parameter(torch.randn(tags, tags))

    def forward(self, x, tags, mask):
        scores = self.emit(self.lstm(self.embed(x))[0])
        rows = torch.arange(x.shape[0])
        score = self.start[tags[:, 0]] + scores[rows, 0, tags[:, 0]]
        alpha = self.start + scores[:, 0]
        for i in range(1, x.shape[1]):
            score = score + (self.move[tags[:, i - 1], tags[:, i]] + scores[rows, i, tags[:, i]]) * mask[:, i]
            stepped = torch.logsumexp(alpha[:, :, None] + self.move + scores[:, i, None], dim=1)
            alpha = torch.where(mask[:, i, None], stepped, alpha)
        last = tags[rows, mask.long().sum(1) - 1]
        return -(score + self.end[last] - torch.logsumexp(alpha + self.end, dim=1)).sum() / mask.float().sum()
