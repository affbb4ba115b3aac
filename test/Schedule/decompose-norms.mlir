// RUN: prec-opt %s --prec-decompose | %primitives | FileCheck %s

// Reads bf16, computes in f32, rounds once at the result; rstd stays f32.
// CHECK-LABEL: func @rms_norm
// CHECK-SAME: (%[[X:.*]]: tensor<2x4x8xbf16>, %[[G:.*]]: tensor<8xf32>)
// CHECK-DAG: %[[N:.*]] = arith.constant dense<8.000000e+00> : tensor<2x4xf32>
// CHECK-DAG: %[[EPS:.*]] = arith.constant dense<9.99999974E-6> : tensor<2x4xf32>
// CHECK: %[[XF:.*]] = arith.extf %[[X]] {prec_train.phase = #prec_train.phase<recompute>, prec_train.seq = 3 : i64} : tensor<2x4x8xbf16> to tensor<2x4x8xf32>
// CHECK: %[[SQ:.*]] = arith.mulf %[[XF]], %[[XF]]
// CHECK: %[[SUM:.*]] = prec_train.reduce sum %[[SQ]] dims [2]
// CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]], %[[N]]
// CHECK: %[[VAR:.*]] = arith.addf %[[MEAN]], %[[EPS]]
// CHECK: %[[RSTD:.*]] = math.rsqrt %[[VAR]] {prec_train.phase = #prec_train.phase<recompute>, prec_train.seq = 3 : i64} : tensor<2x4xf32>
// CHECK: %[[RB:.*]] = prec_train.broadcast %[[RSTD]] dims [0, 1]
// CHECK: %[[NORM:.*]] = arith.mulf %[[XF]], %[[RB]]
// CHECK: %[[GB:.*]] = prec_train.broadcast %[[G]] dims [2]
// CHECK: %[[Y:.*]] = arith.mulf %[[NORM]], %[[GB]]
// CHECK: %[[R:.*]] = arith.truncf %[[Y]] {{.*}} : tensor<2x4x8xf32> to tensor<2x4x8xbf16>
// CHECK-NEXT: return %[[R]], %[[RSTD]]
func.func @rms_norm(%x: tensor<2x4x8xbf16>, %g: tensor<8xf32>) -> (tensor<2x4x8xbf16>, tensor<2x4xf32>) {
  %y, %r = prec_train.rms_norm %x, %g {eps = 1.0e-05 : f32, prec_train.phase = #prec_train.phase<recompute>, prec_train.seq = 3 : i64} : (tensor<2x4x8xbf16>, tensor<8xf32>) -> (tensor<2x4x8xbf16>, tensor<2x4xf32>)
  return %y, %r : tensor<2x4x8xbf16>, tensor<2x4xf32>
}

// CHECK-LABEL: func @rms_norm_grad
// CHECK-SAME: (%[[DY:.*]]: tensor<4x8xbf16>, %[[X:.*]]: tensor<4x8xbf16>, %[[G:.*]]: tensor<8xf32>, %[[R:.*]]: tensor<4xf32>)
// CHECK: %[[DYF:.*]] = arith.extf %[[DY]]
// CHECK: %[[XF:.*]] = arith.extf %[[X]]
// CHECK: %[[GB:.*]] = prec_train.broadcast %[[G]] dims [1]
// CHECK: %[[RB:.*]] = prec_train.broadcast %[[R]] dims [0]
// CHECK: %[[H:.*]] = arith.mulf %[[DYF]], %[[GB]]
// CHECK: %[[NORM:.*]] = arith.mulf %[[XF]], %[[RB]]
// CHECK: %[[HN:.*]] = arith.mulf %[[H]], %[[NORM]]
// CHECK: %[[SUM:.*]] = prec_train.reduce sum %[[HN]] dims [1]
// CHECK: %[[MEAN:.*]] = arith.divf %[[SUM]]
// CHECK: %[[MB:.*]] = prec_train.broadcast %[[MEAN]] dims [0]
// CHECK: %[[NM:.*]] = arith.mulf %[[NORM]], %[[MB]]
// CHECK: %[[D:.*]] = arith.subf %[[H]], %[[NM]]
// CHECK: %[[DX:.*]] = arith.mulf %[[RB]], %[[D]]
// CHECK: %[[GN:.*]] = arith.mulf %[[DYF]], %[[NORM]]
// CHECK: %[[DG:.*]] = prec_train.reduce sum %[[GN]] dims [0]
// CHECK-DAG: arith.truncf %[[DX]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK-DAG: arith.truncf %[[DG]] : tensor<8xf32> to tensor<8xbf16>
// CHECK-NOT: arith.truncf
func.func @rms_norm_grad(%dy: tensor<4x8xbf16>, %x: tensor<4x8xbf16>, %g: tensor<8xf32>, %r: tensor<4xf32>) -> (tensor<4x8xbf16>, tensor<8xbf16>) {
  %dx, %dg = prec_train.rms_norm_grad %dy, %x, %g, %r : (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xbf16>, tensor<8xbf16>)
  return %dx, %dg : tensor<4x8xbf16>, tensor<8xbf16>
}

// Gradients of gamma and beta sum over all leading dimensions.
// CHECK-LABEL: func @layer_norm_rank_3
// CHECK-COUNT-2: prec_train.reduce sum %{{.*}} dims [2] : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
// CHECK-COUNT-2: prec_train.reduce sum %{{.*}} dims [2] : (tensor<2x4x8xf32>) -> tensor<2x4xf32>
// CHECK-COUNT-2: prec_train.reduce sum %{{.*}} dims [0, 1] : (tensor<2x4x8xf32>) -> tensor<8xf32>
// CHECK-NOT: prec_train.layer_norm
func.func @layer_norm_rank_3(%x: tensor<2x4x8xf32>, %g: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %y, %m, %r = prec_train.layer_norm %x, %g, %b {eps = 1.0e-05 : f32} : (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %dx, %dg, %db = prec_train.layer_norm_grad %y, %x, %g, %m, %r : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> (tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return %dx, %dg, %db : tensor<2x4x8xf32>, tensor<8xf32>, tensor<8xf32>
}
