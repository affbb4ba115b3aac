# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How training is written: parametrized and shared weights, adapters, functions with gradients of their own, hooks,
copies, transformations of functions, layers out of the ordinary."""

import copy
import math

import torch
import torch.nn.functional as F
import torch.utils.checkpoint
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

from . import ids, normal, training

D = 8


def pairs(g):
    return {"x": normal(g, 6, D), "y": normal(g, 6, D)}


@training(pairs)
class parametrized(nn.Module):
    """Orthogonal weights in three ways, symmetric and skew ones, positive and triangular ones, and a chain of two."""

    class Symmetric(nn.Module):
        def forward(self, x):
            return x.triu() + x.triu(1).transpose(-1, -2)

    class Exponential(nn.Module):
        def forward(self, x):
            return torch.matrix_exp(x - x.mT)

    class Positive(nn.Module):
        def forward(self, x):
            return F.softplus(x)

        def right_inverse(self, x):
            return x + torch.log(-torch.expm1(-x.abs() - 1e-3))

    def __init__(self):
        super().__init__()
        self.cayley = parametrizations.orthogonal(nn.Linear(D, D), orthogonal_map="cayley")
        self.exp = parametrizations.orthogonal(nn.Linear(D, D), orthogonal_map="matrix_exp")
        self.house = parametrizations.orthogonal(nn.Linear(D, 6), orthogonal_map="householder")
        self.sym, self.skew = nn.Linear(6, 6), nn.Linear(6, 6)
        parametrize.register_parametrization(self.sym, "weight", self.Symmetric())
        parametrize.register_parametrization(self.skew, "weight", self.Exponential())
        self.last = nn.Linear(6, D)
        parametrize.register_parametrization(self.last, "weight", self.Positive())
        parametrize.register_parametrization(self.last, "bias", self.Positive())

    def forward(self, x, y):
        with parametrize.cached():
            h = torch.tanh(self.cayley(self.exp(x)))
            return F.mse_loss(self.last(self.skew(torch.tanh(self.sym(self.house(h))))), y)


@training(pairs)
class pruned(nn.Module):
    """Masks of torch.nn.utils.prune, and scores of weights whose best half lives, straight through."""

    class Best(torch.autograd.Function):
        @staticmethod
        def forward(ctx, scores, k):
            out, flat = torch.zeros_like(scores), scores.flatten()
            order = flat.sort()[1]
            j = int((1 - k) * scores.numel())
            out.view(-1)[order[j:]] = 1
            return out

        @staticmethod
        def backward(ctx, g):
            return g, None

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D)
        prune.l1_unstructured(self.a, "weight", amount=0.4)
        prune.ln_structured(self.b, "weight", amount=0.25, n=2, dim=0)
        self.scores = nn.Parameter(torch.rand(D, D))
        self.c.weight.requires_grad = False

    def forward(self, x, y):
        w = self.c.weight * self.Best.apply(self.scores.abs(), 0.5)
        return F.mse_loss(F.linear(F.relu(self.b(F.relu(self.a(x)))), w, self.c.bias), y)


@training(lambda g: {"ids": ids(g, 4, 6, below=20), "y": ids(g, 4, 6, below=20)})
class tied(nn.Module):
    """Weights that are shared in every way: an embedding with a head and a part of it, a layer used twice and under two
    names, one that shares a weight alone, a transposed one."""

    def __init__(self):
        super().__init__()
        self.embed, self.head, self.layer = nn.Embedding(20, D), nn.Linear(D, 20, bias=False), nn.Linear(D, D)
        self.head.weight = self.embed.weight
        self.again, self.enc, self.other = self.layer, nn.Linear(D, 4), nn.Linear(D, D)
        self.other.weight = self.layer.weight
        self.blocks = nn.ModuleList([self.layer, nn.GELU(), self.layer])

    def forward(self, ids, y):
        h = self.embed(ids)
        for block in self.blocks:
            h = block(h)
        h = self.again(h) + F.linear(F.linear(h, self.enc.weight, self.enc.bias), self.enc.weight.t()) + self.other(h)
        h = h + self.embed.weight[:6].mean(0)
        return F.cross_entropy(self.head(h).view(-1, 20), y.view(-1)) + F.cross_entropy(F.linear(h, self.embed.weight[:20]).view(-1, 20), y.view(-1))


@training(pairs, lambda m: torch.optim.AdamW([p for p in m.parameters() if p.requires_grad], lr=1e-2))
class adapters(nn.Module):
    """Adapters beside frozen weights: LoRA, DoRA, VeRA, IA3, LoHa, LoKr, a butterfly, a prompt, BitFit, a sparse
    difference by indices."""

    def __init__(self):
        super().__init__()
        self.base = nn.ModuleList(nn.Linear(D, D) for _ in range(6)).requires_grad_(False)
        self.a, self.b = nn.Parameter(torch.randn(2, D) * 0.3), nn.Parameter(torch.zeros(D, 2))
        self.magnitude = nn.Parameter(self.base[1].weight.norm(dim=1, keepdim=True))
        self.register_buffer("va", torch.randn(4, D) * 0.3)
        self.register_buffer("vb", torch.randn(D, 4) * 0.3)
        self.vd, self.vl, self.ia = nn.Parameter(torch.full((4,), 0.1)), nn.Parameter(torch.zeros(D)), nn.Parameter(torch.ones(D))
        self.w1a, self.w1b, self.w2a, self.w2b = (
            nn.Parameter(torch.randn(D, 2) * 0.1),
            nn.Parameter(torch.randn(2, D) * 0.1),
            nn.Parameter(torch.randn(D, 2) * 0.1),
            nn.Parameter(torch.zeros(2, D)),
        )
        self.k1, self.k2 = nn.Parameter(torch.randn(2, 2) * 0.1), nn.Parameter(torch.randn(4, 4) * 0.1)
        self.butterfly = nn.Parameter(torch.zeros(2, 4, 4))
        self.register_buffer("where", torch.randperm(D * D)[:10])
        self.delta = nn.Parameter(torch.zeros(10))
        self.base[5].bias.requires_grad = True
        self.prompt = nn.Parameter(torch.randn(2, D) * 0.1)

    def forward(self, x, y):
        x = torch.cat([self.prompt, x])
        h = self.base[0](x) + F.linear(F.linear(F.dropout(x, 0.0), self.a), self.b) * (4 / 2)
        w = self.base[1].weight + self.b @ self.a
        h = F.linear(h, self.magnitude * (w / w.norm(p=2, dim=1, keepdim=True).detach()), self.base[1].bias)
        h = self.base[2](h * self.ia) + self.vl * F.linear(self.vd * F.linear(h, self.va), self.vb)
        h = F.linear(h, self.base[3].weight + (self.w1a @ self.w1b) * (self.w2a @ self.w2b) + torch.kron(self.k1, self.k2))
        skew = 0.5 * (self.butterfly - self.butterfly.mT)
        r = torch.block_diag(*torch.linalg.solve(torch.eye(4) + skew, torch.eye(4) - skew))
        h = F.linear(F.gelu(h), self.base[4].weight @ r)
        sparse = torch.zeros(D * D).index_put((self.where,), self.delta).view(D, D)
        h = F.linear(h, self.base[5].weight + sparse, self.base[5].bias)
        return F.mse_loss(h[2:], y)


class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()

    @staticmethod
    def backward(ctx, g):
        return g


@training(pairs)
class quantized(nn.Module):
    """Trained for few bits: ternary weights and a step size that is learned, rounded straight through, PyTorch's own
    fake quantization, products of eight bits in the forward."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(D, D, bias=False), nn.Linear(D, D), nn.Linear(D, D)
        self.size, self.clip = nn.Parameter(torch.tensor(0.05)), nn.Parameter(torch.tensor(3.0))
        self.register_buffer("amax", torch.tensor(1.0))

    @staticmethod
    def scaled(x, f):
        return x * f + (x - x * f).detach()

    def forward(self, x, y):
        s = 127.0 / x.abs().max(dim=-1, keepdim=True).values.clamp_(min=1e-5)
        xq = x + ((x * s).round().clamp_(-128, 127) / s - x).detach()
        w = self.a.weight
        ws = 1.0 / w.abs().mean().clamp_(min=1e-5)
        wq = w + ((w * ws).round().clamp_(-1, 1) / ws - w).detach()
        h = F.linear(F.rms_norm(xq, (D,)), wq)
        s = self.scaled(self.size, 1 / math.sqrt(D * D * 7))
        h = F.linear(h, Round.apply((self.b.weight / s).clamp(-8, 7)) * s, self.b.bias)
        h = torch.where(h < self.clip, F.relu(h), self.clip)
        h = torch.fake_quantize_per_tensor_affine(h, 0.05, 0, -128, 127)
        with torch.no_grad():
            self.amax.copy_(torch.maximum(self.amax * 0.9, self.c.weight.abs().amax()))
        wc = torch.fake_quantize_per_channel_affine(
            self.c.weight, self.c.weight.detach().abs().amax(1) / 127 + 1e-6, torch.zeros(D, dtype=torch.int32), 0, -128, 127
        )
        return F.mse_loss(F.linear(h, wc, self.c.bias), y) + 0 * self.amax


