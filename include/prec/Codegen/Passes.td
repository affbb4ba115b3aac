//===- Passes.td - code generation passes ------------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_CODEGEN_PASSES_TD
#define PREC_CODEGEN_PASSES_TD

include "mlir/Pass/PassBase.td"

def CodegenCpu : Pass<"prec-codegen-cpu", "::mlir::ModuleOp"> {
  let summary = "turn dispatch bodies into CPU kernels";
  let description = [{
    Needs dispatches (`--prec-form-dispatches`). Adds `module @kernels` with one
    `llvm.func @name(ptr %buffers, i64 %begin, i64 %end)` for each distinct body
    and sets `kernel` and `launch` (its extent) on every dispatch. Equal bodies
    share one kernel.

    Kernels hold the `llvm` dialect only and call nothing. Results do not depend
    on how the extent is split. Where an in-place result shares storage with an
    input, every element is read before it is written.

    An operation that cannot be generated is an error at that operation.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect", "::mlir::vector::VectorDialect"];
}

def CodegenNvptx : Pass<"prec-codegen-nvptx", "::mlir::ModuleOp"> {
  let summary = "turn dispatch bodies into kernels for an NVIDIA GPU";
  let description = [{
    As `--prec-codegen-cpu`, but adds `gpu.module @kernels` with one kernel function of
    device pointers (inputs, then results) for each distinct body; `launch`
    holds grid, block and dynamic shared memory.

    Elementwise results have the bits of the CPU kernels: the same expansions
    of math functions, conversions that round alike, no contraction. Reductions
    differ in the order of accumulation only, which is fixed by the module and
    the chip.

    Rows that are too long for the registers of a block, and are needed in
    several passes, are held in dynamic shared memory as far as `chip` has it.

    With `attention-grad`, a `prec_sched.sdpa_grad` in 16 bits gets two kernels for
    sm_90a, whose results have the same bits in every run: `kernels`, of
    queries and of keys, and their `launches`. Others are left to a library,
    which a remark tells once: heads of more than 128 elements or not in pieces
    of 8, more keys than queries under a causal mask, a bias and a window.

    A product whose scales are of rows or blocks is an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect", "::mlir::vector::VectorDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::gpu::GPUDialect"];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"",
           "GPU that the kernels are for, such as sm_90a; others are taken to have 48 KB of shared memory">,
    Option<"attentionGrad", "attention-grad", "bool", "true",
           "generate the gradients of attention where that is possible">,
    Option<"manyRows", "many-rows", "int64_t", "1024",
           "rows of a tensor from which on a multiprocessor works at several at once">];
}

def OrderFormulas : Pass<"prec-order-formulas", "::mlir::ModuleOp"> {
  let summary = "put operations without effects in an order that follows from the data flow";
  let description = [{
    A part of `--prec-codegen-cpu` and `--prec-codegen-nvptx`, which run it on their kernels before these are lowered.
    Operations that touch memory or have regions stay where they are. Those without effects that stand between two such
    operations stay between these, in the order of their first uses, each after its operands; unused ones are erased.
    So a kernel does not depend on the order in which its operations were built, which C++ leaves to the compiler that
    compiled prec.
  }];
}

#endif // PREC_CODEGEN_PASSES_TD
