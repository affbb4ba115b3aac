//===- Manifest.cpp - parses the manifest of a step module ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From JSON to plain data; what the parts must be to each other is checked in
// ManifestVerifier.cpp.
//
//===----------------------------------------------------------------------===//

#include "Manifest.h"

#include "JsonFields.h"
#include "ManifestVerifier.h"

#include <limits>

using namespace prec::rt;
using nlohmann::json;

namespace {

constexpr int64_t maxBytes = int64_t(1) << 48;
constexpr int64_t maxDim = int64_t(1) << 40;

template <typename Enum> struct Spelling {
  std::string_view text;
  Enum value;
};

constexpr Spelling<DType> dtypes[] = {
    {"f32", DType::f32},       {"bf16", DType::bf16},
    {"f16", DType::f16},       {"f8E4M3FN", DType::f8E4M3FN},
    {"f8E5M2", DType::f8E5M2}, {"i1", DType::i1},
    {"i8", DType::i8},         {"i32", DType::i32},
    {"i64", DType::i64},       {"f8E8M0FNU", DType::f8E8M0FNU}};
constexpr Spelling<Segment> segments[] = {{"state", Segment::state},
                                          {"input", Segment::input},
                                          {"output", Segment::output},
                                          {"workspace", Segment::workspace},
                                          {"constants", Segment::constants}};
constexpr Spelling<Role> roles[] = {
    {"parameter", Role::parameter},
    {"frozen_parameter", Role::frozenParameter},
    {"buffer", Role::buffer},
    {"optimizer_state", Role::optimizerState},
    {"work_weight", Role::workWeight},
    {"scale_state", Role::scaleState},
    {"batch", Role::batch},
    {"hyper", Role::hyper},
    {"loss", Role::loss},
    {"metric", Role::metric},
    {"guard", Role::guard},
    {"numerics", Role::numerics},
    {"amax_ratios", Role::amaxRatios},
    {"switches", Role::switches},
    {"staged_parameter", Role::stagedParameter}};
constexpr Spelling<CommandKind> commandKinds[] = {
    {"kernel", CommandKind::kernel},
    {"gemm", CommandKind::gemm},
    {"sdpa_forward", CommandKind::sdpaForward},
    {"sdpa_backward", CommandKind::sdpaBackward},
    {"copy", CommandKind::copy},
    {"fill", CommandKind::fill}};
constexpr Spelling<Accumulator> accumulators[] = {
    {"full", Accumulator::full},
    {"fast", Accumulator::fast},
    {"promoted", Accumulator::promoted}};

template <typename Enum, size_t N>
Enum parseEnum(JsonFields field, const Spelling<Enum> (&spellings)[N]) {
  std::string text = field.asString();
  std::string expected;
  for (const Spelling<Enum> &spelling : spellings) {
    if (spelling.text == text)
      return spelling.value;
    expected += (expected.empty() ? "" : ", ") + std::string(spelling.text);
  }
  field.fail("must be one of " + expected + ", but got '" + text + "'");
  return spellings[0].value;
}

template <typename Enum, size_t N>
std::string_view spell(Enum value, const Spelling<Enum> (&spellings)[N]) {
  for (const Spelling<Enum> &spelling : spellings)
    if (spelling.value == value)
      return spelling.text;
  return "unknown";
}

class Parser {
public:
  Parser(Manifest &manifest, Status &error)
      : manifest(manifest), error(error) {}

