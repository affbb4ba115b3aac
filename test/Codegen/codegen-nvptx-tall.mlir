// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s
// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_80 | FileCheck %s --check-prefix=ALONE

// Columns of many rows: several blocks share the rows of a strip.

// CHECK-LABEL: func.func @tall
// CHECK: launch = #prec_sched.launch<grid = [128, 1, 1], block = [16, 64, 1]>}
// ALONE: launch = #prec_sched.launch<grid = [128, 1, 1], block = [8, 128, 1]>}
// Five of them, so that all run at once.
// CHECK-LABEL: func.func @odd
// CHECK: launch = #prec_sched.launch<grid = [85, 1, 1], block = [8, 128, 1]>}
// ALONE: launch = #prec_sched.launch<grid = [65, 1, 1], block = [8, 128, 1]>}
// Too few rows: not worth a cluster.
// CHECK-LABEL: func.func @short
// CHECK: launch = #prec_sched.launch<grid = [128, 1, 1], block = [8, 128, 1]>}
// Enough columns for a block on each multiprocessor: no cluster either.
// CHECK-LABEL: func.func @many
// CHECK: launch = #prec_sched.launch<grid = [128, 1, 1], block = [8, 128, 1]>}
// As many groups as keep the GPU busy, in several waves.
// CHECK-LABEL: func.func @grouped
// CHECK: launch = #prec_sched.launch<grid = [512, 1, 1], block = [32, 32, 1]>}

// A block's sums meet in its own memory, then those of all in the first one's,
// whose first line adds them up in the order of the blocks.
// CHECK-LABEL: llvm.func @prec_tall(
// CHECK-SAME: nvvm.cluster_dim = array<i32: 8, 1, 1>
// CHECK: nvvm.cluster.arrive.relaxed
// CHECK-NOT: nvvm.cluster
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-COUNT-6: nvvm.barrier
// CHECK-NOT: nvvm.barrier
// CHECK: nvvm.cluster.wait
// CHECK: nvvm.mapa
// CHECK: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<7>
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK-COUNT-8: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-NOT: nvvm.cluster
// CHECK: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
// ALONE-NOT: nvvm.cluster
func.func @tall(%x: tensor<16384x1024xf32>) -> tensor<1024xf32> {
  %r = prec_sched.dispatch <column> "tall" (%x) : (tensor<16384x1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<16384x1024xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<16384x1024xf32>) -> tensor<1024xf32>
    prec_sched.yield %s : tensor<1024xf32>
  }
  return %r : tensor<1024xf32>
}

func.func @odd(%x: tensor<16384x520xf32>) -> tensor<520xf32> {
  %r = prec_sched.dispatch <column> "odd" (%x) : (tensor<16384x520xf32>) -> tensor<520xf32> {
  ^bb0(%a: tensor<16384x520xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<16384x520xf32>) -> tensor<520xf32>
    prec_sched.yield %s : tensor<520xf32>
  }
  return %r : tensor<520xf32>
}

// What is left of whole rounds is read at once, too: four rows, two and one.
// CHECK-LABEL: llvm.func @prec_short(
// CHECK-NOT: nvvm.cluster
// CHECK-COUNT-7: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: nvvm.barrier
func.func @short(%x: tensor<896x1024xf32>) -> tensor<1024xf32> {
  %r = prec_sched.dispatch <column> "short" (%x) : (tensor<896x1024xf32>) -> tensor<1024xf32> {
  ^bb0(%a: tensor<896x1024xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<896x1024xf32>) -> tensor<1024xf32>
    prec_sched.yield %s : tensor<1024xf32>
  }
  return %r : tensor<1024xf32>
}

// CHECK-LABEL: llvm.func @prec_many(
// CHECK-NOT: nvvm.cluster
// CHECK: llvm.return
func.func @many(%x: tensor<16384x4096xf32>) -> tensor<4096xf32> {
  %r = prec_sched.dispatch <column> "many" (%x) : (tensor<16384x4096xf32>) -> tensor<4096xf32> {
  ^bb0(%a: tensor<16384x4096xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<16384x4096xf32>) -> tensor<4096xf32>
    prec_sched.yield %s : tensor<4096xf32>
  }
  return %r : tensor<4096xf32>
}

// CHECK-LABEL: llvm.func @prec_grouped(
// CHECK-NOT: nvvm.cluster
// CHECK-NOT: nvvm.minctasm
// CHECK: llvm.return
func.func @grouped(%x: tensor<64x256x1024xf32>) -> tensor<64x1024xf32> {
  %r = prec_sched.dispatch <column> "grouped" (%x) : (tensor<64x256x1024xf32>) -> tensor<64x1024xf32> {
  ^bb0(%a: tensor<64x256x1024xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<64x256x1024xf32>) -> tensor<64x1024xf32>
    prec_sched.yield %s : tensor<64x1024xf32>
  }
  return %r : tensor<64x1024xf32>
}

// Sums of eight bytes take twice the memory: fewer lines of threads meet.
// CHECK-LABEL: llvm.func @prec_long_numbers(
// CHECK-SAME: nvvm.cluster_dim = array<i32: {{[2-8]}}, 1, 1>
func.func @long_numbers(%x0: tensor<4096x64xi64>, %x1: tensor<4096x64xi64>, %x2: tensor<4096x64xi64>, %x3: tensor<4096x64xi64>, %x4: tensor<4096x64xi64>, %x5: tensor<4096x64xi64>) -> (tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>) {
  %r:6 = prec_sched.dispatch <column> "long_numbers" (%x0, %x1, %x2, %x3, %x4, %x5) : (tensor<4096x64xi64>, tensor<4096x64xi64>, tensor<4096x64xi64>, tensor<4096x64xi64>, tensor<4096x64xi64>, tensor<4096x64xi64>) -> (tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>) {
  ^bb0(%0: tensor<4096x64xi64>, %1: tensor<4096x64xi64>, %2: tensor<4096x64xi64>, %3: tensor<4096x64xi64>, %4: tensor<4096x64xi64>, %5: tensor<4096x64xi64>):
    %s0 = prec_train.reduce sum %0 dims [0] : (tensor<4096x64xi64>) -> tensor<64xi64>
    %s1 = prec_train.reduce sum %1 dims [0] : (tensor<4096x64xi64>) -> tensor<64xi64>
    %s2 = prec_train.reduce sum %2 dims [0] : (tensor<4096x64xi64>) -> tensor<64xi64>
    %s3 = prec_train.reduce sum %3 dims [0] : (tensor<4096x64xi64>) -> tensor<64xi64>
    %s4 = prec_train.reduce sum %4 dims [0] : (tensor<4096x64xi64>) -> tensor<64xi64>
    %s5 = prec_train.reduce sum %5 dims [0] : (tensor<4096x64xi64>) -> tensor<64xi64>
    prec_sched.yield %s0, %s1, %s2, %s3, %s4, %s5 : tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>
  }
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5 : tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>, tensor<64xi64>
}
