//===- SchedCalls.td - calls of the user's own functions ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHEDCALLS_TD
#define PREC_DIALECT_SCHED_SCHEDCALLS_TD

include "prec/Dialect/Train/TrainBase.td"

def Sched_CallOp : Sched_Op<"call",
    (ins Variadic<Train_Any>:$inputs, StrAttr:$function, StrAttr:$settings,
         TypeArrayAttr:$reads, TypeArrayAttr:$makes,
         Train_Kernels:$kernels)> {
  let summary = "call of a function of the user's own";
  let description = [{
    `prec_train.custom`, as a command.

    ```mlir
    %y = prec_sched.call %x {function = "mylib::silu.default", settings = "[]", reads = [f32], makes = [f32]}
      : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let results = (outs Variadic<Train_Any>:$results);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // PREC_DIALECT_SCHED_SCHEDCALLS_TD
