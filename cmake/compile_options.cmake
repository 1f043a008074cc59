# The flags of our own targets; nobody who links them inherits any. Bitwise claims (docs/theory/explicit-coupling.md) rest on -ffp-contract=off,
# no fast-math and no host-specific instruction set.
if(PROJECT_IS_TOP_LEVEL)
  if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
  endif()
  set(CMAKE_CXX_FLAGS_RELEASE "-O2")   # assertions stay on: they cost nothing measurable in the stepping loop
endif()
if(CMAKE_BUILD_TYPE STREQUAL Release)
  # The library has to be fast, not what tests it: a quarter of the compile time of a test file. At -O1 g++ 12 sees strings
  # written out of bounds that are not.
  set(ERGON_TEST_OPTIONS -O1 -Wno-array-bounds CACHE STRING "Compile options of tests on top of those of all files")
endif()

add_library(ergon_options INTERFACE)
if(ERGON_DEVELOPER)
  target_compile_options(ergon_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
endif()
target_compile_options(ergon_options INTERFACE -ffp-contract=off)
# Nobody replaces a function of the library by one of its own: the library calls and inlines its public functions directly.
target_compile_options(ergon_options INTERFACE -fno-semantic-interposition)
# What is public holds and takes what is not (-Wattributes of g++ warns about each).
target_compile_options(ergon_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-attributes>)
# Assertions name files from the root of the sources: the same program comes out of every clone, and out of one compiler cache.
target_compile_options(ergon_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT ERGON_SANITIZE)
  # What a mistake with memory meets (docs/performance.md has what that costs): addresses of functions that cannot be overwritten,
  # canaries on the stack, checked calls of the C library.
  target_compile_options(ergon_options INTERFACE
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:ERGON_TEST>>>:-fstack-protector-strong$<SEMICOLON>-U_FORTIFY_SOURCE$<SEMICOLON>-D_FORTIFY_SOURCE=2>)
  target_link_options(ergon_options INTERFACE -Wl,-z,relro -Wl,-z,now)
endif()
if(ERGON_SANITIZE)
  # Undefined behaviour is looked for in the library, not in what tests it: a third of the compile time of a test file.
  string(REPLACE ",undefined" "" sanitize_tests ${ERGON_SANITIZE})
  string(REPLACE "," "$<COMMA>" sanitize_library ${ERGON_SANITIZE})
  target_compile_options(ergon_options INTERFACE
    -fsanitize=$<IF:$<BOOL:$<TARGET_PROPERTY:ERGON_TEST>>,${sanitize_tests},${sanitize_library}>
    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(ergon_options INTERFACE -fsanitize=${ERGON_SANITIZE})
  # What is wrong with a pointer the address sanitizer sees where it is followed. Asking before, at every use, doubles the size
  # of a program and takes a third of its compile time: it is done where bytes of strangers are read (targets with
  # ERGON_CHECKED_POINTERS, see the root's CMakeLists.txt); misaligned ones of the others are left to Eigen's own assertions.
  option(ERGON_SANITIZE_POINTERS "Look in all modules for pointers that are null, misaligned or out of their object before they are followed" OFF)
  if(ERGON_SANITIZE MATCHES undefined AND NOT ERGON_SANITIZE_POINTERS)
    target_compile_options(ergon_options INTERFACE
      $<$<NOT:$<BOOL:$<TARGET_PROPERTY:ERGON_CHECKED_POINTERS>>>:-fno-sanitize=null$<COMMA>alignment$<COMMA>object-size$<COMMA>pointer-overflow>)
  endif()
  # GCC documents false positives of this warning in instrumented code; the release build keeps it.
  target_compile_options(ergon_options INTERFACE -Wno-maybe-uninitialized)
endif()
