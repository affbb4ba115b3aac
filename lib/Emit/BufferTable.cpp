//===- BufferTable.cpp - the manifest's list of buffers -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Emit/BufferTable.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

rt::DType prec::getDType(Type type) {
  return llvm::TypeSwitch<Type, rt::DType>(type)
      .Case([](Float32Type) { return rt::DType::f32; })
      .Case([](BFloat16Type) { return rt::DType::bf16; })
      .Case([](Float16Type) { return rt::DType::f16; })
      .Case([](Float8E4M3FNType) { return rt::DType::f8E4M3FN; })
      .Case([](Float8E5M2Type) { return rt::DType::f8E5M2; })
      .Case([](Float8E8M0FNUType) { return rt::DType::f8E8M0FNU; })
      .Case([](IntegerType integer) {
        switch (integer.getWidth()) {
        case 1:
          return rt::DType::i1;
        case 8:
          return rt::DType::i8;
        case 32:
          return rt::DType::i32;
        default:
          return rt::DType::i64;
        }
      });
}

unsigned BufferTable::add(sched::PlacementAttr placement,
                          RankedTensorType type) {
  unsigned next = buffers.size();
  return buffers.insert({{placement, type}, next}).first->second;
}

std::vector<rt::Buffer> BufferTable::list() const {
  std::vector<rt::Buffer> list;
  for (const auto &[key, index] : buffers) {
    auto [placement, type] = key;
    rt::Buffer buffer;
    buffer.segment = static_cast<rt::Segment>(placement.getSegment());
    buffer.offset = placement.getOffset();
    buffer.dtype = getDType(type.getElementType());
    buffer.shape = type.getShape().vec();
    list.push_back(std::move(buffer));
  }
  return list;
}
