//===- TokenFile.h - batches out of files of token ids ----------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_TOKENFILE_H
#define PREC_RUN_TOKENFILE_H

#include "InputFile.h"
#include "Session.h"

#include <map>
#include <optional>
#include <vector>

namespace prec::run {

/// How many tokens ahead of the inputs labels are, where that is not left to
/// the module: of all labels, and of inputs by their names.
struct LabelShifts {
  std::optional<int64_t> ofLabels;
  std::map<std::string, int64_t> named;
};

/// Where tokens are, and the order in which they are read.
struct TokenSource {
  /// Files or patterns of them, whose matches are sorted by name.
  std::vector<std::string> paths;
  bool wide = false; ///< ids of 32 bits in files without a header
  LabelShifts labelShifts;
  std::optional<uint64_t> seed; ///< of windows; none: the order of the files
};

/// Files of a name, or of a pattern that is no file's name, sorted; of a
/// pattern that none matches, none.
std::vector<std::string> findTokenFiles(const std::string &pattern);

/// Token ids of one file or several: flat little-endian uint16 or uint32, or
/// NumPy's .npy of one dimension.
///
/// In the files' order they are one text. The batch at position p (in tokens)
/// starts at p modulo (size - tokens of a batch - 1), so that targets shifted
/// by one exist for every start; other trainers' readers wrap around the same
/// way.
///
/// Shuffled, each file is cut into windows as long as a row of a batch, and
/// what labels read behind it; what is left of it is read in no epoch. Position
/// p is place p / length of the training, and rows are at one place after the
/// other (Shuffle.h).
class TokenFile {
public:
  static rt::Result<TokenFile> open(const TokenSource &source);

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

  /// Writes that batch as a token file of its own, in the width of its first
  /// file: a run on it reads the batch in every step. Not where windows are
  /// shuffled.
  rt::Status saveBatch(const rt::Session &session, int64_t position,
                       const std::string &path) const;

  /// Seed, length and fingerprint of what is shuffled; else empty.
  rt::Result<std::string> describeOrder(const rt::Session &session) const;
  /// Whether a training that read in that order can go on with these tokens.
  rt::Status checkOrder(const rt::Session &session,
                        const std::string &before) const;

private:
  struct Shard {
    std::string path;
    rt::InputFile file;
    int64_t header = 0; ///< bytes in front of the ids
    int64_t width = 2;  ///< bytes of an id
    int64_t first = 0;  ///< its first id's place in the text of all files
    int64_t count = 0;
  };
  /// How a module reads: rows of `length` tokens from starts in the text.
  struct Rows {
    int64_t tokens;               ///< of a batch
    int64_t length;               ///< of a row
    int64_t furthest;             ///< behind a row that labels read
    std::vector<int64_t> shifts;  ///< by binding
    int64_t starts;               ///< in the order of the files
    std::vector<int64_t> windows; ///< by shard, shuffled
    int64_t allWindows = 0;
  };
  static rt::Result<Shard> openShard(const std::string &path, bool wide);
  /// The `tokens` ids from `start` on.
  rt::Result<std::vector<int64_t>> readIds(int64_t start, int64_t tokens) const;
  rt::Result<Rows> findRows(const rt::Session &session) const;
  /// Where the rows of the batch at `position` start.
  std::vector<int64_t> startsOf(const Rows &rows, int64_t position) const;
  rt::Status checkRange(const rt::Session &session, const Rows &rows,
                        int64_t start, int64_t tokens) const;
  const Shard &shardAt(int64_t place) const;
  /// For messages: the file, or the first of several.
  std::string name() const;

  std::vector<Shard> shards;
  LabelShifts labelShifts;
  std::optional<uint64_t> seed;
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