  void parse(JsonFields root) {
    if (root.string("format") != "prec-step-module")
      root.at("format").fail("must be 'prec-step-module', but got another");
    manifest.abi = root.integer("abi", 0, 1 << 20);
    if (manifest.abi < 1 || manifest.abi > 4)
      root.at("abi").fail("must be 1 to 4, but got " +
                          std::to_string(manifest.abi));
    if (!error.ok())
      return;
    manifest.producer = root.string("producer");
    manifest.recipe = root.string("recipe");
    manifest.graph = root.string("graph");
    if (std::string shapes = root.string("shapes"); shapes != "static")
      root.at("shapes").fail("must be static, but got '" + shapes + "'");
    if (root.has("padding"))
      manifest.noPadding = parsePadding(root.at("padding"));
    manifest.equalMicroBatches = parseMicroBatches(root);
    manifest.targetKind = root.at("target").string("kind");
    manifest.targetChip = root.at("target").string("chip");
    if (manifest.targetKind != "cpu" && manifest.targetKind != "cuda")
      root.at("target").at("kind").fail("must be cpu or cuda, but got '" +
                                        manifest.targetKind + "'");
    for (const Spelling<Segment> &segment : segments)
      manifest.segmentSize[static_cast<size_t>(segment.value)] =
          root.at("segments")
              .integer(std::string(segment.text).c_str(), 0, maxBytes);
    if (root.has("images"))
      for (JsonFields &image : root.at("images").elements())
        parseImage(image);
    for (JsonFields &buffer : root.at("buffers").elements())
      parseBuffer(buffer);
    if (!error.ok())
      return;
    for (JsonFields &binding : root.at("bindings").elements())
      parseBinding(binding);
    JsonFields entryPoints = root.at("entry_points");
    for (const std::string &name : entryPoints.keys()) {
      std::vector<Command> &commands = manifest.entryPoints[name];
      for (JsonFields &command : entryPoints.at(name.c_str()).elements())
        commands.push_back(parseCommand(command));
    }
  }

private:
  void parseImage(JsonFields image) {
    Image result;
    result.kind = image.string("kind");
    if (result.kind != "cubin" && result.kind != "ptx")
      image.at("kind").fail("must be cubin or ptx, but got '" + result.kind +
                            "'");
    result.chip = image.string("chip");
    // Before abi 3 one image of each kind held all kernels.
    if (manifest.abi >= 3)
      result.symbol = image.string("symbol");
    result.offset = image.integer("offset", 0, maxBytes);
    result.size = image.integer("size", 0, maxBytes);
    manifest.images.push_back(std::move(result));
  }

  void parseBuffer(JsonFields buffer) {
    Buffer result;
    result.segment = parseEnum(buffer.at("segment"), segments);
    result.offset = buffer.integer("offset", 0, maxBytes);
    result.dtype = parseEnum(buffer.at("dtype"), dtypes);
    result.shape = buffer.at("shape").asInts(0, maxDim);
    int64_t elements = 1;
    for (int64_t dim : result.shape)
      if (__builtin_mul_overflow(elements, dim, &elements) ||
          elements > maxBytes) {
        buffer.fail("must have at most 2^48 elements, but got shape " +
                    formatShape(result.shape));
        break;
      }
    manifest.buffers.push_back(std::move(result));
  }

  int bufferIndex(JsonFields field) {
    if (manifest.buffers.empty()) {
      field.fail("must name a buffer, but got a module without buffers");
      return 0;
    }
    return field.asInt(0, manifest.buffers.size() - 1);
  }

  std::vector<int> bufferIndices(JsonFields field) {
    std::vector<int> result;
    for (JsonFields &element : field.elements())
      result.push_back(bufferIndex(element));
    return result;
  }

  /// JSON has no infinities.
  static double parseDefault(JsonFields field) {
    if (!field.isString())
      return field.asNumber();
    std::string text = field.asString();
    if (text != "inf" && text != "-inf")
      field.fail("must be a number, inf or -inf, but got '" + text + "'");
    double infinity = std::numeric_limits<double>::infinity();
    return text == "-inf" ? -infinity : infinity;
  }

  static std::string parseMicroBatches(JsonFields root) {
    if (!root.has("micro_batch_weights"))
      return "the module was compiled when all did";
    std::string weights = root.string("micro_batch_weights");
    if (weights == "labels")
      return {};
    if (weights != "equal")
      root.at("micro_batch_weights")
          .fail("must be labels or equal, but got '" + weights + "'");
    return root.string("equal_micro_batches");
  }

  /// True, or why not.
  static std::string parsePadding(JsonFields field) {
    if (field.isString())
      return field.asString();
    if (!field.asBool())
      field.fail("must be true or a reason, but got false");
    return {};
  }

  void parseBinding(JsonFields binding) {
    constexpr int64_t lowest = std::numeric_limits<int64_t>::min();
    Binding result;
    result.name = binding.string("name");
    result.role = parseEnum(binding.at("role"), roles);
    result.buffer = bufferIndex(binding.at("buffer"));
    if (binding.has("parameter"))
      result.parameter = binding.string("parameter");
    if (binding.has("entry_point"))
      result.entryPoint = binding.string("entry_point");
    if (binding.has("slot"))
      result.slot = binding.string("slot");
    if (binding.has("aliases"))
      for (JsonFields &alias : binding.at("aliases").elements())
        result.aliases.push_back(alias.asString());
    if (binding.has("tensors"))
      for (JsonFields &tensor : binding.at("tensors").elements())
        result.tensors.push_back(tensor.asString());
    if (binding.has("uses"))
      for (JsonFields &use : binding.at("uses").elements())
        result.uses.push_back({use.string("path"), use.string("direction"),
                               use.integer("operand"), use.string("format"),
                               use.string("scaling")});
    if (binding.has("vocabulary"))
      result.vocabulary = binding.integer("vocabulary", 1);
    if (binding.has("ignore_index"))
      result.ignoreIndex = binding.integer("ignore_index", lowest);
    if (binding.has("range")) {
      std::vector<int64_t> ends = binding.at("range").asInts(
          lowest, std::numeric_limits<int64_t>::max());
      if (ends.size() == 2 && ends[0] <= ends[1])
        result.range = {ends[0], ends[1]};
      else
        binding.at("range").fail("must be two numbers, the least first");
    }
    if (binding.has("default"))
      result.defaultValue = parseDefault(binding.at("default"));
    if (binding.has("initial"))
      result.initial = bufferIndex(binding.at("initial"));
    if (binding.has("shift"))
      result.shift = binding.integer("shift", 0, 1 << 20);
    if (binding.has("shift_unknown"))
      result.shiftUnknown = binding.string("shift_unknown");
    if (binding.has("codes"))
      result.codes = bufferIndex(binding.at("codes"));
    manifest.bindings.push_back(std::move(result));
  }

