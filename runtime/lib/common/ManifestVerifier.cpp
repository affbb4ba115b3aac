//===- ManifestVerifier.cpp - what a manifest promises --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a manifest is safe to run before any code of the module is
// loaded: each buffer lies in its segment and is aligned, bindings have the
// types of their roles and share no bytes, indices of buffers and kernels
// exist, commands have the sizes that their kind asks for and write only what
// their entry point may write. Afterwards the runtime uses offsets and indices
// without checking them again. Each kind of command checks itself
// (CommandRules).
//
//===----------------------------------------------------------------------===//

#include "ManifestVerifier.h"

#include "BucketVerifier.h"
#include "CommandRules.h"
#include "StateValues.h"

#include <algorithm>
#include <set>

using namespace prec::rt;

static Status fail(const std::string &place, const std::string &message) {
  return Status::badFile("manifest." + place + ": " + message);
}

/// Before abi 3 one image of each kind held all kernels.
static Status verifyImages(const Manifest &manifest) {
  for (size_t i = 0; i < manifest.images.size(); ++i)
    if (manifest.images[i].symbol.empty() != (manifest.abi < 3))
      return fail("images[" + std::to_string(i) + "]",
                  manifest.abi < 3
                      ? "must hold all kernels, but got the key 'symbol'"
                      : "must have the key 'symbol', but got none");
  return {};
}

static Status verifyMesh(const Manifest &manifest) {
  constexpr int64_t mostRanks = 1 << 16;
  int64_t ranks = 1;
  std::set<std::string_view> names;
  for (const MeshAxis &axis : manifest.mesh) {
    if (axis.axis.empty())
      return fail("mesh", "an axis must have a name, but got an empty one");
    if (!names.insert(axis.axis).second)
      return fail("mesh", "axes must have names of their own, but got two '" +
                              axis.axis + "'");
    ranks *= axis.size;
    if (ranks > mostRanks)
      return fail("mesh", "must have at most " + std::to_string(mostRanks) +
                              " ranks, but got more");
  }
  return {};
}

static Status verifyBuffers(const Manifest &manifest) {
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const Buffer &buffer = manifest.buffers[i];
    std::string place = "buffers[" + std::to_string(i) + "]";
    int64_t elements = 1;
    for (int64_t dim : buffer.shape)
      if (__builtin_mul_overflow(elements, dim, &elements) ||
          elements > kMaxBytes)
        return fail(place, "must have at most 2^48 elements, but got shape " +
                               formatShape(buffer.shape));
    if (buffer.offset % byteSize(buffer.dtype))
      return fail(place, "offset must be a multiple of " +
                             std::to_string(byteSize(buffer.dtype)) + " for " +
                             std::string(name(buffer.dtype)) + ", but got " +
                             std::to_string(buffer.offset));
    int64_t size = manifest.segmentSize[static_cast<size_t>(buffer.segment)];
    if (buffer.bytes() > size || buffer.offset > size - buffer.bytes())
      return fail(place, "must lie in segment " +
                             std::string(name(buffer.segment)) + " of " +
                             std::to_string(size) + " bytes, but got offset " +
                             std::to_string(buffer.offset) + " and " +
                             std::to_string(buffer.bytes()) + " bytes");
  }
  return {};
}

/// A metric of any shape is an output of the forward pass.
static bool isScalar(Role role, const Buffer &buffer) {
  return role == Role::hyper || role == Role::loss || role == Role::guard ||
         (role == Role::metric && buffer.shape.empty());
}

