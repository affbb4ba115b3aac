# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Optimizers of optax, and of the user: each parameter's update is one operation, with the facts that passes ask for.
Verification compares two steps with JAX's own."""
import jax
import jax.numpy as jnp
import optax
import pytest
from steps import mlp, race, train

import prec

SCHEDULE = optax.warmup_cosine_decay_schedule(0.0, 1e-2, 3, 20)
OPTIMIZERS = {
    "adamw": optax.adamw(1e-3, weight_decay=0.1), "adam": optax.adam(1e-3), "nesterov adam": optax.nadamw(1e-3), "amsgrad": optax.amsgrad(1e-3),
    "adamax": optax.adamax(1e-3), "sgd": optax.sgd(1e-2), "momentum": optax.sgd(1e-2, momentum=0.9),
    "nesterov": optax.sgd(1e-2, momentum=0.9, nesterov=True),
    "lion": optax.lion(1e-3), "rmsprop": optax.rmsprop(1e-3), "centered": optax.rmsprop(1e-3, centered=True, momentum=0.5),
    "adagrad": optax.adagrad(1e-2),
    "adadelta": optax.adadelta(1e-1), "sign": optax.sign_sgd(1e-3), "radam": optax.radam(1e-3), "yogi": optax.yogi(1e-3),
    "belief": optax.adabelief(1e-3),
    "schedule": optax.adamw(SCHEDULE), "linear": optax.sgd(optax.linear_schedule(1e-2, 1e-4, 10)),
    "piecewise": optax.adam(optax.piecewise_constant_schedule(1e-2, {3: 0.1})),
    "clipped": optax.chain(optax.clip_by_global_norm(0.1), optax.adamw(1e-3)), "clipped by value": optax.chain(optax.clip(0.01), optax.sgd(1e-2)),
    "clipped blocks": optax.chain(optax.clip_by_block_rms(0.01), optax.adam(1e-3)), "masked decay": optax.adamw(
        1e-3, mask=lambda p: jax.tree.map(lambda x: x.ndim > 1, p)), "accumulated": optax.MultiSteps(optax.adamw(1e-3), 2).gradient_transformation(),
    "finite": optax.apply_if_finite(optax.adam(1e-3), 3), "averaged": optax.chain(optax.adam(1e-3), optax.ema(0.9)),
    "rate in the state": optax.inject_hyperparams(
        optax.adamw)(learning_rate=1e-3), "adafactor": optax.adafactor(1e-3, min_dim_size_to_factor=4), "lars": optax.lars(1e-2),
        "lamb": optax.lamb(1e-3),
    "noise decay": optax.chain(optax.add_decayed_weights(0.01), optax.sgd(1e-2)),
}


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_updates_are_operations(name):
    params, loss, batch = mlp()
    optimizer = OPTIMIZERS[name]
    imported = prec.import_jax(train(loss, optimizer), params, optimizer.init(params), batch)
    assert imported.verified == "verified"
    updates = [op for op in imported.graph.ops if op.name == "prec_train.update"]
    assert [op.path for op in updates] == ["first.bias", "first.kernel", "second"]


def facts(optimizer):
    params, loss, batch = mlp()
    imported = prec.import_jax(train(loss, optimizer), params, optimizer.init(params), batch, verify=False)
    update = next(op for op in imported.graph.ops if op.name == "prec_train.update" and op.path == "second")
    slots = [a.attrs["slot"] for a in imported.graph.arguments if a.attrs.get("param_of") == "second"]
    at = update.attrs
    return slots, at["normalized"], at["squaring"], at.get("unsigned_states", ()), at.get("exact_states", ())


@pytest.mark.parametrize("optimizer, expected", [
    (optax.adamw(1e-3, weight_decay=0.1), (["mu", "nu"], True, True, (1,), ())), (optax.lion(1e-3), (["mu"], True, False, (), ())),
    (optax.sgd(1e-2), ([], False, False, (), ())), (optax.sgd(1e-2, momentum=0.9), (["trace"], False, False, (), ())),
    (optax.adagrad(1e-2), (["sum_of_squares"], True, True, (0,), (0,))), (optax.sign_sgd(1e-3), ([], True, False, (), ()))])
