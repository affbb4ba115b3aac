//===- SchedRanks.td - what ranks give each other ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHEDRANKS_TD
#define PREC_DIALECT_SCHED_SCHEDRANKS_TD

include "prec/Dialect/Train/TrainBase.td"

def Sched_ExchangeOp : Sched_Op<"exchange",
    (ins Train_ExchangeKindAttr:$kind, Train_Any:$input, StrAttr:$axis, OptionalAttr<I64Attr>:$bucket)> {
  let summary = "what ranks give each other, or take for themselves";
  let description = [{
    `prec_train.exchange`, as a command.

    Exchanges of one `bucket` stand one behind the other, and begin together where
    these stand. They may run beside what follows, up to the `await` of their
    bucket: until then their inputs stay as they are, and nobody reads their
    results.

    ```mlir
    %g = prec_sched.exchange all_gather %x over "dp" {bucket = 0 : i64} : (tensor<4x8xbf16>) -> tensor<2x4x8xbf16>
    ```
  }];
  let results = (outs Train_Any:$result);
  let assemblyFormat = "$kind $input `over` $axis attr-dict `:` functional-type(operands, results)";
}

def Sched_AwaitOp : Sched_Op<"await", (ins I64Attr:$bucket, Variadic<Train_Any>:$values)> {
  let summary = "where a bucket of exchanges has ended";
  let description = [{
    Behind it the results of a bucket's exchanges may be read, and their inputs may
    be overwritten. `values` are these inputs and results: as it reads all of them,
    none of their bytes are used for something else before. It is no command: the
    one behind it waits.

    ```mlir
    prec_sched.await 0 (%x, %g) : tensor<4x8xbf16>, tensor<2x4x8xbf16>
    ```
  }];
  let assemblyFormat = "$bucket `(` $values `)` attr-dict `:` type($values)";
}

#endif // PREC_DIALECT_SCHED_SCHEDRANKS_TD
