# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shapes of steps that people report to public trackers (the number behind a repository is the report's): losses in
checkpointed chunks, heads for several tokens, preferences without a reference, teachers, margins, hooks beside writes
in place, buffers that balance experts, standardized weights, connections that are learned."""

import copy
import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

from . import ids, normal, training

D, V = 8, 30


def pairs(g):
    return {"x": normal(g, 6, D), "y": normal(g, 6, D)}


def text(g):
    row = ids(g, 3, 13, below=V)
    y = row[:, 1:].clone()
    y[0, 7:] = -100
    return {"x": row[:, :-1], "y": y}


def images(g):
    return {"x": normal(g, 4, 3, 8, 8), "y": ids(g, 4, below=5)}


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.e, self.a, self.head = nn.Embedding(V, D), nn.Linear(D, D), nn.Linear(D, V, bias=False)

    def hidden(self, x):
        return torch.tanh(self.a(self.e(x))).cumsum(1) * 0.3


@training(text)
class chunks_of_a_loss(Words):
    """Logits of some tokens at a time, scaled and capped, each chunk in a checkpoint with numbers and None among its
    arguments, over a count that comes with the step (trl 5575)."""

    def chunk(self, h, y, scale=None, *, cap=None):
        z = self.head(h).float()
        z = z if scale is None else z * scale
        z = cap * torch.tanh(z / cap)
        return F.cross_entropy(z, y, reduction="sum", ignore_index=-100), (y != -100).sum()

    def forward(self, x, y):
        h, y = self.hidden(x).flatten(0, 1), y.flatten()
        total, count = h.new_zeros(()), 0
        for part, labels in zip(h.split(10), y.split(10), strict=True):
            loss, n = checkpoint(self.chunk, part, labels, 1.25, cap=5.0, use_reentrant=False)
            total, count = total + loss, count + n
        return total / count.clamp(min=1)


@training(text)
class several_tokens_ahead(Words):
    """Heads that predict the token after the next, each from the one before and the embedding of what came between,
    with one table and one head for all (DeepSeek-V3 761)."""

    def __init__(self):
        super().__init__()
        self.join = nn.ModuleList(nn.Linear(2 * D, D) for _ in range(2))
        self.norms = nn.ModuleList(nn.RMSNorm(D) for _ in range(4))

    def forward(self, x, y):
        h = self.hidden(x)
        loss = F.cross_entropy(self.head(h).flatten(0, 1), y.flatten())
        for k in range(2):
            ahead = F.pad(x[:, k + 1:], (0, k + 1))
            labels = F.pad(y[:, k + 1:], (0, k + 1), value=-100)
            h = self.join[k](torch.cat([self.norms[2 * k](h), self.norms[2 * k + 1](self.e(ahead))], -1))
            loss = loss + 0.3 / 2 * F.cross_entropy(self.head(h).flatten(0, 1), labels.flatten())
        return loss


@training(lambda g: {"good": ids(g, 3, 9, below=V), "bad": ids(g, 3, 9, below=V), "mask": ids(g, 3, 9, below=2)})
class preferences_by_odds(Words):
    """ORPO and SimPO: odds of the wanted answer against those of the other, by averages over tokens, no reference."""

    def logps(self, x, mask):
        p = torch.gather(self.head(self.hidden(x))[:, :-1].log_softmax(-1), 2, x[:, 1:, None]).squeeze(2)
        m = mask[:, 1:].float()
        return (p * m).sum(-1) / m.sum(-1).clamp(min=1)

    def forward(self, good, bad, mask):
        mask = mask | (torch.arange(9) == 8)
        joined = self.logps(torch.cat([good, bad]), torch.cat([mask, mask]))
        w, r = joined.chunk(2)
        odds = (w - r) - (torch.log1p(-torch.exp(w)) - torch.log1p(-torch.exp(r)))
        return -w.mean() - 0.1 * F.logsigmoid(odds).mean() - F.logsigmoid(2.0 * (w - r) - 0.5).mean()


@training(text)
class teacher_of_words(Words):
    """A frozen teacher: forward and reverse KL and the generalized JS divergence of masked tokens, infinite logits left
    out (torchtune 1539), and a projection of hidden states."""

    def __init__(self):
        super().__init__()
        self.teacher = copy.deepcopy(Words()).requires_grad_(False).eval()
        self.project = nn.Linear(D, D, bias=False)

    def forward(self, x, y):
        h = self.hidden(x)
        with torch.no_grad():
            t = self.teacher.hidden(x)
            tz = self.teacher.head(t)
            tz = tz.masked_fill(torch.arange(V) == 3, float("-inf"))
        z, keep = self.head(h), y != -100
        inf = torch.isinf(tz)
        p, logs = tz.softmax(-1), z.log_softmax(-1)
        forward = -torch.masked_fill(p * logs, inf, 0).sum(-1)
        q, tlogs = z.softmax(-1), tz.masked_fill(inf, -30.0).log_softmax(-1)
        reverse = (q * (logs - tlogs)).sum(-1)
        mix = torch.logsumexp(torch.stack([logs + math.log(0.4), tlogs + math.log(0.6)]), 0)
        js = 0.6 * F.kl_div(mix, tlogs, reduction="none", log_target=True) + 0.4 * F.kl_div(mix, logs, reduction="none", log_target=True)
        each = forward + 0.5 * reverse + js.sum(-1)
        return (each * keep).sum() / keep.sum() + F.mse_loss(self.project(h), t) + (1 - F.cosine_similarity(h, t, dim=-1)).mean()


@training(text)
class dropped_twice(Words):
    """R-Drop: the batch twice with other zeros, and the KL of both ways between what comes out."""

    def forward(self, x, y):
        h = self.hidden(x)
        # Drawn in the open, as the generator that draws for eager PyTorch here draws nothing for its dropout.
        a, b = (self.head(h * (torch.rand_like(h) >= 0.2) / 0.8) for _ in range(2))
        keep = (y != -100).unsqueeze(-1)
        both = [F.kl_div(p.log_softmax(-1), q.softmax(-1), reduction="none") for p, q in ((a, b), (b, a))]
        kl = sum(k.masked_fill(~keep, 0).sum() for k in both) / 2 / keep.sum()
        return sum(F.cross_entropy(z.transpose(1, 2), y, label_smoothing=0.1) for z in (a, b)) / 2 + kl


@training(lambda g: {"x": normal(g, 2, 5, 7, D), "y": torch.where(ids(g, 2, 5, 7, below=3) == 0, -100, ids(g, 2, 5, 7, below=6))})
class smoothed_maps(nn.Module):
    """Class weights, smoothing and ignored pixels of a map at once, and soft labels beside them."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(D, 6)
        self.register_buffer("share", torch.linspace(0.5, 2.0, 6))

    def forward(self, x, y):
        z = self.out(x).permute(0, 3, 1, 2) * 40
        loss = F.cross_entropy(z, y, weight=self.share, label_smoothing=0.2) + 0.1 * F.cross_entropy(z, y, label_smoothing=0.1, reduction="sum") / 70
        soft = F.one_hot(y.clamp(min=0), 6).permute(0, 3, 1, 2) * 0.9 + 0.1 / 6
        each = F.cross_entropy(z, soft, reduction="none")
        return loss + (each * (y != -100)).mean() + F.nll_loss(z.log_softmax(1), y, weight=self.share)


