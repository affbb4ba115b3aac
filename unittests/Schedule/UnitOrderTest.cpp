//===- UnitOrderTest.cpp - in which order units are computed --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Schedule/Fusion/UnitOrder.h"

#include <gtest/gtest.h>

using namespace prec;
using Order = std::vector<unsigned>;

TEST(UnitOrderTest, keepsToTheProgram) {
  EXPECT_EQ(orderUnits({}), Order());
  EXPECT_EQ(orderUnits({{2, false, {}}, {0, false, {}}, {1, false, {1}}}),
            (Order{1, 2, 0}));
}

TEST(UnitOrderTest, whatWaitsLetsOthersGoOn) {
  // The first one of the program reads the last one.
  EXPECT_EQ(orderUnits({{0, false, {2}}, {1, false, {}}, {2, false, {}}}),
            (Order{1, 2, 0}));
}

// A loss that shares a launch with what is known at the end; two layers of the
// backward, each of which reads what is computed again for it.
TEST(UnitOrderTest, whatIsComputedAgainWaits) {
  EXPECT_EQ(orderUnits({{0, false, {5}},    // loss
                        {1, true, {}},      // of the last layer
                        {2, false, {0, 1}}, // its backward
                        {3, true, {}},      // of the first layer
                        {4, false, {2, 3}}, // its backward
                        {5, false, {}}}),   // what the launch waits for
            (Order{5, 0, 1, 2, 3, 4}));
}

TEST(UnitOrderTest, whatIsComputedAgainIsThereForWhatWaits) {
  // What the program waits for needs the backward of the last layer.
  EXPECT_EQ(orderUnits({{0, false, {2}},
                        {1, true, {}},
                        {2, false, {1}},
                        {3, true, {}},
                        {4, false, {0, 3}}}),
            (Order{1, 2, 0, 3, 4}));
  // Nothing else can be computed.
  EXPECT_EQ(orderUnits({{1, true, {}}, {0, false, {0}}}), (Order{0, 1}));
}

// Sums of two layers that share a launch, at the place of the last layer's. The
// gradient of a layer's weight reads a copy that is computed again for it.
TEST(UnitOrderTest, whatIsComputedAgainIsThereBeforeSumsThatWait) {
  EXPECT_EQ(orderUnits({{0, false, {}},     // the last layer's backward
                        {1, false, {0, 4}}, // sums
                        {2, true, {}},      // a copy
                        {3, false, {0, 2}}, // the gradient of a weight
                        {4, false, {0}},    // the first layer's backward
                        {5, true, {}},      // a copy
                        {6, false, {4, 5}}}),
            (Order{0, 2, 3, 4, 1, 5, 6}));
}
