# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compiled step: what it takes, gives back and deletes."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from steps import copied, mlp, train

import prec
import prec.jax


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    params, loss, batch = mlp()
    optimizer = optax.adamw(1e-2)
    folder = tmp_path_factory.mktemp("jax")
    step = train(loss, optimizer)
    made = prec.jax.compile(step, params, optimizer.init(params), batch, recipe="fp32", cache=folder)
    yield step, made, (params, optimizer.init(params)), batch, folder
    made.close()


def test_donates_as_jax_does(compiled):
    step, ours, state, batch, _ = compiled
    theirs = jax.jit(step, donate_argnums=(0, 1))
    for run in (theirs, ours):
        given = copied(state)
        run(*given, batch)
        assert all(leaf.is_deleted() for leaf in jax.tree.leaves(given))
        assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(batch))
        with pytest.raises((RuntimeError, ValueError), match="deleted"):
            run(*given, batch)


def test_takes_any_state(compiled):
    step, ours, state, batch, _ = compiled
    first, *_ = ours(*copied(state), batch)
    other = jax.tree.map(lambda leaf: leaf * 2, state[0])
    right = step(other, state[1], batch)
    got = ours(copied(other), copied(state[1]), batch)
    assert jax.tree.structure(right) == jax.tree.structure(got)
    for p, q in zip(jax.tree.leaves(right), jax.tree.leaves(got), strict=True):
        assert jnp.allclose(p, q, rtol=1e-5, atol=1e-6)


def test_arrays_of_numpy_stay(compiled):
    _, ours, state, batch, _ = compiled
    given = jax.tree.map(np.asarray, copied(state))
    kept = jax.tree.map(np.array, given)
    ours(*given, batch)
    jax.tree.map(np.testing.assert_array_equal, given, kept)


def test_what_is_returned_stays(compiled):
    """Copies: a later step does not write into them."""
    _, ours, state, batch, _ = compiled
    params, opt_state, _ = ours(*copied(state), batch)
    seen = np.array(params["second"])
    held = np.asarray(params["second"])
    ours(params, opt_state, batch)
    np.testing.assert_array_equal(held, seen)


def test_without_donation(compiled):
    step, _, state, batch, folder = compiled
    ours = prec.jax.compile(step, *state, batch, recipe="fp32", cache=folder, donate=False, verify=False)
    given = copied(state)
    first = float(ours(*given, batch)[2])
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(given))
    assert float(ours(*given, batch)[2]) == first
    ours.close()


@pytest.mark.parametrize("change, message", [
    (lambda p, s, b: (p, s, {**b, "z": b["y"]}), "must have the trees that the step was compiled for"),
    (lambda p, s, b: (p, s, {**b, "x": b["x"][:4]}), r"x must be float32\[32, 8\] but got float32\[4, 8\]"),
    (lambda p, s, b: ({**p, "second": p["second"].astype(jnp.bfloat16)}, s, b), r"second must be float32\[16, 4\] but got bfloat16\[16, 4\]")])
def test_other_arguments(compiled, change, message):
    _, ours, state, batch, _ = compiled
    given = change(*copied(state), batch)
    with pytest.raises(prec.StepFailure, match=message):
        ours(*given)
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(given))


def test_a_label_that_is_none(compiled):
    """JAX's loss is NaN then; here nothing happens."""
    _, ours, state, batch, _ = compiled
    given = copied(state)
    with pytest.raises(prec.RuntimeFailure):
        ours(*given, {**batch, "y": batch["y"] + 100})
    assert not any(leaf.is_deleted() for leaf in jax.tree.leaves(given))


