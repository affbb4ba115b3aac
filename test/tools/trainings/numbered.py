# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of public reports in which forward picks rows by computed numbers, draws again what a checkpoint drew, trains
for few bits by PyTorch's own observers, or writes in a backward. The number is that of the report in
pytorch/pytorch."""

import functools

import torch
import torch.ao.quantization as quantization
import torch.nn.functional as F
from torch import nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

from . import ids, normal, training

D = 8


def pairs(g):
    return {"x": normal(g, 6, D), "y": normal(g, 6, D)}


def rows_of_lengths(g):
    return {"x": normal(g, 3, 5, D), "y": normal(g, 3, D), "n": torch.tensor([5, 3, 2])[torch.randperm(3, generator=g)]}


class Rows(nn.Module):
    """Two layers, and what is done to rows between them."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(D, D), nn.Linear(D, D)

    def forward(self, x, y, *more, **named):
        return F.mse_loss(self.b(self.between(self.a(x), *more, **named)), y)


@training(rows_of_lengths)
class last_of_each(Rows):
    """The last token of each row in a loop over rows, and where a sum is largest (183894)."""

    def between(self, h, n):
        place = h.sum((0, 2)).argmax()
        return torch.stack([h[i, n[i] - 1] for i in range(3)]) + h[:, place] + h.transpose(0, 1).reshape(-1, D)[place]


@training(rows_of_lengths)
class rows_by_numbers(Rows):
    """Rows read and written by numbers that the batch or a buffer tells, from the end as well, through what was
    read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(4, D))
        self.register_buffer("place", torch.tensor(0))

    def between(self, h, n):
        last, from_end = n[1] - 1, n[2] - 6
        z = torch.zeros(3, 5, D)
        z[0, last] = h[1, from_end]
        z[..., from_end, :] += h[:, last]
        z[1, None, last, 2:4] = 3.0
        z[torch.arange(2), from_end, :4] = h[:2, last, :4]
        part = z[last % 3]
        part[0] = 5.0
        part.add_(h[0])
        self.kept[self.place] = h.detach()[0, 0]
        self.place.add_(1).remainder_(4)
        near = torch.narrow(h, 1, n[0] - 2, 2).sum(1) + h.select(1, last) + h[[last % 3, from_end]]
        return z.sum(1) + near + self.kept.sum(0) + h[:, torch.tensor(2)]


@training(rows_of_lengths)
class packed_rows(Rows):
    """Rows of several lengths through layers of every sort, from both sides, with projections and states of their own
    (162375, 93501)."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(D, 6, 2, batch_first=True, bidirectional=True, proj_size=4)
        self.gru, self.rnn = nn.GRU(D, 4, 2, bidirectional=True), nn.RNN(D, D, nonlinearity="relu", bias=False)

    def between(self, h, n):
        packed = pack_padded_sequence(h, n.cpu(), batch_first=True, enforce_sorted=False)
        out, (last, cells) = self.lstm(packed)
        out = PackedSequence(out.data.tanh(), out.batch_sizes, out.sorted_indices, out.unsorted_indices)
        out, of_gru = self.gru(out, torch.ones(4, 3, 4))
        out, of_rnn = self.rnn(out)
        rows, lengths = pad_packed_sequence(out, batch_first=True, padding_value=0.5, total_length=7)
        first = pad_packed_sequence(out)[0]
        return rows.sum(1) / lengths[:, None] + torch.cat([last[-1], of_gru[1]], 1) + of_rnn[0] + cells.mean() + first.mean(0)


