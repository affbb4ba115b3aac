//===- manifest.h - the manifest of a step module ---------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the compiler writes and the runtime reads, as plain data: structures and
// their visits are made of enums.def and manifest.def. Needs neither LLVM nor
// a JSON library, and C++17 alone.
//
// A visit calls `visit(key, value, initial, presence, check)` for each field of
// a group, in the order of manifest.def. Writer and reader are such visitors,
// so a field that is added there is written, read and checked.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_MANIFEST_H
#define PREC_RT_MANIFEST_H

#include "prec-rt/devices.h"
#include "prec-rt/scalings.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace prec::rt {

using prec::ScaledOperands;
using prec::ScaleFormat;
using prec::ScaleLayout;
using prec::Scaling;
using prec::ScalingFamily;
using prec::ScalingTraits;

enum class DType {
#define PREC_DTYPE(SYMBOL, name, bytes, isFloat) name,
#include "prec-rt/enums.def"
};
enum class Segment {
#define PREC_SEGMENT(Symbol, name) name,
#include "prec-rt/enums.def"
};
enum class Role {
#define PREC_ROLE(SYMBOL, Symbol, name, spelling, segment) name,
#include "prec-rt/enums.def"
};
enum class CommandKind {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips) name,
#include "prec-rt/enums.def"
};
enum class Accumulator {
#define PREC_ACCUMULATOR(Symbol, name) name,
#include "prec-rt/enums.def"
};

/// Names of guards that say of indices whether they are rows of their tables
/// begin so: each is 1 or, where an index is not, 0.
inline constexpr std::string_view kIndexCheck = "index_check";
/// The one that says whether the experts of every rank had room for their rows.
inline constexpr std::string_view kExpertRoom = "index_check.expert_room";
/// Before the name of an entry point: that of one which computes the same with
/// room for all rows, and is run where rows had none.
inline constexpr std::string_view kCrowded = "crowded_";

/// What a manifest calls a value of an enumeration.
template <typename Enum> struct Spelling {
  std::string_view text;
  Enum value;
};

inline constexpr Spelling<DType> kDTypes[] = {
#define PREC_DTYPE(SYMBOL, name, bytes, isFloat) {#name, DType::name},
#include "prec-rt/enums.def"
};
inline constexpr Spelling<Segment> kSegments[] = {
#define PREC_SEGMENT(Symbol, name) {#name, Segment::name},
#include "prec-rt/enums.def"
};
inline constexpr Spelling<Role> kRoles[] = {
#define PREC_ROLE(SYMBOL, Symbol, name, spelling, segment)                     \
  {spelling, Role::name},
#include "prec-rt/enums.def"
};
inline constexpr Spelling<CommandKind> kCommandKinds[] = {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips)                   \
  {spelling, CommandKind::name},
#include "prec-rt/enums.def"
};
inline constexpr Spelling<Accumulator> kAccumulators[] = {
#define PREC_ACCUMULATOR(Symbol, name) {#name, Accumulator::name},
#include "prec-rt/enums.def"
};
inline constexpr Spelling<Scaling> kScalingNames[] = {
#define PREC_SCALING(Symbol, name, ...) {#name, Scaling::Symbol},
#include "prec-rt/scalings.def"
};
inline constexpr std::string_view kDirections[] = {
#define PREC_DIRECTION(Symbol, name) #name,
#include "prec-rt/enums.def"
};

constexpr const auto &spellingsOf(DType) { return kDTypes; }
constexpr const auto &spellingsOf(Segment) { return kSegments; }
constexpr const auto &spellingsOf(Role) { return kRoles; }
constexpr const auto &spellingsOf(CommandKind) { return kCommandKinds; }
constexpr const auto &spellingsOf(Accumulator) { return kAccumulators; }
constexpr const auto &spellingsOf(Scaling) { return kScalingNames; }

/// The manifest's name of a value.
template <typename Enum>
constexpr auto name(Enum value) -> decltype(spellingsOf(value)[0].text) {
  return spellingsOf(value)[static_cast<size_t>(value)].text;
}

