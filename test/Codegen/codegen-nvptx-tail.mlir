// RUN: prec-opt %s --prec-codegen-nvptx | FileCheck %s

// Threads behind the end store nothing, and read what is there: their loads
// stand in front of the condition.
// CHECK-LABEL: llvm.func @prec_elements(
// CHECK: [[THREAD:%.*]] = llvm.intr.smin(
// CHECK: llvm.mul [[THREAD]]
// CHECK: llvm.load
// CHECK: llvm.cond_br
// CHECK: llvm.store
func.func @elements(%x: tensor<1000xbf16>) -> tensor<1000xbf16> {
  %r = prec_sched.dispatch <elementwise> "elements" (%x) : (tensor<1000xbf16>) -> tensor<1000xbf16> {
  ^bb0(%a: tensor<1000xbf16>):
    %w = arith.extf %a : tensor<1000xbf16> to tensor<1000xf32>
    %d = arith.addf %w, %w : tensor<1000xf32>
    %n = arith.truncf %d : tensor<1000xf32> to tensor<1000xbf16>
    prec_sched.yield %n : tensor<1000xbf16>
  }
  return %r : tensor<1000xbf16>
}

// CHECK-LABEL: llvm.func @prec_rows(
// CHECK: llvm.intr.smin(
// CHECK: llvm.load
// CHECK: llvm.cond_br
func.func @rows(%x: tensor<6x128xf32>) -> tensor<6xf32> {
  %r = prec_sched.dispatch <row> "rows" (%x) : (tensor<6x128xf32>) -> tensor<6xf32> {
  ^bb0(%a: tensor<6x128xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<6x128xf32>) -> tensor<6xf32>
    prec_sched.yield %s : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

// CHECK-LABEL: llvm.func @prec_tiles(
// CHECK-COUNT-2: llvm.intr.smin(
// CHECK: llvm.load {{.*}} : !llvm.ptr<1>
// CHECK: llvm.cond_br
func.func @tiles(%x: tensor<200x136xbf16>) -> tensor<136x200xbf16> {
  %r = prec_sched.dispatch <transpose> "tiles" (%x) : (tensor<200x136xbf16>) -> tensor<136x200xbf16> {
  ^bb0(%a: tensor<200x136xbf16>):
    %t = prec_train.transpose %a permutation [1, 0] : (tensor<200x136xbf16>) -> tensor<136x200xbf16>
    prec_sched.yield %t : tensor<136x200xbf16>
  }
  return %r : tensor<136x200xbf16>
}
