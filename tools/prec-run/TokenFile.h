//===- TokenFile.h - batches out of a file of token ids ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_TOKENFILE_H
#define PREC_RUN_TOKENFILE_H

#include "InputFile.h"
#include "Session.h"

#include <map>

namespace prec::run {

/// How many tokens ahead of the inputs labels are, where that is not left to
/// the module: of all labels, and of inputs by their names.
struct LabelShifts {
  std::optional<int64_t> ofLabels;
  std::map<std::string, int64_t> named;
};

/// A flat file of little-endian uint16 or uint32 ids. The batch at position p
/// (in tokens) starts at p modulo (size - tokens of a batch - 1), so that
/// targets shifted by one exist for every start; other trainers' readers wrap
/// around the same way.
class TokenFile {
public:
  static rt::Result<TokenFile> open(const std::string &path, bool wide,
                                    const LabelShifts &shifts);

  int64_t size() const { return count; }

  /// Refuses ids outside the vocabulary, naming their place in the file, in
  /// every token that `batches` batches from `position` on read.
  rt::Status check(const rt::Session &session, int64_t position,
                   int64_t batches) const;

  /// What the batch inputs of a module store of a batch, by binding.
  using Batch = std::vector<std::pair<int, std::vector<char>>>;
  /// Of the tokens at `position`, for every batch input of the module.
  rt::Result<Batch> encode(const rt::Session &session, int64_t position) const;
  /// Sets them.
  rt::Status setBatch(rt::Session &session, int64_t position) const;

  /// Writes that batch as a token file of its own, in the width of this one: a
  /// run on it reads the batch in every step.
  rt::Status saveBatch(const rt::Session &session, int64_t position,
                       const std::string &path) const;

private:
  /// The `tokens` ids from `start` on.
  rt::Result<std::vector<int64_t>> readIds(int64_t start, int64_t tokens) const;
  /// Batches of so many tokens start at `count` positions, each followed by
  /// `length` tokens.
  struct Starts {
    int64_t tokens, count, length;
    std::vector<int64_t> shifts; ///< by binding
  };
  rt::Result<Starts> findStarts(const rt::Session &session) const;
  rt::Status checkRange(const rt::Session &session, const Starts &starts,
                        int64_t start, int64_t tokens) const;

  std::string path;
  rt::InputFile file;
  bool wide = false;
  LabelShifts labelShifts;
  int64_t count = 0;
};

/// By binding how many tokens ahead of the inputs it is filled. Fails where
/// neither the module nor `given` says it.
rt::Result<std::vector<int64_t>> findShifts(const rt::Manifest &manifest,
                                            const LabelShifts &given);

/// Sets the batch inputs of the module that `batch` was encoded for.
rt::Status writeBatch(rt::Session &session, const TokenFile::Batch &batch);

/// Tokens that one batch consumes. Fails if the module has batch inputs that
/// no token file can fill.
rt::Result<int64_t> tokensPerBatch(const rt::Session &session);

} // namespace prec::run

#endif // PREC_RUN_TOKENFILE_H
