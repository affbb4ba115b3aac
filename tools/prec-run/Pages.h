//===- Pages.h - what is read as a page -------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each page is one HTML document that needs nothing else.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RUN_PAGES_H
#define PREC_RUN_PAGES_H

#include <string>
#include <string_view>

namespace prec::run {

/// `json` is what toJson gives of a Profile.
std::string makeProfilePage(std::string_view json);
/// `json` is what toJson gives of Placements.
std::string makePlacementsPage(std::string_view json);

} // namespace prec::run

#endif // PREC_RUN_PAGES_H
