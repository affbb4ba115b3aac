# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What people do in training steps, by what they report of it: loops within a step, policies of recomputation, experts,
optimizers around others, noise. Each goes on as in jax.jit."""
import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.ad_checkpoint import checkpoint_name
from steps import race, train

X = jax.random.normal(jax.random.key(1), (6, 8))
W = jax.random.normal(jax.random.key(0), (8, 8)) * 0.3


def squares(w, x):
    return ((x @ w) ** 2).mean()


@functools.partial(jax.checkpoint, policy=jax.checkpoint_policies.save_only_these_names("kept"))
def _named(w, x):
    return jnp.tanh(checkpoint_name(jnp.sin(x @ w), "kept") @ w)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def _clipped(x, limit):
    return x


_clipped.defvjp(lambda x, limit: (x, None), lambda limit, _, g: (jnp.clip(g, -limit, limit),))


def _switched(w, x):
    """Layers of kinds that are known."""
    kinds = [lambda c: jnp.tanh(c @ w), lambda c: c * 0.5, lambda c: jax.nn.relu(c @ w.T)]
    return (jax.lax.scan(lambda c, kind: (jax.lax.switch(kind, kinds, c), None), x, jnp.array([0, 2, 1, 0]))[0] ** 2).mean()


def _segments(w, x):
    ids = jnp.array([0, 0, 1, 3, 3, 3])
    h = x @ w
    most = jax.ops.segment_max(h, ids, num_segments=4)
    e = jnp.exp(h - most[ids])
    return ((e / jax.ops.segment_sum(e, ids, num_segments=4)[ids]) ** 2).mean()


LOSSES = {
    "remat by names": lambda w, x: (_named(w, x) ** 2).mean(),  # jax 16578
    "custom_vjp in a scan": lambda w, x: jax.lax.scan(lambda c, _: (_clipped(jnp.tanh(c @ w), 0.01), c.sum()), x, None, length=3)[1].mean(),
    "kinds of layers": _switched, "softmax of segments": _segments,
    "rows set": lambda w, x: ((x @ w.at[0, :].set(1)) ** 2).mean() + jnp.zeros(4).at[jnp.array([0, 2, 1])].add(w[0, :3]).sum(),  # tt-xla 5183
    "batches of map": lambda w, x: (jax.lax.map(lambda row: jnp.tanh(row @ w), x, batch_size=4) ** 2).mean(),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", LOSSES)
def test_losses(tmp_path, name):
    optimizer = optax.adam(1e-2)
    assert race(train(LOSSES[name], optimizer), (W, optimizer.init(W)), (X,), tmp_path, steps=4)[0] <= 2e-6


OPTIMIZERS = {
    "several steps without NaN": optax.MultiSteps(optax.chain(optax.zero_nans(), optax.adam(1e-2)), 2),  # optax 828
    "if finite": optax.apply_if_finite(optax.adam(1e-2), 3), "averaged": optax.chain(optax.adam(1e-2), optax.ema(0.9)),
    "noise": optax.chain(optax.add_noise(0.1, 0.5, jax.random.key(3)), optax.sgd(1e-2)),
    "rates of counts": optax.adam(optax.warmup_cosine_decay_schedule(0.0, 1e-2, 2, 10)),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(tmp_path, name):
    optimizer = OPTIMIZERS[name]
    assert race(train(squares, optimizer), (W, optimizer.init(W)), (X,), tmp_path, steps=6)[0] <= 2e-6


def test_a_rate_that_waits_for_the_loss(tmp_path):
    """The least loss so far begins as infinity."""
    optimizer = optax.chain(optax.adam(1e-2), optax.contrib.reduce_on_plateau(patience=1, accumulation_size=2))

    def step(w, state, batch):
        value, gradient = jax.value_and_grad(squares)(w, batch)
        updates, state = optimizer.update(gradient, state, w, value=value)
        return optax.apply_updates(w, updates), state, value
    assert race(step, (W, optimizer.init(W)), (X,), tmp_path, steps=5)[0] <= 2e-6


def test_training_within_a_step(tmp_path):
    """The parameters are what a scan carries (equinox 446), from batch to batch."""
    optimizer = optax.sgd(0.1)

    def step(w, state, batch):
        def one(carry, x):
            w, state = carry
            value, gradient = jax.value_and_grad(squares)(w, x)
            updates, state = optimizer.update(gradient, state, w)
            return (optax.apply_updates(w, updates), state), value
        (w, state), values = jax.lax.scan(one, (w, state), batch)
        return w, state, values.mean()
    assert race(step, (W, optimizer.init(W)), (X.reshape(3, 2, 8),), tmp_path, steps=4)[0] <= 2e-6


def test_lookahead(tmp_path):
    optimizer = optax.lookahead(optax.sgd(0.1), 2, 0.5)
    pair = optax.LookaheadParams.init_synced(W)

    def step(pair, state, batch):
        value, gradient = jax.value_and_grad(lambda p: squares(p.fast, batch))(pair)
        updates, state = optimizer.update(gradient.fast, state, pair)
        return optax.apply_updates(pair, updates), state, value
    assert race(step, (pair, optimizer.init(pair)), (X,), tmp_path, steps=5)[0] <= 2e-6


def test_experts_of_sorted_rows(tmp_path):
    """jax.lax.ragged_dot, and rows of no expert behind the last."""
    params = {"w": jax.random.normal(jax.random.key(0), (3, 8, 4)) * 0.3, "r": jax.random.normal(jax.random.key(2), (8, 3))}

    def loss(params, x):
        scores = jax.nn.softmax(x @ params["r"])
        expert = jnp.argmax(scores, -1)
        order = jnp.argsort(expert)
        y = jax.lax.ragged_dot(x[order], params["w"], jnp.bincount(expert, length=3))[jnp.argsort(order)]
        rest = jax.lax.ragged_dot(x, params["w"], jnp.array([2, 0, 1]))
        return ((y * scores.max(-1, keepdims=True)) ** 2).mean() + (rest ** 2).mean()
    optimizer = optax.adam(1e-2)
    assert race(train(loss, optimizer), (params, optimizer.init(params)), (X,), tmp_path, steps=4)[0] <= 2e-6


def test_words_without_a_sign(tmp_path):
    """In a batch, which the step holds in more bits."""
    batch = {"x": X, "bits": np.array([1, 2**31 + 5, 2**32 - 1, 7, 0, 3], np.uint32)}

    def loss(w, batch):
        return ((batch["x"] @ w) ** 2 * (batch["bits"] >> 30).astype(jnp.float32)[:, None]).mean()
    optimizer = optax.sgd(0.1)
    assert race(train(loss, optimizer), (W, optimizer.init(W)), (batch,), tmp_path, steps=3)[0] <= 2e-6


@pytest.mark.long
def test_recurrences_of_many_lengths(tmp_path):
    rnn = nn.Bidirectional(nn.RNN(nn.GRUCell(8)), nn.RNN(nn.GRUCell(8)))
    batch = {"x": X.reshape(2, 3, 8), "lengths": jnp.array([2, 3])}
    params = rnn.init(jax.random.key(0), batch["x"], seq_lengths=batch["lengths"])
    optimizer = optax.adam(1e-2)

    def loss(params, batch):
        return (rnn.apply(params, batch["x"], seq_lengths=batch["lengths"]) ** 2).mean()
    assert race(train(loss, optimizer), (params, optimizer.init(params)), (batch,), tmp_path, steps=3)[0] <= 2e-6


def test_diffusion(tmp_path):
    """Times and noise are drawn in the step."""
    def step(w, key, batch):
        of_time, of_noise, key = jax.random.split(key, 3)
        time, noise = jax.random.randint(of_time, (6,), 0, 100), jax.random.normal(of_noise, batch.shape)
        kept = (jnp.cos(jnp.arange(100) / 100 * jnp.pi / 2) ** 2)[time][:, None]

        def loss(w):
            return ((jnp.tanh((jnp.sqrt(kept) * batch + jnp.sqrt(1 - kept) * noise) @ w) - noise) ** 2).mean()
        value, gradient = jax.value_and_grad(loss)(w)
        return w - 0.1 * gradient, key, value
    assert race(step, (W, jax.random.key(1)), (X,), tmp_path, steps=4)[0] <= 2e-6
