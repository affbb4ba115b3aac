//===- Safetensors.cpp - reads safetensors files --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads safetensors files, which may come from anywhere. The header is read as
// events, not as a tree, so that a hostile one cannot take many times its size
// in memory and names that are given twice are seen. Then each tensor is
// checked (dtype, shape, offsets that agree), and the data of all tensors must
// tile the rest of the file without gap or overlap, so nothing can hide in it.
// Only then is the data read. All errors of a file are reported together, of
// very many the first thousand.
//
//===----------------------------------------------------------------------===//

#include "Safetensors.h"

#include "StateValues.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <set>

using namespace prec::rt;
using nlohmann::json;

namespace {

struct FileDType {
  std::string_view name;
  int64_t bytes;
  std::optional<DType> dtype;
};

constexpr FileDType fileDTypes[] = {
    {"F32", 4, DType::f32},        {"BF16", 2, DType::bf16},
    {"F16", 2, DType::f16},        {"F8_E4M3", 1, DType::f8E4M3FN},
    {"F8_E5M2", 1, DType::f8E5M2}, {"BOOL", 1, DType::i1},
    {"I8", 1, DType::i8},          {"I32", 4, DType::i32},
    {"I64", 8, DType::i64},        {"F64", 8, std::nullopt},
    {"I16", 2, std::nullopt},      {"U8", 1, std::nullopt},
    {"U16", 2, std::nullopt},      {"U32", 4, std::nullopt},
    {"U64", 8, std::nullopt},      {"F8_E8M0", 1, DType::f8E8M0FNU}};

struct HeaderTensor {
  std::string name, dtype;
  std::optional<std::vector<uint64_t>> shape, offsets;
};

/// Reads the header as events: a document tree would let a hostile header of
/// 100 MB grow to many gigabytes, and would forget duplicate names.
class HeaderReader : public nlohmann::json_sax<json> {
public:
  std::vector<HeaderTensor> tensors;
  std::map<std::string, std::string> metadata;
  std::string error;

  bool key(string_t &text) override {
    bool isMetadata = depth == 1 && text == "__metadata__";
    if (Status status = checkTensorName(isMetadata ? "" : text); !status.ok())
      return fail(status.message());
    if (!keys[depth].insert(text).second)
      return fail("names must be unique, but got " + shown(text) + " twice");
    if (depth == 1) {
      inMetadata = text == "__metadata__";
      if (!inMetadata)
        tensors.emplace_back().name = text;
    }
    field = text;
    return true;
  }
  bool start_object(std::size_t) override {
    if (inArray || depth == 2)
      return fail("must have objects of two levels, but got a deeper one");
    keys[++depth].clear();
    return true;
  }
  bool end_object() override {
    --depth;
    return true;
  }
  bool start_array(std::size_t) override {
    if (depth != 2 || inArray || inMetadata)
      return fail("arrays must be shapes and offsets, but got another");
    inArray = true;
    array.clear();
    return true;
  }
  bool end_array() override {
    inArray = false;
    if (field == "shape")
      tensors.back().shape = array;
    else if (field == "data_offsets")
      tensors.back().offsets = array;
    return true;
  }
  bool string(string_t &text) override {
    if (depth != 2 || inArray)
      return fail("tensors must be objects, but got a string");
    if (inMetadata)
      metadata[field] = text;
    else if (field == "dtype")
      tensors.back().dtype = text;
    return true;
  }
  bool number_unsigned(number_unsigned_t number) override {
    if (!inArray)
      return fail("numbers must stand in shapes and offsets, but got " +
                  std::to_string(number));
    array.push_back(number);
    return true;
  }
  bool number_integer(number_integer_t number) override {
    return fail("shapes and offsets must not be negative, but got " +
                std::to_string(number));
  }
  bool number_float(number_float_t, const string_t &text) override {
    return fail("shapes and offsets must be integers, but got " + text);
  }
  bool null() override { return fail("values must not be null"); }
  bool boolean(bool) override { return fail("values must not be booleans"); }
  bool binary(binary_t &) override { return fail("values must be text"); }
  bool parse_error(std::size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    return fail("header must be valid JSON, but got a syntax error at byte " +
                std::to_string(position));
  }

private:
  static std::string shown(const std::string &text) {
    return "'" + text.substr(0, 200) + "'";
  }
  bool fail(const std::string &message) {
    std::string place = tensors.empty() || depth < 2 || inMetadata
                            ? ""
                            : "tensor " + shown(tensors.back().name) + ": ";
    if (error.empty())
      error = place + message;
    return false;
  }

