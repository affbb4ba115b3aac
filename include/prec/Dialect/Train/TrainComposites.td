//===- TrainComposites.td - composites ---------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each composite has its gradient twin. Reductions, exponentials and the like
// are computed in f32 whatever the formats of operands and results.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_TRAIN_TRAINCOMPOSITES_TD
#define PREC_DIALECT_TRAIN_TRAINCOMPOSITES_TD

include "prec/Dialect/Train/TrainBase.td"

/// What is looked up in rows, or columns, of which each rank of an axis of the
/// mesh has a slice: rank r the r-th, in order, all of one size.
defvar Train_Divided = (ins OptionalAttr<StrAttr>:$axis, OptionalAttr<I64Attr>:$ranks);

def Train_RmsNormOp : Train_Composite<"rms_norm",
    (ins Train_Float:$input, Train_Float:$gamma, F32Attr:$eps),
    (outs Train_Float:$result, Train_Float:$rstd)> {
  let summary = "root mean square normalization of the last dimension";
  let description = [{
    `rstd = rsqrt(mean(x * x) + eps)`, `result = x * rstd * gamma`.

    ```mlir
    %y, %r = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32} : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
    ```
  }];
}

def Train_RmsNormGradOp : Train_Composite<"rms_norm_grad",
    (ins Train_Float:$grad, Train_Float:$input, Train_Float:$gamma, Train_Float:$rstd),
    (outs Train_Float:$grad_input, Train_Float:$grad_gamma)> {
  let summary = "gradient of rms_norm";
  let description = [{
    With `h = grad * gamma` and `n = x * rstd`:
    `grad_input = rstd * (h - n * mean(h * n))`, `grad_gamma = sum over rows of grad * n`.
  }];
}

def Train_LayerNormOp : Train_Composite<"layer_norm",
    (ins Train_Float:$input, Train_Float:$gamma, Train_Float:$beta, F32Attr:$eps),
    (outs Train_Float:$result, Train_Float:$mean, Train_Float:$rstd)> {
  let summary = "normalization of the last dimension to mean 0, variance 1";
  let description = [{
    `mean = mean(x)`, `rstd = rsqrt(mean((x - mean)^2) + eps)`,
    `result = (x - mean) * rstd * gamma + beta`.
  }];
}

def Train_LayerNormGradOp : Train_Composite<"layer_norm_grad",
    (ins Train_Float:$grad, Train_Float:$input, Train_Float:$gamma, Train_Float:$mean, Train_Float:$rstd),
    (outs Train_Float:$grad_input, Train_Float:$grad_gamma, Train_Float:$grad_beta)> {
  let summary = "gradient of layer_norm";
  let description = [{
    With `h = grad * gamma` and `n = (x - mean) * rstd`:
    `grad_input = rstd * (h - mean(h) - n * mean(h * n))`,
    `grad_gamma = sum over rows of grad * n`, `grad_beta = sum over rows of grad`.
  }];
}

def Train_SoftmaxOp : Train_Composite<"softmax", (ins Train_Float:$input), (outs Train_Float:$result)> {
  let summary = "softmax of the last dimension";
  let description = [{`exp(x - max(x)) / sum(exp(x - max(x)))`.}];
}

def Train_SoftmaxGradOp : Train_Composite<"softmax_grad",
    (ins Train_Float:$grad, Train_Float:$output), (outs Train_Float:$grad_input)> {
  let summary = "gradient of softmax";
  let description = [{`grad_input = output * (grad - sum(grad * output))`.}];
}

def Train_CrossEntropyOp : Train_Composite<"cross_entropy",
    !con((ins Train_Float:$logits, Train_Ids:$labels, I32Attr:$ignore_index), Train_Divided),
    (outs Train_Scalar:$loss, Train_Float:$maximum, Train_Float:$log_sum),
    [DeclareOpInterfaceMethods<LookupOpInterface>]> {
  let summary = "mean negative log likelihood of labels";
  let description = [{
    `maximum` is the largest logit of every row, `log_sum = log(sum(exp(logits - maximum)))`, and
    `loss = mean of log_sum[i] + (maximum[i] - logits[i, labels[i]])` over the rows whose label is not `ignore_index`;
    0 if there is none. The two are apart because their sum would lose digits of `log_sum` where logits are large.

    With an `axis` of `ranks` ranks, `logits` are this rank's slice of the columns, and labels are those of whole rows.
    All three results are of whole rows, the same on all ranks.

    ```mlir
    %l, %m, %s = prec_train.cross_entropy %x, %y {axis = "tp", ignore_index = -100 : i32, ranks = 2 : i64} : (tensor<4x8xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
    ```
  }];
}

def Train_CrossEntropyGradOp : Train_Composite<"cross_entropy_grad",
    !con((ins Train_Scalar:$grad, Train_Float:$logits, Train_Ids:$labels, Train_Float:$maximum, Train_Float:$log_sum, I32Attr:$ignore_index), Train_Divided),
    (outs Train_Float:$grad_logits),
    [DeclareOpInterfaceMethods<LookupOpInterface>]> {
  let summary = "gradient of cross_entropy";
  let description = [{
    `grad / valid * (exp((logits - maximum) - log_sum) - onehot(labels))`, zero rows where the label is `ignore_index`;
    `valid` is the number of the others, at least 1. With an `axis`, of this rank's slice of the columns.
  }];
}

