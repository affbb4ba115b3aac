//===- BackgroundSave.cpp - checkpoints while training goes on ------------===//

#include "BackgroundSave.h"

using namespace prec::rt;
using namespace prec::run;

Status BackgroundSave::wait() {
  if (writer.joinable())
    writer.join();
  return std::exchange(status, Status());
}

Status BackgroundSave::start(Session &session, const std::string &folder,
                             int64_t dataPosition) {
  PREC_RT_RETURN_IF_ERROR(wait());
  Result<Checkpoint> checkpoint = makeCheckpoint(session, dataPosition);
  if (!checkpoint.ok())
    return checkpoint.status();
  PREC_RT_RETURN_IF_ERROR(detachCheckpoint(*checkpoint));
  writer = std::thread([this, folder, copied = std::move(*checkpoint)] {
    status = writeCheckpoint(copied, folder);
  });
  return {};
}
