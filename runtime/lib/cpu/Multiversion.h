//===- Multiversion.h - loops compiled for several levels -------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library itself is built for baseline x86-64; its array loops are cloned
// for wider vectors and picked once at load time. With contraction off (see
// CMakeLists.txt) every clone gives the same bits.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_CPU_MULTIVERSION_H
#define PREC_RT_CPU_MULTIVERSION_H

// Sanitizers are not ready yet when the loader picks a clone.
#if defined(__x86_64__) && defined(__gnu_linux__) &&                           \
    !defined(PREC_RT_ONE_VERSION)
#define PREC_RT_MULTIVERSION                                                   \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PREC_RT_MULTIVERSION
#endif

#endif // PREC_RT_CPU_MULTIVERSION_H
