//===- Entry.h - functions that are called from outside ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function is called for is said by its attribute `prec.entry`, never by
// its name. Passes find entry points here alone.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_DIALECT_PREC_ENTRY_H
#define PREC_DIALECT_PREC_ENTRY_H

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Support/LLVM.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace prec {

inline constexpr llvm::StringLiteral kEntry = "prec.entry";

/// What a function is called for, if anything is said.
std::optional<Entry> getEntry(mlir::func::FuncOp function);
/// Makes a function of a module an entry point, and calls it like that; or by a
/// longer name where something else of the module has this one.
void makeEntry(mlir::func::FuncOp function, Entry entry);

/// The function of a module that is called for `entry`; null if there is none.
mlir::func::FuncOp findEntry(ModuleOp module, Entry entry);

/// The step of a module. Fails, with an error that lists the functions that are
/// there, without one, and where two functions are called for the same.
FailureOr<mlir::func::FuncOp> getStep(ModuleOp module);

/// The same for passes that rewrite it: fails, too, where it is no graph
/// (train::verifyGraph).
FailureOr<mlir::func::FuncOp> getStepGraph(ModuleOp module);

/// Attribute of a module within another one: it holds the step of that one with
/// room for all rows of experts, until both are materialized.
inline constexpr llvm::StringLiteral kCrowdedModule = "prec.crowded";

/// That module; null where all rows have room, or experts are not divided.
ModuleOp findCrowded(ModuleOp module);

/// Whether an operation is in such a module: what is decided for the step goes
/// for it, too.
bool isInCrowded(Operation *op);

/// Whether a function belongs to who wrote the module: it is no entry point of
/// a module whose formats are assigned, and takes nothing that the runtime
/// gives, no argument having a role.
bool isHostFunction(mlir::func::FuncOp function);

/// Whether passes rewrite a function: a graph (train::isGraph) that is not the
/// host's. They leave others as they are.
bool isCompiledGraph(mlir::func::FuncOp function);

} // namespace prec

#endif // PREC_DIALECT_PREC_ENTRY_H
