//===- cpp-host.cpp - a compiler in C++ that embeds prec ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cpp-host tag: builds a multilayer perceptron of linalg operations, has its
// formats assigned and prints it.
// cpp-host train GRAPH LINKER: compiles a graph in two threads, with a context
// each and a linker that this program calls; nothing is written. The two
// modules must be the same bytes. Runs ten steps of one and prints each loss.
// cpp-host write GRAPH LINKER MODULE: the same compilation to a file.
//
//===----------------------------------------------------------------------===//
#include "prec-rt/prec-rt.h"
#include "prec/InitAll.h"
#include "prec/Pipelines/Compile.h"
#include "prec/Pipelines/Pipelines.h"
#include "prec/Targets/RegisterAllTargets.h"
#include "prec/Version.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>
#include <thread>

using namespace mlir;

static_assert(PREC_VERSION_MAJOR >= 0 && sizeof(PREC_VERSION) > 5);

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  prec::registerAllDialects(registry);
  llvm::cantFail(prec::attachAllTargets(registry));
  return registry;
}

static Value product(ImplicitLocOpBuilder &b, Value x, Value w,
                     ArrayRef<int64_t> shape) {
  auto zero = arith::ConstantOp::create(b, b.getF32FloatAttr(0.0f));
  Value empty = tensor::EmptyOp::create(b, shape, b.getF32Type());
  Value init = linalg::FillOp::create(b, ValueRange{zero}, ValueRange{empty})
                   .getResult(0);
  return linalg::MatmulOp::create(b, ValueRange{x, w}, ValueRange{init})
      .getResult(0);
}

static OwningOpRef<ModuleOp> buildPerceptron(MLIRContext &context) {
  Location loc = NameLoc::get(StringAttr::get(&context, "model.mlp"));
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  ImplicitLocOpBuilder b(loc, &context);
  b.setInsertionPointToEnd(module->getBody());
  auto type = [&](ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, b.getF32Type());
  };
  auto function = func::FuncOp::create(
      b, "forward",
      b.getFunctionType({type({64, 128}), type({128, 256}), type({256, 128})},
                        {type({64, 128})}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  Value x = entry->getArgument(0);
  Value h = product(b, x, entry->getArgument(1), {64, 256});
  Value place =
      tensor::EmptyOp::create(b, ArrayRef<int64_t>{64, 256}, b.getF32Type());
  h = linalg::TanhOp::create(b, ValueRange{h}, ValueRange{place}).getResult(0);
  h = product(b, h, entry->getArgument(2), {64, 128});
  place =
      tensor::EmptyOp::create(b, ArrayRef<int64_t>{64, 128}, b.getF32Type());
  h = linalg::AddOp::create(b, ValueRange{x, h}, ValueRange{place})
          .getResult(0);
  func::ReturnOp::create(b, h);
  return module;
}

static int tag() {
  DialectRegistry registry = makeRegistry();
  MLIRContext context(registry);
  context.loadDialect<arith::ArithDialect, func::FuncDialect,
                      linalg::LinalgDialect, tensor::TensorDialect>();
  OwningOpRef<ModuleOp> module = buildPerceptron(context);
  if (failed(verify(*module)))
    return 1;
  PassManager passes(&context);
  auto report = [&](const Twine &message) -> LogicalResult {
    return module->emitError() << message;
  };
  if (failed(prec::buildAssignPipeline(
          passes, "recipe=fp8-hybrid target=sm_90a", report)) ||
      failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}

/// Linked by this program: to memory, or to a file if `output` names one.
static std::string compile(const char *graph, const std::string &linker,
                           unsigned &linked, const std::string &output = "") {
  DialectRegistry registry = makeRegistry();
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(graph, ParserConfig(&context));
  if (!module)
    return {};
  prec::CompileOptions options;
  options.assign.recipe = "bf16";
  options.target = "cpu";
  // What a compiler does that has lld in its own process, for instance.
  prec::LinkFunction program = prec::linkByProgram(linker);
  options.link = [&](ArrayRef<StringRef> objects) {
    linked += objects.size();
    return program(objects);
  };
  if (!output.empty()) {
    options.output = output;
    return succeeded(prec::compileStepModule(*module, options)) ? output : "";
  }
  FailureOr<std::string> image =
      prec::compileStepModuleToMemory(*module, options);
  return succeeded(image) ? *image : std::string();
}

static int fail(prec_rt_error *error) {
  std::fprintf(stderr, "%s\n", prec_rt_error_message(error));
  prec_rt_error_destroy(error);
  return 1;
}

static int train(const char *graph, const char *linker) {
  std::string images[2];
  unsigned linked[2] = {0, 0};
  std::thread threads[2];
  for (int i : {0, 1})
    threads[i] =
        std::thread([&, i] { images[i] = compile(graph, linker, linked[i]); });
  for (std::thread &thread : threads)
    thread.join();
  if (images[0].empty() || images[0] != images[1] || linked[0] < 2)
    return 1;
  prec_rt_module *module = nullptr;
  if (prec_rt_error *error = prec_rt_open_memory(
          images[0].data(), images[0].size(), "step", nullptr, &module))
    return fail(error);
  if (prec_rt_error *error = prec_rt_init_random(module, 1, 0.1))
    return fail(error);
  std::vector<float> x(64 * 32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(int(i % 13) - 6) / 8;
  int64_t shape[] = {64, 32};
  prec_rt_tensor batch = {};
  batch.name = "x";
  batch.dtype = PREC_RT_F32;
  batch.rank = 2;
  batch.shape = shape;
  batch.data = x.data();
  for (int step = 0; step < 10; ++step) {
    prec_rt_step_result result = PREC_RT_STEP_RESULT_INIT;
    if (prec_rt_error *error = prec_rt_step(module, &batch, 1, &result))
      return fail(error);
    std::printf("%.9g\n", result.loss);
  }
  prec_rt_close(module);
  return 0;
}

int main(int argc, char **argv) {
  if (argc == 2 && StringRef(argv[1]) == "tag")
    return tag();
  if (argc == 5 && StringRef(argv[1]) == "write") {
    unsigned linked = 0;
    return compile(argv[2], argv[3], linked, argv[4]).empty();
  }
  if (argc == 4 && StringRef(argv[1]) == "train")
    return train(argv[2], argv[3]);
  return 2;
}
