//===- MinCut.cpp - least cut of a directed graph -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The least cut between source and sink, by maximum flow (Dinic, 1970). In each
// round a breadth-first search finds the distance of every node from the
// source, over arcs that have capacity left. Then paths along which the
// distance rises by one are filled until none is left; `next` remembers for
// each node which arcs are dead ends, so none of them is tried again in the
// round. Each round makes the shortest path longer, so there are at most as
// many rounds as nodes. When the sink is not reached, the nodes that are
// reached are the source's side, and of all least cuts this is the one with the
// fewest nodes there. Of the two costs of a node only the difference is an arc;
// what both have is a constant, so costs may be negative. Time is O(V^2 E) at
// worst; labellings have short paths.
//
//===----------------------------------------------------------------------===//
#include "Choose/MinCut.h"

#include <algorithm>

using namespace prec;

uint32_t MinCut::addNode() {
  arcs.emplace_back();
  return arcs.size() - 1;
}

void MinCut::addArc(uint32_t from, uint32_t to, int64_t capacity) {
  arcs[from].push_back({to, uint32_t(arcs[to].size()), capacity});
  arcs[to].push_back({from, uint32_t(arcs[from].size() - 1), 0});
}

void MinCut::addCosts(uint32_t node, int64_t onSourceSide, int64_t onSinkSide) {
  int64_t both = std::min(onSourceSide, onSinkSide);
  constant += both;
  if (onSourceSide > both)
    addArc(node, kSink, onSourceSide - both);
  if (onSinkSide > both)
    addArc(kSource, node, onSinkSide - both);
}

void MinCut::addEdge(uint32_t from, uint32_t to, int64_t cost) {
  if (cost > 0)
    addArc(from, to, cost);
}

bool MinCut::findDepths() {
  depths.assign(arcs.size(), -1);
  depths[kSource] = 0;
  std::vector<uint32_t> queue = {kSource};
  for (size_t head = 0; head < queue.size(); ++head)
    for (const Arc &arc : arcs[queue[head]])
      if (arc.capacity > 0 && depths[arc.to] < 0) {
        depths[arc.to] = depths[queue[head]] + 1;
        queue.push_back(arc.to);
      }
  return depths[kSink] >= 0;
}

/// Sends what one shortest path takes; 0 if no such path is left.
int64_t MinCut::augment() {
  std::vector<Arc *> path;
  uint32_t node = kSource;
  while (node != kSink) {
    std::vector<Arc> &out = arcs[node];
    uint32_t &i = next[node];
    while (i < out.size() &&
           (out[i].capacity == 0 || depths[out[i].to] != depths[node] + 1))
      ++i;
    if (i < out.size()) {
      path.push_back(&out[i]);
      node = out[i].to;
      continue;
    }
    if (node == kSource)
      return 0;
    // A dead end: its arc leads nowhere.
    Arc *last = path.back();
    path.pop_back();
    node = arcs[last->to][last->reverse].to;
    ++next[node];
  }
  int64_t flow = kInfinite;
  for (const Arc *arc : path)
    flow = std::min(flow, arc->capacity);
  for (Arc *arc : path) {
    arc->capacity -= flow;
    arcs[arc->to][arc->reverse].capacity += flow;
  }
  return flow;
}

int64_t MinCut::solve() {
  int64_t total = constant;
  while (findDepths()) {
    next.assign(arcs.size(), 0);
    while (int64_t flow = augment())
      total += flow;
  }
  return total;
}
