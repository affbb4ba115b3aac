//===- GemmScratch.cpp - operands to measure GEMM algorithms on -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The measurements of GEMM algorithms. Operands are random values between 1/8
// and 2: no zeros, nothing subnormal or near overflow. Before each launch as
// much memory is cleared as the second cache holds (at most the workspace), so
// that no operand comes from there. `race` launches every algorithm once to
// warm up and to drop those that fail, then all of them in turn, round after
// round, so that a slow moment of the GPU hits all. Each launch lies between
// two events.
//
//===----------------------------------------------------------------------===//

#include "GemmScratch.h"

#include "DTypeLayout.h"
#include "NormalDeviate.h"

#include <algorithm>

using namespace prec::rt;

/// A pattern of `dtype` with random sign and mantissa and a magnitude between
/// 1/8 and 2: no zeros, no denormals, nothing near overflow. Zero where the
/// dtype is no float of that kind.
static uint32_t randomPattern(DType dtype, uint64_t bits) {
  const FloatLayout *layout = findLayout(dtype);
  if (!layout)
    return 0;
  uint32_t exponent = static_cast<uint32_t>(layout->bias()) - 3 + (bits & 3);
  uint32_t sign = (bits >> 2) & 1;
  uint32_t mantissa = (bits >> 8) & ((1u << layout->mantissaBits) - 1);
  return (((sign << layout->exponentBits) | exponent) << layout->mantissaBits) |
         mantissa;
}

/// Allocates `elements` and fills them: a tile from the host, then doubled.
static Result<DeviceMemory> allocateRandom(const CudaDriver &driver,
                                           CUstream stream, DType dtype,
                                           int64_t elements, uint64_t seed) {
  size_t width = static_cast<size_t>(byteSize(dtype));
  size_t bytes = static_cast<size_t>(elements) * width;
  Result<DeviceMemory> memory = allocate(driver, static_cast<int64_t>(bytes),
                                         "measuring GEMM algorithms");
  if (!memory.ok())
    return memory;
  size_t filled = std::min(bytes, size_t(1) << 20);
  std::vector<unsigned char> tile(filled);
  for (size_t i = 0; i < filled / width; ++i) {
    uint32_t value = randomPattern(dtype, splitMix64(seed, i));
    for (size_t byte = 0; byte < width; ++byte)
      tile[i * width + byte] = static_cast<unsigned char>(value >> (8 * byte));
  }
  CUdeviceptr base = memory->get();
  PREC_RT_RETURN_IF_ERROR(
      driver.check(driver.cuMemcpyHtoDAsync(base, tile.data(), filled, stream),
                   "uploading values to measure with"));
  for (; filled < bytes; filled *= 2)
    PREC_RT_RETURN_IF_ERROR(driver.check(
        driver.cuMemcpyDtoDAsync(base + filled, base,
                                 std::min(filled, bytes - filled), stream),
        "copying values to measure with"));
  // The tile must outlive its upload.
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuStreamSynchronize(stream),
                                       "filling memory to measure with"));
  return memory;
}

/// Elements from the first of the first batch to the last of the last.
static int64_t span(const GemmProblem &problem, int64_t rows, int64_t columns,
                    int64_t stride) {
  return rows * columns + (problem.batch - 1) * stride;
}

