//===- Manifest.h - the parsed manifest of a step module --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain data (prec-rt/manifest.h); docs/ModuleFormat.md describes every field.
// Parsing checks all indices, offsets and sizes, so that whoever walks a
// Manifest need not.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_MANIFEST_H
#define PREC_RT_COMMON_MANIFEST_H

#include "RankGroup.h"

#include "Status.h"
#include "prec-rt/manifest.h"

#include <set>

namespace prec::rt {

/// Whether a user sets it by a framework's name before anything runs.
bool isWeight(Role role);
/// "[2, 3]"
std::string formatShape(const std::vector<int64_t> &shape);
int64_t countElements(const std::vector<int64_t> &shape);
/// 'text'
std::string quote(std::string_view text);

struct Manifest : ManifestFields {
  /// Why a batch may not be completed with rows of ignored labels; empty where
  /// it may, none where nothing is known.
  const std::optional<std::string> &noPadding() const { return padding.reason; }
  /// Why the micro-batches of a step all weigh the same, of a module that takes
  /// some; empty where they weigh as much as they have labels that count.
  std::string whyEqualMicroBatches() const;

  /// Ranks that run the module together; 1 without a mesh.
  int64_t numRanks() const;
  /// Of these, ranks along `dp` and `ep`: each has batches of its own, which
  /// those that follow it along other axes have as well.
  int64_t dataRanks() const;
  RankGroup dataGroup(int64_t rank) const;
  /// Those that a rank is among along an axis of the mesh, or along neighboring
  /// ones, joined by commas in the order of the mesh; or it alone. Ranks are
  /// numbered with the last axis of the mesh first.
  RankGroup groupOf(std::string_view axes, int64_t rank) const;
  /// Nothing where the mesh does not have these axes.
  std::optional<RankGroup> findGroup(std::string_view axes, int64_t rank) const;
  /// Of the tensor that a binding is a slice of; else that of its buffer.
  std::vector<int64_t> wholeShape(const Binding &binding) const;

  /// Commands of an entry point; none if the module lacks it.
  const std::vector<Command> &commands(std::string_view entryPoint) const;

  /// By the name of a staged parameter the bindings that its entry point makes,
  /// in their order.
  std::map<std::string, std::vector<int>, std::less<>> stagedCopies() const;

  /// Bindings of buffers that steps change, as running statistics: a part of
  /// what has been trained.
  std::set<int> changedBuffers() const;

  static Result<Manifest> parse(std::string_view json);
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_MANIFEST_H
