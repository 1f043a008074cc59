#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ergon/core/api.hpp"
#include "ergon/core/time_grid.hpp"

namespace ergon {

/// A run at one of its communication points, as a file holds it: what Simulation::go_on needs to go on from there.
struct Checkpoint {
  std::string ergon_version;
  double time_s = 0.0;
  Tick tick = 0;
  bool at_end = false;   ///< the run had reached its stop time
  bool clamped = false;  ///< … with a step that was shortened for it
  std::string
      scenario_sha256;  ///< of the scenario but for its stop time; empty for systems that are built in C++
  std::vector<std::pair<std::string, std::string>> inputs;  ///< files that the run reads, with their SHA-256
  std::vector<std::string> warnings;                        ///< of the first start
  std::string caller;                                       ///< what who runs it wants to know again
  std::vector<std::byte> state;                             ///< Simulation::to_bytes
};

/// As the bytes of a file: with a format number, and a checksum over all.
[[nodiscard]] ERGON_API std::vector<std::byte> to_bytes(Checkpoint& checkpoint);
/// Back; throws ArchiveError where the bytes are damaged, incomplete or of another format.
[[nodiscard]] ERGON_API Checkpoint checkpoint_from(std::span<const std::byte> bytes);

/// The folder of checkpoints beside the results of a run.
inline constexpr const char* checkpoint_folder = "checkpoints";
/// Ends the name of every file in it.
inline constexpr const char* checkpoint_suffix = ".ergon";

/// `at-2.5.ergon`: the file of a checkpoint that was asked for by its time.
[[nodiscard]] ERGON_API std::string name_of_checkpoint_at(const std::string& time_s);

/// A file that was read, or why it cannot be.
struct FoundCheckpoint {
  std::filesystem::path file;
  Checkpoint checkpoint;
};

/// The whole checkpoint of a run that has come furthest. Files that are damaged are passed over, each with a line in `passed_over`.
/// Throws InputError where there is none.
[[nodiscard]] ERGON_API FoundCheckpoint newest_checkpoint(const std::filesystem::path& directory,
                                                          std::vector<std::string>& passed_over);
/// The one that was kept for this time. Throws InputError, with the times that there are, where there is none.
[[nodiscard]] ERGON_API FoundCheckpoint checkpoint_at(const std::filesystem::path& directory,
                                                      const std::string& time_s);

/// Of an earlier run in the same folder.
ERGON_API void remove_checkpoints(const std::filesystem::path& directory);

}  // namespace ergon
