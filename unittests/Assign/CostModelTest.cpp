//===- CostModelTest.cpp - times of products and casts --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Targets.h"

#include "prec/Assign/CostModel.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace prec;

namespace {

MachineModel read(StringRef target) {
  llvm::Expected<MachineModel> costs = findTarget(target)->loadMachine();
  EXPECT_TRUE(bool(costs));
  return costs ? std::move(*costs) : MachineModel();
}

Candidate makeCandidate(Format format, Scaling scaling = Scaling::None) {
  Candidate candidate;
  candidate.uses[0] = candidate.uses[1] = {format, scaling};
  candidate.result = Format::BF16;
  return candidate;
}

TEST(CostModel, EveryTargetHasItsUnits) {
  for (const Target *target : getAllTargets().list()) {
    MachineModel costs = read(target->getName());
    EXPECT_EQ(costs.name, target->getName());
    for (Format format :
         {Format::F32, Format::BF16, Format::F16, Format::E4M3, Format::E2M1}) {
      auto unit = static_cast<unsigned>(getMatrixUnit(format));
      EXPECT_EQ(costs.flopsPerSecond[unit].has_value(),
                target->hasFormat(format))
          << target->getName().str() << " " << stringifyFormat(format).str();
    }
  }
}

/// The layer GEMMs of a Llama of 1b at 4 x 4096 tokens took 137 ms in BF16 and
/// 72.5 ms in FP8 on an H200.
TEST(CostModel, AddsUpToWhatAnH200Took) {
  MachineModel costs = read("sm_90a");
  CostModel model(costs, nullptr);
  constexpr int64_t kTokens = int64_t(4) * 4096, kWidth = 2048, kKv = 512,
                    kHidden = 8192, kLayers = 16;
  double bf16 = 0, fp8 = 0;
  auto add = [&](int64_t out, int64_t in) {
    for (ContractionShape shape : {ContractionShape{kTokens, out, in, 1},
                                   {kTokens, in, out, 1},
                                   {out, in, kTokens, 1}}) {
      bf16 += toMicroseconds(
          model.priceProduct(shape, makeCandidate(Format::BF16)));
      fp8 += toMicroseconds(model.priceProduct(
          shape, makeCandidate(Format::E4M3, Scaling::TensorCurrent)));
    }
  };
  for (auto [out, in] : {std::pair(kWidth, kWidth),
                         {kKv, kWidth},
                         {kKv, kWidth},
                         {kWidth, kWidth},
                         {kHidden, kWidth},
                         {kHidden, kWidth},
                         {kWidth, kHidden}})
    add(out, in);
  EXPECT_NEAR(bf16 * kLayers / 1e3, 137, 137 * 0.03);
  EXPECT_NEAR(fp8 * kLayers / 1e3, 72.5, 72.5 * 0.03);
}

TEST(CostModel, SmallProductsWaitForMemory) {
  MachineModel costs = read("sm_90a");
  CostModel model(costs, nullptr);
  // 2 bytes of 4096 x 4096 weights are all that counts for one row.
  int64_t price =
      model.priceProduct({1, 4096, 4096, 1}, makeCandidate(Format::BF16));
  EXPECT_NEAR(toMicroseconds(price),
              2.0 * 4096 * 4097 / costs.bytesPerSecond * 1e6 +
                  costs.launchMicroseconds,
              0.01);
}

TEST(CostModel, CurrentScalesNeedATensorInMemory) {
  MachineModel costs = read("sm_90a");
  CostModel model(costs, nullptr);
  QuantizationSource source{4096, 4096, Format::BF16, /*isFusible=*/true};
  QuantizationPrice current = model.priceQuantization(source, Format::E4M3,
                                                      Scaling::TensorCurrent),
                    delayed = model.priceQuantization(source, Format::E4M3,
                                                      Scaling::TensorDelayed);
  EXPECT_EQ(current.once, model.priceKernel(2.0 * 4096 * 4096));
  EXPECT_EQ(delayed.once, 0);
  EXPECT_EQ(current.rows, model.priceBytes(1.0 * 4096 * 4096));
  EXPECT_EQ(delayed.columns, current.columns);
  // A kernel of ours finds the amax of what it computes.
  EXPECT_EQ(model.priceAmax(source), 0);
  source.isFusible = false;
  EXPECT_EQ(model.priceAmax(source), model.priceKernel(2.0 * 4096 * 4096));
}

TEST(CostModel, TransposesOfFineScalesAreQuantizedAgain) {
  MachineModel costs = read("sm_90a");
  CostModel model(costs, nullptr);
  QuantizationSource source{4096, 4096, Format::BF16, /*isFusible=*/false};
  double elements = source.getElements();
  for (Scaling scaling : {Scaling::Row, Scaling::Block1x128, Scaling::Mx1x32}) {
    QuantizationPrice price =
        model.priceQuantization(source, Format::E4M3, scaling);
    EXPECT_EQ(price.once, 0);
    EXPECT_EQ(price.rows,
              model.priceKernel(2 * elements) + model.priceBytes(elements));
    EXPECT_EQ(price.columns, price.rows);
  }
  QuantizationPrice square =
      model.priceQuantization(source, Format::E4M3, Scaling::Block128x128);
  EXPECT_EQ(square.once, model.priceKernel(2 * elements));
}

TEST(CostModel, MeasuredQuantizationsFallApart) {
  MachineModel costs = read("sm_90a");
  Measurements measured;
  QuantizationKey key{64, 32, "bf16", "e4m3", "tensor_current", "rows"};
  measured.quantizations[key] = {5, 0};
  CostModel model(costs, &measured);
  QuantizationSource source{64, 32, Format::BF16, true};
  auto price = [&] {
    return model.priceQuantization(source, Format::E4M3,
                                   Scaling::TensorCurrent);
  };
  // One of three says nothing of the parts.
  EXPECT_EQ(price().once, model.priceKernel(2.0 * 64 * 32));
  key.layouts = "columns";
  measured.quantizations[key] = {6, 0};
  key.layouts = "both";
  measured.quantizations[key] = {8, 0};
  EXPECT_EQ(price().once, 3'000'000);
  EXPECT_EQ(price().rows, 2'000'000);
  EXPECT_EQ(price().columns, 3'000'000);
}

/// What a kernel of ours writes in addition is corrected by what a kernel of
/// its own takes for what is modelled, here twice as long.
TEST(CostModel, FusedQuantizationsAreCorrectedByMeasuredOnes) {
  MachineModel costs = read("sm_90a");
  CostModel alone(costs, nullptr);
  QuantizationSource kernel{4096, 4096, Format::BF16, /*isFusible=*/false};
  auto price = [](const CostModel &model, const QuantizationSource &source) {
    return model.priceQuantization(source, Format::E4M3,
                                   Scaling::TensorDelayed);
  };
  QuantizationPrice modelled = price(alone, kernel);
  double both =
      toMicroseconds(modelled.once + modelled.rows + modelled.columns);
  Measurements measured;
  measured.quantizations[{4096, 4096, "bf16", "e4m3", "tensor_delayed",
                          "both"}] = {2 * both, 0};
  CostModel model(costs, &measured);
  for (bool isFusible : {false, true})
    for (int64_t rows : {2048, 8192}) {
      QuantizationSource source{rows, 4096, Format::BF16, isFusible};
      EXPECT_NEAR(double(price(model, source).rows),
                  2 * double(price(alone, source).rows), 4);
      EXPECT_NEAR(double(price(model, source).once),
                  2 * double(price(alone, source).once), 4);
    }
  // Of other formats nothing is known.
  EXPECT_EQ(
      model.priceQuantization(kernel, Format::E5M2, Scaling::TensorDelayed)
          .rows,
      modelled.rows);
}

TEST(CostModel, ProductsAreCorrectedByTheNearest) {
  MachineModel costs = read("sm_90a");
  CostModel alone(costs, nullptr);
  Candidate bf16 = makeCandidate(Format::BF16);
  auto modelled = [&](int64_t n) {
    return alone.priceProduct({4096, n, 4096, 1}, bf16);
  };
  EXPECT_FALSE(alone.correctProduct({4096, 4096, 4096, 1}, bf16).has_value());
  Measurements measured;
  measured.contractions[{"fprop", 4096, 4096, 4096, 1, {"bf16", "bf16"}}] = {
      2 * toMicroseconds(modelled(4096)), 0};
  measured.contractions[{"fprop", 4096, 65536, 4096, 1, {"bf16", "bf16"}}] = {
      3 * toMicroseconds(modelled(65536)), 0};
  CostModel model(costs, &measured);
  EXPECT_NEAR(double(*model.correctProduct({4096, 6144, 4096, 1}, bf16)),
              2 * double(modelled(6144)), 4);
  EXPECT_NEAR(double(*model.correctProduct({4096, 32768, 4096, 1}, bf16)),
              3 * double(modelled(32768)), 4);
  // Formats that were not measured have no neighbor.
  EXPECT_FALSE(
      model
          .correctProduct({4096, 6144, 4096, 1},
                          makeCandidate(Format::E4M3, Scaling::TensorCurrent))
          .has_value());
}

TEST(CostModel, BadFilesSayWhere) {
  auto getMessage = [](StringRef text) {
    return llvm::toString(parseMachineModel(text, "t.json").takeError());
  };
  EXPECT_EQ(getMessage("[]"),
            "t.json:1:1: error: expected an object, but got an array");
  EXPECT_EQ(getMessage(R"({"version": 1, "nam": "x"})"),
            "t.json:1:16: error: unknown key 'nam', expected one of 'version', "
            "'name', 'device', 'flops_per_second', 'bytes_per_second', "
            "'launch_us', 'schedule'; the nearest is 'name'");
  std::string text = findTarget("sm_90a")->getMachineFile().str();
  auto replace = [&](StringRef what, StringRef with) {
    std::string changed = text;
    size_t at = changed.find(what.str());
    EXPECT_NE(at, std::string::npos);
    return getMessage(changed.replace(at, what.size(), with.str()));
  };
  EXPECT_NE(replace("4.25e12", "0").find("bytes_per_second"),
            std::string::npos);
  EXPECT_NE(replace("\"value\": 4194304", "\"value\": 0").find("launch_bytes"),
            std::string::npos);
  EXPECT_NE(replace("\"last_blocks\"", "\"blocks\"").find("'blocks'"),
            std::string::npos);
  EXPECT_NE(replace("6.95e14", "\"fast\"").find("bf16"), std::string::npos);
  EXPECT_NE(replace("\"f32\"", "\"f64\"").find("unknown key 'f64'"),
            std::string::npos);
}

} // namespace
