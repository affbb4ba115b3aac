//===- Communicator.cpp - what ranks say to each other --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Communicator.h"

#include <algorithm>
#include <cstring>

using namespace prec::rt;

/// Cut where no character of UTF-8 is divided.
static std::string_view cut(std::string_view text, size_t most) {
  if (text.size() <= most)
    return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80)
    --most;
  return text.substr(0, most);
}

Result<std::vector<std::string>>
prec::rt::gatherTexts(Communicator &ranks, std::string_view own, int64_t most) {
  const auto room = static_cast<size_t>(most);
  std::string_view text = cut(own, room - 1);
  std::vector<char> in(room), out(room * static_cast<size_t>(ranks.size()));
  std::copy(text.begin(), text.end(), in.begin());
  PREC_RT_RETURN_IF_ERROR(ranks.allGather(in.data(), out.data(), most));
  std::vector<std::string> texts;
  for (size_t i = 0; i < out.size(); i += room)
    texts.emplace_back(out.data() + i, strnlen(out.data() + i, room - 1));
  return texts;
}

Result<std::string> prec::rt::shareText(Communicator &ranks,
                                        std::string_view own) {
  const auto size = static_cast<int64_t>(own.size());
  std::vector<int64_t> sizes(static_cast<size_t>(ranks.size()));
  PREC_RT_RETURN_IF_ERROR(ranks.allGather(&size, sizes.data(), sizeof size));
  const auto room = static_cast<size_t>(sizes[0]);
  std::string in(room, '\0'), out(room * sizes.size(), '\0');
  if (ranks.rank() == 0)
    in = own;
  PREC_RT_RETURN_IF_ERROR(ranks.allGather(in.data(), out.data(), sizes[0]));
  return out.substr(0, room);
}

Status prec::rt::agree(Communicator &ranks, const Status &own) {
  // An error has a text: a mark in front of it tells it from success.
  Result<std::vector<std::string>> texts =
      gatherTexts(ranks, own.ok() ? "" : "!" + own.message());
  if (!own.ok())
    return own;
  if (!texts.ok())
    return texts.status();
  for (size_t i = 0; i < texts->size(); ++i)
    if (!(*texts)[i].empty())
      return Status::ranksFailed("rank " + std::to_string(i) + ": " +
                                 (*texts)[i].substr(1));
  return {};
}
