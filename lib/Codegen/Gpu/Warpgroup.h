//===- Warpgroup.h - matrix products of four warps --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of sm_90a that multiply tiles of shared memory asynchronously,
// and the copies and barriers that feed them (PTX ISA, sections 9.7.15 "wgmma",
// 9.7.13.15 "mbarrier" and 9.7.9.27 "cp.async.bulk.tensor").
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_CODEGEN_GPU_WARPGROUP_H
#define PREC_LIB_CODEGEN_GPU_WARPGROUP_H

#include "prec/Support/LLVM.h"

#include "Codegen/Emitter/Expr.h"

namespace prec {

/// Of a thread: an accumulator's f32, or pairs of 16-bit elements as i32.
using Registers = SmallVector<Value, 64>;

inline constexpr int64_t kWarpgroup = 128;
/// Rows of a warpgroup's product.
inline constexpr int64_t kWarpgroupRows = 64;
/// Elements that a product's instruction contracts.
inline constexpr int64_t kContracted = 16;

/// A tile of 16-bit elements in shared memory, as copies of tensor maps with
/// 128-byte swizzle lay it out: slabs of 64 columns, each `rows` times 128
/// bytes, aligned to 1024.
struct SwizzledTile {
  static constexpr int64_t kSlabColumns = 64, kRowBytes = 128;
  int64_t rows, columns;
  int64_t slabBytes() const { return rows * kRowBytes; }
  int64_t bytes() const { return rows * columns * 2; }
};

/// What an instruction multiplies: 64 x `depth` by `depth` x columns.
struct WarpgroupProduct {
  StringRef left, right; ///< formats as PTX spells them
  int64_t depth;
  /// Of operands in shared memory, of 16 bits: not contiguous along `depth`.
  bool isLeftAcross = false, isRightAcross = false;
};

template <typename T>
std::enable_if_t<std::is_integral_v<T>, Expr> operator+(Expr a, T b) {
  return a + a.integer(b);
}
template <typename T>
std::enable_if_t<std::is_integral_v<T>, Expr> operator*(Expr a, T b) {
  return a * a.integer(b);
}

/// Builds instructions where `builder` stands. Addresses are i32 in shared
/// memory.
class Warpgroup {
public:
  Warpgroup(OpBuilder &builder, Location loc, FloatType element)
      : builder(builder), loc(loc), element(element) {}

  Expr expr(Value value) { return Expr(builder, loc, value); }
  Expr i32(int64_t value);
  /// The value of the warp's first lane, which the assembler then knows to be
  /// that of all.
  Expr uniform(Expr value);
  /// Two f32 rounded to the element type, `low` in the lower half.
  Expr pack(Expr low, Expr high);
  /// Two f32 that a pair of elements stands for.
  std::pair<Expr, Expr> unpack(Expr pair);

  /// `if (condition)`, with what is built where it holds and where it does not.
  void when(Value condition, function_ref<void()> then,
            function_ref<void()> otherwise = nullptr);

  //===--- Products -------------------------------------------------------===//
  /// What products need of a tile: `address` counts 16 bytes, 0 is that of the
  /// address itself.
  Expr describe(Expr address, const SwizzledTile &tile);
  /// `accumulator += A B`, or `= A B` where it is empty, of 64 x 16 and 16 x
  /// `columns`. `a` is a description or the four registers of a thread; `b`
  /// describes B transposed, rows of its columns, or B itself.
  void multiply(Registers &accumulator, ArrayRef<Value> a, Expr b,
                int64_t columns, bool isTransposed);
  /// The same of any formats.
  void multiply(Registers &accumulator, ArrayRef<Value> a, Expr b,
                int64_t columns, const WarpgroupProduct &product);
  /// Before products that read registers which other instructions wrote.
  void fence();
  /// Ends a group of products.
  void commit();
  /// Until no more than the last `pending` groups run. Registers of products
  /// that ran are read behind it.
  void wait(int64_t pending, ArrayRef<Registers *> ready);

  //===--- Barriers and copies --------------------------------------------===//
  void initBarrier(Expr barrier, int64_t arrivals);
  void arrive(Expr barrier);
  /// Arrives; `bytes` of copies must, too.
  void expect(Expr barrier, int64_t bytes);
  void waitFor(Expr barrier, Expr parity);
  /// Makes what this thread wrote to shared memory seen by products and copies.
  void fenceShared();
  /// A box of a tensor map of rank 4; `map` is its address.
  void copyBox(Expr target, Value map, Expr barrier,
               const std::array<Expr, 4> &coordinates);
  void copyBytes(Expr target, Value source, int64_t bytes, Expr barrier);
  /// One of the 16 barriers of a block, for `threads` of its threads.
  void syncNamed(Expr id, int64_t threads);
  void arriveNamed(Expr id, int64_t threads);

private:
  /// Inline PTX that is kept where it is; `clobber` orders memory, too.
  SmallVector<Value> ptx(const std::string &text,
                         const std::string &constraints, ValueRange operands,
                         TypeRange results, bool clobber);

  OpBuilder &builder;
  Location loc;
  FloatType element;
};

} // namespace prec

#endif // PREC_LIB_CODEGEN_GPU_WARPGROUP_H
