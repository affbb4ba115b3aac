//===- Summary.cpp - decisions as a table ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints the summary: a table of formats (tensors, bytes, matmul FLOPs) and one
// of classes with the reason for their format. One pass over values counts what
// memory holds, one over contractions what they read, and why those differ that
// do not read what the recipe says. A copy in FP8 that several contractions
// read counts once. The line of a class gives the reason of most of its
// contractions; others follow below it.
//
//===----------------------------------------------------------------------===//
#include "Assign/Report/Summary.h"

#include "Assign/Report/Memory.h"
#include "prec/Support/Bytes.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

#include <map>

using namespace mlir;
using namespace prec;
using llvm::left_justify;
using llvm::right_justify;

namespace {

/// The rows of the table; FP8 holds both of its formats.
enum Row { RowFp4, RowFp8, RowCodes, RowBf16, RowF16, RowF32, kNumRows };

struct RowTotals {
  int64_t tensors = 0;
  double bytes = 0, flops = 0;
};

struct ClassTotals {
  int64_t operations = 0;
  llvm::SmallSetVector<Format, 4> reads, stores;
};

struct Totals {
  RowTotals rows[kNumRows];
  ClassTotals classes[kNumClasses];
  int64_t masters = 0, moments = 0, codedMoments = 0, weightGradients = 0,
          inRegisters = 0;
  /// Contractions by why they do not read what the recipe has for them; empty
  /// for those that do.
  std::map<StringRef, int64_t> contractions;
};

} // namespace

static Row getRow(Format format) {
  switch (format) {
  case Format::E2M1:
    return RowFp4;
  case Format::E4M3:
  case Format::E5M2:
    return RowFp8;
  case Format::BF16:
    return RowBf16;
  case Format::F16:
    return RowF16;
  case Format::F32:
    return RowF32;
  }
  llvm_unreachable("format is an enumeration");
}

static void addStored(Totals &totals, const Decision &decision,
                      int64_t elements) {
  Row row = decision.isCoded ? RowCodes : getRow(decision.format);
  ++totals.rows[row].tensors;
  totals.rows[row].bytes += getStoredBytes(decision, double(elements));
}

static void addValues(Totals &totals, const DecidedFunction &decided) {
  const Graph &graph = decided.projection.graph;
  std::vector<bool> isCopiesAlone =
      findCopiesAlone(graph, decided.facts, decided.assignment);
  for (auto [id, value] : llvm::enumerate(graph.values)) {
    const Decision &decision = decided.assignment.values[id];
    if (!decision.isDecided() || isCopiesAlone[id])
      continue;
    if (value.producer == kNone) {
      totals.masters += value.origin == Origin::Parameter;
      totals.moments += value.origin == Origin::Moment;
      totals.codedMoments += decision.isCoded;
      addStored(totals, decision, value.getElements());
      continue;
    }
    const GraphNode &node = graph.nodes[value.producer];
    if (std::optional<TensorClass> c = decided.facts.classes[value.producer]) {
      // Statistics and gradients of weights have lines of their own.
      bool isMain =
          value.result == 0 || decided.facts.isGradient[value.producer];
      if (decision.isStored && isMain && !decided.facts.isWeightGradient[id])
        totals.classes[static_cast<unsigned>(*c)].stores.insert(
            decision.format);
    }
    // The optimizer updates its arguments in place.
    if (node.is(Structure::Optimizer))
      continue;
    if (decision.isStored)
      addStored(totals, decision, value.getElements());
    else if (node.is(Structure::Elementwise))
      ++totals.inRegisters;
    totals.weightGradients +=
        decision.isStored && decided.facts.isWeightGradient[id] &&
        decided.facts.phases[value.producer] == StepPhase::Backward;
  }
}

static void addUses(Totals &totals, const DecidedFunction &decided) {
  const Graph &graph = decided.projection.graph;
  llvm::DenseSet<std::pair<ValueId, unsigned>> copies;
  for (auto [id, node] : llvm::enumerate(graph.nodes)) {
    const std::optional<TensorClass> &c = decided.facts.classes[id];
    if (c)
      ++totals.classes[static_cast<unsigned>(*c)].operations;
    bool counts =
        node.is(Structure::Contraction) || node.is(Structure::Attention);
    Format narrowest = Format::F32;
    for (auto [operand, use] : llvm::enumerate(decided.assignment.uses[id])) {
      if (!use.isDecided())
        continue;
      if (c && counts)
        totals.classes[static_cast<unsigned>(*c)].reads.insert(use.format);
      narrowest = std::max(narrowest, use.format);
      // One copy a value and format, shared by all its uses.
      ValueId root = decided.facts.roots[node.operands[operand]];
      if (use.format != decided.assignment.values[root].format &&
          copies.insert({root, static_cast<unsigned>(use.format)}).second)
        addStored(totals, use, graph.values[root].getElements());
    }
    if (counts)
      totals.rows[getRow(narrowest)].flops += node.flops;
  }
}

