# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a step may not do, each by its name and line."""
import jax
import jax.numpy as jnp
import pytest
from jax import lax

import prec

W, X = jnp.ones((4, 2)), jnp.ones((3, 4))


def step_of(forward):
    def step(w, batch):
        value, gradient = jax.value_and_grad(lambda w: forward(w, batch))(w)
        return w - 0.1 * gradient, value
    return step


def refused(step, *arguments, match):
    with pytest.raises(prec.ImportFailure, match=match):
        prec.import_jax(step, *arguments)


def _counted(w, x):
    return lax.stop_gradient(lax.while_loop(lambda c: c.sum() < 100, lambda c: c * 2, x @ w)).sum() + w.sum()


def _printing(w, x):
    jax.debug.print("{}", w)
    return (x @ w).sum()


def _complex(w, x):
    return jnp.abs(jnp.fft.fft(x @ w)).sum()


def _cholesky(w, x):
    return jnp.linalg.cholesky(w.T @ w + jnp.eye(2)).sum()


def _over(mesh, collect):
    def forward(w, x):
        rows, whole = jax.sharding.PartitionSpec("rows"), jax.sharding.PartitionSpec()
        return jax.shard_map(lambda x, w: collect((x @ w).sum()), mesh=mesh, in_specs=(rows, whole), out_specs=whole, check_vma=False)(x, w)
    return forward


def _quantized(w, x):
    return (x @ (w + lax.stop_gradient(w.astype(jnp.float8_e4m3fn).astype(jnp.float32) - w))).sum()


def _compensated(w, x):
    high = jax.jit(lambda x: x.astype(jnp.bfloat16))(x)
    low = x[:2] - high.astype(jnp.float32)[:2]
    return (high.astype(jnp.float32) @ w).sum() + (low @ w).sum()


_ONE = jax.make_mesh((1,), ("rows",), axis_types=(jax.sharding.AxisType.Auto,))
_THREE = jax.sharding.AbstractMesh((3,), ("rows",))


@pytest.mark.cases(None)
@pytest.mark.parametrize("forward, message", [
    (_quantized, r"formats of 8 bits and fewer are a recipe's affair but a step casts to float8_e4m3fn: .*test_refusals\.py:\d+ \(_quantized\)"),
    (_compensated, r"must not compute with what a rounding loses.* but sub reads an array and the same rounded to bfloat16: .*\(_compensated\)"),
    (lambda w, x: ((lax.reduce_precision(x, 8, 7) == x) * x @ w).sum(), "eq reads an array and the same rounded to 7 bits of mantissa"),
    (_over(_ONE, lambda y: lax.psum(y, "rows")), "psum is not supported: over devices: compile the step of one"),
    (_over(_THREE, lambda y: y), r"a step is that of one device but shard_map has 3: compile the step of one.*test_refusals\.py:\d+"),
    (_counted, r"a loop is unrolled, so how often it runs must follow from no array of the step.*test_refusals\.py:\d+ \(_counted\)"),
    (_printing, r"a step must have no effects but has Debug.*"),
    (_complex, r"complex|fft"),
    (_cholesky, r"every primitive of a step must have a lowering but cholesky has none, at test_refusals\.py:\d+ \(_cholesky\)"),
    (lambda w, x: lax.scan(lambda c, _: (c * 0.5, None), w, None, length=5000)[0].sum(), "must have at most 4096 iterations but has 5000"),
    (lambda w, x: (x @ w).sum() + lax.fori_loop(0, 5000, lambda i, c: c + x[0, 0], 0.0), "must have at most 4096 iterations but has"),
    (lambda w, x: (x @ w).astype(jnp.int32).astype(jnp.float32).sum() + (w.astype(jnp.int32).T @ w.astype(jnp.int32)).sum() + w.sum(),
     "dot_general is not supported: products of whole numbers"),
    (lambda w, x: lax.reduce_window(x @ w, 0.0, lax.add, (3, 2), (1, 1), "SAME").sum() + lax.reduce_window(
        jnp.ones((99, 99)) * w.sum(), 0.0, lax.add, (9, 9), (1, 1), "SAME").sum(), "windows of more than 64 elements")])
