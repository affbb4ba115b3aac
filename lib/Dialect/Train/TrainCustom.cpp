//===- TrainCustom.cpp - operations of the user's own ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Dialect/Train/Custom.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace prec::train;
using prec::Structure;

/// Blocks and threads along three dimensions, and shared memory.
static constexpr size_t kNumLaunch = 7;

// custom_c1
LogicalResult KernelAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringAttr, StringAttr, StringAttr symbol,
                                 ArrayRef<int64_t> launch,
                                 ArrayAttr parameters) {
  bool isLaunch =
      launch.size() == kNumLaunch && launch.back() >= 0 &&
      llvm::all_of(launch.drop_back(), [](int64_t size) { return size >= 1; });
  if (!isLaunch)
    return emitError()
           << "'launch' must hold three numbers of blocks, three of "
              "threads and the bytes of shared memory, but got ["
           << launch << "]";
  if (symbol.getValue().empty() || symbol.getValue().starts_with("prec_"))
    return emitError() << "'symbol' must be a name that does not begin with "
                          "'prec_', but got "
                       << symbol;
  if (!llvm::all_of(parameters, llvm::IsaPred<StringAttr>))
    return emitError() << "'parameters' must be strings, but got "
                       << parameters;
  return success();
}

/// Whether a value of the graph is what the user's operation takes: floats are
/// of its own type or not yet decided, whole numbers of any width.
static bool isTaken(Type inGraph, Type own) {
  if (isa<FloatType>(own))
    return inGraph == own || inGraph.isF32();
  return isa<IntegerType>(inGraph) && isa<IntegerType>(own) &&
         inGraph.isInteger(1) == own.isInteger(1);
}

static LogicalResult verifyTypes(Operation *op, TypeRange types, ArrayAttr own,
                                 StringRef name) {
  // custom_c2
  if (own.size() != types.size())
    return op->emitOpError("'") << name << "' must have one type for each of "
                                << types.size() << ", but got " << own;
  for (auto [type, attribute] : llvm::zip_equal(types, own)) {
    Type element = cast<TypeAttr>(attribute).getValue();
    bool isKnown = element.isF32() || element.isBF16() || element.isF16() ||
                   element.isInteger(1) || element.isInteger(8) ||
                   element.isInteger(16) || element.isInteger(32) ||
                   element.isInteger(64);
    // custom_c3
    if (!isKnown || !isTaken(getElementTypeOrSelf(type), element))
      return op->emitOpError("'")
             << name
             << "' must be f32, bf16, f16, i1, i8, i16, i32 or i64, and "
             << "what the value is or may become, but got " << element
             << " for " << type;
  }
  return success();
}

/// Whether a parameter names what there is, or is a number.
static bool isParameter(StringRef text, unsigned inputs, unsigned results) {
  auto [kind, value] = text.split(' ');
  uint64_t index = 0;
  if (kind == "in" || kind == "out")
    return !value.getAsInteger(10, index) &&
           index < (kind == "in" ? inputs : results);
  int64_t whole = 0;
  double number = 0;
  if (kind == "i32")
    return !value.getAsInteger(10, whole) && llvm::isInt<32>(whole);
  if (kind == "i64")
    return !value.getAsInteger(10, whole);
  return (kind == "f32" || kind == "f64") && !value.getAsDouble(number);
}

LogicalResult prec::train::verifyCustomCall(Operation *op,
                                            const CustomCall &call) {
  // custom_c4
  if (call.function.empty())
    return op->emitOpError("'function' must be a name, but got none");
  // custom_c5
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return op->emitOpError(
               "an operation of the user's own must have an operand "
               "and a result, but got ")
           << op->getNumOperands() << " and " << op->getNumResults();
  if (failed(verifyTypes(op, op->getOperandTypes(), call.reads, "reads")) ||
      failed(verifyTypes(op, op->getResultTypes(), call.makes, "makes")))
    return failure();
  if (!call.kernels)
    return success();
  for (KernelAttr kernel : call.kernels.getAsRange<KernelAttr>())
    for (StringAttr parameter : kernel.getParameters().getAsRange<StringAttr>())
      // custom_c6
      if (!isParameter(parameter.getValue(), op->getNumOperands(),
                       op->getNumResults()))
        return op->emitOpError("a parameter of a kernel must be 'in N', "
                               "'out N', 'i32 N', 'i64 N', 'f32 X' or 'f64 X', "
                               "but got ")
               << parameter;
  return success();
}

LogicalResult CustomOp::verify() {
  if (failed(verifyCustomCall(
          *this, {getFunction(), getReads(), getMakes(), getKernelsAttr()})))
    return failure();
  // custom_c7
  for (int64_t index : getGradients())
    if (index < 0 || index >= int64_t(getNumOperands()) ||
        !isa<FloatType>(getElementTypeOrSelf(getOperand(index).getType())))
      return emitOpError("'gradients' must be numbers of operands of floats, "
                         "but got ")
             << index;
  return success();
}

Structure CustomOp::getStructure() { return Structure::Custom; }
int64_t CustomOp::getAccumulationLength() { return 1; }
double CustomOp::getFlops() { return 0; }

std::optional<prec::Format> CustomOp::getOwnFormat(bool isResult,
                                                   unsigned index) {
  Type own =
      cast<TypeAttr>((isResult ? getMakes() : getReads())[index]).getValue();
  return getFormat(own);
}
