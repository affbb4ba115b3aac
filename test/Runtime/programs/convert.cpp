//===- convert.cpp - float conversions for comparison with ml_dtypes ------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// convert DTYPE to|from IN OUT: reads f32 (to) or codes (from), writes the
// other. Fails if the array functions, cloned for this CPU, and the scalar
// ones, compiled for the baseline, disagree.
//
//===----------------------------------------------------------------------===//

#include "FloatConvert.h"
#include "InputFile.h"

#include <cstdio>
#include <vector>

using namespace prec::rt;

template <typename Code, typename To, typename From>
static int convert(DType dtype, bool narrow, std::string_view input,
                   const char *output, To to, From from) {
  size_t inputSize = narrow ? 4 : sizeof(Code);
  size_t outputSize = narrow ? sizeof(Code) : 4;
  size_t count = input.size() / inputSize;
  std::vector<char> result(count * outputSize);
  if (narrow)
    fromFloat(dtype, reinterpret_cast<const float *>(input.data()),
              result.data(), count);
  else
    toFloat(dtype, input.data(), reinterpret_cast<float *>(result.data()),
            count);
  for (size_t i = 0; i < count; ++i) {
    bool same;
    if (narrow)
      same = reinterpret_cast<Code *>(result.data())[i] ==
             to(reinterpret_cast<const float *>(input.data())[i]);
    else
      same = bitsOf(reinterpret_cast<float *>(result.data())[i]) ==
             bitsOf(from(reinterpret_cast<const Code *>(input.data())[i]));
    if (!same) {
      fprintf(stderr, "array and scalar conversion differ at %zu\n", i);
      return 1;
    }
  }
  FILE *file = fopen(output, "wb");
  if (!file || fwrite(result.data(), 1, result.size(), file) != result.size())
    return 1;
  return fclose(file);
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  Result<std::string> file = readTextFile(argv[3], int64_t(1) << 32);
  if (!file.ok())
    return 2;
  std::string_view dtype = argv[1], input = *file;
  bool narrow = std::string_view(argv[2]) == "to";
  if (dtype == "bf16")
    return convert<uint16_t>(DType::bf16, narrow, input, argv[4], toBF16,
                             fromBF16);
  if (dtype == "f16")
    return convert<uint16_t>(DType::f16, narrow, input, argv[4], toF16,
                             fromF16);
  if (dtype == "f8E4M3FN")
    return convert<uint8_t>(DType::f8E4M3FN, narrow, input, argv[4], toF8E4M3FN,
                            fromF8E4M3FN);
  if (dtype == "f8E5M2")
    return convert<uint8_t>(DType::f8E5M2, narrow, input, argv[4], toF8E5M2,
                            fromF8E5M2);
  if (dtype == "f8E8M0FNU")
    return convert<uint8_t>(DType::f8E8M0FNU, narrow, input, argv[4],
                            toF8E8M0FNU, fromF8E8M0FNU);
  return 2;
}
