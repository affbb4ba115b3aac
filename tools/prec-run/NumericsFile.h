//===- NumericsFile.h - what sampled steps were seen to hold ----*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// numerics.json (docs/Bounds.md): what --assign-precision reads with
// numerics=.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RUN_NUMERICSFILE_H
#define PREC_RUN_NUMERICSFILE_H

#include "Session.h"

#include <map>
#include <optional>
#include <tuple>

namespace prec::run {

/// What sampled steps measured of the operands of contractions and of
/// parameters.
class Numerics {
public:
  /// Adds a sample: the numbers of a binding of role numerics. Nothing, and
  /// false, if one is not finite: they say nothing then.
  bool add(const rt::Binding &binding, const std::vector<float> &numbers);

  void addStep(int64_t step);

  bool empty() const { return steps == 0; }
  std::string toJson() const;

private:
  /// Of a format and scaling: the worst of all samples, but for the mean.
  struct Loss {
    double underflow = 0, overflow = 0;
    std::optional<double> sqnr; ///< none while nothing was rounded
    double sumOfSqnr = 0;
    int64_t rounded = 0; ///< samples that have one
  };
  struct Statistics {
    double amax = 0, sumOfSquares = 0;
    int64_t samples = 0;

    /// `square` is a mean, by the square of `amax`.
    void add(float amax, float square);
    double getRms() const;
  };
  struct Operand {
    Statistics statistics;
    std::map<std::pair<std::string, std::string>, Loss> losses;
  };
  struct Parameter {
    Statistics value, gradient, update;
  };

  void addUses(const rt::Binding &binding, const std::vector<float> &numbers);
  void addParameter(const std::string &path, const std::vector<float> &numbers);

  /// By path, direction and operand, in that order.
  std::map<std::tuple<std::string, std::string, int64_t>, Operand> uses;
  std::map<std::string, Parameter> parameters;
  int64_t first = 0, steps = 0;
};

/// Adds the step that `session` has just sampled. Returns the names of what was
/// not finite and is left out.
rt::Result<std::vector<std::string>> addSample(rt::Session &session,
                                               const rt::StepResult &result,
                                               Numerics &numerics);

} // namespace prec::run

#endif // PREC_RUN_NUMERICSFILE_H
