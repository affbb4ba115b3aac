//===- PrecOps.td - operations of the prec dialect ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_PRECOPS_TD
#define PREC_DIALECT_PREC_PRECOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "prec/Dialect/Prec/PrecBase.td"
include "prec/Dialect/Prec/PrecisionOpInterface.td"

def Prec_HighFloat : StaticShapeTensorOf<[F32, BF16, F16]>;
def Prec_Narrow : StaticShapeTensorOf<[F8E4M3FN, F8E5M2, F4E2M1FN]>;
/// From Schedule on an i8 holds two e2m1, the first in its low half.
def Prec_Stored : StaticShapeTensorOf<[F8E4M3FN, F8E5M2, F4E2M1FN, I8]>;

class Prec_Op<string mnemonic, list<Trait> traits = []>
    : Op<Prec_Dialect, mnemonic, !listconcat(traits, [Pure])>;


def Prec_AmaxOp : Prec_Op<"amax"> {
  let summary = "largest absolute values of a tensor, its rows or its blocks, in f32";
  let description = [{
    NaN elements are skipped, so that one bad element cannot silence a scale;
    with `nan_is_infinite` they count as infinities instead. The amax of nothing
    but zeros is 0.

    `scaling` says what has one: `by` names it where it is not the tensor, with
    the type that follows from it. A matrix [R, K] that is contracted along K has

    | scaling | shape |
    |---|---|
    | of the tensor | [] |
    | of rows | [R] |
    | of blocks of r rows and c columns | [ceil(R / r), ceil(K / c)] |

    The last block of a row or column may be shorter than others. So it is for
    scales, wherever they are.

    ```mlir
    %a = prec.amax %x : tensor<4x8xbf16>
    %a = prec.amax %x : tensor<16x320xbf16> by block_1x128 tensor<16x3xf32>
    %a = prec.amax %x nan_is_infinite : tensor<16x320xbf16> by mx_1x32 tensor<16x10xf32>
    ```
  }];
  let arguments = (ins Prec_HighFloat:$input, UnitAttr:$nan_is_infinite, Prec_ScalingOfScales:$scaling);
  let results = (outs Prec_Scales:$result);
  let assemblyFormat = [{
    $input (`nan_is_infinite` $nan_is_infinite^)? attr-dict `:` type($input) custom<Scales>($scaling, type($result))
  }];
  let hasVerifier = 1;
}

/// What an amax becomes a scale by; `prec.amax` of the module sets it.
class Prec_ScaleOp<string mnemonic, dag inputs, TypeConstraint scales, list<Trait> traits = []>
    : Prec_Op<mnemonic, traits> {
  let arguments = !con(inputs, (ins
    Prec_FormatAttr:$format,
    DefaultValuedAttr<F32Attr, "float(::prec::kDefaultAmaxEpsilon)">:$epsilon,
    DefaultValuedAttr<I64Attr, "::prec::kDefaultAmaxMargin">:$margin,
    UnitAttr:$power_of_two));
  let results = (outs scales:$scale, scales:$scale_inv);
  let hasVerifier = 1;
}