@training(lambda g: {"x": ids(g, 3, 5), "tags": ids(g, 3, 5, below=7), "n": torch.tensor([4, 1, 3])[torch.randperm(3, generator=g)]})
class packed_tags(nn.Module):
    """A tag for each word of packed rows, and a head of the words alone that are masked (178260)."""

    def __init__(self):
        super().__init__()
        self.words, self.gru = nn.Embedding(50, D), nn.GRU(D, D, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(D), nn.GELU(), nn.Linear(D, 7))

    def forward(self, x, tags, n):
        words, right = (pack_padded_sequence(t, n, batch_first=True, enforce_sorted=False) for t in (self.words(x), tags))
        masked = tags > 2
        return F.cross_entropy(self.head(self.gru(words)[0].data), right.data) + F.cross_entropy(self.head(self.words(x)[masked]), tags[masked])


@training(pairs)
class drawn_again(Rows):
    """One dropout that several calls of checkpoints share, with noise beside it, in checkpoints of checkpoints."""

    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.3)

    def between(self, h):
        def part(z):
            return F.gelu(self.a(self.drop(z + 0.1 * torch.randn_like(z)))) * self.drop(z.cos())
        inner = functools.partial(checkpoint, part, use_reentrant=False)
        return checkpoint(lambda z: inner(inner(z)).exp(), h, use_reentrant=False) + checkpoint(part, h, use_reentrant=True)


def _products_are_kept(ctx, op, *args, **kwargs):
    return CheckpointPolicy.MUST_SAVE if op in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default) else CheckpointPolicy.PREFER_RECOMPUTE


@training(pairs)
class products_kept(Rows):
    """Checkpoints that keep products and compute the rest again."""

    def between(self, h):
        contexts = functools.partial(create_selective_checkpoint_contexts, _products_are_kept)

        def part(z):
            return F.gelu(self.a(F.dropout(z, 0.2)))
        return checkpoint(part, h, use_reentrant=False, context_fn=contexts) + checkpoint(part, h, use_reentrant=False, determinism_check="none")


@training(pairs)
class self_normalizing(Rows):
    """The dropouts of SELU networks, of elements and of features."""

    def __init__(self):
        super().__init__()
        self.drops = nn.Sequential(nn.SELU(), nn.AlphaDropout(0.2), nn.FeatureAlphaDropout(0.3), nn.AlphaDropout(0.1, inplace=True))

    def between(self, h):
        h = self.drops(h)
        return torch.feature_dropout(h.view(2, 3, D), 0.2, True).view(6, D) + torch.feature_alpha_dropout(h.view(2, 3, 4, 2), 0.3, True).view(6, D)


@training(lambda g: {"x": normal(g, 2, 3, 8, 8), "y": normal(g, 2, 4)})
class observed(nn.Module):
    """Weights and activations rounded by PyTorch's moving averages of their bounds, a convolution and its norm as one
    (99858, 167063)."""

    def __init__(self):
        super().__init__()
        layers = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(144, 4)).train()
        layers.qconfig = quantization.get_default_qat_qconfig("fbgemm")
        self.layers = quantization.prepare_qat(quantization.fuse_modules_qat(layers, [["0", "1", "2"]]))
        self.layers(torch.randn(2, 3, 8, 8))

    def forward(self, x, y):
        return F.mse_loss(self.layers(x), y)


class Loader(nn.Parameter):
    def __new__(cls, data, loader=None):
        return super().__new__(cls, data)

    def __init__(self, data, loader=None):
        self.loader = loader


@training(pairs)
class parameter_of_a_class(Rows):
    """A parameter of a class of its own (150848, 160886), and a counter that nothing depends on (128319)."""

    def __init__(self):
        super().__init__()
        self.a.weight, self.count = Loader(self.a.weight.detach().clone(), print), 0

    def between(self, h):
        self.count += 1
        return h.tanh() * self.a.weight.sum()


