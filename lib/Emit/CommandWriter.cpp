//===- CommandWriter.cpp - operations of prec_sched as commands -----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Emit/CommandWriter.h"

#include "prec/Schedule/CommandName.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace prec;
using llvm::json::Array;
using llvm::json::Object;

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

/// Whether an operation moves or widens and narrows values, or makes them of
/// nothing.
static bool computesNothing(Operation *op) {
  return isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, sched::YieldOp,
             tensor::CollapseShapeOp, tensor::ConcatOp, tensor::ExpandShapeOp,
             tensor::ExtractSliceOp, train::BroadcastOp, train::IotaOp,
             train::TransposeOp>(op);
}

/// The operations of the graph that a kernel computes, each once, in their
/// order. Those that compute nothing count where there are no others.
static Array graphOpsOf(sched::DispatchOp dispatch) {
  llvm::SetVector<StringRef> computing, all;
  for (Operation &op : dispatch.getBody().front()) {
    StringRef name = getGraphOp(&op);
    bool isComposite = name != op.getName().stripDialect();
    if (isComposite || !computesNothing(&op))
      computing.insert(name);
    else if (isa<arith::ExtFOp, arith::TruncFOp, tensor::ConcatOp,
                 train::TransposeOp>(op))
      all.insert(name);
  }
  return Array(computing.empty() ? all.getArrayRef() : computing.getArrayRef());
}

static Array graphOpsOf(Operation *op) {
  return llvm::TypeSwitch<Operation *, Array>(op)
      .Case([](sched::DispatchOp dispatch) { return graphOpsOf(dispatch); })
      .Case([](sched::GemmOp gemm) {
        Array ops{gemm.getLhsScale() ? "scaled_matmul" : "matmul"};
        if (gemm.getBias())
          ops.push_back("addf");
        return ops;
      })
      .Case([](sched::SdpaOp) { return Array{"attention"}; })
      .Case([](sched::SdpaGradOp) { return Array{"attention_grad"}; })
      .Default(Array());
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
      .Default(int64_t(1));
}

unsigned CommandWriter::bufferOf(Value value) {
  return buffers.add(getPlacement(layout, value),
                     cast<RankedTensorType>(value.getType()));
}

Array CommandWriter::buffersOf(ValueRange values) {
  Array array;
  for (Value value : values)
    array.push_back(bufferOf(value));
  return array;
}

Object CommandWriter::common(Operation *op, StringRef kind) {
  auto id = op->getAttrOfType<IntegerAttr>("id");
  Object command{{"op", kind},
                 {"id", std::to_string(id ? id.getInt() : 0)},
                 {"name", getCommandName(op)},
                 {"reads", buffersOf(op->getOperands())},
                 {"writes", buffersOf(op->getResults())},
                 {"phase", train::stringifyPhase(train::getPhase(op))},
                 {"accumulation", accumulationOf(op)}};
  if (StringRef path = getModulePath(op); !path.empty())
    command["path"] = path;
  if (Array ops = graphOpsOf(op); !ops.empty())
    command["graph_ops"] = std::move(ops);
  return command;
}

/// How a GPU kernel is started.
static Object launchOf(StringRef symbol, sched::LaunchAttr launch) {
  return Object{{"symbol", symbol},
                {"grid", Array(launch.getGrid())},
                {"block", Array(launch.getBlock())},
                {"shared", launch.getShared()}};
}

static Array launchesOf(sched::SdpaGradOp attention) {
  Array launches;
  for (auto [kernel, launch] :
       llvm::zip(attention.getKernelsAttr().getAsRange<FlatSymbolRefAttr>(),
                 attention.getLaunchesAttr().getAsRange<sched::LaunchAttr>()))
    launches.push_back(launchOf(kernel.getValue(), launch));
  return launches;
}

