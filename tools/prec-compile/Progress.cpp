//===- Progress.cpp - what a long compilation is at -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Progress.h"

#include <chrono>

using namespace prec;

/// Until then nobody wonders.
static constexpr std::chrono::seconds kPatience(2);

Progress::Progress(llvm::raw_ostream &os) : os(os) {
  timer = std::thread([this] { wait(); });
}

Progress::~Progress() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isOver = true;
  }
  ended.notify_one();
  timer.join();
}

void Progress::wait() {
  std::unique_lock<std::mutex> lock(mutex);
  if (ended.wait_for(lock, kPatience, [&] { return isOver; }))
    return;
  isLong = true;
  say();
}

void Progress::begin(llvm::StringRef next) {
  std::lock_guard<std::mutex> lock(mutex);
  phase = next.str();
  if (isLong)
    say();
}

// One write: whoever prints a diagnostic meanwhile prints before or behind it.
void Progress::say() { os << ("prec-compile: " + phase + " ...\n"); }
