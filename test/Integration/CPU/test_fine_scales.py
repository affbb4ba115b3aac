# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scales of rows and blocks in a compiled step, by NumPy and ml_dtypes: data and scales bit for bit, products within
the bound of FP32
sums; in both layouts, with rows and blocks that end early, are zero, or hold what is not finite."""
import json

import ml_dtypes
import numpy as np
import pytest
import torch
from conftest import ROOT
from first_step import OPTIONS
from kept_values import KeptStep, keep_values

import prec
from prec.interpreter.gemm_scales import by_block, lay_out

BATCH, SEQUENCE, VOCABULARY = 9, 16, 64
WIDTH, INNER = 192, 336  # A block and a half; two blocks and 80. 144 tokens are a block and 16.
BF16, E4M3, LARGEST = ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, np.float32(448)
WHOLE = 1 << 30
GRANULARITY = {"fp8-rowwise": {"activation": (1, WHOLE), "weight": (1, WHOLE)}, "fp8-block": {"activation": (1, 128), "weight": (128, 128)}}
SCALINGS = {(1, WHOLE): "row", (1, 128): "block_1x128", (128, 128): "block_128x128"}
ZERO, NAN, INFINITE, ONE_BLOCK = 3, 5, 7, 9  # Tokens whose rows are special.


class Perceptron(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = torch.nn.Embedding(VOCABULARY, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, INNER, bias=False), torch.nn.Linear(INNER, WIDTH, bias=False)
        self.head = torch.nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, input_ids, labels):
        logits = self.head(self.down(torch.nn.functional.silu(self.up(self.embedding(input_ids)))))
        return torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())


def quantize(x, height, depth, power_of_two=False):
    """Data, inverse scales and amaxes of an f32 matrix that is contracted along its rows, block by block."""
    rows, columns = (-(-size // step) for size, step in zip(x.shape, (height, depth)))
    data, scale_invs, amaxes = np.empty(x.shape, E4M3), np.empty((rows, columns), np.float32), np.empty((rows, columns), np.float32)
    for i in range(rows):
        for k in range(columns):
            at = np.s_[i * height:(i + 1) * height, k * depth:(k + 1) * depth]
            finite = x[at][~np.isnan(x[at])]
            amaxes[i, k] = np.abs(finite).max(initial=0)
            scale = LARGEST / np.maximum(amaxes[i, k], np.float32(1e-12))
            if power_of_two and scale > 0:
                scale = np.float32(2.0) ** np.floor(np.log2(np.float64(scale))).astype(np.float32)
            with np.errstate(invalid="ignore", divide="ignore"):
                # ml_dtypes makes NaN of what is too large; here it saturates.
                data[at] = np.clip(x[at] * scale, -LARGEST, LARGEST).astype(E4M3)
                scale_invs[i, k] = np.float32(1) / scale
    return data, scale_invs, amaxes


def dequantized(data, scale_invs, height, depth):
    """In float64: exact."""
    height, depth = min(height, data.shape[0]), min(depth, data.shape[1])
    each = scale_invs.astype(np.float64).repeat(height, 0)[:data.shape[0]].repeat(depth, 1)[:, :data.shape[1]]
    return data.astype(np.float64) * each


class Step:
    """A kept step of the perceptron; `tokens` come with rows of the embedding that `special` sets."""

    def __init__(self, folder, compile_module, recipe, special):
        torch.manual_seed(0)
        model = Perceptron()
        ids = torch.zeros(BATCH, SEQUENCE, dtype=torch.int64)
        imported = prec.import_torch(model, torch.optim.AdamW(model.parameters(), **OPTIONS), {"input_ids": ids, "labels": ids}, clip_grad_norm=1.0,
                                     verify=False)
        path, weights = compile_module(imported, recipe)
        module = prec.Module(keep_values(path))
        module.load(weights)
        self.table = module.weights()["embedding.weight"]
        # Rows of very different sizes, as an outlier makes them.
        self.table *= np.exp2(np.random.default_rng(1).integers(-8, 8, (VOCABULARY, 1))).astype(np.float32)
        special(self.table)
        module.set(next(b for b in module.bindings if b.name == "embedding.weight" and b.role == "parameter"), self.table)
        self.masters = module.weights()
        tokens = (np.arange(BATCH * SEQUENCE).reshape(BATCH, SEQUENCE) % 16).astype(np.int32)
        self.run = KeptStep(module, {"input_ids": tokens, "labels": tokens})
        self.x = self.table.astype(BF16).astype(np.float32)[tokens.ravel()]
        self.gemms = [c for c in self.run.commands if c["op"] == "gemm" and "scale_a" in c]

    def gemm(self, phase, m, n, k):
        found = [c for c in self.gemms if (c["phase"], c["m"], c["n"], c["k"]) == (phase, m, n, k)]
        assert len(found) == 1
        return {key: self.run.values[found[0][key]] for key in ("a", "b", "d", "scale_a", "scale_b")}


def ordinary(table):
    table[ZERO] = 0
    table[ONE_BLOCK, :128] = 0


TOKENS = BATCH * SEQUENCE


def open_recipe(folder, recipe, power_of_two):
    if not power_of_two:
        return recipe
    path = folder / "scaled.json"
    path.write_text(json.dumps({**json.loads((ROOT / f"recipes/{recipe}.json").read_text()), "amax": {"power_of_two": True}}))
    return path


@pytest.fixture(scope="module", params=[(recipe, power) for recipe in GRANULARITY for power in (False, True)],
                ids=lambda param: f"{param[0]}{'-power-of-two' * param[1]}")
def step(request, tmp_path_factory, compile_module):
    recipe, power_of_two = request.param
    folder = tmp_path_factory.mktemp("fine")
    made = Step(folder, compile_module, open_recipe(folder, recipe, power_of_two), ordinary)
    made.granularity, made.power_of_two = GRANULARITY[recipe], power_of_two
    return made


def expect_operand(data, scale_invs, source, granularity, power_of_two, scaling=None):
    wanted, wanted_scale_invs, _ = quantize(source, *granularity, power_of_two)
    np.testing.assert_array_equal(data.view(np.uint8), wanted.view(np.uint8))
    np.testing.assert_array_equal(scale_invs, lay_out(wanted_scale_invs, scaling or SCALINGS[granularity]))


def test_quantized_operands(step):
    """Activations and weights, along both of their sides."""
    activation, weight = step.granularity["activation"], step.granularity["weight"]
    up, down = step.masters["up.weight"], step.masters["down.weight"]
    forward, dgrad = step.gemm("forward", TOKENS, INNER, WIDTH), step.gemm("backward", TOKENS, INNER, WIDTH)
    wgrad = step.gemm("backward", INNER, WIDTH, TOKENS)
    for operand, scale, source, granularity in (
            (forward["a"], forward["scale_a"], step.x, activation), (forward["b"], forward["scale_b"], up, weight),
            (wgrad["b"], wgrad["scale_b"], step.x.T, activation), (dgrad["b"], dgrad["scale_b"], down.T, weight)):
        expect_operand(operand, scale, source, granularity, step.power_of_two)
    # The gradient of what `down` gives is stored once; both layouts come from it.
    gradients = [v.reshape(TOKENS, WIDTH) for v in step.run.values.values() if v.dtype == BF16 and v.size == TOKENS * WIDTH]
    wgrad_down = step.gemm("backward", WIDTH, INNER, TOKENS)
    sources = [g.astype(np.float32) for g in gradients]
    source = next(s for s in sources if np.array_equal(quantize(s, *activation, step.power_of_two)[0].view(np.uint8), dgrad["a"].view(np.uint8)))
    expect_operand(dgrad["a"], dgrad["scale_a"], source, activation, step.power_of_two)
    expect_operand(wgrad_down["a"], wgrad_down["scale_a"], source.T, activation, step.power_of_two)


def test_products(step):
    for command in step.gemms:
        a, b, d, scale_a, scale_b = (step.run.values[command[key]] for key in ("a", "b", "d", "scale_a", "scale_b"))
        kind = "weight" if scale_b.ndim == 3 else "activation"
        activation, other = step.granularity["activation"], step.granularity[kind]
        assert (command["scaling_a"], command["scaling_b"]) == (SCALINGS[activation], SCALINGS[other])
        x = dequantized(a, by_block(scale_a, SCALINGS[activation], a.shape), *activation)
        y = dequantized(b, by_block(scale_b, SCALINGS[other], b.shape), *other)
        # k additions and, for each 128, two inverse scales.
        gamma = (command["k"] + 2) * 2.0**-24 * 1.01
        bound = gamma * (np.abs(x) @ np.abs(y.T))
        exact = x @ y.T
        low, high = ((exact + side * bound).astype(np.float32).astype(BF16) for side in (-1, 1))
        assert np.all((low <= d) & (d <= high)), command["name"]


def test_scales_are_as_many_as_said(step):
    assert {c["phase"] for c in step.gemms} == {"forward", "backward"} and len(step.gemms) == 6
    for command in step.gemms:
        for operand, rows in (("a", command["m"]), ("b", command["n"])):
            shape = step.run.values[command[f"scale_{operand}"]].shape
            blocks = -(-command["k"] // 128)
            square = (-(-rows // 128), -(-blocks // 4), 4)
            assert shape in (((rows,),) if step.granularity["weight"] == (1, WHOLE) else ((blocks, rows), square))


def test_a_zero_row_is_zero(step):
    """A row, or block, of zeros has the scale of epsilon, and all that is multiplied with it is zero."""
    forward = step.gemm("forward", TOKENS, INNER, WIDTH)
    rows = np.flatnonzero(np.arange(TOKENS) % 16 == ZERO)
    assert not forward["a"][rows].view(np.uint8).any() and not forward["d"][rows].astype(np.float32).any()
    assert np.isfinite(forward["scale_a"]).all() and (forward["scale_a"] > 0).all()
    wgrad = step.gemm("backward", INNER, WIDTH, TOKENS)
    assert np.isfinite(wgrad["d"].astype(np.float32)).all()


@pytest.mark.parametrize("recipe", GRANULARITY)
def test_what_is_not_finite_stays_in_its_row(recipe, tmp_path, compile_module):
    def special(table):
        table[NAN, 7], table[INFINITE, 150] = np.nan, np.inf
    step = Step(tmp_path, compile_module, recipe, special)
    activation = GRANULARITY[recipe]["activation"]
    forward = step.gemm("forward", TOKENS, INNER, WIDTH)
    data, scale_invs, _ = quantize(step.x, *activation)
    # Which NaN it is does not matter.
    np.testing.assert_array_equal(forward["a"].astype(np.float32), data.astype(np.float32))
    np.testing.assert_array_equal(forward["scale_a"], lay_out(scale_invs, SCALINGS[activation]))
    bad = np.isin(np.arange(TOKENS) % 16, (NAN, INFINITE))
    assert np.isnan(forward["d"][bad].astype(np.float32)).all() and np.isfinite(forward["d"][~bad].astype(np.float32)).all()
    # A NaN does not reach a scale; an infinity makes that of its row, or block, zero.
    at_nan, at_infinity = (np.arange(TOKENS) % 16 == token for token in (NAN, INFINITE))
    assert np.isfinite(scale_invs[at_nan]).all() and np.isinf(scale_invs[at_infinity, -1]).all()
    assert recipe == "fp8-rowwise" or np.isfinite(scale_invs[at_infinity, 0]).all()


@pytest.mark.parametrize("flaw", [dict(depth=64), dict(height=2), dict(source="transposed")])
def test_flaws_are_seen(step, flaw):
    """The comparison tells other blocks, and scales of the other layout, from the ones that are said."""
    height, depth = step.granularity["activation"]
    forward = step.gemm("forward", TOKENS, INNER, WIDTH)
    source = step.x.T.copy().reshape(step.x.shape) if "source" in flaw else step.x
    granularity = (flaw.get("height", height), flaw.get("depth", depth))
    with pytest.raises((AssertionError, ValueError)):
        expect_operand(forward["a"], forward["scale_a"], source, granularity, step.power_of_two, SCALINGS[height, depth])
