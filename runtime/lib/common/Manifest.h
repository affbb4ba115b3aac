//===- Manifest.h - the parsed manifest of a step module --------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain data: docs/ModuleFormat.md describes every field. Parsing checks all
// indices, offsets and sizes, so that whoever walks a Manifest need not.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_MANIFEST_H
#define PREC_RT_COMMON_MANIFEST_H

#include "Status.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace prec::rt {

enum class DType {
  f32,
  bf16,
  f16,
  f8E4M3FN,
  f8E5M2,
  i1,
  i8,
  i32,
  i64,
  f8E8M0FNU
};
enum class Segment { state, input, output, workspace, constants };
enum class Role {
  parameter,
  frozenParameter,
  buffer,
  optimizerState,
  workWeight,
  scaleState,
  batch,
  hyper,
  loss,
  metric,
  guard,
  numerics,
  amaxRatios,
  switches,
  stagedParameter
};
enum class CommandKind { kernel, gemm, sdpaForward, sdpaBackward, copy, fill };
enum class Accumulator { full, fast, promoted };

/// Bytes of one element.
int64_t byteSize(DType dtype);
std::string_view name(DType dtype);
std::string_view name(Segment segment);
std::string_view name(Role role);
std::string_view name(CommandKind kind);
bool isFloat(DType dtype);
/// Whether a user sets it by a framework's name before anything runs.
bool isWeight(Role role);
/// "[2, 3]"
std::string formatShape(const std::vector<int64_t> &shape);

struct Buffer {
  Segment segment;
  int64_t offset; ///< bytes
  DType dtype;
  std::vector<int64_t> shape;
  int64_t elements() const;
  int64_t bytes() const { return elements() * byteSize(dtype); }
};

struct Manifest;

/// An operand of a contraction.
struct Use {
  std::string path;
  std::string direction; ///< fprop, dgrad or wgrad
  int64_t operand;
  std::string format, scaling;
};

/// Of a binding of role numerics that has uses: amax, mean squares of elements
/// and errors by the square of amax, parts that underflow and that saturate.
constexpr int64_t kUseNumerics = 5;
/// Of one that has a parameter: of it, its gradient and its update each amax
/// and the mean of squares by the square of amax.
constexpr int64_t kParameterNumerics = 6;

struct Binding {
  std::string name;
  Role role;
  int buffer;
  std::string parameter; ///< of optimizerState, work weights and numerics
  std::string slot;      ///< of optimizerState
  std::vector<std::string> aliases;
  std::optional<int64_t> vocabulary;
  std::optional<int64_t> ignoreIndex;
  /// Of a buffer of whole numbers: the least and the largest it may hold.
  std::optional<std::pair<int64_t, int64_t>> range;
  std::optional<double> defaultValue;
  std::optional<int> initial; ///< buffer in segment constants
  /// Of batch: tokens ahead of the inputs, or why that is not known.
  std::optional<int64_t> shift;
  std::string shiftUnknown;
  /// Of optimizerState in 8 bits: buffer in segment constants, what each code
  /// stands for.
  std::optional<int> codes;
  /// Of guard: what its value indexes; of amaxRatios and switches: what their
  /// elements are of.
  std::vector<std::string> tensors;
  std::vector<Use> uses; ///< of numerics: who reads the tensor, if quantized
  /// Of stagedParameter: what makes its work weights once its buffer is filled.
  std::string entryPoint;
};

struct Gemm {
  int64_t m, n, k, batch;
  int a, b, d;
  std::optional<int> c, scaleA, scaleB, tensorScaleA, tensorScaleB;
  double alpha, beta;
  bool transposeA, transposeB;
  int64_t strideA, strideB, strideD;
  Accumulator accumulator;
  std::optional<int> bias;
};

/// Where in a buffer's elements those of another shape are: element i at
/// offset + sum(i[d] * strides[d]).
struct StridedView {
  std::vector<int64_t> shape, strides;
  int64_t offset = 0;
};

struct Kernel {
  std::vector<int> args;
  int index = -1;     ///< CPU: into the query table
  int64_t extent = 0; ///< CPU
  std::string symbol; ///< GPU
  std::array<int64_t, 3> grid{}, block{};
  int64_t shared = 0;
};

struct Sdpa {
  int q = -1, k = -1, v = -1, o = -1, lse = -1;
  int dO = -1, dq = -1, dk = -1, dv = -1; ///< backward only
  double scale = 1;
  bool causal = false;
  bool deterministic = true;
  /// Of queries and of keys, backward on a GPU; none: a library computes it.
  std::vector<Kernel> kernels;
  /// By the name of an operand but lse ("do" is that of dO). Other buffers have
  /// the shapes of attention.
  std::map<std::string, StridedView, std::less<>> views;

  /// Where the elements of an operand are in its buffer.
  StridedView viewOf(const Manifest &manifest, std::string_view operand,
                     int buffer) const;
};

struct Command {
  CommandKind kind;
  std::string id, name, path, phase;
  std::vector<std::string> graphOps; ///< what of the user's graph it computes
  std::vector<int> reads, writes;
  int64_t accumulation = 1;
  std::optional<DType>
      innerRounding; ///< coarsest, of kernels that round within
  Kernel kernel;
  Gemm gemm;
  Sdpa sdpa;
  int src = -1, dst = -1; ///< copy; fill has dst only
};

struct Image {
  std::string kind, chip; ///< kind is "cubin" or "ptx"
  int64_t offset, size;
  std::string symbol = {}; ///< of its kernel; empty: it holds all of them
};

struct Manifest {
  int abi = 0;
  std::string producer, recipe, graph, targetKind, targetChip;
  /// Why a batch may not be completed with rows of ignored labels; empty where
  /// it may, none where nothing is known.
  std::optional<std::string> noPadding;
  /// Why the micro-batches of a step all weigh the same, of a module that takes
  /// some; empty where they weigh as much as they have labels that count.
  std::string equalMicroBatches;
  std::array<int64_t, 5> segmentSize{}; ///< by Segment, bytes
  std::vector<Image> images;
  std::vector<Buffer> buffers;
  std::vector<Binding> bindings;
  std::map<std::string, std::vector<Command>, std::less<>> entryPoints;

  /// Commands of an entry point; none if the module lacks it.
  const std::vector<Command> &commands(std::string_view entryPoint) const;

  /// By the name of a staged parameter the bindings that its entry point makes,
  /// in their order.
  std::map<std::string, std::vector<int>, std::less<>> stagedCopies() const;

  static Result<Manifest> parse(std::string_view json);
};

} // namespace prec::rt

#endif // PREC_RT_COMMON_MANIFEST_H
