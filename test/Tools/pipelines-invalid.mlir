// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: not prec-opt %s --pass-pipeline='func.func(prec-raise)' 2>&1 | FileCheck %s --check-prefix=FUNC
// RUN: not prec-opt %s --pass-pipeline='builtin.module(func.func(prec-materialize))' 2>&1 | FileCheck %s --check-prefix=NESTED
// RUN: not prec-opt %s --pass-pipeline='builtin.module(prec-to-linalg{all})' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: prec-opt %s --prec-to-linalg | FileCheck %s --check-prefix=ALONE

// A pipeline that is named within an operation that it cannot run on is an
// error, and not the end of the program.

// FUNC: error: prec-raise must be within builtin.module, but got func.func
// NESTED: error: prec-materialize must be within builtin.module, but got func.func
// OPTION: error: prec-to-linalg must have no options, but got all
// ALONE: module
module {
}
