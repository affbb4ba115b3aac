//===- StepModule.cpp - the ELF file of a step module ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the ELF file. Manifest, GPU images, constants and a hash become
// sections of an object file that LLVM emits for the host, together with a
// function that returns the table of CPU kernels; ld.lld links it with the
// object of these kernels. Then the SHA-256 of the whole file, taken with the
// bytes of the hash being zero, is written into its section. All of it happens
// in a new private folder beside the output, and the last step is a rename: a
// reader sees the old module or the whole new one. Whoever links by a function
// of its own, or wants bytes and no file, gets the same without that folder.
//
//===----------------------------------------------------------------------===//
#include "prec/Emit/StepModule.h"

#include "prec-rt/module.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cerrno>
#include <system_error>
#include <unistd.h>

using namespace llvm;
using namespace prec;

/// Read-only bytes in a section of their own.
static void addSection(Module &module, StringRef name, StringRef bytes) {
  Constant *data = ConstantDataArray::getString(module.getContext(), bytes,
                                                /*AddNull=*/false);
  auto *global =
      new GlobalVariable(module, data->getType(), /*isConstant=*/true,
                         GlobalValue::PrivateLinkage, data, "prec" + name);
  global->setSection(name);
  global->setAlignment(Align(16));
  appendToUsed(module, {global});
}

/// `const prec_module_v1 *prec_module_query_v1(void)`.
static void addQuery(Module &module, ArrayRef<std::string> kernels) {
  LLVMContext &context = module.getContext();
  auto *pointer = PointerType::getUnqual(context);
  auto *i32 = llvm::Type::getInt32Ty(context);
  SmallVector<Constant *> entries;
  auto *kernelType =
      llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                              {pointer, llvm::Type::getInt64Ty(context),
                               llvm::Type::getInt64Ty(context)},
                              /*isVarArg=*/false);
  for (const std::string &kernel : kernels)
    entries.push_back(cast<Constant>(
        module.getOrInsertFunction(kernel, kernelType).getCallee()));
  auto *tableType = ArrayType::get(pointer, entries.size());
  auto *table = new GlobalVariable(
      module, tableType, /*isConstant=*/true, GlobalValue::InternalLinkage,
      ConstantArray::get(tableType, entries), "prec_kernels");
  auto *headerType = StructType::get(context, {i32, i32, pointer});
  auto *header = new GlobalVariable(
      module, headerType, /*isConstant=*/true, GlobalValue::InternalLinkage,
      ConstantStruct::get(headerType,
                          {ConstantInt::get(i32, PREC_MODULE_ABI),
                           ConstantInt::get(i32, entries.size()), table}),
      "prec_header");
  auto *query = Function::Create(llvm::FunctionType::get(pointer, false),
                                 GlobalValue::ExternalLinkage,
                                 PREC_MODULE_QUERY_SYMBOL, module);
  IRBuilder<> builder(BasicBlock::Create(context, "entry", query));
  builder.CreateRet(header);
}

static Expected<std::unique_ptr<TargetMachine>> createHostMachine() {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  Triple triple(sys::getDefaultTargetTriple());
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return createStringError(message);
  return std::unique_ptr<TargetMachine>(target->createTargetMachine(
      triple, "generic", "", TargetOptions(), Reloc::PIC_));
}

static Error writeBytes(StringRef path, StringRef bytes) {
  std::error_code error;
  raw_fd_ostream os(path, error);
  if (error)
    return errorCodeToError(error);
  os << bytes;
  os.close();
  error = os.error();
  os.clear_error();
  return errorCodeToError(error);
}

/// The bytes of an object that has everything but kernels of a CPU.
static Expected<std::string> emitObject(const StepModuleParts &parts) {
  Expected<std::unique_ptr<TargetMachine>> machine = createHostMachine();
  if (!machine)
    return machine.takeError();
  LLVMContext context;
  Module module("prec step module", context);
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  addSection(module, PREC_MODULE_MANIFEST_SECTION, parts.manifest);
  if (!parts.images.empty())
    addSection(module, PREC_MODULE_GPU_SECTION, parts.images);
  if (!parts.constants.empty())
    addSection(module, PREC_MODULE_CONSTANTS_SECTION, parts.constants);
  // Stamped once the file is linked.
  addSection(module, PREC_MODULE_HASH_SECTION,
             std::string(PREC_MODULE_HASH_BYTES, '\0'));
  addQuery(module, parts.tableKernels);

  SmallVector<char, 0> bytes;
  raw_svector_ostream os(bytes);
  legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, os, nullptr,
                                      CodeGenFileType::ObjectFile))
    return createStringError("the host target must emit object files");
  passes.run(module);
  return os.str().str();
}

