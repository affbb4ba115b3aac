// RUN: prec-opt %s --prec-partition-step=mesh=dp=2 --split-input-file --verify-diagnostics
// RUN: not prec-opt %s --prec-partition-step=mesh=dp --split-input-file 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not prec-opt %s --prec-partition-step=mesh=pp=2 --split-input-file 2>&1 | FileCheck %s --check-prefix=MESH
// RUN: not prec-opt %s --prec-partition-step=mesh=dp=0 --split-input-file 2>&1 | FileCheck %s --check-prefix=MESH

// mesh_c1
// MESH: a mesh must be dp=N, of N ranks that have batches of their own, ep=N, of N that have experts of their own, too, tp=N, of N that have parts of layers, or several of them, such as dp=M,tp=N, but got '

// partition_step_c2
// expected-error @+1 {{a step must be partitioned once, but got the mesh {dp = 2 : i64}}}
module attributes {prec_train.mesh = {dp = 2 : i64}} {
func.func @step() attributes {prec.entry = "step"} {
  return
}
}

// -----

func.func @step() attributes {prec.entry = "step"} {
  return
}

// partition_step_c3
// expected-error @+1 {{a function of several ranks that updates parameters must be a step or what ends one, but got another}}
func.func @sample(%w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"})
    -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.path = "w", prec_train.donated_to = 0 : i64}) attributes {prec.entry = "sample"} {
  %n = arith.negf %w : tensor<4xf32>
  return %n : tensor<4xf32>
}