/// What a slice is of: state of a training, along a dimension that it has.
static Status verifyShard(const Manifest &manifest, const Binding &binding,
                          const std::string &place, const std::string &what) {
  if (!binding.shard)
    return {};
  const Buffer &buffer = manifest.buffers[binding.buffer];
  const auto dim = static_cast<size_t>(binding.shard->dim);
  const std::optional<RankGroup> axis =
      manifest.findGroup(binding.shard->axis, 0);
  if (!axis)
    return fail(place, what +
                           " must be divided along an axis of the mesh, but "
                           "got " +
                           quote(binding.shard->axis));
  if (buffer.segment != Segment::state)
    return fail(place, what +
                           " must lie in segment state to be divided, but "
                           "got " +
                           std::string(name(buffer.segment)));
  if (dim >= buffer.shape.size())
    return fail(place, what + " must be divided along one of its " +
                           std::to_string(buffer.shape.size()) +
                           " dimensions, but got " + std::to_string(dim));
  if (buffer.elements() > kMaxBytes / axis->size)
    return fail(place, what +
                           " must be a slice of at most 2^48 elements, but "
                           "got " +
                           std::to_string(axis->size) + " slices of shape " +
                           formatShape(buffer.shape));
  const std::vector<int64_t> &parts = binding.shard->parts;
  const int64_t whole = buffer.shape[dim] * axis->size;
  int64_t rest = whole;
  for (int64_t part : parts)
    rest -= part <= rest && part % axis->size == 0 ? part : rest + 1;
  if (!parts.empty() && rest != 0)
    return fail(place, what + " must have parts of " +
                           std::to_string(axis->size) + " slices, " +
                           std::to_string(whole) + " together, but got " +
                           formatShape(parts));
  if (binding.initial)
    return fail(place, what + " must have no initial value to be divided, but "
                              "got one");
  return {};
}

static Status verifyBinding(const Manifest &manifest, const Binding &binding,
                            const std::string &place,
                            const std::set<std::string> &parameters) {
  const Buffer &buffer = manifest.buffers[binding.buffer];
  std::string what =
      std::string(name(binding.role)) + " " + quote(binding.name);
  if (buffer.segment != segmentOf(binding.role))
    return fail(place, what + " must lie in segment " +
                           std::string(name(segmentOf(binding.role))) +
                           ", but got " + std::string(name(buffer.segment)));
  PREC_RT_RETURN_IF_ERROR(verifyShard(manifest, binding, place, what));
  if (isScalar(binding.role, buffer) &&
      (buffer.dtype != DType::f32 || buffer.elements() != 1))
    return fail(place, what + " must be one f32, but got " +
                           std::string(name(buffer.dtype)) +
                           formatShape(buffer.shape));
  // States may be counts.
  bool mayCount = binding.role == Role::optimizerState &&
                  (buffer.dtype == DType::i32 || buffer.dtype == DType::i64);
  if ((binding.role == Role::parameter ||
       binding.role == Role::optimizerState) &&
      !isFloat(buffer.dtype) && buffer.dtype != DType::i8 && !mayCount)
    return fail(place, what + " must be of a float dtype, but got " +
                           std::string(name(buffer.dtype)));
  bool isNumerics = binding.role == Role::numerics;
  if (isNumerics && binding.uses.empty() == binding.parameter.empty())
    return fail(place, what +
                           " must have one of the keys 'uses' and "
                           "'parameter', but got " +
                           (binding.uses.empty() ? "none" : "both"));
  if ((binding.role == Role::optimizerState ||
       binding.role == Role::workWeight ||
       (isNumerics && binding.uses.empty())) &&
      !parameters.count(binding.parameter))
    return fail(place, what + " must name a parameter of the module, but got " +
                           quote(binding.parameter));
  if (binding.role == Role::optimizerState && binding.slot.empty())
    return fail(place, what + " must have the key 'slot', but got none");
  // What lies in the workspace is gone once anything else runs.
  if (binding.role == Role::stagedParameter &&
      !manifest.entryPoints.count(binding.entryPoint))
    return fail(place, what +
                           " must name an entry point of the module, but "
                           "got " +
                           quote(binding.entryPoint));
  bool isVector =
      binding.role == Role::amaxRatios || binding.role == Role::switches;
  if ((binding.role == Role::guard || isVector) && binding.tensors.empty())
    return fail(place, what + " must have the key 'tensors', but got none");
  int64_t elements = static_cast<int64_t>(binding.tensors.size());
  if (isNumerics)
    elements = binding.uses.empty() ? kParameterNumerics : kUseNumerics;
  if ((isVector || isNumerics) &&
      (buffer.dtype != DType::f32 || buffer.elements() != elements))
    return fail(place, what + " must be f32" + formatShape({elements}) +
                           ", but got " + std::string(name(buffer.dtype)) +
                           formatShape(buffer.shape));
  if (binding.codes) {
    const Buffer &codes = manifest.buffers[*binding.codes];
    if (codes.segment != Segment::constants || codes.dtype != DType::f32 ||
        codes.elements() != 256 || buffer.dtype != DType::i8)
      return fail(place, what +
                             " must be i8 and have its codes as f32[256] in "
                             "segment constants, but got " +
                             std::string(name(codes.dtype)) +
                             formatShape(codes.shape) + " in " +
                             std::string(name(codes.segment)) + " for " +
                             std::string(name(buffer.dtype)));
  }
  if (binding.initial) {
    const Buffer &initial = manifest.buffers[*binding.initial];
    if (initial.segment != Segment::constants ||
        initial.dtype != buffer.dtype || initial.shape != buffer.shape)
      return fail(place, what +
                             " must have an initial value of its own dtype "
                             "and shape in segment constants, but got " +
                             std::string(name(initial.dtype)) +
                             formatShape(initial.shape) + " in " +
                             std::string(name(initial.segment)));
  }
  return {};
}

