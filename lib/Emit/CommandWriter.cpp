//===- CommandWriter.cpp - operations of prec_sched as commands -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes each operation of a planned function as one command of the manifest:
// its kind, the buffers that it reads and writes, and the fields of its kind.
// Buffers are windows into segments, which the planner has placed; equal
// windows get one number. With each command goes what comparisons need: how
// many additions are behind an element, and the coarsest rounding inside a
// kernel, by which the error bound of the command is computed. CPU kernels are
// named by their index in a table, which has each symbol once.
//
//===----------------------------------------------------------------------===//
#include "Emit/CommandWriter.h"

#include "Emit/TouchedParts.h"

#include "prec/Dialect/Train/Ranks.h"
#include "prec/Emit/CallKernels.h"
#include "prec/Dialect/Sched/GroupedKernel.h"
#include "prec/Dialect/Prec/Describe.h"
#include "prec/Schedule/CommandName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;

/// Longest chain of additions behind one element of a dispatch's results.
static int64_t accumulationOf(sched::DispatchOp dispatch) {
  int64_t longest = 1;
  for (Operation &op : dispatch.getBody().front())
    if (isa<train::ReduceOp, train::ScatterAddOp>(op))
      longest = std::max(
          longest, cast<PrecisionOpInterface>(op).getAccumulationLength());
  return longest;
}

/// The coarsest format that a kernel rounds to and computes on with, null if
/// it rounds nothing but results.
static Type innerRoundingOf(sched::DispatchOp dispatch) {
  FloatType coarsest;
  for (Operation &op : dispatch.getBody().front()) {
    bool isResult = llvm::all_of(op.getUsers(), llvm::IsaPred<sched::YieldOp>);
    // A scatter-add rounds the sums that it adds.
    if (!isa<train::ScatterAddOp>(op) &&
        (!isa<arith::TruncFOp, QuantizeOp>(op) || isResult))
      continue;
    auto type = cast<FloatType>(
        cast<RankedTensorType>(op.getResult(0).getType()).getElementType());
    // FP4 is a result, packed; nothing is rounded to f32.
    if (isa<Float4E2M1FNType>(type) || type.isF32())
      continue;
    if (!coarsest || type.getFPMantissaWidth() < coarsest.getFPMantissaWidth())
      coarsest = type;
  }
  return coarsest;
}

/// As the profile calls a convolution.
static StringRef getConvName(sched::ConvOp conv) {
  switch (conv.getDirection()) {
  case sched::ConvDirection::Fprop:
    return train::ConvOp::getOperationName().rsplit('.').second;
  case sched::ConvDirection::Dgrad:
    return train::ConvGradInputOp::getOperationName().rsplit('.').second;
  case sched::ConvDirection::Wgrad:
    return train::ConvGradWeightOp::getOperationName().rsplit('.').second;
  }
  llvm_unreachable("direction is an enumeration");
}

