//===- Algebra.cpp - normal form of tensor arithmetic ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of normal forms. An expression is a sum of terms, each a
// coefficient times powers of atoms; terms are sorted, and terms with equal
// factors are merged, so two expressions are compared term by term. Equal atoms
// get one number (intern). Products are multiplied out; a sum over axes takes
// each factor that does not vary along them outside; exp and log are taken
// apart, exp(a + b) into exp(a) exp(b). If a form would get more than kMaxTerms
// terms, the result is nothing, and the value is not matched. Equal forms are
// equal functions, up to kTolerance of the constants; equal functions that have
// different forms are only not found.
//
// Example: mean((x - mean(x))^2) and mean(x^2) - mean(x)^2 have the same form.
//
//===----------------------------------------------------------------------===//
#include "Import/Algebra.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace mlir;
using namespace prec;

namespace {

// Constants of a graph are f32: 1/768 is off by 6e-8, and a few are multiplied.
constexpr double kTolerance = 1e-6;

int compareFactors(const Term &a, const Term &b) {
  for (auto [x, y] : llvm::zip(a.factors, b.factors)) {
    if (x.atom != y.atom)
      return x.atom < y.atom ? -1 : 1;
    if (std::fabs(x.exponent - y.exponent) > 1e-9)
      return x.exponent < y.exponent ? -1 : 1;
  }
  if (a.factors.size() == b.factors.size())
    return 0;
  return a.factors.size() < b.factors.size() ? -1 : 1;
}

bool isInteger(double value) { return value == std::nearbyint(value); }

Term multiplyTerms(const Term &a, const Term &b) {
  Term product;
  product.coefficient = a.coefficient * b.coefficient;
  auto x = a.factors.begin(), y = b.factors.begin();
  while (x != a.factors.end() || y != b.factors.end()) {
    if (y == b.factors.end() || (x != a.factors.end() && x->atom < y->atom)) {
      product.factors.push_back(*x++);
    } else if (x == a.factors.end() || y->atom < x->atom) {
      product.factors.push_back(*y++);
    } else {
      double exponent = x->exponent + y->exponent;
      if (std::fabs(exponent) > 1e-9)
        product.factors.push_back({x->atom, exponent});
      ++x, ++y;
    }
  }
  return product;
}

/// Sorts, and merges terms with equal factors. What cancels up to the rounding
/// of constants is dropped.
Poly collect(SmallVectorImpl<Term> &terms) {
  llvm::stable_sort(terms, [](const Term &a, const Term &b) {
    return compareFactors(a, b) < 0;
  });
  Poly result;
  for (size_t i = 0; i < terms.size();) {
    double total = 0, magnitude = 0;
    size_t j = i;
    for (; j < terms.size() && compareFactors(terms[i], terms[j]) == 0; ++j) {
      total += terms[j].coefficient;
      magnitude += std::fabs(terms[j].coefficient);
    }
    if (std::fabs(total) > kTolerance * magnitude) {
      result.push_back(std::move(terms[i]));
      result.back().coefficient = total;
    }
    i = j;
  }
  return result;
}

} // namespace

Poly Algebra::constant(double value) {
  if (value == 0)
    return {};
  Term term;
  term.coefficient = value;
  return {term};
}

Poly Algebra::ofAtom(unsigned atom, double exponent) const {
  Term term;
  term.factors.push_back({atom, exponent});
  return {term};
}

unsigned Algebra::intern(Atom atom) {
  for (auto [i, other] : llvm::enumerate(atoms))
    if (other.kind == atom.kind && other.leaf == atom.leaf &&
        other.piece == atom.piece && other.reduced == atom.reduced &&
        other.function == atom.function && equal(other.inner, atom.inner)) {
      atoms[i].positive |= atom.positive;
      return i;
    }
  atoms.push_back(std::move(atom));
  return atoms.size() - 1;
}

Poly Algebra::leaf(Value value, unsigned piece, AxisSet axes) {
  Atom atom{Atom::Leaf, axes};
  atom.leaf = value;
  atom.piece = piece;
  return ofAtom(intern(std::move(atom)));
}

