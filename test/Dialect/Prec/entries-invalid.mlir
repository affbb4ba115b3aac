// RUN: prec-opt %s --split-input-file --verify-diagnostics --prec-verify-imported

// Whoever looks for the step finds one function for each purpose.

// entry_c2
func.func @f() attributes {prec.entry = "step"} {
  return
}
func.func @e() attributes {prec.entry = "eval"} {
  return
}
// expected-error@below {{a module must have one function with 'prec.entry' = "step", but got @f, too}}
func.func @g() attributes {prec.entry = "step"} {
  return
}

// -----

func.func @f() attributes {prec.entry = "step"} {
  return
}
func.func @e() attributes {prec.entry = "eval"} {
  return
}
// expected-error@below {{a module must have one function with 'prec.entry' = "eval", but got @e, too}}
func.func @g() attributes {prec.entry = "eval"} {
  return
}
