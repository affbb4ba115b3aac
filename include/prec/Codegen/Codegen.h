//===- Codegen.h - kernels to machine code ----------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `--prec-codegen-cpu` and `--prec-codegen-nvptx` leave, as bytes that a
// step module can carry. No diagnostics engine of LLVM is left installed, no
// file is left behind.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_CODEGEN_CODEGEN_H
#define PREC_CODEGEN_CODEGEN_H

#include "prec/Support/LLVM.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace prec {

class KernelCache;

/// Name of the module that holds the kernels of either target.
inline constexpr llvm::StringLiteral kKernelModuleName = "kernels";

struct CpuOptions {
  std::string cpu = "x86-64-v3";
  std::string features;
  /// Empty: that of the machine compiled on.
  std::string triple;
  unsigned optLevel = 3;
  /// Where kernels are looked for before they are compiled, and kept; null:
  /// nowhere.
  KernelCache *cache = nullptr;
};

/// Relocatable ELF objects, position independent, of the kernels of `module
/// @kernels`, in their order. The symbol of each is the name of its kernel.
FailureOr<std::vector<std::string>>
compileCpuObjects(ModuleOp kernels, const CpuOptions &options = {});

struct GpuOptions {
  std::string chip = "sm_90a";
  /// The PTX version; empty: 8.4, or the least that knows the chip.
  std::string features;
  /// Program that assembles PTX; empty: no cubin.
  std::string ptxas;
  unsigned optLevel = 3;
  /// Where images are looked for before they are compiled, and kept; null:
  /// nowhere.
  KernelCache *cache = nullptr;
};

/// A kernel with the memory that it names.
struct GpuImage {
  std::string symbol; ///< of the kernel
  std::string ptx;
  /// Empty when there was no ptxas. Small kernels share one: their cubins are
  /// equal, and each has all of them.
  std::string cubin;
  /// What ptxas says of registers and spills (`-v`).
  std::string log;
};

/// PTX and, where `ptxas` is given, a cubin of each kernel of `gpu.module
/// @kernels`, in their order. Kernels are compiled by all threads of the
/// context; the images depend on neither those nor the cache.
FailureOr<std::vector<GpuImage>>
compileGpuImages(mlir::gpu::GPUModuleOp kernels,
                 const GpuOptions &options = {});

/// Path of a ptxas: on the search path or in the usual folder of the toolkit,
/// or empty.
std::string findPtxas();

/// Registers the translations that the two functions above need.
void registerCodegenTranslations(DialectRegistry &registry);

} // namespace prec

#endif // PREC_CODEGEN_CODEGEN_H
