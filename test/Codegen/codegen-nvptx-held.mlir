// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s
// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90 | FileCheck %s --check-prefix=LATER
// RUN: prec-opt %s --prec-codegen-nvptx | FileCheck %s --check-prefix=UNKNOWN
// RUN: prec-opt %s --prec-codegen-nvptx="chip=sm_90a many-rows=8" | FileCheck %s --check-prefix=MANY

// Rows that fit: two on a multiprocessor, or a part of each in the blocks of a
// cluster where later chips, which may compile the PTX, have room for less; in
// part where nothing is known of the chip.
// CHECK-LABEL: func.func @whole
// CHECK: {kernel = @prec_whole, launch = #prec_sched.launch<grid = [4096, 1, 1], block = [512, 1, 1], shared = 100608>}
// LATER-LABEL: func.func @whole
// LATER: grid = [8192, 1, 1], block = [320, 1, 1], shared = 25152>
// UNKNOWN-LABEL: func.func @whole
// UNKNOWN: block = [1024, 1, 1], shared = 32768>
func.func @whole(%x: tensor<4096x50304xbf16>) -> tensor<4096x50304xbf16> {
  %r = prec_sched.dispatch <row> "whole" (%x) : (tensor<4096x50304xbf16>) -> tensor<4096x50304xbf16> {
  ^bb0(%a: tensor<4096x50304xbf16>):
    %w = arith.extf %a : tensor<4096x50304xbf16> to tensor<4096x50304xf32>
    %s = prec_train.reduce sum %w dims [1] : (tensor<4096x50304xf32>) -> tensor<4096xf32>
    %b = prec_train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x50304xf32>
    %d = arith.subf %w, %b : tensor<4096x50304xf32>
    %n = arith.truncf %d : tensor<4096x50304xf32> to tensor<4096x50304xbf16>
    prec_sched.yield %n : tensor<4096x50304xbf16>
  }
  return %r : tensor<4096x50304xbf16>
}

// Longer rows: so many blocks share one that a multiprocessor has room for two
// of them or more, and have several rows.
// CHECK-LABEL: func.func @in_cluster
// CHECK: grid = [8192, 1, 1], block = [320, 1, 1], shared = 64128>
// LATER-LABEL: func.func @in_cluster
// LATER: grid = [8192, 1, 1], block = [320, 1, 1], shared = 32064>
// Too little would be held.
// UNKNOWN-LABEL: func.func @in_cluster
// UNKNOWN: grid = [4096, 1, 1], block = [256, 1, 1]>
func.func @in_cluster(%x: tensor<4096x128256xbf16>) -> tensor<4096x128256xbf16> {
  %r = prec_sched.dispatch <row> "in_cluster" (%x) {inplace = array<i64: 0>} : (tensor<4096x128256xbf16>) -> tensor<4096x128256xbf16> {
  ^bb0(%a: tensor<4096x128256xbf16>):
    %w = arith.extf %a : tensor<4096x128256xbf16> to tensor<4096x128256xf32>
    %s = prec_train.reduce sum %w dims [1] : (tensor<4096x128256xf32>) -> tensor<4096xf32>
    %b = prec_train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x128256xf32>
    %d = arith.subf %w, %b : tensor<4096x128256xf32>
    %n = arith.truncf %d : tensor<4096x128256xf32> to tensor<4096x128256xbf16>
    prec_sched.yield %n : tensor<4096x128256xbf16>
  }
  return %r : tensor<4096x128256xbf16>
}

