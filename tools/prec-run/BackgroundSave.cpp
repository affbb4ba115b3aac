//===- BackgroundSave.cpp - checkpoints while training goes on ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "BackgroundSave.h"

#include <exception>

using namespace prec::rt;
using namespace prec::run;

void BackgroundSave::decide(Fate value) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (fate == Fate::open)
      fate = value;
  }
  decided.notify_all();
}

void BackgroundSave::confirm() { decide(Fate::confirmed); }

void BackgroundSave::finish() {
  decide(Fate::dropped);
  if (writer.joinable())
    writer.join();
}

Status BackgroundSave::takeError() {
  std::lock_guard<std::mutex> lock(mutex);
  return std::exchange(error, Status());
}

void BackgroundSave::write(const Checkpoint &checkpoint, const KeepRule &keep) {
  Status status;
  // An exception that left a thread would end the process.
  try {
    Result<WrittenCheckpoint> written =
        writeCheckpointFiles(checkpoint, *place);
    if (written.ok()) {
      std::unique_lock<std::mutex> lock(mutex);
      decided.wait(lock, [this] { return fate != Fate::open; });
      bool isGood = fate == Fate::confirmed;
      lock.unlock();
      if (isGood)
        status = commitCheckpoint(checkpoint, *written, *place, keep);
    } else {
      status = written.status();
    }
  } catch (const std::exception &exception) {
    status = Status::outOfMemory(
        place->folder() +
        ": must not run out of resources, but got: " + exception.what());
  }
  std::lock_guard<std::mutex> lock(mutex);
  error = status;
}

Status BackgroundSave::start(Session &session, const DataPlace &data,
                             const KeepRule &keep) {
  finish();
  Result<Checkpoint> checkpoint = makeCheckpoint(session, data);
  if (!checkpoint.ok())
    return checkpoint.status();
  PREC_RT_RETURN_IF_ERROR(detachCheckpoint(*checkpoint));
  fate = Fate::open;
  writer = std::thread(
      [this, keep, copied = std::move(*checkpoint)] { write(copied, keep); });
  return {};
}
