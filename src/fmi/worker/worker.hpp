#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ergon/fmi/instance/fmu_instance.hpp"

namespace ergon::fmi {

/// How workers are started and what they may do.
struct WorkerOptions {
  double call_limit_s = 60.0;                         ///< an FMU that does not answer for so long is ended
  std::uint64_t memory_bytes = 0;                     ///< of address space; 0: no limit
  std::uint64_t file_bytes = std::uint64_t{4} << 30;  ///< of one file that it writes
};

/// The command that becomes a worker when it is started with the argument `worker_argument`, as the `ergon` command does. Told by
/// main; else "ergon" beside the running program, or of the search path.
void set_worker_command(std::string path);
inline constexpr const char* worker_argument = "--fmu-worker";

/// What such a command does then. Does not return.
[[noreturn]] void run_worker();

/// An instance in a process of its own: whatever it does to itself, this process goes on.
std::unique_ptr<FmuInstance> make_worker_instance(std::shared_ptr<const InstanceSetup> setup,
                                                  const std::string& name, const WorkerOptions& options);

}  // namespace ergon::fmi
