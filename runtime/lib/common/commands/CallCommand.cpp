//===- CallCommand.cpp - functions and kernels of the user's own ----------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call is computed by a function that whoever opened the module has given
// for it, or on a GPU by a kernel of the user's that the module holds. Nothing
// is known of what it computes, so nothing bounds how far two targets differ.
//
//===----------------------------------------------------------------------===//

#include "CallParameter.h"
#include "CommandRules.h"

#include <cstring>
#include <limits>

using namespace prec::rt;

/// All of `text` as a number; none where it is something else.
template <typename Number, typename Parse>
static std::optional<Number> readWhole(const std::string &text, Parse parse) {
  if (text.empty() || text.front() == ' ')
    return std::nullopt;
  char *end = nullptr;
  errno = 0;
  Number number = parse(text.c_str(), &end);
  if (errno == ERANGE || end != text.c_str() + text.size())
    return std::nullopt;
  return number;
}

static std::optional<int64_t> readInteger(const std::string &text) {
  return readWhole<int64_t>(text, [](const char *start, char **end) {
    return static_cast<int64_t>(strtoll(start, end, 10));
  });
}

static std::optional<double> readNumber(const std::string &text) {
  return readWhole<double>(
      text, [](const char *start, char **end) { return strtod(start, end); });
}

template <typename Number> static CallParameter makeNumber(Number number) {
  CallParameter parameter;
  memcpy(&parameter.bits, &number, sizeof(number));
  return parameter;
}

Result<CallParameter> prec::rt::parseCallParameter(const std::string &text) {
  const size_t space = text.find(' ');
  const std::string kind = text.substr(0, space);
  const std::string value =
      space == std::string::npos ? "" : text.substr(space + 1);
  if (kind == "in" || kind == "out") {
    std::optional<int64_t> index = readInteger(value);
    if (index && *index >= 0)
      return CallParameter{kind == "in" ? CallParameter::Kind::input
                                        : CallParameter::Kind::result,
                           static_cast<size_t>(*index), 0};
  } else if (kind == "i32" || kind == "i64") {
    std::optional<int64_t> number = readInteger(value);
    using Int32 = std::numeric_limits<int32_t>;
    if (number && kind == "i64")
      return makeNumber(*number);
    if (number && *number >= Int32::min() && *number <= Int32::max())
      return makeNumber(static_cast<int32_t>(*number));
  } else if (kind == "f32" || kind == "f64") {
    if (std::optional<double> number = readNumber(value))
      return kind == "f64" ? makeNumber(*number)
                           : makeNumber(static_cast<float>(*number));
  }
  return Status::badFile("a parameter must be in N, out N, i32 N, i64 N, f32 X "
                         "or f64 X, but got '" +
                         text + "'");
}

static Status verifyParameters(const CommandCheck &check) {
  const Call &call = check.command.call;
  for (const std::string &text : call.parameters) {
    Result<CallParameter> parameter = parseCallParameter(text);
    if (!parameter.ok())
      return check.fail(parameter.status().message());
    const bool isInput = parameter->kind == CallParameter::Kind::input;
    if (parameter->kind == CallParameter::Kind::number)
      continue;
    const size_t count = (isInput ? call.inputs : call.results).size();
    if (parameter->index >= count)
      return check.fail("parameter '" + text + "' must be one of " +
                        std::to_string(count) +
                        (isInput ? " inputs" : " results"));
  }
  return {};
}

template <>
Status CommandRules<CommandKind::call>::verify(const CommandCheck &check) {
  const Call &call = check.command.call;
  if (call.function.empty())
    return check.fail("function must be a name, but got none");
  if (call.inputs.empty() || call.results.empty())
    return check.fail("a call must have an input and a result, but got " +
                      std::to_string(call.inputs.size()) + " and " +
                      std::to_string(call.results.size()));
  for (int input : call.inputs)
    PREC_RT_RETURN_IF_ERROR(check.expectRead(input));
  for (size_t i = 0; i < call.results.size(); ++i) {
    const Buffer &result = check.buffer(call.results[i]);
    PREC_RT_RETURN_IF_ERROR(check.expectWritten(call.results[i]));
    for (int input : call.inputs)
      if (overlap(result, check.buffer(input)))
        return check.fail("a result of a call must not share bytes with its "
                          "inputs, but buffer " +
                          std::to_string(call.results[i]) + " does");
    for (size_t j = 0; j < i; ++j)
      if (overlap(result, check.buffer(call.results[j])))
        return check.fail(
            "results of a call must not share bytes, but buffers " +
            std::to_string(call.results[j]) + " and " +
            std::to_string(call.results[i]) + " do");
  }
  return verifyParameters(check);
}

template <>
std::vector<double>
CommandRules<CommandKind::call>::bound(const BoundQuery &query) {
  return std::vector<double>(
      static_cast<size_t>(
          query.manifest.buffers[static_cast<size_t>(query.output)].elements()),
      std::numeric_limits<double>::infinity());
}

template <>
std::optional<Products>
CommandRules<CommandKind::call>::products(const Manifest &, const Command &) {
  return std::nullopt;
}
