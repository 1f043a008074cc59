// The contract tests of all that is registered, plug-ins among it: ERGON_TEST_PLUGINS lists shared objects, separated by colons.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>

#include "ergon/plugin/load_plugin.hpp"

int main(int argc, char** argv) {
  const char* const plugins = std::getenv("ERGON_TEST_PLUGINS");
  std::istringstream list(plugins != nullptr ? plugins : "");
  try {  // before the tests, which go over the registries, are made
    for (std::string file; std::getline(list, file, ':');) ergon::load_plugin(file);
  } catch (const ergon::InputError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
