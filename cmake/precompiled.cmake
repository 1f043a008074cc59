# Headers that most files include are compiled once per kind of target, in builds of our own:
#   plain    standard library and text          modules without Eigen
#   algebra  the same, and Eigen                modules with Eigen
#   tests    the same as plain, and GoogleTest  test executables
# A file still includes what it uses: users of the library and `-DERGON_PRECOMPILED_HEADERS=OFF` compile without.
option(ERGON_PRECOMPILED_HEADERS "Compile the headers that most files include once" ${PROJECT_IS_TOP_LEVEL})

set(headers_plain <algorithm> <array> <cassert> <cmath> <cstddef> <cstdint> <filesystem> <functional> <limits> <map> <memory> <numbers>
                  <optional> <set> <span> <stdexcept> <string> <string_view> <utility> <vector> <fmt/format.h>)
set(headers_algebra ${headers_plain} <Eigen/Core> <Eigen/Geometry> <Eigen/LU>)
set(headers_tests ${headers_plain} <fstream> <gtest/gtest.h>)
set(libraries_algebra Eigen3::Eigen)
set(libraries_tests GTest::gtest)
set(options_tests ${ERGON_TEST_OPTIONS})

# ergon_precompile(<target> <kind>): a compiled header serves only targets whose code is generated alike, so there is one for
# each way of generating it that is asked for.
function(ergon_precompile target kind)
  if(NOT ERGON_PRECOMPILED_HEADERS)
    return()
  endif()
  set(owner ergon_headers_${kind})
  get_target_property(independent ${target} POSITION_INDEPENDENT_CODE)
  if(independent)
    string(APPEND owner _independent)
  endif()
  get_target_property(is_test ${target} ERGON_TEST)
  if(is_test AND NOT kind STREQUAL tests)  # those have no others
    string(APPEND owner _of_tests)
  endif()
  get_target_property(checked ${target} ERGON_CHECKED_POINTERS)
  if(checked AND ERGON_SANITIZE)
    string(APPEND owner _checked)
  endif()
  if(NOT TARGET ${owner})
    set(source ${PROJECT_BINARY_DIR}/${owner}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Only the headers matter.\n")
    add_library(${owner} OBJECT ${source})
    target_compile_features(${owner} PRIVATE cxx_std_20)
    target_link_libraries(${owner} PRIVATE ergon_options ergon_fmt ${libraries_${kind}})
    target_compile_options(${owner} PRIVATE ${options_${kind}})
    foreach(property POSITION_INDEPENDENT_CODE CXX_VISIBILITY_PRESET VISIBILITY_INLINES_HIDDEN ERGON_TEST ERGON_CHECKED_POINTERS)
      get_target_property(value ${target} ${property})
      if(value)
        set_target_properties(${owner} PROPERTIES ${property} ${value})
      endif()
    endforeach()
    target_precompile_headers(${owner} PRIVATE ${headers_${kind}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()

get_property(modules GLOBAL PROPERTY ERGON_MODULES)
foreach(module ${modules})
  get_target_property(libraries ergon_${module} LINK_LIBRARIES)
  if(NOT ergon_fmt IN_LIST libraries)
    continue()  # compiled without the flags of fmt, which the headers above need
  endif()
  if(Eigen3::Eigen IN_LIST libraries OR ergon_numerics IN_LIST libraries OR ergon_reference IN_LIST libraries)
    ergon_precompile(ergon_${module} algebra)
  else()
    ergon_precompile(ergon_${module} plain)
  endif()
endforeach()
