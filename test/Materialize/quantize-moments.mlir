// RUN: prec-opt %s --prec-quantize-moments --split-input-file --verify-diagnostics | FileCheck %s

// The attribute is gone; codes take the moments' places and say what they stand for,
// magnitudes come last.
module attributes {prec.moments = #prec.moments<dynamic8>} {
// CHECK: module {
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[W:[^:]*]]: tensor<64x64xf32>
// CHECK-SAME: %[[M:[^:]*]]: tensor<64x64xi8> {prec_train.codes = dense<{{.*}}> : tensor<256xf32>, prec_train.param_of = "w", prec_train.path = "w.exp_avg_codes", prec_train.role = #prec_train.role<optimizer_state>, prec_train.slot = "exp_avg_codes"}
// CHECK-SAME: %[[V:[^:]*]]: tensor<64x64xi8> {prec_train.codes = dense<{{.*}}> : tensor<256xf32>, prec_train.param_of = "w", prec_train.path = "w.exp_avg_sq_codes",
// CHECK-SAME: %[[G:[^:]*]]: tensor<64x64xf32>
// CHECK-SAME: %[[MA:[^:]*]]: tensor<16xf32> {prec_train.param_of = "w", prec_train.path = "w.exp_avg_absmax", prec_train.role = #prec_train.role<optimizer_state>, prec_train.slot = "exp_avg_absmax"}
// CHECK-SAME: %[[VA:[^:]*]]: tensor<16xf32> {prec_train.param_of = "w", prec_train.path = "w.exp_avg_sq_absmax",
// CHECK-SAME: tensor<64x64xi8> {prec_train.donated_to = 1 : i64, prec_train.path = "w.exp_avg_codes", prec_train.role = #prec_train.role<updated>}
// CHECK-SAME: tensor<16xf32> {prec_train.donated_to = 5 : i64, prec_train.path = "w.exp_avg_absmax",
// CHECK-SAME: tensor<16xf32> {prec_train.donated_to = 6 : i64, prec_train.path = "w.exp_avg_sq_absmax",
// CHECK-DAG: %[[FIRST:.*]] = prec.dynamic_dequantize %[[M]], %[[MA]] signed
// CHECK-DAG: %[[SECOND:.*]] = prec.dynamic_dequantize %[[V]], %[[VA]] {prec_train.phase = #prec_train.phase<optimizer>} :
// CHECK: %[[P:.*]], %[[P1:.*]], %[[P2:.*]] = prec_train.adamw %[[W]], %[[G]], %[[FIRST]], %[[SECOND]],
// CHECK-DAG: %[[MC:.*]], %[[MB:.*]] = prec.dynamic_quantize %[[P1]] signed
// CHECK-DAG: %[[VC:.*]], %[[VB:.*]] = prec.dynamic_quantize %[[P2]] {prec_train.phase = #prec_train.phase<optimizer>} :
// CHECK: return %[[P]], %[[MC]], %[[VC]], %[[MB]], %[[VB]]
func.func @step(%w: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %m: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg", prec_train.param_of = "w", prec_train.slot = "exp_avg"}, %v: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg_sq", prec_train.param_of = "w", prec_train.slot = "exp_avg_sq"},
                %g: tensor<64x64xf32>, %s: tensor<f32>)
    -> (tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64},
        tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w.exp_avg", prec_train.donated_to = 1 : i64},
        tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w.exp_avg_sq", prec_train.donated_to = 2 : i64}) attributes {prec.entry = "step"} {
  %p:3 = prec_train.adamw %w, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
  return %p#0, %p#1, %p#2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
}

// -----

