# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include(PrecEmbedFiles)
include(PrecPrecompile)

# prec_precompile_mlir(Name [libs...]): prec-pch-Name has cmake/pch/Name.h
# precompiled, with the options of sources of the compiler that link `libs`.
function(prec_precompile_mlir name)
  if(PREC_PCH)
    prec_precompile(prec-pch-${name} ${name}.h)
    llvm_update_compile_flags(prec-pch-${name})
    target_link_libraries(prec-pch-${name} PRIVATE ${ARGN})
    add_dependencies(prec-pch-${name} PrecDialectsIncGen)
  endif()
endfunction()

# prec_add_library(NAME [DEPENDS targets...] [LINK_LIBS libs...]
#                  [PRECOMPILED Name|NONE] [APART sources...|ALL])
# An object library of all sources in a folder of lib/, which names the
# libraries that it includes headers of (utils/check-includes). With BUILD_SHARED_LIBS a shared
# library, which must link without undefined symbols. Sources that are APART
# have names that others have, too, and are compiled by themselves in every
# preset.
function(prec_add_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "DEPENDS;LINK_LIBS;APART" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
    RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED Compiler)
  endif()
  set(objects obj.${name})
  if(BUILD_SHARED_LIBS)
    set(objects ${name})
    add_mlir_library(${name} ${sources} SHARED
      DEPENDS ${ARG_DEPENDS} PrecDialectsIncGen
      LINK_LIBS PUBLIC ${ARG_LINK_LIBS} MLIR LLVM
      EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL PARTIAL_SOURCES_INTENDED)
  else()
    add_mlir_library(${name} ${sources} OBJECT
      DEPENDS ${ARG_DEPENDS} PrecDialectsIncGen
      LINK_LIBS PUBLIC ${ARG_LINK_LIBS}
      EXCLUDE_FROM_LIBMLIR DISABLE_INSTALL PARTIAL_SOURCES_INTENDED)
  endif()
  # Of headers that a source does not need, code would be left that does.
  if(NOT ARG_PRECOMPILED STREQUAL "NONE")
    prec_use_precompiled(${objects} prec-pch-${ARG_PRECOMPILED})
  endif()
  if(ARG_APART STREQUAL "ALL")
    set_target_properties(${objects} PROPERTIES UNITY_BUILD OFF)
  elseif(ARG_APART)
    set_source_files_properties(${ARG_APART} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  set_property(GLOBAL APPEND PROPERTY PREC_LIBS ${name})
endfunction()

# prec_add_passes(Folder): Passes.td of include/prec/Folder.
function(prec_add_passes folder)
  set(LLVM_TARGET_DEFINITIONS Passes.td)
  mlir_tablegen(Passes.h.inc -gen-pass-decls -name Prec${folder})
  add_mlir_generic_tablegen_target(Prec${folder}PassesIncGen)
endfunction()

# prec_add_program(NAME SOURCES...): an executable that links every prec library.
function(prec_add_program name)
  add_llvm_executable(${name} DISABLE_LLVM_LINK_LLVM_DYLIB
    PARTIAL_SOURCES_INTENDED ${ARGN})
  llvm_update_compile_flags(${name})
  prec_use_precompiled(${name} prec-pch-Compiler)
  get_property(libs GLOBAL PROPERTY PREC_LIBS)
  target_link_libraries(${name} PRIVATE ${libs} MLIR LLVM)
endfunction()

# prec_add_linked_library(NAME SHARED|MODULE SOURCES...): a library that links
# every prec library and LLVM's shared ones.
function(prec_add_linked_library name)
  add_library(${name} ${ARGN})
  llvm_update_compile_flags(${name})
  add_dependencies(${name} PrecDialectsIncGen)
  get_property(libs GLOBAL PROPERTY PREC_LIBS)
  target_link_libraries(${name} PRIVATE ${libs} MLIR LLVM)
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${LLVM_LIBRARY_OUTPUT_INTDIR}
    BUILD_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}" INSTALL_RPATH "$ORIGIN;${LLVM_LIBRARY_DIR}")
endfunction()

# prec_add_tool(NAME SOURCES... [LINK_LIBS libs...]): a tool of users', which
# links every prec library, or these alone. One of its sources defines
# NAME_main, with _ for -, as tools/ToolContext.h declares. It is an executable,
# or with PREC_STATIC_LLVM a part of prec-tools.
function(prec_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  string(REPLACE "-" "_" PREC_TOOL ${name})
  set(objects tool.${name})
  add_library(${objects} OBJECT ${ARG_UNPARSED_ARGUMENTS})
  llvm_update_compile_flags(${objects})
  target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  add_dependencies(${objects} PrecDialectsIncGen)
  if(NOT ARG_LINK_LIBS)
    prec_use_precompiled(${objects} prec-pch-Compiler)
  endif()
  set_property(GLOBAL APPEND PROPERTY PREC_TOOLS ${name})
  if(PREC_STATIC_LLVM)
    return()
  endif()
  set(main ${CMAKE_CURRENT_BINARY_DIR}/${name}-main.cpp)
  configure_file(${PROJECT_SOURCE_DIR}/tools/Main.cpp.in ${main} @ONLY)
  if(ARG_LINK_LIBS)
    add_llvm_executable(${name} DISABLE_LLVM_LINK_LLVM_DYLIB
      PARTIAL_SOURCES_INTENDED ${main})
    llvm_update_compile_flags(${name})
    target_link_libraries(${name} PRIVATE ${objects} ${ARG_LINK_LIBS})
  else()
    prec_add_program(${name} ${main})
    target_link_libraries(${name} PRIVATE ${objects})
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
endfunction()

# prec_add_dialect(Name dialect)
# A dialect: the generated parts of its operations, attributes and enumerations.
function(prec_add_dialect name dialect)
  set(LLVM_TARGET_DEFINITIONS ${name}Ops.td)
  mlir_tablegen(${name}Ops.h.inc -gen-op-decls)
  mlir_tablegen(${name}Ops.cpp.inc -gen-op-defs)
  mlir_tablegen(${name}Dialect.h.inc -gen-dialect-decls -dialect=${dialect})
  mlir_tablegen(${name}Dialect.cpp.inc -gen-dialect-defs -dialect=${dialect})
  mlir_tablegen(${name}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${dialect})
  mlir_tablegen(${name}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${dialect})
  set(LLVM_TARGET_DEFINITIONS ${name}Enums.td)
  mlir_tablegen(${name}Enums.h.inc -gen-enum-decls)
  mlir_tablegen(${name}Enums.cpp.inc -gen-enum-defs)
  add_public_tablegen_target(Prec${name}IncGen)
  add_dependencies(PrecDialectsIncGen Prec${name}IncGen)
endfunction()