/// Where section PREC_MODULE_HASH_SECTION lies in the file.
static Expected<uint64_t> findHash(MemoryBufferRef file) {
  Expected<object::ELF64LEObjectFile> object =
      object::ELF64LEObjectFile::create(file);
  if (!object)
    return object.takeError();
  for (const object::ELFSectionRef section : object->sections()) {
    Expected<StringRef> name = section.getName();
    if (!name)
      return name.takeError();
    if (*name == PREC_MODULE_HASH_SECTION &&
        section.getSize() == PREC_MODULE_HASH_BYTES)
      return section.getOffset();
  }
  return createStringError(
      "the linker must keep section " PREC_MODULE_HASH_SECTION
      ", but got none");
}

/// Writes the hash of the whole image, whose own bytes are zero so far, into
/// it.
static Error stampHashInMemory(std::string &image) {
  Expected<uint64_t> offset = findHash(MemoryBufferRef(image, "step module"));
  if (!offset)
    return offset.takeError();
  std::array<uint8_t, PREC_MODULE_HASH_BYTES> digest =
      SHA256::hash(arrayRefFromStringRef(image));
  std::copy(digest.begin(), digest.end(), image.begin() + *offset);
  return Error::success();
}

/// The same in a file.
static Error stampHash(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return errorCodeToError(file.getError());
  Expected<uint64_t> offset = findHash(**file);
  if (!offset)
    return offset.takeError();
  std::array<uint8_t, PREC_MODULE_HASH_BYTES> digest =
      SHA256::hash(arrayRefFromStringRef((*file)->getBuffer()));
  int descriptor = -1;
  if (std::error_code error = sys::fs::openFileForReadWrite(
          path, descriptor, sys::fs::CD_OpenExisting, sys::fs::OF_None))
    return errorCodeToError(error);
  raw_fd_ostream os(descriptor, /*shouldClose=*/true);
  os.seek(*offset);
  os.write(reinterpret_cast<const char *>(digest.data()), digest.size());
  os.close();
  std::error_code error = os.error();
  os.clear_error();
  return errorCodeToError(error);
}

/// The data reaches the disk before the new name does.
static Error syncAndRename(StringRef from, StringRef to) {
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(from);
  if (!file)
    return file.takeError();
  int status = ::fsync(*file);
  std::error_code closed = sys::fs::closeFile(*file);
  if (status != 0)
    return errorCodeToError(std::error_code(errno, std::generic_category()));
  return errorCodeToError(closed ? closed : sys::fs::rename(from, to));
}

/// The linker maps its output: out of space it would end by a bus error.
static Error checkSpace(ArrayRef<std::string> objects) {
  uint64_t needed = 0;
  for (StringRef object : objects) {
    uint64_t size = 0;
    if (std::error_code error = sys::fs::file_size(object, size))
      return errorCodeToError(error);
    needed += size;
  }
  ErrorOr<sys::fs::space_info> space = sys::fs::disk_space(objects.front());
  if (space && space->available < needed)
    return errorCodeToError(
        std::make_error_code(std::errc::no_space_on_device));
  return Error::success();
}

/// Links `objects`; what the linker has to say is the reason of the error.
static Error link(StringRef linker, ArrayRef<std::string> objects,
                  StringRef output, StringRef log) {
  if (Error error = checkSpace(objects))
    return error;
  // A program of several tools links by that name.
  SmallVector<StringRef> arguments = {
      "ld.lld", "-shared",     "--no-undefined-version",
      "-z",     "noexecstack", "-z",
      "relro",  "-o",          output};
  llvm::append_range(arguments, objects);
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(), log};
  std::string message;
  int status =
      sys::ExecuteAndWait(linker, arguments, std::nullopt, redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status == 0)
    return Error::success();
  if (ErrorOr<std::unique_ptr<MemoryBuffer>> text = MemoryBuffer::getFile(log);
      text && message.empty())
    message = (*text)->getBuffer().split('\n').first.str();
  return createStringError("the linker must succeed, but got exit code " +
                           Twine(status) + " from " + linker +
                           (message.empty() ? "" : ": " + message));
}

/// A new folder beside `path` that only this user can change.
static Expected<std::string> createPrivateFolder(StringRef path) {
  SmallString<128> stem = path;
  if (std::error_code error = sys::fs::make_absolute(stem))
    return errorCodeToError(error);
  for (;;) {
    // A path may hold percent signs of its own.
    SmallString<16> end;
    sys::fs::createUniquePath(".%%%%%%%%.tmp", end, /*MakeAbsolute=*/false);
    SmallString<128> folder = stem;
    folder += end;
    std::error_code error = sys::fs::create_directory(
        folder, /*IgnoreExisting=*/false, sys::fs::owner_all);
    if (!error)
      return std::string(folder);
    if (error != std::errc::file_exists)
      return errorCodeToError(error);
  }
}

