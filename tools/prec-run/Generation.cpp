//===- Generation.cpp - --generate ----------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes token ids with a causal model, as prec.generate does: every new token
// is one `eval` of the whole batch, whose rows are the texts so far with filler
// behind them, which a causal model does not see. Logits of a text's last token
// say what comes next: the likeliest, or one that is drawn by its probability
// at the given temperature, of the likeliest k alone if that is asked for. A
// text that is longer than a row is seen by its last tokens.
//
//===----------------------------------------------------------------------===//

#include "Generation.h"

#include "Weights.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

using namespace prec::rt;
using namespace prec::run;

namespace {

using Ids = std::vector<int64_t>;

/// What of a module is read and written.
struct Names {
  int ids = -1, logits = -1;
  int64_t rows = 0, width = 0, vocabulary = 0;
};

class Generator {
public:
  Generator(Session &session, const Options &options, const Names &names)
      : session(session), options(options), names(names), random(options.seed) {
  }

  /// Adds a token to each text that has not ended.
  Status extend(std::vector<Ids> &texts, std::vector<bool> &ended);

private:
  Status setBatch(const std::vector<Ids> &texts);
  Status setNumbers(int binding, const Ids &values);
  /// The last tokens of a text, as many as a row has.
  size_t seen(const Ids &text) const {
    return std::min(text.size(), static_cast<size_t>(names.width));
  }
  int64_t choose(const float *logits);

  Session &session;
  const Options &options;
  const Names &names;
  std::mt19937_64 random;
};

} // namespace

static Status fail(const std::string &message) {
  return Status::invalidArgument("to generate, " + message);
}

/// Input ids are the input of that name, or the only one of ids that are no
/// labels.
static Result<int> findIds(const Session &session) {
  const std::vector<Binding> &bindings = session.manifest().bindings;
  std::vector<int> found;
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (bindings[i].role != Role::batch || !bindings[i].vocabulary ||
        bindings[i].ignoreIndex ||
        session.bufferOf(bindings[i]).shape.size() != 2)
      continue;
    if (bindings[i].name == "input_ids")
      return static_cast<int>(i);
    found.push_back(static_cast<int>(i));
  }
  if (found.size() == 1)
    return found.front();
  return fail(
      "a module must have one input [rows, tokens] of token ids, or one "
      "named input_ids, but got " +
      std::to_string(found.size()));
}

static Result<Names> findNames(const Session &session) {
  Names names;
  Result<int> ids = findIds(session);
  if (!ids.ok())
    return ids.status();
  names.ids = *ids;
  const std::vector<Binding> &bindings = session.manifest().bindings;
  const std::vector<int64_t> &shape = session.bufferOf(bindings[*ids]).shape;
  names.rows = shape[0];
  names.width = shape[1];
  std::string outputs;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Buffer &buffer = session.bufferOf(bindings[i]);
    if (bindings[i].role != Role::metric || buffer.shape.empty())
      continue;
    outputs += (outputs.empty() ? "" : ", ") + bindings[i].name;
    if (bindings[i].name != "logits")
      continue;
    names.logits = static_cast<int>(i);
    names.vocabulary = buffer.shape.back();
    if (!isFloat(buffer.dtype) ||
        buffer.elements() != names.rows * names.width * names.vocabulary)
      return fail("logits must be of every token of " + formatShape(shape) +
                  ", but got " + formatShape(buffer.shape));
  }
  if (names.logits < 0)
    return fail("a module must have the output 'logits', but got " +
                (outputs.empty() ? "no outputs" : outputs) +
                ": import it with outputs=[\"logits\"] (prec-import --outputs "
                "logits)");
  return names;
}

/// "17,4,32".
static Result<Ids> readPrompt(const std::string &text, int64_t vocabulary) {
  Ids ids;
  size_t start = 0;
  while (start <= text.size()) {
    const size_t end = std::min(text.find(',', start), text.size());
    const std::string word = text.substr(start, end - start);
    char *stop = nullptr;
    errno = 0;
    const long long id = strtoll(word.c_str(), &stop, 10);
    if (word.empty() || *stop || errno || id < 0 || id >= vocabulary)
      return fail("a prompt must be numbers of tokens below " +
                  std::to_string(vocabulary) +
                  " with commas between, but got '" + text + "'");
    ids.push_back(id);
    start = end + 1;
  }
  return ids;
}

Status Generator::setNumbers(int binding, const Ids &values) {
  const Buffer &buffer = session.bufferOf(session.manifest().bindings[binding]);
  if (!isFloat(buffer.dtype))
    return session.set(binding, DType::i64, buffer.shape, values.data());
  const std::vector<float> floats(values.begin(), values.end());
  return session.set(binding, DType::f32, buffer.shape, floats.data());
}

