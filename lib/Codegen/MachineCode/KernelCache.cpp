//===- KernelCache.cpp - compiled kernels on disk -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "prec/Codegen/KernelCache.h"

#include "prec/Support/Files.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CachePruning.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

#include <chrono>

using namespace mlir;
using namespace prec;
namespace fs = llvm::sys::fs;

llvm::Expected<std::unique_ptr<KernelCache>>
KernelCache::open(StringRef directory) {
  std::error_code error = fs::create_directories(directory);
  if (!error && !fs::is_directory(directory))
    error = std::make_error_code(std::errc::not_a_directory);
  if (error)
    return llvm::createStringError(error,
                                   "kernel cache must be a folder, but got '" +
                                       directory + "': " + error.message());
  return std::unique_ptr<KernelCache>(new KernelCache(directory));
}

std::string KernelCache::getPath(StringRef key) const {
  SmallString<128> path(directory);
  // LLVM's pruning removes no other files.
  llvm::sys::path::append(path, "llvmcache-" + key);
  return path.str().str();
}

/// A file is a digest of all behind it and of its key, so that a renamed file
/// is as damaged as a short one; the size of each part; and the parts.
static std::string digestOf(StringRef key, StringRef contents) {
  llvm::SHA256 hash;
  hash.update(key);
  hash.update(contents);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

static std::string encode(StringRef key, ArrayRef<StringRef> parts) {
  std::string contents;
  llvm::raw_string_ostream os(contents);
  llvm::interleave(parts, os, [&](StringRef part) { os << part.size(); }, " ");
  os << '\n';
  for (StringRef part : parts)
    os << part;
  return digestOf(key, contents) + '\n' + contents;
}

static std::optional<std::vector<std::string>> decode(StringRef key,
                                                      StringRef file) {
  auto [digest, contents] = file.split('\n');
  if (digest != digestOf(key, contents))
    return std::nullopt;
  auto [sizes, rest] = contents.split('\n');
  std::vector<std::string> parts;
  for (StringRef text : llvm::split(sizes, ' ')) {
    size_t size = 0;
    if (text.getAsInteger(10, size) || size > rest.size())
      return std::nullopt;
    parts.push_back(rest.take_front(size).str());
    rest = rest.drop_front(size);
  }
  return parts;
}

/// Whole, since a mapped file ends the process where another one shortens it;
/// and used now, as pruning sees it.
static std::optional<std::string> readAndTouch(StringRef path) {
  int file = -1;
  if (fs::openFileForRead(path, file))
    return std::nullopt;
  auto close = llvm::scope_exit([&] { (void)fs::closeFile(file); });
  auto buffer =
      llvm::MemoryBuffer::getOpenFile(file, path, /*FileSize=*/-1,
                                      /*RequiresNullTerminator=*/false,
                                      /*IsVolatile=*/true);
  if (!buffer)
    return std::nullopt;
  // Another user's folder may serve without this.
  (void)fs::setLastAccessAndModificationTime(file,
                                             std::chrono::system_clock::now());
  return (*buffer)->getBuffer().str();
}

std::optional<std::vector<std::string>> KernelCache::lookup(StringRef key,
                                                            int64_t kernels) {
  std::optional<std::string> file = readAndTouch(getPath(key));
  std::optional<std::vector<std::string>> parts =
      file ? decode(key, *file) : std::nullopt;
  std::lock_guard<std::mutex> lock(mutex);
  if (parts) {
    counts.found += kernels;
  } else if (!file) {
    counts.absent += kernels;
  } else {
    ++counts.damaged;
    counts.absent += std::max<int64_t>(kernels - 1, 0);
  }
  return parts;
}

void KernelCache::store(StringRef key, ArrayRef<StringRef> parts) {
  std::string bytes = encode(key, parts);
  llvm::Error error =
      writeFileAtomically(getPath(key), [&](raw_ostream &os) { os << bytes; });
  std::string message = llvm::toString(std::move(error));
  std::lock_guard<std::mutex> lock(mutex);
  if (message.empty())
    ++counts.stored;
  else if (counts.storeError.empty())
    counts.storeError = message;
}

void KernelCache::prune(int64_t maxBytes) const {
  if (getCounts().stored == 0 || maxBytes == 0)
    return;
  llvm::CachePruningPolicy policy;
  policy.Interval = policy.Expiration = std::chrono::seconds(0);
  policy.MaxSizeBytes = maxBytes;
  policy.MaxSizePercentageOfAvailableSpace = 0;
  llvm::pruneCache(directory, policy);
}

KernelCache::Counts KernelCache::getCounts() const {
  std::lock_guard<std::mutex> lock(mutex);
  return counts;
}
