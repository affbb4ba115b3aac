//===- Bytes.h - amounts of memory as text ----------------------*- C++ -*-===//
#ifndef PREC_SUPPORT_BYTES_H
#define PREC_SUPPORT_BYTES_H

#include <string>

namespace mlir::prec {

/// "212.0 KiB": in the largest binary unit of which there is one, with so many
/// digits behind the point; bytes have none.
std::string printBinaryBytes(double bytes, int digits);

} // namespace mlir::prec

#endif // PREC_SUPPORT_BYTES_H
