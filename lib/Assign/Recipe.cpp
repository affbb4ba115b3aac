//===- Recipe.cpp - reading recipes ---------------------------------------===//
#include "prec/Assign/Recipe.h"

#include "prec/Support/Json.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::prec;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

StringRef prec::stringifyOperandKind(OperandKind kind) {
  static constexpr StringRef kNames[] = {"activation", "weight", "gradient"};
  return kNames[static_cast<unsigned>(kind)];
}

StringRef prec::stringifyStorageKind(StorageKind kind) {
  static constexpr StringRef kNames[] = {"activation",      "gradient",
                                         "weight_gradient", "master",
                                         "moment",          "statistic"};
  return kNames[static_cast<unsigned>(kind)];
}

std::string KeepHigh::getRule(TensorClass tensorClass) const {
  std::string rule = (stringifyTensorClass(tensorClass) + ": " + reason).str();
  return reference.empty() ? rule : rule + " (" + reference + ")";
}

namespace {

class RecipeReader {
public:
  explicit RecipeReader(StringRef fileName) : fileName(fileName) {}

  Error read(const JsonValue &json, Recipe &recipe);

private:
  Error fail(JsonPosition position, const Twine &message) {
    return makeJsonError(fileName, position, message);
  }
  /// Checks kind, unknown keys and missing keys of an object.
  Error checkObject(const JsonValue &json, ArrayRef<StringRef> required,
                    ArrayRef<StringRef> optional = {});
  Error readText(const JsonValue &json, std::string &text);
  /// A name of an enumeration; `names` lists the allowed ones.
  template <typename Enum>
  Error readName(const JsonValue &json, StringRef what, ArrayRef<Enum> allowed,
                 Enum &result);
  Error readFormat(const JsonValue &json, ArrayRef<Format> allowed,
                   Format &format);
  Error readUse(const JsonValue &json, UseFormat &use);
  Error readDirection(const JsonValue &json, Direction direction,
                      DirectionRecipe &recipe);
  Error readContraction(const JsonValue &json, Recipe &recipe);
  Error readStorage(const JsonValue &json, Recipe &recipe);
  Error readKeepHigh(const JsonValue &json, Recipe &recipe);

  StringRef fileName;
};

} // namespace

static constexpr Format kUseFormats[] = {Format::F32, Format::BF16,
                                         Format::E4M3, Format::E5M2};
static constexpr Format kStoredFormats[] = {Format::F32, Format::BF16};
static constexpr Format kMasterFormats[] = {Format::F32};

static std::string quoteAll(ArrayRef<StringRef> names) {
  return llvm::join(
      llvm::map_range(names,
                      [](StringRef name) { return ("'" + name + "'").str(); }),
      ", ");
}

Error RecipeReader::checkObject(const JsonValue &json,
                                ArrayRef<StringRef> required,
                                ArrayRef<StringRef> optional) {
  if (json.kind != JsonValue::Kind::Object)
    return fail(json.position, "expected an object");
  for (const JsonValue::Member &member : json.members) {
    StringRef key = member.key;
    if (!llvm::is_contained(required, key) &&
        !llvm::is_contained(optional, key)) {
      SmallVector<StringRef> known(required);
      known.append(optional.begin(), optional.end());
      return fail(member.position, "unknown key '" + key +
                                       "', expected one of " + quoteAll(known));
    }
  }
  for (StringRef key : required)
    if (!json.find(key))
      return fail(json.position, "missing key '" + key + "'");
  return Error::success();
}

Error RecipeReader::readText(const JsonValue &json, std::string &text) {
  if (json.kind != JsonValue::Kind::String ||
      StringRef(json.text).trim().empty())
    return fail(json.position, "expected a text");
  // Reasons go into one-line tags.
  if (llvm::any_of(json.text, [](unsigned char c) { return c < 0x20; }))
    return fail(json.position, "expected a text of one line");
  text = json.text;
  return Error::success();
}

