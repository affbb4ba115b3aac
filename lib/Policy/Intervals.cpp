//===- Intervals.cpp - where FP8 wins -------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Policy/Intervals.h"

#include <algorithm>

using namespace prec;
using llvm::ArrayRef;

Time prec::combineTimes(ArrayRef<Time> times) {
  double sum = 0, noise = 0, least = times.front().us, most = least;
  for (const Time &time : times) {
    sum += time.us;
    noise = std::max(noise, time.noise);
    least = std::min(least, time.us);
    most = std::max(most, time.us);
  }
  return {sum / static_cast<double>(times.size()),
          std::max(noise, (most - least) / 2)};
}

double TokenTimes::getSafeSpeedup() const {
  return (bf16.us - bf16.noise) / (fp8.us + fp8.noise);
}

std::vector<SpeedupInterval> prec::getIntervals(ArrayRef<TokenTimes> points,
                                                double threshold) {
  std::vector<SpeedupInterval> intervals;
  for (const TokenTimes &point : points) {
    bool wins = point.getSafeSpeedup() > threshold;
    double speedup = point.getSpeedup();
    if (intervals.empty() || intervals.back().wins != wins) {
      intervals.push_back({point.tokens, point.tokens, wins, speedup, speedup});
      continue;
    }
    SpeedupInterval &interval = intervals.back();
    interval.last = point.tokens;
    interval.lowestSpeedup = std::min(interval.lowestSpeedup, speedup);
  }
  return intervals;
}

bool prec::winsAt(ArrayRef<SpeedupInterval> intervals, int64_t tokens) {
  for (const SpeedupInterval &interval : intervals)
    if (tokens >= interval.first && tokens <= interval.last)
      return interval.wins;
  return !intervals.empty() && tokens > intervals.back().last &&
         intervals.back().wins;
}

SafeThreshold prec::getSafeThreshold(ArrayRef<SpeedupInterval> intervals) {
  SafeThreshold threshold;
  if (intervals.empty())
    return threshold;
  if (intervals.back().wins) {
    threshold.minTokens = intervals.back().first;
    threshold.speedup = intervals.back().firstSpeedup;
    intervals = intervals.drop_back();
  }
  for (const SpeedupInterval &interval : intervals)
    if (interval.wins)
      threshold.givenUp.push_back(interval);
  return threshold;
}

std::string prec::printIntervals(ArrayRef<SpeedupInterval> intervals) {
  std::string text;
  for (const SpeedupInterval &interval : intervals) {
    text += text.empty() ? "" : ", ";
    text += interval.wins ? "wins at " : "loses at ";
    text += std::to_string(interval.first);
    if (interval.last != interval.first)
      text += " to " + std::to_string(interval.last);
  }
  return text;
}