  Command parseCommand(JsonFields command) {
    Command result;
    result.kind = parseEnum(command.at("op"), commandKinds);
    result.id = command.string("id");
    result.name = command.string("name");
    if (command.has("path"))
      result.path = command.string("path");
    if (command.has("phase"))
      result.phase = command.string("phase");
    if (command.has("graph_ops"))
      for (JsonFields &op : command.at("graph_ops").elements())
        result.graphOps.push_back(op.asString());
    result.reads = bufferIndices(command.at("reads"));
    result.writes = bufferIndices(command.at("writes"));
    if (command.has("accumulation"))
      result.accumulation = command.integer("accumulation", 1, maxBytes);
    if (command.has("inner_rounding"))
      result.innerRounding = parseEnum(command.at("inner_rounding"), dtypes);
    switch (result.kind) {
    case CommandKind::kernel:
      parseKernel(command, result.kernel);
      break;
    case CommandKind::gemm:
      parseGemm(command, result.gemm);
      break;
    case CommandKind::sdpaForward:
    case CommandKind::sdpaBackward:
      parseSdpa(command, result.kind, result.sdpa);
      break;
    case CommandKind::copy:
      result.src = bufferIndex(command.at("src"));
      [[fallthrough]];
    case CommandKind::fill:
      result.dst = bufferIndex(command.at("dst"));
      break;
    }
    return result;
  }

  void parseKernel(JsonFields command, Kernel &kernel) {
    kernel.args = bufferIndices(command.at("args"));
    if (manifest.targetKind == "cpu") {
      kernel.index = command.integer("kernel", 0, 1 << 30);
      kernel.extent = command.integer("extent", 0, maxBytes);
      return;
    }
    parseLaunch(command, kernel);
  }

  void parseLaunch(JsonFields command, Kernel &kernel) {
    kernel.symbol = command.string("symbol");
    kernel.grid = parseTriple(command.at("grid"));
    kernel.block = parseTriple(command.at("block"));
    kernel.shared = command.integer("shared", 0, 1 << 24);
  }

  std::array<int64_t, 3> parseTriple(JsonFields field) {
    std::vector<int64_t> values = field.asInts(1, (int64_t(1) << 31) - 1);
    if (values.size() == 3)
      return {values[0], values[1], values[2]};
    field.fail("must have 3 elements, but got " +
               std::to_string(values.size()));
    return {1, 1, 1};
  }

  void parseGemm(JsonFields command, Gemm &gemm) {
    gemm.m = command.integer("m", 1, maxDim);
    gemm.n = command.integer("n", 1, maxDim);
    gemm.k = command.integer("k", 1, maxDim);
    gemm.batch = command.has("batch") ? command.integer("batch", 1, maxDim) : 1;
    gemm.a = bufferIndex(command.at("a"));
    gemm.b = bufferIndex(command.at("b"));
    gemm.d = bufferIndex(command.at("d"));
    optionalBuffer(command, "c", gemm.c);
    optionalBuffer(command, "scale_a", gemm.scaleA);
    optionalBuffer(command, "scale_b", gemm.scaleB);
    optionalBuffer(command, "tensor_scale_a", gemm.tensorScaleA);
    optionalBuffer(command, "tensor_scale_b", gemm.tensorScaleB);
    optionalBuffer(command, "bias", gemm.bias);
    // A runtime that reads abi 3 alone would leave it out.
    if (gemm.bias && manifest.abi < 4)
      command.at("bias").fail("must be in a module of abi 4, but got abi " +
                              std::to_string(manifest.abi));
    gemm.alpha = command.has("alpha") ? command.at("alpha").asNumber() : 1;
    gemm.beta = command.has("beta") ? command.at("beta").asNumber() : 0;
    gemm.transposeA =
        command.has("transpose_a") && command.at("transpose_a").asBool();
    gemm.transposeB =
        command.has("transpose_b") && command.at("transpose_b").asBool();
    gemm.accumulator = command.has("accumulator")
                           ? parseEnum(command.at("accumulator"), accumulators)
                           : Accumulator::full;
    auto stride = [&](const char *key, int64_t rows, int64_t columns) {
      int64_t dense = 0;
      if (__builtin_mul_overflow(rows, columns, &dense))
        command.fail("must have at most 2^63 elements a matrix");
      return command.has(key) ? command.integer(key, 0, maxBytes) : dense;
    };
    gemm.strideA = stride("stride_a", gemm.m, gemm.k);
    gemm.strideB = stride("stride_b", gemm.k, gemm.n);
    gemm.strideD = stride("stride_d", gemm.m, gemm.n);
  }

