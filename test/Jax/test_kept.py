# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the backward reads of the forward: of an activation its input, which the product before it made, and nothing
that
follows from it, whatever JAX would keep; and numbers stay JAX's."""
import re
import subprocess

import jax
import jax.numpy as jnp
import optax
import pytest
from steps import race, train

import prec

ACTIVATIONS = {
    "silu": jax.nn.silu, "gelu": jax.nn.gelu, "exact gelu": lambda x: jax.nn.gelu(x, approximate=False), "mish": jax.nn.mish,
    "softplus": jax.nn.softplus, "squared relu": lambda x: jnp.square(jax.nn.relu(x)), "by hand": lambda x: x / (1 + jnp.exp(-1.702 * x)),
}
_DEFINED = re.compile(r"^\s*(%\w+) = (\S+) (.*) : (.*)$", re.M)


def layer(activation):
    keys = jax.random.split(jax.random.key(0), 4)
    params = {name: jax.random.normal(key, shape) * 0.1 for key, name, shape in zip(
        keys, ("gate", "up", "down"), ((64, 256), (64, 256), (256, 64)), strict=False)}

    def loss(params, x):
        return ((activation(x @ params["gate"]) * (x @ params["up"])) @ params["down"] - x).var()
    return params, loss, jax.random.normal(keys[3], (128, 64))


def kept(text):
    """Elementwise values of the forward, as large as its activations, that a later operation reads."""
    made, read = set(), set()
    for name, op, rest, type_ in _DEFINED.findall(text):
        if "phase<" in rest:
            read |= set(re.findall(r"%\w+", rest))
        elif op.startswith(("arith.", "math.")) and op != "arith.constant" and "128x256x" in type_:
            made.add(name)
    return made & read


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", ACTIVATIONS)
def test_inputs_alone_are_kept(prec_opt, name):
    params, loss, batch = layer(ACTIVATIONS[name])
    optimizer = optax.sgd(0.1)
    imported = prec.import_jax(train(loss, optimizer), params, optimizer.init(params), batch, verify=False)
    done = subprocess.run([prec_opt, "-", "--prec-raise-composites"], input=imported.mlir, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(kept(imported.mlir)) > 1
    # The product that the last matrix's gradient reads is kept, too.
    assert len(kept(done.stdout)) <= 1, kept(done.stdout)


@pytest.mark.parametrize("name", ["silu", "gelu"])
def test_trains(tmp_path, name):
    params, loss, batch = layer(ACTIVATIONS[name])
    optimizer = optax.adamw(1e-2)
    assert race(train(loss, optimizer), (params, optimizer.init(params)), (batch,), tmp_path, steps=20)[0] <= 2e-5
