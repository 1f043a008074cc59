#include "ergon/run/record/replace_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "ergon/core/output_file.hpp"

namespace ergon {
namespace {

std::string cannot_be_replaced(const std::filesystem::path& file, const std::string& why) {
  return fmt::format("'{}' cannot be written: {}.", file.string(), why);
}

/// 0, or what errno said.
int write_and_close(int descriptor, std::string_view text) {
  int error_number = 0;
  while (!text.empty() && error_number == 0) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n >= 0) {
      text.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno != EINTR) {
      error_number = errno;
    }
  }
  // Some file systems find out only now that there was no room.
  if (::close(descriptor) != 0 && error_number == 0) error_number = errno;
  return error_number;
}

}  // namespace

std::optional<std::string> replace_file(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path temporary;
  const OpenedFile opened = open_temporary_file(file, temporary);
  if (opened.descriptor < 0) return cannot_be_replaced(file, opened.why_not);
  int error_number = write_and_close(opened.descriptor, text);
  // A link under this name is replaced, not followed.
  if (error_number == 0 && ::rename(temporary.c_str(), file.c_str()) != 0) error_number = errno;
  if (error_number == 0) return std::nullopt;
  ::unlink(temporary.c_str());
  return cannot_be_replaced(file, std::generic_category().message(error_number));
}

}  // namespace ergon
