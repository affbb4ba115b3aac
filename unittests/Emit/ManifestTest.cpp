//===- ManifestTest.cpp - command tables of planned modules ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Emit/Manifest.h"

#include "prec/Dialect/Prec/Prec.h"
#include "prec/Dialect/Sched/Sched.h"
#include "prec/Dialect/Train/Train.h"
#include "prec/InitAll.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {
class ManifestTest : public testing::Test {
protected:
  ManifestTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        prec::PrecDialect, sched::SchedDialect,
                        tensor::TensorDialect, train::TrainDialect>();
    context.getDiagEngine().registerHandler(
        [this](Diagnostic &diagnostic) { message = diagnostic.str(); });
  }

  /// A step of one command, `body` before it, and `attributes` on it.
  FailureOr<ManifestResult> build(StringRef entry, StringRef body,
                                  StringRef attributes) {
    std::string text =
        (R"(func.func @f(%x: tensor<4xf32> {prec_train.path = "x", prec_train.role = #prec_train.role<batch>})
          -> (tensor<f32> {prec_train.path = "loss", prec_train.role = #prec_train.role<loss>})
          attributes {prec.entry = ")" +
         entry + "\"} {" + body +
         R"(
        %0 = prec_sched.fill {id = 0 : i64, placements = [#prec_sched.placement<output, 0>]} : tensor<f32>
        %1 = prec_sched.dispatch <row> "f"(%x) {graph_ops = ["reduce"], id = 1 : i64, inplace = array<i64: -1>, placements = [#prec_sched.placement<output, 0>])" +
         attributes + R"(} : (tensor<4xf32>) -> tensor<f32> {
        ^bb0(%a: tensor<4xf32>):
          %s = prec_train.reduce sum %a dims [0] : (tensor<4xf32>) -> tensor<f32>
          prec_sched.yield %s : tensor<f32>
        }
        return %1 : tensor<f32>
      })")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << message;
    if (!module)
      return failure();
    ManifestOptions options;
    options.target.kind = "cpu";
    return buildManifest(*module, options);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::string message;
};

constexpr StringLiteral kKernel =
    ", kernel = @k, launch = #prec_sched.launch<extent = 1>";
} // namespace

TEST_F(ManifestTest, AKernelIsNamed) {
  auto manifest = build("step", "", kKernel);
  ASSERT_TRUE(succeeded(manifest)) << message;
  EXPECT_EQ(manifest->kernels, std::vector<std::string>{"k"});
}

TEST_F(ManifestTest, ACommandNamesOperationsOfTheGraph) {
  auto manifest = build("step", "", kKernel);
  ASSERT_TRUE(succeeded(manifest)) << message;
  StringRef json = manifest->json;
  EXPECT_EQ(json.count("\"graph_ops\":[\"reduce\"]"), 2u) << "step and eval";
  EXPECT_EQ(json.count("graph_ops"), 2u) << "a fill computes nothing";
}

TEST_F(ManifestTest, ADispatchMustHaveAKernel) {
  EXPECT_TRUE(failed(build("step", "", "")));
  EXPECT_EQ(message,
            "'prec_sched.dispatch' op dispatches must have a generated "
            "kernel to be emitted, but got none");
}

TEST_F(ManifestTest, AModuleMustHaveAStep) {
  EXPECT_TRUE(failed(build("forward", "", kKernel)));
  EXPECT_EQ(message, "the step must be a function with 'prec.entry' = "
                     "\"step\", but got @f (\"forward\") without it");
}

TEST_F(ManifestTest, WhatIsNotScheduledIsNotLeftOut) {
  EXPECT_TRUE(
      failed(build("step", "%y = arith.negf %x : tensor<4xf32>", kKernel)));
  EXPECT_EQ(message, "'arith.negf' op only operations of prec_sched and views "
                     "can be emitted, but got another");
}

TEST_F(ManifestTest, AReshapeIsNoCommand) {
  EXPECT_TRUE(succeeded(
      build("step",
            "%y = tensor.expand_shape %x [[0, 1]] output_shape [2, 2] : "
            "tensor<4xf32> into tensor<2x2xf32>",
            kKernel)))
      << message;
}
