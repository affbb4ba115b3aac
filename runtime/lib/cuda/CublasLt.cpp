//===- CublasLt.cpp - cuBLASLt, opened when used --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CublasLt.h"

#include "DynamicLibrary.h"

#include <limits>

using namespace prec::rt;

Result<std::unique_ptr<CublasLt>>
CublasLt::open(const std::vector<std::string> &searchPaths) {
  // The soname carries the major version: an older cuBLASLt is not found.
  Result<DynamicLibrary> library = DynamicLibrary::open(
      "cuBLASLt 13.0 or newer, which the module's matrix products need,",
      "libcublasLt.so.13", searchPaths);
  if (!library.ok())
    return library.status();
  std::unique_ptr<CublasLt> lt(new CublasLt());
#define PREC_RT_LOAD(function)                                                 \
  {                                                                            \
    Result<void *> address = library->find(#function);                         \
    if (!address.ok())                                                         \
      return address.status();                                                 \
    lt->function = reinterpret_cast<decltype(&::function)>(*address);          \
  }
  PREC_RT_CUBLASLT_FUNCTIONS(PREC_RT_LOAD)
#undef PREC_RT_LOAD
  PREC_RT_RETURN_IF_ERROR(lt->check(lt->cublasLtCreate(&lt->context),
                                    "creating the cuBLASLt handle"));
  return lt;
}

CublasLt::~CublasLt() {
  if (context)
    (void)cublasLtDestroy(context);
}

std::string CublasLt::version() const {
  size_t version = cublasLtGetVersion();
  return std::to_string(version / 10000) + "." +
         std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

Status CublasLt::check(cublasStatus_t status, const std::string &what) const {
  if (status == CUBLAS_STATUS_SUCCESS)
    return Status();
  return Status::deviceError(
      what + ": must succeed, but got " + cublasLtGetStatusName(status) + " (" +
      cublasLtGetStatusString(status) + ") from cuBLASLt " + version());
}

Result<cudaDataType_t> prec::rt::cudaType(DType dtype) {
  switch (dtype) {
  case DType::f32:
    return CUDA_R_32F;
  case DType::bf16:
    return CUDA_R_16BF;
  case DType::f16:
    return CUDA_R_16F;
  case DType::f8E4M3FN:
    return CUDA_R_8F_E4M3;
  case DType::f8E5M2:
    return CUDA_R_8F_E5M2;
  case DType::i1:
  case DType::i8:
  case DType::i32:
  case DType::i64:
  case DType::f8E8M0FNU:
    break;
  }
  return Status::unsupported("a matrix product needs a float format, but got " +
                             std::string(name(dtype)));
}

Result<CublasLtDescriptor>
CublasLt::createDescriptor(cublasComputeType_t compute,
                           cudaDataType_t scale) const {
  cublasLtMatmulDesc_t descriptor = nullptr;
  PREC_RT_RETURN_IF_ERROR(
      check(cublasLtMatmulDescCreate(&descriptor, compute, scale),
            "creating a cuBLASLt operation"));
  return CublasLtDescriptor(descriptor, cublasLtMatmulDescDestroy);
}

Result<CublasLtLayout> CublasLt::createLayout(DType dtype, int64_t rows,
                                              int64_t columns,
                                              int64_t leadingDimension,
                                              int64_t batch,
                                              int64_t stride) const {
  Result<cudaDataType_t> type = cudaType(dtype);
  if (!type.ok())
    return type.status();
  if (batch > std::numeric_limits<int32_t>::max())
    return Status::unsupported(
        "a batched gemm must have at most 2^31-1 batches, "
        "but got " +
        std::to_string(batch));
  cublasLtMatrixLayout_t created = nullptr;
  PREC_RT_RETURN_IF_ERROR(check(
      cublasLtMatrixLayoutCreate(&created, *type, static_cast<uint64_t>(rows),
                                 static_cast<uint64_t>(columns),
                                 leadingDimension),
      "creating a cuBLASLt layout"));
  CublasLtLayout layout(created, cublasLtMatrixLayoutDestroy);
  PREC_RT_RETURN_IF_ERROR(set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
                              static_cast<int32_t>(batch)));
  PREC_RT_RETURN_IF_ERROR(
      set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride));
  return layout;
}

Result<CublasLtPreference> CublasLt::createPreference() const {
  cublasLtMatmulPreference_t preference = nullptr;
  PREC_RT_RETURN_IF_ERROR(check(cublasLtMatmulPreferenceCreate(&preference),
                                "creating a cuBLASLt preference"));
  return CublasLtPreference(preference, cublasLtMatmulPreferenceDestroy);
}