@training(lambda g: {"x": ids(g, 24), "y": normal(g, 6, D), "weights": normal(g, 24)})
class bags(nn.Module):
    """Bags of words by their largest, their mean and a weighted sum, one of them empty, with padding (92286)."""

    def __init__(self):
        super().__init__()
        self.tables = nn.ModuleList(nn.EmbeddingBag(50, D, mode=mode, padding_idx=3) for mode in ("max", "mean", "sum"))

    def forward(self, x, y, weights):
        starts = torch.tensor([0, 3, 7, 7, 12, 20])
        most, mean, total = self.tables
        return F.mse_loss(most(x, starts) + mean(x, starts) + total(x, starts, weights), y)


@training(lambda g: {"x": normal(g, 2, 3, 8, 8), "y": normal(g, 2, 4)})
class resized_in_each_mode(nn.Module):
    """One pixel of an image in each mode (100794), and sizes in between without jagged edges (197622)."""

    def __init__(self):
        super().__init__()
        self.c, self.places = nn.Conv2d(3, 4, 3), nn.Parameter(torch.randn(1, 4, 5, 5))

    def forward(self, x, y):
        h = self.c(x) + F.interpolate(self.places, (6, 6), mode="bicubic", antialias=True)
        loss = F.mse_loss(F.interpolate(h, (4, 5), mode="bilinear", antialias=True).mean((2, 3)), y)
        modes = ("nearest", "bilinear", "bicubic", "area", "nearest-exact")
        return loss + sum(F.mse_loss(F.interpolate(h, (1, 1), mode=m).flatten(1), y) for m in modes)


class Copying(torch.autograd.Function):
    """Its backward writes into a gradient that it is given."""

    @staticmethod
    def forward(ctx, x):
        return x.clone(), x * 2

    @staticmethod
    def backward(ctx, a, b):
        return a.copy_(b)


class Following(torch.autograd.Function):
    """Its backward writes into a buffer, and into what its forward kept."""

    @staticmethod
    def forward(ctx, x, buffer, kept):
        ctx.save_for_backward(buffer, kept)
        return x * (1 + buffer.mean())

    @staticmethod
    def backward(ctx, gradient):
        buffer, kept = ctx.saved_tensors
        buffer.mul_(0.9).add_(gradient.abs().amax(0), alpha=0.1)
        kept.add_(gradient)
        return kept * (1 + buffer.mean()), None, None


class Told(torch.autograd.Function):
    """Its second result has no gradient."""

    @staticmethod
    def forward(ctx, x):
        place = x.argmax(-1)
        ctx.save_for_backward(x)
        ctx.mark_non_differentiable(place)
        return x.sin(), place

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, gradient, _):
        return gradient * ctx.saved_tensors[0].cos() if ctx.needs_input_grad[0] else None


@training(pairs)
class written_in_a_backward(Rows):
    """Gradients, buffers and saved tensors that backwards write (112906, 141111, 172956, 177213), and results that have
    no gradient beside parts of others (194479)."""

    def __init__(self):
        super().__init__()
        self.register_buffer("largest", torch.ones(D))
        self.a.register_forward_pre_hook(lambda module, args, named: (tuple(t * 2 for t in args), named), with_kwargs=True)

    def between(self, h):
        p, q = Copying.apply(h)
        y, place = Told.apply(Following.apply(p.sin() + q.cos(), self.largest, h.detach().clone()))
        return torch.cat([y[:, :4], h.sin()[:, 4:]], 1) + y.detach() + F.one_hot(place, D)


@training(pairs)
class running(Rows):
    """Products, logarithms of sums, bounds as they run along a dimension, with zeros among them (136263), and places of
    a table that indices from two sides set (196570)."""

    def between(self, h):
        products = (1 + 0.1 * h).cumprod(1) + torch.where(h > 0, h, torch.zeros_like(h)).cumprod(0)
        mask = torch.full((6, 6), -1e4)
        mask[torch.arange(6).unsqueeze(0), torch.arange(6).unsqueeze(1)] = 0
        most, where = h.cummax(1)
        return products + torch.logcumsumexp(h, 0) + most + h.cummin(0).values + where * 0.01 + (h @ h.T + mask).softmax(-1) @ h
