//===- CheckpointFolder.cpp - which files are the checkpoint --------------===//

#include "CheckpointFolder.h"

#include "JsonFields.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace prec::rt;
using nlohmann::json;

static constexpr const char *kIndex = "model.safetensors.index.json";
/// transformers loads it rather than what the index names.
static constexpr const char *kWhole = "model.safetensors";
static constexpr std::string_view kWeights = "model-step",
                                  kState = "optimizer-step";

Result<bool> prec::rt::makeCheckpointFolder(const std::string &folder) {
  bool isNew = mkdir(folder.c_str(), 0755) == 0;
  // With the slash nothing but a folder is found.
  if ((!isNew && errno != EEXIST) ||
      access((folder + "/").c_str(), W_OK | X_OK) != 0)
    return Status::error(
        folder + ": must be a folder to save in, but got: " + strerror(errno));
  if (access((folder + "/" + kWhole).c_str(), F_OK) == 0)
    return Status::error(folder + ": must not hold '" + kWhole +
                         "', which is read instead of a checkpoint, but does");
  return isNew;
}

Result<CheckpointFiles>
prec::rt::readCheckpointIndex(const std::string &folder) {
  std::string path = folder + "/" + kIndex;
  Result<json> document = readJson(path);
  if (!document.ok())
    return document.status();
  Status error;
  JsonFields root(*document, path, error);
  CheckpointFiles files;
  JsonFields map = root.at("weight_map"), metadata = root.at("metadata");
  for (const std::string &tensor : map.keys()) {
    std::string name = map.string(tensor.c_str());
    if (!files.weights.empty() && name != files.weights)
      map.fail("must name one file, but got '" + files.weights + "' and '" +
               name + "'");
    files.weights = name;
  }
  files.state = metadata.string("optimizer");
  for (const std::string &name : {files.weights, files.state})
    if (name.empty() || name.find('/') != std::string::npos)
      root.fail("must name files of its folder, but got '" + name + "'");
  if (!error.ok())
    return error;
  return files;
}

CheckpointFiles prec::rt::nameCheckpointFiles(const std::string &folder,
                                              int64_t step) {
  for (int again = 0;; ++again) {
    std::string end = std::to_string(step) +
                      (again ? "-" + std::to_string(again) : "") +
                      ".safetensors";
    CheckpointFiles files{std::string(kWeights) + end,
                          std::string(kState) + end};
    if (access((folder + "/" + files.weights).c_str(), F_OK) != 0 &&
        access((folder + "/" + files.state).c_str(), F_OK) != 0)
      return files;
  }
}

static Status writeIndex(const std::string &folder,
                         const CheckpointFiles &files,
                         const std::vector<SafetensorsOutput> &weights) {
  json map = json::object();
  int64_t bytes = 0;
  for (const SafetensorsOutput &tensor : weights) {
    map[tensor.name] = files.weights;
    bytes += tensor.bytes();
  }
  json document = {
      {"metadata", {{"total_size", bytes}, {"optimizer", files.state}}},
      {"weight_map", std::move(map)}};
  std::string text =
      document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
  return writeAtomically(folder + "/" + kIndex, text);
}

/// What cannot be removed does no harm.
static void removeOthers(const std::string &folder,
                         const CheckpointFiles &files) {
  std::error_code ignored;
  std::vector<std::filesystem::path> others;
  for (const auto &entry :
       std::filesystem::directory_iterator(folder, ignored)) {
    std::string name = entry.path().filename();
    bool isOurs = name.starts_with(kWeights) || name.starts_with(kState) ||
                  name.starts_with(std::string(kIndex) + ".writing.");
    if (isOurs && name != files.weights && name != files.state)
      others.push_back(entry.path());
  }
  for (const std::filesystem::path &path : others)
    std::filesystem::remove(path, ignored);
}

Status
prec::rt::commitCheckpoint(const std::string &folder,
                           const CheckpointFiles &files,
                           const std::vector<SafetensorsOutput> &weights) {
  PREC_RT_RETURN_IF_ERROR(writeIndex(folder, files, weights));
  removeOthers(folder, files);
  return {};
}
