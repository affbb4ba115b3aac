// RUN: prec-opt %s --prec-order-formulas | FileCheck %s

// Two orders of the same formulas, either of which a C++ compiler may build.
// CHECK-LABEL: func.func @one(
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.0
// CHECK-NEXT: %[[A:.*]] = arith.addf %arg0, %[[C]]
// CHECK-NEXT: %[[M:.*]] = arith.mulf %arg1, %arg1
// CHECK-NEXT: %[[S:.*]] = arith.subf %[[A]], %[[M]]
// CHECK-NEXT: return %[[S]]
func.func @one(%x: f32, %y: f32) -> f32 {
  %m = arith.mulf %y, %y : f32
  %c = arith.constant 2.0 : f32
  %a = arith.addf %x, %c : f32
  %s = arith.subf %a, %m : f32
  return %s : f32
}
// CHECK-LABEL: func.func @other(
// CHECK-NEXT: %[[C:.*]] = arith.constant 2.0
// CHECK-NEXT: %[[A:.*]] = arith.addf %arg0, %[[C]]
// CHECK-NEXT: %[[M:.*]] = arith.mulf %arg1, %arg1
// CHECK-NEXT: %[[S:.*]] = arith.subf %[[A]], %[[M]]
// CHECK-NEXT: return %[[S]]
func.func @other(%x: f32, %y: f32) -> f32 {
  %c = arith.constant 2.0 : f32
  %a = arith.addf %x, %c : f32
  %m = arith.mulf %y, %y : f32
  %s = arith.subf %a, %m : f32
  return %s : f32
}

// The first of two users decides, and of two operands of one the first.
// CHECK-LABEL: func.func @first_use(
// CHECK-NEXT: %[[LATE:.*]] = arith.negf %arg0
// CHECK-NEXT: %[[EARLY:.*]] = math.absf %arg0
// CHECK-NEXT: llvm.store %[[LATE]], %arg1
// CHECK-NEXT: llvm.store %[[EARLY]], %arg1
// CHECK-NEXT: llvm.store %[[LATE]], %arg1
func.func @first_use(%x: f32, %p: !llvm.ptr) {
  %early = math.absf %x : f32
  %late = arith.negf %x : f32
  llvm.store %late, %p : f32, !llvm.ptr
  llvm.store %early, %p : f32, !llvm.ptr
  llvm.store %late, %p : f32, !llvm.ptr
  return
}

// What touches memory is not passed: the product stays in front of the load.
// CHECK-LABEL: func.func @anchors(
// CHECK-NEXT: %[[A:.*]] = llvm.load
// CHECK-NEXT: %[[M:.*]] = arith.mulf %[[A]], %[[A]]
// CHECK-NEXT: %[[B:.*]] = llvm.load
// CHECK-NEXT: %[[S:.*]] = arith.addf %[[B]], %[[M]]
func.func @anchors(%p: !llvm.ptr) -> f32 {
  %a = llvm.load %p : !llvm.ptr -> f32
  %m = arith.mulf %a, %a : f32
  %b = llvm.load %p : !llvm.ptr -> f32
  %s = arith.addf %b, %m : f32
  return %s : f32
}

// Uses in a region count for the operation that has it, in their order there.
// CHECK-LABEL: func.func @regions(
// CHECK-NEXT: %[[A:.*]] = math.absf %arg1
// CHECK-NEXT: %[[N:.*]] = arith.negf %arg1
// CHECK-NEXT: scf.if %arg0
// CHECK-NEXT:   llvm.store %[[A]]
// CHECK-NEXT:   llvm.store %[[N]]
func.func @regions(%c: i1, %x: f32, %p: !llvm.ptr) {
  %n = arith.negf %x : f32
  %a = math.absf %x : f32
  scf.if %c {
    llvm.store %a, %p : f32, !llvm.ptr
    llvm.store %n, %p : f32, !llvm.ptr
  }
  return
}

// Uses in later blocks count as well; what nothing uses is erased.
// CHECK-LABEL: func.func @blocks(
// CHECK-NEXT: %[[A:.*]] = math.absf %arg0
// CHECK-NEXT: %[[N:.*]] = arith.negf %arg0
// CHECK-NEXT: cf.br ^bb1
// CHECK-NEXT: ^bb1:
// CHECK-NEXT: llvm.store %[[A]]
// CHECK-NEXT: llvm.store %[[N]]
// CHECK-NEXT: return
func.func @blocks(%x: f32, %p: !llvm.ptr) {
  %n = arith.negf %x : f32
  %unused = arith.addf %n, %x : f32
  %a = math.absf %x : f32
  cf.br ^next
^next:
  llvm.store %a, %p : f32, !llvm.ptr
  llvm.store %n, %p : f32, !llvm.ptr
  return
}
