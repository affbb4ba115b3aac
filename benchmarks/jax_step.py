# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Flax Llama's training step on one GPU: prec.jax.compile in FP8 beside jax.jit in BF16.

usage: python benchmarks/jax_step.py WHAT... [--size 1b] [--json FILE] [--cache DIR]

  small              a small Llama: losses of 10 steps in FP32 beside jax.jit and prec on the CPU, the order of streams,
    what
                     goes through the host
  ours, ours:bf16    prec.jax.compile, fp8-hybrid with delayed scaling, or bf16
  jit:cudnn, jit:xla           jax.jit with donation, BF16 on FP32 masters, attention of cuDNN or of XLA
  jit:scan-cudnn, jit:scan-xla the same with lax.scan over the layers

All take optax.adamw behind clip_by_global_norm and the same batch of 4x4096 tokens. Each runs in a process of its own
and prints a line of JSON; name them in turns to run in turns. "ms" is the mean of 16 steps that are put on the GPU one
after the other, the best of two rounds; "ms alone" the median of 16 that are waited for one by one.
"""
import argparse
import functools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Layers, width, query heads, key/value heads, hidden width, vocabulary, rows, tokens a row.
SIZES = {"1b": (16, 2048, 32, 8, 8192, 128256, 4, 4096), "small": (2, 256, 8, 4, 512, 512, 4, 128)}
WARM, STEPS, ROUNDS = 4, 16, 2


def llama(size, dtype, attention, scan):
    """The model as people write it in Linen, and a loss of its parameters and a batch."""
    import flax.linen as nn
    import jax
    import jax.numpy as jnp
    import optax

    layers, width, heads, kv_heads, hidden, vocabulary, _, length = size
    head = width // heads

    def rotate(x):
        rate = 1.0 / (500000 ** (jnp.arange(0, head, 2) / head))
        angle = jnp.arange(length)[:, None] * rate
        cos, sin = jnp.cos(angle)[None, :, None], jnp.sin(angle)[None, :, None]
        a, b = jnp.split(x.astype(jnp.float32), 2, axis=-1)
        return jnp.concatenate([a * cos - b * sin, b * cos + a * sin], -1).astype(x.dtype)

    def dense(features, name):
        return nn.Dense(features, use_bias=False, dtype=dtype, name=name)

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x, _=None):
            h = nn.RMSNorm(epsilon=1e-5, dtype=dtype, name="n1")(x)
            rows = x.shape[0]
            q = dense(heads * head, "q")(h).reshape(rows, length, heads, head)
            k = dense(kv_heads * head, "k")(h).reshape(rows, length, kv_heads, head)
            v = dense(kv_heads * head, "v")(h).reshape(rows, length, kv_heads, head)
            a = jax.nn.dot_product_attention(rotate(q), rotate(k), v, is_causal=True, implementation=attention)
            x = x + dense(width, "o")(a.reshape(rows, length, width))
            h = nn.RMSNorm(epsilon=1e-5, dtype=dtype, name="n2")(x)
            return x + dense(width, "down")(nn.silu(dense(hidden, "gate")(h)) * dense(hidden, "up")(h)), None

    class Llama(nn.Module):
        @nn.compact
        def __call__(self, ids):
            table = nn.Embed(vocabulary, width, dtype=dtype, embedding_init=nn.initializers.normal(0.02), name="embed")
            x = table(ids)
            if scan:
                x, _ = nn.scan(Block, variable_axes={"params": 0}, split_rngs={"params": True}, length=layers)(name="layers")(x, None)
            else:
                for i in range(layers):
                    x, _ = Block(name=f"layers_{i}")(x)
            return table.attend(nn.RMSNorm(epsilon=1e-5, dtype=dtype, name="norm")(x))

    model = Llama()

    def loss(params, batch):
        logits = model.apply({"params": params}, batch["ids"])
        return optax.softmax_cross_entropy_with_integer_labels(logits.astype(jnp.float32), batch["labels"]).mean()
    return model, loss


def training(size, dtype="bfloat16", attention=None, scan=False):
    """The step, its first state and a batch on the device."""
    import jax
    import jax.numpy as jnp
    import optax

    model, loss = llama(size, jnp.dtype(dtype), attention, scan)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-4, b1=0.9, b2=0.95, weight_decay=0.1))

    def step(params, state, batch):
        value, gradients = jax.value_and_grad(loss)(params, batch)
        updates, state = optimizer.update(gradients, state, params)
        return optax.apply_updates(params, updates), state, value
    vocabulary, rows, length = size[5:]
    ids = jax.random.randint(jax.random.key(1), (rows, length + 1), 0, vocabulary)
    batch = {"ids": ids[:, :-1], "labels": ids[:, 1:]}
    params = weights(llama(size, jnp.dtype(dtype), None, scan)[0], batch["ids"], size[0])
    say("weights")
    return step, params, optimizer.init(params), batch


def weights(model, ids, layers):
    """Random weights, the same with and without a scan, one draw for all of a shape: an init that is compiled as a
    whole
    takes longer than the race."""
    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, static_argnums=1)
    def normal(seed, shape):
        return jax.random.normal(jax.random.key(seed), shape) * 0.02

    def draw(name, shape):
        return jnp.ones(shape) if name.endswith("scale") else normal(zlib.crc32(name.encode()) >> 1, shape)

    def make(path, leaf):
        name = "/".join(str(key.key) for key in path)
        if not name.startswith("layers/"):
            return draw(name, leaf.shape)
        return jnp.stack([draw(name.replace("layers/", f"layers_{i}/"), leaf.shape[1:]) for i in range(layers)])
    shapes = jax.eval_shape(lambda: model.init(jax.random.key(0), ids)["params"])
    return jax.tree_util.tree_map_with_path(make, shapes)


BEGIN = time.perf_counter()


def say(what):
    print(f"{time.perf_counter() - BEGIN:6.1f} s  {what}", file=sys.stderr, flush=True)


def timed(run, params, state, batch):
    import jax

    for _ in range(WARM):
        params, state, loss = run(params, state, batch)
    loss.block_until_ready()
    say("warm")
    rounds, hosts = [], []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(STEPS):
            params, state, loss = run(params, state, batch)
        hosts.append(time.perf_counter() - begin)
        jax.block_until_ready((params, state, loss))
        rounds.append((time.perf_counter() - begin) / STEPS * 1e3)
    say(f"{min(rounds):.1f} ms a step, {min(hosts) / STEPS * 1e3:.1f} ms of the host")
    alone = []
    for _ in range(STEPS):
        begin = time.perf_counter()
        params, state, loss = run(params, state, batch)
        jax.block_until_ready((params, state, loss))
        alone.append((time.perf_counter() - begin) * 1e3)
    peak = (jax.local_devices()[0].memory_stats() or {}).get("peak_bytes_in_use", 0)
    return {"ms": round(min(rounds), 1), "ms of rounds": [round(ms, 1) for ms in rounds], "ms alone": round(statistics.median(alone), 1),
            "host ms": round(min(hosts) / STEPS * 1e3, 1), "loss": round(float(loss), 4), "GiB at most": round(peak / 2**30, 1)}


def ours(size, cache, recipe):
    import prec.jax

    step, params, state, batch = training(size)
    begin = time.perf_counter()
    compiled = prec.jax.compile(step, params, state, batch, recipe=recipe, verify=False, cache=cache,
                                compiler_options=["--assign=tensor-scaling=delayed"] if recipe.startswith("fp8") else ())
    seconds = time.perf_counter() - begin
    say("compiled and opened")
    params, state, loss = compiled(params, state, batch)
    first = float(loss)
    say(f"first step, loss {first:.4f}")
    before = compiled.module.statistics
    found = timed(compiled, params, state, batch)
    after = compiled.module.statistics
    return {"recipe": recipe, "first loss": round(first, 4), "seconds of compile": round(seconds, 1),
            "through the host": after["through_host_bytes"] - before["through_host_bytes"], **found}


def jit(size, attention, scan):
    import jax

    step, params, state, batch = training(size, attention=attention, scan=scan)
    run = jax.jit(step, donate_argnums=(0, 1))
    begin = time.perf_counter()
    params, state, loss = run(params, state, batch)
    first = float(loss)
    say(f"first step, loss {first:.4f}")
    return {"first loss": round(first, 4), "seconds to the first step": round(time.perf_counter() - begin, 1), **timed(run, params, state, batch)}


def small(cache, target):
    """What must hold of any GPU; each part says what it found."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    import prec.jax

    jax.config.update("jax_default_matmul_precision", "highest")
    size = SIZES["small"]
    step, params, state, batch = training(size, "float32")

    def copied(tree):
        return jax.tree.map(lambda leaf: jnp.array(leaf, copy=True), tree)

    def losses(run, heavy=False, again=None):
        now, found, seen, kept = (copied(params), copied(state)), [], [], []
        for _ in range(10):
            given = batch if again is None else again()
            *now, loss = run(*now, given)
            found.append(loss)
            if heavy:
                # Reads the weights long after the next step was asked for, if nobody orders the two.
                kept.append(read(now[0], work))
                seen.append(jax.tree.map(lambda leaf: np.array(leaf).sum(dtype=np.float64), now[0]) if heavy == "sums" else None)
        return [float(loss) for loss in found], kept, seen, now
    work = jnp.ones((128, 128) if target == "cpu" else (4096, 4096)) * 1e-4

    @jax.jit
    def read(params, x):
        for _ in range(20):
            x = (x @ x) * 1e-4
        return jax.tree.map(lambda leaf: leaf.sum() + x[0, 0] * 0, params)
    theirs = losses(jax.jit(step))[0]
    found = {"jax": theirs[::3]}
    steps = {}
    for name, where, recipe in (("gpu", target, "fp32"), ("cpu", "cpu", "fp32"), ("fp8", target, "fp8-hybrid")):
        compiled = steps[name] = prec.jax.compile(step, params, state, batch, recipe=recipe, target=where, verify=False, cache=cache,
                                                  views=True if target == "cpu" else None)
        mine, _, _, now = losses(compiled)
        found[name] = {"losses": mine[::3], "difference": max(abs(a - b) / a for a, b in zip(theirs, mine, strict=True))}
        print(json.dumps({name: found[name]}), flush=True)
    compiled = steps["gpu"]
    _, _, _, first = losses(compiled)
    held = copied(first)
    _, kept, _, _ = losses(compiled, heavy="late")
    _, right, _, last = losses(jax.jit(step), heavy="late")
    apart = max(float(abs(a - b)) / (1 + float(abs(b))) for mine, theirs in zip(kept, right, strict=True)
                for a, b in zip(jax.tree.leaves(mine), jax.tree.leaves(theirs), strict=True))
    weights = max(float(jnp.abs(a - b).max()) for a, b in zip(jax.tree.leaves(held[0]), jax.tree.leaves(last[0]), strict=True))
    print(json.dumps({"late reads differ by": apart, "weights differ by": weights}), flush=True)
    now = (copied(params), copied(state))
    old = jax.tree.leaves(now)
    *now, loss = compiled(*now, batch)
    deleted = all(leaf.is_deleted() for leaf in old)
    before = compiled.module.statistics
    for _ in range(3):
        *now, loss = compiled(*now, batch)
    after = compiled.module.statistics
    host = {k: after[k] - before[k] for k in after}
    print(json.dumps({"donated": deleted, "moved in 3 steps": host, "skipped": compiled.skipped}), flush=True)
    bad = dict(batch, labels=batch["labels"] + 10**6)
    try:
        *now, loss = compiled(*now, bad)
        jax.block_until_ready(loss)
        time.sleep(0.2)
        *now, loss = compiled(*now, batch)
        said = "nothing"
    except prec.RuntimeFailure as error:
        said = str(error)
    numpy = {name: np.asarray(value) for name, value in batch.items()}
    from_host = losses(compiled, again=lambda: numpy)[0]
    free = prec.jax.compile(step, params, state, batch, recipe="fp32", target=target, verify=False, cache=cache, donate=False)
    given = (copied(params), copied(state))
    once, twice = float(free(*given, batch)[2]), float(free(*given, batch)[2])
    now = compiled(*(copied(params), copied(state)), batch)
    for one in (*steps.values(), free):
        one.close()
    alive = float(jax.tree.leaves(now)[0].sum())  # after its step was closed
    return found | {"bad label": said, "batches of the host": from_host[::3], "without donation": [once, twice], "after close": alive}