/// By what its first candidate, the recipe's, lost: a veto, or a policy or a
/// cost model that chose another.
static void addContractions(Totals &totals, const DecidedFunction &decided) {
  for (const ContractionChoice &choice : decided.assignment.choices) {
    // Heads and attention have lines of their own.
    if (decided.facts.classes[choice.node] != TensorClass::Contraction)
      continue;
    StringRef why = choice.candidates.front().vetoReason;
    if (why.empty() && choice.winner != 0)
      // How much longer differs from contraction to contraction.
      why = choice.candidates.front().price
                ? "cost: with the recipe's formats the step takes longer"
                : choice.reason;
    for (const Candidate &candidate : choice.candidates)
      if (candidate.veto == Veto::Place)
        why = candidate.vetoReason;
    ++totals.contractions[why];
  }
}

static std::string formatShare(double part, double whole) {
  if (whole <= 0)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.1f %%", 100 * part / whole);
  return text;
}

static void printFormats(llvm::raw_ostream &os, const Totals &totals) {
  double bytes = 0, flops = 0;
  for (const RowTotals &row : totals.rows) {
    bytes += row.bytes;
    flops += row.flops;
  }
  os << "  format   tensors       bytes             matmul FLOPs\n"
     << "  ------   -------   ---------   -------   ------------\n";
  static constexpr StringRef kNames[] = {"FP4",  "FP8",  "8-bit",
                                         "BF16", "FP16", "FP32"};
  for (unsigned row = 0; row < kNumRows; ++row) {
    const RowTotals &total = totals.rows[row];
    bool isRare = row == RowF16 || row == RowFp4 || row == RowCodes;
    if (isRare && total.tensors == 0 && total.flops == 0)
      continue;
    os << "  " << left_justify(kNames[row], 6)
       << right_justify(std::to_string(total.tensors), 10)
       << right_justify(printBinaryBytes(total.bytes, 1), 12)
       << right_justify(formatShare(total.bytes, bytes), 10)
       << right_justify(formatShare(total.flops, flops), 15) << '\n';
  }
  os << "  FP8 tensors are copies that contractions read; FP32 values that "
        "stay in registers: "
     << totals.inRegisters << '\n';
}

static std::string joinFormats(ArrayRef<Format> formats) {
  SmallVector<Format> sorted(formats);
  llvm::sort(sorted);
  // Narrow formats first, as recipes are named after them.
  std::reverse(sorted.begin(), sorted.end());
  // Prints e4m3 before e5m2.
  if (sorted.size() >= 2 && sorted[0] == Format::E5M2)
    std::swap(sorted[0], sorted[1]);
  return llvm::join(
      llvm::map_range(sorted,
                      [](Format f) { return stringifyFormat(f).str(); }),
      ", ");
}

static std::string describeFormats(TensorClass c, const ClassTotals &totals) {
  std::string stores =
      totals.stores.empty() ? "f32" : joinFormats(totals.stores.getArrayRef());
  if (!totals.reads.empty())
    return joinFormats(totals.reads.getArrayRef()) + " -> " + stores;
  bool isInside = c == TensorClass::Norm || c == TensorClass::Softmax ||
                  c == TensorClass::Rotary || c == TensorClass::Elementwise ||
                  c == TensorClass::Reduction;
  if (isInside && totals.stores.contains(Format::BF16))
    return "f32 inside, bf16";
  return stores;
}

/// Why contractions have their formats, by how many have each reason. What the
/// recipe says holds for those that lost nothing.
static SmallVector<std::pair<int64_t, std::string>>
getContractionReasons(const Totals &totals, const Recipe &recipe) {
  SmallVector<std::pair<int64_t, std::string>> reasons;
  for (auto [why, count] : totals.contractions) {
    StringRef changed = recipe.directions.front().overriddenBy;
    StringRef usual = changed.empty() ? recipe.contractionReason : changed;
    reasons.push_back({count, (why.empty() ? usual : why).str()});
  }
  llvm::stable_sort(
      reasons, [](const auto &a, const auto &b) { return a.first > b.first; });
  return reasons;
}

