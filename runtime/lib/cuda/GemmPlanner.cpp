//===- GemmPlanner.cpp - cuBLASLt plans with a measured choice ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chooses the algorithm of each GEMM by measuring. Two problems with the same
// key (sizes, formats, GPU, library version) share a plan. If the algorithm
// file has the key, its algorithm is checked and taken, so that a later run
// repeats the bits of an earlier one. Else cuBLASLt is asked for candidates;
// those whose sums depend on the order in which blocks finish, or are rounded
// in between, are dropped. The rest run in heats on random operands: one launch
// each keeps 16, three keep 5, seven decide. Those that are within a tenth of
// the fastest become rivals, which are measured again inside the step
// (GemmRivals.cpp), because a step has other clocks and caches.
//
// cuBLASLt computes column-major, modules are row-major: operands change
// places, and with them their scales (columnMajor in GemmProblem.cpp).
//
//===----------------------------------------------------------------------===//

#include "GemmPlanner.h"

#include "GemmScratch.h"

#include <algorithm>

using namespace prec::rt;

static_assert(sizeof(cublasLtMatmulAlgo_t) == sizeof(Algorithm::words),
              "the algorithm file holds cuBLASLt's algorithm bit for bit");

static void *pointer(CUdeviceptr address) {
  return reinterpret_cast<void *>(address);
}

/// Operands swap places, and so do their scales: see ColumnMajorGemm.
static Status setScales(const CublasLt &lt, const GemmPlan &plan,
                        CUdeviceptr scaleA, CUdeviceptr scaleB) {
  if (plan.problem.scalingB != Scaling::None)
    PREC_RT_RETURN_IF_ERROR(lt.set(
        plan.operation, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, pointer(scaleB)));
  if (plan.problem.scalingA != Scaling::None)
    PREC_RT_RETURN_IF_ERROR(lt.set(
        plan.operation, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, pointer(scaleA)));
  return Status();
}

static Status setBias(const CublasLt &lt, const GemmPlan &plan,
                      CUdeviceptr bias) {
  if (!plan.problem.bias)
    return Status();
  return lt.set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                pointer(bias));
}

