//===- Conv.cpp - convolutions by cuDNN -----------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions by cuDNN. As in Sdpa.cpp a problem becomes a graph of one
// operation, which cuDNN compiles once; later launches only bind addresses. Of
// the engines that cuDNN proposes those are left out whose bits differ from run
// to run, that round what they add up, or that transform their operands (FFT,
// Winograd); of products in FP32 those that round operands to TF32, too.
//
//===----------------------------------------------------------------------===//

#include "Conv.h"

#include "Cudnn.h"

#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#include <cudnn_frontend.h>

#include <unordered_map>

using namespace prec::rt;
namespace fe = cudnn_frontend;

namespace prec::rt {
class ConvPlan {
public:
  std::string text;
  fe::graph::Graph graph;
  int64_t workspace = 0;
};
} // namespace prec::rt

struct ConvEngine::Library : Cudnn {
  std::map<std::string, std::shared_ptr<const ConvPlan>> plans;
};

ConvEngine::ConvEngine(std::unique_ptr<Library> library)
    : library(std::move(library)) {}
ConvEngine::~ConvEngine() = default;

Result<std::unique_ptr<ConvEngine>>
ConvEngine::open(const std::vector<std::string> &searchPaths, CUstream stream) {
  auto library = std::make_unique<Library>();
  PREC_RT_RETURN_IF_ERROR(library->open("convolution", searchPaths, stream));
  return std::unique_ptr<ConvEngine>(new ConvEngine(std::move(library)));
}

namespace {
/// Names of the tensors in the graph; cuDNN calls them uid.
enum Uid : int64_t { uX = 1, uW, uY };

using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

fe::DataType_t typeOf(DType dtype) {
  return dtype == DType::f32    ? fe::DataType_t::FLOAT
         : dtype == DType::bf16 ? fe::DataType_t::BFLOAT16
                                : fe::DataType_t::HALF;
}

/// Puts the one operation of a problem into a graph.
class GraphBuilder {
public:
  GraphBuilder(fe::graph::Graph &graph, const ConvProblem &problem)
      : graph(graph), problem(problem) {
    graph.set_io_data_type(typeOf(problem.operands))
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
  }

  void add() {
    const ConvShape &shape = problem.shape;
    const std::vector<int64_t> x =
        dimsOf(shape.batch, shape.channels, shape.sizes);
    const std::vector<int64_t> w =
        dimsOf(shape.outputs, shape.groupChannels(), shape.kernel);
    const std::vector<int64_t> y =
        dimsOf(shape.batch, shape.outputs, shape.positions);
    if (problem.direction == "fprop") {
      auto attributes = describe<fe::graph::Conv_fprop_attributes>();
      markResult(graph.conv_fprop(operand("x", uX, x), operand("w", uW, w),
                                  attributes),
                 uY, y);
    } else if (problem.direction == "dgrad") {
      auto attributes = describe<fe::graph::Conv_dgrad_attributes>();
      markResult(graph.conv_dgrad(operand("dy", uY, y), operand("w", uW, w),
                                  attributes),
                 uX, x);
    } else {
      auto attributes = describe<fe::graph::Conv_wgrad_attributes>();
      markResult(graph.conv_wgrad(operand("dy", uY, y), operand("x", uX, x),
                                  attributes),
                 uW, w);
    }
  }

private:
  std::vector<int64_t> listOf(const Spatial &of) const {
    return {of.end() - static_cast<std::ptrdiff_t>(problem.dimensions),
            of.end()};
  }
  /// As cuDNN counts dimensions: channels are the second.
  std::vector<int64_t> dimsOf(int64_t first, int64_t channels,
                              const Spatial &spatial) const {
    std::vector<int64_t> dims = {first, channels};
    for (int64_t size : listOf(spatial))
      dims.push_back(size);
    return dims;
  }
  static std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims) {
    std::vector<int64_t> strides(dims.size());
    strides[1] = 1;
    int64_t elements = dims[1];
    for (size_t d = dims.size(); d-- > 2;) {
      strides[d] = elements;
      elements *= dims[d];
    }
    strides[0] = elements;
    return strides;
  }
  template <typename Attributes> Attributes describe() const {
    const ConvShape &shape = problem.shape;
    Attributes attributes;
    attributes.set_name("conv_" + problem.direction)
        .set_compute_data_type(fe::DataType_t::FLOAT);
    attributes.set_pre_padding(listOf(shape.low))
        .set_post_padding(listOf(shape.high))
        .set_stride(listOf(shape.strides))
        .set_dilation(listOf(shape.dilations));
    return attributes;
  }
  Tensor operand(const char *name, Uid uid, const std::vector<int64_t> &dims) {
    return graph.tensor(fe::graph::Tensor_attributes()
                            .set_name(name)
                            .set_uid(uid)
                            .set_dim(dims)
                            .set_stride(stridesOf(dims))
                            .set_data_type(typeOf(problem.operands)));
  }
  void markResult(const Tensor &tensor, Uid uid,
                  const std::vector<int64_t> &dims) const {
    tensor->set_output(true)
        .set_uid(uid)
        .set_dim(dims)
        .set_stride(stridesOf(dims))
        .set_data_type(typeOf(problem.result));
  }

