# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The compiler as a library for other compilers: Prec::Prec, and its
# installation. The package itself, with the runtime, is in PrecInstallRuntime.
include(GNUInstallDirs)

# One archive of all libraries, so that nobody needs to know their order. Where
# they are shared, whoever links this links each.
get_property(prec_libs GLOBAL PROPERTY PREC_LIBS)
if(BUILD_SHARED_LIBS)
  add_library(Prec INTERFACE)
  target_link_libraries(Prec INTERFACE ${prec_libs})
else()
  list(TRANSFORM prec_libs REPLACE "(.+)" "$<TARGET_OBJECTS:obj.\\1>" OUTPUT_VARIABLE prec_objects)
  add_library(Prec STATIC ${prec_objects})
  set_target_properties(Prec PROPERTIES
    LINKER_LANGUAGE CXX ARCHIVE_OUTPUT_DIRECTORY ${LLVM_LIBRARY_OUTPUT_INTDIR})
endif()
add_dependencies(Prec PrecDialectsIncGen)
add_library(Prec::Prec ALIAS Prec)

# Private headers of lib/ are no part of it.
target_include_directories(Prec INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(Prec INTERFACE cxx_std_17)
# An installation names MLIR and LLVM where it is found (PrecConfig.cmake.in).
target_include_directories(Prec SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>" "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
list(TRANSFORM LLVM_DEFINITIONS_LIST REPLACE "^-D" "" OUTPUT_VARIABLE prec_definitions)
target_compile_definitions(Prec INTERFACE "$<BUILD_INTERFACE:${prec_definitions}>")
target_link_libraries(Prec INTERFACE $<BUILD_INTERFACE:MLIR> $<BUILD_INTERFACE:LLVM>)
if(NOT LLVM_ENABLE_RTTI)
  target_compile_options(Prec INTERFACE $<BUILD_INTERFACE:$<$<COMPILE_LANGUAGE:CXX>:-fno-rtti>>)
endif()

# The C API: whoever links it needs nothing of C++. The core of MLIR's own C API,
# which Debian has as archives only, is in it, so that a host links one library.
find_library(PREC_MLIR_CAPI_ARCHIVE libMLIRCAPIIR.a PATHS ${LLVM_LIBRARY_DIR} NO_DEFAULT_PATH REQUIRED)
if(BUILD_SHARED_LIBS)
  file(GLOB prec_c_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lib/CAPI/*.cpp)
else()
  set(prec_c_sources $<TARGET_OBJECTS:obj.PrecCAPI>)
endif()
set(prec_c_exports ${PROJECT_SOURCE_DIR}/lib/CAPI/PrecC.map)
prec_add_linked_library(PrecC SHARED ${prec_c_sources})
target_link_libraries(PrecC PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,${PREC_MLIR_CAPI_ARCHIVE}>)
target_link_options(PrecC PRIVATE -Wl,--version-script=${prec_c_exports})
set_target_properties(PrecC PROPERTIES
  LINKER_LANGUAGE CXX LINK_DEPENDS ${prec_c_exports} EXPORT_NAME C
  VERSION ${PREC_VERSION} SOVERSION ${PREC_VERSION_MAJOR}.${PREC_VERSION_MINOR})
target_include_directories(PrecC INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_include_directories(PrecC SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>" "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
add_library(Prec::C ALIAS PrecC)

if(NOT PREC_INSTALL)
  return()
endif()
get_property(prec_tools GLOBAL PROPERTY PREC_TOOLS)
install(TARGETS Prec PrecC EXPORT PrecTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# What programs load, and nobody links.
install(TARGETS PrecPlugin LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(BUILD_SHARED_LIBS)
  install(TARGETS ${prec_libs} EXPORT PrecTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(TARGETS ${prec_tools} EXPORT PrecTargets
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/prec ${PROJECT_SOURCE_DIR}/include/prec-c
                  ${PROJECT_BINARY_DIR}/include/prec
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
install(EXPORT PrecTargets NAMESPACE Prec:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Prec)
# LLVM's libraries are where they were when prec was built.
file(RELATIVE_PATH prec_lib /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
set_target_properties(${prec_tools} PROPERTIES INSTALL_RPATH "$ORIGIN/${prec_lib};${LLVM_LIBRARY_DIR}")
if(BUILD_SHARED_LIBS)
  set_target_properties(${prec_libs} PROPERTIES INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
endif()
