//===- ElfFile.cpp - sections of a shared object, unloaded ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ElfFile.h"

#include <cstring>
#include <elf.h>

using namespace prec::rt;

#if defined(__x86_64__)
static constexpr uint16_t hostMachine = EM_X86_64;
#elif defined(__aarch64__)
static constexpr uint16_t hostMachine = EM_AARCH64;
#else
#error "no ELF machine number for this host"
#endif

/// Copies a header out of the file: its address need not be aligned.
template <typename T>
static bool readAt(std::string_view bytes, uint64_t offset, T &result) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return false;
  memcpy(&result, bytes.data() + offset, sizeof(T));
  return true;
}

static bool within(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

Status ElfSections::read(std::string_view bytes) {
  Elf64_Ehdr header;
  if (!readAt(bytes, 0, header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return Status::badFile("must be an ELF shared object, but is not");
  if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_DYN)
    return Status::badFile("must be a 64-bit little-endian shared object, but "
                           "got another kind of ELF file");
  if (header.e_machine != hostMachine)
    return Status::badFile("must be for machine " +
                           std::to_string(hostMachine) + ", but got " +
                           std::to_string(header.e_machine));
  if (header.e_phentsize != sizeof(Elf64_Phdr) ||
      header.e_shentsize != sizeof(Elf64_Shdr))
    return Status::badFile("must have standard ELF header sizes, but has not");

  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    uint64_t offset = header.e_phoff + i * sizeof(Elf64_Phdr);
    if (header.e_phoff > bytes.size() || !readAt(bytes, offset, segment))
      return Status::badFile("program headers must lie in the file: truncated");
    if (segment.p_type != PT_NULL &&
        !within(bytes, segment.p_offset, segment.p_filesz))
      return Status::badFile("segment " + std::to_string(i) +
                             " must lie in the file: truncated");
  }

  if (header.e_shoff == 0 || header.e_shoff > bytes.size() ||
      header.e_shstrndx >= header.e_shnum)
    return Status::badFile("must have a section table, but it is missing or "
                           "truncated");
  auto sectionHeader = [&](uint64_t index, Elf64_Shdr &section) {
    return readAt(bytes, header.e_shoff + index * sizeof(section), section) &&
           (section.sh_type == SHT_NOBITS ||
            within(bytes, section.sh_offset, section.sh_size));
  };
  Elf64_Shdr nameSection;
  if (!sectionHeader(header.e_shstrndx, nameSection) ||
      nameSection.sh_type != SHT_STRTAB)
    return Status::badFile("section names must lie in the file: truncated");
  std::string_view names =
      bytes.substr(nameSection.sh_offset, nameSection.sh_size);
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!sectionHeader(i, section))
      return Status::badFile("section " + std::to_string(i) +
                             " must lie in the file: truncated");
    if (section.sh_type == SHT_NULL || section.sh_type == SHT_NOBITS)
      continue;
    size_t end = names.find('\0', section.sh_name);
    if (section.sh_name >= names.size() || end == std::string_view::npos)
      return Status::badFile(
          "section " + std::to_string(i) +
          " must have a name, but it lies outside the table");
    sections.emplace(names.substr(section.sh_name, end - section.sh_name),
                     bytes.substr(section.sh_offset, section.sh_size));
  }
  return {};
}

Result<ElfSections> ElfSections::parse(std::string_view bytes) {
  ElfSections result;
  if (Status status = result.read(bytes); !status.ok())
    return status;
  return result;
}

bool ElfSections::has(std::string_view name) const {
  return sections.find(name) != sections.end();
}

std::string_view ElfSections::find(std::string_view name) const {
  auto it = sections.find(name);
  return it == sections.end() ? std::string_view() : it->second;
}