  fe::graph::Graph &graph;
  const ConvProblem &problem;
};
} // namespace

/// Compiles the graph for the first engine that may compute it.
static fe::error_t build(fe::graph::Graph &graph, const ConvProblem &problem,
                         cudnnHandle_t handle) {
  using Note = fe::NumericalNote_t;
  std::vector<Note> without = {Note::NONDETERMINISTIC,
                               Note::REDUCED_PRECISION_REDUCTION,
                               Note::FFT,
                               Note::WINOGRAD,
                               Note::WINOGRAD_TILE_4x4,
                               Note::WINOGRAD_TILE_6x6,
                               Note::WINOGRAD_TILE_13x13};
  if (problem.operands == DType::f32)
    without.insert(without.end(),
                   {Note::TENSOR_CORE, Note::DOWN_CONVERT_INPUTS});
  fe::error_t error = graph.validate();
  if (error.is_good())
    error = graph.build_operation_graph(handle);
  if (error.is_good())
    error = graph.create_execution_plans(
        {fe::HeurMode_t::A, fe::HeurMode_t::FALLBACK});
  if (error.is_bad())
    return error;
  graph.deselect_numeric_notes(without);
  error = graph.check_support(handle);
  if (error.is_good())
    error = graph.build_plans(handle, fe::BuildPlanPolicy_t::HEURISTICS_CHOICE);
  return error;
}

Result<std::shared_ptr<const ConvPlan>>
ConvEngine::plan(const ConvProblem &problem) {
  std::string key = problem.text();
  auto known = library->plans.find(key);
  if (known != library->plans.end())
    return known->second;
  auto refused = [&](const std::string &reason) {
    return Status::deviceError(
        key + " must be a graph that cuDNN " + library->version +
        " can run, but got: " + reason + library->missing);
  };
  try {
    auto plan = std::make_shared<ConvPlan>();
    plan->text = key;
    GraphBuilder(plan->graph, problem).add();
    fe::error_t error = build(plan->graph, problem, library->handle);
    if (error.is_good())
      error = plan->graph.get_workspace_size(plan->workspace);
    if (error.is_bad())
      return refused(error.get_message());
    library->plans[key] = plan;
    return std::shared_ptr<const ConvPlan>(plan);
  } catch (const std::exception &exception) {
    return refused(exception.what());
  }
}

int64_t ConvEngine::workspaceBytes(const ConvPlan &plan) {
  return plan.workspace;
}

Status ConvEngine::launch(const ConvPlan &plan, CUdeviceptr x, CUdeviceptr w,
                          CUdeviceptr y, CUdeviceptr workspace) const {
  auto pointer = [](CUdeviceptr address) {
    return reinterpret_cast<void *>(address);
  };
  auto failed = [&](const std::string &reason) {
    return Status::deviceError(plan.text + " must run, but got: " + reason +
                               " from cuDNN " + library->version);
  };
  try {
    std::unordered_map<int64_t, void *> pack = {
        {uX, pointer(x)}, {uW, pointer(w)}, {uY, pointer(y)}};
    fe::error_t error =
        plan.graph.execute(library->handle, pack, pointer(workspace));
    return error.is_good() ? Status() : failed(error.get_message());
  } catch (const std::exception &exception) {
    return failed(exception.what());
  }
}
