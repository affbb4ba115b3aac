//===- SchedOps.td - the prec_sched dialect ----------------*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_SCHED_SCHEDOPS_TD
#define PREC_DIALECT_SCHED_SCHEDOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "prec/Dialect/Prec/PrecBase.td"
include "prec/Dialect/Train/TrainBase.td"
include "prec/Dialect/Sched/SchedEnums.td"

def Sched_Dialect : Dialect {
  let name = "prec_sched";
  let cppNamespace = "::prec::sched";
  let summary = "what runs: dispatches, library calls, and where their results live";
  let description = [{
    After scheduling a function holds only these operations, reshapes (which
    are views), and its terminator. Every operation is one command of the step
    module. Until memory is planned, results are values; then `placements`
    says for each result where it lives.

    The functions `@step` and `@init` are entry points; `eval` is the part of
    `@step` that its loss needs.
  }];
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::prec::PrecDialect", "::prec::train::TrainDialect"];
}

def Sched_FamilyAttr : EnumAttr<Sched_Dialect, Sched_Family, "family"> {
  let assemblyFormat = "`<` $value `>`";
}

def Sched_PlacementAttr : AttrDef<Sched_Dialect, "Placement"> {
  let mnemonic = "placement";
  let summary = "segment and byte offset of a value";
  let description = [{`#prec_sched.placement<workspace, 1024>`}];
  let parameters = (ins EnumParameter<Sched_Segment>:$segment, "int64_t":$offset);
  let assemblyFormat = "`<` $segment `,` $offset `>`";
  let genVerifyDecl = 1;
}
def Sched_Placements : OptionalAttr<TypedArrayAttrBase<Sched_PlacementAttr, "placements">>;

def Sched_LaunchAttr : AttrDef<Sched_Dialect, "Launch"> {
  let mnemonic = "launch";
  let summary = "how a generated kernel is started";
  let description = [{
    `extent` counts the iterations of the parallel dimension that a CPU kernel
    is called on in pieces; `grid`, `block` (threads) and `shared` (bytes) start
    a GPU kernel.

    `#prec_sched.launch<extent = 128>`, `#prec_sched.launch<grid = [64, 1, 1], block = [256, 1, 1], shared = 1024>`
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "0">:$extent,
    OptionalArrayRefParameter<"int64_t">:$grid,
    OptionalArrayRefParameter<"int64_t">:$block,
    DefaultValuedParameter<"int64_t", "0">:$shared);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Sched_Launches : OptionalAttr<TypedArrayAttrBase<Sched_LaunchAttr, "launches">>;

def Sched_ViewAttr : AttrDef<Sched_Dialect, "View"> {
  let mnemonic = "view";
  let summary = "where in a tensor's elements those of another shape are";
  let description = [{
    Element `i` is at `offset + sum(i[d] * strides[d])`. The innermost stride is 1.

    The columns of values in a product for queries, keys and values of 2 heads
    of 16 elements each: `#prec_sched.view<[4, 2, 8, 16] strides [768, 16, 96, 1] offset 64>`
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    ArrayRefParameter<"int64_t">:$strides,
    DefaultValuedParameter<"int64_t", "0">:$offset);
  let assemblyFormat = "`<` `[` $shape `]` `strides` `[` $strides `]` (`offset` $offset^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// All of a tensor in the order of its elements.
    static ViewAttr getWhole(::mlir::RankedTensorType type);
    /// The highest place of an element.
    int64_t getLast();
    /// Whether each of the first elements of the tensor has one place.
    bool isPermutation();
  }];
}
def Sched_Views : OptionalAttr<TypedArrayAttrBase<Sched_ViewAttr, "views">>;

/// `id` is the identity of the command, equal for all targets of one graph.
/// Without placements an operation computes values; with them it reads and
/// writes memory, and its place in the order counts.
class Sched_Op<string mnemonic, dag inputs, list<Trait> traits = []>
    : Op<Sched_Dialect, mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        DeclareOpInterfaceMethods<ConditionallySpeculatable>])> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::prec::sched::addEffects(*this, getPlacementsAttr(), effects);
    }
    ::mlir::Speculation::Speculatability $cppClass::getSpeculatability() {
      return getPlacementsAttr() ? ::mlir::Speculation::NotSpeculatable
                                 : ::mlir::Speculation::Speculatable;
    }
  }];
  let arguments = !con(inputs, (ins
    OptionalAttr<I64Attr>:$id,
    Sched_Placements:$placements));
  let hasVerifier = 1;
}

