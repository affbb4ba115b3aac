//===- TargetCosts.cpp - how fast a target is -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Assign/TargetCosts.h"

#include "prec/Support/JsonReader.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace prec;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

static constexpr StringRef kUnitNames[kNumMatrixUnits] = {"f32", "bf16", "f16",
                                                          "fp8", "fp4"};

StringRef prec::stringifyMatrixUnit(MatrixUnit unit) {
  return kUnitNames[static_cast<unsigned>(unit)];
}

MatrixUnit prec::getMatrixUnit(Format format) {
  switch (format) {
  case Format::F32:
    return MatrixUnit::F32;
  case Format::BF16:
    return MatrixUnit::BF16;
  case Format::F16:
    return MatrixUnit::F16;
  case Format::E4M3:
  case Format::E5M2:
    return MatrixUnit::FP8;
  case Format::E2M1:
    return MatrixUnit::FP4;
  }
  llvm_unreachable("format is an enumeration");
}

namespace {

class TargetCostsReader : JsonReader {
public:
  TargetCostsReader(StringRef fileName, TargetCosts &costs)
      : JsonReader(fileName), costs(costs) {}

  Error read(const JsonValue &json);

private:
  /// A number with its source.
  Error readSourced(const JsonValue &json, StringRef what, double least,
                    double most, double &value);
  Error readFlops(const JsonValue &json);

  TargetCosts &costs;
};

} // namespace

Error TargetCostsReader::readSourced(const JsonValue &json, StringRef what,
                                     double least, double most, double &value) {
  if (Error error = checkObject(json, {"value", "source"}))
    return error;
  if (Error error = readNumber(*json.find("value"), what, least, most, value))
    return error;
  std::string source;
  return readText(*json.find("source"), "source", source);
}

Error TargetCostsReader::readFlops(const JsonValue &json) {
  if (Error error = checkObject(json, {"f32"}, kUnitNames))
    return error;
  for (auto [index, name] : llvm::enumerate(kUnitNames)) {
    const JsonValue *entry = json.find(name);
    if (!entry)
      continue;
    double value = 0;
    if (Error error = readSourced(*entry, name, 1e9, 1e18, value))
      return error;
    costs.flopsPerSecond[index] = value;
  }
  return Error::success();
}

Error TargetCostsReader::read(const JsonValue &json) {
  if (Error error =
          checkObject(json, {"version", "name", "device", "flops_per_second",
                             "bytes_per_second", "launch_us"}))
    return error;
  int64_t version = 0;
  if (Error error = readVersion(*json.find("version"), {1}, version))
    return error;
  if (Error error = readText(*json.find("name"), "name", costs.name))
    return error;
  if (Error error = readText(*json.find("device"), "device", costs.device))
    return error;
  if (Error error = readFlops(*json.find("flops_per_second")))
    return error;
  if (Error error =
          readSourced(*json.find("bytes_per_second"), "bytes_per_second", 1e6,
                      1e15, costs.bytesPerSecond))
    return error;
  return readSourced(*json.find("launch_us"), "launch_us", 0, 1e4,
                     costs.launchMicroseconds);
}

Expected<TargetCosts> prec::parseTargetCosts(StringRef text,
                                             StringRef fileName) {
  return readJson<TargetCosts>(
      text, fileName, [&](const JsonValue &json, TargetCosts &costs) {
        return TargetCostsReader(fileName, costs).read(json);
      });
}