  int depth = 0;
  bool inArray = false, inMetadata = false;
  std::string field;
  std::vector<uint64_t> array;
  std::set<std::string> keys[3];
};

std::string listed(const std::vector<uint64_t> &values) {
  std::string text = "[";
  for (uint64_t value : values)
    if (text.size() > 200)
      return text + ", ...]";
    else
      text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + "]";
}

/// Lines of what is wrong; of very many the first.
class Errors {
public:
  bool empty() const { return count == 0; }
  void add(const std::string &line) {
    if (++count <= kMost)
      lines += (lines.empty() ? "" : "\n") + line;
  }
  std::string text() const {
    return count <= kMost ? lines
                          : lines + "\nand " + std::to_string(count - kMost) +
                                " more are wrong";
  }

private:
  static constexpr int64_t kMost = 1000;
  int64_t count = 0;
  std::string lines;
};

/// What is wrong with one tensor; empty if nothing.
std::string checkTensor(const HeaderTensor &tensor, std::string_view data,
                        SafetensorsEntry &entry) {
  const FileDType *dtype =
      std::find_if(std::begin(fileDTypes), std::end(fileDTypes),
                   [&](const FileDType &d) { return d.name == tensor.dtype; });
  if (dtype == std::end(fileDTypes))
    return "dtype must be one of safetensors', but got '" +
           tensor.dtype.substr(0, 40) + "'";
  if (!tensor.shape || !tensor.offsets || tensor.offsets->size() != 2)
    return "must have shape and two data_offsets, but has not";
  uint64_t begin = (*tensor.offsets)[0], end = (*tensor.offsets)[1];
  if (begin > end)
    return "data_offsets must ascend, but got " + listed(*tensor.offsets);
  if (end > data.size())
    return "data_offsets must lie in " + std::to_string(data.size()) +
           " bytes of data, but got " + listed(*tensor.offsets);
  uint64_t bytes = dtype->bytes;
  bool overflow = false;
  for (uint64_t dim : *tensor.shape)
    overflow |=
        dim > uint64_t(1) << 62 || __builtin_mul_overflow(bytes, dim, &bytes);
  if (overflow)
    return "shape times dtype must fit 64 bits, but got " +
           listed(*tensor.shape);
  if (bytes != end - begin)
    return "shape times dtype must equal the bytes of data_offsets, but got " +
           std::to_string(bytes) + " and " + std::to_string(end - begin);
  entry.name = tensor.name;
  entry.dtypeName = tensor.dtype;
  entry.dtype = dtype->dtype;
  entry.shape.assign(tensor.shape->begin(), tensor.shape->end());
  entry.data = data.substr(begin, bytes);
  return {};
}

/// The data of all tensors must tile the rest of the file: a gap or an overlap
/// means that something hides there.
void checkTiling(const std::vector<SafetensorsEntry> &tensors,
                 std::string_view data, Errors &errors) {
  std::vector<const SafetensorsEntry *> order;
  for (const SafetensorsEntry &tensor : tensors)
    order.push_back(&tensor);
  auto begin = [&](const SafetensorsEntry *tensor) {
    return static_cast<uint64_t>(tensor->data.data() - data.data());
  };
  std::sort(order.begin(), order.end(), [&](auto *a, auto *b) {
    return std::make_pair(begin(a), a->data.size()) <
           std::make_pair(begin(b), b->data.size());
  });
  uint64_t reached = 0;
  for (const SafetensorsEntry *tensor : order) {
    if (begin(tensor) != reached)
      errors.add("tensor '" + tensor->name + "': data must begin at " +
                 std::to_string(reached) +
                 " where the previous tensor ends, but " +
                 (begin(tensor) < reached ? "overlaps it at "
                                          : "leaves a gap until ") +
                 std::to_string(begin(tensor)));
    reached = std::max<uint64_t>(reached, begin(tensor) + tensor->data.size());
  }
  if (reached != data.size())
    errors.add("data must end with the last tensor, but " +
               std::to_string(data.size() - reached) + " bytes trail");
}

} // namespace

std::string_view prec::rt::safetensorsName(DType dtype) {
  for (const FileDType &entry : fileDTypes)
    if (entry.dtype == dtype)
      return entry.name;
  return "";
}

Status SafetensorsFile::parse(const InputFile &file) {
  uint64_t size = file.size();
  if (size < 8)
    return Status::badFile(
        "must be a safetensors file of at least 8 bytes, but "
        "got " +
        std::to_string(size));
  unsigned char first[8];
  PREC_RT_RETURN_IF_ERROR(file.read(0, first, sizeof first));
  uint64_t headerSize = 0;
  for (int i = 7; i >= 0; --i)
    headerSize = headerSize << 8 | first[i];
  if (headerSize > kMaxSafetensorsHeader)
    return Status::badFile("header must be at most " +
                           std::to_string(kMaxSafetensorsHeader) +
                           " bytes, but got " + std::to_string(headerSize));
  if (headerSize > size - 8)
    return Status::badFile("header of " + std::to_string(headerSize) +
                           " bytes must lie in the file, but it has " +
                           std::to_string(size) + " bytes");
  std::string header(headerSize, '\0');
  PREC_RT_RETURN_IF_ERROR(
      file.read(8, header.data(), static_cast<int64_t>(headerSize)));
  if (header.empty() || header[0] != '{')
    return Status::badFile("header must be a JSON object, but is not");
  HeaderReader reader;
  if (!json::sax_parse(header.begin(), header.end(), &reader))
    return Status::badFile(reader.error);
  extra = std::move(reader.metadata);
  // Not touched before the header has proven right.
  uint64_t dataSize = size - 8 - headerSize;
  memory.reset(new char[dataSize]);
  std::string_view data(memory.get(), dataSize);

  Errors errors;
  for (const HeaderTensor &tensor : reader.tensors) {
    SafetensorsEntry entry;
    std::string message = checkTensor(tensor, data, entry);
    if (message.empty())
      tensors.push_back(std::move(entry));
    else
      errors.add("tensor '" + tensor.name.substr(0, 200) + "': " + message);
  }
  if (errors.empty())
    checkTiling(tensors, data, errors);
  if (!errors.empty())
    return Status::badFile(errors.text());
  return file.read(static_cast<int64_t>(8 + headerSize), memory.get(),
                   static_cast<int64_t>(dataSize));
}

Result<SafetensorsFile> SafetensorsFile::open(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  SafetensorsFile result;
  Status status = result.parse(*file);
  if (status.ok())
    return result;
  if (status.message().starts_with(path + ": "))
    return status;
  // One path a line, so that every line stands for itself.
  std::string lines = path + ": ";
  for (char character : status.message())
    lines += character == '\n' ? "\n" + path + ": " : std::string(1, character);
  return Status::badFile(lines);
}
