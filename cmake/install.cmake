# `cmake --install`: the libraries, the public headers as <ergon/…>, and what find_package(Ergon) needs. A module is installed
# under its name, Ergon::run for example; Ergon::ergon is all of them.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

get_property(installed_modules GLOBAL PROPERTY ERGON_MODULES)  # those declared so far
add_library(ergon_library INTERFACE)
add_library(Ergon::ergon ALIAS ergon_library)
set_target_properties(ergon_library PROPERTIES EXPORT_NAME ergon)
foreach(module ${installed_modules})
  target_link_libraries(ergon_library INTERFACE ergon_${module})
  install(TARGETS ergon_${module} EXPORT ErgonTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
install(TARGETS ergon_fmt ergon_zip EXPORT ErgonTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(TARGETS ergon_library EXPORT ErgonTargets)
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
