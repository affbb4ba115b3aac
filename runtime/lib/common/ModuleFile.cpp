//===- ModuleFile.cpp - an opened step module -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ModuleFile.h"

#include "Ranks.h"

#include "prec-rt/module.h"

#include <cstring>
#include <dlfcn.h>

using namespace prec::rt;

std::string prec::rt::formatHash(const Sha256::Digest &digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (uint8_t byte : digest)
    (text += kDigits[byte >> 4]) += kDigits[byte & 15];
  return text;
}

Result<std::unique_ptr<ModuleFile>> ModuleFile::read(const std::string &path) {
  return make(SealedFile::read(path), path, /*isFile=*/true);
}

Result<std::unique_ptr<ModuleFile>> ModuleFile::copy(std::string_view bytes,
                                                     const std::string &name) {
  return make(SealedFile::copy(bytes, name), name, /*isFile=*/false);
}

Result<std::unique_ptr<ModuleFile>> ModuleFile::make(Result<SealedFile> file,
                                                     const std::string &name,
                                                     bool isFile) {
  if (!file.ok())
    return file.status();
  std::unique_ptr<ModuleFile> module(new ModuleFile(std::move(*file)));
  module->contents.path = name;
  module->contents.isFile = isFile;
  if (Status status = module->parse(); !status.ok())
    return status.prefixed(name + ": ");
  return module;
}

/// Whatever else is wrong with a damaged file would mislead, so this comes
/// first.
Status ModuleFile::checkHash() {
  if (!sections.has(PREC_MODULE_MANIFEST_SECTION))
    return Status::badFile("must be a step module, but has no "
                           "section " PREC_MODULE_MANIFEST_SECTION);
  std::string_view bytes = file.bytes();
  std::string_view stored = sections.find(PREC_MODULE_HASH_SECTION);
  if (stored.size() != PREC_MODULE_HASH_BYTES)
    return Status::badFile(
        "must have a section " PREC_MODULE_HASH_SECTION " of " +
        std::to_string(PREC_MODULE_HASH_BYTES) + " bytes, but got " +
        (stored.empty() ? "none" : std::to_string(stored.size())) +
        ": compile the module again");
  size_t offset = stored.data() - bytes.data();
  Sha256 hash;
  hash.update(bytes.substr(0, offset));
  hash.update(std::string(stored.size(), '\0'));
  hash.update(bytes.substr(offset + stored.size()));
  digest = hash.finish();
  if (memcmp(digest.data(), stored.data(), digest.size()) != 0)
    return Status::badFile(
        "must be the file that the compiler wrote, but its "
        "bytes have another hash than section " PREC_MODULE_HASH_SECTION
        ": it is damaged or was changed; compile or copy it "
        "again");
  return {};
}

Status ModuleFile::parse() {
  Result<ElfSections> elf = ElfSections::parse(file.bytes());
  if (!elf.ok())
    return elf.status();
  sections = std::move(*elf);
  PREC_RT_RETURN_IF_ERROR(checkHash());
  Result<Manifest> manifest = Manifest::parse(manifestText());
  if (!manifest.ok())
    return manifest.status();
  parsed = std::move(*manifest);
  contents.manifest = &parsed;
  contents.constants = sections.find(PREC_MODULE_CONSTANTS_SECTION);
  contents.gpuImages = sections.find(PREC_MODULE_GPU_SECTION);
  int64_t constants =
      parsed.segmentSize[static_cast<size_t>(Segment::constants)];
  if (static_cast<int64_t>(contents.constants.size()) < constants)
    return Status::badFile("section " PREC_MODULE_CONSTANTS_SECTION
                           " must have " +
                           std::to_string(constants) + " bytes, but got " +
                           std::to_string(contents.constants.size()));
  contents.constants = contents.constants.substr(0, constants);
  for (const Image &image : parsed.images)
    if (image.offset + image.size >
        static_cast<int64_t>(contents.gpuImages.size()))
      return Status::badFile(
          "images must lie in section " PREC_MODULE_GPU_SECTION " of " +
          std::to_string(contents.gpuImages.size()) +
          " bytes, but got one that ends at " +
          std::to_string(image.offset + image.size));
  return {};
}

Status ModuleFile::load() {
  if (handle)
    return {};
  Status status = loadCode();
  if (status.ok())
    return status;
  if (handle)
    dlclose(std::exchange(handle, nullptr));
  return status.prefixed(path() + ": ");
}

Status ModuleFile::loadCode() {
  Result<std::string> name = file.makeLoadName();
  if (!name.ok())
    return name.status();
  handle = dlopen(name->c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::badFile(std::string("must be loadable, but got: ") +
                           dlerror());
  auto query = reinterpret_cast<prec_module_query>(
      dlsym(handle, PREC_MODULE_QUERY_SYMBOL));
  if (!query)
    return Status::badFile("must export " PREC_MODULE_QUERY_SYMBOL
                           ", but does not");
  const prec_module_v1 *table = query();
  if (!table || table->abi != PREC_MODULE_ABI)
    return Status::badFile("query table must have abi 1, but got " +
                           (table ? std::to_string(table->abi) : "no table"));
  contents.query = table;
  if (findDeviceKind(parsed.target.kind)->calls != KernelCalls::table)
    return {};
  for (const auto &[entryPoint, commands] : parsed.entryPoints)
    for (const Command &command : commands)
      if (command.kind == CommandKind::kernel &&
          (static_cast<uint32_t>(command.kernel.index) >= table->num_kernels ||
           !table->kernels[command.kernel.index]))
        return Status::badFile("kernel of command '" + command.name +
                               "' must be one of the " +
                               std::to_string(table->num_kernels) +
                               " in the query table, but got " +
                               std::to_string(command.kernel.index));
  return {};
}

ModuleFile::~ModuleFile() {
  if (handle)
    dlclose(handle);
}

std::string_view ModuleFile::manifestText() const {
  std::string_view text = sections.find(PREC_MODULE_MANIFEST_SECTION);
  // Assemblers end strings with a zero byte and pad sections with more.
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

Result<std::unique_ptr<Device>> ModuleFile::createDevice() const {
  return prec::rt::createDevice(contents);
}

Result<std::unique_ptr<Device>>
prec::rt::createDevice(const ModuleImage &module) {
  PREC_RT_RETURN_IF_ERROR(
      checkRanks(*module.manifest, module.options.ranks.get()));
  const std::string &wanted = module.manifest->target.kind;
#define PREC_DEVICE(kind, calls, Symbol)                                       \
  if (wanted == #kind)                                                         \
    return create##Symbol##Device(module);
#include "prec-rt/devices.def"
  return Status::unsupported(
      "target.kind must be one that this runtime has, but got " + wanted);
}
