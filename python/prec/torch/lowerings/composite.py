# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Composites with their gradient twins: PyTorch's own that a trace keeps whole, and those of composites.py."""
from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch.fx import Node

from ...builder import Builder
from ...ir import Kind, Value
from ..registry import lower


def _mask(b: Builder, bias: Value | None, window: int | None) -> tuple[list[Value], dict[str, int]]:
    """As operands and attributes."""
    return [] if bias is None else [b.masks.canonical(bias)], {} if window is None else {"window": window}


def _without_blind(b: Builder, x: Value, blind: Value | None) -> Value:
    """Zeros where a query [B,H,S,D] is blind."""
    if blind is None:
        return x
    return b.select(b.broadcast(b.masks.canonical(blind), x.shape), b.constant(0.0, x.shape), x)


@lower("prec.attention.default")
def _attention(
    b: Builder, node: Node, q: Value, k: Value, v: Value, scale: float, causal: bool, window: int | None = None, bias: Value | None = None,
    blind: Value | None = None
) -> tuple[Value, ...]:
    mask, attrs = _mask(b, bias, window)
    op = b.op("prec_train.attention", [q, k, v, *mask], [(q.shape, "f32"), (q.shape[:-1], "f32")], scale=float(scale), causal=causal, **attrs)
    return _without_blind(b, op.results[0], blind), op.results[1]


@lower("prec.attention_grad.default")
def _attention_grad(
    b: Builder, node: Node, g: Value, q: Value, k: Value, v: Value, out: Value, lse: Value, scale: float, causal: bool, window: int | None,
    bias: Value | None, blind: Value | None
) -> tuple[Value, ...]:
    types = [(x.shape, "f32") for x in (q, k, v)]
    mask, attrs = _mask(b, bias, window)
    operands = [_without_blind(b, g, blind), q, k, v, out, lse, *mask]
    return tuple(b.op("prec_train.attention_grad", operands, types, scale=float(scale), causal=causal, **attrs).results)


@lower("prec.rms_norm.default")
def _rms_norm(b: Builder, node: Node, x: Value, gamma: Value, eps: float) -> tuple[Value, ...]:
    return tuple(b.op("prec_train.rms_norm", [x, gamma], [(x.shape, "f32"), (x.shape[:-1], "f32")], eps=float(eps)).results)


@lower("prec.rms_norm_grad.default")
def _rms_norm_grad(b: Builder, node: Node, g: Value, x: Value, gamma: Value, rstd: Value, eps: float) -> tuple[Value, ...]:
    return tuple(b.op("prec_train.rms_norm_grad", [g, x, gamma, rstd], [(x.shape, "f32"), (gamma.shape, "f32")]).results)


@lower("prec.cross_entropy.default")
def _cross_entropy(b: Builder, node: Node, logits: Value, labels: Value, ignore_index: int) -> tuple[Value, ...]:
    types = [((), "f32"), (logits.shape[:1], "f32"), (logits.shape[:1], "f32")]
    return tuple(b.op(Kind.CROSS_ENTROPY, [logits, labels], types, ignore_index=ignore_index).results)


@lower("prec.cross_entropy_grad.default")
def _cross_entropy_grad(
    b: Builder, node: Node, g: Value, logits: Value, labels: Value, maximum: Value, log_sum: Value, ignore_index: int
) -> Value:
    operands = [g, logits, labels, maximum, log_sum]
    return b.op(Kind.CROSS_ENTROPY_GRAD, operands, [(logits.shape, "f32")], ignore_index=ignore_index).result


# PyTorch's normalizes over the last dimensions, ours over the last one: several are taken as one.


def _rows(b: Builder, x: Value, normalized_shape: Sequence[int]) -> Value:
    return b.reshape(x, (*x.shape[:x.rank - len(normalized_shape)], math.prod(normalized_shape)))


def _affine(b: Builder, x: Value, gamma: Value | None, beta: Value | None = None) -> tuple[Value, Value]:
    """Of rows, the factor and the term of each column."""
    gamma, beta = (b.constant(neutral, x.shape[-1:]) if given is None else b.reshape(given, x.shape[-1:])
                   for given, neutral in ((gamma, 1.0), (beta, 0.0)))
    return gamma, beta


@lower("aten.native_layer_norm.default")
def _layer_norm(
    b: Builder, node: Node, x: Value, normalized_shape: Sequence[int], gamma: Value | None, beta: Value | None, eps: float
) -> tuple[Value, ...]:
    rows = _rows(b, x, normalized_shape)
    outer = rows.shape[:-1]
    op = b.op("prec_train.layer_norm", [rows, *_affine(b, rows, gamma, beta)], [(rows.shape, "f32"), (outer, "f32"), (outer, "f32")],
              eps=float(eps))
    # PyTorch's statistics keep the reduced dimensions.
    return b.reshape(op.results[0], x.shape), *(b.reshape(r, outer + (1,) * len(normalized_shape)) for r in op.results[1:])


@lower("aten.native_layer_norm_backward.default")
def _layer_norm_backward(
    b: Builder,
    node: Node,
    g: Value,
    x: Value,
    normalized_shape: Sequence[int],
    mean: Value,
    rstd: Value,
    gamma: Value | None,
    beta: Value | None,
    wanted: Sequence[bool],
) -> tuple[Value, ...]:
    rows = _rows(b, x, normalized_shape)
    outer, columns = rows.shape[:-1], rows.shape[-1:]
    operands = [b.reshape(g, rows.shape), rows, _affine(b, rows, gamma)[0], b.reshape(mean, outer), b.reshape(rstd, outer)]
    dx, dgamma, dbeta = b.op("prec_train.layer_norm_grad", operands, [(rows.shape, "f32"), (columns, "f32"), (columns, "f32")]).results
    return b.reshape(dx, x.shape), b.reshape(dgamma, normalized_shape), b.reshape(dbeta, normalized_shape)


def _along_last(b: Builder, x: Value, dim: int, build: Callable[[Value], Value]) -> Value:
    """Softmax is over the last dimension; another one is brought there and back."""
    return b.swap(build(b.swap(x, dim % x.rank, x.rank - 1)), dim % x.rank, x.rank - 1)


@lower("aten._softmax.default")
def _softmax(b: Builder, node: Node, x: Value, dim: int, half_to_float: bool) -> Value:
    return _along_last(b, x, dim, lambda x: b.op("prec_train.softmax", [x], [(x.shape, "f32")]).result)


@lower("aten._softmax_backward_data.default")
def _softmax_backward(b: Builder, node: Node, g: Value, y: Value, dim: int, dtype: torch.dtype) -> Value:
    y = b.swap(y, dim % y.rank, y.rank - 1)
    return _along_last(b, g, dim, lambda g: b.op(Kind.SOFTMAX_GRAD, [g, y], [(g.shape, "f32")]).result)


@lower("aten._log_softmax.default")
def _log_softmax(b: Builder, node: Node, x: Value, dim: int, half_to_float: bool) -> Value:
    shift = b.sub(x, b.broadcast(b.reduce("max", x, [dim], keepdim=True), x.shape))
    total = b.reduce("sum", b.math("exp", shift), [dim], keepdim=True)
    return b.sub(shift, b.broadcast(b.math("log", total), x.shape))


@lower("aten._log_softmax_backward_data.default")
def _log_softmax_backward(b: Builder, node: Node, g: Value, y: Value, dim: int, dtype: torch.dtype) -> Value:
    total = b.broadcast(b.reduce("sum", g, [dim], keepdim=True), g.shape)
    return b.sub(g, b.mul(b.math("exp", y), total))
