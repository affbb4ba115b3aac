# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Projections of one input, whose kernels have their outputs as columns, are one product in FP8."""
import jax
import jax.numpy as jnp
import optax
import pytest
from steps import copied, train

import prec.jax

SIZES = {"q": 64, "k": 32, "v": 32}


def projections():
    keys = iter(jax.random.split(jax.random.key(0), 8))
    params = {name: jax.random.normal(next(keys), (128, size)) * 0.1 for name, size in SIZES.items()}
    params |= {"o": jax.random.normal(next(keys), (64, 128)) * 0.1, "table": jax.random.normal(next(keys), (64, 128)) * 0.1}

    def loss(params, batch):
        x = params["table"][batch["ids"]]
        h = x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5)
        q, k, v = (h @ params[name] for name in "qkv")
        x = x + (jnp.tanh(q) * jnp.concatenate([jnp.sin(k), v], -1)) @ params["o"]
        return optax.softmax_cross_entropy_with_integer_labels(x @ params["table"].T, batch["labels"]).mean()
    ids = jax.random.randint(next(keys), (2, 64), 0, 64)
    return params, loss, {"ids": ids[0], "labels": ids[1]}


def products(compiled):
    commands = [c for c in compiled.module.manifest["entry_points"]["step"] if c["op"] == "gemm"]
    return [sum(c["phase"] == phase for c in commands) for phase in ("forward", "backward")]


@pytest.mark.cases(1)
@pytest.mark.parametrize("scaling", ["tensor-scaling=current", "tensor-scaling=delayed"])
def test_projections_are_one_product(tmp_path, scaling):
    """In each direction; losses follow JAX's as well as those of projections apart, and a checkpoint goes on in
    either."""
    params, loss, batch = projections()
    optimizer = optax.adamw(1e-2)
    step = train(loss, optimizer)
    state = (params, optimizer.init(params))
    theirs, right = copied(state), []
    for _ in range(12):
        *theirs, value = jax.jit(step)(*theirs, batch)
        right.append(float(value))
    counts, apart = {}, {}
    for merge in ("on", "off"):
        compiled = prec.jax.compile(step, *state, batch, recipe="fp8-hybrid", cache=tmp_path, verify=False,
                                    compiler_options=[f"--assign={scaling}", f"--merge-contractions={merge}"])
        counts[merge], now, losses = products(compiled), copied(state), []
        for _ in range(12):
            *now, value = compiled(*now, batch)
            losses.append(float(value))
        apart[merge] = max(abs(a - b) / abs(b) for a, b in zip(losses, right, strict=True))
        compiled.close()
    assert [a - b for a, b in zip(counts["off"], counts["on"], strict=True)] == [2, 4]
    assert apart["on"] < max(2 * apart["off"], 0.05) and right[-1] < right[0] / 2
