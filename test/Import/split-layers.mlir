// RUN: prec-opt %s "--prec-split-layers=mesh=tp=2 rows=false" --split-input-file | FileCheck %s
// RUN: prec-opt %s "--prec-split-layers=mesh=tp=2 rows=false" --split-input-file 2>&1 | FileCheck %s --check-prefix=SAID
// RUN: prec-opt %s --prec-split-layers --split-input-file | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: prec_train.shard

// A first product makes a division and a second one ends it; the bias between them and moments follow. The term that is
// added behind the sum is whole, so the sum is added up before.
// SAID: remark: layers are divided among 2 ranks: slices of 3 parameters; 1 sums over ranks in forward and backward, of 128 bytes in f32
// SAID: remark: divided (columns of a product): a
// SAID: remark: divided (elements of what is divided): bias
// SAID: remark: divided (rows of a product): b
// CHECK: module attributes {prec_train.mesh = {tp = 2 : i64}}
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32> {
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<16x8xf32> {prec_train.path = "a", {{[^}]*}}prec_train.shard = "tp", prec_train.shard_dim = 0 : i64}
// CHECK-SAME: %[[BIAS:[a-z0-9]+]]: tensor<16xf32> {prec_train.path = "bias", {{[^}]*}}prec_train.shard_dim = 0 : i64}
// CHECK-SAME: %[[B:[a-z0-9]+]]: tensor<8x16xf32> {prec_train.path = "b", {{[^}]*}}prec_train.shard_dim = 1 : i64}
// CHECK-SAME: %[[M:[a-z0-9]+]]: tensor<16x8xf32> {prec_train.param_of = "a", {{[^}]*}}prec_train.shard = "tp", prec_train.shard_dim = 0
// CHECK: %[[H:.*]] = prec_train.matmul %[[X]], %[[A]] {transpose_b} : (tensor<4x8xf32>, tensor<16x8xf32>) -> tensor<4x16xf32>
// CHECK: %[[WIDE:.*]] = prec_train.broadcast %[[BIAS]] dims [1] : (tensor<16xf32>) -> tensor<4x16xf32>
// CHECK: %[[S:.*]] = arith.addf %[[H]], %[[WIDE]] : tensor<4x16xf32>
// CHECK: %[[P:.*]] = prec_train.matmul %[[S]], %[[B]] {transpose_b} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
// CHECK: %[[Y:.*]] = prec_train.all_reduce %[[P]] over "tp" {ranks = 2 : i64, reason = "a dimension that is summed over is divided"} : tensor<4x8xf32>
// CHECK: arith.addf %[[X]], %[[Y]]
func.func @step(%x: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %a: tensor<32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
                %bias: tensor<32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "bias"},
                %b: tensor<8x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"},
                %m: tensor<32x8xf32> {prec_train.role = #prec_train.role<optimizer_state>, prec_train.path = "a.m", prec_train.param_of = "a", prec_train.slot = "m"})
    -> (tensor<4x8xf32>, tensor<32x8xf32> {prec_train.donated_to = 4 : i64}) attributes {prec.entry = "step"} {
  %h = prec_train.matmul %x, %a {transpose_b} : (tensor<4x8xf32>, tensor<32x8xf32>) -> tensor<4x32xf32>
  %wide = prec_train.broadcast %bias dims [1] : (tensor<32xf32>) -> tensor<4x32xf32>
  %s = arith.addf %h, %wide : tensor<4x32xf32>
  %p = prec_train.matmul %s, %b {transpose_b} : (tensor<4x32xf32>, tensor<8x32xf32>) -> tensor<4x8xf32>
  %y = arith.addf %x, %p : tensor<4x8xf32>
  return %y, %m : tensor<4x8xf32>, tensor<32x8xf32>
}

// -----

// Heads are divided: two of keys and values, four of queries. A table that nothing trained is in is cut; one that is the
// same for all heads is read as it is. Products whose sums are only added to each other are added up once.
// SAID: remark: layers are divided among 2 ranks: slices of 4 parameters; 1 sums
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6x16xf32>
// CHECK: prec_train.matmul %[[X]], %{{.*}} {transpose_b} : (tensor<6x16xf32>, tensor<8x16xf32>) -> tensor<6x8xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0, 1], [2, 3]] output_shape [1, 6, 2, 4] : tensor<6x8xf32> into tensor<1x6x2x4xf32>
// CHECK: prec_train.transpose %{{.*}} permutation [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
// CHECK: prec_train.rope %{{.*}}, %{{.*}}, %{{.*}} : (tensor<1x2x6x4xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<1x2x6x4xf32>
// CHECK: prec_train.broadcast %{{.*}} dims [2] : (tensor<6xf32>) -> tensor<1x2x6x4xf32>
// CHECK: prec_train.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, scale = 5.000000e-01 : f32} : (tensor<1x2x6x4xf32>, tensor<1x1x6x4xf32>, tensor<1x1x6x4xf32>) -> (tensor<1x2x6x4xf32>, tensor<1x2x6xf32>)
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2, 3]] : tensor<1x6x2x4xf32> into tensor<6x8xf32>
// CHECK: %[[O:.*]] = prec_train.matmul %{{.*}}, %{{.*}} {transpose_b} : (tensor<6x8xf32>, tensor<16x8xf32>) -> tensor<6x16xf32>
// CHECK: %[[TWICE:.*]] = arith.addf %[[O]], %[[O]] : tensor<6x16xf32>
// CHECK: %[[SUM:.*]] = prec_train.all_reduce %[[TWICE]] over "tp"
// CHECK: return %[[SUM]]
func.func @step(%x: tensor<6x16xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %t: tensor<6xf32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "t"},
                %r: tensor<6x2xf32> {prec_train.role = #prec_train.role<buffer>, prec_train.path = "r"},
                %q: tensor<16x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "q"},
                %k: tensor<8x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "k"},
                %v: tensor<8x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "v"},
                %o: tensor<16x16xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "o"})
    -> tensor<6x16xf32> attributes {prec.entry = "step"} {
  %q0 = prec_train.matmul %x, %q {transpose_b} : (tensor<6x16xf32>, tensor<16x16xf32>) -> tensor<6x16xf32>
  %q1 = tensor.expand_shape %q0 [[0, 1], [2, 3]] output_shape [1, 6, 4, 4] : tensor<6x16xf32> into tensor<1x6x4x4xf32>
  %q2 = prec_train.transpose %q1 permutation [0, 2, 1, 3] : (tensor<1x6x4x4xf32>) -> tensor<1x4x6x4xf32>
  %q3 = prec_train.rope %q2, %r, %r : (tensor<1x4x6x4xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<1x4x6x4xf32>
  %table = prec_train.broadcast %t dims [2] : (tensor<6xf32>) -> tensor<1x4x6x4xf32>
  %q4 = arith.mulf %q3, %table : tensor<1x4x6x4xf32>
  %k0 = prec_train.matmul %x, %k {transpose_b} : (tensor<6x16xf32>, tensor<8x16xf32>) -> tensor<6x8xf32>
  %k1 = tensor.expand_shape %k0 [[0, 1], [2, 3]] output_shape [1, 6, 2, 4] : tensor<6x8xf32> into tensor<1x6x2x4xf32>
  %k2 = prec_train.transpose %k1 permutation [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %v0 = prec_train.matmul %x, %v {transpose_b} : (tensor<6x16xf32>, tensor<8x16xf32>) -> tensor<6x8xf32>
  %v1 = tensor.expand_shape %v0 [[0, 1], [2, 3]] output_shape [1, 6, 2, 4] : tensor<6x8xf32> into tensor<1x6x2x4xf32>
  %v2 = prec_train.transpose %v1 permutation [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %y:2 = prec_train.attention %q4, %k2, %v2 {scale = 0.5 : f32, causal} : (tensor<1x4x6x4xf32>, tensor<1x2x6x4xf32>, tensor<1x2x6x4xf32>) -> (tensor<1x4x6x4xf32>, tensor<1x4x6xf32>)
  %y1 = prec_train.transpose %y#0 permutation [0, 2, 1, 3] : (tensor<1x4x6x4xf32>) -> tensor<1x6x4x4xf32>
  %y2 = tensor.collapse_shape %y1 [[0, 1], [2, 3]] : tensor<1x6x4x4xf32> into tensor<6x16xf32>
  %o0 = prec_train.matmul %y2, %o {transpose_b} : (tensor<6x16xf32>, tensor<16x16xf32>) -> tensor<6x16xf32>
  %twice = arith.addf %o0, %o0 : tensor<6x16xf32>
  return %twice : tensor<6x16xf32>
}

// -----

// One head of keys and values is whole on all ranks, which each read it with heads of queries; a softmax needs whole
// rows; the norm of slices is gathered.
// SAID: remark: layers are divided among 2 ranks: slices of 1 parameters
// SAID: remark: whole on every rank (attention is divided by heads, and keys and values of one head are read whole): k
// SAID: remark: whole on every rank ('prec_train.softmax' is computed of whole rows): router
// CHECK-LABEL: func.func @step(
// CHECK: prec_train.attention %{{.*}}, %[[K:.*]], %[[K]] {{.*}} : (tensor<1x1x6x4xf32>, tensor<1x1x6x4xf32>, tensor<1x1x6x4xf32>)
// CHECK: %[[OWN:.*]] = prec_train.global_norm %{{.*}} : (tensor<4x8xf32>) -> tensor<f32>
// CHECK: %[[ALL:.*]] = prec_train.exchange all_gather %[[OWN]] over "tp" {{.*}}: (tensor<f32>) -> tensor<2xf32>
// CHECK: prec_train.global_norm %{{.*}}, %[[ALL]] {{.*}}: (tensor<4x8xf32>, tensor<2xf32>) -> tensor<f32>
func.func @step(%x: tensor<6x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %q: tensor<8x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "q"},
                %k: tensor<4x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "k"},
                %router: tensor<4x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "router"})
    -> (tensor<f32>, tensor<f32>) attributes {prec.entry = "step"} {
  %q0 = prec_train.matmul %x, %q {transpose_b} : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %q1 = tensor.expand_shape %q0 [[0, 1], [2, 3]] output_shape [1, 6, 2, 4] : tensor<6x8xf32> into tensor<1x6x2x4xf32>
  %q2 = prec_train.transpose %q1 permutation [0, 2, 1, 3] : (tensor<1x6x2x4xf32>) -> tensor<1x2x6x4xf32>
  %k0 = prec_train.matmul %x, %k {transpose_b} : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<6x4xf32>
  %k1 = tensor.expand_shape %k0 [[0, 1], [2, 3]] output_shape [1, 6, 1, 4] : tensor<6x4xf32> into tensor<1x6x1x4xf32>
  %k2 = prec_train.transpose %k1 permutation [0, 2, 1, 3] : (tensor<1x6x1x4xf32>) -> tensor<1x1x6x4xf32>
  %y:2 = prec_train.attention %q2, %k2, %k2 {scale = 0.5 : f32, causal} : (tensor<1x2x6x4xf32>, tensor<1x1x6x4xf32>, tensor<1x1x6x4xf32>) -> (tensor<1x2x6x4xf32>, tensor<1x2x6xf32>)
  %s = prec_train.reduce sum %y#0 dims [0, 1, 2, 3] : (tensor<1x2x6x4xf32>) -> tensor<f32>
  %r0 = prec_train.matmul %x, %router {transpose_b} : (tensor<6x8xf32>, tensor<4x8xf32>) -> tensor<6x4xf32>
  %r1 = prec_train.softmax %r0 : (tensor<6x4xf32>) -> tensor<6x4xf32>
  %n = prec_train.global_norm %q, %router : (tensor<8x8xf32>, tensor<4x8xf32>) -> tensor<f32>
  return %s, %n : tensor<f32>, tensor<f32>
}

