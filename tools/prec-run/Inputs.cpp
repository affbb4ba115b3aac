//===- Inputs.cpp - what one step of a module reads -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Inputs.h"

#include "FloatConvert.h"
#include "LearningRate.h"
#include "NormalDeviate.h"
#include "TokenFile.h"
#include "Weights.h"

using namespace prec::rt;
using namespace prec::run;

static Status setRandomBatch(Session &session, uint64_t seed) {
  for (size_t i = 0; i < session.manifest().bindings.size(); ++i) {
    const Binding &binding = session.manifest().bindings[i];
    if (binding.role != Role::batch)
      continue;
    const Buffer &buffer = session.bufferOf(binding);
    if (isFloat(buffer.dtype)) {
      std::vector<float> values(buffer.elements());
      for (size_t j = 0; j < values.size(); ++j)
        values[j] = normalDeviate(seed + i, j, 0, 1);
      roundTo(buffer.dtype, values.data(), values.size());
      PREC_RT_RETURN_IF_ERROR(
          session.set(i, DType::f32, buffer.shape, values.data()));
      continue;
    }
    std::vector<int64_t> values(buffer.elements());
    for (size_t j = 0; j < values.size(); ++j)
      values[j] = splitMix64(seed + i, j) % binding.vocabulary.value_or(2);
    PREC_RT_RETURN_IF_ERROR(
        session.set(i, DType::i64, buffer.shape, values.data()));
  }
  return {};
}

Status prec::run::setBatch(Session &session, const Options &options,
                           int64_t number) {
  if (options.tokens.empty())
    // Inputs of a batch have seeds behind each other.
    return setRandomBatch(session, options.seed +
                                       static_cast<uint64_t>(number) *
                                           session.manifest().bindings.size());
  Result<TokenFile> tokens = TokenFile::open(options.trainingTokens());
  if (!tokens.ok())
    return tokens.status();
  Result<int64_t> size = tokensPerBatch(session);
  if (!size.ok())
    return size.status();
  return tokens->setBatch(session, number * *size);
}

Status prec::run::setInputs(Session &session, const Options &options) {
  DataPlace data;
  PREC_RT_RETURN_IF_ERROR(setWeights(session, options, data));
  PREC_RT_RETURN_IF_ERROR(LearningRate::check(session, options));
  LearningRate learningRate(options, session);
  PREC_RT_RETURN_IF_ERROR(learningRate.set(session, session.stepsDone() + 1));
  if (options.tokens.empty())
    return setRandomBatch(session, options.seed);
  Result<TokenFile> tokens = TokenFile::open(options.trainingTokens());
  if (!tokens.ok())
    return tokens.status();
  if (!options.resume.empty())
    PREC_RT_RETURN_IF_ERROR(tokens->checkOrder(session, data.order));
  return tokens->setBatch(session, data.position);
}
