//===- DecisionRecord.cpp - all decisions, kept in the module -------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assign/Report/DecisionRecord.h"

#include "prec/Dialect/Prec/Decisions.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace prec;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;

static constexpr llvm::StringLiteral kMagic = "precmap";
static constexpr size_t kHeader = 16;
/// No map of a graph that fits into memory is larger.
static constexpr uint64_t kLargestText = uint64_t(1) << 30;

void prec::writeDecisionRecord(ModuleOp module, const PrecisionMap &map) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writePrecisionMap(os, map);
  bool isCompressed = llvm::compression::zstd::isAvailable();
  SmallVector<uint8_t, 0> packed;
  if (isCompressed)
    llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(text),
                                      packed);
  else
    packed.append(text.begin(), text.end());
  SmallVector<char, 0> bytes(kMagic.begin(), kMagic.end());
  bytes.push_back(isCompressed ? 1 : 0);
  bytes.resize(kHeader);
  llvm::support::endian::write64le(&bytes[8], text.size());
  bytes.append(packed.begin(), packed.end());

  auto type = RankedTensorType::get({static_cast<int64_t>(bytes.size())},
                                    IntegerType::get(module.getContext(), 8));
  module->setAttr(kDecisions,
                  DenseI8ResourceElementsAttr::get(
                      type, "prec_decisions",
                      HeapAsmResourceBlob::allocateAndCopyWithAlign(
                          bytes, /*align=*/8, /*dataIsMutable=*/false)));
}

/// The text of a map, unpacked.
static Expected<std::string> unpack(ArrayRef<int8_t> data) {
  auto fail = [](const Twine &problem) {
    return createStringError("'prec.decisions' must be a precision map that "
                             "--assign-precision wrote, but got " +
                             problem);
  };
  StringRef bytes(reinterpret_cast<const char *>(data.data()), data.size());
  if (bytes.size() < kHeader || !bytes.starts_with(kMagic))
    return fail("none");
  uint64_t size = llvm::support::endian::read64le(bytes.data() + 8);
  StringRef packed = bytes.drop_front(kHeader);
  if (size > kLargestText)
    return fail("one of " + Twine(size) + " bytes");
  if (bytes[kMagic.size()] == 0) {
    if (packed.size() != size)
      return fail(Twine(packed.size()) + " of " + Twine(size) + " bytes");
    return packed.str();
  }
  if (bytes[kMagic.size()] != 1 || !llvm::compression::zstd::isAvailable())
    return fail("a compression that is unknown here");
  SmallVector<uint8_t, 0> text;
  if (Error error = llvm::compression::zstd::decompress(
          llvm::arrayRefFromStringRef(packed), text, size))
    return fail(llvm::toString(std::move(error)));
  if (text.size() != size)
    return fail(Twine(text.size()) + " of " + Twine(size) + " bytes");
  return std::string(text.begin(), text.end());
}

Expected<std::optional<PrecisionMap>>
prec::readDecisionRecord(ModuleOp module) {
  auto record = module->getAttrOfType<DenseI8ResourceElementsAttr>(kDecisions);
  if (!record)
    return std::nullopt;
  std::optional<ArrayRef<int8_t>> data = record.tryGetAsArrayRef();
  if (!data)
    return createStringError(
        "'prec.decisions' must hold its bytes, but got an elided resource");
  Expected<std::string> text = unpack(*data);
  if (!text)
    return text.takeError();
  Expected<PrecisionMap> map = parsePrecisionMap(*text, kDecisions);
  if (!map)
    return map.takeError();
  return std::optional<PrecisionMap>(std::move(*map));
}

namespace {

/// Compares list by list, up to the first that differs.
class Comparison {
public:
  void compare(const PrecisionMap &record, const PrecisionMap &tags);
  std::optional<std::string> difference;

private:
  void expect(bool isSame, const Twine &what) {
    if (!isSame && !difference)
      difference = what.str();
  }
  void compare(const MapDecision &record, const MapDecision &tag,
               const Twine &what) {
    expect(record == tag && record.rule == tag.rule,
           what + " is " + record.print() + " in it (" + record.rule +
               ") and " + tag.print() + " in the tag (" + tag.rule + ")");
  }
  void compare(const MapFunction &record, const MapFunction &tags);
  void compare(const MapOperation &record, const MapOperation &tags);
};

} // namespace

void Comparison::compare(const MapOperation &record, const MapOperation &tags) {
  std::string name = "operation " + std::to_string(tags.node);
  expect(record.node == tags.node && record.name == tags.name &&
             record.results.size() == tags.results.size() &&
             record.reads.size() == tags.reads.size(),
         name + " is another");
  if (difference)
    return;
  for (auto [a, b] : llvm::zip(record.results, tags.results))
    compare(a.decision, b.decision, "a result of " + name);
  for (auto [a, b] : llvm::zip(record.reads, tags.reads)) {
    expect(a.operand == b.operand, name + " is another");
    compare(a.decision, b.decision,
            "operand " + Twine(b.operand) + " of " + name);
  }
}

void Comparison::compare(const MapFunction &record, const MapFunction &tags) {
  expect(record.name == tags.name &&
             record.arguments.size() == tags.arguments.size() &&
             record.operations.size() == tags.operations.size(),
         "@" + tags.name + " has other operations");
  if (difference)
    return;
  for (auto [a, b] : llvm::zip(record.arguments, tags.arguments))
    compare(a.decision, b.decision, "argument " + Twine(b.value));
  for (auto [a, b] : llvm::zip(record.operations, tags.operations))
    compare(a, b);
}

void Comparison::compare(const PrecisionMap &record, const PrecisionMap &tags) {
  expect(record.recipe == tags.recipe && record.target == tags.target &&
             record.functions.size() == tags.functions.size(),
         "it is of recipe " + record.recipe + " and target " + record.target);
  if (difference)
    return;
  for (auto [a, b] : llvm::zip(record.functions, tags.functions))
    compare(a, b);
}

std::optional<std::string> prec::findDisagreement(const PrecisionMap &record,
                                                  const PrecisionMap &tags) {
  Comparison comparison;
  comparison.compare(record, tags);
  return comparison.difference;
}
