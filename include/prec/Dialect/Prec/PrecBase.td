//===- PrecBase.td - the prec dialect and its attributes ---*- tablegen -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef PREC_DIALECT_PREC_PRECBASE_TD
#define PREC_DIALECT_PREC_PRECBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "prec/Dialect/Prec/PrecEnums.td"

def Prec_Dialect : Dialect {
  let name = "prec";
  let cppNamespace = "::prec";
  let summary = "how values are represented";
  let description = [{
    Tags say in which format a value is stored and in which a contraction reads
    it; operations quantize, scale and dequantize. A tag belongs to a result
    (its storage) or to a use (what the contraction reads): an activation may
    be BF16 on the residual stream and E4M3 where a matmul reads it.

    Operations of `prec_train` carry tags as inherent attributes `result_tags` and `operand_tags`; other operations as the
    discardable attributes `prec.result_tags`, `prec.operand_tags`.
    Function arguments carry `prec.tag`. `prec.class`
    names the class that classification found, `prec.direction` on a contraction of scaled operands what it computes:
    `"fprop"`, `"dgrad"` or `"wgrad"`. `prec.recipe` and `prec.target` on a module say what was decided under,
    `prec.amax` how scales come from absolute maxima, `prec.loss_scaling` how the loss is scaled,
    `prec.master_rounding` how updated masters narrower than f32 are rounded, `prec.microscaling` how operands in MXFP8
    and NVFP4 are made, `prec.moments` how moments are stored between steps; without them the defaults of these
    attributes hold. `prec.separate_layers` says that layers that read one value are not merged. `prec.decisions` holds
    what was beaten and why, a precision map of bytes that `--explain` and `--diff-precision` read and materializing
    drops. `prec.crowded` is on a module within one whose step may have no room for rows of experts: it holds the same
    step with room for all, and materializing makes `"crowded_step"`, `"crowded_eval"` and `"crowded_accumulate"` of it.
    `prec.quantized_tokens` is on a lookup of rows that products of experts alone read: the tokens are quantized, and rows
    of the quantized ones are looked up; materializing does it and drops the attribute.
    Any other discardable `prec.*` attribute is an error.

    `prec.entry` on a function with a body says what it is called for, whatever its name: `"step"` trains; `"eval"` and
    `"forward"` train nothing; materializing makes `"init"`, `"restore"`, `"sample"`, `"accumulate"`, `"apply"`
    and those of a crowded step beside a step. A module has one function of each at most.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
}

/// A scale, a norm, a learning rate: one f32.
def Prec_Scalar : Type<0DTensorOf<[F32]>.predicate, "f32 scalar tensor", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getF32Type())">;

/// Scales, or what makes them: one of a tensor, or of a matrix one for each row
/// or block.
def Prec_Scales : StaticShapeTensorOf<[F32]>;

/// Whether something holds: one i1.
def Prec_Flag : Type<0DTensorOf<[I1]>.predicate, "i1 scalar tensor", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI1Type())">;

/// What random bits depend on besides the element: another one in every step and
/// micro-batch.
def Prec_Seed : Type<0DTensorOf<[I32]>.predicate, "i32 scalar tensor", "::mlir::RankedTensorType">,
    BuildableType<"::mlir::RankedTensorType::get({}, $_builder.getI32Type())">;

def Prec_FormatAttr : EnumAttr<Prec_Dialect, Prec_Format, "format"> {
  let assemblyFormat = "$value";
}
def Prec_AccumulatorAttr : EnumAttr<Prec_Dialect, Prec_Accumulator, "accumulator"> {
  let assemblyFormat = "`<` $value `>`";
}
def Prec_AmaxAlgorithmAttr : EnumAttr<Prec_Dialect, Prec_AmaxAlgorithm, "amax_algorithm"> {
  let assemblyFormat = "`<` $value `>`";
}

/// A line of prec-rt/scalings.def.
def Prec_ScalingAttr : AttrDef<Prec_Dialect, "Scaling"> {
  let mnemonic = "scaling";
  let summary = "what shares a scale, and where it comes from";
  let description = [{
    `none`, `tensor_current`, `tensor_delayed`, `row`, or a scaling of blocks: a
    line of prec-rt/scalings.def, from which sizes and layouts of scales follow.
  }];
  let parameters = (ins "::prec::Scaling":$value);
  let assemblyFormat = "$value";
  let returnType = "::prec::Scaling";
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "::prec::ScalingAttr::get($_builder.getContext(), $0)";
}
/// Of scales, of one tensor where nothing else is said.
def Prec_ScalingOfScales : DefaultValuedAttr<Prec_ScalingAttr, "::prec::Scaling::TensorCurrent">;

def Prec_TensorClassAttr : EnumAttr<Prec_Dialect, Prec_TensorClass, "class"> {
  let assemblyFormat = "`<` $value `>`";
}

