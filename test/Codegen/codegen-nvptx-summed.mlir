// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s
// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90 | FileCheck %s --check-prefix=LATER
// RUN: prec-opt %s --prec-codegen-nvptx | FileCheck %s --check-prefix=UNKNOWN

// The blocks of a row walk over those of a group, whose columns they sum: beside
// what it holds of each element a block has four bytes.
// CHECK-LABEL: func.func @summed
// CHECK: grid = [256, 1, 1], block = [512, 1, 1], shared = 91584>
// Where a later chip may have less, more blocks share a row.
// LATER-LABEL: func.func @summed
// LATER: grid = [{{[0-9]+}}, 1, 1], block = [{{[0-9]+}}, 1, 1], shared = {{[0-9]+}}>
// Sums are in memory.
// UNKNOWN-LABEL: func.func @summed
// UNKNOWN: grid = [128, 1, 1], block = [{{[0-9]+}}, 1, 1]
func.func @summed(%x: tensor<4096x30528xbf16>) -> (tensor<4096x30528xbf16>, tensor<128x30528xf32>) {
  %r:2 = prec_sched.dispatch <row> "summed" (%x) : (tensor<4096x30528xbf16>) -> (tensor<4096x30528xbf16>, tensor<128x30528xf32>) {
  ^bb0(%a: tensor<4096x30528xbf16>):
    %w = arith.extf %a : tensor<4096x30528xbf16> to tensor<4096x30528xf32>
    %s = prec_train.reduce sum %w dims [1] : (tensor<4096x30528xf32>) -> tensor<4096xf32>
    %b = prec_train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x30528xf32>
    %d = arith.subf %w, %b : tensor<4096x30528xf32>
    %n = arith.truncf %d : tensor<4096x30528xf32> to tensor<4096x30528xbf16>
    %e = tensor.expand_shape %d [[0, 1], [2]] output_shape [128, 32, 30528] : tensor<4096x30528xf32> into tensor<128x32x30528xf32>
    %c = prec_train.reduce sum %e dims [1] : (tensor<128x32x30528xf32>) -> tensor<128x30528xf32>
    prec_sched.yield %n, %c : tensor<4096x30528xbf16>, tensor<128x30528xf32>
  }
  return %r#0, %r#1 : tensor<4096x30528xbf16>, tensor<128x30528xf32>
}

// Each thread adds to sums that are its own, in halves of 16 bytes, and stores them behind the last row.
// CHECK: llvm.func @prec_summed({{.*}}nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK: nvvm.mapa
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.store {{.*}} : vector<{{[0-9]+}}xf32>, !llvm.ptr<1>
// Where there is no room for them, they are in memory.
// UNKNOWN: llvm.func @prec_summed
// UNKNOWN: llvm.load {{.*}} : !llvm.ptr<1> -> vector<{{[0-9]+}}xf32>
// UNKNOWN: llvm.store {{.*}} : vector<{{[0-9]+}}xf32>, !llvm.ptr<1>
