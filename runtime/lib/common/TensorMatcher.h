//===- TensorMatcher.h - matches tensors to bindings ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_TENSORMATCHER_H
#define PREC_RT_COMMON_TENSORMATCHER_H

#include "Safetensors.h"
#include "Session.h"

#include <set>

namespace prec::rt {

/// A binding and the names under which a file may hold it.
struct Wanted {
  int binding;
  std::vector<std::string> names;
  bool required;
  /// What is said where it is required and missing.
  std::string missing = "must be in the file, but is missing";
};

/// Pairs tensors of a file with bindings and collects what does not fit.
class TensorMatcher {
public:
  /// `mayRound`: masters narrower than their weights hold them rounded.
  TensorMatcher(Session &session, std::string path, bool mayRound = false)
      : session(session), path(std::move(path)), mayRound(mayRound) {}

  /// Leaves tensors out that the module does not have if their names begin with
  /// `optional`.
  void match(const std::vector<SafetensorsEntry> &entries,
             const std::vector<Wanted> &wanted, const char *optional = nullptr);
  Status errors() const {
    return lines.empty() ? Status()
                         : Status::badFile(lines.substr(0, lines.size() - 1));
  }
  Status upload() const;
  int64_t numRounded() const { return static_cast<int64_t>(rounded.size()); }

private:
  void report(const std::string &name, const std::string &message) {
    lines += path + ": tensor '" + name + "': " + message + "\n";
  }
  /// Of whole numbers, such as rows of a table.
  void checkNumbers(const SafetensorsEntry &entry, int index);
  void pair(const SafetensorsEntry &entry, int binding);

  Session &session;
  std::string path;
  std::string lines;
  bool mayRound;
  std::map<int, const SafetensorsEntry *> pairs; ///< by binding
  std::set<int> rounded;
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_TENSORMATCHER_H