@training(images)
class margins(nn.Module):
    """ArcFace, CosFace and a circle loss: angles of unit vectors with a margin at the label."""

    def __init__(self):
        super().__init__()
        self.net, self.w = nn.Sequential(nn.Flatten(), nn.Linear(192, D)), nn.Parameter(torch.randn(5, D))

    def forward(self, x, y):
        h = self.net(x)
        cos = F.linear(F.normalize(h), F.normalize(self.w))
        hot = torch.zeros_like(cos).scatter_(1, y.view(-1, 1), 1)
        sine = torch.sqrt((1.0 - cos.pow(2)).clamp(0, 1))
        phi = cos * math.cos(0.3) - sine * math.sin(0.3)
        phi = torch.where(cos > math.cos(math.pi - 0.3), phi, cos - math.sin(math.pi - 0.3) * 0.3)
        arc = F.cross_entropy(30 * (hot * phi + (1 - hot) * cos), y)
        cosface = F.cross_entropy(30 * (cos - 0.35 * hot), y)
        sim = F.normalize(h) @ F.normalize(h).T
        same = (y[:, None] == y[None]) & ~torch.eye(4, dtype=torch.bool)
        other = y[:, None] != y[None]
        ap, an = F.relu(1.25 - sim.detach()), F.relu(sim.detach() + 0.25)
        lp = torch.logsumexp((-ap * (sim - 0.75) * 16).masked_fill(~same, -30), 1)
        ln = torch.logsumexp((an * (sim - 0.25) * 16).masked_fill(~other, -30), 1)
        theta = torch.acos(cos.clamp(-1 + 1e-4, 1 - 1e-4)).gather(1, y[:, None]).mean()
        return arc + cosface + F.softplus(lp + ln).mean() + theta


