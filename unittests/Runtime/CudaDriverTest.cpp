//===- CudaDriverTest.cpp - what CUDA's absence looks like ----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CudaKernels.h"
#include "DynamicLibrary.h"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace prec::rt;

TEST(CudaDriver, AbsenceIsNamed) {
  if (void *driver = dlopen("libcuda.so.1", RTLD_NOW)) {
    dlclose(driver);
    GTEST_SKIP() << "this machine has a driver";
  }
  Manifest manifest{};
  ModuleImage module{};
  module.manifest = &manifest;
  Result<std::unique_ptr<Device>> device = createCudaDevice(module);
  ASSERT_FALSE(device.ok());
  const std::string &message = device.status().message();
  EXPECT_EQ(message.find("the NVIDIA driver, which a CUDA module needs, must "
                         "be installed, but got "),
            0u)
      << message;
  EXPECT_NE(message.find("libcuda.so.1"), std::string::npos) << message;
}

TEST(CudaDynamicLibrary, TellsWhereItSearched) {
  Result<DynamicLibrary> library = DynamicLibrary::open(
      "cuNONE 1.0", "libcunone.so.1", {"/no/such/folder", "/another"});
  ASSERT_FALSE(library.ok());
  const std::string &message = library.status().message();
  for (const char *part :
       {"cuNONE 1.0", "libcunone.so.1", "/no/such/folder", "/another"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(CudaDynamicLibrary, FindsTheFoldersOfPythonPackages) {
  namespace fs = std::filesystem;
  std::string pattern = fs::temp_directory_path() / "packages.XXXXXX";
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  fs::path folder = pattern;
  fs::create_directories(folder / "part" / "lib");
  // Found, and not a library: the loader's own reason must come through.
  std::ofstream(folder / "part" / "lib" / "libcunone.so.1") << "text";
  Result<DynamicLibrary> library =
      DynamicLibrary::open("cuNONE", "libcunone.so.1", {folder.string()});
  ASSERT_FALSE(library.ok());
  EXPECT_NE(library.status().message().find("must be loadable"),
            std::string::npos)
      << library.status().message();
  EXPECT_NE(library.status().message().find("part/lib/libcunone.so.1"),
            std::string::npos)
      << library.status().message();
  fs::remove_all(folder);
}

TEST(CudaChip, FitsItsOwnArchitecture) {
  CudaDeviceInfo hopper{"NVIDIA H200", 9, 0}, ampere{"NVIDIA A100", 8, 0},
      blackwell{"NVIDIA B200", 10, 0};
  EXPECT_TRUE(checkChip("sm_90a", hopper).ok());
  EXPECT_TRUE(checkChip("sm_90", hopper).ok());
  EXPECT_TRUE(checkChip("sm_80", hopper).ok());
  EXPECT_TRUE(checkChip("sm_90", blackwell).ok());
  EXPECT_TRUE(checkChip("sm_100a", blackwell).ok());
  for (const char *chip : {"sm_90a", "sm_100a"})
    for (const CudaDeviceInfo &device : {ampere, hopper, blackwell})
      if (checkChip(chip, device).ok()) {
        EXPECT_EQ(device.chip() + "a", chip);
      }
  for (const char *chip : {"", "sm_", "sm_9x", "sm_90x", "x86-64-v3", "90"})
    EXPECT_EQ(checkChip(chip, hopper).message(),
              "module is for " + std::string(chip) +
                  ", but got sm_90 (NVIDIA H200)");
  EXPECT_EQ(checkChip("sm_90a", ampere).message(),
            "module is for sm_90a, but got sm_80 (NVIDIA A100)");
}
