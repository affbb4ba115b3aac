// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s
// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s --check-prefix=SHARED

// Many short rows that are looked up in a table: each warp computes 32 of them,
// and a block copies the table into shared memory first.
// CHECK-LABEL: func.func @many
// CHECK: {kernel = @prec_many, launch = #prec_sched.launch<grid = [1024, 1, 1], block = [128, 1, 1]>}
// SHARED: llvm.mlir.global internal @prec_many_shared0() {addr_space = 3
// SHARED-NOT: prec_few_shared
func.func @many(%x: tensor<131072x256xi32>) -> tensor<131072x256xf32> {
  %r = prec_sched.dispatch <row> "many" (%x) : (tensor<131072x256xi32>) -> tensor<131072x256xf32> {
  ^bb0(%a: tensor<131072x256xi32>):
    %t = arith.constant dense<[0.5, 1.5, 2.5, 3.5, 4.5]> : tensor<5xf32>
    %g = prec_train.gather %t, %a : (tensor<5xf32>, tensor<131072x256xi32>) -> tensor<131072x256xf32>
    %s = prec_train.reduce max %g dims [1] : (tensor<131072x256xf32>) -> tensor<131072xf32>
    %b = prec_train.broadcast %s dims [0] : (tensor<131072xf32>) -> tensor<131072x256xf32>
    %d = arith.divf %g, %b : tensor<131072x256xf32>
    prec_sched.yield %d : tensor<131072x256xf32>
  }
  return %r : tensor<131072x256xf32>
}

// Few rows have a warp each, which reads the table where it is.
// CHECK-LABEL: func.func @few
// CHECK: {kernel = @prec_few, launch = #prec_sched.launch<grid = [1024, 1, 1], block = [128, 1, 1]>}
func.func @few(%x: tensor<4096x256xi32>) -> tensor<4096x256xf32> {
  %r = prec_sched.dispatch <row> "few" (%x) : (tensor<4096x256xi32>) -> tensor<4096x256xf32> {
  ^bb0(%a: tensor<4096x256xi32>):
    %t = arith.constant dense<[0.5, 1.5, 2.5, 3.5, 4.5]> : tensor<5xf32>
    %g = prec_train.gather %t, %a : (tensor<5xf32>, tensor<4096x256xi32>) -> tensor<4096x256xf32>
    %s = prec_train.reduce max %g dims [1] : (tensor<4096x256xf32>) -> tensor<4096xf32>
    %b = prec_train.broadcast %s dims [0] : (tensor<4096xf32>) -> tensor<4096x256xf32>
    %d = arith.divf %g, %b : tensor<4096x256xf32>
    prec_sched.yield %d : tensor<4096x256xf32>
  }
  return %r : tensor<4096x256xf32>
}