@training(lambda g: {"x": normal(g, 6, D), "y": ids(g, 6, below=3), "masks": ids(g, 6, 4, 4, below=2)})
class imbalanced(nn.Module):
    """Losses of rare classes: focal, asymmetric, dice, Tversky, Lovasz, poly, class-balanced, supervised contrast."""

    def __init__(self):
        super().__init__()
        self.out, self.maps, self.z = nn.Linear(D, 3), nn.Linear(D, 16), nn.Linear(D, 4)

    def forward(self, x, y, masks):
        z, m, t = self.out(x), self.maps(x).view(-1, 4, 4), masks.float()
        ce = F.cross_entropy(z, y, reduction="none")
        focal = (0.25 * (1 - torch.exp(-ce)) ** 2 * ce).mean()
        p = m.sigmoid()
        asl = -(t * p.clamp(min=1e-8).log() + (1 - t) * (1 - (p - 0.05).clamp(min=0)).clamp(min=1e-8).log() * p.detach() ** 4).mean()
        dice = 1 - ((2 * (p * t).sum((1, 2)) + 1) / (p.sum((1, 2)) + t.sum((1, 2)) + 1)).mean()
        tversky = 1 - ((p * t).sum() + 1) / ((p * t).sum() + 0.3 * (p * (1 - t)).sum() + 0.7 * ((1 - p) * t).sum() + 1)
        errors, order = torch.sort((1 - m * (2 * t - 1)).flatten(1), dim=1, descending=True)
        hits = t.flatten(1).gather(1, order)
        inter, union = hits.sum(1, keepdim=True) - hits.cumsum(1), hits.sum(1, keepdim=True) + (1 - hits).cumsum(1)
        jaccard = 1 - inter / union.clamp(min=1e-6)
        jaccard = torch.cat([jaccard[:, :1], jaccard[:, 1:] - jaccard[:, :-1]], 1)
        lovasz = (F.relu(errors) * jaccard).sum(1).mean()
        pt = z.softmax(1).gather(1, y[:, None]).squeeze(1)
        poly = (ce + 2 * (1 - pt)).mean()
        counts = F.one_hot(y, 3).sum(0).float()
        balanced = F.cross_entropy(z, y, weight=(1 - 0.9) / (1 - 0.9 ** counts.clamp(min=1)))
        u = F.normalize(self.z(x))
        logits = u @ u.T / 0.1
        logits = logits - logits.max(1, keepdim=True).values.detach()
        out = 1 - torch.eye(6)
        same = (y[:, None] == y[None]).float() * out
        logp = logits - torch.log((logits.exp() * out).sum(1, keepdim=True))
        supcon = -((same * logp).sum(1) / same.sum(1).clamp(min=1)).mean()
        return focal + asl + dice + tversky + lovasz + poly + balanced + supcon


