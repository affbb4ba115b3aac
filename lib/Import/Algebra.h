//===- Algebra.h - normal form of tensor arithmetic -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two graphs that compute the same function are rarely written alike: a mean
// divides or multiplies, a norm calls rsqrt or divides by a square root,
// every framework differentiates in its own order. Composites are therefore
// not matched by their operations but by their mathematics: an elementwise
// expression with reductions is brought to a sum of monomials
//
//   coefficient * atom^exponent * ...
//
// and compared with the definition of the composite, brought to the same
// form. An atom is a leaf (a tensor at the current indices), a sum or maximum
// of a monomial over index axes, a function of an expression, or an
// expression that cannot be distributed over an exponent.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_IMPORT_ALGEBRA_H
#define PREC_LIB_IMPORT_ALGEBRA_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace prec {

/// Bit i is index axis i.
using AxisSet = uint32_t;

struct Factor {
  unsigned atom;
  double exponent;
};

struct Term {
  double coefficient = 1;
  SmallVector<Factor, 4> factors; ///< By ascending atom.
};

/// A sum of terms in ascending order of their factors; empty is zero.
using Poly = SmallVector<Term, 2>;

struct Atom {
  enum Kind { Leaf, Sum, Max, Function, Power };
  Kind kind;
  AxisSet axes;        ///< Axes the atom varies along.
  Value leaf;          ///< Leaf.
  unsigned piece = 0;  ///< Leaf: which part of the tensor.
  AxisSet reduced = 0; ///< Sum, Max.
  StringRef function;  ///< Function: an operation's name.
  Poly inner;          ///< All but Leaf.
  bool positive = false;
};

/// Function of the atoms that `Algebra::isZero` makes.
inline constexpr StringLiteral kIsZero = "is zero";
/// Functions that are 1 where an expression is below 0, and where it is finite.
inline constexpr StringLiteral kIsNegative = "is negative";
inline constexpr StringLiteral kIsFinite = "is finite";

/// Makes expressions over one index space. Atoms are shared, so equal
/// expressions have equal factors. An operation returns nothing where the
/// result would have more than `kMaxTerms` terms, or compares whole numbers too
/// large to tell them apart: such an expression is no composite.
class Algebra {
public:
  static constexpr size_t kMaxTerms = 24;
  using MaybePoly = std::optional<Poly>;

  explicit Algebra(ArrayRef<int64_t> extents) : extents(extents) {}

  static Poly constant(double value);
  Poly leaf(Value value, unsigned piece, AxisSet axes);
  /// The index along an axis.
  Poly index(unsigned axis);
  /// Has an expression count as not negative, or as not 0, whatever its terms
  /// say and up to a positive factor.
  void assumeNonnegative(const Poly &a);
  void assumeNonzero(const Poly &a);
  bool isNonnegative(const Poly &a) const;
  /// 1 where `a` is 0, otherwise 0.
  MaybePoly isZero(const Poly &a);
  MaybePoly add(const Poly &a, const Poly &b) const;
  MaybePoly subtract(const Poly &a, const Poly &b) const;
  MaybePoly multiply(const Poly &a, const Poly &b) const;
  Poly scale(const Poly &a, double factor) const;
  /// `a` to the power of `exponent`; nothing for 0 to a negative power.
  MaybePoly power(const Poly &a, double exponent);
  MaybePoly sum(const Poly &a, AxisSet over);
  MaybePoly max(const Poly &a, AxisSet over);
  MaybePoly apply(StringRef function, const Poly &a);

  /// The same of what may be nothing, which stays nothing: an expression is
  /// written down as a whole, and looked at once.
  MaybePoly isZero(const MaybePoly &a) { return a ? isZero(*a) : a; }
  MaybePoly subtract(const MaybePoly &a, const MaybePoly &b) const {
    return a && b ? subtract(*a, *b) : std::nullopt;
  }
  MaybePoly multiply(const MaybePoly &a, const MaybePoly &b) const {
    return a && b ? multiply(*a, *b) : std::nullopt;
  }
  MaybePoly power(const MaybePoly &a, double exponent) {
    return a ? power(*a, exponent) : a;
  }
  MaybePoly sum(const MaybePoly &a, AxisSet over) {
    return a ? sum(*a, over) : a;
  }
  MaybePoly apply(StringRef function, const MaybePoly &a) {
    return a ? apply(function, *a) : a;
  }

  /// The product over the extents of axes.
  double extent(AxisSet axes) const;
  AxisSet axesOf(const Term &term) const;
  AxisSet axesOf(const Poly &poly) const;
  bool dependsOn(const Poly &poly, unsigned atom) const;
  ArrayRef<Atom> getAtoms() const { return atoms; }

  /// Equality up to the rounding of f32 constants.
  static bool equal(const Poly &a, const Poly &b);
  static bool sameFactors(const Term &a, const Term &b);
  static std::optional<double> asConstant(const Poly &poly);

private:
  MaybePoly sumOf(const Term &term, AxisSet over);
  AxisSet unnest(Term &term) const;
  Term nest(Term product, AxisSet over);
  Poly ofAtom(unsigned atom, double exponent = 1) const;
  unsigned intern(Atom atom);
  MaybePoly exponential(const Poly &a);
  MaybePoly logarithm(const Poly &a);
  const Poly *getLogarithmOf(const Term &term) const;
  bool isPositive(const Term &term) const;
  bool isNonnegative(const Term &term) const;

  SmallVector<int64_t> extents;
  SmallVector<Atom> atoms;
  SmallVector<Poly> nonnegative, nonzero; ///< With a leading +1 or -1.
};

} // namespace prec

#endif // PREC_LIB_IMPORT_ALGEBRA_H
