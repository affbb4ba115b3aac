//===- LayerPlan.h - what each rank has of a step ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_IMPORT_LAYERPLAN_H
#define PREC_LIB_IMPORT_LAYERPLAN_H

#include "Import/LayerPlacements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <set>

namespace prec {

/// The path of an argument, or its number.
std::string nameOf(mlir::func::FuncOp step, unsigned index);

/// Numbers of arguments that are parameters.
using Parameters = std::set<unsigned>;

/// What ranks have of every value of a step.
class LayerPlan {
public:
  /// With `rows` ranks have rows of what no operation between products mixes.
  LayerPlan(mlir::func::FuncOp step, int64_t ranks, bool rows)
      : step(step), ranks(ranks), rows(rows) {}

  void run();

  bool isParameter(Value value) const;
  Placement get(Value value) const { return placements.lookup(value); }
  const OpPlacements &get(Operation *op) const { return plans.at(op); }
  /// Whether a partial value is added up as rows, which are gathered where it
  /// is read whole.
  bool isAddedAsRows(Value value) const { return addedAsRows.contains(value); }
  /// Whether ranks can cut their slice of a whole value: nothing in it is
  /// trained, or it is a gradient itself, such as one that came through frozen
  /// weights. So no gradient of it would be whole.
  bool canCut(Value value) const {
    Operation *op = value.getDefiningOp();
    return !trained.contains(value) ||
           (op && train::getPhase(op) == train::Phase::Backward);
  }
  /// By argument: its dimension that is divided, and why.
  std::map<unsigned, std::pair<int64_t, std::string>> chosen;
  /// By argument: why it is whole.
  std::map<unsigned, std::string> refused;

  /// Its divided dimension, and the parts of that.
  Placement getChosen(unsigned parameter) const {
    return Placement::split(chosen.at(parameter).first, getParts(parameter));
  }

private:
  SmallVector<int64_t> getParts(unsigned parameter) const;
  void findOwned();
  bool choose(Value parameter, int64_t dim, StringRef reason,
              ArrayRef<int64_t> parts = {});
  unsigned countReaders(unsigned parameter) const;
  void place(unsigned parameter);
  bool chooseForProduct(Operation *op);
  bool chooseForLookup(train::EmbeddingOp op);
  train::EmbeddingOp findLookup(train::EmbeddingGradOp gradient) const;
  enum class Chosen { Nothing, InPlace, Anew };
  Chosen chooseForBroadcast(Value operand, const Placement &needed,
                            Operation *reader);
  void refuse(const Parameters &parameters, const std::string &reason);
  bool refuseOperands(Operation *op, const Refusal &refusal);
  bool cutOperand(Operation *op, const Refusal &refusal);
  void start();
  /// False where it must start anew.
  bool walk();
  bool visit(Operation *op);
  std::optional<OpPlacements> place(Operation *op, ArrayRef<Placement> given,
                                    Refusal &refusal);
  bool checkReturned(mlir::func::ReturnOp ret);

  mlir::func::FuncOp step;
  int64_t ranks;
  bool rows;
  /// By argument, where its divided dimension is cut into parts, and why it
  /// could not stay in one.
  std::map<unsigned, std::set<int64_t>> cuts;
  std::map<unsigned, std::string> whyCut;
  DenseMap<Value, Placement> placements;
  std::map<Operation *, OpPlacements> plans;
  /// Of what is divided: the parameters that it is divided by.
  DenseMap<Value, Parameters> origins;
  DenseSet<Value> trained, addedAsRows;
  /// Of each parameter: itself and its states, which are divided alike.
  std::map<unsigned, SmallVector<BlockArgument, 4>> owned;
  /// Arguments that this walk has seen an operation read, and how many did.
  DenseMap<Value, unsigned> readers;
  /// Lookups of divided rows that this walk has seen.
  SmallVector<train::EmbeddingOp> lookups;
};

} // namespace prec

#endif // PREC_LIB_IMPORT_LAYERPLAN_H
