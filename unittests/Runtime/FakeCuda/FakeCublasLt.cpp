//===- FakeCublasLt.cpp - a stand-in for libcublasLt.so.13 ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Multiplies column by column as the real one does, from the descriptors
// alone, so that a wrong transpose, leading dimension or scale gives a wrong
// product. Algorithm 1 is the fastest and not reproducible, 3 is faster than
// 2, 4 fails when launched, 5 and up are for results of 56 rows alone, where 40
// is the fastest.
//
//===----------------------------------------------------------------------===//

#include "FakeDriver.h"
#include "FloatConvert.h"

#include <cublasLt.h>

#include <cstring>
#include <vector>

namespace {
struct Operation {
  int32_t transposeA, transposeB;
  const void *scaleA, *scaleB;
  int32_t modeA, modeB;
  int8_t fast;
  uint32_t epilogue;
  const void *bias;
  int32_t biasType;
};
struct Layout {
  cudaDataType_t type;
  uint64_t rows, columns;
  int64_t leadingDimension, stride;
  int32_t batch;
};
static_assert(sizeof(Operation) <= sizeof(cublasLtMatmulDescOpaque_t));
static_assert(sizeof(Layout) <= sizeof(cublasLtMatrixLayoutOpaque_t));

prec::rt::DType dtypeOf(cudaDataType_t type) {
  using prec::rt::DType;
  switch (type) {
  case CUDA_R_16BF:
    return DType::bf16;
  case CUDA_R_16F:
    return DType::f16;
  case CUDA_R_8F_E4M3:
    return DType::f8E4M3FN;
  case CUDA_R_8F_E5M2:
    return DType::f8E5M2;
  default:
    return DType::f32;
  }
}

/// One matrix of a batch, in f32.
class Matrix {
public:
  Matrix(const void *memory, const Layout &layout, int64_t batch)
      : leadingDimension(layout.leadingDimension),
        values(static_cast<size_t>(layout.leadingDimension *
                                   static_cast<int64_t>(layout.columns))) {
    prec::rt::DType dtype = dtypeOf(layout.type);
    prec::rt::toFloat(dtype,
                      static_cast<const char *>(memory) +
                          batch * layout.stride * prec::rt::byteSize(dtype),
                      values.data(), static_cast<int64_t>(values.size()));
  }
  float &at(int64_t row, int64_t column) {
    return values[static_cast<size_t>(row + column * leadingDimension)];
  }
  void store(void *memory, const Layout &layout, int64_t batch) const {
    prec::rt::DType dtype = dtypeOf(layout.type);
    prec::rt::fromFloat(dtype, values.data(),
                        static_cast<char *>(memory) +
                            batch * layout.stride * prec::rt::byteSize(dtype),
                        static_cast<int64_t>(values.size()));
  }

private:
  int64_t leadingDimension;
  std::vector<float> values;
};

/// Of 32 k: tiles of 128 rows and 4 blocks, in which row r is the quarter
/// r / 32 of a line of 16 bytes.
float microScaleInvOf(const void *scaleInvs, int64_t inner, int64_t row,
                      int64_t k) {
  int64_t tiles = (inner + 127) / 128, inTile = row % 128;
  int64_t tile = row / 128 * tiles + k / 128;
  int64_t index = tile * 512 + inTile % 32 * 16 + inTile / 32 * 4 + k / 32 % 4;
  float scaleInv;
  prec::rt::toFloat(prec::rt::DType::f8E8M0FNU,
                    static_cast<const char *>(scaleInvs) + index, &scaleInv, 1);
  return scaleInv;
}

/// Of the element at `row`, `k` of an operand [rows, inner].
float scaleInvOf(const void *memory, int32_t mode, uint64_t rows, int64_t inner,
                 int64_t row, int64_t k) {
  if (!memory)
    return 1;
  const float *scaleInvs = static_cast<const float *>(memory);
  int64_t groups = (inner + 511) / 512;
  switch (mode) {
  case CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0:
    return microScaleInvOf(memory, inner, row, k);
  case CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F:
    return scaleInvs[row];
  case CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F:
    return scaleInvs[k / 128 * static_cast<int64_t>(rows) + row];
  case CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F:
    return scaleInvs[row / 128 * groups * 4 + k / 128];
  default:
    return *scaleInvs;
  }
}

/// One element for each row of the column-major result.
float biasOf(const Operation &op, int64_t row) {
  if (op.epilogue != CUBLASLT_EPILOGUE_BIAS)
    return 0;
  prec::rt::DType dtype = dtypeOf(static_cast<cudaDataType_t>(op.biasType));
  float value;
  prec::rt::toFloat(dtype,
                    static_cast<const char *>(op.bias) +
                        row * prec::rt::byteSize(dtype),
                    &value, 1);
  return value;
}

void multiply(const Operation &op, const Layout &la, const Layout &lb,
              const Layout &ld, const void *a, const void *b, const void *c,
              void *d, float alpha, float beta) {
  int64_t inner = static_cast<int64_t>(op.transposeA ? la.rows : la.columns);
  for (int64_t i = 0; i < ld.batch; ++i) {
    Matrix first(a, la, i), second(b, lb, i), added(c, ld, i), result(d, ld, i);
    for (int64_t column = 0; column < static_cast<int64_t>(ld.columns);
         ++column)
      for (int64_t row = 0; row < static_cast<int64_t>(ld.rows); ++row) {
        float sum = 0;
        for (int64_t x = 0; x < inner; ++x)
          sum += (op.transposeA ? first.at(x, row) : first.at(row, x)) *
                 (op.transposeB ? second.at(column, x) : second.at(x, column)) *
                 scaleInvOf(op.scaleA, op.modeA, ld.rows, inner, row, x) *
                 scaleInvOf(op.scaleB, op.modeB, ld.columns, inner, column, x);
        float value = alpha * sum;
        if (beta != 0)
          value += beta * added.at(row, column);
        value += biasOf(op, row);
        result.at(row, column) = value;
      }
    result.store(d, ld, i);
  }
}

Operation &operation(cublasLtMatmulDesc_t descriptor) {
  return *reinterpret_cast<Operation *>(descriptor);
}
Layout &layout(cublasLtMatrixLayout_t descriptor) {
  return *reinterpret_cast<Layout *>(descriptor);
}

size_t workspaceOf(uint64_t algorithm) { return algorithm * 1024; }

bool isFp8(const Layout &layout) {
  return prec::rt::byteSize(dtypeOf(layout.type)) == 1;
}

/// The demands of Hopper's FP8 products and of any product.
bool fits(const Operation &op, const Layout &a, const Layout &b,
          const Layout &d) {
  uint64_t k = op.transposeA ? a.rows : a.columns;
  uint64_t otherK = op.transposeB ? b.columns : b.rows;
  bool shapes = k == otherK && d.rows == (op.transposeA ? a.columns : a.rows) &&
                d.columns == (op.transposeB ? b.rows : b.columns);
  bool fp8 = isFp8(a) || isFp8(b);
  bool tn = op.transposeA && !op.transposeB && k % 16 == 0 && d.rows % 8 == 0;
  // In the format of D, or bf16 beside an f32 D of FP8 operands.
  bool bias = op.epilogue != CUBLASLT_EPILOGUE_BIAS ||
              (op.bias && op.biasType == (fp8 && d.type == CUDA_R_32F
                                              ? CUDA_R_16BF
                                              : static_cast<int32_t>(d.type)));
  return shapes && bias && (!fp8 || tn) && (fp8 || (!op.scaleA && !op.scaleB));
}
} // namespace

