//===- AttentionGrad.cpp - gradients of attention on Hopper ---------------===//
#include "AttentionGrad.h"

#include "Warpgroup.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::prec;

static constexpr unsigned kGlobal = 1, kShared = 3;
/// Warpgroups that compute; one more copies.
static constexpr int64_t kConsumers = 2;
static constexpr int64_t kRows = kConsumers * kWarpgroupRows;
static constexpr int64_t kConsumerWarps = kConsumers * 4;
static constexpr int64_t kConsumerRegisters = 240, kProducerRegisters = 24;
/// Of a copy by a tensor map.
static constexpr int64_t kBoxRows = 64;
/// Heads whose blocks run together: their columns stay in L2.
static constexpr int64_t kHeadsTogether = 8;
static constexpr double kLog2E = 1.44269504088896341;

std::optional<AttentionGradShape>
AttentionGradShape::of(sched::SdpaGradOp op, StringRef chip) {
  auto element = cast<FloatType>(getElementTypeOrSelf(op.getQuery().getType()));
  SmallVector<sched::ViewAttr> views = op.getTensorViews();
  ArrayRef<int64_t> q = views[1].getShape(), k = views[2].getShape();
  AttentionGradShape shape{element, q[0], q[1],
                           k[1],    q[2], k[2],
                           q[3],    op.getScale().convertToDouble(),
                           op.getCausal(), views};
  bool isHalf = element.isBF16() || element.isF16();
  constexpr int64_t piece = 8; // elements of 16 bytes
  bool inPieces = shape.dim % piece == 0;
  for (sched::ViewAttr view : views) {
    inPieces &= view.getStrides()[3] == 1 && view.getOffset() % piece == 0;
    for (int64_t stride : view.getStrides().drop_back())
      inPieces &= stride % piece == 0;
  }
  if (chip != "sm_90a" || !isHalf || shape.dim > 128 || !inPieces ||
      (shape.isCausal && shape.keys > shape.queries))
    return std::nullopt;
  return shape;
}

std::string AttentionGradShape::signature() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << element << ' ' << scale << (isCausal ? " causal" : "");
  for (sched::ViewAttr view : views) {
    os << " [";
    llvm::interleaveComma(view.getShape(), os);
    os << "] [";
    llvm::interleaveComma(view.getStrides(), os);
    os << ']';
  }
  return text;
}

namespace {
template <typename T>
std::enable_if_t<std::is_integral_v<T>, Expr> operator+(Expr a, T b) {
  return a + a.integer(b);
}
template <typename T>
std::enable_if_t<std::is_integral_v<T>, Expr> operator*(Expr a, T b) {
  return a * a.integer(b);
}

/// How a side is laid out on a multiprocessor; measured on an H100.
struct Tiling {
  int64_t columns; ///< of a tile
  int64_t stages;  ///< tiles that are in shared memory or on their way
  /// Rows are read from registers, not from shared memory.
  bool rowsInRegisters;
  /// The warpgroups start their products in turns.
  bool takesTurns;
  /// Products with dS are started with the next tile's scores.
  bool defers;
};

/// Operands and results of `sched.sdpa_grad` but lse.
enum Viewed { vDO, vQ, vK, vV, vO, vDQ, vDK, vDV };

class SideBuilder {
public:
  SideBuilder(const AttentionGradShape &shape, AttentionGradSide side,
              OpBuilder &builder, Location loc)
      : shape(shape), ofKeys(side == AttentionGradSide::Keys),
        width(shape.dim <= 64 ? 64 : 128), tiling(tilingOf()),
        rowTile{kRows, width}, columnTile{tiling.columns, width},
        numRows(ofKeys ? shape.keys : shape.queries),
        numColumns(ofKeys ? shape.queries : shape.keys),
        rowHeads(ofKeys ? shape.groups : shape.heads),
        ratio(shape.heads / shape.groups), builder(builder), loc(loc),
        w(builder, loc, shape.element) {}

  GpuLaunch launch() const {
    GpuLaunch launch;
    launch.grid = shape.batch * rowHeads * numBlocks();
    launch.block = {(kConsumers + 1) * kWarpgroup, 1, 1};
    launch.shared = sharedBytes();
    return launch;
  }
  void build(Block *entry, Value shared);

private:
  Tiling tilingOf() const {
    if (width == 64)
      return ofKeys ? Tiling{64, 4, true, true, true}
                    : Tiling{128, 3, false, true, true};
    return ofKeys ? Tiling{64, 3, false, false, false}
                  : Tiling{64, 3, false, false, true};
  }
  int64_t numBlocks() const { return llvm::divideCeil(numRows, kRows); }
  int64_t numTiles() const {
    return llvm::divideCeil(numColumns, tiling.columns);
  }
  int64_t statisticRows() const {
    return llvm::alignTo(shape.queries, kStatisticRows);
  }

