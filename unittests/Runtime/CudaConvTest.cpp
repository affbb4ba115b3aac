//===- CudaConvTest.cpp - convolutions on the GPU -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against convolutions in double on the same (rounded) inputs.
//
//===----------------------------------------------------------------------===//

#include "CudaTestModule.h"

#include "ConvShape.h"

#include <cmath>

using namespace prec::rt;
using namespace prec::rt::test;

namespace {
struct Sizes {
  std::vector<int64_t> x, w, y;
  std::vector<int64_t> strides, low, high, dilations;
  int64_t groups = 1;
  DType dtype = DType::bf16;
};

struct ConvModule : Module {
  int x, w, y, dx, dw;
  explicit ConvModule(const Sizes &s) {
    x = add(s.dtype, s.x), w = add(s.dtype, s.w), y = add(s.dtype, s.y);
    dx = add(s.dtype, s.x), dw = add(s.dtype, s.w);
    int dy = y;
    convolve(s, "fprop", x, w, y);
    convolve(s, "dgrad", dx, w, dy);
    convolve(s, "wgrad", x, dw, dy);
  }

private:
  void convolve(const Sizes &s, const char *direction, int input, int weight,
                int output) {
    Conv &conv = command(CommandKind::conv).conv;
    conv.direction = direction;
    conv.x = input, conv.w = weight, conv.y = output;
    conv.strides = s.strides, conv.low = s.low, conv.high = s.high;
    conv.dilations = s.dilations, conv.groups = s.groups;
  }
};

using Values = std::vector<double>;

/// A value, and the sum of the magnitudes that it adds up.
struct Sums {
  explicit Sums(size_t count) : value(count), magnitude(count) {}
  void add(int64_t i, double product) {
    value[static_cast<size_t>(i)] += product;
    magnitude[static_cast<size_t>(i)] += std::abs(product);
  }
  Values value, magnitude;
};

/// Calls `visit` with the elements of input, weight and output that each
/// product is of.
template <typename Visit> void forProducts(const ConvShape &s, Visit visit) {
  const int64_t positions = ConvShape::productOf(s.positions),
                sizes = ConvShape::productOf(s.sizes);
  for (int64_t image = 0; image < s.batch; ++image)
    for (int64_t p = 0; p < positions; ++p)
      for (int64_t place = 0; place < s.places(); ++place) {
        int64_t element = s.inputAt(ConvShape::split(p, s.positions),
                                    ConvShape::split(place, s.kernel));
        if (element < 0)
          continue;
        for (int64_t o = 0; o < s.outputs; ++o)
          for (int64_t c = 0; c < s.groupChannels(); ++c)
            visit((image * sizes + element) * s.channels +
                      o / s.groupOutputs() * s.groupChannels() + c,
                  (o * s.places() + place) * s.groupChannels() + c,
                  (image * positions + p) * s.outputs + o);
      }
}

class CudaConvolution : public CudaTest {
protected:
  void verify(const Sizes &sizes) {
    ConvModule module(sizes);
    std::unique_ptr<Device> device = start(module);
    ASSERT_NE(device, nullptr);
    std::vector<float> x = uploadRandom(*device, module, module.x, 1),
                       w = uploadRandom(*device, module, module.w, 2);
    std::vector<std::vector<unsigned char>> first;
    for (int repeat = 0; repeat < 3; ++repeat) {
      check(device->run("step"));
      std::vector<std::vector<unsigned char>> now;
      for (int buffer : {module.y, module.dx, module.dw})
        now.push_back(downloadBytes(*device, module, buffer));
      if (repeat == 0)
        first = now;
      EXPECT_EQ(now, first) << "repeat " << repeat << " gave other bits";
    }
    // The gradients are of the output as it was rounded.
    std::vector<float> y = downloadFloats(*device, module, module.y);
    const ConvShape shape(module.manifest,
                          module.manifest.entryPoints["step"][0].conv);
    Sums output(y.size()), input(x.size()), weight(w.size());
    forProducts(shape, [&](int64_t i, int64_t j, int64_t k) {
      const double a = x[static_cast<size_t>(i)], b = w[static_cast<size_t>(j)],
                   c = y[static_cast<size_t>(k)];
      output.add(k, a * b), input.add(i, c * b), weight.add(j, c * a);
    });
    const int64_t terms = shape.places() * shape.groupChannels();
    compare("y", y, output, terms, sizes.dtype);
    compare("dx", downloadFloats(*device, module, module.dx), input,
            shape.places() * shape.groupOutputs(), sizes.dtype);
    compare("dw", downloadFloats(*device, module, module.dw), weight,
            shape.allPositions(), sizes.dtype);
  }

private:
  static void compare(const char *name, const std::vector<float> &got,
                      const Sums &expected, int64_t terms, DType dtype) {
    const double unit = dtype == DType::bf16  ? std::ldexp(1.0, -8)
                        : dtype == DType::f16 ? std::ldexp(1.0, -11)
                                              : 0;
    int failures = 0;
    for (size_t i = 0; i < got.size() && failures < 3; ++i) {
      const double bound = unit * std::abs(expected.value[i]) +
                           static_cast<double>(terms + 4) *
                               std::ldexp(1.0, -23) * expected.magnitude[i];
      if (std::abs(got[i] - expected.value[i]) <= bound)
        continue;
      ++failures;
      ADD_FAILURE() << name << "[" << i << "] " << got[i] << " expected "
                    << expected.value[i] << " within " << bound;
    }
  }
};
} // namespace

