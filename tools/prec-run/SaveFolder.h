//===- SaveFolder.h - where a training saves --------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_SAVEFOLDER_H
#define PREC_RUN_SAVEFOLDER_H

#include "CheckpointFolder.h"

namespace prec::run {

/// Made and taken before the first step, so that a long run does not end
/// without a place for what it trained; removed again if nothing was saved.
class SaveFolder {
public:
  SaveFolder() = default;
  SaveFolder(const SaveFolder &) = delete;
  SaveFolder &operator=(const SaveFolder &) = delete;
  ~SaveFolder();

  /// Without a name there is none. `isFirst`: not of a rank that writes into
  /// files of rank 0.
  rt::Status make(const std::string &folder, bool isFirst);
  /// None without a folder.
  const rt::CheckpointLock *place() const { return lock ? &*lock : nullptr; }

private:
  std::string made; ///< by this run
  std::optional<rt::CheckpointLock> lock;
};

} // namespace prec::run

#endif // PREC_RUN_SAVEFOLDER_H
