//===- ConvProblem.cpp - what decides a cuDNN convolution plan ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conv.h"

using namespace prec::rt;

ConvProblem ConvProblem::of(const Command &command, const Manifest &manifest) {
  const Conv &conv = command.conv;
  auto buffer = [&](int index) -> const Buffer & {
    return manifest.buffers[static_cast<size_t>(index)];
  };
  const bool isForward = conv.direction == "fprop";
  const int read = isForward ? conv.x : conv.y,
            written = isForward                   ? conv.y
                      : conv.direction == "dgrad" ? conv.x
                                                  : conv.w;
  return {conv.direction, buffer(read).dtype, buffer(written).dtype,
          ConvShape(manifest, conv),
          std::max<size_t>(2, buffer(conv.x).shape.size() - 2)};
}

std::string ConvProblem::text() const {
  auto list = [&](const Spatial &of) {
    return formatShape(
        {of.end() - static_cast<std::ptrdiff_t>(dimensions), of.end()});
  };
  return "conv " + direction + " of " + std::to_string(shape.batch) + " x " +
         list(shape.sizes) + " with " + std::to_string(shape.channels) +
         " channels by " + list(shape.kernel) + " to " +
         std::to_string(shape.outputs) + ", strides " + list(shape.strides) +
         ", zeros " + list(shape.low) + " and " + list(shape.high) +
         ", dilations " + list(shape.dilations) + ", groups " +
         std::to_string(shape.groups) + ", " + std::string(name(operands)) +
         " to " + std::string(name(result));
}
