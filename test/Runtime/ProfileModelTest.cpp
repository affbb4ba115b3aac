//===- ProfileModelTest.cpp - bytes, FLOPs and limits ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All numbers are worked out by hand.
//
//===----------------------------------------------------------------------===//

#include "ProfileModel.h"

#include <gtest/gtest.h>

using namespace prec::rt;
using namespace prec::run;

namespace {

/// 1e12 bytes, 4e12 FLOPs in f32, 1e13 in bf16 and 2e13 in FP8 a second.
MachineRates makeMachine() {
  MachineRates machine{"chip", "device", 1e12, {}};
  machine.flopsPerSecond = {4e12, 1e13, std::nullopt, 2e13, std::nullopt};
  return machine;
}

/// A product of two FP8 matrices, attention with grouped heads, its gradient,
/// and a kernel that updates a buffer in place.
struct ProfileModel : testing::Test {
  ProfileModel() {
    auto add = [&](DType dtype, std::vector<int64_t> shape) {
      manifest.buffers.push_back({Segment::workspace, 0, dtype, shape});
      return static_cast<int>(manifest.buffers.size()) - 1;
    };
    int a = add(DType::f8E4M3FN, {64, 32}), b = add(DType::f8E5M2, {16, 32}),
        d = add(DType::bf16, {64, 16});
    Command product;
    product.kind = CommandKind::gemm;
    product.name = "model.layers.3.mlp/gemm";
    product.path = "model.layers.3.mlp";
    product.phase = "forward";
    product.reads = {a, b};
    product.writes = {d};
    product.gemm = {};
    product.gemm.m = 64;
    product.gemm.n = 16;
    product.gemm.k = 32;
    product.gemm.batch = 1;
    product.gemm.a = a;
    product.gemm.b = b;
    product.gemm.d = d;

    int q = add(DType::bf16, {2, 4, 8, 16}),
        k = add(DType::bf16, {2, 2, 10, 16}), lse = add(DType::f32, {2, 4, 8});
    Command attention;
    attention.kind = CommandKind::sdpaForward;
    attention.name = attention.path = "model.layers.10.attention";
    attention.phase = "forward";
    attention.reads = {q, k, k};
    attention.writes = {q, lse};
    attention.sdpa.q = q;
    attention.sdpa.k = k;
    attention.sdpa.causal = false;

    Command gradient = attention;
    gradient.kind = CommandKind::sdpaBackward;
    gradient.phase = "backward";
    gradient.sdpa.causal = true;

    Command update;
    update.kind = CommandKind::kernel;
    update.name = "update";
    update.phase = "optimizer";
    update.reads = {lse, lse};
    update.writes = {lse};
    manifest.entryPoints["step"] = {product, attention, gradient, update};
  }

  Work work(size_t command) const {
    return computeWork(manifest, manifest.commands("step")[command]);
  }

  Manifest manifest;
};

TEST_F(ProfileModel, CountsEachBufferOnceAsReadAndOnceAsWritten) {
  EXPECT_EQ(work(0).bytes, 64 * 32 + 16 * 32 + 64 * 16 * 2);
  // q 2048, k 1280 and o 2048 bytes, lse 256.
  EXPECT_EQ(work(1).bytes, 2048 + 1280 + 2048 + 256);
  EXPECT_EQ(work(3).bytes, 2 * 256);
}

TEST_F(ProfileModel, CountsFlopsOfProductsAndAttention) {
  EXPECT_EQ(work(0).flops, 65536);
  EXPECT_EQ(work(1).flops, 40960); // 4 * 2 * 4 * 8 * 10 * 16
  EXPECT_EQ(work(2).flops, 51200); // 2.5 / 2 times that
  EXPECT_EQ(work(3).flops, std::nullopt);
  manifest.entryPoints["step"][0].gemm.batch = 3;
  EXPECT_EQ(work(0).flops, 3 * 65536);
}

TEST_F(ProfileModel, ProductsRunInTheWiderUnit) {
  EXPECT_EQ(work(0).unit, MatrixUnit::fp8);
  manifest.buffers[0].dtype = DType::bf16;
  EXPECT_EQ(work(0).unit, MatrixUnit::bf16);
  manifest.buffers[0].dtype = manifest.buffers[1].dtype = DType::i8;
  EXPECT_EQ(work(0).unit, MatrixUnit::fp4);
  manifest.buffers[1].dtype = DType::f32;
  EXPECT_EQ(work(0).unit, MatrixUnit::f32);
  manifest.buffers[0].dtype = manifest.buffers[1].dtype = DType::f16;
  EXPECT_EQ(work(0).unit, MatrixUnit::f16);
}

TEST_F(ProfileModel, TheSlowerOfBytesAndFlopsBinds) {
  MachineRates machine = makeMachine();
  Limit moving = computeLimit(work(0), machine);
  EXPECT_EQ(moving.bound, Bound::bytes);
  EXPECT_DOUBLE_EQ(moving.seconds, 4608e-12); // 65536 / 2e13 is less.
  machine.bytesPerSecond = 1e13;
  Limit computing = computeLimit(work(0), machine);
  EXPECT_EQ(computing.bound, Bound::flops);
  EXPECT_DOUBLE_EQ(computing.seconds, 3276.8e-12);
  // No unit of its own: as in f32.
  manifest.buffers[0].dtype = manifest.buffers[1].dtype = DType::f16;
  EXPECT_DOUBLE_EQ(computeLimit(work(0), machine).seconds, 16384e-12);
}

TEST(FoldLayers, StarsStandForNumbersAlone) {
  EXPECT_EQ(foldLayers("model.layers.31.experts.7.w1"),
            "model.layers.*.experts.*.w1");
  EXPECT_EQ(foldLayers("0"), "*");
  EXPECT_EQ(foldLayers("conv1d.x2"), "conv1d.x2");
  EXPECT_EQ(foldLayers(""), "");
  EXPECT_EQ(foldLayers("a..b."), "a..b.");
}

TEST_F(ProfileModel, GroupsLayersAndSortsByTime) {
  Command other = manifest.commands("step")[0];
  other.path = "model.layers.4.mlp";
  manifest.entryPoints["step"].push_back(other);
  Profile profile =
      makeProfile(manifest, {1e-8, 4e-8, 3e-8, 5e-9, 2e-8}, 5, makeMachine());
  EXPECT_DOUBLE_EQ(profile.seconds, 10.5e-8);
  std::vector<ProfileGroup> groups = groupByModule(profile);
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_EQ(groups[0].key.module, "model.layers.*.attention");
  EXPECT_EQ(groups[3].key.module, "update");
  const ProfileGroup *products = nullptr;
  for (const ProfileGroup &group : groups)
    if (group.key == ProfileKey{"forward", "gemm", "model.layers.*.mlp", {}})
      products = &group;
  ASSERT_TRUE(products);
  EXPECT_EQ(products->count, 2);
  EXPECT_DOUBLE_EQ(products->seconds, 3e-8);
  EXPECT_EQ(products->bytes, 2 * 4608);
  EXPECT_EQ(products->flops, 2 * 65536);
  EXPECT_EQ(products->limit->bound, Bound::bytes);
  EXPECT_DOUBLE_EQ(products->limit->seconds, 2 * 4608e-12);
  ASSERT_EQ(groupByOp(profile).size(), 4u);
  EXPECT_EQ(groupByOp(profile)[3].flops, std::nullopt);
}

TEST_F(ProfileModel, TellsOperationsOfTheGraphApart) {
  std::vector<Command> &step = manifest.entryPoints["step"];
  step = {step[3], step[3], step[3]};
  step[0].graphOps = step[2].graphOps = {"global_norm"};
  step[1].graphOps = {"adamw"};
  Profile profile = makeProfile(manifest, {1, 3, 1}, 5, std::nullopt);
  std::vector<ProfileGroup> groups = groupByModule(profile);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].key.graphOps, std::vector<std::string>{"adamw"});
  EXPECT_EQ(groups[1].count, 2);
  EXPECT_EQ(groupByOp(profile).size(), 1u);
}

