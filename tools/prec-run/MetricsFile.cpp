//===- MetricsFile.cpp - losses and metrics as JSON lines -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MetricsFile.h"

#include "InputFile.h"
#include "JsonFields.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <algorithm>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace prec::rt;
using namespace prec::run;

/// A full disk or a killed process leaves a part of a line: it is taken off, or
/// a whole line that lacks its end gets it. Bytes of a file that end in no line
/// of JSON are left alone.
static Status mendEnd(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_size == 0)
    return {};
  constexpr int64_t longest = 1 << 16;
  int64_t size = info.st_size, taken = std::min<int64_t>(size, longest);
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  std::string end(taken, '\0');
  PREC_RT_RETURN_IF_ERROR(file->read(size - taken, end.data(), taken));
  size_t newline = end.rfind('\n');
  std::string line =
      newline == std::string::npos ? end : end.substr(newline + 1);
  if (line.empty())
    return {};
  if (line.front() == '{' && !parseJson(line).ok()) {
    if (truncate(path.c_str(), size - static_cast<int64_t>(line.size())) == 0)
      return {};
  } else {
    FILE *whole = fopen(path.c_str(), "a");
    bool good = whole && fputc('\n', whole) != EOF;
    good &= whole && fclose(whole) == 0;
    if (good)
      return {};
  }
  return Status::ofErrno(
      errno, path + ": must be writable, but got: " + strerror(errno));
}

Result<MetricsFile> MetricsFile::open(const std::string &path, bool append) {
  MetricsFile result(path);
  if (path.empty())
    return result;
  if (append)
    PREC_RT_RETURN_IF_ERROR(mendEnd(path));
  result.file = fopen(path.c_str(), append ? "a" : "w");
  if (!result.file)
    return Status::ofErrno(
        errno, path + ": must be writable, but got: " + strerror(errno));
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
    return Status::ofErrno(
        errno, path + ": must be written in full, but got: " + strerror(errno));
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
    if (binding.role != Role::metric ||
        !session.manifest().buffers[binding.buffer].shape.empty())
      continue;
    float value = 0;
    PREC_RT_RETURN_IF_ERROR(
        session.device().download(binding.buffer, &value, sizeof value));
    line[binding.name] = value;
  }
  if (result.notFinite)
    line["skipped"] = *result.notFinite;
  if (result.crowded > 0)
    line["crowded"] = result.crowded;
  line["tokens"] = tokens;
  line["seconds"] = seconds;
  line["tokens_per_second"] = tokensPerSecond;
  return write(writeJson(line, -1));
}

Status MetricsFile::eval(int64_t step, double loss) {
  if (!file)
    return {};
  return write(writeJson({{"step", step}, {"eval_loss", loss}}, -1));
}

Status MetricsFile::recipe(int64_t step, const std::string &name) {
  if (!file)
    return {};
  return write(writeJson({{"step", step}, {"recipe", name}}, -1));
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
  return write(writeJson(line, -1));
}
