//===- WriteManifest.cpp - a manifest as JSON -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Emit/WriteManifest.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <type_traits>

using namespace prec;
using llvm::json::Array;
using llvm::json::Object;
using JsonValue = llvm::json::Value;

namespace {

/// Writes the fields of one object.
class Writer {
public:
  explicit Writer(rt::KernelCalls calls) : calls(calls) {}

  template <typename Value, typename Presence, typename Check>
  void operator()(const char *key, const Value &value, const Value &initial,
                  Presence, const Check &check) {
    if constexpr (std::is_same_v<Presence, rt::Optional>)
      if (isSame(value, initial))
        return;
    object[key] = write(value, check);
  }

  Object take() { return std::move(object); }

private:
  template <typename Value>
  static bool isSame(const Value &value, const Value &initial) {
    return value == initial;
  }
  template <typename Value>
  static bool isSame(const std::vector<Value> &value,
                     const std::vector<Value> &) {
    return value.empty();
  }
  template <typename Value>
  static bool isSame(const std::optional<Value> &value,
                     const std::optional<Value> &) {
    return !value;
  }
  static bool isSame(const rt::Views &value, const rt::Views &) {
    return value.empty();
  }
  static bool isSame(const rt::TrueOrReason &value, const rt::TrueOrReason &) {
    return !value.reason;
  }

  template <typename Value, typename Check>
  std::enable_if_t<std::is_arithmetic_v<Value>, JsonValue>
  write(Value value, const Check &) const {
    return value;
  }
  template <typename Enum>
  std::enable_if_t<std::is_enum_v<Enum>, JsonValue> write(Enum value,
                                                          rt::Any) const {
    return llvm::StringRef(rt::name(value));
  }
  template <typename Check>
  JsonValue write(const std::string &value, const Check &) const {
    return value;
  }
  JsonValue write(double value, rt::OrInfinity) const {
    if (std::isinf(value))
      return value > 0 ? "inf" : "-inf";
    return value;
  }
  JsonValue write(rt::Range value, rt::Any) const {
    return Array{value.first, value.second};
  }
  JsonValue write(const rt::TrueOrReason &value, rt::Any) const {
    return value.reason->empty() ? JsonValue(true) : JsonValue(*value.reason);
  }
  JsonValue write(const rt::Triple &value, rt::Between) const {
    return Array(value);
  }
  JsonValue write(const rt::SegmentSizes &value, rt::Between) const {
    Object sizes;
    for (const rt::Spelling<rt::Segment> &segment : rt::kSegments)
      sizes[llvm::StringRef(segment.text)] =
          value[static_cast<size_t>(segment.value)];
    return sizes;
  }
  template <typename Value, typename Check>
  JsonValue write(const std::optional<Value> &value, const Check &check) const {
    return write(*value, check);
  }
  template <typename Value, typename Check>
  JsonValue write(const std::vector<Value> &values, const Check &check) const {
    Array array;
    for (const Value &value : values)
      array.push_back(write(value, check));
    return array;
  }
  JsonValue write(const std::vector<rt::Kernel> &values, rt::Count) const {
    return write(values, rt::Any{});
  }
  template <typename Value>
  JsonValue write(const std::map<std::string, Value, std::less<>> &values,
                  rt::Any check) const {
    Object map;
    for (const auto &[key, value] : values)
      map[key] = write(value, check);
    return map;
  }
  JsonValue write(const rt::Command &value, rt::Any) const {
    Writer writer(calls);
    visitFields(writer, value, calls);
    return writer.take();
  }
  JsonValue write(const rt::Target &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::Image &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::Buffer &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::Use &value, rt::Any) const { return record(value); }
  JsonValue write(const rt::MeshAxis &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::Shard &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::Binding &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::BenchItem &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::StridedView &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::Part &value, rt::Any) const {
    return record(value);
  }
  JsonValue write(const rt::Kernel &value, rt::Any) const {
    return record(value);
  }
  template <typename Record> JsonValue record(const Record &value) const {
    Writer writer(calls);
    visitFields(writer, value);
    return writer.take();
  }

  rt::KernelCalls calls;
  Object object;
};

} // namespace

std::string prec::writeManifest(const rt::ManifestFields &manifest,
                                rt::KernelCalls calls) {
  Writer writer(calls);
  visitFields(writer, manifest);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << JsonValue(writer.take());
  return text;
}
