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

// -----

func.func @as_many_as_said(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>, %m: index) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one does not count by 1 from 0 to a known number}}
  %y = scf.for %n = %from to %m step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = tensor.extract_slice %u[%n, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %o, %a : tensor<1x4xf32>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @of_halves(%t: tensor<8x4xf16>, %u: tensor<3x4xf32>, %i: tensor<3xi32>, %v: tensor<3x4xf16>) -> tensor<8x4xf16> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one carries other values}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf16>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = tensor.extract_slice %v[%n, 0] [1, 4] [1, 1] : tensor<3x4xf16> to tensor<1x4xf16>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf16> to tensor<1x4xf16>
    %sum = arith.addf %o, %a : tensor<1x4xf16>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 4] [1, 1] : tensor<1x4xf16> into tensor<8x4xf16>
    scf.yield %new : tensor<8x4xf16>
  }
  return %y : tensor<8x4xf16>
}

// -----

func.func @set(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one does more with it}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = tensor.extract_slice %u[%n, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %sum = arith.mulf %o, %a : tensor<1x4xf32>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @added_twice(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one does more with it}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = tensor.extract_slice %u[%n, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %o, %o : tensor<1x4xf32>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @elsewhere(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one does more with it}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = tensor.extract_slice %u[%n, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %o, %a : tensor<1x4xf32>
    %new = tensor.insert_slice %sum into %s[%n, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @half_a_row(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one does more with it}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = tensor.extract_slice %u[%n, 0] [1, 2] [1, 1] : tensor<3x4xf32> to tensor<1x2xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 2] [1, 1] : tensor<8x4xf32> to tensor<1x2xf32>
    %sum = arith.addf %o, %a : tensor<1x2xf32>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @its_own(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one adds no slice of another tensor}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = arith.constant dense<1.0> : tensor<1x4xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %o, %a : tensor<1x4xf32>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @one_row(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one adds slices other than the row of its number}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = tensor.extract_slice %u[1, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %o, %a : tensor<1x4xf32>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @of_a_place(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one reads elements by other numbers than its own}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id0 = tensor.extract %i[%n] : tensor<3xi32>
    %p0 = arith.index_cast %id0 : i32 to index
    %id = tensor.extract %i[%p0] : tensor<3xi32>
    %p = arith.index_cast %id : i32 to index
    %a = tensor.extract_slice %u[%n, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %o, %a : tensor<1x4xf32>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @branches(%t: tensor<8x4xf32>, %u: tensor<3x4xf32>, %i: tensor<3xi32>, %q: i1) -> tensor<8x4xf32> {
  %from = arith.constant 0 : index
  %to = arith.constant 3 : index
  %by = arith.constant 1 : index
  // linalg_c13
  // expected-error @+1 {{a loop must add rows or elements to one tensor of f32 to be converted, but one computes its places or updates by more than arithmetic of elements that it reads}}
  %y = scf.for %n = %from to %to step %by iter_args(%s = %t) -> (tensor<8x4xf32>) {
    %id = tensor.extract %i[%n] : tensor<3xi32>
    %p = scf.if %q -> (index) {
      %p1 = arith.index_cast %id : i32 to index
      scf.yield %p1 : index
    } else {
      scf.yield %from : index
    }
    %a = tensor.extract_slice %u[%n, 0] [1, 4] [1, 1] : tensor<3x4xf32> to tensor<1x4xf32>
    %o = tensor.extract_slice %s[%p, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %sum = arith.addf %o, %a : tensor<1x4xf32>
    %new = tensor.insert_slice %sum into %s[%p, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    scf.yield %new : tensor<8x4xf32>
  }
  return %y : tensor<8x4xf32>
}

// -----

func.func @while(%t: tensor<4xf32>, %c: tensor<1xi1>) -> tensor<4xf32> {
  %zero = arith.constant 0 : index
  // linalg_c8
  // expected-error @+1 {{is not converted}}
  %y = scf.while (%s = %t) : (tensor<4xf32>) -> tensor<4xf32> {
    %p = tensor.extract %c[%zero] : tensor<1xi1>
    scf.condition(%p) %s : tensor<4xf32>
  } do {
  ^bb0(%s: tensor<4xf32>):
    scf.yield %s : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}
