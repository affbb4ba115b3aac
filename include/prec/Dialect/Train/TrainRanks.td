//===- TrainRanks.td - what ranks give each other ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TRAINRANKS_TD
#define PREC_DIALECT_TRAIN_TRAINRANKS_TD

include "prec/Dialect/Train/TrainBase.td"

def Train_ExchangeOp : Train_Op<"exchange",
    (ins Train_ExchangeKindAttr:$kind, Train_Any:$input, StrAttr:$axis)> {
  let summary = "what ranks give each other, or take for themselves";
  let description = [{
    All ranks run one program, and each has values of its own. `axis` is one of the
    module's mesh, with N ranks along it. Elements are moved as they are, so that
    no sum depends on how ranks are connected:

    | kind | input | result |
    |---|---|---|
    | `all_gather` | S | [N, S]: slice i is the input of rank i |
    | `all_to_all` | [N, S] | [N, S]: slice i is slice r of the input of rank i, r being this rank |
    | `own_slice` | [N, S] | S: slice r; nothing is sent |

    ```mlir
    %g = prec_train.exchange all_gather %x over "dp" : (tensor<4x8xbf16>) -> tensor<2x4x8xbf16>
    %t = prec_train.exchange all_to_all %g over "dp" : (tensor<2x4x8xbf16>) -> tensor<2x4x8xbf16>
    %s = prec_train.exchange own_slice %g over "dp" : (tensor<2x4x8xbf16>) -> tensor<4x8xbf16>
    ```
  }];
  let results = (outs Train_Any:$result);
  let assemblyFormat = "$kind $input `over` $axis attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::prec::train::ExchangeKind":$kind, "::mlir::Value":$input,
                             "::llvm::StringRef":$axis), [{
    build($_builder, $_state, result, kind, input, axis, /*result_tags=*/nullptr, /*operand_tags=*/nullptr);
  }]>];
}

def Train_AllReduceOp : Train_Op<"all_reduce",
    (ins Train_ConvFloat:$input, StrAttr:$axis, I64Attr:$ranks, StrAttr:$reason), [AllTypesMatch<["input", "result"]>]> {
  let summary = "the sum of what the ranks of an axis have";
  let description = [{
    Adds up, in f32 and in the order of ranks, a value that each of the `ranks` ranks along `axis` has a part of, such
    as the product of its columns of one matrix and its rows of another. What is sent has the format of the input; the
    sum is rounded once, to that of the result. All ranks get the same bits. `reason` says what made parts of it.

    ```mlir
    %y = prec_train.all_reduce %x over "tp" {ranks = 2 : i64, reason = "contracted dimension is divided"} : tensor<4x8xbf16>
    ```
  }];
  let results = (outs Train_ConvFloat:$result);
  let assemblyFormat = "$input `over` $axis attr-dict `:` type($input)";
  let hasVerifier = 1;
}

#endif // PREC_DIALECT_TRAIN_TRAINRANKS_TD
