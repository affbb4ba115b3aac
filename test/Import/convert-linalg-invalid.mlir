// RUN: prec-opt %s --prec-convert-linalg-to-train --split-input-file --verify-diagnostics

func.func @twice(%x: tensor<4x4xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // linalg_c1
  // expected-error @+1 {{an operand must be read along loops, each once, to be converted, but got affine_map<(d0) -> (d0, d0)>}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i, i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4x4xf32>) outs(%o : tensor<4xf32>) {
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
  // expected-error @+1 {{a scalar that is read must be a constant to be converted, but got one of type 'f32'}}
  %y = linalg.fill ins(%s : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @picked(%t: tensor<8xf32>, %i: tensor<4xi32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // linalg_c4
  // expected-error @+1 {{a payload must be arithmetic of single elements to be converted, but got 'tensor.extract'}}
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%i : tensor<4xi32>) outs(%o : tensor<4xf32>) {
    ^bb0(%a: i32, %b: f32):
      %n = arith.index_cast %a : i32 to index
      %p = tensor.extract %t[%n] : tensor<8xf32>
      linalg.yield %p : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @multiplied(%x: tensor<4x8xf32>, %o: tensor<4xf32>) -> tensor<4xf32> {
  // linalg_c5
  // expected-error @+1 {{a reduction must add or take the largest or smallest of single elements to be converted}}
  %y = linalg.reduce {arith.mulf} ins(%x : tensor<4x8xf32>) outs(%o : tensor<4xf32>) dimensions = [1]
  return %y : tensor<4xf32>
}

// -----

func.func @windows(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3xf32>, %o: tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32> {
  // linalg_c6
  // expected-error @+1 {{windows (convolutions and pooling) are not converted}}
  %y = linalg.pooling_nhwc_max ins(%x, %w : tensor<1x8x8x4xf32>, tensor<3x3xf32>) outs(%o : tensor<1x6x6x4xf32>) -> tensor<1x6x6x4xf32>
  return %y : tensor<1x6x6x4xf32>
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
