//===- SchedDialect.cpp - the sched dialect -------------------------------===//
#include "prec/Dialect/Sched/Sched.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sched;

#include "prec/Dialect/Sched/SchedDialect.cpp.inc"
#include "prec/Dialect/Sched/SchedEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "prec/Dialect/Sched/SchedAttrs.cpp.inc"

void SchedDialect::initialize() {
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
