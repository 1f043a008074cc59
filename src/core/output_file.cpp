#include "ergon/core/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>
#include <vector>

namespace ergon {
namespace {

constexpr std::string_view temporary_begins = ".ergon-";
constexpr std::string_view temporary_ends = ".tmp";
constexpr std::size_t random_digits = 16;

std::string text_of(int error_number) {
  return std::generic_category().message(error_number);
}

std::string kind_of_file(mode_t mode) {
  if (S_ISLNK(mode)) return "is a symbolic link";
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISFIFO(mode)) return "is a pipe";
  if (S_ISSOCK(mode)) return "is a socket";
  return "is a device";
}

}  // namespace

std::string obstacle_at(const std::filesystem::path& file) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) != 0 || S_ISREG(status.st_mode)) return {};
  return kind_of_file(status.st_mode);
}

OpenedFile open_output_file(const std::filesystem::path& file) {
  // A name that changes its meaning between two calls more than a few times is somebody's game.
  constexpr int max_attempts = 10;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    // Not emptied by O_TRUNC: first it must be known to be ours.
    const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (opened < 0) {
      const int error_number = errno;
      const std::string obstacle = obstacle_at(file);
      return {-1, obstacle.empty() ? text_of(error_number) : "it " + obstacle};
    }
    struct stat status {};
    if (::fstat(opened, &status) != 0 || !S_ISREG(status.st_mode)) {
      ::close(opened);
      return {-1, "it " + kind_of_file(status.st_mode)};
    }
    if (status.st_nlink <= 1) {
      if (::ftruncate(opened, 0) == 0) return {opened, {}};
      const int error_number = errno;
      ::close(opened);
      return {-1, text_of(error_number)};
    }
    ::close(opened);
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return {-1, text_of(errno)};
  }
  return {-1, "it is replaced all the time"};
}

OpenedFile open_temporary_file(const std::filesystem::path& file, std::filesystem::path& name) {
  constexpr int max_attempts = 10;
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    std::uint64_t random = 0;
    if (::getrandom(&random, sizeof random, 0) != static_cast<ssize_t>(sizeof random))
      return {-1, text_of(errno)};
    name = file.parent_path() / fmt::format("{}{:016x}{}", temporary_begins, random, temporary_ends);
    const int opened = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (opened >= 0) return {opened, {}};
    if (errno != EEXIST) return {-1, text_of(errno)};
  }
  return {-1, text_of(EEXIST)};
}

bool is_temporary_name(const std::string& name) {
  if (name.size() != temporary_begins.size() + random_digits + temporary_ends.size()) return false;
  const std::string_view digits = std::string_view(name).substr(temporary_begins.size(), random_digits);
  return name.starts_with(temporary_begins) && name.ends_with(temporary_ends) &&
         std::all_of(digits.begin(), digits.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

void remove_temporary_files(const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::vector<fs::path> found;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code none;
    if (is_temporary_name(entry->path().filename().string()) &&
        entry->symlink_status(none).type() == fs::file_type::regular)
      found.push_back(entry->path());
  }
  for (const fs::path& file : found) fs::remove(file, error);
}

}  // namespace ergon
