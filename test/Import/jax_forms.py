# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Composites as JAX code writes them, each with the gradient that JAX derives: what test/Import/raise-*-jax.mlir are
made of.

    python test/Import/jax_forms.py        # needs jax, optax, flax and equinox; writes the .mlir files anew

A form is a function and its example inputs. `REFERENCE` in test_raise_jax.py says what each computes, so that a graph
is checked against PyTorch and not against the program that wrote it.
"""
from __future__ import annotations

import sys
from pathlib import Path

import equinox
import flax.linen
import jax
import jax.numpy as jnp
import optax

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from jaxpr_text import write  # noqa: E402

B, S, D = 2, 3, 8
EPS = 1e-5
x, gamma, beta = jnp.ones((B, S, D)), jnp.ones(D), jnp.ones(D)
labels = jnp.zeros((B, S), jnp.int32)
cos, sin = jnp.ones((6, 4)), jnp.ones((6, 4))


def with_gradient(function):
    """(dy, inputs) -> (y, gradients): the pullback of every input that is a float."""
    def both(dy, *inputs):
        y, pullback = jax.vjp(function, *inputs)
        return y, *pullback(dy)
    return both


def mean(v):
    return jnp.mean(v, -1, keepdims=True)


# Norms.

def rms_scaled(v, g):
    return v * jax.lax.rsqrt(mean(v * v) + EPS) * g


def rms_squared(v, g):
    return g * (v / jnp.sqrt(mean(jnp.square(v)) + EPS))


def rms_power(v, g):
    return v * jnp.power(mean(v**2) + EPS, -0.5) * (1 + g)


def rms_sum(v, g):
    return v * jax.lax.rsqrt(jnp.sum(v * v, -1, keepdims=True) * (1 / D) + EPS) * g


def rms_flax(v, g):
    return flax.linen.RMSNorm(epsilon=EPS).apply({"params": {"scale": g}}, v)


def rms_equinox(v, g):
    module = equinox.tree_at(lambda m: m.weight, equinox.nn.RMSNorm(D, use_bias=False, eps=EPS), g)
    return jax.vmap(jax.vmap(module))(v)


def layer_plain(v, g, b):
    return (v - mean(v)) * jax.lax.rsqrt(jnp.var(v, -1, keepdims=True) + EPS) * g + b


def layer_standardized(v, g, b):
    return jax.nn.standardize(v, epsilon=EPS) * g + b


def layer_divided(v, g, b):
    c = v - mean(v)
    return g * (c / jnp.sqrt(mean(c * c) + EPS)) + b


def layer_flax(v, g, b):
    return flax.linen.LayerNorm(epsilon=EPS).apply({"params": {"scale": g, "bias": b}}, v)


def layer_flax_two_pass(v, g, b):
    return flax.linen.LayerNorm(epsilon=EPS, use_fast_variance=False).apply({"params": {"scale": g, "bias": b}}, v)


def layer_equinox(v, g, b):
    module = equinox.tree_at(lambda m: (m.weight, m.bias), equinox.nn.LayerNorm(D, eps=EPS), (g, b))
    return jax.vmap(jax.vmap(module))(v)


# Softmaxes.

def softmax_by_hand(v):
    e = jnp.exp(v - jax.lax.stop_gradient(jnp.max(v, -1, keepdims=True)))
    return e / jnp.sum(e, -1, keepdims=True)


def softmax_of_logarithm(v):
    return jnp.exp(jax.nn.log_softmax(v))


def softmax_of_logsumexp(v):
    return jnp.exp(v - jax.nn.logsumexp(v, axis=-1, keepdims=True))


# Losses.

def loss_optax(v, labels):
    return optax.softmax_cross_entropy_with_integer_labels(v, labels).mean()


def loss_one_hot(v, labels):
    return optax.softmax_cross_entropy(v, jax.nn.one_hot(labels, D)).mean()


def loss_taken(v, labels):
    return -jnp.take_along_axis(jax.nn.log_softmax(v), labels[..., None], axis=-1).mean()


def loss_flat(v, labels):
    log = jax.nn.log_softmax(v.reshape(-1, D))
    return -jnp.sum(log * jax.nn.one_hot(labels.reshape(-1), D)) / (B * S)


def loss_masked(v, labels):
    valid = labels != -100
    each = optax.softmax_cross_entropy_with_integer_labels(v, jnp.where(valid, labels, 0))
    return jnp.where(valid, each, 0.0).sum() / jnp.maximum(valid.sum(), 1)


def loss_weighted(v, labels):
    weight = (labels != -100).astype(jnp.float32)
    each = -jnp.sum(jax.nn.one_hot(labels, D) * jax.nn.log_softmax(v), -1)
    return jnp.sum(each * weight) / jnp.maximum(jnp.sum(weight), 1.0)


# Rotations: heads before the sequence, and after it as flax and its kin lay them out.

def rope_heads_first(v, c, s):
    low, high = jnp.split(v, 2, -1)
    return jnp.concatenate([low * c - high * s, high * c + low * s], -1)


def rope_heads_last(v, c, s):
    low, high = jnp.split(v, 2, -1)
    c, s = c[:, None, :], s[:, None, :]
    return jnp.concatenate([low * c - high * s, high * c + low * s], -1)


def rope_rotated_half(v, c, s):
    c, s = (jnp.concatenate([t, t], -1)[None, :, None, :] for t in (c, s))
    low, high = v[..., :4], v[..., 4:]
    return v * c + jnp.concatenate([-high, low], -1) * s


def rope_rotated_half_first(v, c, s):
    c, s = (jnp.concatenate([t, t], -1)[None, None] for t in (c, s))
    low, high = v[..., :4], v[..., 4:]
    return v * c + jnp.concatenate([-high, low], -1) * s


FORMS = {
    "rms-norm": {f.__name__: (f, (x, gamma)) for f in (rms_scaled, rms_squared, rms_power, rms_sum, rms_flax, rms_equinox)},
    "layer-norm": {f.__name__: (f, (x, gamma, beta)) for f in (layer_plain, layer_standardized, layer_divided, layer_flax,
                                                               layer_flax_two_pass, layer_equinox)},
    "softmax": {f.__name__: (f, (x,)) for f in (jax.nn.softmax, softmax_by_hand, softmax_of_logarithm, softmax_of_logsumexp)},
    "cross-entropy": {f.__name__: (f, (x, labels)) for f in (loss_optax, loss_one_hot, loss_taken, loss_flat, loss_masked, loss_weighted)},
    "rope": {f.__name__: (f, (jnp.ones((2, 6, 4, 8) if "first" not in f.__name__ else (2, 4, 6, 8)), cos, sin))
             for f in (rope_heads_first, rope_heads_last, rope_rotated_half, rope_rotated_half_first)},
}
ARGUMENTS = {"rms-norm": ["x", "gamma"], "layer-norm": ["x", "gamma", "beta"], "softmax": ["x"], "cross-entropy": ["x", "labels"],
             "rope": ["x", "cos", "sin"]}
# What has to be there after the pass: arguments are printed by position, dy first but for losses.
CHECKS = {
    "rms-norm": ["%[[Y:.*]], %[[RSTD:.*]] = prec_train.rms_norm %arg1, %[[G:.*]] {eps = 9.99999974E-6 : f32}",
                 "%[[DX:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %arg0, %arg1, %[[G]], %[[RSTD]]", "return %[[Y]], %[[DX]], %[[DG]]"],
    "layer-norm": ["%[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = prec_train.layer_norm %arg1, %arg2, %arg3 {eps = 9.99999974E-6 : f32}",
                   "%[[DX:.*]], %[[DG:.*]], %[[DB:.*]] = prec_train.layer_norm_grad %arg0, %arg1, %arg2, %[[MEAN]], %[[RSTD]]",
                   "return %[[Y]], %[[DX]], %[[DG]], %[[DB]]"],
    "softmax": ["%[[Y:.*]] = prec_train.softmax %arg1", "%[[DX:.*]] = prec_train.softmax_grad %arg0, %[[Y]]", "return %[[Y]], %[[DX]]"],
    "cross-entropy": ["%[[LOSS:.*]], %[[MAX:.*]], %[[LOG:.*]] = prec_train.cross_entropy %[[X:.*]], %[[L:.*]] {ignore_index = [[IGNORED:.*]] : i32}",
                      "%[[D:.*]] = prec_train.cross_entropy_grad %{{.*}}, %[[X]], %[[L]], %[[MAX]], %[[LOG]] {ignore_index = [[IGNORED]] : i32}",
                      "%[[DX:.*]] = tensor.expand_shape %[[D]]", "return %[[LOSS]], %[[DX]]"],
    "rope": ["prec_train.rope %{{[^{]*}} : ", "prec_train.rope %{{.*}} {inverse}", "return"],
}


def text(kind: str, name: str) -> str:
    function, inputs = FORMS[kind][name]
    if kind == "cross-entropy":
        return write(jax.value_and_grad(function), *inputs, name=name, arguments=ARGUMENTS[kind])
    form = with_gradient(function)
    if kind == "rope":  # Tables are constants of a model: nobody reads their gradient.
        def form(dy, v, *tables):
            y, pullback = jax.vjp(lambda v: function(v, *tables), v)
            return y, *pullback(dy)
    return write(form, jnp.zeros(inputs[0].shape), *inputs, name=name, arguments=["dy", *ARGUMENTS[kind]])


def document(kind: str) -> str:
    parts = []
    for name in FORMS[kind]:
        checks = (
            [f"// CHECK-LABEL: func.func @{name}(", "// CHECK-NOT: {{arith|math}}"]
            if kind in ("rms-norm", "layer-norm") and name != "rms_power"
            else [f"// CHECK-LABEL: func.func @{name}("]
        )
        parts.append("\n".join(checks + [f"// CHECK: {c}" for c in CHECKS[kind]]) + "\n" + text(kind, name))
    head = (
        "// RUN: prec-opt %s --prec-raise-composites --split-input-file | FileCheck %s\n\n"
        "// Made by test/Import/jax_forms.py: jaxprs of forward and gradient.\n\n"
    )
    return head + "\n// -----\n\n".join(parts)


if __name__ == "__main__":
    for kind in FORMS:
        (HERE / f"raise-{kind}-jax.mlir").write_text(document(kind))
