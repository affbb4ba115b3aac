//===- LLVM.h - names of LLVM and MLIR in namespace prec --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of prec use these names without qualification and qualify all others
// of MLIR; sources have a using-directive.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_SUPPORT_LLVM_H
#define PREC_SUPPORT_LLVM_H

#include "mlir/Support/LLVM.h"

namespace mlir {
class ArrayAttr;
class Attribute;
class Block;
class BlockArgument;
class Builder;
class DialectRegistry;
class DictionaryAttr;
class FloatAttr;
class FloatType;
class FunctionOpInterface;
class FunctionType;
class InFlightDiagnostic;
class IntegerAttr;
class IntegerType;
class Location;
class MLIRContext;
class ModuleOp;
class NameLoc;
class NamedAttribute;
class OpBuilder;
class OpOperand;
class OpPassManager;
class OpResult;
class Operation;
class Pass;
class RankedTensorType;
class Region;
class ScopedDiagnosticHandler;
class ShapedType;
class StringAttr;
class Type;
class TypeRange;
class UnknownLoc;
class Value;
class ValueRange;
template <typename OpTy> class OwningOpRef;
} // namespace mlir

namespace prec {

// Of the language, as mlir/Support/LLVM.h has them.
using mlir::ArrayRef;
using mlir::cast;
using mlir::cast_if_present;
using mlir::cast_or_null;
using mlir::DenseMap;
using mlir::DenseSet;
using mlir::dyn_cast;
using mlir::dyn_cast_if_present;
using mlir::dyn_cast_or_null;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::function_ref;
using mlir::isa;
using mlir::isa_and_nonnull;
using mlir::isa_and_present;
using mlir::iterator_range;
using mlir::LogicalResult;
using mlir::MutableArrayRef;
using mlir::ParseResult;
using mlir::raw_ostream;
using mlir::SmallPtrSet;
using mlir::SmallPtrSetImpl;
using mlir::SmallString;
using mlir::SmallVector;
using mlir::SmallVectorImpl;
using mlir::StringLiteral;
using mlir::StringRef;
using mlir::succeeded;
using mlir::success;
using mlir::Twine;

// Of MLIR.
using mlir::ArrayAttr;
using mlir::Attribute;
using mlir::Block;
using mlir::BlockArgument;
using mlir::Builder;
using mlir::DialectRegistry;
using mlir::DictionaryAttr;
using mlir::FloatAttr;
using mlir::FloatType;
using mlir::FunctionOpInterface;
using mlir::FunctionType;
using mlir::InFlightDiagnostic;
using mlir::IntegerAttr;
using mlir::IntegerType;
using mlir::Location;
using mlir::MLIRContext;
using mlir::ModuleOp;
using mlir::NamedAttribute;
using mlir::NameLoc;
using mlir::OpBuilder;
using mlir::Operation;
using mlir::OpOperand;
using mlir::OpPassManager;
using mlir::OpResult;
using mlir::OwningOpRef;
using mlir::Pass;
using mlir::RankedTensorType;
using mlir::Region;
using mlir::ScopedDiagnosticHandler;
using mlir::ShapedType;
using mlir::StringAttr;
using mlir::Type;
using mlir::TypeRange;
using mlir::UnknownLoc;
using mlir::Value;
using mlir::ValueRange;

} // namespace prec

#endif // PREC_SUPPORT_LLVM_H
