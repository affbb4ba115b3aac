//===- TrainCustom.td - operations of the user's own -------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TRAINCUSTOM_TD
#define PREC_DIALECT_TRAIN_TRAINCUSTOM_TD

include "prec/Dialect/Train/TrainBase.td"

def Train_CustomOp : Train_Op<"custom",
    (ins Variadic<Train_Any>:$inputs, StrAttr:$function, StrAttr:$settings,
         TypeArrayAttr:$reads, TypeArrayAttr:$makes, DenseI64ArrayAttr:$gradients,
         Train_Kernels:$kernels)> {
  let summary = "an operation of the user's own, of which nothing is known";
  let description = [{
    `function` is the name under which whoever runs the step has given it, such
    as `mylib::silu.default`; `settings` is handed to it as it is. It reads its
    operands in the element types `reads`, makes its results in `makes`, and
    does nothing else; whole numbers may be of other widths in the graph. If all
    operands that `gradients` lists are multiplied by a power of two, so are all
    results. `kernels` compute it on a GPU.

    ```mlir
    %y = prec_train.custom %x {function = "mylib::silu.default", settings = "...", reads = [f32], makes = [f32],
                               gradients = array<i64>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let results = (outs Variadic<Train_Any>:$results);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    std::optional<::prec::Format> getOwnFormat(bool isResult, unsigned index);
  }];
}

#endif // PREC_DIALECT_TRAIN_TRAINCUSTOM_TD