// Rows that not even eight blocks hold: two blocks on a multiprocessor, each as
// far as half of the memory holds its share in whole rounds of its threads.
// CHECK-LABEL: func.func @in_part
// CHECK: grid = [8192, 1, 1], block = [512, 1, 1], shared = 106496>
func.func @in_part(%x: tensor<1024x1048576xbf16>) -> tensor<1024x1048576xbf16> {
  %r = prec_sched.dispatch <row> "in_part" (%x) {inplace = array<i64: 0>} : (tensor<1024x1048576xbf16>) -> tensor<1024x1048576xbf16> {
  ^bb0(%a: tensor<1024x1048576xbf16>):
    %w = arith.extf %a : tensor<1024x1048576xbf16> to tensor<1024x1048576xf32>
    %s = prec_train.reduce sum %w dims [1] : (tensor<1024x1048576xf32>) -> tensor<1024xf32>
    %b = prec_train.broadcast %s dims [0] : (tensor<1024xf32>) -> tensor<1024x1048576xf32>
    %d = arith.subf %w, %b : tensor<1024x1048576xf32>
    %n = arith.truncf %d : tensor<1024x1048576xf32> to tensor<1024x1048576xbf16>
    prec_sched.yield %n : tensor<1024x1048576xbf16>
  }
  return %r : tensor<1024x1048576xbf16>
}

// Rows of odd length begin between two vectors.
// CHECK-LABEL: func.func @odd
// CHECK: block = [512, 1, 1], shared = 100528>
func.func @odd(%x: tensor<4096x50257xbf16>) -> tensor<4096x50257xbf16> {
  %r = prec_sched.dispatch <row> "odd" (%x) {inplace = array<i64: 0>} : (tensor<4096x50257xbf16>) -> tensor<4096x50257xbf16> {
  ^bb0(%a: tensor<4096x50257xbf16>):
    %w = arith.extf %a : tensor<4096x50257xbf16> to tensor<4096x50257xf32>
    %s = prec_train.reduce sum %w dims [1] : (tensor<4096x50257xf32>) -> tensor<4096xf32>
    %b = prec_train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x50257xf32>
    %d = arith.subf %w, %b : tensor<4096x50257xf32>
    %n = arith.truncf %d : tensor<4096x50257xf32> to tensor<4096x50257xbf16>
    prec_sched.yield %n : tensor<4096x50257xbf16>
  }
  return %r : tensor<4096x50257xbf16>
}

// Few rows have a multiprocessor each, unless they count as many. Of two inputs, both are held that both
// passes need; a third, which the second pass alone reads, is not. The lanes of
// the wider one take two accesses.
// CHECK-LABEL: func.func @few
// CHECK: block = [1024, 1, 1], shared = 144000>
// MANY-LABEL: func.func @few
// MANY: grid = [16, 1, 1], block = [320, 1, 1], shared = 72000>
func.func @few(%x: tensor<8x24000xbf16>, %y: tensor<8x24000xf32>, %z: tensor<8x24000xbf16>) -> tensor<8x24000xbf16> {
  %r = prec_sched.dispatch <row> "few" (%x, %y, %z) : (tensor<8x24000xbf16>, tensor<8x24000xf32>, tensor<8x24000xbf16>) -> tensor<8x24000xbf16> {
  ^bb0(%a: tensor<8x24000xbf16>, %b: tensor<8x24000xf32>, %c: tensor<8x24000xbf16>):
    %w = arith.extf %a : tensor<8x24000xbf16> to tensor<8x24000xf32>
    %p = arith.mulf %w, %b : tensor<8x24000xf32>
    %s = prec_train.reduce sum %p dims [1] : (tensor<8x24000xf32>) -> tensor<8xf32>
    %t = prec_train.broadcast %s dims [0] : (tensor<8xf32>) -> tensor<8x24000xf32>
    %d = arith.subf %p, %t : tensor<8x24000xf32>
    %v = arith.extf %c : tensor<8x24000xbf16> to tensor<8x24000xf32>
    %e = arith.mulf %d, %v : tensor<8x24000xf32>
    %n = arith.truncf %e : tensor<8x24000xf32> to tensor<8x24000xbf16>
    prec_sched.yield %n : tensor<8x24000xbf16>
  }
  return %r : tensor<8x24000xbf16>
}

// One pass is enough.
// CHECK-LABEL: func.func @once
// CHECK: block = [256, 1, 1]>
func.func @once(%x: tensor<4096x50304xbf16>) -> tensor<4096xbf16> {
  %r = prec_sched.dispatch <row> "once" (%x) : (tensor<4096x50304xbf16>) -> tensor<4096xbf16> {
  ^bb0(%a: tensor<4096x50304xbf16>):
    %s = prec_train.reduce max %a dims [1] : (tensor<4096x50304xbf16>) -> tensor<4096xbf16>
    prec_sched.yield %s : tensor<4096xbf16>
  }
  return %r : tensor<4096xbf16>
}

