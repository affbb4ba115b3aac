//===- BeatenFormats.h - what a value is not stored in ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_ASSIGN_REPORT_BEATENFORMATS_H
#define PREC_LIB_ASSIGN_REPORT_BEATENFORMATS_H

#include "prec/Assign/Assignment.h"

namespace prec {

/// A format that a stored value is not kept in.
struct BeatenFormat {
  Format format;
  /// None where the recipe chose between formats that could both be.
  Veto veto = Veto::None;
  /// What forbids it, or what it would take: bytes, or digits.
  std::string reason;
};

class ValueBounds;

/// What the values of an assignment could be stored in instead. Refers to all
/// that it is made of; `bounds` may be null.
class BeatenFormats {
public:
  BeatenFormats(const Graph &graph, const Classification &facts,
                const Recipe &recipe, const BoundInputs *bounds,
                const Assignment &assignment);
  ~BeatenFormats();

  /// Widest first: f32, bf16, and f16 where the recipe or a rule has any.
  /// Nothing for what is not stored.
  std::vector<BeatenFormat> find(ValueId value) const;

private:
  BeatenFormat explain(ValueId value, Format format) const;

  const Graph &graph;
  const Classification &facts;
  const Recipe &recipe;
  const Assignment &assignment;
  std::unique_ptr<ValueBounds> bounds;
};

} // namespace prec

#endif // PREC_LIB_ASSIGN_REPORT_BEATENFORMATS_H