/// Terms of an element: of the weight's row, of its columns, or positions.
static int64_t accumulationOf(sched::ConvOp conv) {
  auto shapeOf = [](Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> rhs = shapeOf(conv.getRhs());
  switch (conv.getDirection()) {
  case sched::ConvDirection::Fprop:
    return ShapedType::getNumElements(rhs.drop_front());
  case sched::ConvDirection::Dgrad:
    return ShapedType::getNumElements(rhs.drop_back()) / conv.getGroups();
  case sched::ConvDirection::Wgrad:
    return ShapedType::getNumElements(shapeOf(conv.getLhs()).drop_back());
  }
  llvm_unreachable("direction is an enumeration");
}

/// Whether a grouped product is the gradient of its matrices.
static bool isGradient(sched::GroupedGemmOp op) {
  return cast<RankedTensorType>(op.getRhs().getType()).getRank() == 2;
}

/// The operations of the graph that a command computes.
static std::vector<std::string> graphOpsOf(Operation *op) {
  using Names = std::vector<std::string>;
  return llvm::TypeSwitch<Operation *, Names>(op)
      .Case([](sched::DispatchOp dispatch) {
        Names ops;
        if (std::optional<ArrayAttr> names = dispatch.getGraphOps())
          for (StringAttr name : names->getAsRange<StringAttr>())
            ops.push_back(name.str());
        return ops;
      })
      .Case([](sched::GemmOp gemm) {
        Names ops{gemm.getLhsScale() ? "scaled_matmul" : "matmul"};
        if (gemm.getBias())
          ops.push_back("addf");
        return ops;
      })
      .Case([](sched::SdpaOp) { return Names{"attention"}; })
      .Case([](sched::SdpaGradOp) { return Names{"attention_grad"}; })
      .Case([](sched::ConvOp conv) { return Names{getConvName(conv).str()}; })
      .Case([](sched::CallOp) {
        return Names{
            train::CustomOp::getOperationName().rsplit('.').second.str()};
      })
      .Case([](sched::ExchangeOp) { return Names{"exchange"}; })
      .Case([](sched::GroupedGemmOp op) {
        if (!op.getScales().empty())
          return Names{"scaled_grouped_matmul"};
        return Names{isGradient(op) ? "grouped_matmul_grad" : "grouped_matmul"};
      })
      .Default(Names());
}

static int64_t accumulationOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](sched::DispatchOp dispatch) { return accumulationOf(dispatch); })
      .Case([](sched::GemmOp gemm) { return gemm.getK(); })
      .Case<sched::SdpaOp, sched::SdpaGradOp>([](auto attention) {
        unsigned key = isa<sched::SdpaOp>(attention) ? 1 : 2;
        ArrayRef<int64_t> shape = attention.getTensorViews()[key].getShape();
        return std::max(shape[2], shape[3]);
      })
      .Case([](sched::ConvOp conv) { return accumulationOf(conv); })
      .Case([](sched::GroupedGemmOp op) {
        return cast<RankedTensorType>(op.getLhs().getType())
            .getDimSize(isGradient(op) && op.getScales().empty() ? 0 : 1);
      })
      .Default(int64_t(1));
}

int CommandWriter::bufferOf(Value value) {
  return static_cast<int>(buffers.add(getPlacement(layout, value),
                                      cast<RankedTensorType>(value.getType())));
}

std::vector<int> CommandWriter::buffersOf(ValueRange values) {
  std::vector<int> indices;
  for (Value value : values)
    indices.push_back(bufferOf(value));
  return indices;
}

/// None where there is no value.
std::optional<int> CommandWriter::optionalBuffer(Value value) {
  return value ? std::optional<int>(bufferOf(value)) : std::nullopt;
}

rt::Command CommandWriter::common(Operation *op, rt::CommandKind kind) {
  rt::Command command;
  auto id = op->getAttrOfType<IntegerAttr>("id");
  command.kind = kind;
  command.id = std::to_string(id ? id.getInt() : 0);
  command.name = getCommandName(op);
  command.reads = buffersOf(op->getOperands());
  command.writes = buffersOf(op->getResults());
  command.phase = train::stringifyPhase(train::getPhase(op)).str();
  command.accumulation = accumulationOf(op);
  command.path = getModulePath(op).str();
  command.graphOps = graphOpsOf(op);
  return command;
}

/// How a GPU kernel is started.
static void setLaunch(StringRef symbol, sched::LaunchAttr launch,
                      rt::Kernel &kernel) {
  kernel.symbol = symbol.str();
  llvm::copy(launch.getGrid(), kernel.grid.begin());
  llvm::copy(launch.getBlock(), kernel.block.begin());
  kernel.shared = launch.getShared();
}

