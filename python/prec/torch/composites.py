# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Composites as custom ops, so that a trace holds them whole: each with an eager implementation, a fake one, and a
gradient
that is itself a custom op. Shapes are the prec_train dialect's (its docs); attention is [B,H,S,D] with G dividing H."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor


def _gradients_again(plain: Callable[..., Tensor], given: Tensor, inputs: Sequence[Tensor], cotangents: Sequence[Tensor | None]) -> list[Tensor]:
    """The gradient of a gradient: of the cotangent `given` [of the shape of plain(*inputs)] and of each of `inputs`,
    where those of `plain` for `given` were multiplied by `cotangents` (None: not read) and added up. It is what
    autograd computes of `plain`, which is of plain operations, and can be differentiated again. What the first gradient
    reads beside its inputs (a logarithm of sums, a norm's factor) follows from them here, so that nothing of it is left
    out."""
    with torch.enable_grad():
        # Each a tensor of its own: one that is given twice has a gradient for each place.
        first, *own = (t.view_as(t) if t.requires_grad else t.detach().requires_grad_() for t in (given, *inputs))
        found = torch.autograd.grad(plain(*own), own, first, create_graph=True)
        read = [(g, c) for g, c in zip(found, cotangents, strict=True) if c is not None]
        again = torch.is_grad_enabled()
        return list(torch.autograd.grad([g for g, _ in read], [first, *own], [c for _, c in read], create_graph=again, materialize_grads=True))


