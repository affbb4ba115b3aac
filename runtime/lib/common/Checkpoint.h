//===- Checkpoint.h - a session's state in files ----------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Weights are one safetensors file under the framework's own names; names of
// tied weights are written once. A checkpoint is a folder of two files that an
// index names (CheckpointFolder.h):
//   model-stepN.safetensors      parameters, frozen parameters
//   optimizer-stepN.safetensors  `optimizer.<slot>.<parameter>`,
//                                `scale_state.<name>`, and of frozen weights
//                                whose copies alone are kept `frozen.<name>`
// whose metadata hold `step`, `data_position`, `recipe` and `graph`, and of
// data that are shuffled `data_order`.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_CHECKPOINT_H
#define PREC_RT_COMMON_CHECKPOINT_H

#include "CheckpointFolder.h"
#include "Session.h"

namespace prec::rt {

/// Loads weights and starts a training from them: a new one, or, of a file that
/// has the optimizer's states beside them, the one that made these, whose next
/// step is the module's default of `step`. All differences between file and
/// module are reported, one line each, and then nothing is loaded.
/// Returns how many tensors the module's masters hold rounded: all others are
/// converted exactly.
Result<int64_t> loadWeights(Session &session, const std::string &path);

Status saveWeights(Session &session, const std::string &path);

/// All that a checkpoint holds; tensors are read when it is written.
struct Checkpoint {
  int64_t step = 0;
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsOutput> weights, state;
  /// That write it together; null of one process.
  Communicator *ranks = nullptr;
};

/// Where in its data a training is.
struct DataPlace {
  int64_t position = 0; ///< tokens consumed
  /// Which data, and the order in which they are read; empty: not said.
  std::string order = {};
};

/// Between steps, unless `mayBeWithin` one: then what a part of it accumulated
/// is left out.
Result<Checkpoint> makeCheckpoint(Session &session, const DataPlace &data,
                                  bool mayBeWithin = false);
/// Copies the tensors to the host's memory: the session may train on while the
/// checkpoint is written.
Status detachCheckpoint(Checkpoint &checkpoint);

/// Files that are whole on the disk, but not in their places yet.
struct WrittenCheckpoint {
  CheckpointFiles names;
  AtomicFile weights, state;
};
Result<WrittenCheckpoint> writeCheckpointFiles(const Checkpoint &checkpoint,
                                               const CheckpointLock &place);
Status commitCheckpoint(const Checkpoint &checkpoint,
                        WrittenCheckpoint &written, const CheckpointLock &place,
                        const KeepRule &keep);
/// Both. A process that is killed at any moment leaves the old or the new one.
Status writeCheckpoint(const Checkpoint &checkpoint,
                       const CheckpointLock &place, const KeepRule &keep = {});

/// Makes the folder, and waits for others that save in it.
Status saveCheckpoint(Session &session, const std::string &folder,
                      const DataPlace &data);

struct LoadedCheckpoint {
  DataPlace data;
  /// False if the module scales in another way than the one that was saved:
  /// weights and moments are loaded, its scale state begins anew.
  bool hasScales;
  /// Of a checkpoint of another graph: its hash, else empty.
  std::string otherGraph;

  /// What a user should know of it, a line each.
  std::vector<std::string> notes(const std::string &path) const;
};
/// `folder` may be the path of one of its other indexes as well. `originals` is
/// a file of weights, or empty: it has frozen weights that the
/// checkpoint does not hold as the module reads them.
Result<LoadedCheckpoint> loadCheckpoint(Session &session,
                                        const std::string &folder,
                                        const std::string &originals);
/// The steps that the training in a folder had done.
Result<int64_t> readCheckpointStep(const std::string &folder);

/// What a checkpoint holds, in the host's memory instead of files.
struct HeldCheckpoint {
  int64_t step = 0;
  std::map<std::string, std::string> metadata;
  std::vector<std::vector<char>> bytes; ///< that the entries show
  std::vector<SafetensorsEntry> weights, state;
};
Result<HeldCheckpoint> holdCheckpoint(Session &session);
/// To be written: shows the bytes of `held`, which outlives it.
Checkpoint toCheckpoint(const HeldCheckpoint &held, const DataPlace &data);
/// `name` begins every message about it.
Result<LoadedCheckpoint> loadCheckpoint(Session &session,
                                        const HeldCheckpoint &checkpoint,
                                        const std::string &name,
                                        const std::string &originals);

} // namespace prec::rt

#endif // PREC_RT_COMMON_CHECKPOINT_H
