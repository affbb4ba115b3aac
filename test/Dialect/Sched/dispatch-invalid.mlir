// RUN: prec-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: tensor<4xf32>) {
  // dispatch_c1
  // expected-error @+1 {{block arguments must have the types of the inputs, but got 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    prec_sched.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // dispatch_c2
  // expected-error @+1 {{yielded types must be those of the results, but got 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    prec_sched.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // dispatch_c3
  // expected-error @+1 {{inplace must have one entry for each of 1 results, but got 2}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) {inplace = array<i64: 0, -1>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    prec_sched.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // dispatch_c4
  // expected-error @+1 {{a result computed in place must have the type of its input, but got input 1 for result 0}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) {inplace = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    prec_sched.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // dispatch_c4
  // expected-error @+1 {{a result computed in place must have the type of its input, but got input -2 for result 0}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) {inplace = array<i64: -2>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    prec_sched.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x8xf32>) {
  // dispatch_c4
  // expected-error @+1 {{a result computed in place must have the type of its input, but got input 0 for result 0}}
  %0 = prec_sched.dispatch <row> "a" (%x) {inplace = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = prec_train.reduce sum %a dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    prec_sched.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // placements_c1
  // expected-error @+1 {{placements must be one for each of 1 results, but got 2}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) {placements = [#prec_sched.placement<state, 0>, #prec_sched.placement<state, 256>]} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    prec_sched.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-note @+1 {{required by region isolation constraints}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{using value defined outside the region}}
    prec_sched.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects region #0 to have 0 or 1 blocks}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    prec_sched.yield %a : tensor<4xf32>
  ^bb1:
    prec_sched.yield
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{region #0 ('body') failed to verify constraint: region with 1 blocks}}
  %0 = "prec_sched.dispatch"(%x) <{family = #prec_sched.family<elementwise>, sym = "a"}> ({
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // dispatch_c2: a body that does not end in a yield yields nothing.
  // expected-error @+1 {{yielded types must be those of the results, but got  and 'tensor<4xf32>'}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %1 = arith.negf %a : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @+1 {{expects parent op 'prec_sched.dispatch'}}
  prec_sched.yield %x : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<4x8xf32>, %o: tensor<4xi32>) {
  // dispatch_c5
  // expected-error @+1 {{an order must be an input of i32 that rows do not read, but got input 0}}
  %0 = prec_sched.dispatch <row> "a" (%x, %o) {order = 0 : i64} : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4xi32>):
    %1 = prec_train.reduce sum %a dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    prec_sched.yield %1 : tensor<4xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4x2x8xf32>, %o: tensor<4xi32>) {
  // dispatch_c6
  // expected-error @+1 {{an order must have an element for each of 8 rows, but got 4}}
  %0 = prec_sched.dispatch <row> "a" (%x, %o) {order = 1 : i64} : (tensor<4x2x8xf32>, tensor<4xi32>) -> tensor<4x2xf32> {
  ^bb0(%a: tensor<4x2x8xf32>, %b: tensor<4xi32>):
    %1 = prec_train.reduce sum %a dims [2] : (tensor<4x2x8xf32>) -> tensor<4x2xf32>
    prec_sched.yield %1 : tensor<4x2xf32>
  }
  return
}

// -----

func.func @f(%x: tensor<4xf32>, %o: tensor<4xi32>) {
  // dispatch_c5
  // expected-error @+1 {{an order must be an input of i32 that rows do not read, but got input 1}}
  %0 = prec_sched.dispatch <elementwise> "a" (%x, %o) {order = 1 : i64} : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xi32>):
    prec_sched.yield %a : tensor<4xf32>
  }
  return
}
