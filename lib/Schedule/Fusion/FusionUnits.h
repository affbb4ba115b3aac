//===- FusionUnits.h - what fusion reads and forms --------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_SCHEDULE_FUSION_FUSIONUNITS_H
#define PREC_LIB_SCHEDULE_FUSION_FUSIONUNITS_H

#include "prec/Target/MachineModel.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <vector>

namespace prec {

/// How the element that a consumer computes reaches into an operand.
enum class Access {
  Same,  ///< the same linear index
  Row,   ///< the operand has one element for each row of the consumer
  Part,  ///< the operand is one of equal matrices side by side
  Other, ///< anything else; the operand must be in memory or be recomputed
};

enum class NodeKind {
  Source,       ///< in memory before the function runs
  Constant,     ///< splat or index, recomputed anywhere
  Elementwise,  ///< one element from one element of each operand
  Layout,       ///< moves elements, computes nothing
  RowReduce,    ///< reduces trailing dimensions
  TileReduce,   ///< reduces square tiles of a matrix
  ColumnReduce, ///< reduces leading dimensions
  Transpose,    ///< a layout change with a kernel family of its own
  Barrier,      ///< runs alone: library calls, sort, scatter-add
};

struct FusionEdge {
  unsigned node;
  Access access;
  /// Equal consecutive parts of the consumer that need no more of the operand
  /// than the same part of it: rows that elements do not leave. Of Part and
  /// Other.
  int64_t rows = 1;
};

struct FusionNode {
  NodeKind kind;
  llvm::SmallVector<FusionEdge, 4> operands;
  unsigned operation = 0; ///< the same number where operations compute alike
  unsigned type = 0;      ///< the same number where results have one type
  int64_t elements = 1;   ///< of the result
  int64_t bits = 16;      ///< of an element of it in memory
  int64_t reduced = 1;    ///< elements behind one result of a reduction
  /// Of the matrix in front of a TileReduce or Transpose. Behind the reduced
  /// dimensions of a ColumnReduce, whose groups of rows the others are; 0: it
  /// runs in a unit of columns only.
  int64_t columns = 0;
  /// Of each of the matrices that are in front of a TileReduce or Transpose,
  /// or whose columns a ColumnReduce in tiles reduces.
  int64_t rows = 0;
  /// Of the tiles in which a kernel can compute a TileReduce or ColumnReduce;
  /// 0: in none.
  int64_t tileRows = 0, tileColumns = 0;
  bool stored = false;       ///< a barrier or the caller reads it from memory
  bool narrow = false;       ///< elements of at most a byte
  bool packed = false;       ///< less than a byte: only what packs it is stored
  bool piece = false;        ///< a part of its operand, or a number of many
  bool looksUp = false;      ///< rows of its first operand, by ids
  bool joinsColumns = false; ///< of several matrices, its operands
  bool rounding = false;     ///< a truncation: recomputed in a later phase only
  unsigned phase = 0;        ///< 0 comes first
  bool updates = false;      ///< part of the optimizer
  bool evaluated = false;    ///< an evaluation computes it, too
  bool recomputed = false;   ///< for a later phase: not in a unit of the first
};

enum class UnitKind { Elementwise, Row, Column, Transpose, Barrier };

struct FusionUnit {
  UnitKind kind;
  llvm::SmallVector<unsigned, 4> roots; ///< ascending within each part
  /// Where in the roots the parts begin that share nothing but the launch.
  llvm::SmallVector<unsigned, 1> parts;
  unsigned depth;   ///< longest chain of units in front of it, plus one
  int64_t elements; ///< of the iteration space
  int64_t columns;  ///< trailing part of it, of Row and Transpose units; 0
                    ///< where not fixed
  unsigned phase;   ///< of its first root
};

struct FusionResult {
  std::vector<FusionUnit> units;
  /// Unit that computes a node; -1 for sources and what is recomputed.
  std::vector<int> unitOf;
};

/// Longest row that the registers of a block hold beside the sums of its
/// columns.
inline constexpr int64_t kMaxHeldColumns = 8192;

/// Whether a kernel that reduces rows of `columns` elements can also reduce the
/// columns of `groups` groups of so many consecutive rows: there are enough
/// groups to occupy the machine, their rows are shared evenly by the threads
/// that take turns, and a row fits their registers.
bool canReduceColumns(const ScheduleModel &machine, int64_t groups,
                      int64_t rows, int64_t columns);

/// Most values that a kernel reads: a launch passes an address for each, in 4
/// KB together with those of what it writes. A single root may read more.
inline constexpr unsigned kMaxOperands = 256;
/// Most tensors that a kernel writes.
inline constexpr unsigned kMaxRoots = 16;

} // namespace prec

#endif // PREC_LIB_SCHEDULE_FUSION_FUSIONUNITS_H
