// RUN: prec-opt %s --split-input-file --verify-diagnostics

// expected-error@below {{'prec.entry' must be one of "step", "eval", "forward", "init", "restore", "sample", "accumulate", "apply", "crowded_step", "crowded_eval", "crowded_accumulate", but got "main"}}
func.func @f() attributes {prec.entry = "main"} {
  return
}

// -----

// expected-error@below {{'prec.entry' must be one of "step", "eval", "forward", "init", "restore", "sample", "accumulate", "apply", "crowded_step", "crowded_eval", "crowded_accumulate", but got 1 : i64}}
func.func @f() attributes {prec.entry = 1} {
  return
}

// -----

// expected-error@below {{an entry point must have a body, but got a declaration with 'prec.entry' = "step"}}
func.func private @f() attributes {prec.entry = "step"}

// -----

// Only functions are called.
// expected-error@below {{prec attributes must be known here, but got 'prec.entry'}}
module attributes {prec.entry = "step"} {
}
