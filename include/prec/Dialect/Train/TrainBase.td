//===- TrainBase.td - the prec_train dialect and its attributes -*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_TRAIN_TRAINBASE_TD
#define PREC_DIALECT_TRAIN_TRAINBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "prec/Dialect/Prec/LinearOpInterface.td"
include "prec/Dialect/Prec/PrecBase.td"
include "prec/Dialect/Prec/PrecisionOpInterface.td"
include "prec/Dialect/Train/DecomposeOpInterface.td"
include "prec/Dialect/Train/LookupOpInterface.td"
include "prec/Dialect/Train/TrainEnums.td"

def Train_Dialect : Dialect {
  let name = "prec_train";
  let cppNamespace = "::prec::train";
  let summary = "what a training step computes";
  let description = [{
    A whole training step (forward, backward, optimizer) as mathematics on
    ranked static tensors. Elementwise maths is upstream `arith` and `math` on
    tensors, shape changes are upstream `tensor`; this dialect adds
    contractions, data movement between iteration spaces, the composites
    whose numerics or library call need a name, and the optimizer.

    Imported graphs are float-erased: every float is f32, formats are decided
    later. Discardable attributes of this dialect, all others are errors:

    | attribute | on | meaning |
    |---|---|---|
    | `prec_train.role` | arguments, results | `#prec_train.role<...>` |
    | `prec_train.path` | arguments, results | the framework's name |
    | `prec_train.param_of`, `prec_train.slot` | arguments, results | parameter and kind of an optimizer state or work weight |
    | `prec_train.aliases` | arguments | further names of a tied parameter |
    | `prec_train.source_dtype` | arguments | element type in the framework |
    | `prec_train.vocabulary` | arguments | of a batch argument or buffer: its elements are rows of so long a table, which whoever feeds the step checks |
    | `prec_train.ignore_index`, `prec_train.shift`, `prec_train.shift_unknown` | arguments | of a batch argument; the last says why its shift is not known |
    | `prec_train.gradient` | arguments, results | a gradient that comes into a backward in a function of its own, and one that goes out to another |
    | `prec_train.codes` | arguments | of a moment in 8 bits: what each code stands for |
    | `prec_train.range` | arguments | least and largest element of a buffer of integers, which whoever sets it checks |
    | `prec_train.default` | arguments | of a hyper parameter |
    | `prec_train.initial` | arguments | start value of a buffer |
    | `prec_train.shard`, `prec_train.shard_dim` | arguments | axis of the mesh along which each rank has a slice, and of which dimension |
    | `prec_train.placement` | arguments | of several ranks: why each has its slice of a parameter, or all of it |
    | `prec_train.shard_parts` | arguments | sizes of consecutive parts of that dimension of the whole tensor, of each of which a rank has its slice; without it there is one |
    | `prec_train.donated_to` | results | index of the argument whose storage the result replaces |
    | `prec_train.tensors` | results | what a result of role `guard` is an index into |
    | `prec_train.phase` | operations | `#prec_train.phase<...>`; absent means forward |
    | `prec_train.seq` | operations | number shared by a forward operation and its gradient |
    | `prec_train.framework`, `prec_train.model` | modules | where the graph came from |
    | `prec_train.images` | modules | code of kernels of the user's own, by name |
    | `prec_train.mesh` | modules | ranks along each axis: `{dp = 2 : i64}`; without it there is one |
    | `prec_train.padding` | modules | true where rows of ignored labels change nothing before them, or why they might |
    | `prec_train.equal_micro_batches` | modules | why the micro-batches of a step all weigh the same |
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let hasConstantMaterializer = 0;
  let dependentDialects = ["::prec::PrecDialect"];
}

def Train_RoleAttr : EnumAttr<Train_Dialect, Train_Role, "role"> {
  let assemblyFormat = "`<` $value `>`";
}

def Train_PhaseAttr : EnumAttr<Train_Dialect, Train_Phase, "phase"> {
  let assemblyFormat = "`<` $value `>`";
}

def Train_ReduceKindAttr : EnumAttr<Train_Dialect, Train_ReduceKind, "reduce_kind"> {
  let assemblyFormat = "$value";
}

def Train_ExchangeKindAttr : EnumAttr<Train_Dialect, Train_ExchangeKind, "exchange_kind"> {
  let assemblyFormat = "$value";
}

def Train_KernelAttr : AttrDef<Train_Dialect, "Kernel"> {
  let mnemonic = "kernel";
  let summary = "a kernel of the user's own for GPUs";
  let description = [{
    `image` names the code, an entry of the module's `prec_train.images`;
    `target` is the chip of a cubin, or empty for PTX. `launch` holds the blocks
    and the threads of a block along three dimensions, and the bytes of dynamic
    shared memory. `parameters` are the kernel's, in their order: `in N` and
    `out N` are addresses of an operand and of a result, others are numbers by
    value: `i32 N`, `i64 N`, `f32 X`, `f64 X`.

    `#prec_train.kernel<image = "scale.ptx", target = "", symbol = "scale", launch = [4, 1, 1, 256, 1, 1, 0], parameters = ["in 0", "out 0", "i32 1024"]>`
  }];
  let parameters = (ins "::mlir::StringAttr":$image, "::mlir::StringAttr":$target,
                        "::mlir::StringAttr":$symbol, ArrayRefParameter<"int64_t">:$launch,
                        "::mlir::ArrayAttr":$parameters);
  let assemblyFormat = [{
    `<` `image` `=` $image `,` `target` `=` $target `,` `symbol` `=` $symbol `,`
    `launch` `=` `[` $launch `]` `,` `parameters` `=` $parameters `>`
  }];
  let genVerifyDecl = 1;
}

def Train_Kernels : OptionalAttr<TypedArrayAttrBase<Train_KernelAttr, "kernels">>;

def Train_Float : StaticShapeTensorOf<[F32, BF16, F16, F8E4M3FN, F8E5M2]>;
/// What is added to scores before a softmax.
def Train_Bias : StaticShapeTensorOf<[F32, BF16]>;
/// A work weight in FP4 is read by contractions only, until they are scaled.
def Train_MatmulOperand : StaticShapeTensorOf<[F32, BF16, F16, F8E4M3FN, F8E5M2, F4E2M1FN]>;
/// No target convolves FP8.
def Train_ConvFloat : StaticShapeTensorOf<[F32, BF16, F16]>;
/// Groups of scaled operands are multiplied by `prec.scaled_grouped_matmul`.
def Train_GroupedFloat : StaticShapeTensorOf<[F32, BF16, F16]>;
/// Behind --prec-split-weights a work weight, until --prec-insert-casts.
def Train_GroupedMatrices : StaticShapeTensorOf<[F32, BF16, F16, F8E4M3FN, F8E5M2]>;
def Train_Scalar : Type<Prec_Scalar.predicate, Prec_Scalar.summary, Prec_Scalar.cppType>;
def Train_Flag : Type<Prec_Flag.predicate, Prec_Flag.summary, Prec_Flag.cppType>;
def Train_Ids : StaticShapeTensorOf<[I32]>;
def Train_Any : StaticShapeTensorOf<[F32, BF16, F16, F8E4M3FN, F8E5M2, F8E8M0FNU, I1, I8, I32, I64]>;
/// f64 is no format of prec, and nothing is scheduled in it: what a graph of another compiler computes in it stays.
def Train_Element : StaticShapeTensorOf<[F64, F32, BF16, F16, F8E4M3FN, F8E5M2, F8E8M0FNU, I1, I8, I32, I64]>;

/// Every op carries optional tags: what Assign decided for its results and for
/// the uses its operands are.
class Train_Op<string mnemonic, dag inputs, list<Trait> traits = []>
    : Op<Train_Dialect, mnemonic, !listconcat(traits, [Pure,
        DeclareOpInterfaceMethods<PrecisionOpInterface,
          ["getStructure", "getAccumulationLength", "getFlops"]>])> {
  let arguments = !con(inputs, (ins
    OptionalAttr<Prec_TagArrayAttr>:$result_tags,
    OptionalAttr<Prec_TagArrayAttr>:$operand_tags));
}

/// Composites print all alike, and have a verifier.
class Train_Composite<string mnemonic, dag inputs, dag outputs, list<Trait> traits = []>
    : Train_Op<mnemonic, inputs, traits> {
  let results = outputs;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // PREC_DIALECT_TRAIN_TRAINBASE_TD
