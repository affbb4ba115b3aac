//===- MetricsFile.cpp - losses and metrics as JSON lines -----------------===//

#include "MetricsFile.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>

using namespace prec::rt;
using namespace prec::run;

Result<MetricsFile> MetricsFile::open(const std::string &path, bool append) {
  MetricsFile result(path);
  if (path.empty())
    return result;
  result.file = fopen(path.c_str(), append ? "a" : "w");
  if (!result.file)
    return Status::error(path +
                         ": must be writable, but got: " + strerror(errno));
  return result;
}

MetricsFile::MetricsFile(MetricsFile &&other) noexcept
    : path(std::move(other.path)), file(std::exchange(other.file, nullptr)) {}

MetricsFile::~MetricsFile() {
  if (file)
    fclose(file);
}

Status MetricsFile::write(const std::string &line) {
  if (!file)
    return {};
  // Flushed a line at a time, so that a plot can follow a run.
  if (fprintf(file, "%s\n", line.c_str()) < 0 || fflush(file) != 0)
    return Status::error(
        path + ": must be written in full, but got: " + strerror(errno));
  return {};
}

Status MetricsFile::step(Session &session, const StepResult &result,
                         double learningRate, int64_t tokens, double seconds,
                         double tokensPerSecond) {
  if (!file)
    return {};
  nlohmann::ordered_json line = {
      {"step", result.step}, {"loss", result.loss}, {"lr", learningRate}};
  for (const Binding &binding : session.manifest().bindings) {
    if (binding.role != Role::metric)
      continue;
    float value = 0;
    PREC_RT_RETURN_IF_ERROR(
        session.device().download(binding.buffer, &value, sizeof value));
    line[binding.name] = value;
  }
  if (result.notFinite)
    line["skipped"] = *result.notFinite;
  line["tokens"] = tokens;
  line["seconds"] = seconds;
  line["tokens_per_second"] = tokensPerSecond;
  return write(line.dump());
}

Status MetricsFile::eval(int64_t step, double loss) {
  if (!file)
    return {};
  return write(
      nlohmann::ordered_json({{"step", step}, {"eval_loss", loss}}).dump());
}

Status MetricsFile::recipe(int64_t step, const std::string &name) {
  if (!file)
    return {};
  return write(
      nlohmann::ordered_json({{"step", step}, {"recipe", name}}).dump());
}

Status MetricsFile::command(const CommandProfile &entry) {
  if (!file)
    return {};
  const Work &work = entry.work;
  nlohmann::ordered_json line = {{"command", entry.command->name},
                                 {"phase", entry.command->phase},
                                 {"op", name(entry.command->kind)},
                                 {"seconds", entry.seconds},
                                 {"bytes", work.bytes},
                                 {"flops", nullptr}};
  if (work.flops)
    line["flops"] = *work.flops;
  return write(line.dump());
}
