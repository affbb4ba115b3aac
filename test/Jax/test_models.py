# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models as they are written in JAX, trained on the CPU in FP32 beside JAX's own step."""
import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
import pytest
from flax import nnx
from steps import mlp, race, tokens, train

import prec.jax

BOUND = 2e-5


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def test_mlp(tmp_path):
    params, loss, batch = mlp()
    schedule = optax.warmup_cosine_decay_schedule(0.0, 1e-2, 5, 30)
    decays = jax.tree.map(lambda x: x.ndim > 1, params)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.1, mask=decays))
    worst, theirs, ours = race(train(loss, optimizer), (params, optimizer.init(params)), (batch,), tmp_path)
    assert worst < BOUND
    assert jax.tree.structure(theirs) == jax.tree.structure(ours)
    for right, got in zip(jax.tree.leaves(theirs), jax.tree.leaves(ours), strict=True):
        assert right.dtype == got.dtype and jnp.allclose(right, got, rtol=1e-4, atol=1e-6)
    assert int(ours[1][1][0].count) == 20


# Flax Linen, as Llama is written.

VOCABULARY, WIDTH, HEADS, GROUPS, HIDDEN, LAYERS = 256, 128, 4, 2, 352, 2


class RMSNorm(nn.Module):
    @nn.compact
    def __call__(self, x):
        scale = self.param("scale", nn.initializers.ones, (x.shape[-1],))
        return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * scale


def rotated(x):
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[1])[:, None] * (10000.0 ** (-jnp.arange(half) / half))[None]
    cos, sin = jnp.cos(angles)[None, :, None], jnp.sin(angles)[None, :, None]
    low, high = jnp.split(x, 2, -1)
    return jnp.concatenate([low * cos - high * sin, high * cos + low * sin], -1)


