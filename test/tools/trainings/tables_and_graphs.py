# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs, sets and point clouds; tables and recommendation."""

import torch
import torch.nn.functional as F
from torch import nn

from . import ids, normal, training

N, E, D = 10, 24, 16


def graph(g):
    return {"x": normal(g, N, D), "edges": ids(g, 2, E, below=N), "y": ids(g, N, below=4)}


def scatter_sum(x, index, size):
    return torch.zeros(size, *x.shape[1:]).index_add_(0, index, x)


@training(graph)
class gcn(nn.Module):
    """Sums over edges with degrees, self-loops appended, as PyTorch Geometric without its kernels."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, D, bias=False), nn.Linear(D, 4, bias=False)
        self.norm, self.bias = nn.BatchNorm1d(D), nn.Parameter(torch.zeros(4))

    def propagate(self, x, row, col):
        degree = torch.zeros(N).scatter_add_(0, col, torch.ones_like(col, dtype=torch.float))
        inverse = degree.pow(-0.5)
        inverse = inverse.masked_fill_(inverse == float("inf"), 0)
        weight = inverse[row] * inverse[col]
        return torch.zeros_like(x).scatter_add_(0, col[:, None].expand(-1, x.shape[1]), x[row] * weight[:, None])

    def forward(self, x, edges, y):
        loops = torch.arange(N)
        row, col = torch.cat([edges, torch.stack([loops, loops])], 1)
        x = F.relu(self.norm(self.propagate(self.a(x), row, col)))
        return F.nll_loss(F.log_softmax(self.propagate(self.b(x), row, col) + self.bias, 1), y)


@training(graph)
class gat(nn.Module):
    """A softmax over the edges of each node, with a maximum by scatter_reduce."""

    def __init__(self, heads=2):
        super().__init__()
        self.lin, self.h = nn.Linear(D, heads * 8, bias=False), heads
        self.att = nn.Parameter(torch.randn(2, heads, 8) * 0.3)
        self.edge, self.out = nn.Embedding(3, heads), nn.Linear(heads * 8, 4)

    def forward(self, x, edges, y):
        row, col = edges
        z = self.lin(x).view(N, self.h, 8)
        e = (z * self.att[0]).sum(-1)[row] + (z * self.att[1]).sum(-1)[col] + self.edge(row % 3)
        e = F.leaky_relu(e, 0.2)
        index = col[:, None].expand_as(e)
        most = torch.full((N, self.h), -torch.inf).scatter_reduce(0, index, e.detach(), "amax", include_self=False)
        e = (e - most[col]).exp()
        a = e / (scatter_sum(e, col, N)[col] + 1e-16)
        z = scatter_sum(z[row] * a[..., None], col, N)
        return F.cross_entropy(self.out(F.elu(z.flatten(1))), y)


@training(lambda g: {**graph(g), "batch": torch.arange(3).repeat_interleave(torch.tensor([4, 3, 3])), "z": normal(g, 3)})
class message_passing(nn.Module):
    """Messages by an edge network, a GRU cell as update, pools by mean, maximum and attention of each graph."""

    def __init__(self):
        super().__init__()
        self.edge, self.cell = nn.Sequential(nn.Linear(2 * D, 32), nn.SiLU(), nn.Linear(32, D)), nn.GRUCell(D, D)
        self.gate, self.head = nn.Linear(D, 1), nn.Sequential(nn.Linear(4 * D, D), nn.Softplus(), nn.Linear(D, 1))

    def forward(self, x, edges, y, batch, z):
        for _ in range(2):
            m = self.edge(torch.cat([x[edges[0]], x[edges[1]]], -1))
            x = self.cell(torch.zeros_like(x).index_add(0, edges[1], m), x)
        index = batch[:, None].expand_as(x)
        mean = torch.zeros(3, D).scatter_reduce(0, index, x, "mean", include_self=False)
        most = torch.zeros(3, D).scatter_reduce(0, index, x, "amax", include_self=False)
        least = torch.zeros(3, D).scatter_reduce_(0, index, x, "amin", include_self=False)
        a = torch.sigmoid(self.gate(x))
        h = torch.cat([mean, most, least, scatter_sum(a * x, batch, 3)], -1)
        return F.smooth_l1_loss(self.head(h).squeeze(-1), z)


@training(lambda g: {"species": ids(g, 2, 5, below=4), "pos": normal(g, 2, 5, 3), "energy": normal(g, 2), "forces": normal(g, 2, 5, 3)})
class potential(nn.Module):
    """An energy of atoms with smooth cutoffs, and forces as its gradient, which are trained, too."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(4, 8)
        self.register_buffer("centers", torch.linspace(0, 4, 8))
        self.filter, self.out = (
            nn.Sequential(nn.Linear(8, 8), nn.Softplus(), nn.Linear(8, 8)),
            nn.Sequential(nn.Linear(8, 8), nn.SiLU(), nn.Linear(8, 1)),
        )

    def forward(self, species, pos, energy, forces):
        with torch.enable_grad():
            pos = pos.detach().requires_grad_(True)
            delta = pos[:, :, None] - pos[:, None]
            far = ~torch.eye(5, dtype=torch.bool)
            r = torch.where(far, delta.pow(2).sum(-1), torch.ones(())).sqrt()
            cut = 0.5 * (torch.cos(r * torch.pi / 6) + 1) * (r < 6) * far
            w = self.filter(torch.exp(-4 * (r[..., None] - self.centers) ** 2)) * cut[..., None]
            h = self.embed(species)
            h = h + torch.einsum("bijd,bjd->bid", w, h)
            total = self.out(h).sum((1, 2))
            found = -torch.autograd.grad(total.sum(), pos, create_graph=True)[0]
        return F.mse_loss(total, energy) + 10 * F.mse_loss(found, forces)


