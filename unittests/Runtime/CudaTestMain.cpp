//===- CudaTestMain.cpp - main of the tests that want a GPU ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaTestModule.h"

#include <cstdio>

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  const std::string option = "--cuda-library-path=";
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument.rfind(option, 0) != 0) {
      std::fprintf(stderr, "error: unknown argument '%s'\n", argv[i]);
      return 1;
    }
    prec::rt::test::libraryPaths.push_back(argument.substr(option.size()));
  }
  return RUN_ALL_TESTS();
}
