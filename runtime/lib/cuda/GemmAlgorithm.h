//===- GemmAlgorithm.h - what a cuBLASLt algorithm is -----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_CUDA_GEMMALGORITHM_H
#define PREC_RT_CUDA_GEMMALGORITHM_H

#include "CublasLt.h"
#include "Engine.h"

namespace prec::rt {

/// All but how long it took and how many others there were. Tiles, stages and
/// clusters that the headers have no name of are numbers.
Result<GemmAlgorithm> describe(const CublasLt &lt,
                               const cublasLtMatmulAlgo_t &algorithm);

} // namespace prec::rt

#endif // PREC_RT_CUDA_GEMMALGORITHM_H
