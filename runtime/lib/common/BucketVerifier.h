//===- BucketVerifier.h - exchanges that run beside others ------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_RT_COMMON_BUCKETVERIFIER_H
#define PREC_RT_COMMON_BUCKETVERIFIER_H

#include "Manifest.h"

#include <functional>

namespace prec::rt {

/// That no command touches what exchanges beside it read or make, whenever
/// these run between their place and the command that awaits their bucket.
/// `fail` makes an error of the command of this index.
Status
verifyBuckets(const Manifest &manifest, const std::vector<Command> &commands,
              const std::function<Status(size_t, const std::string &)> &fail);

} // namespace prec::rt

#endif // PREC_RT_COMMON_BUCKETVERIFIER_H
