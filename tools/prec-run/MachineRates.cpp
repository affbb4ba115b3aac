//===- MachineRates.cpp - how fast a machine can be -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler reads these files too, by LLVM's means, which the runtime does
// without.
//
//===----------------------------------------------------------------------===//

#include "MachineRates.h"

#include "JsonFields.h"

#include <algorithm>
#include <sstream>

using namespace prec::rt;
using namespace prec::run;
using nlohmann::json;

template <typename Names>
static void checkKeys(JsonFields object, const Names &known) {
  for (const std::string &key : object.keys())
    if (std::find(known.begin(), known.end(), key) == known.end())
      object.fail("must have no key but those of the schema, but got '" + key +
                  "'");
}

static std::string readText(JsonFields field) {
  std::string text = field.asString();
  if (text.find_first_not_of(" \t\n\r\f\v") == std::string::npos)
    field.fail("must not be blank, but is");
  return text;
}

/// A number with its source.
static double readSourced(JsonFields field, double least, double most) {
  checkKeys(field, std::array<std::string_view, 2>{"value", "source"});
  readText(field.at("source"));
  JsonFields number = field.at("value");
  double value = number.asNumber();
  if (number.ok() && (value < least || value > most)) {
    std::ostringstream message;
    message << "must lie in [" << least << ", " << most << "], but got "
            << value;
    number.fail(message.str());
  }
  return value;
}

/// What the compiler schedules by, which rates do not depend on.
static void checkSchedule(JsonFields schedule) {
  constexpr std::array<const char *, 9> names{
      "launch_bytes",    "operations_per_byte", "matrix_operations_per_byte",
      "last_blocks",     "fewest_blocks",       "launch_elements",
      "shared_elements", "exchange_bytes",      "bytes_per_exchanged"};
  checkKeys(schedule, names);
  for (const char *name : names) {
    JsonFields entry = schedule.at(name);
    checkKeys(entry, std::array<std::string_view, 2>{"value", "source"});
    readText(entry.at("source"));
    entry.integer("value", 1, int64_t(1) << 40);
  }
}

static MachineRates read(JsonFields root) {
  checkKeys(root, std::array<std::string_view, 7>{
                      "version", "name", "device", "flops_per_second",
                      "bytes_per_second", "launch_us", "schedule"});
  root.integer("version", 1, 1);
  MachineRates rates;
  rates.name = readText(root.at("name"));
  rates.device = readText(root.at("device"));
  JsonFields flops = root.at("flops_per_second");
  checkKeys(flops, kMatrixUnitNames);
  for (size_t unit = 0; unit < kMatrixUnitNames.size(); ++unit) {
    const char *name = kMatrixUnitNames[unit].data();
    if (flops.has(name) || unit == static_cast<size_t>(MatrixUnit::f32))
      rates.flopsPerSecond[unit] = readSourced(flops.at(name), 1e9, 1e18);
  }
  rates.bytesPerSecond = readSourced(root.at("bytes_per_second"), 1e6, 1e15);
  readSourced(root.at("launch_us"), 0, 1e4);
  if (root.has("schedule"))
    checkSchedule(root.at("schedule"));
  return rates;
}

Result<MachineRates> prec::run::readMachineRates(const std::string &path) {
  Result<json> document = readJson(path);
  if (!document.ok())
    return document.status();
  Status error;
  MachineRates rates = read(JsonFields(*document, "machine", error));
  if (!error.ok())
    return error.prefixed(path + ": ");
  return rates;
}
