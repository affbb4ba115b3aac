// RUN: prec-opt %s --prec-check-indices --split-input-file --verify-diagnostics

// check_indices_c1
// expected-error @+1 {{a buffer of indices must hold rows of its table, 0 to 7, but argument 1 holds 9}}
func.func @step(%table: tensor<8x6xf32>,
                %places: tensor<4xi32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "places", prec_train.initial = dense<[0, 9, 2, 3]> : tensor<4xi32>})
    -> tensor<4x6xf32> attributes {prec.entry = "step"} {
  %rows = prec_train.gather %table, %places : (tensor<8x6xf32>, tensor<4xi32>) -> tensor<4x6xf32>
  return %rows : tensor<4x6xf32>
}
