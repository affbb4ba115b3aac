//===- ModuleFile.cpp - an opened step module -----------------------------===//

#include "ModuleFile.h"

#include "prec-rt/module.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>

using namespace prec::rt;

static constexpr std::string_view manifestSection = ".prec.manifest";

Result<std::unique_ptr<ModuleFile>> ModuleFile::open(const std::string &path) {
  Result<ElfFile> elf = ElfFile::open(path);
  if (!elf.ok())
    return elf.status();
  auto fail = [&](const std::string &message) {
    return Status::error(path + ": " + message);
  };
  if (!elf->hasSection(manifestSection))
    return fail("must be a step module, but has no section .prec.manifest");
  std::string_view text = elf->section(manifestSection);
  // Assemblers end strings with a zero byte and pad sections with more.
  text = text.substr(0, text.find_last_not_of('\0') + 1);
  Result<Manifest> manifest = Manifest::parse(text);
  if (!manifest.ok())
    return fail(manifest.status().message());
  std::unique_ptr<ModuleFile> module(
      new ModuleFile(std::move(*elf), std::move(*manifest)));
  if (Status status = module->load(path); !status.ok())
    return fail(status.message());
  return module;
}

Status ModuleFile::load(const std::string &path) {
  contents.manifest = &parsed;
  contents.path = path;
  contents.constants = elf.section(".prec.constants");
  contents.gpuImages = elf.section(".prec.gpu");
  int64_t constants =
      parsed.segmentSize[static_cast<size_t>(Segment::constants)];
  if (static_cast<int64_t>(contents.constants.size()) < constants)
    return Status::error("section .prec.constants must have " +
                         std::to_string(constants) + " bytes, but got " +
                         std::to_string(contents.constants.size()));
  contents.constants = contents.constants.substr(0, constants);
  for (const Image &image : parsed.images)
    if (image.offset + image.size >
        static_cast<int64_t>(contents.gpuImages.size()))
      return Status::error("images must lie in section .prec.gpu of " +
                           std::to_string(contents.gpuImages.size()) +
                           " bytes, but got one that ends at " +
                           std::to_string(image.offset + image.size));

  char resolved[PATH_MAX];
  if (!realpath(path.c_str(), resolved))
    return Status::error("must have a resolvable path, but has not");
  handle = dlopen(resolved, RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status::error(std::string("must be loadable, but got: ") +
                         dlerror());
  auto query = reinterpret_cast<prec_module_query>(
      dlsym(handle, PREC_MODULE_QUERY_SYMBOL));
  if (!query)
    return Status::error("must export prec_module_query_v1, but does not");
  const prec_module_v1 *table = query();
  if (!table || table->abi != PREC_MODULE_ABI)
    return Status::error("query table must have abi 1, but got " +
                         (table ? std::to_string(table->abi) : "no table"));
  contents.query = table;
  if (parsed.targetKind != "cpu")
    return {};
  for (const auto &[entryPoint, commands] : parsed.entryPoints)
    for (const Command &command : commands)
      if (command.kind == CommandKind::kernel &&
          (static_cast<uint32_t>(command.kernel.index) >= table->num_kernels ||
           !table->kernels[command.kernel.index]))
        return Status::error("kernel of command '" + command.name +
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
  std::string_view text = elf.section(manifestSection);
  return text.substr(0, text.find_last_not_of('\0') + 1);
}

Result<std::unique_ptr<Device>> ModuleFile::createDevice() const {
  return parsed.targetKind == "cpu" ? createCpuDevice(contents)
                                    : createCudaDevice(contents);
}
