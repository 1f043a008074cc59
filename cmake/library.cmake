# libergon.so: the one library that the command, programs of users and plug-ins link (docs/adr/0110), so that all of them have the same
# registries. It shows what ERGON_API marks and nothing else; SUNDIALS and the other libraries are inside and hidden.
get_property(library_modules GLOBAL PROPERTY ERGON_MODULES)  # those declared so far
list(REMOVE_ITEM library_modules export_wrapper)             # for exported FMUs alone
add_library(ergon_library SHARED ${PROJECT_SOURCE_DIR}/cmake/library/library.cpp)
add_library(Ergon::ergon ALIAS ergon_library)
set_target_properties(ergon_library PROPERTIES OUTPUT_NAME ergon EXPORT_NAME ergon
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/app CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_features(ergon_library PUBLIC cxx_std_20)
target_include_directories(ergon_library INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
set(exported ${PROJECT_SOURCE_DIR}/cmake/library/exported.map)
target_link_libraries(ergon_library PRIVATE $<BUILD_INTERFACE:ergon_options>)
target_link_options(ergon_library PRIVATE -Wl,--version-script=${exported} -Wl,-Bsymbolic-functions -Wl,--as-needed)
if(NOT ERGON_SANITIZE)  # the functions of sanitizers are those of the program
  target_link_options(ergon_library PRIVATE -Wl,-z,defs)
endif()
set_property(TARGET ergon_library PROPERTY LINK_DEPENDS ${exported})

# ergon_library_takes([<module>…] [LINK <library>…]): whole modules, and what they need of others.
function(ergon_library_takes)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  set(archives)
  foreach(module ${ARG_UNPARSED_ARGUMENTS})
    list(APPEND archives $<TARGET_FILE:ergon_${module}>)
    add_dependencies(ergon_library ergon_${module})
  endforeach()
  set_property(TARGET ergon_library APPEND PROPERTY LINK_DEPENDS ${archives})
  list(JOIN archives "," archives)
  target_link_libraries(ergon_library PRIVATE
    $<BUILD_INTERFACE:-Wl,--whole-archive,${archives},--no-whole-archive> ${ARG_LINK})
endfunction()
# A test executable that plug-ins are loaded into takes the same, whole.
set(archives)
foreach(module ${library_modules})
  list(APPEND archives $<TARGET_FILE:ergon_${module}>)
endforeach()
list(JOIN archives "," archives)
set_target_properties(ergon_library PROPERTIES ERGON_WHOLE_MODULES LINKER:--whole-archive,${archives},--no-whole-archive)
ergon_library_takes(${library_modules}
  LINK ergon_fmt ergon_zip ${ERGON_SUNDIALS} ${ERGON_PUGIXML} Threads::Threads ${CMAKE_DL_LIBS})
