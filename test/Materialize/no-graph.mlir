// RUN: prec-opt %s --split-input-file --verify-diagnostics --prec-guard-updates

// A step that is rewritten must be one that can be read.

// graph_c1
// expected-error@below {{a graph must have one block, but got 2}}
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  cf.br ^a
^a:
  return %x : tensor<4xf32>
}

// -----

// graph_c2
// expected-error@below {{arguments of a graph must be ranked tensors of integers or floats, of static shape and 2^48 bytes at most, but got 'memref<4xf32>'}}
func.func @f(%x: memref<4xf32>) attributes {prec.entry = "step"} {
  return
}

// -----

// graph_c3
func.func @f(%x: tensor<4xf32>) -> tensor<?xf32> attributes {prec.entry = "step"} {
  // expected-error@below {{operations of a graph must make ranked tensors of integers or floats, of static shape and 2^48 bytes at most, of such, but got tensor<?xf32>}}
  %y = tensor.cast %x : tensor<4xf32> to tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @f(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-error@below {{operations of a graph must make ranked tensors of integers or floats, of static shape and 2^48 bytes at most, of such, but got a region}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
    ^bb0(%o: f32):
      linalg.yield %o : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func private @g()
func.func @f(%x: tensor<4xf32>) attributes {prec.entry = "step"} {
  // expected-error@below {{operations of a graph must make ranked tensors of integers or floats, of static shape and 2^48 bytes at most, of such, but got an operation without results}}
  func.call @g() : () -> ()
  return
}

// -----

func.func @f(%x: tensor<4xf32>) attributes {prec.entry = "step"} {
  // expected-error@below {{operations of a graph must make ranked tensors of integers or floats, of static shape and 2^48 bytes at most, of such, but got another end of a block than a return}}
  llvm.unreachable
}
