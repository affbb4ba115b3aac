//===- SaveFolder.cpp - where a training saves ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SaveFolder.h"

#include <unistd.h>

using namespace prec::rt;
using namespace prec::run;

Status SaveFolder::make(const std::string &folder, bool isFirst) {
  if (folder.empty())
    return {};
  if (!isFirst) {
    lock.emplace(CheckpointLock::ofFirstRank(folder));
    return {};
  }
  Result<bool> isNew = makeCheckpointFolder(folder);
  if (!isNew.ok())
    return isNew.status();
  made = *isNew ? folder : "";
  Result<CheckpointLock> taken = CheckpointLock::take(folder, /*wait=*/false);
  if (!taken.ok())
    return taken.status();
  lock.emplace(std::move(*taken));
  return {};
}

SaveFolder::~SaveFolder() {
  // Not of a folder that holds something.
  if (!made.empty())
    (void)rmdir(made.c_str());
}
