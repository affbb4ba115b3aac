//===- StepFloor.cpp - what a step takes at least -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepFloor.h"

#include "ProfileModel.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace prec::rt;
using namespace prec::run;

double StepFloor::replayedSeconds() const {
  double sum = 0;
  for (const std::optional<double> &seconds : replayed)
    sum += seconds.value_or(0);
  return sum;
}

int64_t StepFloor::totalBytes() const {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t(0));
}

bool prec::run::isReplayed(CommandKind kind) {
  return isLibrary(kind) || kind == CommandKind::groupedGemm;
}

namespace {

/// What of a piece is counted: of each `stride` bytes of the segment the runs
/// from a first to a last byte.
struct Counted {
  int64_t stride = 1;
  std::map<int64_t, int64_t> runs{}; ///< apart, by their first byte: the end

  int64_t bytesOf(int64_t size) const;
  void add(int64_t begin, int64_t end);
};

/// A range of bytes of a segment with one value from one command.
struct Piece {
  std::optional<size_t> writer;    ///< none: from before the step
  bool isWritten = false;          ///< counted at its writer
  std::map<int, Counted> readAt{}; ///< by the level that it was counted at
};

/// Of bytes that are read in runs: where those lie in each `stride` bytes of
/// the segment. All of them, unless said otherwise.
struct Rhythm {
  int64_t stride = 1, begin = 0, end = 1;
};

/// The values that a segment holds at a point of the step, by the offset of
/// their first byte. Buffers share bytes, over time and as parts of each other,
/// so a value is known by its bytes and not by its buffer.
using Pieces = std::map<int64_t, Piece>;

class UnavoidableBytes {
public:
  explicit UnavoidableBytes(const Manifest &manifest)
      : manifest(manifest), commands(manifest.commands("step")),
        levels(commands.size()), bytes(commands.size()) {
    for (Pieces &pieces : segments)
      pieces.emplace(0, Piece());
  }

  std::vector<int64_t> compute();

private:
  /// Where the piece from `offset` on begins; cuts the one that it lies in.
  static Pieces::iterator cut(Pieces &pieces, int64_t offset);
  template <typename Visit> void visitPieces(int buffer, Visit visit);
  template <typename Visit>
  void visitPieces(Segment segment, int64_t begin, int64_t bytes, Visit visit);
  void readBuffer(size_t command, int buffer);
  int computeLevel(size_t command);
  void read(size_t command, Piece &piece, int64_t size, const Rhythm &rhythm);
  void overwrite(size_t command, int buffer);
  void keep();
  /// Someone else needs the value.
  void write(Piece &piece, int64_t size);

  const Manifest &manifest;
  const std::vector<Command> &commands;
  std::array<Pieces, 5> segments;
  std::vector<int> levels;
  std::vector<int64_t> bytes;
};

} // namespace

Pieces::iterator UnavoidableBytes::cut(Pieces &pieces, int64_t offset) {
  auto next = pieces.lower_bound(offset);
  if (next != pieces.end() && next->first == offset)
    return next;
  return pieces.emplace_hint(next, offset, std::prev(next)->second);
}

int64_t Counted::bytesOf(int64_t size) const {
  int64_t counted = 0;
  for (auto [begin, end] : runs)
    counted += end - begin;
  return size / stride * counted + size % stride * counted / stride;
}

void Counted::add(int64_t begin, int64_t end) {
  auto run = runs.lower_bound(begin);
  if (run != runs.begin() && std::prev(run)->second >= begin)
    --run;
  while (run != runs.end() && run->first <= end) {
    begin = std::min(begin, run->first);
    end = std::max(end, run->second);
    run = runs.erase(run);
  }
  runs.emplace(begin, end);
}

template <typename Visit>
void UnavoidableBytes::visitPieces(int buffer, Visit visit) {
  const Buffer &window = manifest.buffers[buffer];
  visitPieces(window.segment, window.offset, window.bytes(), visit);
}

template <typename Visit>
void UnavoidableBytes::visitPieces(Segment segment, int64_t begin,
                                   int64_t bytes, Visit visit) {
  Pieces &pieces = segments[static_cast<size_t>(segment)];
  auto piece = cut(pieces, begin);
  auto end = cut(pieces, begin + bytes);
  while (piece != end) {
    auto next = std::next(piece);
    visit(piece->second, next->first - piece->first);
    piece = next;
  }
}

