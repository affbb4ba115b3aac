// RUN: prec-opt %s --prec-codegen-nvptx --verify-diagnostics --split-input-file

// Each transposed result has a tile of its own in shared memory.
func.func @tiles(%x: tensor<128x128xi8>, %y: tensor<128x128xi8>, %z: tensor<128x128xi8>, %w: tensor<128x128xi8>)
    -> (tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>) {
  // expected-error @+1 {{kernels have at most 49152 bytes of shared memory, but got 65536}}
  %r:4 = prec_sched.dispatch <transpose> "f" (%x, %y, %z, %w) : (tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>)
      -> (tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>) {
  ^bb0(%a: tensor<128x128xi8>, %b: tensor<128x128xi8>, %c: tensor<128x128xi8>, %d: tensor<128x128xi8>):
    %0 = prec_train.transpose %a permutation [1, 0] : (tensor<128x128xi8>) -> tensor<128x128xi8>
    %1 = prec_train.transpose %b permutation [1, 0] : (tensor<128x128xi8>) -> tensor<128x128xi8>
    %2 = prec_train.transpose %c permutation [1, 0] : (tensor<128x128xi8>) -> tensor<128x128xi8>
    %3 = prec_train.transpose %d permutation [1, 0] : (tensor<128x128xi8>) -> tensor<128x128xi8>
    prec_sched.yield %0, %1, %2, %3 : tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>, tensor<128x128xi8>
}

// -----

func.func @long(%x: tensor<1073741832x8xbf16>, %w: tensor<4x8x8xbf16>, %e: tensor<4xi32>) -> tensor<1073741832x8xbf16> {
  // expected-error @+1 {{grouped products on a GPU have at most 1073741824 rows or columns, but got 1073741832}}
  %y = prec_sched.grouped_gemm %x, %w, %e : (tensor<1073741832x8xbf16>, tensor<4x8x8xbf16>, tensor<4xi32>) -> tensor<1073741832x8xbf16>
  return %y : tensor<1073741832x8xbf16>
}