double GemmContender::median() const {
  std::vector<double> sorted = milliseconds;
  auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

void GemmPlan::choose(const GemmContender &contender) {
  take(contender);
  milliseconds = contender.median();
  rivals.clear();
}

Algorithm GemmPlan::describeChoice() const {
  Algorithm choice;
  choice.milliseconds = milliseconds;
  choice.candidates = candidates;
  std::copy(std::begin(algorithm.data), std::end(algorithm.data),
            choice.words.begin());
  double operations =
      2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
      static_cast<double>(problem.k) * static_cast<double>(problem.batch);
  if (milliseconds > 0)
    choice.teraflops = operations / (milliseconds * 1e9);
  return choice;
}

Status GemmPlan::launch(const CublasLt &lt, CUstream stream,
                        const GemmOperands &operands, float alpha, float beta,
                        CUdeviceptr workspaceMemory) const {
  PREC_RT_RETURN_IF_ERROR(
      setScales(lt, *this, operands.scaleA, operands.scaleB));
  PREC_RT_RETURN_IF_ERROR(setBias(lt, *this, operands.bias));
  cublasStatus_t status = lt.cublasLtMatmul(
      lt.handle(), operation.get(), &alpha, pointer(operands.b), first.get(),
      pointer(operands.a), second.get(), &beta, pointer(operands.c),
      result.get(), pointer(operands.d), result.get(), &algorithm,
      pointer(workspaceMemory), workspace, stream);
  if (status == CUBLAS_STATUS_SUCCESS)
    return Status();
  return lt.check(status, "gemm " + problem.text());
}

/// Inverse scales of 1, enough for either operand, in the format of the
/// problem's.
static std::vector<unsigned char> unitScaleInvs(const GemmProblem &problem) {
  auto countOf = [&](Scaling scaling, int64_t rows) {
    int64_t count = 1;
    for (int64_t dim : scaleInvShape(scaling, rows, problem.k))
      count *= dim;
    return count;
  };
  const int64_t count = std::max(countOf(problem.scalingA, problem.m),
                                 countOf(problem.scalingB, problem.n));
  switch (traitsOf(problem.scalingA).format) {
  case ScaleFormat::F8E8M0FNU:
    return std::vector<unsigned char>(count, 0x7f);
  case ScaleFormat::F8E4M3FN:
    return std::vector<unsigned char>(count, 0x38);
  case ScaleFormat::F32:
    break;
  }
  std::vector<float> ones(count, 1);
  auto bytes = reinterpret_cast<const unsigned char *>(ones.data());
  return {bytes, bytes + ones.size() * sizeof(float)};
}

Status GemmPlanner::setUnitScales(GemmPlan &plan) {
  if (!plan.problem.isScaled())
    return Status();
  const std::vector<unsigned char> ones = unitScaleInvs(plan.problem);
  Result<DeviceMemory> memory = allocate(
      driver, static_cast<int64_t>(ones.size()), "measuring GEMM algorithms");
  if (!memory.ok())
    return memory.status();
  PREC_RT_RETURN_IF_ERROR(driver.check(
      driver.cuMemcpyHtoDAsync(memory->get(), ones.data(), ones.size(), stream),
      "uploading scales to measure with"));
  PREC_RT_RETURN_IF_ERROR(driver.check(driver.cuStreamSynchronize(stream),
                                       "uploading scales to measure with"));
  unitScale = std::move(*memory);
  return setScales(lt, plan, unitScale.get(), unitScale.get());
}

/// cuBLASLt's name of a scaling, where it has it.
static std::optional<cublasLtMatmulMatrixScale_t> scaleMode(Scaling scaling) {
  switch (scaling) {
  case Scaling::TensorCurrent:
  case Scaling::TensorDelayed:
    return CUBLASLT_MATMUL_MATRIX_SCALE_SCALAR_32F;
  case Scaling::Row:
    return CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F;
  case Scaling::Block1x128:
    return CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F;
  case Scaling::Block128x128:
    return CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F;
  case Scaling::Mx1x32:
    return CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0;
  case Scaling::Nvfp4:
    return CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3;
  default:
    return std::nullopt;
  }
}

/// Operands swap places: see ColumnMajorGemm.
Status GemmPlanner::setScaleModes(GemmPlan &plan) {
  const GemmProblem &problem = plan.problem;
  if (!problem.isFinelyScaled())
    return Status();
  for (auto [attribute, scaling] :
       {std::pair{CUBLASLT_MATMUL_DESC_A_SCALE_MODE, problem.scalingB},
        std::pair{CUBLASLT_MATMUL_DESC_B_SCALE_MODE, problem.scalingA}}) {
    std::optional<cublasLtMatmulMatrixScale_t> mode = scaleMode(scaling);
    if (!mode)
      return Status::unsupported(
          "a gemm must have scales that cuBLASLt has, but got " +
          std::string(name(scaling)) + ": " + problem.text());
    PREC_RT_RETURN_IF_ERROR(
        lt.set(plan.operation, attribute, static_cast<int32_t>(*mode)));
  }
  return Status();
}

/// Our columns are the rows of the result that cuBLASLt computes, each of which
/// takes one element of its bias: see ColumnMajorGemm.
Status GemmPlanner::setEpilogue(GemmPlan &plan) {
  const GemmProblem &problem = plan.problem;
  if (!problem.bias)
    return Status();
  PREC_RT_RETURN_IF_ERROR(
      lt.set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
             static_cast<uint32_t>(CUBLASLT_EPILOGUE_BIAS)));
  Result<cudaDataType_t> type = cudaType(*problem.bias);
  if (!type.ok())
    return type.status();
  PREC_RT_RETURN_IF_ERROR(lt.set(plan.operation,
                                 CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
                                 static_cast<int32_t>(*type)));
  // Who looks for algorithms learns the alignment of biases from the address,
  // and reads nothing there; each launch sets its own.
  return setBias(lt, plan, static_cast<CUdeviceptr>(problem.alignment));
}