@training(lambda g: {"points": normal(g, 2, 12, 3), "y": ids(g, 2, below=4)})
class dgcnn(nn.Module):
    """Nearest neighbors in feature space, gathered, their maximum; a learned alignment with its own regularization."""

    def __init__(self):
        super().__init__()
        self.align = nn.Sequential(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.AdaptiveMaxPool1d(1), nn.Flatten(), nn.Linear(8, 9))
        self.conv1 = nn.Sequential(nn.Conv2d(6, 8, 1, bias=False), nn.BatchNorm2d(8), nn.LeakyReLU(0.2))
        self.conv2 = nn.Sequential(nn.Conv2d(16, 16, 1, bias=False), nn.BatchNorm2d(16), nn.LeakyReLU(0.2))
        self.head = nn.Linear(48, 4)

    @staticmethod
    def feature(x, k=4):
        b, c, n = x.shape
        inner = -2 * torch.matmul(x.transpose(2, 1), x)
        xx = torch.sum(x**2, dim=1, keepdim=True)
        index = (-xx - inner - xx.transpose(2, 1)).topk(k=k, dim=-1)[1]
        index = (index + torch.arange(0, b).view(-1, 1, 1) * n).view(-1)
        x = x.transpose(2, 1).contiguous()
        near = x.view(b * n, -1)[index, :].view(b, n, k, c)
        x = x.view(b, n, 1, c).repeat(1, 1, k, 1)
        return torch.cat((near - x, x), dim=3).permute(0, 3, 1, 2).contiguous()

    def forward(self, points, y):
        x = points.mT
        t = self.align(x).view(-1, 3, 3) + torch.eye(3)
        x = torch.bmm(points, t).mT
        a = self.conv1(self.feature(x)).max(dim=-1, keepdim=False)[0]
        b = self.conv2(self.feature(a)).max(-1)[0]
        z = torch.cat([a, b], 1)
        z = torch.cat([F.adaptive_max_pool1d(z, 1), F.adaptive_avg_pool1d(z, 1)], 1).flatten(1)
        off = torch.mean(torch.linalg.matrix_norm(torch.bmm(t, t.transpose(2, 1)) - torch.eye(3), dim=(1, 2)))
        return F.cross_entropy(self.head(z), y) + 0.001 * off


