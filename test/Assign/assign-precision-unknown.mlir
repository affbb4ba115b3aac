// RUN: prec-opt %s --allow-unregistered-dialect --prec-classify --assign-precision="recipe=bf16 target=cpu" --verify-precision | FileCheck %s

// Whatever is unknown keeps f32 around it; nothing crashes.

func.func private @external(tensor<4x4xf32>) -> tensor<4x4xf32>

// CHECK-LABEL: @control_flow
func.func @control_flow(%x: tensor<4x4xf32>, %unranked: tensor<*xf32>, %m: memref<4x4xf32>, %c: tensor<4xcomplex<f32>>) -> tensor<4x4xf32> {
  // CHECK: call @external{{.*}}prec.result_tags = [#prec.tag<f32, rule = "unknown operation: nothing is known of its numbers">]
  %w = func.call @external(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  linalg.matmul ins(%m, %m : memref<4x4xf32>, memref<4x4xf32>) outs(%m : memref<4x4xf32>)
  "other.br"(%x)[^bb1] : (tensor<4x4xf32>) -> ()
^bb2:
  %q = arith.addf %y, %a : tensor<4x4xf32>
  return %q : tensor<4x4xf32>
^bb1(%a: tensor<4x4xf32>):
  %y = math.exp %a : tensor<4x4xf32>
  %z = prec_train.matmul %y, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  "other.cond_br"(%z)[^bb1, ^bb2] : (tensor<4x4xf32>) -> ()
}

// CHECK-LABEL: @regions
func.func @regions(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %g = tensor.generate {
    ^bb0(%i: index, %j: index):
      %f = arith.constant 1.0 : f32
      tensor.yield %f : f32
  } : tensor<4x4xf32>
  // CHECK: math.tanh {{.*}}#prec.tag<f32, rule = "elementwise result stays
  %t = math.tanh %x : tensor<4x4xf32>
  %r = "other.op"(%t, %g) ({
    ^bb0(%k: tensor<4x4xf32>):
      // CHECK: arith.mulf {{.*}}prec.result_tags
      %l = arith.mulf %k, %k : tensor<4x4xf32>
      "other.yield"(%l) : (tensor<4x4xf32>) -> ()
  }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// CHECK-LABEL: @self
func.func @self(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.rsqrt %x : tensor<4xf32>
  %1 = math.rsqrt %0 : tensor<4xf32>
  %2 = arith.divf %1, %1 : tensor<4xf32>
  %3 = math.exp %2 : tensor<4xf32>
  %4 = arith.divf %3, %3 : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// CHECK-LABEL: @empty
func.func @empty() {
  return
}

// CHECK-LABEL: @no_elements
func.func @no_elements(%x: tensor<0x4xf32>, %y: tensor<4x0xf32>) -> (tensor<0x0xf32>, tensor<4x4xf32>) {
  %a = prec_train.matmul %x, %y : (tensor<0x4xf32>, tensor<4x0xf32>) -> tensor<0x0xf32>
  %b = prec_train.matmul %y, %x : (tensor<4x0xf32>, tensor<0x4xf32>) -> tensor<4x4xf32>
  return %a, %b : tensor<0x0xf32>, tensor<4x4xf32>
}
