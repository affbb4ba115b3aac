# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# PREC_VERSION: that of the Python package, the one place that says it.
set(prec_version_file ${CMAKE_CURRENT_LIST_DIR}/../python/prec/_version.py)
file(STRINGS ${prec_version_file} prec_version_line REGEX "^__version__ = ")
if(NOT prec_version_line MATCHES "^__version__ = \"(([0-9]+)\\.([0-9]+)\\.([0-9]+))\"$")
  message(FATAL_ERROR "${prec_version_file} must have a line '__version__ = \"X.Y.Z\"', but got '${prec_version_line}'")
endif()
set(PREC_VERSION ${CMAKE_MATCH_1})
set(PREC_VERSION_MAJOR ${CMAKE_MATCH_2})
set(PREC_VERSION_MINOR ${CMAKE_MATCH_3})
set(PREC_VERSION_PATCH ${CMAKE_MATCH_4})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${prec_version_file})

# prec_write_version(HEADER): the version as macros, for C and C++.
set(PREC_VERSION_TEMPLATE ${CMAKE_CURRENT_LIST_DIR}/Version.h.in)
function(prec_write_version header)
  configure_file(${PREC_VERSION_TEMPLATE} ${header} @ONLY)
endfunction()

# PREC_IS_TOP_LEVEL: whether prec, or its runtime, is what CMake was called for.
# Below another project it has no tests, installs nothing, and warnings are no
# errors, unless that project asks for it.
get_filename_component(prec_root ${CMAKE_CURRENT_LIST_DIR}/.. REALPATH)
get_filename_component(prec_top ${CMAKE_SOURCE_DIR} REALPATH)
set(PREC_IS_TOP_LEVEL OFF)
if(prec_top STREQUAL prec_root OR prec_top STREQUAL "${prec_root}/runtime")
  set(PREC_IS_TOP_LEVEL ON)
endif()
