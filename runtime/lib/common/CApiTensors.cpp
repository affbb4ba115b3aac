//===- CApiTensors.cpp - tensors of prec-rt.h ----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CApi.h"

#include "DlpackViews.h"

using namespace prec::rt;

static Status checkDType(prec_rt_dtype dtype) {
  if (dtype >= PREC_RT_F32 && dtype <= PREC_RT_F8E8M0FNU)
    return {};
  return Status::invalidArgument(
      "dtype must be one of prec_rt_dtype, but got " + std::to_string(dtype));
}

/// No buffer has more dimensions.
static constexpr size_t kMaxRank = 64;

Status prec::rt::checkTensor(const prec_rt_tensor &value) {
  PREC_RT_RETURN_IF_ERROR(checkDType(value.dtype));
  if (value.rank > kMaxRank)
    return Status::invalidArgument("rank must be at most " +
                                   std::to_string(kMaxRank) + ", but got " +
                                   std::to_string(value.rank));
  if (value.rank > 0 && !value.shape)
    return Status::invalidArgument(
        "a tensor's shape must be given, but got null");
  int64_t elements = 1;
  for (size_t i = 0; i < value.rank; ++i)
    if (value.shape[i] < 0 ||
        __builtin_mul_overflow(elements, value.shape[i], &elements))
      return Status::invalidArgument(
          "a tensor's shape must be of dimensions that are not negative and of "
          "at most 2^63 elements, but got " +
          formatShape({value.shape, value.shape + value.rank}));
  // Dimensions of one element, and all of an empty tensor, may have any.
  int64_t dense = 1;
  for (size_t i = value.strides ? value.rank : 0; i-- > 0;) {
    if (elements > 0 && value.shape[i] != 1 && value.strides[i] != dense)
      return Status::invalidArgument(
          "a tensor must be dense and row-major, but got strides " +
          formatShape({value.strides, value.strides + value.rank}) +
          " of shape " + formatShape({value.shape, value.shape + value.rank}));
    dense *= value.shape[i];
  }
  if (value.device_kind != PREC_RT_HOST && value.device_kind != PREC_RT_CUDA)
    return Status::invalidArgument(
        "a tensor's device kind must be one of prec_rt_device_kind, but got " +
        std::to_string(value.device_kind));
  if (value.device_index < 0 ||
      (value.device_kind == PREC_RT_HOST && value.device_index != 0))
    return Status::invalidArgument(
        "a tensor's device index must be that of a GPU, and 0 on the host, but "
        "got " +
        std::to_string(value.device_index));
  if (value.reserved != 0)
    return Status::invalidArgument(
        "the reserved field of a tensor must be 0, but got " +
        std::to_string(value.reserved));
  if (elements > 0 && !value.data)
    return Status::invalidArgument(
        "a tensor's data must be given, but got null");
  return {};
}

TensorRef prec::rt::refer(const prec_rt_tensor &value) {
  return {static_cast<DType>(value.dtype),
          std::vector<int64_t>(value.shape, value.shape + value.rank),
          value.data,
          {value.device_kind, value.device_index}};
}

prec_rt_error *prec_rt_set(prec_rt_module *module, size_t index,
                           const prec_rt_tensor *value) {
  return guarded(module, {{value, "a value"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    PREC_RT_RETURN_IF_ERROR(checkTensor(*value));
    return module->session->set(index, refer(*value));
  });
}

prec_rt_error *prec_rt_get(prec_rt_module *module, size_t index,
                           const prec_rt_tensor *target) {
  return guarded(module, {{target, "a target"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    PREC_RT_RETURN_IF_ERROR(checkTensor(*target));
    return module->session->get(index, refer(*target));
  });
}

prec_rt_error *
prec_rt_from_dlpack(const struct DLManagedTensorVersioned *source,
                    const char *name, prec_rt_tensor *tensor) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven(
        {{source, "a DLPack tensor"}, {tensor, "a place for the tensor"}}));
    Result<prec_rt_tensor> described = describe(*source, name);
    if (!described.ok())
      return described.status();
    PREC_RT_RETURN_IF_ERROR(checkTensor(*described));
    *tensor = *described;
    return {};
  });
}

prec_rt_error *prec_rt_from_dlpack_legacy(const struct DLManagedTensor *source,
                                          const char *name,
                                          prec_rt_tensor *tensor) {
  return guarded([&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkGiven(
        {{source, "a DLPack tensor"}, {tensor, "a place for the tensor"}}));
    Result<prec_rt_tensor> described = describe(source->dl_tensor, name);
    if (!described.ok())
      return described.status();
    PREC_RT_RETURN_IF_ERROR(checkTensor(*described));
    *tensor = *described;
    return {};
  });
}

/// Hands out what `make` makes of a binding.
template <typename Managed, typename Make>
static prec_rt_error *view(prec_rt_module *module, size_t index,
                           Managed **target, Make make) {
  return guarded(module, {{target, "a place for the view"}}, [&]() -> Status {
    PREC_RT_RETURN_IF_ERROR(checkIndex(module, index));
    Result<Managed *> made = make(module->session, static_cast<int>(index));
    if (!made.ok())
      return made.status();
    *target = *made;
    return {};
  });
}

prec_rt_error *prec_rt_view(prec_rt_module *module, size_t index,
                            struct DLManagedTensorVersioned **target) {
  return view(module, index, target, viewBinding);
}

prec_rt_error *prec_rt_view_legacy(prec_rt_module *module, size_t index,
                                   struct DLManagedTensor **target) {
  return view(module, index, target, viewBindingLegacy);
}
