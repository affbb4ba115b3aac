//===- CudaGroupedRules.cpp - products of groups of rows ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kernel of a grouped product is the module's own. It finds the groups on
// the device, so nothing here depends on how many rows they have. Where it
// copies by tensor maps, these describe both operands as matrices one behind
// the other.
//
//===----------------------------------------------------------------------===//

#include "CudaRules.h"

#include <array>

using namespace prec::rt;

/// What kernels copy at once.
static constexpr int64_t boxRows = 64, boxBytes = 128;

template <>
Status CudaRules<CommandKind::groupedGemm>::plan(CudaWork &, const Command &) {
  return {};
}

static CUtensorMapDataType mapTypeOf(DType dtype) {
  switch (dtype) {
  case DType::bf16:
    return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  case DType::f16:
    return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  default:
    // Nothing is computed on the way.
    return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

/// Of an operand, [rows, columns] or [matrices, rows, columns].
static Status encode(const CudaWork &work, const Command &command,
                     const char *operand, int index, CUtensorMap &map) {
  const Buffer &buffer = work.buffer(index);
  const std::vector<int64_t> &shape = buffer.shape;
  const int64_t bytes = byteSize(buffer.dtype);
  auto size = [](int64_t count) { return static_cast<cuuint64_t>(count); };
  const int64_t columns = shape.back(), rows = shape[shape.size() - 2],
                matrices = shape.size() == 3 ? shape[0] : 1;
  const cuuint64_t extents[] = {size(columns), size(rows), size(matrices), 1};
  const cuuint64_t steps[] = {size(columns * bytes),
                              size(rows * columns * bytes),
                              size(matrices * rows * columns * bytes)};
  const cuuint32_t box[] = {static_cast<cuuint32_t>(boxBytes / bytes),
                            static_cast<cuuint32_t>(boxRows), 1, 1},
                   every[] = {1, 1, 1, 1};
  return work.driver.check(
      work.driver.cuTensorMapEncodeTiled(
          &map, mapTypeOf(buffer.dtype), 4,
          reinterpret_cast<void *>(work.address(index)), extents, steps, box,
          every, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      std::string("describing ") + operand + " of '" + command.name + "'");
}

template <>
Status CudaRules<CommandKind::groupedGemm>::launch(CudaWork &work,
                                                   const Command &command) {
  const Grouped &grouped = command.grouped;
  std::array<CUtensorMap, 2> maps;
  std::vector<void *> arguments;
  if (grouped.readsMaps) {
    PREC_RT_RETURN_IF_ERROR(encode(work, command, "a", grouped.a, maps[0]));
    PREC_RT_RETURN_IF_ERROR(encode(work, command, "b", grouped.b, maps[1]));
    for (CUtensorMap &map : maps)
      arguments.push_back(&map);
  }
  std::vector<CUdeviceptr> pointers;
  for (int buffer : {grouped.a, grouped.b, grouped.ends, grouped.d})
    pointers.push_back(work.address(buffer));
  if (grouped.scaleA && grouped.scaleB) {
    pointers.push_back(work.address(*grouped.scaleA));
    pointers.push_back(work.address(*grouped.scaleB));
  }
  for (CUdeviceptr &pointer : pointers)
    arguments.push_back(&pointer);
  return work.kernels.launch(work.driver, work.stream, command.kernel,
                             arguments);
}

template <>
Result<std::optional<Engine>>
CudaRules<CommandKind::groupedGemm>::engine(CudaWork &, const Command &) {
  return std::optional<Engine>();
}