@training(lambda g: {"a": normal(g, 5, D), "b": normal(g, 5, D)})
class pairs_of_all(nn.Module):
    """Sigmoid losses of pairs with a learned scale and bias, hard triplets by distances, a queue of what was seen, and
    VICReg."""

    def __init__(self):
        super().__init__()
        self.f, self.g = nn.Linear(D, D), nn.Linear(D, D)
        self.t, self.c = nn.Parameter(torch.tensor(2.3)), nn.Parameter(torch.tensor(-10.0))
        self.register_buffer("queue", F.normalize(torch.randn(15, D)))
        self.register_buffer("at", torch.zeros(1, dtype=torch.long))

    def forward(self, a, b):
        u, v = F.normalize(self.f(a)), F.normalize(self.g(b))
        z = u @ v.T * self.t.exp() + self.c
        siglip = -F.logsigmoid(z * (2 * torch.eye(5) - 1)).sum() / 5
        d = torch.cdist(u, v)
        hard = F.relu(d.diagonal() - d.masked_fill(torch.eye(5, dtype=torch.bool), 10.0).min(1).values + 0.3).mean()
        near = d.topk(2, largest=False).values.mean()
        seen = F.cross_entropy(torch.cat([(u * v).sum(1, keepdim=True), u @ self.queue.T.clone()], 1) / 0.2, torch.zeros(5, dtype=torch.long))
        with torch.no_grad():
            self.queue.index_copy_(0, (self.at + torch.arange(5)) % 15, v)
            self.at.copy_((self.at + 5) % 15)
        std = torch.sqrt(u.var(0) + 1e-4)
        w = u - u.mean(0)
        cov = (w.T @ w / 4).fill_diagonal_(0).pow(2).sum() / D
        return siglip + hard + near + seen + F.relu(1 - std).mean() + cov


@training(images)
class mixed_images(nn.Module):
    """Mixup and cutmix drawn in the step, of images and labels, with drop path and layer scale behind (timm)."""

    def __init__(self):
        super().__init__()
        self.stem, self.mix, self.out = nn.Conv2d(3, D, 3, padding=1), nn.Conv2d(D, D, 3, padding=1, groups=4), nn.Linear(D, 5)
        self.gamma = nn.Parameter(1e-2 * torch.ones(D, 1, 1))

    def forward(self, x, y):
        order = torch.randperm(4)
        lam = torch.rand(4, 1, 1, 1)
        hot = F.one_hot(y, 5).float()
        cx, side = torch.randint(0, 8, (4, 1, 1)), 4
        inside = ((torch.arange(8) - cx).abs() < side // 2) & ((torch.arange(8)[:, None] - cx).abs() < side // 2)
        cut = torch.where(inside[:, None], x[order], x)
        area = 1 - inside.float().mean((1, 2))[:, None]
        both = torch.cat([lam * x + (1 - lam) * x[order], cut])
        labels = torch.cat([lam.view(4, 1) * hot + (1 - lam.view(4, 1)) * hot[order], area * hot + (1 - area) * hot[order]])
        h = self.stem(both)
        keep = (torch.rand(8, 1, 1, 1) < 0.8).float().div(0.8)
        h = h + F.gelu(self.mix(h)) * self.gamma * keep
        return F.cross_entropy(self.out(h.mean((2, 3))), labels)


class StandardConv(nn.Conv2d):
    """timm's StdConv2d."""

    def forward(self, x):
        w = F.batch_norm(self.weight.reshape(1, self.out_channels, -1), None, None, training=True, momentum=0.0, eps=1e-6)
        return F.conv2d(x, w.reshape_as(self.weight), self.bias, self.stride, self.padding, self.dilation, self.groups)


@training(images)
class norms_of_images(nn.Module):
    """Standardized weights, a synchronized batch norm of one process, instance norms with statistics of their own,
    responses of neighbors, a blur before a stride, filter responses and activations in place."""

    def __init__(self):
        super().__init__()
        self.std, self.gn = StandardConv(3, D, 3, padding=1), nn.GroupNorm(2, D)
        self.bn = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm2d(D), nn.ReLU(inplace=True)))
        self.inorm = nn.InstanceNorm2d(D, affine=True, track_running_stats=True)
        self.lrn, self.conv, self.out = nn.LocalResponseNorm(3), nn.Conv2d(D, D, 3, stride=2, padding=1), nn.Linear(D, 5)
        self.register_buffer("blur", torch.tensor([1.0, 2.0, 1.0])[:, None] * torch.tensor([1.0, 2.0, 1.0]) / 16)
        self.tau, self.log_eps = nn.Parameter(torch.zeros(1, D, 1, 1)), nn.Parameter(torch.full((1,), -6.0))

    def forward(self, x, y):
        h = F.silu(self.gn(self.std(x.contiguous(memory_format=torch.channels_last))), inplace=True)
        h = h + self.inorm(self.lrn(self.bn(h)))
        h = F.conv2d(F.pad(h, (1, 1, 1, 1), mode="reflect"), self.blur.expand(D, 1, 3, 3), groups=D, stride=2)
        h = self.conv(h)
        h = torch.maximum(h * torch.rsqrt(h.pow(2).mean((2, 3), keepdim=True) + self.log_eps.exp()), self.tau)
        return F.cross_entropy(self.out(F.adaptive_avg_pool2d(h, 1).flatten(1)), y)


