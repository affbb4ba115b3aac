// RUN: prec-opt %s | prec-opt | FileCheck %s

// CHECK-LABEL: @rows
func.func @rows(%x: tensor<64x16xbf16>, %g: tensor<4xf32>, %e: tensor<4xi32>) {
  // CHECK: prec.group_amax %{{.*}}, %{{.*}} : (tensor<64x16xbf16>, tensor<4xi32>) -> tensor<4xf32>
  %a = prec.group_amax %x, %e : (tensor<64x16xbf16>, tensor<4xi32>) -> tensor<4xf32>
  // CHECK: prec.delayed_scale %{{.*}} of "experts/activation" for e4m3 : tensor<4xf32>
  %s, %d = prec.delayed_scale %a of "experts/activation" for e4m3 : tensor<4xf32>
  // CHECK: prec.group_scales %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xi32>) -> tensor<64xf32>
  %r = prec.group_scales %s, %e : (tensor<4xf32>, tensor<4xi32>) -> tensor<64xf32>
  // CHECK: prec.align_groups %{{.*}}, %{{.*}} : (tensor<64x16xbf16>, tensor<4xi32>) -> tensor<512x16xbf16>
  %y = prec.align_groups %x, %e : (tensor<64x16xbf16>, tensor<4xi32>) -> tensor<512x16xbf16>
  return
}

// CHECK-LABEL: @history
func.func @history(%h: tensor<4x16xf32>, %a: tensor<4xf32>, %b: tensor<f32>, %c: tensor<3xf32>) {
  // CHECK: prec.record_amax %{{.*}}, %{{.*}} : tensor<4x16xf32> of tensor<4xf32>
  %0, %1 = prec.record_amax %h, %a : tensor<4x16xf32> of tensor<4xf32>
  // CHECK: prec.record_amax %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x16xf32> of tensor<f32>, tensor<3xf32>
  %2, %3 = prec.record_amax %h, %b, %c : tensor<4x16xf32> of tensor<f32>, tensor<3xf32>
  return
}

// CHECK-LABEL: @products
func.func @products(%x: tensor<64x256xf8E4M3FN>, %w: tensor<4x128x256xf8E4M3FN>, %g: tensor<32x512xf8E5M2>, %t: tensor<48x512xf8E4M3FN>, %s: tensor<4xf32>, %sb: tensor<2x64xf32>, %sw: tensor<4x1x4xf32>, %e: tensor<4xi32>) {
  // CHECK: prec.scaled_grouped_matmul %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} <fast> by tensor_current, tensor_delayed
  %0 = prec.scaled_grouped_matmul %x scale %s, %w scale %s, %e <fast> by tensor_current, tensor_delayed
    : (tensor<64x256xf8E4M3FN>, tensor<4xf32>, tensor<4x128x256xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<64x128xbf16>
  // CHECK: <promoted> by block_1x128, block_128x128
  %1 = prec.scaled_grouped_matmul %x scale %sb, %w scale %sw, %e <promoted> by block_1x128, block_128x128
    : (tensor<64x256xf8E4M3FN>, tensor<2x64xf32>, tensor<4x128x256xf8E4M3FN>, tensor<4x1x4xf32>, tensor<4xi32>) -> tensor<64x128xbf16>
  // CHECK: -> tensor<4x32x48xf32>
  %2 = prec.scaled_grouped_matmul %g scale %s, %t scale %s, %e <full> by tensor_current, tensor_current
    : (tensor<32x512xf8E5M2>, tensor<4xf32>, tensor<48x512xf8E4M3FN>, tensor<4xf32>, tensor<4xi32>) -> tensor<4x32x48xf32>
  return
}
