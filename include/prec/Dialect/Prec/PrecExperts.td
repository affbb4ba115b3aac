//===- PrecExperts.td - scaled operands of experts ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of rows that meet a matrix each, in FP8. What a tensor is to a dense
// product, the rows of a group and the matrix of a group are here: each has its
// own amax and scale. `ends` say where groups end, as in
// `prec_train.grouped_matmul`: row r is of the first group g with r < ends[g].
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_PREC_PRECEXPERTS_TD
#define PREC_DIALECT_PREC_PRECEXPERTS_TD

def Prec_Ends : StaticShapeTensorOf<[I32]>;
def Prec_Fp8 : StaticShapeTensorOf<[F8E4M3FN, F8E5M2]>;
def Prec_Rows : StaticShapeTensorOf<[F32, BF16, F16, F8E4M3FN, F8E5M2]>;
def Prec_Wide : StaticShapeTensorOf<[F32, BF16]>;

def Prec_GroupAmaxOp : Prec_Op<"group_amax"> {
  let summary = "largest absolute values of the rows of each group, in f32";
  let description = [{
    Of `input` [R, K] and `ends` [G] one for each group, NaN skipped as in
    `prec.amax`; 0 for a group without rows. Rows of no group count nowhere.

    ```mlir
    %a = prec.group_amax %x, %e : (tensor<64x16xbf16>, tensor<4xi32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Prec_HighFloat:$input, Prec_Ends:$ends);
  let results = (outs Prec_Scales:$result);
  let assemblyFormat = "$input `,` $ends attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def Prec_GroupScalesOp : Prec_Op<"group_scales"> {
  let summary = "the scale of each row of groups";
  let description = [{
    Of `scales` [G] that of the group of each of R rows; 0 for rows of no group,
    which become zeros by it.

    ```mlir
    %s = prec.group_scales %g, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<64xf32>
    ```
  }];
  let arguments = (ins Prec_Scales:$scales, Prec_Ends:$ends);
  let results = (outs Prec_Scales:$result);
  let assemblyFormat = "$scales `,` $ends attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def Prec_AlignGroupsOp : Prec_Op<"align_groups"> {
  let summary = "rows of groups, each group from a multiple of 128 on";
  let description = [{
    The first row of a group is behind the groups before it, at the next multiple
    of 128; rows between groups, behind the last and of no group are zeros. The result
    has as many rows as any `ends` may need. So no block of 128 rows has rows of
    two groups, and zeros decide no scale.

    ```mlir
    %y = prec.align_groups %x, %e : (tensor<64x16xbf16>, tensor<4xi32>) -> tensor<512x16xbf16>
    ```
  }];
  let arguments = (ins Prec_Rows:$input, Prec_Ends:$ends);
  let results = (outs Prec_Rows:$result);
  let assemblyFormat = "$input `,` $ends attr-dict `:` functional-type(operands, $result)";
  let hasVerifier = 1;
}

def Prec_ScaledGroupedMatmulOp : Prec_Op<"scaled_grouped_matmul", [
    DeclareOpInterfaceMethods<PrecisionOpInterface, ["getAccumulationLength", "getFlops", "getContractionShape", "isGrouped"]>]> {
  let summary = "products of groups of rows, of scaled FP8 operands";
  let description = [{
    `prec_train.grouped_matmul` of `lhs` [R, K] and a matrix of each group `rhs`
    [G, N, K], result [R, N]; or, where `rhs` has rank 2,
    `prec_train.grouped_matmul_grad` of transposed rows `lhs` [M, A] and `rhs`
    [N, A], result [G, M, N]: columns of groups begin at multiples of 128, as
    `prec.align_groups` places them. Every operand is contiguous along what is
    contracted.

    Scales are inverse scales. Where the scalings are of tensors, both operands
    have one for each group. Where they are of rows or blocks, `lhs`
    and the rows of all matrices of `rhs`, [G * N, K], have those of a matrix; then sums of
    128 products are multiplied by the inverse scales of their two blocks and
    added in f32, from the first element of a group on, as in `prec.scaled_matmul`.
    An element is the sum times its inverse scales, that of `lhs` times that of `rhs` first
    where these are of groups, rounded once. Rows of no group are zeros, and so
    is the matrix of a group without rows.

    ```mlir
    %y = prec.scaled_grouped_matmul %x scale %sx, %w scale %sw, %e <fast> by tensor_current, tensor_current
      : (tensor<64x16xf8E4M3FN>, tensor<4xf32>, tensor<4x32x16xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x32xbf16>
    ```
  }];
  let arguments = (ins Prec_Fp8:$lhs, Prec_Scales:$lhs_scale, Prec_Fp8:$rhs, Prec_Scales:$rhs_scale, Prec_Ends:$ends,
                       Prec_AccumulatorAttr:$accumulator, Prec_ScalingAttr:$lhs_scaling, Prec_ScalingAttr:$rhs_scaling);
  let results = (outs Prec_Wide:$result);
  let assemblyFormat = [{
    $lhs `scale` $lhs_scale `,` $rhs `scale` $rhs_scale `,` $ends $accumulator `by` $lhs_scaling `,` $rhs_scaling
    attr-dict `:` functional-type(operands, $result)
  }];
  let extraClassDeclaration = [{
    /// Whether the result is a matrix of each group.
    bool isGradient() { return ::mlir::cast<::mlir::RankedTensorType>(getRhs().getType()).getRank() == 2; }
  }];
  let hasVerifier = 1;
}

#endif // PREC_DIALECT_PREC_PRECEXPERTS_TD
