// RUN: prec-opt %s --prec-classify --assign-precision="recipe=fp8-hybrid target=sm_90a" --verify-precision | FileCheck %s

// What another compiler could have produced: no prec_train operation, no metadata.

// CHECK-LABEL: @attend
func.func @attend(%q: tensor<64x32xf32>, %k: tensor<32x48xf32>, %v: tensor<48x16xf32>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e0 = tensor.empty() : tensor<64x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  // CHECK: linalg.matmul {prec.class = #prec.class<attention>, prec.operand_tags = [#prec.tag<bf16, rule = "attention: {{[^"]*}}">, #prec.tag<bf16, rule = "attention: {{[^"]*}}">, unit], prec.result_tags = [#prec.tag<bf16,
  %s = linalg.matmul ins(%q, %k : tensor<64x32xf32>, tensor<32x48xf32>) outs(%f0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %er = tensor.empty() : tensor<64xf32>
  %fm = linalg.fill ins(%low : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  // CHECK: linalg.reduce {{.*}}prec.class = #prec.class<softmax>, prec.result_tags = [#prec.tag<f32, rule = "softmax: the tail of exp(z) vanishes in less than FP32 (DeepSeek-V3 map)">]
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<64x48xf32>) outs(%fm : tensor<64xf32>) dimensions = [1]
  // CHECK: linalg.generic {{.*}}prec.class = #prec.class<softmax>, prec.result_tags = [#prec.tag<f32, rule = "softmax: the tail of exp(z) vanishes in less than FP32 (DeepSeek-V3 map)">]
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<64x48xf32>, tensor<64xf32>) outs(%e0 : tensor<64x48xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %d = arith.subf %a, %b : f32
      %ex = math.exp %d : f32
      linalg.yield %ex : f32
  } -> tensor<64x48xf32>
  %fs = linalg.fill ins(%zero : f32) outs(%er : tensor<64xf32>) -> tensor<64xf32>
  // CHECK: linalg.reduce {{.*}}prec.class = #prec.class<softmax>, prec.result_tags = [#prec.tag<f32, rule = "softmax: the tail of exp(z) vanishes in less than FP32 (DeepSeek-V3 map)">]
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<64x48xf32>) outs(%fs : tensor<64xf32>) dimensions = [1]
  %bs = linalg.broadcast ins(%sum : tensor<64xf32>) outs(%e0 : tensor<64x48xf32>) dimensions = [1]
  // CHECK: linalg.div {prec.class = #prec.class<softmax>, prec.result_tags = [#prec.tag<bf16, rule = "softmax: {{[^"]*}} (DeepSeek-V3 map)">]
  %p = linalg.div ins(%x, %bs : tensor<64x48xf32>, tensor<64x48xf32>) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %e1 = tensor.empty() : tensor<64x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x16xf32>) -> tensor<64x16xf32>
  // CHECK: linalg.matmul {prec.class = #prec.class<attention>, prec.operand_tags = [#prec.tag<bf16, rule = "attention: {{[^"]*}}">, #prec.tag<bf16, rule = "attention: {{[^"]*}}">, unit], prec.result_tags = [#prec.tag<bf16,
  %y = linalg.matmul ins(%p, %v : tensor<64x48xf32>, tensor<48x16xf32>) outs(%f1 : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}

// CHECK-LABEL: @mlp
func.func @mlp(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>, %v: tensor<48x16xf32>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<64x48xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  // CHECK: linalg.matmul {prec.class = #prec.class<contraction>, prec.direction = "fprop", prec.operand_tags = [#prec.tag<e4m3, scaling = tensor_current, accumulator = fast, {{.*}}>, #prec.tag<e4m3, scaling = tensor_current, {{.*}}>, unit], prec.result_tags = [#prec.tag<bf16,
  %s = linalg.matmul ins(%x, %w : tensor<64x32xf32>, tensor<32x48xf32>) outs(%f0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  // CHECK: linalg.tanh {prec.class = #prec.class<elementwise>, prec.result_tags = [#prec.tag<bf16, rule = "read by a contraction: {{[^"]*}}">]
  %p = linalg.tanh ins(%s : tensor<64x48xf32>) outs(%e0 : tensor<64x48xf32>) -> tensor<64x48xf32>
  %e1 = tensor.empty() : tensor<64x16xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x16xf32>) -> tensor<64x16xf32>
  // CHECK: linalg.matmul {prec.class = #prec.class<contraction>, prec.direction = "fprop", prec.operand_tags = [#prec.tag<e4m3, scaling = tensor_current, accumulator = fast, {{.*}}>, #prec.tag<e4m3, scaling = tensor_current, {{.*}}>, unit], prec.result_tags = [#prec.tag<bf16,
  %y = linalg.matmul ins(%p, %v : tensor<64x48xf32>, tensor<48x16xf32>) outs(%f1 : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %y : tensor<64x16xf32>
}