def test_forward(forward, message):
    refused(step_of(forward), W, X, match=message)


def _drawing(w, key, batch):
    key, used = jax.random.split(key)
    value, gradient = jax.value_and_grad(lambda w: (batch @ w * jax.random.bernoulli(used, 0.5, (3, 2))).sum())(w)
    return w - 0.1 * gradient, key, value


def test_keys_of_other_generators():
    message = r"a step draws by keys of threefry2x32 but reads key<rbg> by random_\w+: make keys by jax\.random\.key\(seed\)"
    refused(_drawing, W, jax.random.key(0, impl="rbg"), X, match=message)


def test_a_new_key_of_another_generator():
    def step(w, key, batch):
        value, gradient = jax.value_and_grad(lambda w: (batch @ w).sum())(w)
        return w - 0.1 * gradient, jax.random.key(1, impl="rbg"), value
    message = r"draws by keys of threefry2x32 but makes a new key<rbg> key: make it by jax\.random\.key"
    refused(step, W, jax.random.key(0, impl="rbg"), X, match=message)


def test_draws_that_accept():
    message = r"a step draws bits and what is computed of them but got random_gamma: compute what it draws before the step"
    refused(step_of(lambda w, x: (x @ w * jax.random.gamma(jax.random.key(0), jnp.abs(x[:, :1]))).sum()), W, X, match=message)


@pytest.mark.parametrize("impl", ["threefry2x32", "rbg"])
def test_a_key_that_is_not_read_comes_back(impl):
    def step(w, key, batch):
        value, gradient = jax.value_and_grad(lambda w: (batch @ w).sum())(w)
        return w - 0.1 * gradient, key, value
    assert prec.import_jax(step, W, jax.random.key(0, impl=impl), X).verified == "verified"


def test_a_state_of_another_dtype():
    def step(state, batch):
        value, gradient = jax.value_and_grad(lambda w: (batch @ w).sum())(state["w"])
        return {"w": state["w"] - gradient, "count": state["count"] + 1.0}, value
    refused(step, {"w": W, "count": jnp.int32(0)}, X,
            match=r"the state must come back with the shapes and dtypes that it had but \['count'\] is int32\[\] and comes back as float32\[\]")


def test_no_state():
    refused(lambda w, batch: (batch @ w).sum(), W, X, match="a step must return its state, .* but none of its arguments comes back")


def test_no_loss():
    refused(lambda w, batch: w - 0.1 * jax.grad(lambda w: (batch @ w).sum())(w), W, X, match="a step must return its loss, .* but returns none")


def test_nothing_is_trained():
    refused(lambda w, batch: (w, (batch @ w).sum()), W, X, match="a step must update parameters that its loss depends on but it updates none")


def test_no_function():
    refused(3, W, X, match="step must be a function of the state and a batch but got 3")


def test_another_trace():
    seen = []

    def step(w, batch):
        seen.append(0)
        value, gradient = jax.value_and_grad(lambda w: (batch @ w).sum() * len(seen))(w)
        return w - 0.1 * gradient, value
    refused(step, W, X, match="a step must compute the same each time but another trace of it differs")


def test_no_elements():
    message = r"every array of a step must have elements but batch\.1 has shape \[0, 2\]"
    refused(step_of(lambda w, x: (x[0] @ w).sum()), W, (X, jnp.zeros((0, 2))), match=message)


def test_dtypes():
    step = step_of(lambda w, x: (x[0] @ w).sum() + x[1].real.sum())
    refused(step, W, (X, jnp.ones(2, jnp.complex64)), match="every array must be real but got one of complex64")


def test_the_numeric_guard_sees_a_difference(monkeypatch):
    from prec.jax import registry
    from prec.jax.registry import Lowered

    wrong = Lowered(lambda call, x: call.b.mul(call.b.math("sin", x), 1.001), True)
    monkeypatch.setitem(registry.TABLE, "sin", wrong)
    message = r"the graph must compute what JAX does but the loss differs by 1\.0e-03 of its norm"
    refused(step_of(lambda w, x: jnp.sin(x @ w).sum()), W, X, match=message)
