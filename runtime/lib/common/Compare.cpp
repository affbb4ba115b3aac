//===- Compare.cpp - one graph on two targets -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares two modules of one graph, command by command. Commands of one id are
// a dispatch; both modules must have the same ones. For each dispatch the
// inputs of the reference are copied to the other module, both run it, and the
// outputs are compared. So errors do not add up from dispatch to dispatch, and
// a difference names the command that made it. Floats may differ by an error
// bound, which is computed from the operands for every element
// (ErrorBound.cpp); integers and FP4 must be equal. What a command leaves
// unwritten is copied too, so that it does not count.
//
//===----------------------------------------------------------------------===//

#include "Compare.h"

#include "FloatConvert.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace prec::rt;

namespace {

/// Commands of one id that follow one another, and what they exchange with the
/// rest of the module.
struct Dispatch {
  std::vector<const Command *> commands;
  std::vector<int> inputs;  ///< read before written here
  std::vector<int> outputs; ///< written and not consumed here
};

void appendOnce(std::vector<int> &list, int value) {
  if (std::find(list.begin(), list.end(), value) == list.end())
    list.push_back(value);
}

void findOperands(Dispatch &dispatch) {
  std::set<int> written;
  for (size_t i = 0; i < dispatch.commands.size(); ++i) {
    for (int read : dispatch.commands[i]->reads)
      if (!written.count(read))
        appendOnce(dispatch.inputs, read);
    for (int write : dispatch.commands[i]->writes) {
      written.insert(write);
      bool consumed = false;
      for (size_t j = i + 1; j < dispatch.commands.size(); ++j)
        for (int read : dispatch.commands[j]->reads)
          consumed |= read == write;
      if (!consumed)
        appendOnce(dispatch.outputs, write);
    }
  }
}

std::vector<Dispatch> dispatchesOf(const std::vector<Command> &commands) {
  std::vector<Dispatch> result;
  for (const Command &command : commands) {
    if (result.empty() || result.back().commands.back()->id != command.id)
      result.emplace_back();
    result.back().commands.push_back(&command);
  }
  for (Dispatch &dispatch : result)
    findOperands(dispatch);
  return result;
}

Status checkOperands(const Manifest &reference, const std::vector<int> &a,
                     const Manifest &other, const std::vector<int> &b,
                     const Command &command, const char *what) {
  auto fail = [&](const std::string &message) {
    return Status::invalidArgument(
        "dispatch '" + command.name + "': " + what +
        " must be the same on both targets, but got " + message);
  };
  if (a.size() != b.size())
    return fail(std::to_string(a.size()) + " and " + std::to_string(b.size()));
  for (size_t i = 0; i < a.size(); ++i) {
    const Buffer &left = reference.buffers[a[i]], &right = other.buffers[b[i]];
    if (left.dtype != right.dtype || left.elements() != right.elements())
      return fail(std::string(name(left.dtype)) + formatShape(left.shape) +
                  " and " + std::string(name(right.dtype)) +
                  formatShape(right.shape));
  }
  return {};
}

/// Buffers of e2m1, packed two to a byte: the operands of products that are
/// i8. All other buffers of i8 hold integers, the codes of moments for example.
std::set<int> findFp4(const Manifest &manifest) {
  std::set<int> result;
  for (const auto &[name, commands] : manifest.entryPoints)
    for (const Command &command : commands)
      if (command.kind == CommandKind::gemm)
        for (int operand : {command.gemm.a, command.gemm.b})
          if (manifest.buffers[operand].dtype == DType::i8)
            result.insert(operand);
  return result;
}

class Comparer {
public:
  Comparer(Session &reference, Session &other,
           const std::function<void(const Comparison &)> &report)
      : reference(reference), other(other), report(report),
        fp4(findFp4(reference.manifest())) {}

  Status compare(const Dispatch &a, const Dispatch &b);

private:
  Status download(Session &session, int buffer, std::vector<char> &bytes) {
    bytes.resize(session.manifest().buffers[buffer].bytes());
    return session.device().download(buffer, bytes.data(), bytes.size());
  }
  Status copy(int from, int to) {
    if (other.manifest().buffers[to].segment == Segment::constants)
      return {};
    PREC_RT_RETURN_IF_ERROR(download(reference, from, bytes));
    return other.device().upload(to, bytes.data(), bytes.size());
  }
  bool isFp4(int buffer) const { return fp4.count(buffer); }
  bool holdsFloats(int buffer) const {
    return isFp4(buffer) || isFloat(reference.manifest().buffers[buffer].dtype);
  }
  Status widened(Session &session, int buffer, bool isFp4,
                 std::vector<float> &values);
  Status readOperands(const std::vector<int> &buffers,
                      std::map<int, std::vector<float>> &values);
  Status compareOutput(const Dispatch &dispatch, int left, int right,
                       const OperandValues &values);

  Session &reference, &other;
  const std::function<void(const Comparison &)> &report;
  std::set<int> fp4; ///< the reference's
  std::vector<char> bytes;
  ThreadPool pool{ThreadPool::hardwareThreads()};
};

} // namespace

Status Comparer::widened(Session &session, int index, bool isFp4,
                         std::vector<float> &values) {
  const Buffer &buffer = session.manifest().buffers[index];
  PREC_RT_RETURN_IF_ERROR(download(session, index, bytes));
  if (isFp4) {
    values.resize(buffer.elements() * 2);
    unpackFp4(bytes.data(), values.data(), values.size());
    return {};
  }
  values.resize(buffer.elements());
  toFloat(buffer.dtype, bytes.data(), values.data(), values.size());
  return {};
}

