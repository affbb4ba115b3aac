# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Dispatches of every family with their references in numpy.

Tolerances: 0 (equal bits) wherever every operation is correctly rounded; a sum
of n terms is allowed n roundings of the sum of magnitudes; math functions the
units that include/prec/Codegen says.
"""

import ml_dtypes
import numpy as np
from harness import Case, tensor

BF16 = ml_dtypes.bfloat16
E4M3 = ml_dtypes.float8_e4m3fn
E5M2 = ml_dtypes.float8_e5m2
EPS = 2.0 ** -24  # half a unit in the last place of f32


def f32(*arrays):
    return [a.astype(np.float32) for a in arrays]


def normal(*shape, dtype=np.float32, scale=1.0):
    return lambda rng: (rng.standard_normal(shape) * scale).astype(dtype)


def make(*makers):
    return lambda rng: [m(rng) for m in makers]


def to_fp8(x, dtype):
    """Saturating conversion of f32: clamp, then round."""
    limit = float(ml_dtypes.finfo(dtype).max)
    return np.clip(x, -limit, limit).astype(dtype)


CASES = []


def add(*args, **kwargs):
    CASES.append(Case(*args, **kwargs))


def add_bias(rows, columns):
    x, b = tensor([rows, columns], "bf16"), tensor([columns], "f32")
    full = tensor([rows, columns], "f32")
    add(f"bias_{rows}x{columns}", "elementwise", [x, b], [x], f"""
        %x = arith.extf %0 : {x} to {full}
        %b = prec_train.broadcast %1 dims [1] : ({b}) -> {full}
        %s = arith.addf %x, %b : {full}
        %y = arith.truncf %s : {full} to {x}""", "%y",
        make(normal(rows, columns, dtype=BF16), normal(columns)),
        lambda x, b: [(x.astype(np.float32) + b).astype(BF16)])


for shape in [(4, 256), (3, 250), (64, 50), (5, 7), (1, 1), (1, 33)]:
    add_bias(*shape)


def add_linear(n):
    t = tensor([n], "f32")
    add(f"axpy_{n}", "elementwise", [t, t, "tensor<f32>"], [t], f"""
        %a = prec_train.broadcast %2 dims [] : (tensor<f32>) -> {t}
        %m = arith.mulf %a, %0 : {t}
        %y = arith.addf %m, %1 : {t}""", "%y",
        make(normal(n), normal(n), normal()),
        lambda x, y, a: [(a * x).astype(np.float32) + y])


for n in [1, 15, 16, 17, 4096, 5003]:
    add_linear(n)

T = tensor([8, 64], "f32")
ONE = "tensor<f32>"
for element, dtype in [("f8E4M3FN", E4M3), ("f8E5M2", E5M2)]:
    Q = tensor([8, 64], element)
    add(f"quantize_{element}", "elementwise", [T, ONE], [Q], f"""
        %q = prec.quantize %0, %1 : {T} to {Q}""", "%q",
        make(normal(8, 64, scale=100.0), lambda rng: np.float32(1.7) * np.ones((), np.float32)),
        lambda x, s, dtype=dtype: [to_fp8(x * s, dtype)])
    B = tensor([8, 64], "bf16")
    add(f"dequantize_{element}", "elementwise", [Q, ONE], [B, T], f"""
        %b = prec.dequantize %0, %1 : {Q} to {B}
        %f = arith.extf %0 : {Q} to {T}""", "%b, %f",
        make(normal(8, 64, dtype=dtype), normal()),
        lambda q, s: [(q.astype(np.float32) * s).astype(BF16), q.astype(np.float32)])

add("integers", "elementwise", [tensor([6, 20], "i32"), tensor([6, 20], "i1")],
    [tensor([6, 20], "i32"), tensor([6, 20], "i1")], """
    %i = prec_train.iota dim 1 : tensor<6x20xi32>
    %j = prec_train.iota dim 0 : tensor<6x20xi32>
    %s = arith.addi %0, %i : tensor<6x20xi32>
    %c = arith.cmpi sgt, %s, %j : tensor<6x20xi32>
    %y = arith.select %1, %s, %j : tensor<6x20xi1>, tensor<6x20xi32>
    %z = arith.andi %c, %1 : tensor<6x20xi1>""", "%y, %z",
    make(lambda rng: rng.integers(-30, 30, (6, 20), dtype=np.int32), lambda rng: rng.random((6, 20)) < 0.5),
    lambda x, m: (lambda i, j: [np.where(m, x + i, j), (x + i > j) & m])(
        np.broadcast_to(np.arange(20, dtype=np.int32), (6, 20)),
        np.broadcast_to(np.arange(6, dtype=np.int32)[:, None], (6, 20))))

add("in_place", "elementwise", [tensor([1000], "f32"), tensor([1000], "f32")],
    [tensor([1000], "f32"), tensor([1000], "f32")], """
    %s = arith.addf %0, %1 : tensor<1000xf32>
    %d = arith.subf %0, %1 : tensor<1000xf32>""", "%s, %d",
    make(normal(1000), normal(1000)), lambda a, b: [a + b, a - b], inplace=[1, 0])


def add_rope(b, h, s, d):
    x, t, half = tensor([b, h, s, d], "bf16"), tensor([s, d // 2], "f32"), tensor([b, h, s, d // 2], "f32")
    full, narrow = tensor([b, h, s, d], "f32"), tensor([b, h, s, d // 2], "bf16")
    sizes = f"[{b}, {h}, {s}, {d // 2}] [1, 1, 1, 1]"

    def reference(x, c, sn):
        x = x.astype(np.float32)
        x1, x2 = x[..., :d // 2], x[..., d // 2:]
        return [np.concatenate([x1 * c - x2 * sn, x2 * c + x1 * sn], -1).astype(BF16)]

    add(f"rope_{b}x{h}x{s}x{d}", "elementwise", [x, t, t], [x], f"""
        %x = arith.extf %0 : {x} to {full}
        %x1 = tensor.extract_slice %x[0, 0, 0, 0] {sizes} : {full} to {half}
        %x2 = tensor.extract_slice %x[0, 0, 0, {d // 2}] {sizes} : {full} to {half}
        %c = prec_train.broadcast %1 dims [2, 3] : ({t}) -> {half}
        %s = prec_train.broadcast %2 dims [2, 3] : ({t}) -> {half}
        %a = arith.mulf %x1, %c : {half}
        %b = arith.mulf %x2, %s : {half}
        %e = arith.mulf %x2, %c : {half}
        %f = arith.mulf %x1, %s : {half}
        %y1 = arith.subf %a, %b : {half}
        %y2 = arith.addf %e, %f : {half}
        %n1 = arith.truncf %y1 : {half} to {narrow}
        %n2 = arith.truncf %y2 : {half} to {narrow}
        %y = tensor.concat dim(3) %n1, %n2 : ({narrow}, {narrow}) -> {x}""", "%y",
        make(normal(b, h, s, d, dtype=BF16), normal(s, d // 2), normal(s, d // 2)), reference)


add_rope(2, 3, 5, 64)
add_rope(1, 2, 4, 6)


def rotate(source, cos, sin, target, rows, heads, d):
    """Turns the heads of rows of bf16 by angles of each row."""
    flat, wide = tensor([rows, heads * d], "bf16"), tensor([rows, heads * d], "f32")
    full, half = tensor([rows, heads, d], "f32"), tensor([rows, heads, d // 2], "f32")
    t, sizes = tensor([rows, d // 2], "f32"), f"[{rows}, {heads}, {d // 2}] [1, 1, 1]"
    return "".join(f"        {line}\n" for line in f"""
        %w? = arith.extf {source} : {flat} to {wide}
        %h? = tensor.expand_shape %w? [[0], [1, 2]] output_shape [{rows}, {heads}, {d}] : {wide} into {full}
        %x1? = tensor.extract_slice %h?[0, 0, 0] {sizes} : {full} to {half}
        %x2? = tensor.extract_slice %h?[0, 0, {d // 2}] {sizes} : {full} to {half}
        %cb? = prec_train.broadcast {cos} dims [0, 2] : ({t}) -> {half}
        %sb? = prec_train.broadcast {sin} dims [0, 2] : ({t}) -> {half}
        %a1? = arith.mulf %x1?, %cb? : {half}
        %b1? = arith.mulf %x2?, %sb? : {half}
        %a2? = arith.mulf %x2?, %cb? : {half}
        %b2? = arith.mulf %x1?, %sb? : {half}
        %y1? = arith.subf %a1?, %b1? : {half}
        %y2? = arith.addf %a2?, %b2? : {half}
        %y? = tensor.concat dim(2) %y1?, %y2? : ({half}, {half}) -> {full}
        %f? = tensor.collapse_shape %y? [[0], [1, 2]] : {full} into {wide}
        {target} = arith.truncf %f? : {wide} to {flat}""".replace("?", f"_{target[1:]}").strip().splitlines())


def rotated(x, c, s):
    """What `rotate` computes."""
    rows, half = c.shape
    x = x.astype(np.float32).reshape(rows, -1, 2 * half)
    x1, x2, c, s = x[..., :half], x[..., half:], c[:, None], s[:, None]
    return np.concatenate([x1 * c - x2 * s, x2 * c + x1 * s], -1).astype(BF16).reshape(rows, -1)


def add_quantized_rope(rows, heads, d):
    """The two halves are no results by themselves."""
    x, q, t = tensor([rows, heads * d], "bf16"), tensor([rows, heads * d], "f8E4M3FN"), tensor([rows, d // 2], "f32")
    body = rotate("%0", "%1", "%2", "%r", rows, heads, d)
    add(f"quantized_rope_{rows}x{heads}x{d}", "elementwise", [x, t, t, ONE], [q], body + f"""
        %q = prec.quantize %r, %3 : {x} to {q}""", "%q",
        make(normal(rows, heads * d, dtype=BF16), normal(rows, d // 2), normal(rows, d // 2),
             lambda rng: np.float32(16).reshape(())),
        lambda x, c, s, scale: [to_fp8(rotated(x, c, s).astype(np.float32) * scale, E4M3)])


add_quantized_rope(6, 3, 64)
add_quantized_rope(5, 2, 16)
add_quantized_rope(4, 3, 6)


def add_permute(shape, permutation):
    x = tensor(shape, "bf16")
    y = tensor([shape[p] for p in permutation], "bf16")
    flat = tensor([int(np.prod(shape))], "bf16")
    rank = len(shape)
    add("permute_" + "x".join(map(str, shape)) + "_" + "".join(map(str, permutation)), "elementwise", [x], [flat], f"""
        %t = prec_train.transpose %0 permutation {list(permutation)} : ({x}) -> {y}
        %y = tensor.collapse_shape %t [{list(range(rank))}] : {y} into {flat}""", "%y",
        make(normal(*shape, dtype=BF16)), lambda x: [x.transpose(permutation).reshape(-1)])


add_permute((2, 5, 3, 32), (0, 2, 1, 3))
add_permute((2, 5, 3, 32), (0, 2, 3, 1))
add_permute((7, 9), (1, 0))
add_permute((3, 4, 6), (2, 1, 0))

# Reshapes that part no dimension evenly.
add("reshape_odd", "elementwise", [tensor([6, 10], "f32"), tensor([15], "f32")], [tensor([4, 15], "f32")], """
    %f = tensor.collapse_shape %0 [[0, 1]] : tensor<6x10xf32> into tensor<60xf32>
    %e = tensor.expand_shape %f [[0, 1]] output_shape [4, 15] : tensor<60xf32> into tensor<4x15xf32>
    %b = prec_train.broadcast %1 dims [1] : (tensor<15xf32>) -> tensor<4x15xf32>
    %y = arith.addf %e, %b : tensor<4x15xf32>""", "%y",
    make(normal(6, 10), normal(15)), lambda x, b: [x.reshape(4, 15) + b])

add("slice_odd", "elementwise", [tensor([5, 40, 9], "f32")], [tensor([3, 32, 8], "f32")], """
    %y = tensor.extract_slice %0[1, 5, 1] [3, 32, 8] [1, 1, 1] : tensor<5x40x9xf32> to tensor<3x32x8xf32>""", "%y",
    make(normal(5, 40, 9)), lambda x: [x[1:4, 5:37, 1:9]])

add("slice_strided", "elementwise", [tensor([6, 33, 64], "bf16")], [tensor([2, 32, 32], "bf16")], """
    %y = tensor.extract_slice %0[1, 1, 1] [2, 32, 32] [3, 1, 2] : tensor<6x33x64xbf16> to tensor<2x32x32xbf16>""", "%y",
    make(normal(6, 33, 64, dtype=BF16)), lambda x: [np.ascontiguousarray(x[1:7:3, 1:33, 1:65:2])])

# A slice that drops a dimension, then one of what is left.
add("slice_rank", "elementwise", [tensor([4, 3, 5, 32], "f32")], [tensor([4, 32], "f32")], """
    %s = tensor.extract_slice %0[0, 2, 0, 0] [4, 1, 5, 32] [1, 1, 1, 1] : tensor<4x3x5x32xf32> to tensor<4x5x32xf32>
    %y = tensor.extract_slice %s[0, 3, 0] [4, 1, 32] [1, 1, 1] : tensor<4x5x32xf32> to tensor<4x32xf32>""", "%y",
    make(normal(4, 3, 5, 32)), lambda x: [np.ascontiguousarray(x[:, 2, 3])])

add("masks", "elementwise", [tensor([7, 16], "f32"), tensor([7], "i1")], [tensor([7, 16], "f32"), tensor([7, 16], "i1")], """
    %t = arith.constant dense<true> : tensor<7x16xi1>
    %z = arith.constant dense<0.0> : tensor<7x16xf32>
    %m = prec_train.broadcast %1 dims [0] : (tensor<7xi1>) -> tensor<7x16xi1>
    %c = arith.cmpf ogt, %0, %z : tensor<7x16xf32>
    %n = arith.xori %m, %t : tensor<7x16xi1>
    %o = arith.ori %c, %n : tensor<7x16xi1>
    %f = arith.uitofp %o : tensor<7x16xi1> to tensor<7x16xf32>
    %y = arith.select %m, %0, %f : tensor<7x16xi1>, tensor<7x16xf32>""", "%y, %o",
    make(normal(7, 16), lambda rng: rng.random(7) < 0.5),
    lambda x, m: (lambda o: [np.where(m[:, None], x, o.astype(np.float32)), o])((x > 0) | ~m[:, None]))

TABLE = np.linspace(-3, 5, 48, dtype=np.float32).reshape(3, 16)
add("tables", "elementwise", [tensor([5, 3, 16], "f32")], [tensor([5, 3, 16], "f32"), tensor([5, 3, 16], "bf16")], f"""
    %k = arith.constant dense<"0x{TABLE.tobytes().hex().upper()}"> : tensor<3x16xf32>
    %h = arith.constant dense<"0x{TABLE[:, 0].astype(BF16).tobytes().hex().upper()}"> : tensor<3xbf16>
    %m = arith.constant dense<[true, false, true]> : tensor<3xi1>
    %kb = prec_train.broadcast %k dims [1, 2] : (tensor<3x16xf32>) -> tensor<5x3x16xf32>
    %hb = prec_train.broadcast %h dims [1] : (tensor<3xbf16>) -> tensor<5x3x16xbf16>
    %mb = prec_train.broadcast %m dims [1] : (tensor<3xi1>) -> tensor<5x3x16xi1>
    %s = arith.addf %0, %kb : tensor<5x3x16xf32>
    %y = arith.select %mb, %s, %0 : tensor<5x3x16xi1>, tensor<5x3x16xf32>""", "%y, %hb",
    make(normal(5, 3, 16)),
    lambda x: [np.where(np.array([True, False, True])[:, None], x + TABLE, x),
               np.broadcast_to(TABLE[:, :1].astype(BF16), (5, 3, 16))])

add("concat_odd", "elementwise", [tensor([4, 3], "f32"), tensor([4, 5], "f32"), tensor([4, 16], "f32")],
    [tensor([4, 24], "f32")], """
    %y = tensor.concat dim(1) %0, %1, %2 : (tensor<4x3xf32>, tensor<4x5xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>""",
    "%y", make(normal(4, 3), normal(4, 5), normal(4, 16)), lambda a, b, c: [np.concatenate([a, b, c], 1)])

add("concat_rows", "elementwise", [tensor([2, 32], "bf16"), tensor([1, 32], "bf16")], [tensor([3, 32], "bf16")], """
    %y = tensor.concat dim(0) %0, %1 : (tensor<2x32xbf16>, tensor<1x32xbf16>) -> tensor<3x32xbf16>""",
    "%y", make(normal(2, 32, dtype=BF16), normal(1, 32, dtype=BF16)), lambda a, b: [np.concatenate([a, b], 0)])


def add_gather(vocabulary, width, shape):
    table, ids = tensor([vocabulary, width], "f32"), tensor(shape, "i32")
    out = tensor([*shape, width], "f32")
    narrow = tensor([*shape, width], "bf16")
    add(f"gather_{vocabulary}x{width}", "elementwise", [table, ids], [narrow], f"""
        %g = prec_train.gather %0, %1 : ({table}, {ids}) -> {out}
        %y = arith.truncf %g : {out} to {narrow}""", "%y",
        make(normal(vocabulary, width), lambda rng: rng.integers(0, vocabulary, shape, dtype=np.int32)),
        lambda t, i: [t[i].astype(BF16)])


add_gather(40, 64, (2, 6))
add_gather(40, 5, (3, 7))


def add_repeated_rows(tokens, columns, each):
    """Rows of a table, each looked up several times, by scales of rows: a large one by slices of columns."""
    rows = tokens * each
    table, ids, scales = tensor([tokens, columns], "bf16"), tensor([rows], "i32"), tensor([rows], "f32")
    x, wide, narrow = (tensor([rows, columns], element) for element in ("bf16", "f32", "f8E4M3FN"))
    add(f"repeated_rows_{tokens}x{columns}x{each}", "elementwise", [table, ids, scales, ONE], [narrow], f"""
        %g = prec_train.gather %0, %1 : ({table}, {ids}) -> {x}
        %w = arith.extf %g : {x} to {wide}
        %b = prec_train.broadcast %2 dims [0] : ({scales}) -> {wide}
        %m = arith.mulf %w, %b : {wide}
        %q = prec.quantize %m, %3 : {wide} to {narrow}""", "%q",
        make(lambda rng: rng.integers(-9, 9, (tokens, columns)).astype(BF16), lambda rng: rng.permutation(rows).astype(np.int32) // each,
             normal(rows), lambda rng: np.float32(1).reshape(())),
        lambda t, i, s, one: [to_fp8(t[i].astype(np.float32) * s[:, None], E4M3)])


add_repeated_rows(40, 512, 3)
add_repeated_rows(4099, 1024, 2)


def add_rms_norm(rows, columns, element="bf16"):
    x, g, r = tensor([rows, columns], element), tensor([columns], element), tensor([rows], "f32")
    full, wide = tensor([rows, columns], "f32"), tensor([columns], "f32")
    dtype = {"bf16": BF16, "f32": np.float32}[element]
    body = f"""
        %n = arith.constant dense<{float(columns)}> : {r}
        %eps = arith.constant dense<1.0e-5> : {r}
        {"%x = arith.extf %0 : " + x + " to " + full if element != "f32" else ""}
        {"%g = arith.extf %1 : " + g + " to " + wide if element != "f32" else ""}
        %q = arith.mulf %x, %x : {full}
        %s = prec_train.reduce sum %q dims [1] : ({full}) -> {r}
        %m = arith.divf %s, %n : {r}
        %e = arith.addf %m, %eps : {r}
        %r = math.rsqrt %e : {r}
        %rb = prec_train.broadcast %r dims [0] : ({r}) -> {full}
        %gb = prec_train.broadcast %g dims [1] : ({wide}) -> {full}
        %h = arith.mulf %x, %rb : {full}
        %w = arith.mulf %h, %gb : {full}
        {"%y = arith.truncf %w : " + full + " to " + x if element != "f32" else ""}"""
    y = "%y"
    if element == "f32":
        body = body.replace("%x", "%0").replace("%g ", "%1 ").replace("%g:", "%1:").replace("broadcast %g dims", "broadcast %1 dims")
        y = "%w"

    def reference(x, g):
        x, g = x.astype(np.float64), g.astype(np.float64)
        r = 1 / np.sqrt((x * x).mean(1) + 1e-5)
        return [(x * r[:, None] * g).astype(dtype), r.astype(np.float32)]

    def tolerance(arrays, index):
        y, r = reference(*arrays)
        relative = (columns + 6) * EPS
        if index == 1:
            return np.abs(r) * relative
        return np.abs(y.astype(np.float64)) * (relative + (2.0 ** -7 if element == "bf16" else 0)) + 1e-30

    add(f"rms_norm_{rows}x{columns}_{element}", "row", [x, g], [x, r], body, f"{y}, %r",
        make(normal(rows, columns, dtype=dtype), normal(columns, dtype=dtype)), reference, tolerance)


for shape in [(4, 128), (6, 250), (3, 4096), (2, 5000), (5, 16384), (2, 50257), (3, 70000), (7, 3)]:
    add_rms_norm(*shape)
add_rms_norm(9, 1024, "f32")


def add_softmax(rows, columns):
    x, r = tensor([rows, columns], "f32"), tensor([rows], "f32")

    def reference(x):
        x = x.astype(np.float64)
        e = np.exp(x - x.max(1, keepdims=True))
        return [(e / e.sum(1, keepdims=True)).astype(np.float32),
                (x.max(1) + np.log(e.sum(1))).astype(np.float32)]

    add(f"softmax_{rows}x{columns}", "row", [x], [x, r], f"""
        %m = prec_train.reduce max %0 dims [1] : ({x}) -> {r}
        %mb = prec_train.broadcast %m dims [0] : ({r}) -> {x}
        %d = arith.subf %0, %mb : {x}
        %e = math.exp %d : {x}
        %s = prec_train.reduce sum %e dims [1] : ({x}) -> {r}
        %sb = prec_train.broadcast %s dims [0] : ({r}) -> {x}
        %y = arith.divf %e, %sb : {x}
        %l = math.log %s : {r}
        %lse = arith.addf %m, %l : {r}""", "%y, %lse",
        make(normal(rows, columns, scale=5.0)), reference,
        lambda arrays, index: np.abs(reference(*arrays)[index].astype(np.float64)) * (columns + 40) * EPS + 1e-30,
        inplace=[0, -1])


def as_of_many(build):
    """Cases whose few rows share the multiprocessors of a GPU as many would."""
    start = len(CASES)
    build()
    for case in CASES[start:]:
        case.name, case.many_rows = f"{case.name}_of_many", 1


# Of odd lengths, whose rows begin anywhere between two vectors, in one block and in several.
for shape in [(4, 64), (3, 1000), (2, 3072), (5, 50257), (1, 40001), (4, 70003)]:
    add_softmax(*shape)
# Clusters that have a row each, and two.
as_of_many(lambda: add_softmax(4, 50257))
as_of_many(lambda: add_softmax(8, 57347))


def hot_labels(rows, columns):
    """Logits %w, and where they are those of labels, %h."""
    x, f, i, t = (tensor([rows, columns], "bf16"), tensor([rows, columns], "f32"), tensor([rows], "i32"), tensor([rows, columns], "i32"))
    return f"""
        %w = arith.extf %0 : {x} to {f}
        %i = prec_train.iota dim 1 : {t}
        %ib = prec_train.broadcast %1 dims [0] : ({i}) -> {t}
        %h = arith.cmpi eq, %i, %ib : {t}
        %zero = arith.constant dense<0.0> : {f}"""


def loss_gradient(rows, columns):
    """The gradients %y of logits, and the logarithms %l of their sums."""
    x, f, r = tensor([rows, columns], "bf16"), tensor([rows, columns], "f32"), tensor([rows], "f32")
    return hot_labels(rows, columns) + f"""
        %m = prec_train.reduce max %w dims [1] : ({f}) -> {r}
        %mb = prec_train.broadcast %m dims [0] : ({r}) -> {f}
        %d = arith.subf %w, %mb : {f}
        %e = math.exp %d : {f}
        %s = prec_train.reduce sum %e dims [1] : ({f}) -> {r}
        %l = math.log %s : {r}
        %lb = prec_train.broadcast %l dims [0] : ({r}) -> {f}
        %dl = arith.subf %d, %lb : {f}
        %p = math.exp %dl : {f}
        %one = arith.constant dense<1.0> : {f}
        %o = arith.select %h, %one, %zero : tensor<{rows}x{columns}xi1>, {f}
        %g = arith.subf %p, %o : {f}
        %y = arith.truncf %g : {f} to {x}"""


def add_cross_entropy(rows, columns):
    """The losses of rows, some of which begin with infinities, and the gradients of their logits."""
    x, f, i, r = (tensor([rows, columns], "bf16"), tensor([rows, columns], "f32"), tensor([rows], "i32"), tensor([rows], "f32"))
    hot = hot_labels(rows, columns)

    def make_inputs(rng):
        logits = (5 * rng.standard_normal((rows, columns))).astype(ml_dtypes.bfloat16)
        logits[0, :columns - 3] = -np.inf
        logits[rows // 2, 5:] += 80
        labels = rng.integers(columns - 3, columns, rows).astype(np.int32)
        return [logits, labels]

    def losses(logits, labels):
        x = logits.astype(np.float64)
        lse = x.max(1) + np.log(np.exp(x - x.max(1, keepdims=True)).sum(1))
        return [lse.astype(np.float32), x[np.arange(rows), labels].astype(np.float32)]

    add(f"cross_entropy_{rows}x{columns}", "row", [x, i], [r, r], hot + f"""
        %m = prec_train.reduce max %w dims [1] : ({f}) -> {r}
        %mb = prec_train.broadcast %m dims [0] : ({r}) -> {f}
        %d = arith.subf %w, %mb : {f}
        %e = math.exp %d : {f}
        %s = prec_train.reduce sum %e dims [1] : ({f}) -> {r}
        %l = math.log %s : {r}
        %lse = arith.addf %l, %m : {r}
        %p = arith.select %h, %w, %zero : tensor<{rows}x{columns}xi1>, {f}
        %picked = prec_train.reduce sum %p dims [1] : ({f}) -> {r}""", "%lse, %picked", make_inputs, losses,
        lambda arrays, index: 0 if index else np.abs(losses(*arrays)[0].astype(np.float64)) * (columns + 40) * EPS)

    def statistics(logits):
        x = logits.astype(np.float64)
        return [x.max(1).astype(np.float32), np.log(np.exp(x - x.max(1, keepdims=True)).sum(1)).astype(np.float32)]

    def gradients(logits, labels, largest, log_sum):
        difference = np.exp(logits.astype(np.float64) - largest[:, None] - log_sum[:, None])
        difference[np.arange(rows), labels] -= 1
        return [difference.astype(ml_dtypes.bfloat16)]

    add(f"cross_entropy_gradient_{rows}x{columns}", "elementwise", [x, i, r, r], [x], hot + f"""
        %mb = prec_train.broadcast %2 dims [0] : ({r}) -> {f}
        %b = arith.subf %w, %mb : {f}
        %lb = prec_train.broadcast %3 dims [0] : ({r}) -> {f}
        %d = arith.subf %b, %lb : {f}
        %p = math.exp %d : {f}
        %one = arith.constant dense<1.0> : {f}
        %o = arith.select %h, %one, %zero : tensor<{rows}x{columns}xi1>, {f}
        %g = arith.subf %p, %o : {f}
        %y = arith.truncf %g : {f} to {x}""", "%y",
        lambda rng: (lambda both: [*both, *statistics(both[0])])(make_inputs(rng)), gradients,
        lambda arrays, index: np.abs(gradients(*arrays)[0].astype(np.float64)) * 2.0 ** -7 + 1e-6)


    def both(logits, labels):
        largest, log_sum = statistics(logits)
        return [log_sum, *gradients(logits, labels, largest, log_sum)]

    def tolerance(arrays, index):
        log_sum, gradient = [result.astype(np.float64) for result in both(*arrays)]
        error = np.maximum(log_sum, 1) * (columns + 40) * EPS
        # What the gradient's exponential takes from its row's.
        return np.abs(gradient) * 2.0 ** -7 + 2 * error[:, None] + 1e-6 if index else error

    add(f"cross_entropy_with_gradient_{rows}x{columns}", "row", [x, i], [r, x], loss_gradient(rows, columns), "%l, %y",
        make_inputs, both, tolerance, inplace=[-1, 0])


for shape in [(4, 1000), (3, 50264), (3, 50304), (9, 50257), (3, 128256), (3, 128250)]:
    add_cross_entropy(*shape)
as_of_many(lambda: add_cross_entropy(4, 128256))
as_of_many(lambda: add_cross_entropy(8, 70001))


def add_picked(rows, columns):
    """Elements of rows that are replaced, some of them at labels outside of the row, which pick nothing."""
    x, f, i, r = (tensor([rows, columns], "bf16"), tensor([rows, columns], "f32"), tensor([rows], "i32"), tensor([rows], "f32"))
    t = tensor([rows, columns], "i32")
    labels = np.resize(np.array([-100, 0, -1, columns - 1, columns, columns // 2, columns + 100, 2 ** 31 - 1, -2 ** 31, 1],
                                np.int32), rows)
    inside = (labels >= 0) & (labels < columns)

    def make_inputs(rng):
        logits = rng.standard_normal((rows, columns)).astype(BF16)
        # A sum has no negative zero, and infinities that are not picked are no part of it.
        logits[1, 0] = -0.0
        logits[:, columns // 3] = -np.inf
        return [logits, labels]

    def reference(logits, labels):
        x = logits.astype(np.float32)
        picked = np.where(inside, x[np.arange(rows), np.where(inside, labels, 0)], 0) + np.float32(0)
        return [picked, x.max(1), (x - x.max(1, keepdims=True)).astype(BF16)]

    add(f"picked_{rows}x{columns}", "row", [x, i], [r, r, x], f"""
        %w = arith.extf %0 : {x} to {f}
        %i = prec_train.iota dim 1 : {t}
        %ib = prec_train.broadcast %1 dims [0] : ({i}) -> {t}
        %h = arith.cmpi eq, %ib, %i : {t}
        %zero = arith.constant dense<0.0> : {f}
        %p = arith.select %h, %w, %zero : tensor<{rows}x{columns}xi1>, {f}
        %picked = prec_train.reduce sum %p dims [1] : ({f}) -> {r}
        %m = prec_train.reduce max %w dims [1] : ({f}) -> {r}
        %mb = prec_train.broadcast %m dims [0] : ({r}) -> {f}
        %d = arith.subf %w, %mb : {f}
        %n = arith.truncf %d : {f} to {x}""", "%picked, %m, %n", make_inputs, reference, inplace=[-1, -1, 0])


# A warp, registers of a block, and shared memory; the last with single lanes.
for shape in [(10, 512), (20, 4096), (10, 50304), (10, 5001)]:
    add_picked(*shape)


def add_variance(rows, columns):
    """Two passes over many rows that are too long for registers."""
    x, f, r = tensor([rows, columns], "f8E4M3FN"), tensor([rows, columns], "f32"), tensor([rows], "f32")

    def reference(x):
        return [np.square(d - d.mean(1, keepdims=True)).sum(1) for d in [x.astype(np.float32).astype(np.float64)]]

    add(f"variance_{rows}x{columns}", "row", [x], [r], f"""
        %w = arith.extf %0 : {x} to {f}
        %s = prec_train.reduce sum %w dims [1] : ({f}) -> {r}
        %n = arith.constant dense<{float(columns)}> : {r}
        %m = arith.divf %s, %n : {r}
        %mb = prec_train.broadcast %m dims [0] : ({r}) -> {f}
        %d = arith.subf %w, %mb : {f}
        %q = arith.mulf %d, %d : {f}
        %v = prec_train.reduce sum %q dims [1] : ({f}) -> {r}""", "%v",
        make(normal(rows, columns, dtype=E4M3)),
        lambda x: [reference(x)[0].astype(np.float32)],
        lambda arrays, index: reference(*arrays)[0] * (columns + 40) * EPS)


add_variance(1024, 16640)


def add_softmax_gradient(rows, columns):
    """Two inputs of different widths, and more passes than one over both."""
    g, y, r = tensor([rows, columns], "bf16"), tensor([rows, columns], "f32"), tensor([rows], "f32")

    def terms(g, y):
        g, y = g.astype(np.float64), y.astype(np.float64)
        return g, y, (g * y).sum(1, keepdims=True)

    def reference(g, y):
        g, y, dot = terms(g, y)
        return [((g - dot) * y).astype(BF16)]

    def tolerance(arrays, index):
        g, y, dot = terms(*arrays)
        lost = np.abs(g * y).sum(1, keepdims=True) * (columns + 8) * EPS
        return np.abs((g - dot) * y) * 2.0 ** -8 + (lost + 4 * EPS * (np.abs(g) + np.abs(dot))) * np.abs(y)

    add(f"softmax_gradient_{rows}x{columns}", "row", [g, y], [g], f"""
        %g = arith.extf %0 : {g} to {y}
        %p = arith.mulf %g, %1 : {y}
        %dot = prec_train.reduce sum %p dims [1] : ({y}) -> {r}
        %db = prec_train.broadcast %dot dims [0] : ({r}) -> {y}
        %d = arith.subf %g, %db : {y}
        %x = arith.mulf %d, %1 : {y}
        %n = arith.truncf %x : {y} to {g}""", "%n",
        make(normal(rows, columns, dtype=BF16), lambda rng: rng.random((rows, columns), np.float32) / columns),
        reference, tolerance, inplace=[0])


for shape in [(3, 20000), (3, 50304), (3, 50259)]:
    add_softmax_gradient(*shape)


def add_layer_norm(rows, columns):
    """Three passes."""
    x, r = tensor([rows, columns], "f32"), tensor([rows], "f32")

    def reference(x):
        x = x.astype(np.float64)
        d = x - x.mean(1, keepdims=True)
        return [(d / np.sqrt(np.square(d).mean(1, keepdims=True))).astype(np.float32)]

    add(f"layer_norm_{rows}x{columns}", "row", [x], [x], f"""
        %s = prec_train.reduce sum %0 dims [1] : ({x}) -> {r}
        %n = arith.constant dense<{float(columns)}> : {r}
        %m = arith.divf %s, %n : {r}
        %mb = prec_train.broadcast %m dims [0] : ({r}) -> {x}
        %d = arith.subf %0, %mb : {x}
        %q = arith.mulf %d, %d : {x}
        %qs = prec_train.reduce sum %q dims [1] : ({x}) -> {r}
        %v = arith.divf %qs, %n : {r}
        %sd = math.sqrt %v : {r}
        %sb = prec_train.broadcast %sd dims [0] : ({r}) -> {x}
        %y = arith.divf %d, %sb : {x}""", "%y",
        make(normal(rows, columns)), reference,
        lambda arrays, index: (np.abs(reference(*arrays)[0].astype(np.float64)) + np.abs(arrays[0]).mean(1, keepdims=True))
        * (columns + 40) * EPS, inplace=[0])


for shape in [(3, 20000), (3, 70000)]:
    add_layer_norm(*shape)


def add_norm_gradient(groups, rows, columns, element="bf16", centered=False, recomputed=False, inplace=()):
    """The backward of RMSNorm, or of LayerNorm: a row's results, and the columns of each group of rows."""
    count = groups * rows
    x, full, g = tensor([count, columns], element), tensor([count, columns], "f32"), tensor([columns], "f32")
    r, split, partial = tensor([count], "f32"), tensor([groups, rows, columns], "f32"), tensor([groups, columns], "f32")
    dtype = {"bf16": BF16, "f32": np.float32}[element]
    dy, z = ("%dy", "%x") if element != "f32" else ("%0", "%1")
    widen = f"""
        %dy = arith.extf %0 : {x} to {full}
        %x = arith.extf %1 : {x} to {full}""" if element != "f32" else ""
    # What a kernel that computes the statistics itself gets instead is not read.
    statistics = f"""
        %xx = arith.mulf {z}, {z} : {full}
        %ms = prec_train.reduce sum %xx dims [1] : ({full}) -> {r}
        %ma = arith.divf %ms, %n : {r}
        %r = math.rsqrt %ma : {r}""" if recomputed else f"""
        %one = arith.constant dense<1.0> : {r}
        %r = arith.mulf %3, %one : {r}"""
    shift = f"""
        %mb = prec_train.broadcast %4 dims [0] : ({r}) -> {full}
        %c = arith.subf {z}, %mb : {full}""" if centered else ""
    def group(source, name):
        return f"""
            %e{name} = tensor.expand_shape {source} [[0, 1], [2]] output_shape [{groups}, {rows}, {columns}] : {full} into {split}
            %{name} = prec_train.reduce sum %e{name} dims [1] : ({split}) -> {partial}"""

    def terms(dy, x, gamma, rstd, mean):
        dy, x, gamma, rstd, mean = (a.astype(np.float64) for a in (dy, x, gamma, rstd, mean))
        if recomputed:
            rstd = 1 / np.sqrt((x * x).mean(1))
        rstd = rstd[:, None]
        return dy, dy * gamma, (x - mean[:, None] if centered else x) * rstd, rstd

    def reference(*arrays):
        dy, h, n, rstd = terms(*arrays)
        dx = rstd * (h - n * (h * n).mean(1, keepdims=True) - (h.mean(1, keepdims=True) if centered else 0))
        sums = [(dy * n).reshape(groups, rows, columns).sum(1)] + ([dy.reshape(groups, rows, columns).sum(1)] if centered else [])
        return [dx.astype(dtype), *(v.astype(np.float32) for v in sums)] + ([rstd[:, 0].astype(np.float32)] if recomputed else [])

    def tolerance(arrays, index):
        dy, h, n, rstd = terms(*arrays)
        lost = (columns + 12) * EPS
        if index == 0:
            dx = np.abs(reference(*arrays)[0].astype(np.float64))
            magnitude = np.abs(h) + np.abs(n) * np.abs(h * n).mean(1, keepdims=True) + np.abs(h).mean(1, keepdims=True)
            return dx * (2.0 ** -7 if element == "bf16" else 0) + 2 * rstd * magnitude * lost
        if recomputed and index == 2:
            return rstd[:, 0] * lost
        term = dy if index == 2 else dy * n
        return np.abs(term).reshape(groups, rows, columns).sum(1) * (rows + 8 + (columns if recomputed else 0)) * EPS

    name = ("layer" if centered else "rms") + f"_norm_gradient_{groups}x{rows}x{columns}_{element}" + ("_recomputed" if recomputed else "")
    results = [x, partial] + ([partial] if centered else []) + ([r] if recomputed else [])
    add(name, "row", [x, x, g, r, r], results, widen + f"""
        %n = arith.constant dense<{float(columns)}> : {r}""" + statistics + shift + f"""
        %rb = prec_train.broadcast %r dims [0] : ({r}) -> {full}
        %gb = prec_train.broadcast %2 dims [1] : ({g}) -> {full}
        %h = arith.mulf {dy}, %gb : {full}
        %z = arith.mulf {"%c" if centered else z}, %rb : {full}
        %hz = arith.mulf %h, %z : {full}
        %s = prec_train.reduce sum %hz dims [1] : ({full}) -> {r}
        %m = arith.divf %s, %n : {r}
        %mb2 = prec_train.broadcast %m dims [0] : ({r}) -> {full}
        %zm = arith.mulf %z, %mb2 : {full}
        %d = arith.subf %h, %zm : {full}""" + (f"""
        %hs = prec_train.reduce sum %h dims [1] : ({full}) -> {r}
        %hm = arith.divf %hs, %n : {r}
        %hb = prec_train.broadcast %hm dims [0] : ({r}) -> {full}
        %dc = arith.subf %d, %hb : {full}""" if centered else "") + f"""
        %dx = arith.mulf {"%dc" if centered else "%d"}, %rb : {full}
        {f"%y = arith.truncf %dx : {full} to {x}" if element != "f32" else ""}
        %t = arith.mulf {dy}, %z : {full}""" + group("%t", "dg") + (group(dy, "db") if centered else ""),
        ", ".join(["%y" if element != "f32" else "%dx", "%dg"] + (["%db"] if centered else []) + (["%r"] if recomputed else [])),
        make(normal(count, columns, dtype=dtype), normal(count, columns, dtype=dtype), normal(columns),
             lambda rng: (0.5 + rng.random(count)).astype(np.float32), normal(count, scale=0.1)),
        reference, tolerance, inplace=list(inplace))


# Short rows, several warps, rows that are no multiple of a thread's elements, groups that no teams share, one group.
for shape in [(3, 16, 96), (4, 32, 768), (2, 8, 1000), (3, 16, 2048), (2, 8, 4096), (3, 5, 33), (1, 24, 768), (2, 8, 8192)]:
    add_norm_gradient(*shape, inplace=[1, -1])
    add_norm_gradient(*shape, "f32", centered=True)
for shape in [(4, 32, 768), (2, 16, 1000), (2, 8, 4096)]:
    add_norm_gradient(*shape, centered=True, inplace=[0, -1, -1])
    add_norm_gradient(*shape, recomputed=True, inplace=[1, -1, -1])
    add_norm_gradient(*shape, "f32")
# Blocks that walk over several groups.
add_norm_gradient(2048, 2, 48, centered=True)
add_norm_gradient(1024, 1, 520, inplace=[1, -1])
add_norm_gradient(1024, 3, 40, "f32", inplace=[1, -1])
# Rows that no registers hold: sums in shared memory, of one block or of some that share a row, by vectors or by
# elements.
for shape in [(2, 8, 8448), (2, 3, 8201), (1, 4, 65536)]:
    add_norm_gradient(*shape, inplace=[1, -1])
add_norm_gradient(3, 4, 12288, "f32", centered=True)
add_norm_gradient(2, 4, 30528, recomputed=True, inplace=[1, -1, -1])


def add_loss_columns(groups, rows, columns):
    """The gradients of logits in their place, and of a bias that is added to them."""
    count = groups * rows
    x, f, i = tensor([count, columns], "bf16"), tensor([count, columns], "f32"), tensor([count], "i32")
    split, partial = tensor([groups, rows, columns], "f32"), tensor([groups, columns], "f32")

    def reference(logits, labels):
        x = logits.astype(np.float64)
        e = np.exp(x - x.max(1, keepdims=True))
        g = e / e.sum(1, keepdims=True)
        g[np.arange(count), labels] -= 1
        g = g.astype(BF16)
        return [g, g.astype(np.float64).reshape(groups, rows, columns).sum(1).astype(np.float32)]

    def tolerance(arrays, index):
        g = np.abs(reference(*arrays)[0].astype(np.float64)) * 2.0 ** -7 + 2.0 ** -24
        return g.reshape(groups, rows, columns).sum(1) if index else g

    add(f"loss_columns_{groups}x{rows}x{columns}", "row", [x, i], [x, partial], loss_gradient(count, columns) + f"""
        %z = arith.extf %y : {x} to {f}
        %v = tensor.expand_shape %z [[0, 1], [2]] output_shape [{groups}, {rows}, {columns}] : {f} into {split}
        %c = prec_train.reduce sum %v dims [1] : ({split}) -> {partial}""", "%y, %c",
        make(normal(count, columns, dtype=BF16, scale=3.0), lambda rng: rng.integers(0, columns, count).astype(np.int32)),
        reference, tolerance, inplace=[0, -1])


add_loss_columns(2, 8, 9000)
add_loss_columns(2, 4, 30528)
as_of_many(lambda: add_loss_columns(2, 4, 51200))


def add_masked_columns(groups, rows, columns):
    """Rows that are read in pieces of 16 bytes and as bits, and their columns."""
    count = groups * rows
    x, mask, y = tensor([count, columns], "f32"), tensor([count, columns], "i1"), tensor([count, columns], "bf16")
    r, split, partial = tensor([count], "f32"), tensor([groups, rows, columns], "f32"), tensor([groups, columns], "f32")

    def terms(x, m):
        masked = np.where(m, x, 0).astype(np.float64)
        return masked, (masked * masked).sum(1, keepdims=True)

    def reference(x, m):
        masked, squares = terms(x, m)
        return [(masked * squares).astype(BF16), masked.reshape(groups, rows, columns).sum(1).astype(np.float32)]

    def tolerance(arrays, index):
        masked, squares = terms(*arrays)
        if index == 0:
            return np.abs(masked) * squares * (2.0 ** -7 + columns * EPS)
        return np.abs(masked).reshape(groups, rows, columns).sum(1) * (rows + 8) * EPS

    add(f"masked_columns_{groups}x{rows}x{columns}", "row", [x, mask], [y, partial], f"""
        %zero = arith.constant dense<0.0> : {x}
        %m = arith.select %1, %0, %zero : {mask}, {x}
        %mm = arith.mulf %m, %m : {x}
        %s = prec_train.reduce sum %mm dims [1] : ({x}) -> {r}
        %sb = prec_train.broadcast %s dims [0] : ({r}) -> {x}
        %ms = arith.mulf %m, %sb : {x}
        %y = arith.truncf %ms : {x} to {y}
        %e = tensor.expand_shape %m [[0, 1], [2]] output_shape [{groups}, {rows}, {columns}] : {x} into {split}
        %c = prec_train.reduce sum %e dims [1] : ({split}) -> {partial}""", "%y, %c",
        make(normal(count, columns), lambda rng: rng.random((count, columns)) < 0.7), reference, tolerance)


add_masked_columns(3, 12, 512)
add_masked_columns(2, 8, 2048)


def add_amax(rows, columns):
    x = tensor([rows, columns], "bf16")
    full, r = tensor([rows, columns], "f32"), tensor([rows], "f32")

    def some_nan(rng):
        x = rng.standard_normal((rows, columns)).astype(BF16)
        x[0, columns // 2] = np.nan
        return x

    add(f"amax_{rows}x{columns}", "row", [x], [r], f"""
        %x = arith.extf %0 : {x} to {full}
        %a = math.absf %x : {full}
        %m = prec_train.reduce max %a dims [1] : ({full}) -> {r}""", "%m",
        make(some_nan), lambda x: [np.nanmax(np.abs(x.astype(np.float32)), 1)])
    add(f"amax_all_{rows}x{columns}", "row", [x], ["tensor<f32>"], f"""
        %x = arith.extf %0 : {x} to {full}
        %a = math.absf %x : {full}
        %m = prec_train.reduce max %a dims [0, 1] : ({full}) -> tensor<f32>""", "%m",
        make(some_nan), lambda x: [np.nanmax(np.abs(x.astype(np.float32))).reshape(())])


add_amax(6, 96)
add_amax(3, 3331)


def add_column(rows, columns):
    x, c = tensor([rows, columns], "bf16"), tensor([columns], "bf16")
    full, wide = tensor([rows, columns], "f32"), tensor([columns], "f32")
    add(f"column_{rows}x{columns}", "column", [x, x], [c, wide], f"""
        %x = arith.extf %0 : {x} to {full}
        %d = arith.extf %1 : {x} to {full}
        %p = arith.mulf %x, %d : {full}
        %a = prec_train.reduce sum %p dims [0] : ({full}) -> {wide}
        %b = prec_train.reduce sum %d dims [0] : ({full}) -> {wide}
        %y = arith.truncf %a : {wide} to {c}""", "%y, %b",
        make(normal(rows, columns, dtype=BF16), normal(rows, columns, dtype=BF16)),
        lambda x, d: [(x.astype(np.float64) * d.astype(np.float64)).sum(0).astype(BF16),
                      d.astype(np.float64).sum(0).astype(np.float32)],
        lambda arrays, index: np.abs(arrays[1].astype(np.float64) * (arrays[0].astype(np.float64) if index == 0 else 1)
                                     ).sum(0) * (rows + 1) * EPS * (1 if index else 1)
        + (np.abs((arrays[0].astype(np.float64) * arrays[1].astype(np.float64)).sum(0)) * 2.0 ** -7 if index == 0 else 0))


# From 1024 rows on, several blocks share them.
for shape in [(4, 128), (300, 64), (33, 250), (1, 16), (500, 7), (2048, 128), (4099, 40), (2050, 33), (2500, 136)]:
    add_column(*shape)


def add_row_sums(tokens, each, columns):
    """Weighted rows of a table, of which so many are added to each token's own row: a thread has all of them."""
    rows = tokens * each
    table, one, ids = tensor([rows, columns], "bf16"), tensor([rows], "bf16"), tensor([rows], "i32")
    full, own = tensor([rows, columns], "f32"), tensor([tokens, columns], "bf16")
    grouped, wide = tensor([tokens, each, columns], "f32"), tensor([tokens, columns], "f32")

    def reference(x, weights, ids, own):
        terms = (x[ids].astype(np.float32) * weights[:, None].astype(np.float32)).astype(BF16).astype(np.float32).reshape(tokens, each, columns)
        total = np.zeros((tokens, columns), np.float32)
        for term in terms.transpose(1, 0, 2):
            total += term
        return [(total + own.astype(np.float32)).astype(BF16)]
    add(f"row_sums_{tokens}x{each}x{columns}", "column", [table, one, ids, own], [own], f"""
        %g = prec_train.gather %0, %2 : ({table}, {ids}) -> {table}
        %x = arith.extf %g : {table} to {full}
        %b = prec_train.broadcast %1 dims [0] : ({one}) -> {table}
        %w = arith.extf %b : {table} to {full}
        %m = arith.mulf %x, %w : {full}
        %r = arith.truncf %m : {full} to {table}
        %e = arith.extf %r : {table} to {full}
        %t = tensor.expand_shape %e [[0, 1], [2]] output_shape [{tokens}, {each}, {columns}] : {full} into {grouped}
        %s = prec_train.reduce sum %t dims [1] : ({grouped}) -> {wide}
        %o = arith.extf %3 : {own} to {wide}
        %a = arith.addf %s, %o : {wide}
        %y = arith.truncf %a : {wide} to {own}""", "%y",
        make(normal(rows, columns, dtype=BF16), normal(rows, dtype=BF16), lambda rng: rng.permutation(rows).astype(np.int32),
             normal(tokens, columns, dtype=BF16)), reference)


def add_row_sums_alone():
    for shape in [(64, 8, 512), (70, 3, 40), (40, 11, 64), (30, 2, 75)]:
        add_row_sums(*shape)


as_of_many(add_row_sums_alone)
add_row_sums(9, 8, 96)


def add_replaced_rows(tokens, rows, columns, ordered=False):
    """Rows that are looked up are multiplied with rows that the first result replaces, in the only pass over them."""
    table, x, ids, one, r = (tensor(shape, element) for shape, element in [
        ([tokens, columns], "bf16"), ([rows, columns], "bf16"), ([rows], "i32"), ([rows], "f32"), ([rows], "f32")])
    full = tensor([rows, columns], "f32")

    def reference(g, y, ids, weights, *order):
        g, y = g[ids].astype(np.float32), y.astype(np.float32)
        return [(g * weights[:, None]).astype(BF16), (g * y).astype(BF16).astype(np.float64).sum(1).astype(np.float32)]

    def tolerance(arrays, index):
        g, y, ids = arrays[:3]
        return 0 if index == 0 else np.abs(g[ids].astype(np.float64) * y.astype(np.float64)).sum(1) * columns * EPS
    given = make(normal(tokens, columns, dtype=BF16), normal(rows, columns, dtype=BF16),
                 lambda rng: rng.integers(0, tokens, rows).astype(np.int32), normal(rows),
                 *([lambda rng: rng.permutation(rows).astype(np.int32)] if ordered else []))
    add(f"{'ordered' if ordered else 'replaced'}_rows_{rows}x{columns}", "row", [table, x, ids, one, *([ids] if ordered else [])], [x, r], f"""
        %g = prec_train.gather %0, %2 : ({table}, {ids}) -> {x}
        %w = arith.extf %g : {x} to {full}
        %y = arith.extf %1 : {x} to {full}
        %b = prec_train.broadcast %3 dims [0] : ({one}) -> {full}
        %m = arith.mulf %w, %b : {full}
        %o = arith.truncf %m : {full} to {x}
        %p = arith.mulf %w, %y : {full}
        %q = arith.truncf %p : {full} to {x}
        %e = arith.extf %q : {x} to {full}
        %s = prec_train.reduce sum %e dims [1] : ({full}) -> {r}""", "%o, %s",
        given, reference, tolerance, inplace=[1, -1], order=4 if ordered else None)


for shape in [(4, 9, 2048), (3, 6, 768), (2, 3, 5000), (3, 5, 33)]:
    add_replaced_rows(*shape)
for shape in [(4, 9, 2048), (3, 6, 768)]:
    add_replaced_rows(*shape, ordered=True)


def add_joined_rows(rows, columns):
    """Two matrices that are rounded, the largest elements of rows of both, and both quantized side by side."""
    x, full, parts, whole, r = (tensor(shape, element) for shape, element in [
        ([rows, columns], "bf16"), ([rows, columns], "f32"), ([rows, columns], "f8E5M2"), ([rows, 2 * columns], "f8E5M2"), ([rows], "f32")])

    def reference(x, y, scale):
        x, y = x.astype(np.float32), y.astype(np.float32)
        both = [(x * y).astype(BF16), (x + y).astype(BF16)]
        largest = np.maximum(*(np.abs(part.astype(np.float32)).max(1) for part in both))
        return [largest, np.concatenate([(part.astype(np.float32) * scale).astype(ml_dtypes.float8_e5m2) for part in both], 1)]
    body = f"""
        %x = arith.extf %0 : {x} to {full}
        %y = arith.extf %1 : {x} to {full}
        %f0 = arith.mulf %x, %y : {full}
        %f1 = arith.addf %x, %y : {full}"""
    for i in range(2):
        body += f"""
        %r{i} = arith.truncf %f{i} : {full} to {x}
        %e{i} = arith.extf %r{i} : {x} to {full}
        %l{i} = math.absf %e{i} : {full}
        %m{i} = prec_train.reduce max %l{i} dims [1] : ({full}) -> {r}
        %q{i} = prec.quantize %r{i}, %2 : {x} to {parts}"""
    add(f"joined_rows_{rows}x{columns}", "row", [x, x, ONE], [r, whole], body + f"""
        %m = arith.maxnumf %m0, %m1 : {r}
        %c = tensor.concat dim(1) %q0, %q1 : ({parts}, {parts}) -> {whole}""", "%m, %c",
        make(normal(rows, columns, dtype=BF16), normal(rows, columns, dtype=BF16), lambda rng: np.float32(16).reshape(())), reference)


for shape in [(6, 768), (3, 96), (5, 50), (2, 4096), (3, 40_000)]:
    add_joined_rows(*shape)


def add_long_numbers(rows, columns, count):
    """Sums of i64, of which each takes twice the memory that a block's threads meet in."""
    x, c = tensor([rows, columns], "i64"), tensor([columns], "i64")
    add(f"column_long_numbers_{rows}x{columns}", "column", [x] * count, [c] * count,
        "\n".join(f"%s{i} = prec_train.reduce sum %{i} dims [0] : ({x}) -> {c}" for i in range(count)),
        ", ".join(f"%s{i}" for i in range(count)),
        lambda rng: [rng.integers(-2**40, 2**40, (rows, columns)) for _ in range(count)], lambda *xs: [x.sum(0) for x in xs])


add_long_numbers(4096, 64, 6)
add_long_numbers(300, 33, 2)


def add_transpose(shape, element):
    *batch, m, n = shape
    x, y, full = tensor(shape, "bf16"), tensor([*batch, n, m], element), tensor(shape, "f32")
    straight = tensor(shape, element)
    rank = len(shape)
    permutation = [*range(rank - 2), rank - 1, rank - 2]
    convert = {"bf16": lambda x: (x * np.float32(2)).astype(BF16), "f32": lambda x: x * np.float32(2),
               "f8E4M3FN": lambda x: to_fp8(x * np.float32(2), E4M3)}[element]
    narrow = f"%v = arith.truncf %d : {full} to {straight}" if element != "f32" else ""
    value = "%v" if element != "f32" else "%d"
    add("transpose_" + "x".join(map(str, shape)) + "_" + element, "transpose", [x], [straight, y], f"""
        %two = arith.constant dense<2.0> : {full}
        %x = arith.extf %0 : {x} to {full}
        %d = arith.mulf %x, %two : {full}
        {narrow}
        %t = prec_train.transpose {value} permutation {permutation} : ({straight}) -> {y}""", f"{value}, %t",
        make(normal(*shape, dtype=BF16)),
        lambda x: [convert(x.astype(np.float32)), np.ascontiguousarray(np.swapaxes(convert(x.astype(np.float32)), -1, -2))])


add_transpose((64, 64), "bf16")
add_transpose((128, 96), "f8E4M3FN")
add_transpose((2, 33, 50), "f32")
add_transpose((3, 70, 128), "f8E4M3FN")
add_transpose((1, 200), "bf16")


def add_aligned_rows(tokens, rows, columns):
    """Rows of a table, each looked up several times, and zeros for those of no group, quantized and transposed."""
    table, ids, scales, mask = tensor([tokens, columns], "bf16"), tensor([rows], "i32"), tensor([rows], "f32"), tensor([rows], "i1")
    x, wide, narrow, bits = (tensor([rows, columns], element) for element in ("bf16", "f32", "f8E5M2", "i1"))
    turned = tensor([columns, rows], "f8E5M2")
    add(f"aligned_rows_{tokens}x{rows}x{columns}", "transpose", [table, ids, scales, mask, ONE], [turned], f"""
        %z = arith.constant dense<0.0> : {wide}
        %g = prec_train.gather %0, %1 : ({table}, {ids}) -> {x}
        %w = arith.extf %g : {x} to {wide}
        %b = prec_train.broadcast %2 dims [0] : ({scales}) -> {wide}
        %m = arith.mulf %w, %b : {wide}
        %k = prec_train.broadcast %3 dims [0] : ({mask}) -> {bits}
        %s = arith.select %k, %m, %z : {bits}, {wide}
        %q = prec.quantize %s, %4 : {wide} to {narrow}
        %t = prec_train.transpose %q permutation [1, 0] : ({narrow}) -> {turned}""", "%t",
        make(normal(tokens, columns, dtype=BF16), lambda rng: rng.integers(0, tokens, rows).astype(np.int32), normal(rows),
             lambda rng: rng.random(rows) < 0.8, lambda rng: np.float32(1).reshape(())),
        lambda t, i, s, k, one: [np.ascontiguousarray(to_fp8(np.where(k[:, None], t[i].astype(np.float32) * s[:, None], 0), E5M2).T)])


add_aligned_rows(100, 384, 256)
add_aligned_rows(60, 300, 136)


def tile_of(rows, columns):
    """Rows and columns of the tiles that a matrix consists of."""
    return next(n for n in range(128, 48, -16) if rows % n == 0), next(n for n in (128, 64) if columns % n == 0)


def add_tiles(rows, columns):
    """Two matrices side by side in FP8, in both layouts, with the largest element of each tile of one of them."""
    high, across = tile_of(rows, columns)
    x, full, part = tensor([rows, columns], "bf16"), tensor([rows, columns], "f32"), tensor([rows, columns], "f8E4M3FN")
    whole, turned = tensor([rows, 2 * columns], "f8E4M3FN"), tensor([2 * columns, rows], "f8E4M3FN")
    tiled, tiles = tensor([rows // high, high, columns // across, across], "f32"), tensor([rows // high, columns // across], "f32")

    def reference(x, scale):
        wide = x.astype(np.float32)
        both = np.concatenate([to_fp8(wide * scale, E4M3), to_fp8((wide + wide).astype(BF16).astype(np.float32) * scale, E4M3)], 1)
        largest = np.abs(wide).reshape(rows // high, high, columns // across, across).max((1, 3))
        return [x, both, np.ascontiguousarray(both.T), largest]

    add(f"tiles_{rows}x{columns}", "transpose", [x, "tensor<f32>"], [x, whole, turned, tiles], f"""
        %x = arith.extf %0 : {x} to {full}
        %d = arith.addf %x, %x : {full}
        %two = arith.truncf %d : {full} to {x}
        %p = prec.quantize %0, %1 : {x} to {part}
        %q = prec.quantize %two, %1 : {x} to {part}
        %c = tensor.concat dim(1) %p, %q : ({part}, {part}) -> {whole}
        %t = prec_train.transpose %c permutation [1, 0] : ({whole}) -> {turned}
        %a = math.absf %x : {full}
        %e = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape [{rows // high}, {high}, {columns // across}, {across}] : {full} into {tiled}
        %m = prec_train.reduce max %e dims [1, 3] : ({tiled}) -> {tiles}""", "%0, %c, %t, %m",
        make(normal(rows, columns, dtype=BF16), lambda rng: np.float32(16).reshape(())), reference)


add_tiles(128, 128)
add_tiles(384, 256)
add_tiles(240, 192)
add_tiles(64, 64)


def add_matrices(matrices, rows, columns):
    """Matrices behind each other in FP8, in both layouts, with a scale and the largest element of each tile of each."""
    high, across = tile_of(rows, columns)
    x, copy = tensor([matrices, rows, columns], "f32"), tensor([matrices, rows, columns], "f8E4M3FN")
    turned = tensor([matrices, columns, rows], "f8E4M3FN")
    shape = [matrices, rows // high, high, columns // across, across]
    tiled = tensor(shape, "f32")
    tiles, scales = tensor([matrices, rows // high, columns // across], "f32"), tensor([matrices], "f32")

    def reference(x, scales):
        doubled = x + x
        narrow = to_fp8(doubled * scales[:, None, None], E4M3)
        largest = np.abs(doubled).reshape(shape).max((2, 4))
        return [doubled, narrow, np.ascontiguousarray(narrow.swapaxes(1, 2)), largest]

    add(f"matrices_{matrices}x{rows}x{columns}", "transpose", [x, scales], [x, copy, turned, tiles], f"""
        %one = arith.constant dense<1.0> : tensor<f32>
        %d = arith.addf %0, %0 : {x}
        %s = prec_train.broadcast %1 dims [0] : ({scales}) -> {x}
        %w = arith.mulf %d, %s : {x}
        %q = prec.quantize %w, %one : {x} to {copy}
        %t = prec_train.transpose %q permutation [0, 2, 1] : ({copy}) -> {turned}
        %a = math.absf %d : {x}
        %e = tensor.expand_shape %a [[0], [1, 2], [3, 4]] output_shape {shape} : {x} into {tiled}
        %m = prec_train.reduce max %e dims [2, 4] : ({tiled}) -> {tiles}""", "%d, %q, %t, %m",
        make(normal(matrices, rows, columns), lambda rng: np.float32([16, 0, 3.5, 1, 100][:matrices])), reference)


add_matrices(3, 128, 128)
add_matrices(2, 192, 64)
add_matrices(5, 64, 384)


def add_tile_sums(rows, columns, element):
    """A product, its sum over the rows of each tile and that of its square, and where it is `turned` its copies in FP8
    in both layouts with the largest element of each tile."""
    (high, across), turns = tile_of(rows, columns), element == "bf16"
    dtype = {"bf16": BF16, "f32": np.float32}[element]
    x, full, small = tensor([rows, columns], element), tensor([rows, columns], "f32"), tensor([rows, columns], "f8E5M2")
    turned, grouped = tensor([columns, rows], "f8E5M2"), tensor([rows // high, high, columns], "f32")
    sums = tensor([rows // high, columns], "f32")
    tiled, tiles = tensor([rows // high, high, columns // across, across], "f32"), tensor([rows // high, columns // across], "f32")

    def terms(x, y):
        product = (x.astype(np.float32) * y.astype(np.float32)).astype(dtype).astype(np.float32)
        return product, product * product

    def reference(x, y, scale):
        product, square = terms(x, y)
        columns_of = [v.astype(np.float64).reshape(rows // high, high, columns).sum(1).astype(np.float32) for v in (product, square)]
        if not turns:
            return [product.astype(dtype), *columns_of]
        narrow = to_fp8(product * scale, E5M2)
        largest = np.abs(product).reshape(rows // high, high, columns // across, across).max((1, 3))
        return [product.astype(dtype), *columns_of, narrow, np.ascontiguousarray(narrow.T), largest]

    def tolerance(arrays, index):
        if index not in (1, 2):
            return 0
        term = np.abs(terms(*arrays[:2])[index - 1]).astype(np.float64)
        return term.reshape(rows // high, high, columns).sum(1) * high * EPS

    rounded = f"""
        %v = arith.extf %r : {x} to {full}""" if turns else ""
    value, wide = ("%r", "%v") if turns else ("%p", "%p")
    operands = f"""
        %x = arith.extf %0 : {x} to {full}
        %y = arith.extf %1 : {x} to {full}
        %p = arith.mulf %x, %y : {full}
        %r = arith.truncf %p : {full} to {x}""" if turns else f"""
        %p = arith.mulf %0, %1 : {full}"""
    copies = f"""
        %q = prec.quantize %r, %2 : {x} to {small}
        %t = prec_train.transpose %q permutation [1, 0] : ({small}) -> {turned}
        %m = math.absf %v : {full}
        %n = tensor.expand_shape %m [[0, 1], [2, 3]] output_shape [{rows // high}, {high}, {columns // across}, {across}] : {full} into {tiled}
        %l = prec_train.reduce max %n dims [1, 3] : ({tiled}) -> {tiles}""" if turns else ""
    add(f"tile_sums_{rows}x{columns}_{element}", "transpose", [x, x, ONE], [x, sums, sums, *([small, turned, tiles] if turns else [])],
        operands + rounded + f"""
        %s = arith.mulf {wide}, {wide} : {full}
        %g = tensor.expand_shape {wide} [[0, 1], [2]] output_shape [{rows // high}, {high}, {columns}] : {full} into {grouped}
        %h = tensor.expand_shape %s [[0, 1], [2]] output_shape [{rows // high}, {high}, {columns}] : {full} into {grouped}
        %a = prec_train.reduce sum %g dims [1] : ({grouped}) -> {sums}
        %b = prec_train.reduce sum %h dims [1] : ({grouped}) -> {sums}""" + copies,
        f"{value}, %a, %b" + (", %q, %t, %l" if turns else ""),
        make(normal(rows, columns, dtype=dtype), normal(rows, columns, dtype=dtype), lambda rng: np.float32(16).reshape(())),
        reference, tolerance)


add_tile_sums(128, 128, "bf16")
add_tile_sums(384, 256, "bf16")
add_tile_sums(256, 384, "f32")
add_tile_sums(336, 192, "bf16")
add_tile_sums(80, 128, "f32")


def add_joined_sums(rows, widths):
    """Matrices side by side, equally wide or not, and the sums of the columns of their tiles."""
    columns = sum(widths)
    high, _ = tile_of(rows, columns)
    parts, x, full = [tensor([rows, w], "bf16") for w in widths], tensor([rows, columns], "bf16"), tensor([rows, columns], "f32")
    grouped, sums = tensor([rows // high, high, columns], "f32"), tensor([rows // high, columns], "f32")

    def split(parts):
        return np.concatenate(parts, 1).astype(np.float64).reshape(rows // high, high, columns)

    add(f"joined_sums_{rows}x{'_'.join(map(str, widths))}", "transpose", parts, [x, sums], f"""
        %j = tensor.concat dim(1) {", ".join(f"%{i}" for i in range(len(widths)))} : ({", ".join(parts)}) -> {x}
        %w = arith.extf %j : {x} to {full}
        %g = tensor.expand_shape %w [[0, 1], [2]] output_shape [{rows // high}, {high}, {columns}] : {full} into {grouped}
        %s = prec_train.reduce sum %g dims [1] : ({grouped}) -> {sums}""", "%j, %s",
        make(*[normal(rows, w, dtype=BF16) for w in widths]),
        lambda *parts: [np.concatenate(parts, 1), split(parts).sum(1).astype(np.float32)],
        lambda arrays, index: np.abs(split(arrays)).sum(1) * high * EPS if index else 0)


add_joined_sums(256, (128, 128, 128))
add_joined_sums(160, (64, 192))
add_joined_sums(128, (128,) * 8)


def add_joined(rows, widths, d):
    """Matrices of heads side by side, all but the last one turned by position, in FP8 in both layouts, with the largest
    element of each tile."""
    columns = sum(widths)
    high, across = tile_of(rows, columns)
    parts, t = [tensor([rows, w], "bf16") for w in widths], tensor([rows, d // 2], "f32")
    x, full = tensor([rows, columns], "bf16"), tensor([rows, columns], "f32")
    whole, turned = tensor([rows, columns], "f8E4M3FN"), tensor([columns, rows], "f8E4M3FN")
    tiled, tiles = tensor([rows // high, high, columns // across, across], "f32"), tensor([rows // high, columns // across], "f32")
    n = len(widths)

    def reference(*arrays):
        *parts, c, s, scale = arrays
        joined = np.concatenate([*[rotated(p, c, s) for p in parts[:-1]], parts[-1]], 1).astype(np.float32)
        narrow = to_fp8(joined * scale, E4M3)
        largest = np.abs(joined).reshape(rows // high, high, columns // across, across).max((1, 3))
        return [narrow, np.ascontiguousarray(narrow.T), largest]

    body = "".join(rotate(f"%{i}", f"%{n}", f"%{n + 1}", f"%r{i}", rows, w // d, d) for i, w in enumerate(widths[:-1]))
    names = ", ".join([*[f"%r{i}" for i in range(n - 1)], f"%{n - 1}"])
    add(f"joined_{rows}x{'_'.join(map(str, widths))}", "transpose", [*parts, t, t, ONE], [whole, turned, tiles], body + f"""
        %j = tensor.concat dim(1) {names} : ({", ".join(parts)}) -> {x}
        %q = prec.quantize %j, %{n + 2} : {x} to {whole}
        %t = prec_train.transpose %q permutation [1, 0] : ({whole}) -> {turned}
        %w = arith.extf %j : {x} to {full}
        %a = math.absf %w : {full}
        %e = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape [{rows // high}, {high}, {columns // across}, {across}] : {full} into {tiled}
        %m = prec_train.reduce max %e dims [1, 3] : ({tiled}) -> {tiles}""", "%q, %t, %m",
        make(*[normal(rows, w, dtype=BF16) for w in widths], normal(rows, d // 2), normal(rows, d // 2),
             lambda rng: np.float32(16).reshape(())), reference)


# Two tiles of a piece for each block, a piece for each tile, tiles of two pieces, and of three.
add_joined(256, (512, 256, 256), 128)
add_joined(256, (256, 128, 128), 64)
add_joined(256, (192, 192, 128), 64)
add_joined(128, (192, 16, 48), 16)
add_joined(192, (256, 128, 128), 64)


def add_parts(rows, columns, element="bf16"):
    """Two results of the same elements side by side, and one of them by itself."""
    x, full, whole = tensor([rows, columns], element), tensor([rows, columns], "f32"), tensor([rows, 2 * columns], element)
    dtype = {"bf16": BF16, "f32": np.float32}[element]
    narrow = [f"%{name} = arith.truncf %{name}f : {full} to {x}" if element != "f32" else "" for name in "sd"]
    wide = [f"%{name} = arith.extf %{i} : {x} to {full}" if element != "f32" else "" for i, name in enumerate("xy")]
    names = "%x, %y" if element != "f32" else "%0, %1"
    s, d = ("%s", "%d") if element != "f32" else ("%sf", "%df")

    def reference(x, y):
        a, b = x.astype(np.float32), y.astype(np.float32)
        sums, products = (a + b).astype(dtype), (a * b).astype(dtype)
        return [np.concatenate([sums, products], 1), products]

    add(f"parts_{rows}x{columns}_{element}", "elementwise", [x, x], [whole, x], f"""
        {wide[0]}
        {wide[1]}
        %sf = arith.addf {names} : {full}
        %df = arith.mulf {names} : {full}
        {narrow[0]}
        {narrow[1]}
        %c = tensor.concat dim(1) {s}, {d} : ({x}, {x}) -> {whole}""", f"%c, {d}",
        make(normal(rows, columns, dtype=dtype), normal(rows, columns, dtype=dtype)), reference)


add_parts(64, 96)
add_parts(33, 20)
add_parts(7, 5, "f32")
add_parts(1, 1000, "f32")


def add_three_turned(rows, columns):
    """Three matrices transposed, all that a block's shared memory has room for, with the largest element of each tile
    of each."""
    high, across = tile_of(rows, columns)
    x, full, turned = tensor([rows, columns], "bf16"), tensor([rows, columns], "f32"), tensor([columns, rows], "f8E4M3FN")
    part, both = tensor([rows, columns], "f8E4M3FN"), tensor([2 * columns, rows], "f8E4M3FN")
    tiled, tiles = tensor([rows // high, high, columns // across, across], "f32"), tensor([rows // high, columns // across], "f32")
    whole = tensor([rows, 2 * columns], "f8E4M3FN")

    def reference(x, y, scale):
        a, b = x.astype(np.float32), y.astype(np.float32)
        c = (a * b).astype(BF16).astype(np.float32)
        narrow = [to_fp8(v * scale, E4M3) for v in (a, b, c)]
        largest = [np.abs(v).reshape(rows // high, high, columns // across, across).max((1, 3)) for v in (a, c)]
        return [np.ascontiguousarray(np.concatenate(narrow[:2], 1).T), np.ascontiguousarray(narrow[2].T), *largest]

    add(f"three_turned_{rows}x{columns}", "transpose", [x, x, "tensor<f32>"], [both, turned, tiles, tiles], f"""
        %a = arith.extf %0 : {x} to {full}
        %b = arith.extf %1 : {x} to {full}
        %m = arith.mulf %a, %b : {full}
        %r = arith.truncf %m : {full} to {x}
        %p = prec.quantize %0, %2 : {x} to {part}
        %q = prec.quantize %1, %2 : {x} to {part}
        %s = prec.quantize %r, %2 : {x} to {part}
        %c = tensor.concat dim(1) %p, %q : ({part}, {part}) -> {whole}
        %t = prec_train.transpose %c permutation [1, 0] : ({whole}) -> {both}
        %u = prec_train.transpose %s permutation [1, 0] : ({part}) -> {turned}
        %w = arith.extf %r : {x} to {full}
        %ia = math.absf %a : {full}
        %ea = tensor.expand_shape %ia [[0, 1], [2, 3]] output_shape [{rows // high}, {high}, {columns // across}, {across}] : {full} into {tiled}
        %ma = prec_train.reduce max %ea dims [1, 3] : ({tiled}) -> {tiles}
        %iw = math.absf %w : {full}
        %ew = tensor.expand_shape %iw [[0, 1], [2, 3]] output_shape [{rows // high}, {high}, {columns // across}, {across}] : {full} into {tiled}
        %mw = prec_train.reduce max %ew dims [1, 3] : ({tiled}) -> {tiles}""", "%t, %u, %ma, %mw",
        make(normal(rows, columns, dtype=BF16), normal(rows, columns, dtype=BF16), lambda rng: np.float32(16).reshape(())), reference)


add_three_turned(256, 384)
add_three_turned(160, 256)


def add_swiglu_gradient(rows, columns):
    """SwiGLU again and the gradients of its gate and value, in FP8 with the largest element of each tile: these in both
    layouts, side by side, and that turned."""
    high, across = tile_of(rows, columns)
    x, full, whole = tensor([rows, columns], "bf16"), tensor([rows, columns], "f32"), tensor([rows, 2 * columns], "f8E5M2")
    part, both, turned = tensor([rows, columns], "f8E5M2"), tensor([2 * columns, rows], "f8E5M2"), tensor([columns, rows], "f8E4M3FN")
    again = tensor([rows, columns], "f8E4M3FN")
    tiled, tiles = tensor([rows // high, high, columns // across, across], "f32"), tensor([rows // high, columns // across], "f32")

    def terms(gate, value, dy):
        g, v, d = (a.astype(np.float64) for a in (gate, value, dy))
        s = 1 / (1 + np.exp(-g))
        return [g * s * v, d * v * s * (1 + g * (1 - s)), d * g * s]

    def largest(values):
        return [np.abs(v).reshape(rows // high, high, columns // across, across).max((1, 3)) for v in values]

    def reference(gate, value, dy, scale):
        rounded = [v.astype(np.float32).astype(BF16).astype(np.float32) for v in terms(gate, value, dy)]
        y = to_fp8(rounded[0] * scale, E4M3)
        gradients = np.concatenate([to_fp8(v * scale, E5M2) for v in rounded[1:]], 1)
        return [gradients, np.ascontiguousarray(gradients.T), np.ascontiguousarray(y.T), *(v.astype(np.float32) for v in largest(rounded))]

    def tolerance(arrays, index):
        # One step of FP8, of subnormal ones at least, and what cancels in the derivative before.
        values = [np.abs(v) for v in terms(*arrays[:3])]
        if index < 3:
            scale = float(arrays[3].item())
            product = np.abs(arrays[1].astype(np.float64) * arrays[2].astype(np.float64)) * 2.0 ** -12
            gradients = np.concatenate([values[1] + product, values[2]], 1)
            magnitude = [gradients, gradients.T, values[0].T][index] * scale
            return magnitude * (2.0 ** -2 if index < 2 else 2.0 ** -3) + (2.0 ** -16 if index < 2 else 2.0 ** -9)
        return largest([values[index - 3]])[0] * 2.0 ** -6

    body = "".join(f"""
        %w{i} = arith.extf %{i} : {x} to {full}""" for i in range(3)) + f"""
        %one = arith.constant dense<1.0> : {full}
        %n = arith.negf %w0 : {full}
        %ex = math.exp %n : {full}
        %de = arith.addf %ex, %one : {full}
        %s = arith.divf %one, %de : {full}
        %gs = arith.mulf %w0, %s : {full}
        %y = arith.mulf %gs, %w1 : {full}
        %dv = arith.mulf %w2, %gs : {full}
        %c = arith.subf %one, %s : {full}
        %gc = arith.mulf %w0, %c : {full}
        %f = arith.addf %gc, %one : {full}
        %sf = arith.mulf %s, %f : {full}
        %h = arith.mulf %w2, %w1 : {full}
        %dg = arith.mulf %h, %sf : {full}"""
    for i, (name, small) in enumerate([("y", again), ("dg", part), ("dv", part)]):
        body += f"""
        %r{i} = arith.truncf %{name} : {full} to {x}
        %q{i} = prec.quantize %r{i}, %3 : {x} to {small}
        %e{i} = arith.extf %r{i} : {x} to {full}
        %l{i} = math.absf %e{i} : {full}
        %t{i} = tensor.expand_shape %l{i} [[0, 1], [2, 3]] output_shape [{rows // high}, {high}, {columns // across}, {across}] : {full} into {tiled}
        %m{i} = prec_train.reduce max %t{i} dims [1, 3] : ({tiled}) -> {tiles}"""
    add(f"swiglu_gradient_{rows}x{columns}", "transpose", [x, x, x, ONE], [whole, both, turned, tiles, tiles, tiles], body + f"""
        %j = tensor.concat dim(1) %q1, %q2 : ({part}, {part}) -> {whole}
        %jt = prec_train.transpose %j permutation [1, 0] : ({whole}) -> {both}
        %yt = prec_train.transpose %q0 permutation [1, 0] : ({again}) -> {turned}""", "%j, %jt, %yt, %m0, %m1, %m2",
        make(normal(rows, columns, dtype=BF16), normal(rows, columns, dtype=BF16), normal(rows, columns, dtype=BF16),
             lambda rng: np.float32(16).reshape(())), reference, tolerance)


add_swiglu_gradient(256, 128)
add_swiglu_gradient(80, 192)


def half(vocabulary):
    """Ids of the first half of a table."""
    return lambda rng, positions: rng.integers(0, max(1, vocabulary // 2), positions, dtype=np.int32)


def frequent(vocabulary):
    """Ids as frequent as words, in any order of a table."""
    def make(rng, positions):
        weights = 1 / np.arange(1, vocabulary + 1)
        return rng.permutation(vocabulary).astype(np.int32)[rng.choice(vocabulary, positions, p=weights / weights.sum())]
    return make


def distinct(vocabulary):
    return lambda rng, positions: rng.permutation(vocabulary)[:positions].astype(np.int32)


def one(number):
    return lambda rng, positions: np.full(positions, number, np.int32)


def sort_ids(ids):
    order = np.argsort(ids, kind="stable").astype(np.int32)
    return np.stack([ids[order], order])


def add_sort(vocabulary, positions, make_ids, kind):
    ids, result = tensor([positions], "i32"), tensor([2, positions], "i32")
    add(f"sort_{vocabulary}x{positions}_{kind}", "sort", [ids], [result], f"""
        %s = prec_train.sort_ids %0 below {vocabulary} : ({ids}) -> {result}""", "%s",
        lambda rng: [make_ids(rng, positions)],
        lambda i: [sort_ids(np.minimum(i.astype(np.uint32), np.uint32(vocabulary - 1)).astype(np.int32))])


add_sort(1, 1, one(0), "one")
add_sort(50, 33, half(50), "half")
add_sort(50, 100, lambda rng, count: rng.integers(-60, 120, count).astype(np.int32), "beyond")
# Few ids, of which a block has one or some.
add_sort(128, 5000, half(256), "all")
add_sort(200, 3001, one(199), "one")
add_sort(130, 2500, frequent(130), "frequent")
# Ends of the ranges of ids that blocks have, and of the positions that warps have.
add_sort(1024, 1024, distinct(1024), "distinct")
add_sort(1025, 1025, distinct(1025), "distinct")
add_sort(3000, 8192, half(6000), "all")
add_sort(5000, 6001, frequent(5000), "frequent")
add_sort(128256, 16384, frequent(128256), "frequent")
add_sort(128256, 32768, half(128256), "half")
add_sort(300_001, 20_011, half(600_002), "all")
add_sort(300_001, 20_011, one(300_000), "one")
add_sort(70_000, 66_000, distinct(70_000), "distinct")


def add_scatter(vocabulary, width, positions, element="f32", stored="f32", exact=False, ids=None, kind=""):
    """`exact`: updates whose sums need no rounding, so that every order gives the same bits."""
    dtypes = {"f32": np.float32, "bf16": BF16, "f16": np.float16}
    kept, unit = dtypes[stored], float(ml_dtypes.finfo(dtypes[stored]).eps)
    table, order = tensor([vocabulary, width], stored), tensor([2, positions], "i32")
    numbers, updates = tensor([positions], "i32"), tensor([positions, width], element)
    make_ids = ids or half(vocabulary)

    def reference(t, i, u, s):
        sums = np.zeros(t.shape, np.float32)
        np.add.at(sums, i, u.astype(np.float32))
        return [(t.astype(np.float32) + sums.astype(kept).astype(np.float32)).astype(kept)]

    def tolerance(arrays, index):
        """Of the sum in f32; then a narrow format may round it and the row the other way."""
        t, i, u, _ = arrays
        total = np.abs(t).astype(np.float64)
        np.add.at(total, i, np.abs(u.astype(np.float64)))
        error = total * np.bincount(i, minlength=vocabulary)[:, None] * EPS
        return error if stored == "f32" else np.where(error > 0, error + 2 * unit * total, 0)

    def make_all(rng):
        rows = normal(vocabulary, width, dtype=kept, scale=1000.0 if exact else 1.0)(rng)
        i = make_ids(rng, positions)
        u = rng.integers(-100, 101, (positions, width)) if exact else rng.standard_normal((positions, width))
        return [rows, i, u.astype(dtypes[element]), sort_ids(i)]

    add(f"scatter_{vocabulary}x{width}x{positions}_{element}" + f"_{stored}" * (stored != "f32") + "_exact" * exact + f"_{kind}" * bool(kind),
        "scatter_add", [table, numbers, updates, order], [table], f"""
        %y = prec_train.scatter_add %0, %1, %2 sorted %3 : ({table}, {numbers}, {updates}, {order}) -> {table}""", "%y",
        make_all, reference, 0 if exact else tolerance, inplace=[0])


add_scatter(50, 64, 100)
add_scatter(20, 250, 77, "bf16")
add_scatter(3, 7, 40)
add_scatter(50, 1, 40)
add_scatter(300, 1024, 33)
add_scatter(5000, 8, 6000)
add_scatter(40, 64, 100, "bf16", "bf16")
add_scatter(30, 250, 77, "f32", "f16")
# Hundreds of updates a row: what is rounded to eight bits after each of them, or before the last, has other bits.
add_scatter(4, 64, 2500, "bf16", "bf16", exact=True)
add_scatter(4, 7, 2500, "f32", "f16", exact=True)
add_scatter(3, 33, 70, exact=True)
add_scatter(6000, 8, 2100, "bf16", "bf16", exact=True)
# Longer rows than are held at once.
add_scatter(5, 4099, 20, "bf16", "bf16", exact=True)
add_scatter(6, 8192, 9, exact=True)
# Segments that one warp adds, and such that all of a block do, of one and of several windows.
add_scatter(700, 136, 9001, "bf16", "bf16", ids=frequent(700), kind="frequent")
add_scatter(700, 136, 9001, "bf16", "f16", exact=True, ids=frequent(700), kind="frequent")
add_scatter(700, 136, 9001, exact=True, ids=frequent(700), kind="frequent")
add_scatter(40, 520, 5003, "bf16", "bf16", exact=True, ids=one(39), kind="one")
add_scatter(3, 72, 20_000, exact=True, ids=one(1), kind="one")
add_scatter(5000, 40, 4097, "bf16", "bf16", exact=True, ids=distinct(5000), kind="distinct")
add_scatter(300_000, 8, 4100, "f32", "f16", exact=True, ids=frequent(300_000), kind="frequent")
for positions in (31, 32, 33, 64):
    add_scatter(2, 16, positions, exact=True, ids=one(1), kind="one")
