//===- KernelBuilder.h - positions and scopes of a kernel -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor element is addressed by a mixed-radix position: digits, major to
// minor, whose extents multiply to the number of elements. Reshapes keep the
// position, broadcasts drop digits, transpositions permute them; a digit is
// only split by division where a dimension really ends inside it.
//
// One digit may carry lanes: it stands for `value, value + 1, ...`, and what
// is computed there is a vector.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_EMITTER_KERNELBUILDER_H
#define PREC_LIB_CODEGEN_EMITTER_KERNELBUILDER_H

#include "prec/Support/LLVM.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include <map>

namespace prec {

enum class KernelTarget { Cpu, Nvptx };

struct Digit {
  int64_t extent;
  /// In [0, extent); with lanes that of the first lane.
  Value value;
  int64_t lanes = 1;
  /// A known divisor of `value`.
  int64_t divisor = 1;
};
using Position = SmallVector<Digit, 4>;

/// Number of lanes at a position.
int64_t lanesOf(ArrayRef<Digit> position);

/// Builds code in nested scopes (a kernel, its loops), each operation in the
/// outermost scope where its operands are known, and never twice.
class KernelBuilder {
public:
  /// A kernel called `name` in `module`, which may hold other symbols that
  /// start with this name.
  KernelBuilder(ModuleOp module, StringRef name, KernelTarget target,
                IntegerType indexType)
      : module(module), name(name), target(target), indexType(indexType),
        builder(module.getContext()) {}

  ModuleOp module;
  std::string name;
  KernelTarget target;
  IntegerType indexType;

  /// A place in the kernel, for one operation: a builder of its own, which
  /// operands that are built in the same expression do not move, in whatever
  /// order a C++ compiler builds them.
  class Place {
  public:
    explicit Place(OpBuilder builder) : builder(builder) {}
    operator OpBuilder &() LLVM_LIFETIME_BOUND { return builder; }
    OpBuilder *operator->() { return &builder; }

  private:
    OpBuilder builder;
  };

  /// The end of the innermost scope.
  Place here();
  Location loc() const { return location; }
  void setLoc(Location loc) { location = loc; }

  //===--- Scopes ---------------------------------------------------------===//
  /// Opens a scope at the end of `block`.
  void push(Block *block);
  void pop();
  unsigned depth() const { return scopes.size() - 1; }
  unsigned depthOf(Value value) const;
  unsigned depthOf(ArrayRef<Digit> position) const;
  /// For operations that need nothing below scope `depth`.
  Place at(unsigned depth);
  /// The kernel's own builder, moved to one of these places: for formulas
  /// (Expr), which build where it stands.
  OpBuilder &moveTo(unsigned depth);
  OpBuilder &moveHere() { return moveTo(depth()); }

  using Key = SmallVector<uintptr_t, 8>;
  Value lookup(const Key &key) const;
  void remember(unsigned depth, const Key &key, Value value);

  //===--- Index arithmetic -----------------------------------------------===//
  Value constant(int64_t value);
  std::optional<int64_t> getConstant(Value value) const;
  Value add(Value lhs, Value rhs);
  Value add(Value lhs, int64_t rhs) { return add(lhs, constant(rhs)); }
  Value subtract(Value lhs, Value rhs);
  /// Saturates at zero: max(lhs - rhs, 0).
  Value subtractFloor(Value lhs, int64_t rhs);
  Value min(Value lhs, int64_t rhs);
  Value mul(Value lhs, int64_t rhs);
  Value div(Value lhs, int64_t rhs);
  Value rem(Value lhs, int64_t rhs);
  Value lessThan(Value lhs, int64_t rhs);

  //===--- Positions ------------------------------------------------------===//
  /// Drops digits of extent one and joins what a split parted.
  Position canonical(ArrayRef<Digit> position);
  /// Groups of digits whose extents multiply to `extents`; nothing where lanes
  /// would straddle a group.
  std::optional<SmallVector<Position>> split(ArrayRef<Digit> position,
                                             ArrayRef<int64_t> extents);
  /// One digit for all; nothing where lanes would not be consecutive.
  std::optional<Digit> merge(ArrayRef<Digit> position);
  Position concat(ArrayRef<Position> groups);
  /// Says that the digit which `high` and `low` are together has `divisor`,
  /// which neither of them need have.
  void join(const Digit &high, const Digit &low, int64_t divisor);
  /// `position` with its lanes' digit at lane `lane` alone.
  Position lane(ArrayRef<Digit> position, int64_t lane);

  /// Extents at which a digit with lanes was split, the smallest; 0 if none.
  int64_t smallestLaneSplit = 0;

private:
  struct Scope {
    Block *block;
    Operation *next = nullptr;
    std::map<Key, Value> known;
  };
  /// The digit `inner` levels up of a split, to undo it.
  struct Parted {
    Value value;
    int64_t inner, lanes, divisor;
  };

  template <typename OpTy> Value binary(uintptr_t tag, Value lhs, Value rhs);
  std::pair<Digit, Digit> splitDigit(const Digit &digit, int64_t inner);
  /// Of what was joined, its digits again.
  std::optional<std::pair<Digit, Digit>> partsOf(const Digit &digit) const;

  OpBuilder builder;
  Location location = UnknownLoc::get(builder.getContext());
  SmallVector<Scope, 4> scopes;
  std::map<std::pair<void *, void *>, Parted> parted;
  /// What `join` was told of, by the value of both.
  std::map<void *, std::pair<Digit, Digit>> joined;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_EMITTER_KERNELBUILDER_H
