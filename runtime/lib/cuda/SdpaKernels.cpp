//===- SdpaKernels.cpp - gradients of attention by kernels ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SdpaKernels.h"

using namespace prec::rt;

/// What the kernels copy at once; elements of 16 bits, of which 64 are a row of
/// 128 bytes.
static constexpr cuuint32_t boxRows = 64, boxColumns = 64;
/// That the queries of a head are rounded up to.
static constexpr int64_t statisticRows = 128;

int64_t prec::rt::sdpaStatisticBytes(const SdpaProblem &problem) {
  int64_t rows =
      (problem.queries + statisticRows - 1) / statisticRows * statisticRows;
  return 2 * problem.batch * problem.heads * rows *
         static_cast<int64_t>(sizeof(float));
}

/// Of [batch, heads, rows, dim] at an address.
static Status encode(const CudaDriver &driver, const SdpaProblem &problem,
                     const char *operand, CUdeviceptr address, int64_t heads,
                     int64_t rows, CUtensorMap &map) {
  std::array<int64_t, 4> strides{heads * rows * problem.dim, rows * problem.dim,
                                 problem.dim, 1};
  auto given = problem.strides.find(operand);
  if (given != problem.strides.end())
    strides = given->second;
  auto bytes = [&](int64_t stride) {
    return static_cast<cuuint64_t>(stride * byteSize(problem.dtype));
  };
  const cuuint64_t extents[] = {
      static_cast<cuuint64_t>(problem.dim), static_cast<cuuint64_t>(rows),
      static_cast<cuuint64_t>(heads), static_cast<cuuint64_t>(problem.batch)};
  const cuuint64_t steps[] = {bytes(strides[2]), bytes(strides[1]),
                              bytes(strides[0])};
  const cuuint32_t box[] = {boxColumns, boxRows, 1, 1}, every[] = {1, 1, 1, 1};
  return driver.check(
      driver.cuTensorMapEncodeTiled(
          &map,
          problem.dtype == DType::bf16 ? CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
                                       : CU_TENSOR_MAP_DATA_TYPE_FLOAT16,
          4, reinterpret_cast<void *>(address), extents, steps, box, every,
          CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
          CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
      std::string("describing ") + operand + " of " + problem.text());
}

Status prec::rt::launchSdpaKernels(const CudaDriver &driver,
                                   const CudaKernels &kernels, CUstream stream,
                                   const std::vector<Kernel> &launches,
                                   const SdpaProblem &problem,
                                   SdpaOperands operands,
                                   CUdeviceptr workspace) {
  std::array<CUtensorMap, 4> maps;
  struct Operand {
    const char *name;
    CUdeviceptr address;
    int64_t heads, rows;
  };
  const Operand copied[] = {
      {"q", operands.q, problem.heads, problem.queries},
      {"k", operands.k, problem.groups, problem.keys},
      {"v", operands.v, problem.groups, problem.keys},
      {"do", operands.dO, problem.heads, problem.queries}};
  std::vector<void *> arguments;
  for (size_t i = 0; i < maps.size(); ++i) {
    PREC_RT_RETURN_IF_ERROR(encode(driver, problem, copied[i].name,
                                   copied[i].address, copied[i].heads,
                                   copied[i].rows, maps[i]));
    arguments.push_back(&maps[i]);
  }
  for (CUdeviceptr *pointer : {&operands.o, &operands.lse, &workspace,
                               &operands.dq, &operands.dk, &operands.dv})
    arguments.push_back(pointer);
  for (const Kernel &kernel : launches)
    PREC_RT_RETURN_IF_ERROR(kernels.launch(driver, stream, kernel, arguments));
  return Status();
}
