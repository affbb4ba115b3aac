// RUN: prec-opt %s --prec-split-layers=mesh=tp=2 --split-input-file | FileCheck %s
// RUN: prec-opt %s --prec-split-layers=mesh=tp=2 --split-input-file 2>&1 | FileCheck %s --check-prefix=SAID

// Behind a product of rows a rank has its rows: of the sum, of what is added to it, of the norm. They are gathered once for
// the two products that read them through reshapes of their own. The gradient of what is gathered is added up as rows, and
// gathered for the product in front; gradients of what all rows share are terms, added up together.
// SAID: remark: layers are divided among 2 ranks: slices of 4 parameters; 3 sums over ranks in forward and backward, of 576 bytes in f32
// SAID: remark: 2 of the sums are of a rank's rows, with norms and what is elementwise behind them; rows are gathered 2 times
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x4x8xf32>
// CHECK: %[[P:.*]] = prec_train.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x8xf32>
// CHECK: %[[E:.*]] = tensor.expand_shape %[[P]]
// CHECK: %[[SUM:.*]] = prec_train.all_reduce %[[E]] over "tp"
// CHECK: %[[SLICES:.*]] = tensor.expand_shape %[[SUM]] {{\[}}[0, 1], [2], [3]]
// CHECK: %[[ROWS:.*]] = prec_train.exchange own_slice %[[SLICES]] over "tp" : (tensor<2x1x4x8xf32>) -> tensor<1x4x8xf32>
// CHECK: %[[XS:.*]] = tensor.expand_shape %[[X]]
// CHECK: %[[XR:.*]] = prec_train.exchange own_slice %[[XS]] over "tp"
// CHECK: %[[H:.*]] = arith.addf %[[XR]], %[[ROWS]] : tensor<1x4x8xf32>
// CHECK: %[[N:.*]], %{{.*}} = prec_train.rms_norm %[[H]], %{{.*}} : (tensor<1x4x8xf32>, tensor<8xf32>) -> (tensor<1x4x8xf32>, tensor<1x4xf32>)
// CHECK: %[[G:.*]] = prec_train.exchange all_gather %[[N]] over "tp" : (tensor<1x4x8xf32>) -> tensor<2x1x4x8xf32>
// CHECK: %[[ALL:.*]] = tensor.collapse_shape %[[G]] {{\[}}[0, 1], [2], [3]] : tensor<2x1x4x8xf32> into tensor<2x4x8xf32>
// CHECK-NOT: all_gather
// CHECK: %[[A:.*]] = tensor.collapse_shape %[[ALL]]
// CHECK: prec_train.matmul %[[A]], %{{.*}} {transpose_b} : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
// CHECK: %[[B:.*]] = tensor.collapse_shape %[[ALL]]
// CHECK: prec_train.matmul %[[B]], %{{.*}} {transpose_b} : (tensor<8x8xf32>, tensor<16x8xf32>) -> tensor<8x16xf32>
// CHECK: %[[DN:.*]] = prec_train.exchange own_slice
// CHECK: %[[DH:.*]], %[[DG:.*]] = prec_train.rms_norm_grad %[[DN]], %[[H]]
// CHECK: %[[DB:.*]] = prec_train.reduce sum %[[DH]] dims [0, 1] {{.*}}: (tensor<1x4x8xf32>) -> tensor<8xf32>
// CHECK: %[[BOTH:.*]] = tensor.concat dim(0) %[[DG]], %[[DB]]
// CHECK: %[[ADDED:.*]] = prec_train.all_reduce %[[BOTH]] over "tp" {{.*}}: tensor<16xf32>
// CHECK: tensor.extract_slice %[[ADDED]][0] [8]
// CHECK: tensor.extract_slice %[[ADDED]][8] [8]
// CHECK: %[[DALL:.*]] = prec_train.exchange all_gather %[[DH]] over "tp"
func.func @step(%x: tensor<2x4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %a: tensor<32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
                %b: tensor<8x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"},
                %gate: tensor<32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "gate"},
                %up: tensor<32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "up"},
                %gamma: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "gamma"})
    -> (tensor<f32>, tensor<8x32xf32> {prec_train.donated_to = 2 : i64}) attributes {prec.entry = "step"} {
  %x0 = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>
  %h = prec_train.matmul %x0, %a {transpose_b} : (tensor<8x8xf32>, tensor<32x8xf32>) -> tensor<8x32xf32>
  %p = prec_train.matmul %h, %b {transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [2, 4, 8] : tensor<8x8xf32> into tensor<2x4x8xf32>
  %r = arith.addf %x, %e : tensor<2x4x8xf32>
  %n, %rstd = prec_train.rms_norm %r, %gamma {eps = 1.0e-5 : f32} : (tensor<2x4x8xf32>, tensor<8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4xf32>)
  %n0 = tensor.collapse_shape %n [[0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>
  %y = prec_train.matmul %n0, %gate {transpose_b} : (tensor<8x8xf32>, tensor<32x8xf32>) -> tensor<8x32xf32>
  %n1 = tensor.collapse_shape %n [[0, 1], [2]] : tensor<2x4x8xf32> into tensor<8x8xf32>
  %z = prec_train.matmul %n1, %up {transpose_b} : (tensor<8x8xf32>, tensor<32x8xf32>) -> tensor<8x32xf32>
  %dy = arith.mulf %y, %z {prec_train.phase = #prec_train.phase<backward>} : tensor<8x32xf32>
  %dn = prec_train.matmul %dy, %gate {prec_train.phase = #prec_train.phase<backward>} : (tensor<8x32xf32>, tensor<32x8xf32>) -> tensor<8x8xf32>
  %de = tensor.expand_shape %dn [[0, 1], [2]] output_shape [2, 4, 8] {prec_train.phase = #prec_train.phase<backward>} : tensor<8x8xf32> into tensor<2x4x8xf32>
  %dr, %dg = prec_train.rms_norm_grad %de, %r, %gamma, %rstd {prec_train.phase = #prec_train.phase<backward>} : (tensor<2x4x8xf32>, tensor<2x4x8xf32>, tensor<8xf32>, tensor<2x4xf32>) -> (tensor<2x4x8xf32>, tensor<8xf32>)
  %db = prec_train.reduce sum %dr dims [0, 1] {prec_train.phase = #prec_train.phase<backward>} : (tensor<2x4x8xf32>) -> tensor<8xf32>
  %d0 = tensor.collapse_shape %dr [[0, 1], [2]] {prec_train.phase = #prec_train.phase<backward>} : tensor<2x4x8xf32> into tensor<8x8xf32>
  %dw = prec_train.matmul %d0, %h {transpose_a, prec_train.phase = #prec_train.phase<backward>} : (tensor<8x8xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
  %norm = prec_train.global_norm %dg, %db {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
  return %norm, %dw : tensor<f32>, tensor<8x32xf32>
}

// -----

// Of one sequence a rank has half of its tokens; nothing is moved to cut it. Dropout reads all rows: which elements it
// keeps follows from their places in the whole tensor.
// SAID: remark: layers are divided among 2 ranks: slices of 2 parameters; 1 sums
// SAID: remark: 1 of the sums are of a rank's rows
// CHECK-LABEL: func.func @step(
// CHECK: %[[SUM:.*]] = prec_train.all_reduce %{{.*}} over "tp" {{.*}}: tensor<1x4x8xf32>
// CHECK: %[[FLAT:.*]] = tensor.collapse_shape %[[SUM]] {{\[}}[0, 1], [2]]
// CHECK: %[[SLICES:.*]] = tensor.expand_shape %[[FLAT]] {{\[}}[0, 1], [2]] output_shape [2, 2, 8]
// CHECK: %[[OWN:.*]] = prec_train.exchange own_slice %[[SLICES]] over "tp" : (tensor<2x2x8xf32>) -> tensor<2x8xf32>
// CHECK: %[[ROWS:.*]] = tensor.expand_shape %[[OWN]] {{\[}}[0, 1], [2]] output_shape [1, 2, 8]
// CHECK: %[[E:.*]] = math.exp %[[ROWS]] : tensor<1x2x8xf32>
// CHECK: %[[ALL:.*]] = prec_train.exchange all_gather %[[E]] over "tp" : (tensor<1x2x8xf32>) -> tensor<2x1x2x8xf32>
// CHECK: %[[JOINED:.*]] = tensor.collapse_shape %[[ALL]] {{\[}}[0, 1, 2], [3]]
// CHECK: %[[WHOLE:.*]] = tensor.expand_shape %[[JOINED]] {{\[}}[0, 1], [2]] output_shape [1, 4, 8]
// CHECK: %[[D:.*]] = prec_train.dropout %[[WHOLE]]
// CHECK: return %[[D]]
func.func @step(%x: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %seed: tensor<i32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "seed"},
                %a: tensor<32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
                %b: tensor<8x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"})
    -> tensor<1x4x8xf32> attributes {prec.entry = "step"} {
  %h = prec_train.matmul %x, %a {transpose_b} : (tensor<4x8xf32>, tensor<32x8xf32>) -> tensor<4x32xf32>
  %p = prec_train.matmul %h, %b {transpose_b} : (tensor<4x32xf32>, tensor<8x32xf32>) -> tensor<4x8xf32>
  %e = tensor.expand_shape %p [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xf32> into tensor<1x4x8xf32>
  %y = math.exp %e : tensor<1x4x8xf32>
  %d = prec_train.dropout %y, %seed {probability = 1.0e-01 : f32, stream = 3 : i32} : (tensor<1x4x8xf32>, tensor<i32>) -> tensor<1x4x8xf32>
  return %d : tensor<1x4x8xf32>
}

// -----

// Three rows have no halves: every rank has the sum.
// SAID: remark: layers are divided among 2 ranks: slices of 2 parameters; 1 sums
// SAID: remark: no sum is of a rank's rows: 2 ranks must divide the first dimension that is not 1 of what is added up
// CHECK-LABEL: func.func @step(
// CHECK: %[[SUM:.*]] = prec_train.all_reduce
// CHECK: math.exp %[[SUM]] : tensor<3x8xf32>
func.func @step(%x: tensor<3x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %a: tensor<32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
                %b: tensor<8x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"})
    -> tensor<3x8xf32> attributes {prec.entry = "step"} {
  %h = prec_train.matmul %x, %a {transpose_b} : (tensor<3x8xf32>, tensor<32x8xf32>) -> tensor<3x32xf32>
  %p = prec_train.matmul %h, %b {transpose_b} : (tensor<3x32xf32>, tensor<8x32xf32>) -> tensor<3x8xf32>
  %y = math.exp %p : tensor<3x8xf32>
  return %y : tensor<3x8xf32>
}
