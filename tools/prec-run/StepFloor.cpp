//===- StepFloor.cpp - what a step takes at least -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StepFloor.h"

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
  switch (kind) {
  case CommandKind::gemm:
  case CommandKind::sdpaForward:
  case CommandKind::sdpaBackward:
    return true;
  case CommandKind::kernel:
  case CommandKind::copy:
  case CommandKind::fill:
    return false;
  }
  return false;
}

namespace {

/// A range of bytes of a segment with one value from one command.
struct Piece {
  std::optional<size_t> writer; ///< none: from before the step
  bool isWritten = false;       ///< counted at its writer
  std::set<int> readAt{};       ///< levels that it was counted at
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
  int computeLevel(size_t command);
  void read(size_t command, Piece &piece, int64_t size);
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

template <typename Visit>
void UnavoidableBytes::visitPieces(int buffer, Visit visit) {
  const Buffer &window = manifest.buffers[buffer];
  Pieces &pieces = segments[static_cast<size_t>(window.segment)];
  auto piece = cut(pieces, window.offset);
  auto end = cut(pieces, window.offset + window.bytes());
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

void UnavoidableBytes::read(size_t command, Piece &piece, int64_t size) {
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
  if (piece.readAt.insert(levels[command]).second)
    bytes[command] += size;
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
      visitPieces(buffer,
                  [&](Piece &piece, int64_t size) { read(i, piece, size); });
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