class Twice(torch.autograd.Function):
    """Reads the same tensor in two places, and writes to what it returns (pytorch 183604 and 180642)."""

    @staticmethod
    def forward(ctx, a, b, k):
        ctx.save_for_backward(a, b)
        ctx.k = k
        out = a * b
        out += k * a
        return out, out.amax(0), (a > b).sum()

    @staticmethod
    def backward(ctx, g, h, _):
        a, b = ctx.saved_tensors
        return g * (b + ctx.k) + h * 0.5, g * a, None


@training(pairs)
class functions_of_one_tensor(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x, y):
        h = torch.tanh(self.a(x))
        u, top, count = Twice.apply(h, h, 0.5)
        v, _, _ = Twice.apply(h, h.detach(), 2.0)
        return F.mse_loss(self.b(u + v * 0.1), y) + top.mean() + 0 * count


@training(pairs)
class hooks_beside_writes(nn.Module):
    """Backward hooks of modules whose results the next one writes to (pytorch 61519), before and behind; features that
    hooks keep for a loss; a hook for all arguments by name."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D)
        self.kept = {}
        self.a.register_forward_hook(lambda m, args, out: out.clone())
        self.a.register_full_backward_hook(lambda m, gi, go: None)
        self.b.register_full_backward_pre_hook(lambda m, go: (go[0].clamp(-1, 1) * 0.5,))
        self.b.register_forward_hook(partial(self.keep, "b"))
        self.c.register_forward_pre_hook(lambda m, args, kwargs: (args, {"input": kwargs["input"] * 0.9}), with_kwargs=True)

    def keep(self, name, module, args, out):
        self.kept[name] = out

    def forward(self, x, y):
        h = (self.a(x) * 1.0).mul_(2)
        h += x
        h.relu_()
        h = self.b(h)
        h = h + F.leaky_relu(h.clone(), 0.2, inplace=True)
        return F.mse_loss(self.c(input=h), y) + 0.1 * self.kept.pop("b").abs().mean()


@training(pairs)
class balanced_experts(nn.Module):
    """A bias that sends tokens elsewhere, which each step moves by the sign of the load, and counts of tokens that a
    checkpoint must not count twice (torchtitan 1114)."""

    def __init__(self):
        super().__init__()
        self.gate, self.w = nn.Linear(D, 4, bias=False), nn.Parameter(torch.randn(4, D, D) * 0.3)
        self.register_buffer("bias", torch.zeros(4))
        self.register_buffer("tokens", torch.zeros(4))

    def route(self, x):
        scores = self.gate(x).sigmoid()
        chosen = torch.topk(scores + self.bias, 2, dim=-1).indices
        share = scores.gather(1, chosen)
        dense = torch.zeros_like(scores).scatter(1, chosen, share / share.sum(-1, keepdim=True))
        return torch.einsum("te,ti,eij->tj", dense, x, self.w), chosen

    def forward(self, x, y):
        h, chosen = checkpoint(self.route, x, use_reentrant=False)
        with torch.no_grad():
            load = F.one_hot(chosen, 4).sum((0, 1)).float()
            self.tokens += load
            delta = 0.05 * torch.sign(load.mean() - load)
            self.bias.add_(delta - delta.mean())
        return F.mse_loss(x + h, y)


@training(text)
class normed_queries(nn.Module):
    """Queries and keys of unit length with a learned temperature a head, a soft cap, a learned sink, gates behind and a
    value of the first layer in all (modded-nanogpt)."""

    def __init__(self):
        super().__init__()
        self.e, self.head = nn.Embedding(V, 16), nn.Linear(16, V, bias=False)
        self.qkv, self.out = nn.ModuleList(nn.Linear(16, 48) for _ in range(2)), nn.ModuleList(nn.Linear(16, 16) for _ in range(2))
        self.heat, self.sink = nn.Parameter(torch.zeros(2, 4, 1, 1)), nn.Parameter(torch.zeros(2, 4))
        self.mix, self.gate = nn.Parameter(torch.full((2,), 0.5)), nn.Linear(16, 4)
        self.resid, self.skip = nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2))

    def forward(self, x, y):
        h = h0 = F.rms_norm(self.e(x), (16,))
        first = None
        for k in range(2):
            h = self.resid[k] * h + self.skip[k] * h0
            q, key, v = self.qkv[k](F.rms_norm(h, (16,))).view(3, 12, 3, 4, 4).permute(2, 0, 3, 1, 4)
            first = v if first is None else first
            v = (1 - self.mix[k]) * v + self.mix[k] * first.view_as(v)
            s = F.normalize(q, dim=-1) @ F.normalize(key, dim=-1).mT * (10 * self.heat[k].exp())
            s = 15 * torch.tanh(s / 15)
            s = s.masked_fill(torch.ones(12, 12).triu(1).bool(), torch.finfo(s.dtype).min)
            s = torch.cat([s, self.sink[k].view(1, 4, 1, 1).expand(3, 4, 12, 1)], -1).softmax(-1)[..., :-1]
            o = (s @ v) * self.gate(h).sigmoid().transpose(1, 2)[..., None]
            h = h + self.out[k](o.transpose(1, 2).reshape(3, 12, 16))
        z = self.head(F.rms_norm(h, (16,))).float()
        return F.cross_entropy((30 * torch.sigmoid(z / 7.5)).flatten(0, 1), y.flatten(), ignore_index=-100)


@training(pairs)
class hyper_connections(nn.Module):
    """Streams that a learned matrix mixes, doubly stochastic by Sinkhorn's steps in the forward."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.RMSNorm(D), nn.Linear(D, D), nn.SiLU()) for _ in range(2))
        self.mix, self.read, self.write = (nn.Parameter(torch.randn(2, *s) * 0.1) for s in ((4, 4), (4,), (4,)))
        self.dynamic = nn.Linear(D, 16, bias=False)

    def forward(self, x, y):
        h = x.unsqueeze(1).expand(-1, 4, -1).clone()
        for k, layer in enumerate(self.layers):
            m = self.mix[k] + torch.tanh(self.dynamic(h.mean(1))).view(-1, 4, 4) * 0.1
            for _ in range(5):
                m = m - m.logsumexp(-1, keepdim=True)
                m = m - m.logsumexp(-2, keepdim=True)
            out = layer(torch.einsum("n,bnd->bd", self.read[k].softmax(0), h))
            h = torch.einsum("bnm,bmd->bnd", m.exp(), h) + self.write[k].sigmoid()[:, None] * out[:, None]
        return F.mse_loss(h.sum(1), y)