static Status verifyBindings(const Manifest &manifest) {
  std::set<std::string> parameters, weightNames;
  std::set<std::pair<Role, std::string>> seen;
  std::set<std::pair<std::string, std::string>> slots;
  for (const Binding &binding : manifest.bindings)
    if (isWeight(binding.role) && binding.role != Role::buffer)
      parameters.insert(binding.name);
  for (size_t i = 0; i < manifest.bindings.size(); ++i) {
    const Binding &binding = manifest.bindings[i];
    std::string place = "bindings[" + std::to_string(i) + "]";
    PREC_RT_RETURN_IF_ERROR(
        verifyBinding(manifest, binding, place, parameters));
    for (const std::string *text : {&binding.name, &binding.slot})
      if (Status status = checkTensorName(*text); !status.ok())
        return fail(place, status.message());
    if (!seen.emplace(binding.role, binding.name).second)
      return fail(place, "names must be unique within a role, but got " +
                             quote(binding.name) + " twice");
    if (binding.role == Role::optimizerState &&
        !slots.emplace(binding.parameter, binding.slot).second)
      return fail(place, "slots of a parameter must be unique, but got " +
                             quote(binding.slot) + " of " +
                             quote(binding.parameter) + " twice");
    if (!isWeight(binding.role))
      continue;
    std::vector<std::string> names = binding.aliases;
    names.push_back(binding.name);
    for (const std::string &weight : names)
      if (!weightNames.insert(weight).second)
        return fail(place, "names and aliases of weights must be unique, but "
                           "got " +
                               quote(weight) + " twice");
  }
  // A binding is written on its own, so no other may share its bytes.
  std::vector<const Binding *> order;
  for (const Binding &binding : manifest.bindings)
    order.push_back(&binding);
  auto key = [&](const Binding *binding) {
    const Buffer &buffer = manifest.buffers[binding->buffer];
    return std::make_pair(buffer.segment, buffer.offset);
  };
  std::sort(order.begin(), order.end(),
            [&](auto *a, auto *b) { return key(a) < key(b); });
  const Binding *previous = nullptr;
  for (const Binding *binding : order) {
    const Buffer &buffer = manifest.buffers[binding->buffer];
    if (buffer.bytes() == 0 || binding->role == Role::stagedParameter)
      continue;
    if (previous && overlap(manifest.buffers[previous->buffer], buffer))
      return fail("bindings", "must not share bytes, but " +
                                  quote(previous->name) + " and " +
                                  quote(binding->name) + " do");
    previous = binding;
  }
  return {};
}

/// What an entry point may write.
static Status verifyWrite(const CommandCheck &check,
                          std::string_view entryPoint, int index) {
  const Manifest &manifest = check.manifest;
  // What runs in its place may write what it may.
  if (entryPoint.substr(0, kCrowded.size()) == kCrowded)
    entryPoint.remove_prefix(kCrowded.size());
  Segment segment = check.buffer(index).segment;
  if (segment == Segment::constants || segment == Segment::input)
    return check.fail("must not write segment " + std::string(name(segment)) +
                      ", but writes buffer " + std::to_string(index));
  if (segment != Segment::state)
    return {};
  if (entryPoint == "eval")
    return check.fail("eval must write only workspace and output, but writes "
                      "buffer " +
                      std::to_string(index) + " in state");
  if (entryPoint == "accumulate")
    for (const Binding &binding : manifest.bindings)
      if (overlap(check.buffer(index), check.buffer(binding.buffer)))
        return check.fail(
            "accumulate must write no binding's state, but writes " +
            quote(binding.name));
  return {};
}

