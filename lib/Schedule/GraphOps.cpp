//===- GraphOps.cpp - which operation of the graph it was -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Schedule/GraphOps.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace prec;

Location prec::getPrimitiveLoc(Operation *composite) {
  Location location = composite->getLoc();
  auto name = dyn_cast<NameLoc>(location);
  Location part = FusedLoc::get(
      composite->getContext(), {name ? name.getChildLoc() : location},
      StringAttr::get(composite->getContext(), getGraphOp(composite)));
  return name ? Location(NameLoc::get(name.getName(), part)) : part;
}

StringRef prec::getGraphOp(Operation *op) {
  LocationAttr location = op->getLoc();
  if (auto name = dyn_cast<NameLoc>(location))
    location = name.getChildLoc();
  if (auto part = dyn_cast<FusedLoc>(location))
    if (auto composite = dyn_cast_if_present<StringAttr>(part.getMetadata()))
      return composite.getValue();
  return op->getName().stripDialect();
}
