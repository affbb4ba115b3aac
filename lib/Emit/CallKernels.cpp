//===- CallKernels.cpp - kernels of the user's own ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Emit/CallKernels.h"

#include "prec/Dialect/Train/Custom.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace prec;

/// A kernel reads bytes: it cannot be given whole numbers of another width.
static LogicalResult verifyWidths(sched::CallOp call) {
  auto isOwn = [](auto pair) {
    return getElementTypeOrSelf(std::get<0>(pair)) ==
           cast<TypeAttr>(std::get<1>(pair)).getValue();
  };
  // call_kernels_c1
  if (!llvm::all_of(llvm::zip_equal(call->getOperandTypes(), call.getReads()),
                    isOwn) ||
      !llvm::all_of(llvm::zip_equal(call->getResultTypes(), call.getMakes()),
                    isOwn))
    return call.emitOpError("whole numbers of '")
           << call.getFunction() << "' must be of the types that its kernel "
           << "reads on a GPU, but got " << call->getOperandTypes() << " and "
           << call->getResultTypes() << " (give it torch.int32)";
  return success();
}

FailureOr<train::KernelAttr> prec::findCallKernel(sched::CallOp call,
                                                  StringRef chip) {
  train::KernelAttr found;
  if (ArrayAttr kernels = call.getKernelsAttr())
    for (train::KernelAttr kernel : kernels.getAsRange<train::KernelAttr>()) {
      StringRef target = kernel.getTarget().getValue();
      if (target == chip || (target.empty() && !found))
        found = kernel;
      if (target == chip)
        break;
    }
  // call_kernels_c2
  if (!found)
    return call.emitOpError("'")
           << call.getFunction() << "' must have a kernel for " << chip
           << " or PTX, but got none: give it one by "
              "prec.torch.register_kernel (docs/Operations.md)";
  if (failed(verifyWidths(call)))
    return failure();
  return found;
}

FailureOr<std::vector<KernelImage>> prec::collectCallImages(ModuleOp module,
                                                            StringRef chip) {
  auto code = module->getAttrOfType<DictionaryAttr>(train::kImages);
  llvm::MapVector<StringRef, KernelImage> bySymbol;
  WalkResult result = module.walk([&](sched::CallOp call) {
    FailureOr<train::KernelAttr> kernel = findCallKernel(call, chip);
    if (failed(kernel))
      return WalkResult::interrupt();
    auto bytes =
        code ? code.getAs<StringAttr>(kernel->getImage()) : StringAttr();
    // call_kernels_c3
    if (!bytes) {
      call.emitOpError("an image must be in the module's 'prec_train.images', "
                       "but got ")
          << kernel->getImage();
      return WalkResult::interrupt();
    }
    StringRef symbol = kernel->getSymbol().getValue();
    KernelImage image{kernel->getTarget().empty() ? "ptx" : "cubin",
                      symbol.str(), bytes.str()};
    auto [known, isNew] = bySymbol.insert({symbol, image});
    // call_kernels_c4
    if (!isNew && known->second.bytes != image.bytes) {
      call.emitOpError(
          "kernels must have symbols of their own, but got two of ")
          << kernel->getSymbol();
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  std::vector<KernelImage> images;
  for (auto &[symbol, image] : bySymbol)
    images.push_back(std::move(image));
  return images;
}