Status GemmPlanner::describe(GemmPlan &plan) {
  const GemmProblem &problem = plan.problem;
  ColumnMajorGemm gemm = columnMajor(problem);

  // CUBLAS_COMPUTE_32F keeps f32 operands f32: TF32 is another compute type.
  Result<CublasLtDescriptor> operation =
      lt.createDescriptor(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  if (!operation.ok())
    return operation.status();
  plan.operation = std::move(*operation);
  auto op = [](const ColumnMajorOperand &operand) -> int32_t {
    return operand.transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  PREC_RT_RETURN_IF_ERROR(
      lt.set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSA, op(gemm.first)));
  PREC_RT_RETURN_IF_ERROR(
      lt.set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSB, op(gemm.second)));
  if (problem.isFp8()) {
    int8_t fast = problem.accumulator == Accumulator::fast;
    PREC_RT_RETURN_IF_ERROR(
        lt.set(plan.operation, CUBLASLT_MATMUL_DESC_FAST_ACCUM, fast));
  }
  // Scales are part of the operation that cuBLASLt is asked about; each launch
  // sets its own.
  PREC_RT_RETURN_IF_ERROR(setScaleModes(plan));
  PREC_RT_RETURN_IF_ERROR(setUnitScales(plan));
  PREC_RT_RETURN_IF_ERROR(setEpilogue(plan));

  struct Part {
    CublasLtLayout &layout;
    const ColumnMajorOperand &operand;
    DType dtype;
  };
  Part parts[] = {{plan.first, gemm.first, problem.b},
                  {plan.second, gemm.second, problem.a},
                  {plan.result, gemm.result, problem.d}};
  for (Part &part : parts) {
    const ColumnMajorOperand &operand = part.operand;
    Result<CublasLtLayout> layout = lt.createLayout(
        part.dtype, operand.rows, operand.columns, operand.leadingDimension,
        problem.batch, operand.stride);
    if (!layout.ok())
      return layout.status();
    part.layout = std::move(*layout);
  }
  return Status();
}

Result<GemmPlan> GemmPlanner::plan(const GemmProblem &problem) {
  GemmPlan plan{problem,
                CublasLtDescriptor(nullptr, nullptr),
                CublasLtLayout(nullptr, nullptr),
                CublasLtLayout(nullptr, nullptr),
                CublasLtLayout(nullptr, nullptr),
                {}};
  PREC_RT_RETURN_IF_ERROR(describe(plan));
  std::string key = problem.key(gpu.name, lt.version());
  if (const Algorithm *known = file.find(key)) {
    PREC_RT_RETURN_IF_ERROR(takeFromFile(plan, key, *known));
    return plan;
  }
  PREC_RT_RETURN_IF_ERROR(chooseFastest(plan));
  if (plan.rivals.size() > 1 && !isFinal)
    return plan;
  plan.choose(GemmContender(plan.rivals.front()));
  file.insert(key, plan.describeChoice());
  return plan;
}

Status GemmPlanner::takeFromFile(GemmPlan &plan, const std::string &key,
                                 const Algorithm &known) const {
  std::copy(known.words.begin(), known.words.end(), plan.algorithm.data);
  plan.milliseconds = known.milliseconds;
  plan.candidates = known.candidates;
  cublasLtMatmulHeuristicResult_t result{};
  cublasStatus_t status = lt.cublasLtMatmulAlgoCheck(
      lt.handle(), plan.operation.get(), plan.first.get(), plan.second.get(),
      plan.result.get(), plan.result.get(), &plan.algorithm, &result);
  if (status == CUBLAS_STATUS_SUCCESS)
    status = result.state;
  Status checked =
      lt.check(status, "the algorithm for '" + key + "' must serve its gemm");
  if (checked.ok() && result.workspaceSize > maxWorkspace)
    checked = Status::badFile(
        "the algorithm for '" + key + "' must need at most " +
        std::to_string(maxWorkspace) + " bytes of workspace, but got " +
        std::to_string(result.workspaceSize));
  if (!checked.ok())
    return checked.prefixed("algorithm file " + file.path() + ": ");
  plan.workspace = result.workspaceSize;
  return Status();
}

