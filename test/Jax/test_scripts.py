# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What training scripts do beside a loss and an optimizer: states that count, scale and freeze, recurrences, statistics
over named axes. Each goes on as in JAX."""
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import optax
import pytest
from flax.training.train_state import TrainState
from steps import copied, mlp, race, train

import prec


def same(theirs, ours, rtol=1e-3):
    for right, got in zip(jax.tree.leaves(theirs), jax.tree.leaves(ours), strict=True):
        assert right.dtype == got.dtype and jnp.allclose(right, got, rtol=rtol, atol=1e-5)


def test_a_new_train_state(tmp_path):
    """Whose count of steps is a number of Python at first."""
    params, loss, batch = mlp()
    state = TrainState.create(apply_fn=None, params=params, tx=optax.adam(1e-2))
    assert type(state.step) is int

    def step(state, batch):
        value, gradients = jax.value_and_grad(loss)(state.params, batch)
        return state.apply_gradients(grads=gradients), value
    worst, theirs, ours = race(step, (state,), (batch,), tmp_path, steps=5)
    assert worst < 2e-5 and int(ours[0].step) == 5
    same(theirs, ours)


@pytest.mark.cases(None)
@pytest.mark.parametrize("optimizer", [
    optax.multi_transform({"trained": optax.adam(1e-2), "frozen": optax.set_to_zero()}, {"first": "trained", "second": "frozen"}),
    # Its state has a field called step, which is the number of the step in every graph, too.
    optax.conditionally_transform(optax.adam(1e-2), lambda step: step % 2 == 0)], ids=["frozen", "conditionally"])
def test_states_of_optimizers(tmp_path, optimizer):
    params, loss, batch = mlp()
    worst, theirs, ours = race(train(loss, optimizer), (params, optimizer.init(params)), (batch,), tmp_path, steps=5)
    assert worst < 2e-5
    same(theirs, ours)


def test_what_zeros_are_added_to_is_frozen():
    params, loss, batch = mlp()
    optimizer = optax.multi_transform({"trained": optax.sgd(1e-2), "frozen": optax.set_to_zero()}, {"first": "trained", "second": "frozen"})
    imported = prec.import_jax(train(loss, optimizer), params, optimizer.init(params), batch)
    assert imported.verified == "verified"
    roles = {a.path: a.role for a in imported.graph.arguments}
    assert roles["second"] == "frozen_parameter" and roles["first.kernel"] == "parameter"


def test_an_argument_called_step(tmp_path):
    def step(params, step, batch):
        value, gradient = jax.value_and_grad(lambda w: ((batch @ w) ** 2).mean())(params)
        return params - 0.1 / (step + 1) * gradient, step + 1, value
    batch = jax.random.normal(jax.random.key(0), (8, 4))
    worst, theirs, ours = race(step, (jnp.ones((4, 2)), jnp.int32(0)), (batch,), tmp_path, steps=5)
    assert worst < 2e-5 and int(ours[1]) == 5
    same(theirs, ours)


def test_a_dynamic_loss_scale(tmp_path):
    """The loss needs it, and no gradient is in it: a buffer."""
    params, loss, batch = mlp()
    optimizer = optax.adam(1e-2)

    def step(params, state, scale, batch):
        value, gradients = jax.value_and_grad(lambda p: loss(p, batch) * scale["factor"])(params)
        gradients = jax.tree.map(lambda g: g / scale["factor"], gradients)
        finite = jnp.all(jnp.array([jnp.isfinite(g).all() for g in jax.tree.leaves(gradients)]))
        updates, new_state = optimizer.update(gradients, state, params)

        def select(new, old):
            return jax.tree.map(lambda a, b: jnp.where(finite, a, b), new, old)
        good = jnp.where(finite, scale["good"] + 1, 0)
        factor = jnp.where(finite, jnp.where(good == 2, scale["factor"] * 2, scale["factor"]), scale["factor"] / 2)
        return (select(optax.apply_updates(params, updates), params), select(new_state, state),
                {"factor": factor, "good": jnp.where(good == 2, 0, good)}, value / scale["factor"])
    state = (params, optimizer.init(params), {"factor": jnp.float32(64), "good": jnp.int32(0)})
    worst, theirs, ours = race(step, state, (batch,), tmp_path, steps=5)
    assert worst < 2e-5 and float(ours[2]["factor"]) == 256
    same(theirs, ours)


def verified(loss, params, batch):
    optimizer = optax.sgd(1e-2)
    imported = prec.import_jax(train(loss, optimizer), params, optimizer.init(params), batch)
    assert imported.verified == "verified", imported.verified


@pytest.mark.parametrize("length", [5, 8])
def test_associative_scan(length):
    """Whose parts of other lengths are padded, to nothing and from nothing."""
    def loss(params, batch):
        gates = jax.nn.sigmoid(batch @ params)
        _, states = jax.lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (gates, 1 - gates))
        return (states ** 2).mean()
    verified(loss, jax.random.normal(jax.random.key(0), (4, 3)), jax.random.normal(jax.random.key(1), (length, 4)))


@pytest.mark.parametrize("reduce", [jax.lax.pmean, jax.lax.psum, jax.lax.pmax, jax.lax.pmin])
def test_axes_that_vmap_names(reduce):
    def loss(params, batch):
        def one(x):
            h = x @ params
            return h - reduce(jax.lax.stop_gradient(h), "rows")
        return (jax.vmap(one, axis_name="rows")(batch) ** 3).mean()
    verified(loss, jax.random.normal(jax.random.key(0), (4, 3)), jax.random.normal(jax.random.key(1), (6, 4)))


def test_batch_norm_of_equinox(tmp_path):
    """Its statistics are taken over an axis that vmap names, and kept in a state of their own."""
    def make(key):
        first, second = jax.random.split(key)
        return eqx.nn.Sequential([eqx.nn.Linear(8, 16, use_bias=False, key=first), eqx.nn.BatchNorm(16, "rows", mode="batch"),
                                  eqx.nn.Lambda(jax.nn.relu), eqx.nn.Linear(16, 4, key=second)])
    model, statistics = eqx.nn.make_with_state(make)(jax.random.key(0))
    _, _, batch = mlp()
    optimizer = optax.adam(1e-2)

    def step(model, statistics, state, batch):
        def loss(model, statistics):
            logits, new = jax.vmap(model, axis_name="rows", in_axes=(0, None), out_axes=(0, None))(batch["x"], statistics)
            return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean(), new
        (value, statistics), gradients = eqx.filter_value_and_grad(loss, has_aux=True)(model, statistics)
        updates, state = optimizer.update(gradients, state, eqx.filter(model, eqx.is_inexact_array))
        return eqx.apply_updates(model, updates), statistics, state, value
    state = (model, statistics, optimizer.init(eqx.filter(model, eqx.is_inexact_array)))
    worst, theirs, ours = race(step, copied(state), (batch,), tmp_path, steps=5, jitted=eqx.filter_jit(step))
    assert worst < 2e-5
    arrays = [[leaf for leaf in jax.tree.leaves(tree) if hasattr(leaf, "dtype")] for tree in (theirs, ours)]
    same(*arrays, rtol=1e-2)


def test_the_page_runs(tmp_path, monkeypatch, capsys):
    """The step of docs/Jax.md, as it is there."""
    monkeypatch.setenv("HOME", str(tmp_path))
    page = (Path(__file__).resolve().parents[2] / "docs" / "Jax.md").read_text()
    exec(page.partition("```python\n")[2].partition("```")[0], {})
    assert float(capsys.readouterr().out) < 0.1