  //===--- Shared memory --------------------------------------------------===//
  int64_t stageBytes() const { return 2 * columnTile.bytes(); }
  int64_t rowsAt() const { return tiling.stages * stageBytes(); }
  int64_t statisticsAt() const { return rowsAt() + 2 * rowTile.bytes(); }
  /// -lse log2(e) and D of a tile's columns.
  int64_t statisticBytes() const { return ofKeys ? tiling.columns * 8 : 0; }
  int64_t barriersAt() const {
    return statisticsAt() + tiling.stages * statisticBytes();
  }
  int64_t sharedBytes() const { return barriersAt() + 16 * tiling.stages + 8; }
  Expr full(Expr stage) { return base() + stage * 8 + barriersAt(); }
  Expr empty(Expr stage) {
    return base() + stage * 8 + (barriersAt() + 8 * tiling.stages);
  }
  Expr rowsBarrier() { return base() + (barriersAt() + 16 * tiling.stages); }
  Expr base() { return w.expr(sharedBase); }
  Expr stageAddress(Expr stage) { return base() + stage * stageBytes(); }
  Value sharedPointer(Expr offset);
  Expr loadShared(Expr offset, Type type);

  //===--- Parts of the kernel --------------------------------------------===//
  void locateBlock();
  void produce();
  void consume();
  void copyRows();
  void loadRows();
  void findStatistics();
  void storeResult(Viewed view, Value pointer, Registers &sums, double factor);

  struct State;
  void computeTile(State &state, Expr stage, Expr column);
  void startScores(Registers &scores, Expr tile, Expr rows,
                   ArrayRef<Registers> fragments);
  void addProduct(Registers &sums, ArrayRef<Value> left, Expr tile);
  void computeProbabilities(Registers &scores, ArrayRef<Value> statistics,
                            Expr column);
  void mask(Registers &probabilities, Expr column);
  SmallVector<Value> columnStatistics(Expr stage, int64_t which);

  Expr address(Value pointer, sched::ViewAttr view, Expr row, Expr element);
  Expr minimum(Expr a, Expr b) { return (a < b).select(a, b); }
  Expr maximum(Expr a, Expr b) { return (a < b).select(b, a); }
  /// `then` where the condition holds.
  void when(Value condition, function_ref<void()> then,
            function_ref<void()> otherwise = {});

  const AttentionGradShape &shape;
  const bool ofKeys;
  const int64_t width;
  const Tiling tiling;
  const SwizzledTile rowTile, columnTile;
  const int64_t numRows, numColumns, rowHeads, ratio;
  OpBuilder &builder;
  Location loc;
  Warpgroup w;

  Value maps[4], output, lse, statistics, gradients[3], shared, sharedBase;
  /// i32: of the thread, of its warp and warpgroup in the block, of its place
  /// in an accumulator (PTX ISA, figure of wgmma's D), and of the block.
  Value thread, warp, lane, group, quad, warpgroup, lowRow, highRow, localRow;
  Value batch, head, firstRow, firstHead, firstTile, endTile, numSteps;
  /// Of the rows, in registers: by steps of the contraction.
  SmallVector<Registers, 0> fragments[2];
  /// Of this thread's two rows: -lse log2(e), and D.
  Value rowLse[2], rowD[2];
};

/// What a consumer carries from tile to tile.
struct SideBuilder::State {
  Registers sums[2]; ///< of dQ, or of dK and dV
  Registers left;    ///< dS of the tile before this one, if deferred
  Value before;      ///< its stage
  Value started;     ///< whether there was one
};
} // namespace

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//


void SideBuilder::when(Value condition, function_ref<void()> then,
                       function_ref<void()> otherwise) {
  auto op = scf::IfOp::create(builder, loc, condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.thenBlock());
  then();
  if (!otherwise)
    return;
  builder.setInsertionPointToStart(op.elseBlock());
  otherwise();
}

Value SideBuilder::sharedPointer(Expr offset) {
  return LLVM::GEPOp::create(builder, loc, shared.getType(),
                             builder.getI8Type(), shared, ValueRange{offset});
}

Expr SideBuilder::loadShared(Expr offset, Type type) {
  return w.expr(
      LLVM::LoadOp::create(builder, loc, type, sharedPointer(offset)));
}

