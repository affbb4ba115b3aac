//===- CheckpointFolder.cpp - which files are the checkpoint --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a checkpoint folder. Each checkpoint has two data files of its
// own, whose names no other one has: model-step200.safetensors and
// optimizer-step200.safetensors, or -1, -2, ... behind the step if these exist.
// An index file says which two are the checkpoint; it is replaced by a rename,
// so at every moment it names two complete files. To keep several checkpoints,
// or the best one, there are more indexes: step200.index.json, best.index.json.
// After each save the data files that no index names are removed; if an index
// cannot be read, nothing is. A lock on the folder lets only one process save
// at a time.
//
//===----------------------------------------------------------------------===//

#include "CheckpointFolder.h"

#include "JsonFields.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace prec::rt;
using nlohmann::json;

static constexpr const char *kIndex = "model.safetensors.index.json";
static constexpr const char *kBestIndex = "best.index.json";
static constexpr std::string_view kIndexEnd = ".index.json";
/// transformers loads it rather than what the index names.
static constexpr const char *kWhole = "model.safetensors";
static constexpr std::string_view kWeights = "model-step",
                                  kState = "optimizer-step",
                                  kEnd = ".safetensors", kStep = "step";

Result<bool> prec::rt::makeCheckpointFolder(const std::string &folder) {
  bool isNew = mkdir(folder.c_str(), 0755) == 0;
  // With the slash nothing but a folder is found.
  if ((!isNew && errno != EEXIST) ||
      access((folder + "/").c_str(), W_OK | X_OK) != 0)
    return Status::ofErrno(
        errno,
        folder + ": must be a folder to save in, but got: " + strerror(errno));
  if (access((folder + "/" + kWhole).c_str(), F_OK) == 0)
    return Status::fileError(
        folder + ": must not hold '" + kWhole +
        "', which is read instead of a checkpoint, but does");
  return isNew;
}

Result<CheckpointLock> CheckpointLock::take(const std::string &folder,
                                            bool wait) {
  Descriptor file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!file.isOpen())
    return Status::ofErrno(
        errno,
        folder + ": must be a folder to save in, but got: " + strerror(errno));
  int status = 0;
  do
    status = flock(file.get(), LOCK_EX | (wait ? 0 : LOCK_NB));
  while (status != 0 && errno == EINTR);
  if (status != 0 && errno == EWOULDBLOCK)
    return Status::busy(folder + ": must be saved in by one training at a "
                                 "time, but another one has it: wait for that "
                                 "one, or give another folder");
  // A file system without locks: names are of their own all the same.
  return CheckpointLock(folder, std::move(file));
}

/// Takes digits off the front of a name; whether there are some.
static bool skipNumber(std::string_view &name) {
  size_t count = std::min(name.find_first_not_of("0123456789"), name.size());
  name.remove_prefix(count);
  return count > 0;
}

static bool skip(std::string_view &name, std::string_view prefix) {
  if (!name.starts_with(prefix))
    return false;
  name.remove_prefix(prefix.size());
  return true;
}

/// Takes off what AtomicFile appends to a name; whether that is all there is.
static bool isTemporaryEnd(std::string_view rest) {
  return skip(rest, ".writing.") && skipNumber(rest) && skip(rest, "-") &&
         skipNumber(rest) && rest.empty();
}

/// Whether `nameCheckpointFiles` or AtomicFile on the way to it gave the name.
static bool isDataFile(std::string_view name) {
  if ((!skip(name, kWeights) && !skip(name, kState)) || !skipNumber(name))
    return false;
  if (skip(name, "-") && !skipNumber(name))
    return false;
  return skip(name, kEnd) && (name.empty() || isTemporaryEnd(name));
}

/// The step of "stepN.index.json", whose `rest` is what follows.
static std::optional<int64_t> stepOfIndex(std::string_view name,
                                          std::string_view &rest) {
  if (!skip(name, kStep))
    return std::nullopt;
  std::string digits(name);
  if (!skipNumber(name) || name.size() + 18 < digits.size() ||
      !skip(name, kIndexEnd))
    return std::nullopt;
  rest = name;
  return std::stoll(digits);
}

/// An index that was being written by a process that is no more.
static bool isTemporaryIndex(std::string_view name) {
  std::string_view rest = name;
  for (std::string_view index :
       {std::string_view(kIndex), std::string_view(kBestIndex)})
    if (name.starts_with(index))
      return isTemporaryEnd(name.substr(index.size()));
  return stepOfIndex(name, rest) && isTemporaryEnd(rest);
}

static bool isIndexPath(const std::string &path) {
  struct stat info;
  return path.ends_with(kIndexEnd) && stat(path.c_str(), &info) == 0 &&
         !S_ISDIR(info.st_mode);
}

