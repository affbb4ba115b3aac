//===- CommandSignature.cpp - what commands that take as long share -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CommandSignature.h"

using namespace prec::rt;
using namespace prec::run;

std::string_view prec::run::formatName(DType dtype) {
  switch (dtype) {
  case DType::f8E4M3FN:
    return "e4m3";
  case DType::f8E5M2:
    return "e5m2";
  case DType::i8: // Two of them.
    return "e2m1";
  case DType::f32:
  case DType::bf16:
  case DType::f16:
  case DType::i1:
  case DType::i32:
  case DType::i64:
  case DType::f8E8M0FNU:
    break;
  }
  return name(dtype);
}

static std::string describeBuffers(const Manifest &manifest,
                                   const std::vector<int> &buffers) {
  std::string text;
  for (int index : buffers) {
    const Buffer &buffer = manifest.buffers[static_cast<size_t>(index)];
    text += " " + std::string(name(buffer.dtype)) + formatShape(buffer.shape);
  }
  return text;
}

static std::string describeTriple(const Triple &triple) {
  std::string text;
  for (int64_t size : triple)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

static std::string describeGemm(const Gemm &gemm) {
  std::string text = " " + std::string(name(gemm.scalingA)) + " " +
                     std::string(name(gemm.accumulator)) + " " +
                     (gemm.transposeA ? "t" : "n") +
                     (gemm.transposeB ? "t" : "n");
  if (gemm.scalingB != gemm.scalingA)
    text += " " + std::string(name(gemm.scalingB));
  if (gemm.bias)
    text += " bias";
  if (gemm.c)
    text += *gemm.c == gemm.d ? " onto" : " plus";
  return text;
}

static std::string describeAttention(const Sdpa &sdpa) {
  std::string text = sdpa.causal ? " causal" : "";
  if (sdpa.window)
    text += " window " + std::to_string(*sdpa.window);
  for (const auto &[operand, view] : sdpa.views)
    text += " " + operand + formatShape(view.shape) + formatShape(view.strides);
  return text;
}

static std::string describeConv(const Conv &conv) {
  return " " + conv.direction + formatShape(conv.strides) +
         formatShape(conv.low) + formatShape(conv.high) +
         formatShape(conv.dilations) + " " + std::to_string(conv.groups);
}

std::string prec::run::describeCommand(const Manifest &manifest,
                                       const Command &command) {
  std::string text(name(command.kind));
  if (command.kind == CommandKind::gemm) {
    const Gemm &gemm = command.gemm;
    text += " " + (gemm.batch > 1 ? std::to_string(gemm.batch) + "x" : "") +
            std::to_string(gemm.m) + "x" + std::to_string(gemm.n) + "x" +
            std::to_string(gemm.k);
  }
  for (const std::string &op : command.graphOps)
    if (command.kind == CommandKind::kernel)
      text += (op == command.graphOps.front() ? " " : "+") + op;
  text += describeBuffers(manifest, command.reads) + " >" +
          describeBuffers(manifest, command.writes);
  switch (command.kind) {
  case CommandKind::kernel:
    if (command.kernel.symbol.empty())
      return text + " extent " + std::to_string(command.kernel.extent);
    return text + " grid " + describeTriple(command.kernel.grid) + " block " +
           describeTriple(command.kernel.block);
  case CommandKind::gemm:
    return text + describeGemm(command.gemm);
  case CommandKind::sdpaForward:
  case CommandKind::sdpaBackward:
    return text + describeAttention(command.sdpa);
  case CommandKind::conv:
    return text + describeConv(command.conv);
  case CommandKind::groupedGemm:
    text += command.grouped.transposeB ? " nt" : " nn";
    if (command.grouped.scaleA)
      text += " " + std::string(name(command.grouped.accumulator));
    return text;
  case CommandKind::call:
    return text + " " + command.call.function + " " + command.call.settings;
  case CommandKind::allGather:
  case CommandKind::allToAll:
  case CommandKind::ownSlice:
    return text + " " + command.collective.axis;
  case CommandKind::copy:
  case CommandKind::fill:
    return text;
  }
  return text;
}
