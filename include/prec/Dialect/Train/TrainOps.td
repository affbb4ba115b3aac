//===- TrainOps.td - operations of the prec_train dialect --*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TRAINOPS_TD
#define PREC_DIALECT_TRAIN_TRAINOPS_TD

include "prec/Dialect/Train/TrainBase.td"
include "prec/Dialect/Train/TrainComposites.td"
include "prec/Dialect/Train/TrainConvolutions.td"
include "prec/Dialect/Train/TrainCustom.td"
include "prec/Dialect/Train/TrainExperts.td"
include "prec/Dialect/Train/TrainRanks.td"
include "prec/Dialect/Train/TrainOptimizers.td"

def Train_MatmulOp : Train_Op<"matmul",
    (ins Train_MatmulOperand:$lhs, Train_MatmulOperand:$rhs, Optional<Train_Float>:$bias,
         UnitAttr:$transpose_a, UnitAttr:$transpose_b)> {
  let summary = "batched matrix product";
  let description = [{
    `op(lhs) * op(rhs)` over the last two dimensions, accumulated in f32; the
    leading dimensions are batch dimensions and equal. `transpose_a` and
    `transpose_b` mean that the operand is stored transposed. A bias is added to
    the f32 sums of every row of one product, which are then rounded once; it has
    the result's format.

    ```mlir
    %y = prec_train.matmul %x, %w {transpose_b} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
    %z = prec_train.matmul %x, %w bias %b {transpose_b} : (tensor<4x8xbf16>, tensor<16x8xbf16>, tensor<16xbf16>) -> tensor<4x16xbf16>
    ```
  }];
  let results = (outs Train_Float:$result);
  let assemblyFormat = "$lhs `,` $rhs (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Sizes of the product: rows, columns, contracted, number of matrices.
    int64_t getM(); int64_t getN(); int64_t getK(); int64_t getBatch();
    ::prec::ContractionShape getContractionShape();
    bool isContractedLast(unsigned input) {
      return input == 0 ? !getTransposeA() : getTransposeB();
    }
  }];
}

def Train_ReduceOp : Train_Op<"reduce",
    (ins Train_ReduceKindAttr:$kind, Train_Element:$input, DenseI64ArrayAttr:$dims)> {
  let summary = "reduction along dimensions, which are dropped";
  let description = [{
    `max` and `min` skip NaN; of nothing but NaN they are minus and plus
    infinity.

    ```mlir
    %s = prec_train.reduce sum %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
  }];
  let results = (outs Train_Element:$result);
  let assemblyFormat = "$kind $input `dims` $dims attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::prec::train::ReduceKind":$kind, "::mlir::Value":$input,
                             "::llvm::ArrayRef<int64_t>":$dims), [{
    build($_builder, $_state, result, kind, input, dims, /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
  }]>];
  let extraClassDeclaration = [{ uint32_t getArithmetic(); }];
}

def Train_BroadcastOp : Train_Op<"broadcast", (ins Train_Element:$input, DenseI64ArrayAttr:$dims)> {
  let summary = "repetition along new dimensions";
  let description = [{
    Dimension `i` of the input is dimension `dims[i]` of the result; sizes are
    equal. One that repeats nothing folds where no tag says that it rounds.

    ```mlir
    %b = prec_train.broadcast %x dims [1] : (tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let results = (outs Train_Element:$result);
  let assemblyFormat = "$input `dims` $dims attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$dims), [{
    build($_builder, $_state, result, input, dims, /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
  }]>];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    ::prec::Movement getMovement() { return ::prec::Movement::Broadcast; }
  }];
}

def Train_TransposeOp : Train_Op<"transpose", (ins Train_Element:$input, DenseI64ArrayAttr:$permutation)> {
  let summary = "permutation of dimensions";
  let description = [{
    Dimension `i` of the result is dimension `permutation[i]` of the input. What moves
    nothing, and a transposition of one, fold where no tag says that they round.

    ```mlir
    %t = prec_train.transpose %x permutation [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    ```
  }];
  let results = (outs Train_Element:$result);
  let assemblyFormat = "$input `permutation` $permutation attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$permutation), [{
    build($_builder, $_state, result, input, permutation, /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
  }]>];
  let hasFolder = 1;
  let extraClassDeclaration = [{
    ::prec::Movement getMovement() { return ::prec::Movement::Transpose; }
  }];
}

def Train_IotaOp : Train_Op<"iota", (ins I64Attr:$dim)> {
  let summary = "index along a dimension";
  let description = [{
    ```mlir
    %i = prec_train.iota dim 0 : tensor<8xi32>
    ```
  }];
  let results = (outs Train_Element:$result);
  let assemblyFormat = "`dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Train_GatherOp : Train_Op<"gather", (ins Train_Element:$table, Train_Ids:$ids),
    [DeclareOpInterfaceMethods<LookupOpInterface>]> {
  let summary = "rows of a table by index";
  let description = [{
    The result's shape is that of `ids`, then that of a row. Indices are below
    the table's row count: `--prec-check-indices` sees to that.

    ```mlir
    %r = prec_train.gather %t, %i : (tensor<16x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
    ```
  }];
  let results = (outs Train_Element:$result);
  let assemblyFormat = "$table `,` $ids attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::prec::Movement getMovement() { return ::prec::Movement::Gather; }
  }];
}

def Train_SortIdsOp : Train_Op<"sort_ids", (ins Train_Ids:$ids, I64Attr:$bound)> {
  let summary = "stable sort of ids, with their positions";
  let description = [{
    Row 0 of the result has the ids, below `bound`, in ascending order; row 1 the
    position that each of them had, ascending where ids are equal. That ids are
    below the bound is checked as of `prec_train.gather`; others count as the last.

    ```mlir
    %s = prec_train.sort_ids %i below 16 : (tensor<2x4xi32>) -> tensor<2x8xi32>
    ```
  }];
  let results = (outs Train_Ids:$result);
  let assemblyFormat = "$ids `below` $bound attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Train_ScatterAddOp : Train_Op<"scatter_add",
    (ins Train_Float:$init, Train_Ids:$ids, Train_Float:$updates, Optional<Train_Ids>:$sorted),
    [DeclareOpInterfaceMethods<LookupOpInterface>]> {
  let summary = "sum of update rows into rows of a table";
  let description = [{
    `result[v] = init[v] + sum over positions p with ids[p] == v of updates[p]`.
    The updates of a row are added in f32, in an order that the target chooses by
    shapes and ids alone: the same bits every time. Their sum is rounded to the
    table's format, added to the row in f32, and the row is rounded: what adding
    two tables gives, of which one has the sums. Kernels need the `sorted` ids
    (`prec_train.sort_ids`), among which those of a row are neighbors.

    ```mlir
    %t = prec_train.scatter_add %z, %i, %u : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<16x8xf32>
    %t = prec_train.scatter_add %z, %i, %u sorted %s : (tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf32>, tensor<2x8xi32>) -> tensor<16x8xf32>
    ```
  }];
  let results = (outs Train_Float:$result);
  let assemblyFormat = "$init `,` $ids `,` $updates (`sorted` $sorted^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // PREC_DIALECT_TRAIN_TRAINOPS_TD