def Prec_UpdateScaleOp : Prec_ScaleOp<"update_scale", (ins Prec_Scales:$amax, Prec_ScalingOfScales:$scaling), Prec_Scales,
    [AllTypesMatch<["amax", "scale"]>]> {
  let summary = "scales of a quantization from its amaxes";
  let description = [{
    `scale = 2^-margin * max_finite(format) / max(amax, epsilon)` and
    `scale_inv = 1 / scale`, both f32. `power_of_two` rounds the scale down
    to a power of two. An amax of 0 or near it gives a large but finite scale,
    hence zeros and never NaN.

    The inverse scales lie as matrix products read them, which are those of cuBLASLt
    on a GPU, in the layout of their `scaling`:

    | scales | inverse scales |
    |---|---|
    | of the tensor, of rows | the same shape |
    | of `block_1x128`, [R, B] | [B, R] |
    | of `block_128x128`, [S, B] | [S, ceil(B / 4), 4], zero behind the last block |

    For `e2m1` the scale is that of a whole tensor whose blocks have e4m3 scales
    (`prec.block_scale`), and 6 * 448 stands for `max_finite`.

    ```mlir
    %s, %d = prec.update_scale %a for e4m3
    %s, %d = prec.update_scale %a for e4m3 {margin = 1 : i64, power_of_two}
    %s, %d = prec.update_scale %a for e4m3 by block_1x128 tensor<16x3xf32> to tensor<3x16xf32>
    %s, %d = prec.update_scale %b for e4m3 by block_128x128 tensor<2x3xf32> to tensor<2x1x4xf32>
    ```
  }];
  let assemblyFormat = "$amax `for` $format attr-dict custom<ScaleInvs>($scaling, type($amax), type($scale_inv))";
}

def Prec_ScaleInvs : StaticShapeTensorOf<[F32, F8E8M0FNU, F8E4M3FN]>;