LogicalResult CommandWriter::addKernel(sched::DispatchOp op, Object &command) {
  if (!op.getKernel() || !op.getLaunch())
    return op.emitOpError("dispatches must have a generated kernel to be "
                          "emitted, but got none");
  Array arguments = buffersOf(op.getInputs());
  for (Value result : op.getResults())
    arguments.push_back(bufferOf(result));
  command["args"] = std::move(arguments);
  if (Type inner = innerRoundingOf(op))
    command["inner_rounding"] = dtypeName(inner);
  sched::LaunchAttr launch = *op.getLaunch();
  StringAttr symbol = op.getKernelAttr().getAttr();
  if (isCpu) {
    unsigned next = kernels.size();
    command["kernel"] = kernels.insert({symbol, next}).first->second;
    command["extent"] = launch.getExtent();
    return success();
  }
  for (auto &field : launchOf(symbol.getValue(), launch))
    command[field.first] = std::move(field.second);
  return success();
}

void CommandWriter::addGemm(sched::GemmOp op, Object &command) {
  command["m"] = op.getM();
  command["n"] = op.getN();
  command["k"] = op.getK();
  command["batch"] = op.getBatch();
  command["a"] = bufferOf(op.getLhs());
  command["b"] = bufferOf(op.getRhs());
  command["d"] = bufferOf(op.getResult());
  command["alpha"] = op.getAlpha().convertToDouble();
  command["beta"] = op.getInit() ? 1 : 0;
  if (op.getInit())
    command["c"] = bufferOf(op.getInit());
  if (op.getLhsScale()) {
    command["scale_a"] = bufferOf(op.getLhsScale());
    command["scale_b"] = bufferOf(op.getRhsScale());
  }
  if (op.getLhsTensorScale()) {
    command["tensor_scale_a"] = bufferOf(op.getLhsTensorScale());
    command["tensor_scale_b"] = bufferOf(op.getRhsTensorScale());
  }
  if (op.getBias()) {
    command["bias"] = bufferOf(op.getBias());
    addsBias = true;
  }
  command["transpose_a"] = op.getTransposeA();
  command["transpose_b"] = op.getTransposeB();
  command["accumulator"] = stringifyAccumulator(op.getAccumulator());
}

/// Keys of the operands and results of attention, in their order.
template <typename Op>
static void addAttention(CommandWriter &writer, Op op, Object &command,
                         ArrayRef<StringRef> operands,
                         ArrayRef<StringRef> results) {
  for (auto [key, value] : llvm::zip(operands, op->getOperands()))
    command[key] = writer.bufferOf(value);
  for (auto [key, value] : llvm::zip(results, op->getResults()))
    command[key] = writer.bufferOf(value);
  command["scale"] = op.getScale().convertToDouble();
  command["causal"] = op.getCausal();
  if (!op.getViews())
    return;
  SmallVector<StringRef> viewed(operands);
  llvm::append_range(viewed, results);
  llvm::erase(viewed, "lse");
  Object views;
  for (auto [key, view] : llvm::zip_equal(viewed, op.getTensorViews()))
    views[key] = Object{{"offset", view.getOffset()},
                        {"shape", Array(view.getShape())},
                        {"strides", Array(view.getStrides())}};
  command["views"] = std::move(views);
}

FailureOr<Object> CommandWriter::write(Operation *op) {
  Object command;
  if (auto dispatch = dyn_cast<sched::DispatchOp>(op)) {
    command = common(op, "kernel");
    if (failed(addKernel(dispatch, command)))
      return failure();
  } else if (auto gemm = dyn_cast<sched::GemmOp>(op)) {
    command = common(op, "gemm");
    addGemm(gemm, command);
  } else if (auto attention = dyn_cast<sched::SdpaOp>(op)) {
    command = common(op, "sdpa_forward");
    addAttention(*this, attention, command, {"q", "k", "v"}, {"o", "lse"});
  } else if (auto attention = dyn_cast<sched::SdpaGradOp>(op)) {
    command = common(op, "sdpa_backward");
    addAttention(*this, attention, command, {"do", "q", "k", "v", "o", "lse"},
                 {"dq", "dk", "dv"});
    command["deterministic"] = deterministicAttention;
    if (attention.getKernels())
      command["kernels"] = launchesOf(attention);
  } else if (auto copy = dyn_cast<sched::CopyOp>(op)) {
    command = common(op, "copy");
    command["src"] = bufferOf(copy.getInput());
    command["dst"] = bufferOf(copy.getResult());
  } else if (isa<sched::FillOp>(op)) {
    command = common(op, "fill");
    command["dst"] = bufferOf(op->getResult(0));
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
