//===- HostOps.td - operations of another compiler ---------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a compiler tells prec of its own operations: their structure, what they
// are linear in, and how to write them as primitives.
//
//===----------------------------------------------------------------------===//
#ifndef HOST_OPS_TD
#define HOST_OPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "prec/Dialect/Prec/LinearOpInterface.td"
include "prec/Dialect/Prec/PrecisionOpInterface.td"
include "prec/Dialect/Train/DecomposeOpInterface.td"

def Host_Dialect : Dialect {
  let name = "host";
  let cppNamespace = "::host";
}

class Host_Op<string mnemonic, list<string> described, list<Trait> traits = []>
    : Op<Host_Dialect, mnemonic, traits # [Pure,
        DeclareOpInterfaceMethods<PrecisionOpInterface, described>,
        DeclareOpInterfaceMethods<DecomposeOpInterface>]>;

def Host_GeluOp : Host_Op<"gelu", ["getFlops", "getArithmetic"], [SameOperandsAndResultType]> {
  let summary = "x * (1 + erf(x / sqrt 2)) / 2";
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
}

def Host_GeluGradOp : Host_Op<"gelu_grad", ["getFlops", "getArithmetic"],
    [SameOperandsAndResultType, DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let summary = "the gradient of host.gelu, linear in that of its result";
  let arguments = (ins AnyRankedTensor:$grad, AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$grad `,` $input attr-dict `:` type($result)";
}

def Host_DotOp : Host_Op<"dot", ["getFlops", "getContractionShape", "getAccumulationLength", "isContractedLast"],
    [DeclareOpInterfaceMethods<LinearOpInterface>]> {
  let summary = "M x K times N x K";
  let description = "`twice` and `negated` are what prec does not take of a product that reads FP8.";
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, UnitAttr:$twice, UnitAttr:$negated);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

#endif // HOST_OPS_TD
