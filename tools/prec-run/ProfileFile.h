//===- ProfileFile.h - a profile as JSON ------------------------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RUN_PROFILEFILE_H
#define PREC_RUN_PROFILEFILE_H

#include "ProfileModel.h"

namespace prec::run {

/// docs/schemas/profile.schema.json
std::string toJson(const Profile &profile);

} // namespace prec::run

#endif // PREC_RUN_PROFILEFILE_H
