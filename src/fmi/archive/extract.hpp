#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "ergon/core/problem.hpp"

namespace ergon::fmi {

/// What an archive may contain. An archive comes from strangers: it may lie about its sizes, name files outside of its
/// folder, or be small and unpack to more than the disk holds.
struct ArchiveLimits {
  std::uint64_t entries = 100'000;
  std::uint64_t total_bytes = std::uint64_t{4} << 30;
  /// Unpacked over packed size, looked at beyond `ratio_matters_bytes`: deflate alone reaches 1032 on zeros.
  std::uint64_t ratio = 200;
  std::uint64_t ratio_matters_bytes = std::uint64_t{64} << 20;
  std::size_t depth = 48;  ///< folders in folders
};

/// The path of an entry inside of the archive, with forward slashes and without "." parts; an empty text where the name is
/// no place inside of a folder (absolute, "..", a drive, control characters). A folder keeps no trailing slash.
std::string safe_entry_path(std::string_view name);

/// Unpacks `archive` into the existing, empty folder `target`, which nobody else may write to. Stored modes are ignored,
/// links and devices refused. False after reporting what is wrong; what was written until then stays in `target`.
bool extract_archive(const std::filesystem::path& archive, const std::filesystem::path& target,
                     const ArchiveLimits& limits, ProblemList& problems);

}  // namespace ergon::fmi
