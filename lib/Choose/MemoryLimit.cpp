//===- MemoryLimit.cpp - labels within a number of bytes ------------------===//
#include "prec/Choose/MemoryLimit.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <tuple>

using namespace mlir;
using namespace mlir::prec;
using llvm::ArrayRef;

namespace {

class LimitSearch {
public:
  LimitSearch(const LimitedProblem &problem, int64_t maxBytes);

  LimitedLabelling run();

private:
  struct Point {
    std::vector<uint32_t> labels;
    int64_t cost, bytes;
  };

  /// The least sum of costs and `price` times bytes; raises the bound.
  Point solve(double price);
  Point makePoint(std::vector<uint32_t> labels) const;
  void bisect(Point &fits, Point &exceeds);
  /// Gives the room that `fits` leaves to parts as they are in `exceeds`.
  void fill(Point &fits, const Point &exceeds) const;

  const LimitedProblem &problem;
  int64_t maxBytes, totalBytes = 0, bound = 0;
  double lastPrice = 0;
};

} // namespace

int64_t LimitedProblem::countBytes(ArrayRef<uint32_t> labels) const {
  int64_t total = 0;
  for (auto [decision, choices] : llvm::enumerate(bytes))
    total += choices[labels[decision]];
  for (auto [cost, size] : llvm::zip_equal(problem.shared, sharedBytes))
    if (llvm::any_of(cost.users, [&](const SharedCost::User &user) {
          return labels[user.decision] == user.label;
        }))
      total += size;
  return total;
}

LimitSearch::LimitSearch(const LimitedProblem &problem, int64_t maxBytes)
    : problem(problem), maxBytes(maxBytes) {
  for (const auto &choices : problem.bytes)
    totalBytes += *llvm::max_element(choices);
  for (int64_t size : problem.sharedBytes)
    totalBytes += size;
}

LimitSearch::Point LimitSearch::makePoint(std::vector<uint32_t> labels) const {
  int64_t cost = problem.problem.evaluate(labels),
          bytes = problem.countBytes(labels);
  return {std::move(labels), cost, bytes};
}

LabellingProblem prec::addBytePrice(const LimitedProblem &problem,
                                    double price) {
  LabellingProblem priced = problem.problem;
  auto getPrice = [&](int64_t bytes) {
    return int64_t(std::floor(price * double(bytes)));
  };
  for (auto [costs, bytes] : llvm::zip_equal(priced.costs, problem.bytes))
    for (auto [cost, size] : llvm::zip_equal(costs, bytes))
      cost += getPrice(size);
  for (auto [cost, size] : llvm::zip_equal(priced.shared, problem.sharedBytes))
    cost.cost += getPrice(size);
  return priced;
}

/// Prices are rounded down, so that bounds stay bounds.
LimitSearch::Point LimitSearch::solve(double price) {
  Labelling labelling = chooseLabels(addBytePrice(problem, price));
  bound = std::max(bound, labelling.bound -
                              int64_t(std::ceil(price * double(maxBytes))));
  return makePoint(std::move(labelling.labels));
}

void LimitSearch::bisect(Point &fits, Point &exceeds) {
  constexpr unsigned kSteps = 40;
  // A byte dearer than this is not worth any time that can be counted.
  constexpr double kLargest = double(int64_t(1) << 55);
  double low = 0, high = 1e-6,
         most = kLargest / double(std::max<int64_t>(totalBytes, 1));
  auto take = [&](double price) {
    Point point = solve(price);
    bool isWithin = point.bytes <= maxBytes;
    if (!isWithin)
      exceeds = std::move(point);
    else if (std::tie(point.cost, point.bytes) <
             std::tie(fits.cost, fits.bytes))
      fits = std::move(point);
    return isWithin;
  };
  while (high < most && !take(high)) {
    low = high;
    high *= 4;
  }
  for (unsigned step = 0; step < kSteps && high - low > 1e-6 * high; ++step) {
    double middle = (low + high) / 2;
    (take(middle) ? high : low) = middle;
  }
  lastPrice = high;
}

void LimitSearch::fill(Point &fits, const Point &exceeds) const {
  struct Gain {
    double perByte;
    size_t part;
    int64_t cost, bytes;
  };
  std::vector<LabellingPart> parts = splitLabels(problem.problem);
  std::vector<Gain> gains;
  for (auto [index, part] : llvm::enumerate(parts)) {
    auto measure = [&, &part = part](const Point &point) {
      LimitedProblem own{part.problem, {}, {}};
      std::vector<uint32_t> labels;
      for (uint32_t decision : part.decisions) {
        own.bytes.push_back(problem.bytes[decision]);
        labels.push_back(point.labels[decision]);
      }
      for (uint32_t shared : part.shared)
        own.sharedBytes.push_back(problem.sharedBytes[shared]);
      return std::make_pair(part.problem.evaluate(labels),
                            own.countBytes(labels));
    };
    auto [costBefore, bytesBefore] = measure(fits);
    auto [costAfter, bytesAfter] = measure(exceeds);
    int64_t saved = costBefore - costAfter, more = bytesAfter - bytesBefore;
    if (saved > 0)
      gains.push_back({more <= 0 ? HUGE_VAL : double(saved) / double(more),
                       index, saved, more});
  }
  llvm::stable_sort(gains, [](const Gain &a, const Gain &b) {
    return a.perByte > b.perByte;
  });
  for (const Gain &gain : gains) {
    if (fits.bytes + gain.bytes > maxBytes)
      continue;
    fits.bytes += gain.bytes;
    fits.cost -= gain.cost;
    for (uint32_t decision : parts[gain.part].decisions)
      fits.labels[decision] = exceeds.labels[decision];
  }
}

LimitedLabelling LimitSearch::run() {
  LabellingProblem sizes = problem.problem;
  sizes.costs = problem.bytes;
  for (auto [cost, size] : llvm::zip_equal(sizes.shared, problem.sharedBytes))
    cost.cost = size;
  Labelling smallest = chooseLabels(sizes);
  LimitedLabelling result;
  result.leastBytes = smallest.bound;

  Labelling unlimited = chooseLabels(problem.problem);
  bound = unlimited.bound;
  Point exceeds = makePoint(unlimited.labels), fits = exceeds;
  result.fits = exceeds.bytes <= maxBytes;
  if (!result.fits) {
    fits = makePoint(smallest.labels);
    result.fits = fits.bytes <= maxBytes;
    if (result.fits) {
      bisect(fits, exceeds);
      fill(fits, exceeds);
      result.bytePrice = lastPrice;
    }
  }
  result.bytes = fits.bytes;
  result.labelling.labels = std::move(fits.labels);
  result.labelling.cost = fits.cost;
  result.labelling.bound = std::min(bound, fits.cost);
  return result;
}

LimitedLabelling prec::chooseLabelsWithin(const LimitedProblem &problem,
                                          int64_t maxBytes) {
  return LimitSearch(problem, maxBytes).run();
}
