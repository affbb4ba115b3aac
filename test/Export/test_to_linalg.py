# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What prec-to-linalg writes has no operation of prec, is verified by LLVM's own mlir-opt, and computes, compiled by
upstream's passes, what the interpreter says that the graph before computes: casts and scales bit for bit, sums up to
their order."""
import re
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
import upstream

from prec.interpreter import Program, random_inputs

ROOT = Path(__file__).resolve().parents[2]
DECOMPOSE = "--prec-decompose=attention-library=none decompose-convolutions decompose-grouped"
RECIPES = sorted(path.stem for path in (ROOT / "recipes").glob("*.json"))


def prec(prec_opt: str, text: str, *passes: str) -> str:
    done = subprocess.run([prec_opt, "-", *passes], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


def written(prec_opt: str, text: str) -> str:
    made = prec(prec_opt, text, "--prec-to-linalg")
    assert not re.search(r"#?\bprec(_train|_sched)?\.", made), made
    upstream.verify(made)
    return made


def pack(values: np.ndarray) -> np.ndarray:
    """Two e2m1 in a byte, the first in its low half."""
    codes = values.astype(ml_dtypes.float4_e2m1fn).view(np.uint8) & 15
    return (codes[..., ::2] | codes[..., 1::2] << 4).view(np.int8)


def run_both(prec_opt: str, tmp_path: Path, text: str, function: str, inputs: dict | list, *passes: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """What the interpreter says, after `passes`, and what upstream computes, of each result. e2m1 is packed in both."""
    program = Program.of_text(prec(prec_opt, text, *passes) if passes else text)
    f = program.function(function)
    by_name = inputs if isinstance(inputs, dict) else dict(zip(f.argument_names, inputs))
    expected = program.run(by_name, function=function)
    given = [pack(np.asarray(by_name[a.name], np.float32)) if a.type.element == "f4E2M1FN" else np.asarray(by_name[a.name]) for a in f.arguments]
    computed = upstream.Compiled(written(prec_opt, text), tmp_path).run(function, *given)
    return [(pack(np.asarray(e, np.float32)) if t.element == "f4E2M1FN" else np.asarray(e), c)
            for e, c, t in zip(expected, computed, f.result_types, strict=True)]


def hard_numbers(rows: int = 48, columns: int = 192) -> np.ndarray:
    """Numbers of many sizes, on both sides of what formats reach, halfway between two, and none."""
    rng = np.random.default_rng(3)
    x = rng.standard_normal((rows, columns)) * np.exp2(rng.integers(-24, 18, (rows, columns)))
    x[:, 8:16] = np.round(x[:, 8:16])
    x[0, :12] = [0.0, -0.0, 448, 464, 480, 57344, 61440, 65536, 2.0**-10, 2.0**-17, 3 * 2.0**-10, 5.0]
    return x.astype(np.float32)


def quantization(element: str, scaling: str, scales: str, layout: str, steps: str) -> str:
    by = f" by {scaling} {scales}" if scaling else ""
    return f"""func.func @f(%x: tensor<48x192xf32>) -> (tensor<48x192x{element}>, {scales}, {layout}) {{
      {steps.format(by=by, scales=scales, layout=layout)}
      %q = prec.quantize %x, %s : tensor<48x192xf32> to tensor<48x192x{element}>{by}
      return %q, %s, %d : tensor<48x192x{element}>, {scales}, {layout}
    }}"""


UPDATED = "%a = prec.amax %x : tensor<48x192xf32>{by}\n%s, %d = prec.update_scale %a for FORMAT{by} TO"
MICRO = "%a = prec.amax %x nan_is_infinite : tensor<48x192xf32>{by}\n%s, %d = prec.block_scale %a for FORMAT{by} : {scales} to {layout}"
NVFP4 = """%t0 = prec.amax %x : tensor<48x192xf32>
      %t, %td = prec.update_scale %t0 for e2m1
      %a = prec.amax %x nan_is_infinite : tensor<48x192xf32>{by}
      %s, %d = prec.block_scale %a tensor_scale %t for e2m1{by} : {scales} to {layout}"""
QUANTIZATIONS = {
    **{f"{format}": quantization(element, "", "tensor<f32>", "tensor<f32>", UPDATED.replace("FORMAT", format).replace("TO", ""))
       for format, element in (("e4m3", "f8E4M3FN"), ("e5m2", "f8E5M2"))},
    "row": quantization("f8E4M3FN", "row", "tensor<48xf32>", "tensor<48xf32>", UPDATED.replace("FORMAT", "e4m3").replace("TO", "")),
    "1x128": quantization("f8E4M3FN", "block_1x128", "tensor<48x2xf32>", "tensor<2x48xf32>",
                          UPDATED.replace("FORMAT", "e4m3").replace("TO", "to {layout}")),
    "128x128": quantization("f8E5M2", "block_128x128", "tensor<1x2xf32>", "tensor<1x1x4xf32>",
                            UPDATED.replace("FORMAT", "e5m2").replace("TO", "to {layout}")),
    "mx": quantization("f8E4M3FN", "mx_1x32", "tensor<48x6xf32>", "tensor<1x2x32x16xf8E8M0FNU>",
                       MICRO.replace("FORMAT", "e4m3").replace("{by} :", " by mx_1x32 :")),
    "mx, rounded up": quantization("f8E5M2", "mx_1x32", "tensor<48x6xf32>", "tensor<1x2x32x16xf8E8M0FNU>",
                                   MICRO.replace("FORMAT", "e5m2 round_up").replace("{by} :", " by mx_1x32 :")),
    "nvfp4": quantization("f4E2M1FN", "nvfp4_1x16", "tensor<48x12xf32>", "tensor<1x3x32x16xf8E4M3FN>",
                          NVFP4.replace("{by} :", " by nvfp4_1x16 :")),
}


def bits(array: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def same_bits(expected: np.ndarray, computed: np.ndarray) -> None:
    """NaN may have any sign."""
    wanted = expected.astype(computed.dtype)
    if computed.dtype.kind not in "ib":
        nan = np.isnan(wanted.astype(np.float32))
        np.testing.assert_array_equal(np.isnan(computed.astype(np.float32)), nan)
        wanted, computed = wanted[~nan], computed[~nan]
    np.testing.assert_array_equal(bits(computed), bits(wanted))


@pytest.mark.cases(6)
@pytest.mark.parametrize("name", QUANTIZATIONS)
@pytest.mark.parametrize("special", [False, True])
def test_quantizations_have_the_same_bits(prec_opt, tmp_path, name, special):
    x = hard_numbers()
    if special:
        x[1, 3], x[2, 40], x[3, 100] = np.inf, -np.inf, np.nan
    for expected, computed in run_both(prec_opt, tmp_path, QUANTIZATIONS[name], "f", [x]):
        same_bits(expected, computed)


CASTS = {
    "at random": ("tensor<4x8xf32>, tensor<i32>", "tensor<4x8xbf16>",
                  "%r = prec.stochastic_round %0 seed %1 {stream = 3 : i32} : tensor<4x8xf32>, tensor<i32> to tensor<4x8xbf16>"),
    "e2m1 at random": ("tensor<16x32xbf16>, tensor<16x2xf32>, tensor<i32>", "tensor<16x32xf4E2M1FN>",
                       "%r = prec.quantize %0, %1 seed %2 stream 3 : tensor<16x32xbf16> to tensor<16x32xf4E2M1FN> by nvfp4_1x16 tensor<16x2xf32>"),
    "fake": ("tensor<16x320xbf16>, tensor<16x20xf32>", "tensor<16x320xf32>",
             "%r = prec.fake_quantize %0, %1 for e2m1 : tensor<16x320xbf16> to tensor<16x320xf32> by nvfp4_1x16 tensor<16x20xf32>"),
    "back": ("tensor<4x8xf8E5M2>, tensor<f32>", "tensor<4x8xbf16>", "%r = prec.dequantize %0, %1 : tensor<4x8xf8E5M2> to tensor<4x8xbf16>"),
    "history": ("tensor<3x16xf32>", "tensor<3xf32>", "%r, %d = prec.history_scale %0 <max> for e4m3 : tensor<3x16xf32> to tensor<3xf32>"),
    "8-bit moments": ("tensor<64x8xf32>", "tensor<64x8xi8>",
                      "%r, %a = prec.dynamic_quantize %0 signed : tensor<64x8xf32> to tensor<64x8xi8>, tensor<2xf32>"),
    "moments back": ("tensor<64x8xi8>, tensor<2xf32>", "tensor<64x8xf32>",
                     "%r = prec.dynamic_dequantize %0, %1 : tensor<64x8xi8>, tensor<2xf32> to tensor<64x8xf32>"),
    "rows": ("tensor<16x8xbf16>, tensor<2x4xi32>", "tensor<2x4x8xbf16>",
             "%r = prec_train.gather %0, %1 : (tensor<16x8xbf16>, tensor<2x4xi32>) -> tensor<2x4x8xbf16>"),
    "one row": ("tensor<16x8xf32>, tensor<i32>", "tensor<8xf32>", "%r = prec_train.gather %0, %1 : (tensor<16x8xf32>, tensor<i32>) -> tensor<8xf32>"),
    "numbers": ("tensor<f32>", "tensor<3x5xi64>", "%r = prec_train.iota dim 1 : tensor<3x5xi64>"),
    "repeated": ("tensor<3x5xi8>", "tensor<2x3x4x5xi8>", "%r = prec_train.broadcast %0 dims [1, 3] : (tensor<3x5xi8>) -> tensor<2x3x4x5xi8>"),
    "transposed": ("tensor<3x5x2xf8E4M3FN>", "tensor<2x3x5xf8E4M3FN>",
                   "%r = prec_train.transpose %0 permutation [2, 0, 1] : (tensor<3x5x2xf8E4M3FN>) -> tensor<2x3x5xf8E4M3FN>"),
    "largest": ("tensor<3x5x2xbf16>", "tensor<5xbf16>", "%r = prec_train.reduce max %0 dims [0, 2] : (tensor<3x5x2xbf16>) -> tensor<5xbf16>"),
    "smallest": ("tensor<3x5xi32>", "tensor<3xi32>", "%r = prec_train.reduce min %0 dims [1] : (tensor<3x5xi32>) -> tensor<3xi32>"),
    "whole sum": ("tensor<3x5xi64>", "tensor<i64>", "%r = prec_train.reduce sum %0 dims [0, 1] : (tensor<3x5xi64>) -> tensor<i64>"),
    "sums of rows": ("tensor<16x8xbf16>, tensor<2x4xi32>, tensor<2x4x8xf32>", "tensor<16x8xbf16>",
                     "%r = prec_train.scatter_add %0, %1, %2 : (tensor<16x8xbf16>, tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<16x8xbf16>"),
    "a sum of one row": ("tensor<16x8xf32>, tensor<i32>, tensor<8xf32>", "tensor<16x8xf32>",
                         "%r = prec_train.scatter_add %0, %1, %2 : (tensor<16x8xf32>, tensor<i32>, tensor<8xf32>) -> tensor<16x8xf32>"),
}


def numbers(rng: np.random.Generator, shape: tuple[int, ...], element: str) -> np.ndarray:
    """Whole ones, so that sums are exact in every order."""
    if element.startswith("i"):
        return rng.integers(0, 9, shape)
    return rng.integers(-64, 64, shape).astype(upstream.DTYPES[element]).astype(np.float32)


@pytest.mark.cases(8)
@pytest.mark.parametrize("name", CASTS)
def test_single_operations_have_the_same_bits(prec_opt, tmp_path, name):
    arguments, result, body = CASTS[name]
    types = [t if t.endswith(">") else t + ">" for t in arguments.split(">, ")]
    text = f"func.func @f({', '.join(f'%{i}: {t}' for i, t in enumerate(types))}) -> {result} {{\n  {body}\n  return %r : {result}\n}}"
    rng = np.random.default_rng(5)
    inputs = [numbers(rng, shape, element) for shape, element in upstream.tensor_types(arguments)]
    if name.endswith("random"):
        inputs[0] = (inputs[0] / 37).astype(ml_dtypes.bfloat16).astype(np.float32)
    # These the interpreter knows by their primitives alone, which test/Schedule compares with other oracles.
    passes = [DECOMPOSE] if name in ("at random", "fake", "history", "8-bit moments", "moments back") else []
    for expected, computed in run_both(prec_opt, tmp_path, text, "f", inputs, *passes):
        same_bits(expected, computed)


MATMULS = [("4x8", "8x16", "4x16", "", "f32", "f32"), ("8x4", "8x16", "4x16", "transpose_a", "bf16", "f32"),
           ("4x8", "16x8", "4x16", "transpose_b", "bf16", "bf16"), ("3x4x8", "3x8x5", "3x4x5", "", "f32", "f16"),
           ("3x8x4", "3x5x8", "3x4x5", "transpose_a, transpose_b", "f16", "f32"),
           ("2x3x4x8", "2x3x5x8", "2x3x4x5", "transpose_b", "bf16", "bf16"), ("4x8", "8x16", "4x16", "", "f8E4M3FN", "f32")]


@pytest.mark.cases(3)
@pytest.mark.parametrize("lhs, rhs, out, how, read, made", MATMULS)
def test_matmuls_of_whole_numbers_have_the_same_bits(prec_opt, tmp_path, lhs, rhs, out, how, read, made):
    a, b, c = (f"tensor<{shape}x{element}>" for shape, element in ((lhs, read), (rhs, read), (out, made)))
    text = f"func.func @f(%x: {a}, %w: {b}) -> {c} {{\n  %y = prec_train.matmul %x, %w {{{how}}} : ({a}, {b}) -> {c}\n  return %y : {c}\n}}"
    rng = np.random.default_rng(7)
    inputs = [rng.integers(-8, 8, shape).astype(np.float32) for (shape, _) in upstream.tensor_types(a + b)]
    for expected, computed in run_both(prec_opt, tmp_path, text, "f", inputs):
        same_bits(expected, computed)


def test_a_bias_is_added_before_the_sums_are_rounded(prec_opt, tmp_path):
    text = """func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>, %b: tensor<16xbf16>) -> tensor<4x16xbf16> {
      %y = prec_train.matmul %x, %w bias %b : (tensor<4x8xbf16>, tensor<8x16xbf16>, tensor<16xbf16>) -> tensor<4x16xbf16>
      return %y : tensor<4x16xbf16>
    }"""
    rng = np.random.default_rng(8)
    inputs = [rng.integers(-40, 40, shape).astype(np.float32) for shape in ((4, 8), (8, 16), (16,))]
    [(expected, computed)] = run_both(prec_opt, tmp_path, text, "f", inputs)
    same_bits(expected, computed)


# Sizes that blocks do not divide, and more than one tile of inverse scales.
PRODUCTS = {
    "tensor": ("f8E4M3FN", "f8E5M2", "", "tensor<f32>", "", "tensor<f32>", "", ""),
    "row": ("f8E4M3FN", "f8E4M3FN", "row", "tensor<144xf32>", "row", "tensor<40xf32>", "", ""),
    "1x128 and 128x128": ("f8E4M3FN", "f8E4M3FN", "block_1x128", "tensor<3x144xf32>", "block_128x128", "tensor<1x1x4xf32>", "", ""),
    "128x128 and 1x128": ("f8E4M3FN", "f8E4M3FN", "block_128x128", "tensor<2x1x4xf32>", "block_1x128", "tensor<3x40xf32>", "", ""),
    "1x128 twice": ("f8E5M2", "f8E4M3FN", "block_1x128", "tensor<3x144xf32>", "block_1x128", "tensor<3x40xf32>", "", ""),
    "mx": ("f8E4M3FN", "f8E5M2", "mx_1x32", "tensor<2x3x32x16xf8E8M0FNU>", "mx_1x32", "tensor<1x3x32x16xf8E8M0FNU>", "", ""),
    "nvfp4": ("f4E2M1FN", "f4E2M1FN", "nvfp4_1x16", "tensor<2x5x32x16xf8E4M3FN>", "nvfp4_1x16", "tensor<1x5x32x16xf8E4M3FN>",
              ", %ta: tensor<f32>, %tb: tensor<f32>", " tensor_scales (%ta, %tb)"),
}


@pytest.mark.cases(3)
@pytest.mark.parametrize("name", PRODUCTS)
def test_scaled_products(prec_opt, tmp_path, name):
    lhs, rhs, lhs_scaling, lhs_scales, rhs_scaling, rhs_scales, more, named = PRODUCTS[name]
    a, b, c = f"tensor<144x312x{lhs}>", f"tensor<40x312x{rhs}>", "tensor<144x40xf32>"
    by = f" by {lhs_scaling} {lhs_scales}, {rhs_scaling} {rhs_scales}" if lhs_scaling else ""
    text = f"""func.func @f(%x: {a}, %sx: {lhs_scales}, %w: {b}, %sw: {rhs_scales}{more}) -> {c} {{
      %y = prec.scaled_matmul %x scale %sx, %w scale %sw{named} <full> : ({a}, {b}) -> {c}{by}
      return %y : {c}
    }}"""
    rng = np.random.default_rng(9)

    def elements(shape: tuple[int, ...], element: str) -> np.ndarray:
        return rng.integers(-6, 7, shape).astype(upstream.DTYPES[element]).astype(np.float32)

    def scales(type_: str) -> np.ndarray:
        [(shape, _)] = upstream.tensor_types(type_)
        return np.exp2(rng.integers(-3, 4, shape)).astype(np.float32)

    inputs = [elements((144, 312), lhs), scales(lhs_scales), elements((40, 312), rhs), scales(rhs_scales)]
    inputs += [np.float32(0.5), np.float32(0.25)] if more else []
    # Powers of two as scales, and whole numbers: every sum is exact.
    for expected, computed in run_both(prec_opt, tmp_path, text, "f", inputs):
        same_bits(expected, computed)


def materialized(prec_opt: str, graph: Path, recipe: str, options: str = "") -> str:
    return prec(prec_opt, graph.read_text(), "--prec-raise", f"--prec-assign=recipe={recipe} target=cpu{options}", "--prec-materialize")


def close(expected: np.ndarray, computed: np.ndarray, name: str, tolerance: float) -> None:
    a, b = (np.asarray(x, np.float64).ravel() for x in (expected, computed))
    assert np.linalg.norm(a - b) <= tolerance * np.linalg.norm(a) + 1e-12, (name, np.linalg.norm(a - b), np.linalg.norm(a))


def check_step(prec_opt: str, tmp_path: Path, text: str, tolerance: float) -> None:
    program = Program.of_text(prec(prec_opt, text, DECOMPOSE))
    results = run_both(prec_opt, tmp_path, text, "step", random_inputs(program, function="step"), DECOMPOSE)
    for name, (expected, computed) in zip(program.function("step").result_names, results, strict=True):
        if expected.dtype == np.int8:
            # A few sums are rounded to the other neighbor.
            assert np.mean(expected != computed) < 0.02, name
        else:
            close(expected, computed.astype(np.float32), name, tolerance)


@pytest.mark.cases(2)
@pytest.mark.parametrize("recipe", RECIPES)
def test_steps(prec_opt, tmp_path, recipe):
    text = materialized(prec_opt, ROOT / "test/Tools/Inputs/two_layers.mlir", recipe)
    check_step(prec_opt, tmp_path, text, 1e-5 if recipe == "fp32" else 2e-2)


@pytest.mark.long
@pytest.mark.parametrize("recipe", ["bf16", "fp8-hybrid", "mxfp8"])
@pytest.mark.parametrize("graph", ["llama_tiny", "gpt2_tiny"])
def test_steps_of_models(prec_opt, tmp_path, graph, recipe):
    check_step(prec_opt, tmp_path, materialized(prec_opt, ROOT / f"examples/{graph}.mlir", recipe), 5e-2)


def test_scales_that_are_carried_are_arguments_and_results(prec_opt, tmp_path):
    text = materialized(prec_opt, ROOT / "test/Tools/Inputs/two_layers.mlir", "fp8-hybrid", " tensor-scaling=delayed")
    made = written(prec_opt, text)
    assert made.count('prec_host.role = "scale_state"') == text.count("role<scale_state>") > 0
    check_step(prec_opt, tmp_path, text, 2e-2)


def test_bindings_can_be_read(prec_opt):
    """Names, roles and defaults, and what replaces what."""
    text = materialized(prec_opt, ROOT / "test/Tools/Inputs/two_layers.mlir", "bf16")
    made = upstream.verify(written(prec_opt, text))
    for attribute in ("path", "donated_to", "param_of", "slot", "default"):
        assert made.count(f"prec_host.{attribute} =") == text.count(f"prec_train.{attribute} ="), attribute
    assert made.count("prec_host.role") == text.count("prec_train.role = ")
    assert 'prec_host.entry = "step"' in made and 'prec_host.role = "parameter"' in made
