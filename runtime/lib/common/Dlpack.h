/*===- Dlpack.h - the structures of DLPack ------------------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* Declared by DLPack's specification (https://dmlc.github.io/dlpack), as     *|
|* Debian's libdlpack-dev has none of version 1: as much as the runtime       *|
|* reads and writes. Callers of prec-rt.h bring their own <dlpack/dlpack.h>,  *|
|* whose tags these are, so that no source may include both.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PREC_RT_COMMON_DLPACK_H
#define PREC_RT_COMMON_DLPACK_H

#include <stdint.h>

#define DLPACK_MAJOR_VERSION 1
#define DLPACK_MINOR_VERSION 1
#define DLPACK_FLAG_BITMASK_READ_ONLY (UINT64_C(1) << 0)

typedef struct {
  uint32_t major, minor;
} DLPackVersion;

/* DLDeviceType */
enum { kDLCPU = 1, kDLCUDA = 2, kDLCUDAHost = 3, kDLROCMHost = 11 };

typedef struct {
  int32_t device_type; /* an enumeration of 32 bits */
  int32_t device_id;
} DLDevice;

/* DLDataTypeCode */
enum {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e5m2 = 12,
  kDLFloat8_e8m0fnu = 14
};

typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} DLDataType;

typedef struct {
  void *data;
  DLDevice device;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides; /* in elements; NULL if dense and row-major */
  uint64_t byte_offset;
} DLTensor;

typedef struct DLManagedTensor {
  DLTensor dl_tensor;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensor *self);
} DLManagedTensor;

typedef struct DLManagedTensorVersioned {
  DLPackVersion version;
  void *manager_ctx;
  void (*deleter)(struct DLManagedTensorVersioned *self);
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;

#endif /* PREC_RT_COMMON_DLPACK_H */