def Sched_DispatchOp : Sched_Op<"dispatch",
    (ins Variadic<Train_Any>:$inputs, Sched_FamilyAttr:$family, StrAttr:$sym,
         DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$inplace,
         OptionalAttr<FlatSymbolRefAttr>:$kernel, OptionalAttr<Sched_LaunchAttr>:$launch,
         OptionalAttr<StrArrayAttr>:$graph_ops, OptionalAttr<I64Attr>:$order),
    [IsolatedFromAbove, SingleBlockImplicitTerminator<"::prec::sched::YieldOp">]> {
  let summary = "one generated kernel";
  let description = [{
    The body computes the yielded tensors from the inputs, which are its block
    arguments; nothing else is visible. Its operations are elementwise
    `arith`/`math`, `prec_train` data movement and reductions, `tensor` shape
    changes and `prec` quantization. The family says how iteration is mapped:

    - `elementwise`: every result has the same number of elements;
    - `row`: results and reductions share leading (row) dimensions, reductions
      run over the trailing ones; others, of f32 and yielded as they are, may
      run over the rows of each of several groups;
    - `column`: reductions of equal extents over leading dimensions, or over the
      rows of groups, then elementwise operations on their results;
    - `transpose`: the yielded value is a swap of the last two dimensions of an
      elementwise expression;
    - `scatter_add`: one `prec_train.scatter_add`, of sorted ids;
    - `sort`: one `prec_train.sort_ids`.

    Code generation sets `kernel` and `launch`; a kernel's arguments are the
    inputs in order, then the results in order.

    `graph_ops` are the operations of the graph that the kernel computes, as the profile shows them: those that the
    body's operations were made from.

    `inplace[i]` is the input whose storage result i overwrites, or -1; each
    element is read before it is written.

    `order` is an input that the body does not read, of rows alone: a permutation of all rows, in whose order a GPU
    computes them (`--prec-order-rows`).

    ```mlir
    %r = prec_sched.dispatch <row> "norm" (%x, %g) : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32> {
    ^bb0(%a: tensor<4x8xf32>, %b: tensor<8xf32>):
      ...
      prec_sched.yield %y : tensor<4x8xf32>
    }
    ```
  }];
  let results = (outs Variadic<Train_Any>:$results);
  let regions = (region SizedRegion<1>:$body);
  let extraClassDeclaration = [{
    /// Lines that its reductions over trailing dimensions reduce; 0 if it has none.
    int64_t countRows();
  }];
  let assemblyFormat = [{
    $family $sym `(` $inputs `)` attr-dict `:` functional-type($inputs, $results) $body
  }];
}

def Sched_YieldOp : Op<Sched_Dialect, "yield", [Pure, Terminator, ParentOneOf<["DispatchOp"]>, ReturnLike]> {
  let summary = "results of a dispatch";
  let arguments = (ins Variadic<Train_Any>:$operands);
  let assemblyFormat = "attr-dict ($operands^ `:` type($operands))?";
  let builders = [OpBuilder<(ins), [{ /* a placeholder that the op under construction replaces */ }]>];
}

/// i8 holds two e2m1, the first in its low half.
def Sched_GemmOperand : StaticShapeTensorOf<[F32, BF16, F16, F8E4M3FN, F8E5M2, I8]>;
def Sched_ScaleInvs : StaticShapeTensorOf<[F32, F8E8M0FNU, F8E4M3FN]>;

