//===- Layers.cpp - layers in paths ---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Explain/Layers.h"

using namespace prec;
using llvm::StringRef;

std::optional<LayerPath> prec::splitLayer(StringRef path) {
  for (size_t dot = path.find('.'); dot != StringRef::npos;
       dot = path.find('.', dot + 1)) {
    StringRef rest = path.drop_front(dot + 1);
    StringRef part = rest.take_until([](char c) { return c == '.'; });
    uint32_t layer = 0;
    if (part.getAsInteger(10, layer))
      continue;
    StringRef inner = rest.drop_front(part.size());
    inner.consume_front(".");
    return LayerPath{path.take_front(dot), layer, inner};
  }
  return std::nullopt;
}
