// RUN: prec-opt %s --codegen-nvptx=chip=sm_90a | FileCheck %s
// RUN: prec-opt %s --codegen-nvptx=chip=sm_90 | FileCheck %s --check-prefix=LATER
// RUN: prec-opt %s --codegen-nvptx | FileCheck %s --check-prefix=UNKNOWN

// Rows that fit: two on a multiprocessor, or one where later chips, which may
// compile the PTX, have room for no more; in part where nothing is known of the
// chip.
// CHECK-LABEL: func.func @whole
// CHECK: {kernel = @prec_whole, launch = #sched.launch<grid = [4096, 1, 1], block = [512, 1, 1], shared = 100608>}
// LATER-LABEL: func.func @whole
// LATER: block = [1024, 1, 1], shared = 100608>
// UNKNOWN-LABEL: func.func @whole
// UNKNOWN: block = [1024, 1, 1], shared = 32768>
func.func @whole(%x: tensor<4096x50304xbf16>) -> tensor<4096x50304xbf16> {
  %r = sched.dispatch <row> "whole" (%x) : (tensor<4096x50304xbf16>) -> tensor<4096x50304xbf16> {
  ^bb0(%a: tensor<4096x50304xbf16>):
    %w = arith.extf %a : tensor<4096x50304xbf16> to tensor<4096x50304xf32>
    %s = train.reduce sum %w dims [1] : (tensor<4096x50304xf32>) -> tensor<4096xf32>
    %b = train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x50304xf32>
    %d = arith.subf %w, %b : tensor<4096x50304xf32>
    %n = arith.truncf %d : tensor<4096x50304xf32> to tensor<4096x50304xbf16>
    sched.yield %n : tensor<4096x50304xbf16>
  }
  return %r : tensor<4096x50304xbf16>
}

// Longer rows: two on a multiprocessor, each as far as half of the memory holds
// it in whole rounds of its threads.
// CHECK-LABEL: func.func @in_part
// CHECK: block = [512, 1, 1], shared = 114688>
// Of two, too little would be held: one has it all.
// LATER-LABEL: func.func @in_part
// LATER: block = [1024, 1, 1], shared = 98304>
// UNKNOWN-LABEL: func.func @in_part
// UNKNOWN: block = [256, 1, 1]>
func.func @in_part(%x: tensor<4096x128256xbf16>) -> tensor<4096x128256xbf16> {
  %r = sched.dispatch <row> "in_part" (%x) {inplace = array<i64: 0>} : (tensor<4096x128256xbf16>) -> tensor<4096x128256xbf16> {
  ^bb0(%a: tensor<4096x128256xbf16>):
    %w = arith.extf %a : tensor<4096x128256xbf16> to tensor<4096x128256xf32>
    %s = train.reduce sum %w dims [1] : (tensor<4096x128256xf32>) -> tensor<4096xf32>
    %b = train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x128256xf32>
    %d = arith.subf %w, %b : tensor<4096x128256xf32>
    %n = arith.truncf %d : tensor<4096x128256xf32> to tensor<4096x128256xbf16>
    sched.yield %n : tensor<4096x128256xbf16>
  }
  return %r : tensor<4096x128256xbf16>
}

// Few rows have a multiprocessor each. Of two inputs, both are held that both
// passes need; a third, which the second pass alone reads, is not. The lanes of
// the wider one take two accesses.
// CHECK-LABEL: func.func @few
// CHECK: block = [1024, 1, 1], shared = 144000>
func.func @few(%x: tensor<8x24000xbf16>, %y: tensor<8x24000xf32>, %z: tensor<8x24000xbf16>) -> tensor<8x24000xbf16> {
  %r = sched.dispatch <row> "few" (%x, %y, %z) : (tensor<8x24000xbf16>, tensor<8x24000xf32>, tensor<8x24000xbf16>) -> tensor<8x24000xbf16> {
  ^bb0(%a: tensor<8x24000xbf16>, %b: tensor<8x24000xf32>, %c: tensor<8x24000xbf16>):
    %w = arith.extf %a : tensor<8x24000xbf16> to tensor<8x24000xf32>
    %p = arith.mulf %w, %b : tensor<8x24000xf32>
    %s = train.reduce sum %p dims [1] : (tensor<8x24000xf32>) -> tensor<8xf32>
    %t = train.broadcast %s dims [0] : (tensor<8xf32>) -> tensor<8x24000xf32>
    %d = arith.subf %p, %t : tensor<8x24000xf32>
    %v = arith.extf %c : tensor<8x24000xbf16> to tensor<8x24000xf32>
    %e = arith.mulf %d, %v : tensor<8x24000xf32>
    %n = arith.truncf %e : tensor<8x24000xf32> to tensor<8x24000xbf16>
    sched.yield %n : tensor<8x24000xbf16>
  }
  return %r : tensor<8x24000xbf16>
}

// One pass is enough.
// CHECK-LABEL: func.func @once
// CHECK: block = [256, 1, 1]>
func.func @once(%x: tensor<4096x50304xbf16>) -> tensor<4096xbf16> {
  %r = sched.dispatch <row> "once" (%x) : (tensor<4096x50304xbf16>) -> tensor<4096xbf16> {
  ^bb0(%a: tensor<4096x50304xbf16>):
    %s = train.reduce max %a dims [1] : (tensor<4096x50304xbf16>) -> tensor<4096xbf16>
    sched.yield %s : tensor<4096xbf16>
  }
  return %r : tensor<4096xbf16>
}

// Registers are enough.
// CHECK-LABEL: func.func @short
// CHECK: block = [512, 1, 1]>
func.func @short(%x: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %r = sched.dispatch <row> "short" (%x) : (tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  ^bb0(%a: tensor<4096x8192xf32>):
    %s = train.reduce max %a dims [1] : (tensor<4096x8192xf32>) -> tensor<4096xf32>
    %b = train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x8192xf32>
    %d = arith.subf %a, %b : tensor<4096x8192xf32>
    sched.yield %d : tensor<4096x8192xf32>
  }
  return %r : tensor<4096x8192xf32>
}

// CHECK: llvm.mlir.global external @prec_whole_dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @prec_whole({{.*}}nvvm.minctasm = 2 : i32, nvvm.reqntid = array<i32: 512, 1, 1>
// Four at once, then one.
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xi16>, !llvm.ptr<3>
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xi16>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK-COUNT-5: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>

// What does not fit is the last of the first pass and the first of the second.
// CHECK: llvm.func @prec_in_part({{.*}}nvvm.minctasm = 2 : i32, nvvm.reqntid = array<i32: 512, 1, 1>
// CHECK-COUNT-4: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr<3>
// CHECK-COUNT-2: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr<3>
// CHECK-NOT: llvm.store {{.*}} : vector<8xi16>, !llvm.ptr<3>
// Four at once, one, and what is no whole round.
// CHECK-COUNT-6: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK: nvvm.barrier
// CHECK-NOT: !llvm.ptr<3> -> vector<8xi16>
// CHECK-COUNT-6: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK-COUNT-6: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>

// CHECK: llvm.func @prec_few(
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xi16>, !llvm.ptr<3>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>

// CHECK: llvm.func @prec_once(
// CHECK-NOT: llvm.store {{.*}} : vector{{.*}}, !llvm.ptr<3>
// CHECK: llvm.func @prec_short(
// CHECK-NOT: llvm.store {{.*}} : vector{{.*}}, !llvm.ptr<3>