@training(lambda g: {"x": normal(g, 2, 6, 8), "mask": torch.tensor([[1] * 6, [1] * 4 + [0] * 2]).bool(), "y": normal(g, 2)})
class set_transformer(nn.Module):
    """Attention with learned seeds, over sets with padding."""

    class Block(nn.Module):
        def __init__(self, d=16):
            super().__init__()
            self.att, self.ff, self.n1, self.n2 = nn.MultiheadAttention(d, 2, batch_first=True), nn.Linear(d, d), nn.LayerNorm(d), nn.LayerNorm(d)

        def forward(self, q, k, mask=None):
            h = self.n1(q + self.att(q, k, k, key_padding_mask=mask, need_weights=False)[0])
            return self.n2(h + F.relu(self.ff(h)))

    def __init__(self):
        super().__init__()
        self.embed, self.points, self.seeds = nn.Linear(8, 16), nn.Parameter(torch.randn(1, 3, 16)), nn.Parameter(torch.randn(1, 2, 16))
        self.a, self.b, self.pool, self.head = self.Block(), self.Block(), self.Block(), nn.Linear(32, 1)

    def forward(self, x, mask, y):
        x = self.embed(x)
        h = self.a(self.points.repeat(2, 1, 1), x, ~mask)
        x = self.b(x, h)
        z = self.pool(self.seeds.repeat(2, 1, 1), x, ~mask)
        return F.huber_loss(self.head(z.flatten(1)).squeeze(), y)


def clicks(g):
    return {
        "dense": normal(g, 6, 5),
        "bags": ids(g, 6, 4, below=30),
        "lengths": ids(g, 6, below=4) + 1,
        "items": ids(g, 6, 3, below=20),
        "click": (torch.rand(6, generator=g) > 0.5).float(),
    }


@training(clicks, lambda m: torch.optim.Adagrad(m.parameters(), lr=0.05))
class dlrm(nn.Module):
    """Bags of embeddings, all pairwise products below the diagonal, and a cross network."""

    def __init__(self):
        super().__init__()
        self.bag, self.items = nn.EmbeddingBag(30, 8, mode="sum"), nn.ModuleList(nn.Embedding(20, 8) for _ in range(3))
        self.bottom = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 8), nn.ReLU())
        self.cross, self.top = nn.ModuleList(nn.Linear(18, 18) for _ in range(2)), nn.Sequential(nn.Linear(18, 8), nn.ReLU(), nn.Linear(8, 1))

    def forward(self, dense, bags, lengths, items, click):
        x = self.bottom(dense)
        weights = (torch.arange(bags.shape[1]) < lengths[:, None]).float()
        bag = F.embedding_bag(bags, self.bag.weight, per_sample_weights=weights, mode="sum")
        t = torch.stack([x, bag] + [e(items[:, i]) for i, e in enumerate(self.items)], 1)
        z = torch.bmm(t, t.transpose(1, 2))
        li, lj = torch.tril_indices(5, 5, offset=-1)
        x0 = xi = torch.cat([x, z[:, li, lj]], 1)
        for layer in self.cross:
            xi = x0 * layer(xi) + xi
        return F.binary_cross_entropy(torch.sigmoid(self.top(xi)).squeeze(1), click)


@training(lambda g: {"ids": ids(g, 20, below=30), "offsets": torch.tensor([0, 3, 3, 9, 14, 19]), "y": normal(g, 6, 8)})
class bags_by_offsets(nn.Module):
    """Bags that are given by where they begin, one of them empty, with a mean and a maximum."""

    def __init__(self):
        super().__init__()
        self.mean, self.most = nn.EmbeddingBag(30, 8, mode="mean", padding_idx=0), nn.EmbeddingBag(30, 8, mode="max")

    def forward(self, ids, offsets, y):
        return F.mse_loss(self.mean(ids, offsets) + self.most(ids, offsets), y)


@training(lambda g: {"user": ids(g, 6, below=9), "item": ids(g, 6, below=12), "negative": ids(g, 6, below=12), "history": ids(g, 6, 5, below=12)})
class recommender(nn.Module):
    """Two towers: a ranking loss, a softmax within the batch corrected by how often items occur, a self-attended
    history."""

    def __init__(self):
        super().__init__()
        self.user, self.item, self.bias = nn.Embedding(9, 8, max_norm=None), nn.Embedding(12, 8, padding_idx=0), nn.Embedding(12, 1)
        self.query, self.temperature = nn.Linear(8, 8), nn.Parameter(torch.tensor(0.0))
        self.register_buffer("counts", torch.rand(12) + 0.1)

    def forward(self, user, item, negative, history):
        h = self.item(history)
        score = (self.query(h) @ h.mT / 8**0.5).masked_fill((history == 0)[:, None], -1e9)
        u = self.user(user) + (score.softmax(-1) @ h).mean(1)

        def rate(i):
            return (u * self.item(i)).sum(-1) + self.bias(i).squeeze(-1)

        bpr = -F.logsigmoid(rate(item) - rate(negative)).mean()
        logits = F.normalize(u) @ F.normalize(self.item(item)).T * self.temperature.exp() - self.counts[item].log()
        same = item[:, None] == item[None]
        logits = logits.masked_fill(same & ~torch.eye(len(item), dtype=torch.bool), float("-inf"))
        return bpr + F.cross_entropy(logits, torch.arange(len(item)))


