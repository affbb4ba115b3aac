# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More steps that public reports say go wrong, or do not go at all, under compilers of training: scatters into slices,
places that occur twice, saved tensors, gradients asked for in forward, functions that say what has no gradient. The
number is that of the report in pytorch/pytorch where no other repository is named."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from . import ids, normal, training

D = 8


def pairs(g):
    return {"x": normal(g, 6, D), "y": normal(g, 6, D)}


class Rows(nn.Module):
    """Two layers, and what is done to rows between them."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x, y):
        return F.mse_loss(self.b(self.between(self.a(x))), y)


@training(pairs)
class slices_summed(Rows):
    """Slices and selections scattered into what is expanded, and summed along the same dimension (180164, 180772)."""

    def between(self, h):
        spread = torch.slice_scatter(h[:, :1].expand(6, D), h[:, 2:6].exp(), dim=1, start=0, end=8, step=2)
        summed = torch.slice_scatter(h, h[:, :5] * 2, dim=1, start=1, end=6).sum(1, keepdim=True)
        selected = torch.select_scatter(h, h.sum(0), 0, 3).sum(0)
        return spread + summed + selected


@training(lambda g: {"x": normal(g, 2, 3, 7, 9), "y": normal(g, 2, 4, 6, 7)})
class resized_and_pooled(nn.Module):
    """An image resized by two factors and cut, a convolution, windows that overlap, and a choice between both
    (185509)."""

    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x, y):
        h = F.interpolate(x, scale_factor=(1.5, 1.25), mode="bilinear", align_corners=False)[:, :, 1:7, 1:8]
        h = self.c(h)
        pool = F.max_pool2d(h, 3, 1, 1)
        return F.mse_loss(torch.where(h > pool.mean((2, 3), keepdim=True), h, pool), y)


@training(pairs)
class places_twice(Rows):
    """Sums and writes into rows of which one is named twice, of tensors that repeat (138908, 188084)."""

    def between(self, h):
        at, places = torch.tensor([1, 1, 4]), torch.tensor([0, 2])
        kept = h.detach().clone()
        kept[at] += kept[at]
        h = h.index_add(0, at, h[:3]) + kept
        h = h.index_put((at, at), h[0, :3], accumulate=True)

        def one(v):
            return (torch.stack([v[k] for k in range(D)]).index_select(0, places) * torch.tensor([1.0, -1.0])).pow(3).sum()

        found, value = torch.func.vmap(torch.func.grad_and_value(one))(h)
        return h + 0.1 * found + 0.01 * value[:, None]


@training(pairs)
class autocast_without(Rows):
    """BF16 by autocast, and within it a part without (179804)."""

    def between(self, h):
        with torch.autocast("cpu", torch.bfloat16):
            with torch.autocast("cpu", enabled=False):
                inner = h @ self.b.weight.T
        return torch.tanh(inner.float())


class Doubled(torch.autograd.graph.saved_tensors_hooks):
    def __init__(self):
        super().__init__(lambda x: x, lambda x: 2 * x)


@training(pairs)
class saved_elsewhere(Rows):
    """Saved tensors that hooks keep on the CPU around a checkpoint, and others that hooks give back changed (147565,
    116221)."""

    def between(self, h):
        with torch.autograd.graph.save_on_cpu():
            k = checkpoint(lambda v: self.b(v.pow(2)).tanh(), h.pow(2), use_reentrant=False).pow(2)
        with Doubled():
            k = k + h * torch.sin(h)
        return k


@training(pairs)
class gradients_of_siblings(nn.Module):
    """The gradient of one result for another that it follows from, of one that a hook changes, and a weight that has
    none and is not decayed (132929, 91468, 101192)."""

    def __init__(self):
        super().__init__()
        self.down, self.up, self.still = nn.Linear(D, 4), nn.Linear(4, D), nn.Parameter(torch.rand(D))

    def forward(self, x, y):
        z = torch.tanh(self.down(x))
        found = self.up(z)
        (g,) = torch.autograd.grad(found.square().sum(), z, create_graph=True)
        w = z * z
        w.register_hook(lambda t: 3.14 * t)
        (hooked,) = torch.autograd.grad((w * z).sum(), z, retain_graph=True)
        return F.mse_loss(found * self.still.detach(), y) + g.square().mean() + (hooked * z).mean()


class Both(torch.autograd.Function):
    """Two results, of which one may have no gradient coming in."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(x)
        return x.sin(), x.cos(), x.argmax(-1)

    @staticmethod
    def backward(ctx, a, b, none):
        (x,) = ctx.saved_tensors
        assert none is None
        return (0 if a is None else a * x.cos()) + (0.25 * x if b is None else -b * x.sin())


