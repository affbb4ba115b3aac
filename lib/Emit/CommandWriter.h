//===- CommandWriter.h - operations of prec_sched as commands ---*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_LIB_EMIT_COMMANDWRITER_H
#define PREC_LIB_EMIT_COMMANDWRITER_H

#include "Emit/BufferTable.h"

#include "prec/Schedule/MemoryPlan.h"
#include "prec/Support/LLVM.h"

namespace prec {

/// Writes one command for an operation of `prec_sched`; the table of buffers
/// and the query table grow as they are named.
class CommandWriter {
public:
  CommandWriter(const SegmentLayout &layout, rt::KernelCalls calls,
                StringRef chip, bool deterministicAttention)
      : layout(layout), calls(calls), chip(chip),
        deterministicAttention(deterministicAttention) {}

  FailureOr<rt::Command> write(Operation *op);

  /// Number of the buffer that a value lives in.
  int bufferOf(Value value);

  BufferTable &getBuffers() { return buffers; }
  std::vector<std::string> takeKernels();
  /// Whether a product that was written has a bias, of which runtimes before
  /// abi 4 know nothing.
  bool hasBias() const { return addsBias; }

private:
  rt::Command common(Operation *op, rt::CommandKind kind);
  std::vector<int> buffersOf(ValueRange values);
  std::optional<int> optionalBuffer(Value value);
  std::vector<rt::Part> partsOf(sched::DispatchOp op);
  LogicalResult addKernel(sched::DispatchOp op, rt::Command &command);
  void addGemm(sched::GemmOp op, rt::Gemm &gemm);
  void addForward(sched::SdpaOp op, rt::Sdpa &sdpa);
  void addBackward(sched::SdpaGradOp op, rt::Sdpa &sdpa);
  void addConv(sched::ConvOp op, rt::Conv &conv);
  LogicalResult addCall(sched::CallOp op, rt::Command &command);
  void addGrouped(sched::GroupedGemmOp op, rt::Grouped &grouped);
  /// On a GPU.
  LogicalResult addGroupedKernel(sched::GroupedGemmOp op, rt::Command &command);

  const SegmentLayout &layout;
  rt::KernelCalls calls;
  StringRef chip;
  bool deterministicAttention, addsBias = false;
  BufferTable buffers;
  llvm::MapVector<StringAttr, int> kernels;
};

} // namespace prec

#endif // PREC_LIB_EMIT_COMMANDWRITER_H