def test_facts(optimizer, expected):
    assert facts(optimizer) == expected


def test_the_norm_of_all_gradients_is_an_operation():
    params, loss, batch = mlp()
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    imported = prec.import_jax(train(loss, optimizer), params, optimizer.init(params), batch, verify=False)
    (norm,) = [op for op in imported.graph.ops if op.name == "prec_train.global_norm"]
    updates = [op for op in imported.graph.ops if op.name == "prec_train.update"]
    assert set(norm.operands) == {op.operands[1] for op in updates}
    # Each gradient is what the backward made, and not what clipping makes of it.
    assert all(op.operands[1].op.phase == "backward" for op in updates)


def test_the_norm_of_large_gradients_is_the_operation_alone():
    """optax writes the square of a number as that of its parts, of which the imaginary one is zeros, however many."""
    params = {"w": jax.ShapeDtypeStruct((512, 256), jnp.float32)}
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3))
    step = train(lambda p, batch: (batch @ p["w"]).mean(), optimizer)
    imported = prec.import_jax(step, params, jax.eval_shape(optimizer.init, params), jax.ShapeDtypeStruct((8, 512), jnp.float32), verify=False)
    assert sum(op.name == "prec_train.global_norm" for op in imported.graph.ops) == 1
    assert not any(op.name == "prec_train.reduce" and op.phase == "optimizer" for op in imported.graph.ops)


def test_averages_of_weights_are_states():
    params, loss, batch = mlp()
    optimizer = optax.adam(1e-3)

    def step(params, averages, state, batch):
        params, state, value = train(loss, optimizer)(params, state, batch)
        return params, jax.tree.map(lambda a, p: 0.9 * a + 0.1 * p, averages, params), state, value
    imported = prec.import_jax(step, params, params, optimizer.init(params), batch)
    assert imported.verified == "verified"
    update = next(op for op in imported.graph.ops if op.name == "prec_train.update")
    # No moment, which 8 bits would hold.
    assert len(update.results) == 4 and len(update.attrs["exact_states"]) == 1


def test_several_batches_a_step():
    params, loss, batch = mlp()
    optimizer = optax.adamw(1e-3)

    def step(params, state, batch):
        def one(total, part):
            value, gradients = jax.value_and_grad(loss)(params, part)
            return jax.tree.map(jnp.add, total, (value, gradients)), None
        parts = jax.tree.map(lambda x: x.reshape(4, 8, *x.shape[1:]), batch)
        (value, gradients), _ = jax.lax.scan(one, (0.0, jax.tree.map(jnp.zeros_like, params)), parts)
        gradients = jax.tree.map(lambda g: g / 4, gradients)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value / 4
    imported = prec.import_jax(step, params, optimizer.init(params), batch)
    assert imported.verified == "verified"
    assert sum(op.name == "prec_train.update" for op in imported.graph.ops) == 3


def test_gradients_written_by_hand():
    def step(w, batch):
        error = batch["x"] @ w - batch["y"]
        return w - 0.1 * (batch["x"].T @ error) / 8, (error * error).mean()
    batch = {"x": jax.random.normal(jax.random.key(0), (8, 4)), "y": jnp.ones((8, 2))}
    imported = prec.import_jax(step, jnp.full((4, 2), 0.1), batch)
    assert imported.verified == "verified"
    assert [op.phase for op in imported.graph.ops if op.name == "prec_train.matmul"] == ["forward", "backward"]
    assert sum(op.name == "prec_train.update" for op in imported.graph.ops) == 1


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", ["adamw", "momentum", "lion", "schedule", "clipped", "accumulated", "adagrad", "rate in the state", "adafactor"])
def test_trains(tmp_path, name):
    params, loss, batch = mlp()
    optimizer = OPTIMIZERS[name]
    worst, theirs, ours = race(train(loss, optimizer), (params, optimizer.init(params)), (batch,), tmp_path)
    assert worst < 2e-5
    for right, got in zip(jax.tree.leaves(theirs), jax.tree.leaves(ours), strict=True):
        assert right.dtype == got.dtype and jnp.allclose(right, got, rtol=1e-3, atol=1e-6)