class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return g.neg() * ctx.factor, None


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        ctx.save_for_backward(x, beta)
        ctx.mark_non_differentiable()
        return x * torch.sigmoid(beta * x)

    @staticmethod
    def backward(ctx, g):
        x, beta = ctx.saved_tensors
        s = torch.sigmoid(beta * x)
        return g * (s + beta * x * s * (1 - s)), (g * x * x * s * (1 - s)).sum().reshape(()) if ctx.needs_input_grad[1] else None


class Jump(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def forward(x, threshold):
        return (x > threshold).to(x)

    @staticmethod
    def backward(ctx, g):
        x, threshold = ctx.saved_tensors
        near = ((x - threshold).abs() < 0.5).to(g)
        return torch.zeros_like(x), -(near * g / 1.0).sum(0)


@training(lambda g: {**pairs(g), "domain": (torch.rand(6, 1, generator=g) > 0.5).float()})
class own_functions(nn.Module):
    """Functions of autograd of one's own, of the older and newer form: gradients reversed, saved by hand, of a step."""

    def __init__(self):
        super().__init__()
        self.f, self.d, self.g = nn.Linear(D, D), nn.Linear(D, 1), nn.Linear(D, D)
        self.beta, self.threshold = nn.Parameter(torch.tensor(1.5)), nn.Parameter(torch.full((D,), 0.1))

    def forward(self, x, y, domain):
        h = Swish.apply(self.f(x), self.beta)
        z = h * Jump.apply(h, self.threshold)
        return (
            F.mse_loss(self.g(z), y)
            + F.binary_cross_entropy_with_logits(self.d(Reverse.apply(h, 0.3)), domain)
            + 0.01 * Jump.apply(h, self.threshold).sum(-1).mean()
        )


@training(pairs)
class hooked(nn.Module):
    """Hooks of every sort: before and behind a forward, of gradients of tensors and parameters, of a module's whole
    backward, one that only looks."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(D, D), nn.Linear(D, D), nn.Linear(D, D)
        self.seen = []
        self.a.register_forward_pre_hook(lambda m, args: (args[0] * 0.9,))
        self.b.register_forward_hook(lambda m, args, out: out + 0.1)
        self.c.register_full_backward_hook(lambda m, gi, go: (gi[0] * 0.5,))
        self.a.weight.register_hook(lambda g: g.clamp(-1, 1))
        self.b.weight.register_post_accumulate_grad_hook(lambda p: (p.grad.mul_(0.5), None)[1])

    def forward(self, x, y):
        h = torch.tanh(self.a(x))
        if h.requires_grad:
            h.register_hook(lambda g: g * 2)
        h = torch.utils.checkpoint.checkpoint(lambda t: torch.tanh(self.b(t)), h, use_reentrant=False)
        return F.mse_loss(self.c(h), y)


@training(pairs)
class transforms(nn.Module):
    """torch.func: an ensemble by vmap over stacked weights, gradients of each sample, a Jacobian, a Hessian times a
    vector."""

    def __init__(self):
        super().__init__()
        members = [nn.Sequential(nn.Linear(D, D), nn.Tanh(), nn.Linear(D, D)) for _ in range(3)]
        params, _ = torch.func.stack_module_state(members)
        self.names = list(params)
        self.stacked = nn.ParameterList(nn.Parameter(p.detach()) for p in params.values())
        self.base, self.small = [copy.deepcopy(members[0]).to("meta")], nn.Linear(D, 2)

    def forward(self, x, y):
        params = dict(zip(self.names, self.stacked))
        found = torch.func.vmap(lambda p: torch.func.functional_call(self.base[0], p, (x,)))(params)

        def f(v):
            return torch.tanh(self.small(v)).sum()

        each = torch.func.vmap(torch.func.grad(f))(x)
        jac = torch.func.vmap(torch.func.jacrev(lambda v: torch.tanh(self.small(v))))(x)
        hvp = torch.autograd.grad(
            (torch.autograd.grad(F.mse_loss(torch.tanh(self.small(x)), y[:, :2]), self.small.weight, create_graph=True)[0] ** 2).sum(),
            self.small.weight,
            create_graph=True,
        )[0]
        return (
            F.mse_loss(found.mean(0), y)
            + 0.1 * found.var(0).mean()
            + 0.1 * each.norm(dim=1).mean()
            + 0.1 * jac.pow(2).mean()
            + 0.01 * hvp.abs().mean()
        )


@training(lambda g: {"x": normal(g, 4, D), "y": ids(g, 4, below=3)})
class kan(nn.Module):
    """Splines as edges, Chebyshev polynomials, a mixture of experts by a hypernetwork, forests of soft trees."""

    def __init__(self, order=3, grid=4):
        super().__init__()
        h = 2.0 / grid
        self.register_buffer("grid", (torch.arange(-order, grid + order + 1) * h - 1).expand(D, -1).contiguous())
        self.base, self.spline, self.order = nn.Parameter(torch.randn(D, D) * 0.3), nn.Parameter(torch.randn(D, D, grid + order) * 0.1), order
        self.cheby = nn.Parameter(torch.randn(D, D, 4) * 0.1)
        self.hyper, self.out = nn.Linear(4, D * 3), nn.Parameter(torch.randn(2, 4))
        self.nodes, self.leaves = nn.Linear(D, 7), nn.Parameter(torch.randn(8, 3))

    def bases(self, x):
        x, g = x[..., None], self.grid
        b = ((x >= g[:, :-1]) & (x < g[:, 1:])).to(x.dtype)
        for k in range(1, self.order + 1):
            b = (x - g[:, : -(k + 1)]) / (g[:, k:-1] - g[:, : -(k + 1)]) * b[..., :-1] + (g[:, k + 1 :] - x) / (g[:, k + 1 :] - g[:, 1:-k]) * b[
                ..., 1:
            ]
        return b.contiguous()

    def forward(self, x, y):
        h = F.linear(F.silu(x), self.base) + F.linear(self.bases(torch.tanh(x)).flatten(1), self.spline.flatten(1))
        t = torch.cos(torch.arange(4) * torch.acos(torch.tanh(h).clamp(-0.999, 0.999))[..., None])
        h = torch.einsum("bid,iod->bo", t, self.cheby)
        w = self.hyper(self.out).view(2, D, 3)
        logits = torch.einsum("bi,eio->beo", h, w).sum(1)
        p = torch.sigmoid(self.nodes(h))
        mu = torch.ones(len(x), 1)
        for level in range(3):
            d = p[:, 2**level - 1 : 2 ** (level + 1) - 1]
            mu = (mu[..., None] * torch.stack([d, 1 - d], -1)).flatten(1)
        return F.cross_entropy(logits, y) - torch.log((mu @ self.leaves.softmax(-1)).gather(1, y[:, None]) + 1e-6).mean()


@training(lambda g: {"x": normal(g, 6, D)})
class sparse_codes(nn.Module):
    """Sparse autoencoders: the largest of a row and of a batch, decoder rows of norm one, dead features revived by an
    auxiliary loss; buffers count when each was last alive."""

    def __init__(self, n=24):
        super().__init__()
        self.enc, self.bias, self.dec = nn.Linear(D, n), nn.Parameter(torch.zeros(D)), nn.Parameter(F.normalize(torch.randn(n, D), dim=1))
        self.register_buffer("since", torch.zeros(n, dtype=torch.long))

    def forward(self, x):
        pre = self.enc(x - self.bias)
        top = torch.topk(F.relu(pre), 4, dim=-1)
        z = torch.zeros_like(pre).scatter(-1, top.indices, top.values)
        flat = F.relu(pre).flatten()
        kept = torch.topk(flat, 18)
        zb = torch.zeros_like(flat).scatter(0, kept.indices, kept.values).view_as(pre)
        w = self.dec / self.dec.norm(dim=1, keepdim=True)
        with torch.no_grad():
            alive = (z > 0).any(0)
            self.since.add_(1)
            self.since[alive] = 0
        dead = self.since >= 3
        error = (x - (z @ w + self.bias)).detach()
        aux = F.relu(pre.masked_fill(~dead, 0.0)) @ w
        return F.mse_loss(z @ w + self.bias, x) + F.mse_loss(zb @ w + self.bias, x) + 1 / 32 * F.mse_loss(aux, error) + 1e-3 * z.abs().sum(-1).mean()


@training(lambda g: {"x": ids(g, 2, 6, below=10), "y": normal(g, 2, 6, 4)})
class memories(nn.Module):
    """A differentiable stack and a memory that is written and read by content, halting by what is left, a modern
    Hopfield layer, an update of a state in place."""

    def __init__(self):
        super().__init__()
        self.embed, self.cell, self.ops, self.key, self.erase, self.add, self.halt = (
            nn.Embedding(10, D),
            nn.LSTMCell(2 * D, D),
            nn.Linear(D, 3),
            nn.Linear(D, D + 1),
            nn.Linear(D, D),
            nn.Linear(D, D),
            nn.Linear(D, 1),
        )
        self.patterns, self.out = nn.Parameter(torch.randn(5, D)), nn.Linear(3 * D, 4)
        self.register_buffer("memory", torch.zeros(4, D) + 1e-2)

    def forward(self, x, y):
        b = len(x)
        h, c, stack, memory = torch.zeros(b, D), torch.zeros(b, D), torch.zeros(b, 5, D), self.memory.expand(b, -1, -1).clone()
        left, ponder, outs = torch.ones(b, 1), 0, []
        read = torch.zeros(b, D)
        for t in range(x.shape[1]):
            h, c = self.cell(torch.cat([self.embed(x[:, t]), read], -1), (h, c))
            push, pop, stay = self.ops(h).softmax(-1)[..., None].chunk(3, 1)
            up = torch.cat([h[:, None], stack[:, :-1]], 1)
            down = torch.cat([stack[:, 1:], torch.zeros(b, 1, D)], 1)
            stack = push * up + pop * down + stay * stack
            k, beta = self.key(h).split([D, 1], -1)
            w = (F.softplus(beta) * F.cosine_similarity(memory, k[:, None], dim=-1)).softmax(-1)
            memory = memory * (1 - w[..., None] * torch.sigmoid(self.erase(h))[:, None]) + w[..., None] * torch.tanh(self.add(h))[:, None]
            read = torch.bmm(w[:, None], memory).squeeze(1)
            p = torch.sigmoid(self.halt(h)) * left
            left = left - p
            ponder = ponder + p.mean() * (t + 1)
            hop = (h @ self.patterns.T * 2).softmax(-1) @ self.patterns
            outs.append(self.out(torch.cat([stack[:, 0], read, hop], -1)))
        return F.mse_loss(torch.stack(outs, 1), y) + 0.01 * ponder


@training(pairs)
class mixed_types(nn.Module):
    """Autocast inside, a module in another type, numbers in float64, a compiled module, a function of TorchScript."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Linear(D, D), nn.Linear(D, D).bfloat16(), torch.compile(nn.Linear(D, D))

    def forward(self, x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            h = torch.relu(self.a(x))
        h = self.b(h.bfloat16()).float()
        with torch.amp.autocast("cpu", enabled=False):
            h = self.c(h.to(torch.float32))
        weight = torch.linspace(0, 1, D, dtype=torch.float64)
        return (((h - y) ** 2).double() * weight).mean().float()


@training(lambda g: {"x": normal(g, 4, 6, D), "y": ids(g, 4, 6, below=5), "w": torch.rand(4, generator=g)})
class many_losses(nn.Module):
    """Heads weighed by learned uncertainties, deep supervision, losses of PyTorch by their classes, a regularization of
    all parameters, a loss weighted by row."""

    def __init__(self):
        super().__init__()
        self.layers, self.heads, self.logvars = (
            nn.ModuleList(nn.Linear(D, D) for _ in range(3)),
            nn.ModuleList(nn.Linear(D, 5) for _ in range(3)),
            nn.Parameter(torch.zeros(3)),
        )
        self.ce, self.ml, self.margin, self.gauss, self.poisson = (
            nn.CrossEntropyLoss(reduction="none"),
            nn.MultiLabelSoftMarginLoss(),
            nn.MultiMarginLoss(p=2),
            nn.GaussianNLLLoss(),
            nn.PoissonNLLLoss(full=True),
        )

    def forward(self, x, y, w):
        losses, h = [], x
        for layer, head in zip(self.layers, self.heads):
            h = F.silu(layer(h))
            losses.append((self.ce(head(h).transpose(1, 2), y).mean(1) * w).sum() / w.sum())
        losses = torch.stack(losses)
        total = (torch.exp(-self.logvars) * losses + self.logvars).sum()
        logits = self.heads[-1](h)
        one = F.one_hot(y[:, 0], 5).float()
        total = (
            total
            + self.ml(logits[:, 0], one)
            + self.margin(logits[:, 1], y[:, 1])
            + self.gauss(h[..., 0], x[..., 0], F.softplus(h[..., 1]))
            + self.poisson(h[..., 2], y.float())
        )
        total = (
            total
            + F.hinge_embedding_loss(h[..., 3], 2.0 * (y > 2) - 1)
            + F.margin_ranking_loss(h[..., 0], h[..., 1], 2.0 * (y > 1) - 1, 0.1)
            + F.soft_margin_loss(h[..., 2], 2.0 * (y > 2) - 1)
        )
        total = (
            total
            + F.cosine_embedding_loss(h[:, 0], h[:, 1], torch.tensor([1, -1, 1, -1]), 0.1)
            + F.multilabel_margin_loss(logits[:, 0], torch.tensor([[1, 3, -1, 0, 0]] * 4))
        )
        return (
            total
            + 1e-4 * sum(p.abs().sum() for p in self.parameters())
            + 1e-4 * sum(p.norm() ** 2 for n, p in self.named_parameters() if "weight" in n)
        )
