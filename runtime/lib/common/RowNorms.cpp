//===- RowNorms.cpp - norms that bounds are made of -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RowNorms.h"

#include <cmath>

std::vector<double>
prec::rt::norms(const float *matrix, int64_t rows, int64_t columns,
                bool ofColumns,
                const std::function<double(int64_t row, int64_t k)> &scaleInv) {
  std::vector<double> sums(ofColumns ? columns : rows, 0);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) {
      double value = matrix[i * columns + j];
      if (scaleInv)
        value *= ofColumns ? scaleInv(j, i) : scaleInv(i, j);
      sums[ofColumns ? j : i] += value * value;
    }
  for (double &sum : sums)
    sum = std::sqrt(sum);
  return sums;
}
