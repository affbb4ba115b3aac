// Two linear layers with a norm and GELU between them, imported from PyTorch: a step that compiles in a second.
module attributes {prec_train.framework = "torch 2.13.0", prec_train.model = "M", prec_train.verified = "verified", prec_train.padding = "beside cross entropies the loss reads 'x' (by prec_train.reduce in M)"} {
  func.func @step(
      %arg0: tensor<64x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "up.weight", prec_train.source_dtype = "f32"},
      %arg1: tensor<64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "norm.weight", prec_train.source_dtype = "f32"},
      %arg2: tensor<32x64xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "down.weight", prec_train.source_dtype = "f32"},
      %arg3: tensor<32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "down.bias", prec_train.source_dtype = "f32"},
      %arg4: tensor<64x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "up.weight.exp_avg", prec_train.param_of = "up.weight", prec_train.slot = "exp_avg"},
      %arg5: tensor<64x32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "up.weight.exp_avg_sq", prec_train.param_of = "up.weight", prec_train.slot = "exp_avg_sq"},
      %arg6: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "norm.weight.exp_avg", prec_train.param_of = "norm.weight", prec_train.slot = "exp_avg"},
      %arg7: tensor<64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "norm.weight.exp_avg_sq", prec_train.param_of = "norm.weight", prec_train.slot = "exp_avg_sq"},
      %arg8: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "down.weight.exp_avg", prec_train.param_of = "down.weight", prec_train.slot = "exp_avg"},
      %arg9: tensor<32x64xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "down.weight.exp_avg_sq", prec_train.param_of = "down.weight", prec_train.slot = "exp_avg_sq"},
      %arg10: tensor<32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "down.bias.exp_avg", prec_train.param_of = "down.bias", prec_train.slot = "exp_avg"},
      %arg11: tensor<32xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "down.bias.exp_avg_sq", prec_train.param_of = "down.bias", prec_train.slot = "exp_avg_sq"},
      %arg12: tensor<64x32xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
      %arg13: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "lr", prec_train.default = 0.001 : f64},
      %arg14: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "beta1", prec_train.default = 0.9 : f64},
      %arg15: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "beta2", prec_train.default = 0.999 : f64},
      %arg16: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "eps", prec_train.default = 1.0e-08 : f64},
      %arg17: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "weight_decay", prec_train.default = 0.01 : f64},
      %arg18: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "step", prec_train.default = 1.0 : f64},
      %arg19: tensor<f32> {prec_train.role = #prec_train.role<hyper>, prec_train.path = "max_norm", prec_train.default = 1.0 : f64}
  ) -> (
      tensor<f32> {prec_train.role = #prec_train.role<loss>, prec_train.path = "loss"},
      tensor<f32> {prec_train.role = #prec_train.role<metric>, prec_train.path = "grad_norm"},
      tensor<64x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "up.weight", prec_train.donated_to = 0 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "norm.weight", prec_train.donated_to = 1 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "down.weight", prec_train.donated_to = 2 : i64},
      tensor<32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "down.bias", prec_train.donated_to = 3 : i64},
      tensor<64x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "up.weight.exp_avg", prec_train.donated_to = 4 : i64},
      tensor<64x32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "up.weight.exp_avg_sq", prec_train.donated_to = 5 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "norm.weight.exp_avg", prec_train.donated_to = 6 : i64},
      tensor<64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "norm.weight.exp_avg_sq", prec_train.donated_to = 7 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "down.weight.exp_avg", prec_train.donated_to = 8 : i64},
      tensor<32x64xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "down.weight.exp_avg_sq", prec_train.donated_to = 9 : i64},
      tensor<32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "down.bias.exp_avg", prec_train.donated_to = 10 : i64},
      tensor<32xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "down.bias.exp_avg_sq", prec_train.donated_to = 11 : i64}
  ) attributes {prec.entry = "step"} {
    %0 = arith.constant dense<0.70710677> : tensor<64x64xf32>
    %1 = arith.constant dense<1.0> : tensor<64x64xf32>
    %2 = arith.constant dense<0.5> : tensor<64x64xf32>
    %3 = arith.constant dense<2048.0> : tensor<f32>
    %4 = arith.constant dense<1.0> : tensor<64x32xf32>
    %5 = arith.constant dense<2048.0> : tensor<64x32xf32>
    %6 = arith.constant dense<2.0> : tensor<64x32xf32>
    %7 = arith.constant dense<-0.5> : tensor<64x64xf32>
    %8 = arith.constant dense<0.3989423> : tensor<64x64xf32>
    %9 = prec_train.matmul %arg12, %arg0 {transpose_b, prec_train.seq = 1 : i64} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32> loc("up")
    %10:2 = prec_train.rms_norm %9, %arg1 {eps = 1.1920929e-07 : f32, prec_train.seq = 2 : i64} : (tensor<64x64xf32>, tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) loc("norm")
    %11 = arith.mulf %10#0, %0 {prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %12 = math.erf %11 {prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %13 = arith.addf %12, %1 {prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %14 = arith.mulf %13, %2 {prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %15 = arith.mulf %10#0, %14 {prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %16 = prec_train.matmul %15, %arg2 {transpose_b, prec_train.seq = 5 : i64} : (tensor<64x64xf32>, tensor<32x64xf32>) -> tensor<64x32xf32> loc("down")
    %17 = prec_train.broadcast %arg3 dims [1] {prec_train.seq = 5 : i64} : (tensor<32xf32>) -> tensor<64x32xf32> loc("down")
    %18 = arith.addf %16, %17 {prec_train.seq = 5 : i64} : tensor<64x32xf32> loc("down")
    %19 = arith.mulf %18, %18 {prec_train.seq = 6 : i64} : tensor<64x32xf32> loc("M")
    %20 = prec_train.reduce sum %19 dims [0, 1] {prec_train.seq = 7 : i64} : (tensor<64x32xf32>) -> tensor<f32> loc("M")
    %21 = arith.divf %20, %3 {prec_train.seq = 7 : i64} : tensor<f32> loc("M")
    %22 = arith.divf %4, %5 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 7 : i64} : tensor<64x32xf32> loc("M")
    %23 = arith.mulf %18, %6 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 6 : i64} : tensor<64x32xf32> loc("M")
    %24 = arith.mulf %22, %23 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 6 : i64} : tensor<64x32xf32> loc("M")
    %25 = prec_train.matmul %24, %arg2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32> loc("down")
    %26 = prec_train.matmul %24, %15 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : (tensor<64x32xf32>, tensor<64x64xf32>) -> tensor<32x64xf32> loc("down")
    %27 = prec_train.reduce sum %24 dims [0] {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 5 : i64} : (tensor<64x32xf32>) -> tensor<32xf32> loc("down")
    %28 = arith.mulf %10#0, %0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %29 = math.erf %28 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %30 = arith.addf %29, %1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %31 = arith.mulf %30, %2 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %32 = arith.mulf %10#0, %10#0 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %33 = arith.mulf %32, %7 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %34 = math.exp %33 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %35 = arith.mulf %34, %8 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %36 = arith.mulf %10#0, %35 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %37 = arith.addf %31, %36 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %38 = arith.mulf %25, %37 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 3 : i64} : tensor<64x64xf32> loc("M")
    %39:2 = prec_train.rms_norm_grad %38, %9, %arg1, %10#1 {prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 2 : i64} : (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) loc("norm")
    %40 = prec_train.matmul %39#0, %arg12 {transpose_a, prec_train.phase = #prec_train.phase<backward>, prec_train.seq = 1 : i64} : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32> loc("up")
    %41 = prec_train.global_norm %40, %39#1, %26, %27 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x32xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<32xf32>) -> tensor<f32> loc("optimizer")
    %42 = prec_train.clip %41, %arg19 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<f32>, tensor<f32>) -> tensor<f32> loc("optimizer")
    %43:3 = prec_train.adamw %arg0, %40, %arg4, %arg5, %arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %42 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) loc("up.weight")
    %44:3 = prec_train.adamw %arg1, %39#1, %arg6, %arg7, %arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %42 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) loc("norm.weight")
    %45:3 = prec_train.adamw %arg2, %26, %arg8, %arg9, %arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %42 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) loc("down.weight")
    %46:3 = prec_train.adamw %arg3, %27, %arg10, %arg11, %arg13, %arg14, %arg15, %arg16, %arg17, %arg18, %42 {prec_train.phase = #prec_train.phase<optimizer>} : (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) loc("down.bias")
    return %21, %41, %43#0, %44#0, %45#0, %46#0, %43#1, %43#2, %44#1, %44#2, %45#1, %45#2, %46#1, %46#2 : tensor<f32>, tensor<f32>, tensor<64x32xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64xf32>, tensor<64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32xf32>, tensor<32xf32>
  }
}