/// Why a class has its format, in one line.
static std::string getReason(TensorClass c, const Totals &totals,
                             const Recipe &recipe) {
  for (Aspect aspect : {Aspect::Stores, Aspect::Reads})
    if (const ReasonedFormat *rule = recipe.getKeepHigh(c, aspect))
      return rule->reason;
  if (c == TensorClass::Contraction) {
    auto reasons = getContractionReasons(totals, recipe);
    return reasons.empty() ? recipe.contractionReason : reasons.front().second;
  }
  if (c == TensorClass::Convolution)
    return "read in 16 or 32 bits, summed in FP32: no target convolves FP8";
  if (c == TensorClass::Custom)
    return "read and made in its own dtype: what it computes is its author's";
  if (c == TensorClass::Reduction)
    return "sums accumulate in FP32 and are rounded where something else reads "
           "them";
  if (c == TensorClass::Elementwise)
    return "a chain computes in FP32 and is rounded where memory holds it "
           "anyway";
  return recipe.getStorage(StorageKind::Activation).reason;
}

static void printLine(llvm::raw_ostream &os, StringRef name, int64_t count,
                      StringRef formats, StringRef reason) {
  os << "  " << left_justify(name, 16)
     << right_justify(std::to_string(count), 5) << "   "
     << left_justify(formats, 18) << "  " << reason << '\n';
}

/// What the line of contractions does not say: why some of them are otherwise.
static void printOtherContractions(llvm::raw_ostream &os, const Totals &totals,
                                   const Recipe &recipe) {
  constexpr size_t kShown = 4;
  auto reasons = getContractionReasons(totals, recipe);
  if (reasons.empty())
    return;
  int64_t rest = 0;
  for (auto [i, reason] : llvm::enumerate(llvm::drop_begin(reasons))) {
    if (i < kShown)
      printLine(os, "", reason.first, "of these", reason.second);
    else
      rest += reason.first;
  }
  if (rest > 0)
    printLine(os, "", rest, "of these", "for other reasons");
}

static void printClasses(llvm::raw_ostream &os, const Totals &totals,
                         const Recipe &recipe) {
  // What a reader looks for first comes first.
  static constexpr TensorClass kOrder[] = {
      TensorClass::Contraction, TensorClass::Convolution,
      TensorClass::Head,        TensorClass::Contrastive,
      TensorClass::Attention,   TensorClass::Router,
      TensorClass::Residual,    TensorClass::Embedding,
      TensorClass::Norm,        TensorClass::Softmax,
      TensorClass::Rotary,      TensorClass::Elementwise,
      TensorClass::Reduction,   TensorClass::Custom,
      TensorClass::Loss,        TensorClass::Clipping,
      TensorClass::Optimizer};
  os << "  class             ops   format              why\n"
     << "  --------------  -----   ------------------  ---\n";
  for (TensorClass c : kOrder) {
    const ClassTotals &total = totals.classes[static_cast<unsigned>(c)];
    if (total.operations > 0)
      printLine(os, stringifyTensorClass(c), total.operations,
                describeFormats(c, total), getReason(c, totals, recipe));
    if (c == TensorClass::Contraction)
      printOtherContractions(os, totals, recipe);
  }
  auto printStorage = [&](StringRef name, int64_t count, StorageKind kind) {
    const ReasonedFormat &storage = recipe.getStorage(kind);
    if (count > 0)
      printLine(os, name, count, stringifyFormat(storage.format),
                storage.reason);
  };
  if (totals.codedMoments > 0)
    printLine(os, "coded moments", totals.codedMoments,
              stringifyMomentStorage(MomentStorage::Dynamic8),
              "8-bit codes between steps, FP32 inside of them");
  printStorage("weight gradients", totals.weightGradients,
               StorageKind::WeightGradient);
  printStorage("master weights", totals.masters, StorageKind::Master);
  printStorage("moments", totals.moments - totals.codedMoments,
               StorageKind::Moment);
}

void prec::printSummary(llvm::raw_ostream &os, const DecidedFunction &decided,
                        StringRef recipeNote, StringRef targetNote,
                        const Recipe &recipe, const Target &target) {
  Totals totals;
  addValues(totals, decided);
  addUses(totals, decided);
  addContractions(totals, decided);
  FunctionOpInterface function = decided.function;
  os << "\nPrecision of @" << function.getName() << ": recipe " << recipe.name
     << recipeNote << ", legality of " << target.getName() << targetNote
     << "\n\n";
  printFormats(os, totals);
  os << '\n';
  printClasses(os, totals, recipe);
  if (!decided.modules.empty()) {
    os << "\n  modules that the policy was asked for\n";
    printModules(os, decided.modules);
  }
  os << '\n';
}
