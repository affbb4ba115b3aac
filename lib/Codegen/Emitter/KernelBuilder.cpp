//===- KernelBuilder.cpp - positions and scopes of a kernel ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Positions and scopes, which all generated kernels are written with.
//
// A position says which element of a tensor is meant, as digits of a mixed
// radix. An element of a 4 x 6 tensor is (4: r, 6: c), or one digit (24: i).
// `split` divides digits where a dimension ends, (24: i) into (4: i / 6, 6: i
// mod 6), and remembers that; `canonical` undoes it without arithmetic, so a
// reshape there and back costs nothing. A digit with lanes stands for several
// consecutive elements; if a dimension ends inside its lanes, `split` gives up,
// and the value is built lane by lane. The divisor of a digit says what its
// value is a multiple of, by which loads know their alignment.
//
// Scopes are the kernel, its loops and its conditions. Each operation is built
// in the outermost scope where its operands are known, and looked up before it
// is built again. So loop-invariant code is outside of loops, and no value is
// computed twice.
//
//===----------------------------------------------------------------------===//
#include "Codegen/Emitter/KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include <numeric>

using namespace mlir;
using namespace prec;

static uintptr_t opaque(Value value) {
  return reinterpret_cast<uintptr_t>(value.getAsOpaquePointer());
}