@training(lambda g: {"num": normal(g, 6, 4), "cat": ids(g, 6, 3, below=5), "y": ids(g, 6, below=3)})
class ft_transformer(nn.Module):
    """A token for each column, with offsets into one table of categories, periodic features of numbers, GEGLU."""

    def __init__(self, d=16):
        super().__init__()
        self.w, self.b, self.cls = nn.Parameter(torch.randn(4, d)), nn.Parameter(torch.randn(7, d)), nn.Parameter(torch.randn(1, 1, d))
        self.table, self.freq = nn.Embedding(15, d), nn.Parameter(torch.randn(4, 3))
        self.register_buffer("offsets", torch.tensor([0, 5, 10]))
        self.periodic, self.att = nn.Parameter(torch.randn(4, 6, d) * 0.2), nn.MultiheadAttention(d, 2, batch_first=True, bias=False)
        self.up, self.down, self.norm, self.head = nn.Linear(d, 2 * d), nn.Linear(d, d), nn.LayerNorm(d), nn.Linear(d, 3)

    def forward(self, num, cat, y):
        p = 2 * torch.pi * self.freq * num[..., None]
        p = torch.einsum("bnf,nfd->bnd", torch.cat([p.cos(), p.sin()], -1), self.periodic)
        t = torch.cat([num[..., None] * self.w + p, self.table(cat + self.offsets)], 1) + self.b
        t = torch.cat([self.cls.expand(len(num), -1, -1), t], 1)
        t = t + self.att(t, t, t)[0]
        a, b = self.up(self.norm(t)).chunk(2, -1)
        t = t + self.down(a * F.gelu(b))
        return F.cross_entropy(self.head(F.relu(self.norm(t[:, 0]))), y, torch.tensor([1.0, 2.0, 0.5]))


@training(lambda g: {"x": normal(g, 8, 6), "y": ids(g, 8, below=3)})
class tabnet(nn.Module):
    """Features chosen step by step by a sparsemax, norms over parts of the batch, gated linear units."""

    class GhostNorm(nn.Module):
        def __init__(self, d):
            super().__init__()
            self.bn = nn.BatchNorm1d(d, momentum=0.02)

        def forward(self, x):
            return torch.cat([self.bn(c) for c in x.chunk(2, 0)], 0)

    def __init__(self, d=6):
        super().__init__()
        self.first, self.att = nn.BatchNorm1d(d), nn.ModuleList(nn.Linear(4, d, bias=False) for _ in range(2))
        self.ghost = nn.ModuleList(self.GhostNorm(d) for _ in range(2))
        self.shared, self.own = nn.Linear(d, 16, bias=False), nn.ModuleList(nn.Linear(8, 16) for _ in range(3))
        self.head = nn.Linear(4, 3)

    @staticmethod
    def sparsemax(x):
        z = x - x.max(-1, keepdim=True)[0]
        s = torch.sort(z, -1, descending=True)[0]
        k = torch.arange(1, x.shape[-1] + 1)
        above = 1 + k * s > s.cumsum(-1)
        size = above.sum(-1, keepdim=True)
        tau = ((s * above).sum(-1, keepdim=True) - 1) / size
        return torch.clamp(z - tau, min=0)

    def forward(self, x, y):
        x = self.first(x)
        prior, total, entropy = torch.ones_like(x), 0, 0
        h = F.glu(self.own[0](F.glu(self.shared(x))))
        for i in range(2):
            m = self.sparsemax(self.ghost[i](self.att[i](h[:, 4:])) * prior)
            prior = prior * (1.3 - m)
            entropy = entropy - (m * torch.log(m + 1e-15)).sum(-1).mean()
            h = F.glu(self.shared(m * x))
            h = (h + F.glu(self.own[i + 1](h))) * 0.5**0.5
            total = total + F.relu(h[:, :4])
        return F.cross_entropy(self.head(total), y) + 1e-3 * entropy