TEST_F(CudaConvolution, Line) {
  verify({{2, 24, 16}, {32, 3, 16}, {2, 24, 32}, {1}, {1}, {1}, {1}});
}
TEST_F(CudaConvolution, Plane) {
  verify({{2, 14, 14, 64},
          {64, 3, 3, 64},
          {2, 14, 14, 64},
          {1, 1},
          {1, 1},
          {1, 1},
          {1, 1}});
}
TEST_F(CudaConvolution, Image) {
  verify({{2, 32, 32, 3},
          {64, 7, 7, 3},
          {2, 16, 16, 64},
          {2, 2},
          {3, 3},
          {3, 3},
          {1, 1}});
}
TEST_F(CudaConvolution, Strides) {
  verify({{2, 14, 14, 64},
          {128, 1, 1, 64},
          {2, 7, 7, 128},
          {2, 2},
          {0, 0},
          {0, 0},
          {1, 1}});
}
TEST_F(CudaConvolution, Dilations) {
  verify({{2, 12, 10, 16},
          {16, 3, 3, 16},
          {2, 12, 10, 16},
          {1, 1},
          {2, 2},
          {2, 2},
          {2, 2}});
}
TEST_F(CudaConvolution, Groups) {
  verify({{2, 8, 8, 64},
          {64, 3, 3, 16},
          {2, 8, 8, 64},
          {1, 1},
          {1, 1},
          {1, 1},
          {1, 1},
          4});
}
TEST_F(CudaConvolution, Depthwise) {
  verify({{2, 14, 14, 96},
          {96, 7, 7, 1},
          {2, 14, 14, 96},
          {1, 1},
          {3, 3},
          {3, 3},
          {1, 1},
          96});
}
TEST_F(CudaConvolution, OneSide) {
  verify({{2, 8, 8, 16},
          {16, 3, 3, 16},
          {2, 4, 4, 16},
          {2, 2},
          {0, 0},
          {1, 1},
          {1, 1}});
}
TEST_F(CudaConvolution, Volume) {
  verify({{1, 6, 8, 8, 16},
          {16, 3, 3, 3, 16},
          {1, 6, 8, 8, 16},
          {1, 1, 1},
          {1, 1, 1},
          {1, 1, 1},
          {1, 1, 1}});
}
TEST_F(CudaConvolution, OddChannels) {
  verify({{1, 9, 9, 5},
          {7, 3, 3, 5},
          {1, 9, 9, 7},
          {1, 1},
          {1, 1},
          {1, 1},
          {1, 1}});
}
TEST_F(CudaConvolution, Half) {
  verify({{2, 8, 8, 32},
          {32, 3, 3, 32},
          {2, 8, 8, 32},
          {1, 1},
          {1, 1},
          {1, 1},
          {1, 1},
          1,
          DType::f16});
}
TEST_F(CudaConvolution, Single) {
  verify({{2, 8, 8, 32},
          {32, 3, 3, 32},
          {2, 8, 8, 32},
          {1, 1},
          {1, 1},
          {1, 1},
          {1, 1},
          1,
          DType::f32});
}
