//===- TokenFile.cpp - batches out of a file of token ids -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts batches out of a file of token ids, 16 or 32 bits each. Position p of
// the training is token p modulo the number of starts, and a batch is the next
// n tokens from there, in the file's order: no shuffling, so a run can be
// repeated and resumed by its position alone. Labels are the same tokens,
// shifted by as many as the module says (often 1). How far that reads decides
// how many starts there are. All ids that the run will read are checked against
// the vocabulary before the first step, by ranges of the file.
//
//===----------------------------------------------------------------------===//

#include "TokenFile.h"

#include "AtomicFile.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace prec::rt;
using namespace prec::run;

Result<TokenFile> TokenFile::open(const std::string &path, bool wide,
                                  const LabelShifts &shifts) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  TokenFile result;
  int64_t size = file->size(), each = wide ? 4 : 2;
  if (size % each)
    return Status::badFile(path + ": size must be a multiple of " +
                           std::to_string(each) + " bytes, but got " +
                           std::to_string(size));
  result.path = path;
  result.file = std::move(*file);
  result.wide = wide;
  result.labelShifts = shifts;
  result.count = size / each;
  return result;
}

template <typename Id>
static Result<std::vector<int64_t>> readIdsOf(const InputFile &file,
                                              int64_t start, int64_t tokens) {
  constexpr int64_t size = sizeof(Id);
  std::vector<Id> ids(tokens);
  PREC_RT_RETURN_IF_ERROR(file.read(start * size, ids.data(), tokens * size));
  return std::vector<int64_t>(ids.begin(), ids.end());
}

Result<std::vector<int64_t>> TokenFile::readIds(int64_t start,
                                                int64_t tokens) const {
  return wide ? readIdsOf<uint32_t>(file, start, tokens)
              : readIdsOf<uint16_t>(file, start, tokens);
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
      return Status::invalidArgument(
          "inputs filled from token files must be token ids "
          "with a known vocabulary, but got '" +
          binding.name + "'; use the Python or C API");
    if (tokens && buffer.elements() != tokens)
      return Status::invalidArgument(
          "inputs filled from token files must be of one "
          "size, but '" +
          binding.name + "' has " + std::to_string(buffer.elements()) +
          " elements, not " + std::to_string(tokens));
    tokens = buffer.elements();
  }
  if (!tokens)
    return Status::invalidArgument(
        "module must have batch inputs, but has none");
  return tokens;
}

/// Why the shift of an input is not known, of a module that does not say it;
/// none where it is that of other inputs.
static std::optional<std::string> whyUnknown(const Manifest &manifest,
                                             const Binding &binding) {
  if (!binding.shiftUnknown.empty())
    return binding.shiftUnknown;
  bool hasLabels = false;
  int64_t inputs = 0;
  for (const Binding &other : manifest.bindings) {
    if (other.role != Role::batch)
      continue;
    ++inputs;
    hasLabels |= other.shift || other.ignoreIndex;
  }
  // Beside labels that are known as such inputs need not say it.
  if (inputs == 1 || (hasLabels && !binding.ignoreIndex))
    return std::nullopt;
  return "the module does not say it";
}

Result<std::vector<int64_t>> prec::run::findShifts(const Manifest &manifest,
                                                   const LabelShifts &given) {
  std::vector<int64_t> shifts(manifest.bindings.size());
  std::set<std::string> unused;
  for (const auto &[name, shift] : given.named)
    unused.insert(name);
  bool hasLabels = false;
  for (size_t i = 0; i < shifts.size(); ++i) {
    const Binding &binding = manifest.bindings[i];
    if (binding.role != Role::batch)
      continue;
    auto named = given.named.find(binding.name);
    unused.erase(binding.name);
    hasLabels |= binding.ignoreIndex.has_value();
    if (named != given.named.end())
      shifts[i] = named->second;
    else if (given.ofLabels && binding.ignoreIndex)
      shifts[i] = *given.ofLabels;
    else if (binding.shift)
      shifts[i] = *binding.shift;
    else if (auto why = whyUnknown(manifest, binding))
      return Status::invalidArgument(
          "prec-run must know how many tokens '" + binding.name +
          "' is ahead of the inputs, but " + *why + ": give --label-shift=" +
          (binding.ignoreIndex ? "" : binding.name + "=") +
          "N, or batches by prec.Module");
  }
  if (given.ofLabels && !hasLabels)
    return Status::invalidArgument(
        "--label-shift=N must be of a module that has an "
        "input of labels, but none is known as such: give "
        "--label-shift=NAME=N");
  if (!unused.empty())
    return Status::invalidArgument(
        "--label-shift must name a batch input of the module, "
        "but got '" +
        *unused.begin() + "'");
  return shifts;
}

