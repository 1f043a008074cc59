# ergon-worker: the program of isolated FMUs (docs/fmus.md). It is made of what a worker calls and of nothing else, and depends on the
# C library alone: an FMU in it finds no symbol but its own. SUNDIALS, for model exchange, is in it and hidden.
file(GLOB worker_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/fmi/instance/*.cpp ${PROJECT_SOURCE_DIR}/src/fmi/exchange/*.cpp ${PROJECT_SOURCE_DIR}/src/fmi/binary/*.cpp ${PROJECT_SOURCE_DIR}/src/fmi/worker/*.cpp)
# The master's side, and tests.
list(FILTER worker_sources EXCLUDE REGEX "(_test|/worker_process|/worker_instance|/worker_command)\\.cpp$")
set(worker_own_sources ${PROJECT_SOURCE_DIR}/cmake/worker/main.cpp)
add_executable(ergon-worker ${worker_own_sources} ${worker_sources})
set_target_properties(ergon-worker PROPERTIES EXPORT_NAME worker RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/app
  CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_compile_features(ergon-worker PRIVATE cxx_std_20)
target_include_directories(ergon-worker PRIVATE ${PROJECT_SOURCE_DIR}/include)
ergon_compile_together(ergon-worker)
set_source_files_properties(${worker_own_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
add_dependencies(ergon-worker ergon_core ergon_fmt)
target_link_libraries(ergon-worker PRIVATE $<BUILD_INTERFACE:ergon_options> $<TARGET_FILE:ergon_core> $<TARGET_FILE:ergon_fmt> ${ERGON_SUNDIALS} ${CMAKE_DL_LIBS} Threads::Threads)
set_property(TARGET ergon-worker PROPERTY LINK_DEPENDS $<TARGET_FILE:ergon_core> $<TARGET_FILE:ergon_fmt>)
target_link_options(ergon-worker PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,--exclude-libs,ALL)
if(NOT ERGON_SANITIZE)  # sanitizers want the libraries of the host
  target_link_options(ergon-worker PRIVATE -static-libstdc++ -static-libgcc)
endif()
