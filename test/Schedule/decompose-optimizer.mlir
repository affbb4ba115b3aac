// RUN: prec-opt %s --prec-decompose | %primitives | FileCheck %s

// Sums of squares in two levels: the last dimension, then the others.
// CHECK-LABEL: func @clip
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xbf16>, %[[Y:.*]]: tensor<8xf32>, %[[MAX:.*]]: tensor<f32>)
// CHECK-DAG: %[[EPS:.*]] = arith.constant dense<9.99999997E-7> : tensor<f32>
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[XF:.*]] = arith.extf %[[X]]
// CHECK: %[[SQ:.*]] = arith.mulf %[[XF]], %[[XF]]
// CHECK: %[[ROWS:.*]] = prec_train.reduce sum %[[SQ]] dims [2]
// CHECK: %[[SX:.*]] = prec_train.reduce sum %[[ROWS]] dims [0, 1]
// CHECK: %[[SQY:.*]] = arith.mulf %[[Y]], %[[Y]]
// CHECK: %[[SY:.*]] = prec_train.reduce sum %[[SQY]] dims [0]
// CHECK: %[[S:.*]] = arith.addf %[[SX]], %[[SY]]
// CHECK: %[[NORM:.*]] = math.sqrt %[[S]]
// CHECK: %[[DEN:.*]] = arith.addf %[[NORM]], %[[EPS]]
// CHECK: %[[RATIO:.*]] = arith.divf %[[MAX]], %[[DEN]]
// CHECK: arith.minimumf %[[RATIO]], %[[ONE]]
func.func @clip(%x: tensor<2x4x8xbf16>, %y: tensor<8xf32>, %max: tensor<f32>) -> tensor<f32> {
  %n = prec_train.global_norm %x, %y : (tensor<2x4x8xbf16>, tensor<8xf32>) -> tensor<f32>
  %c = prec_train.clip %n, %max : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
}