template <typename Enum>
Error RecipeReader::readName(const JsonValue &json, StringRef what,
                             ArrayRef<Enum> allowed, Enum &result) {
  if (json.kind == JsonValue::Kind::String)
    if (std::optional<Enum> value = symbolizeEnum<Enum>(json.text))
      if (llvm::is_contained(allowed, *value)) {
        result = *value;
        return Error::success();
      }
  SmallVector<StringRef> names;
  for (Enum value : allowed)
    names.push_back(stringifyEnum(value));
  std::string got = json.kind == JsonValue::Kind::String
                        ? "'" + json.text + "'"
                        : std::string("no text");
  return fail(json.position,
              what + " must be one of " + quoteAll(names) + ", but got " + got);
}

Error RecipeReader::readFormat(const JsonValue &json, ArrayRef<Format> allowed,
                               Format &format) {
  return readName<Format>(json, "format", allowed, format);
}

Error RecipeReader::readUse(const JsonValue &json, UseFormat &use) {
  if (Error error = checkObject(json, {"format"}, {"scaling"}))
    return error;
  if (Error error = readFormat(*json.find("format"), kUseFormats, use.format))
    return error;
  static constexpr Scaling kScalings[] = {Scaling::None,
                                          Scaling::TensorCurrent};
  const JsonValue *scaling = json.find("scaling");
  if (scaling)
    if (Error error =
            readName<Scaling>(*scaling, "scaling", kScalings, use.scaling))
      return error;
  bool isFp8 = use.format == Format::E4M3 || use.format == Format::E5M2;
  if (isFp8 && use.scaling == Scaling::None)
    return fail(json.position, "an fp8 format must have a scaling");
  if (!isFp8 && use.scaling != Scaling::None)
    return fail(scaling->position, "only fp8 formats have a scaling");
  return Error::success();
}

Error RecipeReader::readDirection(const JsonValue &json, Direction direction,
                                  DirectionRecipe &recipe) {
  using Kind = OperandKind;
  static constexpr Kind kReads[3][2] = {{Kind::Activation, Kind::Weight},
                                        {Kind::Gradient, Kind::Weight},
                                        {Kind::Gradient, Kind::Activation}};
  const Kind(&reads)[2] = kReads[static_cast<unsigned>(direction)];
  StringRef first = stringifyOperandKind(reads[0]),
            second = stringifyOperandKind(reads[1]);
  if (Error error = checkObject(json, {first, second}, {"accumulator"}))
    return error;
  bool isFp8 = false;
  for (Kind kind : reads) {
    UseFormat &use = recipe.operands[static_cast<unsigned>(kind)];
    if (Error error = readUse(*json.find(stringifyOperandKind(kind)), use))
      return error;
    isFp8 |= use.scaling != Scaling::None;
  }
  static constexpr Accumulator kAccumulators[] = {
      Accumulator::Full, Accumulator::Fast, Accumulator::Promoted};
  const JsonValue *accumulator = json.find("accumulator");
  if (!accumulator)
    return Error::success();
  if (Error error = readName<Accumulator>(*accumulator, "accumulator",
                                          kAccumulators, recipe.accumulator))
    return error;
  if (!isFp8 && recipe.accumulator != Accumulator::Full)
    return fail(accumulator->position,
                "only fp8 contractions choose an accumulator");
  return Error::success();
}

Error RecipeReader::readContraction(const JsonValue &json, Recipe &recipe) {
  if (Error error =
          checkObject(json, {"fprop", "dgrad", "wgrad", "fallback", "reason"}))
    return error;
  for (Direction direction :
       {Direction::Fprop, Direction::Dgrad, Direction::Wgrad})
    if (Error error =
            readDirection(*json.find(stringifyDirection(direction)), direction,
                          recipe.directions[static_cast<unsigned>(direction)]))
      return error;
  // An activation that no direction lists is one in a backward of two
  // activations.
  DirectionRecipe *directions = recipe.directions.data();
  directions[0].operands[2] = directions[0].operands[0];
  directions[1].operands[0] = directions[1].operands[1];
  directions[2].operands[1] = directions[2].operands[0];
  if (Error error =
          readFormat(*json.find("fallback"), kStoredFormats, recipe.fallback))
    return error;
  return readText(*json.find("reason"), recipe.contractionReason);
}

