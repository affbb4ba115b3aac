// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK: families = [#sched.family<elementwise>, #sched.family<row>, #sched.family<column>, #sched.family<transpose>, #sched.family<scatter_add>, #sched.family<sort>]
// CHECK-SAME: launches = [#sched.launch<>, #sched.launch<extent = 128>, #sched.launch<grid = [64, 1, 1], block = [256, 2, 1]>, #sched.launch<extent = 7, grid = [64, 1, 1], block = [256, 2, 1], shared = 1024>]
// CHECK-SAME: placements = [#sched.placement<state, 0>, #sched.placement<input, 256>, #sched.placement<output, 512>, #sched.placement<workspace, 1099511627776>, #sched.placement<constants, 64>]
func.func private @every_case() attributes {
  families = [#sched.family<elementwise>, #sched.family<row>, #sched.family<column>, #sched.family<transpose>, #sched.family<scatter_add>, #sched.family<sort>],
  launches = [#sched.launch<>, #sched.launch<extent = 128>, #sched.launch<grid = [64, 1, 1], block = [256, 2, 1]>,
              #sched.launch<shared = 1024, block = [256, 2, 1], grid = [64, 1, 1], extent = 7>],
  placements = [#sched.placement<state, 0>, #sched.placement<input, 256>, #sched.placement<output, 512>,
                #sched.placement<workspace, 1099511627776>, #sched.placement<constants, 64>]}
