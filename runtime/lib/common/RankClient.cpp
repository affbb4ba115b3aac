//===- RankClient.cpp - a rank's connection to rank 0 ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Connects to the server of rank 0, again and again until it is there: ranks
// start in any order. While ranks meet, messages are read when one is waited
// for. Then a thread reads them, so that the end of a rank is known at once,
// whatever this one does or waits for.
//
//===----------------------------------------------------------------------===//

#include "RankFrame.h"
#include "RankStore.h"

#include "prec-rt/version.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <netinet/tcp.h>
#include <poll.h>

using namespace prec::rt;
using namespace prec::rt::frame;
using Clock = std::chrono::steady_clock;

static constexpr std::chrono::milliseconds kRetry{50};
static constexpr const char *kServerGone =
    "rank 0 ended: it was killed or crashed, or its connection was cut";
/// What rank 0 needs to say that others did not come.
static constexpr std::chrono::seconds kGrace{5};

static int millisecondsTo(Clock::time_point end) {
  if (end == Clock::time_point::max())
    return -1;
  auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
  return static_cast<int>(std::clamp<int64_t>(left.count(), 0, 1 << 30));
}

/// Whether there is something to read or write before `end`.
static bool waitFor(int socket, short events, Clock::time_point end) {
  for (;;) {
    pollfd polled{socket, events, 0};
    int ready = poll(&polled, 1, millisecondsTo(end));
    if (ready > 0)
      return true;
    if (ready == 0 || errno != EINTR)
      return false;
  }
}

/// Connected within `end`, or none and errno.
static Descriptor connectTo(const addrinfo &address, Clock::time_point end) {
  Descriptor file(
      socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file.isOpen())
    return file;
  if (connect(file.get(), address.ai_addr, address.ai_addrlen) != 0) {
    int error = errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      error = ETIMEDOUT;
      if (waitFor(file.get(), POLLOUT, end))
        (void)getsockopt(file.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    }
    if (error) {
      file = Descriptor();
      errno = error;
    }
  }
  return file;
}

static std::string localHostOf(int socket) {
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  char text[NI_MAXHOST] = "";
  if (getsockname(socket, reinterpret_cast<sockaddr *>(&own), &size) == 0)
    (void)getnameinfo(reinterpret_cast<sockaddr *>(&own), size, text,
                      sizeof text, nullptr, 0, NI_NUMERICHOST);
  return text;
}

Status RankClient::open() {
  auto parts = splitAddress(options.address);
  if (!parts)
    return Status::invalidArgument(
        "the address of rank 0 must be HOST:PORT, but got '" + options.address +
        "'");
  const Clock::time_point end = Clock::now() + options.timeout;
  int error = 0;
  do {
    Addresses found;
    if (int unknown = found.find(parts->first, parts->second))
      return Status::ranksFailed("the host of rank 0 must be known, but got '" +
                                 parts->first + "': " + gai_strerror(unknown));
    for (addrinfo *one = found.first; one; one = one->ai_next) {
      socket = connectTo(*one, end);
      if (socket.isOpen()) {
        int on = 1;
        (void)setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on,
                         sizeof on);
        host = localHostOf(socket.get());
        return {};
      }
      error = errno;
    }
    std::this_thread::sleep_for(
        std::min(kRetry, std::chrono::milliseconds(millisecondsTo(end))));
  } while (Clock::now() < end);
  return Status::ranksFailed("rank 0 must answer at " + options.address +
                             " within " + formatSeconds(options.timeout) +
                             " s, but got: " + strerror(error));
}

Status RankClient::hello() {
  return send(kHello, std::string(kMagic) + "\n" PREC_VERSION "\n" +
                          std::to_string(options.size) + "\n" +
                          std::to_string(options.rank) + "\n");
}

Status RankClient::greet() {
  PREC_RT_RETURN_IF_ERROR(hello());
  Result<std::string> welcome =
      receive(kWelcome, Clock::now() + options.timeout + kGrace);
  return welcome.ok() ? Status() : welcome.status();
}

Result<std::unique_ptr<RankClient>>
RankClient::connect(const RankOptions &options) {
  std::unique_ptr<RankClient> client(new RankClient(options));
  PREC_RT_RETURN_IF_ERROR(client->open());
  PREC_RT_RETURN_IF_ERROR(client->greet());
  return client;
}

void RankClient::tellEnd(const RankOptions &options,
                         const std::string &reason) {
  RankClient client(options);
  if (!client.open().ok() || !client.hello().ok() ||
      !client.send(kFail, "1" + reason).ok())
    return;
  (void)shutdown(client.socket.get(), SHUT_WR);
  // Rank 0 closes what it has read to its end.
  const Clock::time_point end = Clock::now() + options.timeout;
  char bytes[1 << 14];
  while (waitFor(client.socket.get(), POLLIN, end) &&
         recv(client.socket.get(), bytes, sizeof bytes, 0) > 0)
    ;
}

