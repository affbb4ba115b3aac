//===- ExprRegion.h - values of a graph as expressions ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The region of a tensor `x` holds the values that are expressions of x and of
// a few other leaves, over the index axes of x. It is found by following the
// uses of its leaves: linear in what it reads, and small, because a value
// with an operand from elsewhere is not in it.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_IMPORT_EXPRREGION_H
#define PREC_LIB_IMPORT_EXPRREGION_H

#include "prec/Support/LLVM.h"

#include "Import/Algebra.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace prec {

/// For each dimension the axes it runs over, outermost first; extents of 1 have
/// no axis.
using Layout = SmallVector<SmallVector<unsigned, 2>, 4>;

/// A tensor as an expression: one piece, or one for each half of the last
/// dimension.
struct Expr {
  SmallVector<Poly, 2> pieces;
  Layout layout;

  Expr() = default;
  Expr(Poly poly, Layout layout) : layout(std::move(layout)) {
    pieces.push_back(std::move(poly));
  }
};

class ExprRegion {
public:
  enum class LastDim { Whole, Halves };

  /// Which tensors may be leaves when they meet an expression of the region
  /// in an elementwise operation: those that are broadcast along all axes
  /// but some of these.
  ExprRegion(RankedTensorType space, LastDim lastDim, AxisSet leafAxes);

  Algebra &getAlgebra() { return algebra; }
  const Algebra &getAlgebra() const { return algebra; }
  unsigned getNumAxes() const { return sizes.size(); }
  AxisSet getLastAxes() const { return lastAxes; }

  /// Makes an f32 tensor of the region's shape, up to reshapes, a leaf. False
  /// if it is another.
  bool bind(Value value);
  /// Makes a vector over the last dimension a leaf.
  void bindColumns(Value value);
  /// Makes a tensor of a number for each row a leaf. False if it has another
  /// shape.
  bool bindRows(Value value);
  /// Takes the elements of a bound value for whole numbers below `size`, those
  /// below 0 for numbers that may be counted from the end: what only treats
  /// others is the same without it.
  void limit(Value value, int64_t size);
  /// States what a value is.
  void define(Value value, Expr expr);
  /// Finds what follows from all that was bound and defined: once, because a
  /// value that meets the region only now might else be taken for a leaf.
  void close();
  /// The expression of all axes' row-major layout in the shape of `value`.
  std::optional<Layout> getLayout(ArrayRef<int64_t> shape) const;

  const Expr *lookup(Value value) const;
  /// The polynomial of a value in one piece.
  const Poly *lookupPoly(Value value) const;
  /// What was bound and defined.
  ArrayRef<Value> getSeeds() const { return seeds; }
  /// What was found, in program order.
  ArrayRef<Value> getValues() const { return values; }
  /// Factor of a leaf's piece; nothing where it is no leaf.
  std::optional<unsigned> getLeafAtom(Value value, unsigned piece = 0) const;
  /// Where a leaf met on the way has its axes.
  const Layout *getLeafLayout(Value leaf) const;

private:
  std::optional<Expr> evaluate(Operation *op);
  std::optional<Expr> evaluateElementwise(Operation *op);
  std::optional<Expr> evaluateLimited(Operation *op, const Layout &layout);
  std::optional<double> getConstant(Value value) const;
  std::optional<Expr> evaluateConcat(Operation *op);
  std::optional<Expr> evaluateSlice(Operation *op);
  std::optional<Expr> evaluateLayout(Operation *op, const Expr &input);
  /// An operand: known, a splat constant, or a leaf met here.
  std::optional<Expr> getOperand(Value value, const Layout &layout);
  std::optional<Expr> meetLeaf(Value value, Layout layout);
  std::optional<Expr> meetIndex(Value value, Layout layout);
  /// Goes from the layout of `op`'s result to that of its operand.
  std::optional<Layout> stepBack(Operation *op, const Layout &layout) const;
  std::optional<Layout> assign(ArrayRef<int64_t> shape, bool skipSplit) const;
  std::optional<Layout> splitAxes(ArrayRef<unsigned> axes,
                                  ArrayRef<int64_t> shape) const;
  bool hasSplit(const Layout &layout) const;

  SmallVector<int64_t> sizes; ///< Of the axes.
  std::optional<unsigned> splitAxis;
  AxisSet lastAxes = 0, leafAxes;
  Algebra algebra;
  llvm::DenseMap<Value, Expr> known;
  llvm::DenseMap<Value, Layout> leafLayouts;
  SmallVector<Value> seeds, values;
  struct Limited {
    Poly value, wrapped; ///< Negative ones counted from the end.
    int64_t size;
  };
  std::optional<Limited> limited;
};

} // namespace prec

#endif // PREC_LIB_IMPORT_EXPRREGION_H
