# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What runs within a step: gradients of gradients, samplers, fixed points, copies that follow by a moving average in
parameters, operations on lists of tensors, spectra and back."""

import copy

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, mlp, normal, training

D = 8


def rows(g):
    return {"x": normal(g, 6, D), "y": ids(g, 6, below=4)}


def pairs(g):
    return {"x": normal(g, 6, D), "y": normal(g, 6, D)}


@training(lambda g: {"x": ids(g, 3, 6, below=12), "y": ids(g, 3, 6, below=12)})
class penalty_of_all(nn.Module):
    """A penalty of gradients through everything that a step keeps whole."""

    def __init__(self):
        super().__init__()
        self.e, self.q, self.n, self.r, self.out = nn.Embedding(12, D), nn.Linear(D, 3 * D), nn.LayerNorm(D), nn.RMSNorm(D), nn.Linear(D, 12)

    def forward(self, x, y):
        with torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH):
            return self.inner(x, y)

    def inner(self, x, y):
        h = self.e(x)
        q, k, v = self.q(self.n(h)).view(3, 6, 3, 2, 4).permute(2, 0, 3, 1, 4)
        h = h + F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(3, 6, D)
        h = h + F.scaled_dot_product_attention(q, q, v, attn_mask=(x > 2)[:, None, None, :]).transpose(1, 2).reshape(3, 6, D)
        loss = F.cross_entropy(self.out(self.r(h)).view(-1, 12), y.view(-1), ignore_index=3)
        g = torch.autograd.grad(loss, [self.e.weight, self.n.weight, self.q.weight, self.r.weight], create_graph=True)
        return loss + sum(t.square().sum() for t in g)


@training(lambda g: {"x": normal(g, 6, D), "y": ids(g, 6, below=4)})
class steps_of_steps(nn.Module):
    """Two steps of descent, each with a gradient of a gradient, of a cross entropy behind a norm."""

    def __init__(self):
        super().__init__()
        self.f, self.n, self.out = nn.Linear(D, D), nn.RMSNorm(D), nn.Linear(D, 4)

    def forward(self, x, y):
        w = self.f.weight
        for _ in range(2):
            loss = F.cross_entropy(self.out(self.n(F.linear(x, w))), y, label_smoothing=0.0)
            (g,) = torch.autograd.grad(loss, w, create_graph=True)
            (g2,) = torch.autograd.grad(g.square().sum(), w, create_graph=True)
            w = w - 0.1 * g - 0.01 * g2
        return F.cross_entropy(self.out(self.n(F.linear(x, w))), y)


@training(rows)
class gradnorm(nn.Module):
    """Weights of losses that follow from gradient norms of a shared layer, through which they learn."""

    def __init__(self):
        super().__init__()
        self.body, self.a, self.b, self.w = nn.Linear(D, 16), nn.Linear(16, 4), nn.Linear(16, D), nn.Parameter(torch.ones(2))
        self.register_buffer("first", torch.ones(2))

    def forward(self, x, y):
        h = torch.relu(self.body(x))
        losses = torch.stack([F.cross_entropy(self.a(h), y), F.mse_loss(self.b(h), x)])
        norms = torch.stack(
            [torch.autograd.grad(self.w[i] * losses[i], self.body.weight, create_graph=True, retain_graph=True)[0].norm() for i in range(2)]
        )
        ratio = losses.detach() / self.first
        target = (norms.mean() * (ratio / ratio.mean()) ** 0.5).detach()
        return (self.w.detach() * losses).sum() + (norms - target).abs().sum()


@training(rows)
class langevin(nn.Module):
    """An energy model: samples by noisy gradient steps from a buffer of earlier ones."""

    def __init__(self):
        super().__init__()
        self.e = mlp(D, 16, 1, act=nn.SiLU)
        self.register_buffer("replay", torch.randn(12, D))

    def forward(self, x, y):
        at = torch.randperm(12)[:6]
        s = self.replay[at]
        for _ in range(3):
            s = s.detach().requires_grad_(True)
            g = torch.autograd.grad(self.e(s).sum(), s)[0]
            s = s - 0.5 * g.clamp(-0.03, 0.03) + 0.005 * torch.randn_like(s)
        s = s.detach()
        with torch.no_grad():
            self.replay[at] = s
        p, n = self.e(x), self.e(s)
        return (p - n).mean() + 0.1 * (p**2 + n**2).mean()


@training(rows)
class implicit(nn.Module):
    """A fixed point whose gradient is another fixed point, by a hook that calls autograd."""

    def __init__(self):
        super().__init__()
        self.f, self.out = nn.Linear(2 * D, D), nn.Linear(D, 4)

    def step(self, z, x):
        return torch.tanh(self.f(torch.cat([z, x], -1)))

    def forward(self, x, y):
        with torch.no_grad():
            z = torch.zeros_like(x)
            for _ in range(5):
                z = self.step(z, x)
        z = self.step(z, x)
        z0 = z.clone().detach().requires_grad_()
        f0 = self.step(z0, x)

        def backward(grad):
            g = grad
            for _ in range(5):
                g = torch.autograd.grad(f0, z0, g, retain_graph=True)[0] + grad
            return g

        if z.requires_grad:
            z.register_hook(backward)
        return F.cross_entropy(self.out(z), y)


@training(pairs)
class functional_derivatives(nn.Module):
    """Jacobians forward and backward, a Hessian and its trace by probes, products of vectors, per-sample gradients
    clipped."""

    def __init__(self):
        super().__init__()
        self.f = mlp(D, 6, D, act=nn.Tanh)

    def forward(self, x, y):
        own = dict(self.f.named_parameters())

        def one(v):
            return torch.func.functional_call(self.f, own, (v,))

        jf = torch.func.vmap(torch.func.jacfwd(one))(x)
        h = torch.func.vmap(torch.func.hessian(lambda v: one(v).pow(2).sum()))(x[:2])
        v = torch.sign(y)
        tr = (torch.func.jvp(lambda u: torch.func.grad(lambda w: one(w).sin().sum())(u), (x,), (v,))[1] * v).sum(-1)
        out, pull = torch.func.vjp(one, x)

        def loss(p, a, b):
            return F.mse_loss(torch.func.functional_call(self.f, p, (a,)), b)

        each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(own, x, y)
        n = torch.stack([g.flatten(1).norm(dim=1) for g in each.values()]).norm(dim=0)
        return (
            F.mse_loss(out, y)
            + 0.01 * jf.pow(2).mean()
            + 0.01 * h.diagonal(dim1=1, dim2=2).sum(-1).mean()
            + 0.01 * tr.mean()
            + 0.1 * pull(y)[0].pow(2).mean()
            + 0.01 * n.mean()
        )


def views(g):
    return {"a": normal(g, 6, D), "b": normal(g, 6, D)}


class Byol(nn.Module):
    """A copy that follows by a moving average, whose parameters forward moves."""

    def __init__(self):
        super().__init__()
        self.online, self.predictor = nn.Sequential(nn.Linear(D, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, D)), mlp(D, 16, D)
        self.target = copy.deepcopy(self.online).requires_grad_(False)

    def forward(self, a, b):
        with torch.no_grad():
            self.move()
            ta, tb = self.target(a), self.target(b)
        pa, pb = self.predictor(self.online(a)), self.predictor(self.online(b))
        return 2 - F.cosine_similarity(pa, tb.detach()).mean() - F.cosine_similarity(pb, ta.detach()).mean()


@training(views)
class byol_data(Byol):
    """By setting `.data` to an average."""

    def move(self):
        for p, q in zip(self.target.parameters(), self.online.parameters()):
            p.data = p.data * 0.99 + q.data * 0.01


@training(views)
class byol_data_inplace(Byol):
    """In place, by `.data`."""

    def move(self):
        for p, q in zip(self.target.parameters(), self.online.parameters()):
            p.data.mul_(0.99).add_(q.data, alpha=0.01)


@training(views)
class byol_lerp(Byol):
    """Of all parameters at once."""

    def move(self):
        torch._foreach_lerp_(list(self.target.parameters()), list(self.online.parameters()), 0.01)


@training(views)
class byol_copy(Byol):
    """By copies, of buffers as well."""

    def move(self):
        for p, q in zip(self.target.parameters(), self.online.parameters()):
            p.copy_(0.99 * p + 0.01 * q)
        for p, q in zip(self.target.buffers(), self.online.buffers()):
            p.data.copy_(q)


@training(lambda g: {"x": normal(g, 6, D), "y": ids(g, 6, below=4)})
class many_tensors(nn.Module):
    """Operations on lists of tensors, and a gradient clipped by them."""

    def __init__(self):
        super().__init__()
        self.net = mlp(D, 16, 4)
        for i, p in enumerate(self.net.parameters()):
            self.register_buffer(f"slow{i}", p.detach().clone())

    def forward(self, x, y):
        own = list(self.net.parameters())
        slow = [getattr(self, f"slow{i}") for i in range(len(own))]
        with torch.no_grad():
            torch._foreach_lerp_(slow, own, 0.1)
            torch._foreach_mul_(slow, 0.999)
        far = torch._foreach_norm(torch._foreach_sub(own, slow))
        w = torch._foreach_add(own, torch._foreach_maximum(slow, 0.0), alpha=0.1)
        h = F.linear(F.relu(F.linear(x, w[0], w[1])), w[2], w[3])
        return F.cross_entropy(h, y) + torch.stack(far).sum() + torch.stack(torch._foreach_max(torch._foreach_sqrt(torch._foreach_abs(slow)))).sum()


@training(lambda g: {"x": normal(g, 2, 3, 32)})
class stft_loss(nn.Module):
    """Spectra of several sizes, a mask of a spectrum, and signals made of spectra in three ways."""

    def __init__(self):
        super().__init__()
        self.f, self.mask = nn.Conv1d(3, 3, 5, padding=2), nn.Conv1d(9, 9, 1)
        self.register_buffer("window", torch.hann_window(16))

    def forward(self, x):
        y = torch.tanh(self.f(x)).flatten(0, 1)
        t, loss = x.flatten(0, 1), 0
        for n in (8, 16):
            a, b = (torch.stft(z, n, n // 4, window=torch.hann_window(n), return_complex=True).abs().clamp(min=1e-4) for z in (y, t))
            loss = loss + (b - a).norm(p="fro") / b.norm(p="fro") + F.l1_loss(a.log(), b.log())
        s = torch.stft(y, 16, 4, window=self.window, return_complex=True)
        m = torch.sigmoid(self.mask(s.abs()))
        back = torch.istft(s * m, 16, 4, window=self.window, length=32)
        back2 = (s * m).istft(16, 4, 12, self.window[2:14], normalized=True, length=24)
        back3 = torch.istft((s * m)[0], 16, 4, window=torch.ones(16), center=False)
        return loss + F.l1_loss(back, t) + torch.angle(s[:, 1:3] + 3).abs().mean() + back2.square().mean() + back3.square().mean()


@training(lambda g: {"x": normal(g, 6, D)})
class leaky(nn.Module):
    """Slopes that are drawn, and their mean."""

    def __init__(self):
        super().__init__()
        self.f, self.r = nn.Linear(D, D), nn.RReLU()

    def forward(self, x):
        return F.mse_loss(self.r(F.rrelu(self.f(x), 0.1, 0.3)), x)