class Attention(nn.Module):
    @nn.compact
    def __call__(self, x):
        size = WIDTH // HEADS
        q, k, v = (nn.DenseGeneral((n, size), use_bias=False, name=name)(x) for n, name in ((HEADS, "q"), (GROUPS, "k"), (GROUPS, "v")))
        q, k = rotated(q), jnp.repeat(rotated(k), HEADS // GROUPS, 2)
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(size)
        scores = jnp.where(jnp.tril(jnp.ones((x.shape[1],) * 2, bool)), scores, -1e9)
        out = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), jnp.repeat(v, HEADS // GROUPS, 2))
        return nn.DenseGeneral(WIDTH, axis=(-2, -1), use_bias=False, name="o")(out)


class Block(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = x + Attention(name="attn")(RMSNorm(name="norm1")(x))
        h = RMSNorm(name="norm2")(x)
        gate, up = (nn.Dense(HIDDEN, use_bias=False, name=name)(h) for name in ("gate", "up"))
        return x + nn.Dense(WIDTH, use_bias=False, name="down")(nn.silu(gate) * up)


class Llama(nn.Module):
    @nn.compact
    def __call__(self, ids):
        x = nn.Embed(VOCABULARY, WIDTH, name="embed")(ids)
        for i in range(LAYERS):
            x = Block(name=f"layers_{i}")(x)
        return nn.Dense(VOCABULARY, use_bias=False, name="head")(RMSNorm(name="norm")(x))


def llama(batch=4, length=64):
    """The step, its state and a batch."""
    x, y = tokens(VOCABULARY, batch, length)
    model = Llama()
    params = jax.jit(model.init)(jax.random.key(0), x)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(1e-3, weight_decay=0.1))
    step = train(lambda p, b: optax.softmax_cross_entropy_with_integer_labels(model.apply(p, b["ids"]), b["labels"]).mean(), optimizer)
    return step, (params, optimizer.init(params)), ({"ids": x, "labels": y},)


@pytest.mark.cases(1)
@pytest.mark.parametrize("recipe, bound", [("fp32", BOUND), pytest.param("fp8-hybrid", 0.5, marks=pytest.mark.long)])
def test_linen_llama(tmp_path, recipe, bound):
    step, state, batch = llama()
    worst, theirs, ours = race(step, state, batch, tmp_path, recipe=recipe)
    assert worst < bound


# Equinox, as GPT-2 is written.


class EqxBlock(eqx.Module):
    norm1: eqx.nn.LayerNorm
    attention: eqx.nn.MultiheadAttention
    norm2: eqx.nn.LayerNorm
    mlp: eqx.nn.MLP

    def __init__(self, width, key):
        first, second = jax.random.split(key)
        self.norm1, self.norm2 = eqx.nn.LayerNorm(width), eqx.nn.LayerNorm(width)
        self.attention = eqx.nn.MultiheadAttention(4, width, key=first)
        self.mlp = eqx.nn.MLP(width, width, 4 * width, 1, activation=jax.nn.gelu, key=second)

    def __call__(self, x):
        h = jax.vmap(self.norm1)(x)
        x = x + self.attention(h, h, h, mask=jnp.tril(jnp.ones((x.shape[0],) * 2, bool)))
        return x + jax.vmap(self.mlp)(jax.vmap(self.norm2)(x))


class GPT2(eqx.Module):
    tokens: eqx.nn.Embedding
    positions: eqx.nn.Embedding
    blocks: list
    norm: eqx.nn.LayerNorm

    def __init__(self, width, length, layers, key):
        keys = jax.random.split(key, layers + 2)
        self.tokens, self.positions = eqx.nn.Embedding(64, width, key=keys[0]), eqx.nn.Embedding(length, width, key=keys[1])
        self.blocks = [EqxBlock(width, k) for k in keys[2:]]
        self.norm = eqx.nn.LayerNorm(width)

    def __call__(self, ids):
        x = jax.vmap(self.tokens)(ids) + jax.vmap(self.positions)(jnp.arange(len(ids)))
        for block in self.blocks:
            x = block(x)
        return jax.vmap(self.norm)(x) @ self.tokens.weight.T


@pytest.mark.long
def test_equinox_gpt2(tmp_path):
    model, optimizer = GPT2(32, 16, 2, jax.random.key(0)), optax.adamw(1e-3, weight_decay=0.1)

    @eqx.filter_value_and_grad
    def loss(model, ids, labels):
        return optax.softmax_cross_entropy_with_integer_labels(jax.vmap(model)(ids), labels).mean()

    @eqx.filter_jit
    def step(model, state, ids, labels):
        value, gradients = loss(model, ids, labels)
        updates, state = optimizer.update(gradients, state, eqx.filter(model, eqx.is_array))
        return eqx.apply_updates(model, updates), state, value
    worst, theirs, ours = race(step, (model, optimizer.init(eqx.filter(model, eqx.is_array))), tokens(64, 4, 16), tmp_path, jitted=step)
    assert worst < BOUND
    # What is no array is the model's own.
    assert ours[0].blocks[0].mlp.activation is model.blocks[0].mlp.activation


# NNX, as ViT is written.


class NnxBlock(nnx.Module):
    def __init__(self, width, rngs):
        self.norm1, self.norm2 = nnx.LayerNorm(width, rngs=rngs), nnx.LayerNorm(width, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(4, width, decode=False, rngs=rngs)
        self.up, self.down = nnx.Linear(width, 4 * width, rngs=rngs), nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(nnx.gelu(self.up(self.norm2(x))))


class ViT(nnx.Module):
    def __init__(self, width, patch, rngs):
        self.patches = nnx.Conv(3, width, (patch, patch), strides=(patch, patch), padding="VALID", rngs=rngs)
        self.token = nnx.Param(jnp.zeros((1, 1, width)))
        self.positions = nnx.Param(jax.random.normal(rngs.params(), (1, 17, width)) * 0.02)
        self.blocks = nnx.List([NnxBlock(width, rngs) for _ in range(2)])
        self.norm, self.head = nnx.LayerNorm(width, rngs=rngs), nnx.Linear(width, 10, rngs=rngs)

    def __call__(self, image):
        x = self.patches(image)
        x = x.reshape(len(x), -1, x.shape[-1])
        x = jnp.concatenate([jnp.broadcast_to(self.token[...], (len(x), 1, x.shape[-1])), x], 1) + self.positions[...]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)[:, 0])


@pytest.mark.long
def test_nnx_vit(tmp_path):
    model = ViT(32, 4, nnx.Rngs(0))
    definition, state = nnx.split((model, nnx.Optimizer(model, optax.adamw(1e-3), wrt=nnx.Param)))

    def step(state, batch):
        model, optimizer = nnx.merge(definition, state)
        value, gradients = nnx.value_and_grad(lambda m: cross_entropy(m(batch["image"]), batch["label"]))(model)
        optimizer.update(model, gradients)
        return nnx.state((model, optimizer)), value
    batch = {"image": jax.random.normal(jax.random.key(1), (8, 16, 16, 3)), "label": jnp.arange(8) % 10}
    worst, theirs, ours = race(step, (state,), (batch,), tmp_path)
    assert worst < BOUND


class Cnn(nnx.Module):
    def __init__(self, rngs):
        self.first, self.second = nnx.Conv(1, 8, (3, 3), rngs=rngs), nnx.Conv(8, 8, (3, 3), strides=2, rngs=rngs)
        self.norm, self.head = nnx.BatchNorm(8, momentum=0.9, rngs=rngs), nnx.Linear(8, 4, rngs=rngs)

    def __call__(self, x):
        x = nnx.max_pool(nnx.relu(self.norm(self.first(x))), (2, 2), (2, 2))
        return self.head(nnx.avg_pool(self.second(x), (2, 2), (1, 1)).mean((1, 2)))


