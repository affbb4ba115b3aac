//===- OutputPaths.cpp - what is written is nothing that is read ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OutputPaths.h"

#include <filesystem>

using namespace prec::rt;
using namespace prec::run;

namespace {

struct NamedPath {
  std::string option, path;
};

} // namespace

/// Whether they are one regular file, by whatever names.
static bool isSame(const std::string &one, const std::string &other) {
  std::error_code error;
  std::filesystem::path first =
      std::filesystem::weakly_canonical(std::filesystem::absolute(one), error);
  if (error)
    return false;
  std::filesystem::path second = std::filesystem::weakly_canonical(
      std::filesystem::absolute(other), error);
  if (error)
    return false;
  bool isOne = first == second ||
               (std::filesystem::equivalent(first, second, error) && !error);
  std::filesystem::file_status status = std::filesystem::status(first, error);
  // Several may write to a device or a pipe.
  return isOne && (std::filesystem::is_regular_file(status) ||
                   !std::filesystem::exists(status));
}

Status prec::run::checkOutputPaths(const Options &options) {
  std::vector<NamedPath> inputs = {
      {"the module", options.module},
      {"--weights", options.weights},
      {"--compare", options.compare},
      {"--fallback", options.fallback},
      {"--profile-of", options.profileOf},
      {"--profile-machine", options.profileMachine},
      {"--predict", options.predict}};
  for (const auto &[option, patterns] :
       {std::pair{"--tokens", options.tokens},
        std::pair{"--eval-tokens", options.evalTokens}})
    for (const std::string &pattern : patterns)
      for (const std::string &path : findTokenFiles(pattern))
        inputs.push_back({option, path});
  for (const auto &[step, path] : options.switches)
    inputs.push_back({"--switch", path});
  for (const std::string &path : options.verify)
    inputs.push_back({"--verify", path});
  for (const std::string &path : options.race)
    inputs.push_back({"--race", path});
  std::vector<NamedPath> outputs = {
      {"--metrics", options.metrics},
      {"--collect-numerics", options.numerics},
      {"--gradient-noise", options.gradientNoise},
      {"--report", options.report},
      {"--bench", options.bench},
      {"--profile-json", options.profileJson},
      {"--profile-html", options.profileHtml},
      {"--placements-html", options.placementsHtml}};
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].path.empty())
      continue;
    for (const NamedPath &input : inputs)
      if (!input.path.empty() && isSame(outputs[i].path, input.path))
        return Status::invalidArgument(
            outputs[i].option + " must be written to a file of its own, but '" +
            outputs[i].path + "' is " + input.option);
    for (size_t j = 0; j < i; ++j)
      if (!outputs[j].path.empty() && isSame(outputs[i].path, outputs[j].path))
        return Status::invalidArgument(
            outputs[i].option + " must be written to a file of its own, but '" +
            outputs[i].path + "' is that of " + outputs[j].option);
  }
  return {};
}