def run(what, size, cache):
    if what == "small":
        from prec.jax.memory import default_target

        return small(cache, default_target())
    if what.startswith("ours"):
        return ours(size, cache, what.partition(":")[2] or "fp8-hybrid")
    kind = what.removeprefix("jit:")
    return jit(size, kind.removeprefix("scan-"), kind.startswith("scan-"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="+")
    parser.add_argument("--size", choices=SIZES, default="1b")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--cache", default=None, help="of compiled steps: an empty folder by default")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.here:
        import jax

        (name,) = arguments.what
        device = jax.local_devices()[0]
        print(json.dumps({"run": name, "size": arguments.size, "card": device.device_kind, "jax": jax.__version__,
                          **run(name, SIZES[arguments.size], arguments.cache)}), flush=True)
        return 0
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.what:
            command = [sys.executable, __file__, "--here", name, "--size", arguments.size, "--cache", arguments.cache or folder]
            # XLA's part of the GPU, as large for all.
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True,
                                  env={**os.environ, "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.92", "TF_CPP_MIN_LOG_LEVEL": "2"})
            failed += done.returncode != 0
            print(done.stdout.strip() if done.returncode == 0 else f"{name} failed: {done.stdout}", flush=True)
            if arguments.json and done.returncode == 0:
                with arguments.json.open("a") as file:
                    file.write(done.stdout.strip().splitlines()[-1] + "\n")
    return failed


if __name__ == "__main__":
    sys.exit(main())
