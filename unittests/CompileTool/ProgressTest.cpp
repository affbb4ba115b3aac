//===- ProgressTest.cpp - what a long compilation is at -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Progress.h"

#include "gtest/gtest.h"

using namespace prec;

TEST(Progress, SaysNothingOfAShortCompilation) {
  std::string said;
  llvm::raw_string_ostream os(said);
  {
    Progress progress(os);
    progress.begin("import");
    progress.begin("assign");
  }
  EXPECT_EQ(said, "");
}

TEST(Progress, NamesThePhaseAfterTwoSecondsAndEveryLaterOne) {
  std::string said;
  llvm::raw_string_ostream os(said);
  {
    Progress progress(os);
    progress.begin("import");
    progress.begin("schedule");
    std::this_thread::sleep_for(std::chrono::milliseconds(2500));
    progress.begin("codegen");
    progress.begin("emit");
  }
  EXPECT_EQ(said, "prec-compile: schedule ...\nprec-compile: codegen ...\n"
                  "prec-compile: emit ...\n");
}
