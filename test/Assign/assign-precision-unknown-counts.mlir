// RUN: prec-opt %s --allow-unregistered-dialect --assign-precision="recipe=bf16 target=cpu" --verify-diagnostics -o /dev/null

// What nothing is known of is counted, function by function: f32 around it is no decision.

func.func private @external(tensor<4xf32>) -> tensor<4xf32>

// expected-warning@below {{nothing is known of the numbers of 5 operations, whose results are not narrowed: 3 'host.add', 1 'host.multiply', 1 'func.call'}}
func.func @f(%x: tensor<4xf32>, %i: tensor<4xi32>) -> tensor<4xf32> {
  // expected-note@below {{the first is here}}
  %a = "host.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %b = "host.add"(%a, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %c = "host.multiply"(%b, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = "host.add"(%c, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // Integers are nothing that is decided.
  %j = "host.count"(%i) : (tensor<4xi32>) -> tensor<4xi32>
  %e = func.call @external(%d) : (tensor<4xf32>) -> tensor<4xf32>
  %g = math.exp %e : tensor<4xf32>
  return %g : tensor<4xf32>
}

// expected-warning@below {{nothing is known of the numbers of 1 operation, whose results are not narrowed: 1 'host.add'}}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note@below {{the first is here}}
  %a = "host.add"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

func.func @known(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = math.exp %x : tensor<4xf32>
  return %a : tensor<4xf32>
}