// Registers are enough.
// CHECK-LABEL: func.func @short
// CHECK: block = [512, 1, 1]>
func.func @short(%x: tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  %r = prec_sched.dispatch <row> "short" (%x) : (tensor<4096x8192xf32>) -> tensor<4096x8192xf32> {
  ^bb0(%a: tensor<4096x8192xf32>):
    %s = prec_train.reduce max %a dims [1] : (tensor<4096x8192xf32>) -> tensor<4096xf32>
    %b = prec_train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x8192xf32>
    %d = arith.subf %a, %b : tensor<4096x8192xf32>
    prec_sched.yield %d : tensor<4096x8192xf32>
  }
  return %r : tensor<4096x8192xf32>
}

// CHECK: llvm.mlir.global external @prec_whole_dynamic() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<0 x i8>
// CHECK: llvm.func @prec_whole({{.*}}nvvm.minctasm = 2 : i32, nvvm.reqntid = array<i32: 512, 1, 1>
// All is on its way, four vectors of a thread in each group, then one more,
// before the first group is waited for.
// CHECK-COUNT-4: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-4: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-5: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: nvvm.cp.async.wait.group 2
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: nvvm.cp.async.wait.group 1
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: nvvm.cp.async.wait.group 0
// CHECK-COUNT-5: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: nvvm.barrier
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK-COUNT-5: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>

// Warps write what they have reduced into the memory of every block, once all
// have started, and meet once: ten of each of four blocks, at two places in
// turn.
// CHECK: llvm.mlir.global internal @prec_in_cluster_shared0() {{.*}} : !llvm.array<80 x f32>
// CHECK-NOT: @prec_in_cluster_shared
// CHECK: llvm.func @prec_in_cluster({{.*}}nvvm.cluster_dim = array<i32: 4, 1, 1>, {{.*}}nvvm.minctasm = 3 : i32, nvvm.reqntid = array<i32: 320, 1, 1>
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK-NOT: nvvm.{{cluster|barrier}}
// CHECK-COUNT-3: nvvm.cp.async.commit.group
// CHECK: nvvm.cluster.wait
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: %[[THEIRS:.*]] = nvvm.mapa {{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.getelementptr inbounds %[[THEIRS]]
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive
// CHECK: nvvm.cluster.wait
// CHECK-COUNT-2: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-NOT: nvvm.{{cluster|barrier}}
// What a thread has read for the last time, the next row replaces.
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK-NOT: !llvm.ptr<3> -> vector<8xi16>
// CHECK-COUNT-4: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK-COUNT-4: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-COUNT-5: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK-COUNT-5: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK-NOT: nvvm.{{cluster|barrier}}

// What does not fit is the last of the first pass and the first of the second.
// CHECK: llvm.func @prec_in_part({{.*}}nvvm.cluster_dim = array<i32: 8, 1, 1>, {{.*}}nvvm.minctasm = 2 : i32
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: nvvm.cp.async.wait.group 0
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK: nvvm.cluster.arrive{{$}}
// CHECK-NOT: !llvm.ptr<3> -> vector<8xi16>
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xi16>

// Vectors are aligned in memory; a thread reads at most one element of those in
// front of the first vector and behind the last.
// CHECK: llvm.func @prec_odd(
// CHECK: llvm.load {{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> i16
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: llvm.store {{.*}} : i16, !llvm.ptr<1>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xi16>, !llvm.ptr<1>

// CHECK: llvm.func @prec_few(
// CHECK: nvvm.cp.async.shared.global
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: nvvm.barrier
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xi16>
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> vector<8xi16>

// CHECK: llvm.func @prec_once(
// CHECK-NOT: llvm.store {{.*}} : vector{{.*}}, !llvm.ptr<3>
// CHECK: llvm.func @prec_short(
// CHECK-NOT: llvm.store {{.*}} : vector{{.*}}, !llvm.ptr<3>