/// Where nothing else is known, masks are ones where there is text, positions
/// count from 0, labels are ignored, and all else is zeros.
Status Generator::setBatch(const std::vector<Ids> &texts) {
  const int64_t cells = names.rows * names.width;
  Ids ids(cells), mask(cells), positions(cells);
  for (int64_t row = 0; row < names.rows; ++row) {
    // A row without a mask would have no attention.
    mask[row * names.width] = 1;
    for (int64_t i = 0; i < names.width; ++i)
      positions[row * names.width + i] = i;
  }
  for (size_t row = 0; row < texts.size(); ++row) {
    const size_t count = seen(texts[row]), start = row * names.width;
    std::copy(texts[row].end() - count, texts[row].end(), ids.begin() + start);
    std::fill_n(mask.begin() + start, count, 1);
  }
  const std::vector<Binding> &bindings = session.manifest().bindings;
  const std::vector<int64_t> &shape =
      session.bufferOf(bindings[names.ids]).shape;
  for (size_t i = 0; i < bindings.size(); ++i) {
    const Binding &binding = bindings[i];
    if (binding.role != Role::batch)
      continue;
    auto isNamed = [&](const char *word) {
      return binding.name.find(word) != std::string::npos &&
             session.bufferOf(binding).shape == shape;
    };
    Ids others(session.bufferOf(binding).elements(),
               binding.ignoreIndex.value_or(0));
    const Ids &values = static_cast<int>(i) == names.ids ? ids
                        : binding.ignoreIndex            ? others
                        : isNamed("mask")                ? mask
                        : isNamed("position")            ? positions
                                                         : others;
    PREC_RT_RETURN_IF_ERROR(setNumbers(static_cast<int>(i), values));
  }
  return {};
}

/// Ties go to the least id.
int64_t Generator::choose(const float *logits) {
  const float *end = logits + names.vocabulary;
  if (options.temperature == 0)
    return std::max_element(logits, end) - logits;
  std::vector<double> scores(logits, end);
  double least = -std::numeric_limits<double>::infinity();
  if (options.topK > 0 && options.topK < names.vocabulary) {
    std::vector<double> sorted = scores;
    auto last = sorted.begin() + (options.topK - 1);
    std::nth_element(sorted.begin(), last, sorted.end(), std::greater<>());
    least = *last;
  }
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0;
  for (double &score : scores)
    sum += score =
        score < least ? 0 : std::exp((score - most) / options.temperature);
  // 53 bits, in [0, 1), in the same way everywhere.
  double left = sum * static_cast<double>(random() >> 11) * 0x1p-53;
  int64_t chosen = 0;
  for (int64_t id = 0; id < names.vocabulary; ++id) {
    if (scores[id] == 0)
      continue;
    chosen = id;
    left -= scores[id];
    if (left < 0)
      break;
  }
  return chosen;
}

Status Generator::extend(std::vector<Ids> &texts, std::vector<bool> &ended) {
  PREC_RT_RETURN_IF_ERROR(setBatch(texts));
  Result<StepResult> result = session.eval();
  if (!result.ok())
    return result.status();
  std::vector<float> logits(names.rows * names.width * names.vocabulary);
  PREC_RT_RETURN_IF_ERROR(
      session.get(names.logits, DType::f32, logits.data(),
                  static_cast<int64_t>(logits.size() * sizeof(float))));
  for (size_t row = 0; row < texts.size(); ++row) {
    if (ended[row])
      continue;
    const int64_t last = static_cast<int64_t>(row) * names.width +
                         static_cast<int64_t>(seen(texts[row])) - 1;
    const float *ofLast = logits.data() + last * names.vocabulary;
    if (!std::all_of(ofLast, ofLast + names.vocabulary,
                     [](float value) { return !std::isnan(value); }))
      return Status::badValue("to generate, logits must be numbers, but those "
                              "of text " +
                              std::to_string(row) + " are not");
    texts[row].push_back(choose(ofLast));
    ended[row] = texts[row].back() == options.stop;
  }
  return {};
}

Status prec::run::generate(Session &session, const Options &options) {
  Result<Names> names = findNames(session);
  if (!names.ok())
    return names.status();
  if (options.prompts.empty() ||
      options.prompts.size() > static_cast<size_t>(names->rows))
    return fail("there must be 1 to " + std::to_string(names->rows) +
                " of --prompt, as a batch has rows, but got " +
                std::to_string(options.prompts.size()));
  const Binding &input = session.manifest().bindings[names->ids];
  std::vector<Ids> texts;
  for (const std::string &text : options.prompts) {
    Result<Ids> prompt = readPrompt(text, *input.vocabulary);
    if (!prompt.ok())
      return prompt.status();
    texts.push_back(std::move(*prompt));
  }
  DataPlace data;
  PREC_RT_RETURN_IF_ERROR(setWeights(session, options, data));
  Generator generator(session, options, *names);
  std::vector<bool> ended(texts.size(), false);
  for (int64_t i = 0; i < options.generate; ++i)
    if (std::find(ended.begin(), ended.end(), false) != ended.end())
      PREC_RT_RETURN_IF_ERROR(generator.extend(texts, ended));
  for (const Ids &text : texts) {
    std::string line;
    for (int64_t id : text)
      line += (line.empty() ? "" : ",") + std::to_string(id);
    printf("%s\n", line.c_str());
  }
  return {};
}
