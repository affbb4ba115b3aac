//===- TargetRegistryTest.cpp - the targets of a compiler -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "PrintTarget.h"

#include "prec/InitAll.h"
#include "prec/Pipelines/Compile.h"
#include "prec/Target/Legality.h"
#include "prec/Targets/RegisterAllTargets.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

std::shared_ptr<TargetRegistry> makeAll() {
  auto targets = std::make_shared<TargetRegistry>();
  llvm::cantFail(registerAllTargets(*targets));
  return targets;
}

/// A context with these targets, or with none, and the last error in it.
struct TestContext {
  explicit TestContext(std::shared_ptr<const TargetRegistry> targets = {}) {
    DialectRegistry dialects;
    registerAllDialects(dialects);
    if (targets) {
      EXPECT_TRUE(attachTargets(dialects, std::move(targets)));
    }
    context.appendDialectRegistry(dialects);
    context.loadDialect<PrecDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
        error = diagnostic.str();
      return success();
    });
  }

  const Target *find(StringRef name) {
    return findTarget(UnknownLoc::get(&context), "target", name);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string error;
};

TEST(TargetRegistry, LinkingRegistersNothing) {
  EXPECT_TRUE(TargetRegistry().list().empty());
  EXPECT_EQ(TargetRegistry().getNames(), "none");
  TestContext test;
  EXPECT_EQ(getTargets(&test.context), nullptr);
  EXPECT_EQ(test.find("cpu"), nullptr);
  EXPECT_EQ(test.error, "target must be one of those that the compiler "
                        "attaches to its contexts, but got none");
}

TEST(TargetRegistry, ListsInTheOrderOfAdding) {
  EXPECT_EQ(makeAll()->getNames(),
            "'sm_80', 'sm_89', 'sm_90a', 'sm_100a', 'cpu'");
  TargetRegistry cpu;
  llvm::cantFail(registerCpuTarget(cpu));
  EXPECT_EQ(cpu.getNames(), "'cpu'");
}

TEST(TargetRegistry, NamesAreUnique) {
  std::shared_ptr<TargetRegistry> targets = makeAll();
  EXPECT_EQ(llvm::toString(registerCpuTarget(*targets)),
            "targets must have names of their own, but got 'cpu' twice");
  EXPECT_EQ(llvm::toString(registerAllTargets(*targets)),
            "targets must have names of their own, but got 'sm_80' twice");
  EXPECT_EQ(targets->list().size(), 5u);
}

TEST(TargetRegistry, AnUnknownTargetListsTheKnownOnes) {
  auto targets = std::make_shared<TargetRegistry>();
  llvm::cantFail(registerCpuTarget(*targets));
  llvm::cantFail(test::registerPrintTarget(*targets));
  TestContext test(targets);
  EXPECT_EQ(test.find("print"), targets->find("print"));
  EXPECT_EQ(test.error, "");
  EXPECT_EQ(test.find("sm_90a"), nullptr);
  EXPECT_EQ(test.error,
            "target must be one of 'cpu', 'print', but got 'sm_90a'");
}

TEST(TargetRegistry, ContextsHaveTheirOwn) {
  auto few = std::make_shared<TargetRegistry>();
  llvm::cantFail(registerCpuTarget(*few));
  TestContext first(few), second(makeAll());
  EXPECT_EQ(first.find("sm_80"), nullptr);
  EXPECT_NE(second.find("sm_80"), nullptr);
}

TEST(TargetRegistry, AttachesOnce) {
  DialectRegistry dialects;
  EXPECT_TRUE(attachTargets(dialects, makeAll()));
  EXPECT_FALSE(attachTargets(dialects, std::make_shared<TargetRegistry>()));
}

