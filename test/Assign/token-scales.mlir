// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=cpu expert-scales=shared" --split-input-file 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: prec-opt %s --assign-precision="recipe=fp8-hybrid target=cpu" --split-input-file 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: prec-opt %s --assign-precision="recipe=fp8-rowwise target=cpu" --split-input-file 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: prec-opt %s --assign-precision="recipe=bf16 target=cpu expert-scales=shared" --split-input-file 2>&1 | FileCheck %s --check-prefix=IDLE

// Tokens are quantized before rows of them are looked up where one scale is of all, or where scales are of rows and
// ranks send each other tokens.

// SHARED: remark: tokens for experts of other ranks are sent in e4m3 for 1 lookups: one scale of all tokens (expert-scales=shared)
// SHARED: warning: expert-scales=shared must find tokens that products of experts alone read in FP8 by scales of tensors, but there are none
// SHARED: remark: tokens for experts of other ranks are sent in f32 for 1 lookups: rows are read by 'arith.addf', too
// SHARED: remark: tokens for experts of other ranks are sent in e4m3 for 1 lookups
// SHARED-LABEL: func.func @sent(
// SHARED: prec_train.gather {{.*}} {prec.quantized_tokens
// SHARED: prec_train.grouped_matmul {{.*}}tokens are quantized before they are looked up: one scale of all tokens (expert-scales=shared)
// OWN: remark: tokens for experts of other ranks are sent in f32 for 1 lookups: each expert has a scale of its rows (expert-scales=shared: one of all tokens)
// OWN-NOT: quantized_tokens
// ROWS: remark: tokens for experts of other ranks are sent in e4m3 for 1 lookups: a scale is of a token's own row
// ROWS: remark: tokens for experts of other ranks are sent in f32 for 1 lookups: gradients of matrices have scales of blocks of an expert's rows
// ROWS-LABEL: func.func @sent(
// ROWS: prec_train.gather {{.*}} {prec.quantized_tokens
// ROWS: a scale is of a token's own row
// IDLE: warning: expert-scales=shared must find tokens that products of experts alone read in FP8 by scales of tensors, but there are none
// IDLE-NOT: quantized_tokens
module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @sent(%x: tensor<8x32xf32>, %ids: tensor<32xi32>, %w: tensor<2x48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %e: tensor<2xi32>) -> tensor<32x48xf32> {
  %all = prec_train.exchange all_gather %x over "ep" : (tensor<8x32xf32>) -> tensor<2x8x32xf32>
  %tokens = tensor.collapse_shape %all [[0, 1], [2]] : tensor<2x8x32xf32> into tensor<16x32xf32>
  %rows = prec_train.gather %tokens, %ids : (tensor<16x32xf32>, tensor<32xi32>) -> tensor<32x32xf32>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b} : (tensor<32x32xf32>, tensor<2x48x32xf32>, tensor<2xi32>) -> tensor<32x48xf32>
  return %y : tensor<32x48xf32>
}
}

// -----

// Rows of one rank, and a gradient that contracts over them.

// SHARED-LABEL: func.func @own(
// SHARED: prec_train.gather {{.*}} {prec.quantized_tokens
// ROWS-LABEL: func.func @own(
// ROWS-NOT: quantized_tokens
func.func @own(%x: tensor<16x32xf32>, %dy: tensor<32x48xf32>, %ids: tensor<32xi32>, %w: tensor<2x48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %e: tensor<2xi32>) -> (tensor<32x48xf32>, tensor<2x48x32xf32>) {
  %rows = prec_train.gather %x, %ids : (tensor<16x32xf32>, tensor<32xi32>) -> tensor<32x32xf32>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b} : (tensor<32x32xf32>, tensor<2x48x32xf32>, tensor<2xi32>) -> tensor<32x48xf32>
  %dw = prec_train.grouped_matmul_grad %dy, %rows, %e {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x48xf32>, tensor<32x32xf32>, tensor<2xi32>) -> tensor<2x48x32xf32>
  return %y, %dw : tensor<32x48xf32>, tensor<2x48x32xf32>
}

// -----

// SHARED-LABEL: func.func @two_readers(
// SHARED-NOT: quantized_tokens
module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @two_readers(%x: tensor<8x32xf32>, %ids: tensor<32xi32>, %w: tensor<2x48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %e: tensor<2xi32>) -> (tensor<32x48xf32>, tensor<32x32xf32>) {
  %all = prec_train.exchange all_gather %x over "ep" : (tensor<8x32xf32>) -> tensor<2x8x32xf32>
  %tokens = tensor.collapse_shape %all [[0, 1], [2]] : tensor<2x8x32xf32> into tensor<16x32xf32>
  %rows = prec_train.gather %tokens, %ids : (tensor<16x32xf32>, tensor<32xi32>) -> tensor<32x32xf32>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b} : (tensor<32x32xf32>, tensor<2x48x32xf32>, tensor<2xi32>) -> tensor<32x48xf32>
  %twice = arith.addf %rows, %rows : tensor<32x32xf32>
  return %y, %twice : tensor<32x48xf32>, tensor<32x32xf32>
}
}

// -----

// The gradient of matrices reads the same bytes.

// SHARED-LABEL: func.func @gradients(
// SHARED: prec_train.gather {{.*}} {prec.quantized_tokens
// SHARED: prec_train.grouped_matmul_grad {{.*}}tokens are quantized before they are looked up
module attributes {prec_train.mesh = {ep = 2 : i64}} {
func.func @gradients(%x: tensor<8x32xf32>, %dy: tensor<32x48xf32>, %ids: tensor<32xi32>, %w: tensor<2x48x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}, %e: tensor<2xi32>) -> (tensor<32x48xf32>, tensor<2x48x32xf32>) {
  %all = prec_train.exchange all_gather %x over "ep" : (tensor<8x32xf32>) -> tensor<2x8x32xf32>
  %tokens = tensor.collapse_shape %all [[0, 1], [2]] : tensor<2x8x32xf32> into tensor<16x32xf32>
  %rows = prec_train.gather %tokens, %ids : (tensor<16x32xf32>, tensor<32xi32>) -> tensor<32x32xf32>
  %y = prec_train.grouped_matmul %rows, %w, %e {transpose_b} : (tensor<32x32xf32>, tensor<2x48x32xf32>, tensor<2xi32>) -> tensor<32x48xf32>
  %dw = prec_train.grouped_matmul_grad %dy, %rows, %e {prec_train.phase = #prec_train.phase<backward>} : (tensor<32x48xf32>, tensor<32x32xf32>, tensor<2xi32>) -> tensor<2x48x32xf32>
  return %y, %dw : tensor<32x48xf32>, tensor<2x48x32xf32>
}
}
