//===- CheckpointFolder.h - which files are the checkpoint ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint is two safetensors files that an index names. Saving writes two
// new files, then replaces the index, then removes the old files: at every
// moment the index names two whole files of one step. It is the index of
// sharded weights of transformers, which loads such a folder as it is.
//
// Where earlier checkpoints and the best one are kept, indexes of their own
// (stepN.index.json, best.index.json) name their files in the same folder.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_CHECKPOINTFOLDER_H
#define PREC_RT_COMMON_CHECKPOINTFOLDER_H

#include "Descriptor.h"
#include "Safetensors.h"

namespace prec::rt {

/// Names in the folder.
struct CheckpointFiles {
  std::string folder;
  std::string weights, state;
  /// Of the best checkpoint: its held-out loss.
  std::optional<double> heldOut{};
};

/// Makes the folder and says whether it is new; fails where nothing can be
/// saved.
Result<bool> makeCheckpointFolder(const std::string &folder);

/// The right to save in a folder: one holds it at a time, in this process or
/// any other on a file system that has locks.
class CheckpointLock {
public:
  /// Of a folder that is there. With `wait` until another one gives it back,
  /// else it is an error that somebody has it.
  static Result<CheckpointLock> take(const std::string &folder, bool wait);

  /// Of a rank that writes into files of rank 0, which has the right.
  static CheckpointLock ofFirstRank(const std::string &folder) {
    return CheckpointLock(folder, Descriptor());
  }

  const std::string &folder() const { return path; }

private:
  CheckpointLock(std::string path, Descriptor file)
      : path(std::move(path)), file(std::move(file)) {}

  std::string path;
  Descriptor file;
};

/// What stays in a folder beside the new checkpoint.
struct KeepRule {
  int64_t count = 1; ///< the newest, this one included
  /// That this one is the best so far: its held-out loss.
  std::optional<double> best{};
};

/// The files that an index names: that of a folder, or one of its others, by
/// the path of the index.
Result<CheckpointFiles> readCheckpointIndex(const std::string &path);

/// The held-out loss of the best checkpoint that a folder keeps, if it has one.
Result<std::optional<double>> readBestLoss(const std::string &folder);

/// Names for a checkpoint of this step that the folder does not have yet.
CheckpointFiles nameCheckpointFiles(const std::string &folder, int64_t step);

/// Lets the index name `files`, which are there, and removes the checkpoints
/// that are not kept, and what killed processes left: files of exactly the
/// names that `nameCheckpointFiles` gives and AtomicFile writes, that no index
/// names. Everything else in the folder is left alone.
Status commitCheckpoint(const CheckpointLock &place, int64_t step,
                        const CheckpointFiles &files,
                        const std::vector<SafetensorsOutput> &weights,
                        const KeepRule &keep);

} // namespace prec::rt

#endif // PREC_RT_COMMON_CHECKPOINTFOLDER_H