/// What a bench module says of its commands.
static Status verifyBench(const Manifest &manifest) {
  const std::vector<Command> &commands = manifest.commands("step");
  const auto total = static_cast<int64_t>(commands.size());
  for (size_t i = 0; i < manifest.bench.size(); ++i) {
    const BenchItem &item = manifest.bench[i];
    std::string place = "bench[" + std::to_string(i) + "]";
    if (item.first >= total || item.count > total - item.first)
      return fail(place, "must be of the step's " + std::to_string(total) +
                             " commands, but got " +
                             std::to_string(item.count) + " from " +
                             std::to_string(item.first) + " on");
    bool isProduct = item.kind == "contraction";
    if (isProduct != !item.direction.empty())
      return fail(place, isProduct ? "a contraction must have the key "
                                     "'direction', but got none"
                                   : "a " + item.kind +
                                         " must not have the key 'direction', "
                                         "but got one");
    const Command &command = commands[static_cast<size_t>(item.first)];
    if (isProduct && (item.count != 1 || command.kind != CommandKind::gemm))
      return fail(place, "a contraction must be one gemm, but got " +
                             std::to_string(item.count) + " from a " +
                             std::string(name(command.kind)) + " on");
    bool isWhole = item.rows > 0 && item.columns > 0 && !item.from.empty() &&
                   !item.to.empty() && !item.scaling.empty() &&
                   !item.layouts.empty();
    if (item.kind == "quantization" && !isWhole)
      return fail(place, "a quantization must have the keys 'rows', 'columns', "
                         "'from', 'to', 'scaling' and 'layouts', but lacks "
                         "some");
  }
  return {};
}

Status prec::rt::verify(const Manifest &manifest) {
  PREC_RT_RETURN_IF_ERROR(verifyImages(manifest));
  PREC_RT_RETURN_IF_ERROR(verifyMesh(manifest));
  PREC_RT_RETURN_IF_ERROR(verifyBuffers(manifest));
  if (manifest.microBatchWeights == "equal" &&
      manifest.equalMicroBatches.empty())
    return Status::badFile("manifest: must have the key 'equal_micro_batches', "
                           "but got none");
  PREC_RT_RETURN_IF_ERROR(verifyBindings(manifest));
  if (!manifest.entryPoints.count("step"))
    return fail("entry_points", "must have 'step', but got none");
  for (const auto &[entryPoint, commands] : manifest.entryPoints)
    if (std::string_view name = entryPoint;
        name.substr(0, kCrowded.size()) == kCrowded &&
        !manifest.entryPoints.count(std::string(name.substr(kCrowded.size()))))
      return fail("entry_points", "must have the entry point that " +
                                      quote(entryPoint) +
                                      " is run in place of, but got none");
  if (manifest.entryPoints.count("accumulate") !=
      manifest.entryPoints.count("apply"))
    return fail("entry_points", "must have 'accumulate' and 'apply', or none "
                                "of both, but got one");
  PREC_RT_RETURN_IF_ERROR(verifyBench(manifest));
  for (const auto &[entryPoint, commands] : manifest.entryPoints) {
    std::set<std::string_view> names;
    auto placeOf = [&](size_t i) {
      return "entry_points." + entryPoint + "[" + std::to_string(i) + "] (" +
             commands[i].name + ")";
    };
    for (size_t i = 0; i < commands.size(); ++i) {
      std::string place = placeOf(i);
      if (!names.insert(commands[i].name).second)
        return fail(place, "names must be unique within an entry point, but "
                           "got this one twice");
      CommandCheck check(manifest, commands[i], place);
      for (int index : commands[i].writes)
        PREC_RT_RETURN_IF_ERROR(verifyWrite(check, entryPoint, index));
      PREC_RT_RETURN_IF_ERROR(verifyCommand(check));
    }
    PREC_RT_RETURN_IF_ERROR(verifyBuckets(
        manifest, commands, [&](size_t i, const std::string &message) {
          return fail(placeOf(i), message);
        }));
  }
  return {};
}