Result<TokenFile::Starts> TokenFile::findStarts(const Session &session) const {
  Result<int64_t> tokens = tokensPerBatch(session);
  if (!tokens.ok())
    return tokens.status();
  Result<std::vector<int64_t>> shifts =
      findShifts(session.manifest(), labelShifts);
  if (!shifts.ok())
    return shifts.status();
  int64_t furthest = 1;
  for (int64_t shift : *shifts)
    furthest = std::max(furthest, shift);
  int64_t starts = count - *tokens - furthest;
  if (starts <= 0)
    return Status::badFile(
        path + ": must have more than " + std::to_string(*tokens + furthest) +
        " tokens for a batch, but got " + std::to_string(count));
  return Starts{*tokens, starts, *tokens + furthest + 1, std::move(*shifts)};
}

Status TokenFile::checkRange(const Session &session, const Starts &starts,
                             int64_t start, int64_t tokens) const {
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t input = 0; input < bindings.size(); ++input) {
    const Binding &binding = bindings[input];
    if (binding.role != Role::batch)
      continue;
    int64_t end =
        binding.vocabulary.value_or(std::numeric_limits<int32_t>::max());
    int64_t begin = start + starts.shifts[input];
    constexpr int64_t chunk = 1 << 20;
    for (int64_t at = begin; at < begin + tokens; at += chunk) {
      Result<std::vector<int64_t>> ids =
          readIds(at, std::min(chunk, begin + tokens - at));
      if (!ids.ok())
        return ids.status();
      for (size_t i = 0; i < ids->size(); ++i)
        if ((*ids)[i] >= end)
          return Status::badFile(path + ": token ids must lie in [0, " +
                                 std::to_string(end) + "), but got " +
                                 std::to_string((*ids)[i]) + " at position " +
                                 std::to_string(at + static_cast<int64_t>(i)));
    }
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
    return checkRange(session, *starts, 0, starts->count + starts->tokens - 1);
  for (int64_t i = 0; i < batches; ++i)
    PREC_RT_RETURN_IF_ERROR(checkRange(
        session, *starts, (position + i * starts->tokens) % starts->count,
        starts->tokens));
  return {};
}

Result<TokenFile::Batch> TokenFile::encode(const Session &session,
                                           int64_t position) const {
  Result<Starts> starts = findStarts(session);
  if (!starts.ok())
    return starts.status();
  int64_t start = position % starts->count;
  PREC_RT_RETURN_IF_ERROR(checkRange(session, *starts, start, starts->tokens));
  Batch batch;
  for (size_t i = 0; i < session.manifest().bindings.size(); ++i) {
    const Binding &binding = session.manifest().bindings[i];
    if (binding.role != Role::batch)
      continue;
    Result<std::vector<int64_t>> ids =
        readIds(start + starts->shifts[i], starts->tokens);
    if (!ids.ok())
      return ids.status();
    Result<std::vector<char>> bytes = session.encode(
        i, DType::i64, session.bufferOf(binding).shape, ids->data());
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
  std::string bytes(starts->length * width, '\0');
  PREC_RT_RETURN_IF_ERROR(file.read(position % starts->count * width,
                                    bytes.data(), starts->length * width));
  return writeAtomically(path, bytes);
}
