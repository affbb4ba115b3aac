// RUN: prec-opt %s --prec-verify-schedule --verify-diagnostics --split-input-file

// c1
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{a scheduled function must hold only operations of prec_sched and views, but got this}}
  %a = math.exp %x : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// c2
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{a planned operation must have an id and placements, but got no id}}
  %a = prec_sched.copy %x {placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// c2
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{a planned operation must have an id and placements, but got no placements}}
  %a = prec_sched.copy %x {id = 0 : i64} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// c3
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.copy %x {id = 1 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  // expected-error @+1 {{ids must ascend in program order, but got 1 after 1}}
  %b = prec_sched.copy %a {id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// c3: the ids of @init come after those of @step, wherever it stands.
func.func @init(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "init"} {
  // expected-error @+1 {{ids must ascend in program order, but got 0 after 7}}
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<output, 256>]} : tensor<4xf32>
  return %a : tensor<4xf32>
}
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.copy %x {id = 7 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// c4
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{offsets must be multiples of 256, but got 16}}
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<workspace, 16>]} : tensor<4xf32>
  %b = prec_sched.copy %a {id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// c5: a parameter that nothing is donated to is nobody's workspace.
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{a value outside the workspace must be where a result of the function is due, but got #prec_sched.placement<state, 0>}}
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<state, 0>]} : tensor<4xf32>
  %b = prec_sched.copy %a {id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// c6
func.func @step(%x: tensor<128xf32>) -> tensor<128xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{results must not overlap, but got #prec_sched.placement<workspace, 0> and #prec_sched.placement<workspace, 256>}}
  %a, %b = prec_sched.dispatch <elementwise> "two"(%x) {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>, #prec_sched.placement<workspace, 256>]} : (tensor<128xf32>) -> (tensor<128xf32>, tensor<128xf32>) {
  ^bb0(%0: tensor<128xf32>):
    %1 = math.exp %0 : tensor<128xf32>
    %2 = math.sin %0 : tensor<128xf32>
    prec_sched.yield %1, %2 : tensor<128xf32>, tensor<128xf32>
  }
  %c = prec_sched.copy %a {id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<128xf32>
  return %c : tensor<128xf32>
}

// -----

// c7: a copy onto itself.
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  // expected-error @+1 {{result 0 must not overwrite an operand that is still read, but got operand 0 at #prec_sched.placement<workspace, 0> and the result at #prec_sched.placement<workspace, 0>}}
  %b = prec_sched.copy %a {id = 1 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  %c = prec_sched.copy %b {id = 2 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// c7: declared in place, but the element is read elsewhere too.
func.func @step(%x: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<8x8xf32>
  // expected-error @+1 {{result 0 must not overwrite an operand that is still read}}
  %b = prec_sched.dispatch <elementwise> "moved"(%a) {id = 1 : i64, inplace = array<i64: 0>, placements = [#prec_sched.placement<workspace, 0>]} : (tensor<8x8xf32>) -> tensor<8x8xf32> {
  ^bb0(%0: tensor<8x8xf32>):
    %1 = prec_train.transpose %0 permutation [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    prec_sched.yield %1 : tensor<8x8xf32>
  }
  %c = prec_sched.copy %b {id = 2 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// -----

// c7: in place, but not from the first element on.
func.func @step(%x: tensor<128xf32>) -> tensor<128xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<128xf32>
  // expected-error @+1 {{result 0 must not overwrite an operand that is still read}}
  %b = prec_sched.dispatch <elementwise> "exp"(%a) {id = 1 : i64, inplace = array<i64: 0>, placements = [#prec_sched.placement<workspace, 256>]} : (tensor<128xf32>) -> tensor<128xf32> {
  ^bb0(%0: tensor<128xf32>):
    %1 = math.exp %0 : tensor<128xf32>
    prec_sched.yield %1 : tensor<128xf32>
  }
  %c = prec_sched.copy %b {id = 2 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<128xf32>
  return %c : tensor<128xf32>
}

// -----

// c8: the bytes of %a are used again too early.
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  // expected-note @+1 {{computed here}}
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  %b = prec_sched.copy %x {id = 1 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  // expected-error @+1 {{operand 0 must still be there, but its bytes were overwritten}}
  %c = prec_sched.copy %a {id = 2 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %c : tensor<4xf32>
}

// -----

// c8: the middle of %a is overwritten.
func.func @step(%x: tensor<4xf32>, %y: tensor<256xf32>) -> tensor<256xf32> attributes {prec.entry = "step"} {
  // expected-note @+1 {{computed here}}
  %a = prec_sched.copy %y {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<256xf32>
  %b = prec_sched.copy %x {id = 1 : i64, placements = [#prec_sched.placement<workspace, 512>]} : tensor<4xf32>
  // expected-error @+1 {{operand 0 must still be there, but its bytes were overwritten}}
  %c = prec_sched.copy %a {id = 2 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<256xf32>
  return %c : tensor<256xf32>
}

// -----

// c8: the parameter is read after its update was written.
// expected-note @+1 {{computed here}}
func.func @step(%p: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "p"}, %g: tensor<4xf32>)
    -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "p", prec_train.donated_to = 0 : i64}, tensor<4xf32>) attributes {prec.entry = "step"} {
  %n = prec_sched.copy %g {id = 0 : i64, placements = [#prec_sched.placement<state, 0>]} : tensor<4xf32>
  // expected-error @+1 {{operand 0 must still be there, but its bytes were overwritten}}
  %o = prec_sched.copy %p {id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  return %n, %o : tensor<4xf32>, tensor<4xf32>
}

// -----

// c9
func.func @step(%x: tensor<8xf32>) -> tensor<8xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<8xf32>
  // expected-error @+1 {{a result computed in place must be where its input is, but got #prec_sched.placement<output, 0> and #prec_sched.placement<workspace, 0>}}
  %b = prec_sched.dispatch <elementwise> "exp"(%a) {id = 1 : i64, inplace = array<i64: 0>, placements = [#prec_sched.placement<output, 0>]} : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%0: tensor<8xf32>):
    %1 = math.exp %0 : tensor<8xf32>
    prec_sched.yield %1 : tensor<8xf32>
  }
  return %b : tensor<8xf32>
}

// -----

// c10: never brought home.
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<4xf32>
  // expected-error @+1 {{result 0 must be at #prec_sched.placement<output, 0> when the function returns, but is elsewhere}}
  return %a : tensor<4xf32>
}

// -----

// c10: brought home, then overwritten.
func.func @step(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {prec.entry = "step"} {
  %a = prec_sched.copy %x {id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  %b = prec_sched.copy %x {id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<4xf32>
  %c = prec_sched.copy %x {id = 2 : i64, placements = [#prec_sched.placement<output, 256>]} : tensor<4xf32>
  // expected-error @+1 {{result 0 must be at #prec_sched.placement<output, 0> when the function returns, but was overwritten there}}
  return %a, %c : tensor<4xf32>, tensor<4xf32>
}

// -----

// c11: a result longer than its place reaches into the next argument.
func.func @step(%p: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "p"},
                %q: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "q"}, %g: tensor<128xf32>)
    -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "p", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "step"} {
  %a = prec_sched.copy %g {id = 0 : i64, placements = [#prec_sched.placement<state, 0>]} : tensor<128xf32>
  %b = prec_sched.dispatch <elementwise> "zero"() {id = 1 : i64, placements = [#prec_sched.placement<state, 0>]} : () -> tensor<4xf32> {
    %0 = arith.constant dense<0.0> : tensor<4xf32>
    prec_sched.yield %0 : tensor<4xf32>
  }
  // expected-error @+1 {{argument 1 must keep its value, but was overwritten and nothing is donated to it}}
  return %b : tensor<4xf32>
}

// -----

// c12
func.func @step(%p: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "p"}) attributes {prec.entry = "step"} {
  return
}
// expected-error @+1 {{arguments and results of one name must have one type, but got 'tensor<4xf32>' and 'tensor<8xf32>'}}
func.func @init(%p: tensor<8xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "p"}) attributes {prec.entry = "init"} {
  return
}

// -----

// c13
func.func @step(%x: tensor<16x16xf32>) -> tensor<32x16xf32> attributes {prec.entry = "step"} {
  %a = prec_sched.gemm %x, %x <full> {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = prec_sched.gemm %x, %x <full> {id = 1 : i64, placements = [#prec_sched.placement<workspace, 2048>]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %j = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  // expected-error @+1 {{the pieces of operand 0 must lie one behind the other, but one is expected at 1024 and is at #prec_sched.placement<workspace, 2048>}}
  %c = prec_sched.copy %j {id = 2 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<32x16xf32>
  return %c : tensor<32x16xf32>
}

// -----

// c8, of a piece that is joined
func.func @step(%x: tensor<16x16xf32>) -> tensor<32x16xf32> attributes {prec.entry = "step"} {
  // expected-note @+1 {{computed here}}
  %a = prec_sched.gemm %x, %x <full> {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %b = prec_sched.gemm %x, %x <full> {id = 1 : i64, placements = [#prec_sched.placement<workspace, 1024>]} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %j = tensor.concat dim(0) %a, %b : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<32x16xf32>
  %k = prec_sched.copy %x {id = 2 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<16x16xf32>
  // expected-error @+1 {{operand 0 must still be there, but its bytes were overwritten}}
  %c = prec_sched.copy %j {id = 3 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<32x16xf32>
  return %c : tensor<32x16xf32>
}

// -----

// c13, of arguments: two cannot be directly behind one
func.func @step(%a: tensor<4x32xf32>, %b: tensor<4x32xf32> {prec_sched.behind = 0 : i64}, %c: tensor<4x32xf32> {prec_sched.behind = 0 : i64},
                %x: tensor<8x32xf32>) -> tensor<8x8xf32> attributes {prec.entry = "step"} {
  %w = tensor.concat dim(0) %a, %b : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  // expected-error @+1 {{the pieces of operand 1 must lie one behind the other, but one is expected at 512 and is at #prec_sched.placement<state, 2048>}}
  %y = prec_sched.gemm %x, %w <full> {id = 0 : i64, placements = [#prec_sched.placement<output, 0>], transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// c1, of arguments: there is none with this number
func.func @step(%a: tensor<4x32xf32>, %b: tensor<4x32xf32> {prec_sched.behind = 9 : i64}, %x: tensor<8x32xf32>) -> tensor<8x8xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{a scheduled function must hold only operations of prec_sched and views, but got this}}
  %w = tensor.concat dim(0) %a, %b : (tensor<4x32xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
  %y = prec_sched.gemm %x, %w <full> {id = 0 : i64, placements = [#prec_sched.placement<output, 0>], transpose_b} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// c15
module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step(%a: tensor<64xf32>) -> tensor<4x64xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{an exchange must be of the ranks of an axis of the module's mesh, but got 4 over 'dp' and the mesh {dp = 2 : i64}}}
  %g = prec_sched.exchange all_gather %a over "dp" {id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : (tensor<64xf32>) -> tensor<4x64xf32>
  return %g : tensor<4x64xf32>
}
}

// -----

func.func @step(%a: tensor<64xf32>) -> tensor<1x64xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{an exchange must be of the ranks of an axis of the module's mesh, but got 1 over 'dp' and the mesh {}}}
  %g = prec_sched.exchange all_gather %a over "dp" {id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : (tensor<64xf32>) -> tensor<1x64xf32>
  return %g : tensor<1x64xf32>
}

// -----

// c16
module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step(%a: tensor<64xf32>) -> tensor<2x64xf32> attributes {prec.entry = "step"} {
  // expected-error @+1 {{exchanges of a bucket must stand one behind the other, and buckets count from 0 on, but got bucket 1 where 0 is next}}
  %g = prec_sched.exchange all_gather %a over "dp" {bucket = 1 : i64, id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : (tensor<64xf32>) -> tensor<2x64xf32>
  prec_sched.await 1(%a, %g) {id = 1 : i64, placements = []} : tensor<64xf32>, tensor<2x64xf32>
  return %g : tensor<2x64xf32>
}
}

// -----

module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step(%a: tensor<64xf32>) -> (tensor<2x64xf32>, tensor<2x64xf32>) attributes {prec.entry = "step"} {
  %g = prec_sched.exchange all_gather %a over "dp" {bucket = 0 : i64, id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : (tensor<64xf32>) -> tensor<2x64xf32>
  %c = prec_sched.copy %a {id = 1 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<64xf32>
  // expected-error @+1 {{exchanges of a bucket must stand one behind the other, and buckets count from 0 on, but got bucket 0 where 1 is next}}
  %h = prec_sched.exchange all_gather %c over "dp" {bucket = 0 : i64, id = 2 : i64, placements = [#prec_sched.placement<output, 512>]} : (tensor<64xf32>) -> tensor<2x64xf32>
  prec_sched.await 0(%a, %g, %c, %h) {id = 3 : i64, placements = []} : tensor<64xf32>, tensor<2x64xf32>, tensor<64xf32>, tensor<2x64xf32>
  return %g, %h : tensor<2x64xf32>, tensor<2x64xf32>
}
}

// -----

// c17
module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step(%a: tensor<64xf32>) -> tensor<2x64xf32> attributes {prec.entry = "step"} {
  %g = prec_sched.exchange all_gather %a over "dp" {bucket = 0 : i64, id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : (tensor<64xf32>) -> tensor<2x64xf32>
  // expected-error @+1 {{an await must read what the exchanges of a bucket in front of it read and make, once, but got other values for bucket 0}}
  prec_sched.await 0(%g) {id = 1 : i64, placements = []} : tensor<2x64xf32>
  return %g : tensor<2x64xf32>
}
}

// -----

module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step(%a: tensor<64xf32>) -> tensor<2x64xf32> attributes {prec.entry = "step"} {
  %g = prec_sched.exchange all_gather %a over "dp" {bucket = 0 : i64, id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : (tensor<64xf32>) -> tensor<2x64xf32>
  prec_sched.await 0(%a, %g) {id = 1 : i64, placements = []} : tensor<64xf32>, tensor<2x64xf32>
  // expected-error @+1 {{an await must read what the exchanges of a bucket in front of it read and make, once, but got it twice for bucket 0}}
  prec_sched.await 0(%a, %g) {id = 2 : i64, placements = []} : tensor<64xf32>, tensor<2x64xf32>
  return %g : tensor<2x64xf32>
}
}

// -----

func.func @step(%a: tensor<64xf32>) -> tensor<64xf32> attributes {prec.entry = "step"} {
  %c = prec_sched.copy %a {id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<64xf32>
  // expected-error @+1 {{an await must read what the exchanges of a bucket in front of it read and make, once, but got no such bucket for bucket 0}}
  prec_sched.await 0(%c) {id = 1 : i64, placements = []} : tensor<64xf32>
  return %c : tensor<64xf32>
}

// -----

module attributes {prec_train.mesh = {dp = 2 : i64}} {
// expected-error @+1 {{each bucket must be awaited once, but got no await of bucket 0}}
func.func @step(%a: tensor<64xf32>) -> tensor<64xf32> attributes {prec.entry = "step"} {
  %g = prec_sched.exchange all_gather %a over "dp" {bucket = 0 : i64, id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : (tensor<64xf32>) -> tensor<2x64xf32>
  %c = prec_sched.copy %a {id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<64xf32>
  return %c : tensor<64xf32>
}
}

// -----

// c18
module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step(%a: tensor<64xf32>) -> tensor<2x64xf32> attributes {prec.entry = "step"} {
  %g = prec_sched.exchange all_gather %a over "dp" {bucket = 0 : i64, id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : (tensor<64xf32>) -> tensor<2x64xf32>
  // expected-error @+1 {{an exchange's result must be read behind the await of its bucket, but got one of bucket 0 before}}
  %c = prec_sched.copy %g {id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<2x64xf32>
  prec_sched.await 0(%a, %g) {id = 2 : i64, placements = []} : tensor<64xf32>, tensor<2x64xf32>
  return %c : tensor<2x64xf32>
}
}

// -----

// c8, of what is sent: another value takes its bytes before its bucket is awaited
module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step(%a: tensor<64xf32>) -> tensor<2x64xf32> attributes {prec.entry = "step"} {
  // expected-note @+1 {{computed here}}
  %s = prec_sched.copy %a {id = 0 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<64xf32>
  %g = prec_sched.exchange all_gather %s over "dp" {bucket = 0 : i64, id = 1 : i64, placements = [#prec_sched.placement<output, 0>]} : (tensor<64xf32>) -> tensor<2x64xf32>
  %c = prec_sched.copy %a {id = 2 : i64, placements = [#prec_sched.placement<workspace, 0>]} : tensor<64xf32>
  // expected-error @+1 {{operand 0 must still be there, but its bytes were overwritten}}
  prec_sched.await 0(%s, %g) {id = 3 : i64, placements = []} : tensor<64xf32>, tensor<2x64xf32>
  return %g : tensor<2x64xf32>
}
}
