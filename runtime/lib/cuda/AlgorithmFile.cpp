//===- AlgorithmFile.cpp - the chosen GEMM algorithms ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AlgorithmFile.h"

#include "AtomicFile.h"
#include "JsonFields.h"

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace prec::rt;
using nlohmann::json;

static constexpr const char *formatName = "prec-gemm-algorithms";

static Status fileError(const std::string &path, const std::string &what) {
  return Status::badFile("algorithm file " + path + ": " + what);
}

/// Sixteen hexadecimal digits.
static std::string hex(uint64_t word) {
  std::string text(16, '0');
  for (size_t i = text.size(); i-- > 0; word >>= 4)
    text[i] = "0123456789abcdef"[word & 15];
  return text;
}

static uint64_t parseHex(JsonFields field) {
  std::string text = field.asString();
  uint64_t word = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), word, 16);
  if (error != std::errc() || end != text.data() + text.size() ||
      text.size() != 16)
    field.fail("must be 16 hexadecimal digits, but got '" + text + "'");
  return word;
}

static Algorithm parseAlgorithm(JsonFields &entry) {
  Algorithm algorithm;
  std::vector<JsonFields> words = entry.at("algorithm").elements();
  if (words.size() != algorithm.words.size()) {
    entry.fail("'algorithm' must have 8 words, but got " +
               std::to_string(words.size()));
    return algorithm;
  }
  for (size_t i = 0; i < words.size(); ++i)
    algorithm.words[i] = parseHex(words[i]);
  algorithm.milliseconds = entry.at("milliseconds").asNumber();
  algorithm.teraflops = entry.at("teraflops").asNumber();
  if (entry.has("candidates"))
    algorithm.candidates = entry.integer("candidates", 1);
  return algorithm;
}

/// Adds what a file has.
static Status take(const json &document,
                   std::map<std::string, Algorithm> &algorithms) {
  Status error;
  JsonFields root(document, "", error);
  std::string format = root.string("format");
  if (root.ok() && format != formatName)
    return Status::badFile(std::string("'format' must be '") + formatName +
                           "', but got '" + format + "'");
  root.integer("version", 1, 1);
  JsonFields table = root.at("algorithms");
  for (const std::string &key : table.keys()) {
    JsonFields entry = table.at(key.c_str());
    algorithms[key] = parseAlgorithm(entry);
  }
  return error;
}

Result<AlgorithmFile> AlgorithmFile::read(std::string path) {
  AlgorithmFile result;
  result.file = path;
  if (path.empty() || (access(path.c_str(), F_OK) != 0 && errno == ENOENT))
    return result;
  Result<json> document = readJson(path);
  if (!document.ok())
    return document.status().prefixed("algorithm file ");
  Status status = take(*document, result.algorithms);
  if (!status.ok())
    return fileError(path, status.message());
  return result;
}

Result<AlgorithmFile> AlgorithmFile::parse(const std::string &text) {
  AlgorithmFile result;
  Result<json> document = parseJson(text);
  Status status =
      document.ok() ? take(*document, result.algorithms) : document.status();
  if (!status.ok())
    return fileError("of rank 0", status.message());
  return result;
}

const Algorithm *AlgorithmFile::find(const std::string &key) const {
  auto it = algorithms.find(key);
  return it == algorithms.end() ? nullptr : &it->second;
}

void AlgorithmFile::insert(const std::string &key, const Algorithm &algorithm) {
  algorithms[key] = algorithm;
  modified = true;
}

std::string AlgorithmFile::text() const {
  json table = json::object();
  for (const auto &[key, algorithm] : algorithms) {
    json words = json::array();
    for (uint64_t word : algorithm.words)
      words.push_back(hex(word));
    table[key] = {{"algorithm", std::move(words)},
                  {"milliseconds", algorithm.milliseconds},
                  {"teraflops", algorithm.teraflops}};
    if (algorithm.candidates > 0)
      table[key]["candidates"] = algorithm.candidates;
  }
  json document = {
      {"format", formatName}, {"version", 1}, {"algorithms", std::move(table)}};
  // A GPU's name may hold any bytes.
  return writeJson(document, 1) + "\n";
}

Status AlgorithmFile::write() const {
  if (file.empty())
    return {};
  Status status = writeAtomically(file, text());
  return status.ok() ? status : status.prefixed("algorithm file ");
}
