// RUN: prec-opt %s --prec-convert-linalg-to-train --split-input-file --verify-diagnostics

func.func @backwards(%x: tensor<4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // linalg_c1
  // expected-error @+1 {{an operand must be read along loops, each once, to be converted, but got affine_map<(d0) -> (-d0 + 3)>}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (3 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%o : tensor<4xf32>) {
    ^bb0(%a: f32, %b: f32):
      linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @whole(%x: tensor<4x4xi32>, %o: tensor<4x4xi32>) -> tensor<4x4xi32> {
  // linalg_c2
  // expected-error @+1 {{a product must multiply and add floats, and do nothing else, to be converted}}
  %y = linalg.matmul ins(%x, %x : tensor<4x4xi32>, tensor<4x4xi32>) outs(%o : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %y : tensor<4x4xi32>
}

// -----

func.func @scalar(%s: f32, %o: tensor<4xf32>) -> tensor<4xf32> {
  // linalg_c3
  // expected-error @+1 {{a scalar that is read must be a constant, an element of a tensor or arithmetic of such to be converted, but got one of type 'f32'}}
  %y = linalg.fill ins(%s : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @twice_as_long(%x: tensor<4xi32>, %o: tensor<4xi32>) -> tensor<4xi32> {
  // linalg_c4
  // expected-error @+1 {{a payload must be arithmetic of single elements to be converted, but got 'arith.mulsi_extended'}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%o : tensor<4xi32>) {
    ^bb0(%a: i32, %b: i32):
      %low, %high = arith.mulsi_extended %a, %a : i32
      linalg.yield %high : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}

// -----

func.func @multiplied(%x: tensor<4x2048xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // linalg_c5
  // expected-error @+1 {{windows, and reductions other than sums and extrema, must have at most 1024 places to be converted, but got 2048}}
  %y = linalg.reduce {arith.mulf} ins(%x : tensor<4x2048xf32>) outs(%o : tensor<4xf32>) dimensions = [1]
  return %y : tensor<4xf32>
}

// -----

func.func @which(%o: tensor<4xindex>) -> tensor<4xindex> {
  // linalg_c7
  // expected-error @+1 {{operands must be tensors of static shape, and not of index, to be converted, but got 'tensor<4xindex>'}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%o : tensor<4xindex>) {
    ^bb0(%b: index):
      %i = linalg.index 0 : index
      linalg.yield %i : index
  } -> tensor<4xindex>
  return %y : tensor<4xindex>
}

// -----

func.func @dynamic(%x: tensor<?x4xf32>, %o: tensor<?x4xf32>) -> tensor<?x4xf32> {
  // linalg_c7
  // expected-error @+1 {{operands must be tensors of static shape, and not of index, to be converted, but got 'tensor<?x4xf32>'}}
  %y = linalg.exp ins(%x : tensor<?x4xf32>) outs(%o : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}

// -----

func.func @packed(%x: tensor<8x8xf32>, %o: tensor<2x2x4x4xf32>) -> tensor<2x2x4x4xf32> {
  // linalg_c8
  // expected-error @+1 {{is not converted}}
  %y = linalg.pack %x inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %o : tensor<8x8xf32> -> tensor<2x2x4x4xf32>
  return %y : tensor<2x2x4x4xf32>
}

// -----

func.func @of_any_length(%t: tensor<?xf32>, %i: tensor<4xi32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // linalg_c9
  // expected-error @+1 {{a tensor in which a payload looks up must have a static shape to be converted, but got 'tensor<?xf32>'}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%i : tensor<4xi32>) outs(%o : tensor<4xf32>) {
    ^bb0(%a: i32, %b: f32):
      %n = arith.index_cast %a : i32 to index
      %p = tensor.extract %t[%n] : tensor<?xf32>
      linalg.yield %p : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @by_an_argument(%x: tensor<4xf32>, %s: f32) -> tensor<6xf32> {
  // linalg_c10
  // expected-error @+1 {{padding must be a constant, of constant sizes that are not negative, to be converted}}
  %y = tensor.pad %x low[1] high[1] {
    ^bb0(%i: index):
      tensor.yield %s : f32
  } : tensor<4xf32> to tensor<6xf32>
  return %y : tensor<6xf32>
}

// -----

func.func @cropped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = arith.constant 0.0 : f32
  // linalg_c10
  // expected-error @+1 {{padding must be a constant, of constant sizes that are not negative, to be converted}}
  %y = tensor.pad %x low[1] high[-1] {
    ^bb0(%i: index):
      tensor.yield %c : f32
  } : tensor<4xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @flags(%u: tensor<2xi32>, %t: tensor<8xi32>, %i: tensor<2x1xi32>) -> tensor<8xi32> {
  // linalg_c11
  // expected-error @+1 {{what is scattered must be floats of at most 32 bits to be converted, but got 'tensor<8xi32>'}}
  %y = tensor.scatter %u into %t[%i] scatter_dims([0]) unique : (tensor<2xi32>, tensor<8xi32>, tensor<2x1xi32>) -> tensor<8xi32>
  return %y : tensor<8xi32>
}

// -----

func.func @complex(%x: tensor<4xcomplex<f32>>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // linalg_c6
  // expected-error @+1 {{elements must be floats or signless whole numbers of 1, 8, 32 or 64 bits to be converted, but got 'tensor<4xcomplex<f32>>'}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xcomplex<f32>>) outs(%o : tensor<4xf32>) {
    ^bb0(%a: complex<f32>, %b: f32):
      %r = complex.re %a : complex<f32>
      linalg.yield %r : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @interleaved(%u: tensor<2xf32>, %t: tensor<8xf32>) -> tensor<8xf32> {
  // linalg_c12
  // expected-error @+1 {{what is inserted must have constant offsets, sizes and strides of 1 to be converted}}
  %y = tensor.insert_slice %u into %t[1] [2] [3] : tensor<2xf32> into tensor<8xf32>
  return %y : tensor<8xf32>
}