int UnavoidableBytes::computeLevel(size_t command) {
  int level = 0;
  for (int buffer : commands[command].reads)
    visitPieces(buffer, [&](const Piece &piece, int64_t) {
      if (piece.writer)
        level = std::max(level, levels[*piece.writer]);
    });
  return isReplayed(commands[command].kind) ? level + 1 : level;
}

void UnavoidableBytes::write(Piece &piece, int64_t size) {
  if (!piece.writer || isReplayed(commands[*piece.writer].kind) ||
      piece.isWritten)
    return;
  piece.isWritten = true;
  bytes[*piece.writer] += size;
}

void UnavoidableBytes::read(size_t command, Piece &piece, int64_t size,
                            const Rhythm &rhythm) {
  if (isReplayed(commands[command].kind)) {
    write(piece, size);
    return;
  }
  if (piece.writer) {
    CommandKind kind = commands[*piece.writer].kind;
    bool isOfLevel =
        !isReplayed(kind) && levels[*piece.writer] == levels[command];
    if (isOfLevel || kind == CommandKind::fill)
      return;
  }
  write(piece, size);
  auto [known, isNew] = piece.readAt.insert({levels[command], Counted()});
  Counted &counted = known->second;
  int64_t before = counted.bytesOf(size);
  if (isNew)
    counted.stride = rhythm.stride;
  if (counted.stride == rhythm.stride)
    counted.add(rhythm.begin, rhythm.end);
  else // Of runs at other distances as if it were all of it.
    counted = {1, {{0, 1}}};
  bytes[command] += counted.bytesOf(size) - before;
}

/// Of what a command changes in place, what it leaves as it was passes through
/// it.
void UnavoidableBytes::readBuffer(size_t command, int buffer) {
  const Command &it = commands[command];
  const Buffer &window = manifest.buffers[buffer];
  const Part *part = findPart(it, buffer);
  bool isChanged =
      std::find(it.writes.begin(), it.writes.end(), buffer) != it.writes.end();
  Rhythm rhythm;
  int64_t begin = 0, size = window.bytes();
  if (part && !isChanged) {
    int64_t inRun = part->offset % part->stride;
    bool isOneRun = part->count == 1 || inRun + part->bytes > part->stride;
    begin = part->offset - (isOneRun ? 0 : inRun);
    size = isOneRun ? (part->count - 1) * part->stride + part->bytes
                    : std::min(part->count * part->stride, size - begin);
    if (!isOneRun) {
      // By where the segment's bytes are, so that windows of it agree.
      int64_t shift = (window.offset + begin) % part->stride;
      rhythm = {part->stride, shift + inRun, shift + inRun + part->bytes};
    }
  }
  visitPieces(window.segment, window.offset + begin, size,
              [&](Piece &piece, int64_t bytes) {
                read(command, piece, bytes, rhythm);
              });
}

void UnavoidableBytes::overwrite(size_t command, int buffer) {
  const Buffer &window = manifest.buffers[buffer];
  if (window.bytes() == 0)
    return;
  Pieces &pieces = segments[static_cast<size_t>(window.segment)];
  auto begin = cut(pieces, window.offset);
  auto end = cut(pieces, window.offset + window.bytes());
  begin->second = Piece{command};
  pieces.erase(std::next(begin), end);
}

void UnavoidableBytes::keep() {
  for (Segment segment : {Segment::state, Segment::output}) {
    Pieces &pieces = segments[static_cast<size_t>(segment)];
    // The last piece is what lies behind all buffers.
    for (auto piece = pieces.begin(); std::next(piece) != pieces.end(); ++piece)
      write(piece->second, std::next(piece)->first - piece->first);
  }
}

std::vector<int64_t> UnavoidableBytes::compute() {
  for (size_t i = 0; i < commands.size(); ++i) {
    levels[i] = computeLevel(i);
    for (int buffer : commands[i].reads)
      readBuffer(i, buffer);
    for (int buffer : commands[i].writes)
      overwrite(i, buffer);
  }
  keep();
  return std::move(bytes);
}

std::vector<int64_t>
prec::run::computeUnavoidableBytes(const Manifest &manifest) {
  return UnavoidableBytes(manifest).compute();
}
