//===- SdpaProblem.cpp - what decides a cuDNN attention plan --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sdpa.h"

#include <algorithm>
#include <cstdio>

using namespace prec::rt;

static std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string SdpaProblem::text() const {
  char scaleText[40];
  std::snprintf(scaleText, sizeof(scaleText), "%.17g", scale);
  std::string stridesText;
  for (const auto &[operand, given] : strides)
    stridesText += ", strides of " + operand + " " +
                   shapeText({given.begin(), given.end()});
  std::string biasText;
  if (bias)
    biasText = ", bias " + shapeText({bias->dims.begin(), bias->dims.end()}) +
               " " + std::string(name(bias->dtype)) + " of strides " +
               shapeText({bias->strides.begin(), bias->strides.end()});
  return std::string(backward ? "sdpa_backward" : "sdpa_forward") + " q " +
         shapeText({batch, heads, queries, dim}) + " k, v " +
         shapeText({batch, groups, keys, dim}) + " " +
         std::string(name(dtype)) + ", scale " + scaleText +
         (causal ? ", causal" : "") +
         (window ? ", window " + std::to_string(*window) : "") + biasText +
         (backward && deterministic ? ", deterministic" : "") + stridesText;
}

Status SdpaProblem::add(const std::string &operand, const StridedView &view) {
  // cuDNN reads 16 bytes at once: 8 elements of 16 bits.
  constexpr int64_t piece = 8;
  bool isAligned = view.strides.size() == 4 && view.strides[3] == 1 &&
                   view.offset % piece == 0;
  for (size_t i = 0; isAligned && i < 3; ++i)
    isAligned = view.strides[i] % piece == 0;
  if (!isAligned)
    return Status::unsupported(
        "attention needs strides and offset of " + operand +
        " that are multiples of 16 bytes, and a last stride "
        "of 1, but got " +
        shapeText(view.strides) + " and " + std::to_string(view.offset) +
        " elements: " + text());
  std::copy(view.strides.begin(), view.strides.end(), strides[operand].begin());
  return Status();
}

Status SdpaProblem::addBias(const Buffer &buffer) {
  const std::vector<int64_t> &shape = buffer.shape;
  const std::array<int64_t, 4> sizes = {batch, heads, queries, keys};
  bool fits = shape.size() == 4 && shape[3] == keys &&
              (buffer.dtype == DType::f32 || buffer.dtype == DType::bf16);
  for (size_t dim = 0; fits && dim < 3; ++dim)
    fits = shape[dim] == 1 || shape[dim] == sizes[dim];
  if (!fits)
    return Status::unsupported("attention needs a bias in f32 or bf16 of " +
                               shapeText({sizes.begin(), sizes.end()}) +
                               ", where all but the last may be 1, but got " +
                               shapeText(shape) + " " +
                               std::string(name(buffer.dtype)) + ": " + text());
  bool isOneRow = shape[2] == 1 && queries > 1;
  bool isOneHead = isOneRow && shape[1] == 1;
  bias = {buffer.dtype,
          {shape[0], shape[1], queries, keys},
          {shape[1] * shape[2] * keys, isOneHead ? 0 : shape[2] * keys,
           isOneRow ? 0 : keys, 1}};
  return Status();
}

Result<SdpaProblem> SdpaProblem::of(const Command &command,
                                    const Manifest &manifest) {
  const Sdpa &sdpa = command.sdpa;
  auto buffer = [&](int index) -> const Buffer & {
    return manifest.buffers[static_cast<size_t>(index)];
  };
  const DType dtype = buffer(sdpa.q).dtype;
  const StridedView q = sdpa.viewOf(manifest, "q", sdpa.q);
  const StridedView k = sdpa.viewOf(manifest, "k", sdpa.k);
  if (q.shape.size() != 4 || k.shape.size() != 4)
    return Status::unsupported("attention needs q and k of rank 4, but got q " +
                               shapeText(q.shape) + " and k " +
                               shapeText(k.shape));
  SdpaProblem problem;
  problem.backward = command.kind == CommandKind::sdpaBackward;
  problem.dtype = dtype;
  problem.batch = q.shape[0];
  problem.heads = q.shape[1];
  problem.queries = q.shape[2];
  problem.dim = q.shape[3];
  problem.groups = k.shape[1];
  problem.keys = k.shape[2];
  problem.scale = sdpa.scale;
  problem.causal = sdpa.causal;
  problem.deterministic = sdpa.deterministic;
  problem.window = sdpa.window;

  if (dtype != DType::bf16 && dtype != DType::f16)
    return Status::unsupported(
        "attention by cuDNN needs bf16 or f16, but got " + problem.text());
  if (problem.groups == 0 || problem.heads % problem.groups != 0)
    return Status::unsupported(
        "attention needs query heads that are a multiple of "
        "the key heads, but got " +
        problem.text());
  if (sdpa.bias)
    PREC_RT_RETURN_IF_ERROR(problem.addBias(buffer(*sdpa.bias)));
  struct Part {
    const char *name;
    int index;
    DType dtype;
    std::vector<int64_t> shape;
  };
  std::vector<int64_t> keyShape = {problem.batch, problem.groups, problem.keys,
                                   problem.dim};
  std::vector<int64_t> rows(q.shape.begin(), q.shape.begin() + 3);
  std::vector<Part> parts = {{"q", sdpa.q, dtype, q.shape},
                             {"k", sdpa.k, dtype, keyShape},
                             {"v", sdpa.v, dtype, keyShape},
                             {"o", sdpa.o, dtype, q.shape},
                             {"lse", sdpa.lse, DType::f32, rows}};
  if (problem.backward)
    parts.insert(parts.end(), {{"do", sdpa.dO, dtype, q.shape},
                               {"dq", sdpa.dq, dtype, q.shape},
                               {"dk", sdpa.dk, dtype, keyShape},
                               {"dv", sdpa.dv, dtype, keyShape}});
  for (const Part &part : parts) {
    DType given = buffer(part.index).dtype;
    StridedView view = sdpa.viewOf(manifest, part.name, part.index);
    if (given != part.dtype || view.shape != part.shape)
      return Status::unsupported(
          std::string("attention needs ") + part.name + " " +
          shapeText(part.shape) + " " + std::string(name(part.dtype)) +
          ", but got " + shapeText(view.shape) + " " +
          std::string(name(given)) + ": " + problem.text());
    if (sdpa.views.count(part.name))
      PREC_RT_RETURN_IF_ERROR(problem.add(part.name, view));
  }
  return problem;
}
