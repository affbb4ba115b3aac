// RUN: prec-opt %s --prec-merge-contractions --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-merge-contractions="explain=true" --split-input-file --verify-diagnostics -o /dev/null
// RUN: prec-opt %s --prec-merge-contractions="columns=false" --split-input-file | FileCheck %s --check-prefix=ROWS

#bf16 = #prec.tag<bf16, rule = "r">
#f32 = #prec.tag<f32, rule = "r">
#back = #prec_train.phase<backward>
#param = #prec_train.role<parameter>

// Two layers of one input, with biases: both directions of the backward follow,
// and the sum of two gradients, with a third term, has one term less.

// CHECK-LABEL: func.func @step
func.func @step(%x: tensor<2x2x128xf32>,
                %q: tensor<8x128xf32> {prec_train.role = #param, prec_train.path = "a.q.weight"},
                %k: tensor<4x128xf32> {prec_train.role = #param, prec_train.path = "a.k.weight"},
                %dq: tensor<4x8xf32>, %dk: tensor<4x4xf32>, %d: tensor<2x2x128xf32>, %b: tensor<4x4xf32>)
    -> (tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x128xf32>, tensor<4x128xf32>, tensor<2x2x128xf32>) attributes {prec.entry = "step"} {
  // CHECK: %[[DY:.*]] = tensor.concat dim(1) %arg3, %arg4 {prec_train.phase = #prec_train.phase<backward>}
  // CHECK: %[[X0:.*]] = tensor.collapse_shape %arg0
  // CHECK: %[[W:.*]] = tensor.concat dim(0) %arg1, %arg2 {prec.result_tags = [#prec.tag<bf16, rule = "r">]}
  // CHECK-SAME: -> tensor<12x128xf32>
  // CHECK: %[[Y:.*]] = prec_train.matmul %[[X0]], %[[W]] {operand_tags = [#prec.tag<bf16, rule = "r">, #prec.tag<bf16, rule = "r">], result_tags = [#prec.tag<bf16, rule = "r">], transpose_b} : (tensor<4x128xf32>, tensor<12x128xf32>) -> tensor<4x12xf32>
  // CHECK: tensor.extract_slice %[[Y]][0, 0] [4, 8] [1, 1] {prec.result_tags = [#prec.tag<bf16, rule = "r">]}
  // CHECK: tensor.extract_slice %[[Y]][0, 8] [4, 4] [1, 1]
  // CHECK-NOT: prec_train.matmul {{.*}}transpose_b
  %x0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x2x128xf32> into tensor<4x128xf32>
  %yq = prec_train.matmul %x0, %q {transpose_b, operand_tags = [#bf16, #bf16], result_tags = [#bf16]} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32> loc("a.q")
  %x1 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x2x128xf32> into tensor<4x128xf32>
  %yk = prec_train.matmul %x1, %k {transpose_b, operand_tags = [#bf16, #bf16], result_tags = [#bf16]} : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x4xf32> loc("a.k")
  %yb = arith.addf %yk, %b : tensor<4x4xf32>
  // CHECK: %[[DW:.*]] = prec_train.matmul %[[DY]], %[[X0]] {prec_train.phase = #prec_train.phase<backward>, transpose_a}
  // CHECK-SAME: -> tensor<12x128xf32>
  // CHECK: %[[DWQ:.*]] = tensor.extract_slice %[[DW]][0, 0] [8, 128] [1, 1] {prec_train.phase = #prec_train.phase<backward>}
  // CHECK: %[[DWK:.*]] = tensor.extract_slice %[[DW]][8, 0] [4, 128] [1, 1]
  // CHECK: %[[WB:.*]] = tensor.concat dim(0) %arg1, %arg2
  // CHECK: %[[DX:.*]] = prec_train.matmul %[[DY]], %[[WB]] {prec_train.phase = #prec_train.phase<backward>}
  // CHECK: %[[DX3:.*]] = tensor.expand_shape %[[DX]]
  // CHECK: %[[SUM:.*]] = arith.addf %arg5, %[[DX3]]
  // CHECK: return %{{.*}}, %{{.*}}, %[[DWQ]], %[[DWK]], %[[SUM]]
  %dwk = prec_train.matmul %dk, %x1 {transpose_a, prec_train.phase = #back} : (tensor<4x4xf32>, tensor<4x128xf32>) -> tensor<4x128xf32> loc("a.k")
  %dxk = prec_train.matmul %dk, %k {prec_train.phase = #back} : (tensor<4x4xf32>, tensor<4x128xf32>) -> tensor<4x128xf32> loc("a.k")
  %ek = tensor.expand_shape %dxk [[0, 1], [2]] output_shape [2, 2, 128] : tensor<4x128xf32> into tensor<2x2x128xf32>
  %s0 = arith.addf %d, %ek {prec_train.phase = #back} : tensor<2x2x128xf32>
  %dwq = prec_train.matmul %dq, %x0 {transpose_a, prec_train.phase = #back} : (tensor<4x8xf32>, tensor<4x128xf32>) -> tensor<8x128xf32> loc("a.q")
  %dxq = prec_train.matmul %dq, %q {prec_train.phase = #back} : (tensor<4x8xf32>, tensor<8x128xf32>) -> tensor<4x128xf32> loc("a.q")
  %eq = tensor.expand_shape %dxq [[0, 1], [2]] output_shape [2, 2, 128] : tensor<4x128xf32> into tensor<2x2x128xf32>
  %s1 = arith.addf %s0, %eq {prec_train.phase = #back} : tensor<2x2x128xf32>
  return %yq, %yb, %dwq, %dwk, %s1 : tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x128xf32>, tensor<4x128xf32>, tensor<2x2x128xf32>
}

// -----

#bf16 = #prec.tag<bf16, rule = "r">
#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#param = #prec_train.role<parameter>
#frozen = #prec_train.role<frozen_parameter>

// Formats part the layers of one input, and so does what is trained; copies in
// fp8 are joined without a tag.

// CHECK-LABEL: func.func @step
// CHECK-DAG: tensor.concat dim(0) %arg1, %arg3 :
// CHECK-DAG: tensor.concat dim(0) %arg2, %arg4 {prec.result_tags
// CHECK: prec_train.matmul %{{.*}}, %arg5
func.func @step(%x: tensor<4x128xf32>,
                %a: tensor<3x128xf32> {prec_train.role = #param, prec_train.path = "a"},
                %b: tensor<8x128xf32> {prec_train.role = #param, prec_train.path = "b"},
                %c: tensor<3x128xf32> {prec_train.role = #param, prec_train.path = "c"},
                %d: tensor<8x128xf32> {prec_train.role = #param, prec_train.path = "d"},
                %e: tensor<8x128xf32> {prec_train.role = #frozen, prec_train.path = "e"})
    -> (tensor<4x3xf32>, tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x8xf32>, tensor<4x8xf32>) attributes {prec.entry = "step"} {
  %0 = prec_train.matmul %x, %a {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<4x128xf32>, tensor<3x128xf32>) -> tensor<4x3xf32>
  %1 = prec_train.matmul %x, %b {transpose_b, operand_tags = [#bf16, #bf16]} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  %2 = prec_train.matmul %x, %c {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<4x128xf32>, tensor<3x128xf32>) -> tensor<4x3xf32>
  %3 = prec_train.matmul %x, %d {transpose_b, operand_tags = [#bf16, #bf16]} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{not merged with what reads the same value: no other has its formats and its products}}
  %4 = prec_train.matmul %x, %e {transpose_b, operand_tags = [#bf16, #bf16]} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3, %4 : tensor<4x3xf32>, tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#frozen = #prec_train.role<frozen_parameter>

// Copies of frozen weights are made one at a time, and in fp8 a copy would be of
// both.

// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor.concat
func.func @step(%x: tensor<4x128xf32>,
                %a: tensor<8x128xf32> {prec_train.role = #frozen, prec_train.path = "a"},
                %b: tensor<8x128xf32> {prec_train.role = #frozen, prec_train.path = "b"})
    -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {prec.entry = "step"} {
  // expected-remark @+1 {{frozen weights are quantized one at a time}}
  %0 = prec_train.matmul %x, %a {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{frozen weights are quantized one at a time}}
  %1 = prec_train.matmul %x, %b {transpose_b, operand_tags = [#e4m3, #e4m3]} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#param = #prec_train.role<parameter>

// An output that is a column, and a weight that the embedding reads, too.

// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor.concat
func.func @step(%x: tensor<4x128xf32>, %ids: tensor<4xi32>,
                %a: tensor<128x8xf32> {prec_train.role = #param, prec_train.path = "a"},
                %b: tensor<8x128xf32> {prec_train.role = #param, prec_train.path = "b"})
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x128xf32>) attributes {prec.entry = "step"} {
  // expected-remark @+1 {{outputs are not rows of its weight}}
  %0 = prec_train.matmul %x, %a : (tensor<4x128xf32>, tensor<128x8xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{its weight is read elsewhere, too}}
  %1 = prec_train.matmul %x, %b {transpose_b} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  %2 = prec_train.embedding %b, %ids : (tensor<8x128xf32>, tensor<4xi32>) -> tensor<4x128xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x128xf32>
}

// -----

#back = #prec_train.phase<backward>
#param = #prec_train.role<parameter>

// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor.concat
func.func @step(%x: tensor<4x128xf32>, %dy: tensor<4x8xf32>,
                %a: tensor<8x128xf32> {prec_train.role = #param, prec_train.path = "a"},
                %b: tensor<8x128xf32> {prec_train.role = #param, prec_train.path = "b"})
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x128xf32>, tensor<4x128xf32>) attributes {prec.entry = "step"} {
  // expected-remark @+1 {{gradients of what it reads are not summed alone}}
  %0 = prec_train.matmul %x, %a {transpose_b} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{gradients of what it reads are not summed alone}}
  %1 = prec_train.matmul %x, %b {transpose_b} : (tensor<4x128xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  %2 = prec_train.matmul %dy, %a {prec_train.phase = #back} : (tensor<4x8xf32>, tensor<8x128xf32>) -> tensor<4x128xf32>
  %3 = prec_train.matmul %dy, %b {prec_train.phase = #back} : (tensor<4x8xf32>, tensor<8x128xf32>) -> tensor<4x128xf32>
  %4 = arith.addf %2, %3 {prec_train.phase = #back} : tensor<4x128xf32>
  return %0, %1, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x128xf32>, tensor<4x128xf32>
}

// -----

#back = #prec_train.phase<backward>
#param = #prec_train.role<parameter>

// The gradient of one output is made from that of the other's weight.

// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor.concat
func.func @step(%x: tensor<8x8xf32>, %dy: tensor<8x8xf32>,
                %a: tensor<8x8xf32> {prec_train.role = #param, prec_train.path = "a"},
                %b: tensor<8x8xf32> {prec_train.role = #param, prec_train.path = "b"})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) attributes {prec.entry = "step"} {
  // expected-remark @+1 {{the gradient of a weight is read before all are there}}
  %0 = prec_train.matmul %x, %a {transpose_b} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // expected-remark @+1 {{the gradient of a weight is read before all are there}}
  %1 = prec_train.matmul %x, %b {transpose_b} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = prec_train.matmul %dy, %x {transpose_a, prec_train.phase = #back} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = prec_train.matmul %2, %x {transpose_a, prec_train.phase = #back} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

#blocks = #prec.tag<e4m3, scaling = block_128x128, accumulator = promoted, rule = "r">
#row = #prec.tag<e4m3, scaling = row, accumulator = fast, rule = "r">
#param = #prec_train.role<parameter>

// Rows of blocks, of which a weight has not a whole number; bytes behind which
// no other weight can begin, unless it is a copy of both that has a scale.

// CHECK-LABEL: func.func @step
// CHECK: tensor.concat dim(0) %arg7, %arg8 :
// CHECK-NOT: tensor.concat
func.func @step(%x: tensor<4x128xf32>, %z: tensor<4x32xf32>, %u: tensor<4x32xf32>,
                %a: tensor<128x128xf32> {prec_train.role = #param, prec_train.path = "a"},
                %b: tensor<64x128xf32> {prec_train.role = #param, prec_train.path = "b"},
                %c: tensor<3x32xf32> {prec_train.role = #param, prec_train.path = "c"},
                %d: tensor<3x32xf32> {prec_train.role = #param, prec_train.path = "d"},
                %e: tensor<3x32xf32> {prec_train.role = #param, prec_train.path = "e"},
                %f: tensor<3x32xf32> {prec_train.role = #param, prec_train.path = "f"})
    -> (tensor<4x128xf32>, tensor<4x64xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) attributes {prec.entry = "step"} {
  // expected-remark @+1 {{outputs of its weight are not whole blocks}}
  %0 = prec_train.matmul %x, %a {transpose_b, operand_tags = [#blocks, #blocks]} : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
  // expected-remark @+1 {{outputs of its weight are not whole blocks}}
  %1 = prec_train.matmul %x, %b {transpose_b, operand_tags = [#blocks, #blocks]} : (tensor<4x128xf32>, tensor<64x128xf32>) -> tensor<4x64xf32>
  // expected-remark @+1 {{its weight would end between two places of the state}}
  %2 = prec_train.matmul %z, %c {transpose_b} : (tensor<4x32xf32>, tensor<3x32xf32>) -> tensor<4x3xf32>
  // expected-remark @+1 {{its weight would end between two places of the state}}
  %3 = prec_train.matmul %z, %d {transpose_b} : (tensor<4x32xf32>, tensor<3x32xf32>) -> tensor<4x3xf32>
  %4 = prec_train.matmul %u, %e {transpose_b, operand_tags = [#row, #row]} : (tensor<4x32xf32>, tensor<3x32xf32>) -> tensor<4x3xf32>
  %5 = prec_train.matmul %u, %f {transpose_b, operand_tags = [#row, #row]} : (tensor<4x32xf32>, tensor<3x32xf32>) -> tensor<4x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x128xf32>, tensor<4x64xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// -----

#e4m3 = #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "r">
#back = #prec_train.phase<backward>
#param = #prec_train.role<parameter>

// Outputs that are columns of their weights: weights side by side, and so are
// their gradients. The same in a wider format stay apart.

// ROWS-LABEL: func.func @step(%arg0: tensor<16x128xf32>
// ROWS-NOT: tensor.concat

// CHECK-LABEL: func.func @step(%arg0: tensor<16x128xf32>
// CHECK: %[[DY:.*]] = tensor.concat dim(1) %arg3, %arg4 {prec_train.phase = #prec_train.phase<backward>}
// CHECK: %[[W:.*]] = tensor.concat dim(1) %arg1, %arg2 : (tensor<128x32xf32>, tensor<128x16xf32>) -> tensor<128x48xf32>
// CHECK: %[[Y:.*]] = prec_train.matmul %arg0, %[[W]] {{.*}} : (tensor<16x128xf32>, tensor<128x48xf32>) -> tensor<16x48xf32>
// CHECK: tensor.extract_slice %[[Y]][0, 0] [16, 32] [1, 1]
// CHECK: tensor.extract_slice %[[Y]][0, 32] [16, 16] [1, 1]
func.func @step(%x: tensor<16x128xf32>,
                %q: tensor<128x32xf32> {prec_train.role = #param, prec_train.path = "a.q"},
                %k: tensor<128x16xf32> {prec_train.role = #param, prec_train.path = "a.k"},
                %dq: tensor<16x32xf32>, %dk: tensor<16x16xf32>,
                %a: tensor<128x32xf32> {prec_train.role = #param, prec_train.path = "b.q"},
                %b: tensor<128x32xf32> {prec_train.role = #param, prec_train.path = "b.k"}, %z: tensor<16x128xf32>)
    -> (tensor<16x32xf32>, tensor<16x16xf32>, tensor<128x32xf32>, tensor<128x16xf32>, tensor<16x128xf32>, tensor<16x32xf32>, tensor<16x32xf32>) attributes {prec.entry = "step"} {
  %yq = prec_train.matmul %x, %q {operand_tags = [#e4m3, #e4m3]} : (tensor<16x128xf32>, tensor<128x32xf32>) -> tensor<16x32xf32>
  %yk = prec_train.matmul %x, %k {operand_tags = [#e4m3, #e4m3]} : (tensor<16x128xf32>, tensor<128x16xf32>) -> tensor<16x16xf32>
  // expected-remark @+1 {{outputs are not rows of its weight}}
  %0 = prec_train.matmul %z, %a : (tensor<16x128xf32>, tensor<128x32xf32>) -> tensor<16x32xf32>
  // expected-remark @+1 {{outputs are not rows of its weight}}
  %1 = prec_train.matmul %z, %b : (tensor<16x128xf32>, tensor<128x32xf32>) -> tensor<16x32xf32>
  // CHECK: %[[DW:.*]] = prec_train.matmul %arg0, %[[DY]] {{.*}}transpose_a} : (tensor<16x128xf32>, tensor<16x48xf32>) -> tensor<128x48xf32>
  // CHECK: %[[DWQ:.*]] = tensor.extract_slice %[[DW]][0, 0] [128, 32] [1, 1]
  // CHECK: %[[DWK:.*]] = tensor.extract_slice %[[DW]][0, 32] [128, 16] [1, 1]
  // CHECK: %[[WB:.*]] = tensor.concat dim(1) %arg1, %arg2
  // CHECK: %[[DX:.*]] = prec_train.matmul %[[DY]], %[[WB]] {{.*}}transpose_b} : (tensor<16x48xf32>, tensor<128x48xf32>) -> tensor<16x128xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[DWQ]], %[[DWK]], %[[DX]],
  %dwq = prec_train.matmul %x, %dq {transpose_a, operand_tags = [#e4m3, #e4m3], prec_train.phase = #back} : (tensor<16x128xf32>, tensor<16x32xf32>) -> tensor<128x32xf32>
  %dwk = prec_train.matmul %x, %dk {transpose_a, operand_tags = [#e4m3, #e4m3], prec_train.phase = #back} : (tensor<16x128xf32>, tensor<16x16xf32>) -> tensor<128x16xf32>
  %dxq = prec_train.matmul %dq, %q {transpose_b, operand_tags = [#e4m3, #e4m3], prec_train.phase = #back} : (tensor<16x32xf32>, tensor<128x32xf32>) -> tensor<16x128xf32>
  %dxk = prec_train.matmul %dk, %k {transpose_b, operand_tags = [#e4m3, #e4m3], prec_train.phase = #back} : (tensor<16x16xf32>, tensor<128x16xf32>) -> tensor<16x128xf32>
  %dx = arith.addf %dxq, %dxk {prec_train.phase = #back} : tensor<16x128xf32>
  return %yq, %yk, %dwq, %dwk, %dx, %0, %1 : tensor<16x32xf32>, tensor<16x16xf32>, tensor<128x32xf32>, tensor<128x16xf32>, tensor<16x128xf32>, tensor<16x32xf32>, tensor<16x32xf32>
}

// -----

#param = #prec_train.role<parameter>

// A product that is read with its own sizes exchanged is none of a layer.

// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor.concat
func.func @step(%x: tensor<128x4xf32>,
                %a: tensor<8x128xf32> {prec_train.role = #param, prec_train.path = "a"},
                %b: tensor<8x128xf32> {prec_train.role = #param, prec_train.path = "b"})
    -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {prec.entry = "step"} {
  // expected-remark @+1 {{it is no product of two matrices as they are}}
  %0 = prec_train.matmul %x, %a {transpose_a, transpose_b} : (tensor<128x4xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  // expected-remark @+1 {{it is no product of two matrices as they are}}
  %1 = prec_train.matmul %x, %b {transpose_a, transpose_b} : (tensor<128x4xf32>, tensor<8x128xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

#param = #prec_train.role<parameter>

// The recipe wants what each layer has for itself.

// CHECK: module attributes {prec.separate_layers}
// CHECK-LABEL: func.func @step
// CHECK-NOT: tensor.concat
// expected-remark @+1 {{no layers are merged: the recipe keeps them apart}}
module attributes {prec.separate_layers} {
  func.func @step(%x: tensor<4x128xf32>,
                  %a: tensor<128x128xf32> {prec_train.role = #param, prec_train.path = "a"},
                  %b: tensor<64x128xf32> {prec_train.role = #param, prec_train.path = "b"})
      -> (tensor<4x128xf32>, tensor<4x64xf32>) attributes {prec.entry = "step"} {
    %0 = prec_train.matmul %x, %a {transpose_b} : (tensor<4x128xf32>, tensor<128x128xf32>) -> tensor<4x128xf32>
    %1 = prec_train.matmul %x, %b {transpose_b} : (tensor<4x128xf32>, tensor<64x128xf32>) -> tensor<4x64xf32>
    return %0, %1 : tensor<4x128xf32>, tensor<4x64xf32>
  }
}