Expr SideBuilder::address(Value pointer, sched::ViewAttr view, Expr row,
                          Expr element) {
  ArrayRef<int64_t> strides = view.getStrides();
  Type i64 = builder.getI64Type();
  Expr offset = w.expr(batch).convert(i64) * strides[0] +
                w.expr(head).convert(i64) * strides[1] +
                row.convert(i64) * strides[2] + element.convert(i64);
  return w.expr(LLVM::GEPOp::create(builder, loc, pointer.getType(),
                                    shape.element, pointer,
                                    ValueRange{offset}));
}

//===----------------------------------------------------------------------===//
// The block's rows, and the warpgroup that copies
//===----------------------------------------------------------------------===//

void SideBuilder::locateBlock() {
  auto divide = [&](Expr a, int64_t b) {
    return a.make<arith::DivUIOp>(Value(a), Value(a.integer(b)));
  };
  auto rest = [&](Expr a, Expr quotient, int64_t b) { return a - quotient * b; };
  const int64_t heads = shape.batch * rowHeads;
  const int64_t together = std::min(kHeadsTogether, heads);
  Expr id = w.expr(NVVM::BlockIdXOp::create(builder, loc, builder.getI32Type()));
  Expr section = divide(id, together * numBlocks());
  Expr inSection = rest(id, section, together * numBlocks());
  // The last section may have fewer heads.
  Expr left = minimum(w.i32(heads) - section * together, w.i32(together));
  Expr block = inSection.make<arith::DivUIOp>(Value(inSection), Value(left));
  Expr inHeads = section * together + (inSection - block * left);
  // The longest blocks come first: with a causal mask, of the first keys and
  // of the last queries.
  if (!ofKeys)
    block = w.i32(numBlocks() - 1) - block;
  Expr sample = divide(inHeads, rowHeads);
  batch = w.uniform(sample);
  head = w.uniform(rest(inHeads, sample, rowHeads));
  firstRow = w.uniform(block * kRows);
  firstHead = ofKeys ? Value(w.expr(head) * ratio)
                     : Value(divide(w.expr(head), ratio));
  firstTile = w.i32(0);
  endTile = w.i32(numTiles());
  Expr row = w.expr(firstRow);
  if (shape.isCausal && ofKeys)
    firstTile = divide(row, tiling.columns);
  else if (shape.isCausal)
    endTile = minimum(w.expr(endTile),
                      divide(row + (kRows + tiling.columns - 1), tiling.columns));
  numSteps = (w.expr(endTile) - w.expr(firstTile)) * (ofKeys ? ratio : 1);
}

void SideBuilder::copyRows() {
  Expr barrier = rowsBarrier(), row = w.expr(firstRow);
  w.expect(barrier, 2 * rowTile.bytes());
  for (int64_t slab = 0; slab < width / SwizzledTile::kSlabColumns; ++slab)
    for (int64_t box = 0; box < kRows; box += kBoxRows)
      for (int64_t part : {0, 1}) {
        Expr target = base() + (rowsAt() + part * rowTile.bytes() +
                                slab * rowTile.slabBytes() +
                                box * SwizzledTile::kRowBytes);
        // Maps are of q, k, v, do.
        Value map = ofKeys ? maps[1 + part] : maps[3 * part];
        w.copyBox(target, map, barrier,
                  {w.i32(slab * SwizzledTile::kSlabColumns), row + box,
                   w.expr(head), w.expr(batch)});
      }
}

void SideBuilder::produce() {
  copyRows();
  Value zero = w.i32(0);
  auto loop = scf::ForOp::create(
      builder, loc, zero, numSteps, w.i32(1),
      ValueRange{zero, w.i32(1), firstTile, firstHead});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  ValueRange carried = loop.getRegionIterArgs();
  Expr stage = w.expr(carried[0]), parity = w.expr(carried[1]),
       tile = w.expr(carried[2]), tileHead = w.expr(carried[3]);
  w.waitFor(empty(stage), parity);
  Expr barrier = full(stage), target = stageAddress(stage),
       column = tile * tiling.columns;
  w.expect(barrier, stageBytes() + statisticBytes());
  for (int64_t slab = 0; slab < width / SwizzledTile::kSlabColumns; ++slab)
    for (int64_t box = 0; box < tiling.columns; box += kBoxRows)
      for (int64_t part : {0, 1}) {
        Value map = ofKeys ? maps[3 * part] : maps[1 + part];
        w.copyBox(target + (part * columnTile.bytes() +
                            slab * columnTile.slabBytes() +
                            box * SwizzledTile::kRowBytes),
                  map, barrier,
                  {w.i32(slab * SwizzledTile::kSlabColumns), column + box,
                   tileHead, w.expr(batch)});
      }
  if (ofKeys)
    for (int64_t which : {0, 1}) {
      const int64_t bytes = statisticBytes() / 2;
      Expr row = (w.expr(batch) * shape.heads + tileHead) * statisticRows() +
                 column +
                 which * shape.batch * shape.heads * statisticRows();
      Value source =
          LLVM::GEPOp::create(builder, loc, statistics.getType(),
                              builder.getF32Type(), statistics,
                              ValueRange{row.convert(builder.getI64Type())});
      w.copyBytes(base() + stage * statisticBytes() +
                      (statisticsAt() + which * bytes),
                  source, bytes, barrier);
    }
  Expr isLast = tile + 1 == w.expr(endTile),
       wraps = stage + 1 == w.i32(tiling.stages);
  scf::YieldOp::create(
      builder, loc,
      ValueRange{wraps.select(w.i32(0), stage + 1),
                 wraps.select(parity ^ w.i32(1), parity),
                 isLast.select(w.expr(firstTile), tile + 1),
                 isLast.select(tileHead + 1, tileHead)});
}