def Sched_GemmOp : Sched_Op<"gemm",
    (ins Sched_GemmOperand:$lhs, Sched_GemmOperand:$rhs, Optional<Train_Float>:$init,
         Optional<Sched_ScaleInvs>:$lhs_scale, Optional<Sched_ScaleInvs>:$rhs_scale,
         Optional<Prec_Scalar>:$lhs_tensor_scale, Optional<Prec_Scalar>:$rhs_tensor_scale,
         Optional<Train_Float>:$bias,
         UnitAttr:$transpose_a, UnitAttr:$transpose_b,
         DefaultValuedAttr<F32Attr, "1.0">:$alpha,
         Prec_AccumulatorAttr:$accumulator,
         DefaultValuedAttr<Prec_ScalingAttr, "::prec::Scaling::None">:$lhs_scaling,
         DefaultValuedAttr<Prec_ScalingAttr, "::prec::Scaling::None">:$rhs_scaling),
    [AttrSizedOperandSegments]> {
  let summary = "library matrix product";
  let description = [{
    `alpha * lhs_scale * rhs_scale * op(lhs) op(rhs) + init + bias`, with leading
    batch dimensions as `prec_train.matmul`, summed in f32 and rounded once. The result may overwrite `init`. Scales are of
    tensors, or of the rows or blocks of both matrices, as the scalings behind `by` say, laid out as in
    `prec.scaled_matmul`; e2m1 operands, packed two to an i8, also have those of
    tensors. A bias is as in `prec_train.matmul` and `prec.scaled_matmul`.

    ```mlir
    %y = prec_sched.gemm %x, %w scale (%sx, %sw) <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<16x48xbf16>
    %y = prec_sched.gemm %x, %w scale (%sx, %sw) by row, row <fast> {transpose_b} : (tensor<16x32xf8E4M3FN>, tensor<48x32xf8E4M3FN>, tensor<16xf32>, tensor<48xf32>) -> tensor<16x48xbf16>
    ```
  }];
  let results = (outs Train_Float:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`init` $init^)? (`scale` `(` $lhs_scale^ `,` $rhs_scale `)` custom<Scalings>($lhs_scaling, $rhs_scaling))?
    (`tensor_scales` `(` $lhs_tensor_scale^ `,` $rhs_tensor_scale `)`)? (`bias` $bias^)? $accumulator attr-dict
    `:` functional-type(operands, $result)
  }];
  let extraClassDeclaration = [{
    int64_t getM(); int64_t getN(); int64_t getK(); int64_t getBatch();
  }];
}

/// `views`, where there are any, are one for each operand and result but lse
/// and bias.
class Sched_Attention<string mnemonic, dag inputs, dag others = (ins)>
    : Sched_Op<mnemonic, !con(inputs, (ins Optional<Train_Bias>:$bias), others, (ins
    F32Attr:$scale, UnitAttr:$causal, OptionalAttr<I64Attr>:$window, Sched_Views:$views))> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The view of each operand and result but lse and bias, in their order.
    ::llvm::SmallVector<::prec::sched::ViewAttr> getTensorViews();
  }];
}

def Sched_SdpaOp : Sched_Attention<"sdpa",
    (ins Train_Float:$query, Train_Float:$key, Train_Float:$value)> {
  let summary = "library attention, forward";
  let description = [{
    See `prec_train.attention`. `views` say where in each tensor but lse and bias the elements
    of query [B,H,S,D] and so on are: a tensor may be [B,S,H,D], or query, key
    and value may be columns of one matrix. A result is all of its tensor.
    Without `views` the tensors have the shapes of attention.

    ```mlir
    %y, %lse = prec_sched.sdpa %q, %k, %v {causal, scale = 0.25 : f32, views = [
        #prec_sched.view<[4, 2, 8, 16] strides [256, 128, 16, 1]>, #prec_sched.view<[4, 2, 8, 16] strides [256, 128, 16, 1]>,
        #prec_sched.view<[4, 2, 8, 16] strides [768, 16, 96, 1] offset 64>, #prec_sched.view<[4, 2, 8, 16] strides [256, 16, 32, 1]>]}
      : (tensor<4x2x8x16xbf16>, tensor<4x2x8x16xbf16>, tensor<32x96xbf16>) -> (tensor<32x32xbf16>, tensor<4x2x8xf32>)
    ```
  }];
  let results = (outs Train_Float:$result, Train_Float:$lse);
}

def Sched_SdpaGradOp : Sched_Attention<"sdpa_grad",
    (ins Train_Float:$grad, Train_Float:$query, Train_Float:$key, Train_Float:$value,
         Train_Float:$output, Train_Float:$lse),
    (ins OptionalAttr<FlatSymbolRefArrayAttr>:$kernels, Sched_Launches:$launches)> {
  let summary = "attention, backward";
  let description = [{
    See `prec_train.attention_grad`, and `prec_sched.sdpa` of `views`. Code generation sets
    two `kernels`, of queries and of keys, and their `launches` where it has
    some for this shape; a library computes the others.
  }];
  let results = (outs Train_Float:$grad_query, Train_Float:$grad_key, Train_Float:$grad_value);
}

def Sched_CopyOp : Sched_Op<"copy", (ins Train_Any:$input), [AllTypesMatch<["input", "result"]>]> {
  let summary = "copy into another place";
  let results = (outs Train_Any:$result);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Sched_FillOp : Sched_Op<"fill", (ins)> {
  let summary = "zeros";
  let results = (outs Train_Any:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

include "prec/Dialect/Sched/SchedCalls.td"
include "prec/Dialect/Sched/SchedConvolutions.td"
include "prec/Dialect/Sched/SchedExperts.td"
include "prec/Dialect/Sched/SchedRanks.td"

#endif // PREC_DIALECT_SCHED_SCHEDOPS_TD
