//===- Placements.h - who holds and sends what ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_PLACEMENTS_H
#define PREC_RUN_PLACEMENTS_H

#include "Manifest.h"

#include <string>
#include <vector>

namespace prec::run {

struct Options;

/// Parameters that ranks hold alike: those of repeated layers are one entry.
struct Placement {
  std::string name; ///< with `*` for numbers of layers
  std::string dtype;
  std::vector<int64_t> shape; ///< of the whole tensor
  std::optional<rt::Shard> shard;
  std::string reason;
  int64_t count = 0;
  int64_t bytes = 0, held = 0;           ///< of all, and what a rank has
  int64_t stateBytes = 0, stateHeld = 0; ///< of their optimizer states
};

/// Exchanges that differ in nothing but the layer that they are of.
struct Exchange {
  std::string entryPoint, phase, op, axis, dtype, path;
  std::string reason; ///< of the format
  int64_t count = 0;
  int64_t bytes = 0; ///< that a rank gets of the others
};

struct Placements {
  const rt::Manifest *manifest;
  std::vector<Placement> parameters; ///< in the order of the module
  std::vector<Exchange> exchanges;   ///< in the order of commands
};

/// The manifest must outlive them.
Placements findPlacements(const rt::Manifest &manifest);
std::string toJson(const Placements &placements);

/// Prints who of the ranks of options.module holds and sends what, and writes
/// the page that options.placementsHtml names. No code is loaded.
rt::Status showPlacements(const Options &options);

} // namespace prec::run

#endif // PREC_RUN_PLACEMENTS_H