Poly Algebra::index(unsigned axis) {
  // No tensor: the piece tells one axis from another.
  return leaf(Value(), axis, AxisSet(1) << axis);
}

static Poly normalize(const Algebra &algebra, const Poly &a) {
  return algebra.scale(a, 1 / std::fabs(a.front().coefficient));
}

void Algebra::assumeNonnegative(const Poly &a) {
  if (!a.empty())
    nonnegative.push_back(normalize(*this, a));
}

void Algebra::assumeNonzero(const Poly &a) {
  if (!a.empty())
    nonzero.push_back(normalize(*this, a));
}

bool Algebra::isNonnegative(const Poly &a) const {
  if (llvm::all_of(a, [&](const Term &term) { return isNonnegative(term); }))
    return true;
  Poly scaled = normalize(*this, a);
  return llvm::any_of(nonnegative,
                      [&](const Poly &other) { return equal(scaled, other); });
}

Algebra::MaybePoly Algebra::isZero(const Poly &a) {
  if (auto value = asConstant(a))
    return constant(*value == 0);
  Poly scaled = normalize(*this, a), negative = scale(scaled, -1);
  if (llvm::any_of(nonzero, [&](const Poly &other) {
        return equal(scaled, other) || equal(negative, other);
      }))
    return Poly();
  // Integers beyond are closer to each other than the tolerance of `equal`.
  constexpr double kMaxInteger = 0.5 / kTolerance;
  if (llvm::any_of(a, [&](const Term &t) {
        return std::fabs(t.coefficient) > kMaxInteger;
      }))
    return std::nullopt;
  Atom atom{Atom::Function, axesOf(a)};
  atom.function = kIsZero;
  atom.inner = scale(a, 1 / a.front().coefficient);
  return ofAtom(intern(std::move(atom)));
}

Algebra::MaybePoly Algebra::add(const Poly &a, const Poly &b) const {
  SmallVector<Term> terms(a.begin(), a.end());
  llvm::append_range(terms, b);
  Poly result = collect(terms);
  if (result.size() > kMaxTerms)
    return std::nullopt;
  return result;
}

Algebra::MaybePoly Algebra::subtract(const Poly &a, const Poly &b) const {
  return add(a, scale(b, -1));
}

Poly Algebra::scale(const Poly &a, double factor) const {
  if (factor == 0)
    return {};
  Poly result(a);
  for (Term &term : result)
    term.coefficient *= factor;
  return result;
}

Algebra::MaybePoly Algebra::multiply(const Poly &a, const Poly &b) const {
  if (a.size() * b.size() > kMaxTerms * 4)
    return std::nullopt;
  SmallVector<Term> terms;
  for (const Term &x : a)
    for (const Term &y : b)
      terms.push_back(multiplyTerms(x, y));
  Poly result = collect(terms);
  if (result.size() > kMaxTerms)
    return std::nullopt;
  return result;
}

bool Algebra::isPositive(const Term &term) const {
  return term.coefficient > 0 && llvm::all_of(term.factors, [&](Factor f) {
           return atoms[f.atom].positive;
         });
}

bool Algebra::isNonnegative(const Term &term) const {
  return term.coefficient > 0 && llvm::all_of(term.factors, [&](Factor f) {
           return atoms[f.atom].positive || std::fmod(f.exponent, 2) == 0;
         });
}

Algebra::MaybePoly Algebra::power(const Poly &a, double exponent) {
  if (exponent == 0)
    return constant(1);
  if (a.empty())
    return exponent > 0 ? MaybePoly(Poly()) : std::nullopt;
  // (x^2)^0.5 is |x|: a root goes into a product only where all is positive.
  if (a.size() == 1 && (isInteger(exponent) || isPositive(a.front()))) {
    Term term = a.front();
    term.coefficient = std::pow(term.coefficient, exponent);
    for (Factor &factor : term.factors)
      factor.exponent *= exponent;
    return Poly{term};
  }
  if (isInteger(exponent) && exponent > 0 && exponent <= 4) {
    MaybePoly result(a);
    for (int i = 1; i < exponent && result; ++i)
      result = multiply(*result, a);
    return result;
  }
  double leading = a.front().coefficient;
  if (leading < 0 && !isInteger(exponent))
    leading = -leading;
  Atom atom{Atom::Power, axesOf(a)};
  atom.inner = scale(a, 1 / leading);
  // An expression under a root is taken to be in its domain.
  atom.positive =
      !isInteger(exponent) ||
      llvm::all_of(atom.inner, [&](const Term &t) { return isNonnegative(t); });
  return scale(ofAtom(intern(std::move(atom)), exponent),
               std::pow(leading, exponent));
}

