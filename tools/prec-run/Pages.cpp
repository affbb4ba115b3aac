//===- Pages.cpp - what is read as a page ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pages.h"

using namespace prec::run;

namespace {

struct PageFile {
  std::string_view name, text;
};

/// In the order of CMakeLists.txt.
enum Page { profile, placements };

} // namespace

static constexpr PageFile kFiles[] = {
#include "prec/Run/RunPageFiles.inc"
};

static std::string fill(Page which, std::string_view json) {
  static constexpr std::string_view kPlace = "@data@";
  std::string_view text = kFiles[which].text;
  size_t place = text.find(kPlace);
  std::string page(text.substr(0, place));
  // Inside of a script element "<" may begin its end; in JSON it is only part
  // of strings.
  for (char character : json)
    if (character == '<')
      page += "\\u003c";
    else
      page += character;
  return page.append(text.substr(place + kPlace.size()));
}

std::string prec::run::makeProfilePage(std::string_view json) {
  return fill(profile, json);
}

std::string prec::run::makePlacementsPage(std::string_view json) {
  return fill(placements, json);
}
