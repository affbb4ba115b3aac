# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of JAX and their gradients, which verification compares with JAX's own in float64."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from steps import checked


def floats(*shape, seed=0):
    return jnp.array(np.random.default_rng(seed).standard_normal(shape), jnp.float32)


def whole(most, *shape, seed=0, least=0):
    return jnp.array(np.random.default_rng(seed).integers(least, most, shape), jnp.int32)


X, Y = floats(3, 5), floats(3, 5, seed=1)
POSITIVE = jnp.abs(X) + 0.5
IDS = whole(5, 2, 4)
CONV = ("NHWC", "HWIO", "NHWC")
PICTURE = floats(2, 9, 8, 4)

ELEMENTWISE = {
    "exp": jnp.exp, "exp2": jnp.exp2, "log": lambda x: jnp.log(jnp.abs(x) + 1), "log1p": lambda x: jnp.log1p(x * x), "expm1": jnp.expm1,
    "sin": jnp.sin,
    "cos": jnp.cos, "tan": lambda x: jnp.tan(x / 4), "tanh": jnp.tanh, "sinh": jnp.sinh, "cosh": jnp.cosh, "sqrt": lambda x: jnp.sqrt(x * x + 1),
    "rsqrt": lambda x: lax.rsqrt(x * x + 1), "cbrt": lambda x: jnp.cbrt(x * x + 1), "erf": lax.erf, "erfc": lax.erfc, "logistic": jax.nn.sigmoid,
    "abs": jnp.abs, "sign": lambda x: x * jnp.sign(x), "floor": lambda x: x * jnp.floor(x), "ceil": lambda x: x * jnp.ceil(x),
    "round": lambda x: x * jnp.round(x), "square": jnp.square, "cube": lambda x: x**3, "inverse": lambda x: (x * x + 1)**-2,
    "power": lambda x: (x * x + 1)**1.7,
    "clip": lambda x: jnp.clip(x, -0.5, 0.5), "relu": jax.nn.relu, "gelu": jax.nn.gelu, "exact gelu": lambda x: jax.nn.gelu(x, approximate=False),
    "silu": jax.nn.silu, "elu": jax.nn.elu, "selu": jax.nn.selu, "softplus": jax.nn.softplus, "leaky": jax.nn.leaky_relu, "swish": jax.nn.hard_swish,
    "finite": lambda x: jnp.where(jnp.isfinite(x), x, 0), "where": lambda x: jnp.where(x > 0, x, 2 * x),
    "logaddexp": lambda x: jnp.logaddexp(x, 2 * x),
    "bf16": lambda x: x.astype(jnp.bfloat16).astype(jnp.float32) * 2, "whole": lambda x: x * (x * 3).astype(jnp.int32),
    "stop": lambda x: x * lax.stop_gradient(x),
    "nan to num": jnp.nan_to_num, "maximum": lambda x: jnp.maximum(x, 0.1), "remainder": lambda x: jnp.remainder(x, 0.7),
    "mod": lambda x: jnp.fmod(x, 0.7), "inverse erf": lambda x: lax.erf_inv(jnp.tanh(x)),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", ELEMENTWISE)
def test_elementwise(name):
    checked(ELEMENTWISE[name], X)


SHAPES = {
    "transpose": lambda x: jnp.transpose(x, (2, 0, 1)), "reshape": lambda x: x.reshape(6, 4), "expand": lambda x: x[:, None, :, :, None],
    "broadcast": lambda x: jnp.broadcast_to(x[:, :1], (2, 5, 4)), "concatenate": lambda x: jnp.concatenate([x, x * 2], 1),
    "stack": lambda x: jnp.stack([x, x], 1),
    "split": lambda x: jnp.split(x, 2, -1)[1], "pad": lambda x: jnp.pad(x, ((1, 0), (0, 2), (1, 1))),
    "pad wrap": lambda x: jnp.pad(x, ((0, 0), (1, 1), (0, 0)), "edge"),
    "between": lambda x: lax.pad(x, 0.0, ((0, 0, 0), (1, 1, 2), (0, -1, 1))), "slice": lambda x: x[:, 1:, ::2], "last": lambda x: x[..., -1],
    "flip": lambda x: jnp.flip(x, (0, 2)),
    "roll": lambda x: jnp.roll(x, 1, 1), "repeat": lambda x: jnp.repeat(x, 2, 1), "tile": lambda x: jnp.tile(x, (1, 2, 1)), "tril": jnp.tril,
    "swap": lambda x: jnp.swapaxes(x, 0, 2), "squeeze": lambda x: x[:1].squeeze(0), "diagonal": lambda x: jnp.diagonal(x, axis1=0, axis2=1),
    "dynamic": lambda x: lax.dynamic_slice(x, (1, 0, 1), (1, 2, 2)), "update": lambda x: lax.dynamic_update_slice(x, x[:1, :2] * 2, (1, 1, 0)),
    "set": lambda x: x.at[:, 1].set(0.5), "add": lambda x: x.at[1, :, 2].add(x[0, :, 0]), "multiply": lambda x: x.at[0].multiply(2.0),
    "meshgrid": lambda x: x + jnp.arange(4.0),
    "eye": lambda x: x[0, :, :3] @ jnp.eye(3), "table": lambda x: x * np.arange(12.0, dtype=np.float32).reshape(3, 4),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", SHAPES)
def test_shapes(name):
    checked(SHAPES[name], floats(2, 3, 4))


REDUCTIONS = {
    "sum": lambda x: x.sum(1), "mean": lambda x: x.mean((0, 2)), "max": lambda x: x.max(-1), "min": lambda x: x.min(0),
    "prod": lambda x: x.prod(1), "var": lambda x: x.var(-1),
    "norm": lambda x: jnp.linalg.norm(x, axis=-1), "logsumexp": lambda x: jax.nn.logsumexp(x, -1), "softmax": lambda x: jax.nn.softmax(x, -1),
    "log softmax": lambda x: jax.nn.log_softmax(x, 1), "standardize": lambda x: jax.nn.standardize(x),
    "all": lambda x: x * (x > -9).all(-1, keepdims=True),
    "any": lambda x: x * (x > 1).any(1, keepdims=True), "argmax": lambda x: x * jnp.argmax(x, 1, keepdims=True),
    "argmin": lambda x: x * jnp.argmin(x, -1, keepdims=True),
    "cumsum": lambda x: jnp.cumsum(x, 1), "reversed cumsum": lambda x: lax.cumsum(x, 2, reverse=True), "cumprod": lambda x: jnp.cumprod(x, 1),
    "cummax": lambda x: lax.cummax(x, 1),
    "cummin": lambda x: lax.cummin(x, 2, reverse=True), "cumlogsumexp": lambda x: lax.cumlogsumexp(x, 1), "sort": lambda x: jnp.sort(x, 1),
    "argsort": lambda x: jnp.argsort(x, -1) * x,
    "top_k": lambda x: lax.top_k(x, 2)[0], "top_k places": lambda x: lax.top_k(x, 2)[1] * x[..., :2], "median": lambda x: jnp.median(x, 1),
    "one hot": lambda x: jax.nn.one_hot(jnp.argmax(x, -1), 4) * x,
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    checked(REDUCTIONS[name], floats(2, 3, 4))


PRODUCTS = {
    "matrix": ("ij,jk->ik", (3, 4), (4, 5)), "transposed": ("ij,kj->ik", (3, 4), (5, 4)), "first": ("ji,jk->ik", (4, 3), (4, 5)),
    "batch": ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    "heads": ("bqhd,bkhd->bhqk", (2, 3, 2, 4), (2, 5, 2, 4)), "values": ("bhqk,bkhd->bqhd", (2, 2, 3, 5), (2, 5, 2, 4)),
    "two summed": ("bsd,dhk->bshk", (2, 3, 4), (4, 2, 5)),
    "out": ("bshk,hkd->bsd", (2, 3, 2, 5), (2, 5, 4)), "outer": ("i,j->ij", (3,), (4,)), "dot": ("i,i->", (5,), (5,)),
    "vector": ("ij,j->i", (3, 4), (4,)),
    "batch in the middle": ("ibj,jbk->bik", (3, 2, 4), (4, 2, 5)), "between": ("abc,adc->bd", (2, 3, 4), (2, 5, 4)),
    "grouped": ("bghqd,bgkd->bghqk", (2, 2, 3, 4, 5), (2, 2, 6, 5)),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", PRODUCTS)
def test_products(name):
    equation, *shapes = PRODUCTS[name]
    imported = checked(lambda x, y: jnp.einsum(equation, x, y), *(floats(*shape, seed=i) for i, shape in enumerate(shapes)))
    assert imported.mlir.count("prec_train.matmul") >= (1 if name == "dot" else 2)


LOOKUPS = {
    "take": lambda x, i: jnp.take(x, i, axis=0), "index": lambda x, i: x[i], "columns": lambda x, i: x[:, i % 4],
    "both": lambda x, i: x[i, i[::-1] % 4],
    "along": lambda x, i: jnp.take_along_axis(x, i[:, :1].repeat(5, 1)[:, :3].repeat(3, 0)[:5] % 3, 1),
    "clip": lambda x, i: jnp.take(x, i + 2, axis=0, mode="clip"),
    "fill": lambda x, i: jnp.nan_to_num(jnp.take(x, i * 2, axis=0, mode="fill")), "computed": lambda x, i: x[(i * 3 + 1) % 5],
    "from the end": lambda x, i: x[-1 - i % 4],
    "scatter": lambda x, i: x.at[i[0]].set(x[0] * 2), "scatter add": lambda x, i: x.at[i].add(1.5),
    "scatter rows": lambda x, i: x.at[i[1]].add(x[:4]),
    "scatter max": lambda x, i: x.at[i[0]].max(0.1), "scatter min": lambda x, i: x.at[i[0]].min(0.1),
    "dropped": lambda x, i: x.at[i[0] * 2].add(x[0], mode="drop"),
    "segments": lambda x, i: jax.ops.segment_sum(x[:4], i[0], 5), "one place": lambda x, i: x.at[i[0, 0], 1].set(7.0),
    "window": lambda x, i: lax.dynamic_slice(x, (i[0, 0], 0), (2, 3)),
    "update window": lambda x, i: lax.dynamic_update_slice(x, x[:2] * 3, (i[0, 1], 0)),
    "vmapped": lambda x, i: jax.vmap(lambda row, j: row[j])(x[:2], i % 3),
    "vmapped window": lambda x, i: jax.vmap(lambda row, j: lax.dynamic_slice(row, (j,), (2,)))(x[:2], i[:, 0] % 3),
    "twice": lambda x, i: jnp.sort(x, 0)[i], "permuted": lambda x, i: x[jnp.argsort(i[0])],
    "counts": lambda x, i: x * jnp.bincount(i.reshape(-1), length=5)[:, None],
    "where": lambda x, i: jnp.where(i[..., None] > 2, x[i], 0.0), "searched": lambda x, i: x * jnp.searchsorted(jnp.arange(5), i[0, 0]),
    "searched floats": lambda x, i: x * jnp.searchsorted(jnp.sort(x[:, 0]), x[0, 1]),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", LOOKUPS)
def test_lookups(name):
    checked(LOOKUPS[name], floats(5, 4), IDS)


WHOLE = {
    "arithmetic": lambda i: (i * 3 - 7) // 2 + i % 3, "negative": lambda i: (-i * 5) // 3 + (-i) % 4,
    "zero": lambda i: lax.div(i, i - i) + lax.rem(i, i - i),
    "bits": lambda i: (i & 3) | (i ^ 5) | ~i, "shifts": lambda i: (i << 2) + (i >> 1),
    "shifts without sign": lambda i: lax.shift_right_logical(i - 3, jnp.full_like(i, 5)) + lax.shift_right_logical(
        (i * 40).astype(jnp.int8), jnp.full(i.shape, 3, jnp.int8)), "sort words": lambda i: jnp.sort(i.astype(jnp.uint32) * 1000003000, 1) >> 8,
    "uint8": lambda i: (i + 250).astype(jnp.uint8).astype(jnp.int32),
    "int8": lambda i: (i * 40).astype(jnp.int8).astype(jnp.int32), "uint32": lambda i: (i.astype(jnp.uint32) - 3).astype(jnp.float32),
    "int16": lambda i: ((i * 9000).astype(jnp.int16) * jnp.int16(2)).astype(jnp.int32), "power": lambda i: i**3,
    "compare": lambda i: (i >= 2).astype(jnp.int32) + (i == 3),
    "minimum": lambda i: jnp.minimum(i, 3) + jnp.maximum(i, 1), "bool": lambda i: (i > 1) & ~(i == 3) | (i == 0),
    "abs": lambda i: jnp.abs(i - 3) * jnp.sign(i - 2),
    "large": lambda i: (i.astype(jnp.float32) * 1e9).astype(jnp.int32) % 7, "choose": lambda i: jnp.choose(i % 3, [i, i * 2, i * 3], mode="clip"),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", WHOLE)
def test_whole_numbers(name):
    checked(lambda x, i: x * WHOLE[name](i), floats(2, 4), IDS)


CONVOLUTIONS = {
    "plain": dict(window_strides=(1, 1), padding="VALID"), "same": dict(window_strides=(1, 1), padding="SAME"),
    "strided": dict(window_strides=(2, 2), padding="SAME"),
    "asymmetric": dict(window_strides=(2, 1), padding=((0, 2), (1, 0))), "dilated": dict(window_strides=(1, 1), padding="SAME", rhs_dilation=(2, 1)),
    "cut": dict(window_strides=(1, 1), padding=((-1, 1), (0, -2))), "patches": dict(window_strides=(3, 2), padding="VALID"),
    "grouped": dict(window_strides=(1, 1), padding="SAME", feature_group_count=2),
    "depthwise": dict(window_strides=(2, 2), padding="SAME", feature_group_count=4),
    "transposed": dict(window_strides=(1, 1), padding=((2, 2), (1, 2)), lhs_dilation=(2, 2)),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", CONVOLUTIONS)
def test_convolutions(name):
    options = CONVOLUTIONS[name]
    kernel = floats(3, 2, 4 // options.get("feature_group_count", 1), 8, seed=3)
    picture = PICTURE[:, :9] if name != "patches" else PICTURE
    checked(lambda x, w: lax.conv_general_dilated(x, w, dimension_numbers=CONV, **options), picture, kernel)


@pytest.mark.parametrize("numbers", [("NCHW", "OIHW", "NCHW"), ("HWCN", "IOHW", "NHWC")])
def test_orders_of_convolutions(numbers):
    shape = {"N": 2, "H": 6, "W": 5, "C": 3}
    kernel = {"O": 4, "I": 3, "H": 3, "W": 2}
    x, w = floats(*(shape[d] for d in numbers[0])), floats(*(kernel[d] for d in numbers[1]), seed=1)
    checked(lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=numbers), x, w)


POOLS = {
    "max": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"),
    "overlapping max": lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"),
    "average": lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 2, 3, 1), (1, 2, 1, 1), "SAME") / 6,
}


@pytest.mark.parametrize("name", POOLS)
def test_pooling(name):
    checked(POOLS[name], PICTURE)


def _fori(x):
    return lax.fori_loop(0, 4, lambda i, c: c * 0.9 + x[i % 3] * i, x[0])


CONTROL = {
    "scan": lambda x: lax.scan(lambda c, row: (c + jnp.sin(row), c * row), x[0], x),
    "reversed": lambda x: lax.scan(lambda c, row: (c * 0.5 + row, c), x[0], x, reverse=True),
    "counted": lambda x: lax.scan(lambda c, i: (c * jnp.cos(i), i * c), x[0], jnp.arange(4.0)), "fori": _fori, "map": lambda x: lax.map(jnp.tanh, x),
    "remat": jax.checkpoint(lambda x: jnp.sin(jnp.cos(x) @ x.T)), "known cond": lambda x: lax.cond(True, jnp.sin, jnp.cos, x),
    "cond": lambda x: lax.cond(x.sum() > 0, jnp.sin, lambda y: y * 2, x),
    "switch": lambda x: lax.switch((x[0, 0] * 2).astype(jnp.int32), [jnp.sin, jnp.cos, jnp.tanh], x),
    "jit": jax.jit(lambda x: jax.jit(jnp.sin)(x) * 2), "vmap": jax.vmap(lambda row: row @ row * row),
    "nested": lambda x: lax.scan(lambda c, r: lax.scan(lambda d, s: (d + s * c.sum(), d), c, x), x[0], x),
    "while": lambda x: lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 2), (0, lax.stop_gradient(x)))[1] * x,
    "associative": lambda x: lax.associative_scan(jnp.add, x),
}


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", CONTROL)
def test_control(name):
    checked(CONTROL[name], floats(3, 4))


@jax.custom_vjp
def _doubled(x):
    return x * x


_doubled.defvjp(lambda x: (x * x, x), lambda x, g: (g * 3 * x,))


@jax.custom_jvp
def _odd(x):
    return jnp.sin(x)


@_odd.defjvp
def _odd_jvp(primals, tangents):
    return jnp.sin(primals[0]), tangents[0] * 2


@pytest.mark.parametrize("function", [_doubled, _odd], ids=["custom_vjp", "custom_jvp"])
def test_gradients_of_the_users_own(function):
    checked(function, X)
