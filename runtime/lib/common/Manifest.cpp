//===- Manifest.cpp - parses the manifest of a step module ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a manifest from JSON into plain data. Its keys are declared once in
// manifest.def; each record lists its fields there, and Reader has a function
// for each type of field, so no field is read by hand. Keys that are not
// declared are refused. Whether the parts fit to each other (indices, sizes,
// overlaps) is checked in ManifestVerifier.cpp. What follows from other fields
// is completed here, such as the strides of a gemm.
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "JsonFields.h"
#include "ManifestVerifier.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <type_traits>

using namespace prec::rt;
using nlohmann::json;

namespace {

/// What readers of fields know of the whole document.
struct Context {
  size_t numBuffers = 0;
  KernelCalls calls = KernelCalls::launch;
};

/// Whether a class has fields of its own in the document.
template <typename T> struct IsRecord : std::is_class<T> {};
template <typename T> struct IsRecord<std::vector<T>> : std::false_type {};
template <typename T> struct IsRecord<std::optional<T>> : std::false_type {};
template <typename K, typename T, typename C>
struct IsRecord<std::map<K, T, C>> : std::false_type {};

/// Reads the fields of one object, and refuses what is none of them.
class Reader {
public:
  Reader(JsonFields fields, const Context &context)
      : fields(std::move(fields)), context(context) {}

  template <typename Value, typename Presence, typename Check>
  void operator()(const char *key, Value &value, const Value &initial, Presence,
                  const Check &check) {
    known.push_back(key);
    if (!std::is_same_v<Presence, Required> && !fields.has(key))
      value = initial;
    else
      read(fields.at(key), value, check);
  }

  template <typename Record, typename... Rest>
  static void readRecord(JsonFields fields, const Context &context,
                         Record &record, Rest... rest) {
    Reader reader(std::move(fields), context);
    visitFields(reader, record, rest...);
    reader.fields.expectKeys(reader.known);
  }

private:
  template <typename Enum>
  std::enable_if_t<std::is_enum_v<Enum>> read(JsonFields field, Enum &value,
                                              Any) {
    std::string text = field.asString();
    std::vector<std::string_view> expected;
    for (const auto &spelling : spellingsOf(value)) {
      if (spelling.text == text) {
        value = spelling.value;
        return;
      }
      expected.push_back(spelling.text);
    }
    failOneOf(field, expected, text);
  }

  static void failOneOf(JsonFields field,
                        const std::vector<std::string_view> &expected,
                        const std::string &text) {
    std::string list;
    for (std::string_view value : expected)
      list += (list.empty() ? "" : ", ") + std::string(value);
    field.fail("must be " + (expected.size() == 1 ? list : "one of " + list) +
               ", but got '" + text + "'");
  }

