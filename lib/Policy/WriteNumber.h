//===- WriteNumber.h - short numbers in written files -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_POLICY_WRITENUMBER_H
#define PREC_LIB_POLICY_WRITENUMBER_H

#include "prec/Support/Json.h"

#include "llvm/Support/JSON.h"

namespace prec {

/// An attribute with a number as a person would write it; llvm::json prints 17
/// digits.
inline void writeNumber(llvm::json::OStream &json, llvm::StringRef key,
                        double number) {
  json.attributeBegin(key);
  json.rawValue(printNumber(number));
  json.attributeEnd();
}

} // namespace prec

#endif // PREC_LIB_POLICY_WRITENUMBER_H
