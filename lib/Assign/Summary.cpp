#include "Summary.h"
using namespace mlir;
using namespace mlir::prec;
void prec::printSummary(llvm::raw_ostream &os, const DecidedFunction &decided,
 const Recipe &recipe, const Target &target) {}
