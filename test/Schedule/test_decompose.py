# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--prec-decompose against PyTorch: what a composite computes after it, evaluated in float64 for the formula and in f32
for the rounding.

In float64 a decomposition must agree with PyTorch's own operator to float64's accuracy, whatever the order of
operations. In f32 with bf16 operands, each bf16 result must be the f32 result rounded once: a missing, early or doubled
rounding shows as another bit."""
import ml_dtypes
import numpy as np
import pytest
import torch
import torch.nn.functional as F

from prec.interpreter import Numpy, Program, gemm_scales
from prec.interpreter.random_bits import random_bits

RNG = np.random.default_rng(0)
T, D, V = 6, 8, 16


class Composite:
    """One operation with its operands and results, printed as a function of that alone."""

    def __init__(self, op, operands, results, attributes=""):
        self.op, self.operands, self.results, self.attributes = op, operands, results, attributes

    def text(self, narrow=lambda role, shape, element: element):
        def type_(role, shape, element):
            return "tensor<" + "".join(f"{n}x" for n in shape) + narrow(role, shape, element) + ">"
        inputs = [type_("operand", *o) for o in self.operands]
        outputs = [type_("result", *r) for r in self.results]
        arguments = ", ".join(f"%a{i}: {t}" for i, t in enumerate(inputs))
        values = ", ".join(f"%r{i}" for i in range(len(outputs)))
        tuple_ = ", ".join(outputs)
        return (f"func.func @f({arguments}) -> ({tuple_}) {{\n  {values} = {self.op} " + ", ".join(f"%a{i}" for i in range(len(inputs))) +
                f" {{{self.attributes}}} : ({', '.join(inputs)}) -> ({tuple_})\n  return {values} : {tuple_}\n}}\n")


def run(prec_opt, text, inputs, passes=("--prec-decompose",), compute=np.float32):
    module = Program.of_text(text, prec_opt=prec_opt, passes=list(passes))
    names = {op.name for op in module.function("f").block.operations}
    kept = {
        "prec_train.matmul",
        "prec_train.reduce",
        "prec_train.broadcast",
        "prec_train.transpose",
        "prec_train.iota",
        "prec_train.gather",
        "prec_train.sort_ids",
        "prec_train.scatter_add",
    }
    assert not {n for n in names if n.startswith("prec_train.")} - kept
    return list(module.run(dict(enumerate(inputs)), backend=Numpy(compute), function="f"))


def f32(*shape):
    return shape, "f32"


def i32(*shape):
    return shape, "i32"


def grads(fn, inputs, cotangents):
    """Results of `fn` and its gradients, in float64."""
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in inputs]
    out = fn(*leaves)
    out = out if isinstance(out, tuple) else (out,)
    g = torch.autograd.grad(out, leaves, [torch.tensor(c, dtype=torch.float64) for c in cotangents])
    return [o.detach().numpy() for o in out], [x.numpy() for x in g]


def normal(*shape):
    return RNG.standard_normal(shape)


LABELS = np.array([3, -100, 0, 15, -100, 3])


def rms(x, g):
    return F.rms_norm(x, (D,), g, 1e-5)


def case_rms_norm():
    x, g = normal(2, T, D), normal(D)
    rstd = 1 / np.sqrt((x * x).mean(-1) + np.float32(1e-5))
    return (
        Composite("prec_train.rms_norm", [f32(2, T, D), f32(D)], [f32(2, T, D), f32(2, T)], "eps = 1.0e-05 : f32"),
        (x, g),
        (x * rstd[..., None] * g, rstd),
    )


def case_rms_norm_grad():
    x, g, dy = normal(2, T, D), normal(D), normal(2, T, D)
    rstd = 1 / np.sqrt((x * x).mean(-1) + 1e-5)
    _, (dx, dg) = grads(rms, (x, g), (dy,))
    return Composite("prec_train.rms_norm_grad", [f32(2, T, D), f32(2, T, D), f32(D), f32(2, T)], [f32(2, T, D), f32(D)]), (dy, x, g, rstd), (dx, dg)


def case_layer_norm():
    x, g, b = normal(2, T, D) + 3, normal(D), normal(D)
    mean, var = x.mean(-1), x.var(-1)
    rstd = 1 / np.sqrt(var + np.float32(1e-5))
    y = (x - mean[..., None]) * rstd[..., None] * g + b
    return (
        Composite("prec_train.layer_norm", [f32(2, T, D), f32(D), f32(D)], [f32(2, T, D), f32(2, T), f32(2, T)], "eps = 1.0e-05 : f32"),
        (x, g, b),
        (y, mean, rstd),
    )


def case_layer_norm_grad():
    x, g, b, dy = normal(T, D) + 3, normal(D), normal(D), normal(T, D)
    _, (dx, dg, db) = grads(lambda x, g, b: F.layer_norm(x, (D,), g, b, 1e-5), (x, g, b), (dy,))
    mean, rstd = x.mean(-1), 1 / np.sqrt(x.var(-1) + 1e-5)
    return (
        Composite("prec_train.layer_norm_grad", [f32(T, D), f32(T, D), f32(D), f32(T), f32(T)], [f32(T, D), f32(D), f32(D)]),
        (dy, x, g, mean, rstd),
        (dx, dg, db),
    )


def case_softmax():
    x = 10 * normal(T, V)
    return Composite("prec_train.softmax", [f32(T, V)], [f32(T, V)]), (x,), (torch.softmax(torch.tensor(x), -1).numpy(),)


def case_softmax_grad():
    x, dy = normal(T, V), normal(T, V)
    (y,), (dx,) = grads(lambda x: torch.softmax(x, -1), (x,), (dy,))
    return Composite("prec_train.softmax_grad", [f32(T, V), f32(T, V)], [f32(T, V)]), (dy, y), (dx,)


def cross_entropy(labels):
    return lambda x: F.cross_entropy(x, torch.tensor(labels), ignore_index=-100)


def case_cross_entropy():
    x = 50 * normal(T, V)
    loss = cross_entropy(LABELS)(torch.tensor(x)).numpy()
    results = [f32(), f32(T), f32(T)]
    return Composite("prec_train.cross_entropy", [f32(T, V), i32(T)], results, "ignore_index = -100 : i32"), (x, LABELS), (loss, *statistics(x))


def statistics(x):
    """Of each row the largest element, and the logarithm of the sum of exponentials of what is taken from it."""
    largest = x.max(-1)
    return largest, torch.logsumexp(torch.tensor(x - largest[:, None]), -1).numpy()


def case_cross_entropy_grad():
    x, d = 5 * normal(T, V), np.array(0.7)
    _, (dx,) = grads(cross_entropy(LABELS), (x,), (d,))
    return (
        Composite("prec_train.cross_entropy_grad", [f32(), f32(T, V), i32(T), f32(T), f32(T)], [f32(T, V)], "ignore_index = -100 : i32"),
        (d, x, LABELS, *statistics(x)),
        (dx,),
    )


def rotate(x, cos, sin):
    cos, sin = np.concatenate([cos, cos], -1), np.concatenate([sin, sin], -1)
    x1, x2 = np.split(x, 2, -1)
    return x * cos + np.concatenate([-x2, x1], -1) * sin


def case_rope():
    x, angle = normal(2, 3, T, D), normal(T, D // 2)
    cos, sin = np.cos(angle), np.sin(angle)
    return Composite("prec_train.rope", [f32(2, 3, T, D), f32(T, D // 2), f32(T, D // 2)], [f32(2, 3, T, D)]), (x, cos, sin), (rotate(x, cos, sin),)


def case_rope_inverse():
    composite, (x, cos, sin), _ = case_rope()
    composite.attributes = "inverse"
    return composite, (x, cos, sin), (rotate(x, cos, -sin),)


def case_embedding():
    table, ids = normal(V, D), RNG.integers(0, V, (2, T))
    return Composite("prec_train.embedding", [f32(V, D), i32(2, T)], [f32(2, T, D)]), (table, ids), (table[ids],)


def case_embedding_grad():
    g, ids = normal(2, T, D), RNG.integers(0, 4, (2, T))
    _, (dt,) = grads(lambda t: F.embedding(torch.tensor(ids), t), (normal(V, D),), (g,))
    return Composite("prec_train.embedding_grad", [f32(2, T, D), i32(2, T)], [f32(V, D)]), (g, ids), (dt,)


def case_global_norm():
    x, y, z = normal(2, T, D), normal(D), normal()
    norm = np.sqrt((x * x).sum() + (y * y).sum() + z * z)
    return Composite("prec_train.global_norm", [f32(2, T, D), f32(D), f32()], [f32()]), (x, y, z), (norm,)


def attend(seen, bias):
    def fn(q, k, v):
        mask = torch.tensor(np.where(seen, 0.0 if bias is None else bias, -np.inf))
        return F.scaled_dot_product_attention(q, k, v, mask, scale=0.375, enable_gqa=True)
    return fn


ATTENTION = [f32(2, 6, T, D), f32(2, 3, T, D), f32(2, 3, T, D)]


def attention(causal, window, bias):
    q, k, v, do = normal(2, 6, T, D), normal(2, 3, T, D), normal(2, 3, T, D), normal(2, 6, T, D)
    seen = np.ones((T, T), bool)
    if causal:
        seen = np.tril(seen) & ~np.tril(seen, -(window or T))
    (o,), g = grads(attend(seen, bias), (q, k, v), (do,))
    scores = q @ np.repeat(k, 2, 1).swapaxes(-1, -2) * 0.375 + (0.0 if bias is None else bias)
    lse = np.log(np.exp(np.where(seen, scores, -np.inf)).sum(-1))
    return q, k, v, do, o, lse, g


def attributes(causal, window):
    return "scale = 0.375 : f32" + ", causal" * causal + (f", window = {window} : i64" if window else "")


def case_attention(causal=False, window=None, bias=None):
    q, k, v, _, o, lse, _ = attention(causal, window, bias)
    given = [] if bias is None else [bias]
    return (
        Composite("prec_train.attention", [*ATTENTION, *(f32(*b.shape) for b in given)], [f32(2, 6, T, D), f32(2, 6, T)], attributes(causal, window)),
        (q, k, v, *given),
        (o, lse),
    )


def case_attention_grad(causal=False, window=None, bias=None):
    q, k, v, do, o, lse, g = attention(causal, window, bias)
    given = [] if bias is None else [bias]
    shapes = [f32(2, 6, T, D), *ATTENTION, f32(2, 6, T, D), f32(2, 6, T), *(f32(*b.shape) for b in given)]
    return Composite("prec_train.attention_grad", shapes, ATTENTION, attributes(causal, window)), (do, q, k, v, o, lse, *given), tuple(g)


PASSES = ["--prec-decompose=attention-library=none"]

# One bias for all of B, H and S, or one for each.
BIASES = [(2, 6, T, T), (2, 1, 1, T), (1, 6, 1, T), (1, 1, T, T), (1, 1, 1, T), (2, 1, T, T)]


@pytest.mark.parametrize("causal, window", [(False, None), (True, None), (True, 1), (True, 3), (True, T + 5)])
@pytest.mark.parametrize("shape", [None, *BIASES])
@pytest.mark.parametrize("case", [case_attention, case_attention_grad])
def test_a_mask_of_attention(prec_opt, case, shape, causal, window):
    bias = None
    if shape is not None:
        bias = np.random.default_rng(4).standard_normal(shape)
        # Of key 1 nothing is seen, but by those who see nothing else.
        bias[..., 1] = -(2.0**126) if window != 1 else 0.25
    composite, inputs, expected = case(causal, window, bias)
    for got, want in zip(run(prec_opt, composite.text(), inputs, PASSES, np.float64), expected, strict=True):
        # What sees one key has a gradient of zero.
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-12 + 1e-9 * np.abs(want).max())


def case_causal_attention():
    return case_attention(True)


def case_causal_attention_grad():
    return case_attention_grad(True)


CASES = {name[5:]: fn for name, fn in list(globals().items()) if name.startswith("case_")}


@pytest.mark.parametrize("name", CASES)
def test_formula_is_pytorchs(prec_opt, name):
    composite, inputs, expected = CASES[name]()
    results = run(prec_opt, composite.text(), inputs, PASSES, np.float64)
    assert len(results) == len(expected)
    for got, want in zip(results, expected):
        # Constants such as eps are f32, which PyTorch takes as double.
        np.testing.assert_allclose(got, want, rtol=1e-8, atol=1e-9 * np.abs(want).max())


@pytest.mark.parametrize("name", [n for n in CASES if n != "global_norm"])
def test_bf16_results_are_rounded_once(prec_opt, name):
    composite, inputs, _ = CASES[name]()
    inputs = [x.astype(ml_dtypes.bfloat16).astype(np.float32) if x.dtype == np.float64 else x for x in map(np.asarray, inputs)]

    def bf16_operands(role, shape, element):
        return "bf16" if role == "operand" and element == "f32" and shape else element

    def bf16(role, shape, element):
        return "bf16" if element == "f32" and shape else element

    exact = run(prec_opt, composite.text(bf16_operands), inputs, PASSES)
    rounded = run(prec_opt, composite.text(bf16), inputs, PASSES)
    assert any(r.dtype == ml_dtypes.bfloat16 for r in rounded)
    for e, r in zip(exact, rounded):
        np.testing.assert_array_equal(e.astype(r.dtype), r)
    # Extending the operands first changes nothing: no arithmetic is in bf16.
    for e, r in zip(exact, run(prec_opt, composite.text(), inputs, PASSES)):
        np.testing.assert_array_equal(e, r)


def test_no_valid_label_gives_zero(prec_opt):
    composite, (x, _), _ = CASES["cross_entropy"]()
    ignored = np.full(T, -100)
    loss, *statistics = run(prec_opt, composite.text(), (x, ignored))
    assert loss == 0 and all(np.isfinite(one).all() for one in statistics)
    composite, (d, x, _, *statistics), _ = CASES["cross_entropy_grad"]()
    x[1] = np.inf
    (dx,) = run(prec_opt, composite.text(), (d, x, ignored, *statistics))
    assert (dx == 0).all()


@pytest.mark.parametrize("name", ["softmax", "cross_entropy"])
def test_large_logits_do_not_overflow(prec_opt, name):
    composite, inputs, _ = CASES[name]()
    shifted = [inputs[0] + 1e4, *inputs[1:]]
    for r in run(prec_opt, composite.text(), shifted):
        assert np.isfinite(r).all()


AMAX = """
func.func @f(%x: tensor<4x8xbf16>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %a = prec.amax %x : tensor<4x8xbf16>
  %s, %d = prec.update_scale %a for FORMAT
  return %a, %s, %d : tensor<f32>, tensor<f32>, tensor<f32>
}
"""


@pytest.mark.parametrize("element, largest", [("e4m3", 448), ("e5m2", 57344)])
def test_scales(prec_opt, element, largest):
    text = AMAX.replace("FORMAT", element)
    x = normal(4, 8).astype(ml_dtypes.bfloat16).astype(np.float32)
    x[1, 2] = -7.5
    assert run(prec_opt, text, (x,)) == [7.5, np.float32(largest) / np.float32(7.5), 1 / (np.float32(largest) / np.float32(7.5))]
    x[3, 3] = np.nan
    assert run(prec_opt, text, (x,))[0] == 7.5
    for nothing in (0 * normal(4, 8), np.full((4, 8), np.nan)):
        _, scale, scale_inv = run(prec_opt, text, (nothing,))
        assert np.isfinite(scale) and np.isfinite(scale_inv) and scale > 0 and scale_inv > 0


FINE = """
func.func @f(%given: tensor<GIVENxbf16>) -> (tensor<SHAPExf32>, tensor<SHAPExf32>, tensor<LAIDxf32>, tensor<RxKxf8E4M3FN>) {
  %x = READ
  %a = prec.amax %x : tensor<RxKxbf16> by SCALING tensor<SHAPExf32>
  %s, %d = prec.update_scale %a for e4m3 OPTIONS by SCALING tensor<SHAPExf32> to tensor<LAIDxf32>
  %q = prec.quantize %x, %s : tensor<RxKxbf16> to tensor<RxKxf8E4M3FN> by SCALING tensor<SHAPExf32>
  return %a, %s, %d, %q : tensor<SHAPExf32>, tensor<SHAPExf32>, tensor<LAIDxf32>, tensor<RxKxf8E4M3FN>
}
"""
WHOLE = 1 << 30
SCALINGS = {(1, WHOLE): "row", (1, 128): "block_1x128", (128, 128): "block_128x128"}


READ = {False: "tensor.collapse_shape %given [[0], [1]] : tensor<RxKxbf16> into tensor<RxKxbf16>",
        True: "prec_train.transpose %given permutation [1, 0] : (tensor<KxRxbf16>) -> tensor<RxKxbf16>"}


@pytest.mark.parametrize("power_of_two, transposed", [(False, False), (True, False), (False, True)])
@pytest.mark.parametrize("height, depth", [(1, WHOLE), (1, 128), (128, 128)])
@pytest.mark.parametrize("rows, columns", [(160, 320), (128, 256), (16, 48), (272, 128), (3, 129), (3, 300)])
def test_fine_scales(prec_opt, rows, columns, height, depth, power_of_two, transposed):
    """Block by block what NumPy and ml_dtypes make of it, bit for bit; blocks of zeros and NaN among them."""
    blocks = [(slice(i, i + height), slice(k, k + depth)) for i in range(0, rows, height) for k in range(0, columns, depth)]
    scaling = SCALINGS[height, depth]
    shape = f"{rows}" if depth == WHOLE else f"{-(-rows // height)}x{-(-columns // depth)}"
    laid_out = gemm_scales.lay_out(np.zeros((-(-rows // height), -(-columns // depth))), scaling).shape
    text = FINE.replace("READ", READ[transposed]).replace("GIVEN", "KxR" if transposed else "RxK").replace("SHAPE", shape)
    text = text.replace("LAID", "x".join(map(str, laid_out))).replace("OPTIONS", "{power_of_two}" * power_of_two).replace("SCALING", scaling)
    text = text.replace("RxK", f"{rows}x{columns}").replace("KxR", f"{columns}x{rows}")
    x = (normal(rows, columns) * np.exp2(RNG.integers(-9, 9, (rows, 1)))).astype(ml_dtypes.bfloat16).astype(np.float32)
    x[blocks[-1]] = 0
    x[1, 7], x[2, :128] = np.nan, np.nan
    amaxes, scales, scale_invs, data = map(np.asarray, run(prec_opt, text, (x.T if transposed else x,)))
    amaxes, scales, scale_invs = amaxes.ravel(), scales.ravel(), gemm_scales.by_block(scale_invs, scaling, (rows, columns)).ravel()
    assert len(amaxes) == len(blocks)
    for block, amax, scale, scale_inv in zip(blocks, amaxes, scales, scale_invs):
        expected = np.fmax.reduce(np.abs(x[block]), axis=None, initial=0)
        wanted = np.float32(448) / np.maximum(expected, np.float32(1e-12))
        wanted = np.float32(2.0 ** np.floor(np.log2(np.float64(wanted)))) if power_of_two else wanted
        assert (amax, scale, scale_inv) == (expected, wanted, np.float32(1) / wanted)
        quantized = np.clip(x[block] * wanted, -448, 448).astype(ml_dtypes.float8_e4m3fn)
        np.testing.assert_array_equal(data[block].astype(np.float32), quantized.astype(np.float32))


MICRO = """
func.func @f(%x: tensor<RxKxbf16>) -> (tensor<SHAPExf32>, tensor<TILESxf8E8M0FNU>, tensor<RxKxf8FORMAT>) {
  %a = prec.amax %x nan_is_infinite : tensor<RxKxbf16> by mx_1x32 tensor<SHAPExf32>
  %s, %d = prec.block_scale %a for ELEMENT by mx_1x32 : tensor<SHAPExf32> to tensor<TILESxf8E8M0FNU>
  %q = prec.quantize %x, %s : tensor<RxKxbf16> to tensor<RxKxf8FORMAT> by mx_1x32 tensor<SHAPExf32>
  return %s, %d, %q : tensor<SHAPExf32>, tensor<TILESxf8E8M0FNU>, tensor<RxKxf8FORMAT>
}
"""
NVFP4 = """
func.func @f(%x: tensor<RxKxbf16>) -> (tensor<SHAPExf32>, tensor<TILESxf8E4M3FN>, tensor<RxKxf4E2M1FN>) {
  %t = prec.amax %x : tensor<RxKxbf16>
  %ts, %td = prec.update_scale %t for e2m1
  %a = prec.amax %x nan_is_infinite : tensor<RxKxbf16> by nvfp4_1x16 tensor<SHAPExf32>
  %s, %d = prec.block_scale %a tensor_scale %ts for e2m1 by nvfp4_1x16 : tensor<SHAPExf32> to tensor<TILESxf8E4M3FN>
  %q = prec.quantize %x, %s : tensor<RxKxbf16> to tensor<RxKxf4E2M1FN> by nvfp4_1x16 tensor<SHAPExf32>
  return %s, %d, %q : tensor<SHAPExf32>, tensor<TILESxf8E4M3FN>, tensor<RxKxf4E2M1FN>
}
"""


def micro_input(rows, columns, depth):
    """Blocks of all sizes, the last of a row shorter, some of nothing but zeros, some not finite."""
    x = normal(rows, columns) * np.exp2(RNG.integers(-140, 100, (rows, 1)).astype(np.float64))
    x[0, :depth], x[1, 7 % columns], x[2, -1], x[3] = 0, np.nan, -np.inf, 2.0**-133
    return x.astype(ml_dtypes.bfloat16).astype(np.float32)


def micro_text(template, rows, columns, depth):
    blocks = -(-columns // depth)
    tiles = f"{-(-rows // 128)}x{-(-blocks // 4)}x32x16"
    return template.replace("SHAPE", f"{rows}x{blocks}").replace("TILES", tiles).replace("RxK", f"{rows}x{columns}")


@pytest.mark.parametrize("element, dtype, largest, emax", [("e4m3", ml_dtypes.float8_e4m3fn, 448, 8), ("e5m2", ml_dtypes.float8_e5m2, 57344, 15)])
@pytest.mark.parametrize("rows, columns", [(8, 96), (6, 72), (5, 31), (4, 33)])
@pytest.mark.parametrize("up", [False, True])
def test_mx_scales(prec_opt, rows, columns, element, dtype, largest, emax, up):
    x = micro_input(rows, columns, 32)
    x[0, 0], x[0, 1:32] = largest * 2.0**-4, 0  # Exactly a scale's largest, and the next bfloat16 above.
    if rows > 4:
        x[4, :32] = np.nextafter(ml_dtypes.bfloat16(largest), ml_dtypes.bfloat16(np.inf))
    text = (
        micro_text(MICRO, rows, columns, 32)
        .replace("ELEMENT", element + " round_up" * up)
        .replace("f8FORMAT", "f8" + {"e4m3": "E4M3FN", "e5m2": "E5M2"}[element])
    )
    scales, scale_invs, data = run(prec_opt, text, (x,))
    scale_invs = gemm_scales.untile(scale_invs, *scales.shape)
    for i in range(rows):
        for j, at in enumerate(slice(k, k + 32) for k in range(0, columns, 32)):
            scale_inv, scale, got = np.float32(scale_invs[i, j]), scales[i, j], data[i, at].astype(np.float32)
            if not np.isfinite(x[i, at]).all():
                assert np.isnan(scale_inv) and np.isnan(scale) and np.isnan(got).all()
                continue
            amax = np.float64(np.abs(x[i, at]).max())
            wanted = np.ceil(np.log2(amax / largest)) if up and amax else np.floor(np.log2(amax)) - emax if amax else -127
            exponent = max(int(wanted), -127)
            assert not up or exponent == -127 or amax * 2.0**-exponent <= largest < amax * 2.0 ** (1 - exponent)
            assert (scale_inv, scale) == (np.float32(2.0**exponent), np.float32(2.0**-exponent))
            np.testing.assert_array_equal(got, np.clip(x[i, at] * 2.0**-exponent, -largest, largest).astype(dtype).astype(np.float32))


@pytest.mark.parametrize("rows, columns", [(8, 96), (6, 72), (5, 14), (4, 34)])
def test_nvfp4_scales(prec_opt, rows, columns):
    x = np.float32(micro_input(rows, columns, 16))
    x[2, -1] = 1  # An infinity takes the scale of the tensor along: tested below.
    x /= 2.0**60
    scales, scale_invs, packed = run(prec_opt, micro_text(NVFP4, rows, columns, 16), (x,))
    scale_invs = gemm_scales.untile(scale_invs, *scales.shape)
    assert packed.dtype == np.int8 and packed.shape == (rows, columns // 2)
    codes = np.stack([packed.view(np.uint8) & 15, packed.view(np.uint8) >> 4], -1).reshape(rows, columns)
    x = x.astype(ml_dtypes.bfloat16).astype(np.float32)
    encode = np.float32(6 * 448) / np.maximum(np.nanmax(np.abs(x)), np.float32(1e-12))
    for i in range(rows):
        for j, at in enumerate(slice(k, k + 16) for k in range(0, columns, 16)):
            if np.isnan(x[i, at]).any():
                assert np.isnan(np.float32(scale_invs[i, j])) and np.isnan(scales[i, j]) and (codes[i, at] == 7).all()
                continue
            scale_inv = np.minimum(np.abs(x[i, at]).max() / np.float32(6) * encode, np.float32(448)).astype(ml_dtypes.float8_e4m3fn)
            scale = encode / np.float32(scale_inv) if scale_inv else np.float32(0)
            assert (scale_invs[i, j], scales[i, j]) == (scale_inv, scale)
            expected = np.clip(x[i, at] * scale, -6, 6).astype(ml_dtypes.float4_e2m1fn)
            np.testing.assert_array_equal(codes[i, at], expected.view(np.uint8))


def test_nvfp4_of_an_infinity(prec_opt):
    """The scale of the tensor is lost, and its inverse scale infinite: everything is NaN, whatever the blocks hold."""
    x = normal(4, 64)
    x[2, 5] = np.inf
    scales, scale_invs, _ = run(prec_opt, micro_text(NVFP4, 4, 64, 16), (x,))
    scale_invs = gemm_scales.untile(scale_invs, *scales.shape)
    assert np.isnan(np.float32(scale_invs[2, 0])) and not np.float32(np.delete(scale_invs, 8)).any() and not np.delete(scales, 8).any()


def test_hadamard_keeps_products(prec_opt):
    """Signs and a matrix of plus and minus a quarter: exact for small integers, and orthogonal."""
    text = (
        "func.func @f(%x: tensor<64x48xf32>) -> tensor<64x48xf32> {\n  %0 = prec.hadamard %x : tensor<64x48xf32>\n  return %0 : tensor<64x48xf32>\n}"
    )
    x = RNG.integers(-8, 9, (64, 48)).astype(np.float32)
    y, = run(prec_opt, text, (x,))
    assert not np.array_equal(x, y)
    np.testing.assert_array_equal(y @ y.T, x @ x.T)
    signs = np.array([1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1])
    sylvester = np.kron(np.kron([[1, 1], [1, -1]], [[1, 1], [1, -1]]), np.kron([[1, 1], [1, -1]], [[1, 1], [1, -1]]))
    np.testing.assert_array_equal(y, (x.reshape(-1, 16) @ (signs[:, None] * sylvester) / 4).reshape(x.shape))


AT_RANDOM = """
func.func @f(%x: tensor<512x512xf32>, %seed: tensor<i32>) -> tensor<512x512xf4E2M1FN> {
  %s = arith.constant dense<1.0> : tensor<512x32xf32>
  %q = prec.quantize %x, %s seed %seed stream 5 : tensor<512x512xf32> to tensor<512x512xf4E2M1FN> by nvfp4_1x16 tensor<512x32xf32>
  return %q : tensor<512x512xf4E2M1FN>
}
"""


@pytest.mark.parametrize("value", [0.1, 0.25, 1.9, 2.3, -3.75, 4.5, -5.9, 6.0, 1.5, 0.0, 7.5, -np.inf])
def test_fp4_at_random_is_unbiased(prec_opt, value):
    """Each of the two neighbors, with a mean that is the value. Of a bias of a hundredth of the ulp 512 x 512 draws see
    ten deviations."""
    packed, = run(prec_opt, AT_RANDOM, (np.full((512, 512), value), np.int32(3)))
    codes = np.stack([packed.view(np.uint8) & 15, packed.view(np.uint8) >> 4], -1).reshape(512, 512)
    got = codes.view(ml_dtypes.float4_e2m1fn).astype(np.float64)
    value = np.clip(value, -6, 6)
    grid = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
    below, above = grid[grid <= abs(value)].max(), grid[grid >= abs(value)].min()
    assert set(np.abs(got).ravel()) == {below, above} and np.all(np.signbit(got) == np.signbit(value))
    chance = (abs(value) - below) / (above - below) if above > below else 0
    expected = random_bits((512, 512), 3, 5) >> np.uint32(8) >= np.ceil((1 - np.float32(chance)) * 2.0**24)
    assert np.mean((np.abs(got) == above) == (expected | (above == below))) > 0.9999
    deviation = np.sqrt(chance * (1 - chance)) * (above - below) / 512
    assert abs(got.mean() - value) <= 4.5 * deviation


@pytest.mark.parametrize("seed", [0, 7, -1])
def test_dropout(prec_opt, seed):
    text = (
        "func.func @f(%x: tensor<512x512xf32>, %s: tensor<i32>) -> tensor<512x512xf32> {\n"
        "  %0 = prec_train.dropout %x, %s {probability = 0.3 : f32, stream = 9 : i32} : (tensor<512x512xf32>, tensor<i32>) -> tensor<512x512xf32>\n"
        "  return %0 : tensor<512x512xf32>\n}"
    )
    x = normal(512, 512).astype(np.float32)
    y, = run(prec_opt, text, (x, np.int32(seed)))
    if seed < 0:
        np.testing.assert_array_equal(y, x)
        return
    kept = random_bits(x.shape, seed, 9) >= int(np.float64(np.float32(0.3)) * 2**32)
    np.testing.assert_array_equal(y, np.where(kept, x * np.float32(1 / (1 - np.float64(np.float32(0.3)))), np.float32(0)))
    # 4.5 deviations of the share that is kept, and of that in each row and column.
    assert abs(kept.mean() - 0.7) < 4.5 * np.sqrt(0.21) / 512
    for axis in (0, 1):
        assert np.abs(kept.mean(axis) - 0.7).max() < 5.5 * np.sqrt(0.21 / 512)


@pytest.mark.parametrize("element, largest", [("e4m3", 448), ("e5m2", 57344)])
def test_scale_options(prec_opt, element, largest):
    text = AMAX.replace("FORMAT", element + " {epsilon = 0.5 : f32, margin = 3 : i64, power_of_two}")
    x = normal(4, 8).astype(np.float32)
    for amax in (7.5, 0.25, 448.0):
        _, scale, scale_inv = run(prec_opt, text, (x.clip(-0.125, 0.125) / 0.125 * amax,))
        assert scale == 2.0 ** np.floor(np.log2(largest / 8 / max(amax, 0.5))) and scale_inv == 1 / scale


@pytest.mark.parametrize("element", ["e4m3", "e5m2"])
def test_no_epsilon_gives_finite_scales(prec_opt, element):
    text = AMAX.replace("FORMAT", element + " {epsilon = 0.0 : f32}")
    for amax in (0, 1e-45, 1e-30):
        _, scale, scale_inv = run(prec_opt, text, (np.full((4, 8), amax),))
        assert np.isfinite(scale) and scale_inv >= np.finfo(np.float32).tiny


HISTORY = """
func.func @f(%h: tensor<3x4xf32>, %a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>) ->
    (tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<3xf32>) {
  %s, %d = prec.history_scale %h <ALGORITHM> for e4m3 {FIRSTmargin = 1 : i64} : tensor<3x4xf32> to tensor<3xf32>
  %n, %r = prec.record_amax %h, %a, %b, %c : tensor<3x4xf32>
  return %s, %d, %n, %r : tensor<3xf32>, tensor<3xf32>, tensor<3x4xf32>, tensor<3xf32>
}
"""


@pytest.mark.parametrize("first, unseen", [("", 1), ("first_amax = 0.0625 : f32, ", 224 * 16)])
@pytest.mark.parametrize("algorithm", ["max", "most_recent"])
def test_histories(prec_opt, algorithm, first, unseen):
    """A tensor of which nothing was seen is not scaled, or as if it had its first amax."""
    history = np.float32([[3, 7, 0, 5], [0, 0, 0, 0], [0, 2, 0, 0]])
    text = HISTORY.replace("ALGORITHM", algorithm).replace("FIRST", first)
    scale, scale_inv, new, recent = run(prec_opt, text, (history, 9.0, np.inf, np.nan))
    amax = history.max(1) if algorithm == "max" else history[:, 0]
    expected = np.where(amax == 0, np.float32(unseen), np.float32(224) / np.where(amax == 0, np.float32(1), amax))
    np.testing.assert_array_equal(scale, expected)
    np.testing.assert_array_equal(scale_inv, 1 / expected)
    # What is not finite must not make later scales.
    np.testing.assert_array_equal(new, [[9, 3, 7, 0], [0, 0, 0, 0], [0, 0, 2, 0]])
    np.testing.assert_array_equal(recent, [9, np.inf, np.nan])


FAKE = """
func.func @f(%x: tensor<RxKxbf16>, %s: tensor<SHAPEf32>) -> tensor<RxKxf32> {
  %y = prec.fake_quantize %x, %s for ELEMENT : tensor<RxKxbf16> to tensor<RxKxf32>BY
  return %y : tensor<RxKxf32>
}
"""


@pytest.mark.parametrize("element, dtype, largest", [("e4m3", ml_dtypes.float8_e4m3fn, 448), ("e5m2", ml_dtypes.float8_e5m2, 57344),
                                                     ("e2m1", ml_dtypes.float4_e2m1fn, 6)])
@pytest.mark.parametrize("scaling, shape, height, depth", [
    ("tensor_delayed", (), 8, 96), ("row", (8,), 1, 96), ("block_1x128", (8, 1), 1, 128), ("block_128x128", (1, 1), 8, 96),
    ("nvfp4_1x16", (8, 6), 1, 16), ("mx_1x32", (8, 3), 1, 32)])
def test_fake_quantize(prec_opt, element, dtype, largest, scaling, shape, height, depth):
    """Rounded and saturated by ml_dtypes, times the inverse of the scale; nothing is left where the scale is 0."""
    x = (normal(8, 96) * np.exp2(RNG.integers(-12, 12, (8, 96)))).astype(ml_dtypes.bfloat16).astype(np.float32)
    scales = np.exp2(RNG.uniform(-3, 3, shape)).astype(np.float32)
    if scales.size > 2:
        scales[2] = 0
    name = "".join(f"{n}x" for n in shape)
    text = FAKE.replace("SHAPE", name).replace("RxK", "8x96").replace("ELEMENT", element).replace("BY", f" by {scaling} tensor<{name}f32>")
    result, = run(prec_opt, text, (x, scales))
    each = scales.reshape(-1, max(1, scales.shape[1] if scales.ndim > 1 else 1)).repeat(height if scales.size == 1 else 8 // max(1, len(scales)), 0)
    each = each.repeat(depth, 1)[:, :96] if each.shape[1] > 1 else np.broadcast_to(each, (8, 96))
    rounded = np.clip(x * each, -largest, largest).astype(dtype).astype(np.float32)
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(result, np.where(each == 0, 0, rounded * np.where(each == 0, 0, np.float32(1) / each)))


def guard(count):
    names = ", ".join(f'"{i}"' for i in range(count))
    shapes = ["" if i % 3 == 0 else "5x" if i % 3 == 1 else "2x3x" for i in range(count)]
    arguments = ", ".join(f"%x{i}: tensor<{shape}f32>" for i, shape in enumerate(shapes))
    types = ", ".join(f"tensor<{shape}f32>" for shape in shapes)
    inputs = ", ".join(f"%x{i}" for i in range(count))
    return f"""
