# Label `threads` (`ctest -L threads`): suites of tests in which several threads take part. The thread sanitizer runs these and no others
# (`make threads`). A new one is one line here; a name that no test file has is an error.
set(ERGON_THREAD_SUITES
  # pool threads
  ThreadPool SharedSteps StepsElsewhere Thrown ForeignSteps TypedPorts Jacobi EngineErrors SemiImplicit EveryUpdateRule
  # stages that go on beside others, with and without a verdict
  OverlappedStepsOnThreads OverlappedSteps AsynchronousStages
  # check runs beside the run
  CheckRuns
  # the thread that writes files
  CsvWriter TypedRun Saving CheckpointFiles
  # messages of FMUs, and what is made once for all threads
  FmuLog LogOfFmus CachesOfFmus)

# Sets ERGON_SUITES_OF_<file> (its name relative to the project, as an identifier) for every file with such suites, and
# ERGON_THREAD_FILES to their list.
file(GLOB_RECURSE test_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*_test.cpp ${PROJECT_SOURCE_DIR}/tests/threads/*_test.cpp)
set(ERGON_THREAD_FILES)
set(found)
foreach(file ${test_files})
  file(STRINGS ${file} heads REGEX "^TEST(_P|_F)?\\(")
  list(TRANSFORM heads REPLACE "^TEST[_PF]*\\(([A-Za-z0-9_]+).*" "\\1")
  list(REMOVE_DUPLICATES heads)
  set(here)
  foreach(suite ${heads})
    if(suite IN_LIST ERGON_THREAD_SUITES)
      list(APPEND here ${suite})
    endif()
  endforeach()
  if(here)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${file})
    string(MAKE_C_IDENTIFIER "${name}" name)
    set(ERGON_SUITES_OF_${name} ${here})
    list(APPEND ERGON_THREAD_FILES ${file})
    list(APPEND found ${here})
  endif()
endforeach()
foreach(suite ${ERGON_THREAD_SUITES})
  if(NOT suite IN_LIST found)
    message(FATAL_ERROR "tests/threads/suites.cmake names '${suite}', but no test file has such a suite. Correct the name.")
  endif()
endforeach()

# ergon_thread_filter(<variable> <file>…): what GoogleTest calls the labelled tests of these files; empty: there are none.
function(ergon_thread_filter variable)
  set(patterns)
  foreach(file ${ARGN})
    get_filename_component(file ${file} ABSOLUTE)
    file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${file})
    string(MAKE_C_IDENTIFIER "${name}" name)
    foreach(suite ${ERGON_SUITES_OF_${name}})
      list(APPEND patterns ${suite}.* */${suite}.*)
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES patterns)
  list(JOIN patterns ":" patterns)
  set(${variable} "${patterns}" PARENT_SCOPE)
endfunction()
