//===- TrainConvolutions.td - convolutions -----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution and its two gradients, over one to three spatial dimensions.
// Channels are the last dimension: what one position holds lies together, as
// tensor cores read it, and a convolution of one position is a matrix product.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_TRAIN_TRAINCONVOLUTIONS_TD
#define PREC_DIALECT_TRAIN_TRAINCONVOLUTIONS_TD

include "prec/Dialect/Train/TrainBase.td"

/// What a convolution has beside its tensors. `strides`, `dilations` and the
/// elements of zero before (`low`) and behind (`high`) are one for each spatial
/// dimension.
class Train_Convolution<string mnemonic, dag inputs, dag outputs>
    : Train_Composite<mnemonic, !con(inputs, (ins
        DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$low,
        DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$dilations,
        I32Attr:$groups)), outputs> {
  let extraClassDeclaration = [{
    ::prec::ContractionShape getContractionShape();
    bool isConvolution() { return true; }
  }];
}

def Train_ConvOp : Train_Convolution<"conv",
    (ins Train_ConvFloat:$input, Train_ConvFloat:$weight), (outs Train_ConvFloat:$result)> {
  let summary = "convolution, channels last";
  let description = [{
    `input` [N, S..., C] with one to three spatial sizes S, `weight`
    [O, K..., C/groups], `result` [N, P..., O]. With the input surrounded by
    `low` and `high` zeros,

        result[n, p, o] = sum over k, c of
            input[n, p * strides + k * dilations, first + c] * weight[o, k, c]

    where `first` is that of the group's channels, summed in f32 and rounded
    once: output o is of group `o / (O / groups)`, which has C/groups channels.
    `P = (S + low + high - dilations * (K - 1) - 1) / strides + 1`, rounded down.

    ```mlir
    %y = prec_train.conv %x, %w {strides = array<i64: 2, 2>, low = array<i64: 1, 1>, high = array<i64: 1, 1>,
                                 dilations = array<i64: 1, 1>, groups = 1 : i32}
      : (tensor<2x8x8x16xf32>, tensor<32x3x3x16xf32>) -> tensor<2x4x4x32xf32>
    ```
  }];
}

def Train_ConvGradInputOp : Train_Convolution<"conv_grad_input",
    (ins Train_ConvFloat:$grad, Train_ConvFloat:$weight), (outs Train_ConvFloat:$grad_input)> {
  let summary = "gradient of conv for its input, and a transposed convolution";
  let description = [{
    What a convolution from `grad_input` [N, S..., C] by `weight`
    [O, K..., C/groups] to `grad` [N, P..., O] gives of `grad` to each element
    that it read. A transposed convolution is this, its input being `grad`.
  }];
}

def Train_ConvGradWeightOp : Train_Convolution<"conv_grad_weight",
    (ins Train_ConvFloat:$grad, Train_ConvFloat:$input), (outs Train_ConvFloat:$grad_weight)> {
  let summary = "gradient of conv for its weight";
  let description = [{
    `grad` [N, P..., O] is that of the result of a convolution of `input`
    [N, S..., C]; `grad_weight` [O, K..., C/groups]:

        grad_weight[o, k, c] = sum over n, p of
            grad[n, p, o] * input[n, p * strides + k * dilations, first + c]
  }];
}

#endif // PREC_DIALECT_TRAIN_TRAINCONVOLUTIONS_TD
