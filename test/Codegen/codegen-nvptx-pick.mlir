// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s

// Either side of the comparison has the position.
// CHECK: "swapped"({{.*}} {kernel = @prec_read,

// What a sum picks of a row is read: at the nearest position inside, and zero
// if that is another one. Only the other reduction meets the whole row, and
// warps.
// CHECK-LABEL: llvm.func @prec_read(
// CHECK: %[[LABEL:.*]] = llvm.load {{.*}} : !llvm.ptr<1> -> i32
// CHECK: %[[FLOOR:.*]] = llvm.intr.smax(%[[LABEL]],
// CHECK: %[[NEAREST:.*]] = llvm.intr.smin(%[[FLOOR]],
// CHECK: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: %[[INSIDE:.*]] = llvm.icmp "eq" %[[NEAREST]], %[[LABEL]] : i32
// CHECK: llvm.select %[[INSIDE]], {{.*}} : i1, f32
// CHECK-NOT: vector<4xi1>
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK-NOT: vector<4xi1>
// CHECK: nvvm.barrier

// Summed: no other reduction, rows of a warp, and results that are stored while
// others of the row are read.
// CHECK-LABEL: llvm.func @prec_alone(
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: llvm.select {{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: nvvm.barrier
// CHECK-LABEL: llvm.func @prec_of_a_warp(
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: llvm.select {{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: nvvm.shfl.sync
// CHECK-LABEL: llvm.func @prec_streamed(
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: llvm.select {{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1> -> f32
// CHECK: nvvm.barrier

// Not picked: the false value is no zero, and another comparison.
// CHECK-LABEL: llvm.func @prec_one_elsewhere(
// CHECK: llvm.select {{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-LABEL: llvm.func @prec_before(
// CHECK: llvm.select {{.*}} : vector<4xi1>, vector<4xf32>

// Rows that share an index, and an index of more bits than a position, are
// compared where they are.
// CHECK-LABEL: llvm.func @prec_shared(
// CHECK-NOT: smax
// CHECK: llvm.select {{.*}} : vector<4xi1>, vector<4xf32>
// CHECK-LABEL: llvm.func @prec_wide(
// CHECK-NOT: smax
// CHECK: llvm.select {{.*}} : vector<4xi1>, vector<4xf32>

func.func @read(%x: tensor<6x4096xf32>, %l: tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %r:2 = prec_sched.dispatch <row> "read" (%x, %l) : (tensor<6x4096xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: tensor<6x4096xf32>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi eq, %i, %j : tensor<6x4096xi32>
    %z = arith.constant dense<0.0> : tensor<6x4096xf32>
    %e = arith.select %c, %a, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %p = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %m = prec_train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    prec_sched.yield %p, %m : tensor<6xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}

func.func @swapped(%x: tensor<6x4096xf32>, %l: tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %r:2 = prec_sched.dispatch <row> "swapped" (%x, %l) : (tensor<6x4096xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: tensor<6x4096xf32>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi eq, %j, %i : tensor<6x4096xi32>
    %z = arith.constant dense<0.0> : tensor<6x4096xf32>
    %e = arith.select %c, %a, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %p = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %m = prec_train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    prec_sched.yield %p, %m : tensor<6xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}

func.func @alone(%x: tensor<6x4096xf32>, %l: tensor<6xi32>) -> tensor<6xf32> {
  %r = prec_sched.dispatch <row> "alone" (%x, %l) : (tensor<6x4096xf32>, tensor<6xi32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<6x4096xf32>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi eq, %i, %j : tensor<6x4096xi32>
    %z = arith.constant dense<0.0> : tensor<6x4096xf32>
    %e = arith.select %c, %a, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %p = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    prec_sched.yield %p : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

func.func @of_a_warp(%x: tensor<6x512xf32>, %l: tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %r:2 = prec_sched.dispatch <row> "of_a_warp" (%x, %l) : (tensor<6x512xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: tensor<6x512xf32>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x512xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x512xi32>
    %c = arith.cmpi eq, %i, %j : tensor<6x512xi32>
    %z = arith.constant dense<0.0> : tensor<6x512xf32>
    %e = arith.select %c, %a, %z : tensor<6x512xi1>, tensor<6x512xf32>
    %p = prec_train.reduce sum %e dims [1] : (tensor<6x512xf32>) -> tensor<6xf32>
    %m = prec_train.reduce max %a dims [1] : (tensor<6x512xf32>) -> tensor<6xf32>
    prec_sched.yield %p, %m : tensor<6xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}

func.func @streamed(%x: tensor<6x4096xf32>, %l: tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6x4096xf32>) {
  %r:3 = prec_sched.dispatch <row> "streamed" (%x, %l) : (tensor<6x4096xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6x4096xf32>) {
  ^bb0(%a: tensor<6x4096xf32>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi eq, %i, %j : tensor<6x4096xi32>
    %z = arith.constant dense<0.0> : tensor<6x4096xf32>
    %e = arith.select %c, %a, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %p = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %m = prec_train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %n = arith.negf %a : tensor<6x4096xf32>
    prec_sched.yield %p, %m, %n : tensor<6xf32>, tensor<6xf32>, tensor<6x4096xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<6xf32>, tensor<6xf32>, tensor<6x4096xf32>
}

func.func @one_elsewhere(%x: tensor<6x4096xf32>, %l: tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %r:2 = prec_sched.dispatch <row> "one_elsewhere" (%x, %l) : (tensor<6x4096xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: tensor<6x4096xf32>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi eq, %i, %j : tensor<6x4096xi32>
    %z = arith.constant dense<1.0> : tensor<6x4096xf32>
    %e = arith.select %c, %a, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %p = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %m = prec_train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    prec_sched.yield %p, %m : tensor<6xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}

func.func @before(%x: tensor<6x4096xf32>, %l: tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %r:2 = prec_sched.dispatch <row> "before" (%x, %l) : (tensor<6x4096xf32>, tensor<6xi32>) -> (tensor<6xf32>, tensor<6xf32>) {
  ^bb0(%a: tensor<6x4096xf32>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi slt, %i, %j : tensor<6x4096xi32>
    %z = arith.constant dense<0.0> : tensor<6x4096xf32>
    %e = arith.select %c, %a, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %p = prec_train.reduce sum %e dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    %m = prec_train.reduce max %a dims [1] : (tensor<6x4096xf32>) -> tensor<6xf32>
    prec_sched.yield %p, %m : tensor<6xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}

func.func @shared(%x: tensor<2x3x4096xf32>, %l: tensor<3xi32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %r:2 = prec_sched.dispatch <row> "shared" (%x, %l) : (tensor<2x3x4096xf32>, tensor<3xi32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%a: tensor<2x3x4096xf32>, %b: tensor<3xi32>):
    %i = prec_train.iota dim 2 : tensor<2x3x4096xi32>
    %j = prec_train.broadcast %b dims [1] : (tensor<3xi32>) -> tensor<2x3x4096xi32>
    %c = arith.cmpi eq, %i, %j : tensor<2x3x4096xi32>
    %z = arith.constant dense<0.0> : tensor<2x3x4096xf32>
    %e = arith.select %c, %a, %z : tensor<2x3x4096xi1>, tensor<2x3x4096xf32>
    %p = prec_train.reduce sum %e dims [2] : (tensor<2x3x4096xf32>) -> tensor<2x3xf32>
    %m = prec_train.reduce max %a dims [2] : (tensor<2x3x4096xf32>) -> tensor<2x3xf32>
    prec_sched.yield %p, %m : tensor<2x3xf32>, tensor<2x3xf32>
  }
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xf32>
}

func.func @wide(%x: tensor<2x3x4096xf32>, %l: tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %r:2 = prec_sched.dispatch <row> "wide" (%x, %l) : (tensor<2x3x4096xf32>, tensor<2x3xi64>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  ^bb0(%a: tensor<2x3x4096xf32>, %b: tensor<2x3xi64>):
    %i = prec_train.iota dim 2 : tensor<2x3x4096xi64>
    %j = prec_train.broadcast %b dims [0, 1] : (tensor<2x3xi64>) -> tensor<2x3x4096xi64>
    %c = arith.cmpi eq, %i, %j : tensor<2x3x4096xi64>
    %z = arith.constant dense<0.0> : tensor<2x3x4096xf32>
    %e = arith.select %c, %a, %z : tensor<2x3x4096xi1>, tensor<2x3x4096xf32>
    %p = prec_train.reduce sum %e dims [2] : (tensor<2x3x4096xf32>) -> tensor<2x3xf32>
    %m = prec_train.reduce max %a dims [2] : (tensor<2x3x4096xf32>) -> tensor<2x3xf32>
    prec_sched.yield %p, %m : tensor<2x3xf32>, tensor<2x3xf32>
  }
  return %r#0, %r#1 : tensor<2x3xf32>, tensor<2x3xf32>
}
