//===- RankFrame.h - messages between a rank and rank 0 ---------*- C++ -*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A message is the length of its body in four bytes, the least first, a letter
// that says what it is, and the body.
//
//===----------------------------------------------------------------------===//
#ifndef PREC_RT_COMMON_RANKFRAME_H
#define PREC_RT_COMMON_RANKFRAME_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <netdb.h>
#include <optional>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <utility>

namespace prec::rt::frame {

/// Of a client.
constexpr char kHello = 'H', kSet = 'S', kGet = 'G', kFail = 'F', kBye = 'B';
/// Of the server: all ranks are there, or this one may not be; a value; a rank
/// has ended; all have left.
constexpr char kWelcome = 'W', kRefuse = 'R', kValue = 'V', kEnded = 'D',
               kAllLeft = 'A';
/// Of nobody: who waits for it waits for the end of a rank alone.
constexpr char kNothing = '-';

constexpr size_t kHead = 5;
/// Bytes of a body: who sends more is no rank.
constexpr uint32_t kMostBody = 1 << 20;
/// What a hello begins with.
constexpr std::string_view kMagic = "prec-ranks 1";

inline std::string make(char kind, std::string_view body) {
  std::string text;
  for (int i = 0; i < 4; ++i)
    text += static_cast<char>(body.size() >> (8 * i));
  return (text += kind) += body;
}

enum class Read { none, one, bad };
/// Takes the first whole message off the front of `bytes`.
inline Read take(std::string &bytes, char &kind, std::string &body) {
  if (bytes.size() < kHead)
    return Read::none;
  uint32_t size = 0;
  for (int i = 0; i < 4; ++i)
    size |= uint32_t(static_cast<unsigned char>(bytes[i])) << (8 * i);
  if (size > kMostBody)
    return Read::bad;
  if (bytes.size() < kHead + size)
    return Read::none;
  kind = bytes[4];
  body = bytes.substr(kHead, size);
  bytes.erase(0, kHead + size);
  return Read::one;
}

/// The part of a text in front of the first line's end; the text is left with
/// what is behind.
inline std::string takeLine(std::string &text) {
  size_t end = text.find('\n');
  std::string line = text.substr(0, end);
  text = end == std::string::npos ? "" : text.substr(end + 1);
  return line;
}

/// A whole number in [0, 2^31), if the text is one.
inline std::optional<int> readNumber(const std::string &text) {
  if (text.empty() || text.size() > 9 ||
      text.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoi(text);
}

/// Host and port of "HOST:PORT", of "[HOST]:PORT" without the brackets.
inline std::optional<std::pair<std::string, std::string>>
splitAddress(const std::string &address) {
  size_t colon = address.rfind(':');
  if (colon == std::string::npos || colon == 0)
    return std::nullopt;
  std::string host = address.substr(0, colon), port = address.substr(colon + 1);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  std::optional<int> number = readNumber(port);
  if (!number || *number < 1 || *number > 65535)
    return std::nullopt;
  return std::pair(host, port);
}

/// "0.5"
inline std::string formatSeconds(std::chrono::milliseconds time) {
  char text[32];
  snprintf(text, sizeof text, "%g",
           std::chrono::duration<double>(time).count());
  return text;
}

/// What getaddrinfo found; freed at the end.
struct Addresses {
  addrinfo *first = nullptr;
  Addresses() = default;
  Addresses(const Addresses &) = delete;
  Addresses &operator=(const Addresses &) = delete;
  ~Addresses() {
    if (first)
      freeaddrinfo(first);
  }
  /// An error of getaddrinfo, or 0.
  int find(const std::string &host, const std::string &port) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    return getaddrinfo(host.c_str(), port.c_str(), &hints, &first);
  }
};

} // namespace prec::rt::frame

#endif // PREC_RT_COMMON_RANKFRAME_H
