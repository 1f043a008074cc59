#pragma once

#include <string>

namespace ergon::fmi {

/// The program that a worker is: an absolute path, or a name that the search path is asked for.
///   1. what set_worker_command says
///   2. `ergon-worker`, which is nothing but a worker, beside the running program
///   3. the running program itself, where it said so (set_own_worker)
///   4. `ergon-worker` in the search path, then `ergon` beside the running program or in the search path
std::string worker_command();

}  // namespace ergon::fmi
