// RUN: prec-opt %s --split-weights --split-input-file --verify-diagnostics
// RUN: prec-opt %s --insert-casts --split-input-file --verify-diagnostics

// What assignment knows and no later phase computes yet is an error, never a
// fallback.

#e2m1 = #prec.tag<e2m1, scaling = nvfp4_1x16, rule = "r">

func.func @step(%x: tensor<32x64xf32>, %w: tensor<64x32xf32>) -> tensor<32x32xf32> {
  // materialize_c1
  // expected-error @+1 {{e2m1 is not materialized yet, but got #prec.tag<e2m1, scaling = nvfp4_1x16, rule = "r">}}
  %y = train.matmul %x, %w {operand_tags = [#e2m1, #e2m1]} : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}

// -----

#mx = #prec.tag<e4m3, scaling = mx_1x32, rule = "r">

func.func @step(%x: tensor<32x64xf32>, %w: tensor<64x32xf32>) -> tensor<32x32xf32> {
  // materialize_c2
  // expected-error @+1 {{mx_1x32 scaling is not materialized yet}}
  %y = train.matmul %x, %w {operand_tags = [#mx, #mx]} : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
  return %y : tensor<32x32xf32>
}

// -----

// materialize_c3
// expected-error @+1 {{a moment narrower than f32 (argument 0) is not materialized yet, but got #prec.tag<bf16, rule = "r">}}
func.func @step(%w: tensor<64x32xf32> {train.role = #train.role<optimizer_state>, train.path = "w", prec.tag = #prec.tag<bf16, rule = "r">}) {
  return
}
