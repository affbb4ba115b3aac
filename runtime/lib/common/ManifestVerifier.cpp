//===- ManifestVerifier.cpp - what a manifest promises --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ManifestVerifier.h"

#include "GemmScales.h"
#include "StateValues.h"

#include <algorithm>
#include <set>

using namespace prec::rt;

static Status fail(const std::string &place, const std::string &message) {
  return Status::error("manifest." + place + ": " + message);
}

static std::string quote(std::string_view text) {
  return "'" + std::string(text) + "'";
}

static bool overlap(const Buffer &a, const Buffer &b) {
  return a.segment == b.segment && a.offset < b.offset + b.bytes() &&
         b.offset < a.offset + a.bytes();
}

static bool sameWindow(const Buffer &a, const Buffer &b) {
  return a.segment == b.segment && a.offset == b.offset &&
         a.bytes() == b.bytes();
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

static bool isScalar(Role role) {
  return role == Role::hyper || role == Role::loss || role == Role::metric ||
         role == Role::guard;
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
  if (isScalar(binding.role) &&
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

namespace {

/// Checks one command; the place names entry point, index and command.
class CommandVerifier {
public:
  CommandVerifier(const Manifest &manifest, const Command &command,
                  std::string place)
      : manifest(manifest), command(command), place(std::move(place)) {}

  Status verify(const std::string &entryPoint);

private:
  const Buffer &buffer(int index) const { return manifest.buffers[index]; }
  Status fail(const std::string &message) const {
    return ::fail(place, message);
  }
  Status expectListed(const std::vector<int> &list, int index,
                      const char *listName) const;
  Status expectElements(int index, int64_t elements, const char *operand) const;
  Status expectFloat(int index, const char *operand) const;
  Status verifyWrite(const std::string &entryPoint, int index) const;
  Status verifyGemm() const;
  Status verifyBias(int index) const;
  Status verifyView(const char *operand, const StridedView &view, int index,
                    bool isResult) const;
  Status verifySdpa() const;

  const Manifest &manifest;
  const Command &command;
  std::string place;
};

} // namespace

Status CommandVerifier::expectListed(const std::vector<int> &list, int index,
                                     const char *listName) const {
  if (std::find(list.begin(), list.end(), index) != list.end())
    return {};
  return fail(std::string(listName) + " must list every operand, but buffer " +
              std::to_string(index) + " is missing");
}

Status CommandVerifier::expectElements(int index, int64_t elements,
                                       const char *operand) const {
  if (buffer(index).elements() >= elements)
    return {};
  return fail(std::string(operand) + " must have at least " +
              std::to_string(elements) + " elements, but got " +
              formatShape(buffer(index).shape));
}

Status CommandVerifier::expectFloat(int index, const char *operand) const {
  if (isFloat(buffer(index).dtype))
    return {};
  return fail(std::string(operand) + " must be of a float dtype, but got " +
              std::string(name(buffer(index).dtype)));
}

Status CommandVerifier::verifyGemm() const {
  const Gemm &gemm = command.gemm;
  auto extent = [&](int64_t stride, int64_t rows, int64_t columns) {
    __int128 size = static_cast<__int128>(gemm.batch - 1) * stride +
                    static_cast<__int128>(rows) * columns;
    constexpr int64_t limit = int64_t(1) << 62;
    return size > limit ? limit : static_cast<int64_t>(size);
  };
  bool isFp4 = buffer(gemm.a).dtype == DType::i8 &&
               buffer(gemm.b).dtype == DType::i8 && gemm.tensorScaleA &&
               gemm.tensorScaleB && gemm.k % 2 == 0;
  for (auto [index, operand, elements] :
       {std::tuple{gemm.a, "a", extent(gemm.strideA, gemm.m, gemm.k)},
        std::tuple{gemm.b, "b", extent(gemm.strideB, gemm.k, gemm.n)},
        std::tuple{gemm.d, "d", extent(gemm.strideD, gemm.m, gemm.n)},
        std::tuple{gemm.c.value_or(gemm.d), "c",
                   extent(gemm.strideD, gemm.m, gemm.n)}}) {
    // Two elements of e2m1.
    bool isPacked = isFp4 && (index == gemm.a || index == gemm.b);
    PREC_RT_RETURN_IF_ERROR(
        expectElements(index, isPacked ? elements / 2 : elements, operand));
    if (!isPacked)
      PREC_RT_RETURN_IF_ERROR(expectFloat(index, operand));
  }
  if (gemm.batch > 1 && gemm.strideD < gemm.m * gemm.n)
    return fail("stride_d must be at least " + std::to_string(gemm.m * gemm.n) +
                ", but got " + std::to_string(gemm.strideD));
  // A runtime that reads abi 3 alone would leave it out.
  if (gemm.bias && manifest.abi < 4)
    return fail("bias must be in a module of abi 4, but got abi " +
                std::to_string(manifest.abi));
  const Buffer &d = buffer(gemm.d);
  if (overlap(d, buffer(gemm.a)) || overlap(d, buffer(gemm.b)))
    return fail("d must not share bytes with a or b, but does");
  if (gemm.beta != 0) {
    if (!gemm.c)
      return fail("beta must be 0 without c, but got " +
                  std::to_string(gemm.beta));
    const Buffer &c = buffer(*gemm.c);
    if (c.dtype != d.dtype || (overlap(c, d) && !sameWindow(c, d)))
      return fail("c must be of the dtype of d and be d or apart from it, but "
                  "is not");
    PREC_RT_RETURN_IF_ERROR(expectListed(command.reads, *gemm.c, "reads"));
  }
  for (auto [scale, rows] :
       {std::pair{gemm.scaleA, gemm.m}, std::pair{gemm.scaleB, gemm.n}})
    if (scale) {
      if (!granularityOf(buffer(*scale), rows, gemm.k))
        return fail("scales must be one f32, or one for each row, 1x128 or "
                    "128x128 block, or one f8E8M0FNU for each 1x32 or one "
                    "f8E4M3FN for each 1x16 block in tiles, of an operand " +
                    formatShape({rows, gemm.k}) + ", but got " +
                    std::string(name(buffer(*scale).dtype)) +
                    formatShape(buffer(*scale).shape));
      PREC_RT_RETURN_IF_ERROR(expectListed(command.reads, *scale, "reads"));
    }
  auto dtypeOf = [&](const std::optional<int> &scale) {
    return scale ? buffer(*scale).dtype : DType::f32;
  };
  bool isMicro = isMicroscaled(manifest, gemm);
  if (dtypeOf(gemm.scaleA) != dtypeOf(gemm.scaleB) ||
      isFp4 != (dtypeOf(gemm.scaleA) == DType::f8E4M3FN) ||
      (isMicro && (gemm.transposeA || !gemm.transposeB)))
    return fail("scales must have one dtype, f8E4M3FN for packed operands and "
                "only for these, and operands with scales of 32 or 16 elements "
                "must lie along k, but do not");
  for (const std::optional<int> &scale : {gemm.tensorScaleA, gemm.tensorScaleB})
    if (scale) {
      if (!isFp4 || buffer(*scale).dtype != DType::f32 ||
          buffer(*scale).elements() != 1)
        return fail("tensor scales must be one f32 for each of two packed "
                    "operands, but got " +
                    std::string(name(buffer(*scale).dtype)) +
                    formatShape(buffer(*scale).shape));
      PREC_RT_RETURN_IF_ERROR(expectListed(command.reads, *scale, "reads"));
    }
  if (gemm.bias)
    PREC_RT_RETURN_IF_ERROR(verifyBias(*gemm.bias));
  if (gemm.batch > 1 && (isMicro || scaledParts(manifest, gemm).areFine()))
    return fail("scales of rows or blocks must be of one matrix, but got a "
                "batch of " +
                std::to_string(gemm.batch));
  PREC_RT_RETURN_IF_ERROR(expectListed(command.reads, gemm.a, "reads"));
  PREC_RT_RETURN_IF_ERROR(expectListed(command.reads, gemm.b, "reads"));
  return expectListed(command.writes, gemm.d, "writes");
}

/// What cuBLASLt adds to the rows of a product.
Status CommandVerifier::verifyBias(int index) const {
  const Gemm &gemm = command.gemm;
  const Buffer &bias = buffer(index);
  if (gemm.batch > 1)
    return fail("a bias must be of one matrix, but got a batch of " +
                std::to_string(gemm.batch));
  if (isMicroscaled(manifest, gemm) || scaledParts(manifest, gemm).areFine())
    return fail("scales must be of tensors beside a bias, but are of parts");
  DType expected = biasType(buffer(gemm.d).dtype, gemm.scaleA || gemm.scaleB);
  if (bias.dtype != expected || bias.elements() != gemm.n)
    return fail("bias must be " + std::string(name(expected)) +
                formatShape({gemm.n}) + ", but got " +
                std::string(name(bias.dtype)) + formatShape(bias.shape));
  if (overlap(buffer(gemm.d), bias))
    return fail("d must not share bytes with bias, but does");
  return expectListed(command.reads, index, "reads");
}

/// A result is all of its buffer, each element once.
Status CommandVerifier::verifyView(const char *operand, const StridedView &view,
                                   int index, bool isResult) const {
  if (view.strides.size() != view.shape.size() || view.strides.back() != 1)
    return fail(std::string(operand) +
                " must have a stride for each dimension, the last of 1, but "
                "got " +
                formatShape(view.strides));
  int64_t last = view.offset;
  std::vector<std::pair<int64_t, int64_t>> dims; // stride and size
  for (size_t i = 0; i < view.shape.size(); ++i) {
    int64_t distance = 0;
    if (__builtin_mul_overflow(view.shape[i] - 1, view.strides[i], &distance) ||
        __builtin_add_overflow(last, distance, &last))
      return fail(std::string(operand) + " must have at most 2^63 elements");
    if (view.shape[i] > 1)
      dims.push_back({view.strides[i], view.shape[i]});
  }
  const std::vector<int64_t> &shape = buffer(index).shape;
  if (last >= buffer(index).elements())
    return fail(std::string(operand) + " must be in " + formatShape(shape) +
                ", but its last element is at " + std::to_string(last));
  if (!isResult)
    return {};
  std::sort(dims.begin(), dims.end());
  int64_t elements = 1;
  for (auto [stride, size] : dims) {
    if (stride != elements)
      return fail(std::string(operand) +
                  " must have each of its elements in one place, but got "
                  "strides " +
                  formatShape(view.strides));
    elements *= size;
  }
  if (elements == buffer(index).elements())
    return {};
  return fail(std::string(operand) + " must be all of " + formatShape(shape) +
              ", but got " + formatShape(view.shape));
}

Status CommandVerifier::verifySdpa() const {
  const Sdpa &sdpa = command.sdpa;
  bool backward = command.kind == CommandKind::sdpaBackward;
  const std::vector<int64_t> q = sdpa.viewOf(manifest, "q", sdpa.q).shape;
  const std::vector<int64_t> k = sdpa.viewOf(manifest, "k", sdpa.k).shape;
  if (q.size() != 4 || k.size() != 4 || q[0] != k[0] || q[3] != k[3] ||
      k[1] == 0 || q[1] % k[1])
    return fail("q must be [B, H, S, D] and k [B, G, T, D] with G dividing H, "
                "but got " +
                formatShape(q) + " and " + formatShape(k));
  for (int64_t dim : {q[0], q[1], q[2], q[3], k[2]})
    if (dim == 0)
      return fail("q and k must not be empty, but got " + formatShape(q) +
                  " and " + formatShape(k));
  struct Operand {
    const char *name;
    int index;
    const std::vector<int64_t> &shape;
    bool written;
  };
  std::vector<Operand> operands = {{"q", sdpa.q, q, false},
                                   {"k", sdpa.k, k, false},
                                   {"v", sdpa.v, k, false},
                                   {"o", sdpa.o, q, !backward}};
  if (backward) {
    operands.push_back({"do", sdpa.dO, q, false});
    operands.push_back({"dq", sdpa.dq, q, true});
    operands.push_back({"dk", sdpa.dk, k, true});
    operands.push_back({"dv", sdpa.dv, k, true});
  }
  for (const auto &[name, view] : sdpa.views)
    if (std::none_of(
            operands.begin(), operands.end(),
            [&](const Operand &operand) { return operand.name == name; }))
      return fail("views must be of operands but lse, but got " + quote(name));
  for (const Operand &operand : operands) {
    StridedView view = sdpa.viewOf(manifest, operand.name, operand.index);
    if (view.shape != operand.shape)
      return fail(std::string(operand.name) + " must be " +
                  formatShape(operand.shape) + ", but got " +
                  formatShape(view.shape));
    PREC_RT_RETURN_IF_ERROR(
        verifyView(operand.name, view, operand.index, operand.written));
    PREC_RT_RETURN_IF_ERROR(expectFloat(operand.index, operand.name));
    PREC_RT_RETURN_IF_ERROR(
        operand.written ? expectListed(command.writes, operand.index, "writes")
                        : expectListed(command.reads, operand.index, "reads"));
    if (!operand.written)
      continue;
    for (const Operand &other : operands)
      if (&other != &operand &&
          overlap(buffer(operand.index), buffer(other.index)))
        return fail(std::string(operand.name) + " must not share bytes with " +
                    other.name + ", but does");
  }
  const Buffer &lse = buffer(sdpa.lse);
  if (lse.dtype != DType::f32 || lse.elements() != q[0] * q[1] * q[2])
    return fail("lse must be f32" + formatShape({q[0], q[1], q[2]}) +
                ", but got " + std::string(name(lse.dtype)) +
                formatShape(lse.shape));
  return backward ? expectListed(command.reads, sdpa.lse, "reads")
                  : expectListed(command.writes, sdpa.lse, "writes");
}

Status CommandVerifier::verifyWrite(const std::string &entryPoint,
                                    int index) const {
  Segment segment = buffer(index).segment;
  if (segment == Segment::constants || segment == Segment::input)
    return fail("must not write segment " + std::string(name(segment)) +
                ", but writes buffer " + std::to_string(index));
  if (segment != Segment::state)
    return {};
  if (entryPoint == "eval")
    return fail("eval must write only workspace and output, but writes "
                "buffer " +
                std::to_string(index) + " in state");
  if (entryPoint == "accumulate")
    for (const Binding &binding : manifest.bindings)
      if (overlap(buffer(index), buffer(binding.buffer)))
        return fail("accumulate must write no binding's state, but writes " +
                    quote(binding.name));
  return {};
}

Status CommandVerifier::verify(const std::string &entryPoint) {
  for (int index : command.writes)
    PREC_RT_RETURN_IF_ERROR(verifyWrite(entryPoint, index));
  switch (command.kind) {
  case CommandKind::kernel:
    for (int arg : command.kernel.args)
      if (!expectListed(command.reads, arg, "").ok())
        PREC_RT_RETURN_IF_ERROR(
            expectListed(command.writes, arg, "reads and writes"));
    return {};
  case CommandKind::gemm:
    return verifyGemm();
  case CommandKind::sdpaForward:
  case CommandKind::sdpaBackward:
    return verifySdpa();
  case CommandKind::copy: {
    const Buffer &src = buffer(command.src), &dst = buffer(command.dst);
    if (src.bytes() != dst.bytes())
      return fail("src and dst must have the same byte size, but got " +
                  std::to_string(src.bytes()) + " and " +
                  std::to_string(dst.bytes()));
    if (overlap(src, dst) && !sameWindow(src, dst))
      return fail("src and dst must not share bytes, but do");
    PREC_RT_RETURN_IF_ERROR(expectListed(command.reads, command.src, "reads"));
    [[fallthrough]];
  }
  case CommandKind::fill:
    return expectListed(command.writes, command.dst, "writes");
  }
  return {};
}

Status prec::rt::verify(const Manifest &manifest) {
  PREC_RT_RETURN_IF_ERROR(verifyImages(manifest));
  PREC_RT_RETURN_IF_ERROR(verifyBuffers(manifest));
  if (manifest.microBatchWeights == "equal" &&
      manifest.equalMicroBatches.empty())
    return fail("equal_micro_batches", "must say why micro-batches weigh the "
                                       "same, but got nothing");
  PREC_RT_RETURN_IF_ERROR(verifyBindings(manifest));
  if (!manifest.entryPoints.count("step"))
    return fail("entry_points", "must have 'step', but got none");
  if (manifest.entryPoints.count("accumulate") !=
      manifest.entryPoints.count("apply"))
    return fail("entry_points", "must have 'accumulate' and 'apply', or none "
                                "of both, but got one");
  for (const auto &[entryPoint, commands] : manifest.entryPoints) {
    std::set<std::string_view> names;
    for (size_t i = 0; i < commands.size(); ++i) {
      std::string place = "entry_points." + entryPoint + "[" +
                          std::to_string(i) + "] (" + commands[i].name + ")";
      if (!names.insert(commands[i].name).second)
        return fail(place, "names must be unique within an entry point, but "
                           "got this one twice");
      PREC_RT_RETURN_IF_ERROR(
          CommandVerifier(manifest, commands[i], place).verify(entryPoint));
    }
  }
  return {};
}
