//===- CublasLt.h - cuBLASLt, opened when used ------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_CUBLASLT_H
#define PREC_RT_CUDA_CUBLASLT_H

#include "Manifest.h"
#include "Status.h"

#include <cublasLt.h>

#include <memory>

#define PREC_RT_CUBLASLT_FUNCTIONS(X)                                          \
  X(cublasLtCreate)                                                            \
  X(cublasLtDestroy)                                                           \
  X(cublasLtGetVersion)                                                        \
  X(cublasLtGetStatusName)                                                     \
  X(cublasLtGetStatusString)                                                   \
  X(cublasLtMatmul)                                                            \
  X(cublasLtMatmulDescCreate)                                                  \
  X(cublasLtMatmulDescDestroy)                                                 \
  X(cublasLtMatmulDescSetAttribute)                                            \
  X(cublasLtMatrixLayoutCreate)                                                \
  X(cublasLtMatrixLayoutDestroy)                                               \
  X(cublasLtMatrixLayoutSetAttribute)                                          \
  X(cublasLtMatmulPreferenceCreate)                                            \
  X(cublasLtMatmulPreferenceDestroy)                                           \
  X(cublasLtMatmulPreferenceSetAttribute)                                      \
  X(cublasLtMatmulAlgoGetHeuristic)                                            \
  X(cublasLtMatmulAlgoCheck)                                                   \
  X(cublasLtMatmulAlgoConfigGetAttribute)

namespace prec::rt {

template <typename Opaque>
using CublasLtOwned =
    std::unique_ptr<Opaque, cublasStatus_t(CUBLASWINAPI *)(Opaque *)>;
using CublasLtDescriptor = CublasLtOwned<cublasLtMatmulDescOpaque_t>;
using CublasLtLayout = CublasLtOwned<cublasLtMatrixLayoutOpaque_t>;
using CublasLtPreference = CublasLtOwned<cublasLtMatmulPreferenceOpaque_t>;

/// Of a float format that matrix products have.
Result<cudaDataType_t> cudaType(DType dtype);

/// The functions of libcublasLt.so.13 and one handle. Needs a current context
/// whenever it is used.
class CublasLt {
public:
#define PREC_RT_MEMBER(function) decltype(&::function) function = nullptr;
  PREC_RT_CUBLASLT_FUNCTIONS(PREC_RT_MEMBER)
#undef PREC_RT_MEMBER

  static Result<std::unique_ptr<CublasLt>>
  open(const std::vector<std::string> &searchPaths);
  ~CublasLt();
  CublasLt(const CublasLt &) = delete;
  CublasLt &operator=(const CublasLt &) = delete;

  cublasLtHandle_t handle() const { return context; }
  std::string version() const; ///< "13.0.2"

  Status check(cublasStatus_t status, const std::string &what) const;

  Result<CublasLtDescriptor> createDescriptor(cublasComputeType_t compute,
                                              cudaDataType_t scale) const;
  /// A column-major matrix; `stride` in elements between batches.
  Result<CublasLtLayout> createLayout(DType dtype, int64_t rows,
                                      int64_t columns, int64_t leadingDimension,
                                      int64_t batch, int64_t stride) const;
  Result<CublasLtPreference> createPreference() const;

  template <typename T>
  Status set(const CublasLtDescriptor &descriptor,
             cublasLtMatmulDescAttributes_t attribute, const T &value) const {
    return check(cublasLtMatmulDescSetAttribute(descriptor.get(), attribute,
                                                &value, sizeof(value)),
                 "setting a cuBLASLt operation attribute");
  }
  template <typename T>
  Status set(const CublasLtLayout &layout,
             cublasLtMatrixLayoutAttribute_t attribute, const T &value) const {
    return check(cublasLtMatrixLayoutSetAttribute(layout.get(), attribute,
                                                  &value, sizeof(value)),
                 "setting a cuBLASLt layout attribute");
  }
  template <typename T>
  Status set(const CublasLtPreference &preference,
             cublasLtMatmulPreferenceAttributes_t attribute,
             const T &value) const {
    return check(cublasLtMatmulPreferenceSetAttribute(
                     preference.get(), attribute, &value, sizeof(value)),
                 "setting a cuBLASLt preference");
  }
  template <typename T>
  Status get(const cublasLtMatmulAlgo_t &algorithm,
             cublasLtMatmulAlgoConfigAttributes_t attribute,
             const std::string &what, T &value) const {
    size_t written = 0;
    return check(cublasLtMatmulAlgoConfigGetAttribute(
                     &algorithm, attribute, &value, sizeof(value), &written),
                 "reading an algorithm's " + what);
  }

private:
  CublasLt() = default;
  cublasLtHandle_t context = nullptr;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_CUBLASLT_H
