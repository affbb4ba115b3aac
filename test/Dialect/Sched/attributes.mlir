// RUN: prec-opt %s | prec-opt | FileCheck %s
// RUN: prec-opt %s --mlir-print-op-generic | prec-opt | FileCheck %s
// RUN: prec-opt %s --emit-bytecode | prec-opt | FileCheck %s

// CHECK: families = [#prec_sched.family<elementwise>, #prec_sched.family<row>, #prec_sched.family<column>, #prec_sched.family<transpose>, #prec_sched.family<scatter_add>, #prec_sched.family<sort>]
// CHECK-SAME: launches = [#prec_sched.launch<>, #prec_sched.launch<extent = 128>, #prec_sched.launch<grid = [64, 1, 1], block = [256, 2, 1]>, #prec_sched.launch<extent = 7, grid = [64, 1, 1], block = [256, 2, 1], shared = 1024>]
// CHECK-SAME: placements = [#prec_sched.placement<state, 0>, #prec_sched.placement<input, 256>, #prec_sched.placement<output, 512>, #prec_sched.placement<workspace, 1099511627776>, #prec_sched.placement<constants, 64>]
func.func private @every_case() attributes {
  families = [#prec_sched.family<elementwise>, #prec_sched.family<row>, #prec_sched.family<column>, #prec_sched.family<transpose>, #prec_sched.family<scatter_add>, #prec_sched.family<sort>],
  launches = [#prec_sched.launch<>, #prec_sched.launch<extent = 128>, #prec_sched.launch<grid = [64, 1, 1], block = [256, 2, 1]>,
              #prec_sched.launch<shared = 1024, block = [256, 2, 1], grid = [64, 1, 1], extent = 7>],
  placements = [#prec_sched.placement<state, 0>, #prec_sched.placement<input, 256>, #prec_sched.placement<output, 512>,
                #prec_sched.placement<workspace, 1099511627776>, #prec_sched.placement<constants, 64>]}
