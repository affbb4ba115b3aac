//===- TokenFile.cpp - batches out of files of token ids ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts batches out of files of token ids, 16 or 32 bits each. In the files'
// order position p of the training is token p modulo the number of starts, and
// a batch is the next n tokens from there. Shuffled, position p is a place in
// an order of windows, which follows from the seed (Shuffle.h), and a batch is
// a window for each of its rows. Either way a run can be repeated, and resumed
// by its position alone. Labels are the same tokens, shifted by as many as the
// module says (often 1). How far that reads decides how many starts and windows
// there are. All ids that the run will read are checked against the vocabulary
// before the first step, by ranges of the files.
//
//===----------------------------------------------------------------------===//

#include "TokenFile.h"

#include "AtomicFile.h"
#include "Sha256.h"
#include "Shuffle.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include <glob.h>
#include <unistd.h>

using namespace prec::rt;
using namespace prec::run;

std::vector<std::string> prec::run::findTokenFiles(const std::string &pattern) {
  bool isPattern = pattern.find_first_of("*?[") != std::string::npos;
  if (!isPattern || access(pattern.c_str(), F_OK) == 0)
    return {pattern};
  glob_t found{};
  std::vector<std::string> paths;
  if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  return paths;
}

/// The text between `begin` and `end`, or nothing.
static std::string between(const std::string &text, const std::string &begin,
                           const std::string &end) {
  size_t from = text.find(begin);
  if (from == std::string::npos)
    return {};
  from += begin.size();
  size_t to = text.find(end, from);
  return to == std::string::npos ? "" : text.substr(from, to - from);
}

namespace {

/// What the header of a .npy says.
struct NpyHeader {
  int64_t bytes; ///< its own
  int64_t width; ///< of an id
  int64_t count;
};

} // namespace

/// NumPy's format: a magic text, two bytes of version, the length of a Python
/// literal (16 bits in version 1, else 32), and the literal.
static Result<NpyHeader> readNpyHeader(const InputFile &file,
                                       const std::string &path) {
  const std::string rule =
      path + ": must be a .npy of one dimension of '<u2' or '<u4', but got ";
  unsigned char begin[12] = {};
  if (file.size() < static_cast<int64_t>(sizeof begin))
    return Status::badFile(rule + std::to_string(file.size()) + " bytes");
  PREC_RT_RETURN_IF_ERROR(file.read(0, begin, sizeof begin));
  if (memcmp(begin, "\x93NUMPY", 6) != 0 || begin[6] < 1 || begin[6] > 3)
    return Status::badFile(rule + "another format");
  bool isShort = begin[6] == 1;
  int64_t start = isShort ? 10 : 12;
  int64_t length = begin[8] | begin[9] << 8;
  if (!isShort)
    length |= int64_t(begin[10]) << 16 | int64_t(begin[11]) << 24;
  if (length > 1 << 16 || start + length > file.size())
    return Status::badFile(rule + "a header of " + std::to_string(length) +
                           " bytes");
  std::string text(length, '\0');
  PREC_RT_RETURN_IF_ERROR(file.read(start, text.data(), length));
  std::string dtype = between(text, "'descr': '", "'");
  std::string shape = between(text, "'shape': (", ")");
  int64_t width = dtype == "<u2" ? 2 : dtype == "<u4" ? 4 : 0;
  size_t digits = shape.find_first_not_of("0123456789");
  if (!width || digits == 0 || digits > 18 || shape.substr(digits) != ",")
    return Status::badFile(rule + "'" + dtype + "' of shape (" + shape + ")");
  NpyHeader header{start + length, width, std::stoll(shape.substr(0, digits))};
  if (header.bytes + header.count * width != file.size())
    return Status::badFile(path + ": must have the " +
                           std::to_string(header.count) +
                           " ids that its header says, but got " +
                           std::to_string(file.size()) + " bytes");
  return header;
}

Result<TokenFile::Shard> TokenFile::openShard(const std::string &path,
                                              bool wide) {
  Result<InputFile> file = InputFile::open(path);
  if (!file.ok())
    return file.status();
  Shard shard;
  shard.path = path;
  shard.file = std::move(*file);
  int64_t size = shard.file.size();
  shard.width = wide ? 4 : 2;
  if (path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0) {
    Result<NpyHeader> header = readNpyHeader(shard.file, path);
    if (!header.ok())
      return header.status();
    shard.header = header->bytes;
    shard.width = header->width;
    shard.count = header->count;
    return shard;
  }
  if (size % shard.width)
    return Status::badFile(path + ": size must be a multiple of " +
                           std::to_string(shard.width) + " bytes, but got " +
                           std::to_string(size));
  shard.count = size / shard.width;
  return shard;
}

