//===- SafetensorsWriter.cpp - writes safetensors files -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Safetensors.h"

#include "Communicator.h"
#include "JsonFields.h"
#include "StateValues.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

using namespace prec::rt;

int64_t SafetensorsOutput::bytes() const {
  return countElements(shape) * byteSize(dtype);
}

int64_t SafetensorsOutput::ownBytes() const {
  return slice ? slice->elements() * byteSize(dtype) : bytes();
}

/// What readers refuse is not written.
static Status checkHeader(const std::vector<SafetensorsOutput> &tensors,
                          const std::string &header) {
  std::set<std::string_view> names;
  for (const SafetensorsOutput &tensor : tensors) {
    PREC_RT_RETURN_IF_ERROR(checkTensorName(tensor.name));
    if (!names.insert(tensor.name).second)
      return Status::internal("names must be unique, but got '" + tensor.name +
                              "' twice");
  }
  if (header.size() > kMaxSafetensorsHeader)
    return Status::unsupported(
        "header must be at most " + std::to_string(kMaxSafetensorsHeader) +
        " bytes, but got " + std::to_string(header.size()));
  return {};
}

static std::string makeHeader(const std::vector<SafetensorsOutput> &tensors,
                              const std::map<std::string, std::string> &extra) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!extra.empty())
    header["__metadata__"] = extra;
  int64_t offset = 0;
  for (const SafetensorsOutput &tensor : tensors) {
    int64_t bytes = tensor.bytes();
    header[tensor.name] = {{"dtype", safetensorsName(tensor.dtype)},
                           {"shape", tensor.shape},
                           {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = writeJson(header, -1);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

/// Writes what this process has of a tensor whose bytes begin at `start` of the
/// file.
static Status writeTensor(AtomicFile &file, const SafetensorsOutput &tensor,
                          int64_t start) {
  // Of every dtype whole elements.
  constexpr int64_t chunkSize = 16 << 20;
  std::vector<char> chunk;
  const int64_t size = byteSize(tensor.dtype);
  const Slice all = Slice::all(countElements(tensor.shape));
  const Slice &slice = tensor.slice ? *tensor.slice : all;
  int64_t bytes = tensor.ownBytes();
  for (int64_t offset = 0; offset < bytes; offset += chunkSize) {
    chunk.resize(std::min(chunkSize, bytes - offset));
    PREC_RT_RETURN_IF_ERROR(tensor.read(chunk.data(), chunk.size(), offset));
    PREC_RT_RETURN_IF_ERROR(slice.visit(
        offset / size, static_cast<int64_t>(chunk.size()) / size,
        [&](int64_t element, int64_t at, int64_t count) {
          return file.writeAt(start + at * size,
                              chunk.data() + element * size - offset,
                              count * size);
        }));
  }
  return {};
}

/// `isFirst`: of the process that writes the header and what all have.
static Status writeAll(AtomicFile &file, const std::string &header,
                       const std::vector<SafetensorsOutput> &tensors,
                       bool isFirst) {
  std::string head;
  for (int i = 0; i < 8; ++i)
    head += static_cast<char>(header.size() >> (8 * i));
  head += header;
  auto start = static_cast<int64_t>(head.size());
  if (isFirst)
    PREC_RT_RETURN_IF_ERROR(file.writeAt(0, head.data(), start));
  for (const SafetensorsOutput &tensor : tensors) {
    if (isFirst || tensor.slice)
      PREC_RT_RETURN_IF_ERROR(writeTensor(file, tensor, start));
    start += tensor.bytes();
  }
  return file.finish();
}

/// The file that rank 0 creates, on all ranks; the error of rank 0 is that of
/// all, and so is that of a rank that does not find it.
static Result<AtomicFile> createTogether(const std::string &path,
                                         Communicator &ranks) {
  constexpr int64_t longestPath = 8192;
  std::optional<Result<AtomicFile>> file;
  std::string said;
  if (ranks.rank() == 0) {
    file.emplace(AtomicFile::create(path));
    std::error_code ignored;
    said = file->ok()
               ? std::filesystem::absolute((*file)->temporaryPath(), ignored)
                     .string()
               : "";
  }
  Result<std::vector<std::string>> names =
      gatherTexts(ranks, said, longestPath);
  if (!names.ok())
    return names.status();
  if (ranks.rank() != 0 && !names->front().empty())
    file.emplace(AtomicFile::join(path, names->front()));
  Status own = file ? (file->ok() ? Status() : file->status()) : Status();
  PREC_RT_RETURN_IF_ERROR(agree(ranks, own));
  return std::move(*file);
}

Result<AtomicFile> prec::rt::writeSafetensors(
    const std::string &path, std::vector<SafetensorsOutput> tensors,
    const std::map<std::string, std::string> &metadata, Communicator *ranks) {
  // Wide dtypes first keeps every tensor aligned, as the reference writer does.
  std::sort(tensors.begin(), tensors.end(), [](const auto &a, const auto &b) {
    return std::make_pair(-byteSize(a.dtype), std::string_view(a.name)) <
           std::make_pair(-byteSize(b.dtype), std::string_view(b.name));
  });
  std::string header = makeHeader(tensors, metadata);
  // The same on all ranks.
  if (Status status = checkHeader(tensors, header); !status.ok())
    return status.prefixed(path + ": ");
  Result<AtomicFile> file =
      ranks ? createTogether(path, *ranks) : AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  Status written =
      writeAll(*file, header, tensors, !ranks || ranks->rank() == 0);
  PREC_RT_RETURN_IF_ERROR(ranks ? agree(*ranks, written) : written);
  return std::move(*file);
}
