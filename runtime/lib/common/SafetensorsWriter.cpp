//===- SafetensorsWriter.cpp - writes safetensors files -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Safetensors.h"

#include "JsonFields.h"
#include "StateValues.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

using namespace prec::rt;

int64_t SafetensorsOutput::bytes() const {
  int64_t bytes = byteSize(dtype);
  for (int64_t dim : shape)
    bytes *= dim;
  return bytes;
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

Result<AtomicFile>
prec::rt::writeSafetensors(const std::string &path,
                           std::vector<SafetensorsOutput> tensors,
                           const std::map<std::string, std::string> &metadata) {
  // Wide dtypes first keeps every tensor aligned, as the reference writer does.
  std::sort(tensors.begin(), tensors.end(), [](const auto &a, const auto &b) {
    return std::make_pair(-byteSize(a.dtype), std::string_view(a.name)) <
           std::make_pair(-byteSize(b.dtype), std::string_view(b.name));
  });
  std::string header = makeHeader(tensors, metadata);
  if (Status status = checkHeader(tensors, header); !status.ok())
    return status.prefixed(path + ": ");
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file.ok())
    return file.status();
  char size[8];
  for (int i = 0; i < 8; ++i)
    size[i] = static_cast<char>(header.size() >> (8 * i));
  PREC_RT_RETURN_IF_ERROR(file->write(size, 8));
  PREC_RT_RETURN_IF_ERROR(file->write(header.data(), header.size()));
  constexpr int64_t chunkSize = 16 << 20;
  std::vector<char> chunk;
  for (const SafetensorsOutput &tensor : tensors) {
    int64_t bytes = tensor.bytes();
    for (int64_t offset = 0; offset < bytes; offset += chunkSize) {
      chunk.resize(std::min(chunkSize, bytes - offset));
      PREC_RT_RETURN_IF_ERROR(tensor.read(chunk.data(), chunk.size(), offset));
      PREC_RT_RETURN_IF_ERROR(file->write(chunk.data(), chunk.size()));
    }
  }
  PREC_RT_RETURN_IF_ERROR(file->finish());
  return std::move(*file);
}
