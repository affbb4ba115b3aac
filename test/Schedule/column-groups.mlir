// RUN: prec-opt %s --prec-decompose --prec-form-dispatches --split-input-file | FileCheck %s

// Groups of rows that no power of two counts: the kernel that reduces the rows
// reduces their columns, too.
// CHECK-LABEL: func.func @uneven
// CHECK: prec_sched.dispatch <row> {{.*}} -> (tensor<200x64xf32>, tensor<8000x64xbf16>)
// CHECK: prec_train.reduce sum {{.*}} dims [1] : (tensor<200x40x64xf32>) -> tensor<200x64xf32>
// CHECK: prec_sched.dispatch <column> {{.*}} (tensor<200x64xf32>) -> tensor<64xbf16>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @uneven(%dy: tensor<8000x64xbf16>, %x: tensor<8000x64xbf16>, %g: tensor<64xf32>, %r: tensor<8000xf32>) -> (tensor<8000x64xbf16>, tensor<64xbf16>) {
  %dx, %dg = prec_train.rms_norm_grad %dy, %x, %g, %r : (tensor<8000x64xbf16>, tensor<8000x64xbf16>, tensor<64xf32>, tensor<8000xf32>) -> (tensor<8000x64xbf16>, tensor<64xbf16>)
  return %dx, %dg : tensor<8000x64xbf16>, tensor<64xbf16>
}

// -----

// What the kernel that reduces rows computes is not read again for its columns,
// though no other reduction of rows reads it: a bias behind a norm.
// CHECK-LABEL: func.func @behind_a_rounding
// CHECK: prec_sched.dispatch <row> {{.*}} -> (tensor<4096x64xbf16>, tensor<128x64xf32>)
// CHECK: prec_sched.dispatch <column> {{.*}} (tensor<128x64xf32>) -> tensor<64xf32>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @behind_a_rounding(%x: tensor<4096x64xf32>) -> (tensor<4096x64xbf16>, tensor<64xf32>) {
  %s = prec_train.reduce sum %x dims [1] : (tensor<4096x64xf32>) -> tensor<4096xf32>
  %b = prec_train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x64xf32>
  %d = arith.subf %x, %b : tensor<4096x64xf32>
  %t = arith.truncf %d : tensor<4096x64xf32> to tensor<4096x64xbf16>
  %e = arith.extf %t : tensor<4096x64xbf16> to tensor<4096x64xf32>
  %c = prec_train.reduce sum %e dims [0] : (tensor<4096x64xf32>) -> tensor<64xf32>
  return %t, %c : tensor<4096x64xbf16>, tensor<64xf32>
}

// -----

// Rows of another length make no kernel of this matrix, which has tiles.
// CHECK-LABEL: func.func @other_rows
// CHECK: prec_sched.dispatch <row> {{.*}} -> tensor<64xf32>
// CHECK: prec_sched.dispatch <transpose> {{.*}} -> (tensor<4096x64xbf16>, tensor<32x64xf32>)
// CHECK: return
func.func @other_rows(%x: tensor<64x4096xf32>) -> (tensor<4096x64xbf16>, tensor<64xf32>) {
  %s = prec_train.reduce sum %x dims [1] : (tensor<64x4096xf32>) -> tensor<64xf32>
  %b = prec_train.broadcast %s dims [1] : (tensor<64xf32>) -> tensor<4096x64xf32>
  %t = arith.truncf %b : tensor<4096x64xf32> to tensor<4096x64xbf16>
  %e = arith.extf %t : tensor<4096x64xbf16> to tensor<4096x64xf32>
  %c = prec_train.reduce sum %e dims [0] : (tensor<4096x64xf32>) -> tensor<64xf32>
  return %t, %c : tensor<4096x64xbf16>, tensor<64xf32>
}

// -----

