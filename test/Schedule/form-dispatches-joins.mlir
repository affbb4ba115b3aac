// RUN: prec-opt %s --prec-form-dispatches | FileCheck %s

// Each of these joins reads the one before it at three places, so that the last
// would read the argument at 19683 of them for an element. Those that would
// read more than 64 are stored.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: (%[[X:.*]]: tensor<16x4xf32>)
// CHECK: %[[FIRST:.*]] = prec_sched.dispatch <elementwise> "elementwise"(%[[X]],
// CHECK-COUNT-4: tensor.concat
// CHECK-NOT: tensor.concat
// CHECK: %[[SECOND:.*]] = prec_sched.dispatch <elementwise> "elementwise.1"(%[[FIRST]],
// CHECK-COUNT-4: tensor.concat
// CHECK-NOT: tensor.concat
// CHECK: %[[LAST:.*]] = prec_sched.dispatch <elementwise> "elementwise.2"(%[[SECOND]],
// CHECK: tensor.concat
// CHECK-NOT: tensor.concat
// CHECK: return %[[LAST]]
func.func @nested(%x0: tensor<16x4xf32>) -> tensor<16x4xf32> {
  %a0 = tensor.extract_slice %x0[1, 0] [3, 4] [1, 1] : tensor<16x4xf32> to tensor<3x4xf32>
  %b0 = tensor.extract_slice %x0[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c0 = tensor.extract_slice %x0[4, 0] [12, 4] [1, 1] : tensor<16x4xf32> to tensor<12x4xf32>
  %x1 = tensor.concat dim(0) %a0, %b0, %c0 : (tensor<3x4xf32>, tensor<1x4xf32>, tensor<12x4xf32>) -> tensor<16x4xf32>
  %a1 = tensor.extract_slice %x1[1, 0] [4, 4] [1, 1] : tensor<16x4xf32> to tensor<4x4xf32>
  %b1 = tensor.extract_slice %x1[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c1 = tensor.extract_slice %x1[5, 0] [11, 4] [1, 1] : tensor<16x4xf32> to tensor<11x4xf32>
  %x2 = tensor.concat dim(0) %a1, %b1, %c1 : (tensor<4x4xf32>, tensor<1x4xf32>, tensor<11x4xf32>) -> tensor<16x4xf32>
  %a2 = tensor.extract_slice %x2[1, 0] [5, 4] [1, 1] : tensor<16x4xf32> to tensor<5x4xf32>
  %b2 = tensor.extract_slice %x2[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c2 = tensor.extract_slice %x2[6, 0] [10, 4] [1, 1] : tensor<16x4xf32> to tensor<10x4xf32>
  %x3 = tensor.concat dim(0) %a2, %b2, %c2 : (tensor<5x4xf32>, tensor<1x4xf32>, tensor<10x4xf32>) -> tensor<16x4xf32>
  %a3 = tensor.extract_slice %x3[1, 0] [6, 4] [1, 1] : tensor<16x4xf32> to tensor<6x4xf32>
  %b3 = tensor.extract_slice %x3[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c3 = tensor.extract_slice %x3[7, 0] [9, 4] [1, 1] : tensor<16x4xf32> to tensor<9x4xf32>
  %x4 = tensor.concat dim(0) %a3, %b3, %c3 : (tensor<6x4xf32>, tensor<1x4xf32>, tensor<9x4xf32>) -> tensor<16x4xf32>
  %a4 = tensor.extract_slice %x4[1, 0] [7, 4] [1, 1] : tensor<16x4xf32> to tensor<7x4xf32>
  %b4 = tensor.extract_slice %x4[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c4 = tensor.extract_slice %x4[8, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
  %x5 = tensor.concat dim(0) %a4, %b4, %c4 : (tensor<7x4xf32>, tensor<1x4xf32>, tensor<8x4xf32>) -> tensor<16x4xf32>
  %a5 = tensor.extract_slice %x5[1, 0] [8, 4] [1, 1] : tensor<16x4xf32> to tensor<8x4xf32>
  %b5 = tensor.extract_slice %x5[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c5 = tensor.extract_slice %x5[9, 0] [7, 4] [1, 1] : tensor<16x4xf32> to tensor<7x4xf32>
  %x6 = tensor.concat dim(0) %a5, %b5, %c5 : (tensor<8x4xf32>, tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<16x4xf32>
  %a6 = tensor.extract_slice %x6[1, 0] [9, 4] [1, 1] : tensor<16x4xf32> to tensor<9x4xf32>
  %b6 = tensor.extract_slice %x6[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c6 = tensor.extract_slice %x6[10, 0] [6, 4] [1, 1] : tensor<16x4xf32> to tensor<6x4xf32>
  %x7 = tensor.concat dim(0) %a6, %b6, %c6 : (tensor<9x4xf32>, tensor<1x4xf32>, tensor<6x4xf32>) -> tensor<16x4xf32>
  %a7 = tensor.extract_slice %x7[1, 0] [10, 4] [1, 1] : tensor<16x4xf32> to tensor<10x4xf32>
  %b7 = tensor.extract_slice %x7[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c7 = tensor.extract_slice %x7[11, 0] [5, 4] [1, 1] : tensor<16x4xf32> to tensor<5x4xf32>
  %x8 = tensor.concat dim(0) %a7, %b7, %c7 : (tensor<10x4xf32>, tensor<1x4xf32>, tensor<5x4xf32>) -> tensor<16x4xf32>
  %a8 = tensor.extract_slice %x8[1, 0] [11, 4] [1, 1] : tensor<16x4xf32> to tensor<11x4xf32>
  %b8 = tensor.extract_slice %x8[0, 0] [1, 4] [1, 1] : tensor<16x4xf32> to tensor<1x4xf32>
  %c8 = tensor.extract_slice %x8[12, 0] [4, 4] [1, 1] : tensor<16x4xf32> to tensor<4x4xf32>
  %x9 = tensor.concat dim(0) %a8, %b8, %c8 : (tensor<11x4xf32>, tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<16x4xf32>
  return %x9 : tensor<16x4xf32>
}

// A join of many values in memory reads each once, and is computed where it is
// read.
// CHECK-LABEL: func.func @flat
// CHECK: prec_sched.dispatch <elementwise>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @flat(%x: tensor<1x4xf32>) -> tensor<80x4xbf16> {
  %j = tensor.concat dim(0) %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x, %x : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<80x4xf32>
  %e = math.exp %j : tensor<80x4xf32>
  %r = arith.truncf %e : tensor<80x4xf32> to tensor<80x4xbf16>
  return %r : tensor<80x4xbf16>
}
