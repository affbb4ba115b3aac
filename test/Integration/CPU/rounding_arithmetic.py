# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""FP32 arithmetic with the roundings of a recipe, in PyTorch and ml_dtypes. A seed decides the order of every sum, and
by how much the functions that no two libraries round alike are off.

A `place` names a rounding by what is rounded. A `flaw` plants one mistake, for tests that must see it.
"""
import typing

import ml_dtypes
import numpy as np
import torch

FP8 = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}
# Recipes whose scales are of rows or blocks: rows and columns of what has one scale, contracted along its rows. All is
# E4M3.
WHOLE = 1 << 30
FINE = {"fp8-rowwise": dict.fromkeys(("activation", "weight", "gradient"), (1, WHOLE)),
        "fp8-block": {"activation": (1, 128), "weight": (128, 128), "gradient": (1, 128)}}
SCALINGS = {(1, WHOLE): "row", (1, 128): "block_1x128", (128, 128): "block_128x128"}


def narrow(x, dtype):
    """Rounds to nearest even, through ml_dtypes."""
    return torch.from_numpy(x.contiguous().numpy().astype(dtype).astype(np.float32))


def to_bf16(x):
    return narrow(x, ml_dtypes.bfloat16)


def truncated(x):
    return (x.contiguous().view(torch.int32) & -65536).view(torch.float32)


class Scaled:
    """A tensor as a contraction reads it: data in its format, and the inverse scale that undoes the scale."""

    def __init__(self, data, scale_inv=None):
        self.data, self.scale_inv = data, scale_inv

    def t(self):
        return Scaled(self.data.t(), self.scale_inv)


def block_amax(x, height, depth):
    """The largest magnitude of each block of a matrix; the last ones of a row or column may be smaller."""
    height, depth = min(height, x.shape[0]), min(depth, x.shape[1])
    # Zeros are no larger than any magnitude.
    x = torch.nn.functional.pad(x.abs(), (0, -x.shape[1] % depth, 0, -x.shape[0] % height))
    return x.unflatten(1, (-1, depth)).unflatten(0, (-1, height)).amax((1, 3))


def spread(scales, height, depth, shape):
    """The scale of each element."""
    height, depth = min(height, shape[0]), min(depth, shape[1])
    return scales.repeat_interleave(height, 0)[:shape[0]].repeat_interleave(depth, 1)[:, :shape[1]]


class Fine(typing.NamedTuple):
    """One layout of an operand with fine scales; `spread` is the inverse scale of each element."""
    data: torch.Tensor
    amax: torch.Tensor
    scale: torch.Tensor
    scale_inv: torch.Tensor
    spread: torch.Tensor


class FineOperand:
    """An operand whose rows or blocks have scales. Each layout is quantized on its own."""

    def __init__(self, quantize, x, turned=False, made=None):
        self.quantize, self.x, self.turned, self.made = quantize, x, turned, {} if made is None else made

    def t(self):
        return FineOperand(self.quantize, self.x.t(), not self.turned, self.made)

    def contracted_along_rows(self):
        if self.turned not in self.made:
            self.made[self.turned] = self.quantize(self.x)
        return self.made[self.turned]


class Arithmetic:
    """`recipe` is fp32, bf16, fp8-hybrid, fp8-rowwise or fp8-block; without an `order`, sums and functions are
    PyTorch's."""

    def __init__(self, recipe, order=None, flaw=None):
        self.recipe, self.flaw = recipe, flaw
        self.generator = None if order is None else torch.Generator().manual_seed(order)

    # Roundings.

    def round(self, x, place):
        """A value that is stored."""
        if self.recipe == "fp32" or self.flaw == f"{place} not rounded":
            return x
        return truncated(x) if self.flaw == f"{place} truncated" else to_bf16(x)

    def quantize(self, x, kind):
        """An operand of a contraction: of the kind activation, weight or gradient."""
        if self.recipe in FINE:
            return FineOperand(lambda x: self.quantize_finely(x, kind), x)
        if self.recipe != "fp8-hybrid":
            return Scaled(self.round(x, "weight copy") if kind == "weight" else x)
        format_ = "e5m2" if kind == "gradient" else "e4m3"
        if self.flaw == f"{kind} in the other FP8":
            format_ = "e4m3" if kind == "gradient" else "e5m2"
        largest = float(ml_dtypes.finfo(FP8[format_]).max)
        scale = self.scale(x, largest, kind)
        scale_inv = 1 / scale * (1.01 if self.flaw == f"{kind} inverse scale off by a hundredth" else 1)
        return Scaled(narrow((x * scale).clamp(-largest, largest), FP8[format_]), scale_inv)

    def scale(self, x, largest, kind):
        """The largest magnitude of the tensor becomes the largest of the format."""
        if self.flaw == f"{kind} amax of the first row":
            x = x[:1]
        return self.scale_of(x.abs().max(), largest, kind)

    def scale_of(self, amax, largest, kind):
        amax = amax.clamp(min=1e-12)
        if self.flaw == f"{kind} scale of half the amax":
            amax = amax / 2
        if self.flaw == f"{kind} scale by a reciprocal":  # Off in the last place: what PyTorch makes of a number by a tensor.
            return largest / amax
        scale = torch.tensor(largest) / amax
        return torch.exp2(torch.floor(torch.log2(scale))) if self.flaw == f"{kind} scale to a power of two" else scale

    def quantize_finely(self, x, kind):
        """Data, scales and inverse scales of a matrix that is contracted along its rows, and the inverse scale of each
        element."""
        format_ = "e5m2" if self.flaw == f"{kind} in the other FP8" else "e4m3"
        largest = float(ml_dtypes.finfo(FP8[format_]).max)
        height, depth = FINE[self.recipe][kind]
        if self.flaw == f"{kind} blocks of another size":
            height, depth = (1, 64) if self.recipe == "fp8-block" else (2, depth)
        amax = block_amax(x.roll(len(x) // 2, 0) if self.flaw == f"{kind} amax of other rows" else x, height, depth)
        scale = self.scale_of(amax, largest, kind)
        scale_inv = 1 / scale * (1.01 if self.flaw == f"{kind} inverse scale off by a hundredth" else 1)
        data = narrow((x * spread(scale, height, depth, x.shape)).clamp(-largest, largest), FP8[format_])
        return Fine(data, amax, scale, scale_inv, spread(scale_inv, height, depth, x.shape))

    def store(self, x, place):
        """A statistic, stored in FP32."""
        return to_bf16(x) if self.flaw == f"{place} rounded" else x

    def mark(self, x):
        """A value, or a layout of one, that a compiled step may store on its way."""
        return x

    # Sums.

    def permutation(self, length):
        return torch.randperm(length, generator=self.generator)

    def sum(self, x, dim):
        """One by one, or as PyTorch does, in pieces."""
        if self.generator is None:
            return x.sum(dim)
        x = x.index_select(dim, self.permutation(x.shape[dim]))
        return x.sum(dim) if torch.randint(0, 2, (), generator=self.generator) else x.cumsum(dim).select(dim, -1)

    def mean(self, x):
        return self.sum(x, -1)[..., None] / x.shape[-1]

    def matmul(self, a, b):
        """In pieces of the contracted axis, whose sums are added in turn."""
        if self.flaw == "last product dropped":
            a, b = a[..., :-1], b[..., :-1, :]
        if self.generator is None:
            return a @ b
        order = self.permutation(a.shape[-1])
        pieces = order.tensor_split(int(torch.randint(1, 5, (), generator=self.generator)))
        return sum(a[..., piece] @ b[..., piece, :] for piece in pieces)

    def function(self, x):
        """The result of exp, tanh or their like: off by up to two units in the last place."""
        if self.generator is None:
            return x
        return x * (1 + 2.0**-22 * (2 * torch.rand(x.shape, generator=self.generator) - 1))

    def constant(self, x):
        return x

    def where(self, condition, x, other):
        return torch.where(condition, x, other)

    def cat(self, parts, dim):
        return torch.cat(parts, dim)

    def scatter_add(self, rows, ids, x):
        order = self.permutation(len(ids)) if self.generator is not None else slice(None)
        return torch.zeros(rows, x.shape[-1]).index_add(0, ids[order], x[order])

    # Contractions.

    def fine_product(self, a, b):
        """Products of as many k as have one inverse scale on either side are summed, scaled, and added up."""
        a, b = a.contracted_along_rows(), b.t().contracted_along_rows()
        depth, total = min(FINE[self.recipe]["activation"][1], a.data.shape[1]), 0
        for k in range(0, a.data.shape[1], depth):
            part = self.matmul(a.data[:, k:k + depth], b.data[:, k:k + depth].t())
            total = part * b.spread[:, k] * a.spread[:, k][:, None] + total
        return total

    def product(self, a, b, place, bias=0):
        if isinstance(a, FineOperand):
            return self.round(self.fine_product(a, b) + bias, place)
        result = self.matmul(a.data, b.data)
        return self.round((result if a.scale_inv is None else result * (a.scale_inv * b.scale_inv)) + bias, place)


class Linear:
    """y = x w + bias with w [in, out], rounded once; both operands are quantized once, and the gradient of y once for
    both of its products."""

    def __init__(self, arithmetic, x, w, bias=0):
        self.arithmetic = arithmetic
        self.x, self.w = x if isinstance(x, (Scaled, FineOperand)) else arithmetic.quantize(x, "activation"), arithmetic.quantize(w, "weight")
        self.y = arithmetic.product(self.x, self.w, "projection", bias)

    def backward(self, dy):
        """Gradients of x and w."""
        dy = self.arithmetic.quantize(dy, "gradient")
        return self.arithmetic.product(dy, self.w.t(), "dgrad"), self.arithmetic.product(self.x.t(), dy, "wgrad")


class Head:
    """Logits of a tied table [vocabulary, width], which is never FP8."""

    def __init__(self, arithmetic, x, table):
        self.arithmetic, self.x, self.table = arithmetic, x, table
        self.y = arithmetic.round(arithmetic.matmul(x, table.t()), "logits")

    def backward(self, dy):
        a = self.arithmetic
        return a.round(a.matmul(dy, self.table), "dgrad of the head"), a.round(a.matmul(dy.t(), self.x), "wgrad of the head")


class Norm:
    """RMSNorm, or with `beta` LayerNorm: FP32 inside."""

    def __init__(self, arithmetic, x, gamma, beta=None, eps=1e-5):
        a = self.arithmetic = arithmetic
        self.gamma, self.centered = a.round(gamma, "weight copy"), beta is not None
        self.x = x - a.store(a.sum(x, -1)[..., None], "sum of a row") / x.shape[-1] if self.centered else x
        self.rstd = a.store(a.function((a.mean(self.x * self.x) + eps).rsqrt()), "reciprocal deviation")
        y = self.x * self.rstd * self.gamma
        self.y = a.round(y + a.round(beta, "weight copy") if self.centered else y, "norm")

    def backward(self, dy):
        """Gradients of x, gamma and beta."""
        a = self.arithmetic
        h, n = dy * self.gamma, self.x * self.rstd
        dx = (h - a.mean(h) if self.centered else h) - (0 if a.flaw == "norm gradient without its mean" else n * a.mean(h * n))
        gradients = a.round(dx * self.rstd, "norm gradient"), a.round(a.sum(dy * n, 0), "gamma gradient")
        return (*gradients, a.round(a.sum(dy, 0), "beta gradient")) if self.centered else gradients


class Attention:
    """Causal attention of q [B,H,S,D] on k, v [B,G,S,D], rounded where flash attention does: scores, softmax and sums
    are FP32; the unnormalized probabilities and, backward, P and dS are rounded before they enter a product."""

    def __init__(self, arithmetic, q, k, v):
        a, self.arithmetic, self.groups = arithmetic, arithmetic, k.shape[1]
        self.repeat, self.scale = q.shape[1] // k.shape[1], q.shape[-1] ** -0.5
        self.q, self.k, self.v = q, self.spread(k), self.spread(v)
        s = self.scores()
        top = s.amax(-1, keepdim=True)
        p = a.function((s - top).exp())
        total = a.sum(p, -1)[..., None]
        self.lse = a.store(top + a.function(total.log()), "log-sum-exp")
        self.y = a.round(a.matmul(a.round(p, "probabilities"), self.v) / total, "attention")

    def spread(self, x):
        return x.repeat_interleave(self.repeat, 1)

    def gather(self, x):
        """Sum over the heads of a group."""
        if self.arithmetic.flaw == "last head of a group dropped":
            x = x.unflatten(1, (self.groups, self.repeat)).clone()
            x[:, :, -1] = 0
            return x.sum(2)
        return self.arithmetic.sum(x.unflatten(1, (self.groups, self.repeat)), 2)

    def scores(self):
        s = self.arithmetic.matmul(self.q, self.k.transpose(-1, -2)) * self.scale
        return self.arithmetic.where(torch.ones(s.shape[-2:]).tril().bool(), s, -torch.inf)

    def backward(self, dy):
        a = self.arithmetic
        p = a.function((self.scores() - self.lse).exp())
        dp = a.matmul(dy, self.v.transpose(-1, -2))
        delta = a.sum(dy * self.y, -1)[..., None]
        ds = p * ((dp - delta) if a.flaw != "softmax gradient without its sum" else dp) * self.scale
        p, ds = a.round(p, "probabilities, backward"), a.round(ds, "score gradient")
        return tuple(a.round(x, "attention gradient") for x in (
            a.matmul(ds, self.k), self.gather(a.matmul(ds.transpose(-1, -2), self.q)), self.gather(a.matmul(p.transpose(-1, -2), dy))))


class Residual:
    """The running stream: a sum is stored before anything reads it."""

    def __init__(self, arithmetic):
        self.arithmetic = arithmetic

    def add(self, *terms):
        return self.arithmetic.round(sum(terms), "residual")

    def add_gradient(self, stream, branch):
        if self.arithmetic.flaw == "residual gradient dropped":
            return branch
        return self.arithmetic.round(stream + branch, "residual gradient")


def cross_entropy(a, logits, labels):
    """Mean loss over labels that are not -100, and the gradient of the logits."""
    valid = labels >= 0
    top = logits.amax(-1, keepdim=True)
    total = a.mark(a.sum(a.function((a.mark(logits - a.mark(top))).exp()), -1)[..., None])
    above = a.store(a.function(total.log()), "log-sum-exp")
    picked = a.mark(a.where(valid, logits.gather(-1, labels.clamp(min=0)[:, None])[:, 0], 0.0))
    count = a.mark(valid.sum())
    loss = a.store(a.sum(a.where(valid, a.mark(above[:, 0] + a.mark(top[:, 0] - picked)), 0.0), 0) / count, "loss")
    gradient = a.function((a.mark(logits - a.mark(top)) - above).exp()) - torch.nn.functional.one_hot(labels.clamp(min=0), logits.shape[-1])
    return loss, a.round(a.where(valid[:, None], gradient * a.mark(1 / count), 0.0), "logit gradient")


def embedding_gradient(a, gradient, ids, vocabulary):
    return a.round(a.scatter_add(vocabulary, ids, gradient), "embedding gradient")