// The sums over the rows of tiles are those of the kernel that computes the
// matrix: a bias behind an activation.
// CHECK-LABEL: func.func @in_tiles
// CHECK: prec_sched.dispatch <transpose> {{.*}} -> (tensor<512x256xbf16>, tensor<4x256xf32>)
// CHECK: prec_train.reduce sum {{.*}} dims [1] : (tensor<4x128x256xf32>) -> tensor<4x256xf32>
// CHECK: prec_sched.dispatch <column> {{.*}} (tensor<4x256xf32>) -> tensor<256xf32>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @in_tiles(%x: tensor<512x256xf32>) -> (tensor<512x256xbf16>, tensor<256xf32>) {
  %d = arith.mulf %x, %x : tensor<512x256xf32>
  %t = arith.truncf %d : tensor<512x256xf32> to tensor<512x256xbf16>
  %e = arith.extf %t : tensor<512x256xbf16> to tensor<512x256xf32>
  %c = prec_train.reduce sum %e dims [0] : (tensor<512x256xf32>) -> tensor<256xf32>
  return %t, %c : tensor<512x256xbf16>, tensor<256xf32>
}

// -----

// Not of whole tiles, or of what no kernel computes.
// CHECK-LABEL: func.func @no_tiles
// CHECK: prec_sched.dispatch <elementwise>
// CHECK-NOT: prec_sched.dispatch <transpose>
// CHECK: return
func.func @no_tiles(%x: tensor<512x200xf32>, %y: tensor<512x256xbf16>) -> (tensor<512x200xbf16>, tensor<200xf32>, tensor<256xf32>) {
  %d = arith.mulf %x, %x : tensor<512x200xf32>
  %t = arith.truncf %d : tensor<512x200xf32> to tensor<512x200xbf16>
  %e = arith.extf %t : tensor<512x200xbf16> to tensor<512x200xf32>
  %c = prec_train.reduce sum %e dims [0] : (tensor<512x200xf32>) -> tensor<200xf32>
  %f = arith.extf %y : tensor<512x256xbf16> to tensor<512x256xf32>
  %g = prec_train.reduce sum %f dims [0] : (tensor<512x256xf32>) -> tensor<256xf32>
  return %t, %c, %g : tensor<512x200xbf16>, tensor<200xf32>, tensor<256xf32>
}

// -----

// One tile of rows has no groups.
// CHECK-LABEL: func.func @one_tile
// CHECK: prec_sched.dispatch <elementwise>
// CHECK: prec_sched.dispatch <column> {{.*}} (tensor<64x256xbf16>) -> tensor<256xf32>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @one_tile(%x: tensor<64x256xf32>) -> (tensor<64x256xbf16>, tensor<256xf32>) {
  %d = arith.mulf %x, %x : tensor<64x256xf32>
  %t = arith.truncf %d : tensor<64x256xf32> to tensor<64x256xbf16>
  %e = arith.extf %t : tensor<64x256xbf16> to tensor<64x256xf32>
  %c = prec_train.reduce sum %e dims [0] : (tensor<64x256xf32>) -> tensor<256xf32>
  return %t, %c : tensor<64x256xbf16>, tensor<256xf32>
}

// -----

// Tiles of other columns are not those that a kernel sums the columns of.
// CHECK-LABEL: func.func @other_tiles
// CHECK: prec_sched.dispatch <transpose> {{.*}} -> (tensor<704x256xbf16>, tensor<11x4xf32>)
// CHECK: prec_sched.dispatch <column> {{.*}} (tensor<704x256xbf16>) -> tensor<11x256xf32>
// CHECK-NOT: prec_sched.dispatch
// CHECK: return
func.func @other_tiles(%x: tensor<704x256xf32>) -> (tensor<704x256xbf16>, tensor<11x4xf32>, tensor<11x256xf32>) {
  %t = arith.truncf %x : tensor<704x256xf32> to tensor<704x256xbf16>
  %e = arith.extf %t : tensor<704x256xbf16> to tensor<704x256xf32>
  %p = tensor.expand_shape %e [[0, 1], [2, 3]] output_shape [11, 64, 4, 64] : tensor<704x256xf32> into tensor<11x64x4x64xf32>
  %m = prec_train.reduce sum %p dims [1, 3] : (tensor<11x64x4x64xf32>) -> tensor<11x4xf32>
  %g = tensor.expand_shape %e [[0, 1], [2]] output_shape [11, 64, 256] : tensor<704x256xf32> into tensor<11x64x256xf32>
  %c = prec_train.reduce sum %g dims [1] : (tensor<11x64x256xf32>) -> tensor<11x256xf32>
  return %t, %m, %c : tensor<704x256xbf16>, tensor<11x4xf32>, tensor<11x256xf32>
}
