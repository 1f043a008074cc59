# `cmake --install`: the library, the public headers as <ergon/…>, and what find_package(Ergon) needs: the target Ergon::ergon.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS ergon_library EXPORT ErgonTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Programs that isolate FMUs need it beside them or in the search path.
install(TARGETS ergon-worker EXPORT ErgonTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt)
file(STRINGS ${PROJECT_SOURCE_DIR}/cmake/public_headers.txt public_headers REGEX "^[^#]")
foreach(header ${public_headers})
  cmake_path(GET header PARENT_PATH folder)
  install(FILES ${PROJECT_SOURCE_DIR}/src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ergon/${folder} COMPONENT library)
endforeach()

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Ergon)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ErgonConfig.cmake.in ${PROJECT_BINARY_DIR}/ErgonConfig.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ErgonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ErgonConfig.cmake ${PROJECT_BINARY_DIR}/ErgonConfigVersion.cmake
  DESTINATION ${package_folder} COMPONENT library)
install(EXPORT ErgonTargets NAMESPACE Ergon:: DESTINATION ${package_folder} COMPONENT library)