@training(pairs)
class gradients_that_are_none(Rows):
    """A function that is told which of its results nobody reads (106391, 118396)."""

    def between(self, h):
        one, both = Both.apply(h)[0], Both.apply(h)
        return one + both[0] * both[1] + both[2][:, None]


@training(lambda g: {"x": ids(g, 2, 9, below=20), "marks": ids(g, 2, 9, below=2), "y": normal(g, 2, D)})
class blocks_by_running_counts(nn.Module):
    """A mask of blocks that a running count of marks makes, with keys that are padding (lerobot 4178)."""

    def __init__(self):
        super().__init__()
        self.e, self.q = nn.Embedding(20, D), nn.Linear(D, 3 * D)

    def forward(self, x, marks, y):
        count = torch.cumsum(marks, 1)
        seen = (count[:, None, :] <= count[:, :, None]) & ((x != 3)[:, None, :] & (x != 3)[:, :, None])
        q, k, v = self.q(self.e(x)).view(2, 9, 3, 2, 4).permute(2, 0, 3, 1, 4)
        bias = torch.where(seen[:, None], 0.0, -2.3819763e38)
        return F.mse_loss(F.scaled_dot_product_attention(q, k, v, attn_mask=bias).transpose(1, 2).reshape(2, 9, D).mean(1), y)


@training(pairs)
class dropped_where_turned(Rows):
    """Zeros drawn of transposed and in-place values, in a checkpoint that draws them again, and running sums behind
    (174078, 198333, 158643, 190758)."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Dropout(0.4), nn.Dropout(0.3, inplace=True)

    def between(self, h):
        k = checkpoint(lambda v: self.first(v.t().contiguous()).t() * v, h, use_reentrant=False)
        k = self.second(F.relu(k * 1.0, inplace=True) * 1.0)
        return k.cumsum(0) + torch.rand_like(h.t()).t() * h


@training(pairs)
class gradients_on_again(Rows):
    """Gradients that are on within a part where they are off (114338), and the reverse."""

    def between(self, h):
        with torch.no_grad():
            off = torch.exp(h)
            with torch.enable_grad():
                on = torch.tanh(h)
                with torch.no_grad():
                    scale = on.norm()
        return on / scale + off


@training(pairs)
class written_by_places(nn.Module):
    """Buffers that forward writes by places that follow from the batch, of which the next step reads others
    (115774)."""

    def __init__(self):
        super().__init__()
        self.f = nn.Linear(D, D)
        self.register_buffer("cache", torch.zeros(9, D))
        self.register_buffer("at", torch.zeros((), dtype=torch.long))

    def forward(self, x, y):
        h = self.f(x)
        place = (self.at + torch.arange(3)) % 9
        old = self.cache.clone()
        self.cache[place] = h[:3].detach()
        self.cache.index_copy_(0, (place[:1] + 4) % 9, h[3:4].detach())
        self.at = (self.at + 3) % 9
        return F.mse_loss(h + old.mean(0), y)


@training(lambda g: {"x": normal(g, 3, 2, 8, 8), "y": ids(g, 3, below=4)})
class norms_counted_twice(nn.Module):
    """A batch norm in a checkpoint, whose statistics the second computation moves again, as PyTorch does (YOLO-Master
    262)."""

    def __init__(self):
        super().__init__()
        self.a, self.n, self.out = nn.Conv2d(2, 4, 3, bias=False), nn.BatchNorm2d(4), nn.Linear(4, 4)

    def forward(self, x, y):
        h = checkpoint(lambda v: F.relu(self.n(self.a(v))), x, use_reentrant=False)
        return F.cross_entropy(self.out(h.mean((2, 3))) + self.n.running_mean, y)


@training(lambda g: {"x": ids(g, 2, 9, below=20), "count": torch.tensor(13)})
class counted_by_the_trainer(nn.Module):
    """A sum of losses of tokens over a count that comes with the batch, of several steps' worth (transformers 34191),
    and labels whose ignored ones are all of a row."""

    def __init__(self):
        super().__init__()
        self.e, self.out = nn.Embedding(20, D), nn.Linear(D, 20)

    def forward(self, x, count):
        labels = torch.where((torch.arange(2)[:, None] == 1) & (x > 3), -100, x)
        labels = F.pad(labels, (0, 1), value=-100)[..., 1:]
        logits = self.out(torch.tanh(self.e(x))).float()
        return F.cross_entropy(logits.view(-1, 20), labels.reshape(-1), ignore_index=-100, reduction="sum") / count


@training(pairs)
class roots_of_nothing(Rows):
    """Norms, roots and logarithms where they are zero, with the part that has no gradient chosen away before and
    behind (4132, 10729)."""

    def between(self, h):
        z = torch.where(torch.arange(D) < 3, 0.0, h)
        safe = torch.where(z == 0, 1.0, z)
        root = torch.where(z == 0, 0.0, safe.abs().sqrt())
        return root + z.norm(dim=-1, keepdim=True) + torch.xlogy(z.abs(), z.abs() + 0.1) + z[:, :2].abs().sum(1, keepdim=True)


class Stepped(nn.Module):
    """Weights whose forward value is a code of few bits, by a function of one's own of each group."""

    class Code(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w, scale, zero):
            inside = (w / scale + zero).round()
            ctx.save_for_backward((inside >= -8) & (inside <= 7))
            return (inside.clamp(-8, 7) - zero) * scale

        @staticmethod
        def backward(ctx, g):
            return g * ctx.saved_tensors[0], None, None

    def forward(self, w):
        groups = w.view(w.shape[0], -1, 4)
        low, high = groups.aminmax(dim=-1, keepdim=True)
        scale = ((high.clamp(min=0) - low.clamp(max=0)) / 15).clamp(min=torch.finfo(torch.float32).eps)
        zero = -8 - (low.clamp(max=0) / scale).round()
        return self.Code.apply(groups, scale.detach(), zero.detach().clamp(-8, 7)).view_as(w)


