#include "ergon/run/record/output_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "ergon/core/output_file.hpp"
#include "ergon/core/problem.hpp"
#include "ergon/run/checkpoint/checkpoint.hpp"
#include "ergon/run/record/results_files.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& directory, const std::string& why, const std::string& remedy) {
  throw InputError({}, fmt::format("the output directory '{}' {}.", directory.string(), why), remedy);
}

/// The first part of the path that exists and is not a directory, else an empty path.
fs::path obstacle(const fs::path& directory) {
  fs::path part;
  for (const fs::path& name : directory) {
    part /= name;
    std::error_code ignored;
    const fs::file_status status = fs::status(part, ignored);
    if (fs::exists(status) && !fs::is_directory(status)) return part;
  }
  return {};
}

}  // namespace

fs::path default_output_directory(const fs::path& scenario) {
  const fs::path stem = scenario.stem();
  return fs::path("results") / (stem.empty() || stem == "." || stem == ".." ? fs::path("run") : stem);
}

namespace {

/// Every file that a run makes, replaces or removes.
constexpr std::array file_names = {"results.csv",  "bonds.csv",   "energy.csv",    "geometry.csv",
                                   "results.h5",   "results.mat", "scenario.toml", "system.json",
                                   "summary.json", "report.html", "motion.csv",    "fmu.log",
                                   "variables.csv"};

/// Of an earlier run, they would tell a lie beside the results of a killed one.
constexpr std::array stale_names = {"energy.csv", "geometry.csv", "fmu.log"};
/// … where a run writes in other forms.
constexpr std::array csv_names = {"results.csv", "bonds.csv", "variables.csv"};
/// … beside those of a run that goes on, too.
constexpr std::array stale_names_at_the_end = {"summary.json", "report.html", "motion.csv"};

/// Links are not followed and pipes not waited for: who put them there wants something else than the user of this run.
void refuse_obstacles(const fs::path& directory, const std::vector<std::string>& names) {
  const auto look_at = [&](const std::string& name) {
    const std::string obstacle = obstacle_at(directory / name);
    if (obstacle.empty()) return;
    throw InputError({}, fmt::format("'{}' {}.", (directory / name).string(), obstacle),
                     "A run writes regular files only: remove it, or choose another directory with --out.");
  };
  for (const std::string& name : names) look_at(name);
  look_at(lock_file_name);
}

void refuse_inputs(const fs::path& directory, const std::vector<std::string>& names,
                   std::span<const std::string> input_files) {
  const auto refuse_input = [](const std::string& input) {
    throw InputError({}, fmt::format("the run would replace '{}', which it reads.", input),
                     "Choose another directory with --out.");
  };
  // Those of an earlier run are removed.
  for (const std::string& input : input_files) {
    std::error_code missing;
    if (is_rate_file(fs::path(input).filename().string()) &&
        fs::equivalent(directory, fs::path(input).parent_path(), missing))
      refuse_input(input);
  }
  for (const std::string& name : names) {
    for (const std::string& input : input_files) {
      std::error_code missing;
      if (fs::equivalent(directory / name, input, missing)) refuse_input(input);
    }
  }
}

void make_directory(const fs::path& directory) {
  if (directory.empty()) refuse(directory, "has no name", "Give one with --out.");
  if (const fs::path file = obstacle(directory); !file.empty()) {
    refuse(directory, fmt::format("cannot be made: '{}' is a file", file.string()),
           "Remove or rename it, or choose another directory with --out.");
  }
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    refuse(directory, fmt::format("cannot be made: {}", error.message()),
           "Choose another directory with --out, or change the permissions of its parent.");
  }
}

/// The process that a lock file names; 0: none.
pid_t holder_of(int lock_file) {
  std::array<char, 32> text{};
  if (::pread(lock_file, text.data(), text.size() - 1, 0) <= 0) return 0;
  return static_cast<pid_t>(std::strtol(text.data(), nullptr, 10));
}

bool is_gone(pid_t process) {
  return process > 0 && ::kill(process, 0) != 0 && errno == ESRCH;
}

/// A run that has just ended may have removed the file that is open here.
bool is_still_there(int file, const fs::path& path) {
  struct stat open_one {};
  struct stat named_one {};
  return ::fstat(file, &open_one) == 0 && ::lstat(path.c_str(), &named_one) == 0 &&
         open_one.st_ino == named_one.st_ino && open_one.st_dev == named_one.st_dev;
}

