//===- CheckpointFolder.h - which files are the checkpoint ------*- C++ -*-===//
//
// A checkpoint is two safetensors files that an index names. Saving writes two
// new files, then replaces the index, then removes the old files: at every
// moment the index names two whole files of one step. It is the index of
// sharded weights of transformers, which loads such a folder as it is.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_CHECKPOINTFOLDER_H
#define PREC_RT_COMMON_CHECKPOINTFOLDER_H

#include "Safetensors.h"

namespace prec::rt {

/// Names in the folder.
struct CheckpointFiles {
  std::string weights, state;
};

/// Makes the folder and says whether it is new; fails where nothing can be
/// saved.
Result<bool> makeCheckpointFolder(const std::string &folder);

/// The files that the folder's index names.
Result<CheckpointFiles> readCheckpointIndex(const std::string &folder);

/// Names for a checkpoint of this step that the folder does not have yet.
CheckpointFiles nameCheckpointFiles(const std::string &folder, int64_t step);

/// Lets the index name `files`, which are there, and removes what it named
/// before, and what killed processes left.
Status commitCheckpoint(const std::string &folder, const CheckpointFiles &files,
                        const std::vector<SafetensorsOutput> &weights);

} // namespace prec::rt

#endif // PREC_RT_COMMON_CHECKPOINTFOLDER_H
