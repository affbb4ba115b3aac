# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""jax.nn.dot_product_attention as one operation, beside JAX's own."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from steps import race, train

import prec
from prec.jax.attention import composites

Q, K, V = (jax.random.normal(jax.random.key(i), (2, 6, heads, 8)) for i, heads in enumerate((4, 2, 2)))
CASES = {"plain": {}, "causal": dict(is_causal=True), "scaled": dict(scale=0.3), "window": dict(is_causal=True, local_window_size=(2, 0))}


def attend(case):
    return lambda q, k, v: jax.nn.dot_product_attention(q, k, v, **CASES[case])


def step_of(function):
    def step(qkv, target):
        value, gradients = jax.value_and_grad(lambda qkv: ((function(*qkv) - target) ** 2).mean())(qkv)
        return jax.tree.map(lambda x, g: x - 0.1 * g, qkv, gradients), value
    return step


def count(imported, name):
    return sum(op.name == name for op in imported.graph.ops)


@pytest.mark.parametrize("case", CASES)
def test_is_jaxs_own(case):
    def both(function):
        out, pull = jax.vjp(function, Q, K, V)
        return out, *pull(jnp.cos(out))
    right = both(attend(case))
    with composites():
        got = both(attend(case))
    for x, y in zip(right, got, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", CASES)
def test_is_one_operation(case):
    imported = prec.import_jax(step_of(attend(case)), (Q, K, V), jnp.zeros_like(Q))
    assert imported.verified == "verified"
    assert count(imported, "prec_train.attention") == count(imported, "prec_train.attention_grad") == 1
    assert count(imported, "prec_train.matmul") == 0


def test_of_a_single_example():
    function = jax.vmap(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, is_causal=True))
    imported = prec.import_jax(step_of(function), (Q, K, V), jnp.zeros_like(Q))
    assert imported.verified == "verified" and count(imported, "prec_train.attention") == 1


@pytest.mark.parametrize("options", [
    dict(mask=jnp.tril(jnp.ones((6, 6), bool))[None, None]), dict(bias=jnp.ones((1, 1, 6, 6))), dict(local_window_size=2)])
def test_others_are_products(options):
    imported = prec.import_jax(step_of(lambda q, k, v: jax.nn.dot_product_attention(q, k, v, **options)), (Q, K, V), jnp.zeros_like(Q))
    assert imported.verified == "verified"
    assert count(imported, "prec_train.attention") == 0 and count(imported, "prec_train.matmul") == 6


def test_what_was_traced_before_is_traced_again():
    function = jax.jit(attend("causal"))
    function(Q, K, V)
    imported = prec.import_jax(step_of(function), (Q, K, V), jnp.zeros_like(Q), verify=False)
    assert count(imported, "prec_train.attention") == 1
    assert jax.nn.dot_product_attention.__module__.startswith("jax.")


def test_trains(tmp_path):
    w = {name: jax.random.normal(jax.random.key(i), (32, 32)) * 0.2 for i, name in enumerate("qkvo")}

    def loss(w, batch):
        q, k, v = ((batch["x"] @ w[name]).reshape(2, 6, 4, 8) for name in "qkv")
        return ((jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(2, 6, 32) @ w["o"] - batch["y"]) ** 2).mean()
    batch = {"x": jax.random.normal(jax.random.key(5), (2, 6, 32)), "y": jax.random.normal(jax.random.key(6), (2, 6, 32))}
    optimizer = optax.adamw(1e-3)
    worst, _, _ = race(train(loss, optimizer), (w, optimizer.init(w)), (batch,), tmp_path)
    assert worst < 2e-5
