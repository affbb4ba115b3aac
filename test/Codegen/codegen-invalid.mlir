// RUN: prec-opt %s --prec-codegen-cpu --verify-diagnostics --split-input-file
// RUN: prec-opt %s --prec-codegen-nvptx --verify-diagnostics --split-input-file

func.func @unknown_op(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = prec_sched.dispatch <elementwise> "f" (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    // expected-error @+1 {{dispatch bodies must be generated, but got 'prec_train.matmul'}}
    %s = prec_train.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    prec_sched.yield %s : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// -----

func.func @unknown_function(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = prec_sched.dispatch <elementwise> "f" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @+1 {{dispatch bodies must be generated, but got 'math.acosh'}}
    %s = math.acosh %a : tensor<4xf32>
    prec_sched.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @narrow_arithmetic(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = prec_sched.dispatch <elementwise> "f" (%x) : (tensor<4xbf16>) -> tensor<4xbf16> {
  ^bb0(%a: tensor<4xbf16>):
    // expected-error @+1 {{dispatch bodies must be generated, but got 'arith.addf' on 'bf16': arithmetic is in f32}}
    %s = arith.addf %a, %a : tensor<4xbf16>
    prec_sched.yield %s : tensor<4xbf16>
  }
  return %r : tensor<4xbf16>
}

// -----

func.func @wide(%x: tensor<2xf32>) -> tensor<2xf32> {
  %r = prec_sched.dispatch <elementwise> "f" (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    // expected-error @+1 {{dispatch bodies must be generated, but got 'arith.constant' of 'tensor<2xf64>'}}
    %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf64>
    %n = arith.truncf %k : tensor<2xf64> to tensor<2xf32>
    prec_sched.yield %n : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

func.func @reduction(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  %r = prec_sched.dispatch <elementwise> "f" (%x) : (tensor<8x4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x4xf32>):
    // expected-error @+1 {{dispatch bodies must be generated, but got 'prec_train.reduce': this family does not reduce it here}}
    %s = prec_train.reduce sum %a dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    prec_sched.yield %s : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

// The reduction of another row than the one that is written.
func.func @other_row(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  %r = prec_sched.dispatch <row> "f" (%x) : (tensor<8x4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x4xf32>):
    // expected-error @+1 {{dispatch bodies must be generated, but got 'prec_train.reduce': this family does not reduce it here}}
    %s = prec_train.reduce sum %a dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    %e = tensor.expand_shape %s [[0, 1]] output_shape [4, 2] : tensor<8xf32> into tensor<4x2xf32>
    %t = prec_train.transpose %e permutation [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
    %c = tensor.collapse_shape %t [[0, 1]] : tensor<2x4xf32> into tensor<8xf32>
    prec_sched.yield %c : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @unequal(%x: tensor<8xf32>, %y: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  // expected-error @+1 {{results of an elementwise dispatch have equally many elements, but got 8 and 4}}
  %r:2 = prec_sched.dispatch <elementwise> "f" (%x, %y) : (tensor<8xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<8xf32>, %b: tensor<4xf32>):
    prec_sched.yield %a, %b : tensor<8xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<4xf32>
}

// -----

func.func @empty(%x: tensor<0xf32>) -> tensor<0xf32> {
  // expected-error @+1 {{tensors must have elements, but got 'tensor<0xf32>'}}
  %r = prec_sched.dispatch <elementwise> "f" (%x) : (tensor<0xf32>) -> tensor<0xf32> {
  ^bb0(%a: tensor<0xf32>):
    prec_sched.yield %a : tensor<0xf32>
  }
  return %r : tensor<0xf32>
}

// -----

func.func @no_results(%x: tensor<4xf32>) {
  // expected-error @+1 {{dispatches have results, but got none}}
  prec_sched.dispatch <elementwise> "f" (%x) : (tensor<4xf32>) -> () {
  ^bb0(%a: tensor<4xf32>):
    prec_sched.yield
  }
  return
}

// -----

func.func @leading_row(%x: tensor<8x4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{row dispatches reduce rows, but got no such reduction}}
  %r = prec_sched.dispatch <row> "f" (%x) : (tensor<8x4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<8x4xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<8x4xf32>) -> tensor<4xf32>
    prec_sched.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @parted_row(%x: tensor<8x4x2xf32>) -> tensor<4xf32> {
  %r = prec_sched.dispatch <row> "f" (%x) : (tensor<8x4x2xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<8x4x2xf32>):
    // expected-error @+1 {{row dispatches reduce trailing or neighboring dimensions, but got dims [0, 2]}}
    %s = prec_train.reduce sum %a dims [0, 2] : (tensor<8x4x2xf32>) -> tensor<4xf32>
    prec_sched.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @parted_columns(%x: tensor<8x4x2x3xf32>) -> tensor<4x3xf32> {
  %r = prec_sched.dispatch <row> "f" (%x) : (tensor<8x4x2x3xf32>) -> tensor<4x3xf32> {
  ^bb0(%a: tensor<8x4x2x3xf32>):
    // expected-error @+1 {{row dispatches reduce trailing or neighboring dimensions, but got dims [0, 2]}}
    %s = prec_train.reduce sum %a dims [0, 2] : (tensor<8x4x2x3xf32>) -> tensor<4x3xf32>
    prec_sched.yield %s : tensor<4x3xf32>
  }
  return %r : tensor<4x3xf32>
}

// -----

func.func @other_groups(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<4x4xf32>, tensor<2x4xf32>) {
  %r:3 = prec_sched.dispatch <row> "f" (%x) : (tensor<8x4xf32>) -> (tensor<8xf32>, tensor<4x4xf32>, tensor<2x4xf32>) {
  ^bb0(%a: tensor<8x4xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    %b = tensor.expand_shape %a [[0, 1], [2]] output_shape [4, 2, 4] : tensor<8x4xf32> into tensor<4x2x4xf32>
    %c = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
    %t = prec_train.reduce sum %b dims [1] : (tensor<4x2x4xf32>) -> tensor<4x4xf32>
    // expected-error @+1 {{reductions of a row dispatch share their extents, but got 2x4x4 and 4x2x4}}
    %u = prec_train.reduce sum %c dims [1] : (tensor<2x4x4xf32>) -> tensor<2x4xf32>
    prec_sched.yield %s, %t, %u : tensor<8xf32>, tensor<4x4xf32>, tensor<2x4xf32>
  }
  return %r#0, %r#1, %r#2 : tensor<8xf32>, tensor<4x4xf32>, tensor<2x4xf32>
}

// -----

func.func @used_columns(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %r:2 = prec_sched.dispatch <row> "f" (%x) : (tensor<8x4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<8x4xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{reductions of columns in a row dispatch are yielded in f32 and not used, but got 'tensor<4xf32>' with 2 uses}}
    %t = prec_train.reduce sum %a dims [0] : (tensor<8x4xf32>) -> tensor<4xf32>
    %u = arith.mulf %t, %t : tensor<4xf32>
    prec_sched.yield %s, %u : tensor<8xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<4xf32>
}

// -----

func.func @narrow_columns(%x: tensor<8x4xbf16>) -> (tensor<8xbf16>, tensor<4xbf16>) {
  %r:2 = prec_sched.dispatch <row> "f" (%x) : (tensor<8x4xbf16>) -> (tensor<8xbf16>, tensor<4xbf16>) {
  ^bb0(%a: tensor<8x4xbf16>):
    %s = prec_train.reduce max %a dims [1] : (tensor<8x4xbf16>) -> tensor<8xbf16>
    // expected-error @+1 {{reductions of columns in a row dispatch are yielded in f32 and not used, but got 'tensor<4xbf16>' with 1 uses}}
    %t = prec_train.reduce max %a dims [0] : (tensor<8x4xbf16>) -> tensor<4xbf16>
    prec_sched.yield %s, %t : tensor<8xbf16>, tensor<4xbf16>
  }
  return %r#0, %r#1 : tensor<8xbf16>, tensor<4xbf16>
}

// -----

func.func @columns_of_others(%x: tensor<8x4xf32>, %y: tensor<6x4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %r:2 = prec_sched.dispatch <row> "f" (%x, %y) : (tensor<8x4xf32>, tensor<6x4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<6x4xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{reductions of columns in a row dispatch run over groups of its 8 rows, but got 1x6}}
    %t = prec_train.reduce sum %b dims [0] : (tensor<6x4xf32>) -> tensor<4xf32>
    prec_sched.yield %s, %t : tensor<8xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<4xf32>
}

// -----

func.func @two_rows(%x: tensor<8x4xf32>, %y: tensor<2x4xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
  %r:2 = prec_sched.dispatch <row> "f" (%x, %y) : (tensor<8x4xf32>, tensor<2x4xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<2x4xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    // expected-error @+1 {{reductions of a row dispatch share their rows, but got 2 and 8}}
    %t = prec_train.reduce sum %b dims [1] : (tensor<2x4xf32>) -> tensor<2xf32>
    prec_sched.yield %s, %t : tensor<8xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<2xf32>
}

// -----

func.func @no_reduction(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{row dispatches reduce rows, but got no such reduction}}
  %r = prec_sched.dispatch <row> "f" (%x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: tensor<8x4xf32>):
    prec_sched.yield %a : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @other_rows(%x: tensor<8x4xf32>, %y: tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>) {
  // expected-error @+1 {{results of a row dispatch consist of its 8 rows, but got 'tensor<3xf32>'}}
  %r:2 = prec_sched.dispatch <row> "f" (%x, %y) : (tensor<8x4xf32>, tensor<3xf32>) -> (tensor<8xf32>, tensor<3xf32>) {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<3xf32>):
    %s = prec_train.reduce sum %a dims [1] : (tensor<8x4xf32>) -> tensor<8xf32>
    prec_sched.yield %s, %b : tensor<8xf32>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<3xf32>
}

// -----

func.func @column_of_two(%x: tensor<8x4x2xf32>) -> tensor<4xf32> {
  %r = prec_sched.dispatch <column> "f" (%x) : (tensor<8x4x2xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<8x4x2xf32>):
    // expected-error @+1 {{column dispatches reduce neighboring dimensions, but got dims [0, 2]}}
    %s = prec_train.reduce sum %a dims [0, 2] : (tensor<8x4x2xf32>) -> tensor<4xf32>
    prec_sched.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @two_levels(%x: tensor<8x4x2xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{column dispatches have one level of reductions, but got 2}}
  %r = prec_sched.dispatch <column> "f" (%x) : (tensor<8x4x2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<8x4x2xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<8x4x2xf32>) -> tensor<4x2xf32>
    %t = prec_train.reduce sum %s dims [0] : (tensor<4x2xf32>) -> tensor<2xf32>
    prec_sched.yield %t : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// -----

func.func @two_columns(%x: tensor<8x4xf32>, %y: tensor<6x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = prec_sched.dispatch <column> "f" (%x, %y) : (tensor<8x4xf32>, tensor<6x4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<6x4xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<8x4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{reductions of a column dispatch share their extents, but got 1x6x4 and 1x8x4}}
    %t = prec_train.reduce sum %b dims [0] : (tensor<6x4xf32>) -> tensor<4xf32>
    prec_sched.yield %s, %t : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @other_columns(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{results of a column dispatch have its 4 columns, but got 'tensor<8x4xf32>'}}
  %r = prec_sched.dispatch <column> "f" (%x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: tensor<8x4xf32>):
    %s = prec_train.reduce sum %a dims [0] : (tensor<8x4xf32>) -> tensor<4xf32>
    %b = prec_train.broadcast %s dims [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    prec_sched.yield %b : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @no_swap(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-error @+1 {{transpose dispatches yield a swap of the last two dimensions, or reduce tiles, but got neither}}
  %r = prec_sched.dispatch <transpose> "f" (%x) : (tensor<8x4xf32>) -> tensor<8x4xf32> {
  ^bb0(%a: tensor<8x4xf32>):
    prec_sched.yield %a : tensor<8x4xf32>
  }
  return %r : tensor<8x4xf32>
}

// -----

func.func @other_tiles(%x: tensor<8x4xf32>) -> (tensor<2x1xf32>, tensor<4x2xf32>) {
  %r:2 = prec_sched.dispatch <transpose> "f" (%x) : (tensor<8x4xf32>) -> (tensor<2x1xf32>, tensor<4x2xf32>) {
  ^bb0(%a: tensor<8x4xf32>):
    %e = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape [2, 4, 1, 4] : tensor<8x4xf32> into tensor<2x4x1x4xf32>
    %s = prec_train.reduce max %e dims [1, 3] : (tensor<2x4x1x4xf32>) -> tensor<2x1xf32>
    %f = tensor.expand_shape %a [[0, 1], [2, 3]] output_shape [4, 2, 2, 2] : tensor<8x4xf32> into tensor<4x2x2x2xf32>
    // expected-error @+1 {{reductions of a transpose dispatch share their tiles, but got 'tensor<4x2x2x2xf32>' beside 8x4}}
    %t = prec_train.reduce max %f dims [1, 3] : (tensor<4x2x2x2xf32>) -> tensor<4x2xf32>
    prec_sched.yield %s, %t : tensor<2x1xf32>, tensor<4x2xf32>
  }
  return %r#0, %r#1 : tensor<2x1xf32>, tensor<4x2xf32>
}

// -----

func.func @other_matrix(%x: tensor<8x4xf32>, %y: tensor<31xf32>) -> (tensor<4x8xf32>, tensor<31xf32>) {
  // expected-error @+1 {{results of a transpose dispatch come from matrices of one shape, but got 'tensor<31xf32>' beside 8x4}}
  %r:2 = prec_sched.dispatch <transpose> "f" (%x, %y) : (tensor<8x4xf32>, tensor<31xf32>) -> (tensor<4x8xf32>, tensor<31xf32>) {
  ^bb0(%a: tensor<8x4xf32>, %b: tensor<31xf32>):
    %t = prec_train.transpose %a permutation [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
    prec_sched.yield %t, %b : tensor<4x8xf32>, tensor<31xf32>
  }
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<31xf32>
}

// -----

// Tiles of all rows, but two matrices that are transposed.
func.func @other_matrices(%x: tensor<2x128x128xf32>) -> (tensor<2x128x128xf32>, tensor<2x1xf32>) {
  // expected-error @+1 {{results of a transpose dispatch come from matrices of one shape, but got 'tensor<2x128x128xf32>' beside 256x128}}
  %r:2 = prec_sched.dispatch <transpose> "f" (%x) : (tensor<2x128x128xf32>) -> (tensor<2x128x128xf32>, tensor<2x1xf32>) {
  ^bb0(%a: tensor<2x128x128xf32>):
    %t = prec_train.transpose %a permutation [0, 2, 1] : (tensor<2x128x128xf32>) -> tensor<2x128x128xf32>
    %e = tensor.expand_shape %a [[0], [1], [2, 3]] output_shape [2, 128, 1, 128] : tensor<2x128x128xf32> into tensor<2x128x1x128xf32>
    %m = prec_train.reduce max %e dims [1, 3] : (tensor<2x128x1x128xf32>) -> tensor<2x1xf32>
    prec_sched.yield %t, %m : tensor<2x128x128xf32>, tensor<2x1xf32>
  }
  return %r#0, %r#1 : tensor<2x128x128xf32>, tensor<2x1xf32>
}

// -----

func.func @swapped_bits(%x: tensor<8x4xi1>) -> tensor<4x8xi1> {
  // expected-error @+1 {{transposed results have bytes, but got 'tensor<8x4xi1>'}}
  %r = prec_sched.dispatch <transpose> "f" (%x) : (tensor<8x4xi1>) -> tensor<4x8xi1> {
  ^bb0(%a: tensor<8x4xi1>):
    %t = prec_train.transpose %a permutation [1, 0] : (tensor<8x4xi1>) -> tensor<4x8xi1>
    prec_sched.yield %t : tensor<4x8xi1>
  }
  return %r : tensor<4x8xi1>
}

// -----

func.func @not_in_place(%t: tensor<10x8xf32>, %i: tensor<6xi32>, %u: tensor<6x8xf32>, %o: tensor<2x6xi32>) -> tensor<10x8xf32> {
  // expected-error @+1 {{scatter_add overwrites its init, but got a result that is not in place of it}}
  %r = prec_sched.dispatch <scatter_add> "f" (%t, %i, %u, %o) : (tensor<10x8xf32>, tensor<6xi32>, tensor<6x8xf32>, tensor<2x6xi32>) -> tensor<10x8xf32> {
  ^bb0(%a: tensor<10x8xf32>, %b: tensor<6xi32>, %c: tensor<6x8xf32>, %d: tensor<2x6xi32>):
    %s = prec_train.scatter_add %a, %b, %c sorted %d : (tensor<10x8xf32>, tensor<6xi32>, tensor<6x8xf32>, tensor<2x6xi32>) -> tensor<10x8xf32>
    prec_sched.yield %s : tensor<10x8xf32>
  }
  return %r : tensor<10x8xf32>
}

// -----

func.func @table_of_bytes(%t: tensor<10x8xf8E5M2>, %i: tensor<6xi32>, %u: tensor<6x8xbf16>, %o: tensor<2x6xi32>) -> tensor<10x8xf8E5M2> {
  %r = prec_sched.dispatch <scatter_add> "f" (%t, %i, %u, %o) {inplace = array<i64: 0>} : (tensor<10x8xf8E5M2>, tensor<6xi32>, tensor<6x8xbf16>, tensor<2x6xi32>) -> tensor<10x8xf8E5M2> {
  ^bb0(%a: tensor<10x8xf8E5M2>, %b: tensor<6xi32>, %c: tensor<6x8xbf16>, %d: tensor<2x6xi32>):
    // expected-error @+1 {{tables of a scatter_add dispatch are f32, bf16 or f16, but got 'tensor<10x8xf8E5M2>'}}
    %s = prec_train.scatter_add %a, %b, %c sorted %d : (tensor<10x8xf8E5M2>, tensor<6xi32>, tensor<6x8xbf16>, tensor<2x6xi32>) -> tensor<10x8xf8E5M2>
    prec_sched.yield %s : tensor<10x8xf8E5M2>
  }
  return %r : tensor<10x8xf8E5M2>
}

// -----

func.func @unsorted(%t: tensor<10x8xf32>, %i: tensor<6xi32>, %u: tensor<6x8xf32>) -> tensor<10x8xf32> {
  %r = prec_sched.dispatch <scatter_add> "f" (%t, %i, %u) {inplace = array<i64: 0>} : (tensor<10x8xf32>, tensor<6xi32>, tensor<6x8xf32>) -> tensor<10x8xf32> {
  ^bb0(%a: tensor<10x8xf32>, %b: tensor<6xi32>, %c: tensor<6x8xf32>):
    // expected-error @+1 {{kernels need sorted ids, but got none}}
    %s = prec_train.scatter_add %a, %b, %c : (tensor<10x8xf32>, tensor<6xi32>, tensor<6x8xf32>) -> tensor<10x8xf32>
    prec_sched.yield %s : tensor<10x8xf32>
  }
  return %r : tensor<10x8xf32>
}

// -----

func.func @no_sort(%i: tensor<2x6xi32>) -> tensor<2x6xi32> {
  // expected-error @+1 {{sort dispatches yield one prec_train.sort_ids, but got another operation}}
  %r = prec_sched.dispatch <sort> "f" (%i) : (tensor<2x6xi32>) -> tensor<2x6xi32> {
  ^bb0(%a: tensor<2x6xi32>):
    prec_sched.yield %a : tensor<2x6xi32>
  }
  return %r : tensor<2x6xi32>
}

// -----

func.func @no_scatter(%t: tensor<10x8xf32>) -> tensor<10x8xf32> {
  // expected-error @+1 {{scatter_add dispatches yield one prec_train.scatter_add, but got another operation}}
  %r = prec_sched.dispatch <scatter_add> "f" (%t) : (tensor<10x8xf32>) -> tensor<10x8xf32> {
  ^bb0(%a: tensor<10x8xf32>):
    prec_sched.yield %a : tensor<10x8xf32>
  }
  return %r : tensor<10x8xf32>
}

// -----

func.func @sums_of_no_tiles(%x: tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<2x128xf32>) {
  %r:2 = prec_sched.dispatch <transpose> "f" (%x) : (tensor<128x128xf32>) -> (tensor<128x128xf32>, tensor<2x128xf32>) {
  ^bb0(%a: tensor<128x128xf32>):
    %t = prec_train.transpose %a permutation [1, 0] : (tensor<128x128xf32>) -> tensor<128x128xf32>
    %e = tensor.expand_shape %a [[0, 1], [2]] output_shape [2, 64, 128] : tensor<128x128xf32> into tensor<2x64x128xf32>
    // expected-error @+1 {{reductions of columns in a transpose dispatch are those of whole tiles, in f32 and yielded, but got 'tensor<2x64x128xf32>'}}
    %s = prec_train.reduce sum %e dims [1] : (tensor<2x64x128xf32>) -> tensor<2x128xf32>
    prec_sched.yield %t, %s : tensor<128x128xf32>, tensor<2x128xf32>
  }
  return %r#0, %r#1 : tensor<128x128xf32>, tensor<2x128xf32>
}
