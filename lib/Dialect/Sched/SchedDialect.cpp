//===- SchedDialect.cpp - the prec_sched dialect --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dialect/DialectVersion.h"
#include "Dialect/ValueInliner.h"
#include "prec/Dialect/Sched/Sched.h"

#include "mlir/IR/Builders.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec::sched;

#include "prec/Dialect/Sched/SchedDialect.cpp.inc"
#include "prec/Dialect/Sched/SchedEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Sched/SchedAttrs.cpp.inc"

void SchedDialect::initialize() {
  addInterfaces<prec::ValueInliner, prec::VersionedDialect>();
  addOperations<
#define GET_OP_LIST
#include "prec/Dialect/Sched/SchedOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "prec/Dialect/Sched/SchedAttrs.cpp.inc"
      >();
}

LogicalResult
PlacementAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                      Segment, int64_t offset) {
  // placement_c1
  if (offset < 0)
    return emitError() << "offset must not be negative, but got " << offset;
  return success();
}

LogicalResult
LaunchAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   int64_t extent, ArrayRef<int64_t> grid,
                   ArrayRef<int64_t> block, int64_t shared) {
  // launch_c1
  if (extent < 0 || shared < 0)
    return emitError() << "extent and shared must not be negative, but got "
                       << extent << " and " << shared;
  if (grid.empty() && block.empty())
    return success();
  auto isSize = [](ArrayRef<int64_t> size) {
    return size.size() == 3 &&
           llvm::all_of(size, [](int64_t n) { return n > 0; });
  };
  // launch_c2
  if (!isSize(grid) || !isSize(block)) {
    auto diagnostic = emitError() << "grid and block must be three positive "
                                     "numbers each, but got [";
    llvm::interleaveComma(grid, diagnostic);
    diagnostic << "] and [";
    llvm::interleaveComma(block, diagnostic);
    return diagnostic << "]";
  }
  return success();
}

LogicalResult
ViewAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                 ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                 int64_t offset) {
  auto isPositive = [](int64_t n) { return n > 0; };
  // view_c1
  if (shape.empty() || shape.size() != strides.size())
    return emitError() << "a view must have dimensions and a stride for each, "
                          "but got "
                       << shape.size() << " and " << strides.size();
  // view_c2
  if (!llvm::all_of(shape, isPositive) || !llvm::all_of(strides, isPositive) ||
      strides.back() != 1 || offset < 0) {
    auto diagnostic = emitError() << "a view must have positive sizes and "
                                     "strides, the last of 1, and an offset "
                                     "that is not negative, but got [";
    llvm::interleaveComma(shape, diagnostic);
    diagnostic << "], [";
    llvm::interleaveComma(strides, diagnostic);
    return diagnostic << "] and " << offset;
  }
  return success();
}

ViewAttr ViewAttr::getWhole(RankedTensorType type) {
  return get(type.getContext(), type.getShape(),
             computeSuffixProduct(type.getShape()), 0);
}

int64_t ViewAttr::getLast() {
  int64_t last = getOffset();
  for (auto [size, stride] : llvm::zip_equal(getShape(), getStrides()))
    last += (size - 1) * stride;
  return last;
}

bool ViewAttr::isPermutation() {
  SmallVector<std::pair<int64_t, int64_t>> dims; // stride and size
  for (auto [size, stride] : llvm::zip_equal(getShape(), getStrides()))
    if (size > 1)
      dims.push_back({stride, size});
  llvm::sort(dims);
  int64_t elements = 1;
  for (auto [stride, size] : dims) {
    if (stride != elements)
      return false;
    elements *= size;
  }
  return getOffset() == 0;
}

Attribute LaunchAttr::parse(AsmParser &parser, Type) {
  SMLoc start = parser.getCurrentLocation();
  int64_t extent = 0, shared = 0;
  SmallVector<int64_t> grid, block;
  auto parseField = [&]() -> ParseResult {
    StringRef name;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    if (name == "extent" || name == "shared")
      return parser.parseInteger(name == "extent" ? extent : shared);
    // launch_c3
    if (name != "grid" && name != "block")
      return parser.emitError(loc, "a launch has extent, grid, block and "
                                   "shared, but got '")
             << name << "'";
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
      return parser.parseInteger(
          (name == "grid" ? grid : block).emplace_back());
    });
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return parser.getChecked<LaunchAttr>(start, parser.getContext(), extent, grid,
                                       block, shared);
}

void LaunchAttr::print(AsmPrinter &printer) const {
  const char *separator = "";
  auto field = [&](StringRef name) -> raw_ostream & {
    printer.getStream() << separator << name << " = ";
    separator = ", ";
    return printer.getStream();
  };
  printer << "<";
  if (getExtent())
    field("extent") << getExtent();
  if (!getGrid().empty())
    llvm::interleaveComma(getGrid(), field("grid") << "[");
  if (!getGrid().empty())
    printer << "]";
  if (!getBlock().empty())
    llvm::interleaveComma(getBlock(), field("block") << "[");
  if (!getBlock().empty())
    printer << "]";
  if (getShared())
    field("shared") << getShared();
  printer << ">";
}
