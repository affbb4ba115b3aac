// RUN: prec-opt %s --prec-split-weights --split-input-file --verify-diagnostics | FileCheck %s

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#param = #prec_train.role<parameter>
#updated = #prec_train.role<updated>

// Two weights that are read joined in fp8 have copies in common, with one scale
// of the largest amax. In bf16 each has its own.

// CHECK-LABEL: func.func @init
// CHECK-SAME: (%[[Q:.*]]: tensor<8x16xf32> {prec_train.path = "a.q.weight", {{.*}}}, %[[K:.*]]: tensor<4x16xf32> {prec_train.path = "a.k.weight"
// CHECK-SAME: tensor<12x16xf8E4M3FN> {prec_train.param_of = "a.q.weight", prec_train.path = "a.q+k.weight", {{.*}}prec_train.slot = "e4m3", prec_train.tensors = ["a.q.weight", "a.k.weight"]}
// CHECK-SAME: tensor<16x12xf8E4M3FN> {{.*}}prec_train.slot = "e4m3_t"
// CHECK-SAME: tensor<f32> {{.*}}prec_train.slot = "e4m3_scale"
// CHECK: %[[AQ:.*]] = prec.amax %[[Q]]
// CHECK: %[[AK:.*]] = prec.amax %[[K]]
// CHECK: %[[A:.*]] = arith.maxnumf %[[AQ]], %[[AK]]
// CHECK: %[[S:.*]], %[[F:.*]] = prec.update_scale %[[A]] for e4m3
// CHECK: %[[W:.*]] = tensor.concat dim(0) %[[Q]], %[[K]]
// CHECK: %[[D:.*]] = prec.quantize %[[W]], %[[S]]
// CHECK: %[[T:.*]] = prec_train.transpose %[[D]]
// CHECK: return %[[D]], %[[T]], %[[F]]

// CHECK-LABEL: func.func @step
// CHECK: prec_train.matmul %{{.*}}, %arg{{[0-9]+}} {{.*}}transpose_b} : (tensor<4x16xf32>, tensor<12x16xf8E4M3FN>)
// CHECK: prec_train.matmul %{{.*}}, %arg{{[0-9]+}} {{.*}}transpose_b} : (tensor<4x12xf32>, tensor<16x12xf8E4M3FN>)
// CHECK: %[[NQ:.*]] = arith.addf
// CHECK: %[[NK:.*]] = arith.addf
// CHECK: tensor.concat dim(0) %[[NQ]], %[[NK]]
func.func @step(%q: tensor<8x16xf32> {prec_train.role = #param, prec_train.path = "a.q.weight"},
                %k: tensor<4x16xf32> {prec_train.role = #param, prec_train.path = "a.k.weight"},
                %x: tensor<4x16xf32>, %dy: tensor<4x12xf32>, %uq: tensor<8x16xf32>, %uk: tensor<4x16xf32>)
    -> (tensor<4x12xf32>, tensor<4x16xf32>, tensor<8x16xf32> {prec_train.role = #updated, prec_train.donated_to = 0 : i64},
        tensor<4x16xf32> {prec_train.role = #updated, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %w = tensor.concat dim(0) %q, %k : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<12x16xf32>
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<4x16xf32>, tensor<12x16xf32>) -> tensor<4x12xf32>
  %w2 = tensor.concat dim(0) %q, %k : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<12x16xf32>
  %dx = prec_train.matmul %dy, %w2 {operand_tags = [#e4m3, #e4m3], prec_train.phase = #prec_train.phase<backward>} : (tensor<4x12xf32>, tensor<12x16xf32>) -> tensor<4x16xf32>
  %nq = arith.addf %q, %uq {prec_train.phase = #prec_train.phase<optimizer>} : tensor<8x16xf32>
  %nk = arith.addf %k, %uk {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4x16xf32>
  return %y, %dx, %nq, %nk : tensor<4x12xf32>, tensor<4x16xf32>, tensor<8x16xf32>, tensor<4x16xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#param = #prec_train.role<parameter>

func.func @step(%q: tensor<8x16xf32> {prec_train.role = #param, prec_train.path = "q"}, %k: tensor<4x16xf32> {prec_train.role = #param},
                %x: tensor<4x16xf32>) -> tensor<4x12xf32> attributes {prec.entry = "step"} {
  // split_weights_c9
  // expected-error @+1 {{joined parameters must have a prec_train.path, but argument 1 has none}}
  %w = tensor.concat dim(0) %q, %k : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<12x16xf32>
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<4x16xf32>, tensor<12x16xf32>) -> tensor<4x12xf32>
  return %y : tensor<4x12xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#param = #prec_train.role<parameter>
#updated = #prec_train.role<updated>

// split_weights_c10
// expected-error @+1 {{all or none of joined parameters must be updated, but got 1 of "q+k"}}
func.func @step(%q: tensor<8x16xf32> {prec_train.role = #param, prec_train.path = "q"}, %k: tensor<4x16xf32> {prec_train.role = #param, prec_train.path = "k"},
                %x: tensor<4x16xf32>, %u: tensor<8x16xf32>)
    -> (tensor<4x12xf32>, tensor<8x16xf32> {prec_train.role = #updated, prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %w = tensor.concat dim(0) %q, %k : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<12x16xf32>
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<4x16xf32>, tensor<12x16xf32>) -> tensor<4x12xf32>
  %n = arith.addf %q, %u {prec_train.phase = #prec_train.phase<optimizer>} : tensor<8x16xf32>
  return %y, %n : tensor<4x12xf32>, tensor<8x16xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_delayed, accumulator = fast, rule = "r">
#param = #prec_train.role<parameter>
#updated = #prec_train.role<updated>

// A scale of earlier amaxes is there before: each weight is quantized where it
// is updated.

// CHECK-LABEL: func.func @step
// CHECK: %[[NQ:.*]] = arith.addf
// CHECK: %[[NK:.*]] = arith.addf
// CHECK: prec.delayed_scale
// CHECK: %[[DQ:.*]] = prec.quantize %[[NQ]], %[[S:.*]] {{.*}}: tensor<8x16xf32> to tensor<8x16xf8E4M3FN>
// CHECK: %[[DK:.*]] = prec.quantize %[[NK]], %[[S]] {{.*}}: tensor<4x16xf32> to tensor<4x16xf8E4M3FN>
// CHECK: tensor.concat dim(0) %[[DQ]], %[[DK]]
func.func @step(%q: tensor<8x16xf32> {prec_train.role = #param, prec_train.path = "q"}, %k: tensor<4x16xf32> {prec_train.role = #param, prec_train.path = "k"},
                %x: tensor<4x16xf32>, %uq: tensor<8x16xf32>, %uk: tensor<4x16xf32>)
    -> (tensor<4x12xf32>, tensor<8x16xf32> {prec_train.role = #updated, prec_train.donated_to = 0 : i64},
        tensor<4x16xf32> {prec_train.role = #updated, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %w = tensor.concat dim(0) %q, %k : (tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<12x16xf32>
  %y = prec_train.matmul %x, %w {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<4x16xf32>, tensor<12x16xf32>) -> tensor<4x12xf32>
  %nq = arith.addf %q, %uq {prec_train.phase = #prec_train.phase<optimizer>} : tensor<8x16xf32>
  %nk = arith.addf %k, %uk {prec_train.phase = #prec_train.phase<optimizer>} : tensor<4x16xf32>
  return %y, %nq, %nk : tensor<4x12xf32>, tensor<8x16xf32>, tensor<4x16xf32>
}
