#include "ergon/run/record/output_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ergon/core/problem.hpp"

namespace ergon {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& directory, const std::string& why, const std::string& remedy) {
  throw InputError({}, fmt::format("the output directory '{}' {}.", directory.string(), why), remedy);
}

/// The first part of the path that exists and is no directory, else an empty path.
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

void prepare_output_directory(const fs::path& directory) {
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
  // Permission bits do not tell (root, read-only mounts, quotas): making a file does.
  const fs::path probe = directory / fmt::format(".ergon-{}", ::getpid());
  const int file = ::open(probe.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0) {
    refuse(directory, fmt::format("is not writable: {}", std::generic_category().message(errno)),
           "Choose another directory with --out, or change its permissions.");
  }
  ::close(file);
  fs::remove(probe, error);
  for (const char* stale : {"summary.json", "report.html"}) fs::remove(directory / stale, error);
}

}  // namespace ergon