def Prec_TagAttr : AttrDef<Prec_Dialect, "Tag"> {
  let mnemonic = "tag";
  let summary = "format of a value or of a use, and the rule that decided it";
  let description = [{
    ```mlir
    #prec.tag<bf16, rule = "residual stream stays bf16">
    #prec.tag<e4m3, scaling = tensor_current, accumulator = fast, rule = "fp8-hybrid: fprop reads e4m3">
    ```
  }];
  let parameters = (ins
    EnumParameter<Prec_Format>:$format,
    DefaultValuedParameter<"::prec::Scaling", "::prec::Scaling::None">:$scaling,
    DefaultValuedParameter<"::prec::Accumulator", "::prec::Accumulator::Full">:$accumulator,
    StringRefParameter<>:$rule);
  let assemblyFormat = "`<` $format `,` struct($scaling, $accumulator, $rule) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The builtin float type of the format.
    ::mlir::FloatType getElementType() const;
    bool isFp8() const {
      return getFormat() == Format::E4M3 || getFormat() == Format::E5M2;
    }
    /// FP8 or FP4: needs a scale, belongs to uses.
    bool isNarrow() const { return isFp8() || getFormat() == Format::E2M1; }
  }];
}

def Prec_AmaxAttr : AttrDef<Prec_Dialect, "Amax"> {
  let mnemonic = "amax";
  let summary = "how scales come from absolute maxima";
  let description = [{
    `scale = 2^-margin * max_finite / max(amax, epsilon)`, with an epsilon for
    each kind of operand. Delayed scaling takes the amax
    from the last `history` steps: the largest or the most recent one.
    `power_of_two` rounds scales down to a power of two.

    ```mlir
    #prec.amax<history = 1024, algorithm = max, margin = 0, power_of_two = false, activation = 1.0e-12, weight = 1.0e-12, gradient = 1.0e-12>
    ```
  }];
  let parameters = (ins
    "int64_t":$history,
    EnumParameter<Prec_AmaxAlgorithm>:$algorithm,
    "int64_t":$margin,
    "bool":$power_of_two,
    "::mlir::FloatAttr":$activation,
    "::mlir::FloatAttr":$weight,
    "::mlir::FloatAttr":$gradient);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Prec_LossScalingAttr : AttrDef<Prec_Dialect, "LossScaling"> {
  let mnemonic = "loss_scaling";
  let summary = "how the loss is scaled before the backward";
  let description = [{
    The gradient of the loss is multiplied by `scale`, a power of two, and the
    gradients of weights are divided by it before clipping. Dynamic scaling
    starts there, multiplies the scale by `backoff` when a gradient is not
    finite and by `growth` after `interval` good steps in a row.

    ```mlir
    #prec.loss_scaling<dynamic, scale = 65536, interval = 2000, growth = 2.0, backoff = 0.5>
    ```
  }];
  let parameters = (ins
    EnumParameter<Prec_LossScalingMode>:$mode, "int64_t":$scale, "int64_t":$interval,
    "::mlir::FloatAttr":$growth, "::mlir::FloatAttr":$backoff);
  let assemblyFormat = "`<` $mode `,` struct($scale, $interval, $growth, $backoff) `>`";
  let genVerifyDecl = 1;
}

def Prec_MasterRoundingAttr : AttrDef<Prec_Dialect, "MasterRounding"> {
  let mnemonic = "master_rounding";
  let summary = "how updated masters narrower than f32 are rounded";
  let description = [{
    To nearest, by `prec.stochastic_round`, or by `prec.precision_aware_update`
    with its number of iterations and its tolerance, which the others have not.

    ```mlir
    #prec.master_rounding<stochastic>
    #prec.master_rounding<precision_aware, iterations = 16, tolerance = 1.0e-02>
    ```
  }];
  let parameters = (ins
    EnumParameter<Prec_MasterRounding>:$mode,
    DefaultValuedParameter<"int64_t", "0">:$iterations,
    OptionalParameter<"::mlir::FloatAttr">:$tolerance);
  let assemblyFormat = "`<` $mode (`,` struct($iterations, $tolerance)^)? `>`";
  let genVerifyDecl = 1;
}

def Prec_MicroscalingAttr : AttrDef<Prec_Dialect, "Microscaling"> {
  let mnemonic = "microscaling";
  let summary = "how operands in MXFP8 and NVFP4 are made, beyond their format";
  let description = [{
    `round_up` is that of `prec.block_scale`, for MX. The others are of NVFP4, as
    "Pretraining Large Language Models with NVFP4" (arXiv 2509.25149) has them:
    16x16 elements of a weight have one scale, so that both of its layouts have
    the same elements; both operands of a weight gradient are transformed by
    `prec.hadamard`; gradients are rounded at random.

    ```mlir
    #prec.microscaling<round_up = true>
    #prec.microscaling<square_weights = true, hadamard = true, stochastic_gradients = true>
    ```
  }];
  let parameters = (ins
    DefaultValuedParameter<"bool", "false">:$round_up,
    DefaultValuedParameter<"bool", "false">:$square_weights,
    DefaultValuedParameter<"bool", "false">:$hadamard,
    DefaultValuedParameter<"bool", "false">:$stochastic_gradients);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Prec_MomentsAttr : EnumAttr<Prec_Dialect, Prec_MomentStorage, "moments"> {
  let summary = "how moments are stored between steps";
  let assemblyFormat = "`<` $value `>`";
}

/// Elements are tags, or unit where nothing was to decide (integers).
def Prec_TagArrayAttr : ConfinedAttr<ArrayAttr, [AttrConstraint<
    CPred<"::llvm::all_of(::llvm::cast<::mlir::ArrayAttr>($_self), [](::mlir::Attribute a) { return ::llvm::isa<::prec::TagAttr, ::mlir::UnitAttr>(a); })">,
    "elements are #prec.tag or unit">]>;

#endif // PREC_DIALECT_PREC_PRECBASE_TD
