//===- InitAll.cpp - registration for tools and embedders -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/InitAll.h"

#include "prec/Assign/Passes.h"
#include "prec/Codegen/Codegen.h"
#include "prec/Codegen/Passes.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/Export/Passes.h"
#include "prec/ExternalModels/ExternalModels.h"
#include "prec/Import/Passes.h"
#include "prec/Materialize/Passes.h"
#include "prec/Schedule/Passes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

void prec::registerAllDialects(DialectRegistry &registry) {
  // What graphs are made of, from here and from elsewhere.
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                  func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect, PrecDialect,
                  sched::SchedDialect, train::TrainDialect>();
  // What may stand around them: assignment leaves it as it is.
  registry.insert<affine::AffineDialect, bufferization::BufferizationDialect,
                  complex::ComplexDialect, memref::MemRefDialect,
                  tosa::TosaDialect>();
  // What code generation makes of them.
  registry.insert<gpu::GPUDialect, LLVM::LLVMDialect, NVVM::NVVMDialect,
                  vector::VectorDialect>();
  registerExternalModels(registry);
  registerDecompositions(registry);
  func::registerInlinerExtension(registry);
  registerCodegenTranslations(registry);
}

void prec::registerAllPasses() {
  registerPrecAssignPasses();
  registerPrecCodegenPasses();
  registerPrecExportPasses();
  registerPrecImportPasses();
  registerPrecMaterializePasses();
  registerPrecSchedulePasses();
}
