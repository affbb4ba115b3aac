// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec-rt/version.h"
#include "prec/InitAll.h"

int main() { return 0; }
