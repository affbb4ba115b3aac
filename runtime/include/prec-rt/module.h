/*===- module.h - what a step module is made of -------------------*- C -*-===*\
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|* The sections and the one symbol of a step module, see docs/ModuleFormat.md *|
|* and all that compiler and runtime must both know of its file. Everything   *|
|* else about a module is in its manifest.                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/
#ifndef PREC_RT_MODULE_H
#define PREC_RT_MODULE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* UTF-8 JSON. */
#define PREC_MODULE_MANIFEST_SECTION ".prec.manifest"
/* Images of GPU kernels; the manifest says where each lies. */
#define PREC_MODULE_GPU_SECTION ".prec.gpu"
/* The bytes of segment `constants`. */
#define PREC_MODULE_CONSTANTS_SECTION ".prec.constants"
/* SHA-256 of the whole file in which the bytes of this section are zero. */
#define PREC_MODULE_HASH_SECTION ".prec.hash"
#define PREC_MODULE_HASH_BYTES 32

#define PREC_MODULE_ABI 1
#define PREC_MODULE_QUERY_SYMBOL "prec_module_query_v1"

/* Computes iterations [begin, end) of the kernel's parallel dimension. */
typedef void (*prec_cpu_kernel)(void *const *buffers, int64_t begin,
                                int64_t end);

typedef struct prec_module_v1 {
  uint32_t abi;         /* PREC_MODULE_ABI */
  uint32_t num_kernels; /* CPU kernels; 0 in a GPU module */
  const prec_cpu_kernel *kernels;
} prec_module_v1;

typedef const prec_module_v1 *(*prec_module_query)(void);

#ifdef __cplusplus
}
#endif

#endif /* PREC_RT_MODULE_H */