  void read(JsonFields field, std::string &value, Any) {
    value = field.asString();
  }
  void read(JsonFields field, std::string &value, const OneOf &check) {
    value = field.asString();
    if (std::find(check.values.begin(), check.values.end(), value) ==
        check.values.end())
      failOneOf(field, check.values, value);
  }
  void read(JsonFields field, std::string &value, Directions) {
    value = field.asString();
    if (std::find(std::begin(kDirections), std::end(kDirections), value) ==
        std::end(kDirections))
      failOneOf(field, {std::begin(kDirections), std::end(kDirections)}, value);
  }
  void read(JsonFields field, std::string &value, DeviceKinds) {
    value = field.asString();
    if (findDeviceKind(value))
      return;
    std::vector<std::string_view> names;
    for (const DeviceKind &kind : kDeviceKinds)
      names.push_back(kind.name);
    failOneOf(field, names, value);
  }
  template <typename Int>
  std::enable_if_t<std::is_integral_v<Int> && !std::is_same_v<Int, bool>>
  read(JsonFields field, Int &value, const Between &check) {
    value = static_cast<Int>(field.asInt(check.least, check.largest));
  }
  void read(JsonFields field, int64_t &value, Any) {
    value = field.asInt(std::numeric_limits<int64_t>::min(), kMaxInt);
  }
  void read(JsonFields field, double &value, Any) { value = field.asNumber(); }
  void read(JsonFields field, bool &value, Any) { value = field.asBool(); }
  void read(JsonFields field, int &value, BufferIndex) {
    if (context.numBuffers == 0)
      field.fail("must name a buffer, but got a module without buffers");
    else
      value = static_cast<int>(
          field.asInt(0, static_cast<int64_t>(context.numBuffers) - 1));
  }
  void read(JsonFields field, double &value, OrInfinity) {
    if (!field.isString()) {
      value = field.asNumber();
      return;
    }
    std::string text = field.asString();
    if (text != "inf" && text != "-inf")
      field.fail("must be a number, inf or -inf, but got '" + text + "'");
    value = std::numeric_limits<double>::infinity() * (text == "-inf" ? -1 : 1);
  }
  void read(JsonFields field, Range &value, Any) {
    std::vector<int64_t> ends =
        field.asInts(std::numeric_limits<int64_t>::min(), kMaxInt);
    if (ends.size() == 2 && ends[0] <= ends[1])
      value = {ends[0], ends[1]};
    else
      field.fail("must be two numbers, the least first");
  }
  void read(JsonFields field, TrueOrReason &value, Any) {
    if (field.isString())
      value.reason = field.asString();
    else if (field.asBool())
      value.reason = "";
    else
      field.fail("must be true or a reason, but got false");
  }
  void read(JsonFields field, Triple &value, const Between &check) {
    std::vector<int64_t> values = field.asInts(check.least, check.largest);
    if (values.size() == value.size())
      std::copy(values.begin(), values.end(), value.begin());
    else
      field.fail("must have 3 elements, but got " +
                 std::to_string(values.size()));
  }
  void read(JsonFields field, SegmentSizes &value, const Between &check) {
    std::vector<std::string_view> names;
    for (const Spelling<Segment> &segment : kSegments) {
      names.push_back(segment.text);
      value[static_cast<size_t>(segment.value)] = field.integer(
          std::string(segment.text).c_str(), check.least, check.largest);
    }
    field.expectKeys(names);
  }
  template <typename Value, typename Check>
  void read(JsonFields field, std::optional<Value> &value, const Check &check) {
    read(std::move(field), value.emplace(), check);
  }
  template <typename Value, typename Check>
  void read(JsonFields field, std::vector<Value> &values, const Check &check) {
    std::vector<JsonFields> elements = field.elements();
    values.clear();
    values.reserve(elements.size());
    for (JsonFields &element : elements)
      read(element, values.emplace_back(), check);
  }
  void read(JsonFields field, std::vector<Kernel> &values, Count check) {
    read(field, values, Any{});
    if (values.size() != check.count)
      field.fail("must have " + std::to_string(check.count) +
                 " elements, but got " + std::to_string(values.size()));
  }
  template <typename Value>
  void read(JsonFields field, std::map<std::string, Value, std::less<>> &values,
            Any check) {
    values.clear();
    for (const std::string &key : field.keys())
      read(field.at(key.c_str()), values[key], check);
  }
  void read(JsonFields field, Command &value, Any) {
    readRecord(std::move(field), context, value, context.calls);
  }
  /// Any other record.
  template <typename Record>
  std::enable_if_t<IsRecord<Record>::value> read(JsonFields field,
                                                 Record &value, Any) {
    readRecord(std::move(field), context, value);
  }

  JsonFields fields;
  const Context &context;
  std::vector<std::string_view> known;
};

} // namespace

StridedView Sdpa::viewOf(const Manifest &manifest, std::string_view operand,
                         int buffer) const {
  auto given = views.find(operand);
  if (given != views.end())
    return given->second;
  StridedView whole;
  whole.shape = manifest.buffers[static_cast<size_t>(buffer)].shape;
  whole.strides.assign(whole.shape.size(), 1);
  for (size_t dim = whole.shape.size(); dim-- > 1;)
    whole.strides[dim - 1] = whole.strides[dim] * whole.shape[dim];
  return whole;
}

StridedView Sdpa::viewOfBias(const Manifest &manifest) const {
  StridedView view = viewOf(manifest, "bias", *bias);
  for (size_t dim = 0; dim < view.shape.size(); ++dim)
    if (view.shape[dim] == 1)
      view.strides[dim] = 0;
  return view;
}

std::pair<int64_t, int64_t> Sdpa::seenBy(int64_t query, int64_t keys) const {
  int64_t end = causal ? std::min(keys, query + 1) : keys;
  return {window ? std::min(end, std::max<int64_t>(0, query + 1 - *window)) : 0,
          end};
}

bool prec::rt::isWeight(Role role) {
  return role == Role::parameter || role == Role::frozenParameter ||
         role == Role::stagedParameter || role == Role::buffer;
}
std::string prec::rt::quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

std::string prec::rt::formatShape(const std::vector<int64_t> &shape) {
  std::string result = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    result += (i ? ", " : "") + std::to_string(shape[i]);
  return result + "]";
}

int64_t prec::rt::countElements(const std::vector<int64_t> &shape) {
  int64_t elements = 1;
  for (int64_t dim : shape)
    elements *= dim;
  return elements;
}

std::string Manifest::whyEqualMicroBatches() const {
  if (microBatchWeights.empty())
    return "the module was compiled when all did";
  return equalMicroBatches;
}

int64_t Manifest::numRanks() const {
  int64_t ranks = 1;
  for (const MeshAxis &axis : mesh)
    ranks *= axis.size;
  return ranks;
}

