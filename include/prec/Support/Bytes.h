//===- Bytes.h - amounts of memory as text ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_SUPPORT_BYTES_H
#define PREC_SUPPORT_BYTES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace prec {

/// "212.0 KiB": in the largest binary unit of which there is one, with so many
/// digits behind the point; bytes have none.
std::string printBinaryBytes(double bytes, int digits);

/// The value of the option `name`: "24GiB", "800MiB", "100000" (bytes without a
/// unit).
llvm::Expected<int64_t> parseByteSize(llvm::StringRef text,
                                      llvm::StringRef name);

} // namespace prec

#endif // PREC_SUPPORT_BYTES_H