// -----

// A table is divided by rows, which a product with it divides into columns; the loss is of whole rows. Its gradient is of
// the rows that a rank has, whatever the other ranks have.
// SAID: remark: layers are divided among 2 ranks: slices of 1 parameters
// SAID: remark: divided (rows of a table): table
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[TABLE:[a-z0-9]+]]: tensor<8x8xf32> {prec_train.path = "table", {{[^}]*}}prec_train.shard_dim = 0
// CHECK: %[[TERM:.*]] = prec_train.embedding %[[TABLE]], %{{.*}} {axis = "tp", ranks = 2 : i64} : (tensor<8x8xf32>, tensor<6xi32>) -> tensor<6x8xf32>
// CHECK: %[[H:.*]] = prec_train.all_reduce %[[TERM]] over "tp" {{{.*}}reason = "rows of a table are divided"}
// CHECK: %[[LOGITS:.*]] = prec_train.matmul %[[H]], %[[TABLE]] {transpose_b} : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
// CHECK: prec_train.cross_entropy %[[LOGITS]], %{{.*}} {axis = "tp", ignore_index = -100 : i32, ranks = 2 : i64} : (tensor<6x8xf32>, tensor<6xi32>)
// CHECK: %[[D:.*]] = prec_train.cross_entropy_grad %{{.*}}, %[[LOGITS]], {{.*}} {axis = "tp", ignore_index = -100 : i32, ranks = 2 : i64}
// CHECK: %[[PART:.*]] = prec_train.matmul %[[D]], %[[TABLE]] : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
// CHECK: %[[GRAD:.*]] = prec_train.all_reduce %[[PART]]
// CHECK: %[[ROWS:.*]] = prec_train.embedding_grad %[[GRAD]], %{{.*}} {axis = "tp", ranks = 2 : i64} : (tensor<6x8xf32>, tensor<6xi32>) -> tensor<8x8xf32>
// CHECK: arith.addf %{{.*}}, %[[ROWS]] : tensor<8x8xf32>
func.func @step(%ids: tensor<6xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %one: tensor<f32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "one"},
                %table: tensor<16x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "table"})
    -> (tensor<f32>, tensor<16x8xf32> {prec_train.donated_to = 2 : i64}) attributes {prec.entry = "step"} {
  %h = prec_train.embedding %table, %ids : (tensor<16x8xf32>, tensor<6xi32>) -> tensor<6x8xf32>
  %logits = prec_train.matmul %h, %table {transpose_b} : (tensor<6x8xf32>, tensor<16x8xf32>) -> tensor<6x16xf32>
  %loss, %max, %log = prec_train.cross_entropy %logits, %ids {ignore_index = -100 : i32} : (tensor<6x16xf32>, tensor<6xi32>) -> (tensor<f32>, tensor<6xf32>, tensor<6xf32>)
  %d = prec_train.cross_entropy_grad %one, %logits, %ids, %max, %log {ignore_index = -100 : i32} : (tensor<f32>, tensor<6x16xf32>, tensor<6xi32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6x16xf32>
  %dh = prec_train.matmul %d, %table : (tensor<6x16xf32>, tensor<16x8xf32>) -> tensor<6x8xf32>
  %dw = prec_train.matmul %d, %h {transpose_a} : (tensor<6x16xf32>, tensor<6x8xf32>) -> tensor<16x8xf32>
  %de = prec_train.embedding_grad %dh, %ids : (tensor<6x8xf32>, tensor<6xi32>) -> tensor<16x8xf32>
  %g = arith.addf %dw, %de : tensor<16x8xf32>
  return %loss, %g : tensor<f32>, tensor<16x8xf32>
}

// -----

// One product makes queries, keys and values: each of the three is divided, and a bias with them. In backward they are
// joined again. A product whose output becomes [3, heads, elements] is divided behind the 3.
// SAID: remark: layers are divided among 2 ranks: slices of 3 parameters
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[QKV:[a-z0-9]+]]: tensor<12x8xf32> {prec_train.path = "qkv", {{[^}]*}}prec_train.shard_dim = 0 : i64, prec_train.shard_parts = array<i64: 16, 4, 4>}
// CHECK-SAME: tensor<12xf32> {prec_train.path = "bias", {{[^}]*}}prec_train.shard_parts = array<i64: 16, 4, 4>}
// CHECK-SAME: tensor<12x8xf32> {prec_train.path = "packed", {{[^}]*}}prec_train.shard_parts = array<i64: 8, 8, 8>}
// CHECK: %[[Y:.*]] = arith.addf %{{.*}}, %{{.*}} : tensor<6x12xf32>
// CHECK: %[[Q:.*]] = tensor.extract_slice %[[Y]][0, 0] [6, 8] [1, 1]
// CHECK: %[[K:.*]] = tensor.extract_slice %[[Y]][0, 8] [6, 2] [1, 1]
// CHECK: %[[V:.*]] = tensor.extract_slice %[[Y]][0, 10] [6, 2] [1, 1]
// CHECK: %[[D:.*]] = tensor.concat dim(1) %[[Q]], %[[K]], %[[V]] : (tensor<6x8xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x12xf32>
// CHECK: prec_train.matmul %[[D]], %{{.*}} {transpose_a} : (tensor<6x12xf32>, tensor<6x8xf32>) -> tensor<12x8xf32>
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2, 3]] output_shape [6, 3, 1, 4] : tensor<6x12xf32> into tensor<6x3x1x4xf32>
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0], [1, 2, 3]] : tensor<6x3x1x4xf32> into tensor<6x12xf32>
func.func @step(%x: tensor<6x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %qkv: tensor<24x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "qkv"},
                %bias: tensor<24xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "bias"},
                %packed: tensor<24x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "packed"})
    -> (tensor<24x8xf32> {prec_train.donated_to = 1 : i64}, tensor<24x8xf32> {prec_train.donated_to = 3 : i64}) attributes {prec.entry = "step"} {
  %y0 = prec_train.matmul %x, %qkv {transpose_b} : (tensor<6x8xf32>, tensor<24x8xf32>) -> tensor<6x24xf32>
  %wide = prec_train.broadcast %bias dims [1] : (tensor<24xf32>) -> tensor<6x24xf32>
  %y = arith.addf %y0, %wide : tensor<6x24xf32>
  %q = tensor.extract_slice %y[0, 0] [6, 16] [1, 1] : tensor<6x24xf32> to tensor<6x16xf32>
  %k = tensor.extract_slice %y[0, 16] [6, 4] [1, 1] : tensor<6x24xf32> to tensor<6x4xf32>
  %v = tensor.extract_slice %y[0, 20] [6, 4] [1, 1] : tensor<6x24xf32> to tensor<6x4xf32>
  %d = tensor.concat dim(1) %q, %k, %v : (tensor<6x16xf32>, tensor<6x4xf32>, tensor<6x4xf32>) -> tensor<6x24xf32>
  %g = prec_train.matmul %d, %x {transpose_a} : (tensor<6x24xf32>, tensor<6x8xf32>) -> tensor<24x8xf32>
  %p0 = prec_train.matmul %x, %packed {transpose_b} : (tensor<6x8xf32>, tensor<24x8xf32>) -> tensor<6x24xf32>
  %p1 = tensor.expand_shape %p0 [[0], [1, 2, 3]] output_shape [6, 3, 2, 4] : tensor<6x24xf32> into tensor<6x3x2x4xf32>
  %p2 = tensor.collapse_shape %p1 [[0], [1, 2, 3]] : tensor<6x3x2x4xf32> into tensor<6x24xf32>
  %h = prec_train.matmul %p2, %x {transpose_a} : (tensor<6x24xf32>, tensor<6x8xf32>) -> tensor<24x8xf32>
  return %g, %h : tensor<24x8xf32>, tensor<24x8xf32>
}