  void optionalBuffer(JsonFields command, const char *key,
                      std::optional<int> &result) {
    if (command.has(key))
      result = bufferIndex(command.at(key));
  }

  void parseSdpa(JsonFields command, CommandKind kind, Sdpa &sdpa) {
    auto buffer = [&](const char *key) { return bufferIndex(command.at(key)); };
    sdpa.q = buffer("q");
    sdpa.k = buffer("k");
    sdpa.v = buffer("v");
    sdpa.o = buffer("o");
    sdpa.lse = buffer("lse");
    sdpa.scale = command.at("scale").asNumber();
    sdpa.causal = command.at("causal").asBool();
    if (command.has("views"))
      parseViews(command.at("views"), sdpa);
    if (kind == CommandKind::sdpaForward)
      return;
    sdpa.dO = buffer("do");
    sdpa.dq = buffer("dq");
    sdpa.dk = buffer("dk");
    sdpa.dv = buffer("dv");
    if (command.has("deterministic"))
      sdpa.deterministic = command.at("deterministic").asBool();
    if (!command.has("kernels"))
      return;
    for (const JsonFields &kernel : command.at("kernels").elements())
      parseLaunch(kernel, sdpa.kernels.emplace_back());
    if (sdpa.kernels.size() != 2)
      command.at("kernels").fail("must have 2 elements, but got " +
                                 std::to_string(sdpa.kernels.size()));
  }

  void parseViews(JsonFields views, Sdpa &sdpa) {
    for (const std::string &operand : views.keys()) {
      JsonFields view = views.at(operand.c_str());
      sdpa.views[operand] = {view.at("shape").asInts(1, maxBytes),
                             view.at("strides").asInts(1, maxBytes),
                             view.integer("offset", 0, maxBytes)};
    }
  }

  Manifest &manifest;
  Status &error;
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

int64_t prec::rt::byteSize(DType dtype) {
  switch (dtype) {
  case DType::f32:
  case DType::i32:
    return 4;
  case DType::bf16:
  case DType::f16:
    return 2;
  case DType::i64:
    return 8;
  case DType::f8E4M3FN:
  case DType::f8E5M2:
  case DType::f8E8M0FNU:
  case DType::i1:
  case DType::i8:
    break;
  }
  return 1;
}

std::string_view prec::rt::name(DType dtype) { return spell(dtype, dtypes); }
std::string_view prec::rt::name(Segment segment) {
  return spell(segment, segments);
}
std::string_view prec::rt::name(Role role) { return spell(role, roles); }
bool prec::rt::isWeight(Role role) {
  return role == Role::parameter || role == Role::frozenParameter ||
         role == Role::stagedParameter || role == Role::buffer;
}
std::string_view prec::rt::name(CommandKind kind) {
  return spell(kind, commandKinds);
}

bool prec::rt::isFloat(DType dtype) {
  return dtype == DType::f32 || dtype == DType::bf16 || dtype == DType::f16 ||
         dtype == DType::f8E4M3FN || dtype == DType::f8E5M2 ||
         dtype == DType::f8E8M0FNU;
}

std::string prec::rt::formatShape(const std::vector<int64_t> &shape) {
  std::string result = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    result += (i ? ", " : "") + std::to_string(shape[i]);
  return result + "]";
}

int64_t Buffer::elements() const {
  int64_t result = 1;
  for (int64_t dim : shape)
    result *= dim;
  return result;
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

Result<Manifest> Manifest::parse(std::string_view text) {
  Result<json> document = parseJson(text);
  if (!document.ok())
    return Status::error("manifest " + document.status().message());
  Manifest manifest;
  Status error;
  Parser(manifest, error).parse(JsonFields(*document, "manifest", error));
  if (!error.ok())
    return error;
  PREC_RT_RETURN_IF_ERROR(verify(manifest));
  return manifest;
}
