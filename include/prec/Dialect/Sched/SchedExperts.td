//===- SchedExperts.td - grouped products ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHEDEXPERTS_TD
#define PREC_DIALECT_SCHED_SCHEDEXPERTS_TD

include "prec/Dialect/Train/TrainBase.td"

def Sched_GroupedOperand : StaticShapeTensorOf<[F32, BF16, F16, F8E4M3FN, F8E5M2]>;

def Sched_GroupedGemmOp : Sched_Op<"grouped_gemm",
    (ins Sched_GroupedOperand:$lhs, Sched_GroupedOperand:$rhs, Train_Ids:$ends, Variadic<Prec_Scales>:$scales,
         UnitAttr:$transpose_b,
         DefaultValuedAttr<Prec_AccumulatorAttr, "::prec::Accumulator::Full">:$accumulator,
         DefaultValuedAttr<Prec_ScalingAttr, "::prec::Scaling::None">:$lhs_scaling,
         DefaultValuedAttr<Prec_ScalingAttr, "::prec::Scaling::None">:$rhs_scaling)> {
  let summary = "product of groups of rows";
  let description = [{
    `prec_train.grouped_matmul` where `rhs` has rank 3, `prec_train.grouped_matmul_grad`
    where it has rank 2, of the same operands. With `scales`, the inverse scales
    of both operands, it is `prec.scaled_grouped_matmul`.

    ```mlir
    %y = prec_sched.grouped_gemm %x, %w, %e {transpose_b}
      : (tensor<64x16xbf16>, tensor<4x32x16xbf16>, tensor<4xi32>) -> tensor<64x32xbf16>
    %y = prec_sched.grouped_gemm %x, %w, %e scales %sx, %sw {accumulator = #prec.accumulator<fast>,
        lhs_scaling = #prec<scaling tensor_current>, rhs_scaling = #prec<scaling tensor_current>, transpose_b}
      : (tensor<64x16xf8E4M3FN>, tensor<4x32x16xf8E4M3FN>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<64x32xbf16>
    ```
  }];
  let results = (outs Train_GroupedFloat:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $ends (`scales` $scales^)? attr-dict `:` functional-type(operands, $result)";
}

#endif // PREC_DIALECT_SCHED_SCHEDEXPERTS_TD