// -----

// Experts are divided as one product is. The terms of their rows are weighed, moved and added up for each token before
// ranks exchange anything; a term that is added to zeros stays one.
// SAID: remark: layers are divided among 2 ranks: slices of 2 parameters; 1 sums over ranks in forward and backward, of 64 bytes in f32
// CHECK-LABEL: func.func @step(
// CHECK-SAME: tensor<2x16x8xf32> {prec_train.path = "up", {{[^}]*}}prec_train.shard_dim = 1 : i64}
// CHECK-SAME: tensor<2x8x16xf32> {prec_train.path = "down", {{[^}]*}}prec_train.shard_dim = 2 : i64}
// CHECK: prec_train.grouped_matmul %{{.*}} {transpose_b} : (tensor<4x8xf32>, tensor<2x16x8xf32>, tensor<2xi32>) -> tensor<4x16xf32>
// CHECK: %[[Y:.*]] = prec_train.grouped_matmul %{{.*}} {transpose_b} : (tensor<4x16xf32>, tensor<2x8x16xf32>, tensor<2xi32>) -> tensor<4x8xf32>
// CHECK: %[[ROWS:.*]] = prec_train.gather %[[Y]], %{{.*}}
// CHECK: %[[WEIGHED:.*]] = arith.mulf %[[ROWS]], %{{.*}}
// CHECK: %[[SUM:.*]] = prec_train.reduce sum %{{.*}} dims [1] {{.*}} -> tensor<2x8xf32>
// CHECK: %[[TERM:.*]] = arith.addf %[[SUM]], %{{.*}}
// CHECK: prec_train.all_reduce %[[TERM]] over "tp"
// CHECK: prec_train.grouped_matmul_grad %{{.*}} : (tensor<4x16xf32>, tensor<4x8xf32>, tensor<2xi32>) -> tensor<2x16x8xf32>
func.func @step(%x: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %w: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "w"},
                %ids: tensor<4xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ids"},
                %ends: tensor<2xi32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "ends"},
                %up: tensor<2x32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "up"},
                %down: tensor<2x8x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "down"})
    -> (tensor<2x8xf32>, tensor<2x32x8xf32> {prec_train.donated_to = 4 : i64}) attributes {prec.entry = "step"} {
  %zeros = arith.constant dense<0.0> : tensor<2x8xf32>
  %h = prec_train.grouped_matmul %x, %up, %ends {transpose_b} : (tensor<4x8xf32>, tensor<2x32x8xf32>, tensor<2xi32>) -> tensor<4x32xf32>
  %a = math.exp %h : tensor<4x32xf32>
  %y = prec_train.grouped_matmul %a, %down, %ends {transpose_b} : (tensor<4x32xf32>, tensor<2x8x32xf32>, tensor<2xi32>) -> tensor<4x8xf32>
  %r = prec_train.gather %y, %ids : (tensor<4x8xf32>, tensor<4xi32>) -> tensor<4x8xf32>
  %m = arith.mulf %r, %w : tensor<4x8xf32>
  %e = tensor.expand_shape %m [[0, 1], [2]] output_shape [2, 2, 8] : tensor<4x8xf32> into tensor<2x2x8xf32>
  %s = prec_train.reduce sum %e dims [1] : (tensor<2x2x8xf32>) -> tensor<2x8xf32>
  %z = arith.addf %s, %zeros : tensor<2x8xf32>
  %g = prec_train.grouped_matmul_grad %h, %x, %ends : (tensor<4x32xf32>, tensor<4x8xf32>, tensor<2xi32>) -> tensor<2x32x8xf32>
  return %z, %g : tensor<2x8xf32>, tensor<2x32x8xf32>
}

