// RUN: prec-opt %s --split-input-file --prec-classify | FileCheck %s
// RUN: prec-opt %s --split-input-file --cse --canonicalize --prec-classify | FileCheck %s

// How other compilers write what has an operation of its own here.

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#v = affine_map<(i) -> (i)>

// A mask that the backward needs compares, and chooses nothing.
// CHECK-LABEL: @mask
func.func @mask(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>) -> (tensor<64x48xf32>, tensor<64x48xi1>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x48xf32>) -> tensor<64x48xf32>
  // CHECK: linalg.matmul {prec.class = #prec.class<contraction>}
  %z = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%f : tensor<64x48xf32>) -> tensor<64x48xf32>
  %em = tensor.empty() : tensor<64x48xi1>
  // CHECK: linalg.generic {{.*}}prec.class = #prec.class<elementwise>
  %m = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%z : tensor<64x48xf32>) outs(%em : tensor<64x48xi1>) {
    ^bb0(%a: f32, %o: i1):
      %c = arith.cmpf ogt, %a, %zero : f32
      linalg.yield %c : i1
  } -> tensor<64x48xi1>
  return %z, %m : tensor<64x48xf32>, tensor<64x48xi1>
}

// -----

// Pooling sums windows, or takes the largest of them, and multiplies nothing. What is only a window is read by nothing.
// CHECK-LABEL: @pool
func.func @pool(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x4xf32>) -> (tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<1x6x6x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  // CHECK: linalg.conv_2d_nhwc_hwcf {{.*}}prec.class = #prec.class<contraction>
  %c = linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}
    ins(%x, %w : tensor<1x8x8x4xf32>, tensor<3x3x4x4xf32>) outs(%f : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  %window = tensor.empty() : tensor<3x3xf32>
  %ep = tensor.empty() : tensor<1x2x2x4xf32>
  %fp = linalg.fill ins(%zero : f32) outs(%ep : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  // CHECK: linalg.pooling_nhwc_sum {{.*}}prec.class = #prec.class<reduction>
  %p = linalg.pooling_nhwc_sum {dilations = dense<1> : tensor<2xi64>, strides = dense<3> : tensor<2xi64>}
    ins(%c, %window : tensor<1x6x6x4xf32>, tensor<3x3xf32>) outs(%fp : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  // CHECK: linalg.pooling_nhwc_max {{.*}}prec.class = #prec.class<reduction>
  %q = linalg.pooling_nhwc_max {dilations = dense<1> : tensor<2xi64>, strides = dense<3> : tensor<2xi64>}
    ins(%c, %window : tensor<1x6x6x4xf32>, tensor<3x3xf32>) outs(%fp : tensor<1x2x2x4xf32>) -> tensor<1x2x2x4xf32>
  return %p, %q : tensor<1x2x2x4xf32>, tensor<1x2x2x4xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#v = affine_map<(i) -> (i)>

// What a payload picks from is read: rows of a parameter are an embedding, with places that it fills in; an element of each row of the logits
// leads to the loss, so the product before it is the head.
// CHECK-LABEL: @capture
func.func @capture(%ids: tensor<64xi64> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
    %table: tensor<100x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "table"},
    %w: tensor<32x48xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"}) -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}) {
  %zero = arith.constant 0.0 : f32
  %none = arith.constant -1 : index
  %ex = tensor.empty() : tensor<64x32xf32>
  // CHECK: linalg.generic {{.*}}prec.class = #prec.class<embedding>
  %x = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%ids : tensor<64xi64>) outs(%ex : tensor<64x32xf32>) {
    ^bb0(%l: i64, %o: f32):
      %r = arith.index_cast %l : i64 to index
      %c = linalg.index 1 : index
      %isNone = arith.cmpi eq, %r, %none : index
      %e = tensor.extract %table[%r, %c] : tensor<100x32xf32>
      %f = arith.select %isNone, %zero, %e : f32
      linalg.yield %f : f32
  } -> tensor<64x32xf32>
  %e0 = tensor.empty() : tensor<64x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  // CHECK: linalg.matmul {prec.class = #prec.class<head>}
  %z = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%f0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %e1 = tensor.empty() : tensor<64xf32>
  %p = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%ids : tensor<64xi64>) outs(%e1 : tensor<64xf32>) {
    ^bb0(%l: i64, %o: f32):
      %j = arith.index_cast %l : i64 to index
      %i = linalg.index 0 : index
      %r = tensor.extract %z[%i, %j] : tensor<64x48xf32>
      linalg.yield %r : f32
  } -> tensor<64xf32>
  %es = tensor.empty() : tensor<f32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%p : tensor<64xf32>) outs(%fs : tensor<f32>) dimensions = [0]
  return %loss : tensor<f32>
}
