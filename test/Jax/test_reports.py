# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps of kinds that users of JAX, Flax, Equinox and optax reported other importers or the libraries themselves to
fail on: each trains as jax.jit."""
import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest
from steps import race, train

X = jax.random.normal(jax.random.key(1), (6, 8))
W = jax.random.normal(jax.random.key(0), (8, 8)) * 0.3


def counted_loop(w, x):
    """A loop that carries a count beside its array (jax2onnx 17)."""
    x, count = jax.lax.fori_loop(0, 5, lambda _, c: (c[0] + 0.1 * jnp.tanh(c[0] @ w) ** 2, c[1] + 1), (x, 0))
    return (x ** 2).mean() * count


def carried_tree(w, x):
    """A scan whose carried tree has a part that nobody reads (jax 1082)."""
    def body(carry, _):
        return {name: value @ w + carry["a"] for name, value in carry.items()}, jnp.zeros(())
    return (jax.lax.scan(body, {"a": x, "b": jnp.zeros_like(x)}, jnp.array([1, 2]))[0]["a"] * x).mean()


def branch_in_a_scan(w, x):
    """The gradient of branches that depend on what a scan carries (jax 5900)."""
    def body(carry, limit):
        return jax.lax.cond(carry.sum() > limit, lambda v: jnp.tanh(v @ w), lambda v: v * 0.5, carry), None
    return (jax.lax.scan(body, x, jnp.arange(3.0))[0] ** 2).mean()


def loop_in_a_branch_of_each(w, x):
    """vmap over a branch that has a loop (flax 4709)."""
    def one(row, number):
        return jax.lax.cond(number < 2, lambda v: jax.lax.fori_loop(0, 3, lambda _, u: jnp.tanh(u @ w), v), jnp.zeros_like, row)
    return (jax.vmap(one)(x, jnp.arange(6)) ** 2).mean()


def step_within_a_step(w, x):
    """The gradient through a step of descent."""
    inner = w - 0.1 * jax.grad(lambda v: (jnp.tanh(x[:3] @ v) ** 2).mean())(w)
    return (jnp.tanh(x[3:] @ inner) ** 2).mean()


def penalty(w, x):
    """A penalty on the norm of gradients by the input, of each row."""
    gradients = jax.vmap(jax.grad(lambda row: jnp.tanh(row @ w).sum()))(x)
    return ((jnp.linalg.norm(gradients, axis=1) - 1) ** 2).mean()


@pytest.mark.parametrize("loss", [counted_loop, carried_tree, branch_in_a_scan, loop_in_a_branch_of_each, step_within_a_step, penalty])
def test_losses(tmp_path, loss):
    optimizer = optax.adam(1e-2)
    assert race(train(loss, optimizer), (W, optimizer.init(W)), (X,), tmp_path, steps=4)[0] <= 2e-6


def two_products(params, x):
    return ((jnp.tanh(x @ params["n"]) @ params["w"]) ** 2).mean()


OPTIMIZERS = {
    # optax 132, equinox 193
    "labelled": optax.multi_transform({"a": optax.sgd(1e-2, momentum=0.9), "b": optax.adam(1e-3)}, {"n": "a", "w": "b"}),
    "frozen in part": optax.multi_transform({"a": optax.adam(1e-2), "none": optax.set_to_zero()}, {"n": "a", "w": "none"}),
    # optax 271: a mask around an optimizer that has masks
    "masked LAMB": optax.masked(optax.lamb(1e-2, weight_decay=0.1), {"n": True, "w": False}),
    # optax 412
    "injected Adafactor": optax.inject_hyperparams(optax.adafactor, static_args=("min_dim_size_to_factor",))(
        learning_rate=0.1, min_dim_size_to_factor=4),
    "clipped by units": optax.chain(optax.adaptive_grad_clip(0.1), optax.sgd(0.1)),
    "schedule-free": optax.contrib.schedule_free_adamw(1e-2),
    "Muon": optax.contrib.muon(1e-2),
    "Prodigy": optax.contrib.prodigy(),
}


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(tmp_path, name):
    params = {"n": W, "w": W.T * 1.5}
    assert race(train(two_products, OPTIMIZERS[name]), (params, OPTIMIZERS[name].init(params)), (X,), tmp_path, steps=4)[0] <= 2e-6


class Net(eqx.Module):
    mlp: eqx.nn.MLP

    def __call__(self, x):
        return self.mlp(x)


@pytest.mark.parametrize("kind", ["several steps", pytest.param("injected and masked", marks=pytest.mark.long)])
def test_models_that_are_called(tmp_path, kind):
    """A tree of parameters that is a function as well (equinox 853, optax 1373)."""
    params, static = eqx.partition(Net(eqx.nn.MLP(8, 4, 16, 2, key=jax.random.key(0))), eqx.is_inexact_array)

    def masked(_):
        return eqx.tree_at(lambda net: [layer.weight for layer in net.mlp.layers], jax.tree.map(lambda _: False, params), [True] * 3)
    if kind == "several steps":
        optimizer = optax.MultiSteps(optax.adam(1e-2), every_k_schedule=2).gradient_transformation()
    else:
        make = optax.inject_hyperparams(optax.adamw, static_args=("mask",))
        optimizer = make(learning_rate=optax.cosine_decay_schedule(0.01, 100), eps=1e-3, mask=masked)

    def loss(params, batch):
        return optax.softmax_cross_entropy_with_integer_labels(jax.vmap(eqx.combine(params, static))(batch["x"]), batch["y"]).mean()
    assert race(train(loss, optimizer), (params, optimizer.init(params)), ({"x": X, "y": jnp.arange(6) % 4},), tmp_path, steps=4)[0] <= 2e-6


class Spectral(eqx.Module):
    linear: eqx.nn.SpectralNorm

    def __init__(self):
        self.linear = eqx.nn.SpectralNorm(eqx.nn.Linear(8, 6, key=jax.random.key(0)), weight_name="weight", key=jax.random.key(2))

    def __call__(self, x, state):
        return self.linear(x, state)


def test_spectral_norms(tmp_path):
    """State of a model that is no parameter (equinox 1058)."""
    model, state = eqx.nn.make_with_state(Spectral)()
    params, static = eqx.partition(model, eqx.is_inexact_array)
    optimizer = optax.adam(1e-2)

    def loss(params, state, x):
        out, state = jax.vmap(eqx.combine(params, static), axis_name="batch", in_axes=(0, None), out_axes=(0, None))(x, state)
        return (out ** 2).mean(), state

    def step(params, state, opt_state, x):
        (value, state), gradients = jax.value_and_grad(loss, has_aux=True)(params, state, x)
        updates, opt_state = optimizer.update(gradients, opt_state, params)
        return optax.apply_updates(params, updates), state, opt_state, value
    assert race(step, (params, state, optimizer.init(params)), (X,), tmp_path, steps=4)[0] <= 2e-6


@pytest.mark.long
def test_alignment_free_losses(tmp_path):
    """CTC: a scan over time of logarithms of sums."""
    def loss(w, batch):
        return optax.ctc_loss((batch["x"] @ w).reshape(2, 3, 8), jnp.zeros((2, 3)), batch["labels"], jnp.zeros((2, 2))).mean()
    optimizer = optax.adam(1e-2)
    batch = {"x": X, "labels": jnp.array([[1, 2], [3, 1]])}
    assert race(train(loss, optimizer), (W, optimizer.init(W)), (batch,), tmp_path, steps=4)[0] <= 2e-6