/// Bytes of one element.
constexpr int64_t byteSize(DType dtype) {
  constexpr int64_t kBytes[] = {
#define PREC_DTYPE(SYMBOL, name, bytes, isFloat) bytes,
#include "prec-rt/enums.def"
  };
  return kBytes[static_cast<size_t>(dtype)];
}
constexpr bool isFloat(DType dtype) {
  constexpr bool kFloats[] = {
#define PREC_DTYPE(SYMBOL, name, bytes, isFloat) isFloat,
#include "prec-rt/enums.def"
  };
  return kFloats[static_cast<size_t>(dtype)];
}
/// Where the buffers of a role lie.
constexpr Segment segmentOf(Role role) {
  constexpr Segment kSegmentOf[] = {
#define PREC_ROLE(SYMBOL, Symbol, name, spelling, segment) Segment::segment,
#include "prec-rt/enums.def"
  };
  return kSegmentOf[static_cast<size_t>(role)];
}

/// Whether a library computes a command.
constexpr bool isLibrary(CommandKind kind) {
  constexpr bool kLibrary[] = {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips) isLibrary,
#include "prec-rt/enums.def"
  };
  return kLibrary[static_cast<size_t>(kind)];
}
/// Whether roundings to other values are counted where targets are compared.
constexpr bool countsFlips(CommandKind kind) {
  constexpr bool kCounts[] = {
#define PREC_COMMAND(name, spelling, isLibrary, countsFlips) countsFlips,
#include "prec-rt/enums.def"
  };
  return kCounts[static_cast<size_t>(kind)];
}

/// Elements of the vectors that bindings of role numerics hold.
enum class UseNumeric {
#define PREC_USE_NUMERIC(Symbol) Symbol,
#include "prec-rt/enums.def"
};
enum class ParameterNumeric {
#define PREC_PARAMETER_NUMERIC(Symbol) Symbol,
#include "prec-rt/enums.def"
};
inline constexpr int64_t kUseNumerics = 0
#define PREC_USE_NUMERIC(Symbol) +1
#include "prec-rt/enums.def"
    ;
inline constexpr int64_t kParameterNumerics = 0
#define PREC_PARAMETER_NUMERIC(Symbol) +1
#include "prec-rt/enums.def"
    ;

inline constexpr int kOldestAbi = 1, kNewestAbi = 4;
inline constexpr int64_t kMaxInt = std::numeric_limits<int64_t>::max();
inline constexpr int64_t kMaxBytes = int64_t(1) << 48;
inline constexpr int64_t kMaxDim = int64_t(1) << 40;
/// Of each dimension of a grid.
inline constexpr int64_t kMaxLaunch = (int64_t(1) << 31) - 1;
/// Processes that run one module together.
inline constexpr int64_t kMaxRanks = int64_t(1) << 16;
/// A stride that is that of a dense matrix.
inline constexpr int64_t kDense = -1;

using Triple = std::array<int64_t, 3>;
/// The least and the largest.
using Range = std::pair<int64_t, int64_t>;
/// By Segment, bytes.
using SegmentSizes = std::array<int64_t, std::size(kSegments)>;
/// True (an empty reason), or why not; nothing where nobody says.
struct TrueOrReason {
  std::optional<std::string> reason;
};

struct StridedView;
/// By the name of an operand.
using Views = std::map<std::string, StridedView, std::less<>>;

#define PREC_STRUCT(Name) struct Name {
#define PREC_GROUP(Name, group)
#define PREC_FIELD(Name, Type, member, initial, key, presence, check, what)    \
  Type member = initial;
#define PREC_GROUP_END(Name, group)
#define PREC_STRUCT_END(Name)                                                  \
  }                                                                            \
  ;
#define PREC_WITHOUT_ROOT
#include "prec-rt/manifest.def"

struct Manifest;

/// A typed window into a segment.
struct Buffer : BufferFields {
  int64_t elements() const {
    int64_t result = 1;
    for (int64_t dim : shape)
      result *= dim;
    return result;
  }
  int64_t bytes() const { return elements() * byteSize(dtype); }
};

struct Sdpa : SdpaFields {
  /// Where the elements of an operand are in its buffer.
  StridedView viewOf(const Manifest &manifest, std::string_view operand,
                     int buffer) const;
  /// Where the bias of each score [B, H, S, T] is; a stride is 0 where one is
  /// for all.
  StridedView viewOfBias(const Manifest &manifest) const;
  /// The keys that a query sees, from the first on up to before the second, of
  /// that many.
  std::pair<int64_t, int64_t> seenBy(int64_t query, int64_t keys) const;
};

