//===- MachineModel.cpp - how fast a machine is
//-------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Target/MachineModel.h"

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

class MachineModelReader : JsonReader {
public:
  MachineModelReader(StringRef fileName, MachineModel &machine)
      : JsonReader(fileName), machine(machine) {}

  Error read(const JsonValue &json);

private:
  /// A number with its source.
  Error readSourced(const JsonValue &json, StringRef what, double least,
                    double most, double &value);
  Error readFlops(const JsonValue &json);
  Error readSchedule(const JsonValue &json);

  MachineModel &machine;
};

} // namespace

Error MachineModelReader::readSourced(const JsonValue &json, StringRef what,
                                      double least, double most,
                                      double &value) {
  if (Error error = checkObject(json, {"value", "source"}))
    return error;
  if (Error error = readNumber(*json.find("value"), what, least, most, value))
    return error;
  std::string source;
  return readText(*json.find("source"), "source", source);
}

Error MachineModelReader::readFlops(const JsonValue &json) {
  if (Error error = checkObject(json, {"f32"}, kUnitNames))
    return error;
  for (auto [index, name] : llvm::enumerate(kUnitNames)) {
    const JsonValue *entry = json.find(name);
    if (!entry)
      continue;
    double value = 0;
    if (Error error = readSourced(*entry, name, 1e9, 1e18, value))
      return error;
    machine.flopsPerSecond[index] = value;
  }
  return Error::success();
}

/// The numbers of key `schedule`.
static constexpr std::pair<StringRef, int64_t ScheduleModel::*> kSchedule[] = {
    {"launch_bytes", &ScheduleModel::launchBytes},
    {"operations_per_byte", &ScheduleModel::operationsPerByte},
    {"matrix_operations_per_byte", &ScheduleModel::matrixOperationsPerByte},
    {"last_blocks", &ScheduleModel::lastBlocks},
    {"fewest_blocks", &ScheduleModel::fewestBlocks},
    {"launch_elements", &ScheduleModel::launchElements},
    {"shared_elements", &ScheduleModel::sharedElements},
    {"exchange_bytes", &ScheduleModel::exchangeBytes},
    {"bytes_per_exchanged", &ScheduleModel::bytesPerExchanged}};

Error MachineModelReader::readSchedule(const JsonValue &json) {
  // Costs are added up in 64 bits.
  constexpr int64_t most = int64_t(1) << 40;
  SmallVector<StringRef> names;
  for (auto [name, field] : kSchedule)
    names.push_back(name);
  if (Error error = checkObject(json, names))
    return error;
  ScheduleModel model;
  for (auto [name, field] : kSchedule) {
    const JsonValue &entry = *json.find(name);
    if (Error error = checkObject(entry, {"value", "source"}))
      return error;
    if (Error error =
            readInteger(*entry.find("value"), name, 1, most, model.*field))
      return error;
    std::string source;
    if (Error error = readText(*entry.find("source"), "source", source))
      return error;
  }
  machine.schedule = model;
  return Error::success();
}

Error MachineModelReader::read(const JsonValue &json) {
  if (Error error =
          checkObject(json,
                      {"version", "name", "device", "flops_per_second",
                       "bytes_per_second", "launch_us"},
                      {"schedule"}))
    return error;
  int64_t version = 0;
  if (Error error = readVersion(*json.find("version"), {1}, version))
    return error;
  if (Error error = readText(*json.find("name"), "name", machine.name))
    return error;
  if (Error error = readText(*json.find("device"), "device", machine.device))
    return error;
  if (Error error = readFlops(*json.find("flops_per_second")))
    return error;
  if (Error error =
          readSourced(*json.find("bytes_per_second"), "bytes_per_second", 1e6,
                      1e15, machine.bytesPerSecond))
    return error;
  if (Error error = readSourced(*json.find("launch_us"), "launch_us", 0, 1e4,
                                machine.launchMicroseconds))
    return error;
  const JsonValue *schedule = json.find("schedule");
  return schedule ? readSchedule(*schedule) : Error::success();
}

Expected<MachineModel> prec::parseMachineModel(StringRef text,
                                               StringRef fileName) {
  return readJson<MachineModel>(
      text, fileName, [&](const JsonValue &json, MachineModel &machine) {
        return MachineModelReader(fileName, machine).read(json);
      });
}