@training(pairs)
class codes_of_groups(Rows):
    """Weights that a parametrization rounds to four bits in groups, and rows that are rounded to eight each as they
    come, as torchao trains for few bits (ao 2735 and its likes)."""

    def __init__(self):
        super().__init__()
        nn.utils.parametrize.register_parametrization(self.a, "weight", Stepped())
        nn.utils.parametrize.register_parametrization(self.b, "weight", Stepped())

    def between(self, h):
        scale = h.detach().abs().amax(-1, keepdim=True).clamp(min=1e-5) / 127
        return h + ((h / scale).round().clamp(-128, 127) * scale - h).detach()


def boxes(g):
    corners = ids(g, 3, 5, 2, below=50)
    return {"box": torch.cat([corners, corners + 10], -1) / 100.0, "y": normal(g, 3, 5, D)}


@training(boxes)
class places_by_doubles(nn.Module):
    """Cells, distances and orders of boxes in hundredths, which forward finds in float64 by name: 0.29 of f32 is below
    29 hundredths there, and not in f32 (40696)."""

    def __init__(self):
        super().__init__()
        self.cells, self.apart, self.f = nn.Embedding(501, D), nn.Embedding(130, 2), nn.Linear(D, D)

    def forward(self, box, y):
        wide = box.to(torch.float64)
        cells = (wide * 500).long().clamp(0, 500)
        h = self.cells(cells).sum(2)
        middle = wide[:, :, [0, 2]].mean(-1)
        apart = ((middle[:, :, None] - middle[:, None, :]).float() * 100).long()
        bias = self.apart(apart + 64).permute(0, 3, 1, 2)
        q = self.f(h).view(3, 5, 2, 4).transpose(1, 2)
        h = h + F.scaled_dot_product_attention(q, q, q, attn_mask=bias).transpose(1, 2).reshape(3, 5, D)
        side = (wide[..., 2] - wide[..., 0]) / (wide[..., 3] + 0.125)
        inside = torch.where(side > 0.25, torch.floor(side * 7), torch.ceil(-side / 3)).clamp(-3, 3).float()
        later = (wide.flip(-1) * 7 - 1 <= torch.tensor(0.125, dtype=torch.float64)).any(-1)
        total = torch.stack([wide[..., 0], wide.sum(-1), -wide[..., 1].abs()], -1).amin(-1).masked_fill(later, 0.25).float()
        return F.mse_loss(h * (1 + 0.1 * inside[..., None]) + total[..., None], y)


@training(lambda g: {"x": ids(g, 6, D, below=40), "y": normal(g, 6, D)})
class floors_of_quotients(nn.Module):
    """Bins by whole quotients of tenths, where the quotient itself rounds up to the next (197895)."""

    def __init__(self):
        super().__init__()
        self.bins = nn.Embedding(50, D)

    def forward(self, x, y):
        tenths = x * 0.1
        bins = (tenths // 0.1).long().clamp(0, 49) + torch.div(tenths, 0.2, rounding_mode="floor").long() // 7
        rest = torch.remainder(tenths, 0.1) + torch.fmod(-tenths, 0.3)
        return F.mse_loss(self.bins(bins.clamp(max=49)).mean(1) + rest, y)
