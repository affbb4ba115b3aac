//===- SchedRanks.td - what ranks give each other ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHEDRANKS_TD
#define PREC_DIALECT_SCHED_SCHEDRANKS_TD

include "prec/Dialect/Train/TrainBase.td"

def Sched_ExchangeOp : Sched_Op<"exchange",
    (ins Train_ExchangeKindAttr:$kind, Train_Any:$input, StrAttr:$axis)> {
  let summary = "what ranks give each other, or take for themselves";
  let description = [{
    `prec_train.exchange`, as a command.

    ```mlir
    %g = prec_sched.exchange all_gather %x over "dp" : (tensor<4x8xbf16>) -> tensor<2x4x8xbf16>
    ```
  }];
  let results = (outs Train_Any:$result);
  let assemblyFormat = "$kind $input `over` $axis attr-dict `:` functional-type(operands, results)";
}

#endif // PREC_DIALECT_SCHED_SCHEDRANKS_TD
