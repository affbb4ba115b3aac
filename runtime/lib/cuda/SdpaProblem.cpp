//===- SdpaProblem.cpp - what decides a cuDNN attention plan --------------===//

#include "Sdpa.h"

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
  return std::string(backward ? "sdpa_backward" : "sdpa_forward") + " q " +
         shapeText({batch, heads, queries, dim}) + " k, v " +
         shapeText({batch, groups, keys, dim}) + " " +
         std::string(name(dtype)) + ", scale " + scaleText +
         (causal ? ", causal" : "") +
         (backward && deterministic ? ", deterministic" : "");
}

Result<SdpaProblem> SdpaProblem::of(const Command &command,
                                    const Manifest &manifest) {
  const Sdpa &sdpa = command.sdpa;
  auto buffer = [&](int index) -> const Buffer & {
    return manifest.buffers[static_cast<size_t>(index)];
  };
  const Buffer &q = buffer(sdpa.q), &k = buffer(sdpa.k);
  if (q.shape.size() != 4 || k.shape.size() != 4)
    return Status::error("attention needs q and k of rank 4, but got q " +
                         shapeText(q.shape) + " and k " + shapeText(k.shape));
  SdpaProblem problem;
  problem.backward = command.kind == CommandKind::sdpaBackward;
  problem.dtype = q.dtype;
  problem.batch = q.shape[0];
  problem.heads = q.shape[1];
  problem.queries = q.shape[2];
  problem.dim = q.shape[3];
  problem.groups = k.shape[1];
  problem.keys = k.shape[2];
  problem.scale = sdpa.scale;
  problem.causal = sdpa.causal;
  problem.deterministic = sdpa.deterministic;

  if (q.dtype != DType::bf16 && q.dtype != DType::f16)
    return Status::error("attention by cuDNN needs bf16 or f16, but got " +
                         problem.text());
  if (problem.groups == 0 || problem.heads % problem.groups != 0)
    return Status::error("attention needs query heads that are a multiple of "
                         "the key heads, but got " +
                         problem.text());
  struct Part {
    const char *name;
    int index;
    DType dtype;
    std::vector<int64_t> shape;
  };
  std::vector<int64_t> keyShape = {problem.batch, problem.groups, problem.keys,
                                   problem.dim};
  std::vector<int64_t> rows(q.shape.begin(), q.shape.begin() + 3);
  std::vector<Part> parts = {{"k", sdpa.k, q.dtype, keyShape},
                             {"v", sdpa.v, q.dtype, keyShape},
                             {"o", sdpa.o, q.dtype, q.shape},
                             {"lse", sdpa.lse, DType::f32, rows}};
  if (problem.backward)
    parts.insert(parts.end(), {{"do", sdpa.dO, q.dtype, q.shape},
                               {"dq", sdpa.dq, q.dtype, q.shape},
                               {"dk", sdpa.dk, q.dtype, keyShape},
                               {"dv", sdpa.dv, q.dtype, keyShape}});
  for (const Part &part : parts) {
    const Buffer &given = buffer(part.index);
    if (given.dtype != part.dtype || given.shape != part.shape)
      return Status::error(
          std::string("attention needs ") + part.name + " " +
          shapeText(part.shape) + " " + std::string(name(part.dtype)) +
          ", but got " + shapeText(given.shape) + " " +
          std::string(name(given.dtype)) + ": " + problem.text());
  }
  return problem;
}
