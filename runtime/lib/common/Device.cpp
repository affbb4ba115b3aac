//===- Device.cpp - what devices have in common ---------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Device.h"

#include <cstdio>

using namespace prec::rt;

std::string prec::rt::formatPlace(const Place &place) {
  return place.isHost() ? "the host" : "GPU " + std::to_string(place.index);
}

void prec::rt::logToStderr(prec_rt_log_level level, const std::string &text) {
  if (level == PREC_RT_LOG_NOTE)
    std::fprintf(stderr, "note: %s\n", text.c_str());
}

/// Sessions hand no memory of a GPU to a device that is none.
static Status refuseMemory() {
  return Status::internal("memory of a GPU must be given to a module for it, "
                          "but got one for the host");
}

Status Device::checkMemory(const void *, int64_t) const {
  return refuseMemory();
}
Status Device::copyIn(int, const void *, int64_t) { return refuseMemory(); }
Status Device::copyOut(int, void *, int64_t) { return refuseMemory(); }
Status Device::readMemory(void *, const void *, int64_t) {
  return refuseMemory();
}
Status Device::writeMemory(void *, const void *, int64_t) {
  return refuseMemory();
}