Status RankClient::send(char kind, std::string_view body) {
  std::lock_guard<std::mutex> lock(sending);
  std::string bytes = make(kind, body.substr(0, kMostBody));
  const Clock::time_point end = Clock::now() + options.timeout;
  size_t sent = 0;
  while (sent < bytes.size()) {
    ssize_t done = ::send(socket.get(), bytes.data() + sent,
                          bytes.size() - sent, MSG_NOSIGNAL);
    if (done > 0) {
      sent += static_cast<size_t>(done);
      continue;
    }
    bool mayGoOn = errno == EINTR ||
                   (errno == EAGAIN && waitFor(socket.get(), POLLOUT, end));
    if (!mayGoOn)
      return Status::ranksFailed(kServerGone);
  }
  return {};
}

/// What the announcement of a rank's end says.
static std::string describeEnd(std::string body) {
  std::string rank = takeLine(body);
  bool isCause = takeLine(body) == "1";
  return isCause ? "rank " + rank + " ended: " + body : body;
}

Result<std::string> RankClient::receive(char kind, Time end) {
  if (cause && kind != kAllLeft)
    return Status::ranksFailed(*cause);
  for (;;) {
    char found = 0;
    std::string body;
    Read read = frame::take(buffered, found, body);
    if (read == Read::one) {
      if (found == kind)
        return body;
      if (found == kEnded && !cause)
        cause = describeEnd(body);
      if (found == kEnded && kind != kAllLeft)
        return Status::ranksFailed(*cause);
      if (found == kRefuse)
        return Status::ranksFailed(body);
      continue;
    }
    char bytes[1 << 14];
    ssize_t count = -1;
    if (read != Read::bad && waitFor(socket.get(), POLLIN, end)) {
      count = recv(socket.get(), bytes, sizeof bytes, 0);
      if (count < 0 && (errno == EINTR || errno == EAGAIN))
        continue;
    } else if (read != Read::bad) {
      return Status::ranksFailed("rank 0 must answer within " +
                                 formatSeconds(options.timeout) +
                                 " s, but has not");
    }
    if (count <= 0) {
      if (kind == kWelcome)
        return Status::ranksFailed(
            "rank 0 must listen at " + options.address +
            ", but the connection was closed: another program may have the "
            "port, or rank 0 ended");
      if (!cause)
        cause = kServerGone;
      return Status::ranksFailed(*cause);
    }
    buffered.append(bytes, static_cast<size_t>(count));
  }
}

RankClient::~RankClient() {
  if (!watcher.joinable())
    return;
  (void)shutdown(socket.get(), SHUT_RDWR);
  watcher.join();
}

Status RankClient::set(const std::string &key, std::string_view value) {
  return send(kSet, key + "\n" + std::string(value));
}

Result<std::string> RankClient::get(const std::string &key) {
  PREC_RT_RETURN_IF_ERROR(send(kGet, key));
  return receive(kValue, Clock::now() + options.timeout);
}

void RankClient::watch(std::function<void()> onEnd) {
  watcher = std::thread([this, onEnd = std::move(onEnd)] { readAll(onEnd); });
}

bool RankClient::note(char kind, const std::string &body) {
  std::lock_guard<std::mutex> lock(mutex);
  haveAllLeft |= kind == kAllLeft;
  bool isNew = kind == kEnded && !cause;
  if (isNew)
    cause = describeEnd(body);
  changed.notify_all();
  return isNew;
}

void RankClient::readAll(const std::function<void()> &onEnd) {
  char bytes[1 << 14];
  for (;;) {
    char kind = 0;
    std::string body;
    Read read = frame::take(buffered, kind, body);
    if (read == Read::one) {
      if (note(kind, body))
        onEnd();
      continue;
    }
    ssize_t count = -1;
    if (read == Read::none) {
      (void)waitFor(socket.get(), POLLIN, Clock::time_point::max());
      count = recv(socket.get(), bytes, sizeof bytes, 0);
      if (count < 0 && (errno == EINTR || errno == EAGAIN))
        continue;
    }
    if (count <= 0)
      break;
    buffered.append(bytes, static_cast<size_t>(count));
  }
  bool isNew = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isClosed = true;
    isNew = !cause && !isLeaving;
    if (isNew)
      cause = kServerGone;
    changed.notify_all();
  }
  if (isNew)
    onEnd();
}

std::optional<std::string>
RankClient::findCause(std::chrono::milliseconds patience) {
  // Ends at the first announcement, which is noted.
  if (!watcher.joinable() && !cause)
    (void)receive(kNothing, Clock::now() + patience).ok();
  std::unique_lock<std::mutex> lock(mutex);
  if (watcher.joinable())
    changed.wait_for(lock, patience, [this] { return cause || isClosed; });
  return cause;
}

void RankClient::fail(const std::string &reason, bool isOwn) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isLeaving = true;
  }
  // Where rank 0 is gone nobody is to be told.
  (void)send(kFail, (isOwn ? "1" : "0") + reason).ok();
}

void RankClient::leave(std::chrono::milliseconds patience) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    isLeaving = true;
  }
  if (!send(kBye, "").ok())
    return;
  if (!watcher.joinable()) {
    (void)receive(kAllLeft, Clock::now() + patience).ok();
    return;
  }
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait_for(lock, patience, [this] { return haveAllLeft || isClosed; });
}
