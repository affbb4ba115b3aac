# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of the CUDA half of the runtime, included by runtime/lib/cuda.
#
# prec-rt-cuda-host-tests: what needs neither GPU nor driver.
# prec-rt-cuda-fake-tests: the device on stand-ins for libcuda and libcublasLt.
# libnccl's serves test/Runtime/test_cuda_ranks.py.
# prec-rt-cuda-gpu-tests:  the device on a GPU; skipped where there is none.
#                          --cuda-library-path=DIR says where cuDNN is.

find_package(GTest REQUIRED)
set(cuda_tests ${CMAKE_CURRENT_LIST_DIR})

function(add_cuda_test name)
  add_executable(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_include_directories(${name} SYSTEM PRIVATE ${cuda_include_dirs})
  target_compile_options(${name} PRIVATE ${cuda_warnings})
  target_link_libraries(${name} PRIVATE prec-rt-objects GTest::gtest)
  # Their fixtures have one another's names.
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  add_test(NAME ${name} COMMAND ${name})
endfunction()

# A library with the file name and the soname of NVIDIA's, in `folder`.
function(add_fake_library name folder file source)
  add_library(${name} SHARED ${source})
  target_include_directories(${name} SYSTEM PRIVATE ${cuda_include_dirs})
  target_compile_options(${name} PRIVATE ${cuda_warnings})
  string(REGEX MATCH "^[^.]+" base ${file})
  string(REGEX REPLACE "^[^.]+" "" suffix ${file})
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${base} SUFFIX ${suffix}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${folder})
endfunction()

add_cuda_test(prec-rt-cuda-host-tests
  ${cuda_tests}/CudaAlgorithmFileTest.cpp
  ${cuda_tests}/CudaConvProblemTest.cpp
  ${cuda_tests}/CudaDriverTest.cpp
  ${cuda_tests}/CudaGemmProblemTest.cpp
  ${cuda_tests}/CudaRanksTest.cpp
  ${cuda_tests}/CudaSdpaProblemTest.cpp
  ${cuda_tests}/CudaTestMain.cpp)

add_cuda_test(prec-rt-cuda-gpu-tests
  ${cuda_tests}/CudaConvTest.cpp
  ${cuda_tests}/CudaDeviceTest.cpp
  ${cuda_tests}/CudaGemmTest.cpp
  ${cuda_tests}/CudaSdpaTest.cpp
  ${cuda_tests}/CudaTestMain.cpp)

function(add_fake_driver name folder)
  add_fake_library(${name} ${folder} libcuda.so.1
    ${cuda_tests}/FakeCuda/FakeDriver.cpp)
  target_include_directories(${name} PRIVATE
    ${CMAKE_CURRENT_SOURCE_DIR}/../common)
  target_compile_definitions(${name} PRIVATE ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_20)
endfunction()
add_fake_driver(prec-fake-cuda fake)
# Machines that test/Runtime/test_cuda_refusals.py and test_cuda_ranks.py
# pretend to run on.
add_fake_driver(prec-fake-cuda-old fake-old FAKE_CUDA_VERSION=12080)
add_fake_driver(prec-fake-cuda-no-gpu fake-no-gpu FAKE_GPU_COUNT=0)
add_fake_driver(prec-fake-cuda-ampere fake-ampere FAKE_COMPUTE_MAJOR=8)
add_fake_driver(prec-fake-cuda-apart fake-apart FAKE_MAPS_MEMORY=false)
add_fake_driver(prec-fake-cuda-small fake-small FAKE_MEMORY=65536)
add_fake_library(prec-fake-cublaslt fake libcublasLt.so.13
  ${cuda_tests}/FakeCuda/FakeCublasLt.cpp)
target_link_libraries(prec-fake-cublaslt PRIVATE prec-rt-objects prec-fake-cuda)
function(add_fake_nccl name folder)
  add_fake_library(${name} ${folder} libnccl.so.2
    ${cuda_tests}/FakeCuda/FakeNccl.cpp)
  target_compile_definitions(${name} PRIVATE ${ARGN})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_link_libraries(${name} PRIVATE prec-fake-cuda Threads::Threads)
endfunction()
add_fake_nccl(prec-fake-nccl fake)
add_fake_nccl(prec-fake-nccl-idle fake-idle FAKE_MOVES_BYTES=false)

add_cuda_test(prec-rt-cuda-fake-tests
  ${cuda_tests}/CudaDeviceTest.cpp
  ${cuda_tests}/CudaOptionsTest.cpp
  ${cuda_tests}/CudaFakeTest.cpp
  ${cuda_tests}/CudaGemmTest.cpp
  ${cuda_tests}/CudaPartsTest.cpp
  ${cuda_tests}/CudaTestMain.cpp)
add_dependencies(prec-rt-cuda-fake-tests prec-fake-cuda prec-fake-cublaslt)
# dlopen searches it first: the stand-ins win over a driver that is there.
set_target_properties(prec-rt-cuda-fake-tests PROPERTIES
  BUILD_RPATH ${CMAKE_CURRENT_BINARY_DIR}/fake)
