# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
include_guard(GLOBAL)
# Precompiled headers: what most sources include is parsed, and its templates
# are instantiated, once. Clang's are read lazily, and so a source pays only for
# what it uses; GCC's take a gigabyte each and are not worth it.
option(PREC_PCH "Compile with precompiled headers (Clang)" OFF)
if(PREC_PCH AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "PREC_PCH needs Clang, but got ${CMAKE_CXX_COMPILER_ID}")
endif()
set(PREC_PCH_FOLDER ${CMAKE_CURRENT_LIST_DIR}/pch)

# prec_precompile(NAME HEADERS...): NAME is a target that holds HEADERS
# precompiled; those without a folder are files of cmake/pch. Targets that take
# them (prec_use_precompiled) are compiled with the same options.
function(prec_precompile name)
  if(NOT PREC_PCH)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing but its precompiled headers.\n")
  add_library(${name} OBJECT ${source})
  list(TRANSFORM ARGN PREPEND ${PREC_PCH_FOLDER}/)
  target_precompile_headers(${name} PRIVATE ${ARGN})
  # The same bytes from the same headers, so that ccache knows them again.
  target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
endfunction()

# prec_use_precompiled(TARGET NAME)
function(prec_use_precompiled target name)
  if(PREC_PCH)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
