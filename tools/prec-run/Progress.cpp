//===- Progress.cpp - what a user sees while training ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Progress.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace prec::run;

Progress::Progress(int64_t firstStep, int64_t lastStep, int64_t tokensPerStep,
                   bool isSilent)
    : first(firstStep), last(lastStep), tokens(tokensPerStep), silent(isSilent),
      terminal(isatty(STDERR_FILENO)), start(Clock::now()), stepEnd(start),
      redrawn() {}

void Progress::resume() {
  Clock::duration pause = Clock::now() - paused;
  start += pause;
  stepEnd += pause;
}

double Progress::tokensPerSecond() const {
  double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return seconds > 0 ? done * tokens / seconds : 0;
}

std::string Progress::line(int64_t step, double loss) const {
  constexpr int width = 24;
  std::string bar(width, ' ');
  int64_t total = std::max<int64_t>(1, last - first + 1);
  std::fill_n(bar.begin(), std::min<int64_t>(width, width * done / total), '#');
  double rate = tokensPerSecond();
  int64_t left = rate > 0 ? (last - step) * tokens / rate : 0;
  char text[160];
  snprintf(text, sizeof text,
           "%s[%s] step %lld/%lld  loss %.4f  %.0f tokens/s  %lld:%02lld left",
           "", bar.c_str(), static_cast<long long>(step),
           static_cast<long long>(last), loss, rate,
           static_cast<long long>(left / 60),
           static_cast<long long>(left % 60));
  return text;
}

void Progress::step(int64_t step, double loss) {
  ++done;
  lastStep = Clock::now() - stepEnd;
  stepEnd = Clock::now();
  if (silent)
    return;
  if (terminal) {
    bool due = Clock::now() - redrawn > std::chrono::milliseconds(80);
    if (!due && step != last)
      return;
    redrawn = Clock::now();
    fprintf(stderr, "\r%s\033[K", line(step, loss).c_str());
    drawn = true;
    return;
  }
  int64_t interval = std::max<int64_t>(1, (last - first + 1) / 20);
  if ((step - first + 1) % interval == 0 || step == last)
    fprintf(stderr, "%s\n", line(step, loss).c_str());
}

void Progress::note(const std::string &text) {
  if (silent)
    return;
  fprintf(stderr, "%s%s\n", drawn ? "\r\033[K" : "", text.c_str());
  drawn = false;
}

void Progress::finish() {
  if (drawn)
    fputc('\n', stderr);
  drawn = false;
}
