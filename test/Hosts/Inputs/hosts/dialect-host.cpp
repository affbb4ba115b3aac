//===- dialect-host.cpp - a compiler with operations of its own -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dialect-host GRAPH OPTIONS PHASE [MODULE]: assigns formats to a graph that
// has operations of this compiler, as OPTIONS of prec-assign say, and prints
// the module after PHASE (assign, materialize, compile); compiling writes
// MODULE.
//
//===----------------------------------------------------------------------===//
#include "prec/Dialect/Prec/LinearOpInterface.h"
#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Train/PrimitiveBuilder.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/InitAll.h"
#include "prec/Pipelines/Compile.h"
#include "prec/Pipelines/Pipelines.h"
#include "prec/Targets/RegisterAllTargets.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Parser/Parser.h"

#include "HostDialect.h.inc"
#define GET_OP_CLASSES
#include "HostOps.h.inc"

#include "HostDialect.cpp.inc"
#define GET_OP_CLASSES
#include "HostOps.cpp.inc"

using namespace mlir;
using prec::PrimitiveBuilder;
using prec::Structure;
using Values = llvm::SmallVector<Value, 3>;

void host::HostDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "HostOps.cpp.inc"
      >();
}

static double elements(Value value) {
  return cast<RankedTensorType>(value.getType()).getNumElements();
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Structure host::GeluOp::getStructure() { return Structure::Elementwise; }
double host::GeluOp::getFlops() { return 5 * elements(getResult()); }
uint32_t host::GeluOp::getArithmetic() {
  return prec::ArithAdd | prec::ArithMul | prec::ArithOther;
}

/// (1 + erf(x / sqrt 2)) / 2
static Value normalCdf(PrimitiveBuilder &builder, Value x) {
  Value scaled = builder.mul(x, builder.splatLike(0.70710677, x));
  Value erf = builder.create<math::ErfOp>(scaled);
  Value shifted = builder.add(erf, builder.splatLike(1.0, x));
  return builder.mul(shifted, builder.splatLike(0.5, x));
}

Values host::GeluOp::decompose(PrimitiveBuilder &builder) {
  Value x = builder.toF32(getInput());
  return {builder.roundTo(builder.mul(x, normalCdf(builder, x)), getResult())};
}

Structure host::GeluGradOp::getStructure() { return Structure::Elementwise; }
double host::GeluGradOp::getFlops() { return 12 * elements(getResult()); }
uint32_t host::GeluGradOp::getArithmetic() {
  return prec::ArithAdd | prec::ArithMul | prec::ArithExp | prec::ArithOther;
}
prec::Linearity host::GeluGradOp::getLinearity() {
  return {prec::Linearity::Kind::Sum, {0}};
}

Values host::GeluGradOp::decompose(PrimitiveBuilder &builder) {
  Value x = builder.toF32(getInput());
  Value cdf = normalCdf(builder, x);
  Value square = builder.mul(x, x);
  Value exponent = builder.mul(square, builder.splatLike(-0.5, x));
  Value density =
      builder.mul(builder.exp(exponent), builder.splatLike(0.3989423, x));
  Value slope = builder.add(cdf, builder.mul(x, density));
  Value grad = builder.mul(builder.toF32(getGrad()), slope);
  return {builder.roundTo(grad, getResult())};
}

//===----------------------------------------------------------------------===//
// A product
//===----------------------------------------------------------------------===//

static int64_t size(Value value, unsigned dim) {
  return cast<RankedTensorType>(value.getType()).getDimSize(dim);
}

Structure host::DotOp::getStructure() { return Structure::Contraction; }
prec::ContractionShape host::DotOp::getContractionShape() {
  return {size(getLhs(), 0), size(getRhs(), 0), size(getLhs(), 1), 1};
}
int64_t host::DotOp::getAccumulationLength() { return size(getLhs(), 1); }
double host::DotOp::getFlops() {
  prec::ContractionShape shape = getContractionShape();
  return 2.0 * shape.m * shape.n * shape.k;
}
bool host::DotOp::isContractedLast(unsigned) { return true; }
prec::Linearity host::DotOp::getLinearity() {
  return {prec::Linearity::Kind::Product, {0, 1}};
}

Values host::DotOp::decompose(PrimitiveBuilder &builder) {
  Value lhs = getLhs();
  if (getNegated())
    lhs = builder.create<arith::NegFOp>(lhs);
  Value product;
  for (int i = 0; i < (getTwice() ? 2 : 1); ++i)
    product = builder.create<prec::train::MatmulOp>(
        getResult().getType(), lhs, getRhs(), /*bias=*/Value(),
        /*transpose_a=*/false, /*transpose_b=*/true, ArrayAttr(), ArrayAttr());
  return {product};
}

//===----------------------------------------------------------------------===//
// The program
//===----------------------------------------------------------------------===//

static LogicalResult compile(ModuleOp module, prec::CompileOptions options,
                             StringRef phase) {
  if (phase == "compile")
    return prec::compileStepModule(module, options);
  PassManager passes(module.getContext());
  auto report = [&](const Twine &message) -> LogicalResult {
    return module.emitError() << message;
  };
  prec::buildImportPipeline(passes);
  if (failed(prec::buildAssignPipeline(passes, options, report)))
    return failure();
  if (phase == "materialize")
    prec::buildMaterializePipeline(passes, options);
  return passes.run(module);
}

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  DialectRegistry registry;
  prec::registerAllDialects(registry);
  llvm::cantFail(prec::attachAllTargets(registry));
  registry.insert<host::HostDialect>();
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(argv[1], ParserConfig(&context));
  prec::CompileOptions options;
  options.assignText = argv[2];
  if (argc > 4)
    options.output = argv[4];
  if (!module || failed(compile(*module, options, argv[3])))
    return 1;
  if (StringRef(argv[3]) != "compile")
    module->print(llvm::outs());
  return 0;
}
