# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# PREC_VERSION: that of the Python package, the one place that says it.
set(prec_version_file ${CMAKE_CURRENT_LIST_DIR}/../python/prec/_version.py)
file(STRINGS ${prec_version_file} prec_version_line REGEX "^__version__ = ")
if(NOT prec_version_line MATCHES "^__version__ = \"([0-9]+\\.[0-9]+\\.[0-9]+)\"$")
  message(FATAL_ERROR "${prec_version_file} must have a line '__version__ = \"X.Y.Z\"', but got '${prec_version_line}'")
endif()
set(PREC_VERSION ${CMAKE_MATCH_1})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${prec_version_file})
