# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MXFP8 and NVFP4 in a compiled step, by NumPy and ml_dtypes from the formats' documents: data and scales bit for bit,
products within the bound of FP32 sums; in both layouts, with blocks that are zero, or hold what is not finite."""
import json
import pathlib
import sys

import ml_dtypes
import numpy as np
import pytest
import test_fine_scales
from conftest import ROOT
from test_fine_scales import BF16, E4M3, INFINITE, NAN, ZERO, Step

from prec.interpreter import Program
from prec.interpreter.gemm_scales import tile, untile
from prec.interpreter.random_bits import random_bits

E8M0, E2M1 = ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn
TOKENS, WIDTH, INNER = 160, 96, 224  # All are contracted along, in blocks of 32.
# As they are, and as the formats' documents have them: scales of MX rounded down, NVFP4 with rounding to the nearest
# alone.
RECIPES = ["mxfp8", "mxfp8-plain", "nvfp4", "nvfp4-plain"]
# Transformer Engine's signs, and Sylvester's matrix.
SIGNS = np.array([1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1], np.float32)
FIRST_STREAM = 1 << 20


def is_fp4(recipe):
    return recipe.startswith("nvfp4")


def open_recipe(folder, recipe):
    """A built-in one, or a file of the same without its options of microscaling."""
    if not recipe.endswith("-plain"):
        return recipe
    text = json.loads((ROOT / f"recipes/{recipe.removesuffix('-plain')}.json").read_text())
    assert text.pop("microscaling")
    path = folder / f"{recipe}.json"
    path.write_text(json.dumps(text))
    return path


def transform(x):
    """The random Hadamard transform of groups of 16 along the rows, rounded to BF16."""
    matrix = np.ones((1, 1), np.float32)
    for _ in range(4):
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    groups = x.reshape(-1, 16)
    total = np.zeros_like(groups)
    for i in range(16):
        total += groups[:, i:i + 1] * (SIGNS[i] * matrix[i])
    return (total * np.float32(0.25)).astype(BF16).astype(np.float32).reshape(x.shape)


def blocks_of(x, size):
    return [np.s_[i, k:k + size] for i in range(len(x)) for k in range(0, x.shape[1], size)]


def quantize_mx(x, size=32, emax=8, up=False):
    """OCP MX 1.0, section 6.3: the largest power of two that is not above the largest magnitude, over that of the
    format; or (`up`) the
    least one with which nothing saturates."""
    data, scale_invs = np.empty(x.shape, E4M3), np.empty(len(x) * x.shape[1] // size, np.float32)
    for index, at in enumerate(blocks_of(x, size)):
        if not np.isfinite(x[at]).all():
            data[at], scale_invs[index] = np.nan, np.nan
            continue
        amax = np.abs(x[at]).max()
        wanted = int(np.ceil(np.log2(np.float64(amax) / 448))) if up and amax else int(np.frexp(amax)[1]) - 1 - emax
        exponent = max(wanted, -127) if amax else -127
        data[at] = np.clip(np.float64(x[at]) * 2.0**-exponent, -448, 448).astype(E4M3)
        scale_invs[index] = 2.0**exponent
    return data, scale_invs.astype(E8M0).reshape(len(x), -1), None


def round_e2m1(scaled):
    """By distance to each of the 8 magnitudes; of two equally near the one of an even code."""
    magnitudes = np.arange(8, dtype=np.uint8).view(E2M1).astype(np.float64)
    distance = np.abs(np.abs(np.float64(scaled))[..., None] - magnitudes)
    order = np.array([0, 2, 4, 6, 1, 3, 5, 7])
    codes = order[np.argmin(distance[..., order], -1)].astype(np.uint8)
    return np.where(np.isnan(scaled), 7, codes | np.signbit(scaled).astype(np.uint8) << 3).astype(np.uint8)


def round_at_random(scaled, random):
    """Of the two magnitudes around each the upper one with the probability of the distance to the lower."""
    magnitudes = np.arange(8, dtype=np.uint8).view(E2M1).astype(np.float64)
    size = np.minimum(np.abs(np.float64(scaled)), 6)
    lower = np.clip(np.searchsorted(magnitudes, size, "right") - 1, 0, 6)
    part = (size - magnitudes[lower]) / (magnitudes[lower + 1] - magnitudes[lower])
    codes = (lower + (part + random * 2.0**-24 >= 1)).astype(np.uint8)
    return np.where(np.isnan(scaled), 7, codes | np.signbit(scaled).astype(np.uint8) << 3).astype(np.uint8)


def quantize_nvfp4(x, size=16, largest=np.float32(6 * 448), epsilon=np.float32(1e-12), height=1, random=None):
    """Codes of e2m1, inverse scales of blocks, and that of the tensor. `height` rows of a block share a scale; `random`
    has 24 bits for each element that is rounded at random."""
    encode = largest / np.maximum(np.nanmax(np.abs(x), initial=0), epsilon)
    codes, scale_invs = np.empty(x.shape, np.uint8), np.empty(len(x) * x.shape[1] // size, E4M3)
    with np.errstate(invalid="ignore", divide="ignore"):
        for index, at in enumerate(blocks_of(x, size)):
            row = at[0] // height * height
            decode = (
                np.minimum(np.abs(x[row : row + height, at[1]]).max() / np.float32(6) * encode, np.float32(448))
                if np.isfinite(x[at]).all()
                else np.float32(np.nan)
            )
            scale_invs[index] = decode
            stored = np.float32(scale_invs[index])
            scaled = x[at] * (encode / stored if stored != 0 else np.float32(0))
            codes[at] = round_e2m1(scaled) if random is None else round_at_random(scaled, random[at])
        return codes, scale_invs.reshape(len(x), -1), np.float32(1) / encode


def quantize(recipe, x, **options):
    return quantize_nvfp4(x, **options) if is_fp4(recipe) else quantize_mx(x, **{"up": recipe == "mxfp8", **options})


def blocks_of_row(recipe, stored):
    """How many a row of so many stored bytes has."""
    return stored // (8 if is_fp4(recipe) else 32)


def pack(codes):
    return codes[:, ::2] | codes[:, 1::2] << 4


def dequantized(recipe, data, scale_invs):
    """In float64: exact."""
    if scale_invs.ndim == 4:
        scale_invs = untile(scale_invs, len(data), blocks_of_row(recipe, data.shape[1]))
    if is_fp4(recipe):
        bytes_ = data.view(np.uint8)
        data = np.stack([bytes_ & 15, bytes_ >> 4], -1).reshape(len(bytes_), -1).view(E2M1)
    depth = data.shape[1] // scale_invs.shape[1]
    return data.astype(np.float64) * scale_invs.astype(np.float64).repeat(depth, 1)


class MicroStep(Step):
    def gemm(self, phase, m, n, k):
        found = [c for c in self.gemms if (c["phase"], c["m"], c["n"], c["k"]) == (phase, m, n, k)]
        assert len(found) == 1
        return {key: self.run.values[index] for key, index in found[0].items()
                if key in ("a", "b", "d") or key.startswith(("scale_", "tensor_scale_"))}


@pytest.fixture(scope="module")
def make_step(tmp_path_factory, compile_module):
    """A step of the perceptron whose tokens are rows of a table that `special` sets."""
    sizes = {"WIDTH": WIDTH, "INNER": INNER, "BATCH": 10}

    def make(recipe, special):
        with pytest.MonkeyPatch.context() as patch:
            for name, size in sizes.items():
                patch.setattr(test_fine_scales, name, size)
            folder = tmp_path_factory.mktemp("micro")
            return MicroStep(folder, compile_module, open_recipe(folder, recipe), special)
    return make


def ordinary(table):
    table[ZERO] = 0
    table[11, :32] = 0
    table[12, 32:64] *= np.float32(2.0**-40)  # Of the tensor's amax e4m3 has no inverse scale for this.
    table[13, 64:] *= np.float32(2.0**-122)  # Below the smallest power of two of e8m0, and subnormal in bf16.


@pytest.fixture(scope="module", params=RECIPES)
def step(request, make_step):
    made = make_step(request.param, ordinary)
    made.recipe = request.param
    return made


def expect_operand(recipe, gemm, side, source, **flaw):
    data, scale_invs, of_tensor = quantize(recipe, source, **flaw)
    got = gemm[side].view(np.uint8)
    np.testing.assert_array_equal(got, pack(data) if is_fp4(recipe) else data.view(np.uint8))
    assert gemm[f"scale_{side}"].dtype == scale_invs.dtype
    np.testing.assert_array_equal(gemm[f"scale_{side}"].view(np.uint8), tile(scale_invs).view(np.uint8))
    assert (f"tensor_scale_{side}" in gemm) == (of_tensor is not None)
    if of_tensor is not None:
        assert gemm[f"tensor_scale_{side}"] == of_tensor


def random_24(shape, stream):
    return (random_bits(shape, 1, FIRST_STREAM + stream) >> np.uint32(8)).astype(np.int64)


def test_quantized_operands(step):
    """Activations, weights and gradients, each along both of its sides: a transposed operand is quantized anew."""
    published = step.recipe == "nvfp4"
    of_weight = {"height": 16} if published else {}
    of_wgrad = transform if published else lambda x: x
    up, down = step.masters["up.weight"], step.masters["down.weight"]
    forward, dgrad = step.gemm("forward", TOKENS, INNER, WIDTH), step.gemm("backward", TOKENS, INNER, WIDTH)
    expect_operand(step.recipe, forward, "a", step.x)
    expect_operand(step.recipe, forward, "b", up, **of_weight)
    expect_operand(step.recipe, dgrad, "b", down.T, **of_weight)
    expect_operand(step.recipe, step.gemm("backward", INNER, WIDTH, TOKENS), "b", of_wgrad(step.x.T))
    # The gradient of what `down` gives is stored once; both layouts come from it.
    gradients = [v.reshape(TOKENS, WIDTH).astype(np.float32) for v in step.run.values.values() if v.dtype == BF16 and v.size == TOKENS * WIDTH]
    streams = range(8) if published else [None]

    def find(gemm, sources):
        """The source of operand a, and its stream where it is rounded at random."""
        found = []
        for source in sources:
            for stream in streams:
                options = {} if stream is None else {"random": random_24(source.shape, stream)}
                try:
                    expect_operand(step.recipe, gemm, "a", source, **options)
                    found.append((source, stream))
                except AssertionError:
                    pass
        return found

    sources = find(dgrad, gradients)
    assert sources and np.abs(sources[0][0]).max() > 0
    wgrads = find(step.gemm("backward", WIDTH, INNER, TOKENS), [of_wgrad(sources[0][0].T)])
    assert len(wgrads) == 1 and (not published or wgrads[0][1] != sources[0][1])


def test_both_layouts_of_a_weight_are_one(step):
    """With square blocks what dgrad multiplies with is what fprop did; without they differ, but for powers of two."""
    weight = step.masters["down.weight"]
    options = {"height": 16} if step.recipe == "nvfp4" else {}
    data, scale_invs, _ = quantize(step.recipe, weight, **options)
    other, other_scale_invs, _ = quantize(step.recipe, weight.T.copy(), **options)
    pairs = [(pack(d) if is_fp4(step.recipe) else d, f) for d, f in ((data, scale_invs), (other, other_scale_invs))]
    rows, columns = (dequantized(step.recipe, *pair) for pair in pairs)
    assert not is_fp4(step.recipe) or np.array_equal(rows, columns.T) == (step.recipe == "nvfp4")
    expect_operand(step.recipe, step.gemm("forward", TOKENS, WIDTH, INNER), "b", weight, **options)


def test_the_transform_is_orthogonal():
    x = np.random.default_rng(0).integers(-8, 9, (4, 64)).astype(np.float32)
    np.testing.assert_array_equal(transform(np.eye(16, dtype=np.float32)) @ transform(np.eye(16, dtype=np.float32)).T, np.eye(16))
    np.testing.assert_array_equal(transform(x) @ transform(x).T, x @ x.T)


def test_products(step):
    assert {c["phase"] for c in step.gemms} == {"forward", "backward"} and len(step.gemms) == 6
    for command in step.gemms:
        values = {key: step.run.values[index] for key, index in command.items() if key in ("a", "b", "d") or "scale" in key}
        x, y = (dequantized(step.recipe, values[side], values[f"scale_{side}"]) for side in "ab")
        scale_inv = np.prod([np.float64(values.get(f"tensor_scale_{side}", 1)) for side in "ab"])
        # k additions, the product of two inverse scales, and with it.
        gamma = (command["k"] + 2) * 2.0**-24 * 1.01
        bound = gamma * (np.abs(x) @ np.abs(y.T)) * scale_inv
        exact = x @ y.T * scale_inv
        low, high = ((exact + side * bound).astype(np.float32).astype(BF16) for side in (-1, 1))
        assert np.all((low <= values["d"]) & (values["d"] <= high)), command["name"]


def test_a_zero_row_is_zero(step):
    forward = step.gemm("forward", TOKENS, INNER, WIDTH)
    rows = np.flatnonzero(np.arange(TOKENS) % 16 == ZERO)
    assert not forward["a"][rows].view(np.uint8).any() and not forward["d"][rows].astype(np.float32).any()
    assert np.isfinite(step.gemm("backward", INNER, WIDTH, TOKENS)["d"].astype(np.float32)).all()


@pytest.mark.parametrize("recipe", RECIPES)
def test_nan_stays_in_its_block(recipe, make_step):
    def special(table):
        table[NAN, 7] = np.nan
    step = make_step(recipe, special)
    forward = step.gemm("forward", TOKENS, INNER, WIDTH)
    expect_operand(recipe, forward, "a", step.x)
    bad = np.arange(TOKENS) % 16 == NAN
    scale_invs = untile(forward["scale_a"], TOKENS, WIDTH // (16 if is_fp4(recipe) else 32)).astype(np.float32)
    assert np.isnan(scale_invs[bad, 0]).all() and np.isfinite(scale_invs[bad, -1]).all() and np.isfinite(scale_invs[~bad]).all()
    result = forward["d"].astype(np.float32)
    assert np.isnan(result[bad]).all() and np.isfinite(result[~bad]).all()


@pytest.mark.parametrize("recipe", RECIPES)
def test_an_infinity_is_never_lost(recipe, make_step):
    def special(table):
        table[INFINITE, 70] = -np.inf
    step = make_step(recipe, special)
    forward = step.gemm("forward", TOKENS, INNER, WIDTH)
    expect_operand(recipe, forward, "a", step.x)
    bad = np.arange(TOKENS) % 16 == INFINITE
    result = forward["d"].astype(np.float32)
    assert np.isnan(result[bad]).all()
    # One power of two for a block is as good as before elsewhere; one inverse scale of the tensor is not.
    assert np.isnan(result).all() if is_fp4(recipe) else np.isfinite(result[~bad]).all()


@pytest.mark.parametrize("flaw", [dict(size=16), dict(size=8), dict(up=None), dict(largest=np.float32(6 * 256)), dict(transposed=True)])
def test_flaws_are_seen(step, flaw):
    if set(flaw) & ({"up"} if is_fp4(step.recipe) else {"largest"}) or (is_fp4(step.recipe) and flaw.get("size") == 16):
        pytest.skip("this is no flaw of the other format")
    flaw = {key: step.recipe != "mxfp8" if key == "up" else value for key, value in flaw.items()}
    source = step.x.T.copy().reshape(step.x.shape) if flaw.pop("transposed", False) else step.x
    with pytest.raises((AssertionError, ValueError)):
        expect_operand(step.recipe, step.gemm("forward", TOKENS, INNER, WIDTH), "a", source, **flaw)


@pytest.mark.parametrize("recipe", ["mxfp8", "mxfp8-plain", "nvfp4"])
def test_oracles_agree_with_torchao(recipe, monkeypatch):
    """The data, scales and nibbles of torchao's own conversions, for what both define."""
    monkeypatch.syspath_prepend(pathlib.Path(sys.prefix) / "oracles")
    torch = pytest.importorskip("torch")
    mx = pytest.importorskip("torchao.prototype.mx_formats.mx_tensor", reason="torchao must be in the environment's folder oracles")
    nv = pytest.importorskip("torchao.prototype.mx_formats.nvfp4_tensor")
    x = np.random.default_rng(0).standard_normal((64, 96), np.float32) * np.exp2(np.random.default_rng(1).integers(-20, 20, (64, 1))).astype(
        np.float32
    )
    x[3] = 0
    if not is_fp4(recipe):
        mode = mx.ScaleCalculationMode.RCEIL if recipe == "mxfp8" else mx.ScaleCalculationMode.FLOOR
        scales, data = mx.to_mx(torch.from_numpy(x), torch.float8_e4m3fn, 32, mode)
        wanted, scale_invs, _ = quantize(recipe, x)
        np.testing.assert_array_equal(data.view(torch.uint8).numpy(), wanted.view(np.uint8))
        np.testing.assert_array_equal(scales.view(torch.uint8).numpy().reshape(64, -1), scale_invs.view(np.uint8))
        return
    # torchao multiplies by other inverses: powers of two make them the same, and a floor under its inverse scales is
    # not ours.
    x = np.clip(np.random.default_rng(0).standard_normal((64, 96), np.float32), -4, 4) * np.float32(2688 / 4)
    x[0, 0] = 2688
    scales, data = nv.nvfp4_quantize(torch.from_numpy(x), 16, torch.tensor(1.0))
    codes, scale_invs, of_tensor = quantize_nvfp4(x)
    assert of_tensor == 1
    np.testing.assert_array_equal(scales.view(torch.uint8).numpy().reshape(64, -1), scale_invs.view(np.uint8))
    np.testing.assert_array_equal(data.view(torch.uint8).numpy(), pack(codes))


