# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Steps in JAX for tests, and how a compiled one is compared with JAX's own."""
import jax
import jax.numpy as jnp
import numpy as np
import optax

import prec
import prec.jax


def train(loss, optimizer):
    """The step that most scripts have."""
    def step(params, state, batch):
        value, gradients = jax.value_and_grad(loss)(params, batch)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value
    return step


def mlp():
    """Parameters, their loss and a batch."""
    key = jax.random.key(0)
    params = {"first": {"kernel": jax.random.normal(key, (8, 16)) * 0.3, "bias": jnp.zeros(16)}, "second": jax.random.normal(key, (16, 4)) * 0.3}

    def loss(params, batch):
        hidden = jax.nn.gelu(batch["x"] @ params["first"]["kernel"] + params["first"]["bias"])
        return optax.softmax_cross_entropy_with_integer_labels(hidden @ params["second"], batch["y"]).mean()
    batch = {"x": jax.random.normal(jax.random.key(1), (32, 8)), "y": jax.random.randint(jax.random.key(2), (32,), 0, 4)}
    return params, loss, batch


def tokens(vocabulary, *shape):
    drawn = np.random.default_rng(0).integers(0, vocabulary, (*shape[:-1], shape[-1] + 1)).astype(np.int32)
    return jnp.array(drawn[..., :-1]), jnp.array(drawn[..., 1:])


def copied(tree):
    return jax.tree.map(lambda leaf: jnp.array(leaf) if hasattr(leaf, "dtype") else leaf, tree)


def race(step, state, batch, folder, steps=20, recipe="fp32", jitted=None):
    """The largest relative difference of the losses of JAX's step and the compiled one, which go on by themselves; and
    both states afterwards."""
    compiled = prec.jax.compile(step, *state, *batch, recipe=recipe, cache=folder)
    assert compiled.imported.verified == "verified"
    theirs, ours, worst = copied(state), copied(state), 0.0
    own = jitted or jax.jit(step)
    for _ in range(steps):
        *theirs, right = own(*theirs, *batch)
        *ours, got = compiled(*ours, *batch)
        worst = max(worst, abs(float(right) - float(got)) / abs(float(right)))
    compiled.close()
    return worst, theirs, ours


def checked(function, *arrays, **keywords):
    """Imports a step whose loss is made of a function of its parameters, so that verification compares the function and
    its gradient with JAX."""
    def loss(params, batch):
        made = function(*params, *batch)
        leaves = [leaf for leaf in jax.tree.leaves(made) if jnp.issubdtype(leaf.dtype, jnp.floating)]
        return sum((jnp.sin(leaf) * jnp.arange(1, leaf.size + 1).reshape(leaf.shape)).sum() for leaf in leaves)
    params = [a for a in arrays if jnp.issubdtype(a.dtype, jnp.floating)]
    batch = [a for a in arrays if not jnp.issubdtype(a.dtype, jnp.floating)]
    optimizer = optax.sgd(1e-2)
    imported = prec.import_jax(train(loss, optimizer), params, optimizer.init(params), batch, **keywords)
    assert imported.verified == "verified", imported.verified
    return imported