Result<TokenFile> TokenFile::open(const TokenSource &source) {
  TokenFile result;
  result.labelShifts = source.labelShifts;
  result.seed = source.seed;
  for (const std::string &pattern : source.paths) {
    std::vector<std::string> paths = findTokenFiles(pattern);
    if (paths.empty())
      return Status::badFile(pattern + ": must match files, but got none");
    for (const std::string &path : paths) {
      Result<Shard> shard = openShard(path, source.wide);
      if (!shard.ok())
        return shard.status();
      shard->first = result.count;
      result.count += shard->count;
      result.shards.push_back(std::move(*shard));
    }
  }
  return result;
}

std::string TokenFile::name() const {
  std::string name = shards.front().path;
  if (shards.size() > 1)
    name += " and " + std::to_string(shards.size() - 1) + " more";
  return name;
}

/// The last one that starts at or in front of the place.
const TokenFile::Shard &TokenFile::shardAt(int64_t place) const {
  auto after = std::upper_bound(
      shards.begin(), shards.end(), place,
      [](int64_t at, const Shard &shard) { return at < shard.first; });
  return *std::prev(after);
}

template <typename Id>
static Status addIds(const InputFile &file, int64_t offset, int64_t tokens,
                     std::vector<int64_t> &ids) {
  std::vector<Id> read(tokens);
  PREC_RT_RETURN_IF_ERROR(file.read(offset, read.data(),
                                    tokens * static_cast<int64_t>(sizeof(Id))));
  ids.insert(ids.end(), read.begin(), read.end());
  return {};
}

