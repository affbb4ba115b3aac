# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs the runtime and, but in a wheel, what CMake and pkg-config ask about
# it: find_package(Prec COMPONENTS Runtime), prec-rt.pc.
install(DIRECTORY include/prec-rt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/include/prec-rt/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/prec-rt)
if(TARGET prec-rt-gloo)
  install(TARGETS prec-rt-gloo LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
if(prec_rt_in_wheel)
  set_target_properties(prec-rt-static PROPERTIES EXCLUDE_FROM_ALL ON)
  install(TARGETS prec-rt LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  return()
endif()
install(TARGETS prec-rt prec-rt-static EXPORT PrecRuntimeTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

include(CMakePackageConfigHelpers)
set(prec_package ${CMAKE_INSTALL_LIBDIR}/cmake/Prec)
install(EXPORT PrecRuntimeTargets NAMESPACE Prec:: DESTINATION ${prec_package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/PrecConfig.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/PrecConfig.cmake INSTALL_DESTINATION ${prec_package})
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/PrecConfigVersion.cmake
  VERSION ${PREC_VERSION} COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/PrecConfig.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/PrecConfigVersion.cmake
        DESTINATION ${prec_package})

# By the place of the file, so that an installation can be moved.
file(RELATIVE_PATH prec_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(${CMAKE_CURRENT_LIST_DIR}/prec-rt.pc.in ${CMAKE_CURRENT_BINARY_DIR}/prec-rt.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/prec-rt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
