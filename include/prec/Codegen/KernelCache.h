//===- KernelCache.h - compiled kernels on disk -----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file for each kernel, named after a hash of all that decides its machine
// code. Any number of threads and processes may share a folder: files are
// renamed into their place in full, and what was damaged since is not used.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_CODEGEN_KERNELCACHE_H
#define PREC_CODEGEN_KERNELCACHE_H

#include "prec/Support/LLVM.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace prec {

class KernelCache {
public:
  /// What became of the kernels that were looked for.
  struct Counts {
    int64_t found = 0;
    int64_t absent = 0;
    int64_t damaged = 0;    ///< files not as they were written
    int64_t stored = 0;     ///< as new files
    std::string storeError; ///< the first one; empty if there was none
  };

  /// Makes the folder, if it is not there. The error reads "kernel cache must
  /// be a folder, but got 'DIRECTORY': reason".
  static llvm::Expected<std::unique_ptr<KernelCache>>
  open(llvm::StringRef directory);

  /// The parts that were stored under `key`, a hash in hex, and which count as
  /// so many kernels.
  std::optional<std::vector<std::string>> lookup(llvm::StringRef key,
                                                 int64_t kernels = 1);

  /// Keeps parts of kernels, such as the assembly of one or machine code. A
  /// folder that takes none is counted, not an error: the kernel is there.
  void store(llvm::StringRef key, llvm::ArrayRef<llvm::StringRef> parts);

  /// Removes the files that were used least recently until all have at most
  /// `maxBytes` (0: any number). Does nothing unless one was stored.
  void prune(int64_t maxBytes) const;

  Counts getCounts() const;

private:
  explicit KernelCache(llvm::StringRef directory) : directory(directory) {}
  std::string getPath(llvm::StringRef key) const;

  std::string directory;
  mutable std::mutex mutex; ///< of the counts
  Counts counts;
};

} // namespace prec

#endif // PREC_CODEGEN_KERNELCACHE_H