@training(pairs)
class nested_checkpoints(nn.Module):
    """Checkpoints in checkpoints, in a row, with tuples, dictionaries and tensors without gradients (transformers
    26221); the reentrant kind beside the other."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = (nn.Linear(D, D) for _ in range(3))
        self.row = nn.Sequential(nn.Linear(D, D), nn.Tanh(), nn.Linear(D, D), nn.Tanh())
        self.a.requires_grad_(False)

    def inner(self, h, mask):
        return torch.where(mask, torch.tanh(self.b(h)), h)

    def outer(self, state, scale=1.0):
        h = checkpoint(self.inner, state["h"], state["mask"], use_reentrant=False)
        return {"h": h * scale, "rest": (state["h"], None, 3)}

    def forward(self, x, y):
        h = self.a(x).requires_grad_()
        state = checkpoint(self.outer, {"h": h, "mask": x > 0}, scale=0.9, use_reentrant=False)
        h = state["h"] + state["rest"][0] * 0.1
        h = checkpoint_sequential(self.row, 2, h, use_reentrant=False)
        h = checkpoint(lambda t, k: torch.sin(self.c(t)) * k, h, 2.0, use_reentrant=True)
        return F.mse_loss(h, y)


@training(lambda g: {"x": normal(g, 3, 16), "y": normal(g, 3, 16)})
class frequencies(nn.Module):
    """A spectral layer whose weights are pairs, a rotation by complex exponentials, phases and magnitudes."""

    def __init__(self):
        super().__init__()
        self.w, self.up, self.down = nn.Parameter(torch.randn(4, 4, 6, 2) * 0.2), nn.Linear(1, 4), nn.Linear(4, 1)

    def forward(self, x, y):
        h = self.up(x[..., None]).transpose(1, 2)
        f = torch.fft.rfft(h, norm="ortho")
        out = torch.zeros_like(f)
        out[..., :6] = torch.einsum("bik,iok->bok", f[..., :6], torch.view_as_complex(self.w))
        out = out * torch.polar(torch.ones(9), torch.linspace(0, 3, 9))
        h = F.gelu(torch.fft.irfft(out, n=16, norm="ortho") + h)
        found = self.down(h.transpose(1, 2)).squeeze(-1)
        a, b = torch.fft.rfft(found), torch.fft.rfft(y)
        return F.mse_loss(found, y) + 0.1 * (a.abs() - b.abs()).abs().mean() + 0.01 * (1 - torch.cos(a.angle() - b.angle())).mean()


@training(pairs)
class renormalized_batches(nn.Module):
    """Batch renormalization: limits that grow with a counter among the buffers, moments that the step moves, and a
    standardization of targets that follows them (pop-art)."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, D), nn.Linear(D, D)
        self.register_buffer("mean", torch.zeros(D))
        self.register_buffer("std", torch.ones(D))
        self.register_buffer("seen", torch.tensor(0, dtype=torch.long))
        self.register_buffer("mu", torch.zeros(D))
        self.register_buffer("nu", torch.ones(D))

    def forward(self, x, y):
        h = self.a(x)
        m, s = h.mean(0), h.var(0, unbiased=False).add(1e-3).sqrt()
        rmax = (2 / 35 * self.seen + 25 / 35).clamp_(1.0, 3.0)
        r = (s.detach() / self.std.view_as(s)).clamp_(1 / rmax, rmax)
        d = ((m.detach() - self.mean.view_as(m)) / self.std.view_as(s)).clamp_(-5.0, 5.0)
        h = (h - m) / s * r + d
        self.mean += 0.1 * (m.detach() - self.mean)
        self.std += 0.1 * (s.detach() - self.std)
        self.seen += 1
        with torch.no_grad():
            self.mu.lerp_(y.mean(0), 0.1)
            self.nu.lerp_(y.square().mean(0), 0.1)
        scale = (self.nu - self.mu**2).clamp(min=1e-4).sqrt()
        return F.mse_loss(self.b(torch.relu(h)), (y - self.mu) / scale)


