//===- LoadPolicy.h - the files of a policy ---------------------*- C++ -*-===//
#ifndef PREC_LIB_ASSIGN_LOADPOLICY_H
#define PREC_LIB_ASSIGN_LOADPOLICY_H

#include "prec/Assign/PolicyChoices.h"

namespace mlir::prec {

/// Reads a policy, a map of modules (none if `mapFile` is empty) and the
/// policies that the map names, relative to its folder.
llvm::Expected<PolicySources> loadPolicy(llvm::StringRef policyFile,
                                         llvm::StringRef mapFile,
                                         llvm::StringRef gpu);

} // namespace mlir::prec

#endif // PREC_LIB_ASSIGN_LOADPOLICY_H
