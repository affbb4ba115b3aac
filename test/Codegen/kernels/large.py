# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases of the sizes of a real step, for timing: no data, no reference."""

import cases
from cases import (
    add_amax,
    add_bias,
    add_column,
    add_cross_entropy,
    add_gather,
    add_joined,
    add_linear,
    add_loss_columns,
    add_norm_gradient,
    add_permute,
    add_rms_norm,
    add_rope,
    add_scatter,
    add_softmax,
    add_sort,
    add_swiglu_gradient,
    add_three_turned,
    add_transpose,
)
from harness import tensor


def collect(build):
    start = len(cases.CASES)
    build()
    found = cases.CASES[start:]
    del cases.CASES[start:]
    for case in found:
        case.make = case.reference = None
        case.name = "large_" + case.name
    return found


def build():
    add_linear(1 << 27)
    add_bias(16384, 8192)
    add_rms_norm(16384, 4096)
    add_rms_norm(16384, 1024)
    add_rms_norm(16384, 128)
    add_rms_norm(8192, 16384)
    # What FusionCost chooses the groups by.
    for rows, columns in [(32768, 768), (16384, 1024), (16384, 2048), (16384, 4096), (8192, 4096)]:
        for groups in (128, 256, 512, 1024):
            add_norm_gradient(groups, rows // groups, columns)
    add_softmax(4096, 4096)
    add_softmax(2048, 128256)
    add_softmax(2048, 50257)
    add_cross_entropy(8192, 128256)
    add_cross_entropy(32768, 50304)
    add_loss_columns(128, 64, 51200)
    add_amax(16384, 4096)
    add_column(16384, 4096)
    add_column(16384, 1024)
    add_transpose((16384, 8192), "f8E4M3FN")
    add_transpose((8192, 8192), "bf16")
    add_transpose((8192, 8192), "f32")
    add_three_turned(16384, 8192)
    add_swiglu_gradient(16384, 8192)
    add_joined(16384, (4096, 1024, 1024), 128)
    add_rope(4, 32, 4096, 128)
    add_permute((4, 4096, 32, 128), (0, 2, 1, 3))
    add_gather(128256, 4096, (16384,))
    add_scatter(128256, 4096, 16384)
    add_scatter(128256, 2048, 16384, "bf16", "bf16")
    add_sort(128256, 16384, None, "frequent")
    add_sort(128256, 32768, None, "frequent")
    for element in ["f8E4M3FN", "f8E5M2"]:
        x, q = tensor([16384, 8192], "bf16"), tensor([16384, 8192], element)
        cases.add(f"quantize_{element}", "elementwise", [x, "tensor<f32>"], [q],
                  f"%q = prec.quantize %0, %1 : {x} to {q}", "%q", None, None)
    # AdamW on one matrix: four reads, three f32 writes and a work weight.
    t, b, s = tensor([4096, 14336], "f32"), tensor([4096, 14336], "bf16"), "tensor<f32>"
    def wide(name):
        return f"%{name}b = prec_train.broadcast %{name} dims [] : ({s}) -> {t}\n"
    cases.add("adamw", "elementwise", [t, t, t, b, s, s, s], [t, t, t, b], f"""
        %lr = arith.addf %4, %4 : {s}
        %b1 = arith.addf %5, %5 : {s}
        %b2 = arith.addf %6, %6 : {s}
        {wide("lr")}{wide("b1")}{wide("b2")}
        %g = arith.extf %3 : {b} to {t}
        %d1 = arith.subf %g, %1 : {t}
        %e1 = arith.mulf %d1, %b1b : {t}
        %m = arith.addf %1, %e1 : {t}
        %g2 = arith.mulf %g, %g : {t}
        %d2 = arith.subf %g2, %2 : {t}
        %e2 = arith.mulf %d2, %b2b : {t}
        %v = arith.addf %2, %e2 : {t}
        %r = math.sqrt %v : {t}
        %q = arith.divf %m, %r : {t}
        %u = arith.mulf %q, %lrb : {t}
        %p = arith.subf %0, %u : {t}
        %w = arith.truncf %p : {t} to {b}""", "%p, %m, %v, %w", None, None, inplace=[0, 1, 2, -1])


CASES = collect(build)