def _scores(q: Tensor, k: Tensor, scale: float, causal: bool, window: int | None, bias: Tensor | None) -> Tensor:
    s = (q @ k.repeat_interleave(q.shape[1] // k.shape[1], 1).mT) * scale
    if bias is not None:
        s = s + bias
    if causal:
        seen = torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).tril()
        s = s.masked_fill(~(seen if window is None else seen.triu(1 - window)), float("-inf"))
    return s


# Queries that are blind, of [B|1,H|1,S|1,1], get zeros and have no gradient.
def _of_scores(s: Tensor, v: Tensor, blind: Tensor | None) -> Tensor:
    out = s.softmax(-1) @ v.repeat_interleave(s.shape[1] // v.shape[1], 1)
    return out if blind is None else out.masked_fill(blind, 0.0)


@torch.library.custom_op("prec::attention", mutates_args=())
def attention(q: Tensor, k: Tensor, v: Tensor, scale: float, causal: bool, window: int | None = None, bias: Tensor | None = None,
              blind: Tensor | None = None) -> tuple[Tensor, Tensor]:
    s = _scores(q, k, scale, causal, window, bias)
    return _of_scores(s, v, blind), s.logsumexp(-1)


@attention.register_fake
def _(q: Tensor, k: Tensor, v: Tensor, scale: float, causal: bool, window: int | None = None, bias: Tensor | None = None,
      blind: Tensor | None = None) -> tuple[Tensor, ...]:
    return q.new_empty(q.shape), q.new_empty(q.shape[:-1])


@torch.library.custom_op("prec::attention_grad", mutates_args=())
def attention_grad(g: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, scale: float, causal: bool, window: int | None,
                   bias: Tensor | None, blind: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    n = q.shape[1] // k.shape[1]
    def sum_heads(t: Tensor) -> Tensor:
        return t.unflatten(1, (-1, n)).sum(2)
    if blind is not None:
        g = g.masked_fill(blind, 0.0)
    p = (_scores(q, k, scale, causal, window, bias) - lse[..., None]).exp()
    dp = g @ v.repeat_interleave(n, 1).mT
    ds = p * (dp - (g * out).sum(-1, keepdim=True)) * scale
    return ds @ k.repeat_interleave(n, 1), sum_heads(ds.mT @ q), sum_heads(p.mT @ g)


@attention_grad.register_fake
def _(g: Tensor, q: Tensor, k: Tensor, v: Tensor, out: Tensor, lse: Tensor, scale: float, causal: bool, window: int | None,
      bias: Tensor | None, blind: Tensor | None) -> tuple[Tensor, ...]:
    return q.new_empty(q.shape), k.new_empty(k.shape), v.new_empty(v.shape)


def _attention_save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    q, k, v, ctx.scale, ctx.causal, ctx.window, bias, blind = inputs
    ctx.save_for_backward(q, k, v, *output, bias, blind)


def _attention_backward(ctx: Any, g: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    *values, bias, blind = ctx.saved_tensors
    return *attention_grad(g, *values, ctx.scale, ctx.causal, ctx.window, bias, blind), *[None] * 5


attention.register_autograd(_attention_backward, setup_context=_attention_save)


def _attention_grad_save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    *values, _, _, ctx.scale, ctx.causal, ctx.window, bias, blind = inputs
    ctx.save_for_backward(*values, bias, blind)
    ctx.set_materialize_grads(False)


def _attention_grad_backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Tensor | None, ...]:
    *values, bias, blind = ctx.saved_tensors

    def plain(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return _of_scores(_scores(q, k, ctx.scale, ctx.causal, ctx.window, bias), v, blind)

    return *_gradients_again(plain, values[0], values[1:], cotangents), *[None] * 7


attention_grad.register_autograd(_attention_grad_backward, setup_context=_attention_grad_save)


@torch.library.custom_op("prec::rms_norm", mutates_args=())
def rms_norm(x: Tensor, gamma: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    rstd = _factor(x, eps)
    return x * rstd[..., None] * gamma, rstd


def _factor(x: Tensor, eps: float) -> Tensor:
    return torch.rsqrt(x.square().mean(-1) + eps)


@rms_norm.register_fake
def _(x: Tensor, gamma: Tensor, eps: float) -> tuple[Tensor, ...]:
    return x.new_empty(x.shape), x.new_empty(x.shape[:-1])


@torch.library.custom_op("prec::rms_norm_grad", mutates_args=())
def rms_norm_grad(g: Tensor, x: Tensor, gamma: Tensor, rstd: Tensor, eps: float) -> tuple[Tensor, Tensor]:
    normed, scaled = x * rstd[..., None], g * gamma
    dx = rstd[..., None] * (scaled - normed * (scaled * normed).mean(-1, keepdim=True))
    return dx, (g * normed).flatten(0, -2).sum(0)


@rms_norm_grad.register_fake
def _(g: Tensor, x: Tensor, gamma: Tensor, rstd: Tensor, eps: float) -> tuple[Tensor, ...]:
    return x.new_empty(x.shape), gamma.new_empty(gamma.shape)


def _rms_norm_save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    x, gamma, ctx.eps = inputs
    ctx.save_for_backward(x, gamma, output[1])


rms_norm.register_autograd(lambda ctx, g, _: (*rms_norm_grad(g, *ctx.saved_tensors, ctx.eps), None), setup_context=_rms_norm_save)


def _rms_norm_grad_save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    g, x, gamma, _, ctx.eps = inputs
    ctx.save_for_backward(g, x, gamma)
    ctx.set_materialize_grads(False)


def _rms_norm_grad_backward(ctx: Any, *cotangents: Tensor | None) -> tuple[Tensor | None, ...]:
    g, *inputs = ctx.saved_tensors
    return *_gradients_again(lambda x, gamma: x * _factor(x, ctx.eps)[..., None] * gamma, g, inputs, cotangents), None, None


rms_norm_grad.register_autograd(_rms_norm_grad_backward, setup_context=_rms_norm_grad_save)


@torch.library.custom_op("prec::cross_entropy", mutates_args=())
def cross_entropy(logits: Tensor, labels: Tensor, ignore_index: int) -> tuple[Tensor, Tensor, Tensor]:
    maximum = logits.amax(-1)
    return _mean_of_labels(logits, labels, ignore_index), maximum, (logits - maximum[:, None]).logsumexp(-1)


def _mean_of_labels(logits: Tensor, labels: Tensor, ignore_index: int) -> Tensor:
    valid = labels != ignore_index
    losses = -logits.log_softmax(-1).gather(1, torch.where(valid, labels, 0)[:, None])[:, 0]
    return (losses * valid).sum() / valid.sum().clamp(min=1)


@cross_entropy.register_fake
def _(logits: Tensor, labels: Tensor, ignore_index: int) -> tuple[Tensor, ...]:
    return logits.new_empty(()), logits.new_empty(logits.shape[:1]), logits.new_empty(logits.shape[:1])


@torch.library.custom_op("prec::cross_entropy_grad", mutates_args=())
def cross_entropy_grad(g: Tensor, logits: Tensor, labels: Tensor, maximum: Tensor, log_sum: Tensor, ignore_index: int) -> Tensor:
    valid = labels != ignore_index
    d = ((logits - maximum[:, None]) - log_sum[:, None]).exp()
    d = d - torch.nn.functional.one_hot(torch.where(valid, labels, 0), logits.shape[1]).to(d.dtype)
    return d * valid[:, None] * (g / valid.sum().clamp(min=1))


@cross_entropy_grad.register_fake
def _(g: Tensor, logits: Tensor, labels: Tensor, maximum: Tensor, log_sum: Tensor, ignore_index: int) -> Tensor:
    return logits.new_empty(logits.shape)


def _cross_entropy_save(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    logits, labels, ctx.ignore_index = inputs
    ctx.save_for_backward(logits, labels, *output[1:])


cross_entropy.register_autograd(lambda ctx, g, *_: (cross_entropy_grad(g, *ctx.saved_tensors, ctx.ignore_index), None, None),
                                setup_context=_cross_entropy_save)


def _cross_entropy_grad_save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    g, logits, labels, _, _, ctx.ignore_index = inputs
    ctx.save_for_backward(g, logits, labels)


def _cross_entropy_grad_backward(ctx: Any, cotangent: Tensor) -> tuple[Tensor | None, ...]:
    g, logits, labels = ctx.saved_tensors

    def plain(x: Tensor) -> Tensor:
        return _mean_of_labels(x, labels, ctx.ignore_index)

    return *_gradients_again(plain, g, [logits], [cotangent]), None, None, None, None


cross_entropy_grad.register_autograd(_cross_entropy_grad_backward, setup_context=_cross_entropy_grad_save)


@torch.library.custom_op("prec::dropout", mutates_args=(), tags=(torch.Tag.nondeterministic_seeded,))
def dropout(x: Tensor, probability: float, stream: int) -> Tensor:
    raise NotImplementedError("prec::dropout stands in a trace for what a step module computes, and computes nothing itself")


@dropout.register_fake
def _(x: Tensor, probability: float, stream: int) -> Tensor:
    return x.new_empty(x.shape)


def _dropout_save(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    _, ctx.probability, ctx.stream = inputs


dropout.register_autograd(lambda ctx, g: (dropout(g, ctx.probability, ctx.stream), None, None), setup_context=_dropout_save)


@torch.library.custom_op("prec::random_bits", mutates_args=(), tags=(torch.Tag.nondeterministic_seeded,))
def random_bits(unread: Tensor, shape: list[int], stream: int) -> Tensor:
    """Whole numbers of 24 bits, as draws.py has them. The operand is read by nobody: it says where the operation
    runs."""
    raise NotImplementedError("prec::random_bits stands in a trace for what a step module computes, and computes nothing itself")


@random_bits.register_fake
def _(unread: Tensor, shape: list[int], stream: int) -> Tensor:
    return unread.new_empty(shape, dtype=torch.int32)


@torch.library.custom_op("prec::clip_gradients", mutates_args=())
def clip_gradients(gradients: list[Tensor]) -> list[Tensor]:
    """Stands for torch.nn.utils.clip_grad_norm_ with the step's max_norm where something reads clipped gradients before
    the update."""
    raise NotImplementedError("prec::clip_gradients stands in a trace for what a step module computes, and computes nothing itself")


@clip_gradients.register_fake
def _(gradients: list[Tensor]) -> list[Tensor]:
    return [g.new_empty(g.shape) for g in gradients]