Error RecipeReader::readStorage(const JsonValue &json, Recipe &recipe) {
  SmallVector<StringRef> kinds;
  for (unsigned kind = 0; kind < kNumStorageKinds; ++kind)
    kinds.push_back(stringifyStorageKind(static_cast<StorageKind>(kind)));
  if (Error error = checkObject(json, kinds))
    return error;
  for (unsigned kind = 0; kind < kNumStorageKinds; ++kind) {
    const JsonValue &entry = *json.find(kinds[kind]);
    if (Error error = checkObject(entry, {"format", "reason"}))
      return error;
    bool isState = kind == unsigned(StorageKind::Master) ||
                   kind == unsigned(StorageKind::Moment);
    if (Error error = readFormat(*entry.find("format"),
                                 isState ? ArrayRef<Format>(kMasterFormats)
                                         : kStoredFormats,
                                 recipe.storage[kind].format))
      return error;
    if (Error error =
            readText(*entry.find("reason"), recipe.storage[kind].reason))
      return error;
  }
  return Error::success();
}

Error RecipeReader::readKeepHigh(const JsonValue &json, Recipe &recipe) {
  static constexpr TensorClass kClasses[] = {
      TensorClass::Head,      TensorClass::Embedding, TensorClass::Norm,
      TensorClass::Softmax,   TensorClass::Attention, TensorClass::Residual,
      TensorClass::Reduction, TensorClass::Loss,      TensorClass::Router,
      TensorClass::Rotary,    TensorClass::Optimizer, TensorClass::Clipping};
  if (json.kind != JsonValue::Kind::Array)
    return fail(json.position, "expected an array");
  for (const JsonValue &entry : json.elements) {
    if (Error error = checkObject(entry, {"class", "reason"},
                                  {"reads", "stores", "reference"}))
      return error;
    TensorClass tensorClass = TensorClass::Head;
    const JsonValue &name = *entry.find("class");
    if (Error error =
            readName<TensorClass>(name, "class", kClasses, tensorClass))
      return error;
    std::optional<KeepHigh> &rule =
        recipe.keepHigh[static_cast<unsigned>(tensorClass)];
    if (rule)
      return fail(name.position, "a class must have one rule, but got '" +
                                     name.text + "' again");
    rule.emplace();
    for (auto [key, format] :
         {std::pair("reads", &rule->reads), {"stores", &rule->stores}}) {
      const JsonValue *value = entry.find(key);
      if (!value)
        continue;
      Format read = Format::F32;
      if (Error error = readFormat(*value, kStoredFormats, read))
        return error;
      *format = read;
    }
    if (!rule->reads && !rule->stores)
      return fail(entry.position, "a rule must have 'reads' or 'stores'");
    if (Error error = readText(*entry.find("reason"), rule->reason))
      return error;
    const JsonValue *reference = entry.find("reference");
    if (reference)
      if (Error error = readText(*reference, rule->reference))
        return error;
  }
  return Error::success();
}

Error RecipeReader::read(const JsonValue &json, Recipe &recipe) {
  if (Error error = checkObject(json, {"recipe", "description", "contraction",
                                       "storage", "keep_high"}))
    return error;
  if (Error error = readText(*json.find("recipe"), recipe.name))
    return error;
  if (Error error = readText(*json.find("description"), recipe.description))
    return error;
  if (Error error = readContraction(*json.find("contraction"), recipe))
    return error;
  if (Error error = readStorage(*json.find("storage"), recipe))
    return error;
  return readKeepHigh(*json.find("keep_high"), recipe);
}

Expected<Recipe> prec::parseRecipe(StringRef text, StringRef fileName) {
  Expected<JsonValue> json = parseJson(text, fileName);
  if (!json)
    return json.takeError();
  Recipe recipe;
  if (Error error = RecipeReader(fileName).read(*json, recipe))
    return std::move(error);
  return recipe;
}
