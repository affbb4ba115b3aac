# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compiler, runtime and this package all know: made by utils/generate-contract, not by hand."""
# ruff: noqa: E501

# Codes of dtypes, by which DTYPES is indexed.
F32, BF16, F16, F8E4M3FN, F8E5M2, I1, I8, I32, I64, F8E8M0FNU = range(10)
DTYPES = ("f32", "bf16", "f16", "f8E4M3FN", "f8E5M2", "i1", "i8", "i32", "i64", "f8E8M0FNU")
ROLES = ("parameter", "frozen_parameter", "buffer", "optimizer_state", "work_weight", "scale_state", "batch", "hyper", "loss", "metric", "guard", "numerics", "amax_ratios", "switches", "staged_parameter")
# Elements of the vectors of bindings of role numerics: of a tensor that is used, and of a parameter.
USE_NUMERICS = ("amax", "squares", "error_squares", "underflow", "overflow")
PARAMETER_NUMERICS = ("amax", "squares", "gradient_amax", "gradient_squares", "update_amax", "update_squares")
# Where the streams of random bits of dropout begin; a step draws by step * MOST_MICRO_BATCHES + micro-batch.
DROPOUT_STREAMS = 1 << 24
MOST_MICRO_BATCHES = 4096
# By name the columns of prec-rt/scalings.def: family, rows, columns, operands, format, layout, has_tensor_scale, sum.
SCALINGS = {
    "none": ("None", 0, 0, "Wide", "F32", "AsScales", 0, 0),
    "tensor_current": ("Tensor", 0, 0, "Fp8", "F32", "AsScales", 0, 0),
    "tensor_delayed": ("Tensor", 0, 0, "Fp8", "F32", "AsScales", 0, 0),
    "row": ("Row", 1, 0, "Fp8", "F32", "AsScales", 0, 0),
    "block_1x128": ("Block", 1, 128, "Fp8", "F32", "Transposed", 0, 128),
    "block_128x128": ("Block", 128, 128, "Fp8", "F32", "Grouped", 0, 128),
    "mx_1x32": ("Micro", 1, 32, "Fp8", "F8E8M0FNU", "Tiled", 0, 0),
    "nvfp4_1x16": ("Micro", 1, 16, "Fp4", "F8E4M3FN", "Tiled", 1, 0),
}
SCALE_INV_GROUP = 4
GROUP_ALIGNMENT = 128
