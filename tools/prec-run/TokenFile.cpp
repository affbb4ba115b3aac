//===- TokenFile.cpp - batches out of a file of token ids -----------------===//

#include "TokenFile.h"

#include "AtomicFile.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace prec::rt;
using namespace prec::run;

Result<TokenFile> TokenFile::open(const std::string &path, bool wide) {
  Result<MappedFile> file = MappedFile::open(path);
  if (!file.ok())
    return file.status();
  TokenFile result;
  int64_t size = file->bytes().size(), each = wide ? 4 : 2;
  if (size % each)
    return Status::error(path + ": size must be a multiple of " +
                         std::to_string(each) + " bytes, but got " +
                         std::to_string(size));
  result.path = path;
  result.file = std::move(*file);
  result.wide = wide;
  result.count = size / each;
  return result;
}

int64_t TokenFile::idAt(int64_t index) const {
  const char *bytes = file.bytes().data();
  if (wide) {
    uint32_t id;
    memcpy(&id, bytes + index * 4, 4);
    return id;
  }
  uint16_t id;
  memcpy(&id, bytes + index * 2, 2);
  return id;
}

Result<int64_t> prec::run::tokensPerBatch(const Session &session) {
  int64_t tokens = 0;
  for (const Binding &binding : session.manifest().bindings) {
    if (binding.role != Role::batch)
      continue;
    const Buffer &buffer = session.bufferOf(binding);
    bool ids = (buffer.dtype == DType::i32 || buffer.dtype == DType::i64) &&
               (binding.vocabulary || binding.ignoreIndex);
    if (!ids)
      return Status::error("inputs filled from token files must be token ids "
                           "with a known vocabulary, but got '" +
                           binding.name + "'; use the Python or C API");
    if (tokens && buffer.elements() != tokens)
      return Status::error("inputs filled from token files must be of one "
                           "size, but '" +
                           binding.name + "' has " +
                           std::to_string(buffer.elements()) +
                           " elements, not " + std::to_string(tokens));
    tokens = buffer.elements();
  }
  if (!tokens)
    return Status::error("module must have batch inputs, but has none");
  return tokens;
}

Result<TokenFile::Starts> TokenFile::findStarts(const Session &session) const {
  Result<int64_t> tokens = tokensPerBatch(session);
  if (!tokens.ok())
    return tokens.status();
  int64_t furthest = 1;
  for (const Binding &binding : session.manifest().bindings)
    furthest = std::max(furthest, binding.shift);
  int64_t starts = count - *tokens - furthest;
  if (starts <= 0)
    return Status::error(
        path + ": must have more than " + std::to_string(*tokens + furthest) +
        " tokens for a batch, but got " + std::to_string(count));
  return Starts{*tokens, starts, *tokens + furthest + 1};
}

Status TokenFile::checkRange(const Session &session, int64_t start,
                             int64_t tokens) const {
  for (const Binding &binding : session.manifest().bindings) {
    if (binding.role != Role::batch)
      continue;
    int64_t end =
        binding.vocabulary.value_or(std::numeric_limits<int32_t>::max());
    int64_t begin = start + binding.shift;
    for (int64_t i = begin; i < begin + tokens; ++i)
      if (idAt(i) >= end)
        return Status::error(path + ": token ids must lie in [0, " +
                             std::to_string(end) + "), but got " +
                             std::to_string(idAt(i)) + " at position " +
                             std::to_string(i));
  }
  return {};
}

Status TokenFile::check(const Session &session, int64_t position,
                        int64_t batches) const {
  Result<Starts> starts = findStarts(session);
  if (!starts.ok())
    return starts.status();
  // More batches than the file has: they read all of it.
  if (batches > starts->count / starts->tokens)
    return checkRange(session, 0, starts->count + starts->tokens - 1);
  for (int64_t i = 0; i < batches; ++i)
    PREC_RT_RETURN_IF_ERROR(
        checkRange(session, (position + i * starts->tokens) % starts->count,
                   starts->tokens));
  return {};
}

Result<TokenFile::Batch> TokenFile::encode(const Session &session,
                                           int64_t position) const {
  Result<Starts> starts = findStarts(session);
  if (!starts.ok())
    return starts.status();
  int64_t start = position % starts->count;
  PREC_RT_RETURN_IF_ERROR(checkRange(session, start, starts->tokens));
  std::vector<int64_t> ids(starts->tokens);
  Batch batch;
  for (size_t i = 0; i < session.manifest().bindings.size(); ++i) {
    const Binding &binding = session.manifest().bindings[i];
    if (binding.role != Role::batch)
      continue;
    for (int64_t j = 0; j < starts->tokens; ++j)
      ids[j] = idAt(start + binding.shift + j);
    Result<std::vector<char>> bytes = session.encode(
        i, DType::i64, session.bufferOf(binding).shape, ids.data());
    if (!bytes.ok())
      return bytes.status();
    batch.emplace_back(i, std::move(*bytes));
  }
  return batch;
}

Status prec::run::writeBatch(Session &session, const TokenFile::Batch &batch) {
  for (const auto &[binding, bytes] : batch)
    PREC_RT_RETURN_IF_ERROR(session.write(binding, bytes));
  return {};
}

Status TokenFile::setBatch(Session &session, int64_t position) const {
  Result<Batch> batch = encode(session, position);
  return batch.ok() ? writeBatch(session, *batch) : batch.status();
}

Status TokenFile::saveBatch(const Session &session, int64_t position,
                            const std::string &path) const {
  Result<Starts> starts = findStarts(session);
  if (!starts.ok())
    return starts.status();
  int64_t width = wide ? 4 : 2;
  return writeAtomically(path,
                         file.bytes().substr(position % starts->count * width,
                                             starts->length * width));
}
