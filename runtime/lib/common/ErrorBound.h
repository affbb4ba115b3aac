//===- ErrorBound.h - how far two targets may differ ------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two targets that run one command from identical inputs round at the same
// places, but add in another order, contract, and evaluate functions with
// other polynomials. So before the final rounding they differ by at most some
// `before`, and after it by at most `before` plus one spacing of the format,
// as each of the two values moves by at most half of it. With `before` 0 they
// are equal.
//
// `before` follows from the length of the longest chain of additions, K, and
// from the magnitude of what is added:
//   f32, to nearest (CPU):      K * 2^-24      (Higham: gamma_K, to first
//   order) f32, truncating (GPU):      K * 2^-23 FP8 tensor cores, fast: (K/32
//   + 1) * 2^-13: an instruction of 32
//                               products keeps 13 fractional bits of its
//                               largest summand, the running sum included
//   FP8 tensor cores, promoted: (128/32 + 1) * 2^-13 inside of the 128 products
//                               that pass between two additions to f32, and
//                               K/128 such additions
// relative to the sum of magnitudes; that is |A| |B| for a gemm, itself at most
// the product of the 2-norms of a row and a column (Cauchy-Schwarz).
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_ERRORBOUND_H
#define PREC_RT_COMMON_ERRORBOUND_H

#include "Manifest.h"
#include "ThreadPool.h"

#include <map>

namespace prec::rt {

/// Half the spacing of a format relative to its value: 2^-24 for f32.
double unitRoundoff(DType dtype);
/// Distance between neighbors of a format around a value.
double spacing(DType dtype, float value);

/// The difference that two targets' sums of K products may have, relative to
/// the sum of the magnitudes.
double accumulationError(int64_t accumulation, Accumulator accumulator,
                         bool fp8);

/// Operands of a command on the reference target, widened to f32.
struct OperandValues {
  std::map<int, std::vector<float>> before; ///< by buffer, as read
  std::map<int, std::vector<float>> after;  ///< by buffer, as written
};

/// Per element of `output`, one of the command's written buffers: the
/// difference allowed before the final rounding.
std::vector<double> errorBound(const Manifest &manifest, const Command &command,
                               int output, const OperandValues &values,
                               ThreadPool &pool);

/// What became of one written buffer.
struct Agreement {
  bool agrees = true;
  double maxDifference = 0;
  double maxRatio = 0; ///< of a difference to its bound; above 1 disagrees
  int64_t worst = -1;  ///< element of maxRatio
  double reference = 0, other = 0; ///< its values
  /// Elements of a narrow format that rounded to another value, and how many
  /// the bound lets expect: a rounding that is missing or of another kind keeps
  /// within one spacing, but does so too often.
  int64_t flips = 0;
  double expectedFlips = 0;
};

/// Compares values of a float dtype, widened to f32. Counts flips only if
/// `countFlips`.
Agreement compareValues(DType dtype, const std::vector<double> &bound,
                        const std::vector<float> &reference,
                        const std::vector<float> &other, bool countFlips,
                        ThreadPool &pool);

/// Compares stored values of a dtype that is no float: each must be equal, and
/// flips are those that are not.
Agreement compareIntegers(DType dtype, const std::vector<char> &reference,
                          const std::vector<char> &other);

} // namespace prec::rt

#endif // PREC_RT_COMMON_ERRORBOUND_H
