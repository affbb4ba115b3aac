//===- ProfilePage.h - a profile as a page ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_PROFILEPAGE_H
#define PREC_RUN_PROFILEPAGE_H

#include <string>
#include <string_view>

namespace prec::run {

/// One HTML document that needs nothing else. `json` is what toJson gives.
std::string makeProfilePage(std::string_view json);

} // namespace prec::run

#endif // PREC_RUN_PROFILEPAGE_H