int64_t prec::lanesOf(ArrayRef<Digit> position) {
  for (const Digit &digit : position)
    if (digit.lanes > 1)
      return digit.lanes;
  return 1;
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void KernelBuilder::push(Block *block) {
  if (!scopes.empty()) {
    // What holds the new block ends the part of the outer scope that may still
    // be built in.
    Operation *holder = block->getParentOp();
    while (holder->getBlock() != scopes.back().block)
      holder = holder->getParentOp();
    scopes.back().next = holder;
  }
  scopes.push_back({block, nullptr, {}});
}

void KernelBuilder::pop() {
  scopes.pop_back();
  if (!scopes.empty())
    scopes.back().next = nullptr;
}

OpBuilder &KernelBuilder::moveTo(unsigned depth) {
  Scope &scope = scopes[depth];
  if (scope.next)
    builder.setInsertionPoint(scope.next);
  else if (!scope.block->empty() &&
           scope.block->back().hasTrait<OpTrait::IsTerminator>())
    builder.setInsertionPoint(&scope.block->back());
  else
    builder.setInsertionPointToEnd(scope.block);
  return builder;
}

KernelBuilder::Place KernelBuilder::at(unsigned depth) {
  return Place(moveTo(depth));
}

KernelBuilder::Place KernelBuilder::here() { return at(depth()); }

unsigned KernelBuilder::depthOf(Value value) const {
  Block *block = value.getParentBlock();
  for (unsigned depth = scopes.size(); depth-- > 0;)
    if (scopes[depth].block == block)
      return depth;
  return 0;
}

unsigned KernelBuilder::depthOf(ArrayRef<Digit> position) const {
  unsigned depth = 0;
  for (const Digit &digit : position)
    depth = std::max(depth, depthOf(digit.value));
  return depth;
}

Value KernelBuilder::lookup(const Key &key) const {
  for (const Scope &scope : scopes)
    if (auto it = scope.known.find(key); it != scope.known.end())
      return it->second;
  return {};
}

void KernelBuilder::remember(unsigned depth, const Key &key, Value value) {
  scopes[depth].known[key] = value;
}

//===----------------------------------------------------------------------===//
// Index arithmetic
//===----------------------------------------------------------------------===//

Value KernelBuilder::constant(int64_t value) {
  Key key{1, uintptr_t(value)};
  if (Value known = lookup(key))
    return known;
  OpBuilder b(builder.getContext());
  b.setInsertionPointToStart(scopes.front().block);
  Value result = arith::ConstantIntOp::create(b, location, indexType, value);
  remember(0, key, result);
  return result;
}

std::optional<int64_t> KernelBuilder::getConstant(Value value) const {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

template <typename OpTy>
Value KernelBuilder::binary(uintptr_t tag, Value lhs, Value rhs) {
  Key key{2, tag, opaque(lhs), opaque(rhs)};
  if (Value known = lookup(key))
    return known;
  unsigned depth = std::max(depthOf(lhs), depthOf(rhs));
  Value result = OpTy::create(at(depth), location, lhs, rhs);
  remember(depth, key, result);
  return result;
}

Value KernelBuilder::add(Value lhs, Value rhs) {
  auto l = getConstant(lhs), r = getConstant(rhs);
  if (l && r)
    return constant(*l + *r);
  if (l == 0)
    return rhs;
  if (r == 0)
    return lhs;
  Value sum = binary<arith::AddIOp>(0, lhs, rhs);
  if (auto op = sum.getDefiningOp<arith::AddIOp>())
    op.setOverflowFlags(arith::IntegerOverflowFlags::nsw |
                        arith::IntegerOverflowFlags::nuw);
  return sum;
}

Value KernelBuilder::subtract(Value lhs, Value rhs) {
  return getConstant(rhs) == 0 ? lhs : binary<arith::SubIOp>(2, lhs, rhs);
}

Value KernelBuilder::subtractFloor(Value lhs, int64_t rhs) {
  if (rhs == 0)
    return lhs;
  Value bounded = binary<arith::MaxSIOp>(1, lhs, constant(rhs));
  return subtract(bounded, constant(rhs));
}

Value KernelBuilder::min(Value lhs, int64_t rhs) {
  if (auto l = getConstant(lhs))
    return constant(std::min(*l, rhs));
  return binary<arith::MinSIOp>(3, lhs, constant(rhs));
}

Value KernelBuilder::mul(Value lhs, int64_t rhs) {
  if (auto l = getConstant(lhs))
    return constant(*l * rhs);
  if (rhs == 0)
    return constant(0);
  if (rhs == 1)
    return lhs;
  Value product = binary<arith::MulIOp>(4, lhs, constant(rhs));
  if (auto op = product.getDefiningOp<arith::MulIOp>())
    op.setOverflowFlags(arith::IntegerOverflowFlags::nsw |
                        arith::IntegerOverflowFlags::nuw);
  return product;
}

Value KernelBuilder::div(Value lhs, int64_t rhs) {
  if (auto l = getConstant(lhs))
    return constant(*l / rhs);
  return rhs == 1 ? lhs : binary<arith::DivUIOp>(5, lhs, constant(rhs));
}

Value KernelBuilder::rem(Value lhs, int64_t rhs) {
  if (auto l = getConstant(lhs))
    return constant(*l % rhs);
  return rhs == 1 ? constant(0) : binary<arith::RemUIOp>(6, lhs, constant(rhs));
}

Value KernelBuilder::lessThan(Value lhs, int64_t rhs) {
  Value bound = constant(rhs);
  Key key{3, opaque(lhs), opaque(bound)};
  if (Value known = lookup(key))
    return known;
  unsigned depth = depthOf(lhs);
  Value result = arith::CmpIOp::create(at(depth), location,
                                       arith::CmpIPredicate::slt, lhs, bound);
  remember(depth, key, result);
  return result;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

std::pair<Digit, Digit> KernelBuilder::splitDigit(const Digit &digit,
                                                  int64_t inner) {
  Digit high{digit.extent / inner, div(digit.value, inner), 1,
             digit.divisor % inner == 0 ? digit.divisor / inner : 1};
  Digit low{inner, rem(digit.value, inner), digit.lanes,
            std::gcd(digit.divisor, inner)};
  if (digit.lanes > 1)
    smallestLaneSplit =
        smallestLaneSplit ? std::min(smallestLaneSplit, inner) : inner;
  parted[{high.value.getAsOpaquePointer(), low.value.getAsOpaquePointer()}] = {
      digit.value, inner, digit.lanes, digit.divisor};
  return {high, low};
}

void KernelBuilder::join(const Digit &high, const Digit &low, int64_t divisor) {
  Value whole = add(mul(high.value, low.extent), low.value);
  parted[{high.value.getAsOpaquePointer(), low.value.getAsOpaquePointer()}] = {
      whole, low.extent, low.lanes, divisor};
  joined.insert({whole.getAsOpaquePointer(), {high, low}});
}

std::optional<std::pair<Digit, Digit>>
KernelBuilder::partsOf(const Digit &digit) const {
  auto it = joined.find(digit.value.getAsOpaquePointer());
  if (it == joined.end())
    return std::nullopt;
  auto [high, low] = it->second;
  low.lanes = digit.lanes;
  return std::pair(high, low);
}

Position KernelBuilder::canonical(ArrayRef<Digit> position) {
  Position result;
  for (const Digit &digit : position) {
    if (digit.extent == 1)
      continue;
    result.push_back(digit);
    while (result.size() > 1) {
      const Digit &high = result[result.size() - 2], &low = result.back();
      auto it = parted.find(
          {high.value.getAsOpaquePointer(), low.value.getAsOpaquePointer()});
      // Constants are shared: only a real split is undone.
      if (it == parted.end() || it->second.inner != low.extent ||
          it->second.lanes != low.lanes || high.lanes != 1 ||
          getConstant(high.value) || getConstant(low.value))
        break;
      Digit joined{high.extent * low.extent, it->second.value, low.lanes,
                   it->second.divisor};
      result.pop_back();
      result.back() = joined;
    }
  }
  return result;
}

std::optional<Digit> KernelBuilder::merge(ArrayRef<Digit> position) {
  Position digits = canonical(position);
  if (digits.empty())
    return Digit{1, constant(0), 1, 1};
  Digit result = digits.front();
  for (const Digit &digit : llvm::drop_begin(digits)) {
    if (result.lanes > 1)
      return std::nullopt;
    result.divisor = std::gcd(result.divisor * digit.extent, digit.divisor);
    result.extent *= digit.extent;
    result.value = add(mul(result.value, digit.extent), digit.value);
    result.lanes = digit.lanes;
  }
  return result;
}

std::optional<SmallVector<Position>>
KernelBuilder::split(ArrayRef<Digit> position, ArrayRef<int64_t> extents) {
  Position rest = canonical(position);
  SmallVector<Position> groups(extents.size());
  for (unsigned group = extents.size(); group-- > 0;) {
    int64_t missing = extents[group];
    while (missing > 1) {
      if (rest.empty())
        return std::nullopt;
      Digit digit = rest.back();
      if (missing % digit.extent == 0) {
        rest.pop_back();
        groups[group].insert(groups[group].begin(), digit);
        missing /= digit.extent;
        continue;
      }
      if (auto parts = partsOf(digit)) {
        rest.back() = parts->first;
        rest.push_back(parts->second);
        continue;
      }
      if (digit.extent % missing) {
        // The dimension ends inside no digit: start again from the offset.
        auto merged = merge(rest);
        if (!merged || merged->extent % missing)
          return std::nullopt;
        digit = *merged;
        rest.assign(1, digit);
      }
      if (digit.lanes > 1 &&
          (missing % digit.lanes || digit.divisor % digit.lanes))
        return std::nullopt;
      auto [high, low] = splitDigit(digit, missing);
      rest.back() = high;
      groups[group].insert(groups[group].begin(), low);
      missing = 1;
    }
    groups[group] = canonical(groups[group]);
  }
  return groups;
}

Position KernelBuilder::concat(ArrayRef<Position> groups) {
  Position all;
  for (const Position &group : groups)
    all.append(group);
  return canonical(all);
}

Position KernelBuilder::lane(ArrayRef<Digit> position, int64_t lane) {
  Position result;
  for (const Digit &digit : position) {
    if (digit.lanes == 1) {
      result.push_back(digit);
      continue;
    }
    Digit last = digit;
    if (auto parts = partsOf(digit)) {
      result.push_back(parts->first);
      last = parts->second;
    }
    result.push_back({last.extent, add(last.value, lane), 1, 1});
  }
  return result;
}
