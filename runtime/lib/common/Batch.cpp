//===- Batch.cpp - the inputs of one step ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Batch.h"

#include "TensorConvert.h"

using namespace prec::rt;

/// For each input its binding; all of the module's batch inputs are given,
/// none twice and nothing else.
static Result<std::vector<int>>
bindingsOf(const std::vector<BatchInput> &batch,
           const std::vector<Binding> &bindings) {
  std::vector<int> indices;
  std::string problems;
  auto report = [&](const std::string &line) {
    problems += (problems.empty() ? "" : "; ") + line;
  };
  std::vector<bool> given(bindings.size(), false);
  for (const BatchInput &input : batch) {
    int found = -1;
    for (size_t j = 0; j < bindings.size(); ++j)
      if (bindings[j].role == Role::batch && bindings[j].name == input.name)
        found = j;
    if (found < 0)
      report("'" + input.name + "' is no input of the module");
    else if (given[found])
      report("'" + input.name + "' is given twice");
    else
      given[found] = true;
    indices.push_back(found);
  }
  for (size_t j = 0; j < bindings.size(); ++j)
    if (bindings[j].role == Role::batch && !given[j])
      report("'" + bindings[j].name + "' is missing");
  if (!problems.empty())
    return Status::invalidArgument("batch must set every input once, but " +
                                   problems);
  return indices;
}

static std::vector<int64_t> rowOf(const std::vector<int64_t> &shape) {
  return {shape.begin() + 1, shape.end()};
}

/// Whether an input differs from the module's in nothing but a lack of rows.
static bool lacksRows(const BatchInput &input, const Buffer &buffer) {
  return !input.shape.empty() && input.shape.size() == buffer.shape.size() &&
         rowOf(input.shape) == rowOf(buffer.shape) && input.shape[0] >= 0 &&
         input.shape[0] < buffer.shape[0];
}

/// The input in the stored dtype, then zeros or, of labels, ignored ones.
static Result<std::vector<char>>
padded(const BatchInput &input, const Binding &binding, const Buffer &buffer) {
  int64_t given = 1, total = buffer.elements();
  for (int64_t dim : input.shape)
    given *= dim;
  std::vector<char> bytes(buffer.bytes());
  if (Status status = convertExactly(input.dtype, input.data, buffer.dtype,
                                     bytes.data(), given);
      !status.ok())
    return status.prefixed("'" + binding.name + "': ");
  if (!binding.ignoreIndex)
    return bytes;
  std::vector<int64_t> ignored(total - given, *binding.ignoreIndex);
  char *rest = bytes.data() + given * byteSize(buffer.dtype);
  PREC_RT_RETURN_IF_ERROR(convertExactly(DType::i64, ignored.data(),
                                         buffer.dtype, rest, total - given));
  return bytes;
}

/// Rows can be added to these inputs: each has as many, and some are labels.
static Status checkRows(const Session &session,
                        const std::vector<BatchInput> &batch,
                        const std::vector<int> &indices) {
  bool labels = false;
  const Binding &first = session.manifest().bindings[indices.front()];
  const std::vector<int64_t> &whole = session.bufferOf(first).shape;
  int64_t rows = whole.empty() ? 0 : whole.front();
  for (size_t i = 0; i < batch.size(); ++i) {
    labels |= session.manifest().bindings[indices[i]].ignoreIndex.has_value();
    if (batch[i].shape.empty() || batch[0].shape.empty() ||
        batch[i].shape[0] != batch[0].shape[0])
      return Status::invalidArgument(
          "inputs of a batch that is padded must have one "
          "number of rows, but got " +
          formatShape(batch[0].shape) + " of '" + batch[0].name + "' and " +
          formatShape(batch[i].shape) + " of '" + batch[i].name + "'");
  }
  const std::optional<std::string> &reason = session.manifest().noPadding();
  if (!reason)
    return Status::invalidArgument(
        "a batch can be completed with rows where the module says that these "
        "change nothing, but this one does not say: import and compile it "
        "again, or give batches of " +
        std::to_string(rows) + " rows");
  if (!reason->empty())
    return Status::invalidArgument(
        "a batch can be completed with rows where these "
        "change nothing, but " +
        *reason + ": give batches of " + std::to_string(rows) + " rows");
  if (!labels)
    return Status::invalidArgument(
        "a batch can be padded where labels can be ignored, "
        "but none of the module's inputs are such labels");
  return {};
}

/// Shapes and dtypes of all inputs, so that all differences are told at once.
static Status checkTypes(const Session &session,
                         const std::vector<BatchInput> &batch,
                         const std::vector<int> &indices, bool padRows) {
  std::string problems;
  bool isRowsAlone = !padRows;
  for (size_t i = 0; i < batch.size(); ++i) {
    const Buffer &buffer =
        session.bufferOf(session.manifest().bindings[indices[i]]);
    bool isPadded = padRows && lacksRows(batch[i], buffer);
    Status status = session.check(indices[i], batch[i].dtype,
                                  isPadded ? buffer.shape : batch[i].shape);
    if (!status.ok())
      problems += (problems.empty() ? "" : "; ") + status.message();
    isRowsAlone &=
        status.ok() ||
        (lacksRows(batch[i], buffer) &&
         session.check(indices[i], batch[i].dtype, buffer.shape).ok());
  }
  if (isRowsAlone && !problems.empty())
    problems += "; rows that are missing can be completed: see pad_batches "
                "(prec.Module(path, pad_batches=True), prec_rt_pad_batches)";
  return problems.empty() ? Status() : Status::invalidArgument(problems);
}

Status prec::rt::setBatch(Session &session,
                          const std::vector<BatchInput> &batch,
                          const char *entryPoint, bool padRows) {
  const std::vector<Binding> &bindings = session.manifest().bindings;
  Result<std::vector<int>> indices = bindingsOf(batch, bindings);
  if (!indices.ok())
    return indices.status();
  PREC_RT_RETURN_IF_ERROR(checkTypes(session, batch, *indices, padRows));
  // All are checked before the first is written.
  std::vector<StagedValue> staged;
  for (size_t i = 0; i < batch.size(); ++i) {
    int index = (*indices)[i];
    const Buffer &buffer = session.bufferOf(bindings[index]);
    BatchInput input = batch[i];
    std::vector<char> rows;
    if (padRows && lacksRows(input, buffer)) {
      PREC_RT_RETURN_IF_ERROR(checkRows(session, batch, *indices));
      std::vector<char> fetched;
      if (!input.place.isHost()) {
        Result<std::vector<char>> given =
            session.fetch(index, input, "completed with rows");
        if (!given.ok())
          return given.status();
        fetched = std::move(*given);
        input.data = fetched.data();
      }
      Result<std::vector<char>> whole = padded(input, bindings[index], buffer);
      if (!whole.ok())
        return whole.status();
      rows = std::move(*whole);
      input.dtype = buffer.dtype;
      input.shape = buffer.shape;
      input.data = rows.data();
      input.place = {};
    }
    Result<StagedValue> value = session.stage(index, input);
    if (!value.ok())
      return value.status();
    staged.push_back(std::move(*value));
  }
  PREC_RT_RETURN_IF_ERROR(
      session.checkInputs(entryPoint, /*exceptBatch=*/true));
  std::string_view entry = entryPoint;
  if (entry == "step" || entry == "sample")
    PREC_RT_RETURN_IF_ERROR(session.checkBetweenSteps("a whole step"));
  for (size_t i = 0; i < batch.size(); ++i)
    PREC_RT_RETURN_IF_ERROR(session.write((*indices)[i], staged[i]));
  return {};
}
