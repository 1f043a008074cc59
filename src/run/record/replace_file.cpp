#include "ergon/run/record/replace_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>

namespace ergon {

std::optional<std::string> replace_file(const std::filesystem::path& file, std::string_view text) {
  const std::filesystem::path temporary = file.string() + ".tmp";
  std::error_code error;
  errno = 0;
  {
    std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
    out << text;
    out.close();
    if (!out) {
      const std::string why = std::strerror(errno);
      std::filesystem::remove(temporary, error);
      return fmt::format("'{}' cannot be written: {}.", file.string(), why);
    }
  }
  std::filesystem::rename(temporary, file, error);
  if (!error) return std::nullopt;
  const std::string why = error.message();
  std::filesystem::remove(temporary, error);
  return fmt::format("'{}' cannot be written: {}.", file.string(), why);
}

}  // namespace ergon
