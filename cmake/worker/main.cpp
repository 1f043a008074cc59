// ergon-worker: one FMU in a process of its own, and in this process nothing that the FMU could meet.
#include "ergon/fmi/worker/worker.hpp"

int main() {
  ergon::fmi::run_worker();  // says so where nobody has started it as a worker
}