bool is_regular_with_one_name(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1;
}

/// Files by rate of an earlier run, under names that nobody else gives.
void remove_rate_files(const fs::path& directory) {
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    if (is_rate_file(entry->path().filename().string()) &&
        entry->symlink_status(none).type() == fs::file_type::regular)
      found.push_back(entry->path());
  }
  for (const fs::path& file : found) fs::remove(file, error);
}

}  // namespace

bool is_recorded_file(const std::string& name) {
  constexpr std::array names = {"results.csv",  "bonds.csv",  "energy.csv",
                                "geometry.csv", "results.h5", "results.mat"};
  return is_rate_file(name) || std::find(names.begin(), names.end(), name) != names.end();
}

OutputDirectory::OutputDirectory(fs::path directory, std::span<const std::string> input_files,
                                 Results results, std::vector<std::string> further_files,
                                 const ResultFormats& formats)
    : path_(std::move(directory)), names_(std::move(further_files)) {
  const bool anew = results == Results::anew;
  names_.insert(names_.end(), file_names.begin(), file_names.end());
  if (anew) refuse_inputs(path_, names_, input_files);
  make_directory(path_);
  refuse_obstacles(path_, names_);
  lock();
  std::error_code none;
  for (const char* stale : stale_names_at_the_end) fs::remove(path_ / stale, none);
  if (anew) {
    for (const char* stale : stale_names) fs::remove(path_ / stale, none);
    if (!formats.csv) {
      for (const char* stale : csv_names) fs::remove(path_ / stale, none);
    }
    if (!formats.hdf5) fs::remove(path_ / "results.h5", none);
    if (!formats.mat) fs::remove(path_ / "results.mat", none);
    remove_checkpoints(path_);
    remove_rate_files(path_);
  }
  remove_temporary_files(path_);
}

void OutputDirectory::lock() {
  const fs::path path = path_ / lock_file_name;
  // Whoever mends the last line of a killed run holds its lock for a moment.
  constexpr int most_rounds = 100;
  for (int round = 1;; ++round) {
    // Permission bits do not tell whether files can be made (root, read-only mounts, quotas): making one does.
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file >= 0 && !is_regular_with_one_name(file)) {
      // It might be anybody's file, and is about to be emptied. One that has just been removed has no name at all.
      ::close(file);
      refuse_obstacles(path_, names_);
      throw InputError({}, fmt::format("'{}' is a file that has other names, too.", path.string()),
                       "A lock has one name: remove it, or choose another directory with --out.");
    }
    if (file < 0) {
      refuse_obstacles(path_, names_);
      refuse(path_, fmt::format("is not writable: {}", std::generic_category().message(errno)),
             "Choose another directory with --out, or change its permissions.");
    }
    // A file system without locks is written to without.
    const bool is_held = ::flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!is_held && is_still_there(file, path)) {
      const std::string holder = fmt::format("{}\n", ::getpid());
      if (::ftruncate(file, 0) != 0 || ::pwrite(file, holder.data(), holder.size(), 0) < 0) {
        // The lock holds without the name of its holder.
      }
      lock_ = file;
      return;
    }
    const pid_t holder = holder_of(file);
    ::close(file);
    if (is_held && (round == most_rounds || !is_gone(holder))) {
      refuse(path_,
             fmt::format("is written to by another run{}",
                         holder > 0 ? fmt::format(" (process {})", holder) : std::string()),
             "Wait for its end, or choose another directory with --out.");
    }
    if (is_held) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void OutputDirectory::reserve(std::size_t bytes) const {
  if (::posix_fallocate(lock_, 0, static_cast<off_t>(bytes)) != 0) {
    // Without: the disk is full already, and the first file that is written tells.
  }
}

void OutputDirectory::free_reserve() const {
  if (::ftruncate(lock_, 0) != 0) {
    // Then the summary has to find room elsewhere.
  }
}

void OutputDirectory::release() {
  if (lock_ < 0) return;
  ::unlink((path_ / lock_file_name).c_str());
  ::close(std::exchange(lock_, -1));
}

}  // namespace ergon
