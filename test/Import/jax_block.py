# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A block of a language model with its backward, as a JAX step: what test/Assign/Inputs/block-jax.mlir is made of.

    python test/Import/jax_block.py        # needs jax and optax; writes the graph anew

`test_classify_frameworks.py` there has the same block as a PyTorch module.
"""
from __future__ import annotations

import sys
from pathlib import Path

import jax
import jax.numpy as jnp
import optax

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools"))
from jaxpr_text import write  # noqa: E402

BATCH, SEQUENCE, WIDTH, HEADS, HIDDEN, VOCABULARY = 2, 8, 32, 4, 48, 64
PATH = HERE.parent / "Assign" / "Inputs" / "block-jax.mlir"
SHAPES = {"embedding": (VOCABULARY, WIDTH), "norm1": (WIDTH,), "q": (WIDTH, WIDTH), "k": (WIDTH, WIDTH), "v": (WIDTH, WIDTH), "o": (WIDTH, WIDTH),
          "norm2": (WIDTH,), "gate": (WIDTH, HIDDEN), "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH), "norm": (WIDTH,), "head": (WIDTH, VOCABULARY)}


def rms_norm(x, gamma):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * gamma


def rope(x, cos, sin):
    low, high = jnp.split(x, 2, -1)
    cos, sin = cos[:, None, :], sin[:, None, :]
    return jnp.concatenate([low * cos - high * sin, high * cos + low * sin], -1)


def attention(x, p, cos, sin):
    q, k, v = ((x @ p[n]).reshape(BATCH, SEQUENCE, HEADS, WIDTH // HEADS) for n in "qkv")
    q, k = rope(q, cos, sin), rope(k, cos, sin)
    scores = jnp.einsum("bshd,bthd->bhst", q, k) * (WIDTH // HEADS) ** -0.5
    position = jnp.arange(SEQUENCE)
    scores = jnp.where(position[:, None] >= position[None, :], scores, -1e9)
    out = jnp.einsum("bhst,bthd->bshd", jax.nn.softmax(scores, axis=-1), v)
    return out.reshape(BATCH, SEQUENCE, WIDTH) @ p["o"]


def loss(p, ids, labels, cos, sin):
    x = p["embedding"].at[ids].get(mode="promise_in_bounds")
    x = x + attention(rms_norm(x, p["norm1"]), p, cos, sin)
    y = rms_norm(x, p["norm2"])
    x = x + (jax.nn.silu(y @ p["gate"]) * (y @ p["up"])) @ p["down"]
    logits = rms_norm(x, p["norm"]) @ p["head"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def text() -> str:
    def step(*arguments):
        p, rest = dict(zip(SHAPES, arguments)), arguments[len(SHAPES):]
        value, gradients = jax.value_and_grad(loss)(p, *rest)
        return value, *(gradients[n] for n in SHAPES)
    tables = (jnp.zeros((SEQUENCE, WIDTH // HEADS // 2)),) * 2
    ids = jnp.zeros((BATCH, SEQUENCE), jnp.int32)
    attributes = [f'{{prec_train.role = #prec_train.role<parameter>, prec_train.path = "{n}"}}' for n in SHAPES]
    attributes += [f'{{prec_train.role = #prec_train.role<batch>, prec_train.path = "ids", prec_train.vocabulary = {VOCABULARY} : i32}}',
                   f'{{prec_train.role = #prec_train.role<batch>, prec_train.path = "labels", prec_train.vocabulary = {VOCABULARY} : i32}}', "", ""]
    results = ["{prec_train.role = #prec_train.role<loss>}", *[""] * len(SHAPES)]
    head = "// Made by test/Import/jax_block.py: the jaxpr of a block and its gradient.\n"
    return head + write(
        step,
        *(jnp.zeros(s) for s in SHAPES.values()),
        ids,
        ids,
        *tables,
        name="step",
        arguments=[*SHAPES, "ids", "labels", "cos", "sin"],
        attributes=attributes,
        results=results,
    )


if __name__ == "__main__":
    PATH.write_text(text())
