//===- DlpackViews.cpp - tensors of other frameworks ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DlpackViews.h"

using namespace prec::rt;

namespace {
struct TypeRow {
  DType dtype;
  uint8_t code, bits;
};
} // namespace

static constexpr TypeRow kTypes[] = {
    {DType::f32, kDLFloat, 32},
    {DType::bf16, kDLBfloat, 16},
    {DType::f16, kDLFloat, 16},
    {DType::f8E4M3FN, kDLFloat8_e4m3fn, 8},
    {DType::f8E5M2, kDLFloat8_e5m2, 8},
    {DType::i1, kDLBool, 8},
    {DType::i8, kDLInt, 8},
    {DType::i32, kDLInt, 32},
    {DType::i64, kDLInt, 64},
    {DType::f8E8M0FNU, kDLFloat8_e8m0fnu, 8},
};

static DLDataType typeOf(DType dtype) {
  for (const TypeRow &row : kTypes)
    if (row.dtype == dtype)
      return {row.code, row.bits, 1};
  return {};
}

static Result<DType> parseType(const DLDataType &type) {
  for (const TypeRow &row : kTypes)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1)
      return row.dtype;
  return Status::invalidArgument(
      "a DLPack tensor must be of a dtype that prec_rt_dtype has, but got code "
      "" +
      std::to_string(type.code) + " of " + std::to_string(type.bits) +
      " bits and " + std::to_string(type.lanes) + " lanes");
}

static Result<Place> parseDevice(const DLDevice &device) {
  switch (device.device_type) {
  case kDLCPU:
  case kDLCUDAHost:
  case kDLROCMHost:
    return Place{};
  case kDLCUDA:
    return Place{PREC_RT_CUDA, device.device_id};
  default:
    return Status::invalidArgument(
        "a DLPack tensor must be on the host or a CUDA GPU, but got device "
        "type " +
        std::to_string(device.device_type));
  }
}

Result<prec_rt_tensor> prec::rt::describe(const DLTensor &source,
                                          const char *name) {
  Result<DType> dtype = parseType(source.dtype);
  if (!dtype.ok())
    return dtype.status();
  Result<Place> place = parseDevice(source.device);
  if (!place.ok())
    return place.status();
  if (source.ndim < 0)
    return Status::invalidArgument("a DLPack tensor's number of dimensions "
                                   "must not be negative, but got " +
                                   std::to_string(source.ndim));
  prec_rt_tensor tensor{};
  tensor.name = name;
  tensor.dtype = static_cast<prec_rt_dtype>(*dtype);
  tensor.device_kind = place->kind;
  tensor.device_index = place->index;
  tensor.rank = static_cast<size_t>(source.ndim);
  tensor.shape = source.shape;
  tensor.strides = source.strides;
  if (source.data)
    tensor.data = static_cast<char *>(source.data) + source.byte_offset;
  return tensor;
}

Result<prec_rt_tensor>
prec::rt::describe(const DLManagedTensorVersioned &source, const char *name) {
  // Of another major version nothing behind the deleter is known.
  if (source.version.major != DLPACK_MAJOR_VERSION)
    return Status::unsupported(
        "a DLPack tensor must be of version 1, but got " +
        std::to_string(source.version.major) + "." +
        std::to_string(source.version.minor));
  return describe(source.dl_tensor, name);
}

namespace {
/// A tensor and what it needs to live.
template <typename Managed> struct View {
  std::shared_ptr<Session> session;
  std::vector<int64_t> shape, strides;
  Managed managed{};
};
} // namespace

template <typename Managed>
static std::unique_ptr<View<Managed>>
makeView(const std::shared_ptr<Session> &session, int index) {
  auto view = std::make_unique<View<Managed>>();
  const Binding &binding =
      session->manifest().bindings[static_cast<size_t>(index)];
  const Buffer &buffer = session->bufferOf(binding);
  view->session = session;
  view->shape = buffer.shape;
  // Those of dense row-major, as consumers that look at a null one are rare.
  view->strides.assign(buffer.shape.size(), 1);
  for (size_t i = buffer.shape.size(); i-- > 1;)
    view->strides[i - 1] = view->strides[i] * buffer.shape[i];
  Place place = session->device().place();
  DLTensor &tensor = view->managed.dl_tensor;
  if (buffer.elements() > 0)
    tensor.data = session->device().address(binding.buffer);
  tensor.device = {place.isHost() ? kDLCPU : kDLCUDA, place.index};
  tensor.ndim = static_cast<int32_t>(buffer.shape.size());
  tensor.dtype = typeOf(buffer.dtype);
  tensor.shape = view->shape.data();
  tensor.strides = view->strides.data();
  view->managed.manager_ctx = view.get();
  view->managed.deleter = [](Managed *self) {
    delete static_cast<View<Managed> *>(self->manager_ctx);
  };
  return view;
}

/// What the session does not look at when it changes.
static bool isWritable(const Binding &binding) {
  return binding.role == Role::optimizerState ||
         (binding.role == Role::batch && Session::isUnchecked(binding));
}

static Status prepareView(Session &session, const Binding &binding) {
  if (binding.role == Role::stagedParameter)
    return Status::unsupported(
        "'" + binding.name +
        "' must be kept as it is to be viewed, but the module keeps only work "
        "weights of it");
  return session.device().synchronize();
}

Result<DLManagedTensorVersioned *>
prec::rt::viewBinding(const std::shared_ptr<Session> &session, int index) {
  const Binding &binding =
      session->manifest().bindings[static_cast<size_t>(index)];
  PREC_RT_RETURN_IF_ERROR(prepareView(*session, binding));
  auto view = makeView<DLManagedTensorVersioned>(session, index);
  view->managed.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
  if (!isWritable(binding))
    view->managed.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
  return &view.release()->managed;
}

Result<DLManagedTensor *>
prec::rt::viewBindingLegacy(const std::shared_ptr<Session> &session,
                            int index) {
  const Binding &binding =
      session->manifest().bindings[static_cast<size_t>(index)];
  PREC_RT_RETURN_IF_ERROR(prepareView(*session, binding));
  if (!isWritable(binding))
    return Status::unsupported(
        "'" + binding.name +
        "' must be viewed by DLPack 1.0 or newer, which can say that it is "
        "only read, but got an older one");
  return &makeView<DLManagedTensor>(session, index).release()->managed;
}
