// RUN: prec-opt %s --prec-codegen-nvptx=chip=sm_90a | FileCheck %s

// CHECK-LABEL: func.func @norm
// CHECK: launch = #prec_sched.launch<grid = [256, 1, 1], block = [256, 1, 1], shared = 24576>}
// One team of eight warps asks for one row ahead.
// CHECK-LABEL: func.func @wide
// CHECK: block = [256, 1, 1], shared = 16384>}
// CHECK-LABEL: func.func @short
// CHECK: launch = #prec_sched.launch<grid = [4, 1, 1], block = [512, 1, 1]>}
// CHECK: launch = #prec_sched.launch<grid = [4, 1, 1], block = [32, 1, 1], shared = 1024>}
// CHECK-LABEL: func.func @many
// CHECK: launch = #prec_sched.launch<grid = [512, 1, 1], block = [32, 1, 1], shared = 1536>}

// A block for each group. Two warps have a row, four teams of them take turns.
// Three rows of each are under way to shared memory, and what all rows share is
// read before the loop. In the end the sums of half of the teams meet those of
// the other half, twice.
// CHECK-LABEL: llvm.func @prec_norm(
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK-COUNT-3: nvvm.cp.async.shared.global {{.*}}, 8, cache = ca
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-COUNT-3: nvvm.cp.async.shared.global
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-COUNT-3: nvvm.cp.async.shared.global
// CHECK-NEXT: nvvm.cp.async.commit.group
// CHECK-COUNT-3: llvm.load {{.*}} : !llvm.ptr<1> -> vector<4xf32>
// CHECK: llvm.br ^[[ROW:bb[0-9]+]](
// CHECK: ^[[ROW]]({{.*}}: i32, {{.*}}: vector<4xf32>, {{.*}}: vector<4xf32>, {{.*}}: vector<4xf32>)
// CHECK-NOT: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: nvvm.cp.async.wait.group 2
// CHECK-COUNT-3: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xi16>
// Where there is one, the fourth row from here takes the place of the last one.
// CHECK: llvm.cond_br
// CHECK-COUNT-3: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// Warps of a team wait for each other alone, and once: the next row meets in
// another place.
// CHECK: nvvm.shfl.sync
// CHECK: llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xf32>
// CHECK-NOT: nvvm.shfl.sync
// CHECK-NOT: nvvm.barrier
// CHECK-COUNT-3: llvm.store {{.*}} : vector<4xi16>, !llvm.ptr<1>
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.br ^[[ROW]](
// CHECK-COUNT-3: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-COUNT-3: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: nvvm.barrier
// CHECK-COUNT-3: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.barrier
// CHECK-COUNT-3: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK: nvvm.barrier
// CHECK-NOT: nvvm.barrier
// CHECK-COUNT-3: llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK: llvm.return
func.func @norm(%x: tensor<8192x768xbf16>, %g: tensor<768xf32>) -> (tensor<8192x768xbf16>, tensor<256x768xf32>) {
  %r:2 = prec_sched.dispatch <row> "norm" (%x, %g) : (tensor<8192x768xbf16>, tensor<768xf32>) -> (tensor<8192x768xbf16>, tensor<256x768xf32>) {
  ^bb0(%a: tensor<8192x768xbf16>, %b: tensor<768xf32>):
    %w = arith.extf %a : tensor<8192x768xbf16> to tensor<8192x768xf32>
    %gb = prec_train.broadcast %b dims [1] : (tensor<768xf32>) -> tensor<8192x768xf32>
    %h = arith.mulf %w, %gb : tensor<8192x768xf32>
    %s = prec_train.reduce sum %h dims [1] : (tensor<8192x768xf32>) -> tensor<8192xf32>
    %sb = prec_train.broadcast %s dims [0] : (tensor<8192xf32>) -> tensor<8192x768xf32>
    %d = arith.subf %h, %sb : tensor<8192x768xf32>
    %n = arith.truncf %d : tensor<8192x768xf32> to tensor<8192x768xbf16>
    %t = arith.mulf %w, %sb : tensor<8192x768xf32>
    %e = tensor.expand_shape %t [[0, 1], [2]] output_shape [256, 32, 768] : tensor<8192x768xf32> into tensor<256x32x768xf32>
    %c = prec_train.reduce sum %e dims [1] : (tensor<256x32x768xf32>) -> tensor<256x768xf32>
    prec_sched.yield %n, %c : tensor<8192x768xbf16>, tensor<256x768xf32>
  }
  return %r#0, %r#1 : tensor<8192x768xbf16>, tensor<256x768xf32>
}

func.func @wide(%x: tensor<8192x4096xbf16>, %g: tensor<4096xf32>) -> (tensor<8192x4096xbf16>, tensor<256x4096xf32>) {
  %r:2 = prec_sched.dispatch <row> "wide" (%x, %g) : (tensor<8192x4096xbf16>, tensor<4096xf32>) -> (tensor<8192x4096xbf16>, tensor<256x4096xf32>) {
  ^bb0(%a: tensor<8192x4096xbf16>, %b: tensor<4096xf32>):
    %w = arith.extf %a : tensor<8192x4096xbf16> to tensor<8192x4096xf32>
    %gb = prec_train.broadcast %b dims [1] : (tensor<4096xf32>) -> tensor<8192x4096xf32>
    %h = arith.mulf %w, %gb : tensor<8192x4096xf32>
    %s = prec_train.reduce sum %h dims [1] : (tensor<8192x4096xf32>) -> tensor<8192xf32>
    %sb = prec_train.broadcast %s dims [0] : (tensor<8192xf32>) -> tensor<8192x4096xf32>
    %d = arith.subf %h, %sb : tensor<8192x4096xf32>
    %n = arith.truncf %d : tensor<8192x4096xf32> to tensor<8192x4096xbf16>
    %t = arith.mulf %w, %sb : tensor<8192x4096xf32>
    %e = tensor.expand_shape %t [[0, 1], [2]] output_shape [256, 32, 4096] : tensor<8192x4096xf32> into tensor<256x32x4096xf32>
    %c = prec_train.reduce sum %e dims [1] : (tensor<256x32x4096xf32>) -> tensor<256x4096xf32>
    prec_sched.yield %n, %c : tensor<8192x4096xbf16>, tensor<256x4096xf32>
  }
  return %r#0, %r#1 : tensor<8192x4096xbf16>, tensor<256x4096xf32>
}

// A warp for each row of few groups: sixteen rows at once, and no barrier while
// they are reduced. An uneven number of rows is left to one team. Where a team
// has one row, none comes later.
// CHECK-LABEL: llvm.func @prec_even(
// CHECK-NOT: nvvm.cp.async
// CHECK: llvm.br ^[[ROW:bb[0-9]+]](
// CHECK: ^[[ROW]](
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.br ^[[ROW]](
// CHECK-COUNT-8: nvvm.barrier
// CHECK-NOT: nvvm.barrier
// CHECK-LABEL: llvm.func @prec_uneven(
// CHECK-NOT: nvvm.barrier
// CHECK-COUNT-4: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.barrier
// CHECK: llvm.return
func.func @short(%x: tensor<64x64xf32>, %y: tensor<28x64xf32>) -> (tensor<64xf32>, tensor<4x64xf32>, tensor<28xf32>, tensor<4x64xf32>) {
  %r:2 = prec_sched.dispatch <row> "even" (%x) : (tensor<64x64xf32>) -> (tensor<64xf32>, tensor<4x64xf32>) {
  ^bb0(%a: tensor<64x64xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<64x64xf32>) -> tensor<64xf32>
    %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 16, 64] : tensor<64x64xf32> into tensor<4x16x64xf32>
    %c = prec_train.reduce max %e dims [1] : (tensor<4x16x64xf32>) -> tensor<4x64xf32>
    prec_sched.yield %s, %c : tensor<64xf32>, tensor<4x64xf32>
  }
  %u:2 = prec_sched.dispatch <row> "uneven" (%y) : (tensor<28x64xf32>) -> (tensor<28xf32>, tensor<4x64xf32>) {
  ^bb0(%a: tensor<28x64xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<28x64xf32>) -> tensor<28xf32>
    %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 7, 64] : tensor<28x64xf32> into tensor<4x7x64xf32>
    %c = prec_train.reduce max %e dims [1] : (tensor<4x7x64xf32>) -> tensor<4x64xf32>
    prec_sched.yield %s, %c : tensor<28xf32>, tensor<4x64xf32>
  }
  return %r#0, %r#1, %u#0, %u#1 : tensor<64xf32>, tensor<4x64xf32>, tensor<28xf32>, tensor<4x64xf32>
}