/// Which of these a command has, its kind says (PREC_COMMAND_FIELDS).
struct Command : CommandHead {
#define PREC_COMMAND_RECORD(Name, member) Name member;
#define PREC_WITHOUT_PARTS
#define PREC_WITHOUT_ROOT
#include "prec-rt/manifest.def"
};

/// By their names.
using EntryPoints = std::map<std::string, std::vector<Command>, std::less<>>;

#define PREC_STRUCT(Name) struct Name {
#define PREC_GROUP(Name, group)
#define PREC_FIELD(Name, Type, member, initial, key, presence, check, what)    \
  Type member = initial;
#define PREC_GROUP_END(Name, group)
#define PREC_STRUCT_END(Name)                                                  \
  }                                                                            \
  ;
#define PREC_WITHOUT_PARTS
#include "prec-rt/manifest.def"

/// How a field is written and read.
struct Required {};
struct Optional {};
struct Written {};

/// What a value must be beside its type.
struct Any {};
struct Between {
  int64_t least, largest;
};
struct OneOf {
  std::initializer_list<std::string_view> values;
};
/// Of kDirections.
struct Directions {};
/// Of kDeviceKinds.
struct DeviceKinds {};
/// A number of a buffer of the module.
struct BufferIndex {};
/// So many elements.
struct Count {
  size_t count;
};
/// A number, or "inf" or "-inf", which JSON has no numbers for.
struct OrInfinity {};

#define PREC_STRUCT(Name)
#define PREC_GROUP(Name, group)                                                \
  template <typename Visitor, typename Record>                                 \
  void visit##Name##_##group(Visitor &&visit, Record &record) {                \
    constexpr Required required;                                               \
    constexpr Optional optional;                                               \
    constexpr Written written;                                                 \
    (void)required, (void)optional, (void)written;
#define PREC_FIELD(Name, Type, member, initial, key, presence, check, what)    \
  {                                                                            \
    const Type start = initial;                                                \
    visit(key, record.member, start, presence, check);                         \
  }
#define PREC_GROUP_END(Name, group) }
#define PREC_STRUCT_END(Name)
#include "prec-rt/manifest.def"

template <typename T, typename Record>
using IfIs =
    std::enable_if_t<std::is_same_v<std::remove_const_t<Record>, T>, int>;

/// The fields of a record, of one that may be const.
template <typename Visitor, typename Record, IfIs<Target, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitTarget_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<Image, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitImage_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<Buffer, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitBufferFields_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<Use, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitUse_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<MeshAxis, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitMeshAxis_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<Shard, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitShard_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<Binding, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitBinding_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<BenchItem, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitBenchItem_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<StridedView, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitStridedView_all(visit, record);
}
template <typename Visitor, typename Record, IfIs<Part, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitPart_all(visit, record);
}
/// A kernel within another command: of a GPU, with arguments of its own.
template <typename Visitor, typename Record, IfIs<Kernel, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitKernel_launch(visit, record);
}
template <typename Visitor, typename Record, IfIs<ManifestFields, Record> = 0>
void visitFields(Visitor &&visit, Record &record) {
  visitManifestFields_all(visit, record);
}

/// The fields of a command by its kind, which is visited first, and by how the
/// module's kernels are called.
template <typename Visitor, typename Record, IfIs<Command, Record> = 0>
void visitFields(Visitor &&visit, Record &command, KernelCalls calls) {
  visitCommandHead_all(visit, command);
  constexpr bool both = true;
  const bool table = calls == KernelCalls::table, launch = !table;
  (void)both, (void)table, (void)launch;
#define PREC_COMMAND_FIELDS(name, Struct, member, group, calls)                \
  if (command.kind == CommandKind::name && calls)                              \
    visit##Struct##_##group(visit, command.member);
#define PREC_WITHOUT_PARTS
#define PREC_WITHOUT_ROOT
#include "prec-rt/manifest.def"
}

} // namespace prec::rt

#endif // PREC_RT_MANIFEST_H