// The scalars of one parameter group are computed once, in f64 as PyTorch does;
// each parameter keeps its order of operations and its fused steps.
// CHECK-LABEL: func @adamw
// CHECK-SAME: (%[[P:.*]]: tensor<8xf32>, %[[G:.*]]: tensor<8xbf16>, %[[M:.*]]: tensor<8xf32>, %[[V:.*]]: tensor<8xf32>, %[[LR:.*]]: tensor<f32>, %[[B1:.*]]: tensor<f32>, %[[B2:.*]]: tensor<f32>, %[[EPS:.*]]: tensor<f32>, %[[WD:.*]]: tensor<f32>, %[[T:.*]]: tensor<f32>, %[[SCALE:.*]]: tensor<f32>)
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK-DAG: %[[HALF:.*]] = arith.constant dense<5.000000e-01> : tensor<f32>
// CHECK-DAG: %[[ONEF:.*]] = arith.constant dense<1.000000e+00> : tensor<f32>
// CHECK: %[[LRW:.*]] = arith.extf %[[LR]] : tensor<f32> to tensor<f64>
// CHECK: %[[TW:.*]] = arith.extf %[[T]]
// CHECK: %[[B1W:.*]] = arith.extf %[[B1]]
// CHECK: %[[B2W:.*]] = arith.extf %[[B2]]
// CHECK: %[[WDW:.*]] = arith.extf %[[WD]]
// CHECK: %[[LW:.*]] = arith.mulf %[[LRW]], %[[WDW]] : tensor<f64>
// CHECK: %[[DECAYW:.*]] = arith.subf %[[ONE]], %[[LW]] : tensor<f64>
// CHECK: %[[DECAY:.*]] = arith.truncf %[[DECAYW]] : tensor<f64> to tensor<f32>
// CHECK: %[[W2W:.*]] = arith.subf %[[ONE]], %[[B2W]]
// CHECK: %[[W2:.*]] = arith.truncf %[[W2W]]
// CHECK: %[[POW1:.*]] = math.powf %[[B1W]], %[[TW]] : tensor<f64>
// CHECK: %[[C1:.*]] = arith.subf %[[ONE]], %[[POW1]]
// CHECK: %[[STEP:.*]] = arith.divf %[[LRW]], %[[C1]]
// CHECK: %[[NSTEPW:.*]] = arith.negf %[[STEP]]
// CHECK: %[[NSTEP:.*]] = arith.truncf %[[NSTEPW]]
// CHECK: %[[POW2:.*]] = math.powf %[[B2W]], %[[TW]]
// CHECK: %[[C2:.*]] = arith.subf %[[ONE]], %[[POW2]]
// CHECK: %[[ROOT2W:.*]] = math.sqrt %[[C2]] : tensor<f64>
// CHECK: %[[ROOT2:.*]] = arith.truncf %[[ROOT2W]]
// CHECK: %[[W1W:.*]] = arith.subf %[[ONE]], %[[B1W]]
// CHECK: %[[W1:.*]] = arith.truncf %[[W1W]]
// CHECK: %[[SMALL:.*]] = arith.cmpf olt, %[[W1]], %[[HALF]]
// CHECK: %[[W1M:.*]] = arith.subf %[[W1]], %[[ONEF]]
// CHECK: %[[W1S:.*]] = arith.select %[[SMALL]], %[[W1]], %[[W1M]]
// CHECK: %[[GF:.*]] = arith.extf %[[G]]
// CHECK: %[[SB:.*]] = prec_train.broadcast %[[SCALE]] dims []
// CHECK: %[[GS:.*]] = arith.mulf %[[GF]], %[[SB]]
// CHECK: %[[DB:.*]] = prec_train.broadcast %[[DECAY]]
// CHECK: %[[PD:.*]] = arith.mulf %[[P]], %[[DB]]
// CHECK: %[[CH:.*]] = arith.subf %[[GS]], %[[M]]
// CHECK: %[[SMALLB:.*]] = prec_train.broadcast %[[SMALL]]
// CHECK: %[[NEARER:.*]] = arith.select %[[SMALLB]], %[[M]], %[[GS]]
// CHECK: %[[W1B:.*]] = prec_train.broadcast %[[W1S]]
// CHECK: %[[M2:.*]] = math.fma %[[W1B]], %[[CH]], %[[NEARER]]
// CHECK: %[[B2B:.*]] = prec_train.broadcast %[[B2]]
// CHECK: %[[VB:.*]] = arith.mulf %[[V]], %[[B2B]]
// CHECK: %[[W2B:.*]] = prec_train.broadcast %[[W2]]
// CHECK: %[[GW:.*]] = arith.mulf %[[W2B]], %[[GS]]
// CHECK: %[[V2:.*]] = math.fma %[[GW]], %[[GS]], %[[VB]]
// CHECK: %[[SQ:.*]] = math.sqrt %[[V2]]
// CHECK: %[[R2B:.*]] = prec_train.broadcast %[[ROOT2]]
// CHECK: %[[CORR:.*]] = arith.divf %[[SQ]], %[[R2B]]
// CHECK: %[[EB:.*]] = prec_train.broadcast %[[EPS]]
// CHECK: %[[DEN:.*]] = arith.addf %[[CORR]], %[[EB]]
// CHECK: %[[NB:.*]] = prec_train.broadcast %[[NSTEP]]
// CHECK: %[[NM:.*]] = arith.mulf %[[NB]], %[[M2]]
// CHECK: %[[UP:.*]] = arith.divf %[[NM]], %[[DEN]]
// CHECK: %[[P2:.*]] = arith.addf %[[PD]], %[[UP]]
// CHECK-NOT: math.powf
// CHECK: return %[[P2]], %[[M2]], %[[V2]]
func.func @adamw(%p: tensor<8xf32>, %g: tensor<8xbf16>, %m: tensor<8xf32>, %v: tensor<8xf32>, %lr: tensor<f32>, %b1: tensor<f32>, %b2: tensor<f32>, %eps: tensor<f32>, %wd: tensor<f32>, %t: tensor<f32>, %s: tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0:3 = prec_train.adamw %p, %g, %m, %v, %lr, %b1, %b2, %eps, %wd, %t, %s : (tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %1:3 = prec_train.adamw %0#0, %g, %0#1, %0#2, %lr, %b1, %b2, %eps, %wd, %t, %s : (tensor<8xf32>, tensor<8xbf16>, tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %0#0, %0#1, %0#2, %1#0 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// A guard reads the sums of squares that the norm is made of, and a loss as it is,
// whose square may overflow.
// CHECK-LABEL: func @guarded
// CHECK-SAME: (%[[L:.*]]: tensor<f32>, %[[X:.*]]: tensor<8xf32>)
// CHECK: %[[SQ:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK: %[[S:.*]] = prec_train.reduce sum %[[SQ]] dims [0]
// CHECK: math.sqrt %[[S]]
// CHECK: %[[SL:.*]] = math.absf %[[L]]
// CHECK-NOT: reduce sum
// CHECK: %[[EL:.*]] = tensor.expand_shape %[[SL]]
// CHECK: %[[ES:.*]] = tensor.expand_shape %[[S]]
// CHECK: %[[ALL:.*]] = tensor.concat dim(0) %[[EL]], %[[ES]] : (tensor<1xf32>, tensor<1xf32>) -> tensor<2xf32>
// CHECK: %[[F:.*]] = arith.cmpf olt, %[[ALL]], %{{.*}} : tensor<2xf32>
// CHECK: %[[I:.*]] = prec_train.iota dim 0 : tensor<2xf32>
// CHECK: %[[B:.*]] = arith.select %[[F]], %{{.*}}, %[[I]] : tensor<2xi1>, tensor<2xf32>
// CHECK: %[[FIRST:.*]] = prec_train.reduce min %[[B]] dims [0]
// CHECK: %[[OK:.*]] = arith.cmpf oeq, %[[FIRST]], %{{.*}} : tensor<f32>
// CHECK: return %{{.*}}, %[[OK]], %[[FIRST]]
func.func @guarded(%l: tensor<f32>, %x: tensor<8xf32>) -> (tensor<f32>, tensor<i1>, tensor<f32>) {
  %n = prec_train.global_norm %x : (tensor<8xf32>) -> tensor<f32>
  %f, %i = prec.finite_guard %l, %x of ["loss", "gradient of x"] : tensor<f32>, tensor<8xf32>
  return %n, %f, %i : tensor<f32>, tensor<i1>, tensor<f32>
}

// A gradient that nobody squares is finite where its square is not. A maximum
// skips NaN, so what is not finite counts as infinity.
// CHECK-LABEL: func @not_squared
// CHECK-SAME: %[[P:[^:]*]]: tensor<8xf32>, %[[G:[^:]*]]: tensor<8xf32>
// CHECK-NOT: arith.mulf %[[G]], %[[G]]
// CHECK: %[[ABS:.*]] = math.absf %[[G]]
// CHECK: %[[FINITE:.*]] = arith.cmpf olt, %[[ABS]], %{{.*}} : tensor<8xf32>
// CHECK: %[[MARK:.*]] = arith.select %[[FINITE]]
// CHECK: prec_train.reduce max %[[MARK]] dims [0]
func.func @not_squared(%p: tensor<8xf32>, %g: tensor<8xf32>, %s: tensor<f32>) -> (tensor<8xf32>, tensor<f32>) {
  %f, %i = prec.finite_guard %g of ["gradient of p"] : tensor<8xf32>
  %0 = prec_train.sgd %p, %g, %s, %s, %s, %s, %f : (tensor<8xf32>, tensor<8xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> tensor<8xf32>
  return %0, %i : tensor<8xf32>, tensor<f32>
}

// A gradient of one element is squared as others are: its norm must not be infinite.
// CHECK-LABEL: func @scalar_gradient
// CHECK-SAME: (%[[L:.*]]: tensor<f32>, %[[X:.*]]: tensor<bf16>)
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK: arith.mulf %[[WIDE]], %[[WIDE]]
// CHECK: math.absf %[[L]]
// CHECK-NOT: math.absf
func.func @scalar_gradient(%l: tensor<f32>, %x: tensor<bf16>) -> (tensor<f32>, tensor<i1>, tensor<f32>) {
  %w = arith.extf %x : tensor<bf16> to tensor<f32>
  %n = prec_train.global_norm %w : (tensor<f32>) -> tensor<f32>
  %f, %i = prec.finite_guard %l, %w of ["loss", "gradient of x"] : tensor<f32>, tensor<f32>
  return %n, %f, %i : tensor<f32>, tensor<i1>, tensor<f32>
}

// Squares are summed as they lie, and rows of few elements make longer ones.
// CHECK-LABEL: func @as_it_lies
// CHECK-SAME: (%[[A:.*]]: tensor<64x3x3x64xf32>, %[[B:.*]]: tensor<64x7x7x3xf32>)
// CHECK: arith.mulf %[[A]], %[[A]]
// CHECK: prec_train.reduce sum %{{.*}} dims [3] : (tensor<64x3x3x64xf32>)
// CHECK: prec_train.reduce sum %{{.*}} dims [1] : (tensor<32x294xf32>)
func.func @as_it_lies(%a: tensor<64x3x3x64xf32>, %b: tensor<64x7x7x3xf32>) -> tensor<f32> {
  %t = prec_train.transpose %a permutation [0, 3, 1, 2] : (tensor<64x3x3x64xf32>) -> tensor<64x64x3x3xf32>
  %n = prec_train.global_norm %t, %b : (tensor<64x64x3x3xf32>, tensor<64x7x7x3xf32>) -> tensor<f32>
  return %n : tensor<f32>
}
