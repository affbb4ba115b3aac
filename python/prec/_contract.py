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
