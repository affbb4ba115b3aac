//===- TrainOptimizers.td - updates of parameters ----------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation a parameter. All compute in f32, and scalars in f64 where the
// framework does, whatever the formats of operands and results.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_TRAIN_TRAINOPTIMIZERS_TD
#define PREC_DIALECT_TRAIN_TRAINOPTIMIZERS_TD

include "prec/Dialect/Train/OptimizerOpInterface.td"
include "prec/Dialect/Train/TrainBase.td"

class Train_Optimizer<string mnemonic, dag states, dag hyper, dag newStates, list<string> methods = [],
                      dag flags = (ins)>
    : Train_Op<mnemonic,
        !con((ins Train_Float:$parameter, Train_Float:$gradient), states, (ins Train_Scalar:$lr), hyper,
             (ins Train_Scalar:$weight_decay, Train_Scalar:$step, Train_Scalar:$grad_scale,
                  Optional<Train_Flag>:$guard), flags),
        [DeclareOpInterfaceMethods<OptimizerOpInterface, methods>]> {
  let results = !con((outs Train_Float:$new_parameter), newStates,
                     (outs Optional<StaticShapeTensorOf<[F32]>>:$update));
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Train_AdamwOp : Train_Optimizer<"adamw",
    (ins Train_Float:$exp_avg, Train_Float:$exp_avg_sq),
    (ins Train_Scalar:$beta1, Train_Scalar:$beta2, Train_Scalar:$eps),
    (outs Train_Float:$new_exp_avg, Train_Float:$new_exp_avg_sq), ["isNormalized", "isSquaring", "isStateSigned"]> {
  let summary = "AdamW update with decoupled weight decay";
  let description = [{
    `g = gradient * grad_scale`, `p = p - p * lr * weight_decay`,
    `m = m + (g - m) * (1 - beta1)`, `v = v * beta2 + g * g * (1 - beta2)`,
    `p = p - (lr / (1 - beta1^step)) * m / (sqrt(v) / sqrt(1 - beta2^step) + eps)`,
    the order of operations of torch.optim.AdamW; `step` counts from 1. Where
    `guard` is given and false, all three results are the old values; where it is
    true, so are elements that would not be finite in BF16 (`OptimizerOpInterface`).

    `update` is what the step means to add to the parameter, in f32:
    `-lr * weight_decay * parameter` plus the last term above, rounded like any
    other f32 value, and -0 where the guard is false.
  }];
}

def Train_SgdOp : Train_Optimizer<"sgd", (ins), (ins), (outs)> {
  let summary = "update by the gradient alone";
  let description = [{
    `g = gradient * grad_scale + weight_decay * p`, `p = p - lr * g`, as
    torch.optim.SGD without momentum. `step` is read by nothing but roundings at
    random. Guard and `update` (`-lr * g`) are those of `prec_train.adamw`.
  }];
}

def Train_SgdMomentumOp : Train_Optimizer<"sgd_momentum",
    (ins Train_Float:$momentum_buffer), (ins Train_Scalar:$momentum, Train_Scalar:$dampening),
    (outs Train_Float:$new_momentum_buffer), [], (ins UnitAttr:$nesterov)> {
  let summary = "update by a running sum of gradients";
  let description = [{
    `g = gradient * grad_scale + weight_decay * p`,
    `b = momentum * b + (1 - dampening) * g`, but `b = g` where `step` is 1,
    `p = p - lr * b`, or with `nesterov` `p = p - lr * (g + momentum * b)`, as
    torch.optim.SGD. Guard and `update` are those of `prec_train.adamw`.

    ```mlir
    %w:2 = prec_train.sgd_momentum %p, %g, %b, %lr, %mu, %damp, %wd, %t, %s {nesterov} : (tensor<4x8xf32>, ...) -> (tensor<4x8xf32>, tensor<4x8xf32>)
    ```
  }];
}

def Train_LionOp : Train_Optimizer<"lion",
    (ins Train_Float:$exp_avg), (ins Train_Scalar:$beta1, Train_Scalar:$beta2),
    (outs Train_Float:$new_exp_avg), ["isNormalized"]> {
  let summary = "update by the sign of an interpolated moment";
  let description = [{
    `g = gradient * grad_scale`, `p = p - p * lr * weight_decay`,
    `p = p - lr * sign(m * beta1 + g * (1 - beta1))`,
    `m = m * beta2 + g * (1 - beta2)`, the order of operations of lion_pytorch.
    `step` is read by nothing but roundings at random. Guard and `update` are
    those of `prec_train.adamw`.
  }];
}

class Train_Adafactor<string mnemonic, dag states, dag newStates>
    : Train_Optimizer<mnemonic, states,
        (ins Train_Scalar:$beta2_decay, Train_Scalar:$eps1, Train_Scalar:$eps2, Train_Scalar:$d), newStates,
        ["isElementwise", "isSquaring", "isStateSigned"]>;

def Train_AdafactorOp : Train_Adafactor<"adafactor",
    (ins Train_Float:$row_var, Train_Float:$col_var), (outs Train_Float:$new_row_var, Train_Float:$new_col_var)> {
  let summary = "Adafactor update of a matrix, its second moments factored";
  let description = [{
    With `g = gradient * grad_scale`, over the last two dimensions [R, C], any
    others being matrices side by side:
    `r = r + (mean over C of g * g - r) * step^beta2_decay`, `row_var` [..., R, 1],
    `c = c + (mean over R of g * g - c) * step^beta2_decay`, `col_var` [..., 1, C],
    `v = r * c / max(mean(r), eps1)`, `u = g / sqrt(max(v, eps1^2))`,
    `p = p - p * lr * weight_decay`,
    `p = p - u * min(lr, 1 / sqrt(step)) * max(eps2, rms(p)) / max(1, rms(u) / d)`
    where `rms(p)` is of the parameter before, as torch.optim.Adafactor. Guard
    and `update` are those of `prec_train.adamw`.
  }];
}

def Train_AdafactorUnfactoredOp : Train_Adafactor<"adafactor_unfactored",
    (ins Train_Float:$variance), (outs Train_Float:$new_variance)> {
  let summary = "Adafactor update of a vector";
  let description = [{
    `prec_train.adafactor` with `v = v + (g * g - v) * step^beta2_decay`, a second
    moment for each element.
  }];
}

def Train_UpdateOp : Train_Op<"update",
    (ins Train_Float:$parameter, Train_Float:$gradient, Variadic<Train_Float>:$states,
         Variadic<Train_Float>:$directions, Train_Scalar:$lr, Variadic<Train_Scalar>:$hyper,
         Train_Scalar:$weight_decay, Train_Scalar:$step, Train_Scalar:$grad_scale, Optional<Train_Flag>:$guard,
         StrAttr:$rule, UnitAttr:$normalized, UnitAttr:$squaring, OptionalAttr<DenseI64ArrayAttr>:$unsigned_states,
         OptionalAttr<DenseI64ArrayAttr>:$exact_states),
    [AttrSizedOperandSegments, IsolatedFromAbove, SingleBlock,
     DeclareOpInterfaceMethods<OptimizerOpInterface,
       ["getStates", "getNewStates", "isNormalized", "isSquaring", "isStateSigned", "isMoment"]>]> {
  let summary = "update by a formula of one element";
  let description = [{
    An optimizer whose formula is in the graph: its region computes, of one element,
    the new parameter, the new states and what is added to the parameter. The
    region's arguments are, in f32, the parameter, the gradient times `grad_scale`,
    the states and the `directions`, tensors of the parameter's shape that other
    operations compute; then, in f64, `lr`, `hyper`, `weight_decay` and `step`. What
    is f64 in the region is one number for all elements, as PyTorch computes its
    scalars. A state is of the parameter's shape, or a scalar, which then follows
    from scalars alone. Operations of the region round as they say.

    `rule` names the optimizer to people. `normalized`, `squaring`,
    `unsigned_states` (which states are never negative) and `exact_states` (which
    are no running means, so that 8 bits do not hold them) answer what
    `OptimizerOpInterface` asks. Guard and `update` are those of `prec_train.adamw`.

    ```mlir
    %w:2 = prec_train.update %p, %g, %b, %lr, %wd, %t, %s
        {operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 1, 1, 1, 0>, rule = "sum"}
        : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
        -> (tensor<4xf32>, tensor<4xf32>) {
    ^bb0(%param: f32, %grad: f32, %sum: f32, %rate: f64, %decay: f64, %number: f64):
      %new_sum = arith.addf %sum, %grad : f32
      %single = arith.truncf %rate : f64 to f32
      %change = arith.mulf %single, %new_sum : f32
      %new = arith.subf %param, %change : f32
      %update = arith.negf %change : f32
      prec_train.yield %new, %new_sum, %update : f32, f32, f32
    }
    ```
  }];
  let results = (outs Variadic<Train_Float>:$results);
  let regions = (region SizedRegion<1>:$formula);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results) $formula";
  let hasRegionVerifier = 1;
}

def Train_YieldOp : Op<Train_Dialect, "yield", [Pure, Terminator, HasParent<"UpdateOp">]> {
  let summary = "what a formula computes";
  let description = [{
    The new parameter, the new states, and what is added to the parameter.
  }];
  let arguments = (ins Variadic<F32>:$values);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif // PREC_DIALECT_TRAIN_TRAINOPTIMIZERS_TD
