//===- Target.h - what phases ask of a target -------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target is an object that a registry owns. Whatever differs between targets
// is one of its answers: no phase compares its name. Targets of prec are in
// lib/Targets; another compiler may add its own.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_TARGET_TARGET_H
#define PREC_TARGET_TARGET_H

#include "prec/Numerics/Accumulation.h"
#include "prec/Target/AttentionLibrary.h"
#include "prec/Target/MachineModel.h"
#include "prec/Target/Product.h"

#include "prec-rt/devices.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>
#include <vector>

namespace prec {

class TargetRegistry;

/// What a target is before any code is made for it.
struct TargetFacts {
  llvm::StringRef name; ///< as in target=
  /// Its matrix products, in tables that targets may share.
  ArrayRef<ArrayRef<Product>> products;
  /// What adds up FP8 products if nothing promotes them; none where that is
  /// FP32, or where there are no such products.
  std::optional<Fp8Accumulator> fp8Accumulator = std::nullopt;
  /// Words of the names of its GPUs, as drivers print them; none where it has
  /// no GPUs whose times a policy could have.
  ArrayRef<llvm::StringLiteral> gpus = {};
  /// Text of its machine file, targets/NAME.json.
  llvm::StringRef machine = {};
};

/// What a compilation asks of every target; each obeys what concerns it.
struct KernelOptions {
  /// Gradients of attention have the same bits in every run.
  bool deterministicAttention = true;
  std::string ptxas; ///< assembler of PTX; empty: searched for
  /// Folder where compiled kernels are kept and looked for; empty: nowhere.
  std::string kernelCache;
  /// Bytes of it beyond which those used least recently are removed; 0: any
  /// number.
  int64_t kernelCacheSize = 0;
  raw_ostream *timing = nullptr; ///< where to say what was found; null: nowhere
};

/// One kernel, or all of them, as a runtime loads it.
struct KernelImage {
  std::string kind;   ///< format, as the manifest names it
  std::string symbol; ///< of its kernel; empty: it holds all
  std::string bytes;
};

/// What the module links (`objects`, ELF objects whose symbols are kernels) and
/// carries (`images`).
struct CompiledKernels {
  std::vector<std::string> objects;
  std::vector<KernelImage> images;
};

/// Key `target` of a manifest: which device of a runtime runs the module, and
/// what its kernels are compiled for.
struct ModuleTarget {
  std::string kind, chip;
};

class Target {
public:
  explicit Target(const TargetFacts &facts) : facts(facts) {}
  virtual ~Target() = default;
  Target(const Target &) = delete;
  Target &operator=(const Target &) = delete;

  llvm::StringRef getName() const { return facts.name; }
  /// The registry that owns it; messages name others that have what it lacks.
  const TargetRegistry &getRegistry() const { return *registry; }

  // Assigning: its matrix products.

  /// The row that has these formats and scalings, whatever its result; null if
  /// none has.
  const Product *find(const Dispatch &dispatch) const;
  bool hasFormat(Format format) const;
  /// Whether it has GPUs of its own.
  bool hasGpus() const { return !facts.gpus.empty(); }
  /// Whether a GPU of this name ("NVIDIA H200") runs code of this target.
  bool hasGpu(llvm::StringRef name) const;
  /// What adds up FP8 products in a mode that is legal here; none for FP32.
  std::optional<Fp8Accumulator> findAccumulator(Accumulator mode) const;
  /// The mode that a dispatch runs in: its own, or promoted where it asks for a
  /// full sum and the target keeps none.
  Accumulator settleAccumulator(const Dispatch &dispatch) const;

  // Assigning and scheduling: how fast it is.

  /// The text of its machine file.
  llvm::StringRef getMachineFile() const { return facts.machine; }
  /// The machine of `file`, which must be one of this target; its built-in one
  /// if there is no file. An error names `option`, by which a user gave it.
  llvm::Expected<MachineModel>
  loadMachine(llvm::StringRef file = {},
              llvm::StringRef option = "machine") const;

  // Scheduling.

  virtual AttentionLibrary getAttentionLibrary() const = 0;
  /// Whether a command multiplies groups of rows by matrices of their own.
  virtual bool hasGroupedProducts() const { return false; }

  // Code generation.

  /// What those two need in a context: dialects that passes make, and their
  /// translations.
  virtual void registerDialects(DialectRegistry &) const {}
  /// Passes that add the kernels of dispatches, and to each dispatch `kernel`
  /// and `launch`.
  virtual void buildCodegenPipeline(OpPassManager &manager,
                                    const KernelOptions &options) const = 0;
  /// What those passes added to `module`, as code. Errors are diagnostics.
  virtual FailureOr<CompiledKernels>
  compileKernels(ModuleOp module, const KernelOptions &options) const = 0;

  // The step module.

  virtual ModuleTarget getModuleTarget() const = 0;
  virtual rt::KernelCalls getKernelCalls() const = 0;

private:
  friend class TargetRegistry;
  TargetFacts facts;
  const TargetRegistry *registry = nullptr;
};

} // namespace prec

#endif // PREC_TARGET_TARGET_H
