//===- Sdpa.cpp - attention by cuDNN --------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention by cuDNN. This file and Conv.cpp alone see cudnn_frontend, a header
// library that takes half a minute to compile, throws, and opens the CUDA
// runtime by itself; its exceptions become a Status here. A problem (sizes,
// strides, mask, bias, direction) becomes a graph of one operation, which cuDNN
// compiles once; later launches only bind addresses.
//
//===----------------------------------------------------------------------===//

#include "Sdpa.h"

#include "Cudnn.h"

#define NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING
#include <cudnn_frontend.h>

#include <algorithm>
#include <map>
#include <unordered_map>

using namespace prec::rt;
namespace fe = cudnn_frontend;

namespace prec::rt {
class SdpaPlan {
public:
  SdpaProblem problem;
  fe::graph::Graph graph;
  int64_t workspace = 0;
};
} // namespace prec::rt

struct SdpaEngine::Library : Cudnn {
  std::map<std::string, std::shared_ptr<const SdpaPlan>> plans;
};

SdpaEngine::SdpaEngine(std::unique_ptr<Library> library)
    : library(std::move(library)) {}
SdpaEngine::~SdpaEngine() = default;

Result<std::unique_ptr<SdpaEngine>>
SdpaEngine::open(const std::vector<std::string> &searchPaths, CUstream stream) {
  auto library = std::make_unique<Library>();
  PREC_RT_RETURN_IF_ERROR(library->open("attention", searchPaths, stream));
  return std::unique_ptr<SdpaEngine>(new SdpaEngine(std::move(library)));
}

namespace {
/// Names of the tensors in the graph; cuDNN calls them uid.
enum Uid : int64_t { uQ = 1, uK, uV, uO, uLse, uDO, uDQ, uDK, uDV, uBias };

using Tensor = std::shared_ptr<fe::graph::Tensor_attributes>;

/// Puts the one operation of a problem into a graph.
class GraphBuilder {
public:
  GraphBuilder(fe::graph::Graph &graph, const SdpaProblem &problem)
      : graph(graph), problem(problem),
        type(problem.dtype == DType::bf16 ? fe::DataType_t::BFLOAT16
                                          : fe::DataType_t::HALF) {
    graph.set_io_data_type(type)
        .set_intermediate_data_type(fe::DataType_t::FLOAT)
        .set_compute_data_type(fe::DataType_t::FLOAT);
  }

  void addForward() {
    fe::graph::SDPA_attributes attributes;
    attributes.set_name("sdpa_forward")
        .set_generate_stats(true)
        .set_attn_scale(static_cast<float>(problem.scale));
    addMask(attributes);
    auto [o, lse] =
        graph.sdpa(queries("q", uQ), keys("k", uK), keys("v", uV), attributes);
    markQueries(o, "o", uO);
    lse->set_output(true)
        .set_uid(uLse)
        .set_dim(rowDims())
        .set_stride(rowStrides())
        .set_data_type(fe::DataType_t::FLOAT);
  }

  void addBackward() {
    fe::graph::SDPA_backward_attributes attributes;
    attributes.set_name("sdpa_backward")
        .set_attn_scale(static_cast<float>(problem.scale))
        .set_deterministic_algorithm(problem.deterministic);
    addMask(attributes);
    Tensor lse = graph.tensor(fe::graph::Tensor_attributes()
                                  .set_name("lse")
                                  .set_uid(uLse)
                                  .set_dim(rowDims())
                                  .set_stride(rowStrides())
                                  .set_data_type(fe::DataType_t::FLOAT));
    auto [dq, dk, dv] = graph.sdpa_backward(
        queries("q", uQ), keys("k", uK), keys("v", uV), queries("o", uO),
        queries("do", uDO), lse, attributes);
    markQueries(dq, "dq", uDQ);
    markKeys(dk, "dk", uDK);
    markKeys(dv, "dv", uDV);
  }

private:
  /// What forward and backward hide. With a left bound of w a query sees
  /// itself and the w - 1 keys before it.
  template <typename Attributes> void addMask(Attributes &attributes) {
    if (problem.causal)
      attributes.set_causal_mask(true);
    if (problem.window)
      attributes.set_diagonal_band_left_bound(
          static_cast<int>(std::min(*problem.window, problem.keys)));
    if (!problem.bias)
      return;
    const auto &[dtype, dims, strides] = *problem.bias;
    attributes.set_bias(graph.tensor(
        fe::graph::Tensor_attributes()
            .set_name("bias")
            .set_uid(uBias)
            .set_dim({dims.begin(), dims.end()})
            .set_stride({strides.begin(), strides.end()})
            .set_data_type(dtype == DType::f32 ? fe::DataType_t::FLOAT
                                               : fe::DataType_t::BFLOAT16)));
  }