/// Of buffers that a kernel needs in part. One that it reads as several inputs
/// counts as needed in full, unless these are needed alike.
std::vector<rt::Part> CommandWriter::partsOf(sched::DispatchOp op) {
  llvm::MapVector<int, std::optional<rt::Part>> byBuffer;
  for (auto [input, runs] :
       llvm::zip_equal(op.getInputs(), findTouchedParts(op))) {
    auto type = cast<RankedTensorType>(input.getType());
    int buffer = bufferOf(input);
    std::optional<rt::Part> part;
    if (runs) {
      int64_t bytes = getByteSize(type) / type.getNumElements();
      part = rt::Part{buffer, runs->first * bytes, runs->length * bytes,
                      runs->stride * bytes, runs->count};
    }
    auto [known, isNew] = byBuffer.insert({buffer, part});
    bool isAlike = known->second && part &&
                   known->second->offset == part->offset &&
                   known->second->bytes == part->bytes &&
                   known->second->stride == part->stride &&
                   known->second->count == part->count;
    if (!isNew && !isAlike)
      known->second.reset();
  }
  std::vector<rt::Part> parts;
  for (auto &[buffer, part] : byBuffer)
    if (part)
      parts.push_back(*part);
  return parts;
}

LogicalResult CommandWriter::addKernel(sched::DispatchOp op,
                                       rt::Command &command) {
  if (!op.getKernel() || !op.getLaunch())
    return op.emitOpError("dispatches must have a generated kernel to be "
                          "emitted, but got none");
  command.kernel.args = buffersOf(op.getInputs());
  for (Value result : op.getResults())
    command.kernel.args.push_back(bufferOf(result));
  command.parts = partsOf(op);
  if (Type inner = innerRoundingOf(op))
    command.innerRounding = getDType(inner);
  sched::LaunchAttr launch = *op.getLaunch();
  StringAttr symbol = op.getKernelAttr().getAttr();
  if (calls == rt::KernelCalls::table) {
    int next = static_cast<int>(kernels.size());
    command.kernel.index = kernels.insert({symbol, next}).first->second;
    command.kernel.extent = launch.getExtent();
  } else {
    setLaunch(symbol.getValue(), launch, command.kernel);
  }
  return success();
}

void CommandWriter::addGemm(sched::GemmOp op, rt::Gemm &gemm) {
  gemm.m = op.getM();
  gemm.n = op.getN();
  gemm.k = op.getK();
  gemm.batch = op.getBatch();
  gemm.a = bufferOf(op.getLhs());
  gemm.b = bufferOf(op.getRhs());
  gemm.d = bufferOf(op.getResult());
  gemm.alpha = op.getAlpha().convertToDouble();
  gemm.beta = op.getInit() ? 1 : 0;
  gemm.c = optionalBuffer(op.getInit());
  gemm.scaleA = optionalBuffer(op.getLhsScale());
  gemm.scaleB = optionalBuffer(op.getRhsScale());
  gemm.scalingA = op.getLhsScaling();
  gemm.scalingB = op.getRhsScaling();
  gemm.tensorScaleA = optionalBuffer(op.getLhsTensorScale());
  gemm.tensorScaleB = optionalBuffer(op.getRhsTensorScale());
  gemm.bias = optionalBuffer(op.getBias());
  addsBias |= gemm.bias.has_value();
  gemm.transposeA = op.getTransposeA();
  gemm.transposeB = op.getTransposeB();
  gemm.accumulator = static_cast<rt::Accumulator>(op.getAccumulator());
}

/// What both directions of attention have; `viewed` are the manifest's names of
/// operands and results but lse and bias, in the order of views.
template <typename Op>
static void addAttention(Op op, ArrayRef<StringRef> viewed, rt::Sdpa &sdpa) {
  sdpa.scale = op.getScale().convertToDouble();
  sdpa.causal = op.getCausal();
  sdpa.window = op.getWindow();
  if (!op.getViews())
    return;
  for (auto [key, view] : llvm::zip_equal(viewed, op.getTensorViews()))
    sdpa.views[key.str()] = {view.getShape().vec(), view.getStrides().vec(),
                             view.getOffset()};
}

void CommandWriter::addForward(sched::SdpaOp op, rt::Sdpa &sdpa) {
  sdpa.q = bufferOf(op.getQuery());
  sdpa.k = bufferOf(op.getKey());
  sdpa.v = bufferOf(op.getValue());
  sdpa.o = bufferOf(op.getResult());
  sdpa.lse = bufferOf(op.getLse());
  sdpa.bias = optionalBuffer(op.getBias());
  addAttention(op, {"q", "k", "v", "o"}, sdpa);
}