Algebra::MaybePoly Algebra::sum(const Poly &a, AxisSet over) {
  MaybePoly result = Poly();
  for (const Term &term : a) {
    MaybePoly part = sumOf(term, over);
    result = part ? add(*result, *part) : part;
    if (!result)
      return result;
  }
  return result;
}

Algebra::MaybePoly Algebra::sumOf(const Term &term, AxisSet over) {
  Term outside, inside;
  outside.coefficient = term.coefficient;
  for (const Factor &factor : term.factors)
    (atoms[factor.atom].axes & over ? inside : outside)
        .factors.push_back(factor);
  AxisSet varying = axesOf(inside) & over;
  outside.coefficient *= extent(over & ~varying);
  if (!varying)
    return Poly{outside};
  varying |= unnest(inside);
  return Poly{multiplyTerms(outside, nest(std::move(inside), varying))};
}

/// Takes sums among the factors apart, as far as no axis gets two meanings.
/// Returns the axes that they were over.
AxisSet Algebra::unnest(Term &term) const {
  AxisSet reduced = 0;
  for (size_t i = 0; i < term.factors.size(); ++i) {
    const Atom &atom = atoms[term.factors[i].atom];
    if (atom.kind != Atom::Sum || term.factors[i].exponent != 1)
      continue;
    Term rest(term);
    rest.factors.erase(rest.factors.begin() + i);
    if ((axesOf(rest) | reduced) & atom.reduced)
      continue;
    reduced |= atom.reduced;
    term = multiplyTerms(rest, atom.inner.front());
    i = -1;
  }
  return reduced;
}

/// The sum of a product over axes. However it was written, each axis ends up
/// around those factors alone that vary along it.
Term Algebra::nest(Term product, AxisSet over) {
  auto touches = [&](const Factor &factor, AxisSet axes) {
    return (atoms[factor.atom].axes & axes) != 0;
  };
  for (unsigned axis = extents.size(); axis-- > 0;) {
    AxisSet bit = AxisSet(1) << axis;
    Term along, rest;
    for (const Factor &factor : product.factors)
      (touches(factor, bit) ? along : rest).factors.push_back(factor);
    if (!(over & bit) || rest.factors.empty())
      continue;
    AxisSet inner = over & axesOf(along) & ~axesOf(rest);
    product = multiplyTerms(rest, nest(std::move(along), inner));
    over &= ~inner;
  }
  if (!over)
    return product;
  Atom atom{Atom::Sum, axesOf(product) & ~over};
  atom.reduced = over;
  atom.positive = isNonnegative(product);
  atom.inner = {product};
  return ofAtom(intern(std::move(atom))).front();
}

Algebra::MaybePoly Algebra::max(const Poly &a, AxisSet over) {
  AxisSet varying = axesOf(a) & over;
  if (!varying)
    return a;
  Atom atom{Atom::Max, axesOf(a) & ~over};
  atom.reduced = varying;
  atom.inner = a;
  return ofAtom(intern(std::move(atom)));
}

Algebra::MaybePoly Algebra::apply(StringRef function, const Poly &a) {
  if (function == math::ExpOp::getOperationName())
    return exponential(a);
  if (function == math::LogOp::getOperationName())
    return logarithm(a);
  Atom atom{Atom::Function, axesOf(a)};
  atom.function = function;
  atom.inner = a;
  return ofAtom(intern(std::move(atom)));
}

