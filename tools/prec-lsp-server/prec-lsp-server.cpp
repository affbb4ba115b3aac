//===- prec-lsp-server.cpp - graphs in an editor --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Speaks the language server protocol on its standard input and output: what is
// wrong in a graph, what an operation is, where a value is defined and used.
// docs/Hosts.md says how editors start it.
//
//===----------------------------------------------------------------------===//
#include "ToolContext.h"
#include "prec/InitAll.h"
#include "prec/Targets/RegisterAllTargets.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/InitLLVM.h"

int prec_lsp_server_main(int argc, char **argv, const prec::ToolContext &) {
  llvm::InitLLVM initialize(argc, argv);
  mlir::DialectRegistry registry;
  prec::registerAllDialects(registry);
  if (llvm::Error error = prec::attachAllTargets(registry)) {
    llvm::errs() << "prec-lsp-server: error: "
                 << llvm::toString(std::move(error)) << "\n";
    return 1;
  }
  return failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 1 : 0;
}