void CommandWriter::addBackward(sched::SdpaGradOp op, rt::Sdpa &sdpa) {
  sdpa.dO = bufferOf(op.getGrad());
  sdpa.q = bufferOf(op.getQuery());
  sdpa.k = bufferOf(op.getKey());
  sdpa.v = bufferOf(op.getValue());
  sdpa.o = bufferOf(op.getOutput());
  sdpa.lse = bufferOf(op.getLse());
  sdpa.bias = optionalBuffer(op.getBias());
  sdpa.dq = bufferOf(op.getGradQuery());
  sdpa.dk = bufferOf(op.getGradKey());
  sdpa.dv = bufferOf(op.getGradValue());
  addAttention(op, {"do", "q", "k", "v", "o", "dq", "dk", "dv"}, sdpa);
  sdpa.deterministic = deterministicAttention;
  if (!op.getKernels())
    return;
  for (auto [kernel, launch] :
       llvm::zip(op.getKernelsAttr().getAsRange<FlatSymbolRefAttr>(),
                 op.getLaunchesAttr().getAsRange<sched::LaunchAttr>()))
    setLaunch(kernel.getValue(), launch, sdpa.kernels.emplace_back());
}

void CommandWriter::addConv(sched::ConvOp op, rt::Conv &conv) {
  int lhs = bufferOf(op.getLhs()), rhs = bufferOf(op.getRhs()),
      result = bufferOf(op.getResult());
  switch (op.getDirection()) {
  case sched::ConvDirection::Fprop:
    conv.x = lhs, conv.w = rhs, conv.y = result;
    break;
  case sched::ConvDirection::Dgrad:
    conv.y = lhs, conv.w = rhs, conv.x = result;
    break;
  case sched::ConvDirection::Wgrad:
    conv.y = lhs, conv.x = rhs, conv.w = result;
    break;
  }
  conv.direction = sched::stringifyConvDirection(op.getDirection()).str();
  conv.strides = op.getStrides().vec();
  conv.low = op.getLow().vec();
  conv.high = op.getHigh().vec();
  conv.dilations = op.getDilations().vec();
  conv.groups = op.getGroups();
}

LogicalResult CommandWriter::addCall(sched::CallOp op, rt::Command &command) {
  command.call.function = op.getFunction().str();
  command.call.settings = op.getSettings().str();
  command.call.inputs = buffersOf(op.getInputs());
  command.call.results = buffersOf(op.getResults());
  if (calls == rt::KernelCalls::table)
    return success();
  FailureOr<train::KernelAttr> kernel = findCallKernel(op, chip);
  if (failed(kernel))
    return failure();
  command.kernel.symbol = kernel->getSymbol().str();
  ArrayRef<int64_t> launch = kernel->getLaunch();
  llvm::copy(launch.take_front(3), command.kernel.grid.begin());
  llvm::copy(launch.slice(3, 3), command.kernel.block.begin());
  command.kernel.shared = launch.back();
  for (StringAttr parameter : kernel->getParameters().getAsRange<StringAttr>())
    command.call.parameters.push_back(parameter.str());
  return success();
}

void CommandWriter::addGrouped(sched::GroupedGemmOp op, rt::Grouped &grouped) {
  grouped.a = bufferOf(op.getLhs());
  grouped.b = bufferOf(op.getRhs());
  grouped.d = bufferOf(op.getResult());
  grouped.ends = bufferOf(op.getEnds());
  grouped.transposeB = op.getTransposeB();
  grouped.accumulator = static_cast<rt::Accumulator>(op.getAccumulator());
  if (op.getScales().empty())
    return;
  grouped.scaleA = bufferOf(op.getScales()[0]);
  grouped.scaleB = bufferOf(op.getScales()[1]);
  grouped.scalingA = op.getLhsScaling();
  grouped.scalingB = op.getRhsScaling();
}