// A step that the guard skips keeps codes and magnitudes.
module attributes {prec.moments = #prec.moments<dynamic8>} {
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[B:[^:]*]]: tensor<4096xi8>
// CHECK-SAME: %[[OK:[^:]*]]: tensor<i1>
// CHECK-SAME: %[[BA:[^:]*]]: tensor<16xf32>
// CHECK: %[[C:.*]], %[[A:.*]] = prec.dynamic_quantize
// CHECK-DAG: %[[ALL:.*]] = prec_train.broadcast %[[OK]] dims [] {{.*}} -> tensor<4096xi1>
// CHECK-DAG: %[[NEW:.*]] = arith.select %[[ALL]], %[[C]], %[[B]]
// CHECK-DAG: %[[BLOCKS:.*]] = prec_train.broadcast %[[OK]] dims [] {{.*}} -> tensor<16xi1>
// CHECK-DAG: %[[LARGEST:.*]] = arith.select %[[BLOCKS]], %[[A]], %[[BA]]
// CHECK: return %{{.*}}, %[[NEW]], %[[LARGEST]]
func.func @step(%w: tensor<4096xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %b: tensor<4096xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg", prec_train.param_of = "w", prec_train.slot = "exp_avg"},
                %s: tensor<f32>, %ok: tensor<i1>)
    -> (tensor<4096xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
        tensor<4096xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %p:2 = prec_train.lion %w, %w, %b, %s, %s, %s, %s, %s, %s, %ok : (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<i1>) -> (tensor<4096xf32>, tensor<4096xf32>)
  return %p#0, %p#1 : tensor<4096xf32>, tensor<4096xf32>
}
}

// -----

// Small ones stay, and those that blocks do not divide, of which the first is
// reported.
module attributes {prec.moments = #prec.moments<dynamic8>} {
// CHECK-LABEL: func.func @step(
// CHECK-NOT: i8
// CHECK-NOT: prec.dynamic
func.func @step(%w: tensor<4095xf32>, %m: tensor<4095xf32>, %u: tensor<4097xf32>, %n: tensor<4097xf32>, %s: tensor<f32>)
    -> (tensor<4095xf32>, tensor<4095xf32>, tensor<4097xf32>, tensor<4097xf32>, tensor<4097xf32>, tensor<4097xf32>) attributes {prec.entry = "step"} {
  %p:2 = prec_train.lion %w, %w, %m, %s, %s, %s, %s, %s, %s : (tensor<4095xf32>, tensor<4095xf32>, tensor<4095xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4095xf32>, tensor<4095xf32>)
  // expected-remark @+1 {{moments are coded in blocks of 256 elements: those of 'tensor<4097xf32>', and of other parameters that have no whole number of blocks, stay f32}}
  %q:2 = prec_train.lion %u, %u, %n, %s, %s, %s, %s, %s, %s : (tensor<4097xf32>, tensor<4097xf32>, tensor<4097xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4097xf32>, tensor<4097xf32>)
  %r:2 = prec_train.lion %u, %u, %n, %s, %s, %s, %s, %s, %s : (tensor<4097xf32>, tensor<4097xf32>, tensor<4097xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<4097xf32>, tensor<4097xf32>)
  return %p#0, %p#1, %q#0, %q#1, %r#0, %r#1 : tensor<4095xf32>, tensor<4095xf32>, tensor<4097xf32>, tensor<4097xf32>, tensor<4097xf32>, tensor<4097xf32>
}
}

// -----

// f32 moments stay.
module attributes {prec.moments = #prec.moments<f32>} {
// CHECK: module {
// CHECK-NOT: prec.dynamic
func.func @step(%w: tensor<64x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
                %m: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg", prec_train.param_of = "w", prec_train.slot = "exp_avg"}, %v: tensor<64x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "w.exp_avg_sq", prec_train.param_of = "w", prec_train.slot = "exp_avg_sq"},
                %g: tensor<64x64xf32>, %s: tensor<f32>)
    -> (tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64},
        tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w.exp_avg", prec_train.donated_to = 1 : i64},
        tensor<64x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w.exp_avg_sq", prec_train.donated_to = 2 : i64}) attributes {prec.entry = "step"} {
  %p:3 = prec_train.adamw %w, %g, %m, %v, %s, %s, %s, %s, %s, %s, %s : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>)
  return %p#0, %p#1, %p#2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}
}
