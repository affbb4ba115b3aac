// RUN: prec-opt %s --prec-guard-updates=enabled=false --split-input-file --verify-diagnostics
// RUN: not prec-opt %s --prec-guard-updates --split-input-file 2>&1 | FileCheck %s

func.func @step(%x: tensor<f32>) attributes {prec.entry = "step"} {
  // guard_updates_c1
  // expected-error @+1 {{dynamic loss scaling must have guarded updates, but the guard is left out: use another loss-scaling or guard updates}}
  %f, %i = prec.finite_guard %x of ["x"] : tensor<f32>
  return
}

// -----

// guard_updates_c2
// CHECK: error: {{.*}}a work weight must be computed from guarded values, but result 1 is not
func.func @step(
    %w: tensor<4xf32> {prec_train.role = #prec_train.role<parameter>, prec_train.path = "w"},
    %c: tensor<4xbf16> {prec_train.role = #prec_train.role<work_weight>, prec_train.path = "w", prec_train.param_of = "w", prec_train.slot = "bf16"},
    %g: tensor<4xf32>
) -> (tensor<4xf32> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 0 : i64},
      tensor<4xbf16> {prec_train.role = #prec_train.role<updated>, prec_train.donated_to = 1 : i64}) attributes {prec.entry = "step"} {
  %n = arith.addf %w, %g : tensor<4xf32>
  %t = arith.truncf %g : tensor<4xf32> to tensor<4xbf16>
  return %n, %t : tensor<4xf32>, tensor<4xbf16>
}