// -----

// Where something needs the sum anyway, it is added up at once and not scaled as terms.
// SAID: remark: layers are divided among 2 ranks: slices of 2 parameters; 1 sums
// CHECK-LABEL: func.func @step(
// CHECK: %[[SUM:.*]] = prec_train.all_reduce %{{.*}} over "tp"
// CHECK: arith.mulf %[[SUM]],
// CHECK: math.exp %[[SUM]]
func.func @step(%x: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %a: tensor<32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
                %b: tensor<8x32xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "b"})
    -> (tensor<4x8xf32>, tensor<4x8xf32>) attributes {prec.entry = "step"} {
  %h = prec_train.matmul %x, %a {transpose_b} : (tensor<4x8xf32>, tensor<32x8xf32>) -> tensor<4x32xf32>
  %p = prec_train.matmul %h, %b {transpose_b} : (tensor<4x32xf32>, tensor<8x32xf32>) -> tensor<4x8xf32>
  %m = arith.mulf %p, %x : tensor<4x8xf32>
  %e = math.exp %p : tensor<4x8xf32>
  return %m, %e : tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// A gradient that comes through frozen weights is whole: a rank cuts its slice of it.
// SAID: remark: divided (columns of a product): a
// CHECK-LABEL: func.func @step(
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<16x8xf32> {prec_train.path = "a", {{[^}]*}}prec_train.shard = "tp"
// CHECK-SAME: %[[F:[a-z0-9]+]]: tensor<8x32xf32> {
// CHECK: %[[G:.*]] = prec_train.matmul %{{.*}}, %[[F]] {prec_train.phase = #prec_train.phase<backward>} : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
// CHECK: tensor.expand_shape %[[G]]
// CHECK: %[[OWN:.*]] = prec_train.exchange own_slice %{{.*}} over "tp" {{.*}} : (tensor<2x4x16xf32>) -> tensor<4x16xf32>
// CHECK: arith.mulf %[[OWN]], %{{.*}} : tensor<4x16xf32>
func.func @step(%x: tensor<4x8xf32> {prec_train.role = #prec_train.role<batch>, prec_train.path = "x"},
                %a: tensor<32x8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "a"},
                %f: tensor<8x32xf32> {prec_train.role = #prec_train.role<frozen_parameter>, prec_train.path = "f"})
    -> (tensor<32x8xf32> {prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %h = prec_train.matmul %x, %a {transpose_b} : (tensor<4x8xf32>, tensor<32x8xf32>) -> tensor<4x32xf32>
  %s = arith.mulf %h, %h : tensor<4x32xf32>
  %y = prec_train.matmul %s, %f {transpose_b} : (tensor<4x32xf32>, tensor<8x32xf32>) -> tensor<4x8xf32>
  %g = prec_train.matmul %y, %f {prec_train.phase = #prec_train.phase<backward>} : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
  %d = arith.mulf %g, %h {prec_train.phase = #prec_train.phase<backward>} : tensor<4x32xf32>
  %ga = prec_train.matmul %d, %x {transpose_a, prec_train.phase = #prec_train.phase<backward>} : (tensor<4x32xf32>, tensor<4x8xf32>) -> tensor<32x8xf32>
  %n = arith.subf %a, %ga {prec_train.phase = #prec_train.phase<optimizer>} : tensor<32x8xf32>
  return %n : tensor<32x8xf32>
}
