// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=cpu" --split-input-file --verify-diagnostics -o /dev/null

// Structure tells that a weight is updated, but not which argument is what.

// expected-warning @+2 {{a step that trains must say so, but argument 0 looks updated and no argument has a 'prec_train.role': masters, moments and gradients are decided as a forward's activations}}
// expected-remark @+1 0+ {{}}
func.func @step(%w: tensor<32x64xf32>, %x: tensor<16x32xf32>, %dy: tensor<16x64xf32>) -> (tensor<16x64xf32>, tensor<32x64xf32>) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %g = prec_train.matmul %x, %dy {transpose_a} : (tensor<16x32xf32>, tensor<16x64xf32>) -> tensor<32x64xf32>
  %n = arith.subf %w, %g : tensor<32x64xf32>
  return %y, %n : tensor<16x64xf32>, tensor<32x64xf32>
}

// -----

// A residual block returns the shape that it read, but a product reads that on
// the left.

func.func @block(%w: tensor<32x32xf32>, %x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %y = prec_train.matmul %x, %w : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
  %n = arith.addf %x, %y : tensor<16x32xf32>
  return %n : tensor<16x32xf32>
}

// -----

func.func @step(%w: tensor<32x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %x: tensor<16x32xf32>, %dy: tensor<16x64xf32>)
    -> (tensor<16x64xf32>, tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %y = prec_train.matmul %x, %w : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %g = prec_train.matmul %x, %dy {transpose_a} : (tensor<16x32xf32>, tensor<16x64xf32>) -> tensor<32x64xf32>
  %n = arith.subf %w, %g : tensor<32x64xf32>
  return %y, %n : tensor<16x64xf32>, tensor<32x64xf32>
}
