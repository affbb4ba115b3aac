# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random numbers within a step: those that JAX draws by the same keys, bit for bit."""
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from flax import nnx
from steps import race

import prec
import prec.jax

X = jax.random.normal(jax.random.key(1), (6, 8))
W = jax.random.normal(jax.random.key(0), (8, 8)) * 0.3

DRAWS = {
    "bernoulli": lambda key: jax.random.bernoulli(key, 0.7, (6, 8)), "uniform": lambda key: jax.random.uniform(key, (6, 8), minval=-1, maxval=2),
    "normal": lambda key: jax.random.normal(key, (6, 8)), "truncated": lambda key: jax.random.truncated_normal(key, -2, 2, (6, 8)),
    "whole": lambda key: jax.random.randint(key, (6, 8), -3, 100), "gumbel": lambda key: jax.random.gumbel(key, (6, 8)),
    "exponential": lambda key: jax.random.exponential(key, (6, 8)), "laplace": lambda key: jax.random.laplace(key, (6, 8)),
    "category": lambda key: jax.random.categorical(key, X), "order": lambda key: jax.random.permutation(key, 6)[:, None],
    "bits": lambda key: jax.random.bits(key, (6, 8)).astype(jnp.float32) * 2.0**-32,
    "bytes": lambda key: jax.random.bits(key, (6, 8), jnp.uint8), "choice": lambda key: jax.random.choice(key, X[:, 0], (6, 1)),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", DRAWS)
def test_draws(name):
    """Verification compares a metric that is what was drawn."""
    def step(w, key, batch):
        drawn = jnp.abs(DRAWS[name](jax.random.split(key)[1]).astype(jnp.float32))
        value, gradient = jax.value_and_grad(lambda w: jnp.mean((batch @ w)[:, :drawn.shape[-1]] ** 2 * drawn))(w)
        return w - 0.1 * gradient, jax.random.fold_in(key, 3), value, (drawn * jnp.arange(1, drawn.size + 1).reshape(drawn.shape)).sum()
    imported = prec.import_jax(step, W, jax.random.key(5), X)
    assert imported.verified == "verified"


def _descend(w, loss):
    value, gradient = jax.value_and_grad(loss)(w)
    return w - 0.1 * gradient, value


def _masked(w, batch, key):
    return (jnp.where(jax.random.bernoulli(key, 0.8, batch.shape), batch @ w / 0.8, 0) ** 2).mean()


def split(w, key, batch):
    """A key of the state that each step splits."""
    key, used = jax.random.split(key)
    w, value = _descend(w, lambda w: _masked(w, batch, used))
    return w, key, value


def counted(w, count, batch):
    """A key of the step's own, with the number of the step."""
    key = jax.random.fold_in(jax.random.PRNGKey(3), count)
    w, value = _descend(w, lambda w: _masked(w, batch, key))
    return w, count + 1, value


def carried(w, key, batch):
    """A key that a scan carries and keys that it reads row by row, of which some are chosen by what was drawn."""
    def loss(w):
        def body(carry, used):
            key, x = carry
            key, drawn = jax.random.split(key)
            chosen = jax.lax.cond(jax.random.uniform(drawn) < 0.5, lambda: used, lambda: drawn)
            return (key, jnp.tanh(x @ w) * jax.random.bernoulli(chosen, 0.9, x.shape)), chosen
        (last, x), used = jax.lax.scan(body, (key, batch), jax.random.split(jax.random.fold_in(key, 1), 3))
        return (x ** 2).mean(), (last, used)
    (value, (last, used)), gradient = jax.value_and_grad(loss, has_aux=True)(w)
    return w - 0.1 * gradient, jax.random.fold_in(used[0], jax.random.bits(last)), value


STEPS = {"split": (split, jax.random.key(7)), "split words": (split, jax.random.PRNGKey(7)), "counted": (counted, jnp.int32(0)),
         "carried": (carried, jax.random.key(2))}


@pytest.mark.parametrize("name", STEPS)
def test_trains(tmp_path, name):
    step, second = STEPS[name]
    worst, theirs, ours = race(step, (W, second), (X,), tmp_path, steps=5)
    assert worst < 2e-6
    assert theirs[1].dtype == ours[1].dtype
    right, got = (jax.random.key_data(state[1]) if jnp.issubdtype(state[1].dtype, jax.dtypes.prng_key) else state[1] for state in (theirs, ours))
    assert np.array_equal(right, got)


def test_keys_beside_views(tmp_path):
    """Where the state is the step's own memory: a key comes out as a copy."""
    compiled = prec.jax.compile(split, W, jax.random.key(7), X, recipe="fp32", cache=tmp_path, views=True)
    theirs, ours = (W, jax.random.key(7)), (jnp.array(W), jax.random.key(7))
    for _ in range(4):
        *theirs, right = jax.jit(split)(*theirs, X)
        given = ours
        *ours, got = compiled(*ours, X)
        assert abs(float(right) - float(got)) <= 2e-6 * abs(float(right))
        assert all(array.is_deleted() for array in given)
    assert ours[1].dtype == theirs[1].dtype and np.array_equal(jax.random.key_data(ours[1]), jax.random.key_data(theirs[1]))
    compiled.close()


@pytest.mark.long
def test_a_key_of_the_batch(tmp_path):
    """Of a module of Flax that has dropout in the layers of a scan, which are computed again in the backward."""
    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, _):
            return x + nn.Dropout(0.2, deterministic=False)(nn.Dense(8)(nn.gelu(nn.Dense(16)(x)))), None

    class Net(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.scan(nn.remat(Block), variable_axes={"params": 0}, split_rngs={"params": True, "dropout": True}, length=3)()(x, None)[0]
    net, optimizer = Net(), optax.adam(1e-2)
    params = net.init({"params": jax.random.key(0), "dropout": jax.random.key(1)}, X)

    def step(params, state, batch, key):
        value, gradients = jax.value_and_grad(lambda p: (net.apply(p, batch, rngs={"dropout": key}) ** 2).mean())(params)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value
    assert race(step, (params, optimizer.init(params)), (X, jax.random.key(5)), tmp_path, steps=4)[0] < 2e-6


def test_dropout_of_nnx(tmp_path):
    """Whose counts of drawn keys are in the state."""
    class Net(nnx.Module):
        def __init__(self, rngs):
            self.first, self.drop, self.last = nnx.Linear(8, 16, rngs=rngs), nnx.Dropout(0.3, rngs=rngs), nnx.Linear(16, 4, rngs=rngs)

        def __call__(self, x):
            return self.last(self.drop(nnx.relu(self.first(x))))
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
    graph, state = nnx.split((model, optimizer))

    def step(state, batch):
        model, optimizer = nnx.merge(graph, state)
        value, gradients = nnx.value_and_grad(lambda m: (m(batch) ** 2).mean())(model)
        optimizer.update(model, gradients)
        return nnx.state((model, optimizer)), value
    assert race(step, (state,), (X,), tmp_path, steps=4)[0] < 2e-6
