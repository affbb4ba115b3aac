//===- fuzz-file.cpp - libFuzzer target of one kind of file ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever a file holds, it is read, or refused by a message that names it;
// what was loaded can be saved and loaded again. The targets of modules and
// checkpoints take the path of a module as their last argument.
//
//===----------------------------------------------------------------------===//

#include "Checkpoint.h"
#include "MachineRates.h"
#include "ModuleFile.h"
#include "prec-rt/module.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace prec::rt;

static constexpr std::string_view kReader = PREC_READER;

namespace {

/// A folder in memory that is removed at the end, and the session that
/// checkpoints are loaded into.
struct FuzzFolder {
  std::string folder;
  std::unique_ptr<Session> session;

  FuzzFolder() {
    std::string pattern = "/dev/shm/prec-fuzz-XXXXXX";
    if (!mkdtemp(pattern.data()))
      std::abort();
    folder = pattern;
  }
  ~FuzzFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
};

} // namespace

static FuzzFolder &place() {
  static FuzzFolder place;
  return place;
}

/// An input that ends here is kept, and its message printed.
static void fail(const std::string &message) {
  fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

static void check(const Status &status, const std::string &path) {
  if (!status.ok() && status.message().find(path) == std::string::npos)
    fail("an error must name its file, but got: " + status.message());
}

static std::string write(const std::string &name, std::string_view bytes) {
  std::string path = place().folder + "/" + name;
  FILE *file = fopen(path.c_str(), "wb");
  if (!file || fwrite(bytes.data(), 1, bytes.size(), file) != bytes.size() ||
      fclose(file) != 0)
    std::abort();
  return path;
}

/// With the hash that belongs to it, or every change would end there.
static std::string stamped(std::string bytes) {
  Result<ElfSections> elf = ElfSections::parse(bytes);
  if (!elf.ok())
    return bytes;
  std::string_view hash = elf->find(PREC_MODULE_HASH_SECTION);
  if (hash.size() != PREC_MODULE_HASH_BYTES)
    return bytes;
  size_t offset = hash.data() - bytes.data();
  memset(bytes.data() + offset, 0, hash.size());
  Sha256 sum;
  sum.update(bytes);
  Sha256::Digest digest = sum.finish();
  memcpy(bytes.data() + offset, digest.data(), digest.size());
  return bytes;
}

/// Index, weights and state, each behind the four bytes of its length.
static void readCheckpoint(std::string_view input) {
  Session &session = *place().session;
  auto next = [&]() {
    uint32_t length = 0;
    if (input.size() < sizeof length)
      return std::string_view();
    memcpy(&length, input.data(), sizeof length);
    input.remove_prefix(sizeof length);
    std::string_view part = input.substr(0, length);
    input.remove_prefix(part.size());
    return part;
  };
  write("model.safetensors.index.json", next());
  write("model-step1.safetensors", next());
  write("optimizer-step1.safetensors", next());
  const std::string &folder = place().folder;
  Result<LoadedCheckpoint> loaded = loadCheckpoint(session, folder, "");
  if (!loaded.ok())
    return check(loaded.status(), folder);
  std::string again = folder + "/again";
  if (Status status = saveCheckpoint(session, again, loaded->dataPosition);
      !status.ok())
    fail("what was loaded must be saved, but got: " + status.message());
  if (Result<LoadedCheckpoint> second = loadCheckpoint(session, again, "");
      !second.ok())
    fail("what was saved must load, but got: " + second.status().message());
}

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  if (kReader != "checkpoint")
    return 0;
  Result<std::unique_ptr<Session>> session =
      Session::open((*argv)[--*argc], {});
  if (!session.ok())
    fail(session.status().message());
  place().session = std::move(*session);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (kReader == "checkpoint") {
    readCheckpoint(bytes);
  } else if (kReader == "manifest") {
    Result<Manifest> manifest = Manifest::parse(bytes);
    check(manifest.ok() ? Status() : manifest.status(), "manifest");
  } else if (kReader == "module") {
    std::string path = write("step.so", stamped(std::string(bytes)));
    Result<std::unique_ptr<ModuleFile>> file = ModuleFile::read(path);
    check(file.ok() ? Status() : file.status(), path);
  } else if (kReader == "safetensors") {
    std::string path = write("w.safetensors", bytes);
    Result<SafetensorsFile> file = SafetensorsFile::open(path);
    check(file.ok() ? Status() : file.status(), path);
  } else if (kReader == "index") {
    std::string path = write("model.safetensors.index.json", bytes);
    Result<CheckpointFiles> files = readCheckpointIndex(place().folder);
    check(files.ok() ? Status() : files.status(), path);
  } else {
    std::string path = write("machine.json", bytes);
    Result<prec::run::MachineRates> rates = prec::run::readMachineRates(path);
    check(rates.ok() ? Status() : rates.status(), path);
  }
  return 0;
}
