// RUN: prec-opt %s --prec-order-rows --split-input-file | FileCheck %s

// Rows of a large table, each looked up twice, by positions of a sort: in the order of the table's rows.
// CHECK-LABEL: func.func @rows
// CHECK: %[[P:.*]] = tensor.extract_slice %{{.*}}[1, 0]
// CHECK: %[[Q:.*]] = tensor.extract_slice %{{.*}}[1, 0]
// CHECK: prec_sched.dispatch <row> "rows"(%arg0, %[[P]], %[[Q]])
// CHECK-SAME: order = 2 : i64
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<16384x1024xbf16>, %{{.*}}: tensor<1x32768xi32>, %{{.*}}: tensor<1x32768xi32>):
// A small one stays in the cache.
// CHECK: prec_sched.dispatch <row> "small"(%arg1, %[[P]]) : 
// Rows of this one are blocks of those that are looked up.
// CHECK: prec_sched.dispatch <row> "blocks"(%arg0, %[[P]]) : 
func.func @rows(%t: tensor<16384x1024xbf16>, %u: tensor<16384x8xbf16>, %i: tensor<32768xi32>) -> (tensor<32768xf32>, tensor<32768xf32>, tensor<32768x8xf32>) attributes {prec.entry = "step"} {
  %s = prec_sched.dispatch <sort> "s"(%i) : (tensor<32768xi32>) -> tensor<2x32768xi32> {
  ^bb0(%a: tensor<32768xi32>):
    %r = prec_train.sort_ids %a below 8 : (tensor<32768xi32>) -> tensor<2x32768xi32>
    prec_sched.yield %r : tensor<2x32768xi32>
  }
  %p = tensor.extract_slice %s[1, 0] [1, 32768] [1, 1] : tensor<2x32768xi32> to tensor<1x32768xi32>
  %f = tensor.collapse_shape %p [[0, 1]] : tensor<1x32768xi32> into tensor<32768xi32>
  %b = prec_sched.dispatch <sort> "b"(%f) : (tensor<32768xi32>) -> tensor<2x32768xi32> {
  ^bb0(%a: tensor<32768xi32>):
    %r = prec_train.sort_ids %a below 32768 : (tensor<32768xi32>) -> tensor<2x32768xi32>
    prec_sched.yield %r : tensor<2x32768xi32>
  }
  %q = tensor.extract_slice %b[1, 0] [1, 32768] [1, 1] : tensor<2x32768xi32> to tensor<1x32768xi32>
  %x = prec_sched.dispatch <row> "rows"(%t, %p) : (tensor<16384x1024xbf16>, tensor<1x32768xi32>) -> tensor<32768xf32> {
  ^bb0(%a: tensor<16384x1024xbf16>, %c: tensor<1x32768xi32>):
    %two = arith.constant dense<2> : tensor<32768xi32>
    %d = tensor.collapse_shape %c [[0, 1]] : tensor<1x32768xi32> into tensor<32768xi32>
    %e = arith.divsi %d, %two : tensor<32768xi32>
    %g = prec_train.gather %a, %e : (tensor<16384x1024xbf16>, tensor<32768xi32>) -> tensor<32768x1024xbf16>
    %w = arith.extf %g : tensor<32768x1024xbf16> to tensor<32768x1024xf32>
    %r = prec_train.reduce sum %w dims [1] : (tensor<32768x1024xf32>) -> tensor<32768xf32>
    prec_sched.yield %r : tensor<32768xf32>
  }
  %y = prec_sched.dispatch <row> "small"(%u, %p) : (tensor<16384x8xbf16>, tensor<1x32768xi32>) -> tensor<32768xf32> {
  ^bb0(%a: tensor<16384x8xbf16>, %c: tensor<1x32768xi32>):
    %two = arith.constant dense<2> : tensor<32768xi32>
    %d = tensor.collapse_shape %c [[0, 1]] : tensor<1x32768xi32> into tensor<32768xi32>
    %e = arith.divsi %d, %two : tensor<32768xi32>
    %g = prec_train.gather %a, %e : (tensor<16384x8xbf16>, tensor<32768xi32>) -> tensor<32768x8xbf16>
    %w = arith.extf %g : tensor<32768x8xbf16> to tensor<32768x8xf32>
    %r = prec_train.reduce sum %w dims [1] : (tensor<32768x8xf32>) -> tensor<32768xf32>
    prec_sched.yield %r : tensor<32768xf32>
  }
  %z = prec_sched.dispatch <row> "blocks"(%t, %p) : (tensor<16384x1024xbf16>, tensor<1x32768xi32>) -> tensor<32768x8xf32> {
  ^bb0(%a: tensor<16384x1024xbf16>, %c: tensor<1x32768xi32>):
    %two = arith.constant dense<2> : tensor<32768xi32>
    %d = tensor.collapse_shape %c [[0, 1]] : tensor<1x32768xi32> into tensor<32768xi32>
    %e = arith.divsi %d, %two : tensor<32768xi32>
    %g = prec_train.gather %a, %e : (tensor<16384x1024xbf16>, tensor<32768xi32>) -> tensor<32768x1024xbf16>
    %w = arith.extf %g : tensor<32768x1024xbf16> to tensor<32768x1024xf32>
    %k = tensor.expand_shape %w [[0], [1, 2]] output_shape [32768, 8, 128] : tensor<32768x1024xf32> into tensor<32768x8x128xf32>
    %r = prec_train.reduce sum %k dims [2] : (tensor<32768x8x128xf32>) -> tensor<32768x8xf32>
    prec_sched.yield %r : tensor<32768x8xf32>
  }
  return %x, %y, %z : tensor<32768xf32>, tensor<32768xf32>, tensor<32768x8xf32>
}
