// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What most unit tests of the compiler include besides.
#include "Compiler.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>
