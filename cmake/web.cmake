# The script and style of the report pages: TypeScript of web/, bundled into one C++ file of ergon_report. The script looks by
# itself whether there is something to do, and is asked in every build: where packages could not be fetched it tries again.
set(page_assets ${PROJECT_BINARY_DIR}/page_assets.cpp)
add_custom_target(ergon_web COMMAND ${PROJECT_SOURCE_DIR}/web/build.sh ${page_assets} BYPRODUCTS ${page_assets}
  COMMENT "Bundling the report pages" VERBATIM)
add_dependencies(ergon_report ergon_web)
set_source_files_properties(${page_assets} PROPERTIES GENERATED TRUE)
target_sources(ergon_report PRIVATE ${page_assets})
