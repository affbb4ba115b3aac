// RUN: prec-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

func.func @f(%x: tensor<4xf64>) {
  // expected-error @+1 {{operand #0 must be variadic of statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<4xf64>'}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, sym = "a"}> ({
  ^bb0(%a: tensor<4xf64>):
    %b = "test.compute"(%a) : (tensor<4xf64>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{requires attribute 'family'}}
  %0 = "prec_sched.dispatch"(%x) <{sym = "a"}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{requires attribute 'sym'}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{Invalid attribute `family` in property conversion: "row"}}
  %0 = "prec_sched.dispatch"(%x) <{family = "row", sym = "a"}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{Invalid attribute `sym` in property conversion: 1 : i64}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, sym = 1 : i64}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{Invalid attribute `inplace` in property conversion: [0]}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, inplace = [0], sym = "a"}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{Invalid attribute `kernel` in property conversion: "k"}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, kernel = "k", sym = "a"}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{Invalid attribute `kernel` in property conversion: @a::@k}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, kernel = @a::@k, sym = "a"}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{Invalid attribute `launch` in property conversion: [1]}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, launch = [1], sym = "a"}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'id' failed to satisfy constraint: 64-bit signless integer attribute}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, id = 1 : i32, sym = "a"}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'placements' failed to satisfy constraint: placements}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, placements = [1], sym = "a"}> ({
  ^bb0(%a: tensor<4xf32>):
    %b = "test.compute"(%a) : (tensor<4xf32>) -> tensor<4xf32>
    "prec_sched.yield"(%b) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<?xf32>) {
  // expected-error @+1 {{result #0 must be variadic of statically shaped tensor of 32-bit float or bfloat16 type or 16-bit float or f8E4M3FN type or f8E5M2 type or f8E8M0FNU type or 1-bit signless integer or 8-bit signless integer or 32-bit signless integer or 64-bit signless integer values, but got 'tensor<?xf32>'}}
  %0 = "prec_sched.dispatch"() <{family = #prec_sched.family<elementwise>, sym = "a"}> ({
    %b = "test.compute"() : () -> tensor<?xf32>
    "prec_sched.yield"(%b) : (tensor<?xf32>) -> ()
  }) : () -> tensor<?xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{all of {input, result} have same type}}
  %0 = "prec_sched.copy"(%x) : (tensor<4xf32>) -> tensor<8xf32>
  return
}