/// exp(a p + b log(q) + c) = exp(p)^a q^b exp(c): what does not vary along an
/// axis leaves a sum over it, so a softmax is the same whatever was taken out
/// of its exponents.
Algebra::MaybePoly Algebra::exponential(const Poly &a) {
  // Beyond it the exponential of a constant overflows.
  constexpr double kMaxConstant = 80;
  MaybePoly result = constant(1);
  for (const Term &term : a) {
    MaybePoly factor;
    if (term.factors.empty()) {
      if (std::fabs(term.coefficient) > kMaxConstant)
        return std::nullopt;
      factor = constant(std::exp(term.coefficient));
    } else if (const Poly *argument = getLogarithmOf(term)) {
      factor = power(Poly(*argument), term.coefficient);
    } else {
      Atom atom{Atom::Function, axesOf(term)};
      atom.function = math::ExpOp::getOperationName();
      atom.inner = {term};
      atom.inner.front().coefficient = 1;
      atom.positive = true;
      factor = ofAtom(intern(std::move(atom)), term.coefficient);
    }
    result = factor ? multiply(*result, *factor) : factor;
    if (!result)
      return result;
  }
  return result;
}

const Poly *Algebra::getLogarithmOf(const Term &term) const {
  if (term.factors.size() != 1 || term.factors[0].exponent != 1)
    return nullptr;
  const Atom &atom = atoms[term.factors[0].atom];
  return atom.kind == Atom::Function &&
                 atom.function == math::LogOp::getOperationName()
             ? &atom.inner
             : nullptr;
}

/// log(c exp(p) q^e) = log(c) + p + e log(q), all being positive.
Algebra::MaybePoly Algebra::logarithm(const Poly &a) {
  if (a.size() != 1 || !isPositive(a.front())) {
    Atom atom{Atom::Function, axesOf(a)};
    atom.function = math::LogOp::getOperationName();
    atom.inner = a;
    return ofAtom(intern(std::move(atom)));
  }
  Term term = a.front();
  MaybePoly result = constant(std::log(term.coefficient));
  for (const Factor &factor : term.factors) {
    Poly part;
    if (atoms[factor.atom].function == math::ExpOp::getOperationName()) {
      part = atoms[factor.atom].inner;
    } else {
      Atom atom{Atom::Function, atoms[factor.atom].axes};
      atom.function = math::LogOp::getOperationName();
      atom.inner = ofAtom(factor.atom);
      part = ofAtom(intern(std::move(atom)));
    }
    result = add(*result, scale(part, factor.exponent));
    if (!result)
      return result;
  }
  return result;
}

double Algebra::extent(AxisSet axes) const {
  double product = 1;
  for (auto [i, extent] : llvm::enumerate(extents))
    if (axes >> i & 1)
      product *= extent;
  return product;
}

AxisSet Algebra::axesOf(const Term &term) const {
  AxisSet axes = 0;
  for (const Factor &factor : term.factors)
    axes |= atoms[factor.atom].axes;
  return axes;
}

AxisSet Algebra::axesOf(const Poly &poly) const {
  AxisSet axes = 0;
  for (const Term &term : poly)
    axes |= axesOf(term);
  return axes;
}

bool Algebra::dependsOn(const Poly &poly, unsigned atom) const {
  return llvm::any_of(poly, [&](const Term &term) {
    return llvm::any_of(term.factors, [&](const Factor &factor) {
      return factor.atom == atom || dependsOn(atoms[factor.atom].inner, atom);
    });
  });
}

bool Algebra::equal(const Poly &a, const Poly &b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           auto &[x, y] = pair;
           return sameFactors(x, y) &&
                  std::fabs(x.coefficient - y.coefficient) <=
                      kTolerance * std::fabs(x.coefficient);
         });
}

bool Algebra::sameFactors(const Term &a, const Term &b) {
  return compareFactors(a, b) == 0;
}

std::optional<double> Algebra::asConstant(const Poly &poly) {
  if (poly.empty())
    return 0.0;
  if (poly.size() == 1 && poly.front().factors.empty())
    return poly.front().coefficient;
  return std::nullopt;
}
