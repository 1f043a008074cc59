# What Ergon links is hidden from FMUs (docs/adr/0039): a shared library that a program needs is searched before the FMU's own, whoever
# loads that FMU in whichever way, and an FMU that brings its own SUNDIALS would call ours. Archives are taken where Debian has them.
#   ERGON_SUNDIALS, ERGON_PUGIXML   what to link
#   ergon_fmt                       fmt, of which there is no archive, compiled from its headers
#   ergon_zip                       libzip, of which there is no archive: loaded privately when it is needed
set(ERGON_SUNDIALS)
set(hidden libergon_fmt.a libergon_zip.a)
foreach(name cvode arkode kinsol nvecserial sunmatrixdense sunlinsoldense)
  if(TARGET SUNDIALS::${name}_static)
    list(APPEND ERGON_SUNDIALS SUNDIALS::${name}_static)
    list(APPEND hidden libsundials_${name}.a)
  else()
    message(WARNING "There is no archive of SUNDIALS ${name}: FMUs in the same process that bring their own will find ours.")
    list(APPEND ERGON_SUNDIALS SUNDIALS::${name})
  endif()
endforeach()
set(ERGON_PUGIXML pugixml::pugixml)
if(TARGET pugixml::static)
  set(ERGON_PUGIXML pugixml::static)
  list(APPEND hidden libpugixml.a)
endif()

add_library(ergon_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmu_library/fmt.cpp)
target_include_directories(ergon_fmt SYSTEM PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
# Compiled as for the shared library: which of them is linked is no matter of those who include it.
target_compile_definitions(ergon_fmt PUBLIC $<TARGET_PROPERTY:fmt::fmt,INTERFACE_COMPILE_DEFINITIONS>)
# A program that exports its symbols (-rdynamic) does not export these.
list(JOIN hidden ":" hidden)
target_link_options(ergon_fmt INTERFACE LINKER:--exclude-libs,${hidden})

find_library(ERGON_LIBZIP zip REQUIRED)  # its package file names programs that the library package does not bring
execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${ERGON_LIBZIP} OUTPUT_VARIABLE headers)
if(NOT headers MATCHES "SONAME +([^ \n]+)")
  message(FATAL_ERROR "${ERGON_LIBZIP} is not a shared library with a name")
endif()
add_library(ergon_zip STATIC ${PROJECT_SOURCE_DIR}/cmake/private_libraries/zip.cpp)
target_compile_definitions(ergon_zip PRIVATE ERGON_LIBZIP_NAME="${CMAKE_MATCH_1}")
target_link_libraries(ergon_zip PUBLIC ${CMAKE_DL_LIBS})

foreach(target ergon_fmt ergon_zip)
  string(REPLACE ergon_ "" name ${target})
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ergon_options>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON
    CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endforeach()
