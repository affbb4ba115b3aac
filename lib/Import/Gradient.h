//===- Gradient.h - finding the backward of a composite ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backward of a composite is the region between the incoming gradient and
// the gradients of its inputs. Which value the incoming gradient is, is not
// known beforehand: it is what the region of the forward meets as a factor.
// The gradient of an input may be one value, or several that are added one
// after the other to what other users of the input contributed.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_IMPORT_GRADIENT_H
#define PREC_LIB_IMPORT_GRADIENT_H

#include "prec/Support/LLVM.h"

#include "Import/ExprRegion.h"

#include "mlir/IR/Builders.h"

namespace prec {

/// Values from outside that meet the region's as factors, in program order:
/// any of them may be the incoming gradient.
SmallVector<Value> getGradientCandidates(const ExprRegion &region);

/// Where a gradient is in the graph.
class GradientSite {
public:
  /// The site of `target`, a gradient with the layout of the whole region.
  /// Nothing if the graph does not compute it, or something else reads a part.
  static std::optional<GradientSite> find(ExprRegion &region,
                                          const Poly &target);

  /// The first operation that reads or makes a part of the gradient.
  Operation *getFirst() const { return first; }
  /// The operation whose provenance the gradient has.
  Operation *getOrigin() const { return origin; }
  /// Puts `gradient` in place of the parts, and erases what is dead then.
  void replace(OpBuilder &builder, Value gradient) const;

private:
  static std::optional<GradientSite> findSum(ExprRegion &region,
                                             const Poly &target);

  SmallVector<Value> whole; ///< Values that are the gradient.
  SmallVector<OpOperand *>
      summands; ///< Or parts, in additions to other values.
  Operation *first = nullptr, *origin = nullptr;
};

/// The gradient of a parameter, as large as the parameter.
struct ParameterGradient {
  Poly target;
  Value parameter;
};

/// Looks for the gradient `target` of the input of `forward`, and for those of
/// its parameters, in a region that knows the incoming gradient. If the graph
/// has the former, `make` makes the operation whose results are these
/// gradients, and they take the place of what the graph computed. A parameter
/// may be frozen; then nothing reads its gradient.
bool raiseGradient(ExprRegion &region, Operation *forward, const Poly &target,
                   ArrayRef<ParameterGradient> parameters,
                   llvm::function_ref<Operation *(OpBuilder &, Location)> make);

/// Puts one operation in place of the values that are `target` and of `type`,
/// and another in place of those that are recomputed. `make` makes it, and its
/// first result is the value. Returns how many it made.
unsigned
raiseForward(ExprRegion &region, const Poly &target, Type type,
             llvm::function_ref<Operation *(OpBuilder &, Location)> make);

} // namespace prec

#endif // PREC_LIB_IMPORT_GRADIENT_H