TEST_F(ProfileModel, NamesTheEnginesOfAGroupOnce) {
  std::vector<Command> &step = manifest.entryPoints["step"];
  step = {step[0], step[0], step[0], step[3]};
  Engine first{"cuBLASLt 13.0.2",
               GemmAlgorithm{66, "128x256", "64x4", "2x1x1", 1, 0, 0.5, 12}};
  Engine second = first;
  second.algorithm->splits = 3;
  second.algorithm->swizzle = 1;
  second.algorithm->candidates.reset();
  Profile profile = makeProfile(manifest, {1, 1, 1, 1}, 5, std::nullopt,
                                std::nullopt, {first, second, first, {}});
  std::vector<ProfileGroup> groups = groupByModule(profile);
  ASSERT_EQ(groups.size(), 2u);
  ASSERT_EQ(groups[0].engines.size(), 2u);
  EXPECT_EQ(describe(groups[0].engines[0]),
            "cuBLASLt 13.0.2: 66, tile 128x256, stages 64x4, cluster 2x1x1, 1 "
            "of 12");
  EXPECT_EQ(describe(groups[0].engines[1]),
            "cuBLASLt 13.0.2: 66, tile 128x256, stages 64x4, cluster 2x1x1, "
            "split-k 3, swizzle 1");
  EXPECT_EQ(describe(Engine{"cuDNN fast"}), "cuDNN fast");
  EXPECT_TRUE(groups[1].engines.empty());
}

TEST_F(ProfileModel, HasNoFloorUnlessMeasured) {
  Profile profile = makeProfile(manifest, {1, 1, 1, 1}, 5, makeMachine());
  EXPECT_FALSE(profile.floor);
  EXPECT_FALSE(profile.commands[0].floor);
  EXPECT_FALSE(groupByModule(profile)[0].floor);
}

TEST_F(ProfileModel, AFloorIsReplayedOrOfBytes) {
  manifest.entryPoints["step"].push_back(manifest.commands("step")[0]);
  StepFloor floor{
      3, {0.5, 0.25, 0.125, std::nullopt, 0.75}, {0, 0, 0, 300, 0}, 1200};
  Profile profile =
      makeProfile(manifest, {1, 2, 3, 4, 5}, 5, std::nullopt, floor);
  EXPECT_DOUBLE_EQ(profile.floor->seconds(), 1.875);
  EXPECT_EQ(profile.commands[0].floor->seconds, 0.5);
  EXPECT_EQ(profile.commands[0].floor->bytes, std::nullopt);
  EXPECT_DOUBLE_EQ(profile.commands[3].floor->seconds, 0.25);
  EXPECT_EQ(profile.commands[3].floor->bytes, 300);
  for (const ProfileGroup &group : groupByOp(profile)) {
    if (group.key.op != "gemm")
      continue;
    EXPECT_DOUBLE_EQ(group.floor->seconds, 1.25);
    EXPECT_EQ(group.floor->bytes, std::nullopt);
  }
}

TEST_F(ProfileModel, HasNoLimitsWithoutAMachine) {
  Profile profile = makeProfile(manifest, {1, 1, 1, 1}, 5, std::nullopt);
  EXPECT_FALSE(profile.commands[0].limit);
  EXPECT_FALSE(groupByOp(profile)[0].limit);
}

} // namespace
