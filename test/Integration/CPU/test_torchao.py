# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recipe `torchao-tensorwise` against torchao itself: the operands, scales and products of every layer, as the
recipe is shipped, and the gradients of a whole model in FP32, where nothing but FP8 rounds visibly."""
import dataclasses
import json
import pathlib
import sys
import types
import typing

import ml_dtypes
import numpy as np
import pytest
import torch
from conftest import ROOT
from first_step import adamw, inputs, read_gradients
from kept_values import KeptStep, keep_values
from rounding_noise import gradients as exact_gradients, lambda_of, length_of_errors
from test_against_pytorch import VOCABULARY, llama
from torch.utils._python_dispatch import TorchDispatchMode

import prec

# No layer has as many inputs or outputs as there are tokens: a product's sizes tell its direction.
BATCH, SEQUENCE = 3, 32
TOKENS = BATCH * SEQUENCE
BF16 = ml_dtypes.bfloat16
RECIPE = json.loads((ROOT / "recipes/torchao-tensorwise.json").read_text())
CONTRACTION = RECIPE["contraction"]


def contracted(**changed):
    return {"contraction": CONTRACTION | {name: CONTRACTION[name] | operands for name, operands in changed.items()}}


E4M3 = {"format": "e4m3", "scaling": "tensor_current"}
E5M2 = {"format": "e5m2", "scaling": "tensor_current"}
# Recipes that are not torchao's, as changes of the one that is.
WRONG = {
    "scales of powers of two": {"amax": RECIPE["amax"] | {"power_of_two": True}},
    "a margin": {"amax": RECIPE["amax"] | {"margin": 1}},
    "an epsilon above the amax of gradients": {"amax": {"epsilon": {"gradient": 1.0}}},
    "gradients in E4M3": contracted(dgrad={"gradient": E4M3}, wgrad={"gradient": E4M3}),
    "scales of rows": {"contraction": json.loads((ROOT / "recipes/fp8-rowwise.json").read_text())["contraction"]},
    "activations of wgrad in E5M2": contracted(wgrad={"gradient": E4M3, "activation": E5M2}),
}


class Product(typing.NamedTuple):
    """Operands [rows, k], both contracted along their rows, and the inverse scales that undo their scales."""
    a: np.ndarray
    b: np.ndarray
    scale_inv_a: float
    scale_inv_b: float

    def exact(self):
        """In float64, and the sum of magnitudes."""
        a, b = (self.a.astype(np.float64) * self.scale_inv_a), (self.b.astype(np.float64) * self.scale_inv_b)
        return a @ b.T, np.abs(a) @ np.abs(b.T)


def expect_equal(ours, theirs):
    for got, wanted in zip(ours, theirs, strict=True):
        got, wanted = np.atleast_1d(got), np.atleast_1d(wanted)
        assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
        np.testing.assert_array_equal(got.view(np.uint8), wanted.view(np.uint8))


@pytest.fixture(scope="module")
def torchao():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(pathlib.Path(sys.prefix) / "oracles")
        float8 = pytest.importorskip("torchao.float8", reason="torchao must be in the environment's folder oracles")
        tensor = pytest.importorskip("torchao.float8.float8_training_tensor")
        yield types.SimpleNamespace(convert=float8.convert_to_float8_training, Config=float8.Float8LinearConfig, Tensor=tensor.Float8TrainingTensor)


def convert(torchao, model, **options):
    """Every linear layer, on a machine without FP8."""
    config = dataclasses.replace(torchao.Config.from_recipe_name("tensorwise"), **{"emulate": True, **options})
    return torchao.convert(model, config=config)


class Products(TorchDispatchMode):
    """The products that torchao computes, in their order."""

    def __init__(self, torchao):
        super().__init__()
        self.tensor, self.found = torchao.Tensor, []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function is torch.ops.aten.mm.default and isinstance(args[0], self.tensor):
            a, b = args
            self.found.append(Product(to_numpy(a._data), to_numpy(b._data.t()), *(np.float32(x._scale.reciprocal().item()) for x in args)))
        return function(*args, **(kwargs or {}))


def to_numpy(x):
    dtype = {torch.float8_e4m3fn: ml_dtypes.float8_e4m3fn, torch.float8_e5m2: ml_dtypes.float8_e5m2, torch.bfloat16: BF16}[x.dtype]
    return x.contiguous().view(torch.int8 if x.itemsize == 1 else torch.int16).numpy().view(dtype)


def to_torch(x):
    return torch.from_numpy(x.view(np.int16)).view(torch.bfloat16)


def build():
    torch.manual_seed(0)
    return llama()


def batch_of(seed):
    return np.cumsum(np.random.default_rng(seed).integers(-2, 3, (BATCH, SEQUENCE)), 1).astype(np.int64) % VOCABULARY


@pytest.fixture(scope="module")
def open_recipe(compile_module, tmp_path_factory):
    """The model's step in torchao-tensorwise with changes; `keep` says whether to keep all its values."""
    compiled = {}

    def compile_(changes):
        model, ids = build(), torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
        imported = prec.import_torch(model, adamw(model.parameters()), {"input_ids": ids, "labels": ids}, clip_grad_norm=1.0, verify=False)
        recipe = tmp_path_factory.mktemp("recipe") / "recipe.json"
        recipe.write_text(json.dumps(RECIPE | changes))
        return compile_module(imported, recipe)

    def open_(changes, keep=True):
        key = json.dumps(changes)
        if key not in compiled:
            compiled[key] = compile_(changes)
        path, weights = compiled[key]
        module = prec.Module(keep_values(path) if keep else path)
        module.load(weights)
        return module
    return open_