//===----------------------------------------------------------------------===//
// The warpgroups that compute
//===----------------------------------------------------------------------===//

void SideBuilder::loadRows() {
  if (!tiling.rowsInRegisters)
    return;
  for (int64_t part : {0, 1})
    for (int64_t step = 0; step < width / kContracted; ++step) {
      Registers fragment;
      for (int64_t i = 0; i < 4; ++i) {
        // A row of 128 bytes has its pieces of 16 swapped by the row.
        Expr row = w.expr(localRow) + (i & 1) * 8;
        Expr piece = (row & 7) ^ w.i32(step % 4 * 2 + (i >> 1));
        Expr offset = row * SwizzledTile::kRowBytes + piece * 16 +
                      w.expr(quad) * 4 +
                      (rowsAt() + part * rowTile.bytes() +
                       step / 4 * rowTile.slabBytes());
        fragment.push_back(loadShared(offset, builder.getI32Type()));
      }
      fragments[part].push_back(fragment);
    }
}

/// -lse log2(e) and D of the two rows of this thread, for itself and for the
/// kernel of keys. The four threads of a row share its sum.
void SideBuilder::findStatistics() {
  Type word = builder.getI32Type(), f32 = builder.getF32Type();
  auto words = VectorType::get(4, word);
  const int64_t perThread = width / 32;
  Expr rows[] = {w.expr(lowRow), w.expr(highRow)};
  // Of rows and elements outside, those inside stand in: dO has zeros there.
  SmallVector<Value> outputs[2];
  for (int64_t half : {0, 1}) {
    Expr row = minimum(rows[half], w.i32(shape.queries - 1));
    for (int64_t i = 0; i < perThread; ++i) {
      Expr element = (w.expr(quad) + 4 * i) * 8;
      if (shape.dim < width)
        element = minimum(element, w.i32(shape.dim - 8));
      outputs[half].push_back(LLVM::LoadOp::create(
          builder, loc, words,
          address(output, shape.views[vO], row, element), 16));
    }
    Expr at = (w.expr(batch) * shape.heads + w.expr(head)) * shape.queries + row;
    Value pointer = LLVM::GEPOp::create(builder, loc, lse.getType(), f32, lse,
                                        ValueRange{at});
    Expr value = w.expr(LLVM::LoadOp::create(builder, loc, f32, pointer));
    // Zeros outside: no exponential there is infinite.
    Expr isInside = rows[half] < w.i32(shape.queries);
    rowLse[half] = isInside.select(value * -kLog2E, value.constant(0.0));
  }
  w.waitFor(rowsBarrier(), w.i32(0));
  for (int64_t half : {0, 1}) {
    Expr row = w.expr(localRow) + half * 8;
    Value sum = w.expr(rowLse[0]).constant(0.0);
    for (int64_t i = 0; i < perThread; ++i) {
      Expr piece = w.expr(quad) + 4 * i;
      Expr offset = piece.shr(3) * rowTile.slabBytes() +
                    row * SwizzledTile::kRowBytes +
                    ((piece & 7) ^ (row & 7)) * 16 +
                    (rowsAt() + rowTile.bytes());
      Value grad = loadShared(offset, words);
      for (int64_t j = 0; j < 4; ++j) {
        auto at = [&](Value vector) {
          return w.unpack(w.expr(
              LLVM::ExtractElementOp::create(builder, loc, vector, w.i32(j))));
        };
        auto [lowO, highO] = at(outputs[half][i]);
        auto [lowGrad, highGrad] = at(grad);
        sum = highO.fma(highGrad, lowO.fma(lowGrad, w.expr(sum)));
      }
    }
    for (int64_t distance : {1, 2})
      sum = w.expr(sum) +
            w.expr(NVVM::ShflOp::create(builder, loc, f32, w.i32(-1), sum,
                                        w.i32(distance), w.i32(31),
                                        NVVM::ShflKind::bfly, UnitAttr()));
    rowD[half] = sum;
  }
  when(w.expr(quad) == w.i32(0), [&] {
    for (int64_t half : {0, 1}) {
      Expr at = (w.expr(batch) * shape.heads + w.expr(head)) * statisticRows() +
                rows[half];
      Value values[] = {rowLse[half], rowD[half]};
      for (int64_t which : {0, 1}) {
        Expr index = at + which * shape.batch * shape.heads * statisticRows();
        LLVM::StoreOp::create(
            builder, loc, values[which],
            LLVM::GEPOp::create(builder, loc, statistics.getType(), f32,
                                statistics, ValueRange{index}));
      }
    }
  });
}