Result<std::vector<cublasLtMatmulHeuristicResult_t>>
GemmPlanner::candidates(const GemmPlan &plan) const {
  Result<CublasLtPreference> preference = lt.createPreference();
  if (!preference.ok())
    return preference.status();
  PREC_RT_RETURN_IF_ERROR(lt.set(
      *preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, maxWorkspace));
  // Split-K in place lets its parts race for the turn, and partial sums in the
  // output's format would round where the module states no rounding.
  uint32_t reductions =
      CUBLASLT_REDUCTION_SCHEME_NONE | CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  PREC_RT_RETURN_IF_ERROR(lt.set(
      *preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, reductions));
  uint32_t alignment = static_cast<uint32_t>(plan.problem.alignment);
  for (auto attribute : {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES,
                         CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
                         CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES,
                         CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    PREC_RT_RETURN_IF_ERROR(lt.set(*preference, attribute, alignment));

  std::vector<cublasLtMatmulHeuristicResult_t> results(maxCandidates);
  int found = 0;
  cublasStatus_t status = lt.cublasLtMatmulAlgoGetHeuristic(
      lt.handle(), plan.operation.get(), plan.first.get(), plan.second.get(),
      plan.result.get(), plan.result.get(), preference->get(),
      static_cast<int>(results.size()), results.data(), &found);
  PREC_RT_RETURN_IF_ERROR(lt.check(
      status, "cuBLASLt has no algorithm for gemm " + plan.problem.text()));
  results.resize(static_cast<size_t>(found));
  return results;
}

Result<bool>
GemmPlanner::isReproducible(const cublasLtMatmulAlgo_t &algorithm) const {
  int32_t splits = 1;
  uint32_t reduction = 0;
  PREC_RT_RETURN_IF_ERROR(lt.get(algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM,
                                 "number of splits", splits));
  PREC_RT_RETURN_IF_ERROR(lt.get(algorithm,
                                 CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME,
                                 "reduction scheme", reduction));
  return splits == 1 || reduction == CUBLASLT_REDUCTION_SCHEME_NONE ||
         reduction == CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
}

Result<std::vector<GemmContender>>
GemmPlanner::findContenders(const GemmPlan &plan) const {
  Result<std::vector<cublasLtMatmulHeuristicResult_t>> results =
      candidates(plan);
  if (!results.ok())
    return results.status();
  std::vector<GemmContender> contenders;
  for (const cublasLtMatmulHeuristicResult_t &candidate : *results) {
    if (candidate.state != CUBLAS_STATUS_SUCCESS)
      continue;
    Result<bool> reproducible = isReproducible(candidate.algo);
    if (!reproducible.ok())
      return reproducible.status();
    if (*reproducible)
      contenders.push_back({candidate.algo, candidate.workspaceSize, {}});
  }
  if (contenders.empty())
    return Status::unsupported(
        "a gemm must have a reproducible cuBLASLt algorithm, "
        "but got none of " +
        std::to_string(results->size()) + " from cuBLASLt " + lt.version() +
        ": " + plan.problem.text());
  return contenders;
}

Status GemmPlanner::chooseFastest(GemmPlan &plan) const {
  struct Heat {
    int rounds;
    size_t survivors;
  };
  // One launch tells those apart that are far off.
  constexpr Heat heats[] = {{1, 16}, {3, 5}, {7, 5}};
  // What clocks, power and caches of a whole step may make up for.
  constexpr double tie = 1.1;
  Result<GemmScratch> scratch =
      GemmScratch::create(driver, stream, plan.problem, gpu.cacheBytes);
  if (!scratch.ok())
    return scratch.status();
  Result<std::vector<GemmContender>> contenders = findContenders(plan);
  if (!contenders.ok())
    return contenders.status();
  plan.candidates = static_cast<int64_t>(contenders->size());
  Status refusal;
  for (const Heat &heat : heats) {
    const bool isFinal = &heat == std::end(heats) - 1;
    if (!isFinal && contenders->size() <= heat.survivors)
      continue;
    PREC_RT_RETURN_IF_ERROR(scratch->race(driver, lt, stream, plan,
                                          unitScale.get(), heat.rounds,
                                          *contenders, refusal));
    if (contenders->empty())
      return refusal;
    std::stable_sort(contenders->begin(), contenders->end(),
                     [](const GemmContender &x, const GemmContender &y) {
                       return x.median() < y.median();
                     });
    contenders->resize(std::min(contenders->size(), heat.survivors));
  }

  const double limit = tie * contenders->front().median();
  for (GemmContender &contender : *contenders)
    if (contender.median() <= limit)
      plan.rivals.push_back(std::move(contender));
  plan.take(plan.rivals.front());
  plan.milliseconds = plan.rivals.front().median();
  return Status();
}