BLOCK_SCALE = """
func.func @f(%a: tensor<RxCxf32>) -> (tensor<RxCxf32>, tensor<TILESxf8FORMAT>) {
  %t = arith.constant dense<1.0> : tensor<f32>
  %s, %d = prec.block_scale %a OPTIONS : tensor<RxCxf32> to tensor<TILESxf8FORMAT>
  return %s, %d : tensor<RxCxf32>, tensor<TILESxf8FORMAT>
}
"""


@pytest.mark.parametrize("rows, columns", [(1, 1), (16, 3), (128, 4), (130, 4), (256, 9), (300, 17)])
@pytest.mark.parametrize("element", ["E8M0FNU", "E4M3FN"])
def test_tiles_are_torchaos(element, rows, columns, tool, monkeypatch):
    """What a scale's primitives lay out, and what the other tests take for it, is `to_blocked` of the inverse scales
    row by row."""
    monkeypatch.syspath_prepend(pathlib.Path(sys.prefix) / "oracles")
    torch = pytest.importorskip("torch")
    utils = pytest.importorskip("torchao.prototype.mx_formats.utils", reason="torchao must be in the environment's folder oracles")
    tiles = f"{-(-rows // 128)}x{-(-columns // 4)}x32x16"
    options = "for e4m3 by mx_1x32" if element == "E8M0FNU" else "tensor_scale %t for e2m1 by nvfp4_1x16"
    text = BLOCK_SCALE.replace("RxC", f"{rows}x{columns}").replace("TILES", tiles).replace("FORMAT", element).replace("OPTIONS", options)
    amaxes = np.exp2(np.random.default_rng(0).integers(-6, 6, (rows, columns))).astype(np.float32) * np.float32(6)
    scales, got = Program.of_text(text, prec_opt=str(tool("prec-opt")), passes=["--prec-decompose"]).run({0: amaxes})
    scale_invs = (1 / scales).astype(E8M0 if element == "E8M0FNU" else E4M3)
    wanted = utils.to_blocked(torch.from_numpy(scale_invs.view(np.uint8))).numpy()
    np.testing.assert_array_equal(np.asarray(got).view(np.uint8).ravel(), wanted)
    np.testing.assert_array_equal(tile(scale_invs).view(np.uint8).ravel(), wanted)