def test_what_is_no_array_is_part_of_the_step(tmp_path):
    def step(w, scale, batch):
        value, gradient = jax.value_and_grad(lambda w: ((batch @ w) ** 2).mean() * scale)(w)
        return w - 0.1 * gradient, value
    w, batch = jnp.ones((4, 2)), jnp.ones((3, 4))
    ours = prec.jax.compile(step, w, 0.5, batch, recipe="fp32", cache=tmp_path)
    right = step(w, 0.5, batch)
    got = ours(jnp.array(w), 0.5, batch)
    assert jnp.allclose(right[0], got[0], rtol=1e-6) and jnp.allclose(right[1], got[1], rtol=1e-6)
    with pytest.raises(prec.StepFailure, match=r"must be as it was when the step was compiled, 0\.5, but got 0\.25"):
        ours(jnp.array(w), 0.25, batch)
    ours.close()


def test_metrics_and_dtypes(tmp_path):
    def loss(params, batch):
        logits = batch["x"] @ params["w"].astype(jnp.float32)
        return optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean(), (logits.argmax(-1) == batch["y"]).sum()

    def step(params, batch):
        (value, right), gradients = jax.value_and_grad(loss, has_aux=True)(params, batch)
        norm = optax.global_norm(gradients)
        return jax.tree.map(lambda p, g: (p - 0.1 * g).astype(p.dtype), params, gradients), {"right": right, "loss": value, "norm": norm}
    params = {"w": jax.random.normal(jax.random.key(0), (8, 4), jnp.bfloat16)}
    batch = {"x": jax.random.normal(jax.random.key(1), (16, 8)), "y": jnp.arange(16) % 4}
    ours = prec.jax.compile(step, params, batch, recipe="fp32", cache=tmp_path)
    (theirs, right), (mine, got) = step(params, batch), ours(copied(params), batch)
    assert int(right["right"]) == int(got["right"]) and right["right"].dtype == got["right"].dtype
    assert jnp.allclose(right["loss"], got["loss"], rtol=1e-5) and jnp.allclose(right["norm"], got["norm"], rtol=1e-2)
    assert mine["w"].dtype == jnp.bfloat16 and jnp.allclose(theirs["w"].astype(jnp.float32), mine["w"].astype(jnp.float32), rtol=1e-2)
    ours.close()


def test_a_metric_of_the_shape_of_the_batch(tmp_path):
    """Is no new value of it: the batch stays."""
    def step(w, batch):
        def loss(w):
            y = batch @ w
            return (y ** 2).mean(), {"y": y, "most": y.max()}
        (value, metrics), gradient = jax.value_and_grad(loss, has_aux=True)(w)
        return w - 0.1 * gradient, {"loss": value, **metrics}
    w, batch = jnp.eye(4) * 0.5, jnp.ones((3, 4))
    compiled = prec.jax.compile(step, w, batch, recipe="fp32", cache=tmp_path)
    right = step(w, batch)[1]
    got = compiled(jnp.array(w), batch)[1]
    assert not batch.is_deleted()
    assert all(jnp.allclose(right[name], got[name], rtol=1e-5) for name in right)


def test_weights_as_a_file(tmp_path):
    from safetensors.numpy import load_file

    params, loss, batch = mlp()
    optimizer = optax.adamw(1e-3)
    imported = prec.import_jax(train(loss, optimizer), params, optimizer.init(params), batch, verify=False)
    imported.write(tmp_path / "graph.mlir")
    imported.write_weights(tmp_path / "weights.safetensors")
    assert (tmp_path / "graph.mlir").read_text() == imported.mlir
    held = load_file(tmp_path / "weights.safetensors")
    assert sorted(held) == ["first.bias", "first.kernel", "second"]
    np.testing.assert_array_equal(held["second"], params["second"])


def test_shapes_alone(tmp_path):
    params, loss, batch = mlp()
    optimizer = optax.adamw(1e-3)
    shapes = jax.eval_shape(lambda: (params, optimizer.init(params)))
    imported = prec.import_jax(train(loss, optimizer), *shapes, batch)
    assert imported.verified == "verified"
    with pytest.raises(prec.ImportFailure, match="weights can be written of a state that holds them but first.bias has a shape alone"):
        imported.write_weights(tmp_path / "weights.safetensors")