LogicalResult CommandWriter::addGroupedKernel(sched::GroupedGemmOp op,
                                              rt::Command &command) {
  auto kernel = op->getAttrOfType<FlatSymbolRefAttr>(kGroupedKernel);
  auto launch = op->getAttrOfType<sched::LaunchAttr>(kGroupedLaunch);
  if (!kernel || !launch)
    return op.emitOpError("grouped products must have a generated kernel to be "
                          "emitted for a GPU, but got none");
  setLaunch(kernel.getValue(), launch, command.kernel);
  command.grouped.readsMaps = op->hasAttr(kGroupedReadsMaps);
  return success();
}

static rt::CommandKind kindOf(train::ExchangeKind kind) {
  switch (kind) {
  case train::ExchangeKind::AllGather:
    return rt::CommandKind::allGather;
  case train::ExchangeKind::AllToAll:
    return rt::CommandKind::allToAll;
  case train::ExchangeKind::OwnSlice:
    return rt::CommandKind::ownSlice;
  }
  llvm_unreachable("kind is an enumeration");
}

FailureOr<rt::Command> CommandWriter::write(Operation *op) {
  rt::Command command;
  if (auto dispatch = dyn_cast<sched::DispatchOp>(op)) {
    command = common(op, rt::CommandKind::kernel);
    if (failed(addKernel(dispatch, command)))
      return failure();
  } else if (auto gemm = dyn_cast<sched::GemmOp>(op)) {
    command = common(op, rt::CommandKind::gemm);
    addGemm(gemm, command.gemm);
  } else if (auto attention = dyn_cast<sched::SdpaOp>(op)) {
    command = common(op, rt::CommandKind::sdpaForward);
    addForward(attention, command.sdpa);
  } else if (auto attention = dyn_cast<sched::SdpaGradOp>(op)) {
    command = common(op, rt::CommandKind::sdpaBackward);
    addBackward(attention, command.sdpa);
  } else if (auto conv = dyn_cast<sched::ConvOp>(op)) {
    command = common(op, rt::CommandKind::conv);
    addConv(conv, command.conv);
  } else if (auto call = dyn_cast<sched::CallOp>(op)) {
    command = common(op, rt::CommandKind::call);
    if (failed(addCall(call, command)))
      return failure();
  } else if (auto grouped = dyn_cast<sched::GroupedGemmOp>(op)) {
    command = common(op, rt::CommandKind::groupedGemm);
    addGrouped(grouped, command.grouped);
    if (calls == rt::KernelCalls::launch &&
        failed(addGroupedKernel(grouped, command)))
      return failure();
  } else if (auto exchange = dyn_cast<sched::ExchangeOp>(op)) {
    command = common(op, kindOf(exchange.getKind()));
    command.collective.a = bufferOf(exchange.getInput());
    command.collective.d = bufferOf(exchange.getResult());
    command.collective.axis = exchange.getAxis().str();
    if (exchange.getKind() != train::ExchangeKind::OwnSlice)
      command.collective.reason = train::getSentAs(exchange);
    if (std::optional<uint64_t> bucket = exchange.getBucket())
      command.collective.bucket = static_cast<int64_t>(*bucket);
  } else if (auto copy = dyn_cast<sched::CopyOp>(op)) {
    command = common(op, rt::CommandKind::copy);
    command.copied.src = bufferOf(copy.getInput());
    command.copied.dst = bufferOf(copy.getResult());
  } else if (isa<sched::FillOp>(op)) {
    command = common(op, rt::CommandKind::fill);
    command.copied.dst = bufferOf(op->getResult(0));
  } else {
    return op->emitOpError("only operations of prec_sched and views can be "
                           "emitted, but got another");
  }
  return command;
}

std::vector<std::string> CommandWriter::takeKernels() {
  std::vector<std::string> names;
  for (const auto &[symbol, index] : kernels)
    names.push_back(symbol.str());
  return names;
}