TEST(TargetRegistry, MessagesNameOthersOfTheRegistry) {
  TargetRegistry targets;
  llvm::cantFail(test::registerPrintTarget(targets));
  const Dispatch fp8 = {Format::E4M3, Format::E4M3, Format::BF16};
  EXPECT_EQ(findMissing(*targets.find("print"), fp8),
            "there is no e4m3 x e4m3 product");
  llvm::cantFail(registerCpuTarget(targets));
  EXPECT_EQ(findMissing(*targets.find("print"), fp8),
            "print has no FP8 matrix units (they begin with cpu)");
}

TEST(TargetRegistry, EveryMachineIsItsTargets) {
  TestContext test(makeAll());
  for (const Target *target : getTargets(&test.context)->list()) {
    EXPECT_TRUE(succeeded(loadScheduleModel(UnknownLoc::get(&test.context),
                                            target->getName(), "")))
        << target->getName().str() << ": " << test.error;
    llvm::Expected<MachineModel> machine = target->loadMachine();
    EXPECT_EQ(llvm::cantFail(std::move(machine)).name, target->getName());
  }
}

/// A file of the test's, removed with it.
struct File {
  explicit File(StringRef suffix) {
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("prec", suffix, path));
  }
  ~File() { EXPECT_FALSE(llvm::sys::fs::remove(path)); }
  void write(StringRef text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    EXPECT_FALSE(error);
  }
  SmallString<64> path;
};

TEST(TargetRegistry, MachineFilesAreRefusedByName) {
  TestContext test(makeAll());
  Location loc = UnknownLoc::get(&test.context);
  File file("json");
  std::string name = file.path.str().str();
  EXPECT_TRUE(failed(loadScheduleModel(loc, "sm_91", name)));
  file.write(getTargets(&test.context)->find("cpu")->getMachineFile());
  EXPECT_TRUE(failed(loadScheduleModel(loc, "sm_90a", name)));
  EXPECT_EQ(test.error, "machine must be of the target sm_90a, but got "
                        "'cpu' in '" +
                            name + "'");
  file.write(R"({"version": 1, "name": "cpu", "device": "d",
    "flops_per_second": {"f32": {"value": 1e9, "source": "s"}},
    "bytes_per_second": {"value": 1e9, "source": "s"},
    "launch_us": {"value": 0, "source": "s"}})");
  EXPECT_TRUE(failed(loadScheduleModel(loc, "cpu", name)));
  EXPECT_EQ(test.error, "machine must have 'schedule' to schedule by, "
                        "but got none in '" +
                            name + "'");
  file.write("[]");
  EXPECT_TRUE(failed(loadScheduleModel(loc, "cpu", name)));
  EXPECT_EQ(test.error, "expected an object, but got an array");
}

/// What another compiler needs for a target of its own: this registry.
TEST(TargetRegistry, ATargetOfSomebodyElsesCompilesAStep) {
  auto targets = std::make_shared<TargetRegistry>();
  llvm::cantFail(test::registerPrintTarget(*targets));
  TestContext test(targets);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      PREC_EXAMPLES "/llama_tiny.mlir", &test.context);
  ASSERT_TRUE(module);
  File output("so");
  CompileOptions options;
  options.target = "print";
  options.assign.recipe = "fp32";
  options.output = output.path.str().str();
  ASSERT_TRUE(succeeded(compileStepModule(*module, options))) << test.error;
  auto file = llvm::MemoryBuffer::getFile(output.path);
  ASSERT_TRUE(bool(file));
  StringRef bytes = (*file)->getBuffer();
  EXPECT_TRUE(bytes.contains("module @kernels {"));
  EXPECT_TRUE(bytes.contains("llvm.func @prec_"));
  EXPECT_TRUE(bytes.contains(R"("target":{"chip":"paper","kind":"print"})"));

  module = parseSourceFile<ModuleOp>(PREC_EXAMPLES "/llama_tiny.mlir",
                                     &test.context);
  options.assign.recipe = "fp8-hybrid";
  EXPECT_TRUE(failed(compileStepModule(*module, options)));
  EXPECT_NE(test.error.find("there is no e4m3 x e4m3 (tensor_current"),
            std::string::npos)
      << test.error;
}

} // namespace
