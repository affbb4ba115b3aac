//===- AlgorithmFile.h - the chosen GEMM algorithms -------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lies beside the step module. The first run writes it, later runs read it: it
// is a declared input, since another algorithm is another order of
// accumulation.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CUDA_ALGORITHMFILE_H
#define PREC_RT_CUDA_ALGORITHMFILE_H

#include "Status.h"

#include <array>
#include <cstdint>
#include <map>

namespace prec::rt {

struct Algorithm {
  std::array<uint64_t, 8> words{}; ///< a cublasLtMatmulAlgo_t, bit for bit
  double milliseconds = 0;         ///< as measured when it was chosen
  double teraflops = 0;            ///< 10^12 operations a second
  /// How many it was chosen from; 0 in a file that does not say.
  int64_t candidates = 0;
};

class AlgorithmFile {
public:
  /// The file at `path`; empty if there is none, and kept nowhere if the path
  /// is empty. A file that is there and
  /// cannot be understood is an error that names it.
  static Result<AlgorithmFile> read(std::string path);

  /// The same of the text of a file, which is kept nowhere.
  static Result<AlgorithmFile> parse(const std::string &text);

  /// What the file has, or would have.
  std::string text() const;

  /// Null if the key is not there.
  const Algorithm *find(const std::string &key) const;
  void insert(const std::string &key, const Algorithm &algorithm);
  bool changed() const { return modified; }

  /// Replaces the file as a whole, or leaves the old one as it was.
  Status write() const;

  const std::string &path() const { return file; }

private:
  std::string file;
  std::map<std::string, Algorithm>
      algorithms; // sorted: same choice, same bytes
  bool modified = false;
};

} // namespace prec::rt

#endif // PREC_RT_CUDA_ALGORITHMFILE_H
