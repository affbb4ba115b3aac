//===- SchedConvolutions.td - convolutions of a library ----*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHEDCONVOLUTIONS_TD
#define PREC_DIALECT_SCHED_SCHEDCONVOLUTIONS_TD

include "prec/Dialect/Train/TrainBase.td"

def Sched_ConvDirectionAttr : EnumAttr<Sched_Dialect, Sched_ConvDirection, "conv_direction"> {
  let assemblyFormat = "`<` $value `>`";
}

def Sched_ConvOp : Sched_Op<"conv",
    (ins Train_ConvFloat:$lhs, Train_ConvFloat:$rhs, Sched_ConvDirectionAttr:$direction,
         DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
         DenseI64ArrayAttr:$dilations, I32Attr:$groups)> {
  let summary = "library convolution";
  let description = [{
    `fprop` is `prec_train.conv`, `dgrad` `prec_train.conv_grad_input`, `wgrad`
    `prec_train.conv_grad_weight`, of the same operands.

    ```mlir
    %y = prec_sched.conv <fprop> %x, %w {strides = array<i64: 1>, low = array<i64: 1>, high = array<i64: 1>,
                                         dilations = array<i64: 1>, groups = 1 : i32}
      : (tensor<2x8x16xbf16>, tensor<32x3x16xbf16>) -> tensor<2x8x32xbf16>
    ```
  }];
  let results = (outs Train_ConvFloat:$result);
  let assemblyFormat = "$direction $lhs `,` $rhs attr-dict `:` functional-type(operands, $result)";
}

#endif // PREC_DIALECT_SCHED_SCHEDCONVOLUTIONS_TD
