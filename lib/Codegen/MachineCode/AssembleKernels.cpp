//===- AssembleKernels.cpp - PTX of kernels to cubins ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// To start the assembler takes about as long as to assemble a small kernel, so
// that one run assembles several kernels to one cubin, which has for each the
// code that it has alone. Which ones depends on nothing but their PTX: neither
// on threads nor on what a cache has. A group ends behind a kernel whose hash
// says so. So a kernel that is added to a model, or changed, changes the group
// that it is in; a number of kernels for each group would move all behind it.
//
//===----------------------------------------------------------------------===//
#include "Codegen/MachineCode/AssembleKernels.h"

#include "prec/Codegen/KernelCache.h"

#include "Codegen/MachineCode/Ptxas.h"
#include "Codegen/MachineCode/SplitKernels.h"
#include "llvm/Support/xxhash.h"

#include <utility>

using namespace mlir;
using namespace prec;

namespace {
using Group = SmallVector<GpuImage *>;
} // namespace

/// One in so many kernels ends its group.
static constexpr uint64_t kMeanGroup = 8;
/// The most PTX of a group, so that threads can share the work. Larger kernels
/// are groups of their own.
static constexpr size_t kMostBytes = 48 << 10;

static std::vector<Group> groupKernels(MutableArrayRef<PtxKernel> kernels) {
  std::vector<Group> groups;
  Group open;
  size_t bytes = 0;
  auto close = [&] {
    if (!open.empty())
      groups.push_back(std::exchange(open, {}));
    bytes = 0;
  };
  for (PtxKernel &kernel : kernels) {
    const std::string &ptx = kernel.image.ptx;
    if (!kernel.mayShareCubin) {
      groups.push_back({&kernel.image});
      continue;
    }
    if (bytes + ptx.size() > kMostBytes)
      close();
    open.push_back(&kernel.image);
    bytes += ptx.size();
    if (llvm::xxh3_64bits(ptx) % kMeanGroup == 0)
      close();
  }
  close();
  return groups;
}

static llvm::Error assembleGroup(const GpuOptions &options,
                                 const Group &group) {
  llvm::Error error = assemble(options, group);
  if (!error || group.size() == 1)
    return error;
  // The error is to name the kernel; and where the assembler takes each alone,
  // so does the module.
  llvm::consumeError(std::move(error));
  for (GpuImage *image : group)
    if (llvm::Error alone = assemble(options, image))
      return alone;
  return llvm::Error::success();
}

llvm::Error prec::assembleKernels(const GpuOptions &options,
                                  StringRef description, MLIRContext *context,
                                  MutableArrayRef<PtxKernel> kernels) {
  std::vector<Group> groups = groupKernels(kernels);
  std::vector<std::string> texts;
  SmallVector<int64_t> costs;
  for (const Group &group : groups) {
    std::string &text = texts.emplace_back();
    for (GpuImage *image : group)
      text += image->ptx;
    costs.push_back(text.size());
  }
  return runCostliestFirst(context, costs, [&](size_t index) -> llvm::Error {
    const Group &group = groups[index];
    if (!options.cache)
      return assembleGroup(options, group);
    // The cubin and log of each kernel; no cubin where it is the one before.
    std::string key = hashCode(description, texts[index]);
    auto found = options.cache->lookup(key, group.size());
    if (found && found->size() == 2 * group.size()) {
      for (auto [i, image] : llvm::enumerate(group)) {
        std::string &cubin = (*found)[2 * i];
        image->cubin =
            cubin.empty() && i > 0 ? group[i - 1]->cubin : std::move(cubin);
        image->log = std::move((*found)[2 * i + 1]);
      }
      return llvm::Error::success();
    }
    if (llvm::Error error = assembleGroup(options, group))
      return error;
    SmallVector<StringRef> parts;
    for (auto [i, image] : llvm::enumerate(group)) {
      bool isSame = i > 0 && image->cubin == group[i - 1]->cubin;
      parts.push_back(isSame ? StringRef() : StringRef(image->cubin));
      parts.push_back(image->log);
    }
    options.cache->store(key, parts);
    return llvm::Error::success();
  });
}
