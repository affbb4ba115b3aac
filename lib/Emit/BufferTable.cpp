//===- BufferTable.cpp - the manifest's list of buffers -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Emit/BufferTable.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

StringRef prec::dtypeName(Type type) {
  return llvm::TypeSwitch<Type, StringRef>(type)
      .Case([](Float32Type) { return "f32"; })
      .Case([](BFloat16Type) { return "bf16"; })
      .Case([](Float16Type) { return "f16"; })
      .Case([](Float8E4M3FNType) { return "f8E4M3FN"; })
      .Case([](Float8E5M2Type) { return "f8E5M2"; })
      .Case([](Float8E8M0FNUType) { return "f8E8M0FNU"; })
      .Case([](IntegerType integer) {
        switch (integer.getWidth()) {
        case 1:
          return "i1";
        case 8:
          return "i8";
        case 32:
          return "i32";
        default:
          return "i64";
        }
      })
      .Default(StringRef());
}

unsigned BufferTable::add(sched::PlacementAttr placement,
                          RankedTensorType type) {
  unsigned next = buffers.size();
  return buffers.insert({{placement, type}, next}).first->second;
}

llvm::json::Array BufferTable::toJson() const {
  llvm::json::Array array;
  for (const auto &[key, index] : buffers) {
    auto [placement, type] = key;
    array.push_back(llvm::json::Object{
        {"segment", sched::stringifySegment(placement.getSegment())},
        {"offset", placement.getOffset()},
        {"dtype", dtypeName(type.getElementType())},
        {"shape", llvm::json::Array(type.getShape())}});
  }
  return array;
}
