#pragma once

#include <cstdint>
#include <string>

namespace ergon::fmi {

/// What a kernel can keep from a worker beyond a process of its own (docs/fmus.md). A fence against accidents and curiosity, no
/// boundary of security: the FMU runs as the same user, and shares memory with the run.
enum SandboxPart : std::uint32_t {
  sandbox_files =
      1,  ///< Landlock: reads its own folder and system libraries, writes nothing, starts no program
  sandbox_network = 2,  ///< seccomp: no sockets
  sandbox_processes =
      4,  ///< seccomp: no tracing, no memory of other processes; Landlock, where it can: no signals to them
};

/// The parts that this kernel offers, found out without enforcing any.
std::uint32_t available_sandbox();

/// "no files but its own folder and system libraries (read-only), no network, …"; empty for 0.
std::string describe_sandbox(std::uint32_t parts);

/// Enforces `parts` on the calling thread, and on what it starts, for good. `folder` is the FMU's. Empty, or why that failed.
std::string enter_sandbox(std::uint32_t parts, const std::string& folder);

}  // namespace ergon::fmi