@training(lambda g: {"x": ids(g, 2, 10, below=V), "image": normal(g, 2, 3, D), "y": ids(g, 2, 10, below=V)})
class merged_images(Words):
    """Rows of images in place of tokens by masked_scatter, positions by a running count, and in-place residuals."""

    def forward(self, x, image, y):
        h = self.e(x)
        slot = (torch.arange(10) % 4 == 1).expand(2, 10)
        h = h.masked_scatter(slot[..., None].expand_as(h), image.to(h.dtype))
        at = (~slot).long().cumsum(1) - 1
        h += torch.sin(at[..., None] * torch.arange(1, D + 1) * 0.1)
        h[:, 1:] = h[:, 1:] + 0.5 * self.a(h[:, :-1])
        h.index_add_(1, torch.tensor([0, 3, 3]), h[:, :3] * 0.1)
        return F.cross_entropy(self.head(h).flatten(0, 1), torch.where(slot, -100, y).flatten())


@training(pairs)
class attention_of_modules(nn.Module):
    """nn.MultiheadAttention with weights that a loss reads, biases of keys and values, sizes of their own and a row of
    zeros; a decoder layer whose norm comes first, with both masks."""

    def __init__(self):
        super().__init__()
        self.a = nn.MultiheadAttention(D, 2, add_bias_kv=True, add_zero_attn=True, batch_first=True)
        self.b = nn.MultiheadAttention(D, 2, kdim=4, vdim=5, bias=False, batch_first=True)
        self.layer = nn.TransformerDecoderLayer(D, 2, 16, dropout=0.0, norm_first=True, batch_first=True)

    def forward(self, x, y):
        h = x.view(2, 3, D)
        pad = torch.tensor([[False, False, False], [False, False, True]])
        u, w = self.a(h, h, h, key_padding_mask=pad)
        v, each = self.b(u, h[..., :4], h[..., 3:], average_attn_weights=False)
        causal = nn.Transformer.generate_square_subsequent_mask(3)
        out = self.layer(u + v, h, tgt_mask=causal, tgt_is_causal=True, memory_key_padding_mask=pad)
        return F.mse_loss(out, y.view(2, 3, D)) + 0.1 * (w * w).sum(-1).mean() - 0.01 * (each + 1e-6).log().mean()