extern "C" {
size_t cublasLtGetVersion() { return 130002; }
const char *cublasLtGetStatusName(cublasStatus_t) { return "CUBLAS_FAKE"; }
const char *cublasLtGetStatusString(cublasStatus_t) { return "fake"; }
cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new int(0));
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<int *>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *descriptor,
                                        cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  if (compute != CUBLAS_COMPUTE_32F || scale != CUDA_R_32F)
    return CUBLAS_STATUS_INVALID_VALUE;
  *descriptor = new cublasLtMatmulDescOpaque_t{};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t descriptor) {
  delete descriptor;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t descriptor,
                               cublasLtMatmulDescAttributes_t attribute,
                               const void *value, size_t size) {
  Operation &op = operation(descriptor);
  auto store = [&](auto &field) {
    if (size != sizeof(field))
      return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(static_cast<void *>(&field), value, size);
    return CUBLAS_STATUS_SUCCESS;
  };
  switch (attribute) {
  case CUBLASLT_MATMUL_DESC_TRANSA:
    return store(op.transposeA);
  case CUBLASLT_MATMUL_DESC_TRANSB:
    return store(op.transposeB);
  case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
    return store(op.scaleA);
  case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
    return store(op.scaleB);
  case CUBLASLT_MATMUL_DESC_A_SCALE_MODE:
    return store(op.modeA);
  case CUBLASLT_MATMUL_DESC_B_SCALE_MODE:
    return store(op.modeB);
  case CUBLASLT_MATMUL_DESC_FAST_ACCUM:
    return store(op.fast);
  case CUBLASLT_MATMUL_DESC_EPILOGUE:
    return store(op.epilogue);
  case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
    return store(op.bias);
  case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
    return store(op.biasType);
  default:
    return CUBLAS_STATUS_INVALID_VALUE;
  }
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *descriptor,
                                          cudaDataType type, uint64_t rows,
                                          uint64_t columns,
                                          int64_t leadingDimension) {
  if (leadingDimension < static_cast<int64_t>(rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  *descriptor = new cublasLtMatrixLayoutOpaque_t{};
  layout(*descriptor) = {type, rows, columns, leadingDimension, 0, 1};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t descriptor) {
  delete descriptor;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t descriptor,
                                 cublasLtMatrixLayoutAttribute_t attribute,
                                 const void *value, size_t size) {
  Layout &target = layout(descriptor);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT && size == 4)
    memcpy(&target.batch, value, size);
  else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET &&
           size == 8)
    memcpy(&target.stride, value, size);
  else
    return CUBLAS_STATUS_INVALID_VALUE;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = new cublasLtMatmulPreferenceOpaque_t{};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  delete preference;
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t attribute,
    const void *, size_t size) {
  bool wide = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
  return size == (wide ? 8u : 4u) ? CUBLAS_STATUS_SUCCESS
                                  : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t, cublasLtMatmulDesc_t descriptor, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t, int requested,
    cublasLtMatmulHeuristicResult_t results[], int *returned) {
  *returned = 0;
  if (!fits(operation(descriptor), layout(a), layout(b), layout(d)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const bool hasMany = layout(d).rows == 56;
  const uint64_t last = hasMany ? 100 : 5;
  for (uint64_t id = 1; id <= last && *returned < requested; ++id) {
    cublasLtMatmulHeuristicResult_t &result = results[(*returned)++];
    result = {};
    result.algo.data[0] = id;
    result.workspaceSize = workspaceOf(id);
    result.state = id == 5 && !hasMany ? CUBLAS_STATUS_NOT_SUPPORTED
                                       : CUBLAS_STATUS_SUCCESS;
  }
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t
cublasLtMatmulAlgoCheck(cublasLtHandle_t, cublasLtMatmulDesc_t,
                        cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                        cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                        const cublasLtMatmulAlgo_t *algorithm,
                        cublasLtMatmulHeuristicResult_t *result) {
  if (algorithm->data[0] < 1 || algorithm->data[0] > 4)
    return CUBLAS_STATUS_INVALID_VALUE;
  *result = {};
  result->algo = *algorithm;
  result->workspaceSize = workspaceOf(algorithm->data[0]);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(
    const cublasLtMatmulAlgo_t *algorithm,
    cublasLtMatmulAlgoConfigAttributes_t attribute, void *value, size_t size,
    size_t *written) {
  const bool isFirst = algorithm->data[0] == 1;
  auto store = [&](auto field) {
    *written = sizeof(field);
    if (size != sizeof(field))
      return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(value, &field, sizeof(field));
    return CUBLAS_STATUS_SUCCESS;
  };
  switch (attribute) {
  case CUBLASLT_ALGO_CONFIG_ID:
    return store(static_cast<int32_t>(60 + algorithm->data[0]));
  case CUBLASLT_ALGO_CONFIG_TILE_ID:
    return store(uint32_t(CUBLASLT_MATMUL_TILE_128x256));
  case CUBLASLT_ALGO_CONFIG_STAGES_ID:
    return store(uint32_t(12345));
  case CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID:
    return store(uint16_t(CUBLASLT_CLUSTER_SHAPE_2x1x1));
  case CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING:
    return store(uint32_t(1));
  case CUBLASLT_ALGO_CONFIG_SPLITK_NUM:
    return store(int32_t(isFirst ? 4 : 1));
  case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME:
    return store(uint32_t(isFirst ? CUBLASLT_REDUCTION_SCHEME_INPLACE
                                  : CUBLASLT_REDUCTION_SCHEME_NONE));
  default:
    return CUBLAS_STATUS_INVALID_VALUE;
  }
}
cublasStatus_t
cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t descriptor,
               const void *alpha, const void *a, cublasLtMatrixLayout_t la,
               const void *b, cublasLtMatrixLayout_t lb, const void *beta,
               const void *c, cublasLtMatrixLayout_t, void *d,
               cublasLtMatrixLayout_t ld, const cublasLtMatmulAlgo_t *algorithm,
               void *workspace, size_t workspaceSize, cudaStream_t stream) {
  uint64_t id = algorithm->data[0];
  if (id == 4 || workspaceSize < workspaceOf(id) ||
      !fake::isAllocated(reinterpret_cast<CUdeviceptr>(workspace),
                         workspaceOf(id)))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  Operation op = operation(descriptor);
  Layout first = layout(la), second = layout(lb), result = layout(ld);
  float alphaValue = *static_cast<const float *>(alpha),
        betaValue = *static_cast<const float *>(beta);
  // Results of 24 rows heat the GPU: each takes longer than the one before.
  static double heat = 1;
  if (result.rows == 24)
    heat *= 1.2;
  double milliseconds = id == 3 ? 1 : id == 1 ? 0.5 : 2;
  if (result.rows == 24)
    milliseconds *= heat;
  // Of 40 rows: the one that is faster with a cold cache is the slower one
  // behind other work.
  if (result.rows == 40 && id == 2)
    milliseconds = fake::clearsLast() ? 1.05 : 0.75;
  if (result.rows == 56)
    milliseconds = id == 40 ? 0.25 : 2;
  fake::enqueue(
      stream,
      [=] {
        multiply(op, first, second, result, a, b, c, d, alphaValue, betaValue);
      },
      milliseconds);
  return CUBLAS_STATUS_SUCCESS;
}
}