// Of many groups a block walks over two, whose rows follow each other: while the
// columns of one are stored, rows of the next are under way, with the statistics
// of each.
// CHECK-LABEL: llvm.func @prec_many(
// CHECK-COUNT-6: nvvm.cp.async.shared.global
// CHECK-NOT: nvvm.cp.async.shared.global
// CHECK: nvvm.cp.async.commit.group
// CHECK: llvm.br ^[[GROUP:bb[0-9]+]](
// CHECK: ^[[GROUP]](
// CHECK: llvm.br ^[[ROW:bb[0-9]+]](
// CHECK: ^[[ROW]](
// CHECK: nvvm.cp.async.wait.group 2
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK-COUNT-2: nvvm.cp.async.shared.global
// CHECK: llvm.br ^[[ROW]](
// CHECK: llvm.store {{.*}} : vector<2xf32>, !llvm.ptr<1>
// CHECK: llvm.br ^[[GROUP]](
// CHECK: llvm.return
func.func @many(%x: tensor<3072x64xf32>, %r: tensor<3072xf32>) -> (tensor<3072x64xf32>, tensor<1024x64xf32>) {
  %y:2 = prec_sched.dispatch <row> "many" (%x, %r) : (tensor<3072x64xf32>, tensor<3072xf32>) -> (tensor<3072x64xf32>, tensor<1024x64xf32>) {
  ^bb0(%a: tensor<3072x64xf32>, %b: tensor<3072xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<3072x64xf32>) -> tensor<3072xf32>
    %m = arith.mulf %s, %b : tensor<3072xf32>
    %mb = prec_train.broadcast %m dims [0] : (tensor<3072xf32>) -> tensor<3072x64xf32>
    %d = arith.subf %a, %mb : tensor<3072x64xf32>
    %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [1024, 3, 64] : tensor<3072x64xf32> into tensor<1024x3x64xf32>
    %c = prec_train.reduce sum %e dims [1] : (tensor<1024x3x64xf32>) -> tensor<1024x64xf32>
    prec_sched.yield %d, %c : tensor<3072x64xf32>, tensor<1024x64xf32>
  }
  return %y#0, %y#1 : tensor<3072x64xf32>, tensor<1024x64xf32>
}
