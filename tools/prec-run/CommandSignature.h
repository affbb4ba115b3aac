//===- CommandSignature.h - what commands that take as long share -*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_COMMANDSIGNATURE_H
#define PREC_RUN_COMMANDSIGNATURE_H

#include "Manifest.h"

namespace prec::run {

/// Kind, sizes, formats and launch of a command, but neither its name nor where
/// its buffers are: commands of one signature, of any module of a target, take
/// the same time. A product of e4m3 with scales of tensors is "gemm 64x96x32
/// f8E4M3FN[64, 32] f8E4M3FN[96, 32] f32[] f32[] > bf16[64, 96] tensor_current
/// fast nt".
std::string describeCommand(const rt::Manifest &manifest,
                            const rt::Command &command);

/// A dtype as recipes and policies call its format: e4m3, bf16; i8 is two e2m1.
std::string_view formatName(rt::DType dtype);

} // namespace prec::run

#endif // PREC_RUN_COMMANDSIGNATURE_H