@training(pairs)
class tied_in_parts(nn.Module):
    """A decoder that is the encoder transposed, a convolution that is a linear layer, a parametrized weight that two
    layers share, and a weight read through another module's view."""

    def __init__(self):
        super().__init__()
        self.enc = nn.utils.parametrizations.weight_norm(nn.Linear(D, 4, bias=False))
        self.conv = nn.Conv1d(D, D, 1, bias=False)
        self.lin = nn.Linear(D, D)
        self.lin.weight = nn.Parameter(self.conv.weight.detach().squeeze(-1).clone())
        self.spec = nn.utils.parametrizations.spectral_norm(nn.Linear(D, D))
        self.bias = nn.Parameter(torch.zeros(D))

    def forward(self, x, y):
        h = self.lin(x) + F.conv1d(x[..., None], self.lin.weight[..., None]).squeeze(-1) + self.conv(x[..., None]).squeeze(-1)
        code = torch.tanh(self.enc(h))
        back = F.linear(code, self.enc.weight.T, self.bias)
        return F.mse_loss(self.spec(back) + self.spec(torch.relu(back)), y) + 0.1 * F.mse_loss(back, h.detach())


@training(pairs)
class matrix_adapters(nn.Module):
    """rsLoRA, DoRA with a norm that has a gradient, AdaLoRA's singular values with a penalty of orthogonality, and a
    rank that a mask cuts, over frozen weights in bfloat16."""

    def __init__(self):
        super().__init__()
        self.base = nn.ModuleList(nn.Linear(D, D) for _ in range(3)).requires_grad_(False).to(torch.bfloat16)
        self.a, self.b = (nn.ParameterList(nn.Parameter(torch.randn(*s) * 0.2) for _ in range(3)) for s in ((4, D), (D, 4)))
        self.lam, self.m = nn.Parameter(torch.randn(4, 1) * 0.1), nn.Parameter(torch.ones(D))
        self.register_buffer("ranks", torch.tensor([1.0, 1.0, 1.0, 0.0]))

    def forward(self, x, y):
        w = [layer.weight.float() for layer in self.base]
        h = F.linear(x, w[0], self.base[0].bias.float()) + F.linear(F.linear(x, self.a[0]), self.b[0]) * (8 / math.sqrt(4))
        v = w[1] + self.b[1] @ self.a[1]
        h = F.linear(torch.tanh(h), self.m[:, None] * v / torch.linalg.norm(v, dim=1, keepdim=True))
        h = F.linear(torch.tanh(h), w[2]) + F.linear(F.linear(h, self.a[2] * self.lam * self.ranks[:, None]), self.b[2])
        eye = torch.eye(4)
        ortho = torch.norm(self.a[2] @ self.a[2].T - eye) + torch.norm(self.b[2].T @ self.b[2] - eye)
        return F.mse_loss(h, y) + 0.1 * ortho


@training(lambda g: {"x": normal(g, 4, 6, D), "y": normal(g, 4, D)})
class cells(nn.Module):
    """Recurrent layers of every sort: projected, in both directions, of cells in a loop with norms, and a leaky one."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(D, 6, num_layers=2, proj_size=3, bidirectional=True, batch_first=True)
        self.gru, self.cell = nn.GRU(6, 5, batch_first=True, bias=False), nn.LSTMCell(5, 5)
        self.rnn, self.norm, self.out = nn.RNNCell(5, 5, nonlinearity="relu"), nn.LayerNorm(5), nn.Linear(5, D)

    def forward(self, x, y):
        h, _ = self.lstm(x)
        h, last = self.gru(h)
        state, r = (last[0], torch.zeros(4, 5)), torch.zeros(4, 5)
        for t in range(6):
            state = self.cell(self.norm(h[:, t]), state)
            r = self.rnn(state[0], 0.9 * r)
        return F.mse_loss(self.out(r), y)
