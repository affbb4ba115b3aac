//===- Progress.h - what a long compilation is at ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_COMPILE_PROGRESS_H
#define PREC_COMPILE_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace prec {

/// Names on `os` the phase that is running two seconds after the start, and
/// every one that begins later, a line each: "prec-compile: schedule ...". A
/// compilation that ends earlier says nothing. Lines are whole, so that
/// diagnostics may stand between them.
class Progress {
public:
  explicit Progress(llvm::raw_ostream &os);
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  void begin(llvm::StringRef phase);

private:
  void wait();
  void say();

  llvm::raw_ostream &os;
  std::mutex mutex; ///< guards all below
  std::condition_variable ended;
  std::string phase = "import";
  bool isLong = false, isOver = false;
  std::thread timer; ///< begins when all else is there
};

} // namespace prec

#endif // PREC_COMPILE_PROGRESS_H
