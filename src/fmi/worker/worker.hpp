#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ergon/fmi/instance/fmu_instance.hpp"

namespace ergon::fmi {

/// How workers are started and what they may do.
struct WorkerOptions {
  double call_limit_s = 60.0;                         ///< an FMU that does not answer for so long is ended
  std::vector<std::string> environment{};             ///< variables of ours that it receives, with * and ?
  std::uint64_t memory_bytes = 0;                     ///< of address space; 0: no limit
  std::uint64_t file_bytes = std::uint64_t{4} << 30;  ///< of one file that it writes
};

/// The program that is started as a worker, with `worker_argument` as its first argument. Without this call it is `ergon-worker`,
/// a program that links nothing an FMU could meet (docs/fmus.md), beside the running program.
void set_worker_command(std::string path);
/// Where there is no `ergon-worker`, the running program is one: its main calls run_worker where its first argument is
/// `worker_argument`, as the `ergon` command does. Else the search path is asked for `ergon-worker`, then for `ergon`.
void set_own_worker();
inline constexpr const char* worker_argument = "--fmu-worker";

/// What such a command does then. Does not return.
[[noreturn]] void run_worker();

/// An instance in a process of its own: whatever it does to itself, this process goes on.
std::unique_ptr<FmuInstance> make_worker_instance(std::shared_ptr<const InstanceSetup> setup,
                                                  const std::string& name, const WorkerOptions& options);

}  // namespace ergon::fmi
