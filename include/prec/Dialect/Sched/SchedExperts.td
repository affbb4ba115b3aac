//===- SchedExperts.td - grouped products ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHEDEXPERTS_TD
#define PREC_DIALECT_SCHED_SCHEDEXPERTS_TD

include "prec/Dialect/Train/TrainBase.td"

def Sched_GroupedGemmOp : Sched_Op<"grouped_gemm",
    (ins Train_GroupedFloat:$lhs, Train_GroupedFloat:$rhs, Train_Ids:$ends, UnitAttr:$transpose_b)> {
  let summary = "product of groups of rows";
  let description = [{
    `prec_train.grouped_matmul` where `rhs` has rank 3, `prec_train.grouped_matmul_grad`
    where it has rank 2, of the same operands.

    ```mlir
    %y = prec_sched.grouped_gemm %x, %w, %e {transpose_b}
      : (tensor<64x16xbf16>, tensor<4x32x16xbf16>, tensor<4xi32>) -> tensor<64x32xbf16>
    ```
  }];
  let results = (outs Train_GroupedFloat:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $ends attr-dict `:` functional-type(operands, $result)";
}

#endif // PREC_DIALECT_SCHED_SCHEDEXPERTS_TD