void SideBuilder::startScores(Registers &scores, Expr tile, Expr rows,
                              ArrayRef<Registers> fragments) {
  scores.clear();
  for (int64_t step = 0; step < width / kContracted; ++step) {
    // Within a swizzled row, 32 bytes are a step.
    const int64_t inRow = step % 4 * 2;
    Expr b = tile + (step / 4 * (columnTile.slabBytes() >> 4) + inRow);
    if (tiling.rowsInRegisters)
      w.multiply(scores, fragments[step], b, tiling.columns, false);
    else
      w.multiply(scores,
                 Value(rows + (step / 4 * (rowTile.slabBytes() >> 4) + inRow)),
                 b, tiling.columns, false);
  }
  w.commit();
}

void SideBuilder::addProduct(Registers &sums, ArrayRef<Value> left, Expr tile) {
  constexpr int64_t stepBytes = kContracted * SwizzledTile::kRowBytes;
  for (int64_t step = 0; step < tiling.columns / kContracted; ++step)
    w.multiply(sums, left.slice(4 * step, 4), tile + step * (stepBytes >> 4),
               width, true);
  w.commit();
}

/// Of the columns of this thread: pairs of f32, one for each eight columns.
SmallVector<Value> SideBuilder::columnStatistics(Expr stage, int64_t which) {
  SmallVector<Value> values;
  auto pair = VectorType::get(2, builder.getF32Type());
  for (int64_t j = 0; j < tiling.columns / 8; ++j) {
    Expr offset = stage * statisticBytes() + w.expr(quad) * 8 +
                  (statisticsAt() + which * statisticBytes() / 2 + j * 32);
    Value both = loadShared(offset, pair);
    for (int64_t i : {0, 1})
      values.push_back(
          LLVM::ExtractElementOp::create(builder, loc, both, w.i32(i)));
  }
  return values;
}

void SideBuilder::computeProbabilities(Registers &scores,
                                       ArrayRef<Value> statistics,
                                       Expr column) {
  Expr factor = w.expr(scores[0]).constant(shape.scale * kLog2E);
  for (auto [i, score] : llvm::enumerate(scores)) {
    // Registers 4j and 4j + 1 are of the lower row, the next two of the other.
    Value offset = ofKeys ? statistics[i / 4 * 2 + i % 2] : rowLse[i / 2 % 2];
    score = w.exp2(w.expr(score).fma(factor, w.expr(offset)));
  }
  mask(scores, column);
}

void SideBuilder::mask(Registers &probabilities, Expr column) {
  const bool hasTail = !ofKeys && numColumns % tiling.columns != 0;
  if (!shape.isCausal && !hasTail)
    return;
  Expr first = w.expr(firstRow) + w.expr(warpgroup) * kWarpgroupRows;
  Expr isCut = w.expr(arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0));
  if (shape.isCausal)
    isCut = ofKeys ? column < first + (kWarpgroupRows - 1)
                   : first < column + (tiling.columns - 1);
  if (hasTail)
    isCut = isCut | (w.i32(numColumns) < column + tiling.columns);
  auto op = scf::IfOp::create(builder, loc,
                              TypeRange(ValueRange(probabilities)), isCut,
                              /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(op.elseBlock());
  scf::YieldOp::create(builder, loc, probabilities);
  builder.setInsertionPointToStart(op.thenBlock());
  SmallVector<Value> kept;
  for (auto [i, value] : llvm::enumerate(probabilities)) {
    Expr c = column + w.expr(quad) * 2 + (i / 4 * 8 + i % 2);
    Expr r = w.expr(i / 2 % 2 ? highRow : lowRow);
    Expr isOut = hasTail ? w.i32(numColumns - 1) < c
                         : w.expr(arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0));
    if (shape.isCausal)
      isOut = isOut | (ofKeys ? c < r : r < c);
    Expr p = w.expr(value);
    kept.push_back(isOut.select(p.constant(0.0), p));
  }
  scf::YieldOp::create(builder, loc, kept);
  probabilities.assign(op.getResults().begin(), op.getResults().end());
}

