//===- BackgroundSave.h - checkpoints while training goes on ----*- C++ -*-===//
#ifndef PREC_RUN_BACKGROUNDSAVE_H
#define PREC_RUN_BACKGROUNDSAVE_H

#include "Checkpoint.h"

#include <thread>

namespace prec::run {

/// Writes one checkpoint at a time into one folder.
class BackgroundSave {
public:
  ~BackgroundSave() { (void)wait(); }

  /// Copies the session's state, which takes as much of the host's memory, and
  /// returns while the copy is written. An earlier checkpoint that is still
  /// being written is waited for; fails if it failed.
  rt::Status start(rt::Session &session, const std::string &folder,
                   int64_t dataPosition);
  /// Until all is on the disk.
  rt::Status wait();

private:
  std::thread writer;
  rt::Status status;
};

} // namespace prec::run

#endif // PREC_RUN_BACKGROUNDSAVE_H