Status Comparer::readOperands(const std::vector<int> &buffers,
                              std::map<int, std::vector<float>> &values) {
  for (int buffer : buffers)
    if (holdsFloats(buffer)) {
      PREC_RT_RETURN_IF_ERROR(
          widened(reference, buffer, isFp4(buffer), values[buffer]));
    } else if (reference.manifest().buffers[buffer].dtype == DType::i32) {
      // Ends of groups, on which bounds depend; rows are far fewer than what
      // f32 counts exactly.
      PREC_RT_RETURN_IF_ERROR(download(reference, buffer, bytes));
      std::vector<int32_t> integers(bytes.size() / sizeof(int32_t));
      std::memcpy(integers.data(), bytes.data(),
                  integers.size() * sizeof(int32_t));
      values[buffer].assign(integers.begin(), integers.end());
    }
  return {};
}

Status Comparer::compareOutput(const Dispatch &dispatch, int left, int right,
                               const OperandValues &values) {
  // A bound belongs to the command that writes last; what came before in its
  // dispatch are copies and transposes.
  const Command *command = dispatch.commands.back();
  for (const Command *candidate : dispatch.commands)
    if (std::count(candidate->writes.begin(), candidate->writes.end(), left))
      command = candidate;
  const Buffer &buffer = reference.manifest().buffers[left];
  Comparison comparison{command, left, isFp4(left), {}};
  if (!holdsFloats(left)) {
    std::vector<char> otherBytes;
    PREC_RT_RETURN_IF_ERROR(download(reference, left, bytes));
    PREC_RT_RETURN_IF_ERROR(download(other, right, otherBytes));
    comparison.agreement = compareIntegers(buffer.dtype, bytes, otherBytes);
  } else {
    const std::vector<float> &wanted = values.after.at(left);
    std::vector<float> otherValues;
    PREC_RT_RETURN_IF_ERROR(
        widened(other, right, comparison.isFp4, otherValues));
    // One spacing of e2m1 is as large as most of its values: none is allowed.
    std::vector<double> bound =
        comparison.isFp4
            ? std::vector<double>(wanted.size(), 0)
            : errorBound(reference.manifest(), *command, left, values, pool);
    comparison.agreement =
        compareValues(buffer.dtype, bound, wanted, otherValues,
                      countsFlips(command->kind), pool);
  }
  report(comparison);
  return {};
}

Status Comparer::compare(const Dispatch &a, const Dispatch &b) {
  const Command &command = *a.commands.back();
  const Manifest &left = reference.manifest(), &right = other.manifest();
  PREC_RT_RETURN_IF_ERROR(
      checkOperands(left, a.inputs, right, b.inputs, command, "inputs"));
  PREC_RT_RETURN_IF_ERROR(
      checkOperands(left, a.outputs, right, b.outputs, command, "outputs"));
  // Outputs too: what a command leaves unwritten must not count as different.
  for (size_t i = 0; i < a.outputs.size(); ++i)
    PREC_RT_RETURN_IF_ERROR(copy(a.outputs[i], b.outputs[i]));
  for (size_t i = 0; i < a.inputs.size(); ++i)
    PREC_RT_RETURN_IF_ERROR(copy(a.inputs[i], b.inputs[i]));
  OperandValues values;
  PREC_RT_RETURN_IF_ERROR(readOperands(a.inputs, values.before));
  for (const Command *each : a.commands)
    PREC_RT_RETURN_IF_ERROR(reference.device().runCommand(*each));
  for (const Command *each : b.commands)
    PREC_RT_RETURN_IF_ERROR(other.device().runCommand(*each));
  // What an inner command of the dispatch reads is known by now.
  for (const Command *each : a.commands)
    for (int read : each->reads)
      if (!values.before.count(read))
        PREC_RT_RETURN_IF_ERROR(readOperands({read}, values.before));
  PREC_RT_RETURN_IF_ERROR(readOperands(a.outputs, values.after));
  for (size_t i = 0; i < a.outputs.size(); ++i)
    PREC_RT_RETURN_IF_ERROR(
        compareOutput(a, a.outputs[i], b.outputs[i], values));
  return {};
}

Status prec::rt::compareEntryPoint(
    Session &reference, Session &other, const std::string &entryPoint,
    const std::function<void(const Comparison &)> &report) {
  std::vector<Dispatch> left =
      dispatchesOf(reference.manifest().commands(entryPoint));
  std::vector<Dispatch> right =
      dispatchesOf(other.manifest().commands(entryPoint));
  auto id = [](const Dispatch &dispatch) {
    return dispatch.commands.front()->id;
  };
  for (size_t i = 0; i < std::max(left.size(), right.size()); ++i) {
    std::string a = i < left.size() ? id(left[i]) : "none";
    std::string b = i < right.size() ? id(right[i]) : "none";
    if (a != b)
      return Status::invalidArgument(
          "entry point '" + entryPoint +
          "' must have the same dispatches in both modules, "
          "but number " +
          std::to_string(i) + " is '" + b + "' and, in the reference, '" + a +
          "'");
  }
  Comparer comparer(reference, other, report);
  for (size_t i = 0; i < left.size(); ++i)
    PREC_RT_RETURN_IF_ERROR(comparer.compare(left[i], right[i]));
  return {};
}
