//===- MinCut.h - least cut of a directed graph -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maximum flow by Dinic's algorithm (Dinic, 1970): blocking flows on the graph
// of shortest paths.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CHOOSE_MINCUT_H
#define PREC_LIB_CHOOSE_MINCUT_H

#include <cstdint>
#include <vector>

namespace prec {

/// Puts each node on the source's or the sink's side of a cut so that what the
/// cut costs is least. Equal input gives equal output.
class MinCut {
public:
  /// More than all costs that may be paid together.
  static constexpr int64_t kInfinite = int64_t(1) << 60;

  MinCut() : arcs(2) {}

  uint32_t addNode();
  /// Paid by the side that the node is on; either may be negative.
  void addCosts(uint32_t node, int64_t onSourceSide, int64_t onSinkSide);
  /// Paid if `from` is on the source's and `to` on the sink's side; not
  /// negative.
  void addEdge(uint32_t from, uint32_t to, int64_t cost);

  /// The least cost. Of several least cuts the one with the fewest nodes on the
  /// source's side is taken.
  int64_t solve();
  bool isOnSourceSide(uint32_t node) const { return depths[node] >= 0; }

private:
  static constexpr uint32_t kSource = 0, kSink = 1;
  struct Arc {
    uint32_t to, reverse;
    int64_t capacity;
  };

  void addArc(uint32_t from, uint32_t to, int64_t capacity);
  bool findDepths();
  int64_t augment();

  std::vector<std::vector<Arc>> arcs;
  /// Arcs from the source, -1 for what it does not reach.
  std::vector<int32_t> depths;
  /// The first arc of each node that may still lead to the sink.
  std::vector<uint32_t> next;
  int64_t constant = 0;
};

} // namespace prec

#endif // PREC_LIB_CHOOSE_MINCUT_H
