// RUN: prec-opt %s --prec-classify | FileCheck %s

// Norm, softmax, rotation and loss made of primitives.

// CHECK-LABEL: @rms_norm
func.func @rms_norm(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>, %g: tensor<16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %n = arith.constant dense<16.0> : tensor<8xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<8xf32>
  // Neither term is a stream: no embedding and no input of a norm.
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<elementwise>
  %s = arith.addf %x, %y : tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<norm>
  %sq = arith.mulf %s, %s : tensor<8x16xf32>
  // CHECK: prec_train.reduce {{.*}}prec.class = #prec.class<norm>
  %sum = prec_train.reduce sum %sq dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  // CHECK: arith.divf {{.*}}prec.class = #prec.class<norm>
  %mean = arith.divf %sum, %n : tensor<8xf32>
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<norm>
  %me = arith.addf %mean, %eps : tensor<8xf32>
  // CHECK: math.rsqrt {{.*}}prec.class = #prec.class<norm>
  %r = math.rsqrt %me : tensor<8xf32>
  %br = prec_train.broadcast %r dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<norm>
  %xn = arith.mulf %s, %br : tensor<8x16xf32>
  %bg = prec_train.broadcast %g dims [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<norm>
  %yn = arith.mulf %bg, %xn : tensor<8x16xf32>
  %o = prec_train.matmul %yn, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<elementwise>
  %z = arith.addf %s, %o : tensor<8x16xf32>
  return %z : tensor<8x16xf32>
}

// CHECK-LABEL: @layer_norm
func.func @layer_norm(%x: tensor<8x16xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  %n = arith.constant dense<16.0> : tensor<8xf32>
  // CHECK: prec_train.reduce {{.*}}prec.class = #prec.class<norm>
  %s = prec_train.reduce sum %x dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  // CHECK: arith.divf {{.*}}prec.class = #prec.class<norm>
  %m = arith.divf %s, %n : tensor<8xf32>
  %bm = prec_train.broadcast %m dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  // CHECK: arith.subf {{.*}}prec.class = #prec.class<norm>
  %c = arith.subf %x, %bm : tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<norm>
  %sq = arith.mulf %c, %c : tensor<8x16xf32>
  %sum = prec_train.reduce sum %sq dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %var = arith.divf %sum, %n : tensor<8xf32>
  // CHECK: math.sqrt {{.*}}prec.class = #prec.class<norm>
  %sd = math.sqrt %var : tensor<8xf32>
  %bsd = prec_train.broadcast %sd dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  // CHECK: arith.divf {{.*}}prec.class = #prec.class<norm>
  %cn = arith.divf %c, %bsd : tensor<8x16xf32>
  %bg = prec_train.broadcast %g dims [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<norm>
  %y = arith.mulf %cn, %bg : tensor<8x16xf32>
  %bb = prec_train.broadcast %b dims [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<norm>
  %z = arith.addf %y, %bb : tensor<8x16xf32>
  return %z : tensor<8x16xf32>
}

// A norm over everything scales other things than what it measures.
// CHECK-LABEL: @global_norm
func.func @global_norm(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<elementwise>
  %sq = arith.mulf %x, %x : tensor<8x16xf32>
  // CHECK: prec_train.reduce {{.*}}prec.class = #prec.class<reduction>
  %sum = prec_train.reduce sum %sq dims [0, 1] : (tensor<8x16xf32>) -> tensor<f32>
  // CHECK: math.sqrt {{.*}}prec.class = #prec.class<elementwise>
  %n = math.sqrt %sum : tensor<f32>
  %b = prec_train.broadcast %n dims [] : (tensor<f32>) -> tensor<8x16xf32>
  // CHECK: arith.divf {{.*}}prec.class = #prec.class<elementwise>
  %z = arith.divf %y, %b : tensor<8x16xf32>
  return %z : tensor<8x16xf32>
}

// CHECK-LABEL: @attention
func.func @attention(%q: tensor<2x8x16xf32>, %k: tensor<2x8x16xf32>, %v: tensor<2x8x16xf32>, %mask: tensor<8x8xf32>) -> tensor<2x8x16xf32> {
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<attention>
  %s = prec_train.matmul %q, %k {transpose_b} : (tensor<2x8x16xf32>, tensor<2x8x16xf32>) -> tensor<2x8x8xf32>
  %bm = prec_train.broadcast %mask dims [1, 2] : (tensor<8x8xf32>) -> tensor<2x8x8xf32>
  // A mask is no residual.
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<elementwise>
  %sm = arith.addf %s, %bm : tensor<2x8x8xf32>
  // CHECK: prec_train.reduce max {{.*}}prec.class = #prec.class<softmax>
  %m = prec_train.reduce max %sm dims [2] : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %mb = prec_train.broadcast %m dims [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  // CHECK: arith.subf {{.*}}prec.class = #prec.class<softmax>
  %d = arith.subf %sm, %mb : tensor<2x8x8xf32>
  // CHECK: math.exp {{.*}}prec.class = #prec.class<softmax>
  %e = math.exp %d : tensor<2x8x8xf32>
  // CHECK: prec_train.reduce sum {{.*}}prec.class = #prec.class<softmax>
  %sum = prec_train.reduce sum %e dims [2] : (tensor<2x8x8xf32>) -> tensor<2x8xf32>
  %sb = prec_train.broadcast %sum dims [0, 1] : (tensor<2x8xf32>) -> tensor<2x8x8xf32>
  // CHECK: arith.divf {{.*}}prec.class = #prec.class<softmax>
  %p = arith.divf %e, %sb : tensor<2x8x8xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<attention>
  %o = prec_train.matmul %p, %v : (tensor<2x8x8xf32>, tensor<2x8x16xf32>) -> tensor<2x8x16xf32>
  return %o : tensor<2x8x16xf32>
}

// A sigmoid divides by a sum, but not of rows.
// CHECK-LABEL: @sigmoid
func.func @sigmoid(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %one = arith.constant dense<1.0> : tensor<8x16xf32>
  %n = arith.negf %x : tensor<8x16xf32>
  // CHECK: math.exp {{.*}}prec.class = #prec.class<elementwise>
  %e = math.exp %n : tensor<8x16xf32>
  %s = arith.addf %e, %one : tensor<8x16xf32>
  %y = arith.divf %one, %s : tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// CHECK-LABEL: @rotation
func.func @rotation(%x: tensor<4x8x16xf32>, %y: tensor<4x8x16xf32>, %angle: tensor<8x16xf32>) -> tensor<4x8x16xf32> {
  // CHECK: math.cos {{.*}}prec.class = #prec.class<rotary>
  %c = math.cos %angle : tensor<8x16xf32>
  // CHECK: math.sin {{.*}}prec.class = #prec.class<rotary>
  %s = math.sin %angle : tensor<8x16xf32>
  %cb = prec_train.broadcast %c dims [1, 2] : (tensor<8x16xf32>) -> tensor<4x8x16xf32>
  %sb = prec_train.broadcast %s dims [1, 2] : (tensor<8x16xf32>) -> tensor<4x8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<rotary>
  %a = arith.mulf %x, %cb : tensor<4x8x16xf32>
  %b = arith.mulf %y, %sb : tensor<4x8x16xf32>
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<rotary>
  %z = arith.addf %a, %b : tensor<4x8x16xf32>
  return %z : tensor<4x8x16xf32>
}

// CHECK-LABEL: @squared_error
func.func @squared_error(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>, %t: tensor<8x16xf32>)
    -> (tensor<f32> {prec_train.role = #prec_train.role<loss>}, tensor<16x16xf32>) {
  %two = arith.constant dense<2.0> : tensor<8x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<head>
  %y = prec_train.matmul %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK: arith.subf {{.*}}prec.class = #prec.class<loss>
  %d = arith.subf %y, %t : tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<loss>
  %sq = arith.mulf %d, %d : tensor<8x16xf32>
  // CHECK: prec_train.reduce {{.*}}prec.class = #prec.class<loss>
  %loss = prec_train.reduce sum %sq dims [0, 1] : (tensor<8x16xf32>) -> tensor<f32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<loss>
  %dy = arith.mulf %d, %two : tensor<8x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<head>
  %dw = prec_train.matmul %x, %dy {transpose_a} : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  return %loss, %dw : tensor<f32>, tensor<16x16xf32>
}

// x less its mean is computed twice, and the product reads the second copy. A
// residual is one only if that norm is.
// CHECK-LABEL: @centred_twice
func.func @centred_twice(%x: tensor<8x16xf32>, %g: tensor<16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %n = arith.constant dense<16.0> : tensor<8xf32>
  %eps = arith.constant dense<1.0e-5> : tensor<8xf32>
  // CHECK: prec_train.reduce {{.*}}prec.class = #prec.class<norm>
  %s = prec_train.reduce sum %x dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %m = arith.divf %s, %n : tensor<8xf32>
  %bm = prec_train.broadcast %m dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  // CHECK: arith.subf {{.*}}prec.class = #prec.class<norm>
  %c = arith.subf %x, %bm : tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<norm>
  %sq = arith.mulf %c, %c : tensor<8x16xf32>
  %sum = prec_train.reduce sum %sq dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %var = arith.divf %sum, %n : tensor<8xf32>
  %bm2 = prec_train.broadcast %m dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  // CHECK: arith.subf {{.*}}prec.class = #prec.class<norm>
  %c2 = arith.subf %x, %bm2 : tensor<8x16xf32>
  %ve = arith.addf %var, %eps : tensor<8xf32>
  // CHECK: math.rsqrt {{.*}}prec.class = #prec.class<norm>
  %r = math.rsqrt %ve : tensor<8xf32>
  %br = prec_train.broadcast %r dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<norm>
  %xn = arith.mulf %c2, %br : tensor<8x16xf32>
  // One more than the weight.
  %one = arith.constant dense<1.0> : tensor<16xf32>
  %g1 = arith.addf %g, %one : tensor<16xf32>
  %bg = prec_train.broadcast %g1 dims [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<norm>
  %yn = arith.mulf %bg, %xn : tensor<8x16xf32>
  %o = prec_train.matmul %yn, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  // CHECK: arith.addf {{.*}}prec.class = #prec.class<residual>
  %z = arith.addf %x, %o : tensor<8x16xf32>
  %rms:2 = prec_train.rms_norm %z, %g {eps = 1.0e-05 : f32} : (tensor<8x16xf32>, tensor<16xf32>) -> (tensor<8x16xf32>, tensor<8xf32>)
  return %rms#0 : tensor<8x16xf32>
}

// Not the mean of what is scaled.
// CHECK-LABEL: @centred_otherwise
func.func @centred_otherwise(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %n = arith.constant dense<16.0> : tensor<8xf32>
  %s = prec_train.reduce sum %x dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  %m = arith.divf %s, %n : tensor<8xf32>
  %bm = prec_train.broadcast %m dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %c = arith.subf %x, %bm : tensor<8x16xf32>
  %sq = arith.mulf %c, %c : tensor<8x16xf32>
  %sum = prec_train.reduce sum %sq dims [1] : (tensor<8x16xf32>) -> tensor<8xf32>
  // CHECK: math.rsqrt {{.*}}prec.class = #prec.class<elementwise>
  %r = math.rsqrt %sum : tensor<8xf32>
  %br = prec_train.broadcast %r dims [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %c2 = arith.subf %y, %bm : tensor<8x16xf32>
  // CHECK: arith.mulf {{.*}}prec.class = #prec.class<elementwise>
  %xn = arith.mulf %c2, %br : tensor<8x16xf32>
  return %xn : tensor<8x16xf32>
}

// Exponentials of scores that are contracted again are read in no FP8, however
// they are normalized; those of an activation function are.
// CHECK-LABEL: @exponential_kernel
func.func @exponential_kernel(%q: tensor<16x16xf32>, %k: tensor<16x16xf32>, %v: tensor<16x16xf32>) -> tensor<16x16xf32> {
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<attention>
  %s = prec_train.matmul %q, %k : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = math.exp %s : tensor<16x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<attention>
  %o = prec_train.matmul %e, %v : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}

// CHECK-LABEL: @activation
func.func @activation(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>, %w2: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<contraction>
  %h = prec_train.matmul %x, %w : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %e = math.exp %h : tensor<16x16xf32>
  %s = arith.addf %e, %one : tensor<16x16xf32>
  %g = arith.divf %e, %s : tensor<16x16xf32>
  %a = arith.mulf %h, %g : tensor<16x16xf32>
  // CHECK: prec_train.matmul {{.*}}prec.class = #prec.class<contraction>
  %o = prec_train.matmul %a, %w2 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %o : tensor<16x16xf32>
}