func.func @f({arguments}) -> (tensor<i1>, tensor<f32>) {{
  %f, %i = prec.finite_guard {inputs} of [{names}] : {types}
  return %f, %i : tensor<i1>, tensor<f32>
}}
""", [np.float32(normal(*map(int, shape.split("x")[:-1]))) for shape in shapes]


@pytest.mark.parametrize("count", [1, 3, 64, 65, 150])
def test_finite_guard(prec_opt, count):
    text, values = guard(count)
    assert run(prec_opt, text, values) == [True, count]
    for bad in {0, count // 2, count - 1}:
        for value in (np.nan, np.inf, -np.inf):
            spoiled = [np.array(x) for x in values]
            for index in (bad, count - 1):
                spoiled[index].flat[-1] = value
            assert run(prec_opt, text, spoiled) == [False, bad]
    # Nobody squares it.
    for first in (np.full_like(values[0], 2e19), values[0]):
        last = np.full_like(values[-1], -3e38)
        assert run(prec_opt, text, [first, *values[1:-1], last][-count:]) == [True, count]


NORM = """
func.func @f(%x: tensor<3xf32>, %y: tensor<bf16>) -> (tensor<i1>, tensor<f32>, tensor<f32>) {
  %f, %i = prec.finite_guard %x, %y of ["x", "y"] : tensor<3xf32>, tensor<bf16>
  %n = prec_train.global_norm NORMED : (TYPES) -> tensor<f32>
  return %f, %i, %n : tensor<i1>, tensor<f32>, tensor<f32>
}
"""


@pytest.mark.parametrize(
    "normed, types, first", [("%x", "tensor<3xf32>", 0), ("%y", "tensor<bf16>", 1), ("%x, %y", "tensor<3xf32>, tensor<bf16>", 0)]
)
def test_finite_guard_of_a_norm(prec_opt, normed, types, first):
    """What a norm squares must be finite when squared."""
    text = NORM.replace("NORMED", normed).replace("TYPES", types)
    assert run(prec_opt, text, (np.float32([1, 2, 3]), ml_dtypes.bfloat16(4)))[:2] == [True, 2]
    with np.errstate(over="ignore"):
        finite, index, _ = run(prec_opt, text, (np.float32([1, 2e19, 3]), ml_dtypes.bfloat16(2e19)))
    assert (finite, index) == (False, first)


UPDATE = """
func.func @f(%s: tensor<f32>, %n: tensor<f32>, %ok: tensor<i1>) -> (tensor<f32>, tensor<f32>) {
  %t, %m = prec.update_loss_scale %s, %n, %ok {growth = 4.0 : f32, backoff = 0.25 : f32, interval = 3 : i64}
  return %t, %m : tensor<f32>, tensor<f32>
}
"""


@pytest.mark.parametrize("scale, good, finite, expected", [
    (16, 0, True, (16, 1)), (16, 1, True, (16, 2)), (16, 2, True, (64, 0)), (16, 2, False, (4, 0)), (16, 0, False, (4, 0)),
    # Its inverse stays a normal number.
    (2.0 ** 126, 2, True, (2.0 ** 126, 0)), (2.0 ** 125, 2, True, (2.0 ** 126, 0)),
    # What overflows unscaled, overflows with a smaller scale, too.
    (2, 0, False, (1, 0)), (1, 1, False, (1, 0)), (0.5, 1, False, (0.5, 0)), (0.5, 2, True, (2, 0))])
def test_update_loss_scale(prec_opt, scale, good, finite, expected):
    assert tuple(run(prec_opt, UPDATE, (np.float32(scale), np.float32(good), np.bool_(finite)))) == expected
