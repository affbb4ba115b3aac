//===- DialectVersion.h - the version of a dialect in bytecode --*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files in bytecode say of each dialect of prec which version of it wrote them.
// Attributes are written as text within, so a version changes where that text
// or an operation does, and whoever changes one adds to upgradeFromVersion what
// brings an older file to today's form. Files from before there were versions
// say nothing, and are of version 1.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_LIB_DIALECT_DIALECTVERSION_H
#define PREC_LIB_DIALECT_DIALECTVERSION_H

#include "prec/Support/LLVM.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/Dialect.h"

namespace prec {

/// What bytecode of any dialect of prec is written as.
inline constexpr uint64_t kDialectVersion = 1;

struct NumberedVersion : public mlir::DialectVersion {
  explicit NumberedVersion(uint64_t number) : number(number) {}
  uint64_t number;
};

class VersionedDialect : public mlir::BytecodeDialectInterface {
public:
  explicit VersionedDialect(mlir::Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(mlir::DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(kDialectVersion);
  }

  std::unique_ptr<mlir::DialectVersion>
  readVersion(mlir::DialectBytecodeReader &reader) const override {
    uint64_t number = 0;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number == 0 || number > kDialectVersion) {
      // dialect_version_c1
      reader.emitError() << "the version of dialect "
                         << getDialect()->getNamespace()
                         << " must be from 1 to " << kDialectVersion
                         << ", but got " << number
                         << ": this prec is older than the file";
      return nullptr;
    }
    return std::make_unique<NumberedVersion>(number);
  }
};

} // namespace prec

#endif // PREC_LIB_DIALECT_DIALECTVERSION_H