/// Where a module is made that replaces the file: a folder that nobody else can
/// prepare, beside it, so that the last step is a rename. Absolute, since a
/// linker takes "-o" for an option.
static Expected<std::string> createFolderBeside(StringRef path) {
  // A rename would take the place of a device or a pipe.
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) &&
      status.type() != sys::fs::file_type::regular_file)
    return createStringError("it is no regular file");
  return createPrivateFolder(path);
}

/// The table of the module, then its kernels.
static SmallVector<StringRef> listObjects(StringRef table,
                                          const StepModuleParts &parts) {
  SmallVector<StringRef> objects = {table};
  objects.append(parts.objects.begin(), parts.objects.end());
  return objects;
}

/// Writes a file for each object, and its path to `paths`.
static Error writeObjects(StringRef folder, ArrayRef<StringRef> objects,
                          SmallVectorImpl<std::string> &paths) {
  for (StringRef object : objects) {
    paths.push_back((folder + "/" + Twine(paths.size()) + ".o").str());
    if (Error error = writeBytes(paths.back(), object))
      return error;
  }
  return Error::success();
}

static void removeFolder(StringRef folder, ArrayRef<std::string> objects,
                         StringRef linked, StringRef log) {
  for (StringRef file : objects)
    (void)sys::fs::remove(file);
  for (StringRef file : {linked, log})
    (void)sys::fs::remove(file);
  (void)sys::fs::remove(folder);
}

static Error writeFiles(StringRef path, const StepModuleParts &parts,
                        StringRef linker) {
  Expected<std::string> folder = createFolderBeside(path);
  if (!folder)
    return folder.takeError();
  std::string linked = *folder + "/module.so", log = *folder + "/log";
  SmallVector<std::string> paths;
  scope_exit cleanup([&] { removeFolder(*folder, paths, linked, log); });
  Expected<std::string> table = emitObject(parts);
  if (!table)
    return table.takeError();
  if (Error error = writeObjects(*folder, listObjects(*table, parts), paths))
    return error;
  if (Error error = link(linker, paths, linked, log))
    return error;
  if (Error error = stampHash(linked))
    return error;
  return syncAndRename(linked, path);
}

static Error writeImage(StringRef path, StringRef bytes) {
  Expected<std::string> folder = createFolderBeside(path);
  if (!folder)
    return folder.takeError();
  std::string made = *folder + "/module.so";
  scope_exit cleanup([&] {
    (void)sys::fs::remove(made);
    (void)sys::fs::remove(*folder);
  });
  if (Error error = writeBytes(made, bytes))
    return error;
  return syncAndRename(made, path);
}

static Error describeOutput(StringRef path, Error error) {
  if (!error)
    return error;
  return createStringError("a step module must be written, but got '" + path +
                           "': " + toString(std::move(error)));
}

Error prec::writeStepModule(StringRef path, const StepModuleParts &parts,
                            StringRef linker) {
  return describeOutput(path, writeFiles(path, parts, linker));
}

Error prec::writeStepModule(StringRef path, StringRef bytes) {
  return describeOutput(path, writeImage(path, bytes));
}

Expected<std::string> prec::makeStepModule(const StepModuleParts &parts,
                                           const LinkFunction &link) {
  Expected<std::string> table = emitObject(parts);
  if (!table)
    return table.takeError();
  Expected<std::string> image = link(listObjects(*table, parts));
  if (!image)
    return image.takeError();
  if (Error error = stampHashInMemory(*image))
    return error;
  return image;
}

static Expected<std::string> linkInFolder(StringRef linker,
                                          ArrayRef<StringRef> objects) {
  SmallString<128> stem;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, stem);
  sys::path::append(stem, "prec");
  Expected<std::string> folder = createPrivateFolder(stem);
  if (!folder)
    return folder.takeError();
  std::string linked = *folder + "/module.so", log = *folder + "/log";
  SmallVector<std::string> paths;
  scope_exit cleanup([&] { removeFolder(*folder, paths, linked, log); });
  if (Error error = writeObjects(*folder, objects, paths))
    return error;
  if (Error error = link(linker, paths, linked, log))
    return error;
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(
      linked, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return errorCodeToError(file.getError());
  return (*file)->getBuffer().str();
}

LinkFunction prec::linkByProgram(std::string linker) {
  return [linker = std::move(linker)](ArrayRef<StringRef> objects) {
    return linkInFolder(linker, objects);
  };
}

Expected<std::string> prec::findLinker() {
#ifdef PREC_LLVM_BINARY_DIR
  SmallVector<StringRef, 1> bundled = {PREC_LLVM_BINARY_DIR};
  if (ErrorOr<std::string> found = sys::findProgramByName("ld.lld", bundled))
    return *found;
#endif
  for (StringRef name : {"ld.lld-22", "ld.lld"})
    if (ErrorOr<std::string> found = sys::findProgramByName(name))
      return *found;
  return createStringError("a step module is linked by ld.lld, but got none "
                           "beside LLVM or on PATH");
}
