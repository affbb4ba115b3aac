//===- Prediction.cpp - how long a step will take -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands of a step run one after the other, so its time is the sum of
// theirs. A command that was measured, whoever it belonged to, takes what was
// measured (its signature says whether it is the same). For others the
// roofline, the longer of moving bytes and computing, is corrected by what the
// nearest measured command of the kind took for its own: nearest in the
// logarithms of bytes and operations, of the same matrix unit. The least time
// of any measured command is that of a launch, which no correction scales.
//
//===----------------------------------------------------------------------===//

#include "Prediction.h"

#include "AtomicFile.h"
#include "CommandSignature.h"
#include "JsonFields.h"
#include "ModuleFile.h"
#include "ProfileModel.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::ordered_json;

namespace {

struct MeasuredCommand {
  std::string signature, kind;
  double us = 0, bytes = 0, flops = 0;
};

struct Measured {
  std::map<std::string, double> us; ///< by signature
  std::vector<MeasuredCommand> all;
  double launch = 0; ///< the least of all
};

/// How a command's time was found.
struct Predicted {
  double us = 0;
  const MeasuredCommand *neighbor = nullptr; ///< null where it was measured
};

} // namespace

static std::string kindOf(const std::string &signature) {
  return signature.substr(0, signature.find(' '));
}

static Measured readMeasured(JsonFields root) {
  Measured measured;
  for (JsonFields entry : root.at("commands").elements()) {
    MeasuredCommand command;
    command.signature = entry.string("command");
    command.kind = kindOf(command.signature);
    command.us = entry.at("us").asNumber();
    command.bytes = static_cast<double>(entry.integer("bytes"));
    if (entry.has("flops"))
      command.flops = entry.at("flops").asNumber();
    measured.us[command.signature] = command.us;
    measured.all.push_back(std::move(command));
  }
  for (const MeasuredCommand &command : measured.all)
    if (measured.launch == 0 || command.us < measured.launch)
      measured.launch = command.us;
  return measured;
}

/// The dtypes of the operands, which choose the matrix unit.
static std::string formatsOf(const std::string &signature) {
  std::string formats;
  std::string::size_type from = 0;
  for (int word = 0; word < 3 && from != std::string::npos; ++word) {
    from = signature.find(' ', from + 1);
    if (word > 0 && from != std::string::npos)
      formats += signature.substr(from, signature.find('[', from) - from);
  }
  return formats;
}

static Predicted predict(const Measured &measured, const Manifest &manifest,
                         const Command &command) {
  std::string signature = describeCommand(manifest, command);
  if (auto found = measured.us.find(signature); found != measured.us.end())
    return {found->second, nullptr};
  Work work = computeWork(manifest, command);
  auto bytes = static_cast<double>(work.bytes);
  double flops = work.flops.value_or(0);
  std::string kind = kindOf(signature);
  auto distance = [&](const MeasuredCommand &other) {
    auto apart = [](double one, double another) {
      return std::abs(std::log((one + 1) / (another + 1)));
    };
    double far = apart(bytes, other.bytes) + apart(flops, other.flops);
    if (flops > 0 && formatsOf(other.signature) != formatsOf(signature))
      far += 10;
    return far;
  };
  Predicted result;
  double least = 0;
  for (const MeasuredCommand &other : measured.all) {
    bool isAlike = other.kind == kind ||
                   // Whatever moves bytes alone.
                   (flops == 0 && other.flops == 0);
    if (!isAlike)
      continue;
    double far = distance(other) + (other.kind == kind ? 0 : 1);
    if (result.neighbor && far >= least)
      continue;
    result.neighbor = &other;
    least = far;
  }
  if (!result.neighbor)
    return {measured.launch, nullptr};
  const MeasuredCommand &other = *result.neighbor;
  double ratio = flops > 0 && other.flops > 0
                     ? flops / other.flops
                     : bytes / std::max(other.bytes, 1.0);
  result.us =
      measured.launch + std::max(other.us - measured.launch, 0.0) * ratio;
  return result;
}

Status prec::run::predictStep(const Options &options) {
  Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(options.module);
  if (!file.ok())
    return file.status();
  Result<nlohmann::json> document = readJson(options.predict);
  if (!document.ok())
    return document.status();
  Status error;
  Measured measured = readMeasured(JsonFields(*document, "report", error));
  if (!error.ok())
    return error.prefixed(options.predict + ": ");
  if (measured.all.empty())
    return Status::badFile(options.predict +
                           ": must have times of commands, but has none");
  const Manifest &manifest = (*file)->manifest();
  double total = 0, known = 0;
  size_t count = 0;
  ordered_json commands = ordered_json::array();
  for (const Command &command : manifest.commands("step")) {
    std::string signature = describeCommand(manifest, command);
    bool isMeasured = measured.us.count(signature) != 0;
    Predicted predicted = predict(measured, manifest, command);
    total += predicted.us;
    known += isMeasured ? predicted.us : 0;
    count += isMeasured;
    ordered_json entry = {{"name", command.name},
                          {"command", signature},
                          {"us", predicted.us},
                          {"measured", isMeasured}};
    if (predicted.neighbor)
      entry["neighbor"] = predicted.neighbor->signature;
    commands.push_back(std::move(entry));
  }
  printf("%s: a step is predicted to take %.3f ms; %zu of %zu commands and "
         "%.1f %% of the time were measured\n",
         options.module.c_str(), total * 1e-3, count,
         manifest.commands("step").size(), total > 0 ? 100 * known / total : 0);
  if (options.report.empty())
    return {};
  ordered_json report = {{"version", 1},
                         {"recipe", manifest.recipe},
                         {"graph", manifest.graph},
                         {"us", total},
                         {"measured_us", known},
                         {"commands", std::move(commands)}};
  return writeAtomically(options.report, writeJson(report, 1) + "\n");
}
