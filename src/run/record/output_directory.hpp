#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "ergon/run/record/result_file.hpp"
#include "ergon/scenario/scenario.hpp"

namespace ergon {

/// `results/<stem of the scenario file>`
[[nodiscard]] std::filesystem::path default_output_directory(const std::filesystem::path& scenario);

/// Tells who writes to a directory, by the process id in it, and keeps others out by flock(2): the kernel gives the lock
/// back with the process, so that of a killed run does not block.
inline constexpr const char* lock_file_name = ".ergon-lock";

/// Whether rows of a run are in a file of this name while it goes on.
[[nodiscard]] bool is_recorded_file(const std::string& name);

/// A directory that one run writes to.
class OutputDirectory {
 public:
  /// Makes the directory with its parents, locks it, and removes the summary, the report and the files that not every run has
  /// of an earlier run: beside the results of a killed one they would tell a lie. Throws InputError where files cannot be made in
  /// it, where another run writes to it, and, before anything is touched, where a file of the run would replace one of
  /// `input_files`, or a link, a pipe or anything else but a regular file is there under its name.
  /// Of a run that goes on, what it has written so far and its checkpoints stay.
  /// `further_files`: names beside those that every run may write. Results in other forms than `formats` are removed.
  explicit OutputDirectory(std::filesystem::path directory, std::span<const std::string> input_files = {},
                           Results results = Results::anew, std::vector<std::string> further_files = {},
                           const ResultFormats& formats = {});
  ~OutputDirectory() { release(); }
  OutputDirectory(const OutputDirectory&) = delete;
  OutputDirectory& operator=(const OutputDirectory&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const char* name) const { return path_ / name; }

  /// Keeps room on the disk, in the lock file, for what is written at the end: results that fill it leave no room else.
  void reserve(std::size_t bytes) const;
  void free_reserve() const;
  /// Lets others write; nothing after the first time.
  void release();

 private:
  void lock();

  std::filesystem::path path_;
  std::vector<std::string> names_;  ///< of files that the run makes, replaces or removes
  int lock_ = -1;
};

}  // namespace ergon
