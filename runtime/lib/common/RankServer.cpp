//===- RankServer.cpp - where ranks meet, on rank 0 -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop over sockets, on a thread of its own. A client first says which rank
// of how many it is, and of which version. When all are there, all are told so.
// From then on a client sets and asks for values, and says when it ends. A
// connection that closes without that is that of a rank that was killed or
// crashed: it is announced to all others. The first announcement is the cause;
// those that follow are what came of it.
//
//===----------------------------------------------------------------------===//

#include "RankFrame.h"
#include "RankStore.h"

#include "prec-rt/version.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <vector>

using namespace prec::rt;
using namespace prec::rt::frame;
using Clock = std::chrono::steady_clock;

/// How long what is still to be sent keeps the server of a rank that ends.
static constexpr std::chrono::seconds kDrain{2};

/// Of a rank that has left, and could wait no longer for the others.
static constexpr const char *kLeft =
    "it left before the others, such as after fewer steps";

static Result<Descriptor> listenAt(const std::string &address) {
  auto parts = splitAddress(address);
  if (!parts)
    return Status::invalidArgument(
        "the address of rank 0 must be HOST:PORT, but got '" + address + "'");
  Addresses found;
  if (int error = found.find(parts->first, parts->second))
    return Status::ranksFailed("the host of rank 0 must be known, but got '" +
                               parts->first + "': " + gai_strerror(error));
  int error = 0;
  for (addrinfo *one = found.first; one; one = one->ai_next) {
    Descriptor file(
        socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int on = 1;
    if (file.isOpen() &&
        setsockopt(file.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(file.get(), one->ai_addr, one->ai_addrlen) == 0 &&
        listen(file.get(), SOMAXCONN) == 0)
      return file;
    error = errno;
  }
  return Status::ranksFailed(
      "rank 0 must be able to listen at " + address +
      ", but got: " + strerror(error) +
      (error == EADDRINUSE ? ": another program has the port; give another one"
       : error == EADDRNOTAVAIL ? ": this host has no such address; rank 0 "
                                  "must run on the host that it names"
                                : ""));
}

Result<std::unique_ptr<RankServer>>
RankServer::start(const RankOptions &options, const std::string &whyEnded) {
  Result<Descriptor> listener = listenAt(options.address);
  if (!listener.ok())
    return listener.status();
  Descriptor wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake.isOpen())
    return Status::ranksFailed(std::string("rank 0 must have descriptors of "
                                           "files left, but got: ") +
                               strerror(errno));
  std::unique_ptr<RankServer> server(
      new RankServer(options, std::move(*listener), std::move(wake)));
  if (!whyEnded.empty())
    server->announce(0, /*isCause=*/true, whyEnded);
  server->thread = std::thread([raw = server.get()] { raw->run(); });
  return server;
}

RankServer::RankServer(const RankOptions &options, Descriptor listener,
                       Descriptor wake)
    : options(options), listener(std::move(listener)), wake(std::move(wake)),
      deadline(Clock::now() + options.timeout) {}

RankServer::~RankServer() {
  uint64_t one = 1;
  // An event's counter takes it always.
  (void)!write(wake.get(), &one, sizeof one);
  if (thread.joinable())
    thread.join();
}

bool RankServer::isStopped() const {
  uint64_t count = 0;
  return read(wake.get(), &count, sizeof count) == sizeof count;
}

void RankServer::send(Client &client, char kind, std::string_view body) {
  client.write += make(kind, body);
  flush(client);
}

void RankServer::flush(Client &client) {
  while (!client.write.empty() && client.socket.isOpen()) {
    ssize_t done = ::send(client.socket.get(), client.write.data(),
                          client.write.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0)
      // Who does not read is found by reading.
      return;
    client.write.erase(0, static_cast<size_t>(done));
  }
}

void RankServer::announce(int rank, bool isCause, const std::string &text) {
  announced.push_back(std::to_string(rank) + "\n" + (isCause ? "1" : "0") +
                      "\n" + text);
  for (auto &client : clients)
    if (client->rank >= 0 && client->rank != rank)
      send(*client, kEnded, announced.back());
}

void RankServer::checkAllLeft() {
  if (ended < options.size)
    return;
  for (auto &client : clients)
    if (client->rank >= 0)
      send(*client, kAllLeft, "");
}

void RankServer::close(Client &client) {
  client.socket = Descriptor();
  client.write.clear();
  if (client.rank >= 0 && client.hasLeft && ended < options.size)
    announce(client.rank, true, kLeft);
  if (client.rank < 0 || client.isDone)
    return;
  client.isDone = true;
  ++ended;
  announce(client.rank, true,
           "it was killed or crashed, or its connection was cut");
  checkAllLeft();
}

std::string RankServer::whyRefused(const std::string &body, int &rank) const {
  std::string text = body;
  takeLine(text);
  std::string version = takeLine(text), size = takeLine(text);
  std::string number = takeLine(text);
  std::optional<int> given = readNumber(number);
  if (!given)
    return "a rank must be a number, but got '" + number + "'";
  rank = *given;
  if (version != PREC_VERSION)
    return "ranks must have one version of prec, but rank 0 has " PREC_VERSION
           " and rank " +
           number + " " + version;
  if (size != std::to_string(options.size))
    return "ranks must be started as one of as many, but rank 0 is of " +
           std::to_string(options.size) + " and rank " + number + " of " + size;
  if (rank >= options.size)
    return "a rank must be below " + std::to_string(options.size) +
           ", but got " + number;
  for (const auto &client : clients)
    if (client->rank == rank)
      return "ranks must have numbers of their own, but got two of rank " +
             number;
  return {};
}

void RankServer::join(Client &client, const std::string &body) {
  if (body.compare(0, kMagic.size(), kMagic) != 0) {
    // Somebody else who looks at ports.
    client.socket = Descriptor();
    return;
  }
  int rank = -1;
  std::string reason = whyRefused(body, rank);
  if (!reason.empty()) {
    send(client, kRefuse, reason);
    client.socket = Descriptor();
    // The run lacks a rank, or has one too many. Once all are there it is
    // another run that has the same address, and this one goes on.
    if (joined < options.size)
      announce(-1, false, reason);
    return;
  }
  client.rank = rank;
  ++come;
  if (!announced.empty()) {
    send(client, kEnded, announced.front());
    return;
  }
  if (++joined < options.size)
    return;
  for (auto &other : clients)
    if (other->rank >= 0)
      send(*other, kWelcome, "");
}

void RankServer::take(Client &client, char kind, const std::string &body) {
  if (client.rank < 0) {
    if (kind == kHello)
      join(client, body);
    else
      client.socket = Descriptor();
    return;
  }
  if (kind == kSet) {
    std::string value = body;
    std::string key = takeLine(value);
    values[key] = value;
    for (auto &other : clients)
      if (other->awaited == key) {
        send(*other, kValue, value);
        other->awaited.reset();
      }
  } else if (kind == kGet) {
    if (auto found = values.find(body); found != values.end())
      send(client, kValue, found->second);
    else
      client.awaited = body;
  } else if ((kind == kFail || kind == kBye) && !client.isDone) {
    client.isDone = true;
    client.hasLeft = kind == kBye;
    ++ended;
    if (kind == kFail)
      announce(client.rank, body.substr(0, 1) == "1",
               body.substr(std::min<size_t>(1, body.size())));
    checkAllLeft();
  }
}

void RankServer::readClient(Client &client) {
  char bytes[1 << 14];
  ssize_t count = recv(client.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return;
  if (count <= 0)
    return close(client);
  client.read.append(bytes, static_cast<size_t>(count));
  char kind = 0;
  std::string body;
  while (client.socket.isOpen()) {
    Read read = frame::take(client.read, kind, body);
    if (read == Read::none)
      return;
    if (read == Read::bad)
      return close(client);
    take(client, kind, body);
  }
}

void RankServer::acceptClient() {
  Descriptor socket(
      accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!socket.isOpen())
    return;
  clients.push_back(std::make_unique<Client>(Client{std::move(socket)}));
}

void RankServer::checkDeadline() {
  if (isLate || joined >= options.size || Clock::now() < deadline)
    return;
  isLate = true;
  std::string missing;
  int count = 0;
  for (int rank = 0; rank < options.size; ++rank)
    if (std::none_of(
            clients.begin(), clients.end(),
            [&](const auto &client) { return client->rank == rank; }) &&
        ++count <= 8)
      missing += (missing.empty() ? "" : ", ") + std::to_string(rank);
  announce(
      -1, false,
      "all " + std::to_string(options.size) + " ranks must have come within " +
          formatSeconds(options.timeout) +
          " s, but these have not: " + missing + (count > 8 ? ", ..." : ""));
}

void RankServer::run() {
  bool isStopping = false;
  Clock::time_point stop;
  for (;;) {
    std::vector<pollfd> polled = {{wake.get(), POLLIN, 0},
                                  {listener.get(), POLLIN, 0}};
    for (auto &client : clients)
      polled.push_back(
          {client->socket.get(),
           static_cast<short>(POLLIN | (client->write.empty() ? 0 : POLLOUT)),
           0});
    const size_t count = clients.size();
    (void)poll(polled.data(), polled.size(), isStopping ? 20 : 200);
    for (size_t i = 0; i < count; ++i) {
      Client &client = *clients[i];
      if (polled[i + 2].revents & POLLOUT)
        flush(client);
      if (client.socket.isOpen() &&
          polled[i + 2].revents & (POLLIN | POLLHUP | POLLERR))
        readClient(client);
    }
    if (polled[1].revents)
      acceptClient();
    checkDeadline();
    std::erase_if(clients, [](const auto &client) {
      return client->rank < 0 && !client->socket.isOpen();
    });
    if (!isStopping && isStopped()) {
      isStopping = true;
      stop = Clock::now() + kDrain;
      if (ended < options.size && announced.empty())
        announce(0, true, kLeft);
    }
    if (!isStopping)
      continue;
    bool isPending =
        std::any_of(clients.begin(), clients.end(), [](const auto &client) {
          bool isOwn = client->rank == 0;
          return client->socket.isOpen() && (isOwn || !client->write.empty());
        });
    if (!isPending || Clock::now() > stop)
      return;
  }
}