void SideBuilder::computeTile(State &state, Expr stage, Expr column) {
  Expr turn = w.expr(warpgroup) + 1;
  auto tileAt = [&](Expr stage, int64_t part) {
    return w.describe(stageAddress(stage) + part * columnTile.bytes(),
                      columnTile);
  };
  auto rowsPart = [&](int64_t part) {
    return w.describe(base() + w.expr(warpgroup) * (kWarpgroupRows *
                                                    SwizzledTile::kRowBytes) +
                          (rowsAt() + part * rowTile.bytes()),
                      rowTile);
  };
  if (tiling.takesTurns)
    w.syncNamed(turn, kConsumers * kWarpgroup);
  w.fence();
  if (tiling.defers)
    addProduct(state.sums[0], state.left, tileAt(w.expr(state.before), 0));
  Registers scores, dP;
  startScores(scores, tileAt(stage, 0), rowsPart(0), fragments[0]);
  startScores(dP, tileAt(stage, 1), rowsPart(1), fragments[1]);
  if (tiling.takesTurns)
    w.arriveNamed(w.i32(3) - turn, kConsumers * kWarpgroup);
  // On their way while products run.
  SmallVector<Value> lses, sums;
  if (ofKeys)
    lses = columnStatistics(stage, 0);

  w.wait(1, {&state.sums[0], &scores});
  if (tiling.defers)
    when(w.expr(state.started), [&] {
      when(w.expr(lane) == w.i32(0),
           [&] { w.arrive(empty(w.expr(state.before))); });
    });
  computeProbabilities(scores, lses, column);
  if (ofKeys) {
    sums = columnStatistics(stage, 1);
    Registers left;
    for (size_t i = 0; i < scores.size(); i += 2)
      left.push_back(w.pack(w.expr(scores[i]), w.expr(scores[i + 1])));
    w.fence();
    addProduct(state.sums[1], left, tileAt(stage, 1));
  }
  w.wait(ofKeys ? 1 : 0, {&dP});
  state.left.clear();
  for (size_t i = 0; i < scores.size(); i += 2) {
    auto product = [&](size_t i) {
      Value d = ofKeys ? sums[i / 4 * 2 + i % 2] : rowD[i / 2 % 2];
      return w.expr(scores[i]) * (w.expr(dP[i]) - w.expr(d));
    };
    state.left.push_back(w.pack(product(i), product(i + 1)));
  }
  if (!tiling.defers) {
    w.fence();
    addProduct(state.sums[0], state.left, tileAt(stage, 0));
    SmallVector<Registers *> ready{&state.sums[0]};
    if (ofKeys)
      ready.push_back(&state.sums[1]);
    w.wait(0, ready);
    when(w.expr(lane) == w.i32(0), [&] { w.arrive(empty(stage)); });
    state.left.clear();
  } else if (ofKeys) {
    w.wait(0, {&state.sums[1], &state.left});
  }
  state.before = stage;
}