@pytest.mark.long
def test_statistics_are_state(tmp_path):
    model = Cnn(nnx.Rngs(0))
    definition, state = nnx.split((model, nnx.Optimizer(model, optax.sgd(1e-2, momentum=0.9), wrt=nnx.Param)))

    def step(state, batch):
        model, optimizer = nnx.merge(definition, state)
        value, gradients = nnx.value_and_grad(lambda m: cross_entropy(m(batch["x"]), batch["y"]))(model)
        optimizer.update(model, gradients)
        return nnx.state((model, optimizer)), value
    batch = {"x": jax.random.normal(jax.random.key(1), (4, 12, 12, 1)), "y": jnp.arange(4)}
    worst, theirs, ours = race(step, (state,), (batch,), tmp_path)
    assert worst < BOUND
    for right, got in zip(jax.tree.leaves(theirs), jax.tree.leaves(ours), strict=True):
        assert jnp.allclose(right, got, rtol=1e-3, atol=1e-5)


# A scan over stacked layers.


def stacked(layers, width=32, length=16, remat=False):
    """Parameters of all layers in one array each, and the loss."""
    keys = jax.random.split(jax.random.key(0), 8)

    def draw(key, *shape):
        return jax.random.normal(key, shape) * 0.1
    params = {"embed": draw(keys[0], 64, width), "head": draw(keys[1], width, 64),
              "layers": {"attention": {name: draw(k, layers, width, width) for name, k in zip("qkvo", keys[2:])}, "norm": jnp.ones((layers, width)),
                         "mlp": {"up": draw(keys[6], layers, width, 64), "down": draw(keys[7], layers, 64, width)}}}

    def block(x, p):
        h = x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-5) * p["norm"]
        q, k, v = ((h @ p["attention"][name]).reshape(*x.shape[:-1], 2, width // 2) for name in "qkv")
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), jnp.einsum("bqhd,bkhd->bhqk", q, k) / 4.0, -1e9)
        x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), v).reshape(x.shape) @ p["attention"]["o"]
        return x + jax.nn.gelu(x @ p["mlp"]["up"]) @ p["mlp"]["down"], None

    def loss(params, batch):
        x, _ = jax.lax.scan(jax.checkpoint(block) if remat else block, params["embed"][batch["ids"]], params["layers"])
        return optax.softmax_cross_entropy_with_integer_labels(x @ params["head"], batch["labels"]).mean()
    ids, labels = tokens(64, 2, length)
    return params, loss, {"ids": ids, "labels": labels}


@pytest.mark.parametrize("layers, remat", [(3, True), pytest.param(16, False, marks=pytest.mark.long)])
@pytest.mark.long
def test_scan_over_layers(tmp_path, layers, remat):
    params, loss, batch = stacked(layers, remat=remat)
    decays = jax.tree.map(lambda x: x.ndim > 2, params)
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(3e-4, 100), weight_decay=0.1, mask=decays))
    worst, theirs, ours = race(train(loss, optimizer), (params, optimizer.init(params)), (batch,), tmp_path)
    assert worst < BOUND
    assert jax.tree.map(jnp.shape, ours) == jax.tree.map(jnp.shape, theirs)
    for right, got in zip(jax.tree.leaves(theirs[0]), jax.tree.leaves(ours[0]), strict=True):
        assert jnp.allclose(right, got, rtol=1e-3, atol=1e-4)


def test_layers_of_a_scan_have_names():
    params, loss, batch = stacked(3)
    optimizer = optax.adamw(1e-3)
    imported = prec.jax.import_jax(train(loss, optimizer), params, optimizer.init(params), batch, verify=False)
    roles = {a.path: a.role for a in imported.graph.arguments}
    assert [path for path in roles if path.endswith("attention.q")] == [f"layers[{i}].attention.q" for i in range(3)]
    assert roles["layers[2].mlp.up"] == "parameter" and roles["layers[1].norm.nu"] == "optimizer_state"
    products = [op.path for op in imported.graph.ops if op.name == "prec_train.matmul"]
    # Forward, and both gradients.
    assert products.count("layers[1].mlp.up") == 3
    assert sum(op.name == "prec_train.update" for op in imported.graph.ops) == 2 + 3 * 7


@pytest.mark.long
def test_many_layers_import_in_linear_time():
    import time

    def seconds(layers):
        params, loss, batch = stacked(layers)
        optimizer = optax.adamw(1e-3)
        state = optimizer.init(params)
        start = time.monotonic()
        prec.jax.import_jax(train(loss, optimizer), params, state, batch, verify=False)
        return time.monotonic() - start
    seconds(2)
    few, many = seconds(32), seconds(126)
    assert many < 30 and many < 8 * few