Result<GemmScratch> GemmScratch::create(const CudaDriver &driver,
                                        CUstream stream, const GemmProblem &p,
                                        int64_t cacheBytes) {
  GemmScratch scratch;
  scratch.problem = p;
  scratch.evictedBytes =
      std::min(static_cast<uint64_t>(cacheBytes), GemmPlanner::maxWorkspace);
  int64_t results = span(p, p.m, p.n, p.strideD);
  struct Part {
    DeviceMemory &memory;
    DType dtype;
    int64_t elements;
    bool needed;
  };
  Part parts[] = {
      {scratch.a, p.a, span(p, p.m, p.k, p.strideA), true},
      {scratch.b, p.b, span(p, p.k, p.n, p.strideB), true},
      {scratch.d, p.d, results, true},
      {scratch.c, p.d, results, p.addsC && !p.inPlace},
      {scratch.bias, p.bias.value_or(p.d), p.n, p.bias.has_value()},
  };
  uint64_t seed = 0;
  for (Part &part : parts) {
    if (!part.needed)
      continue;
    Result<DeviceMemory> memory =
        allocateRandom(driver, stream, part.dtype, part.elements, ++seed);
    if (!memory.ok())
      return memory.status();
    part.memory = std::move(*memory);
  }
  Result<DeviceMemory> workspace =
      allocate(driver, GemmPlanner::maxWorkspace, "measuring GEMM algorithms");
  if (!workspace.ok())
    return workspace.status();
  scratch.workspaceMemory = std::move(*workspace);
  return scratch;
}

namespace {

/// The events around a launch.
struct Lap {
  CudaEvent begin, end;
  bool isLaunched = false;
};

} // namespace

static Status createLaps(const CudaDriver &driver, std::vector<Lap> &laps) {
  for (Lap &lap : laps)
    for (CudaEvent *event : {&lap.begin, &lap.end}) {
      Result<CudaEvent> created = createEvent(driver);
      if (!created.ok())
        return created.status();
      *event = std::move(*created);
    }
  return Status();
}

Status GemmScratch::race(const CudaDriver &driver, const CublasLt &lt,
                         CUstream stream, GemmPlan &plan, CUdeviceptr unitScale,
                         int rounds, std::vector<GemmContender> &contenders,
                         Status &refusal) const {
  GemmOperands operands{a.get(),   b.get(),   c ? c.get() : d.get(),
                        d.get(),   unitScale, unitScale,
                        bias.get()};
  // Added in place, D would grow at every launch: 1/2 keeps it bounded.
  const float beta = problem.addsC ? 0.5f : 0.0f;
  std::vector<Lap> laps(contenders.size());
  PREC_RT_RETURN_IF_ERROR(createLaps(driver, laps));
  auto check = [&](CUresult result) {
    return driver.check(result, "timing a GEMM");
  };
  auto launch = [&](const GemmContender &contender, Lap &lap) -> Status {
    plan.take(contender);
    if (evictedBytes)
      PREC_RT_RETURN_IF_ERROR(check(driver.cuMemsetD8Async(
          workspaceMemory.get(), 0, evictedBytes, stream)));
    PREC_RT_RETURN_IF_ERROR(
        check(driver.cuEventRecord(lap.begin.get(), stream)));
    Status launched =
        plan.launch(lt, stream, operands, 1.0f, beta, workspaceMemory.get());
    lap.isLaunched = launched.ok();
    if (!launched.ok())
      refusal = launched;
    return check(driver.cuEventRecord(lap.end.get(), stream));
  };
  auto runRound = [&]() -> Status {
    for (size_t i = 0; i < contenders.size(); ++i)
      PREC_RT_RETURN_IF_ERROR(launch(contenders[i], laps[i]));
    return check(driver.cuStreamSynchronize(stream));
  };
  PREC_RT_RETURN_IF_ERROR(runRound());
  // A heuristic may err.
  std::vector<GemmContender> launched;
  for (size_t i = 0; i < contenders.size(); ++i)
    if (laps[i].isLaunched)
      launched.push_back(std::move(contenders[i]));
  contenders = std::move(launched);
  for (int round = 0; round < rounds; ++round) {
    PREC_RT_RETURN_IF_ERROR(runRound());
    for (size_t i = 0; i < contenders.size(); ++i) {
      // It ran before: there is no time of this launch to go by.
      if (!laps[i].isLaunched)
        return refusal;
      float milliseconds = 0;
      PREC_RT_RETURN_IF_ERROR(check(driver.cuEventElapsedTime(
          &milliseconds, laps[i].begin.get(), laps[i].end.get())));
      contenders[i].milliseconds.push_back(static_cast<double>(milliseconds));
    }
  }
  return Status();
}