void SideBuilder::consume() {
  const size_t numSums = size_t(width) / 2;
  Expr warpRow = w.expr(warpgroup) * kWarpgroupRows +
                 (w.expr(warp) & 3) * 16 + w.expr(group);
  localRow = warpRow;
  lowRow = w.expr(firstRow) + warpRow;
  highRow = w.expr(lowRow) + 8;
  if (ofKeys)
    w.waitFor(rowsBarrier(), w.i32(0));
  else
    findStatistics();
  loadRows();

  // With a causal mask the warpgroups need different tiles.
  Expr myFirst = w.expr(firstTile), myEnd = w.expr(endTile),
       myRow = w.expr(firstRow) + w.expr(warpgroup) * kWarpgroupRows;
  const Expr columns = w.i32(tiling.columns);
  auto tileOf = [&](Expr position) {
    return position.make<arith::DivUIOp>(Value(position), Value(columns));
  };
  if (shape.isCausal && ofKeys)
    myFirst = maximum(myFirst, tileOf(myRow));
  else if (shape.isCausal)
    myEnd =
        minimum(myEnd, tileOf(myRow + (kWarpgroupRows - 1)) + 1);
  Expr turn = w.expr(warpgroup) + 1;
  auto passTurn = [&] {
    w.arriveNamed(w.i32(3) - turn, kConsumers * kWarpgroup);
  };
  if (tiling.takesTurns)
    when(w.expr(warpgroup) == w.i32(1), passTurn);

  Value zero = w.expr(lowRow).constant(builder.getF32Type(), 0.0);
  SmallVector<Value> initial(numSums * (ofKeys ? 2 : 1), zero);
  if (tiling.defers)
    initial.append(tiling.columns / 4, w.i32(0));
  Expr no = w.expr(arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 0)),
       yes = w.expr(arith::ConstantIntOp::create(builder, loc, builder.getI1Type(), 1));
  // A product with no dS yet reads the first tile.
  Expr skipped = myFirst - w.expr(firstTile);
  Expr firstStage =
      skipped.make<arith::RemUIOp>(Value(skipped), Value(w.i32(tiling.stages)));
  initial.append({firstStage, no});
  const size_t stateSize = initial.size();
  initial.append({w.i32(0), w.i32(0), firstTile});

  auto unpackState = [&](ValueRange values) {
    State state;
    for (int64_t part = 0; part < (ofKeys ? 2 : 1); ++part) {
      ValueRange sums = values.take_front(numSums);
      state.sums[part].assign(sums.begin(), sums.end());
      values = values.drop_front(numSums);
    }
    if (tiling.defers) {
      ValueRange left = values.take_front(tiling.columns / 4);
      state.left.assign(left.begin(), left.end());
      values = values.drop_front(tiling.columns / 4);
    }
    state.before = values[0];
    state.started = values[1];
    return state;
  };
  auto packState = [&](const State &state) {
    SmallVector<Value> values;
    for (int64_t part = 0; part < (ofKeys ? 2 : 1); ++part)
      llvm::append_range(values, state.sums[part]);
    llvm::append_range(values, state.left);
    values.append({state.before, state.started});
    return values;
  };

  auto loop = scf::ForOp::create(builder, loc, w.i32(0), numSteps, w.i32(1),
                                 initial);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(loop.getBody());
    ValueRange carried = loop.getRegionIterArgs();
    Expr stage = w.expr(carried[stateSize]),
         parity = w.expr(carried[stateSize + 1]),
         tile = w.expr(carried[stateSize + 2]);
    ValueRange before = carried.take_front(stateSize);
    w.waitFor(full(stage), parity);
    SmallVector<Value> after;
    auto compute = [&] {
      State state = unpackState(before);
      computeTile(state, stage, tile * tiling.columns);
      state.started = yes;
      return packState(state);
    };
    if (shape.isCausal) {
      Expr isMine = (myFirst < tile + 1) & (tile < myEnd);
      auto op = scf::IfOp::create(builder, loc, before.getTypes(), isMine,
                                  /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(op.thenBlock());
      scf::YieldOp::create(builder, loc, compute());
      builder.setInsertionPointToStart(op.elseBlock());
      if (tiling.takesTurns) {
        w.syncNamed(turn, kConsumers * kWarpgroup);
        passTurn();
      }
      when(w.expr(lane) == w.i32(0), [&] { w.arrive(empty(stage)); });
      scf::YieldOp::create(builder, loc, before);
      after.assign(op.getResults().begin(), op.getResults().end());
    } else {
      after = compute();
    }
    Expr wraps = stage + 1 == w.i32(tiling.stages),
         isLast = tile + 1 == w.expr(endTile);
    after.append({wraps.select(w.i32(0), stage + 1),
                  wraps.select(parity ^ w.i32(1), parity),
                  isLast.select(w.expr(firstTile), tile + 1)});
    scf::YieldOp::create(builder, loc, after);
  }
  if (tiling.takesTurns)
    when(w.expr(warpgroup) == w.i32(0),
         [&] { w.syncNamed(turn, kConsumers * kWarpgroup); });
  State state = unpackState(loop.getResults().take_front(stateSize));
  if (tiling.defers) {
    w.fence();
    addProduct(state.sums[0], state.left,
               w.describe(stageAddress(w.expr(state.before)), columnTile));
    w.wait(0, {&state.sums[0]});
  }
  storeResult(ofKeys ? vDK : vDQ, gradients[ofKeys ? 1 : 0], state.sums[0],
              shape.scale);
  if (ofKeys)
    storeResult(vDV, gradients[2], state.sums[1], 1);
}