Result<CheckpointFiles> prec::rt::readCheckpointIndex(const std::string &path) {
  bool isIndex = isIndexPath(path);
  size_t slash = path.rfind('/');
  CheckpointFiles files;
  files.folder = !isIndex                     ? path
                 : slash == std::string::npos ? "."
                                              : path.substr(0, slash);
  std::string index = isIndex ? path : path + "/" + kIndex;
  Result<json> document = readJson(index);
  if (!document.ok())
    return document.status();
  Status error;
  JsonFields root(*document, index, error);
  JsonFields map = root.at("weight_map"), metadata = root.at("metadata");
  for (const std::string &tensor : map.keys()) {
    std::string name = map.string(tensor.c_str());
    if (!files.weights.empty() && name != files.weights)
      map.fail("must name one file, but got '" + files.weights + "' and '" +
               name + "'");
    files.weights = name;
  }
  files.state = metadata.string("optimizer");
  if (metadata.has("eval_loss"))
    files.heldOut = metadata.at("eval_loss").asNumber();
  for (const std::string &name : {files.weights, files.state})
    if (name.empty() || name.find('/') != std::string::npos)
      root.fail("must name files of its folder, but got '" + name + "'");
  if (!error.ok())
    return error;
  return files;
}

Result<std::optional<double>>
prec::rt::readBestLoss(const std::string &folder) {
  std::string path = folder + "/" + kBestIndex;
  if (access(path.c_str(), F_OK) != 0)
    return std::optional<double>();
  Result<CheckpointFiles> files = readCheckpointIndex(path);
  if (!files.ok())
    return files.status();
  return files->heldOut;
}

CheckpointFiles prec::rt::nameCheckpointFiles(const std::string &folder,
                                              int64_t step) {
  for (int again = 0;; ++again) {
    std::string end = std::to_string(step) +
                      (again ? "-" + std::to_string(again) : "") +
                      std::string(kEnd);
    CheckpointFiles files{folder, std::string(kWeights) + end,
                          std::string(kState) + end};
    if (access((folder + "/" + files.weights).c_str(), F_OK) != 0 &&
        access((folder + "/" + files.state).c_str(), F_OK) != 0)
      return files;
  }
}

static std::string makeIndex(const CheckpointFiles &files,
                             const std::vector<SafetensorsOutput> &weights,
                             std::optional<double> heldOut) {
  json map = json::object();
  int64_t bytes = 0;
  for (const SafetensorsOutput &tensor : weights) {
    map[tensor.name] = files.weights;
    bytes += tensor.bytes();
  }
  json document = {
      {"metadata", {{"total_size", bytes}, {"optimizer", files.state}}},
      {"weight_map", std::move(map)}};
  if (heldOut)
    document["metadata"]["eval_loss"] = *heldOut;
  return writeJson(document, 1) + "\n";
}

/// Removes the indexes of checkpoints beyond the newest `keep`; the names of
/// the others.
static std::vector<std::string> pruneIndexes(const std::string &folder,
                                             int64_t keep) {
  std::error_code ignored;
  std::vector<std::pair<int64_t, std::string>> found;
  for (const auto &entry :
       std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename();
    std::string_view rest;
    std::optional<int64_t> step = stepOfIndex(name, rest);
    if (step && rest.empty())
      found.emplace_back(*step, name);
  }
  std::sort(found.rbegin(), found.rend());
  std::vector<std::string> kept;
  for (const auto &[step, name] : found)
    // One checkpoint is what the folder's own index names.
    if (keep > 1 && static_cast<int64_t>(kept.size()) >= keep)
      std::filesystem::remove(folder + "/" + name, ignored);
    else
      kept.push_back(name);
  return kept;
}

/// What cannot be removed does no harm.
static void removeOthers(const std::string &folder,
                         const CheckpointFiles &files, const KeepRule &keep) {
  std::set<std::string> named = {files.weights, files.state};
  std::vector<std::string> indexes = pruneIndexes(folder, keep.count);
  if (access((folder + "/" + kBestIndex).c_str(), F_OK) == 0)
    indexes.emplace_back(kBestIndex);
  for (const std::string &index : indexes) {
    Result<CheckpointFiles> other = readCheckpointIndex(folder + "/" + index);
    // One that cannot be read may name anything.
    if (!other.ok())
      return;
    named.insert({other->weights, other->state});
  }
  std::error_code ignored;
  std::vector<std::filesystem::path> others;
  for (const auto &entry :
       std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename();
    bool isOurs =
        (isDataFile(name) && !named.count(name)) || isTemporaryIndex(name);
    if (isOurs && entry.symlink_status(ignored).type() ==
                      std::filesystem::file_type::regular)
      others.push_back(entry.path());
  }
  for (const std::filesystem::path &path : others)
    std::filesystem::remove(path, ignored);
}

Status prec::rt::commitCheckpoint(const CheckpointLock &place, int64_t step,
                                  const CheckpointFiles &files,
                                  const std::vector<SafetensorsOutput> &weights,
                                  const KeepRule &keep) {
  const std::string &folder = place.folder();
  std::string text = makeIndex(files, weights, std::nullopt);
  PREC_RT_RETURN_IF_ERROR(writeAtomically(folder + "/" + kIndex, text));
  if (keep.count > 1)
    PREC_RT_RETURN_IF_ERROR(writeAtomically(folder + "/" + std::string(kStep) +
                                                std::to_string(step) +
                                                std::string(kIndexEnd),
                                            text));
  if (keep.best)
    PREC_RT_RETURN_IF_ERROR(writeAtomically(
        folder + "/" + kBestIndex, makeIndex(files, weights, keep.best)));
  removeOthers(folder, files, keep);
  return {};
}