Result<std::vector<int64_t>> TokenFile::readIds(int64_t start,
                                                int64_t tokens) const {
  std::vector<int64_t> ids;
  ids.reserve(tokens);
  while (tokens > 0) {
    const Shard &shard = shardAt(start);
    int64_t inside = start - shard.first;
    int64_t part = std::min(tokens, shard.count - inside);
    int64_t offset = shard.header + inside * shard.width;
    PREC_RT_RETURN_IF_ERROR(
        shard.width == 4 ? addIds<uint32_t>(shard.file, offset, part, ids)
                         : addIds<uint16_t>(shard.file, offset, part, ids));
    start += part;
    tokens -= part;
  }
  return ids;
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

/// Tokens of a row: the last dimension of the inputs that have the most.
static int64_t findRowLength(const Session &session) {
  std::vector<int64_t> shape;
  for (const Binding &binding : session.manifest().bindings)
    if (binding.role == Role::batch &&
        session.bufferOf(binding).shape.size() > shape.size())
      shape = session.bufferOf(binding).shape;
  return shape.empty() ? 1 : shape.back();
}

Result<TokenFile::Rows> TokenFile::findRows(const Session &session) const {
  Result<int64_t> tokens = tokensPerBatch(session);
  if (!tokens.ok())
    return tokens.status();
  Result<std::vector<int64_t>> shifts =
      findShifts(session.manifest(), labelShifts);
  if (!shifts.ok())
    return shifts.status();
  Rows rows;
  rows.tokens = *tokens;
  rows.length = seed ? findRowLength(session) : *tokens;
  rows.furthest = seed ? 0 : 1;
  for (int64_t shift : *shifts)
    rows.furthest = std::max(rows.furthest, shift);
  rows.shifts = std::move(*shifts);
  rows.starts = count - rows.tokens - rows.furthest;
  if (!seed && rows.starts <= 0)
    return Status::badFile(name() + ": must have more than " +
                           std::to_string(rows.tokens + rows.furthest) +
                           " tokens for a batch, but got " +
                           std::to_string(count));
  for (const Shard &shard : shards) {
    rows.windows.push_back(std::max<int64_t>(0, shard.count - rows.furthest) /
                           rows.length);
    rows.allWindows += rows.windows.back();
  }
  if (seed && rows.allWindows == 0)
    return Status::badFile(
        name() + ": must have " + std::to_string(rows.length + rows.furthest) +
        " tokens in a file for a row, but got " + std::to_string(count));
  return rows;
}

std::vector<int64_t> TokenFile::startsOf(const Rows &rows,
                                         int64_t position) const {
  if (!seed)
    return {position % rows.starts};
  std::vector<int64_t> starts;
  for (int64_t row = 0; row < rows.tokens / rows.length; ++row) {
    int64_t window =
        windowAt(*seed, rows.allWindows, position / rows.length + row);
    size_t shard = 0;
    while (window >= rows.windows[shard])
      window -= rows.windows[shard++];
    starts.push_back(shards[shard].first + window * rows.length);
  }
  return starts;
}

Status TokenFile::checkRange(const Session &session, const Rows &rows,
                             int64_t start, int64_t tokens) const {
  const std::vector<Binding> &bindings = session.manifest().bindings;
  for (size_t input = 0; input < bindings.size(); ++input) {
    const Binding &binding = bindings[input];
    if (binding.role != Role::batch)
      continue;
    int64_t end =
        binding.vocabulary.value_or(std::numeric_limits<int32_t>::max());
    int64_t begin = start + rows.shifts[input];
    constexpr int64_t chunk = 1 << 20;
    for (int64_t at = begin; at < begin + tokens; at += chunk) {
      Result<std::vector<int64_t>> ids =
          readIds(at, std::min(chunk, begin + tokens - at));
      if (!ids.ok())
        return ids.status();
      for (size_t i = 0; i < ids->size(); ++i) {
        if ((*ids)[i] < end)
          continue;
        int64_t place = at + static_cast<int64_t>(i);
        const Shard &shard = shardAt(place);
        return Status::badFile(shard.path + ": token ids must lie in [0, " +
                               std::to_string(end) + "), but got " +
                               std::to_string((*ids)[i]) + " at position " +
                               std::to_string(place - shard.first));
      }
    }
  }
  return {};
}

Status TokenFile::check(const Session &session, int64_t position,
                        int64_t batches) const {
  Result<Rows> rows = findRows(session);
  if (!rows.ok())
    return rows.status();
  if (seed && position % rows->length)
    return Status::invalidArgument(
        "--shuffle must go on at a whole window of " +
        std::to_string(rows->length) + " tokens, but got position " +
        std::to_string(position));
  // More batches than the files have: they read all of them.
  if (!seed && batches > rows->starts / rows->tokens)
    return checkRange(session, *rows, 0, rows->starts + rows->tokens - 1);
  if (seed && batches >= rows->allWindows / (rows->tokens / rows->length)) {
    for (size_t i = 0; i < shards.size(); ++i)
      PREC_RT_RETURN_IF_ERROR(checkRange(session, *rows, shards[i].first,
                                         rows->windows[i] * rows->length));
    return {};
  }
  for (int64_t i = 0; i < batches; ++i)
    for (int64_t start : startsOf(*rows, position + i * rows->tokens))
      PREC_RT_RETURN_IF_ERROR(checkRange(session, *rows, start, rows->length));
  return {};
}

Result<TokenFile::Batch> TokenFile::encode(const Session &session,
                                           int64_t position) const {
  Result<Rows> rows = findRows(session);
  if (!rows.ok())
    return rows.status();
  std::vector<int64_t> starts = startsOf(*rows, position);
  for (int64_t start : starts)
    PREC_RT_RETURN_IF_ERROR(checkRange(session, *rows, start, rows->length));
  Batch batch;
  for (size_t i = 0; i < session.manifest().bindings.size(); ++i) {
    const Binding &binding = session.manifest().bindings[i];
    if (binding.role != Role::batch)
      continue;
    std::vector<int64_t> ids;
    for (int64_t start : starts) {
      Result<std::vector<int64_t>> row =
          readIds(start + rows->shifts[i], rows->length);
      if (!row.ok())
        return row.status();
      ids.insert(ids.end(), row->begin(), row->end());
    }
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
  Result<Rows> rows = findRows(session);
  if (!rows.ok())
    return rows.status();
  Result<std::vector<int64_t>> ids =
      readIds(position % rows->starts, rows->tokens + rows->furthest + 1);
  if (!ids.ok())
    return ids.status();
  std::string bytes;
  for (int64_t id : *ids)
    for (int64_t i = 0; i < shards.front().width; ++i)
      bytes += static_cast<char>(id >> (8 * i));
  return writeAtomically(path, bytes);
}

/// Of each file its number of ids, and of up to this many ids at each of this
/// many places: reading all of a large one would take minutes.
static constexpr int64_t kSampled = 1024, kPlaces = 64;

Result<std::string> TokenFile::describeOrder(const Session &session) const {
  if (!seed)
    return std::string();
  Result<Rows> rows = findRows(session);
  if (!rows.ok())
    return rows.status();
  Sha256 hash;
  for (const Shard &shard : shards) {
    std::string text = std::to_string(shard.count) + "\n";
    for (int64_t i = 0; i < kPlaces; ++i) {
      int64_t from = shard.count / kPlaces * i;
      Result<std::vector<int64_t>> ids =
          readIds(shard.first + from, std::min(kSampled, shard.count - from));
      if (!ids.ok())
        return ids.status();
      for (int64_t id : *ids)
        for (int byte = 0; byte < 4; ++byte)
          text += static_cast<char>(id >> (8 * byte));
    }
    hash.update(text);
  }
  std::string hex;
  for (uint8_t byte : hash.finish()) {
    char digits[3];
    snprintf(digits, sizeof digits, "%02x", byte);
    hex += digits;
  }
  return "windows of " + std::to_string(rows->length) + " tokens and " +
         std::to_string(rows->furthest) + " behind, seed " +
         std::to_string(*seed) + ", data " + hex;
}

Status TokenFile::checkOrder(const Session &session,
                             const std::string &before) const {
  Result<std::string> order = describeOrder(session);
  if (!order.ok())
    return order.status();
  auto orFiles = [](const std::string &text) {
    return text.empty() ? "the order of the files" : text;
  };
  if (*order == before)
    return {};
  return Status::invalidArgument(
      "--resume must go on with the data and the order of the checkpoint (" +
      orFiles(before) + "), but got " + orFiles(*order) +
      "; --weights begins anew");
}