  static std::vector<int64_t> strides(const std::vector<int64_t> &dims) {
    return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
  }
  std::vector<int64_t> stridesOf(const char *name,
                                 const std::vector<int64_t> &dims) const {
    auto given = problem.strides.find(name);
    if (given == problem.strides.end())
      return strides(dims);
    return {given->second.begin(), given->second.end()};
  }
  std::vector<int64_t> queryDims() const {
    return {problem.batch, problem.heads, problem.queries, problem.dim};
  }
  std::vector<int64_t> keyDims() const {
    return {problem.batch, problem.groups, problem.keys, problem.dim};
  }
  std::vector<int64_t> rowDims() const {
    return {problem.batch, problem.heads, problem.queries, 1};
  }
  std::vector<int64_t> rowStrides() const { return strides(rowDims()); }

  Tensor input(const char *name, Uid uid, const std::vector<int64_t> &dims) {
    return graph.tensor(fe::graph::Tensor_attributes()
                            .set_name(name)
                            .set_uid(uid)
                            .set_dim(dims)
                            .set_stride(stridesOf(name, dims))
                            .set_data_type(type));
  }
  Tensor queries(const char *name, Uid uid) {
    return input(name, uid, queryDims());
  }
  Tensor keys(const char *name, Uid uid) { return input(name, uid, keyDims()); }

  void markOutput(const Tensor &tensor, const char *name, Uid uid,
                  const std::vector<int64_t> &dims) {
    tensor->set_output(true)
        .set_uid(uid)
        .set_dim(dims)
        .set_stride(stridesOf(name, dims))
        .set_data_type(type);
  }
  void markQueries(const Tensor &tensor, const char *name, Uid uid) {
    markOutput(tensor, name, uid, queryDims());
  }
  void markKeys(const Tensor &tensor, const char *name, Uid uid) {
    markOutput(tensor, name, uid, keyDims());
  }

  fe::graph::Graph &graph;
  const SdpaProblem &problem;
  fe::DataType_t type;
};
} // namespace

Result<std::shared_ptr<const SdpaPlan>>
SdpaEngine::plan(const SdpaProblem &problem) {
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
    auto plan = std::make_shared<SdpaPlan>();
    plan->problem = problem;
    GraphBuilder builder(plan->graph, problem);
    if (problem.backward)
      builder.addBackward();
    else
      builder.addForward();
    fe::error_t error = plan->graph.build(library->handle, {fe::HeurMode_t::A});
    if (error.is_bad())
      return refused(error.get_message());
    error = plan->graph.get_workspace_size(plan->workspace);
    if (error.is_bad())
      return refused(error.get_message());
    library->plans[key] = plan;
    return std::shared_ptr<const SdpaPlan>(plan);
  } catch (const std::exception &exception) {
    return refused(exception.what());
  }
}

int64_t SdpaEngine::workspaceBytes(const SdpaPlan &plan) {
  return plan.workspace;
}

Status SdpaEngine::launch(const SdpaPlan &plan, const SdpaOperands &operands,
                          CUdeviceptr workspace) const {
  auto pointer = [](CUdeviceptr address) {
    return reinterpret_cast<void *>(address);
  };
  try {
    std::unordered_map<int64_t, void *> pack = {{uQ, pointer(operands.q)},
                                                {uK, pointer(operands.k)},
                                                {uV, pointer(operands.v)},
                                                {uO, pointer(operands.o)},
                                                {uLse, pointer(operands.lse)}};
    if (plan.problem.bias)
      pack[uBias] = pointer(operands.bias);
    if (plan.problem.backward) {
      pack[uDO] = pointer(operands.dO);
      pack[uDQ] = pointer(operands.dq);
      pack[uDK] = pointer(operands.dk);
      pack[uDV] = pointer(operands.dv);
    }
    fe::error_t error =
        plan.graph.execute(library->handle, pack, pointer(workspace));
    if (error.is_good())
      return Status();
    return Status::deviceError(plan.problem.text() +
                               " must run, but got: " + error.get_message() +
                               " from cuDNN " + library->version);
  } catch (const std::exception &exception) {
    return Status::deviceError(plan.problem.text() +
                               " must run, but got: " + exception.what() +
                               " from cuDNN " + library->version);
  }
}
