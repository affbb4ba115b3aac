//===- MutationTest.cpp - readers on damaged files ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random changes of good files: every reader reads or refuses with a place,
// and never does anything else. utils/fuzz looks for longer, in the same
// readers.
//
//===----------------------------------------------------------------------===//
#include "Readers.h"

#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <random>

using namespace prec::test;
using llvm::StringRef;

namespace {

class Mutator {
public:
  explicit Mutator(StringRef example) : example(example.str()) {}

  std::string mutate() {
    std::string text = example;
    for (unsigned i = 0, n = 1 + pick(4); i < n && !text.empty(); ++i)
      change(text);
    return text;
  }

private:
  size_t pick(size_t count) { return random() % count; }

  /// The start of a token: a string, number, word or sign.
  size_t pickToken(StringRef text) {
    size_t at = text.find_first_of("{}[]:,\"-0123456789tfn", pick(text.size()));
    return at == StringRef::npos ? 0 : at;
  }

  void change(std::string &text) {
    size_t at = pickToken(text);
    size_t length = std::min<size_t>(1 + pick(12), text.size() - at);
    static constexpr StringRef kPieces[] = {
        "0",
        "-1",
        "1e999",
        "1e-400",
        "9223372036854775808",
        "null",
        "true",
        "\"\"",
        "\"a\"",
        "[]",
        "{}",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "\\u0000",
        "\\ud800",
        "\xff",
        "\n",
        "[[[[[[[[",
        "\"version\": 2,",
        "1.0000000000000001",
        "99999999999999999999999999999999999",
        "\"e4m3\"",
        "\"[\""};
    switch (pick(6)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, kPieces[pick(std::size(kPieces))]);
      break;
    case 2:
      text.replace(at, length, kPieces[pick(std::size(kPieces))]);
      break;
    case 3: {
      // Repeats a part elsewhere.
      std::string part = text.substr(at, 1 + pick(80));
      text.insert(pickToken(text), part);
      break;
    }
    case 4:
      text[pick(text.size())] = static_cast<char>(random());
      break;
    default:
      text.resize(pick(text.size()));
      break;
    }
  }

  std::string example;
  // The same mutations in every run.
  // NOLINTNEXTLINE(bugprone-random-generator-seed)
  std::mt19937_64 random{12345};
};

/// "f:LINE:COLUMN: error: ..."; what cannot be read again after writing says
/// "written".
bool isError(StringRef message) {
  auto takeNumber = [&] {
    size_t digits = message.find_first_not_of("0123456789");
    bool any = digits != 0 && digits != StringRef::npos;
    message = message.drop_front(any ? digits : 0);
    return any;
  };
  return message.consume_front("f:") && takeNumber() &&
         message.consume_front(":") && takeNumber() &&
         message.consume_front(": error: ") && !message.empty();
}

TEST(Readers, ReadTheirExamples) {
  for (const Reader &reader : getReaders())
    EXPECT_EQ(reader.read(reader.getExample()), "") << reader.name.str();
}

TEST(Readers, ReadOrRefuseDamagedFiles) {
  for (const Reader &reader : getReaders()) {
    Mutator mutator(reader.getExample());
    unsigned read = 0, refused = 0;
    while (read + refused < 20000) {
      std::string text = mutator.mutate();
      std::string error = reader.read(text);
      ASSERT_TRUE(error.empty() || isError(error))
          << reader.name.str() << ": " << error << "\n"
          << text;
      ++(error.empty() ? read : refused);
    }
    // Both happen, or the mutations are useless.
    EXPECT_GT(read, 10u) << reader.name.str();
    EXPECT_GT(refused, 100u) << reader.name.str();
  }
}

} // namespace
