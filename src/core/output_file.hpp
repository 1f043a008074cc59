#pragma once

#include <filesystem>
#include <string>

namespace ergon {

/// What is there under this name where a file shall be written, if it is not a regular file: "is a symbolic link", "is a pipe" …
/// Empty if it is one, or if there is nothing.
[[nodiscard]] std::string obstacle_at(const std::filesystem::path& file);

struct OpenedFile {
  int descriptor = -1;
  std::string why_not;  ///< where `descriptor` is -1
};

/// Opens a file to be written from its beginning. Neither follows a link in its last component nor waits for the other end of a
/// pipe: what is not a regular file is refused. A file with other names (hard links) keeps its content under those.
[[nodiscard]] OpenedFile open_output_file(const std::filesystem::path& file);

/// A new file beside `file`, under a name that cannot be foreseen; `name` is where it is. Whoever has been killed while it wrote
/// such a file leaves it behind: `is_temporary_name` recognises it.
[[nodiscard]] OpenedFile open_temporary_file(const std::filesystem::path& file, std::filesystem::path& name);
[[nodiscard]] bool is_temporary_name(const std::string& name);
/// Those that a killed process has left in a directory.
void remove_temporary_files(const std::filesystem::path& directory);

}  // namespace ergon