/// Bias and window come behind what attention always has.
class Train_Attention<string mnemonic, dag inputs, dag outputs>
    : Train_Composite<mnemonic, !con(inputs, (ins Optional<Train_Bias>:$bias,
        F32Attr:$scale, UnitAttr:$causal, OptionalAttr<I64Attr>:$window)), outputs> {
  let extraClassDeclaration = [{
    ::prec::OperandRead getOperandRead(::mlir::OpOperand &operand) {
      return getBias() && operand.getOperandNumber() + 1 == getOperation()->getNumOperands()
                 ? ::prec::OperandRead::Mask : ::prec::OperandRead::Elements;
    }
  }];
}

def Train_AttentionOp : Train_Attention<"attention",
    (ins Train_Float:$query, Train_Float:$key, Train_Float:$value),
    (outs Train_Float:$result, Train_Float:$lse)> {
  let summary = "scaled dot product attention";
  let description = [{
    `query` [B,H,S,D], `key` and `value` [B,G,T,D]; query head h reads
    key/value head `h / (H / G)`. `lse` [B,H,S] is the natural logarithm of the
    sum of exponentials of a row of scores, which are `scale * QK^T`, plus `bias` if there is one.

    `bias` [B|1, H|1, S|1, T], each dimension of its full size or of 1, has no gradient. It says what a query does
    not see by numbers that leave nothing of an exponential, such as -2^126; they must be finite. With `causal`, query i sees
    no key j > i; with a `window` of w, which only causal attention has, none but i - w < j <= i: itself and the w - 1
    before it, as cuDNN's left bound of the diagonal band and `sliding_window` of transformers. All of them combine. What
    causality and window hide has no weight at all. Each query must see a key, with a weight that is not 0: results of a row of
    others are not defined.

    ```mlir
    %y, %l = prec_train.attention %q, %k, %v, %bias {causal, scale = 2.500000e-01 : f32, window = 4 : i64}
      : (tensor<2x4x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x2x8x16xf32>, tensor<2x1x1x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8xf32>)
    ```
  }];
}

def Train_AttentionGradOp : Train_Attention<"attention_grad",
    (ins Train_Float:$grad, Train_Float:$query, Train_Float:$key, Train_Float:$value,
         Train_Float:$output, Train_Float:$lse),
    (outs Train_Float:$grad_query, Train_Float:$grad_key, Train_Float:$grad_value)> {
  let summary = "gradient of attention";
  let description = [{
    With `P = exp(scale * QK^T + bias - lse)`, 0 where a query does not see a key, and `D = rowsum(grad * output)`:
    `dV = P^T grad`, `dS = P * (grad V^T - D) * scale`, `dQ = dS K`, `dK = dS^T Q`.
  }];
}

def Train_RopeOp : Train_Composite<"rope",
    (ins Train_Float:$input, Train_Float:$cos, Train_Float:$sin, UnitAttr:$inverse),
    (outs Train_Float:$result)> {
  let summary = "rotary position embedding, halves convention";
  let description = [{
    `input` [...,S,D], `cos` and `sin` [S,D/2]; with halves x1, x2 of the last
    dimension: `y1 = x1 cos - x2 sin`, `y2 = x2 cos + x1 sin`. `inverse` rotates
    the other way, which is the gradient.
  }];
}

def Train_EmbeddingOp : Train_Composite<"embedding",
    !con((ins Train_Float:$table, Train_Ids:$ids), Train_Divided), (outs Train_Float:$result),
    [DeclareOpInterfaceMethods<LookupOpInterface>]> {
  let summary = "rows of an embedding table";
  let description = [{
    See `prec_train.gather`. With an `axis` of `ranks` ranks, `table` is this rank's slice of the rows; ids are of the
    whole table, and those of other ranks' rows give zeros: the result is this rank's term of a sum.
  }];
}

def Train_EmbeddingGradOp : Train_Composite<"embedding_grad",
    !con((ins Train_Float:$grad, Train_Ids:$ids), Train_Divided), (outs Train_Float:$grad_table),
    [DeclareOpInterfaceMethods<LookupOpInterface>]> {
  let summary = "gradient of embedding";
  let description = [{See `prec_train.scatter_add`, into zeros. With an `axis`, of this rank's slice of the rows.}];
}

def Train_GlobalNormOp : Train_Composite<"global_norm",
    (ins Variadic<Train_Float>:$inputs), (outs Train_Scalar:$result)> {
  let summary = "Euclidean norm of all elements of all inputs, in f32";
}

def Train_ClipOp : Train_Composite<"clip",
    (ins Train_Scalar:$norm, Train_Scalar:$max_norm), (outs Train_Scalar:$result)> {
  let summary = "factor that brings a norm under a maximum";
  let description = [{`min(1, max_norm / (norm + 1e-6))`, as torch.nn.utils.clip_grad_norm_.}];
}

def Train_DropoutOp : Train_Composite<"dropout",
    (ins Train_Float:$input, Prec_Seed:$seed, F32Attr:$probability, I32Attr:$stream),
    (outs Train_Float:$result)> {
  let summary = "elements set to zero at random, the others scaled up";
  let description = [{
    An element is zero with `probability`, and otherwise multiplied by
    `1 / (1 - probability)`; where the seed is negative all stay as they are, so
    that an evaluation shares the kernels of a step. It is its own gradient: with the same seed and
    stream the same elements are zero. The random bits are those of
    `prec.stochastic_round`, all 32: an element is zero where they are below
    `probability * 2^32`.

    ```mlir
    %y = prec_train.dropout %x, %seed {probability = 1.0e-01 : f32, stream = 3 : i32} : (tensor<4x8xf32>, tensor<i32>) -> tensor<4x8xf32>
    ```
  }];
}

#endif // PREC_DIALECT_TRAIN_TRAINCOMPOSITES_TD
