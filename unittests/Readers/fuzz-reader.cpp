//===- fuzz-reader.cpp - libFuzzer target of one reader -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Readers.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const prec::test::Reader *reader = prec::test::findReader(PREC_READER);
  if (!reader)
    std::abort();
  std::string error =
      reader->read({reinterpret_cast<const char *>(data), size});
  // What was read, written and read again must not be refused.
  if (llvm::StringRef(error).starts_with("written"))
    std::abort();
  return 0;
}
