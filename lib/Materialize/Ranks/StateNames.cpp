//===- StateNames.cpp - what states are called in every function ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Materialize/Ranks/StateNames.h"

#include "prec/Dialect/Train/Train.h"

using namespace mlir;
using namespace prec;

static StateName nameOf(function_ref<Attribute(StringRef)> get) {
  auto text = [&](StringRef name) {
    auto attribute = dyn_cast_if_present<StringAttr>(get(name));
    return attribute ? attribute.getValue() : StringRef();
  };
  return {text(train::kPath), text(train::kSlot)};
}

StateName prec::nameOfArgument(func::FuncOp function, unsigned index) {
  return nameOf(
      [&](StringRef name) { return function.getArgAttr(index, name); });
}

StateName prec::nameOfReturned(func::FuncOp function, unsigned index) {
  auto to = function.getResultAttrOfType<IntegerAttr>(index, train::kDonatedTo);
  return to ? nameOfArgument(function, to.getInt())
            : nameOf([&](StringRef name) {
                return function.getResultAttr(index, name);
              });
}
