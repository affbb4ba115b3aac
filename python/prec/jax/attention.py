# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax.nn.dot_product_attention as one operation.

While a step is traced, a call of it without bias, mask and lengths becomes a primitive with a gradient of its own,
which lower to `prec_train.attention` and `prec_train.attention_grad`: libraries compute these without storing the
scores. All other attention is imported as the products and the softmax that it is written with. The primitives can run,
so that verification runs the step that was traced.
"""
from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive
from jax.interpreters import batching, mlir

# Queries, keys and values are [batch, length, heads, size]; the logarithm of each row's sum is [batch, heads, length].


def _scores(q: Any, k: Any, scale: float, causal: bool, window: int | None) -> Any:
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) * scale
    if not causal:
        return scores
    i, j = jnp.arange(q.shape[1])[:, None], jnp.arange(k.shape[1])[None]
    sees = j <= i
    return jnp.where(sees if window is None else sees & (j > i - window), scores, -jnp.inf)


def _wide(*x: Any) -> list[Any]:
    return [v.astype(jnp.promote_types(v.dtype, jnp.float32)) for v in x]


def _repeated(x: Any, heads: int) -> Any:
    return jnp.repeat(x, heads // x.shape[2], 2)


def _attend(q: Any, k: Any, v: Any, *, scale: float, causal: bool, window: int | None) -> list[Any]:
    dtype, heads = q.dtype, q.shape[2]
    q, k, v = _wide(q, k, v)
    scores = _scores(q, _repeated(k, heads), scale, causal, window)
    lse = jax.nn.logsumexp(scores, -1)
    out = jnp.einsum("bhqk,bkhd->bqhd", jnp.exp(scores - lse[..., None]), _repeated(v, heads))
    return [out.astype(dtype), lse]


def _attend_grad(g: Any, q: Any, k: Any, v: Any, out: Any, lse: Any, *, scale: float, causal: bool, window: int | None) -> list[Any]:
    dtypes, heads, groups = [x.dtype for x in (q, k, v)], q.shape[2], k.shape[2]
    g, q, k, v, out = _wide(g, q, k, v, out)
    many_k, many_v = _repeated(k, heads), _repeated(v, heads)
    p = jnp.exp(_scores(q, many_k, scale, causal, window) - lse[..., None])
    both = jnp.einsum("bqhd,bkhd->bhqk", g, many_v) - jnp.einsum("bqhd,bqhd->bhq", g, out)[..., None]
    ds = p * both * scale

    def per_group(x: Any) -> Any:
        return x.reshape(*x.shape[:2], groups, heads // groups, x.shape[-1]).sum(3)
    dq = jnp.einsum("bhqk,bkhd->bqhd", ds, many_k)
    dk, dv = per_group(jnp.einsum("bhqk,bqhd->bkhd", ds, q)), per_group(jnp.einsum("bhqk,bqhd->bkhd", p, g))
    return [x.astype(d) for x, d in zip((dq, dk, dv), dtypes, strict=True)]


def _primitive(name: str, compute: Callable[..., list[Any]]) -> Primitive:
    made = Primitive(name)
    made.multiple_results = True
    made.def_impl(lambda *x, **params: jax.jit(functools.partial(compute, **params))(*x))

    def results(*x: Any, **params: Any) -> list[Any]:
        shapes = jax.eval_shape(functools.partial(compute, **params), *(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in x))
        return [jax.core.ShapedArray(s.shape, s.dtype) for s in shapes]
    made.def_abstract_eval(results)
    mlir.register_lowering(made, mlir.lower_fun(compute, multiple_results=True))

    def batch(x: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple[list[Any], list[int]]:
        """A new batch dimension joins the one that there is."""
        count = next(v.shape[d] for v, d in zip(x, dims, strict=True) if d is not None)
        whole = [jnp.broadcast_to(v, (count, *v.shape)) if d is None else jnp.moveaxis(v, d, 0) for v, d in zip(x, dims, strict=True)]
        found = made.bind(*(v.reshape(-1, *v.shape[2:]) for v in whole), **params)
        return [v.reshape(count, -1, *v.shape[1:]) for v in found], [0] * len(found)
    batching.primitive_batchers[made] = batch
    return made


ATTENTION, ATTENTION_GRAD = _primitive("prec_attention", _attend), _primitive("prec_attention_grad", _attend_grad)


@functools.partial(jax.custom_vjp, nondiff_argnums=(3, 4, 5))
def _attention(q: Any, k: Any, v: Any, scale: float, causal: bool, window: int | None) -> Any:
    return ATTENTION.bind(q, k, v, scale=scale, causal=causal, window=window)[0]


def _forward(q: Any, k: Any, v: Any, scale: float, causal: bool, window: int | None) -> tuple[Any, tuple[Any, ...]]:
    out, lse = ATTENTION.bind(q, k, v, scale=scale, causal=causal, window=window)
    return out, (q, k, v, out, lse)


def _backward(scale: float, causal: bool, window: int | None, held: tuple[Any, ...], g: Any) -> tuple[Any, ...]:
    return tuple(ATTENTION_GRAD.bind(g, *held, scale=scale, causal=causal, window=window))


_attention.defvjp(_forward, _backward)


def _window_of(given: Any, causal: bool) -> int | None | bool:
    """How many keys up to itself a query sees; None for all, False where no composite has it."""
    if given is None:
        return None
    left, right = (given, given) if isinstance(given, int) else tuple(given)
    return left + 1 if causal and right >= 0 else False


@contextlib.contextmanager
def composites() -> Iterator[None]:
    """Attention is one operation in here."""
    own = jax.nn.dot_product_attention

    @functools.wraps(own)
    def attention(query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, *, scale: float | None = None, is_causal: bool = False,
                  query_seq_lengths: Any = None, key_value_seq_lengths: Any = None, local_window_size: Any = None, **others: Any) -> Any:
        window = _window_of(local_window_size, is_causal)
        simple = all(x is None for x in (bias, mask, query_seq_lengths, key_value_seq_lengths)) and not others.get("return_residual")
        shapes = {jnp.ndim(x) for x in (query, key, value)}
        # Each query must see a key.
        sees = not is_causal or jnp.shape(query)[-3] <= jnp.shape(key)[-3]
        if not simple or window is False or shapes not in ({3}, {4}) or not sees:
            return own(query, key, value, bias, mask, scale=scale, is_causal=is_causal, query_seq_lengths=query_seq_lengths,
                       key_value_seq_lengths=key_value_seq_lengths, local_window_size=local_window_size, **others)
        factor = float(scale) if scale is not None else jnp.shape(query)[-1] ** -0.5
        if shapes == {3}:
            return _attention(query[None], key[None], value[None], factor, is_causal, window)[0]
        return _attention(query, key, value, factor, is_causal, window)
    jax.nn.dot_product_attention = attention
    try:
        # What was traced outside is traced again: a trace belongs to its precision of matmuls, which is no part of a
        # graph.
        with jax.default_matmul_precision("highest"):
            yield
    finally:
        jax.nn.dot_product_attention = own