void SideBuilder::storeResult(Viewed view, Value pointer, Registers &sums,
                              double factor) {
  auto scaled = [&](size_t i) {
    Expr sum = w.expr(sums[i]);
    return factor == 1 ? sum : sum * factor;
  };
  for (int64_t half : {0, 1}) {
    Expr row = w.expr(half ? highRow : lowRow);
    auto store = [&] {
      for (int64_t j = 0; j < shape.dim / 8; ++j) {
        Expr element = w.expr(quad) * 2 + j * 8;
        LLVM::StoreOp::create(
            builder, loc,
            w.pack(scaled(4 * j + 2 * half), scaled(4 * j + 2 * half + 1)),
            address(pointer, shape.views[view], row, element), 4);
      }
    };
    if (numRows % kRows)
      when(row < w.i32(numRows), store);
    else
      store();
  }
}

void SideBuilder::build(Block *entry, Value sharedArray) {
  for (int i = 0; i < 4; ++i)
    maps[i] = entry->getArgument(i);
  output = entry->getArgument(4);
  lse = entry->getArgument(5);
  statistics = entry->getArgument(6);
  for (int i = 0; i < 3; ++i)
    gradients[i] = entry->getArgument(7 + i);
  shared = sharedArray;
  Type i32 = builder.getI32Type();
  sharedBase = LLVM::PtrToIntOp::create(builder, loc, i32, shared);
  thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  lane = w.expr(thread) & 31;
  group = w.expr(lane).shr(2);
  quad = w.expr(lane) & 3;
  warp = w.uniform(w.expr(thread).shr(5));
  warpgroup = w.expr(warp).shr(2);
  locateBlock();
  when(w.expr(thread) == w.i32(0), [&] {
    for (int64_t stage = 0; stage < tiling.stages; ++stage) {
      w.initBarrier(full(w.i32(stage)), 1);
      w.initBarrier(empty(w.i32(stage)), kConsumerWarps);
    }
    w.initBarrier(rowsBarrier(), 1);
    w.fenceShared();
  });
  NVVM::BarrierOp::create(builder, loc);
  auto setRegisters = [&](int64_t count, NVVM::SetMaxRegisterAction action) {
    NVVM::SetMaxRegisterOp::create(builder, loc, int32_t(count), action);
  };
  when(
      w.expr(warp) < w.i32(kConsumerWarps),
      [&] {
        setRegisters(kConsumerRegisters, NVVM::SetMaxRegisterAction::increase);
        consume();
      },
      [&] {
        setRegisters(kProducerRegisters, NVVM::SetMaxRegisterAction::decrease);
        when(w.expr(warp) == w.i32(kConsumerWarps), [&] {
          when(NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(),
                                         Value()),
               [&] { produce(); });
        });
      });
}

GpuLaunch prec::buildAttentionGrad(const AttentionGradShape &shape,
                                   AttentionGradSide side, StringRef name,
                                   ModuleOp module, Location loc) {
  MLIRContext *context = module.getContext();
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  auto shared = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
      /*isConstant=*/false, LLVM::Linkage::External, (name + "_dynamic").str(),
      Attribute(), /*alignment=*/1024, kShared);
  SmallVector<Type> arguments(4, LLVM::LLVMPointerType::get(context));
  arguments.append(6, LLVM::LLVMPointerType::get(context, kGlobal));
  auto function = LLVM::LLVMFuncOp::create(
      builder, loc, name,
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), arguments));
  function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                    builder.getUnitAttr());
  auto map = LLVM::LLVMArrayType::get(builder.getI8Type(), 128);
  for (unsigned i = 0; i < 4; ++i) {
    function.setArgAttr(i, LLVM::LLVMDialect::getByValAttrName(),
                        TypeAttr::get(map));
    function.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(64));
    function.setArgAttr(i, NVVM::NVVMDialect::getGridConstantAttrName(),
                        builder.getUnitAttr());
  }
  Block *entry = function.addEntryBlock(builder);
  builder.setInsertionPointToStart(entry);
  SideBuilder sideBuilder(shape, side, builder, loc);
  GpuLaunch launch = sideBuilder.launch();
  sideBuilder.build(entry,
                    LLVM::AddressOfOp::create(builder, loc, shared).getResult());
  LLVM::ReturnOp::create(builder, loc, ValueRange());
  SmallVector<int32_t> block(launch.block.begin(), launch.block.end());
  function->setAttr(NVVM::NVVMDialect::getReqntidAttrName(),
                    builder.getDenseI32ArrayAttr(block));
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(1));
  return launch;
}
