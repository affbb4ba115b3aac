//===- TrainExperts.td - products of groups of rows --------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of experts: each group of consecutive rows meets a matrix of its own.
// How many rows a group has is known when the step runs; how many rows all have
// is not more than the tensor holds.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_TRAIN_TRAINEXPERTS_TD
#define PREC_DIALECT_TRAIN_TRAINEXPERTS_TD

include "prec/Dialect/Train/TrainBase.td"

class Train_Grouped<string mnemonic, dag inputs, dag outputs> : Train_Composite<mnemonic, inputs, outputs> {
  let extraClassDeclaration = [{
    ::prec::ContractionShape getContractionShape();
    bool isGrouped() { return true; }
    bool isContractedLast(unsigned input);
  }];
}

def Train_GroupedMatmulOp : Train_Grouped<"grouped_matmul",
    (ins Train_GroupedFloat:$rows, Train_GroupedMatrices:$matrices, Train_Ids:$ends, UnitAttr:$transpose_b),
    (outs Train_GroupedFloat:$result)> {
  let summary = "rows of groups by a matrix of each group";
  let description = [{
    `rows` [R, K], `matrices` [G, K, N], or with `transpose_b` [G, N, K], `ends`
    [G], `result` [R, N]. Row r is of the first group g with `r < ends[g]`:

        result[r, n] = sum over k of rows[r, k] * matrices[g, k, n]

    summed in f32 and rounded once. Rows of no group are zeros. All `ends` have a
    meaning; a group is empty where `ends` does not rise above those before it.

    ```mlir
    %y = prec_train.grouped_matmul %x, %w, %e {transpose_b}
      : (tensor<64x16xf32>, tensor<4x32x16xf32>, tensor<4xi32>) -> tensor<64x32xf32>
    ```
  }];
}

def Train_GroupedMatmulGradOp : Train_Grouped<"grouped_matmul_grad",
    (ins Train_GroupedFloat:$lhs, Train_GroupedFloat:$rhs, Train_Ids:$ends),
    (outs Train_GroupedFloat:$grad_matrices)> {
  let summary = "gradient of grouped_matmul for its matrices";
  let description = [{
    `lhs` [R, M], `rhs` [R, N], `ends` [G], result [G, M, N]:

        grad_matrices[g, m, n] = sum over rows r of group g of lhs[r, m] * rhs[r, n]

    summed in f32 and rounded once; zeros for a group without rows.
  }];
}

#endif // PREC_DIALECT_TRAIN_TRAINEXPERTS_TD
