#include "ergon/run/command_line.hpp"

int main(int argc, char** argv) {
  return ergon::command_line(argc, argv);
}
