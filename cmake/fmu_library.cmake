# ergon_fmu.so: the one library of all exported FMUs (docs/adr/0025). It holds the functions of FMI 2 and FMI 3, all native models
# and what they need, and shows nothing but those functions. SUNDIALS is taken from its archives; fmt and toml++, of which Debian
# has no archives, are compiled into it from their headers; libstdc++ and libgcc are static. What is left is the C library.
add_library(ergon_fmu MODULE cmake/fmu_library/toml.cpp)
set_target_properties(ergon_fmu PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/app
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/fmu_library/exported.map)
target_compile_features(ergon_fmu PRIVATE cxx_std_20)
set(archives)
foreach(module export_wrapper export_model scenario models nonsmooth numerics core fmt)
  list(APPEND archives $<TARGET_FILE:ergon_${module}>)
  add_dependencies(ergon_fmu ergon_${module})
endforeach()
list(POP_FRONT archives wrapper)
foreach(archive cvode arkode kinsol nvecserial sunmatrixdense sunlinsoldense)
  list(APPEND archives $<TARGET_FILE:SUNDIALS::${archive}_static>)
endforeach()
target_link_libraries(ergon_fmu PRIVATE $<BUILD_INTERFACE:ergon_options>
  -Wl,--whole-archive ${wrapper} -Wl,--no-whole-archive
  -Wl,--start-group ${archives} -Wl,--end-group m)
if(NOT ERGON_SANITIZE)  # sanitizers want the libraries of the host
  target_link_options(ergon_fmu PRIVATE -static-libstdc++ -static-libgcc)
endif()
target_link_options(ergon_fmu PRIVATE -Wl,-z,defs -Wl,--as-needed -Wl,--gc-sections
  -Wl,-rpath,$ORIGIN -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/fmu_library/exported.map
  $<$<CONFIG:Release>:-s>)
set_property(TARGET ergon_fmu PROPERTY LINK_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/fmu_library/exported.map
  ${wrapper} ${archives})
install(TARGETS ergon_fmu LIBRARY DESTINATION lib/ergon COMPONENT command)

# Who passes an FMU on passes these on, and their licences ask for their texts: they lie beside the library and go into every FMU.
set(ERGON_LICENSE_TEXTS "" CACHE PATH "folder with sundials.txt, fmt.txt, tomlplusplus.txt, eigen.txt; default: those of the Debian packages")
set(license_folder ${PROJECT_BINARY_DIR}/app/fmu_licenses)
configure_file(${PROJECT_SOURCE_DIR}/LICENSE ${license_folder}/ergon.txt COPYONLY)
foreach(name sundials fmt tomlplusplus eigen)
  set(text ${ERGON_LICENSE_TEXTS}/${name}.txt)
  if(NOT ERGON_LICENSE_TEXTS)
    string(REPLACE eigen eigen3 package ${name})
    set(text /usr/share/doc/lib${package}-dev/copyright)
  endif()
  if(NOT EXISTS ${text})
    message(FATAL_ERROR "There is no licence text of ${name} at ${text}. Put the texts of sundials, fmt, tomlplusplus and eigen, each as "
      "NAME.txt, into a folder and say -DERGON_LICENSE_TEXTS=<folder>.")
  endif()
  configure_file(${text} ${license_folder}/${name}.txt COPYONLY)
endforeach()
install(DIRECTORY ${license_folder} DESTINATION lib/ergon COMPONENT command)
