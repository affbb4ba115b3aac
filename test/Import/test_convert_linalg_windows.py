# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, pooling and other windows of linalg: what --prec-convert-linalg-to-train makes of them computes what
PyTorch
says, or NumPy."""
import subprocess

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from prec.interpreter import Program


def convert(prec_opt: str, text: str) -> str:
    done = subprocess.run([prec_opt, "-", "--prec-convert-linalg-to-train"], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "linalg." not in done.stdout and "tensor.pad" not in done.stdout
    return done.stdout


def compute(graph: str, *inputs: np.ndarray) -> list[np.ndarray]:
    return list(Program.of_text(graph).run(dict(enumerate(inputs)), function="f"))


def tensor(shape: tuple[int, ...], element: str = "f32") -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + f"{element}>"


def random(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape, dtype=np.float32)


def windows(name: str, x: tuple[int, ...], w: tuple[int, ...], out: tuple[int, ...], strides: list[int], dilations: list[int],
            init: float | str = 0.0, pad: list[int] | None = None) -> str:
    """`init` is a number, or "%o", an argument."""
    padded = tuple(size + 2 * more for size, more in zip(x, pad or [0] * len(x)))
    body = "" if pad is None else f"""%p = tensor.pad %x low{pad} high{pad} {{
        ^bb0({', '.join(f'%i{d}: index' for d in range(len(x)))}):
          tensor.yield %zero : f32
      }} : {tensor(x)} to {tensor(padded)}"""
    source = "%x" if pad is None else "%p"
    attributes = f"{{dilations = dense<{dilations}> : tensor<{len(dilations)}xi64>, strides = dense<{strides}> : tensor<{len(strides)}xi64>}}"
    start = "%o" if isinstance(init, str) else "%start"
    return f"""func.func @f(%x: {tensor(x)}, %w: {tensor(w)}, %o: {tensor(out)}) -> {tensor(out)} {{
      %zero = arith.constant 0.0 : f32
      %c = arith.constant {0.0 if isinstance(init, str) else init} : f32
      %e = tensor.empty() : {tensor(out)}
      %start = linalg.fill ins(%c : f32) outs(%e : {tensor(out)}) -> {tensor(out)}
      {body}
      %y = linalg.{name} {attributes} ins({source}, %w : {tensor(padded)}, {tensor(w)}) outs({start} : {tensor(out)}) -> {tensor(out)}
      return %y : {tensor(out)}
    }}"""


# name, layouts of input, weight and output as PyTorch's dimension of each of theirs.
CONVOLUTIONS = {
    "conv_2d_nchw_fchw": ("nchw", "fchw", "nfhw"), "conv_2d_nhwc_hwcf": ("nhwc", "hwcf", "nhwf"), "conv_2d_nhwc_fhwc": ("nhwc", "fhwc", "nhwf"),
    "conv_1d_nwc_wcf": ("nwc", "wcf", "nwf"), "conv_1d_ncw_fcw": ("ncw", "fcw", "nfw"), "conv_3d_ndhwc_dhwcf": ("ndhwc", "dhwcf", "ndhwf"),
    "conv_3d_ncdhw_fcdhw": ("ncdhw", "fcdhw", "nfdhw"),
}
SIZES = {"n": 2, "c": 3, "f": 5, "d": 6, "h": 9, "w": 11}


def to_layout(array: torch.Tensor, have: str, want: str) -> np.ndarray:
    return np.ascontiguousarray(array.permute([have.index(letter) for letter in want]).numpy())


@pytest.mark.cases(None)
@pytest.mark.parametrize("name", CONVOLUTIONS)
@pytest.mark.parametrize("stride, dilation, padding", [(1, 1, 0), (2, 1, 1), (1, 2, 2), (2, 2, 0)])
def test_convolutions(prec_opt, name, stride, dilation, padding):
    of_x, of_w, of_y = CONVOLUTIONS[name]
    spatial = [letter for letter in "dhw" if letter in of_x]
    plain = "".join(spatial)
    x = torch.from_numpy(random(2, 3, *(SIZES[s] for s in spatial)))
    w = torch.from_numpy(random(5, 3, *([3, 2, 3][-len(spatial):]), seed=1))
    convolve = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}[len(spatial)]
    expected = to_layout(convolve(x, w, stride=stride, padding=padding, dilation=dilation), "nf" + plain, of_y)
    given, weight = to_layout(x, "nc" + plain, of_x), to_layout(w, "fc" + plain, of_w)
    pad = [padding if letter in spatial else 0 for letter in of_x] if padding else None
    text = windows(name, given.shape, weight.shape, expected.shape, [stride] * len(spatial), [dilation] * len(spatial), pad=pad)
    graph = convert(prec_opt, text)
    # Padding becomes the convolution's own.
    assert graph.count("prec_train.conv ") == 1 and "tensor.concat" not in graph
    [result] = compute(graph, given, weight, expected)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name, of_x, of_w, of_y, multiplier", [
    ("depthwise_conv_2d_nhwc_hwc", "nhwc", "hwc", "nhwc", 1), ("depthwise_conv_2d_nchw_chw", "nchw", "chw", "nchw", 1),
    ("depthwise_conv_2d_nhwc_hwcm", "nhwc", "hwcm", "nhwcm", 2), ("depthwise_conv_1d_nwc_wc", "nwc", "wc", "nwc", 1),
])
def test_depthwise_convolutions(prec_opt, name, of_x, of_w, of_y, multiplier):
    spatial = [letter for letter in "hw" if letter in of_x]
    x = torch.from_numpy(random(2, 3, *(SIZES[s] for s in spatial)))
    w = torch.from_numpy(random(3, multiplier, *([3, 2][:len(spatial)])))
    convolve = F.conv1d if len(spatial) == 1 else F.conv2d
    y = convolve(x, w.reshape(3 * multiplier, 1, *w.shape[2:]), stride=2, groups=3)
    y = y.reshape(2, 3, multiplier, *y.shape[2:])
    plain = "".join(spatial)
    if multiplier == 1:
        w, y = w[:, 0], y[:, :, 0]
    expected = to_layout(y, "nc" + ("m" if multiplier > 1 else "") + plain, of_y)
    given, weight = to_layout(x, "nc" + plain, of_x), to_layout(w, "c" + ("m" if multiplier > 1 else "") + plain, of_w)
    graph = convert(prec_opt, windows(name, given.shape, weight.shape, expected.shape, [2] * len(spatial), [1] * len(spatial)))
    assert "groups = 3" in graph
    np.testing.assert_allclose(compute(graph, given, weight, expected)[0], expected, rtol=1e-4, atol=1e-5)


def test_grouped_convolution(prec_opt):
    x, w = torch.from_numpy(random(2, 2 * 3, 9, 11)), torch.from_numpy(random(2 * 4, 3, 3, 3))
    expected = F.conv2d(x, w, groups=2).reshape(2, 2, 4, 7, 9).numpy()
    given, weight = x.reshape(2, 2, 3, 9, 11).numpy(), w.reshape(2, 4, 3, 3, 3).numpy()
    graph = convert(prec_opt, windows("conv_2d_ngchw_gfchw", given.shape, weight.shape, expected.shape, [1, 1], [1, 1]))
    assert "groups = 2" in graph
    np.testing.assert_allclose(compute(graph, given, weight, expected)[0], expected, rtol=1e-4, atol=1e-5)


def test_what_a_convolution_starts_from_is_added(prec_opt):
    """tosa-to-linalg hands a bias over like that."""
    x, w, bias = torch.from_numpy(random(1, 3, 8, 8)), torch.from_numpy(random(5, 3, 3, 3)), random(1, 5, 6, 6)
    graph = convert(prec_opt, windows("conv_2d_nchw_fchw", x.shape, w.shape, (1, 5, 6, 6), [1, 1], [1, 1], init="%o"))
    np.testing.assert_allclose(compute(graph, x.numpy(), w.numpy(), bias)[0], F.conv2d(x, w).numpy() + bias, rtol=1e-4, atol=1e-5)


def test_plain_convolution_without_channels(prec_opt):
    x, w = random(9, 11), random(3, 2)
    text = """func.func @f(%x: tensor<9x11xf32>, %w: tensor<3x2xf32>) -> tensor<7x10xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<7x10xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e : tensor<7x10xf32>) -> tensor<7x10xf32>
      %y = linalg.conv_2d ins(%x, %w : tensor<9x11xf32>, tensor<3x2xf32>) outs(%start : tensor<7x10xf32>) -> tensor<7x10xf32>
      return %y : tensor<7x10xf32>
    }"""
    expected = F.conv2d(torch.from_numpy(x)[None, None], torch.from_numpy(w)[None, None])[0, 0].numpy()
    graph = convert(prec_opt, text)
    assert "prec_train.conv" in graph
    np.testing.assert_allclose(compute(graph, x, w)[0], expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("padding", [0, 1])
@pytest.mark.parametrize("kind, stride, dilation", [("max", 2, 1), ("sum", 1, 1), ("max", 1, 2), ("min", 2, 1), ("sum", 3, 1)])
def test_pooling(prec_opt, kind, stride, dilation, padding):
    x = torch.from_numpy(random(2, 3, 9, 11))
    padded = F.pad(x, (padding,) * 4)
    seen = padded.unfold(2, 2 * dilation + 1, stride)[..., ::dilation].unfold(3, dilation + 1, stride)[..., ::dilation]
    expected = {"max": seen.amax, "min": seen.amin, "sum": seen.sum}[kind]((-1, -2))
    literal = {"max": "0xFF800000", "sum": 0.0, "min": "0x7F800000"}[kind]
    for layout in ("nchw", "nhwc") if kind != "min" else ("nhwc",):
        given, wanted = to_layout(x, "nchw", layout), to_layout(expected, "nchw", layout)
        pad = [padding if letter in "hw" else 0 for letter in layout] if padding else None
        text = windows(f"pooling_{layout}_{kind}", given.shape, (3, 2), wanted.shape, [stride] * 2, [dilation] * 2, init=0.0, pad=pad)
        text = text.replace("%c = arith.constant 0.0", f"%c = arith.constant {literal}")
        [result] = compute(convert(prec_opt, text), given, np.zeros((3, 2), np.float32), wanted)
        np.testing.assert_allclose(result, wanted, rtol=1e-5, atol=1e-5)


def generic(maps: str, kinds: str, ins: str, types: str, out: str, block: str, body: str, start: str = "0.0", element: str = "f32") -> str:
    arguments = ", ".join(f"{name}: {type_}" for name, type_ in zip(ins.split(", "), types.split(", ")))
    return f"""func.func @f({arguments}) -> {out} {{
      %c = arith.constant {start} : {element}
      %e = tensor.empty() : {out}
      %start = linalg.fill ins(%c : {element}) outs(%e : {out}) -> {out}
      %y = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}} ins({ins} : {types}) outs(%start : {out}) {{
        ^bb0({block}):
          {body}
      }} -> {out}
      return %y : {out}
    }}"""


def test_windows_that_are_all_kept(prec_opt):
    """What a convolution reads, side by side, as im2col writes it."""
    x = random(2, 9, 11)
    text = generic("affine_map<(n, p, q, i, j) -> (n, p * 2 + i, q + j)>, affine_map<(n, p, q, i, j) -> (n, p, q, i, j)>",
                   ", ".join(['"parallel"'] * 5), "%x", "tensor<2x9x11xf32>", "tensor<2x4x9x2x3xf32>", "%a: f32, %b: f32", "linalg.yield %a : f32")
    [result] = compute(convert(prec_opt, text), x)
    np.testing.assert_array_equal(result, torch.from_numpy(x).unfold(1, 2, 2)[:, :4].unfold(2, 3, 1).numpy())


def test_places_by_division_and_offset(prec_opt):
    """An image twice as large, as tosa.resize becomes, and every second element from the third on."""
    x = random(3, 4)
    text = generic("affine_map<(i, j) -> (i floordiv 2, j)>, affine_map<(i, j) -> (i, j)>", '"parallel", "parallel"', "%x", "tensor<3x4xf32>",
                   "tensor<6x4xf32>", "%a: f32, %b: f32", "linalg.yield %a : f32")
    np.testing.assert_array_equal(compute(convert(prec_opt, text), x)[0], np.repeat(x, 2, 0))
    text = generic("affine_map<(i, j) -> (i, j + 1)>, affine_map<(i, j) -> (i, j)>", '"parallel", "parallel"', "%x", "tensor<3x4xf32>",
                   "tensor<3x3xf32>", "%a: f32, %b: f32", "linalg.yield %a : f32")
    np.testing.assert_array_equal(compute(convert(prec_opt, text), x)[0], x[:, 1:])


def test_diagonal(prec_opt):
    x = random(4, 4)
    text = generic("affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>", '"parallel"', "%x", "tensor<4x4xf32>", "tensor<4xf32>",
                   "%a: f32, %b: f32", "linalg.yield %a : f32")
    np.testing.assert_array_equal(compute(convert(prec_opt, text), x)[0], np.diagonal(x))


@pytest.mark.parametrize("combine, start, expected", [
    ("%r = arith.mulf %a, %s : f32", "1.5", lambda x: 1.5 * x.prod(1)),
    ("%d = arith.subf %a, %s : f32\n%r = arith.mulf %d, %d : f32", "0.0", None),
])
def test_reductions_that_are_written_out(prec_opt, combine, start, expected):
    x = random(4, 6)
    text = generic("affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>", '"parallel", "reduction"', "%x", "tensor<4x6xf32>", "tensor<4xf32>",
                   "%a: f32, %s: f32", f"{combine}\nlinalg.yield %r : f32", start)
    if expected is None:
        wanted = np.zeros(4, np.float32)
        for column in x.T:
            wanted = (column - wanted) ** 2
    else:
        wanted = expected(x)
    np.testing.assert_allclose(compute(convert(prec_opt, text), x)[0], wanted, rtol=1e-4)


def test_the_place_of_the_largest(prec_opt):
    """As torch-mlir and tosa-to-linalg write argmax: two results, the second by a comparison of the first."""
    x = random(4, 6)
    text = """func.func @f(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi64>) {
      %least = arith.constant 0xFF800000 : f32
      %none = arith.constant 0 : i64
      %e = tensor.empty() : tensor<4xf32>
      %f = tensor.empty() : tensor<4xi64>
      %v0 = linalg.fill ins(%least : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %i0 = linalg.fill ins(%none : i64) outs(%f : tensor<4xi64>) -> tensor<4xi64>
      %v, %i = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
          iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x6xf32>) outs(%v0, %i0 : tensor<4xf32>, tensor<4xi64>) {
        ^bb0(%a: f32, %b: f32, %k: i64):
          %j = linalg.index 1 : index
          %n = arith.index_cast %j : index to i64
          %m = arith.maximumf %a, %b : f32
          %p = arith.cmpf ogt, %a, %b : f32
          %w = arith.select %p, %n, %k : i64
          linalg.yield %m, %w : f32, i64
      } -> (tensor<4xf32>, tensor<4xi64>)
      return %v, %i : tensor<4xf32>, tensor<4xi64>
    }"""
    values, places = compute(convert(prec_opt, text), x)
    np.testing.assert_array_equal(values, x.max(1))
    np.testing.assert_array_equal(places, x.argmax(1))


def test_sums_of_whole_numbers(prec_opt):
    x = np.random.default_rng(0).integers(-9, 9, (4, 6))
    for operation, start, expected in (("addi", "0", x.sum(1)), ("maxsi", "-100", x.max(1)), ("minsi", "3", np.minimum(x.min(1), 3))):
        text = generic("affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>", '"parallel", "reduction"', "%x", "tensor<4x6xi64>", "tensor<4xi64>",
                       "%a: i64, %s: i64", f"%r = arith.{operation} %a, %s : i64\nlinalg.yield %r : i64", start, "i64")
        np.testing.assert_array_equal(compute(convert(prec_opt, text), x)[0], expected)


def test_products_that_widen(prec_opt):
    """bf16 read, f32 summed: the named operation widens in its payload."""
    text = """func.func @f(%x: tensor<4x8xbf16>, %w: tensor<8x5xbf16>) -> tensor<4x5xf32> {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<4x5xf32>
      %start = linalg.fill ins(%zero : f32) outs(%e : tensor<4x5xf32>) -> tensor<4x5xf32>
      %y = linalg.matmul ins(%x, %w : tensor<4x8xbf16>, tensor<8x5xbf16>) outs(%start : tensor<4x5xf32>) -> tensor<4x5xf32>
      return %y : tensor<4x5xf32>
    }"""
    x, w = np.round(random(4, 8) * 4), np.round(random(8, 5) * 4)
    graph = convert(prec_opt, text)
    assert "prec_train.matmul" in graph
    np.testing.assert_array_equal(compute(graph, x, w)[0], x @ w)
