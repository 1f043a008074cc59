#include "ergon/run/checkpoint/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>

#include "ergon/core/output_file.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/coupling/state/archive.hpp"
#include "ergon/coupling/state/sealed_bytes.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t format_version = 1;
constexpr const char* prefix_of_named = "at-";

void archive_count(Archive& archive, std::uint64_t& count) {
  // A damaged file is found by its checksum before anything is read; a count beyond this is one of another format.
  constexpr std::uint64_t most = 1U << 24U;
  archive(count);
  if (count > most) throw ArchiveError("the checkpoint does not fit: it has too many entries");
}

void archive_content(Archive& archive, Checkpoint& c) {
  archive.section("ergon checkpoint");
  std::uint32_t version = format_version;
  archive(version);
  if (version != format_version)
    throw ArchiveError(
        fmt::format("the checkpoint has format {}, this program reads {}", version, format_version));
  archive(c.ergon_version);
  archive(c.time_s);
  archive(c.tick);
  archive(c.at_end);
  archive(c.clamped);
  archive(c.scenario_sha256);
  std::uint64_t inputs = c.inputs.size();
  archive_count(archive, inputs);
  c.inputs.resize(inputs);
  for (auto& [file, sha256] : c.inputs) {
    archive(file);
    archive(sha256);
  }
  std::uint64_t warnings = c.warnings.size();
  archive_count(archive, warnings);
  c.warnings.resize(warnings);
  for (std::string& warning : c.warnings) archive(warning);
  archive(c.caller);
  archive(c.state);
}

std::vector<std::byte> content_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw ArchiveError("it cannot be read");
  std::vector<char> text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path folder = directory / checkpoint_folder;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    const fs::path& file = entry->path();
    if (file.extension() == checkpoint_suffix && !is_temporary_name(file.filename().string()) &&
        entry->symlink_status(none).type() == fs::file_type::regular)
      files.push_back(file);
  }
  std::sort(files.begin(), files.end());
  return files;
}

void require_results(const fs::path& directory) {
  std::error_code none;
  if (fs::is_directory(directory, none)) return;
  throw InputError({}, fmt::format("There is no folder '{}'.", directory.string()),
                   "Name the folder that 'ergon run' has written its results to.");
}

}  // namespace

std::vector<std::byte> to_bytes(Checkpoint& checkpoint) {
  return sealed_bytes([&](Archive& archive) { archive_content(archive, checkpoint); });
}

Checkpoint checkpoint_from(std::span<const std::byte> bytes) {
  const auto content = content_of_sealed(bytes, "it is damaged or not whole");
  Checkpoint checkpoint;
  Archive archive = Archive::reading(content);
  archive_content(archive, checkpoint);
  if (!archive.at_end()) throw ArchiveError("it holds more data than a checkpoint does");
  return checkpoint;
}

std::string name_of_checkpoint_at(const std::string& time_s) {
  return prefix_of_named + time_s + checkpoint_suffix;
}

FoundCheckpoint newest_checkpoint(const fs::path& directory, std::vector<std::string>& passed_over) {
  require_results(directory);
  std::optional<FoundCheckpoint> newest;
  for (const fs::path& file : files_in(directory)) {
    try {
      Checkpoint checkpoint = checkpoint_from(content_of(file));
      // The last of a run says that it is, where another has the same time.
      if (!newest || checkpoint.tick > newest->checkpoint.tick ||
          (checkpoint.tick == newest->checkpoint.tick && checkpoint.at_end))
        newest = {file, std::move(checkpoint)};
    } catch (const ArchiveError& error) {
      passed_over.push_back(fmt::format("'{}' is passed over: {}.", file.string(), error.what()));
    }
  }
  if (newest) return std::move(*newest);
  std::string what = fmt::format("There is no checkpoint in '{}'.", (directory / checkpoint_folder).string());
  for (const std::string& text : passed_over) what += " " + text;
  throw InputError({}, what,
                   "A run keeps checkpoints every 60 s where all of its subsystems can save their state "
                   "(--checkpoint-every). Run the scenario again.");
}

FoundCheckpoint checkpoint_at(const fs::path& directory, const std::string& time_s) {
  require_results(directory);
  char* rest = nullptr;
  const double wanted_s = std::strtod(time_s.c_str(), &rest);
  std::vector<std::string> times;
  for (const fs::path& file : files_in(directory)) {
    const std::string stem = file.stem().string();
    if (stem.rfind(prefix_of_named, 0) != 0) continue;
    const std::string time = stem.substr(std::string(prefix_of_named).size());
    times.push_back(time);
    if (time != time_s && (*rest != '\0' || std::strtod(time.c_str(), nullptr) != wanted_s)) continue;
    try {
      return {file, checkpoint_from(content_of(file))};
    } catch (const ArchiveError& error) {
      throw InputError({}, fmt::format("'{}' cannot be used: {}.", file.string(), error.what()),
                       "Run the scenario again with --checkpoint-at.");
    }
  }
  throw InputError(
      {},
      fmt::format("'{}' has no checkpoint that was kept for t = {} s{}.", directory.string(), time_s,
                  times.empty() ? "" : fmt::format("; there are {}", fmt::join(times, ", "))),
      "Checkpoints that stay are asked for when a run begins: --checkpoint-at 2.5,5.");
}

void remove_checkpoints(const fs::path& directory) {
  const fs::path folder = directory / checkpoint_folder;
  std::error_code none;
  if (fs::symlink_status(folder, none).type() != fs::file_type::directory) return;
  for (const fs::path& file : files_in(directory)) fs::remove(file, none);
  remove_temporary_files(folder);
  fs::remove(folder, none);  // unless somebody else has put something there
}

}  // namespace ergon
