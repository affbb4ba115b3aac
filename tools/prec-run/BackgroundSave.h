//===- BackgroundSave.h - checkpoints while training goes on ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_BACKGROUNDSAVE_H
#define PREC_RUN_BACKGROUNDSAVE_H

#include "Checkpoint.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace prec::run {

/// Writes one checkpoint at a time into one folder. A checkpoint takes the
/// place of the one before only once it is confirmed: whether an update was a
/// good one shows in the loss of a later step.
class BackgroundSave {
public:
  /// `place` outlives this.
  explicit BackgroundSave(const rt::CheckpointLock *place) : place(place) {}
  ~BackgroundSave() { finish(); }

  /// Copies the session's state, which takes as much of the host's memory, and
  /// returns while the copy is written. An earlier checkpoint that was
  /// confirmed and is still being written is waited for; one that was not is
  /// dropped.
  rt::Status start(rt::Session &session, const rt::DataPlace &data,
                   const rt::KeepRule &keep);
  /// The state that was saved last has proven good.
  void confirm();
  /// Waits until what was confirmed is on the disk, and drops what was not.
  void finish();

  /// Why a checkpoint could not be written, once.
  rt::Status takeError();

private:
  enum class Fate { open, confirmed, dropped };
  void write(const rt::Checkpoint &checkpoint, const rt::KeepRule &keep);
  void decide(Fate value);

  const rt::CheckpointLock *place;
  std::thread writer;
  std::mutex mutex; ///< of all below
  std::condition_variable decided;
  Fate fate = Fate::open;
  rt::Status error;
};

} // namespace prec::run

#endif // PREC_RUN_BACKGROUNDSAVE_H