def Prec_BlockScaleOp : Prec_Op<"block_scale", [AllTypesMatch<["amax", "scale"]>]> {
  let summary = "scales of microscaled blocks from their amaxes";
  let description = [{
    `scale_inv` is what a contraction reads, in the few bits that the
    format of the blocks has for it; `scale`, what data are multiplied with, is
    its inverse in f32.

    | format | blocks | inverse scale `d` | scale |
    |---|---|---|---|
    | e4m3, e5m2 | 1x32 (OCP MX 1.0) | e8m0: 2^(floor(log2(amax)) - emax), emax 8 for e4m3 and 15 for e5m2, not below 2^-127 | 1 / d |
    | the same with `round_up` | 1x32 | e8m0: the least power of two, not below 2^-127, with which amax is within the format | 1 / d |
    | e2m1 | 1x16 (NVFP4) | e4m3(amax / 6 * t), to the nearest, t being `tensor_scale` | t / d, and 0 where d is 0 |

    Without `round_up` the amax of a block may be up to 2^(emax + 1) times its
    scale, and what is beyond the format saturates; with it nothing does, as
    "Recipes for Pre-training LLMs with MXFP8" (arXiv 2506.08027) has it.
    A block of zeros has the smallest inverse scale and stays zero. An infinite
    amax (what `nan_is_infinite` makes of NaN, too) makes both NaN, and so all
    of its block.

    `scale_inv` lies in tiles of 128 rows and 4 columns, as cuBLASLt and the
    matrix units read them: the inverse scale of row r and column c is
    `[r / 128, c / 4, r % 32, r % 128 / 32 * 4 + c % 4]`. Tiles that rows or
    columns do not fill end in bytes of zero.

    ```mlir
    %s, %d = prec.block_scale %a for e4m3 by mx_1x32 : tensor<16x10xf32> to tensor<1x3x32x16xf8E8M0FNU>
    %s, %d = prec.block_scale %a tensor_scale %t for e2m1 by nvfp4_1x16 : tensor<160x20xf32> to tensor<2x5x32x16xf8E4M3FN>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[F32]>:$amax, Optional<Prec_Scalar>:$tensor_scale,
                       Prec_FormatAttr:$format, UnitAttr:$round_up, Prec_ScalingAttr:$scaling);
  let results = (outs StaticShapeTensorOf<[F32]>:$scale, StaticShapeTensorOf<[F8E8M0FNU, F8E4M3FN]>:$scale_inv);
  let assemblyFormat = [{
    $amax (`tensor_scale` $tensor_scale^)? `for` $format (`round_up` $round_up^)? `by` $scaling attr-dict `:` type($amax) `to` type($scale_inv)
  }];
  let hasVerifier = 1;
}

def Prec_DelayedScaleOp : Prec_ScaleOp<"delayed_scale",
    (ins Prec_Scales:$amax, StrAttr:$tensor, OptionalAttr<F32Attr>:$first_amax), Prec_Scales,
    [AllTypesMatch<["amax", "scale", "scale_inv"]>]> {
  let summary = "scale of a per-tensor quantization from the amaxes of earlier steps";
  let description = [{
    The scale that the history of `tensor` gives, known before the tensor is;
    `amax`, this step's, is for later steps. `--prec-carry-amax` makes the histories
    arguments and results of `@step`. In `@init` nothing is earlier: the scale
    is that of `amax`, which begins the history. `tensor` names the tensor in
    both, once in each. `first_amax` is what its amax is taken for while the
    history has seen nothing. An operand of experts has an amax, a history and a
    scale for each of them.

    ```mlir
    %s, %d = prec.delayed_scale %a of "layers.0.up_proj/activation" for e4m3
    %s, %d = prec.delayed_scale %a of "layers.0.up_proj/gradient" for e5m2 {first_amax = 1.0e-3 : f32}
    %s, %d = prec.delayed_scale %a of "layers.0.experts/activation" for e4m3 : tensor<8xf32>
    ```
  }];
  let assemblyFormat = "$amax `of` $tensor `for` $format attr-dict custom<OneOrScales>(type($amax))";
}

def Prec_Amaxes : StaticShapeTensorOf<[F32]>;

def Prec_HistoryScaleOp : Prec_ScaleOp<"history_scale",
    (ins Prec_Amaxes:$history, Prec_AmaxAlgorithmAttr:$algorithm, OptionalAttr<F32Attr>:$first_amax), Prec_Amaxes,
    [AllTypesMatch<["scale", "scale_inv"]>]> {
  let summary = "scales from the amaxes of earlier steps";
  let description = [{
    For each row of `history` the scale that `prec.update_scale` gives its
    largest or its first, most recent, amax. A row without anything but zeros
    has seen nothing yet: its amax is `first_amax`, or without that its scale 1.

    ```mlir
    %s, %d = prec.history_scale %h <max> for e4m3 : tensor<3x16xf32> to tensor<3xf32>
    ```
  }];
  let assemblyFormat = [{
    $history $algorithm `for` $format attr-dict `:` type($history) `to` type($scale)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$history, "::prec::AmaxAlgorithm":$algorithm,
                                 "::prec::DelayedScaleOp":$like)>];
}

def Prec_RecordAmaxOp : Prec_Op<"record_amax", [
    AllTypesMatch<["history", "result"]>,
    TypesMatchWith<"recent has an amax for each row of the history", "history", "recent",
                   "::prec::getRecentType($_self)">]> {
  let summary = "put a step's amaxes before those of earlier steps";
  let description = [{
    Row i of the result is amax i, then row i of `history` without its
    last, oldest entry. An operand of `amaxes` is one amax, or one for each of
    several rows. An amax that is not finite is recorded as 0: it says
    nothing of the steps to come and must not spoil their scales. `recent` are
    the amaxes as they are.

    ```mlir
    %n, %r = prec.record_amax %h, %a, %b, %c : tensor<3x16xf32>
    %n, %r = prec.record_amax %h, %a : tensor<8x16xf32> of tensor<8xf32>
    ```
  }];
  let arguments = (ins Prec_Amaxes:$history, Variadic<Prec_Amaxes>:$amaxes);
  let results = (outs Prec_Amaxes:$result, Prec_Amaxes:$recent);
  let assemblyFormat = "$history `,` $amaxes attr-dict `:` type($history) custom<AmaxTypes>(ref($amaxes), type($amaxes))";
  let hasVerifier = 1;
}

def Prec_FiniteGuardOp : Prec_Op<"finite_guard"> {
  let summary = "whether tensors hold neither NaN nor infinities, and which is first that does";
  let description = [{
    An input that a norm reads, or an optimizer that squares it, counts as finite
    if the sum of the squares of its elements is, in f32: what a global norm of the
    same values computes anyway. Any other, as a loss, counts as finite if the
    largest magnitude of its elements is. `first` is the
    index of the first input that is not finite, and the number of inputs where
    all are. `tensors` names the inputs.

    ```mlir
    %f, %i = prec.finite_guard %loss, %dw of ["loss", "gradient of w"] : tensor<f32>, tensor<4x8xbf16>
    ```
  }];
  let arguments = (ins Variadic<Prec_HighFloat>:$inputs, StrArrayAttr:$tensors);
  let results = (outs Prec_Flag:$finite, Prec_Scalar:$first);
  let assemblyFormat = "$inputs `of` $tensors attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

def Prec_UpdateLossScaleOp : Prec_Op<"update_loss_scale"> {
  let summary = "the next step's loss scale";
  let description = [{
    What torch.amp.GradScaler does: after a step that was not finite the scale is
    multiplied by `backoff` and the good steps are counted anew; `interval` good
    steps in a row multiply it by `growth` and are counted anew. Both factors are
    powers of two, so that scaling stays exact. The scale grows to 2^126 at most,
    where its inverse is normal, and falls to 1 at least: what overflows without
    scaling overflows with a smaller scale, too. One that begins below 1 falls no
    more.

    ```mlir
    %s, %n = prec.update_loss_scale %scale, %good, %finite {backoff = 5.0e-01 : f32, growth = 2.0e+00 : f32, interval = 2000 : i64}
    ```
  }];
  let arguments = (ins Prec_Scalar:$scale, Prec_Scalar:$good_steps, Prec_Flag:$finite,
                       F32Attr:$growth, F32Attr:$backoff, I64Attr:$interval);
  let results = (outs Prec_Scalar:$new_scale, Prec_Scalar:$new_good_steps);
  let assemblyFormat = "$scale `,` $good_steps `,` $finite attr-dict";
  let hasVerifier = 1;
}

def Prec_QuantizeOp : Prec_Op<"quantize", [DeclareOpInterfaceMethods<PrecisionOpInterface>]> {
  let summary = "scaled rounding to FP8 or FP4, saturating";
  let description = [{
    `round(f32(x) * scale)` to the nearest, ties to even; overflow and
    infinities become the largest finite value of their sign, NaN stays NaN.
    e2m1 has no NaN: it becomes 6, as NVIDIA's conversion has it. Each element
    has the scale of its tensor, row or block, as `scaling` says (`prec.amax`).

    With a `seed` an element of e2m1 is one of the two values around it, the
    farther one with the probability of the distance to the nearer. The random
    bits are those of `prec.stochastic_round`, here the upper 24 of 32.

    ```mlir
    %q = prec.quantize %x, %s : tensor<4x8xbf16> to tensor<4x8xf8E4M3FN>
    %q = prec.quantize %x, %s seed %step stream 3 : tensor<16x32xbf16> to tensor<16x32xf4E2M1FN> by nvfp4_1x16 tensor<16x2xf32>
    %q = prec.quantize %x, %s : tensor<16x320xbf16> to tensor<16x320xf8E4M3FN> by block_1x128 tensor<16x3xf32>
    ```
  }];
  let arguments = (ins Prec_HighFloat:$input, Prec_Scales:$scale, Optional<Prec_Seed>:$seed,
                       DefaultValuedAttr<I32Attr, "0">:$stream, Prec_ScalingOfScales:$scaling);
  let results = (outs Prec_Narrow:$result);
  let assemblyFormat = [{
    $input `,` $scale (`seed` $seed^ `stream` $stream)? attr-dict `:` type($input) `to` type($result) custom<Scales>($scaling, type($scale))
  }];
  let hasVerifier = 1;
}

def Prec_HadamardOp : Prec_Op<"hadamard", [AllTypesMatch<["input", "result"]>]> {
  let summary = "random Hadamard transform of groups of 16";
  let description = [{
    Of every 16 consecutive elements `x` of a row: `y[j] = 1/4 * sum over i of
    s[i] * (-1)^popcount(i & j) * x[i]`, added in f32 in the order of i and
    rounded once. The signs `s`, drawn once and the same everywhere, are those of
    Transformer Engine: `+ + + - + - - - - - - + - + - -`. The transform is
    orthogonal: a product of two operands that are transformed along the
    dimension that is contracted is that of the operands themselves, and outliers
    of one element are spread over all 16.

    ```mlir
    %y = prec.hadamard %x : tensor<8x32xbf16>
    ```
  }];
  let arguments = (ins Prec_HighFloat:$input);
  let results = (outs Prec_HighFloat:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
  let hasVerifier = 1;
}

def Prec_FakeQuantizeOp : Prec_Op<"fake_quantize"> {
  let summary = "what a quantization leaves of a tensor, in f32";
  let description = [{
    `f32(round(f32(x) * scale)) * (1 / scale)` with the rounding of
    `prec.quantize` to `format`, each element with the scale of its tensor, row
    or block; 0 where the scale is 0. Nothing is stored in the narrow format.

    ```mlir
    %y = prec.fake_quantize %x, %s for e4m3 : tensor<4x8xbf16> to tensor<4x8xf32>
    %y = prec.fake_quantize %x, %s for e2m1 : tensor<16x320xbf16> to tensor<16x320xf32> by nvfp4_1x16 tensor<16x20xf32>
    ```
  }];
  let arguments = (ins Prec_HighFloat:$input, Prec_Scales:$scale, Prec_FormatAttr:$format, Prec_ScalingOfScales:$scaling);
  let results = (outs StaticShapeTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $input `,` $scale `for` $format attr-dict `:` type($input) `to` type($result) custom<Scales>($scaling, type($scale))
  }];
  let hasVerifier = 1;
}

def Prec_DequantizeOp : Prec_Op<"dequantize", [DeclareOpInterfaceMethods<PrecisionOpInterface>]> {
  let summary = "FP8 back to a wider format";
  let description = [{
    `f32(x) * scale_inv`, rounded to the result's format.

    ```mlir
    %x = prec.dequantize %q, %d : tensor<4x8xf8E4M3FN> to tensor<4x8xf32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[F8E4M3FN, F8E5M2]>:$input, Prec_Scalar:$scale_inv);
  let results = (outs Prec_HighFloat:$result);
  let assemblyFormat = "$input `,` $scale_inv attr-dict `:` type($input) `to` type($result)";
  let hasVerifier = 1;
}

def Prec_ScaledMatmulOp : Prec_Op<"scaled_matmul", [
    AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<PrecisionOpInterface, ["getAccumulationLength", "getFlops", "getContractionShape"]>]> {
  let summary = "product of two scaled FP8 or FP4 matrices";
  let description = [{
    `lhs [M,K] * rhs [N,K]^T * lhs_scale * rhs_scale`: both operands contiguous
    along K, the layout of Hopper's FP8 tensor cores. The scales are
    inverse scales, of both tensors, of the rows of both or of blocks of
    both, as the two scalings say, laid out as `prec.update_scale` and
    `prec.block_scale` give them. Where
    they are of blocks, the products of one block's k are summed, multiplied
    by the inverse scales of their two blocks and added to the result's f32 sum.
    Microscaled operands (`prec.block_scale`) have inverse scales in e8m0 or e4m3, with
    which their elements are exact in f32; the sum of e2m1 operands is multiplied
    by the inverse scales of both tensors. A bias is added to the scaled f32 sums of
    every row, which are then rounded once: where scales are of tensors, and in
    the result's format, or bf16 where that is f32.

    ```mlir
    %y = prec.scaled_matmul %a scale %sa, %b scale %sb <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>) -> tensor<16x48xbf16>
    %y = prec.scaled_matmul %a scale %sa, %b scale %sb bias %v <fast> : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>, tensor<48xbf16>) -> tensor<16x48xbf16>
    %y = prec.scaled_matmul %a scale %sa, %b scale %sb <promoted> : (tensor<16x320xf8E4M3FN>, tensor<48x320xf8E4M3FN>) -> tensor<16x48xbf16> by block_1x128 tensor<3x16xf32>, block_128x128 tensor<1x1x4xf32>
    %y = prec.scaled_matmul %a scale %sa, %b scale %sb tensor_scales (%ta, %tb) <full> : (tensor<16x64xf4E2M1FN>, tensor<48x64xf4E2M1FN>) -> tensor<16x48xbf16> by nvfp4_1x16 tensor<1x1x32x16xf8E4M3FN>, nvfp4_1x16 tensor<1x1x32x16xf8E4M3FN>
    ```
  }];
  let arguments = (ins Prec_Stored:$lhs, Prec_ScaleInvs:$lhs_scale, Prec_Stored:$rhs, Prec_ScaleInvs:$rhs_scale,
                       Optional<Prec_Scalar>:$lhs_tensor_scale, Optional<Prec_Scalar>:$rhs_tensor_scale,
                       Optional<Prec_HighFloat>:$bias, Prec_AccumulatorAttr:$accumulator,
                       Prec_ScalingOfScales:$lhs_scaling, Prec_ScalingOfScales:$rhs_scaling);
  let results = (outs Prec_HighFloat:$result);
  let assemblyFormat = [{
    $lhs `scale` $lhs_scale `,` $rhs `scale` $rhs_scale
    (`tensor_scales` `(` $lhs_tensor_scale^ `,` $rhs_tensor_scale `)`)? (`bias` $bias^)? $accumulator attr-dict `:`
    `(` type($lhs) `,` type($rhs) (`,` type($bias)^)? `)` `->` type($result)
    custom<ScalePair>($lhs_scaling, type($lhs_scale), $rhs_scaling, type($rhs_scale))
  }];
  let hasVerifier = 1;
}

def Prec_StochasticRoundOp : Prec_Op<"stochastic_round"> {
  let summary = "rounding up or down with the probability of the distance";
  let description = [{
    Of the two values of bf16 around `x` the farther one with the probability
    `|x - nearer| / ulp`, so that the mean over many seeds is `x`. What is
    beyond the largest finite value stays finite; infinities and NaN stay what
    they are.

    The random bits are a function of `stream`, `seed` and the element's index
    alone: with `m` the 32-bit mix of `x ^= x >> 16; x *= 0x21f0aaad;
    x ^= x >> 15; x *= 0xd35a2d97; x ^= x >> 15`, the upper 16 bits of
    `m(m(index ^ m(stream)) ^ m(seed))`, added to the bits that are cut off.

    ```mlir
    %w = prec.stochastic_round %x seed %step {stream = 3 : i32} : tensor<4x8xf32>, tensor<i32> to tensor<4x8xbf16>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[F32]>:$input,
                       Prec_Seed:$seed,
                       I32Attr:$stream);
  let results = (outs StaticShapeTensorOf<[BF16]>:$result);
  let assemblyFormat = "$input `seed` $seed attr-dict `:` type($input) `,` type($seed) `to` type($result)";
  let hasVerifier = 1;
}

def Prec_PrecisionAwareUpdateOp : Prec_Op<"precision_aware_update", [AllTypesMatch<["parameter", "result"]>]> {
  let summary = "update of a parameter whose rounding keeps the norm of the update";
  let description = [{
    `round(parameter + alpha * update)`, to the nearest, with one `alpha` for the
    tensor: of those that a search tries, the one with which the norm of what
    lands, `landed(alpha) = |round(parameter + alpha * update) - parameter|`, is
    nearest to what was meant, `|update|`. The first that is tried is 1; once one
    is within `tolerance * |update|`, it stays. So what lands is never farther
    from what was meant than with plain rounding.

    The search halves, `iterations - 1` times, the logarithm of an interval that
    is known beforehand: `alpha = sqrt(low * high)` becomes `low` where less lands
    than was meant, else `high`. At 1/2 no more lands than was meant, as rounding
    moves an element by no more than twice what was added. At most
    `e (|parameter| + alpha |update|) + t sqrt(n)` is lost to rounding, with `e`
    the format's unit roundoff and `t` half of its smallest number, so at
    `high = (|update| + e |parameter| + t sqrt(n)) / ((1 - e) |update|)` no less
    lands than was meant.

    An update of zeros changes nothing, and an element that would not be finite in
    its format keeps its value. Everything is computed in f32; squares are
    summed over rows first. The note on precision-aware updates that this follows
    compares squares of norms with the learning rate instead of its square, and
    looks no farther than alpha = 1.

    ```mlir
    %w = prec.precision_aware_update %old, %update {iterations = 16 : i64, tolerance = 1.0e-02 : f32} : tensor<4x8xbf16>, tensor<4x8xf32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[BF16, F16, F8E4M3FN]>:$parameter, StaticShapeTensorOf<[F32]>:$update,
                       I64Attr:$iterations, F32Attr:$tolerance);
  let results = (outs StaticShapeTensorOf<[BF16, F16, F8E4M3FN]>:$result);
  let assemblyFormat = "$parameter `,` $update attr-dict `:` type($parameter) `,` type($update)";
  let hasVerifier = 1;
}

def Prec_DynamicQuantizeOp : Prec_Op<"dynamic_quantize", [AllShapesMatch<["input", "codes"]>]> {
  let summary = "codes of 8 bits in blocks of 256 elements";
  let description = [{
    Blocks are 256 elements that follow each other in memory, whatever the
    shape. `absmax` [n / 256] is the largest magnitude of each, and an element's
    code the index of the value of a map that is nearest to `x / absmax`; of a
    block of zeros all codes are those of zero. Nothing may be NaN.

    The maps are the dynamic ones of bitsandbytes (Dettmers et al., 8-bit
    Optimizers via Block-wise Quantization, 2021; `create_dynamic_map`), 256
    values in ascending order: 0, 1, and for e = 0 to 6 the centers of 2^e, with
    both signs where the map is `signed`, or 2^(e+1) equal parts of
    [0.1, 1] * 10^(e - 6). Between two values lies their f32 mean, which itself
    has the lower code.

    ```mlir
    %c, %a = prec.dynamic_quantize %m signed : tensor<64x64xf32> to tensor<64x64xi8>, tensor<16xf32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[F32]>:$input, UnitAttr:$is_signed);
  let results = (outs StaticShapeTensorOf<[I8]>:$codes, StaticShapeTensorOf<[F32]>:$absmax);
  let assemblyFormat = [{
    $input (`signed` $is_signed^)? attr-dict `:` type($input) `to` type($codes) `,` type($absmax)
  }];
  let hasVerifier = 1;
}

def Prec_DynamicDequantizeOp : Prec_Op<"dynamic_dequantize", [AllShapesMatch<["codes", "result"]>]> {
  let summary = "what codes of 8 bits stand for";
  let description = [{
    `map[code] * absmax` in f32; see `prec.dynamic_quantize`. A block of zero
    bytes, codes and absmax, is zero.

    ```mlir
    %m = prec.dynamic_dequantize %c, %a signed : tensor<64x64xi8>, tensor<16xf32> to tensor<64x64xf32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[I8]>:$codes, StaticShapeTensorOf<[F32]>:$absmax, UnitAttr:$is_signed);
  let results = (outs StaticShapeTensorOf<[F32]>:$result);
  let assemblyFormat = [{
    $codes `,` $absmax (`signed` $is_signed^)? attr-dict `:` type($codes) `,` type($absmax) `to` type($result)
  }];
  let hasVerifier = 1;
}

include "prec/Dialect/Prec/PrecExperts.td"

#endif // PREC_DIALECT_PREC_PRECOPS_TD