def products_of(run):
    """Commands of FP8 products and what they read, by layer and direction."""
    found = {}
    for command in run.commands:
        if command["op"] == "gemm" and "scale_a" in command:
            direction = "fprop" if command["phase"] == "forward" else "wgrad" if command["k"] == TOKENS else "dgrad"
            assert (command["path"], direction) not in found
            found[command["path"], direction] = command, Product(*(run.values[command[key]] for key in ("a", "b", "scale_a", "scale_b")))
    return found


def sources(run, columns, depth=16):
    """What the step stored in BF16 for each token, token by token or head by head."""
    for value in run.values.values():
        if value.dtype == BF16 and value.size == TOKENS * columns:
            yield value.reshape(TOKENS, columns)
            yield value.reshape(BATCH, columns // depth, SEQUENCE, depth).swapaxes(1, 2).reshape(TOKENS, columns)


def run_layer(torchao, layer, x, dy):
    """Its three products, and their results, by direction."""
    x = to_torch(x.copy()).requires_grad_()
    layer.weight.grad = None
    with Products(torchao) as products:
        y = layer(x)
        y.backward(to_torch(dy.copy()))
    names = ("fprop", "dgrad", "wgrad")
    return dict(zip(names, products.found, strict=True)), dict(zip(names, (y.detach(), x.grad, layer.weight.grad)))


def find_source(candidates, expected, product_of):
    """The stored values of which torchao makes an operand that the step has."""
    for candidate in candidates:
        if agrees(expected, product_of(candidate)):
            return candidate
    raise AssertionError("some stored values must give the operand, but none do")


def agrees(ours, theirs):
    try:
        expect_equal(ours, theirs)
    except AssertionError:
        return False
    return True


def expect_layer(torchao, layer, run, products):
    """All that a layer's products read is what torchao makes of the same inputs; so is, but for sums in FP32, what they
    give."""
    ours = {direction: product for direction, (_, product) in products.items()}
    assert set(ours) == {"fprop", "dgrad", "wgrad"}
    outputs, columns = layer.weight.shape
    zeros = np.zeros((TOKENS, outputs), BF16)
    x = find_source(sources(run, columns), ours["fprop"], lambda x: run_layer(torchao, layer, x, zeros)[0]["fprop"])
    dy = find_source(sources(run, outputs), ours["dgrad"], lambda dy: run_layer(torchao, layer, x, dy)[0]["dgrad"])
    theirs, results = run_layer(torchao, layer, x, dy)
    for direction, (command, product) in products.items():
        expect_equal(product, theirs[direction])
        expect_product(product, command["k"], run.values[command["d"]], results[direction].float().numpy().astype(BF16))


def expect_product(product, k, *results):
    """Within a sum of k products in FP32 and five more roundings: two quotients of torchao's, or the product of our
    inverse scales and with it."""
    exact, magnitudes = product.exact()
    bound = (k + 5) * 2.0**-24 * 1.01 * magnitudes
    low, high = ((exact + side * bound).astype(np.float32).astype(BF16) for side in (-1, 1))
    for result in results:
        assert np.all((low <= result) & (result <= high))


def by_layer(run):
    layers = {}
    for (path, direction), found in products_of(run).items():
        layers.setdefault(path, {})[direction] = found
    return layers


def linear_layers(model):
    return {path: module for path, module in model.named_modules() if isinstance(module, torch.nn.Linear)}


@pytest.fixture(scope="module")
def step(open_recipe):
    return KeptStep(open_recipe({}), inputs(batch_of(0)))


def test_layers(torchao, step):
    linear, layers = linear_layers(convert(torchao, build())), by_layer(step)
    assert set(linear) == set(layers) and len(linear) == 15
    for path, layer in linear.items():
        expect_layer(torchao, layer, step, layers[path])


@pytest.mark.parametrize("name", WRONG)
def test_layers_tell_other_recipes(torchao, open_recipe, name):
    run = KeptStep(open_recipe(WRONG[name]), inputs(batch_of(0)))
    layer = linear_layers(convert(torchao, build()))["model.layers.0.mlp.up_proj"]
    with pytest.raises(AssertionError):
        expect_layer(torchao, layer, run, by_layer(run)["model.layers.0.mlp.up_proj"])


@pytest.mark.parametrize("flaw", ["scales of the other operand", "a rounding to bf16 before", "inverse scales off in the last place"])
def test_layers_tell_flaws(torchao, step, flaw):
    path = "model.layers.1.mlp.down_proj"
    layer, products = linear_layers(convert(torchao, build()))[path], by_layer(step)[path]
    command, product = products["dgrad"]
    if flaw == "scales of the other operand":
        product = product._replace(scale_inv_a=product.scale_inv_b, scale_inv_b=product.scale_inv_a)
    elif flaw == "a rounding to bf16 before":
        weight = layer.weight.detach().numpy()
        scale = np.float32(448) / np.abs(weight).max()
        product = product._replace(b=(weight.astype(BF16).astype(np.float32) * scale).astype(product.b.dtype).T)
    else:
        product = product._replace(scale_inv_b=np.nextafter(product.scale_inv_b, np.float32(1)))
    with pytest.raises(AssertionError):
        expect_layer(torchao, layer, step, products | {"dgrad": (command, product)})


def torchao_step(torchao, model, batch):
    """Gradients by parameter, and the products by layer and direction."""
    model.zero_grad()
    tokens, products = torch.from_numpy(batch), {}
    with Products(torchao) as recorded:
        model(input_ids=tokens, labels=tokens).loss.backward()
    layers = list(linear_layers(model))
    forward, backward = recorded.found[:len(layers)], recorded.found[len(layers):]
    for path, product in zip(layers, forward, strict=True):
        products[path, "fprop"] = product
    for dgrad, wgrad in zip(backward[::2], backward[1::2], strict=True):
        path = next(path for path in layers if agrees([products[path, "fprop"].b.T.copy()], [dgrad.b]))
        products[path, "dgrad"], products[path, "wgrad"] = dgrad, wgrad
    return {name: parameter.grad.double().numpy() for name, parameter in model.named_parameters()}, products


FP32 = {"dtypes": {"model_dtype": "fp32", "master_dtype": "fp32"}}


@pytest.mark.long
def test_gradients(torchao, open_recipe):
    """A rounding that another order of sums lets fall the other way moves all that come later, so in some batches
    gradients are off by more than FP32 makes of them; but never so in all of them, as those of every other rounding
    are."""
    kept = open_recipe(FP32)
    model, powers, plain = convert(torchao, build()), convert(torchao, build(), round_scales_to_power_of_2=True), build()
    plain.set_attn_implementation("eager")
    close, far = [], {"torchao with powers of two": [], "FP32": [], "gradients in E4M3": []}
    for seed in range(8):
        batch = batch_of(seed)
        expected, theirs = torchao_step(torchao, model, batch)
        ours = products_of(KeptStep(kept, inputs(batch)))
        assert set(ours) == set(theirs) and len(ours) == 45
        for (path, direction), (_, product) in ours.items():
            if direction != "wgrad":
                expect_equal([product.b, product.scale_inv_b], [theirs[path, direction].b, theirs[path, direction].scale_inv_b])
        allowed = {name: 2**0.5 * lambda_of(len(expected)) * length
                   for name, length in length_of_errors(plain, torch.from_numpy(batch), runs=2).items()}

        def excess(gradients, allowed=allowed, expected=expected):
            """The largest, over parameters, of a distance by what FP32 makes of it."""
            return max(np.linalg.norm(np.asarray(gradients[name]) - wanted) / allowed[name] for name, wanted in expected.items())
        close.append(excess(read_gradients(open_recipe(FP32, keep=False), batch)))
        far["torchao with powers of two"].append(excess(torchao_step(torchao, powers, batch)[0]))
        far["FP32"].append(excess(exact_gradients(plain, torch.from_numpy(batch))))
        far["gradients in E4M3"].append(excess(read_gradients(open_recipe(FP32 | WRONG["gradients in E4M3"], keep=False), batch)))
    assert sum(ratio <= 1 for ratio in close) >= 2, close
    for name, ratios in far.items():
        assert min(ratios) > 100, (name, ratios)
