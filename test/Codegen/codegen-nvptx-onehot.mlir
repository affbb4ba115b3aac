// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s

// Eight lanes ask once whether the position is theirs.
// CHECK-LABEL: llvm.func @prec_gradient(
// CHECK: %[[LABEL:.*]] = llvm.load {{.*}} : !llvm.ptr<1> -> i32
// CHECK: %[[LANE:.*]] = llvm.sub %[[LABEL]], {{.*}} : i32
// CHECK: %[[HERE:.*]] = llvm.icmp "ult" %[[LANE]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[HERE]]
// CHECK: llvm.icmp "eq" {{.*}} : vector<8xi32>
// CHECK: llvm.select {{.*}} : vector<8xi1>, vector<8xf32>

// Every lane asks: what is subtracted elsewhere is no zero, and of a position in
// each lane's own row.
// CHECK-LABEL: llvm.func @prec_one_elsewhere(
// CHECK-NOT: llvm.icmp "ult" {{.*}} : i32
// CHECK: llvm.icmp "eq" {{.*}} : vector<8xi32>
// CHECK-LABEL: llvm.func @prec_of_each(
// CHECK-NOT: llvm.icmp "ult" {{.*}} : i32
// CHECK: llvm.icmp "eq" {{.*}} : vector<8xi32>

func.func @gradient(%x: tensor<6x4096xbf16>, %l: tensor<6xi32>) -> tensor<6x4096xbf16> {
  %r = prec_sched.dispatch <elementwise> "gradient" (%x, %l) : (tensor<6x4096xbf16>, tensor<6xi32>) -> tensor<6x4096xbf16> {
  ^bb0(%a: tensor<6x4096xbf16>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi eq, %i, %j : tensor<6x4096xi32>
    %one = arith.constant dense<1.0> : tensor<6x4096xf32>
    %z = arith.constant dense<0.0> : tensor<6x4096xf32>
    %o = arith.select %c, %one, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %w = arith.extf %a : tensor<6x4096xbf16> to tensor<6x4096xf32>
    %d = arith.subf %w, %o : tensor<6x4096xf32>
    %n = arith.truncf %d : tensor<6x4096xf32> to tensor<6x4096xbf16>
    prec_sched.yield %n : tensor<6x4096xbf16>
  }
  return %r : tensor<6x4096xbf16>
}

func.func @one_elsewhere(%x: tensor<6x4096xbf16>, %l: tensor<6xi32>) -> tensor<6x4096xbf16> {
  %r = prec_sched.dispatch <elementwise> "one_elsewhere" (%x, %l) : (tensor<6x4096xbf16>, tensor<6xi32>) -> tensor<6x4096xbf16> {
  ^bb0(%a: tensor<6x4096xbf16>, %b: tensor<6xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [0] : (tensor<6xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi eq, %i, %j : tensor<6x4096xi32>
    %one = arith.constant dense<1.0> : tensor<6x4096xf32>
    %z = arith.constant dense<2.0> : tensor<6x4096xf32>
    %o = arith.select %c, %one, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %w = arith.extf %a : tensor<6x4096xbf16> to tensor<6x4096xf32>
    %d = arith.subf %w, %o : tensor<6x4096xf32>
    %n = arith.truncf %d : tensor<6x4096xf32> to tensor<6x4096xbf16>
    prec_sched.yield %n : tensor<6x4096xbf16>
  }
  return %r : tensor<6x4096xbf16>
}

func.func @of_each(%x: tensor<6x4096xbf16>, %l: tensor<4096xi32>) -> tensor<6x4096xbf16> {
  %r = prec_sched.dispatch <elementwise> "of_each" (%x, %l) : (tensor<6x4096xbf16>, tensor<4096xi32>) -> tensor<6x4096xbf16> {
  ^bb0(%a: tensor<6x4096xbf16>, %b: tensor<4096xi32>):
    %i = prec_train.iota dim 1 : tensor<6x4096xi32>
    %j = prec_train.broadcast %b dims [1] : (tensor<4096xi32>) -> tensor<6x4096xi32>
    %c = arith.cmpi eq, %i, %j : tensor<6x4096xi32>
    %one = arith.constant dense<1.0> : tensor<6x4096xf32>
    %z = arith.constant dense<0.0> : tensor<6x4096xf32>
    %o = arith.select %c, %one, %z : tensor<6x4096xi1>, tensor<6x4096xf32>
    %w = arith.extf %a : tensor<6x4096xbf16> to tensor<6x4096xf32>
    %d = arith.subf %w, %o : tensor<6x4096xf32>
    %n = arith.truncf %d : tensor<6x4096xf32> to tensor<6x4096xbf16>
    prec_sched.yield %n : tensor<6x4096xbf16>
  }
  return %r : tensor<6x4096xbf16>
}