std::optional<RankGroup> Manifest::findGroup(std::string_view axes,
                                             int64_t rank) const {
  int64_t stride = 1;
  for (size_t end = mesh.size(); end-- > 0;) {
    // Of the axes up to this one, the last of which ranks are counted by first.
    std::string joined;
    int64_t size = 1;
    for (size_t axis = end + 1; axis-- > 0;) {
      joined = mesh[axis].axis + (joined.empty() ? "" : ",") + joined;
      size *= mesh[axis].size;
      if (joined != axes)
        continue;
      const int64_t own = rank / stride % size;
      return RankGroup{rank - own * stride, stride, size, own};
    }
    stride *= mesh[end].size;
  }
  return std::nullopt;
}

RankGroup Manifest::groupOf(std::string_view axes, int64_t rank) const {
  return findGroup(axes, rank).value_or(RankGroup{rank, 1, 1, 0});
}

RankGroup Manifest::dataGroup(int64_t rank) const {
  std::string axes;
  for (std::string_view name : {"dp", "ep"})
    if (findGroup(name, 0))
      axes += (axes.empty() ? "" : ",") + std::string(name);
  return groupOf(axes, rank);
}

int64_t Manifest::dataRanks() const { return dataGroup(0).size; }

std::vector<int64_t> Manifest::wholeShape(const Binding &binding) const {
  std::vector<int64_t> shape =
      buffers[static_cast<size_t>(binding.buffer)].shape;
  if (binding.shard)
    shape[static_cast<size_t>(binding.shard->dim)] *=
        groupOf(binding.shard->axis, 0).size;
  return shape;
}

const std::vector<Command> &
Manifest::commands(std::string_view entryPoint) const {
  static const std::vector<Command> none;
  auto it = entryPoints.find(entryPoint);
  return it == entryPoints.end() ? none : it->second;
}

std::map<std::string, std::vector<int>, std::less<>>
Manifest::stagedCopies() const {
  std::map<std::string, std::vector<int>, std::less<>> copies;
  for (const Binding &binding : bindings)
    if (binding.role == Role::stagedParameter)
      copies[binding.name];
  for (size_t i = 0; i < bindings.size(); ++i) {
    bool isCopy = bindings[i].role == Role::workWeight ||
                  bindings[i].role == Role::scaleState;
    if (auto staged = copies.find(bindings[i].parameter);
        isCopy && staged != copies.end())
      staged->second.push_back(static_cast<int>(i));
  }
  return copies;
}

std::set<int> Manifest::changedBuffers() const {
  std::set<int> written, changed;
  for (const auto &[entryPoint, commands] : entryPoints)
    for (const Command &command : commands)
      written.insert(command.writes.begin(), command.writes.end());
  for (size_t i = 0; i < bindings.size(); ++i)
    if (bindings[i].role == Role::buffer && written.count(bindings[i].buffer))
      changed.insert(static_cast<int>(i));
  return changed;
}

/// What a manifest leaves out because it follows from the rest.
static Status complete(Gemm &gemm, const std::string &place) {
  for (auto [stride, rows, columns] :
       {std::tuple{&gemm.strideA, gemm.m, gemm.k},
        std::tuple{&gemm.strideB, gemm.k, gemm.n},
        std::tuple{&gemm.strideD, gemm.m, gemm.n}}) {
    int64_t dense = 0;
    if (__builtin_mul_overflow(rows, columns, &dense))
      return Status::badFile(place +
                             ": must have at most 2^63 elements a matrix");
    if (*stride == kDense)
      *stride = dense;
  }
  return {};
}

Result<Manifest> Manifest::parse(std::string_view text) {
  Result<json> document = parseJson(text);
  if (!document.ok())
    return document.status().prefixed("manifest ");
  Manifest manifest;
  Status error;
  JsonFields root(*document, "manifest", error);
  // First what document this is: of another abi it may have other keys.
  root.string("format");
  root.integer("abi", kOldestAbi, kNewestAbi);
  Context context;
  context.numBuffers = root.at("buffers").elements().size();
  // Another kind is refused where it is read.
  if (auto *kind = findDeviceKind(root.at("target").string("kind")))
    context.calls = kind->calls;
  if (error.ok())
    Reader::readRecord(root, context, static_cast<ManifestFields &>(manifest));
  if (!error.ok())
    return error;
  for (auto &[entryPoint, commands] : manifest.entryPoints)
    for (size_t i = 0; i < commands.size(); ++i)
      if (commands[i].kind == CommandKind::gemm)
        PREC_RT_RETURN_IF_ERROR(
            complete(commands[i].gemm, "manifest.entry_points." + entryPoint +
                                           "[" + std::to_string(i) + "]"));
  PREC_RT_RETURN_IF_ERROR(verify(manifest));
  return manifest;
}
