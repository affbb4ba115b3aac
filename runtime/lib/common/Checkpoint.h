//===- Checkpoint.h - a session's state in files ----------------*- C++ -*-===//
//
// Weights are one safetensors file under the framework's own names; names of
// tied weights are written once. A checkpoint is a folder of two files:
//   model.safetensors      parameters, frozen parameters
//   optimizer.safetensors  `optimizer.<slot>.<parameter>`, `scale_state.<name>`
// whose metadata hold `step` and `data_position`.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_CHECKPOINT_H
#define PREC_RT_COMMON_CHECKPOINT_H

#include "Session.h"

namespace prec::rt {

/// Loads weights, exactly converted, and starts a new training from them. All
/// differences between file and module are reported, one line each, and then
/// nothing is loaded.
Status loadWeights(Session &session, const std::string &path);

Status saveWeights(Session &session, const std::string &path);

/// Makes the folder of a checkpoint and says whether it is new; fails where
/// nothing can be saved.
Result<bool> makeCheckpointFolder(const std::string &folder);

/// `dataPosition` counts the tokens consumed.
Status saveCheckpoint(Session &session, const std::string &folder,
                      int64_t dataPosition);
Status loadCheckpoint(Session &session, const std::string &folder,
                      int64_t &dataPosition);

} // namespace prec::rt

#endif // PREC_RT_COMMON_CHECKPOINT_H
