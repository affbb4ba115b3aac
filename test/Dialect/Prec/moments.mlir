// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s

// CHECK: module attributes {prec.moments = #prec.moments<dynamic8>}
module attributes {prec.moments = #prec.moments<dynamic8>} {
// CHECK-LABEL: func.func @moments(
func.func @moments(%m: tensor<64x64xf32>, %v: tensor<512xf32>) {
  // CHECK: prec.dynamic_quantize %arg0 signed : tensor<64x64xf32> to tensor<64x64xi8>, tensor<16xf32>
  %c, %a = prec.dynamic_quantize %m signed : tensor<64x64xf32> to tensor<64x64xi8>, tensor<16xf32>
  // CHECK: prec.dynamic_dequantize %{{.*}}, %{{.*}} signed : tensor<64x64xi8>, tensor<16xf32> to tensor<64x64xf32>
  %0 = prec.dynamic_dequantize %c, %a signed : tensor<64x64xi8>, tensor<16xf32> to tensor<64x64xf32>
  // CHECK: prec.dynamic_quantize %arg1 : tensor<512xf32> to tensor<512xi8>, tensor<2xf32>
  %d, %b = prec.dynamic_quantize %v : tensor<512xf32> to tensor<512xi8>, tensor<2xf32>
  // CHECK: prec.dynamic_dequantize %{{.*}}, %{{.*}} : tensor<512xi8>, tensor<2xf32> to tensor<512xf32>
  %1 = prec.dynamic_dequantize %d, %b : tensor<512xi8>, tensor<2xf32> to tensor<512xf32>
  return
}
}
