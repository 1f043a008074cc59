#include <gtest/gtest.h>

#include <cstring>

#include "ergon/fmi/worker/worker.hpp"

// The tests are their own worker command.
int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], ergon::fmi::worker_argument) == 0) ergon::fmi::run_worker();
  ergon::fmi::set_worker_command("/proc/self/exe");
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
