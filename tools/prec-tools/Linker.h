//===- Linker.h - ld.lld ----------------------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_TOOLS_PRECTOOLS_LINKER_H
#define PREC_TOOLS_PRECTOOLS_LINKER_H

namespace prec {

/// The main function of ld.lld.
int linkElf(int argc, char **argv);

} // namespace prec

#endif // PREC_TOOLS_PRECTOOLS_LINKER_H
