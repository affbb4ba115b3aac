// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%a0: tensor<4x16xf64>, %a1: tensor<4xi32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4x16xf64>'}}
  %0:3 = "prec_train.cross_entropy"(%a0, %a1) <{ignore_index = -100 : i32}> : (tensor<4x16xf64>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x16xf32>, %a1: tensor<?xi32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<?xi32>'}}
  %0:3 = "prec_train.cross_entropy"(%a0, %a1) <{ignore_index = -100 : i32}> : (tensor<4x16xf32>, tensor<?xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x16xf32>, %a1: tensor<4xi32>) {
  // expected-error @+1 {{result #0 must be f32 scalar tensor, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.cross_entropy"(%a0, %a1) <{ignore_index = -100 : i32}> : (tensor<4x16xf32>, tensor<4xi32>) -> (tensor<*xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x16xf32>, %a1: tensor<4xi32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4xf64>'}}
  %0:3 = "prec_train.cross_entropy"(%a0, %a1) <{ignore_index = -100 : i32}> : (tensor<4x16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf64>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x16xf32>, %a1: tensor<4xi32>) {
  // expected-error @+1 {{result #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4xf64>'}}
  %0:3 = "prec_train.cross_entropy"(%a0, %a1) <{ignore_index = -100 : i32}> : (tensor<4x16xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf64>)
  return
}

// -----

func.func @f(%a0: tensor<f64>, %a1: tensor<4x16xf32>, %a2: tensor<4xi32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be f32 scalar tensor, but got 'tensor<f64>'}}
  %0 = "prec_train.cross_entropy_grad"(%a0, %a1, %a2, %a3, %a4) <{ignore_index = -100 : i32}> : (tensor<f64>, tensor<4x16xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x16xbf16>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<*xf32>, %a2: tensor<4xi32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.cross_entropy_grad"(%a0, %a1, %a2, %a3, %a4) <{ignore_index = -100 : i32}> : (tensor<f32>, tensor<*xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x16xbf16>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<4x16xf32>, %a2: tensor<4xi64>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit signless integer values, but got 'tensor<4xi64>'}}
  %0 = "prec_train.cross_entropy_grad"(%a0, %a1, %a2, %a3, %a4) <{ignore_index = -100 : i32}> : (tensor<f32>, tensor<4x16xf32>, tensor<4xi64>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x16xbf16>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<4x16xf32>, %a2: tensor<4xi32>, %a3: tensor<?xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?xf32>'}}
  %0 = "prec_train.cross_entropy_grad"(%a0, %a1, %a2, %a3, %a4) <{ignore_index = -100 : i32}> : (tensor<f32>, tensor<4x16xf32>, tensor<4xi32>, tensor<?xf32>, tensor<4xf32>) -> tensor<4x16xbf16>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<4x16xf32>, %a2: tensor<4xi32>, %a3: tensor<4xf32>, %a4: tensor<?xf32>) {
  // expected-error @+1 {{operand #4 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?xf32>'}}
  %0 = "prec_train.cross_entropy_grad"(%a0, %a1, %a2, %a3, %a4) <{ignore_index = -100 : i32}> : (tensor<f32>, tensor<4x16xf32>, tensor<4xi32>, tensor<4xf32>, tensor<?xf32>) -> tensor<4x16xbf16>
  return
}

// -----

func.func @f(%a0: tensor<f32>, %a1: tensor<4x16xf32>, %a2: tensor<4xi32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xbf16>'}}
  %0 = "prec_train.cross_entropy_grad"(%a0, %a1, %a2, %a3, %a4) <{ignore_index = -100 : i32}> : (tensor<f32>, tensor<4x16xf32>, tensor<4xi32>, tensor<4xf32>, tensor<4xf32>) -> tensor<*xbf16>
  return
}

// -----

func.func @f(%a0: tensor<?x8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xf32>'}}
  %0:3 = "prec_train.layer_norm"(%a0, %a1, %a2) <{eps = 1.250000e-01 : f32}> : (tensor<?x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<*xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.layer_norm"(%a0, %a1, %a2) <{eps = 1.250000e-01 : f32}> : (tensor<4x8xf32>, tensor<*xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf64>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<8xf64>'}}
  %0:3 = "prec_train.layer_norm"(%a0, %a1, %a2) <{eps = 1.250000e-01 : f32}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf64>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xf32>'}}
  %0:3 = "prec_train.layer_norm"(%a0, %a1, %a2) <{eps = 1.250000e-01 : f32}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<?x8xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.layer_norm"(%a0, %a1, %a2) <{eps = 1.250000e-01 : f32}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<*xf32>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>, %a2: tensor<8xf32>) {
  // expected-error @+1 {{result #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4xf64>'}}
  %0:3 = "prec_train.layer_norm"(%a0, %a1, %a2) <{eps = 1.250000e-01 : f32}> : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4xf32>, tensor<4xf64>)
  return
}

// -----

func.func @f(%a0: tensor<?x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xbf16>'}}
  %0:3 = "prec_train.layer_norm_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<?x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<*xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.layer_norm_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<4x8xbf16>, tensor<*xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf64>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<8xf64>'}}
  %0:3 = "prec_train.layer_norm_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf64>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<?xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?xf32>'}}
  %0:3 = "prec_train.layer_norm_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<?xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>, %a4: tensor<*xf32>) {
  // expected-error @+1 {{operand #4 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.layer_norm_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<*xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4x8xf64>'}}
  %0:3 = "prec_train.layer_norm_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf64>, tensor<8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?xf32>'}}
  %0:3 = "prec_train.layer_norm_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<?xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) {
  // expected-error @+1 {{result #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:3 = "prec_train.layer_norm_grad"(%a0, %a1, %a2, %a3, %a4) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>, tensor<*xf32>)
  return
}

// -----

func.func @f(%a0: tensor<*xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:2 = "prec_train.rms_norm"(%a0, %a1) <{eps = 1.250000e-01 : f32}> : (tensor<*xf32>, tensor<8xf32>) -> (tensor<4x8xbf16>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf64>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<8xf64>'}}
  %0:2 = "prec_train.rms_norm"(%a0, %a1) <{eps = 1.250000e-01 : f32}> : (tensor<4x8xf32>, tensor<8xf64>) -> (tensor<4x8xbf16>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xbf16>'}}
  %0:2 = "prec_train.rms_norm"(%a0, %a1) <{eps = 1.250000e-01 : f32}> : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<?x8xbf16>, tensor<4xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf32>, %a1: tensor<8xf32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:2 = "prec_train.rms_norm"(%a0, %a1) <{eps = 1.250000e-01 : f32}> : (tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xbf16>, tensor<*xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xf64>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4x8xf64>'}}
  %0:2 = "prec_train.rms_norm_grad"(%a0, %a1, %a2, %a3) : (tensor<4x8xf64>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<?x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xf32>'}}
  %0:2 = "prec_train.rms_norm_grad"(%a0, %a1, %a2, %a3) : (tensor<4x8xbf16>, tensor<?x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<*xf32>, %a3: tensor<4xf32>) {
  // expected-error @+1 {{operand #2 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:2 = "prec_train.rms_norm_grad"(%a0, %a1, %a2, %a3) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<*xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf64>) {
  // expected-error @+1 {{operand #3 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<4xf64>'}}
  %0:2 = "prec_train.rms_norm_grad"(%a0, %a1, %a2, %a3) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf64>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x8xf32>'}}
  %0:2 = "prec_train.rms_norm_grad"(%a0, %a1, %a2, %a3) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<?x8xf32>, tensor<8xf32>)
  return
}

// -----

func.func @f(%a0: tensor<4x8xbf16>, %a1: tensor<4x8xf32>, %a2: tensor<8xf32>, %a3: tensor<4xf32>) {
  // expected-error @+1 {{result #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0:2 = "prec_train.rms_norm_grad"(%a0, %a1, %a2, %a3) : (tensor<4x8xbf16>, tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<*xf32>)
  return
}

// -----

func.func @f(%a0: tensor<*xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.softmax"(%a0) : (tensor<*xf32>) -> tensor<2x4x8xbf16>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8xf64>'}}
  %0 = "prec_train.softmax"(%a0) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf64>
  return
}

// -----

func.func @f(%a0: tensor<?x4x8xf32>, %a1: tensor<2x4x8xf32>) {
  // expected-error @+1 {{operand #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<?x4x8xf32>'}}
  %0 = "prec_train.softmax_grad"(%a0, %a1) : (tensor<?x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8xf32>, %a1: tensor<*xf32>) {
  // expected-error @+1 {{operand #1 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<*xf32>'}}
  %0 = "prec_train.softmax_grad"(%a0, %a1) : (tensor<2x4x8xf32>, tensor<*xf32>) -> tensor<2x4x8xf32>
  return
}

// -----

func.func @f(%a0: tensor<2x4x8xf32>, %a1: tensor<2x4x8xf32>) {
  // expected-error @+1 {{result #0 must be statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type values, but got 'tensor<2x4x8xf64>'}}
  %0 = "prec_train.softmax_grad"(%a0, %a1) : (tensor<2x4x8xf32>, tensor<2x4x8xf32>) -> tensor<2x4x8xf64>
  return
}
